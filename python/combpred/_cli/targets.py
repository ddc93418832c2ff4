"""Columns that are targets: positions, labels or classes, and cells that hold orders, sets or nodes by name."""

from __future__ import annotations

import re
import warnings
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

from .._data.warn import warn_user
from .._lib.errors import RowError
from ..structures import Hierarchy, LabelSets, WeakOrders
from .columns import number_frame, refuse_missing
from .error import UsageError, require
from .table import Table

#: How the names in a cell are joined: from first to last, as a set, as several paths of a tree, within a path.
ORDER, TIE, SET, PATHS, BELOW = ">", "=", "|", "@", "/"
_SPREAD = "\x1f"  # between names that stand in columns of their own
_OTHERS, _SURE = r"[,;|> ]", r"[,;|>]"  # what people write instead
_JOINED = r"""^\[|\w['"]?\s*[,;>/]\s*['"]?\w"""  # which may be a class all the same
_CHAIN = r"[^{0}]+([{0}][^{0}]+)+"  # names with something between them
#: What columns may be called that hold labels, not the position of one.
_PLACE = re.compile(r"\b(first|second|third|1st|2nd|3rd|(choice|rank|top|place)[ _]?\d+)\b", re.IGNORECASE)
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
        frame, shown = table.columns(self.columns), ", ".join(map(repr, self.columns))
        known = frame.notna().to_numpy()
        if self.form != "sets":
            lacking = np.flatnonzero(~known.any(axis=1))
            refuse_missing(table, f"target {shown}", lacking, "; fill it in or drop the rows")
            for row, at in np.argwhere(~known[:, :-1] & known[:, 1:])[:1].tolist():
                what = f"{self.columns[at]!r} is empty but {self.columns[at + 1]!r} is not"
                remedy = "which of them come first? Fill it in, or move the others up"
                raise UsageError(f"{table.where(row)}: {what}: {remedy}")
        if self.form == "values":
            return _values(frame.iloc[:, 0], as_text=self.as_text)
        cells = [self.sep.join(row[there]) for row, there in zip(frame.astype(str).to_numpy(), known, strict=True)]
        try:
            return self._converted(cells, structure)
        except RowError as error:
            raise UsageError(f"{table.where(error.row)}: {shown}: {error.reason}") from error

    def _converted(self, cells: list[str], structure: Any) -> Any:
        names = list(self.names) or None
        if self.form in ("orders", "tiers"):  # names leave no doubt
            warnings.filterwarnings("ignore", message="y is read as the position")
            tie, split = TIE if self.form == "tiers" else self.sep, [cell.split(self.sep) for cell in cells]
            tiers = [[[label.strip() for label in tier.split(tie)] for tier in row] for row in split]
            listed = [list(chain.from_iterable(row)) for row in tiers]
            for row, labels in enumerate(listed):
                if "" in labels:
                    raise RowError(row, f"{cells[row]!r} lacks a name beside {self.sep!r} or {TIE!r}")
            names = names or sorted(set(chain.from_iterable(listed)))
            if self.form == "orders" or self.spread or structure is None:  # what is not listed is unknown, or behind
                tiers = [[*row, [*set(names).difference(of)]] for row, of in zip(tiers, listed, strict=True)]
            y = WeakOrders.from_tiers(tiers, names, as_frame=True)
            return y if self.spread else y.where([[name in of for name in names] for of in listed], -1)
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
            rows = pandas.DataFrame(predicted.reshape(len(predicted), -1))
            if rows.shape[1] != len(self.columns):  # tours may be longer than those of training
                return rows.set_axis([f"{self.columns[0]}_{j}" for j in rows], axis=1)
        else:
            cells = self._cells(predicted, structure)
            rows = pandas.DataFrame([cell.split(self.sep) for cell in cells] if self.spread else cells).fillna("")
        if self.form == "orders":  # as many choices as were asked for
            rows = rows.iloc[:, : len(self.columns)]
        more = [f"{self.columns[-1]}_{j}" for j in range(len(rows.columns) - len(self.columns))]
        return rows.set_axis([*self.columns, *more][: len(rows.columns)], axis=1)

    def _cells(self, predicted: Any, structure: Any) -> list[str]:
        if self.form in ("orders", "tiers"):
            return [self.sep.join(map(TIE.join, row)) for row in WeakOrders.to_tiers(predicted, list(self.names))]
        if self.form == "sets":
            return [self.sep.join(labels) for labels in LabelSets.to_sets(predicted, list(self.names))]
        if self.form == "tree":
            paths = structure.to_paths(predicted, sep=BELOW, qualified=True)
            return [path if isinstance(path, str) else PATHS.join(path) for path in paths]
        return list((structure.to_names if self.form == "visits" else structure.to_vertices)(predicted, sep=self.sep))


def find_targets(
    table: Table, columns: Sequence[str], options: Namespace, given: dict[str, Any], *, ranks: bool
) -> tuple[TargetColumns, dict[str, Any], str | None]:
    """Return what columns are as targets, the parameters of the structure that they tell, and its name.

    Parameters
    ----------
    table : Table
    columns : sequence of str
    options : Namespace
        The name of the structure, if the user gave one, what divides names, and whether columns of numbers hold names.
    given : dict
        The parameters of the structure that the user gave.
    ranks : bool
        Whether labels are ranked, without a structure.

    Raises
    ------
    UsageError
        When nothing divides the names.
    """
    import pandas
    from pandas.api.types import is_numeric_dtype

    structure, sep = None if ranks else options.structure, options.target_sep
    form, spread = _FORMS.get(structure or "", "values"), len(columns) > 1
    table.take_as_text(columns if options.choices else ())
    frame = table.frame[list(columns)]
    numeric = any(is_numeric_dtype(kind) and frame[name].notna().any() for name, kind in frame.dtypes.items())
    if spread and (numeric or frame.isna().all(axis=None) or not (ranks or structure is None or structure in _FORMS)):
        largest = frame.select_dtypes("number").max().max()
        if (ranks or form in ("orders", "tiers")) and (largest > len(columns) or _PLACE.search(" ".join(columns))):
            what = f"{columns[0]!r}, {columns[1]!r}, … are read as the positions of labels that are called so"
            warn_user(f"{what}; if they hold numbers of labels, from first to last, give --choices", UserWarning)
        return TargetColumns(columns, "columns"), {}, structure
    column = pandas.concat([frame[name].dropna().astype(str) for name in columns])
    if spread:
        what = f"{table.source}: the targets {columns[0]!r}, {columns[1]!r}, … hold"
        again = (frame.nunique(axis=1) < frame.notna().sum(axis=1)).any() and column.nunique() == 2  # yes or no
        both = " and ".join(map(repr, sorted(set(column))))
        how = "if these say yes or no of each label, tell which by --true-values and --false-values"
        require(ranks or form not in ("values", "sets") or not again, f"{what} {both} only: {how}")
        how = "permutations for choices in order or labelsets for sets"
        names = f"{what} names such as {column.iloc[0]!r}: say by --structure what they are, {how}"
        require(ranks or form not in ("values", "tree"), names)
        several = [*column[column.str.contains(f"[{ORDER}{SET}]")][:1]]
        how = "give one column of such fields, or columns of one name each"
        require(not several, f"{what} several names in a field, such as {''.join(several)!r}: {how}")
        sep = _SPREAD
    paths = (table.paths or {}).get(columns[0])
    tied = column.str.contains(TIE, regex=False).any()
    if structure is None and not ranks and not spread:
        if paths is not None:
            structure = "subtrees" if any(len(_deepest(cell)) > 1 for cell in column) else "hierarchy"
        elif len(column) and column.str.fullmatch(_CHAIN.format(ORDER)).all():
            structure = "weakorders" if tied else "permutations"
        elif column.str.fullmatch(_CHAIN.format(re.escape(SET))).any():
            structure = "labelsets"
        else:
            how = "say by --structure what is divided, such as permutations or labelsets"
            require(sep is None, f"--target-sep: {how}")
            joined = column[column.str.contains(_JOINED)]
            if len(joined) > len(column) / 2:
                how = "if they hold several names, say by --structure what these are, by --target-sep what divides them"
                warn_user(f"{columns[0]!r}: fields such as {joined.iloc[0]!r} are a class each; {how}", UserWarning)
        form = _FORMS.get(structure or "", "values")
    if ranks or (spread and form == "tiers"):
        form = "tiers" if tied else "orders"
    if form == "tree" and "parent" in given:
        named = isinstance(given["parent"], dict) or "nodes" in given
        return TargetColumns(columns, "values", as_text=named), {}, structure
    if form == "tree":
        tops = [cell.split(PATHS) for cell in (column if paths is None else paths)]
        tree = Hierarchy.from_paths(tops, sep=BELOW, qualified=True)
        return TargetColumns(columns, form, as_text=True), {"parent": tree.parent, "nodes": tree.nodes}, structure
    if form == "values":
        return TargetColumns(columns, form, as_text=structure == "posetelements"), {}, structure
    divider = sep or (SET if form == "sets" else ORDER)
    single = not spread and not column.str.contains(f"[{re.escape(divider + TIE)}]").any()
    if single and (form != "sets" or column.str.contains(_OTHERS if sep is None else _SURE).any()):
        what = f"the target {columns[0]!r} holds {form} such as {next(iter(column), '')!r}"
        how = f"in which no {divider!r} divides names: say by --target-sep what does"
        raise UsageError(f"{table.source}: {what}, {how}")
    table.take_as_text(columns)
    found = TargetColumns(columns, form, as_text=True, sep=divider)
    if form == "visits":
        known = "places" if structure == "routes" else "vertices"
        places = sorted({place.strip() for cell in column for place in cell.split(divider)})
        return found, {} if known in given else {known: places}, structure
    if form != "vertices":
        found = replace(found, names=list(found.read(table, None).columns))
        folded = {name.casefold(): name for name in found.names}
        for name in found.names:
            if (other := folded[name.casefold()]) != name:
                what = f"{name!r} and {other!r} count as two labels"
                warn_user(f"{table.source}: {what}; if they are one, mend the file", UserWarning)
    return found, {}, structure


def _deepest(cell: str) -> list[str]:
    """Return those of the paths in a cell that lead to no other of them."""
    paths = dict.fromkeys(part.strip() for part in cell.split(PATHS) if part.strip())
    return [path for path in paths if not any(other.startswith(path + BELOW) for other in paths)]


def _values(column: Any, *, as_text: bool) -> Any:
    import pandas

    if as_text or not pandas.api.types.is_numeric_dtype(column):
        return np.array([str(value).strip() for value in column])
    values = pandas.to_numeric(column.to_numpy(), downcast="integer")
    return values.astype(np.int64) if values.dtype.kind == "i" else values
