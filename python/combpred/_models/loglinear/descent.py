"""Maximum likelihood by preconditioned stochastic gradient descent, on mini-batches or sampled gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ..._data.warn import warn_user
from ..._lib.abi import Control
from ..._lib.arrays import FloatArray, row_blocks
from ..._lib.control import reported
from ...sampling.engines import SampledTraining
from .features import Features
from .likelihood import Likelihood, Preconditioner, Spread, UniformCurvature

_BATCH = 32  # rows of one step: the gradient of one row costs little more than the call that asks for it
_AVERAGING = 3.0  # the last step counts 1 + this, in steps so far
_DECAY = 0.6  # step sizes fall with this power of their number: slowly enough for averages to be optimal
_PLATEAU = 10.0  # steps before they begin to, in units of the inverse of the first step size

#: Order of a second moment of inputs that is diagonalised for descent, which multiplies by its eigenvectors each step.
LARGEST_MOMENT = 512

_ERRORS = 2.0  # standard errors by which an estimate has to be below a limit to be taken as below
_ROUNDS = 4  # evaluations of all rows that one estimate may cost at most ...
_ROWS = 400  # ... or as many as make up this many rows

#: With sampled gradients, `tol` is taken to be no less, so that a 400th of the gain may be left.
SAMPLED_TOL = 0.05
_SLACK = 4.0  # times what they are asked for, sampled fits may have left without a warning: a hundredth of the gain
_SPACING = 1.5  # by how much a checkpoint comes later than the one before
#: Share of the covariance under the uniform distribution that is added to that where the descent is, which damps steps.
_DAMPING = 0.1
_FIRST_RENEWED = 6  # passes after which the preconditioner is first renewed; then after twice as many each time
_MUCH = 0.01  # of the gain


@dataclass(frozen=True)
class SgdState:
    """State of the descent. It is never changed in place, so that an interrupted pass leaves it as it was.

    Attributes
    ----------
    weights, average : ndarray of shape (q, d)
        The last iterate and the average of all; with an intercept, the last row belongs to the constant feature.
    curvature : UniformCurvature
        Of the structure.
    moment : ndarray of shape (q, q) or (q,), or None
        Second moment of the inputs seen by `partial_fit`, or its diagonal where they have many features.
    n_steps : int
    n_rows : int
        Rows seen, those of repeated passes counted anew.
    n_seen : float
        Their total weight.
    """

    weights: FloatArray
    average: FloatArray
    curvature: UniformCurvature
    moment: FloatArray | None = None
    n_steps: int = 0
    n_rows: int = 0
    n_seen: float = 0.0


@dataclass(frozen=True)
class LikelihoodSteps:
    """Step sizes that fall with the number of steps, and the preconditioner of the gradients that they scale.

    Attributes
    ----------
    preconditioner : Preconditioner
    first : float
    begun : int
        Number of the step that is the first.
    """

    preconditioner: Preconditioner
    first: float
    begun: int = 0

    @classmethod
    def of(
        cls, preconditioner: Preconditioner, alpha: float, features: Features, weights: FloatArray, begun: int = 0
    ) -> LikelihoodSteps:
        r"""Return stable step sizes with the preconditioner of a Hessian, for features whose rows have `weights`.

        Preconditioned, the Hessian of a mini-batch of b of m rows is :math:`\frac{m}{b} \sum_i w_i x_i x_i^\top` at
        most, for the preconditioned features x of rows, the identity on average. Steps of :math:`1/(\rho + R^2/b)` are
        stable, with :math:`\rho` its largest eigenvalue and :math:`R^2` the mean of :math:`m w_i \|x_i\|^2`, weighted
        by itself (Bach and Moulines, 2013).
        """
        # Of the Hessian's eigenvalues 2α + λ_j σ_k, those with the largest σ, in which the mean of rows is largest.
        squares = np.square(preconditioner.scale)
        top = squares[:, int(np.argmin(squares.sum(axis=0)))]
        moment = float(np.maximum(1.0 / top - 2.0 * alpha, 0.0).sum())
        scale = moment / max(float(features.curvature.sum()), np.finfo(float).tiny) * top
        leverages = np.count_nonzero(weights) * weights * _leverages(features, preconditioner.features, scale)
        norm = float(np.square(leverages).sum()) / max(float(leverages.sum()), np.finfo(float).tiny)
        # Along eigenvectors, no eigenvalue exceeds 1; a diagonal that is taken for the moment may be far from it.
        stretch = max(1.0, features.stretch(scale, weights)) if preconditioner.features is None else 1.0
        return cls(preconditioner, 1.0 / (stretch + norm / _BATCH), begun)

    def size(self, number: int) -> float:
        """Return the size of a step, by its number."""
        return float(self.first * (1.0 + (number - self.begun) * self.first / _PLATEAU) ** -_DECAY)


def _leverages(features: Features, directions: FloatArray | None, scale: FloatArray) -> FloatArray:
    """Return Σ_j scale_j ⟨u_j, φ_i⟩² of each row, for directions that may have moved."""
    if directions is features.directions or directions is None:
        return features.leverages(scale)
    squares = np.square(features.scores(slice(None), directions * np.sqrt(scale)))
    return np.asarray(squares.sum(axis=1))


def descend(
    state: SgdState,
    likelihood: Likelihood,
    features: Features,
    step_sizes: LikelihoodSteps,
    *,
    alpha: float,
    share: float,
    order: NDArray[np.intp],
    control: Control | None = None,
) -> SgdState:
    r"""Pass once over rows in the given order, in mini-batches of up to 32.

    A step takes the gradient of the penalty plus the loss of the mini-batch, in proportion, preconditioned.
    Iterates are averaged with weights that grow as the cube of their number (Shamir & Zhang, 2013), which keeps the
    noise of gradients out of the result (Polyak & Juditsky, 1992).

    Parameters
    ----------
    share : float
        The rows that the objective counts, over the rows of the pass.
    order : ndarray
        Rows, those of weight 0 left out.
    """
    weights, average, n_steps = state.weights.copy(), state.average.copy(), state.n_steps
    for rows in np.array_split(order, -(-len(order) // _BATCH)):
        residual = likelihood.residual(rows, features.scores(rows, weights))
        gradient = 2.0 * alpha * weights
        features.add_gradient(rows, share * len(order) / len(rows) * residual, gradient)
        weights -= step_sizes.size(n_steps) * step_sizes.preconditioner.apply(gradient)
        n_steps += 1
        average += (1.0 + _AVERAGING) / (n_steps + _AVERAGING) * (weights - average)
        if control is not None:
            control.step = n_steps
    return SgdState(
        weights, average, state.curvature, state.moment, n_steps, state.n_rows + len(order),
        state.n_seen + float(likelihood.weights[order].sum()),
    )  # fmt: skip


class Decrement(NamedTuple):
    """An estimate of how far the objective is above its minimum, with its standard error, 0 for exact gradients."""

    value: float
    error: float = 0.0

    def is_within(self, limit: float) -> bool:
        """Return whether it is at most `limit`, with the certainty of two standard errors."""
        return self.highest() <= limit

    def is_beyond(self, limit: float) -> bool:
        """Return whether it is more than `limit`, with twice that certainty, as it is asked at many checkpoints."""
        return self.value - 2.0 * _ERRORS * self.error > limit

    def highest(self) -> float:
        """Return an upper confidence bound."""
        return self.value + _ERRORS * self.error


class Checkpoint(NamedTuple):
    """Weights (q, d) of a descent after some passes, and the gradient of the objective there, known or estimated.

    An estimate is the mean of two, whose difference tells its noise.
    """

    n_passes: int
    weights: FloatArray
    gradient: FloatArray
    difference: FloatArray | None = None


def checkpoint_at_zero(features: Features, likelihood: Likelihood, shape: tuple[int, ...]) -> Checkpoint:
    """Return the checkpoint at weights of 0, where every distribution is uniform and its mean is known."""
    gradient, mean = np.zeros(shape), likelihood.structure.mean()
    for rows in row_blocks(*likelihood.psi.shape):
        features.add_gradient(rows, likelihood.weights[rows, None] * (mean - likelihood.psi[rows]), gradient)
    return Checkpoint(0, np.zeros(shape), gradient)


def known_decrement(now: Checkpoint, half: Checkpoint | None, preconditioner: Preconditioner) -> Decrement:
    """Return the decrement by exact gradients now and, if given, after half the passes."""
    newton = 0.5 * float(np.sum(np.square(preconditioner.pull_back(now.gradient))))
    if half is None:
        return Decrement(newton)
    return Decrement(max(newton, 0.5 * float(np.vdot(now.gradient + half.gradient, half.weights - now.weights))))


def sampled_decrement(
    n_passes: int,
    weights: FloatArray,
    half: Checkpoint | None,
    alpha: float,
    features: Features,
    likelihood: Likelihood,
    engine: SampledTraining,
    preconditioner: Preconditioner,
    limit: float,
    *,
    last: bool,
) -> tuple[Checkpoint, Decrement]:
    """Estimate what is left at `weights` (q, d) by sampled gradients, until it is known on which side of `limit` it is.

    Each evaluation of all rows gives two gradients, of draws that are independent of each other. As many are averaged
    as it takes, within 4 evaluations of all rows, or of 400 rows if that is more; for the last one, whose figure is
    told, that many unless little is left.
    """
    n, d = likelihood.psi.shape
    most = max(_ROUNDS, -(-_ROWS // n))
    pair = np.zeros((2, *weights.shape))
    done, rounds = 0, 1
    while True:
        for rows in row_blocks(n, 2 * rounds * engine.draws_per_chain * d):
            means = engine.paired_means(rows, features.scores(rows, weights), rounds)
            for sums, mean in zip(pair, means, strict=True):
                residual = likelihood.weights[rows, None] * (mean - likelihood.psi[rows])
                features.add_gradient(rows, rounds * residual, sums)
        done += rounds
        one, two = (sums / done + 2.0 * alpha * weights for sums in pair)
        now = Checkpoint(n_passes, weights, 0.5 * (one + two), one - two)
        newton = _newton_gain(preconditioner.pull_back(one), preconditioner.pull_back(two))
        figures = [newton] if half is None else [newton, _recent_gain(now, half, preconditioner)]
        left = max(figures, key=Decrement.highest)
        beyond = not last and any(figure.is_beyond(limit) for figure in figures)
        if left.is_within(limit) or beyond or done >= most:
            return now, left
        rounds = min(done, most - done)


def _newton_gain(one: FloatArray, two: FloatArray) -> Decrement:
    """Return half the product of two independent estimates of a vector; the error takes their noise as normal.

    With noise of variance v in each, a difference has the mean square 2v and the mean fourth power 12v², and the
    product of the entries the variance v² + 2v m² for their mean m.
    """
    product, squares = one * two, np.square(one - two)
    variance = float(np.sum(np.square(squares)) / 12.0 + max(float(np.sum(squares * product)), 0.0))
    return Decrement(0.5 * float(product.sum()), 0.5 * float(np.sqrt(variance)))


def _recent_gain(now: Checkpoint, half: Checkpoint, preconditioner: Preconditioner) -> Decrement:
    """Return the gain since half the passes: the step since then times the mean of the gradients at its ends."""
    way = half.weights - now.weights
    steps, variance = np.square(preconditioner.of_weights(way)), 0.0
    for end in (now, half):
        if end.difference is not None:  # half of it is the noise of the mean, about uncorrelated when preconditioned
            variance += 0.25 * float(np.vdot(np.square(preconditioner.pull_back(end.difference)), steps))
    return Decrement(0.5 * float(np.vdot(now.gradient + half.gradient, way)), 0.5 * float(np.sqrt(variance)))


class Descent:
    """A descent over all rows: its state, and the decrement that is left.

    Attributes
    ----------
    state : SgdState
    n_passes : int
    left : Decrement
        The estimate at the last checkpoint.
    objective : float
        At the averaged weights, then; only with exact inference.
    inference : str
        What computed it.
    """

    def __init__(self, likelihood: Likelihood, features: Features, state: SgdState, *, alpha: float) -> None:
        self._likelihood, self._features, self._alpha = likelihood, features, alpha
        self.state, self.n_passes = state, 0
        self._preconditioner = Preconditioner.at_zero(alpha, features, state.curvature)
        zero = checkpoint_at_zero(features, likelihood, state.average.shape)
        # What an earlier fit has gained says nothing about what is left.
        self._checkpoints = [] if state.average.any() else [zero]
        self.left = known_decrement(zero, None, self._preconditioner)
        self._first = self.left.value
        self.objective, self.inference = np.nan, ""
        self._limit = 0.0

    def run(self, rng: np.random.RandomState, *, tol: float, max_iter: int, label: str, verbose: int) -> None:
        """Pass over all rows until the decrement is at most `tol`² times that at zero weights, or `max_iter` times."""
        engine, n = self._likelihood.engine, len(self._likelihood.psi)
        self._tol = max(tol, SAMPLED_TOL) if isinstance(engine, SampledTraining) else tol
        self._limit = self._tol**2 * self._first
        control, check, renew = Control(), 1, _FIRST_RENEWED
        with reported(control, label, verbose=verbose):
            step_sizes = LikelihoodSteps.of(self._preconditioner, self._alpha, self._features, self._likelihood.weights)
            while self.n_passes < max_iter:
                self.n_passes += 1
                self.state = descend(
                    self.state, self._likelihood, self._features, step_sizes, alpha=self._alpha, share=1.0,
                    order=rng.permutation(n), control=control,
                )  # fmt: skip
                if self.n_passes in (check, max_iter):
                    check = max(check + 1, int(_SPACING * self.n_passes))
                    self.left = self._check(last=self.n_passes == max_iter)
                    control.value = self.left.value
                    if self.left.is_within(self._limit):
                        break
                if self.n_passes == renew:
                    renew *= 2
                    step_sizes = self._renewed(step_sizes)

    def _renewed(self, step_sizes: LikelihoodSteps) -> LikelihoodSteps:
        """Precondition by the Hessian at the current average; keep the preconditioner where it cannot be estimated."""
        spread = Spread.at(self.state.average, self._features, self._likelihood)
        if spread is None:
            return step_sizes
        self._preconditioner = Preconditioner.of_spread(spread, self._alpha, self._features)
        damped = Preconditioner.of_spread(spread.towards(self.state.curvature, _DAMPING), self._alpha, self._features)
        # Steps that have shrunk are long again where much is left, else they go on shrinking, as noise is what is left.
        begun = self.state.n_steps if self.left.value > _MUCH * self._first else step_sizes.begun
        return LikelihoodSteps.of(damped, self._alpha, self._features, self._likelihood.weights, begun)

    def _check(self, *, last: bool) -> Decrement:
        """Return the decrement at the averaged weights."""
        average, engine = self.state.average, self._likelihood.engine
        # Of the checkpoints at no more than half the passes, the last.
        while len(self._checkpoints) > 1 and 2 * self._checkpoints[1].n_passes <= self.n_passes:
            del self._checkpoints[0]
        half = self._checkpoints[0] if self._checkpoints else None
        if isinstance(engine, SampledTraining):
            now, left = sampled_decrement(
                self.n_passes, average, half, self._alpha, self._features, self._likelihood, engine,
                self._preconditioner, self._limit, last=last,
            )  # fmt: skip
        else:
            loss, gradient, self.inference = self._likelihood.gradient(self._features, average)
            self.objective = self._alpha * float(np.sum(np.square(average))) + loss
            now = Checkpoint(self.n_passes, average, gradient + 2.0 * self._alpha * average)
            left = known_decrement(now, half, self._preconditioner)
        self._checkpoints.append(now)
        return left

    def warn_unless_converged(self) -> None:
        """Issue a ConvergenceWarning where passes ran out before `tol`, by more than the noise of a good fit."""
        slack = _SLACK if self.left.error else 1.0
        if self.left.value + self.left.error <= slack * self._limit:
            return
        share = self.left.value / max(self._first, np.finfo(float).tiny)
        error = f" ± {self.left.error:.1e}" if self.left.error else ""
        sampled = isinstance(self._likelihood.engine, SampledTraining)
        warn_user(
            f"after the last of {self.n_passes} passes the objective is about {self.left.value:.1e}{error} above its "
            f"minimum, {share:.1e} times what was to be gained, where the square of tol={self._tol:.1e} is asked for; "
            "raise tol, alpha or max_iter, or take solver='lbfgs'" + (" with inference='exact'" if sampled else ""),
            ConvergenceWarning,
        )
