"""Label sets: several properties of one object."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import datasets as source

from .._data.glossary import documented
from ..structures import LabelSets
from ._bunch import dataset

# Which digits have the property. The last one is about the shape: the stroke of the digit encloses an area.
_PROPERTIES: dict[str, frozenset[int]] = {
    "even": frozenset({0, 2, 4, 6, 8}),
    "prime": frozenset({2, 3, 5, 7}),
    "square": frozenset({0, 1, 4, 9}),
    "multiple of three": frozenset({0, 3, 6, 9}),
    "above five": frozenset({6, 7, 8, 9}),
    "loop": frozenset({0, 6, 8, 9}),
}

_DIGITS = """\
The inputs are the 1797 images of hand-written digits that scikit-learn ships, 8 × 8 grey values. The target is the
set of properties that the digit has: {properties}. The ten digits have ten different sets out of the 64 that are
possible."""


@documented
def load_digits_attributes(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the images of digits with sets of properties of the digit as targets.

    Parameters
    ----------
    %(return_X_y)s
    %(as_frame_of_data)s

    Returns
    -------
    data : sklearn.utils.Bunch
        With `data` (1797, 64) grey values 0..16, `target` (1797, 6) 0/1, `feature_names`, `target_names` (the
        properties), `structure` (``LabelSets(6)``) and `DESCR`.

    Raises
    ------
    ImportError
        With `as_frame`, without pandas.

    Examples
    --------
    >>> from combpred.datasets import load_digits_attributes
    >>> digits = load_digits_attributes()
    >>> [name for name, has in zip(digits.target_names, digits.target[3]) if has]  # an image of a three
    ['prime', 'multiple of three']
    """
    original = source.load_digits()
    table = np.array([[digit in members for members in _PROPERTIES.values()] for digit in range(10)], dtype=np.int32)
    listed = "; ".join(f"{name} ({', '.join(map(str, sorted(members)))})" for name, members in _PROPERTIES.items())
    target, structure = table[original.target], LabelSets(len(_PROPERTIES))
    description = _DIGITS.format(properties=listed)
    return dataset(original, target, structure, list(_PROPERTIES), description, return_X_y, as_frame)
