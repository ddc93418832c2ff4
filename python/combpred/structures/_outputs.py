"""What later rooms show of outputs: the form of predictions, the names beside them, and classes with probabilities."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._data.tables import Named
from .._lib.arrays import FloatArray
from ._base import Structure, in_names, names_of_columns
from ._visits import Visits


class Form(NamedTuple):
    """What predictions come back as.

    Attributes
    ----------
    columns : sequence or None
        Names of the columns, the one name of a series of single values; None if they have none.
    sparse_format : type or None
        Class of predictions where y was sparse; None where they are arrays.
    in_names : callable
        Makes rows of names, the natural form, of outputs.
    """

    columns: Sequence[Hashable] | None
    sparse_format: type | None
    in_names: Callable[[Any], Any]


def form_of(structure: Structure) -> Form:
    """Return the names of the columns of predictions, and what y of training was."""
    columns = names_of_columns(structure)
    width = 1 if structure._is_single else structure.space.part_len
    if not columns or (structure._columns is None and len(columns) != width):
        columns = None
    return Form(columns, structure._sparse_format, partial(in_names, structure))


def classes_of(structure: Structure) -> NDArray[Any] | None:
    """Return the outputs of a structure where they are classes of one row, sorted; None where they are not.

    Of sets of labels these are the labels, as the columns of y stand.
    """
    return _ordered(structure)[0] if hasattr(structure, "probabilities") else None


def class_probabilities(structure: Any, marginals: FloatArray) -> FloatArray:
    """Return the probabilities of `classes_of` a structure (n, k), given marginals (n, d)."""
    found: FloatArray = structure.probabilities(marginals)
    order = _ordered(structure)[1]
    return found if (np.diff(order) > 0).all() else np.ascontiguousarray(found[:, order])


def class_values(structure: Structure, linear: FloatArray, magnitude: FloatArray | None) -> FloatArray:
    """Return ⟨s, ψ(y)⟩ + ⟨t, ψ(y)²⟩ of `classes_of` a structure (n, k), for scores s (n, d) and t (d,) of a decision.

    The mean of each row is left out: only differences of values decide, and what takes each column alone, such as
    calibration of one class against the rest, needs columns that tell of the others. ψ of the lowest grade is the same
    in all grades, and its own value constant.
    """
    psi = structure.embed(_ordered(structure)[0])
    values: FloatArray = linear @ (psi - psi.mean(axis=0)).T
    squares = np.square(psi)
    return values if magnitude is None else values + (squares - squares.mean(axis=0)) @ magnitude


def _ordered(structure: Structure) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes as they are shown, and their numbers in the order of the structure."""
    space = structure.space
    if structure.target_type == "multilabel-indicator":
        numbers = np.arange(space.n_features)
        return numbers if space.items is None else np.array(space.items), numbers
    classes = space.decode_parts(np.concatenate(list(space.listed())))
    order = np.argsort(classes, kind="stable")
    return classes[order], order


def named(structure: Structure, y: Any) -> Named | None:
    """Return rows of outputs y as text with the names of a structure; None where it has none, or y has them itself."""
    tours = isinstance(structure, Visits)
    names = structure.space.items if tours else form_of(structure).columns
    if names is None or not isinstance(y, np.ndarray) or y.ndim != 2:
        return None
    return Named(y, names, tours=tours)
