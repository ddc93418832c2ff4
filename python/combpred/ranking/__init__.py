"""Label ranking: estimators that learn to rank a fixed set of labels for each input.

They share the formats of y, which `fit` of each describes: positions, some of which may be tied or unknown, and
preference graphs. :class:`combpred.StructuredRidge` and :class:`combpred.ProbabilisticStructured` rank labels, too,
with ``structure="permutations"``.
"""

from __future__ import annotations

from ._boost import LabelRankingBoost
from ._constraint import ConstraintClassification
from ._direct import DirectRankingSVM
from ._mallows import MallowsEstimate
from ._neighbors import NearestNeighborsLabelRanker
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
]
