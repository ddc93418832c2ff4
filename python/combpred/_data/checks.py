"""Checks of single arguments: choices, numbers, shares, sizes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np


def share(value: Any, name: str) -> float:
    """Return `value` as a float; TypeError when it is no number, ValueError when it is not between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not 0 < number < 1:
        raise ValueError(f"{name} must be between 0 and 1, both excluded, got {value}")
    return number


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    """Return `value` as an int; TypeError when it is none, ValueError when it is not between `least` and `most`."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if not least <= value <= most:
        raise ValueError(f"{name} must be between {least} and {most}, got {value}")
    return int(value)


@dataclass(frozen=True)
class Limit:
    """The largest size that the compiled library takes, and why."""

    most: int
    reason: str


SIZE_LIMIT = Limit(2**24, "beyond that, products of sizes might overflow the 32-bit integers of the library")


def is_integer(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def require_integers(**arguments: object) -> None:
    """Raise TypeError that names the first argument which is no integer."""
    for name, value in arguments.items():
        if not is_integer(value):
            raise TypeError(f"{name} must be an integer, got {value!r}")


def frozen(value: Any) -> Hashable:
    """Return a hashable image of a parameter: arrays and lists of equal content have equal images.

    Booleans are tagged: as `allowed` of a hierarchy, the mask [True, False] and the nodes [1, 0] differ.
    """
    if isinstance(value, Mapping):
        return ("mapping", *((frozen(k), frozen(v)) for k, v in value.items()))
    if hasattr(value, "__array__"):
        value = np.asarray(value).tolist()
    if isinstance(value, (list, tuple)):
        return tuple(frozen(v) for v in value)
    return ("bool", value) if isinstance(value, bool) else value


def is_number(value: Any) -> bool:
    """Return whether a value is a real number, and no boolean."""
    return is_integer(value) or isinstance(value, (float, np.floating))


def check_choice(parameter: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return the value of a parameter of a method; ValueError unless it is one of its choices."""
    if value not in choices:
        raise ValueError(f"{parameter} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return str(value)


def check_share_or_none(name: str, value: Any) -> None:
    """Raise TypeError or ValueError unless the value is None or a number in (0, 1)."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number in (0, 1) or None, got {value!r}")
    if not 0.0 < float(value) < 1.0:
        raise ValueError(f"{name} must be in (0, 1), got {value!r}")


def choice(value: Any, name: str, allowed: tuple[str, ...]) -> None:
    """Raise ValueError unless `value` is one of those allowed."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")


def check_share(value: Any, name: str) -> None:
    """Raise ValueError unless `value` is a number between 0 and 1."""
    if not isinstance(value, (int, float, np.floating)) or not 0 < value < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, got {value!r}")
