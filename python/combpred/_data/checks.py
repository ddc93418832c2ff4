"""Checks of single arguments: choices, numbers, fractions and sizes.

The checks of fractions and of choices differ in the words and classes of their errors, which their callers promise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

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


def columns_of(table: Any) -> Any:
    """Return what the columns of a table of any library are called, as it holds it; () for what is no table."""
    return table.column_names if hasattr(table, "column_names") else getattr(table, "columns", ())


def require_integers(**arguments: object) -> None:
    """Raise TypeError for the first argument that is not an integer."""
    for name, value in arguments.items():
        if not is_integer(value):
            raise TypeError(f"{name} must be an integer, got {value!r}")


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    """Return `value` as an int between `least` and `most`.

    Raises
    ------
    TypeError
        When it is not an integer.
    ValueError
        When it is out of bounds.
    """
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if not least <= value <= most:
        raise ValueError(f"{name} must be between {least} and {most}, got {value}")
    return int(value)


def refuse_unlisted(pairs: Any, what: str, *, named: bool) -> None:
    """Raise TypeError for a graph, a table, a mapping or a set in the place of a list of pairs, which `what` names.

    Tables of two columns of integers are such lists where vertices have no names.
    """
    name = what.rpartition(" ")[2]
    if hasattr(pairs, "is_directed"):
        how = "a graph: pass list(graph.edges())"
    elif hasattr(pairs, "columns") and (named or pairs.shape[1] != 2 or np.asarray(pairs).dtype.kind not in "iu"):
        how = f"a data frame: pass {name}[[first, second]].to_numpy(), of the columns that hold the ends"
    elif isinstance(pairs, dict):  # views of the edges of a graph are mappings, too
        how = f"a mapping: pass [(u, v) for u in {name} for v in {name}[u]]"
    elif isinstance(pairs, (set, frozenset)):
        how = f"a set, whose order may be another one in each process: pass sorted({name})"
    else:
        return
    raise TypeError(f"{what} is {how}")


def listing_of(shape: tuple[int, ...], name: str) -> str:
    """Return how to list pairs that are given as triples or as a square matrix, for messages, or nothing."""
    if len(shape) != 2 or shape[1] < 3:
        return ""
    matrix = name if name == "arcs" else f"numpy.triu({name})"
    whole = f"; of an adjacency matrix, pass numpy.argwhere({matrix})" * (shape[0] == shape[1])
    return f"; of pairs with weights, pass [each[:2] for each in {name}]" * (shape[1] == 3) + whole


def float_array(values: Any, name: str) -> FloatArray:
    """Return values as an array of float64; ValueError where they are no numbers, or masked."""
    refuse_masked(values, name)
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from error


def share(value: Any, name: str) -> float:
    """Return `value` as a float in the open interval (0, 1).

    Raises
    ------
    TypeError
        When it is not a number.
    ValueError
        When it is out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not 0 < number < 1:
        raise ValueError(f"{name} must be between 0 and 1, both excluded, got {value}")
    return number


def check_share_or_none(name: str, value: Any) -> None:
    """Raise TypeError or ValueError unless `value` is None or a number in (0, 1)."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number in (0, 1) or None, got {value!r}")
    if not 0.0 < float(value) < 1.0:
        raise ValueError(f"{name} must be in (0, 1), got {value!r}")


def check_extent(nu: Any, max_results: Any) -> None:
    """Raise TypeError or ValueError unless the arguments of `enumerate` say how many structures to list."""
    if isinstance(nu, bool) or not isinstance(nu, Real):
        raise TypeError(f"nu must be a number, got {nu!r}")
    if not 0.0 < float(nu) <= 1.0:
        raise ValueError(f"nu must be in (0, 1], got {nu!r}; predict gives the best structure")
    if max_results is not None and not is_integer(max_results):
        raise TypeError(f"max_results must be a positive integer or None, got {max_results!r}")
    if max_results is not None and max_results < 1:
        raise ValueError(f"max_results must be a positive integer or None, got {max_results!r}")


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
        For a mask of another shape, a list that is empty or repeats itself, and where nothing is allowed.
    """
    if allowed is None:
        return np.ones(n, dtype=np.bool_)
    refuse_masked(allowed, f"{structure}: allowed")
    values = np.asarray(allowed)
    if values.dtype.kind == "b":
        if values.shape != (n,):
            raise ValueError(
                f"{structure}: the mask allowed must have shape ({n},), one entry for each {noun}; got {values.shape}"
            )
        mask: NDArray[np.bool_] = values.copy()
    else:
        if values.ndim != 1 or values.size == 0:
            raise ValueError(f"{structure}: allowed must list at least one {noun}, got {allowed!r}")
        listed = indices(values)
        if len(np.unique(listed)) < len(listed):
            raise ValueError(f"{structure}: allowed lists the same {noun} twice; a mask must have booleans, not 0/1")
        mask = np.zeros(n, dtype=np.bool_)
        mask[listed] = True
    if not mask.any():
        raise ValueError(f"{structure}: allowed leaves no {noun} to predict; allow at least one")
    return mask
