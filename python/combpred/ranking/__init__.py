"""Label ranking: estimators that learn to rank a fixed set of labels for each input.

They share the formats of y, which `fit` of each describes: positions, some of which may be tied or unknown, and
preference graphs. :class:`combpred.StructuredRidge` and :class:`combpred.ProbabilisticStructured` rank labels, too,
with ``structure="permutations"``.

:class:`RankingByPairwiseComparison` is a good first choice of these: it trains a classifier for each pair of labels, of
any kind that scikit-learn has. :class:`NearestNeighborsLabelRanker` needs no training, and can weigh the rankings of
neighbours in several ways. Where rankings are not linear in the features, :class:`LabelRankingSVM` takes kernels, and
so does :class:`DirectRankingSVM`, which is trained for a given measure of rankings, or a loss of your own.
:class:`ConstraintClassification` and :class:`LabelRankingBoost` are linear, with a vector of weights for each label.
:class:`OnlineLabelRanker` learns from rows as they arrive, by `partial_fit`. All learn from unknown positions, ties and
preference graphs, except :class:`DirectRankingSVM`, which is for full rankings, and some settings of others: where y is
refused, the message names the rankers that take it.

`partial_orders` makes partial orders of probabilities of pairs, which leave open what is not probable enough.
"""

from __future__ import annotations

from ._abstention import partial_orders
from ._boost import LabelRankingBoost
from ._constraint import ConstraintClassification
from ._direct import DirectRankingSVM
from ._neighbors import MallowsEstimate, NearestNeighborsLabelRanker
from ._online import OnlineLabelRanker
from ._pairwise import RankingByPairwiseComparison
from ._svm import LabelRankingSVM

__all__ = [
    "ConstraintClassification",
    "DirectRankingSVM",
    "LabelRankingBoost",
    "LabelRankingSVM",
    "MallowsEstimate",
    "NearestNeighborsLabelRanker",
    "OnlineLabelRanker",
    "RankingByPairwiseComparison",
    "partial_orders",
]


def __dir__() -> list[str]:
    return __all__
