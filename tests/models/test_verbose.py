"""What trainings of many steps show: a bar of as many as there are in the end."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from combpred import ProbabilisticStructuredCV, StructuredRidge, StructuredRidgeCV, StructuredSGD, StructuredVoting

tqdm = pytest.importorskip("tqdm.auto")


def ridges(*names: str) -> list[tuple[str, Any]]:
    return [(name, StructuredRidge("permutations")) for name in names]


@pytest.mark.parametrize(
    ("totals", "model"),
    [
        ([5], StructuredSGD("permutations", max_iter=5, tol=1e-300)),
        ([5], StructuredSGD("permutations", kernel="rbf", max_iter=5, tol=1e-300)),
        ([1], StructuredRidgeCV("permutations", kernels=["linear"])),
        ([3], StructuredRidgeCV("permutations", kernels=["linear", "rbf"], gammas=[1.0])),
        ([12], StructuredRidgeCV("permutations", kernels=["rbf"], gammas=[0.3, 0.5, 1.0, 2.0, 4.0, 9.0])),
        ([8], ProbabilisticStructuredCV("permutations", kernels=["rbf"], gammas=[0.3, 1.0, 2.0, 9.0])),
        ([2, 2], StructuredVoting(ridges("a", "b"))),
        ([3], StructuredVoting(ridges("a", "b", "c"), weights=[1, 1, 1])),
    ],
    ids=["sgd", "sgd rbf", "one setting", "two", "six", "four", "voting", "given weights"],
)
def test_bars_count_to_their_totals(limits: Any, capsys: Any, monkeypatch: Any, totals: list[int], model: Any) -> None:
    limits.progress_at_once()
    ended = []

    class Watched(tqdm.tqdm):  # type: ignore[misc, name-defined]
        def close(self) -> None:
            if not self.disable:
                ended.append((self.desc, self.total, self.n))
            super().close()

    monkeypatch.setattr(tqdm, "tqdm", Watched)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.permuted(np.tile([1, 2, 3], (30, 1)), axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # passes that end before they converge
        model.set_params(verbose=1).fit(X, y)
    name = type(model).__name__
    assert [bar for bar in ended if bar[0] == name] == [(name, total, total) for total in totals]
    assert capsys.readouterr().err.count(f"[{name}]") >= sum(totals)  # a line or more for each step
