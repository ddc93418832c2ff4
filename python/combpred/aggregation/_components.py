"""Groups of items that follow one another in some best consensus."""

from __future__ import annotations

from graphlib import TopologicalSorter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


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
    criterion (Truchon, 1998). Cost: O(k²).

    References
    ----------
    Truchon, M. (1998). *An extension of the Condorcet criterion and Kemeny orders*. Cahier 98-15, Université Laval.
    """
    number, label = connected_components(csr_array(beaten), directed=True, connection="strong")
    members = np.zeros((number, len(beaten)), dtype=bool)
    members[label, np.arange(len(beaten))] = True
    counts = members.astype(np.float64)
    arcs = counts @ beaten @ counts.T > 0
    np.fill_diagonal(arcs, False)
    # The sorter takes groups that could come in either order as it meets them: by their smallest items.
    by_item = np.argsort([int(np.argmax(row)) for row in members])
    graph = {int(g): {int(f) for f in np.flatnonzero(arcs[:, g])} for g in by_item}
    return [np.flatnonzero(members[g]) for g in TopologicalSorter(graph).static_order()]
