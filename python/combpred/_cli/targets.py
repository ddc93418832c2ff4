"""Columns that are targets: positions, labels or classes, and cells that hold orders, sets or nodes by name."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from .._data.checks import counted
from .._data.warn import warn_user
from .._lib.errors import RowError
from ..structures import Hierarchy, LabelSets, Permutations, WeakOrders
from .columns import number_frame
from .error import UsageError
from .table import Table

#: How the names in a cell are joined: from first to last, as a set, as several paths of a tree, within a path.
ORDER, TIE, SET, PATHS, BELOW = ">", "=", "|", "@", "/"
_SPREAD = "\x1f"  # between names that stand in columns of their own
_OTHERS, _SURE = r"[,;|> ]", r"[,;|>]"  # what people write instead
_CHAIN = r"[^{0}]+([{0}][^{0}]+)+"  # names with something between them
#: What a cell of names holds, by structure.
_FORMS = {
    "permutations": "orders", "weakorders": "tiers", "labelsets": "sets", "routes": "visits", "cycles": "visits",
    "directedcycles": "visits", "paths": "vertices", "hierarchy": "tree", "subtrees": "tree",
}  # fmt: skip


@dataclass(frozen=True)
class TargetColumns:
    """What the target columns of a model are.

    Attributes
    ----------
    columns : sequence of str
        Their names, in order.
    form : str
        "columns" of numbers; "values", one a row; or cells of names, as in `_FORMS`.
    names : sequence of str, default=()
        Of labels, in the order of y's columns, where cells hold labels.
    as_text : bool, default=False
        Whether single values are names even where they read as numbers.
    sep : str, default=">"
        What divides the names of an order, of visits or of a set; "\\x1f" for those in columns of their own.
    """

    columns: Sequence[str]
    form: str
    names: Sequence[str] = ()
    as_text: bool = False
    sep: str = ORDER

    @property
    def spread(self) -> bool:
        """Whether the names of a row stand in several columns."""
        return self.sep == _SPREAD

    def read(self, table: Table, structure: Any) -> Any:
        """Return y of all rows, in the format of the structure; None stands for that of label rankers.

        Raises
        ------
        UsageError
            Naming the columns that the table does not have, or the line and column of what is no target.
        """
        if self.form == "columns":
            y = number_frame(table, self.columns).astype(np.float64)  # no longer sparse
            return y if y.isna().any(axis=None) or (y % 1 != 0).any(axis=None) else y.astype(np.int64)
        frame = table.columns(self.columns)
        known, shown = frame.notna().to_numpy(), ", ".join(map(repr, self.columns))
        if self.form != "sets":
            lacking = ~known.any(axis=1)
            if lacking.any():
                raise UsageError(
                    f"{table.where(int(np.argmax(lacking)))}: the target {shown} is missing, here and in "
                    f"{counted(int(lacking.sum()) - 1, 'other row')}; fill it in or drop the rows"
                )
            row, at = np.argwhere(np.diff(known.astype(int), axis=1) > 0)[:1].T
            if len(row):
                raise UsageError(
                    f"{table.where(int(row[0]))}: {self.columns[at[0]]!r} is empty but {self.columns[at[0] + 1]!r} is "
                    "not: which of them come first? Fill it in, or move the others up"
                )
        if self.form == "values":
            return _values(frame.iloc[:, 0], as_text=self.as_text)
        rows = zip(frame.astype(str).to_numpy(), known, strict=True)
        cells = [self.sep.join(row[there]) for row, there in rows]
        try:
            return self._converted(cells, structure)
        except RowError as error:
            raise UsageError(f"{table.where(error.row)}: {shown}: {error.reason}") from error

    def _converted(self, cells: list[str], structure: Any) -> Any:
        names = list(self.names) or None
        if self.form in ("orders", "tiers"):  # names leave no doubt
            warnings.filterwarnings("ignore", message="y is read as the position")
        if self.form == "orders":
            read = Permutations.from_top_k if self.spread else Permutations.from_orders
            return read(cells, names, sep=self.sep, as_frame=True)
        if self.form == "tiers":
            tiers = [[[label.strip() for label in tier.split(TIE)] for tier in cell.split(self.sep)] for cell in cells]
            empty = next((row for row, groups in enumerate(tiers) if "" in sum(groups, [])), None)
            if empty is not None:
                raise RowError(empty, f"{cells[empty]!r} lacks a name beside {self.sep!r} or {TIE!r}")
            return WeakOrders.from_tiers(tiers, names, as_frame=True)
        if self.form == "sets":
            return LabelSets.from_sets(cells, names, sep=self.sep, as_frame=True)
        if self.form == "tree":
            return structure.y_from_paths([_deepest(cell) for cell in cells], sep=BELOW, qualified=True)
        return (structure.from_names if self.form == "visits" else structure.from_vertices)(cells, sep=self.sep)

    def written(self, predicted: Any, structure: Any) -> Any:
        """Return predictions as a data frame: in the columns of training, or as cells like those of training."""
        import pandas

        predicted = predicted.toarray() if sparse.issparse(predicted) else np.asarray(predicted)
        if self.form in ("columns", "values"):
            rows, names = predicted.reshape(len(predicted), -1), list(self.columns)
            if rows.shape[1] != len(names):  # tours may be longer than those of training
                names = [f"{names[0]}_{j}" for j in range(rows.shape[1])]
            return pandas.DataFrame(rows, columns=names)
        cells = self._cells(predicted, structure)
        if not self.spread:
            return pandas.DataFrame({self.columns[0]: cells})
        rows = pandas.DataFrame([cell.split(self.sep) for cell in cells]).fillna("")
        if self.form == "orders":  # as many choices as were asked for
            rows = rows.iloc[:, : len(self.columns)]
        more = [f"{self.columns[-1]}_{j}" for j in range(len(rows.columns) - len(self.columns))]
        return rows.set_axis([*self.columns, *more][: len(rows.columns)], axis=1)

    def _cells(self, predicted: Any, structure: Any) -> list[str]:
        if self.form in ("orders", "tiers"):
            tiers = WeakOrders.to_tiers(predicted, list(self.names))
            return [self.sep.join(TIE.join(tier) for tier in row) for row in tiers]
        if self.form == "sets":
            return [self.sep.join(labels) for labels in LabelSets.to_sets(predicted, list(self.names))]
        if self.form == "tree":
            paths = structure.to_paths(predicted, sep=BELOW, qualified=True)
            return [path if isinstance(path, str) else PATHS.join(path) for path in paths]
        write = structure.to_names if self.form == "visits" else structure.to_vertices
        return list(write(predicted, sep=self.sep))


def find_targets(
    table: Table, columns: Sequence[str], structure: str | None, given: dict[str, Any], *, ranks: bool, sep: str | None
) -> tuple[TargetColumns, dict[str, Any], str | None]:
    """Return what columns are as targets, the parameters of the structure that they tell, and its name.

    Parameters
    ----------
    table : Table
    columns : sequence of str
    structure : str or None
        The name that the user gave.
    given : dict
        The parameters of the structure that the user gave.
    ranks : bool
        Whether the estimator ranks labels.
    sep : str or None
        What divides names, if the user says so.

    Raises
    ------
    UsageError
        When nothing divides the names.
    """
    import pandas
    from pandas.api.types import is_numeric_dtype

    form, spread = _FORMS.get(structure or "", "values"), len(columns) > 1
    if spread:
        frame = table.frame[list(columns)]
        numeric = [is_numeric_dtype(kind) and frame[name].notna().any() for name, kind in frame.dtypes.items()]
        column = pandas.concat([frame[name].dropna().astype(str) for name in columns])
        if any(numeric) or column.empty or not (ranks or structure is None or structure in _FORMS):
            return TargetColumns(columns, "columns"), {}, structure
        if not ranks and form in ("values", "tree"):
            raise UsageError(
                f"{table.source}: the targets {columns[0]!r}, {columns[1]!r}, … hold names such as {column.iloc[0]!r}: "
                "say by --structure what they are, permutations for choices in order or labelsets for sets"
            )
        several = column[column.str.contains(f"[{ORDER}{SET}]")]
        if len(several):
            raise UsageError(
                f"{table.source}: the targets {columns[0]!r}, {columns[1]!r}, … hold several names in a field, such as "
                f"{several.iloc[0]!r}: give one column of such fields, or columns of one name each"
            )
        sep = _SPREAD
    else:
        column = table.frame[columns[0]].dropna().astype(str)
    paths = (table.paths or {}).get(columns[0])
    tied = column.str.contains(TIE, regex=False).any()
    if structure is None and not ranks and not spread:
        if paths is not None:
            structure = "subtrees" if any(len(_deepest(cell)) > 1 for cell in column) else "hierarchy"
        elif len(column) and column.str.fullmatch(_CHAIN.format(ORDER)).all():
            structure = "weakorders" if tied else "permutations"
        elif column.str.fullmatch(_CHAIN.format(re.escape(SET))).any():
            structure = "labelsets"
        elif sep is not None:
            raise UsageError("--target-sep: say by --structure what is divided, such as permutations or labelsets")
        form = _FORMS.get(structure or "", "values")
    if ranks or (spread and form == "tiers"):
        form = "tiers" if tied else "orders"
    if form == "tree":
        if "parent" in given:
            named = isinstance(given["parent"], dict) or "nodes" in given
            return TargetColumns(columns, "values", as_text=named), {}, structure
        tree = Hierarchy.from_paths(
            [cell.split(PATHS) for cell in (column if paths is None else paths)], sep=BELOW, qualified=True
        )
        return TargetColumns(columns, form, as_text=True), {"parent": tree.parent, "nodes": tree.nodes}, structure
    if form == "values":
        return TargetColumns(columns, form, as_text=structure == "posetelements"), {}, structure
    divider = sep or (SET if form == "sets" else ORDER)
    single = not spread and not column.str.contains(f"[{re.escape(divider + TIE)}]").any()
    if single and (form != "sets" or column.str.contains(_OTHERS if sep is None else _SURE).any()):
        shown = column.iloc[0] if len(column) else ""
        raise UsageError(
            f"{table.source}: the target {columns[0]!r} holds {form} such as {shown!r}, in which no {divider!r} "
            "divides names: say by --target-sep what does"
        )
    found = TargetColumns(columns, form, as_text=True, sep=divider)
    if form == "visits":
        places = sorted({place.strip() for cell in column for place in cell.split(divider)})
        known = "places" if structure == "routes" else "vertices"
        return found, {} if known in given else {known: places}, structure
    if form != "vertices":
        found = replace(found, names=list(found.read(table, None).columns))
        folded = {name.casefold(): name for name in found.names}
        twice = next((name for name in found.names if folded[name.casefold()] != name), None)
        if twice is not None:
            other = folded[twice.casefold()]
            warn_user(
                f"{table.source}: {twice!r} and {other!r} count as two labels; if they are one, mend the file",
                UserWarning,
            )
    return found, {}, structure


def _deepest(cell: str) -> list[str]:
    """Return those of the paths in a cell that lead to no other of them."""
    paths = dict.fromkeys(part.strip() for part in cell.split(PATHS) if part.strip())
    return [path for path in paths if not any(other.startswith(path + BELOW) for other in paths)]


def _values(column: Any, *, as_text: bool) -> Any:
    from pandas.api.types import is_numeric_dtype

    if as_text or not is_numeric_dtype(column):
        return np.array([str(value).strip() for value in column])
    if column.dtype == bool:
        return column.to_numpy()
    numbers = column.to_numpy(dtype=np.float64)
    whole = np.isfinite(numbers) & (numbers == np.floor(numbers)) & (np.abs(numbers) < 2**53)
    return numbers.astype(np.int64) if whole.all() else numbers
