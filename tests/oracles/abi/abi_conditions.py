"""Legal conditions on two rankings of four labels, and room for what they come to."""

from __future__ import annotations

import numpy as np

from combpred._lib import abi
from combpred._lib.call import record

FIRST = np.array([0, 1, 3], dtype=np.int64)  # label 0 is first; 1 is before 2, and 3 is last
KEYS = np.array([[abi.KEY_FIRST, abi.KEY_BEFORE, abi.KEY_LAST], [0, 1, 3], [-1, 2, -1]], dtype=np.int32)
BEGIN, ENTRIES, SIGNS = np.zeros(3, dtype=np.int64), np.zeros(16, dtype=np.int32), np.zeros((2, 16), dtype=np.int8)

CONDITIONS = record(
    abi.CConditions,
    n=2,
    first=FIRST.ctypes.data,
    key=KEYS[0].ctypes.data,
    u=KEYS[1].ctypes.data,
    v=KEYS[2].ctypes.data,
)
RESTRICTION = record(
    abi.CRestriction,
    n=2,
    first=BEGIN.ctypes.data,
    capacity=16,
    feature=ENTRIES.ctypes.data,
    value=SIGNS[0].ctypes.data,
    must=SIGNS[1].ctypes.data,
)
