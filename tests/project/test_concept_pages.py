"""The pages on concepts and the one of questions: their blocks run, and print what stands beside them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "python" / "docs"
PAGES = ["concepts/counting.md", "concepts/sampling.md", "concepts/losses.md", "guide/questions.md"]


@pytest.mark.parametrize("page", PAGES)
def test_what_is_printed_is_what_the_page_says(page: str, capsys: pytest.CaptureFixture[str], tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
        shown = re.findall(r"^ *print\(.*\)  # (.*)$", block, re.M)
        assert len(shown) == block.count("print("), block
        assert capsys.readouterr().out.split("\n")[:-1] == shown
    assert blocks
