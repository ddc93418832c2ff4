"""Losses between rankings that add up over the positions of labels, and the ranking that misses a margin by most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._lib.arrays import FloatArray, IndexArray, row_blocks
from .._lib.decode import Decoding
from .._lib.maxmargin import Request
from ..structures import Assignments

LOSSES = ("footrule", "spearman", "ndcg")


def position_loss(name: str, k: int) -> FloatArray:
    """Return D with D[a, b] the loss of a label at position a of y and b of z, from 0 on: Δ(y, z) = Σ_l D[y_l, z_l].

    Δ is 0 for the same ranking and at most 1.
    """
    observed, given = np.meshgrid(np.arange(k), np.arange(k), indexing="ij")
    if name == "footrule":
        footrule: FloatArray = np.abs(observed - given) / float(k * k // 2)  # reversing has the largest sum, ⌊k²/2⌋
        return footrule
    if name == "spearman":
        return np.asarray((observed - given) ** 2 * 3.0 / (k * (k * k - 1.0)))
    gains, discounts = np.arange(k - 1.0, -1.0, -1.0), 1.0 / np.log2(np.arange(2.0, k + 2.0))
    return np.asarray(gains[observed] * (discounts[observed] - discounts[given]) / (gains @ discounts))


@dataclass(frozen=True)
class PositionOracle:
    """Finds the ranking z of largest Δ(y, z) + Σ_l c[z_l] f_l by an assignment of labels to positions.

    Attributes
    ----------
    observed : ndarray of shape (n, k)
        Positions of the labels in y, from 0 on.
    weights : ndarray of shape (k,)
        c, of the positions.
    loss : ndarray of shape (k, k)
        As `position_loss` returns it.
    n_threads : int
    """

    observed: IndexArray
    weights: FloatArray
    loss: FloatArray
    n_threads: int

    def __call__(self, request: Request) -> None:
        observed, k = self.observed[request.rows], len(self.weights)
        found = np.empty_like(observed)
        for at in row_blocks(len(observed), k * k):
            cells = request.linear[at, :, np.newaxis] * self.weights + self.loss[observed[at]]
            decoded = Assignments(k).space.decode(cells.reshape(-1, k * k), None, Decoding("exact", self.n_threads))
            found[at] = decoded.y
        request.offset[:] = self.loss[observed, found].sum(axis=1)
        request.reply[:] = self.weights[observed] - self.weights[found]
        request.proven[:] = 1.0
