"""Parameters of structures: their limits, and how they are compared."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


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
