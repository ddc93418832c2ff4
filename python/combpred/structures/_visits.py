"""Lists of places in the order in which they are visited: what cycles and routes share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _lib
from .._conditions import Conditions, Noun
from .._constraints import Restriction
from ._base import Structure
from ._parameters import Limit
from ._values import TargetError, target_matrix, whole_numbers
from ._visits_constraints import VisitConditions


class Visits(Structure):
    """Rows that list different places out of n, padded with −1 at the right.

    A subclass has one parameter, the number of places, and says which lists are the same output.
    """

    _parameter: ClassVar[str]  # name of the parameter
    _noun: ClassVar[tuple[str, str]]  # what is visited, such as ("vertex", "vertices")
    _what: ClassVar[str]  # what a row is, such as "a cycle"
    _constraint_keys = ("start", "end", "length", "required", "forbidden")
    _least: ClassVar[int]  # places in the shortest row
    _limit: ClassVar[Limit]

    def _n(self) -> int:
        return self._size(self._parameter, self._least, "y", self._limit)

    def _describe(self) -> _lib.Description:
        return _lib.Description(self.name, {"n": self._n()}, None, None)

    def _resolve(self, y: Any) -> Structure:
        if getattr(self, self._parameter) is not None:
            n = self._n()
        else:
            n = max(self._lists(y, "y", None).shape[1], self._least)
        return self._with(**{self._parameter: n})

    def _encode(self, y: Any) -> NDArray[np.int32]:
        return self._normalised(self._lists(y, "y", self._n()))

    def _decode_parts(self, parts: NDArray[np.int32]) -> NDArray[Any]:
        return parts

    def _compared(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        n = None if getattr(self, self._parameter) is None else self._n()
        truth, predicted = self._lists(y_true, "y_true", n), self._lists(y_pred, "y_pred", n)
        n = max(truth.shape[1], predicted.shape[1])
        return self._normalised(_fitted(truth, n)), self._normalised(_fitted(predicted, n))

    def _restriction(self, conditions: Conditions) -> Restriction:
        one, many = self._noun
        read = VisitConditions(conditions, Noun(one, many, self._n()), self._least, self._what)
        return self._restricted(read, self._describe())

    @abstractmethod
    def _restricted(self, conditions: VisitConditions, free: _lib.Description) -> Restriction:
        """Return the restriction to lists that meet the conditions; `free` describes the structure without them."""

    def _normalised(self, lists: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the one of all equal lists that the library takes."""
        return lists

    def _lists(self, y: Any, argument: str, n: int | None) -> NDArray[np.int32]:
        """Return legal rows padded to n columns; None: as many as y has, or as its largest place needs."""
        one, many = self._noun
        most = self._limit.most if n is None else n
        remedy = f"{many} are whole numbers 0..{most - 1}, and −1 pads short rows at the right"
        values = whole_numbers(padded(y, argument, one), argument, -1, most - 1, remedy)
        if n is None:
            n = max(values.shape[1], int(values.max()) + 1)
        visited = values >= 0
        late = (visited[:, 1:] & ~visited[:, :-1]).any(axis=1)
        if late.any():
            row = int(np.argmax(late))
            reason = f"{shown(values[row])} goes on behind −1; padding stands at the right end only"
            raise TargetError(row, reason, argument)
        lengths = visited.sum(axis=1)
        if (lengths < self._least).any():
            row = int(np.argmax(lengths < self._least))
            reason = f"{shown(values[row])} visits {lengths[row]} {one if lengths[row] == 1 else many}; "
            raise TargetError(row, f"{reason}{self._what} visits at least {self._least}: drop the row", argument)
        ordered = np.sort(values, axis=1)
        repeats = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
        if repeats.any():
            row = int(np.argmax(repeats))
            raise TargetError(row, self._repeat(values[row, : lengths[row]]), argument)
        return _fitted(values, n)

    def _repeat(self, row: NDArray[np.int32]) -> str:
        """Say what a row repeats."""
        one, _ = self._noun
        place = int(np.argmax(np.bincount(row) > 1))
        reason = f"{shown(row)} visits {one} {place} twice; {self._what} visits each {one} at most once"
        if row[0] == row[-1] and np.bincount(row).sum() == len(np.unique(row)) + 1:
            reason += f": leave out the return to the first {one}"
        return reason


def padded(y: Any, argument: str, noun: str) -> NDArray[Any]:
    """Return rows of different lengths as one matrix, padded with −1 at the right; a matrix is returned as it is."""
    rows = _rows(y)
    if rows is None:
        return target_matrix(y, argument, None, noun)
    if len(rows) == 0:
        raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
    for i, row in enumerate(rows):
        if not _is_list(row):
            raise TargetError(i, f"found {row!r}; every row is a list with one entry for each {noun}", argument)
    lengths = np.array([len(row) for row in rows])
    entries = list(chain.from_iterable(rows))
    flat = np.array(entries)
    if flat.dtype.kind in "bu":
        flat = flat.astype(np.float64)  # so that it can hold −1
    elif flat.dtype.kind not in "if":
        flat = np.empty(len(entries), dtype=object)
        flat[:] = entries
    matrix = np.full((len(rows), max(1, int(lengths.max()))), -1, dtype=flat.dtype)
    matrix[np.arange(matrix.shape[1]) < lengths[:, np.newaxis]] = flat
    return matrix


def from_smallest(lists: NDArray[np.int32], *, either_way: bool) -> NDArray[np.int32]:
    """Return closed lists from their smallest place on; `either_way` goes towards the smaller of its neighbours."""
    n = lists.shape[1]
    places = np.arange(n, dtype=np.int64)
    lengths = (lists >= 0).sum(axis=1, keepdims=True)
    first = np.where(lists >= 0, lists, n).argmin(axis=1)[:, np.newaxis]
    step = np.ones_like(first)
    if either_way:
        after, before = (np.take_along_axis(lists, (first + s) % lengths, axis=1) for s in (1, -1))
        step[after > before] = -1
    turned = np.take_along_axis(lists, (first + step * places) % lengths, axis=1)
    turned[places >= lengths] = -1
    return turned


def shown(row: NDArray[Any]) -> str:
    """Return a row for a message, cut where it is long."""
    places = row.tolist()
    while places and places[-1] == -1:
        places.pop()
    return str(places) if len(places) <= 20 else f"[{', '.join(map(str, places[:20]))}, …]"


def _rows(y: Any) -> Sequence[Any] | None:
    """Return the rows of a list of lists whose lengths differ, or of an array or Series of lists; None for others."""
    if isinstance(y, (list, tuple)):
        lengths = {len(row) if hasattr(row, "__len__") and not isinstance(row, str) else -1 for row in y}
        return y if len(lengths) > 1 or 0 in lengths else None
    if getattr(y, "ndim", None) == 1 and getattr(y, "dtype", None) == np.dtype(object):
        return list(y)
    return None


def _is_list(row: Any) -> bool:
    """Say whether a row is a list, a tuple or an array of shape (k,)."""
    if isinstance(row, (list, tuple)):
        return not any(hasattr(entry, "__len__") and not isinstance(entry, str) for entry in row)
    return getattr(row, "ndim", None) == 1


def _fitted(values: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    """Return legal rows with n columns: what is cut off or added is padding."""
    fitted = np.full((len(values), n), -1, dtype=np.int32)
    width = min(n, values.shape[1])
    fitted[:, :width] = values[:, :width]
    return fitted
