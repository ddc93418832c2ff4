"""Columns that are inputs: which they are, numbers or categories, and how they become features."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import coo_matrix
from sklearn.utils.sparsefuncs import min_max_axis

from .._data.checks import counted
from .._data.targets import summary
from .._data.warn import warn_user
from .error import UsageError, require

if TYPE_CHECKING:
    from argparse import Namespace

    from sklearn.compose import ColumnTransformer

    from .table import Table

_RANGE = re.compile(r"(-?\d*):(-?\d*)|-?\d+")
_SHOWN = 12
_TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?"
_DAY = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|(19|20)\d\d-(0[1-9]|1[0-2])"
_MONTH = r"\d{1,2}\.?[- ][^\W\d]{3,9}\.?[- ]\d{2,4}|[^\W\d]{3,9} \d{1,2},? \d{4}"
_DATE = rf"({_DAY}|{_MONTH})([T ]\d{{1,2}}:\d{{2}}.*)?|{_TIME}"
_SIGNED = (
    r"[$€£¥−]\s?[+-]?\d[\d.,]*|[+-]?\d[\d.,]*\s?[%‰°$€£¥]|\([\d.,]+\)|[+-]?\d{1,3}([\u00a0\u202f’]\d{3})+([.,]\d+)?"
)
NUMBERS = "biufc"  # kinds of dtypes
_UNIT = r"^[+-]?\d[\d.,]*\s?([^\W\d]+)$"
_NO_UNIT = r"\d+(st|nd|rd|th|s|X*[SL]|[A-JN-UX-Z])"  # 5th, 90s, 2XL, 12B
_SEASON = f"(19|20)({'|'.join(f'{year:02}-{year + 1:02}' for year in range(12))})"  # not months
_SHARE = 0.8  # of the fields of a column from which on the others pass for mistakes
#: Marks of thousands and of decimals.
_NOTATIONS = [(",", "."), (".", ","), ("", ","), ("", "."), (" ", "."), (" ", ","), ("'", "."), ("'", ",")]
_EXACT = 2**53  # from which on whole numbers are rounded
_FEW = 20  # rows below which nothing is said about many categories
_ALL, _MANY = 0.9, 0.3  # categories for each row: refused, and warned of


def select(names: Sequence[str], wanted: Sequence[str] | None, option: str) -> list[str]:
    """Return the columns that a selection names, in the order of the selection, each once.

    Parameters
    ----------
    names : sequence of str
        Names of all columns.
    wanted : sequence of str or None
        Each holds items with commas between them: a name, a pattern such as ``L*``, the number of a column, or a range
        of numbers such as ``-14:`` with the rules of Python's slices. A name counts as such even if it reads like one
        of the others, or has commas. None and "" select nothing.
    option : str
        Name of the option, for messages.

    Raises
    ------
    UsageError
        When an item matches no column.
    """
    given = [each for each in ([wanted] if isinstance(wanted, str) else wanted or ()) if each]
    chosen: list[str] = []
    for item in chain.from_iterable([each] if each in names else map(str.strip, each.split(",")) for each in given):
        if item not in names and (match := _RANGE.fullmatch(item)):
            start, stop = (int(end) if end else None for end in match.groups())
            at = None if ":" in item else int(item)
            found = list(names)[start:stop] if at is None else list(names)[at:][:1] * (at >= -len(names))
        else:
            found = [item] if item in names else fnmatch.filter(names, item)
        if not found:
            mend = "give names, patterns such as 'L*', or a range such as -14: (if these are no columns, see --sep)"
            raise UsageError(f"{option}: {item!r} matches none of the {len(names)} columns {summary(names)}; {mend}")
        chosen += found
    return list(dict.fromkeys(chosen))


def choose_inputs(table: Table, options: Namespace, targets: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the inputs that are numbers, those that are categories, and what is left out with the reason.

    Raises
    ------
    UsageError
        When nothing is left, when a column has two uses, holds numbers that are not read as such, or nearly as many
        categories as there are rows.
    """
    uses = dict.fromkeys(targets, "--targets")
    for option in ("id", "inputs", "drop"):
        for name in select(table.names, getattr(options, option), f"--{option}"):
            if uses.setdefault(name, f"--{option}") != f"--{option}":
                what = f"--{option} and {uses[name]} both name the column {name!r}"
                raise UsageError(f"{what}; it cannot be both")
    inputs = [name for name, use in uses.items() if use == "--inputs"]
    chosen = [name for name in table.names if name not in uses] if options.inputs is None else inputs
    if not chosen and len(table.names) == 1:
        raise UsageError(f"{table.source} has one column, {table.names[0]!r}: say by --sep what separates fields")
    every = f"--targets, --id and --drop name all {len(table.names)} columns of {table.source}"
    require(chosen, f"{every}; at least one must be left as an input")
    asked = select(table.names, options.categorical, "--categorical")
    strange = [name for name in asked if name not in chosen]
    require(not strange, f"--categorical names the column {next(iter(strange), '')!r}, which is not an input")
    numbers, categories, said, kinds = list[str](), list[str](), list[str](), dict(table.frame.dtypes)
    for name in targets:
        if kinds[name].kind not in NUMBERS:
            _refuse_notations(table.source, table.frame[name].dropna().astype(str), table.marks)
    for name in chosen:
        if kinds[name].kind in NUMBERS and name not in asked:
            numbers.append(name)
            whole = table.frame[name][:0] if kinds[name].kind not in "iu" else table.frame[name].dropna()
            doubts = [table.doubts[name]] if name in table.doubts else _doubts(whole)
            said += [f"note: {name!r} {doubt}" for doubt in doubts]
            continue
        fields = table.frame[name].dropna().astype(str)
        days = fields[~fields.str.fullmatch(_SEASON).astype(bool)]
        is_date = kinds[name].kind in "mM" or (len(days) and fields.str.fullmatch(_DATE).mean() > _SHARE)
        if is_date and name not in asked:
            said.append(f"left out: {name}, dates: make numbers of them, or give --categorical {name!r}")
            continue
        categories.append(name)
        lists = any(map(np.ndim, table.frame[name].dropna()[:1]))
        what = f"{table.source}: the column {name!r} holds lists such as {next(iter(fields), '')}"
        require(not lists, f"{what}: make a column of each of their entries, or --drop it")
        if name not in asked:
            _refuse_notations(table.source, fields, table.marks)
            _refuse_mistakes(table, fields)
            doubt_alike(table.source, fields.str.strip().unique(), "levels")
        _check_levels(table.source, fields, asked=name in asked)
    require(numbers or categories, f"{table.source} has no inputs but dates, {summary(chosen)}: make numbers of them")
    return numbers, categories, said


def _doubts(whole: Any) -> Iterator[str]:
    """Yield what to know of a column of whole numbers that may be something else."""
    if whole.empty:
        return
    low, high, n = int(whole.min()), int(whole.max()), len(whole)
    if n >= _FEW and high - low == n - 1 and (np.diff(whole) == 1).all():
        yield f"numbers the rows; if it is no input, give --id {whole.name!r} or --drop it"
    elif high > _EXACT:
        yield f"has over 15 digits, and is rounded; for ids and codes, give --id or --categorical {whole.name!r}"
    elif low > 19_000_000 and high < 21_000_000:
        day, month = whole.mod(100), whole.mod(10_000) // 100
        if (month.between(1, 12) & day.between(1, 31)).all():
            yield f"holds {whole.iloc[0]}, …; if these are dates, make numbers of days of them, or --drop it"


def _refuse_notations(source: str, fields: Any, marks: tuple[str, str]) -> None:
    """Refuse text that is numbers with other marks, with the options that read it."""
    name, known = fields.name, fields.str.fullmatch(_number(*marks))
    for notation in _NOTATIONS:
        read = fields.str.fullmatch(_number(*notation))
        alike = fields[read & ~known]
        if len(alike) and read.mean() > _SHARE:
            other = zip(("--thousands", "--decimal"), notation, marks, strict=True)
            option = " ".join(
                f"{key} {new if new in '.,' else repr(new)}"
                for key, new, old in other
                if new != old and alike.str.contains(new, regex=False).any()
            )
            unsure = " (or --decimal , if these are decimal commas)" * (option == "--thousands ,")
            what = f"the column {name!r} holds numbers such as {alike.iloc[0]!r}, which are not read as numbers"
            raise UsageError(f"{source}: {what}: give {option}{unsure}, or --categorical {name!r} if they are names")


def _number(thousands: str, decimal: str) -> str:
    """Return a pattern of numbers with these marks."""
    whole, mark = rf"[1-9]\d{{0,2}}({re.escape(thousands)}\d{{3}})+", re.escape(decimal)
    return rf"[+-]?(({whole}|\d+)({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?"


def _refuse_mistakes(table: Table, fields: Any) -> None:
    """Refuse numbers with signs or a unit, or of too many digits, and numbers among which are a few other fields."""
    name, but = fields.name, f"or give --categorical {fields.name!r}"
    signed, odd = fields.str.fullmatch(_SIGNED), ~fields.str.fullmatch(_number(*table.marks))
    units = fields.str.extract(_UNIT, expand=False)
    alike = units == next(iter(units.mode()), "")
    of_unit = alike.mean() > _SHARE and fields.nunique() > 2 and not fields[alike].str.fullmatch(_NO_UNIT).all()
    if of_unit or (signed.any() and (signed | ~odd).mean() > _SHARE):
        what = (
            f"numbers with {'a unit' if of_unit else 'signs'} such as {fields[alike if of_unit else signed].iloc[0]!r}"
        )
        raise UsageError(f"{table.source}: the column {name!r} holds {what}: write plain numbers into the file, {but}")
    if table.written and len(fields) and not odd.any():
        what = f"numbers of too many digits or of other signs, such as {max(fields, key=len)!r}"
        raise UsageError(f"{table.source}: the column {name!r} holds {what}: give --id or --drop, {but}")
    if 0 < odd.mean() <= 1 - _SHARE:
        row, field = next(fields[odd].items())
        mend = f"mend the field, read it as missing with --na-values {field!r}, {but}"
        raise UsageError(f"{table.where(row)}: {name!r} holds {field!r}, and numbers elsewhere: {mend}")


def _check_levels(source: str, fields: Any, *, asked: bool) -> None:
    levels, name = fields.nunique(), fields.name
    if len(fields) < _FEW or levels <= _MANY * len(fields):
        return
    what = f"the column {name!r} has {levels} different values in {len(fields)} rows"
    how = f"give --id {name!r} (copied to the predictions) or --drop {name!r}"
    too_many = f"{source}: {what}, too many for categories: {how}, or --categorical {name!r} to insist"
    require(asked or levels <= _ALL * len(fields), too_many)
    warn_user(f"{what}, each a category of its own: if it is a name or text, {how}", UserWarning)


def doubt_alike(source: str, names: Iterable[str], noun: str = "labels") -> None:
    """Warn of names that look alike: that differ in capitals, spaces, or signs that are not seen."""
    known: dict[str, str] = {}
    alike = []
    for name in sorted(names):
        seen = "".join(c for c in unicodedata.normalize("NFKC", name).casefold() if unicodedata.category(c) != "Cf")
        first = known.setdefault(" ".join(seen.split()), name)
        if first != name:
            alike.append(f"{first!r} and {name!r}")
    if alike:
        what = f"{alike[0]} count as two {noun}" + f", {len(alike) - 1} other pairs, too" * (len(alike) > 1)
        warn_user(f"{source}: {what}; if they are one, mend the file", UserWarning)


def input_frame(table: Table, numbers: Sequence[str], categories: Sequence[str], *, missing: bool) -> Any:
    """Return the inputs of all rows as a data frame: numbers as float64, categories as str.

    Missing numbers are NaN if `missing` is true, otherwise refused. A missing category is "", a category of its own.

    Raises
    ------
    UsageError
        Naming the columns that the table does not have, or the line of a field that is no number.
    """
    import pandas

    text = table.columns([*numbers, *categories])[list(categories)].fillna("").astype(str)
    stripped = text.apply(lambda column: column.str.strip()).astype(object)
    return pandas.concat([number_frame(table, numbers, missing=missing), stripped], axis=1)


def refuse_missing(table: Table, what: str, rows: Any, remedy: str) -> None:
    """Raise UsageError, naming the first, where there are rows that lack something."""
    if len(rows):
        others = f", here and in {counted(len(rows) - 1, 'other row')}" if len(rows) > 1 else ""
        raise UsageError(f"{table.where(int(min(rows)))}: the {what} is missing{others}{remedy}")


def number_frame(table: Table, names: Sequence[str], *, missing: bool = True) -> Any:
    """Return columns as finite numbers; UsageError, naming the line, for other fields.

    Missing numbers are NaN if `missing` is true, otherwise refused.
    """
    import pandas

    frame = table.columns(names)
    for name in frame.select_dtypes(exclude=["number", "bool"]):
        numbers = pandas.to_numeric(frame[name], errors="coerce")
        wrong = frame[name][numbers.isna() & frame[name].notna()]
        wrong = wrong[~wrong.isin(table.words)] if not wrong.isin(table.words).all() else wrong
        if len(wrong):
            what = f"{name!r} holds {wrong.iloc[0]!r}, which is not a number"
            raise UsageError(f"{table.where(wrong.index[0])}: {what} (see --decimal, --thousands, --na-values)")
        frame = frame.assign(**{name: numbers})
    frame = frame.astype(pandas.SparseDtype(np.float64, 0.0) if _is_sparse(frame) else np.float64)
    rows, columns, values = _odd(frame)
    if np.isinf(values).any():
        row, column = min((i, j) for i, j, value in zip(rows, columns, values, strict=True) if np.isinf(value))
        what = f"{names[column]!r} is infinite; give a finite number, or leave the field empty"
        raise UsageError(f"{table.where(row)}: {what}")
    if rows.size and not missing:
        lacking = [names[j] for j in np.unique(columns)]
        where = f" (and in {summary(lacking[1:])})" if lacking[1:] else ""
        first = rows[columns == columns.min()]
        how = f"leave it out with --drop {lacking[0]!r}" if len(first) == len(frame) else "drop the rows"
        refuse_missing(table, f"input {lacking[0]!r}", first, f"{where}; {how}, or fit with --impute median")
    return frame


def _odd(frame: Any) -> tuple[Any, Any, Any]:
    """Return the rows, columns and values of those entries of a frame of numbers that are missing or infinite."""
    entries = frame.sparse.to_coo() if _is_sparse(frame) else coo_matrix(frame.to_numpy())
    odd = ~np.isfinite(entries.data)
    return entries.row[odd], entries.col[odd], entries.data[odd]


def _is_sparse(frame: Any) -> bool:
    return any(hasattr(kind, "fill_value") for kind in frame.dtypes)


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
    number = ("numbers", make_pipeline(*steps) if steps else "passthrough", slice(0, n))
    category = ("categories", OneHotEncoder(handle_unknown="ignore"), slice(n, X.shape[1]))
    return ColumnTransformer([kind for kind in (number, category) if kind[2].start < kind[2].stop])


def described(X: Any, numbers: Sequence[str], categories: Sequence[str], impute: str | None) -> Iterator[str]:
    """Yield what the inputs of training are, in lines for the user."""
    if numbers:
        yield f"{counted(len(numbers), 'input is a number', 'inputs are numbers')}: {_listed(numbers)}"
    levels = {name: X[name].nunique() for name in categories}
    if levels:
        each = [f"{name} ({counted(n, 'level')})" for name, n in levels.items()]
        yield f"{counted(len(levels), 'input is a category', 'inputs are categories')}: {', '.join(each)}"
    values = X[numbers]
    lacking = np.bincount(_odd(values)[1], minlength=len(numbers))
    empty = [int((X[name] == "").sum()) for name in categories]
    filled = f"filled in by --impute {impute}"
    for names, counts, what in ((numbers, lacking, filled), (categories, empty, "a level of their own")):
        if any(counts):
            each = [f"{counted(int(n), 'value')} of {name}" for name, n in zip(names, counts, strict=True) if n]
            yield f"missing: {', '.join(each)}, {what}"
    ends = (
        min_max_axis(values.sparse.to_coo().tocsc(), 0, ignore_nan=True)
        if _is_sparse(values)
        else (values.min(), values.max())
    )
    constant = [name for name, low, high in zip(numbers, *ends, strict=True) if not low < high]
    constant += [name for name, n in levels.items() if n == 1]
    if constant:
        yield f"constant: {_listed(constant)}, of which nothing is learnt: leave them out with --drop"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
