"""The check of numbers that are shares or probabilities, neither 0 nor 1."""

from __future__ import annotations

from numbers import Real
from typing import Any


def share(value: Any, name: str) -> float:
    """Return `value` as a float; TypeError when it is no number, ValueError when it is not between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not 0 < number < 1:
        raise ValueError(f"{name} must be between 0 and 1, both excluded, got {value}")
    return number
