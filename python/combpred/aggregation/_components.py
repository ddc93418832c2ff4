"""Groups of items that follow one another in some best consensus."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def condorcet_components(beaten: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    r"""Return the finest groups of items that some best consensus places one after the other.

    Parameters
    ----------
    beaten : ndarray of shape (k, k), bool
        ``beaten[u, v]``: placing v before u is not a best choice for that pair alone. For orders: more weight has u
        before v than v before u.

    Returns
    -------
    groups : list of ndarray
        Ascending items of each group, the first group first.

    Notes
    -----
    If "before" is a best choice for every pair of an item of A with one of B, take any best consensus, and move the
    items of A before those of B, leaving the order, ties or relations within A and within B as they are. The result is
    of the same kind, pairs within A and within B cost what they did, and all others cost the least they can: it is a
    best consensus, too. The finest such division is that into the strongly connected components of the graph with an
    arc from u to v wherever ``beaten[u, v]``, in a topological order. For orders this is the extended Condorcet
    criterion (Truchon, 1998). Cost: O(k³/8) for the transitive closure, in bytes of eight items.

    References
    ----------
    Truchon, M. (1998). *An extension of the Condorcet criterion and Kemeny orders*. Cahier 98-15, Université Laval.

    Warshall, S. (1962). A theorem on Boolean matrices. *J. ACM* 9.
    """
    k = len(beaten)
    rows = np.packbits(beaten | np.eye(k, dtype=bool), axis=1)
    for v in range(k):
        rows[(rows[:, v >> 3] << (v & 7)) & 128 > 0] |= rows[v]
    reach = np.unpackbits(rows, axis=1, count=k).astype(bool)
    first = np.argmax(reach & reach.T, axis=1)  # the smallest item of each one's group
    # A group that reaches another one reaches all that this one does, and itself: it reaches more.
    order = np.lexsort((first, -reach.sum(axis=1)))
    return [np.sort(group) for group in np.split(order, np.flatnonzero(np.diff(first[order])) + 1)]
