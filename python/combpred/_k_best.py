"""Outputs in descending order of their score, for one vector of scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._decoding import Decoding
from ._errors import CapabilityError
from ._flips import best_combinations
from ._partition import best_by_partition, decode_exactly
from ._scores import score_values
from .structures import Custom, Structure

FloatArray = NDArray[np.float64]

# Listing all members is taken where it costs no more than some of the decodings that it replaces.
_SCANNED_NUMBERS, _SCANNED_PER_ENTRY = 2**22, 32
_BLOCK_NUMBERS = 2**20  # entries of ψ that a scan holds at a time
_YIELDED_AT_ONCE = 64
_ROUNDING = 1e-12  # of the sum of the magnitudes of all scores: differences below it are ties


def k_best(
    structure: Structure,
    linear: FloatArray,
    magnitude: FloatArray | None,
    *,
    nu: float = 1.0,
    max_results: int | None = None,
    n_threads: int | None = None,
) -> Iterator[Any]:
    r"""Return an iterator over outputs in descending order of their score, ties in a fixed order.

    Parameters
    ----------
    structure : Structure
    linear, magnitude : ndarray of shape (d,)
        The score is :math:`\langle linear, \psi(y)\rangle + \langle magnitude, \psi(y)^2\rangle`; None: no magnitude.
    nu : float, default=1.0
        Only outputs with score at least :math:`(1-\nu)\max + \nu\min` are listed; 1 lists all.
    max_results : int or None, default=None
        How many to list at most.
    n_threads : int or None, default=None
        Threads of decoding; None: as configured.

    Yields
    ------
    y : one row in the structure's format
        Of several outputs with equal ψ, which no score tells apart, one.

    Raises
    ------
    CapabilityError
        Where the structure has no exact decoder at its size, or an embedding that cannot be partitioned. All errors
        but those of later decodings come before the iterator is returned.

    Notes
    -----
    Three ways. Where every combination of entries is an output, combinations come from a heap, O(d) each. Small spaces
    are listed and sorted. All others are partitioned (see `best_by_partition`), at most d exact decodings for each
    output.
    """
    numbers = linear if magnitude is None else np.concatenate([linear, magnitude])
    slack = _ROUNDING * float(np.abs(numbers).sum())
    values = structure._free_values()
    if values is not None:
        found = best_combinations(values, linear, magnitude, nu, slack)
        return (structure._decode_parts(psi[np.newaxis])[0] for psi in islice(found, max_results))
    if _is_scanned(structure):
        return islice(_sorted_members(structure, linear, magnitude, nu, slack), max_results)
    how = Decoding("exact", n_threads)
    least = -np.inf
    if nu < 1.0:
        # The minimum is the maximum of the negated scores.
        ends = [
            decode_exactly(structure, sign * linear[np.newaxis], None if magnitude is None else sign * magnitude, how)
            for sign in (1.0, -1.0)
        ]
        largest, smallest = float(ends[0].value[0]), -float(ends[1].value[0])
        least = (1.0 - nu) * largest + nu * smallest - slack
    return best_by_partition(structure, linear, magnitude, how, least=least, max_results=max_results)


def _is_scanned(structure: Structure) -> bool:
    """Whether to list and sort all members; CapabilityError for a user's outputs that nobody can list."""
    if isinstance(structure, Custom):
        if structure._parts_dtype != np.int32:
            raise CapabilityError(
                f"{structure!r} is given by functions, whose best output is not proven to be one, so that the outputs "
                "that follow it cannot be found; Custom.from_structures lists them"
            )
        return True  # its ψ may hold any numbers, which cannot be partitioned, and the list is there already
    try:
        log_count = structure.log_count()
    except CapabilityError:
        return False
    d = structure.n_features
    return log_count <= log(max(_SCANNED_NUMBERS / d, _SCANNED_PER_ENTRY * d))


def _sorted_members(
    structure: Structure, linear: FloatArray, magnitude: FloatArray | None, nu: float, slack: float
) -> Iterator[Any]:
    """Yield the members of a space that can be listed, sorted."""
    step = max(1, _BLOCK_NUMBERS // len(linear))
    blocks = [part[i : i + step] for part in structure._listed_parts() for i in range(0, len(part), step)]
    values = np.concatenate([score_values(structure._embed_parts(part), linear, magnitude) for part in blocks])
    parts = np.concatenate(blocks)
    least = (1.0 - nu) * values.max() + nu * values.min() - slack
    order = np.argsort(-values, kind="stable")
    order = order[values[order] >= least]
    seen: set[bytes] = set()  # ψ of those with the current score
    current = np.inf
    for start in range(0, len(order), _YIELDED_AT_ONCE):
        rows = order[start : start + _YIELDED_AT_ONCE]
        psi = structure._embed_parts(parts[rows]) + 0.0  # −0 and 0 are the same
        listed = structure._decode_parts(parts[rows])
        for k, row in enumerate(rows):
            if values[row] < current - slack:
                seen, current = set(), values[row]
            key = psi[k].tobytes()
            if key not in seen:
                seen.add(key)
                yield listed[k]
