"""Few rows a block, so that what reads blocks reads several."""

from __future__ import annotations

import pytest

from combpred._models import rows


@pytest.fixture
def few_rows(limits, monkeypatch):
    """Cut blocks into parts of 16 rows."""
    limits.block_rows(16)
    monkeypatch.setattr(rows, "_STRIP_ROWS", 16)
