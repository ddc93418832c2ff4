"""Label ranking: estimators that learn to rank a fixed set of labels for each input.

All of them read y in the same formats, which ``fit`` describes: positions, some of which may be tied or unknown, and
preference graphs. With ``structure="permutations"``, :class:`combpred.StructuredRidge` and
:class:`combpred.ProbabilisticStructured` also rank labels.

Start with :class:`RankingByPairwiseComparison`: it trains one of scikit-learn's classifiers for each pair of labels.
:class:`NearestNeighborsLabelRanker` needs no training, and combines the rankings of neighbours in several ways. If
rankings are not linear in the features, take a kernel: :class:`LabelRankingSVM` has them, and so does
:class:`DirectRankingSVM`, which optimises a measure of rankings or your own loss. :class:`ConstraintClassification` and
:class:`LabelRankingBoost` are linear, with one weight vector per label. :class:`OnlineLabelRanker` learns from rows as
they arrive, through ``partial_fit``. All rankers learn from unknown positions, ties and preference graphs, except
:class:`DirectRankingSVM`, which needs full rankings, and a few settings of others.

`partial_orders` turns pairwise probabilities into partial orders, which leave uncertain pairs open.
"""

from __future__ import annotations

from ._base import partial_orders
from ._boost import LabelRankingBoost
from ._classifiers import ConstraintClassification, RankingByPairwiseComparison
from ._neighbors import MallowsEstimate, NearestNeighborsLabelRanker
from ._online import OnlineLabelRanker
from ._svm import DirectRankingSVM, LabelRankingSVM

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
