"""Rank aggregation: one ranking, or partial order, in the place of many.

:func:`kemeny` minimises Kendall's distance, :func:`borda` the squared and :func:`footrule` the absolute differences of
positions; :func:`median_rank` approximates the latter. Each returns an :class:`Aggregate`, which says how far it can be
from the best consensus. :func:`acyclic_majority` returns the partial order that follows from the preferences of the
majority, and :func:`read_preflib` reads ballots.

References
----------
Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 3.
"""

from __future__ import annotations

from ._acyclic import AcyclicMajority, acyclic_majority
from ._aggregate import Aggregate
from ._kemeny import kemeny
from ._positional import borda, footrule, median_rank
from ._preflib import Ballots, read_preflib

__all__ = [
    "AcyclicMajority",
    "Aggregate",
    "Ballots",
    "acyclic_majority",
    "borda",
    "footrule",
    "kemeny",
    "median_rank",
    "read_preflib",
]


def __dir__() -> list[str]:
    return __all__
