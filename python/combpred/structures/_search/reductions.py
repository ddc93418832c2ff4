"""Reductions between problems of structured prediction: what training conditions would have to solve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._edges import edge_list

Oracle = Callable[[NDArray[np.int64], NDArray[np.bool_]], bool]

__all__ = ["maximum_subgraph"]


def maximum_subgraph(edges: ArrayLike, *, oracle: Oracle) -> NDArray[np.bool_]:
    r"""Find a largest set of edges with a hereditary property, asking only whether given sets are not optimal.

    A property is hereditary if it is kept when edges are taken away. Trainers of structured predictors that demand that
    an observed output scores best have to check that it does. This function shows how much that asks for: from a
    procedure that checks it, a largest subgraph with the property follows in polynomial time, which is NP-hard to find
    for many properties, being bipartite or planar among them (Gärtner & Vembu, 2009).

    Parameters
    ----------
    edges : array-like of shape (n_edges, 2)
        Pairs of vertices, without self-loops and repetitions.
    oracle : callable
        ``oracle(weights, y)`` for weights of shape ``(n_edges,)``, int64, not negative, and a set of edges y with the
        property, of shape ``(n_edges,)``, bool: whether some set with the property has a larger sum of weights than y.

    Returns
    -------
    largest : ndarray of shape (n_edges,), bool
        A set of edges with the property; no other has more edges.

    Raises
    ------
    TypeError, ValueError
        For edges that are not legal, and an answer of the oracle that is no truth value.
    ValueError
        When the answers contradict one another, which they do not for a hereditary property.

    Notes
    -----
    At most m + r (m − 1) calls for m edges of which the result has r. Weights are at most m².

    The edges are added one by one. Let S, of size c, be largest among the sets with the property that use the edges
    before e, and E these edges and e. A set with the property in E has at most c + 1 edges, as it keeps the property
    without e. The oracle, with weight 1 on E and 0 elsewhere, tells whether one has c + 1; if none has, S stays. (Sets
    that leave E do not matter: without their edges of weight 0 they have the property and the same sum.) Otherwise one
    such set T is found by narrowing down F ⊆ E that holds one:

    1. For each edge of E outside S but e: weight 1 on the rest of F and 0 elsewhere; S keeps its sum c, so that the
       answer is whether F holds such a T without the edge. If so, the edge leaves F. In the end F = S ∪ D, and every T
       of size c + 1 in F contains D, of k ≥ 1 edges. Sets of F that do not contain D have at most c.
    2. T is D with c + 1 − k edges of S. For each edge of S, let R be that edge and those dropped before, q in all, and
       ask with the weights α = q (k − 1) + 1 on S∖R, α − 1 on R, α − q on D, and 0 elsewhere. S has the sum α c − q.
       A T that avoids R has α (c + 1) − q k = α c − q + 1, which is larger. No other set of F has a larger sum: one
       of c + 1 edges that meets R loses 1 or more; one of c edges or less with j ≥ 1 edges of D has at most α c − q j;
       one without any is a subset of S. So the answer is whether some T avoids R, and then the edge is dropped. In the
       end k − 1 are, and F without them is T.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 4, algorithm 1.

    Gärtner & Vembu (2009), On structured output training: hard cases and an efficient alternative, *Machine Learning*
    76.

    Examples
    --------
    A largest bipartite subgraph of two triangles with an edge in common, by an oracle that tries all sets:

    >>> from itertools import product
    >>> import numpy as np
    >>> from combpred.reductions import maximum_subgraph
    >>> edges = np.array([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)])
    >>> sides = np.array(list(product([0, 1], repeat=4)))
    >>> cuts = sides[:, edges[:, 0]] != sides[:, edges[:, 1]]
    >>> maximum_subgraph(edges, oracle=lambda weights, y: (cuts @ weights).max() > weights[y].sum()).tolist()
    [True, True, False, True, True]
    """
    if not callable(oracle):
        raise TypeError(f"maximum_subgraph: oracle must be a function of weights and a set of edges, got {oracle!r}")
    m = len(edge_list("maximum_subgraph", edges, None))
    best = np.zeros(m, dtype=np.bool_)
    for e in range(m):
        weights = np.zeros(m, dtype=np.int64)
        weights[: e + 1] = 1
        if _ask(oracle, weights, best):
            best = _grown(best, e, oracle)
    return best


def _grown(best: NDArray[np.bool_], e: int, oracle: Oracle) -> NDArray[np.bool_]:
    """Return a set of edges up to number e with one edge more than the largest set up to number e − 1."""
    kept = np.zeros(len(best), dtype=np.bool_)
    kept[: e + 1] = True
    for edge in np.flatnonzero(~best[:e]):
        kept[edge] = False
        kept[edge] = not _ask(oracle, kept.astype(np.int64), best)
    needed = kept & ~best
    k = int(needed.sum())
    dropped = np.zeros(len(best), dtype=np.bool_)
    for edge in np.flatnonzero(best):
        q = int(dropped.sum()) + 1
        if q == k:
            break
        dropped[edge] = True
        alpha = q * (k - 1) + 1
        weights = alpha * best - dropped + (alpha - q) * needed
        dropped[edge] = _ask(oracle, weights.astype(np.int64), best)
    if dropped.sum() != k - 1:
        raise ValueError(
            f"the answers of oracle contradict one another: there is a set of {int(best.sum()) + 1} edges up to edge "
            f"number {e}, and none was found; oracle must answer for one property that is kept when edges are removed"
        )
    return kept & ~dropped


def _ask(oracle: Oracle, weights: NDArray[np.int64], y: NDArray[np.bool_]) -> bool:
    answer: Any = oracle(weights, y.copy())
    if not isinstance(answer, (bool, np.bool_)):
        raise TypeError(f"oracle must return True or False, got {answer!r}")
    return bool(answer)
