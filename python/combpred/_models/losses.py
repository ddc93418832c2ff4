"""Surrogate losses of scores: the losses that learners minimise, which bound those of predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from .._data.checks import choice, seed_of, whole_number
from .._data.glossary import documented
from .._data.inputs import mean_of_rows
from .._data.targets import flat_sets
from .._data.warn import warn_user
from .._lib.arrays import FloatArray
from .._lib.decode import DECODERS, Decoding, score_values
from .._lib.errors import ApproximationWarning, CapabilityError, NumericalError, renumbered
from .._lib.maxmargin import AffineLoss
from .._lib.partition import log_partition
from ..sampling.samplers import rows_of
from ..structures import Structure, encode_sets
from ..structures.costs import OWN, loss_augmented

_LARGEST = math.log(np.finfo(np.float64).max)
_MOST_LISTED = 10**7  # outputs of which all are compared
_EQUAL = 1e-12  # of the sum of the magnitudes of scores: outputs score alike whose scores differ by less


@documented
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
    score of the output z, and z runs over all outputs, y among them; of a set, the sum over its y, where z is y or
    outside.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        s of each row, such as the `feature_scores` of an estimator; finite.
    %(y_or_sets)s
    cost : {"auto", "own", "hamming", "kendall", "tree", "zero-one", "h-loss", "h-loss-sibling"}, default="auto"
        Δ, as of :class:`combpred.baselines.StructuredSVM`: "hamming", the number of entries of ψ in which 0/1
        embeddings differ; "kendall", of rankings and relations, the number of discordant pairs, where a pair that is
        tied in only one of both counts ½; "tree", of hierarchies and subtrees, the number of nodes that only one of
        both holds; "h-loss" and "h-loss-sibling", of the same structures, those whose ancestors are in both, as
        `combpred.metrics.hierarchical_h_loss`; "zero-one", 1 for all z whose ψ is not that of y. "auto": zero-one
        of classes, kendall of rankings, tree of trees, hamming otherwise.
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
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 2.1.

    Examples
    --------
    >>> from combpred.losses import structured_hinge_loss
    >>> from combpred.structures import MultiClass, Permutations
    >>> structured_hinge_loss(MultiClass(3), [[2.0, 1.5, 0.0]], [0])
    0.5
    >>> structured_hinge_loss(Permutations(3), [[0.0, 0.0, 0.0]], [[1, 2, 3]])  # all three pairs may be wrong
    3.0
    """
    how = Decoding(choice(decoder, "decoder", DECODERS))
    given = ScoredRows.read(structure, scores, y)
    linear, psi, own = given.linear, given.psi, given.own
    loss = structure.space.loss(cost)
    if loss.name == "zero-one" and not loss.is_affine:
        values = 1.0 + best_others(structure, given) - own
    elif given.in_sets:
        values = _worst_outside(structure, given, loss.affine(psi)) - own
    elif loss.name == OWN:
        worst = structure.space.worst(given.parts)(given.row, psi, linear, False)
        values = worst.loss + score_values(worst.psi, linear, None) - own
    else:
        found = loss_augmented(structure.space, loss.affine(psi), linear, how)
        _warn_of_unproven(
            found.decoded.optimal, "maxima are not proven to be the largest: the loss is a lower bound there"
        )
        values = found.loss + score_values(found.psi, linear, None) - own
    # y itself makes 0.
    return mean_of_rows(np.add.reduceat(np.maximum(values, 0.0), given.first[:-1]), sample_weight, per_row)


@documented
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
    the output z, and z runs over all outputs, y among them; of a set, the sum over its y, where z is y or outside.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        s of each row; finite.
    %(y_or_sets)s
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
    Where y is no set, it is :math:`-\ln p(y)` for :math:`p(z) \propto e^{h(z)}`, which conditional random fields and
    :class:`combpred.ProbabilisticStructured` minimise. Divided by ln 2 it bounds the 0-1 loss: where y does not score
    highest, p(y) is at most ½. Of a set, the other y of the set are left out of the sums, so that scores are asked to
    tell the set from the rest only; `ProbabilisticStructured` minimises the sum of −ln p(y), which tells them apart.

    Cost: that of the structure's `log_partition`.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 2.1.

    Examples
    --------
    >>> from combpred.losses import structured_log_loss
    >>> from combpred.structures import Permutations
    >>> round(structured_log_loss(Permutations(3), [[0.0, 0.0, 0.0]], [[1, 2, 3]]), 4)  # ln 6
    1.7918
    """
    given = ScoredRows.read(structure, scores, y)
    losses = np.logaddexp(0.0, _log_odds_outside(structure, given))
    return mean_of_rows(np.add.reduceat(losses, given.first[:-1]), sample_weight, per_row)


@documented
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
    of the output z. The term of y itself, always 1, is left out. Of a set, the sum over its y, where z is outside.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        s of each row; finite.
    %(y_or_sets)s
    normalize : bool, default=False
        Whether to divide by the number of pairs (y, z): of outputs other than y where y is no set.
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
    It bounds the AUC loss, even if all ties count as wrong: the number of outputs that score at least as high as y,
    and with `normalize` their share;
    and so the 0-1 loss, too. `structured_log_loss` is :math:`\ln(1 + \ell)` of it, and
    :class:`combpred.StructuredRidge` minimises its second-order expansion, divided by the number of outputs. Eq. (5.4)
    of the thesis has a factor of e more, by a margin of 1 in the exponent.

    Cost: that of the structure's `log_partition`.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, sections 2.1 and 5.2.

    Examples
    --------
    >>> from combpred.losses import structured_exponential_loss
    >>> from combpred.structures import Permutations
    >>> round(structured_exponential_loss(Permutations(3), [[0.0, 0.0, 0.0]], [[1, 2, 3]]), 6)
    5.0
    """
    given = ScoredRows.read(structure, scores, y)
    logs = np.logaddexp.reduceat(_log_odds_outside(structure, given), given.first[:-1])
    if normalize:
        right, log_count = np.log(np.diff(given.first)), structure.log_count()
        with np.errstate(divide="ignore"):  # where there is no other output
            others = log_count + np.log1p(-np.minimum(np.exp(right - log_count), 1.0))
        logs -= np.where(right < log_count - 1e-12, right + others, 0.0)  # pairs of a right and another output
    if log:
        return mean_of_rows(logs, sample_weight, per_row)
    return _exponentials(logs, "log=True", sample_weight, per_row)


@documented
def structured_auc_loss(
    structure: Structure,
    scores: ArrayLike,
    y: Any,
    *,
    normalize: bool = False,
    n_samples: int | None = None,
    random_state: int | np.random.RandomState | None = None,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | FloatArray:
    r"""Return the AUC loss of scores, averaged over rows: how many outputs score above y.

    A row's loss is :math:`\sum_{y \in Y} \sum_{z \notin Y} \sigma(h(z) - h(y))`, where :math:`h(z) = \langle s,
    \psi(z)\rangle` is the score of the output z, Y is the set of admissible outputs, or y alone, and :math:`\sigma(a)`
    is 1 for positive a, ½ for 0 and 0 for negative a.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        s of each row; finite.
    %(y_or_sets)s
    normalize : bool, default=False
        Whether to divide by the number of pairs (y, z): one minus the area under the ROC curve of the scores as a test
        of admissibility.
    n_samples : int, default=None
        Number of uniform draws from which the share of outputs is estimated that score above y, with a standard error
        of at most :math:`1/(2\sqrt{n\_samples})` of that share, the same draws for all rows. None: all outputs are
        listed.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    loss : float or ndarray of shape (n,)
        At least 0; smaller is better.

    Raises
    ------
    CapabilityError
        When there are more than 10 000 000 outputs, without `n_samples`; or no exact sampler, with it.
    ValueError
        When a row of y is no output, or scores are not finite or do not fit.

    Notes
    -----
    `structured_exponential_loss` bounds it, and :class:`combpred.StructuredRidge` with ``loss="auc"`` minimises the
    second-order expansion of that bound. Scores count as equal that differ by less than 1e-12 of the sum of the
    magnitudes of a row's scores.

    Cost: O(``|𝒴|`` n d), or O(n_samples n d).

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 5.2, the AUC loss.

    Examples
    --------
    >>> from combpred.losses import structured_auc_loss
    >>> from combpred.structures import Permutations
    >>> structured_auc_loss(Permutations(3), [[2.0, 1.0, 0.5]], [[1, 3, 2]])  # 0 before 1 before 2 scores more
    1.0
    >>> structured_auc_loss(Permutations(3), [[0.0, 0.0, 0.0]], [[1, 2, 3]], normalize=True)
    0.5
    """
    given = ScoredRows.read(structure, scores, y)
    space, log_count = structure.space, structure.log_count()
    if n_samples is None:
        if log_count > math.log(_MOST_LISTED):
            raise CapabilityError(
                f"{structure!r} has about exp({log_count:.6g}) outputs, too many to list: give n_samples, or take "
                "structured_exponential_loss, which bounds the AUC loss"
            )
        blocks = space.listed()
    else:
        drawn = whole_number(n_samples, "n_samples", 1, _MOST_LISTED)
        blocks = iter([space.sample(drawn, seed_of(random_state))])
    equal = _EQUAL * np.abs(given.linear).sum(axis=1)
    above = np.zeros(len(given.own))
    for parts in blocks:
        values = space.embed(parts) @ given.linear.T
        for at, row in enumerate(given.row):
            excess = values[:, row] - given.own[at]
            shares = (excess > equal[row]) + 0.5 * (np.abs(excess) <= equal[row])
            above[at] += shares[~given.holds(row, parts)].sum()
    counts, right = np.add.reduceat(above, given.first[:-1]), np.diff(given.first)
    if n_samples is None:
        pairs = right * np.maximum(structure.count() - right, 1) if normalize else 1
        return mean_of_rows(counts / pairs, sample_weight, per_row)
    counts /= n_samples
    if normalize:
        others = np.maximum(1.0 - right * math.exp(-log_count), 1.0 / n_samples)  # of all outputs
        return mean_of_rows(counts / (right * others), sample_weight, per_row)
    with np.errstate(divide="ignore"):  # ln 0 is −inf
        return _exponentials(np.log(counts) + log_count, "normalize=True", sample_weight, per_row)


@documented
def structured_max_loss(
    structure: Structure,
    scores: ArrayLike,
    y: Any,
    *,
    cost: str = "auto",
    decoder: str = "auto",
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | FloatArray:
    r"""Return the loss of the outputs that score highest, averaged over rows.

    A row's loss is :math:`\Delta(\hat y, y)` for :math:`\hat y = \operatorname{argmax}_z \langle s, \psi(z)\rangle`;
    of a set, the smallest over its y.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        s of each row; finite.
    %(y_or_sets)s
    cost : {"auto", "own", "hamming", "kendall", "tree", "zero-one", "h-loss", "h-loss-sibling"}, default="auto"
        Δ, as of `structured_hinge_loss`, which bounds this loss.
    decoder : str, default="auto"
        How the maximum is found, as for :class:`combpred.StructuredRidge`. Where it is not proven, there is an
        ApproximationWarning. Of several maxima the decoder chooses one.
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
    Cost: one decoding for each row.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 2.1.

    Examples
    --------
    >>> from combpred import Admissible
    >>> from combpred.losses import structured_max_loss
    >>> from combpred.structures import Permutations
    >>> structured_max_loss(Permutations(3), [[1.0, 1.0, 1.0]], [[3, 2, 1]])  # all three pairs are wrong
    3.0
    >>> structured_max_loss(Permutations(3), [[1.0, 1.0, 1.0]], [Admissible([[3, 2, 1], [1, 3, 2]])])
    1.0
    """
    how = Decoding(choice(decoder, "decoder", DECODERS))
    given = ScoredRows.read(structure, scores, y)
    space = structure.space
    loss, found = space.loss(cost), space.decode(given.linear, None, how)
    _warn_of_unproven(found.optimal, "predictions are not proven to score highest: others may, with another loss")
    if loss.name == OWN:
        with renumbered(given.row):
            losses = space.own_losses(given.parts, found.y[given.row])
    else:
        losses = loss.between(given.psi, space.embed(found.y)[given.row])
    return mean_of_rows(np.minimum.reduceat(losses, given.first[:-1]), sample_weight, per_row)


@dataclass(frozen=True)
class ScoredRows:
    """Scores of n rows, and the outputs that are right for them: one for each row, or sets of several.

    Attributes
    ----------
    linear : ndarray of shape (n, d)
        Scores of the entries of ψ.
    parts : ndarray of shape (m, part_len)
        The outputs of all rows, one row after the other.
    psi : ndarray of shape (m, d)
        Their embeddings.
    own : ndarray of shape (m,)
        Their scores.
    row : ndarray of shape (m,)
        The rows that they belong to.
    first : ndarray of shape (n + 1,)
        The first output of each row, and m.
    """

    linear: FloatArray
    parts: NDArray[Any]
    psi: FloatArray
    own: FloatArray
    row: NDArray[np.intp]
    first: NDArray[np.intp]

    @classmethod
    def read(cls, structure: Structure, scores: ArrayLike, y: Any) -> ScoredRows:
        """Return scores and outputs, checked."""
        linear, sets = rows_of(structure, scores), flat_sets(y)
        parts = structure.encode(y) if sets is None else encode_sets(structure, sets)
        first = np.arange(len(parts) + 1) if sets is None else np.asarray(sets.first)
        check_consistent_length(linear, first[1:])
        row = np.repeat(np.arange(len(linear)), np.diff(first))
        psi = structure.space.embed(parts)
        return cls(linear, parts, psi, score_values(psi, linear[row], None), row, first)

    @property
    def in_sets(self) -> bool:
        """Whether a row has several outputs."""
        return len(self.row) > len(self.linear)

    def holds(self, row: int, parts: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which outputs are right for a row."""
        right = np.zeros(len(parts), dtype=np.bool_)
        for own in self.parts[self.first[row] : self.first[row + 1]]:
            right |= (parts == own).all(axis=1)
        return right


def _log_odds_outside(structure: Structure, given: ScoredRows) -> FloatArray:
    """Return ln Σ e^{h(z) − h(y)} over the outputs z outside the set of y, for each y."""
    log_z = log_partition(structure.space.sums, given.linear).log_z
    inside = np.logaddexp.reduceat(given.own, given.first[:-1])
    with np.errstate(divide="ignore"):  # ln 0 is −inf
        others = log_z + np.log1p(-np.exp(np.minimum(inside - log_z, 0.0)))  # above 0 by rounding only
    others[np.log(np.diff(given.first)) >= structure.log_count() - 1e-12] = -np.inf  # there is none, but for rounding
    return others[given.row] - given.own


def _worst_outside(structure: Structure, given: ScoredRows, loss: AffineLoss) -> FloatArray:
    """Return max Δ(y, z) + h(z) over z = y and the outputs z outside the set of y, for each y."""
    worst: FloatArray = given.own.copy()
    for at, row in enumerate(given.row):
        magnitude = None if loss.magnitude is None else loss.magnitude[at]
        found = _best_outside(structure, given, row, given.linear[row] + loss.gradient[at], magnitude)
        values: FloatArray = found @ given.linear[row] + loss.rows(np.full(len(found), at)).values(found)
        worst[at] = values.max(initial=worst[at])
    return worst


def best_others(structure: Structure, given: ScoredRows) -> FloatArray:
    """Return the largest score of an output outside the set of y, by its ψ, for each y; −inf where there is none."""
    best = np.full(len(given.linear), -np.inf)
    for i, row in enumerate(given.linear):
        best[i] = (_best_outside(structure, given, i, row) @ row).max(initial=-np.inf)
    return best[given.row]


def _best_outside(
    structure: Structure, given: ScoredRows, row: int, linear: FloatArray, magnitude: FloatArray | None = None
) -> FloatArray:
    """Return ψ of outputs outside the set of a row, the best for given scores among them if there is any."""
    right = given.psi[given.first[row] : given.first[row + 1]]
    best = structure.k_best(linear, magnitude, most=len(right) + 1)
    found = structure.embed(list(best))
    return found[~(found[:, None] == right).all(axis=2).any(axis=1)]


def _exponentials(logs: FloatArray, remedy: str, sample_weight: ArrayLike | None, per_row: bool) -> float | FloatArray:
    """Return the mean over rows of losses whose logarithms are given; NumericalError for those beyond a float."""
    if logs.max() > _LARGEST:
        row = int(np.argmax(logs))
        raise NumericalError(f"the loss is about exp({logs[row]:.6g}), too large for a float; take {remedy}", row)
    return mean_of_rows(np.exp(logs), sample_weight, per_row)


def _warn_of_unproven(optimal: NDArray[np.bool_], what: str) -> None:
    if not optimal.all():
        unproven = f"{int((~optimal).sum())} of {len(optimal)} {what}; take decoder='exact' to refuse that"
        warn_user(unproven, ApproximationWarning)
