"""Arguments that are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..structures._parameters import is_integer


def is_number(value: Any) -> bool:
    """Return whether a value is a real number, and no boolean."""
    return is_integer(value) or isinstance(value, (float, np.floating))
