"""The page on scikit-learn: its blocks run, and print what the text says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGE = (Path(__file__).parents[2] / "python" / "docs" / "scikit_learn.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("error")
def test_the_blocks_run_and_show_what_is_said(capsys):
    names: dict[str, Any] = {}
    shown = []
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S):
        exec(compile(block, "scikit_learn.md", "exec"), names)
        shown.append(capsys.readouterr().out.splitlines())
    metrics, conditions, weights, entries, targets = shown
    tau, first = map(float, metrics[0].split())
    assert 0.8 < tau < 1.0 and 0.8 < first <= 1.0
    assert conditions == ["True True"]
    few, many = map(int, weights[0].split())
    assert few < many
    importance = names["importance"].importances_mean
    assert importance[2:].max() > importance[:2].max()
    dependence = names["dependence"]["average"]
    assert len(dependence) == len(names["law"].classes_)
    assert (np.diff(dependence[-1]) > 0).all()  # the longer the petal, the more probable is the last class
    assert targets == [str(names["searched"].predict(names["numbers"][:1])[0]), str(names["orders"][:1].tolist())]
    assert set(targets[0].split("|")) <= {"sweet", "red", "sour"}
    pipelines = (Path(__file__).parents[1] / "models" / "pipelines").glob("test_*.py")
    found = sum(len(re.findall(r"^def test_", file.read_text(encoding="utf-8"), re.M)) for file in pipelines)
    assert "more than 30 longer pipelines" in PAGE and found > 30
