"""
===================================
Kernels on partially ordered wishes
===================================

People say of a few pairs of dishes which of the two they like better. What they say is a partial order, and partial
orders of different people need not be about the same pairs. Four kernels compare them: by how many dishes are before
each, by the relations in common, by these less the contradictions, and by the rankings that agree with both.
"""

# %%
# The data
# --------
# Three tastes rank eight dishes differently. A person has one of the tastes, with noise, and tells the order of some
# random pairs; what follows from that is understood. The task is to find out the taste.

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import StratifiedKFold, cross_val_score

from combpred import StructuredRidge
from combpred.kernels import edge_kernel, extension_kernel, position_kernel, signed_edge_kernel
from combpred.sampling import count_linear_extensions

DISHES = ("dal", "pho", "feijoada", "gnocchi", "kimchi", "mole", "paella", "tagine")
N_PEOPLE, N_TASTES, SHOWN = 240, 3, 8
PAIRS_TOLD = (2, 4, 8, 12, 18, 28)
KERNELS = {
    "position": position_kernel,
    "edge": edge_kernel,
    "signed edge": signed_edge_kernel,
    "extension": extension_kernel,
}
rng = np.random.default_rng(3)
u, v = np.triu_indices(len(DISHES), 1)
tastes = np.array([rng.permutation(len(DISHES)) for _ in range(N_TASTES)])
taste = rng.integers(N_TASTES, size=N_PEOPLE)
pleasure = tastes[taste] + 1.3 * rng.gumbel(size=(N_PEOPLE, len(DISHES)))
full = np.where(pleasure[:, u] > pleasure[:, v], 1, -1)
asked = np.argsort(rng.random(full.shape), axis=1)


def told(n_pairs: int) -> np.ndarray:
    """Return what everybody says of the first pairs that they are asked about, 0 for the others."""
    return np.where(np.argsort(asked, axis=1) < n_pairs, full, 0)


def arrows(person: np.ndarray) -> np.ndarray:
    """Return what one person says as pairs, the better dish first."""
    return np.concatenate([np.stack([u, v], axis=1)[person > 0], np.stack([v, u], axis=1)[person < 0]])


for n_pairs in PAIRS_TOLD:
    counts = [count_linear_extensions(arrows(person), len(DISHES)).value for person in told(n_pairs)]
    print(f"{n_pairs:2} pairs leave a median of {int(np.median(counts))} of 40320 rankings open")

# %%
# Learning
# --------
# A kernel matrix is all that a learner needs. With few pairs the rankings in common do as well as the relations in
# common, and better than the positions. But two complete rankings have none in common unless they are equal, so that
# there the extension kernel sees no likeness but that of equals, and hardly anything is learnt.

folds = StratifiedKFold(5, shuffle=True, random_state=0)
learner = StructuredRidge(kernel="precomputed", alpha=0.3)
curves: dict[str, list[float]] = {name: [] for name in KERNELS}
for n_pairs in PAIRS_TOLD:
    for name, kernel in KERNELS.items():
        matrix = kernel(told(n_pairs), format="pairs", normalize=True)
        curves[name].append(cross_val_score(learner, matrix, taste, cv=folds).mean())
    print(f"{n_pairs:2} pairs: " + ", ".join(f"{name} {curve[-1]:.2f}" for name, curve in curves.items()))

# %%
# How often the taste is found, by the number of pairs told. The dotted line is the share of the most frequent taste.

figure, ax = plt.subplots(layout="constrained")
for (name, curve), style in zip(curves.items(), ("^:", "s--", "o-", "D-."), strict=True):
    ax.plot(PAIRS_TOLD, curve, style, label=name)
ax.axhline(np.bincount(taste).max() / N_PEOPLE, color="0.5", linestyle=":")
ax.set(
    xlabel=f"pairs told, of {len(u)}", ylabel="share of tastes found", xticks=PAIRS_TOLD, ylim=(0, 1.02),
    title="Learning from a few preferences",
)  # fmt: skip
ax.legend(loc="lower center", ncols=2)
plt.show()

# %%
# What one person says
# --------------------
# Eight pairs, with an arrow from the better dish to the worse one if nothing comes between.

# sphinx_gallery_thumbnail_number = 2
before = np.zeros((len(DISHES), len(DISHES)), dtype=bool)
before[tuple(arrows(told(SHOWN)[42]).T)] = True
for w in range(len(DISHES)):
    before |= before[:, w, None] & before[w]
direct = before & ~((before.astype(int) @ before) > 0)
depth = np.zeros(len(DISHES), dtype=int)
for _ in DISHES:
    depth = np.array([max((depth[a] + 1 for a in np.flatnonzero(before[:, b])), default=0) for b in range(len(DISHES))])
figure, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
place = np.empty((len(DISHES), 2))
for level in range(depth.max() + 1):
    row = np.flatnonzero(depth == level)
    across = np.arange(len(row)) - (len(row) - 1) / 2 + 0.2 * (level % 2)
    place[row] = np.column_stack([across, np.full(len(row), -level)])
for a, b in np.argwhere(direct):
    style = {"arrowstyle": "-|>", "color": "0.5", "shrinkA": 14, "shrinkB": 14, "linewidth": 1.5}
    ax.annotate("", place[b], place[a], arrowprops=style)
for dish, name in enumerate(DISHES):
    box = {"facecolor": "#dddddd", "edgecolor": "none", "boxstyle": "round"}
    ax.text(*place[dish], name, ha="center", va="center", color="black", bbox=box)
ax.plot(*place.T, alpha=0)
ax.margins(0.15)
ax.set_title(f"{SHOWN} pairs make a partial order")
ax.axis("off")
plt.show()

# %%
# What a kernel sees
# ------------------
# The first two principal components of the people in the features of each kernel, when everybody tells eight pairs.

figure, axes = plt.subplots(2, 2, figsize=(6, 6), layout="constrained")
for ax, (name, kernel) in zip(axes.flat, KERNELS.items(), strict=True):
    matrix = kernel(told(SHOWN), format="pairs", normalize=True)
    points = KernelPCA(2, kernel="precomputed").fit_transform(matrix)
    for each, marker in enumerate("os^"):
        ax.plot(*points[taste == each].T, marker, markersize=4, alpha=0.8, label=f"taste {each + 1}")
    ax.set(title=f"{name} kernel", xticks=[], yticks=[])
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()
