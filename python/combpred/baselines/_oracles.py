r"""What training asks of a structure: the output that violates the margin most."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .._decoding import Decoding
from .._row_blocks import row_blocks
from ..structures import Structure
from ..structures._losses import AffineLoss, loss_augmented, loss_between

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp]


class Planes(NamedTuple):
    r"""For some rows a linear function :math:`\ell - \langle f, v\rangle` of their scores f, at most their hinge loss.

    Attributes
    ----------
    direction : ndarray of shape (k, d)
        v; :math:`\psi(y_i) - \psi(z)` for margin rescaling, the same times the loss for slack rescaling.
    offset : ndarray of shape (k,)
        ℓ, the loss :math:`\Delta(y_i, z)`.
    proven : ndarray of shape (k,), bool
        Whether the function is proven to be the hinge loss at the scores that it was asked for.
    """

    direction: FloatArray
    offset: FloatArray
    proven: NDArray[np.bool_]

    def values(self, scores: FloatArray) -> FloatArray:
        """Return the values at scores f of the same rows."""
        values: FloatArray = self.offset - np.einsum("ij,ij->i", scores, self.direction)
        return values


class Oracle(Protocol):
    """Finds the functions that make up the hinge losses of n rows of targets.

    Training needs nothing else of a problem, so that other losses and embeddings train by the same solvers.
    """

    def planes(self, rows: Rows, scores: FloatArray, step: int) -> Planes:
        """Return the largest functions at scores (k, d) of some rows; `step` chooses the random stream, if any."""


@dataclass(frozen=True)
class MarginOracle:
    """Margin rescaling by decoding with the loss added to the scores.

    Attributes
    ----------
    structure : Structure
    psi : ndarray of shape (n, d)
    loss : AffineLoss
        Of the n rows.
    how : Decoding
    n_candidates : int
        If positive, the best of so many uniform outputs is taken instead of decoding.
    """

    structure: Structure
    psi: FloatArray
    loss: AffineLoss
    how: Decoding = field(default_factory=Decoding)
    n_candidates: int = 0

    def planes(self, rows: Rows, scores: FloatArray, step: int) -> Planes:
        loss, psi = self.loss.rows(rows), self.psi[rows]
        if self.n_candidates:
            found = self._best_candidates(loss, scores, step)
            offset, proven = loss.values(found), np.zeros(len(rows), dtype=np.bool_)
        else:
            how = replace(self.how, seed=self.how.seed + step)
            found, offset, decoded = loss_augmented(self.structure, loss, scores, how)
            proven = decoded.optimal
        return _at_least(Planes(psi - found, offset, proven), scores, loss.of_means(psi))

    def _best_candidates(self, loss: AffineLoss, scores: FloatArray, step: int) -> FloatArray:
        found = np.empty_like(scores)
        seed, d = (self.how.seed + step) % 2**63, scores.shape[1]
        for at in row_blocks(len(scores), self.n_candidates * d):
            some = loss.rows(at)
            parts = self.structure._sample_parts(self.n_candidates * len(some.constant), seed + at.start)
            psi = self.structure._embed_parts(parts, self.how.n_threads).reshape(-1, self.n_candidates, d)
            values = np.einsum("kcd,kd->kc", psi, scores[at] + some.gradient)
            if some.magnitude is not None:
                values += np.einsum("kcd,kd->kc", np.square(psi), some.magnitude)
            found[at] = psi[np.arange(len(psi)), values.argmax(axis=1)]
        return found


@dataclass(frozen=True)
class ListingOracle:
    """Either rescaling and any loss, by a list of ψ of all outputs.

    Attributes
    ----------
    structure : Structure
    psi : ndarray of shape (n, d)
        Of complete outputs.
    members : ndarray of shape (N, d)
    cost : str
    slack : bool
        Slack rescaling instead of margin rescaling.
    """

    structure: Structure
    psi: FloatArray
    members: FloatArray
    cost: str
    slack: bool

    def planes(self, rows: Rows, scores: FloatArray, step: int) -> Planes:
        at, offset = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))
        own = np.einsum("ij,ij->i", scores, self.psi[rows])
        for some in row_blocks(len(rows), self.members.size):
            psi = self.psi[rows[some], np.newaxis]
            losses = loss_between(self.structure, psi, self.members[np.newaxis], self.cost)
            margins = own[some, np.newaxis] - scores[some] @ self.members.T
            values = losses * (1.0 - margins) if self.slack else losses - margins
            best = values.argmax(axis=1)
            at[some], offset[some] = best, losses[np.arange(len(best)), best]
        direction = self.psi[rows] - self.members[at]
        if self.slack:
            direction *= offset[:, np.newaxis]
        proven = np.ones(len(rows), dtype=np.bool_)
        return _at_least(Planes(direction, offset, proven), scores, np.zeros(len(rows)))


def _at_least(planes: Planes, scores: FloatArray, least: FloatArray) -> Planes:
    """Return the planes, where they are below what y itself gives, that: a constant, 0 but for means of outputs."""
    below = planes.values(scores) < least
    direction, offset = planes.direction, planes.offset
    direction[below] = 0.0
    return Planes(direction, np.where(below, least, offset), planes.proven)
