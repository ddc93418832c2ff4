"""Names of labels, items, places and grades: reading them from y, and matching columns, conditions and messages."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from .checks import choice
from .targets import summary

#: Names of the items of a structure, in their order: all strings, or all integers.
Names = tuple[Hashable, ...]

_NUMBER = re.compile(r"(?:label|node)?(\d+)")  # of an item in a name that the library gives to an entry of ψ


def checked_names(names: Any, what: str) -> Names:
    """Return names as a tuple, NumPy's scalars as Python's, after checking that each occurs once.

    Parameters
    ----------
    names : sequence of str or of int
        One name for each item.
    what : str
        What messages call them, such as "Permutations: labels".

    Raises
    ------
    TypeError
        When they are no sequence, or neither all strings nor all integers.
    ValueError
        When there are none, or a name occurs twice.
    """
    if isinstance(names, (str, bytes)) or not hasattr(names, "__len__") or getattr(names, "ndim", 1) != 1:
        raise TypeError(f"{what} must be a list of names, got {names!r:.80}")
    listed = [name.item() if isinstance(name, np.generic) else name for name in names]
    if not listed:
        raise ValueError(f"{what} is empty: give a name for each, or None")
    strings = [isinstance(name, str) for name in listed]
    if not all(strings) and (any(strings) or not all(type(name) is int for name in listed)):
        odd = strings.index(False) if any(strings) else next(i for i, n in enumerate(listed) if type(n) is not int)
        raise TypeError(f"{what} must be all strings or all integers, but number {odd} is {listed[odd]!r}")
    require_once(listed, what)
    return tuple(listed)


def require_once(names: Sequence[Hashable], what: str) -> None:
    """Raise ValueError for a name that occurs twice."""
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(f"{what}: {twice!r} occurs twice; names must differ")


def column_names(y: Any, argument: str = "y") -> list[str] | None:
    """Return the names of the columns of a data frame of pandas, polars, Arrow or dask; None if it has none.

    As in scikit-learn, names are strings; a frame whose columns are numbered has none.

    Raises
    ------
    TypeError
        When some are strings and others are not.
    ValueError
        When two columns have the same name.
    """
    columns = y.column_names if hasattr(y, "column_names") else getattr(y, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    odd = [name for name in names if not isinstance(name, str)]
    if len(odd) == len(names):
        return None
    if odd:
        raise TypeError(
            f"the names of the columns of {argument} are strings but {odd[0]!r}: make all of them strings, as "
            f"{argument}.columns = {argument}.columns.astype(str) does, or pass an array"
        )
    require_once(names, f"the columns of {argument}")
    return names


def columns_in_order(y: Any, names: Sequence[Hashable] | None, argument: str, of: str) -> Any:
    """Return y with its columns in the order of `names`, if it is a data frame with names; all else as it is.

    Parameters
    ----------
    y : array-like
        Targets.
    names : sequence of str or None
        Names of the columns, in the order of the structure; None if it has none.
    argument : str
        What messages call y.
    of : str
        Whose names they are, for messages, such as "the labels of Permutations".

    Raises
    ------
    ValueError
        When other columns are there, or some are not.
    """
    found = None if names is None else column_names(y, argument)
    if names is None or found is None or found == list(names):
        return y
    missing = [name for name in names if name not in set(found)]
    other = [name for name in found if name not in set(names)]
    if missing or other:
        said = [f"lacks the columns {summary(missing)}"] * bool(missing) + [f"has {summary(other)}"] * bool(other)
        raise ValueError(
            f"{argument} {' and '.join(said)}; {of} are {summary(list(names))}: rename the columns, or pass an array, "
            "whose columns are taken in that order"
        )
    return y.select(list(names)) if hasattr(y, "select") and not hasattr(y, "iloc") else y[list(names)]


#: Values of the parameter `predict` of `set_output`.
OUTPUTS = ("default", "pandas", "polars", "y")


def frame_kind(y: Any) -> str | None:
    """Return which library y is a data frame or a series of, "pandas" or "polars" (for Arrow, too); None for others."""
    module = type(y).__module__.partition(".")[0]
    return {"pandas": "pandas", "polars": "polars", "pyarrow": "polars"}.get(module)


def set_output(estimator: Any, predict: str | None) -> None:
    """Record what an estimator's predictions come back as, where ``clone`` of scikit-learn looks for it."""
    if predict is not None:
        held = getattr(estimator, "_sklearn_output_config", {})
        estimator._sklearn_output_config = {**held, "predict": choice(predict, "predict", OUTPUTS)}


def output(estimator: Any, values: Any, X: Any, columns: Sequence[Hashable] | None) -> Any:
    """Return predictions as `set_output` has it: an array, a data frame, or a series if they have one dimension.

    Parameters
    ----------
    estimator : estimator
        With ``structure_``.
    values : ndarray or CSR
        Predictions for the rows of X, whose index a frame gets.
    columns : sequence or None
        Names of the columns; None for numbers.
    """
    kind = getattr(estimator, "_sklearn_output_config", {}).get("predict", "default")
    if kind == "y":
        kind = estimator.structure_.space.frame_kind or "default"
    if kind == "default":
        return values
    if kind == "polars":
        import polars

        values = values.toarray() if sparse.issparse(values) else values
        if values.ndim == 1:
            return polars.Series(values)
        return polars.DataFrame(values, schema=None if columns is None else [str(name) for name in columns])
    import pandas

    index = getattr(X, "index", None)
    if sparse.issparse(values):
        return pandas.DataFrame.sparse.from_spmatrix(values, index=index, columns=columns)
    if values.ndim == 1:
        return pandas.Series(values, index=index)
    return pandas.DataFrame(values, index=index, columns=columns)


def index_of(name: Any, names: Names | None, remedy: str) -> Any:
    """Return the number of the item that a condition calls by its name; a number, or what is no name, as it is.

    Where names are integers, integers are names.

    Raises
    ------
    ValueError
        For a string, or an integer where names are, that is none of the names; `remedy` is what the message ends in.
    """
    if names is None or isinstance(name, bool) or not isinstance(name, (str, int, np.integer)):
        return name
    key = name if isinstance(name, str) else int(name)
    if key in names:
        return names.index(key)
    if isinstance(key, str) or not isinstance(names[0], str):
        raise ValueError(remedy)
    return key


def named_entries(entries: Sequence[str], first: Names | None, second: Names | None) -> list[str]:
    """Return the library's names of the entries of ψ with items called by their names in place of numbers.

    Parameters
    ----------
    entries : sequence of str
        Such as "0 before 1".
    first, second : tuple or None
        Names of what the first number of an entry stands for, and the second; None keeps the number.
    """

    def named(entry: str) -> str:
        names = iter((first, second))

        def shown(found: re.Match[str]) -> str:
            known = next(names)
            return found[0] if known is None else str(known[int(found[1])])

        return _NUMBER.sub(shown, entry)

    return [named(entry) for entry in entries]


def with_names(text: str, nouns: str, names: Names | None) -> str:
    """Return a message of the library with items called by their names.

    Parameters
    ----------
    text : str
        It calls them "label 3".
    nouns : str
        What it may call them, "label|column".
    names : tuple or None
        Their names; None leaves the text as it is.
    """
    if names is None:
        return text
    known = names

    def name(number: str) -> str:
        return repr(known[int(number)]) if int(number) < len(known) else number

    def shown(found: re.Match[str]) -> str:
        other = "" if found[3] is None else found[3] + name(found[4])
        return f"{found[1]} {name(found[2])}{other}"

    return re.sub(rf"\b({nouns}) (\d+)(?:( and | to )(\d+))?\b", shown, text)
