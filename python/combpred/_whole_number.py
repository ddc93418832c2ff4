"""Checking parameters that count something."""

from __future__ import annotations

from typing import Any

from .structures._parameters import is_integer


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    """Return `value` as an int; TypeError when it is none, ValueError when it is not between `least` and `most`."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if not least <= value <= most:
        raise ValueError(f"{name} must be between {least} and {most}, got {value}")
    return int(value)
