"""Checking parameters that count something."""

from __future__ import annotations

from typing import Any

import numpy as np


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    """Return `value` as an int; TypeError when it is none, ValueError when it is not between `least` and `most`."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if not least <= value <= most:
        raise ValueError(f"{name} must be between {least} and {most}, got {value}")
    return int(value)
