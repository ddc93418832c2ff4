"""From a class, a catalogue name or nothing at all to the structure of given targets.

The classes are found by looking through the modules of this folder; nobody keeps a list of them.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.multiclass import type_of_target

from .._data.converters import LISTED, is_missing, natural_rows
from .._data.inputs import column_names, series_name
from .._data.targets import TargetError, as_array, is_array_of_numbers, meant, refuse_entries
from ._base import Structure, copy_with
from ._labelsets import LabelSets
from ._multiclass import MultiClass


@functools.cache
def _discovered() -> dict[str, type[Structure]]:
    """Import all modules of this folder and return the classes with a catalogue name of their own."""
    package = importlib.import_module(__package__)
    found: dict[str, type[Structure]] = {}
    for module in pkgutil.iter_modules(package.__path__):
        for value in vars(importlib.import_module(f"{__package__}.{module.name}")).values():
            # In Python 3.10, list[int] and NDArray[…] pass for instances of type.
            if issubclass(type(value), type) and issubclass(value, Structure) and "name" in vars(value):
                found[value.name] = value
    return dict(sorted(found.items()))


def structure_classes() -> dict[str, type[Structure]]:
    """Return a dict from catalogue name to class, for all structures.

    Returns
    -------
    classes : dict of str to type
        Sorted by name.

    Examples
    --------
    >>> structure_classes()["permutations"].__name__
    'Permutations'
    """
    return dict(_discovered())


def resolve_structure(structure: Structure | str | None, y: Any) -> Structure:
    """Return the structure of y, with every size that was left out read from y.

    Parameters
    ----------
    structure : Structure, str or None
        A structure, or the catalogue name of one that can be built without parameters. None: `MultiClass` if y holds
        labels, `LabelSets` if y is a 0/1 matrix.
    y : array-like
        Targets in the structure's format.

    Returns
    -------
    structure : Structure
        A new object; the argument is not changed.

    Raises
    ------
    TypeError
        When `structure` is none of the three.
    ValueError
        When the name is unknown or its structure needs parameters, when y contradicts the parameters, or when
        `structure` is None and y is neither labels nor a 0/1 matrix.

    Examples
    --------
    >>> resolve_structure("permutations", [[2, 1, 3]])
    Permutations(n_labels=3)
    >>> resolve_structure(None, ["a", "b", "a"]).classes_.tolist()
    ['a', 'b']
    """
    if structure is None:
        structure = _inferred(y)
    if isinstance(structure, str):
        structure = _named(structure)
    if not isinstance(structure, Structure):
        raise TypeError(f"structure must be a Structure, such as Permutations(), its name or None, got {structure!r}")
    return _with_columns(structure._resolve(y), y)


def _with_columns(structure: Structure, y: Any) -> Structure:
    """Return the structure with the names of the columns of y, where the structure has none for them."""
    unnamed = structure._columns is None or structure._names is None
    columns: Any = None
    if structure._is_single and not is_array_of_numbers(y):
        columns = (column_names(y) if unnamed else None) or series_name(y)
    elif unnamed and not is_array_of_numbers(y) and natural_rows(y) is None:
        columns = column_names(y)
        if columns and structure._columns is not None and set(columns) == set(structure._y_columns or ()):
            return structure  # with whose columns those of another part of the data are matched
    return structure if columns == structure._y_columns else copy_with(structure, _y_columns=columns)


def _named(name: str) -> Structure:
    """Return the structure of a catalogue name, built without parameters."""
    classes = structure_classes()
    if name not in classes:
        raise ValueError(f"structure: there is no {name!r}; known are {', '.join(classes)}{meant(name, list(classes))}")
    cls = classes[name]
    try:
        return cls()
    except TypeError as error:
        raise ValueError(f"structure: {name!r} needs parameters; pass a {cls.__name__} ({error})") from None


def _inferred(y: Any) -> Structure:
    """Return `MultiClass` for labels or `LabelSets` for a 0/1 matrix."""
    if issparse(y):
        return LabelSets()
    rows = natural_rows(y) or []
    listed = [i for i, row in enumerate(rows) if isinstance(row, (*LISTED, Mapping)) or hasattr(row, "is_directed")]
    if listed and not all(map(_is_cell, rows)):
        said = "without a structure, y holds labels or 0/1: LabelSets reads sets of labels, Permutations reads orders"
        raise TargetError(listed[0], said)
    shape = as_array(y, "y").shape
    if len(shape) == 1 or shape[1:] == (1,):
        return MultiClass()
    if isinstance(y, np.ndarray) and y.dtype.kind == "f" and y.ndim == 2:
        refuse_entries(~np.isfinite(y), y, "targets must be finite")
    if type_of_target(y, input_name="y") == "multilabel-indicator":
        return LabelSets()
    remedy = 'say what its rows are, such as structure="permutations" for rankings'
    raise ValueError(f"structure: None stands for labels, shape (n,), or a 0/1 matrix, which y is not; {remedy}")


def _is_cell(row: Any) -> bool:
    """Return whether a row is what one cell of a table of strings holds."""
    return isinstance(row, list) and len(row) < 2 and all(isinstance(e, str) or is_missing(e) for e in row)


def target_type(structure: Any) -> str:
    """Return what scikit-learn calls y of an estimator's parameter `structure`, or nothing."""
    meant = structure_classes().get(structure) if isinstance(structure, str) else structure
    return str(getattr(meant, "target_type", ""))


def has_method(structure: Any, name: str, wanted: str | None = None) -> bool:
    """Return whether an estimator's parameter `structure` has a method called `name`.

    If not, AttributeError where `wanted` names the estimator's method that is for structures which have it.
    """
    classes = structure_classes()
    if hasattr(classes.get(structure) if isinstance(structure, str) else structure, name):
        return True
    if wanted is not None:
        others = ", ".join(cls.__name__ for cls in classes.values() if hasattr(cls, name))
        said = f"not for structure={structure!r}: rankings have predict_pairwise_proba and predict_position_proba"
        raise AttributeError(f"{wanted} is for {others}, {said}, and all structures predict_marginals and log_proba")
    return False
