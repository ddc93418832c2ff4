"""Results shown as tables of aligned text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

#: Rows shown at either end of long tables, and characters of a cell.
_ENDS, _WIDTH = 5, 60


class Tabular(ABC):
    """Base of results that are shown as a table: a title, columns, and the first and last rows."""

    _outputs: ClassVar[str] = "y"  # the array of which `_shown` has the rows with their names
    _shown: Named | None = None

    def _table(self) -> dict[str, Any]:
        """Return columns of one length, by their heads: the numbers of the rows, and the public arrays."""
        arrays = {name: held for name, held in vars(self).items() if name[0] != "_" and hasattr(held, "shape")}
        shown = {} if self._shown is None else {self._outputs: self._shown}
        return {"row": range(next(iter(arrays.values())).shape[0]), **arrays, **shown}

    @abstractmethod
    def _title(self) -> str:
        """Return what is known of all rows together."""

    def __repr__(self) -> str:
        columns = self._table()
        n = len(next(iter(columns.values())))
        shown = range(n) if n <= 2 * _ENDS + 1 else [*range(_ENDS), *range(n - _ENDS, n)]
        cells = [list(columns), *([_cell(column, row) for column in columns.values()] for row in shown)]
        if len(shown) < n:
            cells.insert(_ENDS + 1, ["..."] * len(columns))
        lines = [""] * len(cells)
        for column in zip(*cells, strict=True):
            width = max(map(len, column))
            align = str.rjust if _is_number(column[-1]) else str.ljust
            lines = [f"{line}  {align(cell, width)}" for line, cell in zip(lines, column, strict=True)]
        return "\n".join([self._title(), *(line[2:].rstrip() for line in lines)])


class Named:
    """Rows of arrays as text with names: of their columns, or of the places of tours, which are filled up by −1."""

    def __init__(self, y: NDArray[Any], names: Sequence[Hashable], *, tours: bool = False) -> None:
        self._y, self._names, self._tours = y, names, tours

    def __getitem__(self, rows: slice) -> list[str]:
        return [self._text(row.tolist()) for row in self._y[rows]]

    def _text(self, row: list[Any]) -> str:
        if self._tours:
            return ", ".join(str(self._names[place]) for place in row if place >= 0)
        return _with_names(row, self._names)


def _with_names(row: Any, names: Sequence[Hashable]) -> str:
    return ", ".join(f"{name} {_text(value)}" for name, value in zip(names, row, strict=True))


def _cell(column: Any, row: int) -> str:
    some = column[row : row + 1]  # data frames have rows in slices, too
    value: Any = np.asarray(some.toarray() if issparse(some) else some)[0]
    text = _with_names(value, some.columns) if hasattr(some, "columns") else _text(value)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


def _text(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return f"[{' '.join(_text(entry) for entry in value[:_WIDTH])}]"
    return " ".join(str(value).split())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
