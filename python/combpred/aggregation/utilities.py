"""Utilities of items by maximum likelihood: Plackett–Luce models of rankings, Bradley–Terry models of comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._data.checks import is_number
from .._data.warn import warn_user
from .._lib.aggregate import pair_counts, plackett_luce_fit
from .._lib.arrays import FloatArray
from .._lib.errors import RowError
from ._profile import read_pairs, read_profile
from ._programs import components

__all__ = [
    "Utilities",
    "bradley_terry",
    "fit_plackett_luce",
    "plackett_luce",
]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True, eq=False)
class Utilities:
    """What items are worth, and what rankings follow from it.

    Attributes
    ----------
    utilities : ndarray of shape (k,)
        u, of mean 0: of two items, u is before v with probability 1/(1 + exp(u_v − u_u)).
    log_likelihood : float
        Weighted sum of the logarithms of the probabilities of what was observed, without the penalty.
    coef : ndarray of shape (p,) or None
        Coefficients of the covariates, where utilities are linear in these.
    """

    utilities: FloatArray
    log_likelihood: float
    coef: FloatArray | None = None

    @property
    def consensus(self) -> NDArray[np.int32]:
        """Positions of the items, int32 of shape ``(k,)``, 1 for the largest utility; equal ones in ascending order."""
        places = np.argsort(np.argsort(-self.utilities, kind="stable"))
        return np.asarray(places + 1, dtype=np.int32)

    @property
    def pairwise_proba(self) -> FloatArray:
        """Probabilities ``(k, k)`` that the item of the row is before that of the column; 1/2 on the diagonal."""
        return np.asarray(expit(self.utilities[:, np.newaxis] - self.utilities))


def plackett_luce(
    rankings: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    penalty: float = 0.0,
    n_extensions: int = 100,
    random_state: int | np.random.RandomState | None = None,
) -> Utilities:
    r"""Return the Plackett–Luce model of largest likelihood of rankings.

    A ranking is drawn place by place, each time one of the items that are left, with probability proportional to exp u.

    Parameters
    ----------
    rankings : array-like of shape (n, k) or (n, k, k)
        Positions of the k items in each ranking, the smaller before the larger, −1 or NaN where unknown: only the order
        of the known items counts then. Items that share the last position are what a list of the first ones left out:
        all others are before them. Or booleans: partial orders, each replaced by random linear extensions.
    weights : array-like of shape (n,), default=None
        How often each ranking counts; None: once.
    penalty : float, default=0.0
        c ≥ 0 in :math:`-\sum_i w_i \ln p(y_i) + \tfrac c2 \|u\|^2`, which is minimised. Without it some utilities would
        be infinite where no ranking has an item from outside a group before one of the group; that is an error.
    n_extensions : int, default=100
        Linear extensions for each partial order in `rankings`, at least 2.
    random_state : int, RandomState instance or None, default=None
        Source of randomness for the linear extensions.

    Returns
    -------
    Utilities

    Raises
    ------
    ValueError
        For ties before the last position, naming the row, where no finite utilities are best, naming items, and for
        illegal rankings or arguments.

    Warns
    -----
    ConvergenceWarning
        Where Newton's method is not done after 100 steps.

    Notes
    -----
    Newton's method with step halving. A step costs O(n k² + k³). There is one best model if and only if for every
    division of the items in two some ranking has an item of the second part before one of the first (Hunter, 2004,
    Assumption 1), or with a penalty.

    References
    ----------
    Plackett, R. L. (1975). The analysis of permutations. *Applied Statistics* 24.

    Hunter, D. R. (2004). MM algorithms for generalized Bradley–Terry models. *Annals of Statistics* 32.

    Examples
    --------
    >>> from combpred.aggregation import plackett_luce
    >>> found = plackett_luce([[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
    >>> found.consensus, found.utilities.round(3).tolist()
    (array([1, 2, 3], dtype=int32), [0.321, 0.055, -0.376])
    """
    profile = read_profile(rankings, weights, n_extensions, check_random_state(random_state))
    ranks, chosen = _choices(profile.ranks)
    mass = np.ones(len(ranks)) if profile.weights is None else profile.weights
    return _fitted(ranks, chosen, mass, pair_counts(profile).before, penalty)


def bradley_terry(wins: ArrayLike, *, covariates: ArrayLike | None = None, penalty: float = 0.0) -> Utilities:
    r"""Return the Bradley–Terry model of largest likelihood of comparisons of two items each.

    An item u beats another v with probability :math:`1/(1 + \exp(\theta_v - \theta_u))`.

    Parameters
    ----------
    wins : array-like of shape (k, k)
        Weight of the comparisons in which the item of the row beats that of the column, at least 0. The diagonal is not
        used. Ties may be entered as half a win for either; they have no parameter of their own.
    covariates : array-like of shape (k, p), default=None
        Features of the items. The utilities are then linear in them, θ = Zβ, and `penalty` must be positive.
    penalty : float, default=0.0
        c ≥ 0, times half the squared norm of the utilities, or of β, which is added to the negative logarithm of the
        likelihood. Without it some utilities would be infinite where no item from outside a group has beaten one of the
        group; that is an error.

    Returns
    -------
    Utilities

    Raises
    ------
    ValueError
        Where no finite utilities are best, naming items, and for illegal arguments.

    Warns
    -----
    ConvergenceWarning
        Where the solver is not done after its largest number of steps.

    Notes
    -----
    Without covariates this is the Plackett–Luce model of rankings of two items, and a step of Newton's method costs
    O(m + k³) for m ordered pairs with a win; memory O(m k). With covariates it is `ProbabilisticStructured` of two
    classes without intercept, on differences of the items' rows, one for each pair and outcome. What belongs to
    comparisons rather than items, as who plays at home, goes into further columns of such differences::

        ProbabilisticStructured(MultiClass(2), alpha=penalty, fit_intercept=False).fit(Z[u] - Z[v], u_wins)

    whose ``coef_[1] - coef_[0]`` is β.

    References
    ----------
    Bradley, R. A. and Terry, M. E. (1952). Rank analysis of incomplete block designs. *Biometrika* 39.

    Ford, L. R. (1957). Solution of a ranking problem from binary comparisons. *American Mathematical Monthly* 64.

    Examples
    --------
    >>> from combpred.aggregation import bradley_terry
    >>> found = bradley_terry([[0, 7, 8], [3, 0, 6], [2, 4, 0]])
    >>> found.consensus, found.utilities.round(3).tolist()
    (array([1, 2, 3], dtype=int32), [0.741, -0.149, -0.591])
    """
    before = read_pairs(wins, "wins").before
    if not before.any():
        raise ValueError("wins are all 0: there is nothing to learn from")
    first, second = np.nonzero(before)
    mass = before[first, second]
    if covariates is not None:
        return _by_covariates(covariates, before, penalty)
    ranks = np.zeros((len(mass), len(before)), dtype=np.int32)
    rows = np.arange(len(mass))
    ranks[rows, first], ranks[rows, second] = 1, 2
    return _fitted(ranks, np.full(len(mass), 2), mass, before, penalty)


def _by_covariates(covariates: Any, before: FloatArray, penalty: Any) -> Utilities:
    from .._models.probabilistic import ProbabilisticStructured  # loads the estimators
    from ..structures import MultiClass

    _check_penalty(penalty, above="with covariates ")
    z = np.asarray(covariates, dtype=np.float64)
    if z.ndim != 2 or len(z) != len(before) or not np.isfinite(z).all():
        raise ValueError(f"covariates must be finite numbers of shape ({len(before)}, p), got shape {z.shape}")
    first, second = np.nonzero(before)
    forward = first < second
    low, high = np.minimum(first, second), np.maximum(first, second)
    model = ProbabilisticStructured(MultiClass(2), alpha=penalty, fit_intercept=False, tol=1e-9, max_iter=1000)
    model.fit(z[low] - z[high], forward.astype(np.int64), sample_weight=before[first, second])
    coef = model.coef_[1] - model.coef_[0]
    theta = z @ coef
    return Utilities(theta - theta.mean(), _likelihood(theta, before), coef)


def _likelihood(theta: FloatArray, before: FloatArray) -> float:
    return float((before * log_expit(theta[:, np.newaxis] - theta)).sum())


def _check_penalty(penalty: Any, above: str = "") -> None:
    if not is_number(penalty) or not np.isfinite(penalty) or penalty < 0.0 or (above and penalty == 0.0):
        raise ValueError(f"penalty must {above}be a number {'above' if above else 'of at least'} 0, got {penalty!r}")


def _choices(values: FloatArray) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return ranks for the core, 0 where unknown, and how many of the places of each row are chosen one by one."""
    known = ~np.isnan(values)
    ordered = np.sort(values, axis=1)  # unknown ones last
    n_known = known.sum(axis=1)
    last = np.nanmax(np.where(known, values, -np.inf), axis=1, keepdims=True)
    tied = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != last)
    if tied.any():
        row = int(np.flatnonzero(tied.any(axis=1))[0])
        raise RowError(
            row,
            f"rankings, row {row}: items share a position that is not the last one, and the model has no ties; "
            "aggregation.kemeny takes them, with output='weak' also for the consensus",
        )
    ranks = (ordered[:, np.newaxis, :] < values[:, :, np.newaxis]).sum(axis=2) + 1
    return np.where(known, ranks, 0).astype(np.int32), n_known - ((values == last) & known).sum(axis=1)


def _fitted(
    ranks: NDArray[np.int32], chosen: NDArray[np.intp], mass: FloatArray, before: FloatArray, penalty: Any
) -> Utilities:
    _check_penalty(penalty)
    if penalty == 0.0:
        order, ends = components(before > 0)
        if len(ends):
            items = ", ".join(map(str, sorted(order[: ends[0]])[:10])) + (", …" if ends[0] > 10 else "")
            one = ends[0] == 1
            raise ValueError(
                f"no finite utilities are best: no other item is ever before {'item' if one else 'one of the items'} "
                f"{items}; take a positive penalty, or leave {'it' if one else 'them'} out"
            )
    u = fit_plackett_luce(ranks[np.newaxis], mass[np.newaxis], float(penalty))[0]
    u = u - u.mean()
    return Utilities(u, _ranked_likelihood(u, ranks, chosen, mass))


def _ranked_likelihood(u: FloatArray, ranks: NDArray[np.int32], chosen: NDArray[np.intp], mass: FloatArray) -> float:
    known = ranks > 0
    order = np.argsort(np.where(known, ranks, np.iinfo(np.int32).max), axis=1, kind="stable")
    ordered = np.where(np.take_along_axis(known, order, axis=1), u[order], -np.inf)
    left = np.logaddexp.accumulate(ordered[:, ::-1], axis=1)[:, ::-1]
    places = np.arange(ranks.shape[1]) < chosen[:, np.newaxis]
    return float(mass @ np.where(places, np.where(places, ordered, 0.0) - np.where(places, left, 0.0), 0.0).sum(axis=1))


def fit_plackett_luce(
    ranks: NDArray[np.int32], weights: FloatArray, penalty: float, *, n_threads: int | None = None
) -> FloatArray:
    r"""Return the utilities of the labels that fit each set of rankings best.

    Parameters
    ----------
    ranks : ndarray of shape (n, m, k), dtype=int32
        m rankings for each of n sets: ranks from 1 on without ties, 0 for labels that are not ranked.
    weights : ndarray of shape (n, m)
        Weights of the rankings, at least 0.
    penalty : float
        c > 0, without which a label that is before all others in every ranking would have an infinite utility.
    n_threads : int or None, default=None
        Threads; None: as configured.

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
    incomplete ranking is that of its known labels. A step costs O(n m k²), and O(n k³).
    """
    utilities, unfitted = plackett_luce_fit(ranks, weights, penalty, n_threads=n_threads)
    if unfitted:
        warn_user(
            f"{unfitted} of {len(utilities)} Plackett–Luce models are not fitted after 100 steps of Newton's method: a "
            "larger penalty makes it easier",
            ConvergenceWarning,
        )
    return utilities
