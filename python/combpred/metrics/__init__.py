"""Scores and losses for predicted structures.

Every function takes truths and predictions with one row per example and returns the (weighted) mean of their scores,
or one number per row with ``per_row=True``. A name that ends in ``_loss``, and `spearman_footrule`, a distance, is
smaller for better predictions; of all others larger is better. `expected_calibration_error` judges probabilities, over
all rows together, `abstention_curve` partial orders at all thresholds. :mod:`combpred.losses` judges scores of a
structure. `get_scorer` gives the metrics of predictions to scikit-learn's searches. Where both are data frames with a
column for each label, item, pair or node, columns are matched by name.

`accuracy`, `zero_one_loss`, `hamming_loss`, `neg_absolute_error` and `ranking_loss` equal scikit-learn's, which
have neither `per_row` nor errors that name rows.
"""

from ._abstention import AbstentionCurve, abstention_curve, pair_completeness, pair_gamma
from ._entries import (
    accuracy,
    hamming_loss,
    hamming_score,
    neg_absolute_error,
    pair_accuracy,
    ranking_loss,
    zero_one_loss,
)
from ._hierarchies import hierarchical_h_loss, hierarchical_loss
from ._rankings import kendall_tau, ndcg, rank_biased_overlap, spearman_footrule, spearman_rho, tau_x, top_k_recall
from ._rows import mean_of_counted as mean_of_counted
from ._scorers import Scorer, get_scorer, get_scorer_names
from ._tours import cycle_f1, policy_cosine, route_f1, route_pairs_f1
from .calibration import expected_calibration_error

__all__ = [
    "AbstentionCurve",
    "Scorer",
    "abstention_curve",
    "accuracy",
    "cycle_f1",
    "expected_calibration_error",
    "get_scorer",
    "get_scorer_names",
    "hamming_loss",
    "hamming_score",
    "hierarchical_h_loss",
    "hierarchical_loss",
    "kendall_tau",
    "ndcg",
    "neg_absolute_error",
    "pair_accuracy",
    "pair_completeness",
    "pair_gamma",
    "policy_cosine",
    "rank_biased_overlap",
    "ranking_loss",
    "route_f1",
    "route_pairs_f1",
    "spearman_footrule",
    "spearman_rho",
    "tau_x",
    "top_k_recall",
    "zero_one_loss",
]


def __dir__() -> list[str]:
    return __all__
