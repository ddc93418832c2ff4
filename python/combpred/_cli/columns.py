"""Columns that are inputs: which they are, numbers or categories, and how they become features."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from .._data.checks import counted
from .._data.targets import summary
from .._data.warn import warn_user
from .error import UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from sklearn.compose import ColumnTransformer

    from .table import Table

_RANGE = re.compile(r"(-?\d*):(-?\d*)")
_SHOWN = 12
_DATE = r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ]\d{1,2}:\d{2}.*)?"
_SHARE = 0.8  # of the fields of a column from which on the others pass for mistakes
#: Numbers in other notations: their marks of thousands and of decimals, and a word on what is unsure.
_NOTATIONS = [
    (r"[+-]?\d{1,3}(\.\d{3})+,\d*", ".", ",", ""),
    (r"[+-]?\d{1,3}(,\d{3})+\.\d*", ",", None, ""),
    (r"[+-]?\d{1,3}(\.\d{3}){2,}", ".", None, ""),
    (r"[+-]?[1-9]\d{0,2}(,\d{3})+", ",", None, " (or --decimal , if these are decimal commas)"),
    (r"[+-]?\d*,\d+([eE][+-]?\d+)?", None, ",", ""),
    (r"[+-]?[1-9]\d{0,2}( \d{3})+([.,]\d*)?", "' '", None, " (and --decimal , if there are decimal commas)"),
    (r"[+-]?\d*\.\d+([eE][+-]?\d+)?", None, ".", " (and the right --thousands)"),
]
_FEW = 20  # rows below which nothing is said about many categories
_ALL, _MANY = 0.9, 0.3  # categories for each row: refused, and warned of


def select(names: Sequence[str], wanted: str | Sequence[str] | None, option: str) -> list[str]:
    """Return the columns that a selection names, in the order of the selection, each once.

    Parameters
    ----------
    names : sequence of str
        Names of all columns.
    wanted : str, sequence of str or None
        Items separated by commas: a name, a pattern such as ``L*``, the number of a column, or a range of numbers such
        as ``-14:`` with the rules of Python's slices. A name counts as such even if it reads like one of the others.
        A sequence holds names; None and "" select nothing.
    option : str
        Name of the option, for messages.

    Raises
    ------
    UsageError
        When an item matches no column.
    """
    if not wanted or not isinstance(wanted, str):
        return list(wanted or ())
    chosen: dict[str, None] = {}
    for item in [wanted] if wanted in names else (part.strip() for part in wanted.split(",")):
        if item in names:
            found = [item]
        elif match := _RANGE.fullmatch(item):
            start, stop = (int(end) if end else None for end in match.groups())
            found = list(names)[start:stop]
        elif re.fullmatch(r"\d+", item):
            found = list(names)[int(item) : int(item) + 1]
        else:
            found = [name for name in names if fnmatchcase(name, item)]
        if not found:
            raise UsageError(
                f"{option}: {item!r} matches none of the {len(names)} columns {summary(names)}; give names, patterns "
                "such as 'L*', or a range such as -14: (if these are no columns, see --sep)"
            )
        chosen.update(dict.fromkeys(found))
    return list(chosen)


def choose_inputs(table: Table, options: Namespace, targets: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the inputs that are numbers, those that are categories, and what is left out with the reason.

    Raises
    ------
    UsageError
        When nothing is left, when a column has two uses, holds numbers that are not read as such, or nearly as many
        categories as there are rows.
    """
    from pandas.api.types import is_numeric_dtype

    ids, dropped, categorical, wanted = (
        select(table.names, getattr(options, name), f"--{name}") for name in ("id", "drop", "categorical", "inputs")
    )
    taken = {**dict.fromkeys(dropped, "--drop"), **dict.fromkeys(ids, "--id"), **dict.fromkeys(targets, "--targets")}
    chosen = wanted if options.inputs is not None else [name for name in table.names if name not in taken]
    for names, option in ((wanted, "--inputs"), (dropped, "--drop"), (ids, "--id")):
        for name in names:
            if taken.get(name, option) != option:
                raise UsageError(f"{option} and {taken[name]} both name the column {name!r}; it cannot be both")
    if not chosen:
        raise UsageError(
            f"--targets, --id and --drop name all {len(table.names)} columns of {table.source}; at least one must be "
            "left as an input"
        )
    stray = sorted(set(categorical).difference(chosen))
    if stray:
        raise UsageError(f"--categorical names the column {stray[0]!r}, which is not an input")
    marks = options.thousands, options.decimal or "."
    numeric = {name for name, kind in table.frame.dtypes.items() if is_numeric_dtype(kind)}
    for name in targets:
        if name not in numeric:
            _check_notation(table.source, table.frame[name].dropna().astype(str), marks)
    asked = set(categorical)
    dates = _check_numbers(table, [name for name in chosen if name not in numeric and name not in asked], marks)
    said = [f"left out: {name}, dates: make numbers of them, or give --categorical {name!r}" for name in dates]
    numbers = [name for name in chosen if name in numeric and name not in asked]
    categories = [name for name in chosen if (name not in numeric or name in asked) and name not in dates]
    if not numbers and not categories:
        raise UsageError(f"{table.source} has no inputs but dates, {summary(dates)}: make numbers of them")
    for name in categories:
        _check_levels(table, name, asked=name in asked)
    whole = {name for name, kind in table.frame.dtypes.items() if kind == np.int64}
    for name in numbers:
        if name in whole and len(table) >= _FEW and (np.diff(table.frame[name]) == 1).all():
            said.append(f"note: {name!r} numbers the rows; if it is no input, give --id {name!r} or --drop {name!r}")
    return numbers, categories, said


def _check_numbers(table: Table, names: Sequence[str], marks: tuple[str | None, str]) -> list[str]:
    """Return those of the columns that hold dates, after checking that text is not numbers in another notation.

    Parameters
    ----------
    table : Table
    names : sequence of str
    marks : tuple of str
        Of thousands and of decimals, by which the table was read.

    Raises
    ------
    UsageError
        Naming the column and the option that reads it as numbers.
    """
    import pandas

    dates = []
    for name in names:
        column = table.frame[name]
        if pandas.api.types.is_datetime64_any_dtype(column):
            dates.append(name)
        fields = column.dropna().astype(str)
        if name in dates or not len(fields):
            continue
        if fields.str.fullmatch(_DATE).mean() == 1:
            dates.append(name)
            continue
        _check_notation(table.source, fields, marks)
        numbers = fields.str.replace(marks[0], "", regex=False) if marks[0] else fields
        odd = pandas.to_numeric(numbers.str.replace(marks[1], ".", regex=False), errors="coerce").isna()
        if 0 < odd.mean() <= 1 - _SHARE:
            first = fields[odd].iloc[0]
            raise UsageError(
                f"{table.where(column.index.get_loc(odd.idxmax()))}: {name!r} holds {first!r}, and numbers elsewhere: "
                f"mend the field, read it as missing with --na-values {first!r}, or give --categorical {name!r}"
            )
    return dates


def _check_notation(source: str, fields: Any, marks: tuple[str | None, str]) -> None:
    for pattern, thousands, decimal, unsure in _NOTATIONS:
        alike = fields.str.fullmatch(pattern)
        given = thousands in (None, marks[0]) and decimal in (None, marks[1])
        if not given and alike.any() and (alike | fields.str.fullmatch(r"[+-]?\d+")).mean() > _SHARE:
            option = f"--thousands {thousands} " * bool(thousands) + f"--decimal {decimal}" * bool(decimal)
            raise UsageError(
                f"{source}: the column {fields.name!r} holds numbers such as {fields[alike].iloc[0]!r}, which are not "
                f"read as numbers: give {option.strip()}{unsure}, or --categorical {fields.name!r} if they are names"
            )


def _check_levels(table: Table, name: str, *, asked: bool) -> None:
    column = table.frame[name].dropna()
    levels = column.nunique()
    if len(column) < _FEW or levels <= _MANY * len(column):
        return
    what = f"the column {name!r} has {levels} different values in {len(column)} rows"
    how = f"give --id {name!r} (copied to the predictions) or --drop {name!r}"
    if levels > _ALL * len(column) and not asked:
        raise UsageError(f"{table.source}: {what}, too many for categories: {how}, or --categorical {name!r} to insist")
    warn_user(f"{what}, each a category of its own: if it is a name or text, {how}", UserWarning)


def input_frame(table: Table, numbers: Sequence[str], categories: Sequence[str], *, missing: bool) -> Any:
    """Return the inputs of all rows as a data frame: numbers as float64, categories as str.

    Missing numbers are NaN if `missing` is true, otherwise refused. A missing category is "", a category of its own.

    Raises
    ------
    UsageError
        Naming the columns that the table does not have, or the line of a field that is no number.
    """
    import pandas

    text = table.columns([*numbers, *categories])[list(categories)].apply(lambda column: column.map(_text))
    values = number_frame(table, numbers)
    rows, columns = _where(values, np.isnan)
    if rows.size and not missing:
        first = int(columns.min())
        others = sorted(set(columns.tolist()) - {first})
        where = f" (and in {summary([numbers[int(j)] for j in others])})" if others else ""
        raise UsageError(
            f"{table.where(rows[columns == first].min())}: the input {numbers[first]!r} is missing, here and in "
            f"{counted(int((columns == first).sum()) - 1, 'other row')}{where}; drop the rows, or fit "
            "with --impute median"
        )
    return pandas.concat([values, text.astype(object)], axis=1)


def number_frame(table: Table, names: Sequence[str]) -> Any:
    """Return columns as finite numbers, NaN where they are missing; UsageError, naming the line, for other fields."""
    import pandas

    frame = table.columns(names)
    for name, kind in frame.dtypes.items():
        if pandas.api.types.is_numeric_dtype(kind):
            continue
        column = frame[name]
        numbers = pandas.to_numeric(column, errors="coerce")
        wrong = (numbers.isna() & column.notna()).to_numpy()
        if wrong.any():
            row = int(np.argmax(wrong))
            raise UsageError(
                f"{table.where(row)}: {name!r} holds {column.iloc[row]!r}, which is not a number (see --decimal, "
                "--thousands, --na-values)"
            )
        frame[name] = numbers
    frame = frame.astype(pandas.SparseDtype(np.float64, 0.0) if _is_sparse(frame) else np.float64)
    rows, columns = _where(frame, np.isinf)
    if rows.size:
        name = names[int(columns[rows.argmin()])]
        raise UsageError(
            f"{table.where(rows.min())}: {name!r} is infinite; give a finite number, or leave the field empty"
        )
    return frame


def _where(frame: Any, condition: Any) -> tuple[Any, Any]:
    """Return the rows and columns of the entries of a frame of numbers for which a condition holds."""
    if not _is_sparse(frame):
        rows, columns = np.nonzero(condition(frame.to_numpy()))
        return rows, columns
    entries = frame.sparse.to_coo()
    held = condition(entries.data)
    return entries.row[held], entries.col[held]


def _is_sparse(frame: Any) -> bool:
    import pandas

    return any(isinstance(kind, pandas.SparseDtype) for kind in frame.dtypes)


def _text(value: Any) -> str:
    return "" if value is None or value != value else str(value).strip()


def preparation(X: Any, numbers: list[str], options: Namespace) -> ColumnTransformer:
    """Return the transformer of inputs: missing numbers filled in, numbers standardised, categories as 0/1."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    steps: list[Any] = []
    if options.impute:
        steps.append(SimpleImputer(strategy=options.impute, keep_empty_features=True))
    if not options.no_scale:
        steps.append(StandardScaler(with_mean=not _is_sparse(X[numbers])))  # zeros stay zeros
    n = len(numbers)  # columns by number: names of 20 000 would be the longest part of a model file
    kinds = [
        ("numbers", make_pipeline(*steps) if steps else "passthrough", slice(0, n)),
        ("categories", OneHotEncoder(handle_unknown="ignore"), slice(n, X.shape[1])),
    ]
    return ColumnTransformer([kind for kind in kinds if kind[2].start < kind[2].stop])


def described(X: Any, numbers: Sequence[str], categories: Sequence[str], impute: str | None) -> Iterator[str]:
    """Yield what the inputs of training are, in lines for the user."""
    if numbers:
        shown = ", ".join(numbers[:_SHOWN]) + (", …" if len(numbers) > _SHOWN else "")
        yield f"{counted(len(numbers), 'input is a number', 'inputs are numbers')}: {shown}"
    if categories:
        levels = ", ".join(f"{name} ({counted(X[name].nunique(), 'level')})" for name in categories)
        yield f"{counted(len(categories), 'input is a category', 'inputs are categories')}: {levels}"
    counts = np.bincount(_where(X[numbers], np.isnan)[1])
    lacking = {numbers[j]: int(counts[j]) for j in np.flatnonzero(counts).tolist()}
    if lacking:
        yield f"missing: {_numbered(lacking)}, filled in by --impute {impute}"
    lacking = {name: n for name in categories if (n := int((X[name] == "").sum()))}
    if lacking:
        yield f"missing: {_numbered(lacking)}, a level of their own"


def _numbered(lacking: dict[str, int]) -> str:
    return ", ".join(f"{counted(n, 'value')} of {name}" for name, n in lacking.items())
