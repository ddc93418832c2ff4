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
from matplotlib.axes import Axes
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
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
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
# The picture
# -----------
# Above left, what three people say, one of each taste, with an arrow from the better dish where nothing comes between;
# above right, how often the taste is found. Below, the people as each kernel sees them: its two principal components,
# when everybody tells eight pairs.


def draw_orders(ax: Axes, people: list[np.ndarray]) -> None:
    """Draw partial orders of dishes side by side, better dishes higher up, without what follows."""
    for column, person in enumerate(people):
        before = np.zeros((len(DISHES), len(DISHES)), dtype=bool)
        before[tuple(arrows(person).T)] = True
        for w in range(len(DISHES)):
            before |= before[:, w, None] & before[w]
        direct = before & ~((before.astype(int) @ before) > 0)
        height = (before.sum(axis=1) - before.sum(axis=0)).astype(float)
        level = np.argsort(np.argsort(height, kind="stable"))
        x = 1.6 * column + 0.28 * np.where(level % 2, 1, -1)
        for a, b in np.argwhere(direct):
            style = {"arrowstyle": "-|>", "color": "#888888", "shrinkA": 9, "shrinkB": 9}
            ax.annotate("", (x[b], level[b]), (x[a], level[a]), arrowprops=style)
        linked = before.any(axis=0) | before.any(axis=1)
        for dish, name in enumerate(DISHES):
            shade = COLOURS[column] if linked[dish] else "#BBBBBB"
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            ax.text(x[dish], level[dish], name, ha="center", va="center", color=shade, fontsize=10, bbox=box)
    ax.plot([-0.9, 4.1], [-0.7, len(DISHES) - 0.3], alpha=0)
    ax.set_title(f"Three people, {SHOWN} pairs each")
    ax.axis("off")


def draw_curves(ax: Axes) -> None:
    """Draw how often tastes are found, against the number of pairs told."""
    for (name, curve), style in zip(curves.items(), ("^:", "s--", "o-", "D-."), strict=True):
        ax.plot(PAIRS_TOLD, curve, style, label=name)
    ax.axhline(np.bincount(taste).max() / N_PEOPLE, color="#888888", linewidth=0.8)
    ax.set(
        xlabel=f"pairs told, of {len(u)}", ylabel="share of tastes found", xticks=PAIRS_TOLD, ylim=(0.2, 1.02),
        title="Learning from what is said",
    )  # fmt: skip
    ax.text(28, 0.345, "always the commonest", ha="right", va="bottom", color="#666666", fontsize=8)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, loc="lower left", ncols=2)


def draw_components(ax: Axes, name: str, matrix: np.ndarray) -> None:
    """Draw the first two principal components in the features of a kernel."""
    places = KernelPCA(2, kernel="precomputed").fit_transform(matrix)
    for each in range(N_TASTES):
        ax.scatter(*places[taste == each].T, s=14, alpha=0.75, color=COLOURS[each], label=f"taste {each + 1}")
    ax.set(title=f"{name} kernel", xticks=[], yticks=[])


figure = plt.figure(figsize=(14, 8.4), layout="constrained")
above, below = figure.subfigures(2, 1, height_ratios=(1.15, 1))
left, right = above.subplots(1, 2, width_ratios=(1.5, 1))
some = [int(np.flatnonzero(taste == each)[1]) for each in range(N_TASTES)]
draw_orders(left, [told(SHOWN)[person] for person in some])
draw_curves(right)
panels = below.subplots(1, 4)
for ax, (name, kernel) in zip(panels, KERNELS.items(), strict=True):
    draw_components(ax, name, kernel(told(SHOWN), format="pairs", normalize=True))
panels[0].legend(frameon=False, loc="best", fontsize=8)
plt.show()
