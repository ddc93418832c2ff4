"""Choice of width and penalty by held-out log-likelihood: shared by the benchmarks of probabilities.

The search climbs on the grid, from a fixed start: as long as a neighbour along one axis does better, it goes to the
best of them. Held-out log-likelihood is a smooth function of both parameters, so that few of the settings are fitted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

WIDTHS = np.array([0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0])  # gamma times the number of features, features standardised
ALPHAS = np.logspace(-5, 3, 17)
START = (3, 6)  # width 0.3, penalty 0.01

Model = Any  # has fit(X, y) and what is scored
Build = Callable[[dict[str, float]], Model]
Score = Callable[[Model, np.ndarray, np.ndarray], float]


def lists(setting: dict[str, Any]) -> dict[str, Any]:
    """Return parameters of `StructuredRidge` as those of `StructuredRidgeCV`, which takes lists of some.

    Of those that are left out the list holds the default alone, where that of `StructuredRidgeCV` is longer.
    """
    names = {"kernel": "kernels", "gamma": "gammas", "loss": "losses"}
    single = {"kernel": "linear", "gamma": None, "loss": "auto", **setting}
    return {names.get(name, name): [value] if name in names else value for name, value in single.items()}


def log_likelihood(model: Model, X: np.ndarray, y: np.ndarray) -> float:
    """Return the log-likelihood of all rows."""
    return float(model.log_proba(X, y).sum())


def climb(value: Callable[[tuple[int, ...]], float], shape: tuple[int, ...], start: tuple[int, ...]) -> tuple[int, ...]:
    """Return the grid point that no neighbour along an axis exceeds."""
    known: dict[tuple[int, ...], float] = {}

    def look(at: tuple[int, ...]) -> float:
        if at not in known:
            known[at] = value(at)
        return known[at]

    at = start
    while True:
        near = [
            (*at[:axis], at[axis] + step, *at[axis + 1 :])
            for axis, size in enumerate(shape)
            for step in (-1, 1)
            if 0 <= at[axis] + step < size
        ]
        best = max(near, key=look)
        if look(best) <= look(at):
            return at
        at = best


def choose(
    build: Build,
    X: np.ndarray,
    y: np.ndarray,
    *,
    has_width: bool,
    start: tuple[int, int] = START,
    n_folds: int = 3,
    score: Score = log_likelihood,
) -> dict[str, float]:
    """Return alpha (and gamma, where there is a width) of largest score, added up over inner folds."""
    folds = list(KFold(n_folds, shuffle=True, random_state=0).split(X))

    def setting(at: tuple[int, ...]) -> dict[str, float]:
        chosen = {"alpha": float(ALPHAS[at[-1]])}
        return {**chosen, "gamma": float(WIDTHS[at[0]] / X.shape[1])} if has_width else chosen

    def held_out(at: tuple[int, ...]) -> float:
        return sum(score(build(setting(at)).fit(X[train], y[train]), X[test], y[test]) for train, test in folds)

    sizes = (len(WIDTHS), len(ALPHAS))
    return setting(climb(held_out, sizes, start) if has_width else climb(held_out, sizes[1:], start[1:]))
