"""Reductions between problems of structured prediction, which show how hard conditions for training are to check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._data.checks import refuse_unlisted, whole_number
from ..._data.targets import target_matrix, whole_numbers
from ..._lib.structure import Description
from .._graphs import Graphs
from .hereditary import truth

DecisionOracle = Callable[[NDArray[np.int64], NDArray[np.bool_]], bool]


def maximum_subgraph(edges: ArrayLike, *, oracle: DecisionOracle) -> NDArray[np.bool_]:
    r"""Return a largest set of edges with a hereditary property, found only by asking whether given sets are optimal.

    A property is hereditary if a set that has it keeps it when edges are removed. Some trainers of structured
    predictors require that an observed output scores best, and have to check that it does. This function shows how
    hard that is: given a procedure that checks it, a largest subgraph with the property is found in polynomial time.
    Finding one is NP-hard for many properties, among them being bipartite and being planar (Gärtner & Vembu, 2009).

    Parameters
    ----------
    edges : array-like of shape (n_edges, 2)
        Pairs of vertices, without self-loops and repetitions.
    oracle : callable
        ``oracle(weights, y)`` returns whether some set with the property has a larger sum of weights than y. The
        weights have shape ``(n_edges,)`` and type int64 and are not negative; y is a set of edges with the property, of
        shape ``(n_edges,)`` and type bool.

    Returns
    -------
    largest : ndarray of shape (n_edges,), bool
        A set of edges with the property; no other has more edges.

    Raises
    ------
    TypeError
        When vertices are not integers, `oracle` is not callable, or it returns anything but a bool.
    ValueError
        When edges are illegal, or the oracle's answers contradict one another, which is impossible for a hereditary
        property.

    Notes
    -----
    Cost: at most m + r (m − 1) calls of the oracle for m edges, if the result has r edges. Weights are at most m².

    The edges are added one by one. Let S be a largest set with the property among the edges before e, let c be its
    size, and let E be these edges together with e. A set with the property in E has at most c + 1 edges, as it keeps
    the property without e. The oracle, with weight 1 on E and 0 elsewhere, tells whether a set T of c + 1 edges exists;
    if not, S remains the largest. (Sets with edges outside E do not matter: without these edges of weight 0 they have
    the property and the same sum.) Otherwise a T is found by shrinking a set F ⊆ E that contains one:

    1. For each edge of E outside S other than e, ask with weight 1 on the rest of F and 0 elsewhere. S keeps its sum c,
       so the answer is whether F contains a T without the edge; if so, the edge is removed from F. In the end
       F = S ∪ D, and every T in F contains all of D, which has k ≥ 1 edges. Sets in F that do not contain D have at
       most c edges.
    2. T consists of D and c + 1 − k edges of S. For each edge of S, let R be that edge together with the edges dropped
       before, q in all, and ask with weights α = q (k − 1) + 1 on S∖R, α − 1 on R, α − q on D, and 0 elsewhere. S has
       the sum α c − q. A T that avoids R has the larger sum α (c + 1) − q k = α c − q + 1. No other set in F has a
       larger sum than S: a set of c + 1 edges that meets R loses at least 1 against that; a set of at most c edges with
       j ≥ 1 edges of D has at most α c − q j; a set without edges of D is a subset of S. So the answer is whether some
       T avoids R; if so, the edge is dropped. In the end k − 1 edges are dropped, and F without them is T.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 4.2, algorithm 1.

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
    refuse_unlisted(edges, "edges", named=True)
    pairs, remedy = target_matrix(edges, "edges", 2, "end"), "vertices are whole numbers from 0 on"
    ends = whole_numbers(pairs, "edges", 0, np.iinfo(np.int32).max, remedy)
    graph = Description(Graphs.name, {"n": int(ends.max()) + 1}, ends.ravel())
    return maximum_set(graph.shape.n_features, oracle=oracle)


def maximum_set(n_elements: int, *, oracle: DecisionOracle) -> NDArray[np.bool_]:
    r"""Return a largest set with a hereditary property among n elements, by asking whether given sets are optimal.

    This is :func:`maximum_subgraph` for elements of any kind: what it says about edges holds for any independence
    system, a set of sets that contains all subsets of each.

    Parameters
    ----------
    n_elements : int
        Number of elements, at least 1.
    oracle : callable
        As for :func:`maximum_subgraph`.

    Returns
    -------
    largest : ndarray of shape (n_elements,), bool
        A set with the property; no other has more elements.

    Raises
    ------
    TypeError
        When `n_elements` is no integer, `oracle` is not callable, or it returns anything but a bool.
    ValueError
        When `n_elements` is less than 1, or the oracle's answers contradict one another.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 4.2, algorithm 1, whose steps are mended
    as :func:`maximum_subgraph` explains: sets with few new elements mislead those that are printed.

    Examples
    --------
    The most items that fit into a bag that holds 6 kg:

    >>> from itertools import product
    >>> import numpy as np
    >>> from combpred.reductions import maximum_set
    >>> sets = np.array(list(product([0, 1], repeat=4)))
    >>> fitting = sets[sets @ [4, 2, 3, 1] <= 6]
    >>> maximum_set(4, oracle=lambda weights, y: (fitting @ weights).max() > weights[y].sum()).tolist()
    [False, True, True, True]
    """
    if not callable(oracle):
        raise TypeError(f"oracle must be a function of weights and a set of elements, got {oracle!r}")
    m = whole_number(n_elements, "n_elements", 1, 2**20)
    best = np.zeros(m, dtype=np.bool_)
    for e in range(m):
        weights = np.zeros(m, dtype=np.int64)
        weights[: e + 1] = 1
        if _ask(oracle, weights, best):
            best = _grown(best, e, oracle)
    return best


def _grown(best: NDArray[np.bool_], e: int, oracle: DecisionOracle) -> NDArray[np.bool_]:
    """Return a set among edges 0..e that has one edge more than `best`, a largest set among edges 0..e−1."""
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
            f"the answers of oracle contradict one another: there is a set of {int(best.sum()) + 1} elements up to "
            f"number {e}, and none was found; oracle must answer for one property that is kept when some are removed"
        )
    return kept & ~dropped


def _ask(oracle: DecisionOracle, weights: NDArray[np.int64], y: NDArray[np.bool_]) -> bool:
    """Return the oracle's answer, checked."""
    return truth(oracle(weights, y.copy()), "oracle")
