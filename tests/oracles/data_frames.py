"""Data frames of the libraries that work here: releases of pyarrow may need a later NumPy than the oldest allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest


def imported_pyarrow() -> Any:
    """Return pyarrow; the test is skipped where its release needs a later NumPy than is installed."""
    return pytest.importorskip("pyarrow", exc_type=ImportError, reason="releases of pyarrow need a later NumPy")


#: Functions of a dict of columns, and the classes of predictions that are as such frames.
FRAMES: list[tuple[Callable[[dict[str, Any]], Any], type]] = [
    (pd.DataFrame, pd.DataFrame),
    (pl.DataFrame, pl.DataFrame),
]
try:
    import pyarrow as pa
except ImportError:
    pass
else:
    FRAMES.append((pa.table, pl.DataFrame))
