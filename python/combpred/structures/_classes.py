"""Outputs that are classes of one row: grades, nodes of trees, elements of posets, labels.

scikit-learn's metrics of probabilities and its calibration take columns to be sorted by the names of classes, whatever
`classes_` says; so classes are sorted wherever estimators show them. Structures have an order of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray


def sorted_classes(structure: Any) -> NDArray[Any] | None:
    """Return the classes of a structure that has some, sorted; labels of sets as the columns of y stand."""
    found: NDArray[Any] | None = structure._classes()
    return None if found is None else found[_order(structure, found)]


def sorted_probabilities(structure: Any, marginals: FloatArray) -> FloatArray:
    """Return the probabilities of `sorted_classes` (n, k), given marginals (n, d)."""
    found: FloatArray = structure.probabilities(marginals)
    order = _order(structure, structure._classes())
    return found if (np.diff(order) > 0).all() else np.ascontiguousarray(found[:, order])


def values_of(psi: FloatArray, linear: FloatArray, magnitude: FloatArray | None) -> FloatArray:
    """Return ⟨s, ψ⟩ + ⟨t, ψ²⟩ (n, k) of k embeddings, less its mean of each row, for scores s (n, d) and t (d,).

    Only differences of values decide; what takes each column alone, such as calibration of one class against the rest,
    needs columns that tell of the others: ψ of the lowest grade is the same in all grades, and its own value constant.
    """
    values: FloatArray = linear @ (psi - psi.mean(axis=0)).T
    squares = np.square(psi)
    return values if magnitude is None else values + (squares - squares.mean(axis=0)) @ magnitude


def _order(structure: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the numbers of classes of the structure as they are shown; where y has columns, these are its labels."""
    return np.arange(len(classes)) if structure._columns is not None else np.argsort(classes, kind="stable")
