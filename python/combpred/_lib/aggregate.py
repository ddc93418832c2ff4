"""Rank aggregation by the Go core; see :mod:`combpred._lib` for conventions and errors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import FloatArray, IntArray
from .call import computed


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


def majority_margins(pairs: Pairs, threshold: float) -> FloatArray:
    """Return the weights (k, k) of the majority's preferences, of more than a share `threshold`."""
    return computed("cp_aggregate_margins", pairs, threshold, k=len(pairs.before))


def strongest_chains(proba: FloatArray, n_threads: int | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the strengths (n, k, k) of the strongest chains of probabilities of pairs, and the thresholds (n,).

    The former are above q where the transitive closure of what is more probable than q has a pair; the latter are the
    least ones, from 1/2 on, of which the closure has no cycle.
    """
    n, k, _ = proba.shape
    return computed("cp_aggregate_chains", proba.reshape(n, k * k), k=k, n_threads=n_threads)


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
