"""Checks of single arguments: choices, numbers, fractions and sizes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, InvalidParameterError

from .._lib.arrays import FloatArray, refuse_masked


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun for messages: "1 row", "2 rows"; `plural` where that is not the noun and an s."""
    return f"{n} {noun}" if n == 1 else f"{n} {plural or noun + 's'}"


def is_integer(value: object) -> bool:
    """Return whether a value is a Python or NumPy integer; booleans are not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether a value is a real number; booleans are not."""
    return is_integer(value) or isinstance(value, (float, np.floating))


def number(value: Any, name: str) -> float:
    """Return a value as a float; TypeError where it is not a real number."""
    if not is_number(value):
        raise TypeError(f"{name} must be a number, got {value!r}")
    return float(value)


def check_argument(value: Any, name: str, constraint: Any) -> None:
    """Raise scikit-learn's InvalidParameterError unless an argument meets one of its constraints; booleans do not."""
    if isinstance(value, (bool, np.bool_)) or not constraint.is_satisfied_by(value):
        raise InvalidParameterError(f"{name} must be {constraint}, got {value!r}")


def require_integers(**arguments: object) -> None:
    """Raise InvalidParameterError for the first argument that is not an integer."""
    for name, value in arguments.items():
        check_argument(value, name, Interval(Integral, None, None, closed="neither"))


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    """Return `value` as an int; InvalidParameterError unless it is an integer between `least` and `most`."""
    if not is_integer(value) or not least <= value <= most:
        raise InvalidParameterError(f"{name} must be a whole number from {least} to {most}, got {value!r}")
    return int(value)


def refuse_unlisted(pairs: Any, what: str, *, named: bool) -> None:
    """Raise TypeError for a graph, a mapping, a set or a table of names in the place of a list of pairs."""
    tabular = named and hasattr(pairs, "columns")
    if tabular or hasattr(pairs, "is_directed") or isinstance(pairs, (dict, set, frozenset)):
        kind = type(pairs).__name__
        raise TypeError(f"{what} must be a list or an array of pairs, such as list(graph.edges()); got a {kind}")


def float_array(values: Any, name: str) -> FloatArray:
    """Return values as an array of float64; ValueError where they are no numbers, or masked."""
    refuse_masked(values, name)
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from error


def share(value: Any, name: str) -> float:
    """Return `value` as a float; InvalidParameterError unless it is a number in the open interval (0, 1)."""
    check_argument(value, name, Interval(Real, 0, 1, closed="neither"))
    return float(value)


def choice(value: Any, name: str, allowed: Collection[str]) -> str:
    """Return `value`; ValueError, listing what is allowed, unless it is one of these."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
    return str(value)


def frozen(value: Any) -> Hashable:
    """Return a hashable stand-in for a parameter; arrays and lists of equal content have equal stand-ins.

    Booleans differ from integers: for the parameter `allowed` of a hierarchy, the mask [True, False] and the nodes
    [1, 0] are not the same.
    """
    if isinstance(value, Mapping):
        return ("mapping", *((frozen(k), frozen(v)) for k, v in value.items()))
    if hasattr(value, "__array__"):
        value = np.asarray(value).tolist()
    if isinstance(value, (list, tuple)):
        return tuple(frozen(v) for v in value)
    return ("bool", value) if isinstance(value, bool) else value


def seed_of(random_state: Any) -> int:
    """Return a seed below 2**63 drawn from `random_state`, as scikit-learn reads it."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int64).max, dtype=np.int64))


def allowed_mask(
    allowed: Any, n: int, structure: str, noun: str, indices: Callable[[Any], NDArray[np.int32]]
) -> NDArray[np.bool_]:
    """Return a mask ``(n,)`` of what may be predicted, from a mask or a list, which `indices` reads; None allows all.

    Raises
    ------
    ValueError
        For a mask of another shape, and a list that repeats itself; the library refuses a mask that allows nothing.
    """
    if allowed is None:
        return np.ones(n, dtype=np.bool_)
    refuse_masked(allowed, "allowed")
    values = np.asarray(allowed)
    mask = np.zeros(n, dtype=np.bool_)
    if values.dtype.kind == "b":
        if values.shape != (n,):
            raise ValueError(f"{structure}: the mask allowed has shape {values.shape}, must be ({n},): one a {noun}")
        mask[:] = values
    else:
        listed = indices(values)
        if len(np.unique(listed)) < len(listed):
            raise ValueError(f"{structure}: allowed lists the same {noun} twice; a mask must have booleans, not 0/1")
        mask[listed] = True
    return mask


def refuse_unread(values: Any, argument: str) -> None:
    """Raise ValueError for rows that are yet to be computed or iterated over, naming the call that does so."""
    if type(values).__name__ == "LazyFrame":
        raise ValueError(f"{argument} is a LazyFrame, which holds no rows yet: pass {argument}.collect()")
    if isinstance(values, Iterator):
        raise ValueError(f"{argument} is a {type(values).__name__}, which can be read once only: pass list({argument})")
