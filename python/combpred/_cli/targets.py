"""Columns that are targets: positions, labels or classes, and cells that hold orders, sets or nodes by name."""

from __future__ import annotations

import json
import re
import warnings
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from .._data.entries import sorted_names
from .._data.targets import summary
from .._data.warn import warn_user
from .._lib.errors import RowError
from ..structures import Hierarchy, LabelSets, Permutations, WeakOrders
from .columns import NUMBERS, doubt_alike, number_frame, refuse_missing
from .error import UsageError, require
from .learners import LISTS
from .table import Table

#: How the names in a cell are joined: from first to last, as a set, as several paths of a tree, within a path.
ORDER, TIE, SET, PATHS, BELOW = ">", "=", "|", "@", "/"
_SPREAD = "\x1f"  # between names that stand in columns of their own
_OTHERS, _SURE, _BELOWS = r"[,;|> ]", r"[,;|>]", r"[,;|>.:\\]"  # what people write instead
_BETWEEN = r"\s*[,;|>=~<≻≺/&+]+\s*"
_ARROW = r"[-=~]+>+|>>+"
_JOINED = r"""\w['"]?\s*[,;|></≻≺]+\s*['"]?\w"""  # which may be a class all the same
_CHAIN = r"[^{0}]+([{0}][^{0}]+)+"  # names with something between them
_LISTS = r"\s*(\[.*\]|\{.*\}|\(.*,.*\))\s*"  # as Python and JSON write them
#: What columns may be called that hold labels, not the position of one.
_PLACE = re.compile(r"\b(first|second|third|1st|2nd|3rd|(choice|rank|top|place)[ _]?\d+)\b", re.IGNORECASE)
#: What a cell of names holds, by structure.
_FORMS = {
    "permutations": "orders", "weakorders": "tiers", "labelsets": "sets", "routes": "visits", "cycles": "visits",
    "directedcycles": "visits", "paths": "vertices", "hierarchy": "tree", "subtrees": "tree",
}  # fmt: skip
_CLASSES = ("multiclass", "ordinal", "hierarchy", "posetelements")  # of which a row has one


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
        What divides the names of an order, of visits, of a set or of a path; "\\x1f" for those in columns of their own.
    """

    columns: Sequence[str]
    form: str
    names: Sequence[str] = ()
    as_text: bool = False
    sep: str = ORDER

    @property
    def spread(self) -> bool:
        """Whether the names of a row stand in several columns."""
        return len(self.columns) > 1

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
        cells = self.cells(table)
        if self.form == "values":
            return _values(table.frame[self.columns[0]], as_text=self.as_text)
        try:
            return self._converted(cells, structure)
        except RowError as error:
            shown = ", ".join(map(repr, self.columns))
            raise UsageError(f"{table.where(error.row)}: {shown}: {error.reason}") from error

    def cells(self, table: Table) -> list[str]:
        """Return the names of each row as one text; `UsageError` for rows that lack some, unless they are sets."""
        frame = table.columns(self.columns)
        known = frame.notna().to_numpy()
        if self.form != "sets":
            lacking = np.flatnonzero(~known.any(axis=1))
            what = f"target {', '.join(map(repr, self.columns))}"
            word = ", or give --no-keep-default-na if the field is a name such as NA" if table.written else ""
            refuse_missing(table, what, lacking, f"; fill it in or drop the rows{word}")
            for row, at in np.argwhere(~known[:, :-1] & known[:, 1:])[:1].tolist():
                what = f"{self.columns[at]!r} is empty but {self.columns[at + 1]!r} is not"
                remedy = "which of them come first? Fill it in, or move the others up"
                raise UsageError(f"{table.where(row)}: {what}: {remedy}")
        return [self.sep.join(row[there]) for row, there in zip(frame.astype(str).to_numpy(), known, strict=True)]

    def _converted(self, cells: list[str], structure: Any) -> Any:
        if self.form in ("orders", "tiers"):
            warnings.filterwarnings("ignore", message="y is read as the position")  # names leave no doubt
            for row, cell in enumerate(cells):
                if not all(map(str.strip, re.split(self.between, cell))):
                    raise RowError(row, f"{cell!r} lacks a name beside {self.sep!r} or {TIE!r}")
        if self.form == "orders":  # what is not listed is unknown, or behind
            read = Permutations.from_top_k if self.spread else Permutations.from_orders
            return read(cells, self.names, sep=self.sep, as_frame=True)
        if self.form == "tiers":
            tiers = [[[*map(str.strip, tier.split(TIE))] for tier in cell.split(self.sep)] for cell in cells]
            others = [{*self.names}.difference(*row) if self.spread or structure is None else () for row in tiers]
            complete = [[*row, [*of]] for row, of in zip(tiers, others, strict=True)]
            y = WeakOrders.from_tiers(complete, self.names, as_frame=True)
            return y if self.spread else y.mask([[name in of for name in self.names] for of in others], -1)
        if self.form == "sets":
            return LabelSets.from_sets(cells, self.names, sep=self.sep, as_frame=True)
        if self.form == "tree":
            return structure.y_from_paths([_deepest(cell, self.sep) for cell in cells], sep=self.sep, qualified=True)
        return (structure.from_names if self.form == "visits" else structure.from_vertices)(cells, sep=self.sep)

    @property
    def between(self) -> str:
        """A pattern of what stands between the names of a cell."""
        return "|".join(map(re.escape, [self.sep, TIE] if self.form == "tiers" else [self.sep]))

    def written(self, predicted: Any, structure: Any) -> Any:
        """Return predictions as a data frame: in the columns of training, or as cells like those of training."""
        import pandas

        if set(self.columns) == {*getattr(predicted, "columns", ())}:  # in the order of the structure
            return predicted[list(self.columns)]
        predicted = predicted.toarray() if sparse.issparse(predicted) else np.asarray(predicted)
        if self.form in ("columns", "values"):
            rows = pandas.DataFrame(predicted.reshape(len(predicted), -1))
            if rows.shape[1] != len(self.columns):  # tours may be longer than those of training
                return rows.set_axis([f"{self.columns[0]}_{j}" for j in rows], axis=1)
        else:
            cells = self._shown(predicted, structure)
            rows = pandas.DataFrame([cell.split(self.sep) for cell in cells] if self.spread else cells)
            wide = range(max(len(self.columns), rows.shape[1]))
            rows = rows.fillna("").reindex(columns=wide, fill_value="")
        if self.form == "orders":  # as many choices as were asked for
            rows = rows.iloc[:, : len(self.columns)]
        more = [f"{self.columns[-1]}_{j}" for j in range(len(rows.columns) - len(self.columns))]
        return rows.set_axis([*self.columns, *more][: len(rows.columns)], axis=1)

    def _shown(self, predicted: Any, structure: Any) -> list[str]:
        if self.form in ("orders", "tiers"):
            return list(WeakOrders.to_tiers(predicted, list(self.names), sep=self.sep, tie_sep=TIE))
        if self.form == "sets":
            return list(LabelSets.to_sets(predicted, list(self.names), sep=self.sep))
        if self.form == "tree":
            paths = structure.to_paths(predicted, sep=self.sep, qualified=True)
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

    structure, sep = None if ranks else options.structure, options.target_sep
    spread = len(columns) > 1
    named = ranks or structure is None or structure in _FORMS
    choices = "--choices is of names in several columns, such as a first and a second choice"
    require(not options.choices or (spread and named), f"{choices}; leave it out")
    require(sep != "", "--target-sep: '' divides nothing; say what stands between names")
    undivided = f"--target-sep: no names are divided in {summary(columns)}; leave it out"
    table.take_as_text(columns if options.choices else ())
    frame = table.frame[list(columns)]
    numbers = frame.select_dtypes(["number", "bool"])
    if spread and (numbers.notna().any(axis=None) or frame.isna().all(axis=None) or not named):
        require(sep is None, undivided)
        if structure in _CLASSES:
            how = ", or give --choices if they hold paths" * (structure == "hierarchy" and "parent" not in given)
            raise UsageError(f"--targets names {len(columns)} columns, but {structure} has one: name one{how}")
        if structure is None and not ranks and numbers.shape == frame.shape and frame.notna().all(axis=None):
            once = (np.sort(frame.to_numpy(np.float64), axis=1) == 1 + np.arange(len(columns))).all(axis=1)
            if once.mean() > 1 / 2:  # nothing else holds 1 to k once in each row
                how = "mend it, or say by --structure what they are, such as weakorders for ties"
                what = f"the row does not hold 1 to {len(columns)} once each, as most do: {how}"
                for row in np.flatnonzero(~once)[:1].tolist():
                    raise RowError(row, what)
                structure = "permutations"
        if structure is None and not ranks:
            for name in numbers.columns[numbers.isna().any()]:
                how = "; fill it in, or say by --structure what the targets are, such as permutations, partly known"
                refuse_missing(table, f"target {name!r}", np.flatnonzero(numbers[name].isna()), how)
        doubtful = numbers.max(axis=None) > len(columns) or _PLACE.search(" ".join(columns))
        if doubtful and (ranks or structure in ("permutations", "weakorders")):
            what = f"{columns[0]!r}, {columns[1]!r}, … are read as the positions of labels that are called so"
            warn_user(f"{what}; if they hold numbers of labels, from first to last, give --choices", UserWarning)
        listed = _listed(given, columns)
        return TargetColumns(listed if len(listed) == len(columns) else columns, "columns"), {}, structure
    column = pandas.concat([frame[name].dropna().astype(str) for name in columns])
    paths = (table.paths or {}).get(columns[0])
    if named and not spread and paths is None:
        lists = column[column.str.fullmatch(_LISTS)]
        what = f"{table.source}: the target {columns[0]!r} holds lists such as {next(iter(lists), '')!r}"
        how = "" if structure is not None or ranks else ", or give --structure multiclass if they are classes"
        marks = {None: f"{SET}' or '{ORDER}", "sets": SET, "tree": BELOW}.get(_FORMS.get(structure or ""), ORDER)
        require(lists.empty, f"{what}: write their names with '{sep or marks}' between them{how}")
    if structure is None and not ranks and not spread:
        structure = _guessed(column, paths, sep)
    form = "orders" if ranks else _FORMS.get(structure or "", "values")
    if ranks or (spread and form == "tiers"):
        form = "tiers" if column.str.contains(TIE, regex=False).any() else "orders"
    if form == "tree" and "parent" in given:
        form = "values"
    if spread:
        _check_spread(table.source, frame, column, structure, form)
    if form == "values":
        what = f"the target {columns[0]!r} holds {next(iter(column), '')!r}, but those of {structure} are numbers"
        how = "in the columns that they have in Python"
        require(len(numbers.columns) or structure in (None, *_CLASSES), f"{table.source}: {what}, {how}")
        require(sep is None, undivided)
        if numbers.empty:
            doubt_alike(table.source, column.str.strip().unique())
        named = '"' in json.dumps([given.get(key) for key in ("grades", "parent", "nodes")])  # which are then strings
        whole = frame[columns[0]].dtype.kind in "iu"
        coded = whole and columns[0] in table.doubts and structure in (None, "multiclass")  # 01 comes back as 01
        as_text = named or coded or structure == "posetelements"
        return TargetColumns(columns, "values", as_text=as_text), {}, structure
    divider = sep or {"sets": SET, "tree": BELOW}.get(form, ORDER)
    require(sep is None or not spread or form == "tree", undivided)
    if not spread and paths is None:
        _check_divided(table.source, column, form, divider, sure=sep is not None)
    table.take_as_text(columns)
    found = TargetColumns(columns, form, as_text=True, sep=_SPREAD if spread and form != "tree" else divider)
    cells = found.cells(table)
    if form == "tree":
        tree = Hierarchy.from_paths([cell.split(PATHS) for cell in paths or cells], sep=divider, qualified=True)
        return found, {"parent": tree.parent, "nodes": tree.nodes}, structure
    if form == "vertices":
        return found, {}, structure
    names = sorted_names({name.strip() for cell in cells for name in re.split(found.between, cell)} - {""})
    if form == "visits":
        known = "places" if structure == "routes" else "vertices"
        return found, {} if known in given else {known: names}, structure
    for name in names:
        parts = set(re.split(_BETWEEN, name))
        if len(parts) > 1 and parts <= {*names}:
            at = next(row for row, cell in enumerate(cells) if name in cell)
            what = f"{table.where(at)}: {name!r} counts as one label, though its parts are labels elsewhere"
            ties = ", or give --structure weakorders if these are ties" * (form == "orders" and TIE in name)
            require(form == "sets", f"{what}; mend the field{ties}, or rename the label")
            warn_user(f"{what}; if it is several, mend the field", UserWarning)
    doubt_alike(table.source, names)
    return replace(found, names=_listed(given, names)), {}, structure


def _listed(given: dict[str, Any], names: Sequence[str]) -> Sequence[str]:
    """Return names as a parameter of the structure lists them, if one does, as predictions come in this order.

    Numbers in the list become names, which those of fields and columns are.
    """
    for key in LISTS:
        listed = [*map(str, given[key])] if isinstance(given.get(key), list) else []
        if set(names) <= set(listed):
            given[key] = listed
            return listed
    return names


def _guessed(column: Any, paths: Sequence[str] | None, sep: str | None) -> str | None:
    """Return the structure of fields of names, None for that of classes; warns where these may be several names.

    Raises
    ------
    RowError
        For the first field that is no order where most are.
    """
    if paths is not None:
        return "subtrees" if any(len(_deepest(cell, BELOW)) > 1 for cell in column) else "hierarchy"
    orders = column.str.fullmatch(_CHAIN.format(ORDER)).astype(bool)
    if orders.mean() > 1 / 2:
        for row, field in column[~orders].items():
            how = f"mend the field, or say by --structure what they are, such as permutations or {_CLASSES[0]}"
            raise RowError(row, f"{field!r} is not as the others, orders such as {column[orders].iloc[0]!r}: {how}")
        return "weakorders" if column.str.contains(TIE, regex=False).any() else "permutations"
    if column.str.fullmatch(_CHAIN.format(re.escape(SET))).any():
        return "labelsets"
    require(sep is None, "--target-sep: say by --structure what is divided, such as permutations or labelsets")
    joined = column[column.str.contains(_JOINED)]
    if len(joined) > len(column) / 10:
        how = "if they hold several names, say by --structure what these are, by --target-sep what divides them"
        warn_user(f"{column.name!r}: fields such as {joined.iloc[0]!r} are a class each; {how}", UserWarning)
    return None


def _check_spread(source: str, frame: Any, column: Any, structure: str | None, form: str) -> None:
    """Refuse names in several columns that say yes or no, that no structure reads, and several of them in a field."""
    what = f"{source}: the targets {frame.columns[0]!r}, {frame.columns[1]!r}, … hold"
    if form in ("values", "sets") and column.nunique() == 2:
        again = (frame.nunique(axis=1) < frame.notna().sum(axis=1)).any()
        both = " and ".join(map(repr, sorted(column.unique())))
        how = "if these say yes or no of each label, tell which by --true-values and --false-values"
        require(not again, f"{what} {both} only: {how}")
    how = "permutations for choices in order, labelsets for sets or hierarchy for paths"
    names = f"{what} names such as {column.iloc[0]!r}: say by --structure what they are, {how}"
    require(form != "values" and structure != "subtrees", names)
    several = column[column.str.contains(f"[{BELOW if form == 'tree' else ORDER + SET}]")]
    how = "give one column of such fields, or columns of one name each"
    require(several.empty, f"{what} several names in a field, such as {next(iter(several), '')!r}: {how}")


def _check_divided(source: str, column: Any, form: str, divider: str, *, sure: bool) -> None:
    """Refuse fields that are probably divided by something else."""
    what = f"{source}: the target {column.name!r} holds"
    arrows = column[column.str.contains(_ARROW)]
    if len(arrows) and not sure and divider == ORDER:
        mark = re.findall(_ARROW, arrows.iloc[0])[0]
        raise UsageError(f"{what} {arrows.iloc[0]!r}: if {mark!r} divides names, give --target-sep='{mark}', else '>'")
    if not column.str.contains(f"{re.escape(divider)}|[{TIE}{PATHS}]").any():
        few = form in ("sets", "tree")  # that hold one name each as a rule
        other = _SURE if sure else _BELOWS if form == "tree" else _OTHERS
        what = f"{what} {'paths' if form == 'tree' else form} such as {next(iter(column), '')!r}"
        how = f"in which no {divider!r} divides names: say by --target-sep what does"
        require(few and not column.str.contains(other).any(), f"{what}, {how}")


def _deepest(cell: str, sep: str) -> list[str]:
    """Return those of the paths in a cell that lead to no other of them."""
    paths = dict.fromkeys(part.strip() for part in cell.split(PATHS) if part.strip())
    return [path for path in paths if not any(other.startswith(path + sep) for other in paths)]


def _values(column: Any, *, as_text: bool) -> Any:
    import pandas

    if as_text or column.dtype.kind not in NUMBERS:
        return np.array([str(value).strip() for value in column])
    values = pandas.to_numeric(column.to_numpy(), downcast="integer")
    return values.astype(np.int64) if values.dtype.kind == "i" else values
