"""Columns that are targets: positions, labels or classes, and cells that hold orders, sets or nodes by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from .._data.checks import counted
from .._lib.errors import RowError
from ..structures import LabelSets, Permutations, WeakOrders
from .columns import number_frame
from .error import UsageError
from .table import Table

#: How the names in a cell are joined: from first to last, as a set, as several paths of a hierarchy.
ORDER, TIE, SET, PATHS = ">", "=", "|", "@"
_ROOT = "root"


@dataclass(frozen=True)
class TargetColumns:
    """What the target columns of a model are.

    Attributes
    ----------
    columns : sequence of str
        Their names, in order.
    form : str
        "columns" of numbers; "values", one a row; or cells of names: "orders", "tiers", "sets", and "node" and
        "subtree" of a hierarchy of Clus.
    names : sequence of str, default=()
        Of labels or nodes, in the order of y's columns; of cells only.
    as_text : bool, default=False
        Whether single values are names even where they read as numbers.
    """

    columns: Sequence[str]
    form: str
    names: Sequence[str] = ()
    as_text: bool = False

    def read(self, table: Table) -> Any:
        """Return y of all rows, in the format of the structure.

        Raises
        ------
        UsageError
            Naming the columns that the table does not have, or the line and column of what is no target.
        """
        column = table.columns(self.columns).iloc[:, 0]
        if self.form == "columns":
            return self._matrix(table)
        lacking = column.isna().to_numpy()
        if self.form != "sets" and lacking.any():
            raise UsageError(
                f"{table.where(int(np.argmax(lacking)))}: the target {column.name!r} is missing, here and in "
                f"{counted(int(lacking.sum()) - 1, 'other row')}; fill it in or drop the rows"
            )
        if self.form == "values":
            return _values(column, as_text=self.as_text)
        cells = ["" if gone else str(cell) for cell, gone in zip(column, lacking, strict=True)]
        try:
            return self._converted(table, cells)
        except RowError as error:
            raise UsageError(f"{table.where(error.row)}: {column.name!r}: {error.reason}") from error

    def _matrix(self, table: Table) -> Any:
        y = number_frame(table, self.columns)
        y = y.astype(np.float64)  # no longer sparse
        return y if y.isna().any(axis=None) or (y % 1 != 0).any(axis=None) else y.astype(np.int64)

    def _converted(self, table: Table, cells: list[str]) -> Any:
        names = list(self.names) or None
        if self.form == "orders":
            return Permutations.from_orders(cells, names, sep=ORDER, as_frame=True)
        if self.form == "tiers":
            tiers = [[[label.strip() for label in tier.split(TIE)] for tier in cell.split(ORDER)] for cell in cells]
            return WeakOrders.from_tiers(tiers, names, as_frame=True)
        if self.form == "sets":
            return LabelSets.from_sets(cells, names, sep=SET, as_frame=True)
        sets = [{part.strip() for part in cell.split(PATHS)} - {""} for cell in cells]
        for row, nodes in enumerate(sets):
            if strange := sorted(nodes - set(self.names)):
                raise RowError(row, f"{strange[0]!r} is no path of the hierarchy")
        if self.form == "node":
            deepest = [_deepest(nodes) for nodes in sets]
            several = next((row for row, nodes in enumerate(deepest) if len(nodes) > 1), None)
            if several is not None:
                raise RowError(several, f"{deepest[several]} are several nodes: fit with --structure subtrees")
            return np.array([nodes[0] if nodes else _ROOT for nodes in deepest], dtype=object)
        closed = [{_ROOT, *(above for node in nodes for above in _line(node))} for nodes in sets]
        return np.array([[int(name in nodes) for name in self.names] for nodes in closed])

    def written(self, predicted: Any) -> Any:
        """Return predictions as a data frame: in the columns of training, or as cells like those of training."""
        import pandas

        predicted = predicted.toarray() if sparse.issparse(predicted) else np.asarray(predicted)
        if self.form in ("columns", "values"):
            rows, names = predicted.reshape(len(predicted), -1), list(self.columns)
            if rows.shape[1] != len(names):  # tours may be longer than those of training
                names = [f"{names[0]}_{j}" for j in range(rows.shape[1])]
            return pandas.DataFrame(rows, columns=names)
        return pandas.DataFrame({self.columns[0]: self._cells(predicted)})

    def _cells(self, predicted: Any) -> list[str]:
        if self.form == "node":
            return [str(node) for node in predicted]
        if self.form in ("orders", "tiers"):
            tiers = WeakOrders.to_tiers(predicted, list(self.names))
            return [ORDER.join(TIE.join(tier) for tier in row) for row in tiers]
        held = LabelSets.to_sets(predicted, list(self.names))
        if self.form == "sets":
            return [SET.join(labels) for labels in held]
        return [PATHS.join(_deepest(set(nodes) - {_ROOT})) for nodes in held]


def find_targets(
    table: Table, columns: Sequence[str], structure: str | None, *, ranks: bool
) -> tuple[TargetColumns, dict[str, Any], str | None]:
    """Return what columns are as targets, the parameters of the structure that they tell, and its name.

    Parameters
    ----------
    table : Table
    columns : sequence of str
    structure : str or None
        The name that the user gave.
    ranks : bool
        Whether the estimator ranks labels.
    """
    if len(columns) > 1:
        return TargetColumns(columns, "columns"), {}, structure
    column = table.frame[columns[0]]
    paths = (table.paths or {}).get(columns[0])
    if paths is not None:
        cells = [_deepest({part.strip() for part in str(cell).split(PATHS)}) for cell in column.dropna()]
        several = any(len(nodes) > 1 for nodes in cells)
        structure = structure or ("subtrees" if several else "hierarchy")
        nodes = list(dict.fromkeys([_ROOT, *(above for path in paths for above in _line(path))]))
        parents = {node: None if node == _ROOT else node.rpartition("/")[0] or _ROOT for node in nodes}
        form = "subtree" if structure == "subtrees" else "node"
        return TargetColumns(columns, form, nodes), {"parent": parents}, structure
    form = {"permutations": "orders", "weakorders": "tiers", "labelsets": "sets"}.get(structure or "", "values")
    if ranks:
        form = "tiers" if column.astype(str).str.contains(TIE, regex=False).any() else "orders"
    as_text = structure in ("hierarchy", "posetelements") and column.dtype == object
    found = TargetColumns(columns, form, as_text=as_text)
    if form == "values":
        return found, {}, structure
    names = list(found.read(table).columns)
    return replace(found, names=names), {}, structure


def _line(node: str) -> list[str]:
    """Return a node of a hierarchy of Clus and those above it, from the top."""
    parts = node.split("/")
    return ["/".join(parts[: i + 1]) for i in range(len(parts))]


def _deepest(nodes: set[str]) -> list[str]:
    """Return those of some nodes that are above no other of them."""
    above = {up for node in nodes for up in _line(node)[:-1]}
    return sorted(nodes - above)


def _values(column: Any, *, as_text: bool) -> Any:
    from pandas.api.types import is_numeric_dtype

    if as_text or not is_numeric_dtype(column):
        return np.array([str(value).strip() for value in column])
    if column.dtype == bool:
        return column.to_numpy()
    numbers = column.to_numpy(dtype=np.float64)
    whole = np.isfinite(numbers) & (numbers == np.floor(numbers)) & (np.abs(numbers) < 2**53)
    return numbers.astype(np.int64) if whole.all() else numbers
