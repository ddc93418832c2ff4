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
# Quality and number of tasks
# ---------------------------
# From fifty tasks on, the distribution over teams needs about half as many tasks as the others for the same quality.

figure, ax = plt.subplots(layout="constrained")
for (name, curve), style in zip(curves.items(), ("D-", "o-", "s--", "^:", "v-."), strict=True):
    ax.plot(SIZES, curve, style, label=name)
ax.set(xscale="log", xlabel="tasks to learn from", ylabel="mean F1 of the members", title="Learning curves")
ax.set_xticks(SIZES, [str(n) for n in SIZES])
ax.minorticks_off()
ax.set_ylim(0.45, 0.9)
ax.legend(loc="lower right", fontsize="small", ncols=2)
plt.show()

# %%
# Who gets on with whom
# ---------------------
# The truth is below the diagonal. Above it is the constant part of the learned scores, which nobody told the model.
# Both are scaled to the same spread.

pairs = models["pairs, linear"]
matrix = np.full((N_PEOPLE, N_PEOPLE), np.nan)
matrix[v, u] = getting_on / getting_on.std()
matrix[u, v] = pairs.intercept_ / pairs.intercept_.std()
correlation = np.corrcoef(getting_on, pairs.intercept_)[0, 1]
figure, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
image = ax.imshow(matrix, cmap="PuOr", vmin=-3, vmax=3)
ax.set(title=f"How pairs get on (correlation {correlation:.2f})", xlabel="hidden", xticks=[], yticks=[])
ax.yaxis.set_label_position("right")
ax.set_ylabel("learned")
figure.colorbar(image, location="left", label="worth, in standard deviations")
plt.show()

# %%
# One task and its team
# ---------------------
# A task of the test set: the twenty pairs with the largest learned scores, of either sign, the team predicted, and the
# team that it got.

# sphinx_gallery_thumbnail_number = 3
chosen = pairs.predict(X_test)
typical = int(np.argmin(np.abs((chosen != y_test).sum(axis=1) - 1) + np.abs(y_test.sum(axis=1) - 5)))
scores = pairs.feature_scores(X_test[[typical]])[0]
angle = np.pi / 2 - 2 * np.pi * np.arange(N_PEOPLE) / N_PEOPLE
at = np.column_stack([np.cos(angle), np.sin(angle)])
figure, ax = plt.subplots(figsize=(6, 6), layout="constrained")
for pair in np.argsort(-np.abs(scores))[:20]:
    style = {"color": "C0"} if scores[pair] > 0 else {"color": "C1", "linestyle": (0, (3, 1))}
    ax.plot(*at[[u[pair], v[pair]]].T, linewidth=5 * np.abs(scores[pair]) / np.abs(scores).max(), alpha=0.7, **style)
ax.scatter(*at.T, s=420, color=np.where(chosen[typical] == 1, "C0", "#dddddd").tolist(), zorder=2)
ax.scatter(*at[y_test[typical] == 1].T, s=820, facecolor="none", edgecolor="C2", linewidth=3, zorder=2)
for person, member in enumerate(chosen[typical]):
    ax.text(*at[person], str(person), ha="center", va="center", color="white" if member else "black", zorder=3)
ax.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal", title="A task and its team")
ax.axis("off")
handles = [
    plt.Line2D([], [], linestyle="", marker="o", markersize=12, color="C0", label="predicted"),
    plt.Line2D([], [], linestyle="", marker="o", markersize=12, mfc="none", mec="C2", mew=3, label="got it"),
    plt.Line2D([], [], linewidth=4, color="C0", alpha=0.7, label="fit"),
    plt.Line2D([], [], linewidth=4, color="C1", alpha=0.7, linestyle=(0, (3, 1)), label="do not fit"),
]
figure.legend(handles=handles, loc="outside lower center", ncols=2)
plt.show()
