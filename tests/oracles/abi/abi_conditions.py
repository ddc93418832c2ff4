"""Legal conditions on two rankings of four labels, and room for what they come to; decisions for sets of six labels."""

from __future__ import annotations

import numpy as np

from combpred._lib import abi
from combpred._lib.structure import Description
from combpred._lib.table import record

FIRST = np.array([0, 1, 3], dtype=np.int64)  # label 0 is first; 1 is before 2, and 3 is last
KEYS = np.array([[abi.KEY_FIRST, abi.KEY_BEFORE, abi.KEY_LAST], [0, 1, 3], [-1, 2, -1]], dtype=np.int32)
ORDERED = np.array([[1, 2, 3, 4], [2, 1, 3, 4]], dtype=np.int32)  # positions of labels in rankings that satisfy them
PARTLY = np.array([[1, 0, 2, 0], [2, 1, 0, 3]], dtype=np.int32)  # what may be known of such rankings
BEGIN, ENTRIES, SIGNS = np.zeros(3, dtype=np.int64), np.zeros(16, dtype=np.int32), np.zeros((2, 16), dtype=np.int8)

CONDITIONS = record(
    abi.CConditions,
    n=2,
    first=FIRST.ctypes.data,
    key=KEYS[0].ctypes.data,
    u=KEYS[1].ctypes.data,
    v=KEYS[2].ctypes.data,
)
ZEROS, ONES = np.zeros((2, 6)), np.ones(2)
SEEN = record(
    abi.CTargets,
    n=2,
    d=6,
    psi=ZEROS.ctypes.data,
    weights=ONES.ctypes.data,
    part_len=4,
    parts=PARTLY.ctypes.data,
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

SIZE_AND_MEMBER = np.array([[abi.KEY_REQUIRED, abi.KEY_SIZE], [2, 3], [-1, -1]], dtype=np.int32)
STARTS = np.array([0, 2, 2], dtype=np.int64)
SET_CONDITIONS = record(
    abi.CConditions,
    n=2,
    first=STARTS.ctypes.data,
    key=SIZE_AND_MEMBER[0].ctypes.data,
    u=SIZE_AND_MEMBER[1].ctypes.data,
    v=SIZE_AND_MEMBER[2].ctypes.data,
)
LABELS = Description("labelsets", {"n": 6})
SET_SCORES, CHOSEN, WORTH = np.zeros((2, 6)), np.zeros((2, 6), dtype=np.int32), np.zeros(2)
OF_SETS = LABELS.handle, record(abi.CScores, n=2, d=6, linear=SET_SCORES.ctypes.data)
HALVES, THRESHOLDS, LEVELS = np.full((2, 6), 0.5), np.full(2, 0.25), np.zeros(2)
INSIDE, ALLOWED, DRAWN = (
    np.zeros(2, dtype=np.uint8),
    np.zeros((2, 6), dtype=np.uint8),
    np.zeros((2, 3, 6), dtype=np.int32),
)
MASKS = (
    LABELS.handle,
    record(abi.CConformalSets, n=2, d=6, marginals=HALVES.ctypes.data, thresholds=THRESHOLDS.ctypes.data),
    SET_CONDITIONS,
)
SET_CALLS = {
    "cp_conformal_least": [
        *(LABELS.handle, HALVES.ctypes.data, 2, 6, CHOSEN.ctypes.data, 6, LEVELS.ctypes.data, 1, None),
    ],
    "cp_conformal_contains": [*MASKS, CHOSEN.ctypes.data, 6, INSIDE.ctypes.data, 1, None],
    "cp_conformal_sizes": [*MASKS, LEVELS.ctypes.data, 1, None],
    "cp_conformal_allowed": [*MASKS, ALLOWED.ctypes.data, 1, None],
    "cp_conformal_sample": [*MASKS, 7, DRAWN.ctypes.data, 3, 6, 1, None],
    "cp_sets_decide": [*OF_SETS, b"f1", SET_CONDITIONS, CHOSEN.ctypes.data, 6, WORTH.ctypes.data, 1, None],
    "cp_sets_value": [*OF_SETS, b"ranking", CHOSEN.ctypes.data, 6, WORTH.ctypes.data, 1, None],
}
