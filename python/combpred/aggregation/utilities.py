"""Utilities of items by maximum likelihood: Plackett–Luce models of rankings, Bradley–Terry models of comparisons."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._data.checks import number
from .._data.converters import positions_by_score
from .._data.inputs import columns_in_order
from .._data.tables import Tabular
from .._data.targets import as_numbers, target_matrix
from .._data.warn import warn_user
from .._lib.abi import ENOTCONVERGED
from .._lib.arrays import FloatArray
from .._lib.call import computed
from ._profile import read_pairs, read_profile, rows_in_order


@dataclass(frozen=True)
class Ties:
    """How often items are tied in Davidson's model.

    Attributes
    ----------
    parameter : float
        ν ≥ 0: two items of equal utility are tied with probability ν/(2 + ν).
    standard_error : float
        That of ν, by the observed information; 0 where no comparison was tied.
    """

    parameter: float
    standard_error: float


@dataclass(frozen=True, eq=False, repr=False)
class Utilities(Tabular):
    """What items are worth, and what rankings follow from it.

    Attributes
    ----------
    utilities : ndarray of shape (k,)
        u, of mean 0: of two items, u is before v with probability 1/(1 + exp(u_v − u_u)), if they are not tied.
    log_likelihood : float
        Weighted sum of the logarithms of the probabilities of what was observed, without the penalty.
    coef : ndarray of shape (p,) or None
        Coefficients of the covariates, where utilities are linear in these.
    covariance : ndarray of shape (k, k) or None
        Of the utilities, by the observed information, among those of sum 0; of `bradley_terry` only.
    ties : Ties or None
        Where ties are part of the model.
    coef_covariance : ndarray of shape (p, p) or None
        Of the coefficients.
    names : list of str or None
        Names of the items, from the columns of a data frame.

    Examples
    --------
    >>> from combpred.aggregation import plackett_luce
    >>> import pandas as pd
    >>> plackett_luce(pd.DataFrame([[1, 2, 3], [1, 3, 2], [2, 1, 3]], columns=["sushi", "ramen", "udon"]), penalty=1.0)
    Utilities: log-likelihood -4.20388
    position  item      utility
           1  sushi    0.603759
           2  ramen  -0.0675331
           3  udon    -0.536226
    """

    utilities: FloatArray
    log_likelihood: float
    coef: FloatArray | None = None
    covariance: FloatArray | None = None
    ties: Ties | None = None
    coef_covariance: FloatArray | None = None
    names: list[str] | None = field(default=None, kw_only=True)

    def _table(self) -> dict[str, Any]:
        order = np.argsort(self.consensus)
        items = order.tolist() if self.names is None else [self.names[item] for item in order]
        columns = {"position": self.consensus[order], "item": items, "utility": self.utilities[order]}
        return columns if self.covariance is None else {**columns, "standard error": self.standard_errors[order]}

    def _title(self) -> str:
        ties = "" if self.ties is None else f", ties {self.ties.parameter:.6g}"
        return f"{type(self).__name__}: log-likelihood {self.log_likelihood:.6g}{ties}"

    @property
    def consensus(self) -> NDArray[np.int32]:
        """Positions of the items, int32 of shape ``(k,)``, 1 for the largest utility; equal ones in ascending order."""
        return np.ravel(positions_by_score(self.utilities[np.newaxis]))

    @property
    def standard_errors(self) -> Any:
        """Standard errors of the utilities, ``(k,)``; None without `covariance`, which gives those of differences."""
        return None if self.covariance is None else np.sqrt(np.diagonal(self.covariance))

    @property
    def pairwise_proba(self) -> FloatArray:
        """Probabilities ``(k, k)`` that the item of the row is before that of the column; 1/2 on the diagonal.

        With ties those of both orders sum to less than 1, and the diagonal is that of an item beside an equal one.
        """
        half = (self.utilities[:, np.newaxis] - self.utilities) / 2
        log_tie = np.log(self.ties.parameter) if self.ties is not None and self.ties.parameter > 0 else -np.inf
        return np.asarray(np.exp(half - np.logaddexp(np.logaddexp(half, -half), log_tie)))


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
    numpy.linalg.LinAlgError
        For a penalty so small that it is lost beside the weights.

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
    profile, names = read_profile(rankings, weights, n_extensions, check_random_state(random_state))
    found, likelihood, status = computed(
        "cp_plackett_luce", profile, number(penalty, "penalty"), json.dumps(names), with_status=True
    )
    _warn_unfitted(status)
    return Utilities(found, likelihood, names=names)


def bradley_terry(
    wins: ArrayLike,
    *,
    ties: ArrayLike | None = None,
    covariates: ArrayLike | None = None,
    penalty: float = 0.0,
) -> Utilities:
    r"""Return the Bradley–Terry model of largest likelihood of comparisons of two items each; with ties, Davidson's.

    An item u beats another v with probability :math:`1/(1 + \exp(\theta_v - \theta_u))`. With ties, u beats v, v
    beats u and the two are tied with probabilities proportional to :math:`e^{d/2}`, :math:`e^{-d/2}` and ν, where
    :math:`d = \theta_u - \theta_v`.

    Parameters
    ----------
    wins : array-like of shape (k, k)
        Weight of the comparisons in which the item of the row beats that of the column, at least 0. The diagonal is not
        used.
    ties : array-like of shape (k, k), default=None
        Weight of the comparisons that end in a tie, symmetric: ``ties[u, v]`` and ``ties[v, u]`` are the same
        comparisons. The diagonal is not used. None: comparisons have no ties, which `wins` may also hold as half a win
        for either.
    covariates : array-like of shape (k, p), default=None
        Features of the items, in the order of `wins`; rows of a data frame with the names of items as index, and of
        `ties`, are matched with those. The utilities are then linear in them, θ = Zβ, and `penalty` must be positive.
    penalty : float, default=0.0
        c ≥ 0, times half the squared norm of the utilities, or of β, which is added to the negative logarithm of the
        likelihood. Without it some utilities would be infinite where no item from outside a group has beaten, or tied,
        one of the group; and with ties also where no circle of items, each of which has beaten or tied the next, has
        more wins than ties. Both are errors.

    Returns
    -------
    Utilities
        With `covariance`, and with ties `ties`.

    Raises
    ------
    ValueError
        Where no finite utilities are best, naming items, and for illegal arguments.
    numpy.linalg.LinAlgError
        For a penalty so small that it is lost beside the weights.

    Warns
    -----
    ConvergenceWarning
        Where Newton's method is not done after 100 steps.

    Notes
    -----
    Newton's method on θ or β and ln ν, in which the logarithm of the likelihood is concave. A step costs O(k³), with
    covariates O(k² p + p³). Covariances are by the observed information, the inverse of the second derivatives of what
    is minimised, for θ among those of sum 0: standard errors are right for many comparisons, weights that are numbers
    of independent comparisons, and no penalty; with a penalty they are those of a posterior under a normal prior.

    Without ties and covariates this is the Plackett–Luce model of rankings of two items. With covariates and without
    ties it is `ProbabilisticStructured` of two classes without intercept, on differences of the items' rows, one for
    each pair and outcome. What belongs to comparisons rather than items, as who plays at home, goes into further
    columns of such differences::

        ProbabilisticStructured(MultiClass(2), alpha=penalty, fit_intercept=False).fit(Z[u] - Z[v], u_wins)

    whose ``coef_[1] - coef_[0]`` is β.

    References
    ----------
    Bradley, R. A. and Terry, M. E. (1952). Rank analysis of incomplete block designs. *Biometrika* 39.

    Ford, L. R. (1957). Solution of a ranking problem from binary comparisons. *American Mathematical Monthly* 64.

    Davidson, R. R. (1970). On extending the Bradley–Terry model to accommodate ties in paired comparison experiments.
    *J. Am. Stat. Assoc.* 65.

    Examples
    --------
    >>> from combpred.aggregation import bradley_terry
    >>> found = bradley_terry([[0, 7, 8], [3, 0, 6], [2, 4, 0]])
    >>> found.consensus, found.utilities.round(3).tolist()
    (array([1, 2, 3], dtype=int32), [0.741, -0.149, -0.591])
    >>> found.standard_errors.round(3).tolist()
    [0.346, 0.317, 0.334]
    >>> with_ties = bradley_terry([[0, 7, 8], [3, 0, 6], [2, 4, 0]], ties=[[0, 2, 1], [2, 0, 3], [1, 3, 0]])
    >>> round(with_ties.ties.parameter, 3)
    0.447
    """
    before, names = read_pairs(wins, "wins")
    tied = None if ties is None else read_pairs(columns_in_order(ties, names, "ties", "those of wins"), "ties")[0]
    z = None if covariates is None else _read_covariates(covariates, names)
    p = len(before) if z is None else z.shape[1]
    coef, covariance = np.empty(p + (tied is not None)), np.empty((p + (tied is not None),) * 2)
    comparisons = {"wins": before, "ties": tied, "covariates": z, "p": p, "names": json.dumps(names)}
    theta, spread, likelihood, status = computed(
        "cp_bradley_terry_fit", comparisons, number(penalty, "penalty"), coef, covariance, with_status=True
    )
    _warn_unfitted(status)
    found = None
    if tied is not None:
        nu = float(np.exp(coef[p]))
        found = Ties(nu, nu * float(np.sqrt(covariance[p, p])))
    own = (None, None) if z is None else (coef[:p], covariance[:p, :p])
    return Utilities(theta, likelihood, own[0], spread, found, own[1], names=names)


def _read_covariates(covariates: Any, names: Sequence[Hashable] | None) -> FloatArray:
    """Return the features of items, rows of a data frame with their names as index in the order of these."""
    covariates = rows_in_order(covariates, names, "covariates", "those of wins")
    values = target_matrix(covariates, "covariates", None, "feature")
    return as_numbers(values, "covariates", "covariates are finite numbers").astype(np.float64)


def _warn_unfitted(status: int) -> None:
    if status == ENOTCONVERGED:
        warn_user("the model is not fitted after 100 steps of Newton's method: raise the penalty", ConvergenceWarning)


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
    sets = {"ranks": ranks, "weights": weights}
    utilities, unfitted = computed("cp_plackett_luce_fit", sets, penalty, n_threads=n_threads)
    if unfitted:
        said = f"{unfitted} of {len(utilities)} models are not fitted after 100 steps of Newton's method: raise penalty"
        warn_user(said, ConvergenceWarning)
    return np.asarray(utilities)
