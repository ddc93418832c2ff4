"""Rank aggregation: one ranking, or partial order, in the place of many.

:func:`kemeny` minimises Kendall's distance, :func:`borda` the squared and :func:`footrule` the absolute differences of
positions; :func:`median_rank` approximates the latter. Each returns an :class:`Aggregate`, which says how far it can be
from the best consensus. :func:`plackett_luce` and :func:`bradley_terry` fit models of rankings and of comparisons, in
which every item has a utility. :func:`acyclic_majority` returns the partial order that follows from the preferences of
the majority, and :func:`read_preflib` reads ballots.

References
----------
Vembu (2010), *Learning to Predict Combinatorial Structures*, section 3.7.
"""

from __future__ import annotations

from ._consensus import AcyclicMajority, Aggregate, acyclic_majority, borda, footrule, kemeny, median_rank
from ._profile import Ballots, read_preflib
from .utilities import Ties, Utilities, bradley_terry, plackett_luce

__all__ = [
    "AcyclicMajority",
    "Aggregate",
    "Ballots",
    "Ties",
    "Utilities",
    "acyclic_majority",
    "borda",
    "bradley_terry",
    "footrule",
    "kemeny",
    "median_rank",
    "plackett_luce",
    "read_preflib",
]


def __dir__() -> list[str]:
    return __all__
