"""Results shown as tables, of aligned text and in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from html import escape
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

    def _cells(self) -> list[list[str]]:
        columns = self._table()
        n = len(next(iter(columns.values())))
        shown = range(n) if n <= 2 * _ENDS + 1 else [*range(_ENDS), *range(n - _ENDS, n)]
        rows = [[_cell(column, row) for column in columns.values()] for row in shown]
        if len(rows) < n:
            rows.insert(_ENDS, ["..."] * len(columns))
        return [list(columns), *rows]

    def __repr__(self) -> str:
        cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        # Numbers are aligned at the right.
        right = [_is_number(cells[-1][at]) for at in range(len(widths))]
        lines = [
            "  ".join(cell.rjust(width) if flush else cell.ljust(width) for cell, width, flush in row).rstrip()
            for row in (zip(each, widths, right, strict=True) for each in cells)
        ]
        return "\n".join([self._title(), *lines])

    def _repr_html_(self) -> str:
        head, *rows = (
            "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)
            for tag, row in zip(["th", *["td"] * 100], self._cells(), strict=False)
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<p>{escape(self._title())}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Named:
    """Rows of arrays as text with names: of their columns, or of the places of tours, which are filled up by −1."""

    def __init__(self, y: NDArray[Any], names: Sequence[Hashable], *, tours: bool = False) -> None:
        self._y, self._names, self._tours = y, names, tours

    def __getitem__(self, rows: slice) -> list[str]:
        return [self._text(row.tolist()) for row in self._y[rows]]

    def _text(self, row: list[Any]) -> str:
        if self._tours:
            return ", ".join(str(self._names[place]) for place in row if place >= 0)
        return ", ".join(f"{name} {value}" for name, value in zip(self._names, row, strict=True))


def _cell(column: Any, row: int) -> str:
    some = column[row : row + 1]  # data frames have rows in slices, too
    names = getattr(some, "columns", None)
    value: Any = (
        some[0] if isinstance(some, (list, range)) else np.asarray(some.toarray() if issparse(some) else some)[0]
    )
    if names is not None:
        text = ", ".join(f"{name} {_text(entry)}" for name, entry in zip(names, value, strict=True))
    else:
        text = _text(value)
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
