"""
=========================
All rankers, side by side
=========================

Ten ways to learn to rank labels, on the same data, with the same formats of y and the same score: how well each ranks,
how long it takes, and how much is lost when most of every ranking is unknown.
"""

# %%
# The data
# --------
# Wines, and three cultivars ranked by how probable each is; half of the wines to learn from. In a second round,
# one position of each ranking to learn from is unknown (-1): only one pair of cultivars is still compared.

from __future__ import annotations

import time
import warnings

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import ProbabilisticStructured, StructuredRidge
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.datasets import load_wine_ranking
from combpred.ranking import (
    ConstraintClassification,
    LabelRankingBoost,
    LabelRankingSVM,
    NearestNeighborsLabelRanker,
    OnlineLabelRanker,
    RankingByPairwiseComparison,
)

X, y = load_wine_ranking(return_X_y=True)
rng = np.random.default_rng(0)
gaps = y.copy()
gaps[np.arange(len(y)), rng.integers(3, size=len(y))] = -1

# %%
# The rankers
# -----------
# With settings that suit standardised features; none is tuned. The perceptron and the structured support vector machine
# of `combpred.baselines` decode while they train; the perceptron asks for complete rankings.

RANKERS: dict[str, BaseEstimator] = {
    "StructuredRidge": StructuredRidge("permutations", kernel="rbf", alpha=0.1),
    "ProbabilisticStructured": ProbabilisticStructured("permutations", kernel="rbf", alpha=0.1),
    "RankingByPairwiseComparison": RankingByPairwiseComparison(),
    "ConstraintClassification": ConstraintClassification(),
    "LabelRankingSVM, rbf": LabelRankingSVM(kernel="rbf", C=10.0, random_state=0),
    "LabelRankingBoost": LabelRankingBoost(),
    "NearestNeighborsLabelRanker": NearestNeighborsLabelRanker(10),
    "OnlineLabelRanker": OnlineLabelRanker(max_iter=20, random_state=0),
    "StructuredSVM": StructuredSVM("permutations", random_state=0),
    "StructuredPerceptron": StructuredPerceptron("permutations", random_state=0),
}
FOLDS = list(RepeatedKFold(n_splits=2, n_repeats=3, random_state=0).split(X))


def measure(ranker: BaseEstimator, known: np.ndarray) -> tuple[np.ndarray, float]:
    """Return Kendall's tau of each fold, and the mean seconds of a fit."""
    scores, seconds = [], 0.0
    for train, test in FOLDS:
        start = time.perf_counter()
        model = make_pipeline(StandardScaler(), clone(ranker)).fit(X[train], known[train])
        seconds += time.perf_counter() - start
        scores.append(model.score(X[test], y[test]))
    return np.array(scores), seconds / len(FOLDS)


with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    whole = {name: measure(ranker, y) for name, ranker in RANKERS.items()}
    partly = {name: measure(ranker, gaps) for name, ranker in RANKERS.items() if name != "StructuredPerceptron"}

names = sorted(whole, key=lambda name: whole[name][0].mean())
for name in reversed(names):
    lost = f"{partly[name][0].mean():.3f} with gaps" if name in partly else "complete rankings only"
    print(f"{name:<28} tau {whole[name][0].mean():.3f}, {lost}, {whole[name][1]:.4f} s")

# %%
# What they reach
# ---------------
# Left: mean Kendall's tau on the other half of the wines, and its standard deviation over six divisions. Right:
# seconds of a fit.


def draw(axes: tuple[Axes, Axes]) -> None:
    """Draw scores and seconds."""
    at = np.arange(len(names))
    for results, colour, label in ((whole, "#1f77b4", "all positions known"), (partly, "#ff7f0e", "one pair known")):
        kept = [i for i in at if names[i] in results]
        found = [results[names[i]][0] for i in kept]
        means, spreads = [taus.mean() for taus in found], [taus.std() for taus in found]
        axes[0].errorbar(means, kept, xerr=spreads, fmt="o", color=colour, label=label, capsize=2)
    axes[0].set(xlabel="mean Kendall's tau", yticks=at, yticklabels=names, title="Quality")
    axes[0].legend()
    axes[1].barh(at, [whole[name][1] for name in names], color="0.6")
    axes[1].set(xscale="log", xlabel="seconds to train", yticks=at, yticklabels=[], title="Cost")
    for axis in axes:
        axis.grid(alpha=0.3)


figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained", width_ratios=[2, 1])
draw((axes[0], axes[1]))
plt.show()
