"""Several best outputs, in order of their scores."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import islice
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._lib.decode import Decoding, score_values
from ..._lib.errors import CapabilityError
from .partition import best_by_partition, decode_exactly

if TYPE_CHECKING:
    from .._space import Space

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-12  # of the sum of the magnitudes of all scores: differences below it are ties
_LOOKED_AT = 256  # members that show whether pairs are level

# Listing all members is taken where it costs no more than some of the decodings that it replaces.
_SCANNED_NUMBERS, _SCANNED_PER_ENTRY = 2**22, 32
_BLOCK_NUMBERS = 2**20  # entries of ψ that a scan holds at a time
_YIELDED_AT_ONCE = 64


def best_combinations(
    values: tuple[int, ...], linear: FloatArray, magnitude: FloatArray | None, nu: float, slack: float
) -> Iterator[NDArray[np.int32]]:
    r"""Yield vectors ψ with entries in `values`, in descending order of their score, each once.

    The score is :math:`\sum_e linear_e \psi_e + magnitude_e \psi_e^2`; vectors are listed down to :math:`(1-\nu)\max +
    \nu\min` less `slack`.

    Notes
    -----
    What an entry loses by its second-best and third-best value orders the choices. Entries are sorted by the loss of
    the second-best. A vector other than the best is given by its entries that are not at their best, and is generated
    by exactly one that scores no less: the last of these entries goes one value down, or a further entry, the next,
    comes to be changed, beside the last one or instead of it. A heap holds those generated and not yet listed. Cost of
    the k-th vector: O(d + log k), after O(d log d).
    """
    d = len(linear)
    squares = np.zeros(d) if magnitude is None else magnitude
    choices = np.asarray(values, dtype=np.int32)
    scores = np.multiply.outer(linear, choices) + np.multiply.outer(squares, choices**2)
    ranked = np.argsort(-scores, axis=1, kind="stable")
    sorted_scores = np.take_along_axis(scores, ranked, axis=1)
    losses = sorted_scores[:, :1] - sorted_scores
    limit = nu * float(losses[:, -1].sum()) + slack if nu < 1.0 else np.inf
    order = np.argsort(losses[:, 1], kind="stable")
    loss = losses[order].tolist()
    best = choices[ranked[:, 0]]
    yield best.copy()

    # Loss, tie-breaker, and the changed entries: the last one's place in the order and its value's rank, the loss of
    # the others, and these as a linked list.
    heap: list[tuple[float, int, int, int, float, Any]] = [(loss[0][1], 0, 0, 1, 0.0, None)]
    number = 0
    while heap and heap[0][0] <= limit:
        _, _, at, rank, others_loss, others = heapq.heappop(heap)
        psi, changed, rest = best.copy(), [(at, rank)], others
        while rest is not None:
            place, value_rank, rest = rest
            changed.append((place, value_rank))
        for place, value_rank in changed:
            psi[order[place]] = choices[ranked[order[place], value_rank]]
        yield psi
        following: list[tuple[int, int, float, Any]] = []
        if rank + 1 < len(values):
            following.append((at, rank + 1, others_loss, others))
        if at + 1 < d:
            following.append((at + 1, 1, others_loss + loss[at][rank], (at, rank, others)))
            if rank == 1:
                following.append((at + 1, 1, others_loss, others))
        for next_at, next_rank, kept_loss, kept in following:
            number += 1
            heapq.heappush(heap, (kept_loss + loss[next_at][next_rank], number, next_at, next_rank, kept_loss, kept))


def better_halves(space: Space, linear: FloatArray, magnitude: FloatArray | None) -> Iterator[Any]:
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
    for parts in space.listed():
        siblings = space.mirror(parts)
        values, others = (score_values(space.embed(each), linear, magnitude) for each in (parts, siblings))
        total = values[0] + others[0] if total is None else total
        if not np.allclose(values + others, total, rtol=0.0, atol=8 * slack):
            raise CapabilityError(
                f"{space.structure!r} is no sibling system under loss='squared', where the scores of a pair have a "
                "part in common: take loss='auc'"
            )
        smaller, same = _compared(parts, siblings)
        passed, passed_too = smaller & (values >= others - slack), smaller & ~same & (others >= values - slack)
        rows = np.flatnonzero(passed | passed_too)
        listed, mirrored = space.decode_parts(parts[rows]), space.decode_parts(siblings[rows])
        for k, row in enumerate(rows):
            if passed[row]:
                yield listed[k]
            if passed_too[row]:
                yield mirrored[k]


def has_siblings(space: Space, magnitude: FloatArray | None) -> bool:
    """Whether structures come in pairs whose scores add up to the same number, whatever the linear scores are.

    With a magnitude that is so where the members of a pair, taken together, have the same squares of ψ as those of any
    other; the first members in the listing show where they differ, as listings vary the last entries first.
    """
    if not space.capabilities >= {"sibling", "enumerate"}:
        return False
    if magnitude is None:
        return True
    parts = next(space.listed())[:_LOOKED_AT]
    siblings = space.mirror(parts)
    shared = sum(np.square(space.embed(each)) @ magnitude for each in (parts, siblings))
    return bool(np.ptp(shared) <= _ROUNDING * np.abs(magnitude).sum())


def _compared(one: NDArray[np.int32], other: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each row whether the first is lexicographically smaller or equal, and whether both are equal."""
    differs = one != other
    at = differs.argmax(axis=1)
    rows = np.arange(len(one))
    return one[rows, at] <= other[rows, at], ~differs.any(axis=1)


def best_outputs(
    space: Space,
    linear: FloatArray,
    magnitude: FloatArray | None,
    *,
    nu: float = 1.0,
    max_results: int | None = None,
    n_threads: int | None = None,
) -> Iterator[Any]:
    r"""Return an iterator over outputs in descending order of their score, ties in a fixed order, each once.

    Parameters
    ----------
    space : Space
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
    values = space.free_values()
    if values is not None:
        found = best_combinations(values, linear, magnitude, nu, slack)
        return (space.decode_parts(psi[np.newaxis])[0] for psi in islice(found, max_results))
    if _is_scanned(space):
        return islice(_sorted_members(space, linear, magnitude, nu, slack), max_results)
    how = Decoding("exact", n_threads)
    least = -np.inf
    if nu < 1.0:
        # The minimum is the maximum of the negated scores.
        ends = [
            decode_exactly(space, sign * linear[np.newaxis], None if magnitude is None else sign * magnitude, how)
            for sign in (1.0, -1.0)
        ]
        largest, smallest = float(ends[0].value[0]), -float(ends[1].value[0])
        least = (1.0 - nu) * largest + nu * smallest - slack
    return best_by_partition(space, linear, magnitude, how, least=least, max_results=max_results)


def _is_scanned(space: Space) -> bool:
    """Whether to list and sort all members; CapabilityError for a user's outputs that nobody can list."""
    if not space.in_library:
        raise CapabilityError(
            f"{space.structure!r} is given by functions, whose best output is not proven to be one, so that the "
            "outputs that follow it cannot be found; Custom.from_structures lists them"
        )
    if space.is_listed:
        return True  # its ψ may hold any numbers, which cannot be partitioned, and the list is there already
    try:
        log_count = space.log_count()
    except CapabilityError:
        return False
    d = space.n_features
    return log_count <= log(max(_SCANNED_NUMBERS / d, _SCANNED_PER_ENTRY * d))


def _sorted_members(
    space: Space, linear: FloatArray, magnitude: FloatArray | None, nu: float, slack: float
) -> Iterator[Any]:
    """Yield the members of a space that can be listed, sorted."""
    step = max(1, _BLOCK_NUMBERS // len(linear))
    blocks = [part[i : i + step] for part in space.listed() for i in range(0, len(part), step)]
    values = np.concatenate([score_values(space.embed(part), linear, magnitude) for part in blocks])
    parts = np.concatenate(blocks)
    least = (1.0 - nu) * values.max() + nu * values.min() - slack
    order = np.argsort(-values, kind="stable")
    order = order[values[order] >= least]
    seen: set[bytes] = set()  # ψ of those with the current score
    current = np.inf
    for start in range(0, len(order), _YIELDED_AT_ONCE):
        rows = order[start : start + _YIELDED_AT_ONCE]
        psi = space.embed(parts[rows]) + 0.0  # −0 and 0 are the same
        listed = space.decode_parts(parts[rows])
        for k, row in enumerate(rows):
            if values[row] < current - slack:
                seen, current = set(), values[row]
            key = psi[k].tobytes()
            if key not in seen:
                seen.add(key)
                yield listed[k]
