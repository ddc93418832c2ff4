"""The page on the command line: its commands run, and print what they are said to print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from combpred._cli.main import main

PAGE = Path(__file__).parents[2] / "python" / "docs" / "guide" / "command_line.md"


def test_the_page_says_what_happens(tmp_path, monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    printed, compared = "", 0
    for kind, name, body in re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S):
        if kind == "csv":
            Path(name).write_text(body, encoding="utf-8")
        elif kind == "python":
            exec(compile(body, str(PAGE), "exec"), {})
            assert capsys.readouterr().out.startswith("[[1 2 3]")
        elif kind == "sh":
            for command in body.strip().splitlines():
                program, *arguments = shlex.split(command)
                assert program == "combpred" and main(arguments) == 0
                printed, _ = capsys.readouterr()
        else:
            assert kind == "text" and printed == body
            compared += 1
    assert compared == 3
