"""Surrogate losses of scores: the losses that learners minimise, which bound those of predictions."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._data.checks import choice
from .._data.inputs import mean_of_rows
from .._lib.arrays import FloatArray
from .._lib.decode import DECODERS, Decoding, score_rows, score_values
from .._lib.errors import ApproximationWarning, NumericalError
from ..structures import Structure
from ..structures.costs import OWN, loss_augmented

_LARGEST = math.log(np.finfo(np.float64).max)


def structured_hinge_loss(
    structure: Structure,
    scores: ArrayLike,
    y: Any,
    *,
    cost: str = "auto",
    decoder: str = "auto",
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | FloatArray:
    r"""Return the structured hinge loss of scores, averaged over rows.

    A row's loss is :math:`\max_z [\Delta(y, z) + h(z) - h(y)]`, where :math:`h(z) = \langle s, \psi(z)\rangle` is the
    score of the output z, and z runs over all outputs, y among them.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        s of each row, such as the `feature_scores` of an estimator; finite.
    y : array-like of n outputs
        In the structure's format.
    cost : {"auto", "own", "hamming", "kendall", "tree", "zero-one"}, default="auto"
        Δ, as of :class:`combpred.baselines.StructuredSVM`: "hamming", the number of entries of ψ in which 0/1
        embeddings differ; "kendall", of orders, the number of discordant pairs; "tree", of hierarchies and subtrees,
        the number of nodes that only one of both holds; "zero-one", 1 for all z whose ψ is not that of y. "auto":
        zero-one of classes, kendall of rankings, tree of trees, hamming otherwise.
    decoder : str, default="auto"
        How the maximum is found, as for :class:`combpred.StructuredRidge`. Where it is not proven, what is returned is
        a lower bound on the loss, with an ApproximationWarning. "zero-one" of other than classes is exact always.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    loss : float or ndarray of shape (n,)
        At least 0, smaller is better.

    Raises
    ------
    CapabilityError
        When the structure has no such cost, or is too large for the decoder.
    ValueError
        When a row of y is no output, or scores are not finite or do not fit.

    Notes
    -----
    Margin rescaling of Taskar et al. (2003) and Tsochantaridis et al. (2005). For the prediction
    :math:`\hat y = \operatorname{argmax} h`, :math:`\Delta(y, \hat y)` is at most this loss. With "zero-one" it bounds
    the 0-1 loss, and is the hinge loss for two classes.

    Cost: one decoding for each row. With "zero-one" of other than classes the two best outputs are found: from a list
    of all where they are few, otherwise by at most 5 d exact decodings.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 2.

    Examples
    --------
    >>> from combpred.losses import structured_hinge_loss
    >>> from combpred.structures import MultiClass, Permutations
    >>> structured_hinge_loss(MultiClass(3), [[2.0, 1.5, 0.0]], [0])
    0.5
    >>> structured_hinge_loss(Permutations(3), [[0.0, 0.0, 0.0]], [[1, 2, 3]])  # all three pairs may be wrong
    3.0
    """
    choice(decoder, "decoder", DECODERS)
    linear, psi, own = _embedded(structure, scores, y)
    loss = structure.space.loss(cost)
    if loss.is_affine:
        found = loss_augmented(structure.space, loss.affine(psi), linear, Decoding(decoder))
        if not found.decoded.optimal.all():
            warnings.warn(
                f"{int((~found.decoded.optimal).sum())} of {len(linear)} maxima are not proven to be the largest: the "
                "loss is a lower bound there; take decoder='exact' to refuse that",
                ApproximationWarning,
                stacklevel=2,
            )
        values = found.loss + score_values(found.psi, linear, None) - own
    elif loss.name == OWN:
        parts = structure.space.encode(y)
        worst = structure.space.worst(parts)(np.arange(len(parts)), psi, linear, False)
        values = worst.loss + score_values(worst.psi, linear, None) - own
    else:
        values = 1.0 + _best_other(structure, linear, psi) - own
    return mean_of_rows(np.maximum(values, 0.0), sample_weight, per_row)  # y itself makes 0


def structured_log_loss(
    structure: Structure,
    scores: ArrayLike,
    y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | FloatArray:
    r"""Return the logistic loss of scores, averaged over rows.

    A row's loss is :math:`\ln \sum_z e^{h(z) - h(y)}`, where :math:`h(z) = \langle s, \psi(z)\rangle` is the score of
    the output z, and z runs over all outputs, y among them.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        s of each row; finite.
    y : array-like of n outputs
        In the structure's format.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    loss : float or ndarray of shape (n,)
        In nats, positive; smaller is better.

    Raises
    ------
    CapabilityError
        When the structure is too large for exact sums; :func:`combpred.sampling.log_partition` estimates them.
    ValueError
        When a row of y is no output, or scores are not finite or do not fit.

    Notes
    -----
    It is :math:`-\ln p(y)` for :math:`p(z) \propto e^{h(z)}`, which conditional random fields and
    :class:`combpred.ProbabilisticStructured` minimise. Divided by ln 2 it bounds the 0-1 loss: where y does not score
    highest, p(y) is at most ½.

    Cost: that of the structure's `log_partition`.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 2.

    Examples
    --------
    >>> from combpred.losses import structured_log_loss
    >>> from combpred.structures import Permutations
    >>> round(structured_log_loss(Permutations(3), [[0.0, 0.0, 0.0]], [[1, 2, 3]]), 4)  # ln 6
    1.7918
    """
    return mean_of_rows(_log_losses(structure, scores, y), sample_weight, per_row)


def structured_exponential_loss(
    structure: Structure,
    scores: ArrayLike,
    y: Any,
    *,
    normalize: bool = False,
    log: bool = False,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | FloatArray:
    r"""Return the exponential loss of scores, averaged over rows.

    A row's loss is :math:`\sum_{z \neq y} e^{h(z) - h(y)}`, where :math:`h(z) = \langle s, \psi(z)\rangle` is the score
    of the output z. The term of y itself, always 1, is left out.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        s of each row; finite.
    y : array-like of n outputs
        In the structure's format.
    normalize : bool, default=False
        Whether to divide by the number of outputs other than y.
    log : bool, default=False
        Whether to return logarithms, which are finite at any size, and the mean of them.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    loss : float or ndarray of shape (n,)
        At least 0; smaller is better. With `log` any number, −inf where there is no other output or the sum is below
        the rounding of 1.

    Raises
    ------
    CapabilityError
        When the structure is too large for exact sums.
    NumericalError
        When a loss is too large for a float, without `log`.
    ValueError
        When a row of y is no output, or scores are not finite or do not fit.

    Notes
    -----
    It bounds the AUC loss, the number of outputs that score at least as high as y, and with `normalize` their share;
    and so the 0-1 loss, too. `structured_log_loss` is :math:`\ln(1 + \ell)` of it, and
    :class:`combpred.StructuredRidge` minimises its second-order expansion, divided by the number of outputs.

    Cost: that of the structure's `log_partition`.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 2 and 5.

    Examples
    --------
    >>> from combpred.losses import structured_exponential_loss
    >>> from combpred.structures import Permutations
    >>> round(structured_exponential_loss(Permutations(3), [[0.0, 0.0, 0.0]], [[1, 2, 3]]), 6)
    5.0
    """
    logs = _log_losses(structure, scores, y)
    with np.errstate(divide="ignore"):  # ln 0 is −inf
        logs = logs + np.log1p(-np.exp(-logs))  # ln(eˡ − 1)
    if normalize:
        everything = structure.log_count()
        if everything > 0:
            logs -= everything + math.log1p(-math.exp(-everything))
    if log:
        return mean_of_rows(logs, sample_weight, per_row)
    if logs.max() > _LARGEST:
        row = int(np.argmax(logs))
        raise NumericalError(f"the loss is about exp({logs[row]:.6g}), too large for a float; take log=True", row)
    return mean_of_rows(np.exp(logs), sample_weight, per_row)


def _embedded(structure: Structure, scores: ArrayLike, y: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return scores in rows, ψ(y) and h(y)."""
    if not isinstance(structure, Structure):
        raise TypeError(f"structure must be a combpred.structures.Structure, got {structure!r}")
    linear, _ = score_rows(scores, structure.n_features)
    psi = structure.embed(y)
    if len(psi) != len(linear):
        raise ValueError(f"scores has {len(linear)} rows and y {len(psi)}; they must agree row by row")
    return linear, psi, score_values(psi, linear, None)


def _log_losses(structure: Structure, scores: ArrayLike, y: Any) -> FloatArray:
    linear, _, own = _embedded(structure, scores, y)
    losses: FloatArray = np.maximum(structure.space.log_partition(linear).log_z - own, 0.0)  # below 0 by rounding only
    return losses


def _best_other(structure: Structure, linear: FloatArray, psi: FloatArray) -> FloatArray:
    """Return the largest score of an output with another ψ, for each row; −inf where there is none."""
    best = np.full(len(linear), -np.inf)
    for i, row in enumerate(linear):
        found = structure.embed(list(structure.space.k_best(row, None, max_results=2)))
        other = (found != psi[i]).any(axis=1)
        best[i] = (found[other] @ row).max(initial=-np.inf)
    return best
