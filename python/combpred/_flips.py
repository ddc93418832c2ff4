"""Combinations of independent entries in descending order of their score."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


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
