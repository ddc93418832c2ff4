r"""Methods of structures for scores of the user's own: the distributions p(y) ∝ exp⟨s, ψ(y)⟩ that rows of them make.

The library has exact sums and draws; what follows from these, and from ψ of outputs that were seen, is here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._lib.arrays import FloatArray, refuse_masked
from .._lib.call import get_n_threads
from .._lib.decode import Conditions
from .._lib.errors import CapabilityError, RowError
from .._lib.names import CHAINS
from .._lib.partition import Partition
from .._lib.partition import log_partition as summed
from .._lib.sampling import Plan
from .._lib.structure import structure_layout
from ._search.constraints import RowConstraints
from ._seen import SeenRows
from .scores import read_scores

if TYPE_CHECKING:
    from ._base import Structure

_SYMMETRIC = {"edges": 1, "order": -1, "total order": -1, "directions": -1}  # kinds of entries, and A[v, u] / A[u, v]


def conditions_of(structure: Structure, constraints: Any, n: int) -> Conditions | None:
    """Return what n rows are held to, None for nothing; see `RowConstraints` for errors."""
    held = None if constraints is None else RowConstraints(structure.space, constraints, n).conditions(0, n)
    return held if held is not None and len(held.key) else None


def log_partition(
    self: Structure, scores: ArrayLike, *, constraints: Any = None, n_jobs: int | None = None
) -> FloatArray | float:
    r"""Return the logarithm of the partition function for every row of `scores`.

    For a row s it is :math:`\ln Z = \ln \sum_y \exp\langle s, \psi(y)\rangle`.

    The sum runs over all members, or those that satisfy the constraint of the row, so scores of 0 give the logarithm of
    their number. It is exact up to rounding, however large the scores are.

    Parameters
    ----------
    scores : array-like of shape (n, d) or (d,)
        Finite numbers; columns of data frames as for `decode`.
    constraints : dict or list of n dicts (or None), default=None
        Conditions that the outputs must satisfy, as for `decode`.
    n_jobs : int or None, default=None
        Number of threads, -1 for all; None: as configured.

    Returns
    -------
    log_partition : ndarray of shape (n,), or float for scores of shape (d,)

    Raises
    ------
    CapabilityError
        When the structure is too large for exact sums, and has more than 1 000 000 members:
        :func:`combpred.sampling.log_partition` estimates them. When it takes no constraints.
    ValueError, TypeError
        When scores are not finite, when a constraint is illegal, or when no member satisfies it; names the row.

    Notes
    -----
    Cost for each row: O(d) where the entries of ψ are independent, on trees and on paths; O(k ℓ) for sets of ℓ out
    of k labels; :math:`O(k^3)` for spanning trees of k vertices; :math:`O(2^k k)` for rankings and assignments of
    k ≤ 20 items and cliques of k ≤ 22 vertices; :math:`O(2^k k^2)` for cycles and routes of k ≤ 16 places;
    :math:`O(3^k)` for rankings with ties of k ≤ 16 labels. Other spaces are summed member by member.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 6.1.

    Examples
    --------
    >>> import math
    >>> from combpred.structures import Permutations
    >>> z = math.exp(Permutations(3).log_partition([0.0, 0.0, 0.0]))
    >>> round(z, 6)
    6.0
    >>> round(math.exp(Permutations(3).log_partition([0.0, 0.0, 0.0], constraints={"first": 2})), 6)
    2.0
    """
    _, single, sums = _sums(self, scores, constraints, n_jobs, marginals=False)
    return float(sums.log_z[0]) if single else sums.log_z


def marginals(self: Structure, scores: ArrayLike, *, constraints: Any = None, n_jobs: int | None = None) -> FloatArray:
    r"""Return the mean of ψ(y) under the distribution that every row of `scores` makes.

    For a row s that is :math:`p(y) \propto \exp\langle s, \psi(y)\rangle`, over the outputs that satisfy the constraint
    of the row, if there is one.

    This is the gradient of `log_partition`. For entries of :math:`\psi` that are 0 or 1, it is the probability of
    a 1. Scores of 0 give `mean`.

    Parameters
    ----------
    scores : array-like of shape (n, d) or (d,)
        Finite numbers; columns of data frames as for `decode`.
    constraints, n_jobs
        As for `log_partition`.

    Returns
    -------
    marginals : ndarray of shape (n, d) or (d,)
        As `scores`.

    Raises
    ------
    CapabilityError
        When the structure is too large for exact sums, and has more than 1 000 000 members:
        :func:`combpred.sampling.estimate_marginals` estimates them. When it takes no constraints.
    ValueError, TypeError
        As for `log_partition`.
    MemoryError
        When n × d numbers do not fit in memory; raised before they are allocated.

    Notes
    -----
    Cost: two to four times that of `log_partition`.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 6.5.

    Examples
    --------
    >>> from combpred.structures import LabelSets
    >>> LabelSets(3, size=1).marginals([0.0, 0.0, -1000.0])
    array([0.5, 0.5, 0. ])
    """
    means = log_partition_and_marginals(self, scores, constraints=constraints, n_jobs=n_jobs)[1]
    return means


def log_partition_and_marginals(
    self: Structure, scores: ArrayLike, *, constraints: Any = None, n_jobs: int | None = None
) -> tuple[Any, FloatArray]:
    r"""Return ln Z and its gradient, the mean of ψ, for every row of `scores`, from one computation.

    It is what a training loop needs: :math:`\ln Z - \langle s, \psi(y)\rangle` is the negative log-likelihood of an
    output y, and :math:`E\,\psi - \psi(y)` its gradient in s.

    Parameters
    ----------
    scores : array-like of shape (n, d) or (d,)
        Finite numbers; columns of data frames as for `decode`.
    constraints, n_jobs
        As for `log_partition`.

    Returns
    -------
    log_partition : ndarray of shape (n,), or float for scores of shape (d,)
    marginals : ndarray of shape (n, d) or (d,)

    Raises
    ------
    CapabilityError, ValueError, TypeError, MemoryError
        As for `marginals`.

    Notes
    -----
    Cost: that of `marginals`.

    Examples
    --------
    >>> from combpred.structures import LabelSets
    >>> log_z, means = LabelSets(2).log_partition_and_marginals([0.0, 0.0])
    >>> round(log_z, 6), means
    (1.386294, array([0.5, 0.5]))
    """
    _, single, sums = _sums(self, scores, constraints, n_jobs, marginals=True)
    return (float(sums.log_z[0]), sums.marginals[0]) if single else (sums.log_z, sums.marginals)


def entropy(
    self: Structure, scores: ArrayLike, *, constraints: Any = None, n_jobs: int | None = None
) -> FloatArray | float:
    r"""Return the entropy of the distribution that every row of `scores` makes, in nats.

    For a row s that is :math:`-\sum_y p(y) \ln p(y) = \ln Z - \langle s, E\,\psi\rangle`. It is the logarithm of the
    number of outputs where all are equally probable, and near 0 where one output has nearly all of the probability.

    Parameters
    ----------
    scores : array-like of shape (n, d) or (d,)
        Finite numbers; columns of data frames as for `decode`.
    constraints, n_jobs
        As for `log_partition`.

    Returns
    -------
    entropy : ndarray of shape (n,), or float for scores of shape (d,)
        At least 0. Its error is about 1e-15 times the larger one of ln Z and d times the largest score.

    Raises
    ------
    CapabilityError, ValueError, TypeError, MemoryError
        As for `marginals`.

    Notes
    -----
    Cost: that of `marginals`.

    Examples
    --------
    >>> from combpred.structures import Permutations
    >>> round(Permutations(3).entropy([0.0, 0.0, 0.0]), 6)
    1.791759
    """
    rows, single, sums = _sums(self, scores, constraints, n_jobs, marginals=True)
    found = np.maximum(sums.log_z - np.einsum("ij,ij->i", rows, sums.marginals), 0.0)  # below it by rounding
    return float(found[0]) if single else found


def log_proba(
    self: Structure, scores: ArrayLike, y: Any, *, constraints: Any = None, n_jobs: int | None = None
) -> FloatArray:
    r"""Return the log-probability of every row of y under the distribution that its row of `scores` makes.

    That is :math:`\ln p(y) = \langle s, \psi(y)\rangle - \ln Z`. For an output of which only a part is known, such as a
    ranking with unknown positions, it is the logarithm of the probability of all outputs that agree with it, and for a
    set of outputs, `combpred.Admissible`, that of the set.

    Parameters
    ----------
    scores : array-like of shape (n, d) or (d,)
        Finite numbers; columns of data frames as for `decode`. Scores of shape (d,) are those of all rows of y.
    y : array-like of n rows
        In the structure's format, of which a part may be known, or `combpred.Admissible` sets.
    constraints, n_jobs
        As for `log_partition`.

    Returns
    -------
    log_proba : ndarray of shape (n,)
        At most 0.

    Raises
    ------
    CapabilityError
        As for `log_partition`.
    ValueError, TypeError
        As for `log_partition`, and when a row of y is no member of the space or does not satisfy its own constraint;
        names the row.

    Notes
    -----
    Cost: that of `log_partition`, and O(d) for each output.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import Admissible
    >>> from combpred.structures import Permutations
    >>> rankings = Permutations(3)
    >>> np.exp(rankings.log_proba(np.zeros(3), [[1, 2, 3], [3, 2, 1]])).round(6)
    array([0.166667, 0.166667])
    >>> np.exp(rankings.log_proba(np.zeros(3), [Admissible([[1, 2, 3], [1, 3, 2]])])).round(6)
    array([0.333333])
    """
    rows, single = read_scores(self, scores)
    conditions = conditions_of(self, constraints, len(rows))
    log_z = _sums_of(self, rows, conditions, n_jobs, marginals=False).log_z
    seen = SeenRows.of(self, y)
    if single:
        rows = np.repeat(rows, seen.n, axis=0)
    elif seen.n != len(rows):
        raise ValueError(f"y has {seen.n} rows and scores {len(rows)}; they must agree row by row")
    log_seen = seen.log_sums(rows, slice(0, seen.n), conditions, get_n_threads(n_jobs))
    return np.minimum(log_seen - log_z, 0.0)  # above it by rounding


def draws(
    structure: Structure, n: int, seed: int, scores: ArrayLike | None, constraints: Any, n_jobs: int | None
) -> NDArray[Any]:
    """Return n outputs for each row of scores, None: for scores of 0, as `Structure.sample` does."""
    rows, single = read_scores(structure, np.zeros(structure.n_features) if scores is None else scores)
    conditions = conditions_of(structure, constraints, len(rows))
    held = {} if conditions is None else {"conditions": conditions}
    with _naming_estimates(structure, held, set(), "draw", "with combpred.sampling.sample"):
        drawn = structure.space.draw(rows, Plan("exact", n, seed=seed), n_threads=get_n_threads(n_jobs), **held)
    flat = structure.space.decode_parts(drawn.y.reshape(-1, drawn.y.shape[2]))
    y = np.swapaxes(flat.reshape(len(rows), n, *flat.shape[1:]), 0, 1)
    return y[:, 0] if single else y


def scores_from(self: Structure, matrix: ArrayLike) -> FloatArray:
    r"""Return scores of the entries of ψ, given those of the pairs that outputs are made of.

    The score of an output becomes the sum of :math:`A_{uv}` over the pairs :math:`(u, v)` that it has:

    - routes, paths: its arcs from u to v. Vertex n of `Routes`, behind the n places, is the depot where routes start
      and end; a matrix without it gives starts and ends no score;
    - assignments: its cells, of item u and what it gets, v;
    - cycles, graphs, spanning trees, cliques: its edges, each once. A is symmetric: :math:`A_{vu} = A_{uv}`;
    - directed cycles: its arcs. A is antisymmetric, :math:`A_{vu} = -A_{uv}`, because :math:`\psi` has −1 for an arc
      against its direction;
    - rankings, with ties or without, partial orders, tournaments: its pairs of u before v. A is antisymmetric, for the
      same reason.

    So labels of scores :math:`r_u` are ranked by :math:`A_{uv} = r_u - r_v`, that is ``np.subtract.outer(r, r)``. A
    matrix B that is neither symmetric nor antisymmetric becomes it by :math:`(B \pm B^\top) / 2`, which leaves the
    distribution of rankings without ties as it is.

    Parameters
    ----------
    matrix : array-like of shape (m, m) or (n, m, m)
        One matrix, or one for each of n rows; m is the number of vertices or items. Where there is no entry of ψ for a
        pair, as on the diagonal, it holds any number.

    Returns
    -------
    scores : ndarray of shape (d,) or (n, d)

    Raises
    ------
    CapabilityError
        When entries of ψ are not about pairs, as those of label sets: scores are then a number for each entry.
        `Paths.trellis_scores` takes emissions and transitions.
    ValueError, TypeError
        When the matrix has another shape, is a data frame, or is not finite, symmetric or antisymmetric; names the
        pair.

    Notes
    -----
    Cost: O(d) for each row.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred.structures import Cycles, Permutations
    >>> near = -np.array([[0, 1, 5, 2], [1, 0, 1, 5], [5, 1, 0, 1], [2, 5, 1, 0]])
    >>> Cycles(4).decode(Cycles(4).scores_from(near), constraints={"length": 4})
    array([0, 1, 2, 3], dtype=int32)
    >>> r = np.array([0.5, 2.0, 1.0])
    >>> Permutations(3).decode(Permutations(3).scores_from(np.subtract.outer(r, r)))
    array([3, 1, 2], dtype=int32)
    """
    layout, name = structure_layout(self.space.description), type(self).__name__
    if layout is None:
        raise CapabilityError(f"{name}: entries of ψ are not about pairs; give a score for each of feature_names()")
    if hasattr(matrix, "columns"):
        raise TypeError("matrix is a data frame; give its to_numpy(), with rows and columns in the structure's order")
    refuse_masked(matrix, "matrix")
    a, m = np.asarray(matrix), layout.n_items
    whole = 1 + max(m - 1, int(layout.rows.max()))  # with the depot
    if a.dtype.kind not in "biuf":
        raise TypeError(f"matrix must hold real numbers, got dtype {a.dtype}")
    if a.ndim not in (2, 3) or a.shape[-2:] not in ((m, m), (whole, whole)):
        raise ValueError(f"matrix must have shape ({m}, {m}) or (n, {m}, {m}), got {a.shape}")
    a = np.pad(a.astype(np.float64), [(0, 0)] * (a.ndim - 2) + [(0, whole - a.shape[-1])] * 2)
    there, back = a[..., layout.rows, layout.columns], a[..., layout.columns, layout.rows]
    _require(np.isfinite(there), layout, there, "must be finite")
    if (sign := _SYMMETRIC.get(layout.kind)) is not None:
        reason = f"but the pair in reverse must have {'the same' if sign == 1 else 'its negative'}"
        _require(there == sign * back, layout, there, reason)
    return np.concatenate([there, np.zeros((*there.shape[:-1], self.n_features - there.shape[-1]))], axis=-1)


def _require(legal: NDArray[np.bool_], layout: Any, values: FloatArray, reason: str) -> None:
    """Raise an error about the first entry of a matrix, or of that of a row, that is not legal."""
    if not legal.all():
        *row, e = np.unravel_index(int(np.argmin(legal)), legal.shape)
        value = values.reshape(-1, values.shape[-1])[int(row[0]) if row else 0, e]
        found = f"matrix[{layout.rows[e]}, {layout.columns[e]}] is {value:g}, {reason}"
        raise RowError(int(row[0]), found) if row else ValueError(found)


def _sums(self: Structure, scores: Any, constraints: Any, n_jobs: int | None, *, marginals: bool) -> Any:
    """Return scores as rows, whether they were a single one, and what the library sums for them."""
    rows, single = read_scores(self, scores)
    conditions = conditions_of(self, constraints, len(rows))
    return rows, single, _sums_of(self, rows, conditions, n_jobs, marginals=marginals)


def _sums_of(
    self: Structure, rows: FloatArray, conditions: Conditions | None, n_jobs: int | None, *, marginals: bool
) -> Partition:
    """Return ln Z, and E ψ if `marginals`, for rows of scores and what they are held to."""
    name, needed = ("estimate_marginals", set()) if marginals else ("log_partition", {"log-count"})
    options: dict[str, Any] = {"marginals": marginals, "n_threads": get_n_threads(n_jobs)}
    with _naming_estimates(self, conditions, needed, "estimate", f"with combpred.sampling.{name}"):
        return summed(self.space.sums, rows, conditions=conditions, **options)


@contextmanager
def _naming_estimates(structure: Structure, held: Any, needed: set[str], verb: str, remedy: str) -> Iterator[None]:
    """Add to an error that exact sums are beyond reach how they are estimated, where that is possible."""
    try:
        yield
    except CapabilityError as error:
        able = structure.space.capabilities
        if held or error.row is not None or not needed <= able or not able & set(CHAINS):
            raise
        raise CapabilityError(f"{error}; or {verb} {remedy}") from None
