"""Names of labels, items, places and grades: reading them from y, and matching columns, conditions and messages."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from .checks import choice
from .forms import Frame, frame_kind
from .targets import TargetError, meant, require_once, summary

#: Names of the items of a structure, in their order: all strings, or all integers.
Names = tuple[Hashable, ...]


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
    if isinstance(names, (set, frozenset, Mapping)):
        kind = "mapping" if isinstance(names, Mapping) else "set"
        raise TypeError(f"{what} must be a list of names, whose order counts, got the {kind} {names!r:.80}")
    names = names.to_pylist() if hasattr(names, "to_pylist") else names  # of Arrow
    listed = [name.item() if isinstance(name, np.generic) else name for name in names]
    if not listed:
        raise ValueError(f"{what} is empty: give a name for each, or None")
    strings = [isinstance(name, str) for name in listed]
    if not all(strings) and (any(strings) or not all(type(name) is int for name in listed)):
        odd = strings.index(False) if any(strings) else next(i for i, n in enumerate(listed) if type(n) is not int)
        raise TypeError(
            f"{what} must be all strings or all integers, but number {odd} is {listed[odd]!r}: rename it, or pass "
            "list(map(str, names))"
        )
    require_once(listed, what)
    return tuple(listed)


#: Values of the parameter `predict` of `set_output`.
OUTPUTS = ("default", "pandas", "polars", "y")


def set_output(estimator: Any, predict: str | None) -> None:
    """Record what an estimator's predictions come back as, where ``clone`` of scikit-learn looks for it."""
    if predict is not None:
        held = getattr(estimator, "_sklearn_output_config", {})
        estimator._sklearn_output_config = {**held, "predict": choice(predict, "predict", OUTPUTS)}


def output(estimator: Any, values: Any, X: Any, columns: Sequence[Hashable] | None, of_y: Frame | None) -> Any:
    """Return predictions as `set_output` has it: an array, a data frame, or a series of single values.

    Parameters
    ----------
    estimator : estimator
    values : ndarray or CSR
        Predictions for the rows of X, whose index a frame gets.
    columns : sequence or None
        Names of the columns; None for numbers.
    of_y : Frame or None
        What y was, if a data frame or a series: the library that "y" stands for, the name and categories of a series.
    """
    kind = getattr(estimator, "_sklearn_output_config", {}).get("predict", "default")
    if kind == "y":
        kind = "default" if of_y is None else of_y.library
    if kind == "default":
        return values
    if values.ndim > 2:  # a matrix for each row is one value
        values = np.fromiter(values.tolist() if kind == "polars" else values, dtype=object, count=len(values))
    if kind == "polars":
        import polars

        values = values.toarray() if sparse.issparse(values) else values
        if values.ndim == 1:
            listed = values.tolist() if values.dtype == object else values
            try:
                series = polars.Series(listed)
            except TypeError:  # rows of strings beside numbers, such as pairs
                series = polars.Series(listed, dtype=polars.Object)
            return _as_series(series, of_y)
        return polars.DataFrame(values, schema=None if columns is None else [str(name) for name in columns])
    import pandas

    index = X.index if frame_kind(X) == "pandas" else None
    if sparse.issparse(values):
        return pandas.DataFrame.sparse.from_spmatrix(values, index=index, columns=columns)
    if values.ndim == 1:
        return _as_series(pandas.Series(values, index=index), of_y)
    return pandas.DataFrame(values, index=index, columns=columns)


def _as_series(series: Any, of_y: Frame | None) -> Any:
    """Return a series with the name of y, and its categories where both are of one library; a frame if y was one."""
    if of_y is None:
        return series
    polars = frame_kind(series) == "polars"
    if of_y.categories is not None and polars == (of_y.library == "polars"):
        if polars:
            import polars as library

            series = series.cast(library.Enum(of_y.categories))
        else:
            import pandas

            series = series.astype(pandas.CategoricalDtype(of_y.categories, ordered=of_y.is_ordered))
    series = series.rename("" if of_y.name is None else str(of_y.name)) if polars else series.rename(of_y.name)
    return series.to_frame() if of_y.is_column else series


def joined(names: Sequence[Any], sep: str | None) -> Any:
    """Return the names of a row as one string, divided by `sep`, or as they are where that is None.

    Raises
    ------
    ValueError
        When a name holds `sep`, or is all that there is and empty, so that it could not be read again.
    """
    if sep is None:
        return names
    if list(names) == [""]:
        raise ValueError("a row of the name '' alone would be an empty string: rename it, or pass sep=None for lists")
    within = next((name for name in names if sep in str(name)), None)
    if within is not None:
        raise ValueError(f"sep={sep!r} occurs in the name {within!r}: take another one, or None for lists")
    return sep.join(map(str, names))


def index_of(name: Any, names: Names | None, remedy: str) -> Any:
    """Return the number of the item that a condition calls by its name; a number, or what is no name, as it is.

    Where names are integers, integers are names.

    Raises
    ------
    ValueError
        For a string, or an integer where names are, that is none of the names, and for the number of one item that is
        written as the name of another; `remedy` is what the message begins with.
    """
    if names is None or isinstance(name, bool) or not isinstance(name, (str, int, np.integer)):
        return name
    key = name if isinstance(name, str) else int(name)
    if key in names:
        return names.index(key)
    if isinstance(key, str) or not isinstance(names[0], str):
        raise ValueError(remedy + meant(key, names))
    written = str(key)
    if written in names and names.index(written) != key:
        counted_from_0 = f", but item {key}, counted from 0, is {names[key]!r}" if 0 <= key < len(names) else ""
        raise ValueError(f"{remedy}, which are strings: write {written!r}{counted_from_0}")
    return key


def numbers_of(
    lists: Sequence[Sequence[Any]], names: Names | None, argument: str, cls: str, parameter: str, noun: str
) -> list[list[int]]:
    """Return lists of names as lists of numbers; without names, numbers as they are.

    Parameters
    ----------
    lists : sequence of n lists
        Of strings and integers.
    names : tuple or None
        Names of the items of a structure.
    argument : str
        What messages call the lists.
    cls, parameter : str
        The class of the structure, and its parameter that holds names.
    noun : str
        What an item is, such as "place".

    Raises
    ------
    TargetError
        For the first row with an unknown name.
    """
    if names is None:
        found = dict.fromkeys(entry for entries in lists for entry in entries)
        name = next((entry for entry in found if isinstance(entry, str)), None)
        if name is not None:
            i = next(i for i, entries in enumerate(lists) if name in entries)
            remedy = f"take {cls}({parameter}=[{summary(sorted(found, key=str))}])"
            raise TargetError(i, f"{name!r} is one of the names that the structure lacks: {remedy}", argument)
        odd = next((entry for entry in found if isinstance(entry, bool) or not isinstance(entry, int)), None)
        if odd is not None:
            i = next(i for i, entries in enumerate(lists) if odd in entries)
            raise TargetError(
                i, f"found the {noun} {odd!r}, which is neither a string nor an integer; rename it", argument
            )
        return [list(entries) for entries in lists]
    index = {name: number for number, name in enumerate(names)}
    for i, entries in enumerate(lists):
        unknown = next((entry for entry in entries if entry not in index), None)
        if unknown is not None:
            said = f"{unknown!r} is no {noun} of the structure, whose {parameter} are {summary(names)}"
            raise TargetError(i, said + meant(unknown, names), argument)
    return [[index[entry] for entry in entries] for entries in lists]
