"""How many mistakes a perceptron can have made before it separated its training rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._decoding import Decoding
from .._errors import CapabilityError
from ..structures import Structure
from ..structures._losses import AffineLoss, affine_loss, loss_augmented
from ._blocks import Blocks

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-12  # of the scores


def mistake_bound(structure: Structure, blocks: Blocks, coefficients: FloatArray, how: Decoding) -> float:
    r"""Return what the number of mistakes, from zero weights on, cannot exceed.

    With W of norm B the weights that `coefficients` (m, d) of the blocks make up, ρ the least ratio of margin and
    Hamming loss Δ, and :math:`\|\psi(y) - \psi(z)\|^2 \le c\Delta`, mistakes k of weight w_k satisfy

    .. math:: \rho \sum_k w_k \Delta_k \le \langle W, W_n\rangle \le B \|W_n\|, \qquad
              \|W_n\|^2 \le \sum_k w_k^2 \|x_k\|^2 c \Delta_k,

    W_n being the weights after n of them, the second as none of the outputs that beat y had a positive margin. Hence
    :math:`\sum_k w_k \Delta_k \le c B^2 X^2 w_{max} / \rho^2` (Novikoff, 1962; Collins, 2002).

    Returns
    -------
    float
        NaN where decoding is not exact, where W separates the rows by no more than rounding errors, and where it is not
        known which values ψ takes.
    """
    kind = structure._entry_kind()
    try:
        if kind in ("numbers", "unknown") or structure._loss_entries() is not None:
            return float("nan")
    except CapabilityError:  # no entry of ψ that a loss can look at
        return float("nan")
    weights = blocks.combined(coefficients)
    ratio = least_ratio(structure, blocks.psi, blocks.scores(weights), how)
    if ratio is None or ratio <= 0.0:
        return float("nan")
    squared, least = (1.0, 1.0) if kind == "bits" else (2.0, 2.0 if kind == "signs" else 1.0)
    longest = float(blocks.square_norms().max())
    uneven = float(blocks.weights.max() / blocks.weights.min())
    return squared * float(np.sum(np.square(weights))) * longest * uneven / (least * ratio**2)


def least_ratio(structure: Structure, psi: FloatArray, scores: FloatArray, how: Decoding) -> float | None:
    r"""Return the least :math:`\langle f_i, \psi_i - \psi(z)\rangle / \Delta(y_i, z)` over rows i and z ≠ y_i.

    Δ is the Hamming loss. By Dinkelbach's iteration (1967, "On nonlinear fractional programming"): at the ratio ρ so
    far, decoding with ρ times the loss added finds an output of smaller ratio, or shows that there is none. None where
    decoding is not proven exact.

    Parameters
    ----------
    structure : Structure
    psi, scores : ndarray of shape (n, d)
    how : Decoding
    """
    loss = affine_loss(structure, psi, "hamming")
    own = np.einsum("ij,ij->i", scores, psi)
    ratio = np.inf
    # First the output of largest loss; then ratios fall, and few rows still have a smaller one.
    rows = np.arange(len(psi))
    while len(rows):
        part, f = loss.rows(rows), scores[rows]
        first = np.isinf(ratio)
        factor = 1.0 if first else ratio
        magnitude = None if part.magnitude is None else factor * part.magnitude
        weighted = AffineLoss(factor * part.constant, factor * part.gradient, magnitude)
        found = loss_augmented(structure, weighted, np.zeros_like(f) if first else f, how)
        if not found.decoded.optimal.all():
            return None
        losses = part.values(found.psi)
        margins = own[rows] - np.einsum("ij,ij->i", f, found.psi)
        smaller = losses > 0.0
        if not first:
            smaller &= ratio * losses - margins > _ROUNDING * (ratio * losses + np.abs(own[rows]))
        if not smaller.any():
            break
        ratio = min(float(ratio), float((margins[smaller] / losses[smaller]).min()))
        if ratio <= 0.0:
            break
        rows = rows if first else rows[smaller]
    return float(ratio)
