"""From a class, a catalogue name or nothing at all to the structure of given targets.

The classes are found by looking through the modules of this folder; nobody keeps a list of them.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from .._data.forms import column_names, frame_of, refuse_names
from .._data.targets import as_array, error_at, is_array_of_numbers, meant
from ._base import Structure
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
        return _as_y_was(_inferred(y), y)
    if isinstance(structure, str):
        structure = _named(structure)
    if isinstance(structure, type) and issubclass(structure, Structure):
        name = structure.__name__
        raise TypeError(f"structure is the class {name}: pass {name}(), with its parameters if it needs any")
    if not isinstance(structure, Structure):
        raise TypeError(
            f"structure must be a Structure of combpred.structures, a catalogue name or None, got {structure!r}"
        )
    return _as_y_was(structure._resolve(y), y)


def _as_y_was(structure: Structure, y: Any) -> Structure:
    """Return the structure of y with the library of the data frame that y is, if it is one, and names of columns."""
    plain = is_array_of_numbers(y)
    columns: Any = None
    if structure._columns is None:  # columns that stand for no items must not change places, either
        columns = None if plain else column_names(y)
    elif structure._names is None:
        columns = () if plain else column_names(y) or ()
        if set(columns) == set(structure._y_columns or ()):  # which parts of the data before had, in their order
            columns = structure._y_columns or columns
    frame = None if plain else frame_of(y)
    if (frame, columns) == (structure._frame, structure._y_columns):
        return structure
    return structure._with(_frame=frame, _y_columns=columns)


def _named(name: str) -> Structure:
    """Return the structure of a catalogue name, built without parameters."""
    classes = structure_classes()
    if name not in classes:
        raise ValueError(
            f"structure: no structure is called {name!r}; known are {', '.join(classes)}{meant(name, list(classes))}"
        )
    cls = classes[name]
    required = [p.name for p in inspect.signature(cls).parameters.values() if p.default is p.empty]
    if required:
        how = f"combpred.structures.{cls.__name__}({', '.join(f'{p}=…' for p in required)})"
        how += f", or {cls.__name__}.from_paths(…) of paths in the tree" * hasattr(cls, "from_paths")
        needed = f"structure: {name!r} needs {' and '.join(required)}"
        raise ValueError(f"{needed}; instead of the name pass an instance, {how}")
    return cls()


_CONVERTERS = (
    "without a structure, y holds labels or 0/1: LabelSets.from_sets makes y of sets of labels, "
    "Permutations.from_orders of orders, y_from_paths of Hierarchy.from_paths(…) of paths in a tree, Routes.from_names "
    "of routes, and Graphs.from_edges of graphs"
)


def _inferred(y: Any) -> Structure:
    """Return `MultiClass` for labels or `LabelSets` for a 0/1 matrix, with sizes read from y."""
    if issparse(y):
        return LabelSets()._resolve(y)
    refuse_names(y, "y", _CONVERTERS, "labels")
    shape = as_array(y, "y").shape
    if len(shape) == 1 or shape[1:] == (1,):
        return MultiClass()._resolve(y)
    if isinstance(y, np.ndarray) and y.dtype.kind == "f" and y.ndim == 2 and not np.isfinite(y).all():
        raise error_at(~np.isfinite(y), y, "targets must be finite")
    kind = type_of_target(y, input_name="y")
    if kind in ("binary", "multiclass"):
        return MultiClass()._resolve(y)
    if kind == "multilabel-indicator":
        return LabelSets()._resolve(y)
    if kind == "multiclass-multioutput":
        raise ValueError(
            "structure: None stands for labels, shape (n,), or a 0/1 matrix, but y is a matrix with other values; "
            'say what its rows are, such as structure="permutations" for rankings'
        )
    check_classification_targets(y)  # refuses continuous targets in scikit-learn's words
    raise ValueError(f"structure: cannot be read from y, which is {kind}; give the structure")


def target_type(structure: Any) -> str:
    """Return what scikit-learn calls y of an estimator's parameter `structure`, or nothing."""
    meant = structure_classes().get(structure) if isinstance(structure, str) else structure
    return str(getattr(meant, "target_type", ""))


# What estimators tell of an output where its structure has a method.
_PROBABILITIES = {
    "probabilities": "predict_proba",
    "pair_probabilities": "predict_pairwise_proba",
    "from_orders": "predict_position_proba",
}


def has_classes(structure: Any, method: str | None = None) -> bool:
    """Return whether outputs of an estimator's parameter `structure` are classes, or sets of them.

    If not, AttributeError where a method is named that is for these.
    """
    return has_method(structure, "probabilities", method)


def has_method(structure: Any, name: str, wanted: str | None = None) -> bool:
    """Return whether an estimator's parameter `structure` has a method called `name`.

    If not, AttributeError where `wanted` names the estimator's method that is for structures which have it.
    """
    classes = structure_classes()
    if hasattr(classes.get(structure) if isinstance(structure, str) else structure, name):
        return True
    if wanted is not None:
        others = ", ".join(cls.__name__ for cls in classes.values() if hasattr(cls, name))
        own = [method for has, method in _PROBABILITIES.items() if has_method(structure, has)]
        instead = f"take {' or '.join(own)}; " if own else ""
        raise AttributeError(
            f"{wanted} is for {others}, not for structure={structure!r}: {instead}predict_marginals gives the "
            "expected embedding, log_proba the probability of a structure"
        )
    return False
