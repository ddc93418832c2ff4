"""Output spaces: what a prediction may look like, and how it is turned into features.

Every module of this package that defines a subclass of `Structure` with a catalogue name is found when the package is
imported: adding a structure means adding a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._base import Structure
from ._resolve import resolve_structure, structure_classes
from ._space import MomentsInfo

if TYPE_CHECKING:  # what the catalogue finds, spelt out for type checkers; a test compares the two
    from ._assignments import Assignments as Assignments
    from ._cliques import Cliques as Cliques
    from ._custom import Custom as Custom
    from ._cycles import Cycles as Cycles
    from ._directedcycles import DirectedCycles as DirectedCycles
    from ._graphs import Graphs as Graphs
    from ._hierarchy import Hierarchy as Hierarchy
    from ._labelsets import LabelSets as LabelSets
    from ._multiclass import MultiClass as MultiClass
    from ._ordinal import Ordinal as Ordinal
    from ._partialorders import PartialOrders as PartialOrders
    from ._paths import Paths as Paths
    from ._permutations import Permutations as Permutations
    from ._posetelements import PosetElements as PosetElements
    from ._routes import Routes as Routes
    from ._spanningtrees import SpanningTrees as SpanningTrees
    from ._subtrees import Subtrees as Subtrees
    from ._tournaments import Tournaments as Tournaments
    from ._weakorders import WeakOrders as WeakOrders

globals().update({cls.__name__: cls for cls in structure_classes().values()})

__all__ = [
    "MomentsInfo",
    "Structure",
    "resolve_structure",
    "structure_classes",
    *sorted(cls.__name__ for cls in structure_classes().values()),
]


def __dir__() -> list[str]:
    return __all__
