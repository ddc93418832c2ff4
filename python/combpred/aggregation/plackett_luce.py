"""Plackett–Luce models of weighted rankings by penalised maximum likelihood, for many sets of rankings at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._data.warn import warn_user
from .._lib.arrays import FloatArray
from .._lib.errors import NumericalError

__all__ = [
    "fit_plackett_luce",
]


def __dir__() -> list[str]:
    return __all__


_DECREMENT = 1e-10  # of Newton's method, per weight: a further step, quadratic as it is, leaves its square
_MAX_ITER = 100
_MAX_HALVINGS = 40
_SUFFICIENT = 1e-4  # share of the decrease that the slope promises with which a step is taken


def fit_plackett_luce(ranks: NDArray[np.int32], weights: FloatArray, penalty: float) -> FloatArray:
    r"""Return the utilities of the labels that fit each set of rankings best.

    Parameters
    ----------
    ranks : ndarray of shape (n, m, k), dtype=int32
        m rankings for each of n sets: ranks from 1 on without ties, 0 for labels that are not ranked.
    weights : ndarray of shape (n, m)
        Weights of the rankings, at least 0.
    penalty : float
        c > 0, without which a label that is before all others in every ranking would have an infinite utility.

    Returns
    -------
    utilities : ndarray of shape (n, k)
        u, of mean 0 in each row: a ranking is drawn place by place, each time one of the labels that are left, with
        probability proportional to exp u.

    Raises
    ------
    NumericalError
        Where the penalty is lost beside the weights.

    Warns
    -----
    ConvergenceWarning
        Where Newton's method is not done after 100 steps.

    Notes
    -----
    Minimises :math:`-\sum_j w_j \ln p(y_j) + \tfrac c2\|u\|^2`, strictly convex in u, by Newton's method with step
    halving. The distribution of the order of some labels does not depend on the others, so that the likelihood of an
    incomplete ranking is that of its known labels. A step costs O(n m k²).
    """
    order = np.argsort(np.where(ranks == 0, np.iinfo(np.int32).max, ranks), axis=2, kind="stable")
    sets = _Sets(order, np.take_along_axis(ranks > 0, order, axis=2), weights, penalty)
    u: FloatArray = np.zeros((ranks.shape[0], ranks.shape[2]))
    moving = np.arange(len(u))
    for _ in range(_MAX_ITER):
        of = sets.at(moving)
        gradient, hessian = of.derivatives(u[moving])
        try:
            step = np.asarray(np.linalg.solve(hessian, gradient[:, :, np.newaxis])[:, :, 0], dtype=np.float64)
        except np.linalg.LinAlgError as error:
            raise NumericalError(
                f"weights of up to {weights.max():.3g} leave nothing of penalty={penalty:g}, without which there is no "
                "largest likelihood: raise the penalty, or scale the weights"
            ) from error
        decrement = (gradient * step).sum(axis=1)
        done = decrement <= _DECREMENT * (of.weights.sum(axis=1) + penalty)
        u[moving[done]] -= step[done]
        left = np.flatnonzero(~done)
        if not left.size:
            return u
        moving = moving[left]
        u[moving] = of.at(left).descended(u[moving], step[left], decrement[left])
    warn_user(
        f"{len(moving)} of {len(u)} Plackett–Luce models are not fitted after {_MAX_ITER} steps of Newton's method: a "
        "larger penalty makes it easier",
        ConvergenceWarning,
    )
    return u


@dataclass(frozen=True, eq=False)
class _Sets:
    """Sets of weighted rankings: labels in order, and which of the places hold a known one."""

    order: NDArray[np.intp]  # (n, m, k)
    known: NDArray[np.bool_]  # (n, m, k)
    weights: FloatArray  # (n, m)
    penalty: float

    def at(self, rows: NDArray[np.intp]) -> _Sets:
        return _Sets(self.order[rows], self.known[rows], self.weights[rows], self.penalty)

    def _worths(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return exp u of the labels in order, 0 where unknown, and their sums from each place on, 1 where empty."""
        worth = np.exp(np.take_along_axis(u[:, np.newaxis, :], self.order, axis=2)) * self.known
        left = np.cumsum(worth[:, :, ::-1], axis=2)[:, :, ::-1]
        return worth, np.where(self.known, left, 1.0)

    def losses(self, u: FloatArray) -> FloatArray:
        worth, left = self._worths(u)
        ratios = np.log(np.where(self.known, left / np.where(self.known, worth, 1.0), 1.0))
        losses: FloatArray = (self.weights * ratios.sum(axis=2)).sum(axis=1)
        losses += 0.5 * self.penalty * (u * u).sum(axis=1)
        return losses

    def derivatives(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return gradients (n, k) of the losses, and matrices (n, k, k) that give Newton's steps from them."""
        _, left = self._worths(u)
        # With C_i the sum from place i on, a label at place t is chosen with probability exp(u) / C_i at i = 1..t.
        once = np.cumsum(self.known / left, axis=2) * self.known
        twice = np.cumsum(self.known / left**2, axis=2) * self.known
        once, twice, ranked = (self._by_label(values) for values in (once, twice, self.known.astype(np.float64)))
        worth = np.exp(u)
        chosen = worth * np.einsum("ij,ijl->il", self.weights, once)
        gradient = chosen - np.einsum("ij,ijl->il", self.weights, ranked) + self.penalty * u
        # Two labels meet up to the place of the earlier one, whose sum of 1/C² is the smaller.
        met = np.minimum(twice[:, :, :, np.newaxis], twice[:, :, np.newaxis, :])
        hessian = -np.einsum("ij,ijlh->ilh", self.weights, met) * worth[:, :, np.newaxis] * worth[:, np.newaxis, :]
        diagonal = np.arange(u.shape[1])
        hessian[:, diagonal, diagonal] += chosen + self.penalty
        # Equal changes of all utilities, which the likelihood does not notice, are curved by the penalty alone, lost
        # beside large weights. The gradient has no part along them, so that more curvature leaves the step as it is.
        hessian += (self.weights.sum(axis=1) / u.shape[1])[:, np.newaxis, np.newaxis]
        return gradient, hessian

    def _by_label(self, values: FloatArray) -> FloatArray:
        found = np.empty_like(values)
        np.put_along_axis(found, self.order, values, axis=2)
        return found

    def descended(self, u: FloatArray, step: FloatArray, decrement: FloatArray) -> FloatArray:
        """Return u less a share of each step, halved until the loss falls by part of what the slope promises."""
        before, share = self.losses(u), np.ones(len(u))
        for _ in range(_MAX_HALVINGS):
            moved: FloatArray = u - share[:, np.newaxis] * step
            short = self.losses(moved) > before - _SUFFICIENT * share * decrement
            if not short.any():
                break
            share[short] *= 0.5
        return moved
