"""Targets in the documented formats of y: arrays, lists of different lengths, and sets of admissible outputs.

What is refused is refused by an error that names the row.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.stats import rankdata
from sklearn.exceptions import DataConversionWarning

from .._lib.arrays import FloatArray, refuse_masked
from .._lib.errors import RowError
from .._lib.errors import TargetError as TargetError
from .._lib.structure import Description, structure_encode
from .checks import counted, frozen, refuse_unread
from .warn import warn_user

_MANY_NAMES = 10_000
_EXACT = 2**53  # integers beyond which floats do not tell all apart


def target_vector(y: ArrayLike, argument: str, *, warn: bool = True) -> NDArray[Any]:
    """Return y as an array of shape ``(n,)``, n >= 1.

    A single column of shape ``(n, 1)`` is flattened, with scikit-learn's DataConversionWarning. Without `warn` there is
    none: where sizes are read from y, which is encoded afterwards, the user hears of it once.

    Raises
    ------
    TypeError
        For a sparse matrix.
    ValueError
        For None, other shapes, no rows, and complex numbers.
    """
    values = as_array(y, argument)
    if values.ndim == 2 and values.shape[1] == 1:
        if warn and argument != "y_pred":  # predictions come as y of training, of which the user has heard
            warn_user(  # it begins as scikit-learn's own, which its checks of estimators look for
                f"A column-vector {argument} was passed when a 1d array was expected: pass one of shape "
                f"{values.shape[:1]}",
                DataConversionWarning,
            )
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"{argument} must have shape (n,), one value for each row; got shape {values.shape}")
    return values


def target_matrix(y: ArrayLike, argument: str, width: int | None, columns: str) -> NDArray[Any]:
    """Return y as an array of shape ``(n, width)``, n >= 1.

    Parameters
    ----------
    y : array-like of shape (n, width)
        Targets.
    argument : str
        What messages call y.
    width : int or None
        Number of columns; None accepts any positive number.
    columns : str
        What a column stands for, such as "label", for messages.

    Raises
    ------
    TypeError
        For a sparse matrix.
    ValueError
        For None, other shapes, no rows, and complex numbers.
    """
    values = as_array(y, argument)
    if values.ndim != 2:
        raise ValueError(f"{argument} must have shape (n, {width or 'k'}), a column per {columns}, got {values.shape}")
    check_width(values.shape[1], argument, width, columns)
    return values


def check_width(found: int, argument: str, width: int | None, columns: str) -> None:
    """Raise ValueError unless the number of columns `found` is `width`, or, if that is None, positive."""
    if found == 0 or (width is not None and found != width):
        needed = width or "at least 1"
        raise ValueError(f"{argument} has {counted(found, 'column')}, it needs {needed}, one for each {columns}")


def is_array_of_numbers(y: Any) -> bool:
    """Return whether y is an array of numbers with rows and columns at most, which has no names to look at."""
    return type(y) is np.ndarray and y.dtype.kind in "biuf" and y.ndim <= 2


def is_absent(value: Any) -> bool:
    """Return whether a value is missing: None, NA of pandas, NaN or NaT."""
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def as_numbers(values: NDArray[Any], argument: str, remedy: str, names: Sequence[Any] | None = None) -> NDArray[Any]:
    """Return values as a boolean, integer or float array, with NaN for None and for pandas' NA; `names` are of columns.

    Raises
    ------
    ValueError
        For the first row with anything else that is not a number.
    """
    if values.dtype.kind in "biuf":
        return values
    numbers = (int, float, np.integer, np.floating, np.bool_)
    listed = [np.nan if is_absent(value) else value for value in values.flat]
    bad = np.array([not isinstance(value, numbers) for value in listed]).reshape(values.shape)
    refuse_entries(bad, values, f"numbers are needed: {remedy}", argument, names)
    return np.array(listed, dtype=np.float64).reshape(values.shape)


def whole_numbers(values: NDArray[Any], argument: str, lo: int, hi: int, remedy: str) -> NDArray[np.int32]:
    """Return values as int32 after checking that all are whole numbers in ``[lo, hi]``; 2.0 counts as whole.

    Raises
    ------
    TargetError
        For the first row with NaN, infinity, a fraction or a number outside the bounds.
    """
    values = as_numbers(values, argument, remedy)
    bad = ~((values >= lo) & (values <= hi))  # a NaN fails both comparisons
    if values.dtype.kind == "f":
        bad |= values != np.floor(values)
    refuse_entries(bad, values, remedy, argument)
    return np.ascontiguousarray(values, dtype=np.int32)


def encoded_rows(
    description: Description, values: NDArray[Any], argument: str, *, partial: bool = False
) -> NDArray[np.int32]:
    """Return rows of numbers ``(n, width)`` as outputs of a structure in parts; `partial` is as for the library.

    Raises
    ------
    TargetError
        For the first row that shows no output, with what is wrong with it and what to do about it.
    """
    values = as_numbers(values, argument, description.space.facts["format"])
    try:
        return structure_encode(description, values, partial=partial)
    except RowError as error:
        raise TargetError(error.row, error.reason, argument) from None


def numbered_positions(
    y: Any,
    argument: str,
    n_items: int | None = None,
    names: Sequence[Any] | None = None,
    *,
    noun: str = "item",
    zero: bool = False,
) -> FloatArray:
    """Return positions as numbers ``(n, n_items)``, NaN where they are unknown.

    Parameters
    ----------
    y : array-like of shape (n, n_items)
        Numbers above 0; −1, NaN, None and NA are unknown.
    argument : str
        What messages call y.
    n_items : int, default=None
        The number of columns, at least 2; None for any.
    names : sequence, default=None
        Names of the columns for messages; None for numbers.
    noun : str, default="item"
        What a column stands for.
    zero : bool, default=False
        Whether 0 is a position, too.

    Raises
    ------
    ValueError
        For other shapes and types, and for what is no position, naming the row.
    """
    remedy = f"positions are finite numbers {'from 0 on' if zero else 'above 0'}, or -1 (or NaN) where unknown"
    values = as_numbers(target_matrix(y, argument, n_items, noun), argument, remedy, names)
    unknown = (values == -1) | np.isnan(values)
    bad = ~unknown & ~(((values >= 0) if zero else (values > 0)) & (values < np.inf)) | (values.dtype.kind == "b")
    refuse_entries(bad, values, remedy, argument, names)
    if values.dtype.kind in "iu" and values.max() > _EXACT:
        values = rankdata(values, method="dense").reshape(values.shape)
    return np.where(unknown, np.nan, values)


def refuse_entries(
    bad: NDArray[np.bool_], values: NDArray[Any], remedy: str, argument: str = "y", names: Sequence[Any] | None = None
) -> None:
    """Raise TargetError for the first row in which `bad` is True, quoting the bad value; `names` are of columns."""
    if not bad.any():
        return
    at = tuple(int(each) for each in np.unravel_index(int(np.argmax(bad)), bad.shape))
    value = values[at].item() if isinstance(values[at], np.generic) else values[at]
    shown = int(value) if isinstance(value, float) and value.is_integer() else value
    where = "" if len(at) == 1 else f" in column {at[1] if names is None else names[at[1]]!r}"
    raise TargetError(at[0], f"found {shown!r:.60}{where}; {remedy}", argument)


def refuse_rows(bad: NDArray[np.bool_], reason: str, argument: str = "y") -> None:
    """Raise TargetError for the first row where `bad` ``(n,)`` is True, if any is."""
    if bad.any():
        raise TargetError(int(np.argmax(bad)), reason, argument)


def summary(values: Sequence[Hashable], limit: int = 10) -> str:
    """Return the first `limit` values for messages, separated by commas."""
    shown = ", ".join(repr(v.item() if isinstance(v, np.generic) else v) for v in values[:limit])
    return shown if len(values) <= limit else f"{shown}, … ({len(values)} in all)"


def meant(name: Any, names: Sequence[Hashable]) -> str:
    """Return what ends a message about an unknown name: which name was probably meant, or nothing."""
    if len(names) > _MANY_NAMES:  # of which one with other letters would take seconds to find
        return ""
    near = get_close_matches(str(name), [str(each) for each in names], n=1, cutoff=0.7)
    return f"; did you mean {near[0]!r}?" if near else ""


def codes_of(y: ArrayLike, known: Sequence[Hashable], argument: str, noun: str) -> NDArray[np.int32]:
    """Return the index in `known` of the label of each row of y ``(n,)``, as int32; labels are called `noun`.

    Labels are compared by Python's equality, so 1, 1.0 and True are the same label.

    Raises
    ------
    TargetError
        For the first row with a value that is not known.
    """
    values = target_vector(y, argument)
    index = {label: code for code, label in enumerate(known)}
    # Objects may be of types that have no order.
    distinct, at = (values, slice(None)) if values.dtype.kind == "O" else np.unique(values, return_inverse=True)
    listed = [index.get(label, -1) if label.__hash__ else -1 for label in distinct.tolist()]  # lists have no hash
    codes: NDArray[np.int32] = np.array(listed, dtype=np.int32)[at]
    if (codes < 0).any():
        odd = values[int(np.argmax(codes < 0))]
        refuse_entries(codes < 0, values, f"the {noun} are {summary(known)}{meant(odd, known)}", argument)
    return codes


def check_present(values: NDArray[Any], argument: str) -> None:
    """Raise TargetError for the first row with a missing (None, NaN, NA, NaT) or infinite label."""
    if values.dtype.kind == "O":
        bad = np.fromiter(map(is_absent, values), dtype=np.bool_, count=values.size)
    else:
        bad = ~np.isfinite(values) if values.dtype.kind in "fmM" else np.zeros(1, dtype=np.bool_)
    refuse_entries(bad, values, "drop the row, or give it a label of its own", argument)


def as_array(y: ArrayLike, argument: str) -> NDArray[Any]:
    """Return y as an array; refuse sparse matrices, None, no rows, rows of different lengths and complex numbers.

    Missing entries and numbers beside strings stay what they are, which NumPy makes strings of.
    """
    if issparse(y):
        raise TypeError(f"{argument} is a sparse matrix; pass a dense array ({argument}.toarray())")
    refuse_unread(y, argument)
    refuse_masked(y, argument)
    if y is None:
        raise ValueError(f"{argument} is None; this requires {argument} to be passed")
    rows = y if isinstance(y, (list, tuple)) else ()
    graph = next((i for i, row in enumerate(rows) if hasattr(row, "is_directed")), None)
    if graph is not None:  # NumPy would make a row of its nodes
        raise TargetError(graph, f"found a graph, {rows[graph]!s:.60}; pass numbers", argument)
    try:
        values = np.asarray(y)
    except ValueError:
        raise _ragged(y, argument) from None
    if values.dtype.kind == "U" and isinstance(y, (list, tuple)):
        entries = np.array(y, dtype=object)
        values = values if all(isinstance(entry, str) for entry in entries.flat) else entries
    if values.dtype.kind == "c":
        raise ValueError(f"{argument} is complex. Complex data not supported; pass real numbers")
    return not_empty(values, argument)


def not_empty(values: Any, argument: str) -> Any:
    """Return an array or a sparse matrix; ValueError if it has no rows."""
    if values.ndim and values.shape[0] == 0:
        raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
    return values


def _ragged(y: Any, argument: str) -> ValueError:
    """Return the error for what NumPy makes no array of, naming the first row whose length differs from row 0."""
    lengths = [len(row) if hasattr(row, "__len__") else 0 for row in y]
    row = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
    remedy = "give every row the same number of entries"
    if row is None:
        return ValueError(f"the rows of {argument} differ in length; {remedy}")
    return TargetError(row, f"found {lengths[row]} entries, but {lengths[0]} in row 0; {remedy}", argument)


class Admissible:
    """A set of outputs that are all correct for one row of training data.

    As y, pass a list or an object array with one set for each row. :class:`ProbabilisticStructured` trains by the
    probability of the set. The AUC loss ranks every output of the set above all outputs outside it, and does not rank
    the outputs of the set among themselves (Vembu, 2010, section 5.2, with the loss in closed form); the squared loss
    is the sum over the set, and either way the weight of a row is the number of outputs in its set. `score` compares a
    prediction with the best match in the set.

    Parameters
    ----------
    structures : array-like
        At least one output in the structure's format: one row for each (one label for each with ``MultiClass``). The
        columns of data frames of pandas are matched by name.

    Raises
    ------
    ValueError
        When there are no outputs.

    Notes
    -----
    A set has no length and cannot be iterated over, so that NumPy and scikit-learn's cross-validation treat it as one
    opaque target.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import Admissible, StructuredRidge
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> y = [Admissible([[1, 2, 3], [2, 1, 3]]), Admissible([[1, 2, 3]]), Admissible([[3, 2, 1]])]
    >>> StructuredRidge("permutations", kernel="rbf", alpha=0.1).fit(X, y).predict([[1.0]])
    array([[1, 2, 3]], dtype=int32)
    """

    __slots__ = ("structures",)

    def __init__(self, structures: Any) -> None:
        if not hasattr(structures, "__len__") or isinstance(structures, (str, bytes)) or len(structures) == 0:
            raise ValueError(f"Admissible needs outputs, as Admissible([[1, 2, 3], [2, 1, 3]]) has, got {structures!r}")
        self.structures = structures

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.structures!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Admissible):
            return NotImplemented
        return frozen(self.structures) == frozen(other.structures)

    __hash__ = None  # type: ignore[assignment]  # it holds mutable data


class FlatSets(NamedTuple):
    """The outputs of the sets of all rows, one after the other.

    Attributes
    ----------
    y : array or list
        The outputs in the structure's format.
    first : ndarray of shape (n + 1,), int64
        The outputs of row i are ``y[first[i]:first[i + 1]]``.
    """

    y: Any
    first: NDArray[np.int64]


def flat_sets(y: Any) -> FlatSets | None:
    """Return the outputs of all rows if the rows of y are `Admissible` sets, otherwise None.

    Raises
    ------
    ValueError
        When some rows are sets and others are not; names the row.
    """
    rows = y.tolist() if isinstance(y, np.ndarray) and y.dtype == object else y
    is_set = [isinstance(row, Admissible) for row in rows] if isinstance(rows, (list, tuple)) else []
    if not any(is_set):
        return None
    if not all(is_set):
        row = is_set.index(False)
        raise TargetError(row, f"{rows[row]!r} is not Admissible, other rows are; wrap it: Admissible([…])")
    sets = [row.structures for row in rows]
    for each in sets:
        refuse_masked(each, "a set of admissible outputs")
    first = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    if any(hasattr(each, "columns") for each in sets):
        return FlatSets(_one_frame(sets), first)
    try:
        return FlatSets(np.concatenate(sets), first)
    except ValueError:  # outputs differ in length
        return FlatSets([output for each in sets for output in each], first)


def _one_frame(sets: Sequence[Any]) -> Any:
    """Return the rows of data frames as one frame with the columns of the first; TargetError where one has others."""
    import pandas

    names = list(getattr(sets[0], "columns", []))
    for row, each in enumerate(sets):
        if not isinstance(each, pandas.DataFrame) or set(each.columns) != set(names):
            raise TargetError(row, "the set has other columns than that of row 0: give the same, or all as arrays")
    return pandas.concat([each[names] for each in sets], ignore_index=True)
