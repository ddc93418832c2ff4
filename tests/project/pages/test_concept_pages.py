"""The pages on concepts and the one of questions: their blocks run, and print what stands beside them."""

from __future__ import annotations

import inspect
import operator
import re
from pathlib import Path

import pytest

import combpred
from combpred import structures

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "python" / "docs"
PAGES = ["concepts/counting.md", "concepts/sampling.md", "concepts/losses.md", "guide/questions.md"]


@pytest.mark.parametrize("page", PAGES)
def test_what_is_printed_is_what_the_page_says(page: str, capsys: pytest.CaptureFixture[str], tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
        shown = re.findall(r"(?:^ *print\(.*\)  |^ *)# (.*)$", block, re.M)
        assert bool(shown) == ("print(" in block)
        assert capsys.readouterr().out.split("\n")[:-1] == shown
    assert blocks


def test_limits_of_exact_sums_are_those_of_the_table():
    table = (DOCS / "concepts" / "sampling.md").read_text(encoding="utf-8")
    limits = re.findall(r"^\| (`[^|]*`)[^|]*\|[^|]*\| (\d+) (?:labels|items|vertices|places) \|", table, re.M)
    sizes = {name: int(most) for names, most in limits for name in re.findall(r"`(\w+)`", names)}
    assert len(sizes) == 8
    for name, most in sizes.items():
        able = ["partition" in getattr(structures, name)(size).space.capabilities for size in (most, most + 1)]
        assert able == [True, False], name


def test_what_the_page_of_the_thesis_points_to_is_there():
    page = (DOCS / "evidence" / "thesis.md").read_text(encoding="utf-8")
    files = re.findall(r"\]\(\.\./\.\./\.\./([\w/.]+)\)", page)
    assert len(files) > 40
    assert [file for file in files if not (ROOT / file).exists()] == []
    modules = "|".join(name for name in combpred.__all__ if inspect.ismodule(getattr(combpred, name)))
    for path in re.findall(rf"`((?:{modules})(?:\.\w+)+)", page):
        assert operator.attrgetter(path)(combpred), path
