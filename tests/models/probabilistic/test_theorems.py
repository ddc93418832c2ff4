"""What the thesis proves about maximum a posteriori estimates (sections 6.1 and 6.4), at estimates of the library.

The thesis's λ multiplies ‖w‖² beside the mean loss, `alpha` multiplies it beside the sum: alpha = m λ.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from combpred import ProbabilisticStructured
from combpred.structures import Cycles, LabelSets, MultiClass, Permutations, Structure, Subtrees

ROWS = 12
STRUCTURES: list[Structure] = [
    LabelSets(4),
    LabelSets(5, size=2),
    MultiClass(5),
    Permutations(4),
    Subtrees([-1, 0, 0, 1]),
    Cycles(5),
]


def data(structure: Structure) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, outputs that follow from them up to noise, and ψ of all outputs."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 3))
    scores = 2 * x @ rng.normal(size=(3, structure.n_features)) + rng.normal(size=(ROWS, structure.n_features))
    return x, structure.decode(scores), structure.embed(np.array(list(structure.enumerate())))


def fitted(structure: Structure, x: np.ndarray, y: np.ndarray, alpha: float) -> ProbabilisticStructured:
    return ProbabilisticStructured(structure, alpha=alpha, fit_intercept=False, inference="exact", tol=1e-6).fit(x, y)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_norm_of_the_estimate_is_bounded(structure: Structure) -> None:
    """The norm bound of section 6.1: ‖ŵ‖ ≤ √(ln|Y| / λ), by λ‖ŵ‖² + mean loss ≤ ln|Y|, all y being summed.

    The printed proof speaks of the true risk under a distribution D, for which ŵ need be no minimiser; what it says
    holds for the empirical risk, which ŵ does minimise, and that is tested. The bound is not empty: the estimate for a
    ten-thousandth of the penalty exceeds it.
    """
    x, y, psi = data(structure)
    observed, log_count = structure.embed(y), structure.log_count()

    def norm_and_loss(alpha: float) -> tuple[float, float]:
        model = fitted(structure, x, y, alpha)
        scores = model.feature_scores(x)
        loss = np.logaddexp.reduce(scores @ psi.T, axis=1) - (scores * observed).sum(axis=1)
        return float(np.linalg.norm(model.coef_)), float(loss.mean())

    for lam in (1e-3, 0.1, 10.0):
        norm, loss = norm_and_loss(ROWS * lam)
        assert norm <= math.sqrt(log_count / lam)
        assert lam * norm**2 + loss <= log_count * (1 + 1e-9)
    assert norm_and_loss(ROWS * 10.0 / 1e4)[0] > math.sqrt(log_count / 10.0)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_large_penalty_keeps_scores_within_one(structure: Structure) -> None:
    """Section 6.4: λ ≥ R² ln|Y| implies |f(x, y)| ≤ 1, for all y and rows x, with R = max ‖x‖ ‖ψ(y)‖.

    Not so for a hundred-thousandth of that penalty.
    """
    x, y, psi = data(structure)
    radius = np.linalg.norm(x, axis=1).max() * np.linalg.norm(psi, axis=1).max()
    least = radius**2 * structure.log_count()

    def largest(lam: float) -> float:
        return float(np.abs(fitted(structure, x, y, ROWS * lam).feature_scores(x) @ psi.T).max())

    assert largest(least) <= 1
    assert largest(least / 1e5) > 1
