"""Rankings and preferences between pairs in the core: their consensus, and the training of label rankers from them.

``capi/combpred.h`` states the problems and the steps. Options are dicts of the fields of the structs there; what is
missing has the default there. ``**how`` is what :func:`combpred._lib.call.call` takes: n_threads and verbose.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import abi
from .arrays import FloatArray, IntArray
from .call import computed
from .ridge import Design
from .table import columns, contiguous, record

_MOST_ROUNDS = 2**20  # of boosting, for whose way there is room


class Profile(NamedTuple):
    """Weighted rankings of k items.

    Attributes
    ----------
    ranks : ndarray of shape (n, k)
        Numbers compared by their order, equal ones tied, NaN where unknown.
    weights : ndarray of shape (n,) or None
        At least 0, not all 0; None: 1 each.
    n_extensions : int
        Rows for each partial order where rows are samples of its linear extensions, otherwise 0.
    """

    ranks: FloatArray
    weights: FloatArray | None
    n_extensions: int = 0


class Pairs(NamedTuple):
    """What rankings prefer: arrays of shape (k, k), 0 on the diagonal.

    Attributes
    ----------
    before : ndarray
        Weight of the rankings with u before v.
    tied : ndarray or None
        Weight of those with the two tied; None: there are none.
    """

    before: FloatArray
    tied: FloatArray | None = None


class Programs(NamedTuple):
    """Solutions of the programs of all groups, as cp_programs has them.

    Attributes
    ----------
    x : ndarray of shape (k, k)
        How far u is before v, for pairs within groups.
    state : ndarray of shape (n_groups,), int32
        What is known: ``abi.PROGRAM_SOLVED`` and so on.
    lower_bound : ndarray of shape (n_groups,)
        On the cost of every order of the group.
    """

    x: FloatArray
    state: IntArray
    lower_bound: FloatArray


def pair_counts(profile: Profile) -> Pairs:
    """Return what rankings prefer. Pairs with an unknown item do not count."""
    k = profile.ranks.shape[1]
    pairs = Pairs(np.empty((k, k)), np.empty((k, k)))
    computed("cp_aggregate_pairs", profile, pairs)
    return pairs


def item_groups(before: FloatArray) -> list[NDArray[np.intp]]:
    """Return the finest groups of items that some best order places one after the other, ascending, the first first."""
    group, _ = computed("cp_aggregate_groups", before)
    by_group = np.argsort(group, kind="stable")
    return np.split(by_group, np.flatnonzero(np.diff(group[by_group])) + 1)


def consensus(
    profile: Profile | None,
    pairs: Pairs | None,
    method: str,
    *,
    output: str = "order",
    penalty: float = 0.5,
    programs: Programs | None = None,
    seed: int = 0,
) -> tuple[Any, ...]:
    """Return a consensus of rankings, or of what is known of their pairs; see cp_aggregate.

    As the fields of ``combpred.aggregation.Aggregate``, in their order.
    """
    of = profile.ranks if profile is not None else pairs.before if pairs is not None else np.empty((0, 0))
    k, partial = of.shape[1], output == "partial"
    options = {"method": method, "output": output, "penalty": penalty, "seed": seed}
    y, info = computed("cp_aggregate", profile, pairs, options, programs, dst_len=k * k if partial else k)
    return (
        y.reshape(k, k).astype(bool) if partial else y, info.distance, info.lower_bound, info.ratio or None,
        bool(info.expected), bool(info.optimal), info.method, info.reason, info.standard_error,
    )  # fmt: skip


def acyclic_part(margins: FloatArray, method: str, *, programs: Programs | None = None) -> tuple[Any, ...]:
    """Return an acyclic part of preferences of large weight; see cp_aggregate_acyclic.

    As the fields of ``combpred.aggregation.AcyclicMajority``, in their order.
    """
    relation, kept, info = computed("cp_aggregate_acyclic", margins, {"method": method}, programs)
    return (
        relation.astype(bool), kept.astype(bool), info.weight, info.upper_bound, info.ratio, bool(info.optimal),
        info.method,
    )  # fmt: skip


def extended(relations: NDArray[np.bool_], weights: FloatArray | None, n_extensions: int, seed: int) -> Profile:
    """Return random linear extensions of partial orders (n, k, k), which share the weight of theirs."""
    given = {"before": relations, "weights": weights}
    ranks, shares = computed("cp_aggregate_extend", given, seed % 2**64, n_extensions=n_extensions)
    return Profile(ranks.reshape(-1, relations.shape[1]), shares.ravel(), n_extensions)


class Examples:
    """What n rows say about pairs of k labels.

    Parameters
    ----------
    signs : ndarray of shape (n, k(k-1)/2), int8
    margins : ndarray of shape (n, k(k-1)/2), or None
        By which the scores of a pair are to differ; None for 1.
    weights : ndarray of shape (n,), or None
    k : int
    subgraphs : {"edges", "stars", "graph", "sinks"} or dict, default="edges"
        A dict has the fields of ``cp_preferences`` for a user's own subgraphs: ``own_rows``, ``n_own``, ``own_edges``
        and ``own_ends``.
    """

    def __init__(
        self,
        signs: NDArray[np.int8],
        margins: FloatArray | None,
        weights: FloatArray | None,
        k: int,
        subgraphs: str | dict[str, Any] = "edges",
    ) -> None:
        self.n, self.k = len(signs), k
        own = subgraphs if isinstance(subgraphs, dict) else {"subgraphs": subgraphs}
        self.struct = record(
            abi.CPreferences, k=k, signs=contiguous(signs, np.int8), margins=margins, weights=weights, **own
        )


def svm(examples: Examples, rows: Design | FloatArray, options: dict[str, Any], **how: Any) -> Any:
    """Minimise ½‖W‖² + c·Σ weighted losses, with the fields of ``cp_labelrank_options``.

    Parameters
    ----------
    rows : Design or ndarray of shape (n, n)
        Features, the constant one last, or a symmetric kernel matrix.

    Returns
    -------
    namespace
        The fields of ``cp_labelrank_info``, with ``converged``; ``coefficients`` (q, k) of features, or (n, k) of the
        rows of a kernel matrix; ``alpha`` (n, k(k-1)/2), the dual variables of preferences.
    """
    given = (rows, None) if isinstance(rows, Design) else (None, rows)
    alpha, coefficients, info = computed(
        "cp_labelrank_svm", *given, examples, options, label="support vector machine", **how
    )
    info.alpha, info.coefficients = alpha, coefficients
    return info


def svm_direct(
    design: Design,
    rankings: dict[str, Any],
    loss: str,
    position_weights: FloatArray,
    options: dict[str, Any],
    **how: Any,
) -> Any:
    """Train weights of features, by which labels are sorted, on the fields of ``cp_rankings``, by a loss of rankings.

    `position_weights` (k,) must not increase. Returns the fields of ``cp_labelrank_info``, with ``converged`` and
    ``coefficients`` (q, k).
    """
    coefficients, info = computed(
        "cp_labelrank_direct", design, rankings, loss, position_weights, options, label="DirectRankingSVM", **how
    )
    info.coefficients = coefficients
    return info


def neighbors_consensus(examples: Examples, neighbors: dict[str, Any], wanted: str, **how: Any) -> Any:
    """Return the consensus of neighbours among examples: "borda", "kemeny" or "mallows", or the shares of "pairs".

    Parameters
    ----------
    neighbors : dict
        Of the fields of ``cp_neighbors``: ``numbers`` (n, m) of examples, their ``weights`` (n, m), and maybe
        ``counts`` (N, k), the Borda scores of all examples.

    Returns
    -------
    namespace
        "borda": ``scores`` (n, k), mean Borda scores, centred. "kemeny": ``positions`` (n, k), from 1 on; "mallows":
        with ``theta`` and ``probability`` (n,) of Mallows' model around them. "pairs": ``pairs`` (n, k, k), shares of
        the neighbours that prefer the label of the row to that of the column.
    """
    parts = {"borda": ("scores",), "pairs": ("pairs",), "kemeny": ("positions",)}
    asked = parts.get(wanted, ("positions", "theta", "probability"))
    everything = {"scores", "positions", "theta", "probability", "pairs"}
    found = computed("cp_labelrank_consensus", examples, neighbors, **dict.fromkeys(everything - {*asked}), **how)
    return SimpleNamespace(**dict(zip(asked, found if len(asked) > 1 else (found,), strict=True)))


def boost(examples: Examples, design: Design, scores: FloatArray | None, options: dict[str, Any], **how: Any) -> Any:
    """Boost weights of features (q, k), the constant one last, or with `scores` (n, k, J) those of J rankers (J,).

    Returns the ``weights``, the ``losses`` before the first round and after each, the sure decreases of each,
    ``bounds``, and whether boosting has ``converged``. The options are the fields of ``cp_boost_options``.
    """
    if scores is not None and np.shape(scores)[-1:] == (0,):  # the core would take no scores for features to be boosted
        raise ValueError("base_rankers is empty: give at least one, or None for the features")
    most = min(options["max_iter"], _MOST_ROUNDS)
    way = columns(abi.CBoostCurve, n_curve=most)
    weights, n_iter, status = computed(
        "cp_labelrank_boost", design, examples, {**options, "scores": scores}, {"n_curve": most, **way},
        with_status=True, label="boosting", **how,
    )  # fmt: skip
    rounds = min(n_iter, most)
    return SimpleNamespace(
        weights=weights if scores is not None else weights.reshape(design.n_weights, examples.k),
        losses=way["losses"][: rounds + 1], bounds=way["bounds"][:rounds], converged=status == abi.OK,
    )  # fmt: skip
