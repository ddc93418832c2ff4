"""
==================================
Teams: sets whose members must fit
==================================

Who works together on a task? Whether somebody is a good choice depends on who else comes. `Cliques` scores a set of
people by its pairs, and so learns from teams alone which pairs are worth having, for which task.
"""

# %%
# The data
# --------
# Twelve people have hidden skills, and some pairs get on badly whatever the task. A task weighs the skills; these
# weights are what we see of it. Two people together are worth the weighted product of their skills, plus how they get
# on. The task gets the team whose pairs are worth most in all, up to noise.

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score

from combpred import ProbabilisticStructured, StructuredRidgeCV
from combpred.structures import Cliques, LabelSets

N_PEOPLE, N_SKILLS, N_TEST = 12, 6, 500
SIZES = (25, 50, 100, 200, 400)
rng = np.random.default_rng(1)
u, v = np.triu_indices(N_PEOPLE, 1)
skills = rng.standard_normal((N_PEOPLE, N_SKILLS))
getting_on = rng.normal(-0.6, 1.0, len(u))
X = rng.standard_normal((N_TEST + max(SIZES), N_SKILLS))
worth = X @ (skills[u] * skills[v]).T + getting_on
y = Cliques(N_PEOPLE).decode(worth + 0.3 * rng.standard_normal(worth.shape))
print(f"{Cliques(N_PEOPLE).count()} teams; tasks by size of their team: {np.bincount(y.sum(axis=1)).tolist()}")

# %%
# Learning
# --------
# A pair's worth is linear in the task, but whether a person belongs to the best team is not. A linear model of pairs
# therefore goes beyond a linear model of people, `LabelSets`; given a Gaussian kernel, that one catches up with many
# tasks to learn from. So does a random forest, which takes the people as labels and knows no pairs either. The
# distribution over teams, trained by its likelihood with its default penalty, is ahead of the forest at every size, and
# of all others from fifty tasks on. The measure is the F1 score of the members, averaged over 500 other tasks.

X_test, y_test = X[:N_TEST], y[:N_TEST]
alphas = np.logspace(-3, 3, 7)
models = {
    "pairs, distribution": ProbabilisticStructured(Cliques()),
    "pairs, linear": StructuredRidgeCV(Cliques(), kernels=["linear"], alphas=alphas),
    "people, Gaussian": StructuredRidgeCV(
        LabelSets(), alphas=alphas, losses=["squared"], kernels=["rbf"], gammas=[0.15]
    ),
    "people, linear": StructuredRidgeCV(LabelSets(), alphas=alphas, losses=["squared"], kernels=["linear"]),
    "people, forest": RandomForestClassifier(random_state=0),
}
curves: dict[str, list[float]] = {name: [] for name in models}
for n in SIZES:
    tasks = slice(N_TEST, N_TEST + n)
    for name, model in models.items():
        predicted = model.fit(X[tasks], y[tasks]).predict(X_test)
        curves[name].append(f1_score(y_test, predicted, average="samples", zero_division=1))
    print(f"{n:4} tasks: " + ", ".join(f"{name} {curve[-1]:.3f}" for name, curve in curves.items()))

# %%
# The picture
# -----------
# Left, the learning curves. In the middle, how pairs get on: the truth below the diagonal, and above it the constant
# part of the learned scores, which nobody told the model; both are scaled to the same spread. Right, a task of the test
# set: the pairs with the largest learned scores, of either sign, the team predicted, and the team it got.


def draw_curves(ax: Axes) -> None:
    """Draw the F1 score of all models against the number of tasks."""
    for (name, curve), colour, marker in zip(
        curves.items(), ("#000000", "#009E73", "#0072B2", "#CC79A7", "#E69F00"), "Dos^v", strict=True
    ):
        ax.plot(SIZES, curve, marker=marker, color=colour, label=name)
    ax.set(
        xscale="log", xticks=SIZES, xticklabels=[str(n) for n in SIZES], ylim=(0.55, 0.9),
        xlabel="tasks to learn from", ylabel="mean F1 of the members", title="Learning curves",
    )  # fmt: skip
    ax.minorticks_off()
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, loc="lower right")


def draw_pairs(ax: Axes, learned: np.ndarray) -> None:
    """Draw hidden and learned worth of pairs in one matrix."""
    matrix = np.full((N_PEOPLE, N_PEOPLE), np.nan)
    matrix[v, u] = getting_on / getting_on.std()
    matrix[u, v] = learned / learned.std()
    image = ax.imshow(matrix, cmap="PuOr", vmin=-3, vmax=3)
    correlation = np.corrcoef(getting_on, learned)[0, 1]
    ax.set(title=f"How pairs get on (correlation {correlation:.2f})", xlabel="hidden", xticks=[], yticks=[])
    ax.yaxis.set_label_position("right")
    ax.set_ylabel("learned")
    ax.figure.colorbar(image, ax=ax, shrink=0.7, location="left", label="worth of the pair, in standard deviations")


def draw_task(ax: Axes, scores: np.ndarray, got: np.ndarray, predicted: np.ndarray) -> None:
    """Draw people on a circle, the pairs that matter, and two teams."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(N_PEOPLE) / N_PEOPLE
    at = np.column_stack([np.cos(angle), np.sin(angle)])
    strong = np.argsort(-np.abs(scores))[:20]
    lines = LineCollection(
        np.stack([at[u[strong]], at[v[strong]]], axis=1),
        colors=["#E66101" if s < 0 else "#5E3C99" for s in scores[strong]],
        linewidths=5 * np.abs(scores[strong]) / np.abs(scores).max(),
        alpha=0.6,
    )
    ax.add_collection(lines)
    ax.scatter(*at.T, s=330, color=np.where(predicted == 1, "#5E3C99", "#EEEEEE").tolist(), zorder=2)
    ax.scatter(*at[got == 1].T, s=620, facecolor="none", edgecolor="black", linewidth=1.6, zorder=2)
    for person in range(N_PEOPLE):
        shade = "white" if predicted[person] else "black"
        ax.text(*at[person], str(person), ha="center", va="center", color=shade, zorder=3)
    ax.set(xlim=(-1.35, 1.35), ylim=(-1.35, 1.35), aspect="equal", title="A task and its team")
    ax.axis("off")
    handles = [
        plt.Line2D([], [], linestyle="", marker="o", markersize=11, color="#5E3C99", label="predicted"),
        plt.Line2D(
            [], [], linestyle="", marker="o", markersize=13, markerfacecolor="none", color="black", label="got it"
        ),
        plt.Line2D([], [], linewidth=4, color="#5E3C99", alpha=0.6, label="fit"),
        plt.Line2D([], [], linewidth=4, color="#E66101", alpha=0.6, label="do not fit"),
    ]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.03), ncols=4, frameon=False)


pairs = models["pairs, linear"]
chosen = pairs.predict(X_test)
typical = int(np.argmin(np.abs((chosen != y_test).sum(axis=1) - 1) + np.abs(y_test.sum(axis=1) - 5)))
figure, axes = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained")
draw_curves(axes[0])
draw_pairs(axes[1], pairs.intercept_)
draw_task(axes[2], pairs.feature_scores(X_test[[typical]])[0], y_test[typical], chosen[typical])
plt.show()
