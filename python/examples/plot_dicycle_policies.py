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
# Learning curves
# ---------------
# The policy is recovered from far fewer people than the trips need to be predicted.

figure, ax = plt.subplots(layout="constrained")
ax.plot(SIZES, curves["policy"], "o-", label="estimated and hidden policy")
ax.plot(SIZES, curves["trip"], "s--", label="predicted and taken trip")
ax.set(
    xscale="log", ylim=(0, 1.02), xlabel="people to learn from", ylabel="mean cosine, 500 others",
    title="Learning policies from trips",
)  # fmt: skip
ax.set_xticks(SIZES, [str(n) for n in SIZES])
ax.minorticks_off()
ax.legend(loc="lower right")
plt.show()

# %%
# Trips
# -----
# The trip of a person in the middle of the test set, taken and predicted by the last model, and that of one among the
# worst tenth. Places stand around the circle in the order of the trip taken.

# sphinx_gallery_thumbnail_number = 2


def draw(taken: np.ndarray, predicted: np.ndarray, title: str) -> None:
    """Draw two cycles: arcs that both have, and those that only one of them has."""
    around = np.concatenate([taken[taken >= 0], np.setdiff1d(np.arange(10), taken)])
    angle = np.empty(10)
    angle[around] = np.pi / 2 - 2 * np.pi * np.arange(10) / 10  # clockwise, first those visited, in their order
    place = np.column_stack([np.cos(angle), np.sin(angle)])
    first, second = (
        {(int(u), int(v)) for u, v in zip(c, np.roll(c, -1), strict=True)}
        for c in (taken[taken >= 0], predicted[predicted >= 0])
    )
    figure, ax = plt.subplots(figsize=(6, 6), layout="constrained")
    for some, label, style in (
        (first & second, "both", {"color": "0.5", "linewidth": 3}),
        (first - second, "taken", {"color": "C0", "linewidth": 2.5}),
        (second - first, "predicted", {"color": "C1", "linewidth": 2.5, "linestyle": "dashed"}),
    ):
        for u, v in some:
            bent = {"mutation_scale": 16, "shrinkA": 13, "shrinkB": 13, "connectionstyle": "arc3,rad=-0.08"}
            ax.add_patch(FancyArrowPatch(place[u], place[v], arrowstyle="-|>", **bent, **style))
        ax.plot([], [], label=label, **style)
    ax.scatter(*place.T, s=420, color="#dddddd", zorder=3)
    for v, (a, b) in enumerate(place):
        ax.text(a, b, str(v), ha="center", va="center", color="black", zorder=4)
    ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title=title)
    ax.axis("off")
    figure.legend(loc="outside lower center", ncols=3)
    plt.show()


each = policy_cosine(y_test, trips, per_row=True)
order = np.argsort(each)
person = order[N_TEST // 2]
draw(y_test[person], trips[person], f"In the middle: cosine {each[person]:.2f}")
print(f"{np.mean(each > 1 - 1e-9):.0%} of the trips are predicted without any error")

# %%
# One of the worst tenth.

person = order[N_TEST // 20]
draw(y_test[person], trips[person], f"Among the worst tenth: cosine {each[person]:.2f}")
