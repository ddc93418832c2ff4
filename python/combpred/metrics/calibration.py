"""How predicted probabilities agree with the frequencies of what they are of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest

from .._data.checks import choice, float_array, whole_number
from .._data.targets import refuse_entries
from .._lib.arrays import FloatArray
from ._rows import in_same_order

STRATEGIES = ("uniform", "quantile")
_MOST_BINS = 10**6


class CalibrationBins(NamedTuple):
    """Predictions by bins of their probability; means are NaN in bins without any."""

    prob_true: FloatArray  # (n_bins,) share of events that happened
    prob_pred: FloatArray  # (n_bins,) mean of their probabilities
    counts: NDArray[np.int64]  # (n_bins,)
    edges: FloatArray  # (n_bins + 1,)


def expected_calibration_error(
    y_true: ArrayLike, y_prob: ArrayLike, *, n_bins: int = 10, strategy: str = "uniform"
) -> float:
    r"""Return the mean distance between predicted probabilities and the frequencies of what they are of.

    Parameters
    ----------
    y_true : array-like of any shape
        0/1 or booleans: whether the events happened.
    y_prob : array-like of the same shape
        Their predicted probabilities. Events of all rows and columns are taken together.
    n_bins : int, default=10
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width on [0, 1], or with equally many predictions. Equal quantiles make one bin, so that there may
        be fewer.

    Returns
    -------
    error : float
        Between 0 and 1, smaller is better.

    Raises
    ------
    ValueError
        For values that are no probabilities, or events other than 0 and 1, naming the place.

    Notes
    -----
    With :math:`n_b` of n predictions in bin b, it is :math:`\sum_b (n_b / n)\,|\bar y_b - \bar p_b|` (Naeini et al.,
    2015), :math:`\bar y_b` being the share of events that happened and :math:`\bar p_b` the mean of their
    probabilities. It depends on the bins, and chance alone makes it positive: compare it between models on the same
    rows. The error of Guo et al. (2017) on classes is that of the predicted class alone: pass ``y == predicted`` and
    ``predict_proba(X).max(axis=1)``. Costs O(n log n).

    References
    ----------
    M. P. Naeini, G. F. Cooper and M. Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning,
    *AAAI*. C. Guo et al. (2017), On calibration of modern neural networks, *ICML*.

    Examples
    --------
    >>> from combpred.metrics import expected_calibration_error
    >>> round(expected_calibration_error([0, 1, 1, 1], [0.25, 0.25, 0.75, 0.75]), 3)
    0.25
    """
    bins = calibration_bins(y_true, y_prob, n_bins=n_bins, strategy=strategy)
    return calibration_error(bins.prob_true, bins.prob_pred, bins.counts)


def calibration_bins(y_true: ArrayLike, y_prob: ArrayLike, *, n_bins: int, strategy: str) -> CalibrationBins:
    """Sort predictions by their probability into bins; arguments as for `expected_calibration_error`.

    The last bin has its right end, all others do not.
    """
    choice(strategy, "strategy", STRATEGIES)
    n_bins = whole_number(n_bins, "n_bins", 1, _MOST_BINS)
    happened, probability = _predictions(y_true, y_prob)
    if strategy == "uniform":
        edges = np.linspace(0.0, 1.0, n_bins + 1)
    else:
        edges = np.unique(np.quantile(probability, np.linspace(0.0, 1.0, n_bins + 1)))
        if len(edges) == 1:
            edges = np.repeat(edges, 2)  # one bin, of width 0
    last = len(edges) - 2
    at = np.clip(np.searchsorted(edges, probability, side="right") - 1, 0, last)
    counts = np.bincount(at, minlength=last + 1)
    with np.errstate(invalid="ignore"):  # 0/0 in empty bins
        true, predicted = (np.bincount(at, values, last + 1) / counts for values in (happened, probability))
    return CalibrationBins(true, predicted, counts, edges)


def calibration_error(prob_true: FloatArray, prob_pred: FloatArray, counts: NDArray[np.int64]) -> float:
    """Return the mean distance of the two, weighted by counts; empty bins may hold NaN."""
    filled = counts > 0
    return float(np.average(np.abs(prob_true[filled] - prob_pred[filled]), weights=counts[filled]))


def wilson_interval(share: FloatArray, counts: NDArray[np.int64], confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of intervals for the probability of an event that happened in a share of counts, each positive.

    E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference, *Journal of the American
    Statistical Association* 22.
    """
    tests = [binomtest(int(hits), int(n)) for hits, n in zip(np.rint(share * counts), counts, strict=True)]
    ends = np.array([test.proportion_ci(confidence, method="wilson") for test in tests]).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


def _predictions(y_true: ArrayLike, y_prob: ArrayLike) -> tuple[FloatArray, FloatArray]:
    happened = float_array(y_true, "y_true")
    probability = float_array(in_same_order(y_true, y_prob, "y_prob"), "y_prob")
    if happened.shape != probability.shape or not happened.size:
        raise ValueError(
            f"y_true has shape {happened.shape} and y_prob {probability.shape}; they must agree and not be empty, with "
            "one probability for each event, such as y_prob[:, 1] of two classes"
        )
    for values, bad, name, rule in (
        (happened, (happened != 0) & (happened != 1), "y_true", "events are 0 or 1"),
        (probability, ~((probability >= 0) & (probability <= 1)), "y_prob", "probabilities are between 0 and 1"),
    ):
        refuse_entries(np.atleast_1d(bad), np.atleast_1d(values), rule, name)
    return happened.ravel(), probability.ravel()
