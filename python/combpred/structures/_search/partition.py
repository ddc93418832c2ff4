"""The best outputs one after the other, by partitioning the space around each output found."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._lib.arrays import FloatArray
from ..._lib.decode import Decoded, Decoding, score_values
from ..._lib.errors import CapabilityError

if TYPE_CHECKING:
    from .._space import LibrarySpace

Bits = NDArray[np.uint8]  # sets of values of an entry of ψ: bit 0 stands for −1, bit 1 for 0, bit 2 for +1

_BATCH_NUMBERS = 2**21  # number of scores in a batch of subproblems
_SIZES = np.array([bin(bits).count("1") for bits in range(8)])  # sizes of these sets


@dataclass(frozen=True)
class _Cell:
    """A cell of the partition of the space.

    Attributes
    ----------
    domains : ndarray of shape (d,), dtype=uint8
        The set of values that each entry of ψ may take.
    psi : ndarray of shape (d,), dtype=int8
        ψ of the best output in the cell.
    """

    domains: Bits
    psi: NDArray[np.int8]

    def child(self, at: int, free: NDArray[np.intp]) -> Bits:
        """Return the domains of the child in which free entry number `at` changes and those before it do not."""
        own = _bits(self.psi[free[: at + 1]])
        domains: Bits = self.domains.copy()
        domains[free[:at]] = own[:at]
        domains[free[at]] &= ~own[at]
        return domains


def best_by_partition(
    space: LibrarySpace,
    linear: FloatArray,
    magnitude: FloatArray | None,
    how: Decoding,
    *,
    least: float = -np.inf,
    max_results: int | None = None,
) -> Iterator[Any]:
    r"""Return an iterator over outputs in descending order of their score; each ψ comes once.

    Parameters
    ----------
    space : LibrarySpace
        The entries of its ψ must be −1, 0 or 1.
    linear, magnitude
        Scores of the entries of ψ and of their squares, as for `best_outputs`.
    how : Decoding
        An exact decoder.
    least : float, default=-inf
        Smallest score to list.
    max_results : int or None, default=None
        Largest number of outputs to list; None: no limit.

    Raises
    ------
    CapabilityError
        When ψ has other entries, or the structure is not decoded exactly at its size.

    Notes
    -----
    When the best output of a cell is listed, the other outputs of the cell are split by the first free entry of ψ in
    which they differ from it (Murty, 1968; Lawler, 1972). The best outputs of these subproblems are found by one batch
    of exact decodings with penalties: a value that an entry must not take costs more than any two outputs can differ
    by. If the best output of a subproblem still takes such a value, the subproblem is empty. Entries with two possible
    values need only penalties that are linear in ψ, so the decoders need not know about them.

    The k-th output costs at most d decodings, besides up to 3 d decodings at the start that find the possible values of
    each entry. Memory grows with d times the number of outputs listed, unless `max_results` bounds it.
    """
    problem = _Penalised(space, linear, magnitude, how)
    return problem.listed(least, max_results)


def decode_exactly(space: LibrarySpace, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> Decoded:
    """Return the best outputs of all rows; the CapabilityError of an exact decoder explains why one is needed."""
    try:
        return space.decode(linear, magnitude, how)
    except CapabilityError as error:
        raise CapabilityError(  # without the row, which is the number of the subproblem
            f"{space.structure!r}: outputs are listed in order by exact decodings, and {error.reason}; predict finds "
            "one output at any size, and nu=0.5 lists those of sibling systems without decoding"
        ) from None


class _Penalised:
    """The scores of one row, with penalties that keep decoding within a subproblem."""

    def __init__(self, space: LibrarySpace, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> None:
        self._space, self._how = space, how
        self._linear, self._magnitude = linear, magnitude
        self._alphabets = self._values_taken()
        # Decoding does not depend on the scale of scores; this one keeps penalties from overflowing.
        numbers = linear if magnitude is None else np.concatenate([linear, magnitude])
        self._scale = float(np.abs(numbers).max()) or 1.0
        most = np.abs(linear / self._scale).sum() * 2
        if magnitude is not None:
            most += np.abs(magnitude / self._scale).sum()
        self._penalty = float(most) + 1.0
        self._scored_squares = magnitude is not None or bool((self._alphabets == 7).any())

    def _values_taken(self) -> Bits:
        """Return the set of values that each entry of ψ takes, found by decoding for one entry at a time."""
        d = len(self._linear)
        highest, lowest = (self._extreme(np.arange(d), sign, squares=False) for sign in (1.0, -1.0))
        beyond = (highest > 1) | (lowest < -1) | (highest != np.rint(highest)) | (lowest != np.rint(lowest))
        if beyond.any():
            e = int(np.argmax(beyond))
            raise CapabilityError(
                f"{self._space.structure!r}: feature {e} takes values from {lowest[e]:g} to {highest[e]:g}, and the "
                "best outputs can be listed in order only where features are −1, 0 or 1 or the outputs few; take "
                "predict for the best one"
            )
        alphabets = _bits(highest) | _bits(lowest)
        both = np.flatnonzero(alphabets == 5)
        alphabets[both] |= _bits(self._extreme(both, -1.0, squares=True)) & 2
        return alphabets

    def _extreme(self, entries: NDArray[np.intp], sign: float, squares: bool) -> FloatArray:
        """Return an extreme value of ψ_e for each e in `entries`.

        It is the largest value for sign 1 and the smallest for sign −1; with `squares`, the value of largest, or
        smallest, square.
        """
        d, found = len(self._linear), np.empty(len(entries))
        for rows in _batches(len(entries), d):
            goal = np.zeros((len(entries[rows]), d))
            goal[np.arange(len(goal)), entries[rows]] = sign
            linear, magnitude = (np.zeros_like(goal), goal) if squares else (goal, None)
            y = decode_exactly(self._space, linear, magnitude, self._how).y
            found[rows] = self._space.embed(y)[np.arange(len(goal)), entries[rows]]
        return found

    def solve(self, domains: Bits) -> tuple[NDArray[Any], NDArray[np.int8], FloatArray, NDArray[np.bool_]]:
        """Return the best outputs of k subproblems.

        Parameters
        ----------
        domains : ndarray of shape (k, d), dtype=uint8
            The values that each entry of ψ may take.

        Returns
        -------
        parts : ndarray of shape (k, part_len)
        psi : ndarray of shape (k, d), dtype=int8
        values : ndarray of shape (k,)
            Scores, without penalties.
        allowed : ndarray of shape (k,), bool
            Whether ψ lies in the domains; if not, the subproblem is empty.
        """
        columns = np.broadcast_to(self._alphabets, domains.shape)
        linear = self._linear / self._scale - self._penalty * _LINEAR[columns, domains]
        magnitude = None
        if self._scored_squares:
            magnitude = -self._penalty * _SQUARE[columns, domains]
            if self._magnitude is not None:
                magnitude += self._magnitude / self._scale
        parts = decode_exactly(self._space, linear, magnitude, self._how).y
        psi = self._space.embed(parts)
        allowed = np.all(_bits(psi) & domains, axis=1)
        return parts, psi.astype(np.int8), score_values(psi, self._linear, self._magnitude), np.asarray(allowed)

    def listed(self, least: float, max_results: int | None) -> Iterator[Any]:
        """Return an iterator over outputs; the best one is found before the iterator is returned."""
        root = self._alphabets[np.newaxis]
        parts, psi, values, _ = self.solve(root)
        return self._listed(_Cell(root[0], psi[0]), parts[0], float(values[0]), least, max_results)

    def _listed(self, best: _Cell, parts: Any, value: float, least: float, max_results: int | None) -> Iterator[Any]:
        """Yield the outputs; arguments are the whole space as a cell, and its best output with its score."""
        # Negated score, tie-breaker, parts and ψ of the best output of a cell, its parent cell, and its number there.
        heap: list[tuple[float, int, Any, NDArray[np.int8], _Cell | None, int]] = []
        heap.append((-value, 0, parts, best.psi, None, 0))
        number, remaining = 0, np.inf if max_results is None else max_results
        while heap and -heap[0][0] >= least:
            _, _, parts, psi, parent, at = heapq.heappop(heap)
            yield self._space.decode_parts(parts[np.newaxis])[0]
            remaining -= 1
            if remaining == 0:
                return
            cell = best if parent is None else _Cell(parent.child(at, _free(parent)), psi)
            free = _free(cell)
            for rows in _batches(len(free), len(psi)):
                children = np.array([cell.child(at, free) for at in range(rows.start, rows.stop)])
                solved = self.solve(children)
                for k in np.flatnonzero(solved[3] & (solved[2] >= least)).tolist():
                    number += 1
                    found = solved[0][k].copy(), solved[1][k].copy()  # views would keep the batch in memory
                    heapq.heappush(heap, (-float(solved[2][k]), number, *found, cell, rows.start + k))
            if len(heap) > 2 * remaining:  # outputs beyond the remaining best will not be listed
                heap = heapq.nsmallest(int(remaining), heap)  # sorted, hence a heap


def _free(cell: _Cell) -> NDArray[np.intp]:
    """Return the entries of ψ that may take more than one value in a cell."""
    return np.flatnonzero(_SIZES[cell.domains] > 1)


def _bits(psi: NDArray[Any]) -> Bits:
    """Return values −1, 0 or 1 as sets with one element."""
    return np.left_shift(1, psi.astype(np.int8) + 1).astype(np.uint8)


def _batches(n: int, d: int) -> Iterator[slice]:
    """Return slices that cover n subproblems in batches of bounded memory."""
    step = max(1, _BATCH_NUMBERS // d)
    return (slice(i, min(i + step, n)) for i in range(0, n, step))


def _tables() -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of ψ_e and ψ_e² that cost 1 for every value outside a domain.

    Both tables are indexed by the alphabet, the set of values that the entry takes at all, and the domain. On the
    alphabet the cost is right up to a constant; other values do not matter.
    """
    on_psi, on_square = np.zeros((8, 8)), np.zeros((8, 8))
    for alphabet in range(8):
        for domain in range(8):
            minus, zero, plus = (0.0 if domain & bit else 1.0 for bit in (1, 2, 4))
            if alphabet == 3:
                on_psi[alphabet, domain] = zero - minus
            elif alphabet == 6:
                on_psi[alphabet, domain] = plus - zero
            elif alphabet in (5, 7):
                on_psi[alphabet, domain] = (plus - minus) / 2
            if alphabet == 7:
                on_square[alphabet, domain] = (plus + minus) / 2 - zero
    return on_psi, on_square


_LINEAR, _SQUARE = _tables()
