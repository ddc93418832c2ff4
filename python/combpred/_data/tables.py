"""Results shown as tables, of aligned text and in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import Any

import numpy as np
from scipy.sparse import issparse

#: Rows shown at either end of long tables, and characters of a cell.
_ENDS, _WIDTH = 5, 60


class Tabular(ABC):
    """Base of results that are shown as a table: a title, columns, and the first and last rows."""

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Return columns of one length, by their heads; the first numbers or names the rows."""

    @abstractmethod
    def _title(self) -> str:
        """Return what is known of all rows together."""

    def _cells(self) -> list[list[str]]:
        columns = self._columns()
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
    return " ".join(str(value).split())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
