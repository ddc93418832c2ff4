"""The page about scores of the user's own: its blocks run, those for other packages where these are installed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGE = (Path(__file__).parents[3] / "python" / "docs" / "guide" / "scores.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^```python ?(\w*)\n(.*?)^```$", PAGE, re.M | re.S))


def run(name: str, names: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run a block of the page on what others have left, and return the names that it leaves."""
    names = {} if names is None else names
    exec(compile(BLOCKS[name], f"scores.md, {name}", "exec"), names)
    return names


def likelihood(names: dict[str, Any], scores: np.ndarray) -> float:
    return float(names["rankings"].log_proba(scores, names["y"]).mean())


def test_the_page_has_these_blocks() -> None:
    assert set(BLOCKS) == {"", "numpy", "torch", "lightgbm"}
    for name in ("torch", "lightgbm"):
        assert len([line for line in BLOCKS[name].splitlines() if line.strip()]) <= 12


@pytest.mark.filterwarnings("error")
def test_routes_of_a_query(capsys: pytest.CaptureFixture[str]) -> None:
    names = run("")
    assert capsys.readouterr().out.splitlines()[0] == "[ 0  1  2  3 -1]"
    assert names["arcs"].shape == (names["routes"].n_features,)


@pytest.mark.filterwarnings("error")
def test_gradients_in_numpy() -> None:
    """After 100 steps the training data is likelier than under the truth, which drew it."""
    names = run("numpy")
    assert likelihood(names, names["X"] @ names["W"]) > likelihood(names, names["X"] @ names["truth"])
    assert abs(names["means"] - names["psi"]).max() <= 2


def test_gradients_in_torch() -> None:
    torch = pytest.importorskip("torch")
    names = run("numpy")
    torch.manual_seed(0)
    run("torch", names)
    assert likelihood(names, names["s"].detach().numpy()) > likelihood(names, np.zeros((300, 6))) + 0.5


def test_gradients_in_lightgbm() -> None:
    pytest.importorskip("lightgbm")
    names = run("numpy")
    run("lightgbm", names)
    assert likelihood(names, names["trees"].predict(names["X"])) > likelihood(names, np.zeros((300, 6))) + 0.5
