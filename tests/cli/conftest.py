"""Tables, and the command line run in the process of the tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from combpred._cli.main import main

pytest.importorskip("skops", reason="model files are those of skops")


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a call that fails with status 2, and return its one line on standard error."""

    def run(*arguments: str) -> str:
        capsys.readouterr()
        assert main(list(arguments)) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith("combpred: error: ") and captured.err.count("\n") == 1
        return captured.err

    return run


@pytest.fixture
def drinks(tmp_path: Path) -> str:
    """A table of ages, cities and positions of three drinks, as CSV and as Parquet."""
    rng = np.random.default_rng(0)
    age, city = rng.integers(18, 70, 40), rng.choice(["Bonn", "Kiel"], 40)
    positions = np.where((age > 40)[:, np.newaxis], [3, 2, 1], [1, 2, 3])
    frame = pd.DataFrame({"age": age, "city": city, **dict(zip(["juice", "milk", "tea"], positions.T, strict=True))})
    frame.to_csv(tmp_path / "drinks.csv", index=False)
    frame.to_parquet(tmp_path / "drinks.parquet")
    return str(tmp_path / "drinks.csv")


@pytest.fixture
def ranked() -> list[str]:
    """What the targets and inputs of that table are."""
    return ["--structure", "permutations", "--targets", "juice,milk,tea", "--categorical", "city"]


@pytest.fixture
def model(drinks: str, ranked: list[str], tmp_path: Path) -> str:
    """A model of rankings that was trained on it."""
    path = str(tmp_path / "drinks.model")
    assert main(["fit", drinks, *ranked, "--model", path]) == 0
    return path
