"""Passes of stochastic gradient descent over all rows, until little is left to be gained."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ._abi import Control
from ._averaged_sgd import Pace, SgdState, descend
from ._coordinates import Coordinates, Spread
from ._decrement import Decrement, Look, known_decrement, look_at_zero, sampled_decrement
from ._features import Features
from ._likelihood import Likelihood
from ._progress import reported
from ._sampled_laws import TrainingLaws
from ._warn import warn_user

FloatArray = NDArray[np.float64]

#: With sampled gradients, `tol` is taken to be no less, so that a 400th of the gain may be left.
SAMPLED_TOL = 0.05
_SLACK = 4.0  # times what they are asked for, sampled fits may have left without a warning: a hundredth of the gain
_SPACING = 1.5  # by how much a look at what is left comes later than the one before
#: Share of the covariance under the uniform law that is added to that where the descent is, which holds steps back.
_DAMPING = 0.1
_FIRST_FOLLOWED = 6  # passes after which coordinates first follow the laws; they do at twice as many each time
_MUCH = 0.01  # of the gain


class Descent:
    """Where a descent stands, and what is left.

    Attributes
    ----------
    state : SgdState
    n_passes : int
    left : Decrement
        What was still to be gained when that was last looked at.
    objective : float
        At the averaged weights, then; only with exact laws.
    engine : str
        What computed it.
    """

    def __init__(self, likelihood: Likelihood, features: Features, state: SgdState, *, alpha: float) -> None:
        self._likelihood, self._features, self._alpha = likelihood, features, alpha
        self.state, self.n_passes = state, 0
        self._coordinates = Coordinates.at_zero(alpha, features, state.curvature)
        zero = look_at_zero(features, likelihood, state.average.shape)
        # What an earlier fit has gained says nothing about what is left.
        self._looks = [] if state.average.any() else [zero]
        self.left = known_decrement(zero, None, self._coordinates)
        self._first = self.left.value
        self.objective, self.engine = np.nan, ""
        self._limit = 0.0

    def run(self, rng: np.random.RandomState, *, tol: float, max_iter: int, label: str, verbose: int) -> None:
        """Pass over all rows until what is left is `tol`² times what it was at zero, or `max_iter` times."""
        laws, n = self._likelihood.laws, len(self._likelihood.psi)
        self._tol = max(tol, SAMPLED_TOL) if isinstance(laws, TrainingLaws) else tol
        self._limit = self._tol**2 * self._first
        control, look, follow = Control(), 1, _FIRST_FOLLOWED
        with reported(control, label, verbose=verbose):
            pace = Pace.of(self._coordinates, self._alpha, self._features, self._likelihood.weights)
            while self.n_passes < max_iter:
                self.n_passes += 1
                self.state = descend(
                    self.state, self._likelihood, self._features, pace, alpha=self._alpha, share=1.0,
                    order=rng.permutation(n), control=control,
                )  # fmt: skip
                if self.n_passes in (look, max_iter):
                    look = max(look + 1, int(_SPACING * self.n_passes))
                    self.left = self._look(last=self.n_passes == max_iter)
                    control.value = self.left.value
                    if self.left.is_within(self._limit):
                        break
                if self.n_passes == follow:
                    follow *= 2
                    pace = self._followed(pace)

    def _followed(self, pace: Pace) -> Pace:
        """Move the coordinates to the Hessian where the descent is; keep them where it cannot be estimated."""
        spread = Spread.at(self.state.average, self._features, self._likelihood)
        if spread is None:
            return pace
        self._coordinates = Coordinates.of_spread(spread, self._alpha, self._features)
        damped = Coordinates.of_spread(spread.towards(self.state.curvature, _DAMPING), self._alpha, self._features)
        # Steps that have shrunk are long again where much is left, else they go on shrinking, as noise is what is left.
        begun = self.state.n_steps if self.left.value > _MUCH * self._first else pace.begun
        return Pace.of(damped, self._alpha, self._features, self._likelihood.weights, begun)

    def _look(self, *, last: bool) -> Decrement:
        """Return what is left at the averaged weights."""
        average, laws = self.state.average, self._likelihood.laws
        # Of those looks at no more than half the passes, the last.
        while len(self._looks) > 1 and 2 * self._looks[1].n_passes <= self.n_passes:
            del self._looks[0]
        half = self._looks[0] if self._looks else None
        if isinstance(laws, TrainingLaws):
            now, left = sampled_decrement(
                self.n_passes, average, half, self._alpha, self._features, self._likelihood, laws, self._coordinates,
                self._limit, last=last,
            )  # fmt: skip
        else:
            loss, gradient, self.engine = self._likelihood.gradient(self._features, average)
            self.objective = self._alpha * float(np.sum(np.square(average))) + loss
            now = Look(self.n_passes, average, gradient + 2.0 * self._alpha * average)
            left = known_decrement(now, half, self._coordinates)
        self._looks.append(now)
        return left

    def warn_unless_settled(self) -> None:
        """Issue a ConvergenceWarning where passes ran out before `tol`, by more than the noise of a good fit."""
        slack = _SLACK if self.left.error else 1.0
        if self.left.value + self.left.error <= slack * self._limit:
            return
        share = self.left.value / max(self._first, np.finfo(float).tiny)
        error = f" ± {self.left.error:.1e}" if self.left.error else ""
        sampled = isinstance(self._likelihood.laws, TrainingLaws)
        warn_user(
            f"after the last of {self.n_passes} passes the objective is about {self.left.value:.1e}{error} above its "
            f"minimum, {share:.1e} times what was to be gained, where the square of tol={self._tol:.1e} is asked for; "
            "raise tol, alpha or max_iter, or take solver='lbfgs'" + (" with inference='exact'" if sampled else ""),
            ConvergenceWarning,
        )
