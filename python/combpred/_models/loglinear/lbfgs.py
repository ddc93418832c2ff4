"""The penalised likelihood, maximised by L-BFGS with a preconditioner that follows its Hessian."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ..._data.warn import warn_user
from ..._lib.abi import Control
from ..._lib.arrays import FloatArray
from ..._lib.control import reported
from .likelihood import Loss, Preconditioner

_CORRECTIONS = 100  # pairs of differences that L-BFGS keeps at most: nearly separable data need many
_FEWEST_CORRECTIONS = 20
_CORRECTION_NUMBERS = 2**20  # in more of them than the fewest, which would cost as much as partition functions do
_FIRST_SEARCH = 60  # iterations with the first preconditioner ...
_LONGER = 3.0  # ... and by how much each search is longer than the one before


@dataclass(frozen=True)
class Maximum:
    """Feature weights of largest penalised likelihood."""

    weights: FloatArray
    objective: float
    n_iter: int
    residual: float  # largest entry of the gradient, relative to that at zero
    inference: str


def maximise_likelihood(
    loss: Loss,
    start: FloatArray | None = None,
    *,
    alpha: float,
    tol: float,
    max_iter: int,
    label: str,
    verbose: int,
) -> Maximum:
    """Minimise α‖W‖² plus the loss over the feature weights W, from zero or from `start` (q, d), whichever is better.

    Stops when no entry of the gradient, preconditioned by the Hessian at zero, exceeds `tol` times the largest one
    there, or after `max_iter` iterations. Each costs about one evaluation of ln Z and its gradient for all rows. Where
    distributions come to be far from uniform, the search is preconditioned by the Hessian where it is: after 60
    iterations, after 180 more, and so on.
    """
    search = _Search(loss, alpha)
    with reported(search.control, label, verbose=verbose):
        if start is not None:
            search.move(start)
        search.run(tol, max_iter)
    return Maximum(search.weights, search.value, search.n_iter, search.residual, search.inference)


class _Converged(Exception):  # noqa: N818  # raised to end a search that has arrived
    """The gradient is small enough."""


class _Search:
    """State of the search: the last accepted weights, their objective, and the size of the gradient."""

    def __init__(self, loss: Loss, alpha: float) -> None:
        self._loss, self._alpha = loss, alpha
        self._zero = loss.at_zero(alpha)
        self.control = Control()
        self.n_iter = 0
        self.inference = ""
        self.weights = np.zeros(self._zero.scale.shape)
        self.value, gradient = self._evaluate(self.weights)
        self._first = self._largest(gradient)
        self.residual = 1.0 if self._first > 0.0 else 0.0  # else the observed means are the uniform ones

    def move(self, weights: FloatArray) -> None:
        """Move to `weights` if their objective is smaller than the current one."""
        value, gradient = self._evaluate(weights)
        if value < self.value:
            self.weights, self.value = weights, value
            if self._first > 0.0:
                self.residual = self._largest(gradient) / self._first

    def run(self, tol: float, max_iter: int) -> None:
        length = float(_FIRST_SEARCH)
        while self.residual > tol and self.n_iter < max_iter:
            before = self.value
            self._search(self._preconditioner(), tol, min(int(length), max_iter - self.n_iter))
            # A line search can fail for rounding; it starts anew from the gradient, as long as that leads further.
            if not self.value < before:
                break
            length *= _LONGER

    def _preconditioner(self) -> Preconditioner:
        """Return the preconditioner of the Hessian at the current weights, or at zero where that is not known."""
        if not self.weights.any():
            return self._zero
        followed = self._loss.at(self.weights, self._alpha)
        return self._zero if followed is None else followed

    def _search(self, preconditioner: Preconditioner, tol: float, max_iter: int) -> None:
        shape = self.weights.shape
        tried: tuple[FloatArray, float, FloatArray] | None = None

        def objective(z: FloatArray) -> tuple[float, FloatArray]:
            nonlocal tried
            weights = preconditioner.weights(z.reshape(shape))
            value, gradient = self._evaluate(weights)
            tried = weights, value, gradient
            return value, preconditioner.pull_back(gradient).ravel()

        def accept(z: FloatArray) -> None:
            assert tried is not None  # the point that was tried last is the one accepted
            self.weights, self.value = tried[:2]
            self.residual = self._largest(tried[2]) / self._first
            self.n_iter += 1
            self.control.step, self.control.value = self.n_iter, self.value
            if self.residual <= tol:
                raise _Converged

        try:
            minimize(
                objective, preconditioner.of_weights(self.weights).ravel(), jac=True, method="L-BFGS-B",
                callback=accept,
                options={
                    "maxiter": max_iter, "maxfun": 20 * max_iter + 100, "maxcor": _corrections(self.weights.size),
                    "ftol": 0.0, "gtol": 0.0,
                },
            )  # fmt: skip
        except _Converged:
            return

    def _evaluate(self, weights: FloatArray) -> tuple[float, FloatArray]:
        loss, gradient, self.inference = self._loss.evaluate(weights)
        gradient += 2.0 * self._alpha * weights
        return loss + self._alpha * float(np.sum(weights * weights)), gradient

    def _largest(self, gradient: FloatArray) -> float:
        return float(np.abs(self._zero.pull_back(gradient)).max(initial=0.0))


def _corrections(n_weights: int) -> int:
    """Return how many pairs of differences to keep."""
    return max(_FEWEST_CORRECTIONS, min(_CORRECTIONS, _CORRECTION_NUMBERS // n_weights))


def warn_unless_maximal(found: Maximum, tol: float) -> None:
    """Issue a ConvergenceWarning where the search ended before `tol`."""
    if found.residual > tol:
        warn_user(
            f"the likelihood was not maximal after {found.n_iter} iterations: the gradient is {found.residual:.1e} "
            f"times that at zero, above tol={tol:.1e}; raise max_iter, alpha or tol, or scale the inputs",
            ConvergenceWarning,
        )
