"""Output spaces: what a prediction may look like, and how it is turned into features.

A `Structure` is the user's description of a space of outputs; its attribute ``space`` is what the package computes
with. There is one file for each structure; modules such as `_visits` and `_edges` hold what several share.

To add a structure:

1. Write the mathematics in one Go file, ``core/structure/<name>.go``. The file registers the structure under its
   catalogue name; it says how outputs are laid out, counts them, and computes their moments. Decoders, samplers and
   sums over all outputs are further interfaces that it may implement.
2. Add the sizes to test it at to ``core/structure/examples``, and a small instance with its ψ written out to one of
   the lists in ``tests/oracles/small``; the conformance tests of both languages run on these.
3. Write one Python file in this folder with a subclass of `Structure`: its parameters and documentation, and the
   translation between y and the library's parts. The class is found by its catalogue name when this package is
   imported.
4. Add its name to the import list below, for type checkers.

A space that is needed only once takes no new file: `Custom` makes it from functions, or from a list of its outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._base import Structure
from ._base import row_scores as row_scores
from ._outputs import class_probabilities as class_probabilities  # for other rooms; no part of the public interface
from ._outputs import class_values as class_values
from ._outputs import classes_of as classes_of
from ._outputs import form_of as form_of
from ._outputs import named as named
from ._resolve import has_method as has_method
from ._resolve import resolve_structure, structure_classes
from ._resolve import target_type as target_type
from ._scored import conditions_of as conditions_of
from ._search.constraints import RowConstraints as RowConstraints
from ._seen import SeenRows as SeenRows
from ._seen import encode_rows as encode_rows
from ._seen import encode_sets as encode_sets
from ._space import MomentsInfo

if TYPE_CHECKING:  # the classes that are found at import, spelt out for type checkers; a test compares the two
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
