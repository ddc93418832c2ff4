"""The page on sets with a guarantee runs, and says what is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGE = (Path(__file__).parents[3] / "python" / "docs" / "guide" / "conformal.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)


def test_its_blocks_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in BLOCKS:
        exec(compile(block, "conformal.md", "exec"), names)
    # 200 test rows at a coverage of .9: five standard deviations of the binomial law and of 120 calibration rows
    assert names["sets"].contains(names["y"][400:]).mean() > 0.9 - 5 * np.sqrt(0.09 * (1 / 200 + 1 / 120))
    assert np.isfinite(names["sets"].log_size).all()
    assert set(names["grouped"].thresholds_) == {"left", "right"}
    held = names["model"].predict_set(names["X"], constraints={"first": "tea"})
    assert (held.log_size <= names["model"].predict_set(names["X"]).log_size + 1e-9).all()
    assert "tea" in capsys.readouterr().out
