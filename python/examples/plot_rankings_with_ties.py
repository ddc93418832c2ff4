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
from scipy.ndimage import distance_transform_edt
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
# Which ranking stands where
# --------------------------
# The colour tells which cultivar comes first, grey that several share the first rank. Dots are the wines to learn from.
# First the expert.

COLOURS = np.array([[0.55, 0.75, 0.87], [0.95, 0.75, 0.6], [0.6, 0.83, 0.74], [0.85, 0.85, 0.85]])
BOX = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1.5}
low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
grid = np.stack(np.meshgrid(np.linspace(low[0], high[0], 260), np.linspace(low[1], high[1], 260)), axis=-1)
points = grid.reshape(-1, 2)


def first(ranks: np.ndarray) -> np.ndarray:
    """Return which cultivar comes first in each row, 3 if several do."""
    return np.where((ranks == 1).sum(axis=1) == 1, ranks.argmin(axis=1), 3)


def describe(ranks: np.ndarray) -> str:
    """Return a ranking in words, tied cultivars joined by an equals sign."""
    groups = [[cultivars[u] for u in np.flatnonzero(ranks == r)] for r in range(1, ranks.max() + 1)]
    return ">".join("=".join(group) for group in groups)


def draw(ranks: np.ndarray, title: str) -> None:
    """Draw which ranking stands where."""
    figure, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
    image = COLOURS[first(ranks)].reshape(*grid.shape[:2], 3)
    ax.imshow(image, origin="lower", extent=(low[0], high[0], low[1], high[1]), aspect="auto")
    ax.scatter(*X_train.T, s=14, color="white", edgecolor="0.3", linewidth=0.8)
    found, region = np.unique(ranks, axis=0, return_inverse=True)
    for each, row in enumerate(found):
        inside = np.pad((region.reshape(grid.shape[:2]) == each).astype(float), 1)
        ax.contour(grid[..., 0], grid[..., 1], inside[1:-1, 1:-1], levels=[0.5], colors="white", linewidths=2)
        deep = distance_transform_edt(inside)[1:-1, 1:-1]
        at = grid[np.unravel_index(deep.argmax(), deep.shape)]
        if deep.max() > 8:
            ax.text(*at, describe(row), ha="center", va="center", color="black", fontsize="small", bbox=BOX)
    ax.set(title=title, xlabel="first principal component", ylabel="second principal component")
    names = [f"{name} first" for name in cultivars] + ["tied first"]
    handles = [plt.Line2D([], [], linestyle="", marker="s", ms=11, color=c) for c in COLOURS]
    figure.legend(handles, names, loc="outside lower center", ncols=4, columnspacing=1, handletextpad=0.2)
    plt.show()


draw(rank(points), "The expert")

# %%
# Then the rankings that are learnt with ties.

# sphinx_gallery_thumbnail_number = 2
draw(with_ties.predict(points), rf"Learnt with ties: $\tau_x$ = {quality['WeakOrders']:.3f}")

# %%
# And those that are learnt without.

draw(without.predict(points), rf"Learnt without ties: $\tau_x$ = {quality['Permutations']:.3f}")
