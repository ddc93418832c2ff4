"""Sets of correct outputs as targets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_HOW = (
    "give a non-empty array or list of outputs in the structure's format, such as Admissible([[1, 2, 3], [2, 1, 3]]) "
    "for two rankings"
)


class Admissible:
    """Several outputs that are all correct for one row of training data.

    Pass an object array, or a list, of these as y: one for each row. The AUC loss then ranks every output of the set
    above all others of the space, and none of the set above another (Vembu, 2010, ch. 5, with the loss of a set in
    closed form); the squared loss is the sum over the set. A row weighs as much as its set has outputs. `score`
    compares a prediction with the best match of the set.

    Parameters
    ----------
    structures : array-like
        The outputs, at least one, in the structure's format: one row each (one label each for ``MultiClass``).

    Raises
    ------
    ValueError
        When there are no outputs.

    Notes
    -----
    It has no length and cannot be iterated over, so that NumPy and scikit-learn's cross-validation take it as one
    opaque target.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import Admissible, StructuredRidge
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> y = [Admissible([[1, 2, 3], [2, 1, 3]]), Admissible([[1, 2, 3]]), Admissible([[3, 2, 1]])]
    >>> StructuredRidge("permutations", kernel="rbf", alpha=0.1).fit(X, y).predict([[1.0]])
    array([[1, 2, 3]], dtype=int32)
    """

    __slots__ = ("structures",)

    def __init__(self, structures: Any) -> None:
        try:
            empty = len(structures) == 0
        except TypeError:
            raise ValueError(f"Admissible needs outputs, got {structures!r}; {_HOW}") from None
        if empty or isinstance(structures, (str, bytes)):
            raise ValueError(f"Admissible needs outputs, got {structures!r}; {_HOW}")
        self.structures = structures

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.structures!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Admissible):
            return NotImplemented
        return _listed(self.structures) == _listed(other.structures)

    __hash__ = None  # type: ignore[assignment]  # it holds mutable data


class FlatSets(NamedTuple):
    """The outputs of all rows, one after the other.

    Attributes
    ----------
    y : array or list
        The outputs in the structure's format.
    first : ndarray of shape (n + 1,), int64
        Row i has the outputs ``first[i]`` to ``first[i + 1]``.
    """

    y: Any
    first: NDArray[np.int64]

    def locate(self, output: int) -> tuple[int, int]:
        """Return the row that an output belongs to, and its number in that row's set."""
        row = int(np.searchsorted(self.first, output, side="right")) - 1
        return row, output - int(self.first[row])


def flat_sets(y: Any) -> FlatSets | None:
    """Return the outputs of all rows of y where they are `Admissible` sets, None where they are not.

    Raises
    ------
    ValueError
        When some rows are sets and others not; names the row.
    """
    if isinstance(y, np.ndarray):
        if y.dtype != object or y.ndim != 1:
            return None
    elif not isinstance(y, (list, tuple)):
        return None
    is_set = [isinstance(row, Admissible) for row in y]
    if not any(is_set):
        return None
    if not all(is_set):
        row = is_set.index(False)
        raise ValueError(f"y, row {row}: {y[row]!r} is not Admissible, other rows are; wrap it: Admissible([…])")
    sets = [row.structures for row in y]
    first = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    arrays = [np.asarray(each) for each in sets if isinstance(each, np.ndarray) or _is_regular(each)]
    if len(arrays) == len(sets) and len({each.shape[1:] for each in arrays}) == 1:
        return FlatSets(np.concatenate(arrays), first)
    return FlatSets([output for each in sets for output in each], first)


def _is_regular(outputs: Any) -> bool:
    """Whether the outputs are all of one shape, so that an array can hold them."""
    return len({np.shape(each) for each in outputs if not _is_ragged(each)}) == 1 and not any(map(_is_ragged, outputs))


def _is_ragged(output: Any) -> bool:
    try:
        np.shape(output)
    except ValueError:
        return True
    return False


def _listed(structures: Any) -> list[Any]:
    return [np.asarray(each).tolist() for each in structures]
