"""
===================================
Rankings that may leave things open
===================================

From which of three cultivars is this wine most likely made, which comes next, and which cannot be told apart? A
ranking with ties answers all of it at once. The example learns such rankings from chemical analyses, and draws which
ranking is predicted where.
"""

# %%
# The data
# --------
# The wines that scikit-learn ships, along the two principal components of their analyses so that they can be drawn, and
# an expert who is sure of no wine. The expert puts the more probable cultivar first, and ties those that follow each
# other within a factor of `CLOSE`.

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from combpred import StructuredRidgeCV
from combpred.metrics import tau_x
from combpred.structures import Permutations, WeakOrders

CLOSE = 2.5
wine = load_wine()
X = PCA(2, whiten=True).fit_transform(StandardScaler().fit_transform(wine.data))
cultivars = ("A", "B", "C")
expert = LogisticRegression(C=0.1).fit(X, wine.target)


def rank(points: np.ndarray) -> np.ndarray:
    """Return the expert's dense ranks, 1 for the most probable cultivar."""
    logs = expert.predict_log_proba(points)
    order = np.argsort(-logs, axis=1)
    drops = -np.diff(np.take_along_axis(logs, order, axis=1), axis=1)
    sorted_ranks = np.cumsum(np.column_stack([np.ones(len(points), dtype=int), drops > np.log(CLOSE)]), axis=1)
    return np.take_along_axis(sorted_ranks, np.argsort(order, axis=1), axis=1)


y = rank(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
print(f"{WeakOrders(3).count()} rankings with ties, {len(np.unique(y, axis=0))} of them in the data")

# %%
# Learning
# --------
# For each pair of cultivars, `WeakOrders` scores who stands before whom, and whether they are tied. `Permutations`
# learns from the same wines, but has to put one of two tied cultivars first: here the one that comes first in the
# alphabet. The simplest rival makes a class of each of the 13 rankings, and is nearly as good, as there are so few.
# Quality is the rank correlation τ_x on the other half of the wines; it counts ties that are missed or made up.

settings = {"kernels": ["rbf"], "gammas": [0.1], "alphas": np.logspace(-4, 1, 11), "losses": ["squared"]}
with_ties = StructuredRidgeCV(WeakOrders(), **settings).fit(X_train, y_train)
broken = np.argsort(np.argsort(y_train, axis=1, kind="stable"), axis=1) + 1
without = StructuredRidgeCV(Permutations(), **settings).fit(X_train, broken)
rankings, classes = np.unique(y_train, axis=0, return_inverse=True)
machine = SVC(C=10).fit(X_train, classes.ravel())
quality = {
    "WeakOrders": tau_x(y_test, with_ties.predict(X_test)),
    "Permutations": tau_x(y_test, without.predict(X_test)),
    "classes, SVM": tau_x(y_test, rankings[machine.predict(X_test)]),
}
for name, value in quality.items():
    print(f"{name:13} τ_x {value:.3f}")

# %%
# The picture
# -----------
# Each ranking has a colour that mixes the colours of the cultivars, those of the first rank most. Dots are the wines to
# learn from, in the colour of their ranking.

COLOURS = np.array([[0.2, 0.55, 0.75], [0.95, 0.72, 0.25], [0.85, 0.42, 0.55]])


def colour(ranks: np.ndarray) -> np.ndarray:
    """Return a colour for each row of ranks."""
    share = 5.0 ** -ranks.astype(float)
    return (share / share.sum(axis=1, keepdims=True)) @ COLOURS


def describe(ranks: np.ndarray) -> str:
    """Return a ranking in words, tied cultivars joined by an equals sign."""
    groups = [[cultivars[u] for u in np.flatnonzero(ranks == r)] for r in range(1, ranks.max() + 1)]
    return " > ".join(" = ".join(group) for group in groups)


low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
grid = np.stack(np.meshgrid(np.linspace(low[0], high[0], 260), np.linspace(low[1], high[1], 260)), axis=-1)
points = grid.reshape(-1, 2)


def draw(ax: Axes, ranks: np.ndarray, title: str) -> set[tuple[int, ...]]:
    """Draw which ranking stands where, and return those that appear."""
    image = colour(ranks).reshape(*grid.shape[:2], 3)
    ax.imshow(image, origin="lower", extent=(low[0], high[0], low[1], high[1]), aspect="auto")
    _, region = np.unique(ranks, axis=0, return_inverse=True)
    for each in range(region.max() + 1):
        inside = (region.reshape(grid.shape[:2]) == each).astype(float)
        ax.contour(grid[..., 0], grid[..., 1], inside, levels=[0.5], colors="white", linewidths=1.2)
    ax.scatter(*X_train.T, s=26, color=colour(y_train), edgecolor="black", linewidth=0.6)
    ax.set(title=title, xlabel="first principal component", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return {tuple(row) for row in np.unique(ranks, axis=0).tolist()}


figure, axes = plt.subplots(1, 3, figsize=(13, 5.2), sharey=True, layout="constrained")
seen = draw(axes[0], rank(points), "the expert")
title = "learnt from 89 wines, with ties: τ_x = {:.3f}"
seen |= draw(axes[1], with_ties.predict(points), title.format(quality["WeakOrders"]))
title = "learnt without ties: τ_x = {:.3f}"
seen |= draw(axes[2], without.predict(points), title.format(quality["Permutations"]))
axes[0].set_ylabel("second principal component")
handles = [
    plt.Line2D([], [], linestyle="", marker="s", markersize=11, color=colour(row)[0], label=describe(row[0]))
    for row in (np.array([ranks]) for ranks in sorted(seen))
]
figure.legend(handles=handles, loc="outside lower center", ncols=7, frameon=False, fontsize=9)
plt.show()
