"""Uniform linear extensions; public in :mod:`combpred.sampling`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ._abi import EXTENSIONS_METHODS
from ._lib_extensions import extensions_sample
from ._whole_number import whole_number


def linear_extensions(
    pairs: ArrayLike,
    n_elements: int,
    n_samples: int = 1,
    *,
    method: str = "auto",
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.int32]:
    """Draw independent, exactly uniform orders of n elements that agree with a partial order.

    Parameters
    ----------
    pairs : array-like of shape (n_pairs, 2)
        Elements of which the first comes before the second; what follows from that is understood.
    n_elements : int
        Elements are 0 to n_elements − 1; at most 2048.
    n_samples : int, default=1
        How many orders.
    method : {"auto", "counting", "coupling"}, default="auto"
        "counting": by a table of downsets, of which each connected component may have 2²² (22 elements with any
        relations, more with many). "coupling": coupling from the past with the bounding chain of Huber (2006), in O(n³
        log n) steps on average. "auto": counting for the components where it is possible. All are exact.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness.
    n_jobs : int, default=None
        Threads; None: as configured.

    Returns
    -------
    orders : ndarray of shape (n_samples, n_elements), dtype=int32
        The elements, first to last.

    Raises
    ------
    CapabilityError
        With "counting", when there are too many downsets.
    ValueError
        When the relations go round in a circle, or an element is out of range.

    References
    ----------
    Huber (2006), Fast perfect sampling from linear extensions.

    Examples
    --------
    >>> from combpred.sampling import linear_extensions
    >>> linear_extensions([(2, 0), (0, 1)], 3).tolist()
    [[2, 0, 1]]
    """
    if method not in EXTENSIONS_METHODS:
        raise ValueError(f"method must be one of {', '.join(EXTENSIONS_METHODS)}, got {method!r}")
    n = whole_number(n_elements, "n_elements", 1, 2048)
    many = whole_number(n_samples, "n_samples", 1, 2**31 - 1)
    relation = relation_of(pairs)
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int64).max, dtype=np.int64))
    return extensions_sample(relation, n, many, method, seed, n_threads=n_jobs)[0]


def relation_of(pairs: ArrayLike) -> NDArray[np.generic]:
    """Return pairs as an array, of shape (0, 2) where there are none."""
    relation = np.asarray(pairs)
    return relation if relation.size else np.empty((0, 2), dtype=np.int32)
