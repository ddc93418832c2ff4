"""All structures whose score is at least the mean of the largest and the smallest one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import CapabilityError
from ._scores import score_values
from .structures import Structure

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-12  # of the sum of the magnitudes of all scores: differences below it are ties
_LOOKED_AT = 256  # members that show whether pairs are level


def better_halves(structure: Structure, linear: FloatArray, magnitude: FloatArray | None) -> Iterator[Any]:
    r"""Yield every structure y with :math:`s(y) \ge \tfrac12(\max s + \min s)` once.

    The score is :math:`s(y) = \langle linear, \psi(y)\rangle + \langle magnitude, |\psi(y)|\rangle`, both ``(d,)``. In
    a sibling system structures come in pairs whose scores add up to :math:`\max s + \min s`, so that the better one of
    each pair passes, and both where they are equal. A pair is looked at once, where its lexicographically smaller one
    is listed; listings are lexicographic, so the structures come in incremental polynomial time (Vembu, 2010, ch. 4,
    where the loop as printed yields each one twice).

    Raises
    ------
    CapabilityError
        Where the structure is no sibling system, or not with these magnitudes.
    """
    slack = _ROUNDING * float(np.abs(linear).sum() + (0.0 if magnitude is None else np.abs(magnitude).sum()))
    total = None
    for parts in structure._listed_parts():
        siblings = structure._mirrored(parts)
        values, others = (score_values(structure._embed_parts(each), linear, magnitude) for each in (parts, siblings))
        total = values[0] + others[0] if total is None else total
        if not np.allclose(values + others, total, rtol=0.0, atol=8 * slack):
            raise CapabilityError(
                f"{structure!r} is no sibling system under loss='squared', where the scores of a pair have a part in "
                "common: take loss='auc'"
            )
        smaller, same = _compared(parts, siblings)
        passed, passed_too = smaller & (values >= others - slack), smaller & ~same & (others >= values - slack)
        rows = np.flatnonzero(passed | passed_too)
        listed, mirrored = structure._decode_parts(parts[rows]), structure._decode_parts(siblings[rows])
        for k, row in enumerate(rows):
            if passed[row]:
                yield listed[k]
            if passed_too[row]:
                yield mirrored[k]


def has_siblings(structure: Structure, magnitude: FloatArray | None) -> bool:
    """Whether structures come in pairs whose scores add up to the same number, whatever the linear scores are.

    With a magnitude that is so where the members of a pair, taken together, have the same squares of ψ as those of any
    other; the first members in the listing show where they differ, as listings vary the last entries first.
    """
    try:
        parts = next(structure._listed_parts())[:_LOOKED_AT]
        siblings = structure._mirrored(parts)
    except CapabilityError:
        return False
    if magnitude is None:
        return True
    shared = sum(np.square(structure._embed_parts(each)) @ magnitude for each in (parts, siblings))
    return bool(np.ptp(shared) <= _ROUNDING * np.abs(magnitude).sum())


def _compared(one: NDArray[np.int32], other: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each row whether the first is lexicographically smaller or equal, and whether both are equal."""
    differs = one != other
    at = differs.argmax(axis=1)
    rows = np.arange(len(one))
    return one[rows, at] <= other[rows, at], ~differs.any(axis=1)
