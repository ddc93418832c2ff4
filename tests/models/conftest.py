"""Few rows a block, so that what reads blocks reads several."""

from __future__ import annotations

import pytest


@pytest.fixture
def few_rows(limits):
    """Cut blocks into parts of 16 rows."""
    limits.block_rows(16)
