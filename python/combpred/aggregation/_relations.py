"""Consensuses with ties or unrelated items, of least weighted Kendall distance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._data.relations import relation_matrices
from .._lib.arrays import FloatArray
from .._lib.decode import Decoded, Decoding
from ..structures import PartialOrders, WeakOrders
from ._best_input import best_row
from ._components import condorcet_components
from ._profile import Profile


class PairCosts(NamedTuple):
    """What each choice for a pair costs in all rankings: arrays of shape (k, k).

    Attributes
    ----------
    before : ndarray
        u before v.
    apart : ndarray
        The two tied, or unrelated; symmetric, with a diagonal of 0.
    """

    before: FloatArray
    apart: FloatArray

    def of(self, before: NDArray[np.bool_]) -> float:
        """Return the cost of a relation, pairs that it leaves out being apart."""
        return float(self.before[before].sum() + np.triu(np.where(before | before.T, 0.0, self.apart), 1).sum())


class Found(NamedTuple):
    """A relation of shape (k, k), a bound on the cost of all, and whether it is known to be a best one."""

    before: NDArray[np.bool_]
    lower_bound: float
    optimal: bool


def best_weak_order(costs: PairCosts, decoder: str, profile: Profile | None) -> Found:
    """Return the ranking with ties that a decoder finds, or the best of the rankings where that one is better."""
    k = len(costs.before)
    behind, before, apart, mean = _choices(costs)
    # Of cost mean − ⟨(behind − before)/2, sign⟩ − ⟨mean − apart, tie⟩.
    scores = np.concatenate([(behind - before) / 2, mean - apart])
    found = WeakOrders(k).space.decode(scores[np.newaxis], None, Decoding(decoder))
    relation = found.y[0][:, np.newaxis] < found.y[0]
    return _better(costs, _found(relation, mean, found), profile)


def best_partial_order(costs: PairCosts, decoder: str, profile: Profile | None) -> Found:
    """Return the partial order that a decoder finds, or the best of the rankings where that one is better.

    Groups of items that follow one another in some best partial order are solved on their own.
    """
    k = len(costs.before)
    beaten = np.minimum(costs.before, costs.apart) < costs.before.T
    np.fill_diagonal(beaten, False)
    relation = np.zeros((k, k), dtype=bool)
    bound, optimal = 0.0, True
    rest = np.ones(k, dtype=bool)
    for items in condorcet_components(beaten):
        rest[items] = False
        relation[np.ix_(items, rest)] = True
        bound += float(costs.before[np.ix_(items, rest)].sum())
        if len(items) == 1:
            continue
        square = np.ix_(items, items)
        behind, before, apart, mean = _choices(PairCosts(costs.before[square], costs.apart[square]))
        # Of cost apart − ⟨(behind − before)/2, sign⟩ − ⟨apart − mean, |sign|⟩.
        scores, related = (behind - before) / 2, apart - mean
        part = PartialOrders(len(items)).space.decode(scores[np.newaxis], related, Decoding(decoder))
        found = _found(relation_matrices(part.y, len(items))[0], apart, part)
        relation[square] = found.before
        bound += found.lower_bound
        optimal = optimal and found.optimal
    return _better(costs, Found(relation, bound, optimal), profile)


def best_input_relation(costs: PairCosts, profile: Profile) -> NDArray[np.bool_]:
    """Return the best of the rankings."""
    row = best_row(profile, costs.before, costs.apart)
    relation: NDArray[np.bool_] = row[:, np.newaxis] < row
    return relation


def _choices(costs: PairCosts) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return for the pairs u < v the costs of "behind", "before" and "apart", and the mean of the first two."""
    u, v = np.triu_indices(len(costs.before), 1)
    before, behind = costs.before[u, v], costs.before[v, u]
    return behind, before, costs.apart[u, v], (before + behind) / 2


def _found(relation: NDArray[np.bool_], base: FloatArray, found: Decoded) -> Found:
    return Found(relation, float(base.sum()) - float(found.upper_bound[0]), bool(found.optimal[0]))


def _better(costs: PairCosts, found: Found, profile: Profile | None) -> Found:
    if found.optimal or profile is None:
        return found
    other = best_input_relation(costs, profile)
    return found._replace(before=other) if costs.of(other) < costs.of(found.before) else found
