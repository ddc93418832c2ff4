"""Names of labels, items, places and grades, in conditions and messages, and predictions with names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from .checks import choice
from .targets import meant

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
    names = names.to_pylist() if hasattr(names, "to_pylist") else names  # of Arrow
    if isinstance(names, (str, bytes, set, frozenset, Mapping)) or not hasattr(names, "__len__"):
        raise TypeError(f"{what} must be a list of names, whose order counts, got {names!r:.80}")
    listed = [name.item() if isinstance(name, np.generic) else name for name in names]
    if not listed:
        raise ValueError(f"{what} is empty: give a name for each, or None")
    kind = str if isinstance(listed[0], str) else int
    odd = [name for name in listed if not isinstance(name, kind) or isinstance(name, bool)]
    if odd:
        how = "rename it, as list(map(str, names)) does"
        raise TypeError(f"{what} must be all strings or all integers, which {odd[0]!r} is not: {how}")
    if len(set(listed)) < len(listed):
        twice = next(name for i, name in enumerate(listed) if name in listed[:i])
        raise ValueError(f"{what}: {twice!r} occurs twice; names must differ")
    return tuple(listed)


#: Values of the parameter `predict` of `set_output`.
OUTPUTS = ("default", "names", "pandas", "polars")


def set_output(estimator: Any, predict: str | None) -> None:
    """Record what an estimator's predictions come back as, where ``clone`` of scikit-learn looks for it."""
    if predict is not None:
        held = getattr(estimator, "_sklearn_output_config", {})
        estimator._sklearn_output_config = {**held, "predict": choice(predict, "predict", OUTPUTS)}


def output(
    estimator: Any,
    values: Any,
    X: Any,
    columns: Sequence[Hashable] | None,
    in_names: Callable[[Any], Any] | None = None,
) -> Any:
    """Return predictions as `set_output` has it: an array, rows of names, a data frame, or a series of single values.

    Parameters
    ----------
    estimator : estimator
    values : ndarray or CSR
        Predictions for the rows of X, whose index a frame of pandas gets.
    columns : sequence or None
        Names of the columns, or of the series in a sequence of one; None for numbers.
    in_names : callable or None, default=None
        Makes rows of names of outputs; None where values are no outputs.
    """
    kind = getattr(estimator, "_sklearn_output_config", {}).get("predict", "default")
    if kind == "default" or (kind == "names" and in_names is None):
        return values
    if kind == "names" and in_names is not None:
        return in_names(values)
    if values.ndim > 2:  # a matrix for each row is one value
        values = np.fromiter(values.tolist() if kind == "polars" else values, dtype=object, count=len(values))
    name = columns[0] if values.ndim == 1 and columns is not None and len(columns) == 1 else None
    if kind == "polars":
        import polars

        values = values.toarray() if sparse.issparse(values) else values
        if values.ndim == 2:
            return polars.DataFrame(values, schema=None if columns is None else [str(name) for name in columns])
        listed = values.tolist() if values.dtype == object else values
        called = None if name is None else str(name)
        try:
            return polars.Series(called, listed)
        except TypeError:  # rows of strings beside numbers, such as pairs
            return polars.Series(called, listed, dtype=polars.Object)
    import pandas

    index = X.index if hasattr(X, "iloc") else None
    if sparse.issparse(values):
        return pandas.DataFrame.sparse.from_spmatrix(values, index=index, columns=columns)
    if values.ndim == 1:
        return pandas.Series(values, index=index, name=name)
    return pandas.DataFrame(values, index=index, columns=columns)


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
