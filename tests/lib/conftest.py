"""The library as ctypes sees it."""

from __future__ import annotations

import ctypes

import pytest

from combpred._lib import call


@pytest.fixture(scope="module")
def dll() -> ctypes.CDLL:
    return call.library().dll
