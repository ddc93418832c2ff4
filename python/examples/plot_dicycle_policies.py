"""
==================================
Hidden policies behind round trips
==================================

People with different features walk different round trips through ten places. Nobody says why; we only see the trips. A
model that scores directed cycles learns from them how the reward of going from one place to another depends on a
person's features: the experiment on policy estimation of Vembu (2010), section 5.5.
"""

# %%
# The data
# --------
# Everyone has 15 features and takes the cycle that earns most under a hidden policy, one reward for each pair of
# places, linear in the features. There are more than a million directed cycles over ten places.

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from sklearn.linear_model import Ridge
from sklearn.preprocessing import normalize

from combpred import EmbeddingRegressor, StructuredRidgeCV
from combpred.datasets import make_dicycle_policies
from combpred.metrics import policy_cosine
from combpred.structures import DirectedCycles

SIZES = (50, 100, 200, 500, 1000)
N_TEST = 500
X, y, policies = make_dicycle_policies(N_TEST + max(SIZES), n_features=15, n_places=10, random_state=0)
X_test, y_test, hidden = X[:N_TEST], y[:N_TEST], policies[:N_TEST]
print(f"{DirectedCycles(10).count():,} directed cycles; the first person takes {y[0].tolist()}")

# %%
# Learning
# --------
# Training counts the cycles instead of searching them, and leave-one-out chooses the penalty. Opposite people take
# opposite trips, so the scores need no constant part. Two things are compared: the estimated scores with the hidden
# policy, and the predicted trip with the trip taken. The trip is the harder of the two, since a small error in the
# policy can move many of its arcs. Beside it stands the simplest rival, which does about as well: the `Ridge` of
# scikit-learn on the arcs taken, and the best trip by its predictions.

curves: dict[str, list[float]] = {"policy": [], "trip": []}
for n in SIZES:
    people = slice(N_TEST, N_TEST + n)
    model = StructuredRidgeCV(DirectedCycles(), kernels=["linear"], alphas=np.logspace(-1, 4, 11), fit_intercept=False)
    model.fit(X[people], y[people])
    scores, trips = model.feature_scores(X_test), model.predict(X_test)
    curves["policy"].append(float((normalize(scores) * normalize(hidden)).sum(axis=1).mean()))
    curves["trip"].append(policy_cosine(y_test, trips))
    rival = EmbeddingRegressor(DirectedCycles(), Ridge(fit_intercept=False), decision="score").fit(X[people], y[people])
    print(
        f"{n:5} people: cosine of policies {curves['policy'][-1]:.3f}, of trips {curves['trip'][-1]:.3f}, "
        f"by Ridge of single arcs {policy_cosine(y_test, rival.predict(X_test)):.3f}"
    )

# %%
# The picture
# -----------
# Left, both cosines against the number of people to learn from. Then the trips of three people from the test set, taken
# and predicted by the last model: one of the best tenth, one of the middle, one of the worst tenth. Places stand around
# the circle in the order of the trip taken.


def draw(ax: Axes, taken: np.ndarray, predicted: np.ndarray, title: str) -> None:
    """Draw two cycles: arcs that both have, and those that only one of them has."""
    around = np.concatenate([taken[taken >= 0], np.setdiff1d(np.arange(10), taken)])
    angle = np.empty(10)
    angle[around] = np.pi / 2 - 2 * np.pi * np.arange(10) / 10  # clockwise, first those visited, in their order
    place = np.column_stack([np.cos(angle), np.sin(angle)])
    arcs = [
        {(int(u), int(v)) for u, v in zip(c, np.roll(c, -1), strict=True)}
        for c in (taken[taken >= 0], predicted[predicted >= 0])
    ]
    styles = (
        (arcs[0] & arcs[1], "#444444", 2.2, "solid"),
        (arcs[0] - arcs[1], "#0072B2", 1.6, "solid"),
        (arcs[1] - arcs[0], "#D55E00", 1.6, "dashed"),
    )
    for some, colour, width, line in styles:
        for u, v in some:
            arrow = FancyArrowPatch(
                place[u], place[v], arrowstyle="-|>", mutation_scale=11, shrinkA=8, shrinkB=8, color=colour,
                linewidth=width, linestyle=line, connectionstyle="arc3,rad=-0.08",
            )  # fmt: skip
            ax.add_patch(arrow)
    ax.scatter(*place.T, s=190, color="white", edgecolor="#444444", zorder=3)
    for v, (a, b) in enumerate(place):
        ax.text(a, b, str(v), ha="center", va="center", fontsize=9, zorder=4)
    ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal", title=title)
    ax.axis("off")


each = policy_cosine(y_test, trips, per_row=True)
order = np.argsort(each)
figure, axes = plt.subplots(1, 4, figsize=(14, 4), width_ratios=(1.1, 1, 1, 1), layout="constrained")
axes[0].plot(SIZES, curves["policy"], "o-", color="#009E73", label="estimated and hidden policy")
axes[0].plot(SIZES, curves["trip"], "s-", color="#CC79A7", label="predicted and taken trip")
axes[0].set(
    xscale="log", xticks=SIZES, xticklabels=[str(n) for n in SIZES], ylim=(0, 1.02),
    xlabel="people to learn from", ylabel="mean cosine, 500 other people", title="Learning curves",
)  # fmt: skip
axes[0].minorticks_off()
axes[0].grid(alpha=0.3)
axes[0].legend(loc="lower right", frameon=False)
for ax, quantile in zip(axes[1:], (0.95, 0.5, 0.05), strict=True):
    person = order[int(quantile * (N_TEST - 1))]
    draw(ax, y_test[person], trips[person], f"trip with cosine {each[person]:.2f}")
handles = [
    plt.Line2D([], [], color="#444444", linewidth=2.2, label="taken and predicted"),
    plt.Line2D([], [], color="#0072B2", linewidth=1.6, label="taken only"),
    plt.Line2D([], [], color="#D55E00", linewidth=1.6, linestyle="dashed", label="predicted only"),
]
axes[2].legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=3, frameon=False)
plt.show()
