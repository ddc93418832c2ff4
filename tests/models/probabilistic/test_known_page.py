"""The page about what is known of rows: its blocks run, and print what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[3] / "python" / "docs" / "guide" / "known.md").read_text(encoding="utf-8")
SAID = r"is (\d+) % sure of a pair", r"right in (\d+) %", r"it is (\d+) % sure"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)


def test_blocks_run_and_print_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for block in BLOCKS:
        exec(compile(block, "known.md", "exec"), names)
    likelihood, mean, route, better = capsys.readouterr().out.splitlines()
    sure, right, timid = (int(re.findall(pattern, PAGE)[0]) / 100 for pattern in SAID)
    assert [float(x) for x in likelihood.split()[1:]] == pytest.approx([sure, right], abs=0.011)
    assert float(mean.split()[1]) == pytest.approx(timid, abs=0.011)
    assert "start" in route
    assert better == "True"
