r"""Slack rescaling by decoding: the product of loss and violation, where only their weighted sums can be maximised."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from .._decoding import Decoding
from .._errors import renumbered
from ..structures import Structure
from ..structures._losses import AffineLoss, loss_augmented
from ._oracles import FloatArray, Planes, Rows

_ROUNDS = 40  # breakpoints looked at for a row; a handful is common
_PROVEN = 1e-9  # of the largest product: what is found and its bound agree


@dataclass(frozen=True)
class SlackOracle:
    r"""Searches for the output z of largest :math:`\Delta(y, z) (1 - \langle f, \psi(y) - \psi(z)\rangle)`.

    Of the pairs a = Δ(y, z) and b = 1 − ⟨f, ψ(y) − ψ(z)⟩ that outputs have, decoding with the loss added μ times finds
    one of largest F(μ) = max μ a + b. The weights μ where F has its corners lead along the upper hull of all pairs
    (Sarawagi and Gupta, 2008, "Accurate max-margin training for structured output spaces", search so for a loss divided
    by the margin). As :math:`ab \le (\mu a + b)^2 / 4\mu` for b ≥ 0, every product is at most
    :math:`\min_\mu F(\mu)^2 / 4 \mu`; the best pair met is proven best where it reaches that bound. Where it lies
    inside the hull, it may be missed.

    Attributes
    ----------
    structure : Structure
    psi : ndarray of shape (n, d)
        Of complete outputs.
    loss : AffineLoss
        Of the n rows.
    how : Decoding
    """

    structure: Structure
    psi: FloatArray
    loss: AffineLoss
    how: Decoding = field(default_factory=Decoding)

    def planes(self, rows: Rows, scores: FloatArray, step: int) -> Planes:
        search = _Search(self, rows, scores, step)
        search.run()
        direction = (self.psi[rows] - search.psi) * search.loss[:, np.newaxis]
        value = search.loss * search.slack
        proven = search.exact & (value >= search.bound - _PROVEN * np.maximum(1.0, search.bound))
        return Planes(direction, search.loss, proven)


class _Search:
    """The search for some rows at once.

    `psi`, `loss` and `slack` are of the best pairs so far, y itself with loss 0 to begin with; `bound` is on all.
    """

    def __init__(self, oracle: SlackOracle, rows: Rows, scores: FloatArray, step: int) -> None:
        self._oracle, self._rows, self._scores = oracle, rows, scores
        self._how = replace(oracle.how, seed=oracle.how.seed + step)
        self._own = np.einsum("ij,ij->i", scores, oracle.psi[rows])
        n = len(rows)
        self.psi, self.loss, self.slack = oracle.psi[rows].copy(), np.zeros(n), np.ones(n)
        self.bound, self.exact = np.full(n, np.inf), np.ones(n, dtype=np.bool_)

    def run(self) -> None:
        every = np.arange(len(self._rows))
        low = self._decoded(every, np.zeros(len(every)))  # largest b
        high = self._decoded(every, np.full(len(every), np.inf))  # largest a
        for _ in range(_ROUNDS):
            rise, fall = high[0] - low[0], low[1] - high[1]
            # A pair that is largest in both has the largest product.
            both = (rise <= 0) | (fall <= 0)
            done = every[both]
            self.bound[done] = np.minimum(self.bound[done], np.maximum(self.loss * self.slack, 0.0)[done])
            every, low, high = every[~both], (low[0][~both], low[1][~both]), (high[0][~both], high[1][~both])
            if not len(every):
                return
            weight = (fall / np.where(rise > 0, rise, 1.0))[~both]
            loss, slack = self._decoded(every, weight)
            value, chord = weight * loss + slack, weight * low[0] + low[1]
            self.bound[every] = np.minimum(self.bound[every], np.square(np.maximum(value, 0.0)) / (4 * weight))
            corner = value > chord + 1e-12 * np.maximum(1.0, np.abs(chord))
            # Between its neighbours a pair is largest at its own b/a, where the bound is its product.
            for (a, b), inside in ((low, weight * low[0] >= low[1]), (high, weight * high[0] <= high[1])):
                tight = ~corner & inside
                self.bound[every[tight]] = np.minimum(self.bound[every[tight]], (a * b)[tight])
            every, weight, loss, slack = every[corner], weight[corner], loss[corner], slack[corner]
            left = weight * loss < slack
            low = np.where(left, loss, low[0][corner]), np.where(left, slack, low[1][corner])
            high = np.where(left, high[0][corner], loss), np.where(left, high[1][corner], slack)

    def _decoded(self, at: NDArray[np.intp], weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (a, b) of the pairs of largest weight · a + b, or of largest a for infinity, and keep the best."""
        oracle, scores = self._oracle, self._scores[at]
        if not len(at):
            return np.empty(0), np.empty(0)
        infinite = bool(np.isinf(weight[0]))
        factor = np.ones(len(at)) if infinite else weight
        loss = oracle.loss.rows(self._rows[at])
        weighted = AffineLoss(
            factor * loss.constant, factor[:, np.newaxis] * loss.gradient,
            None if loss.magnitude is None else factor[:, np.newaxis] * loss.magnitude, loss.checked,
        )  # fmt: skip
        with renumbered(at):
            found = loss_augmented(oracle.structure, weighted, np.zeros_like(scores) if infinite else scores, self._how)
        a = loss.values(found.psi)
        b = 1.0 - self._own[at] + np.einsum("ij,ij->i", scores, found.psi)
        better = a * np.maximum(b, 0.0) > self.loss[at] * np.maximum(self.slack[at], 0.0)
        chosen = at[better]
        self.psi[chosen], self.loss[chosen], self.slack[chosen] = found.psi[better], a[better], b[better]
        self.exact[at] &= found.decoded.optimal
        return a, b
