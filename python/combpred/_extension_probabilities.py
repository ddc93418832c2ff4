"""How often one element stands before another in linear extensions; public in :mod:`combpred.sampling`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._calls import codes
from ._errors import CapabilityError
from ._extension_count import closed_relation
from ._lib_extensions import extensions_common, extensions_count
from ._linear_extensions import relation_of
from ._row_blocks import row_blocks
from ._whole_number import whole_number


def linear_extension_probabilities(
    pairs: ArrayLike, n_elements: int, *, n_jobs: int | None = None, verbose: int = 0
) -> NDArray[np.float64]:
    r"""Return the probability that u stands before v in a uniform order that agrees with a partial order.

    Parameters
    ----------
    pairs : array-like of shape (n_pairs, 2)
        Elements of which the first comes before the second; what follows from that is understood.
    n_elements : int
        Elements are 0 to n_elements − 1; at most 2048.
    n_jobs : int, default=None
        Threads; None: as configured.
    verbose : int, default=0
        Positive: show progress.

    Returns
    -------
    before : ndarray of shape (n_elements, n_elements)
        ``before[u, v]`` is exact up to rounding, and 0 on the diagonal.

    Raises
    ------
    CapabilityError
        When the extensions cannot be counted exactly, see :func:`count_linear_extensions`; means over the orders that
        :func:`linear_extensions` draws are estimates then.
    ValueError
        When the relations go round in a circle, or an element is out of range.

    Notes
    -----
    The mean position of v, counted from 1, is ``1 + before[:, v].sum()``: sorting by it is Borda's consensus of all
    orders that agree.

    Counts the extensions once for each pair that the partial order leaves open, with that pair added.

    Examples
    --------
    >>> from combpred.sampling import linear_extension_probabilities
    >>> before = linear_extension_probabilities([(0, 1)], 3)
    >>> before.round(3)
    array([[0.   , 1.   , 0.667],
           [0.   , 0.   , 0.333],
           [0.333, 0.667, 0.   ]])
    >>> (1 + before.sum(axis=0)).round(3)  # mean positions
    array([1.333, 2.667, 2.   ])
    """
    n = whole_number(n_elements, "n_elements", 1, 2048)
    relation = codes(relation_of(pairs), "pairs", None, 2)
    try:
        extensions_count(relation, n, n_threads=n_jobs)
    except CapabilityError as error:
        raise CapabilityError(f"{error}: average over linear_extensions(pairs, n_elements, n_samples)") from None
    given = closed_relation(relation, n)
    before = given.astype(np.float64)
    u, v = np.triu_indices(n, 1)
    base = given[u, v].astype(np.int32) - given[v, u].astype(np.int32)
    unsaid = np.flatnonzero(base == 0)
    for block in row_blocks(len(unsaid), len(base)):
        at = unsaid[block]
        signs = np.tile(base, (len(at) + 1, 1))
        signs[np.arange(len(at)), at] = 1
        counts = extensions_common(signs, base[np.newaxis], n, n_threads=n_jobs, verbose=verbose)[:, 0]
        if np.isnan(counts).any():
            raise CapabilityError(
                f"{n} elements: with one pair more, linear extensions cannot be counted exactly; average over "
                "linear_extensions(pairs, n_elements, n_samples)"
            )
        before[u[at], v[at]] = np.exp(counts[:-1] - counts[-1])
        before[v[at], u[at]] = 1.0 - before[u[at], v[at]]
    return before
