"""The page on the command line: its commands run, and print what they are said to print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from combpred._cli.main import main

PAGE = Path(__file__).parents[2] / "python" / "docs" / "command_line.md"
SECONDS = re.compile(r"in \d+\.\d+ s\b")


def test_the_page_says_what_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    printed, compared = "", 0
    for kind, name, body in blocks:
        if kind in ("csv", "json", "arff"):
            Path(name).write_text(body, encoding="utf-8")
        elif kind == "python":
            exec(compile(body, str(PAGE), "exec"), {})
            assert capsys.readouterr().out.startswith("[[1 2 3]")
        elif kind == "sh":
            printed = ""
            for command in body.replace("\\\n", "").strip().splitlines():
                program, *arguments = shlex.split(command)
                assert program == "combpred"
                status = main(arguments)
                out, err = capsys.readouterr()
                printed += err + out
                assert status == (2 if "combpred: error" in err else 0), printed
        else:
            assert kind == "text"
            assert SECONDS.sub("in … s", printed) == SECONDS.sub("in … s", body)
            compared += 1
    assert compared >= 7
