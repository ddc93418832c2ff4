"""Nodes of a tree: classes that belong to classes."""

from __future__ import annotations

from typing import Any

from sklearn import datasets as source

from .._data.glossary import documented
from ..structures import Hierarchy
from ._bunch import dataset

_SHAPES: dict[Any, Any] = {
    "digit": None,
    "closed": "digit",
    "open": "digit",
    "curved": "open",
    "straight": "open",
    **dict.fromkeys("0689", "closed"),
    **dict.fromkeys("235", "curved"),
    **dict.fromkeys("147", "straight"),
}

_SPECIES: dict[Any, Any] = {
    "Iris": None,
    "Tripetalae": "Iris",
    "Laevigatae": "Iris",
    "setosa": "Tripetalae",
    "versicolor": "Laevigatae",
    "virginica": "Laevigatae",
}

_DIGITS = """\
The inputs are the 1797 images of hand-written digits that scikit-learn ships, 8 × 8 grey values. The target is the
digit, a leaf of a tree of shapes: the stroke encloses an area (0, 6, 8, 9), or it is open and then mostly curved (2,
3, 5) or mostly straight (1, 4, 7)."""

_IRIS = """\
The inputs are Fisher's iris measurements as scikit-learn ships them: 150 flowers, 4 lengths. The target is the
species, a leaf of the botanical tree: setosa belongs to the series Tripetalae of the genus, versicolor and virginica
to the series Laevigatae."""


@documented
def load_digits_hierarchy(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the images of digits with the digits as leaves of a tree of shapes.

    Parameters
    ----------
    %(return_X_y)s
    %(as_frame_of_data)s

    Returns
    -------
    data : sklearn.utils.Bunch
        With `data` (1797, 64) grey values 0..16, `target` (1797,) names "0" to "9", `feature_names`, `target_names`
        (all nodes), `structure` (a ``Hierarchy`` of 15 nodes that allows leaves only) and `DESCR`.

    Raises
    ------
    ImportError
        With `as_frame`, without pandas.

    Examples
    --------
    >>> from combpred.datasets import load_digits_hierarchy
    >>> load_digits_hierarchy().structure.count()
    10
    """
    original = source.load_digits()
    target, tree = original.target.astype(str), Hierarchy(dict(_SHAPES), allowed="leaves")
    return dataset(original, target, tree, list(_SHAPES), _DIGITS, return_X_y, as_frame)


@documented
def load_iris_hierarchy(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the iris data with the species as leaves of the botanical tree.

    Parameters
    ----------
    %(return_X_y)s
    %(as_frame_of_data)s

    Returns
    -------
    data : sklearn.utils.Bunch
        With `data` (150, 4), `target` (150,) names of species, `feature_names`, `target_names` (all nodes),
        `structure` (a ``Hierarchy`` of 6 nodes that allows leaves only) and `DESCR`.

    Raises
    ------
    ImportError
        With `as_frame`, without pandas.
    """
    original = source.load_iris()
    target, tree = original.target_names.astype(str)[original.target], Hierarchy(dict(_SPECIES), allowed="leaves")
    return dataset(original, target, tree, list(_SPECIES), _IRIS, return_X_y, as_frame)
