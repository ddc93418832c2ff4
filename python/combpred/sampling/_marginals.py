"""The function `estimate_marginals`: means of ψ, the gradients of ln Z, estimated from draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import choice, seed_of
from .._data.glossary import documented
from .._lib.arrays import FloatArray
from .._lib.call import get_n_threads
from .._lib.errors import CapabilityError
from .._lib.names import CHAINS
from .._lib.partition import Asked
from .._lib.table import floats
from ..structures import Structure
from ._sums import estimated, warn_of_chains
from .samplers import rows_of

MARGINALS_METHODS = ("samples", "counting")
_MOST_DECODED = 4096  # entries of ψ whose ranges are found by decoding


@dataclass(frozen=True, eq=False)
class SampledMarginals:
    r"""Estimates of the mean of ψ for n rows of scores, with bounds on their errors.

    Attributes
    ----------
    value : ndarray of shape (n, d)
        Estimates of the expectations, which are the gradients of ln Z.
    error : ndarray of shape (n, d)
        Bounds on the error of each entry. Those of a row hold together with probability 1 − δ where `sampler` is exact.
    n_samples : ndarray of shape (n,), dtype=int64
        Outputs drawn in total.
    n_steps : ndarray of shape (n,), dtype=int64
        Steps of chains, or proposals, made for these.
    sampler : ndarray of shape (n,), dtype=str
        The sampler used, as "auto" resolved it.
    converged : ndarray of shape (n,), dtype=bool
        False where chains did not converge within their budget of steps.
    """

    value: FloatArray
    error: FloatArray
    n_samples: NDArray[np.int64]
    n_steps: NDArray[np.int64]
    sampler: NDArray[np.str_]
    converged: NDArray[np.bool_]

    @property
    def is_guaranteed(self) -> NDArray[np.bool_]:
        """Whether the errors of each row are guaranteed, as draws were independent and followed p exactly."""
        return ~np.isin(self.sampler, CHAINS)


@documented
def estimate_marginals(
    structure: Structure,
    scores: ArrayLike,
    *,
    epsilon: float = 0.1,
    delta: float = 0.05,
    method: str = "samples",
    sampler: str = "auto",
    feature_range: tuple[ArrayLike, ArrayLike] | None = None,
    max_steps: int = 10**8,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> SampledMarginals:
    r"""Estimate from draws the mean of ψ under the distribution that each row of scores makes.

    For a row s that is :math:`p(y) \propto \exp\langle s, \psi(y)\rangle`.

    All entries of a row are within their errors with probability 1 − `delta`.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    %(scores)s
    epsilon : float, default=0.1
        Between 0 and 1. For "samples", the absolute error of each entry; for "counting", the error relative to the
        distance of each entry from the least value that it takes.
    delta : float, default=0.05
        Probability that an entry of a row has a larger error, between 0 and 1; each entry has an equal share.
    method : {"samples", "counting"}, default="samples"
        "samples": averages over draws from p, as many as Hoeffding's inequality asks for. "counting": the quotient of
        :math:`Z_j = \sum_y \psi_j(y) \exp\langle s, \psi(y)\rangle` and Z, both annealed, with ψ_j shifted so that it
        is not negative. It is accurate also for entries that are nearly always at their least value, at more than
        d + 1 times the cost of :func:`log_partition`.
    sampler : {"auto", "monotone", "exact", "cftp", "rejection", "local", "meta", "cube"}, default="auto"
        As for :func:`log_partition`.
    feature_range : pair of array-likes of shape (d,) or scalars, default=None
        Least and largest value of each entry of ψ. None: from the decoder.
    max_steps : int, default=100000000
        Limit on steps of chains, or proposals, for a row.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness. Each row has its own stream, which follows from its scores.
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.
    verbose : int, default=0
        Positive: show progress, the number of draws so far.

    Returns
    -------
    SampledMarginals

    Raises
    ------
    CapabilityError
        When the structure lacks what the sampler needs, or is given by functions and `feature_range` is not; for
        "counting" also when the mean of ψ over all outputs is itself an estimate.
    SamplingError
        When a sampler needs more than `max_steps`.
    TypeError, ValueError
        When a parameter is illegal or a score is not finite.

    Warns
    -----
    ConvergenceWarning
        When chains did not converge within `max_steps`; names the row and the figure.

    Notes
    -----
    "samples" takes `theory.hoeffding_sample_size` with ε, δ / d and the largest range of an entry. "counting" draws
    from the distribution of :math:`Z_j` by accepting outputs of p with the probability of the shifted and scaled
    :math:`\psi_j(y)`, and starts from :math:`Z_j` at scores of 0, which the mean of ψ over all outputs gives.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 6.5 and app. C.2. Jerrum, Valiant and
    Vazirani (1986), Random generation of combinatorial structures from a uniform distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import Subtrees
    >>> structure, scores = Subtrees([-1, 0, 0]), np.array([0.0, 1.0, -1.0])
    >>> found = sampling.estimate_marginals(structure, scores, random_state=0)
    >>> bool((np.abs(found.value[0] - structure.marginals(scores)) <= found.error[0]).all())
    True
    """
    rows = rows_of(structure, scores)
    choice(method, "method", MARGINALS_METHODS)
    low, high = _ranges(structure, feature_range)
    asked = Asked(
        method, sampler, "adaptive", epsilon, delta, max_steps, seed_of(random_state), low=low, high=high,
        n_threads=get_n_threads(n_jobs), verbose=verbose,
    )  # fmt: skip
    found = estimated(structure, rows, asked)
    converged = warn_of_chains(found)
    return SampledMarginals(found.marginals, found.error, found.samples, found.steps, found.sampler, converged)


def _ranges(structure: Structure, given: Any) -> tuple[FloatArray | None, FloatArray | None]:
    """Return the least and the largest value of each entry of ψ; None if the library finds them by decoding."""
    d = structure.n_features
    if given is not None:
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise TypeError(f"feature_range must be a pair (least, largest), got {given!r}")
        ends = [np.full(d, end) if np.ndim(end) == 0 else end for end in given]
        return floats(ends[0], "feature_range", d), floats(ends[1], "feature_range", d)
    known = None if structure.space.in_library else range_of_features(structure)
    return known or (None, None)  # for users' functions the library says that it needs them


def range_of_features(structure: Structure) -> tuple[FloatArray, FloatArray] | None:
    r"""Return the least and the largest value of each entry of ψ, or None if only the user knows."""
    kind, d = structure.space.entry_kind, structure.n_features
    if kind == "bits" and structure.space.counted is None:  # of tied arcs, whose counts are above 1, some count
        return np.zeros(d), np.ones(d)
    if kind.startswith("signs"):
        return -np.ones(d), np.ones(d)
    if d > _MOST_DECODED:
        return None
    try:
        return -structure.space.score_bounds(-np.eye(d)), structure.space.score_bounds(np.eye(d))
    except CapabilityError:
        return None
