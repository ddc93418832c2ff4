"""Outputs with the names of their structure, for tables of results."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._data.tables import Named
from ._base import Structure
from ._visits import Visits


def named(structure: Structure, y: Any) -> Named | None:
    """Return rows of outputs y as text with the names of a structure; None where it has none, or y has them itself."""
    tours = isinstance(structure, Visits)
    names = structure.space.items if tours else structure.form.columns
    if names is None or not isinstance(y, np.ndarray) or y.ndim != 2:
        return None
    return Named(y, names, tours=tours)
