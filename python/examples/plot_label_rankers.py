"""
=========================
All rankers, side by side
=========================

Ten ways to learn to rank labels, on the same data, with the same formats of y and the same score: how well each ranks,
how much is lost if most of every ranking is unknown, and how long training takes.
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
    """Return Kendall's tau of each fold, and the median of the milliseconds of a fit."""
    scores, seconds = [], []
    for train, test in FOLDS:
        start = time.perf_counter()
        model = make_pipeline(StandardScaler(), clone(ranker)).fit(X[train], known[train])
        seconds.append(time.perf_counter() - start)
        scores.append(model.score(X[test], y[test]))
    return np.array(scores), 1000 * float(np.median(seconds))


with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    whole = {name: measure(ranker, y) for name, ranker in RANKERS.items()}
    partly = {name: measure(ranker, gaps) for name, ranker in RANKERS.items() if name != "StructuredPerceptron"}

names = sorted(whole, key=lambda name: whole[name][0].mean())
for name in reversed(names):
    lost = f"{partly[name][0].mean():.3f} with gaps" if name in partly else "complete rankings only"
    print(f"{name:<28} tau {whole[name][0].mean():.3f}, {lost}, {whole[name][1]:.1f} ms")

# %%
# What they reach
# ---------------
# Mean Kendall's tau on the other half of the wines, and its standard deviation over six divisions. With complete
# rankings all are close. If one pair of cultivars is known of each wine, those that learn from single pairs lose least:
# RankingByPairwiseComparison, ConstraintClassification and LabelRankingBoost. StructuredRidge loses most.

at = np.arange(len(names))
figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
for results, marker, label in ((whole, "o", "all positions known"), (partly, "s", "one pair known")):
    taus = {i: results[name][0] for i, name in enumerate(names) if name in results}
    means, spreads = [each.mean() for each in taus.values()], [each.std() for each in taus.values()]
    ax.errorbar(means, list(taus), xerr=spreads, fmt=marker, capsize=3, label=label)
ax.set_yticks(at, names)
ax.set(xlabel="mean Kendall's tau", title="Quality")
ax.grid(axis="y", alpha=0.3)
figure.legend(loc="outside lower center", ncols=2)
plt.show()

# %%
# The median time of six fits to 89 wines.

figure, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
ax.barh(at, [whole[name][1] for name in names])
ax.set_yticks(at, names)
ax.set(xlabel="milliseconds to train", title="Time of a fit")
plt.show()
