"""Rankings as files, and commands that fail as they should."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_runs import Failing, write_csv
from combpred._cli.main import main
from combpred.datasets import make_label_ranking


@pytest.fixture
def rankings(tmp_path: Path) -> tuple[str, str]:
    """Training and test file: inputs A1..A3, positions L1..L4."""
    X, y = make_label_ranking(120, 3, 4, random_state=0)
    names = ["A1", "A2", "A3", "L1", "L2", "L3", "L4"]
    rows = [[*x, *r] for x, r in zip(X.tolist(), y.tolist(), strict=True)]
    return write_csv(tmp_path / "train.csv", names, rows[:80]), write_csv(tmp_path / "test.csv", names, rows[80:])


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Failing:
    """Run a mistaken command and return what it says: one line, no traceback, nothing on standard output."""

    def run(*arguments: str) -> str:
        capsys.readouterr()
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        lines = [line for line in err.splitlines() if "warning: " not in line]
        assert len(lines) == 1 and lines[0].startswith("combpred: error: ")
        return lines[0]

    return run
