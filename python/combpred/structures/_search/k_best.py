"""The k best outputs in order of their scores, and the better half of the outputs of sibling systems.

`best_outputs` chooses among three ways: combinations of independent entries of ψ, sorting a list of all outputs, and
partitioning the space (module `partition`). `better_siblings` needs no decoding at all.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import islice
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._lib.arrays import FloatArray
from ..._lib.decode import Decoding, score_values
from ..._lib.errors import CapabilityError
from .partition import best_by_partition, decode_exactly

if TYPE_CHECKING:
    from .._space import LibrarySpace


_TIE_TOLERANCE = 1e-12  # scores that differ by less than this fraction of the sum of all magnitudes are tied
_PAIRS_COMPARED = 256  # number of sibling pairs from which it is seen whether all pairs have the same total score

# All members are listed and sorted if there are at most max(first / d, second · d) of them: it then costs no more than
# some of the decodings that it replaces.
_SCANNED_NUMBERS, _SCANNED_PER_ENTRY = 2**22, 32
_BLOCK_NUMBERS = 2**20  # entries of ψ in memory at a time while members are listed
_YIELDED_AT_ONCE = 64  # sorted members that are decoded at a time


def best_outputs(
    space: LibrarySpace,
    linear: FloatArray,
    magnitude: FloatArray | None,
    *,
    nu: float = 1.0,
    max_results: int | None = None,
    n_threads: int | None = None,
) -> Iterator[Any]:
    r"""Return an iterator over outputs in descending order of their score; ties come in a fixed order.

    Parameters
    ----------
    space : LibrarySpace
        The space to which the outputs belong.
    linear : ndarray of shape (d,)
        Scores of the entries of ψ.
    magnitude : ndarray of shape (d,) or None
        Scores of their squares: the score of y is :math:`\langle linear, \psi(y)\rangle + \langle magnitude,
        \psi(y)^2\rangle`.
    nu : float, default=1.0
        Outputs are listed while their score is at least :math:`(1-\nu)\max + \nu\min`; 1 lists all.
    max_results : int or None, default=None
        Largest number of outputs to list; None: no limit.
    n_threads : int or None, default=None
        Number of threads for decoding; None: as configured.

    Yields
    ------
    y : one row in the structure's format
        Of several outputs with equal ψ, which no score tells apart, only one is listed.

    Raises
    ------
    CapabilityError
        When the structure has no exact decoder at its size, or an embedding that cannot be partitioned. Only later
        decodings raise errors during iteration; all others are raised at once.

    Notes
    -----
    If every combination of entries of ψ is an output, combinations come from a heap, at O(d) each. Small spaces are
    listed and sorted. All others are partitioned (see `best_by_partition`), at a cost of at most d exact decodings for
    each output.
    """
    numbers = linear if magnitude is None else np.concatenate([linear, magnitude])
    slack = _TIE_TOLERANCE * float(np.abs(numbers).sum())
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


def best_combinations(
    values: tuple[int, ...], linear: FloatArray, magnitude: FloatArray | None, nu: float, slack: float
) -> Iterator[NDArray[np.int32]]:
    r"""Yield the vectors ψ with entries in `values`, in descending order of their score, each once.

    Parameters
    ----------
    values : tuple of int
        Two or three values that every entry of ψ may take.
    linear : ndarray of shape (d,)
        Scores of the entries.
    magnitude : ndarray of shape (d,) or None
        Scores of their squares: the score of ψ is :math:`\sum_e linear_e \psi_e + magnitude_e \psi_e^2`.
    nu : float
        Vectors are listed while their score is at least :math:`(1-\nu)\max + \nu\min`.
    slack : float
        Tolerance of that bound.

    Notes
    -----
    The loss of a value is what the entry loses by it against its best value. Entries are sorted by the loss of their
    second-best value. A vector is represented by its changed entries, those that are not at their best value, in that
    order. Every vector but the best is generated by exactly one other vector, whose score is at least as large, in one
    of three ways: the last changed entry takes its next value; the entry after it is changed too; or, if the last
    changed entry is at its second-best value, the entry after it is changed instead. A heap holds the vectors that are
    generated but not yet listed. Cost: O(d log d) at the start, and O(d + log k) for the k-th vector.
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

    # Loss, tie-breaker, place of the last changed entry in the order, rank of its value, loss of the other changed
    # entries, and these as a linked list.
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


def _is_scanned(space: LibrarySpace) -> bool:
    """Return whether to list and sort all members; CapabilityError for spaces that are given by functions."""
    if not space.in_library:
        raise CapabilityError(
            f"{space.structure!r} is given by functions, whose best output is not proven to be one, so that the "
            "outputs that follow it cannot be found; Custom.from_structures lists them"
        )
    if space.is_listed:
        return True  # its ψ may hold any numbers, which cannot be partitioned, and the list exists already
    try:
        log_count = space.log_count()
    except CapabilityError:
        return False
    d = space.n_features
    return log_count <= log(max(_SCANNED_NUMBERS / d, _SCANNED_PER_ENTRY * d))


def _sorted_members(
    space: LibrarySpace, linear: FloatArray, magnitude: FloatArray | None, nu: float, slack: float
) -> Iterator[Any]:
    """Yield the members of a small space, sorted by descending score; parameters are those of `best_combinations`."""
    step = max(1, _BLOCK_NUMBERS // len(linear))
    blocks = [part[i : i + step] for part in space.listed() for i in range(0, len(part), step)]
    values = np.concatenate([score_values(space.embed(part), linear, magnitude) for part in blocks])
    parts = np.concatenate(blocks)
    least = (1.0 - nu) * values.max() + nu * values.min() - slack
    order = np.argsort(-values, kind="stable")
    order = order[values[order] >= least]
    seen: set[bytes] = set()  # ψ of the members with the current score
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


def better_siblings(space: LibrarySpace, linear: FloatArray, magnitude: FloatArray | None) -> Iterator[Any]:
    r"""Yield every output y with :math:`s(y) \ge \tfrac12(\max s + \min s)` once, in lexicographic order of pairs.

    Parameters
    ----------
    space : LibrarySpace
        A sibling system.
    linear : ndarray of shape (d,)
        Scores of the entries of ψ.
    magnitude : ndarray of shape (d,) or None
        Scores of their magnitudes: :math:`s(y) = \langle linear, \psi(y)\rangle + \langle magnitude,
        |\psi(y)|\rangle`.

    Raises
    ------
    CapabilityError
        When the space is not a sibling system, or not with these magnitudes.

    Notes
    -----
    In a sibling system outputs come in pairs whose scores add up to :math:`\max s + \min s`. So the better output of
    each pair is yielded, or both if they are tied. A pair is examined when its lexicographically smaller output is
    listed. No decoding is needed, and outputs come in incremental polynomial time (Vembu, 2010, ch. 4, whose loop as
    printed yields each output twice).
    """
    slack = _TIE_TOLERANCE * float(np.abs(linear).sum() + (0.0 if magnitude is None else np.abs(magnitude).sum()))
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
        smaller, same = _compare_rows(parts, siblings)
        passed, passed_too = smaller & (values >= others - slack), smaller & ~same & (others >= values - slack)
        rows = np.flatnonzero(passed | passed_too)
        listed, mirrored = space.decode_parts(parts[rows]), space.decode_parts(siblings[rows])
        for k, row in enumerate(rows):
            if passed[row]:
                yield listed[k]
            if passed_too[row]:
                yield mirrored[k]


def has_siblings(space: LibrarySpace, magnitude: FloatArray | None) -> bool:
    """Return whether outputs come in pairs whose scores add up to the same number, for any linear scores.

    With magnitudes this holds if the sum of ψ² over a pair, weighted by the magnitudes, is the same for all pairs. The
    first members in the list suffice to see this, as lists vary the last entries first.
    """
    if not space.capabilities >= {"sibling", "enumerate"}:
        return False
    if magnitude is None:
        return True
    parts = next(space.listed())[:_PAIRS_COMPARED]
    siblings = space.mirror(parts)
    shared = sum(np.square(space.embed(each)) @ magnitude for each in (parts, siblings))
    return bool(np.ptp(shared) <= _TIE_TOLERANCE * np.abs(magnitude).sum())


def _compare_rows(one: NDArray[np.int32], other: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each row whether `one` is lexicographically at most `other`, and whether the two are equal."""
    differs = one != other
    at = differs.argmax(axis=1)
    rows = np.arange(len(one))
    return one[rows, at] <= other[rows, at], ~differs.any(axis=1)
