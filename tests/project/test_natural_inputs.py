"""The table of natural inputs: every row is run, and returns or raises what it says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("networkx")

PAGE = (Path(__file__).parents[2] / "python" / "docs" / "guide" / "natural_inputs.md").read_text(encoding="utf-8")
SECTIONS = dict(part.split("\n", 1) for part in PAGE.split("\n## ")[1:])
ROW = re.compile(r"^\| `(?P<code>.*?)` \| (?:(?P<error>\w+): )?`(?P<said>.*)` \|$", re.MULTILINE)
ROWS = [
    (section, *row.group("code", "error", "said")) for section, text in SECTIONS.items() for row in ROW.finditer(text)
]


@pytest.fixture(scope="module")
def names():
    """What the block of code at the head of each section defines."""
    found = {}
    for section, text in SECTIONS.items():
        found[section] = {}
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            exec(compile(block, f"natural_inputs.md, {section}", "exec"), found[section])
    return found


def test_the_table_is_read():
    lines = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROWS) >= 40
    assert len({code for _, code, _, _ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("section", "code", "error", "said"), ROWS)
def test_what_happens_is_what_the_table_says(names, section, code, error, said):
    code, said = code.replace("\\|", "|"), said.replace("\\|", "|")
    if error is None:
        value = eval(code, names[section])
        shown = repr(value.tolist() if isinstance(value, np.ndarray) else value)
    else:
        with pytest.raises((ValueError, TypeError)) as caught:
            eval(code, names[section])
        assert error in [cls.__name__ for cls in type(caught.value).__mro__]
        shown = " ".join(str(caught.value).split())
    assert re.fullmatch(".*".join(map(re.escape, said.split("…"))), shown), shown
