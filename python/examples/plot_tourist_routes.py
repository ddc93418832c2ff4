"""
============================
Routes of visitors in a city
============================

Visitors of a small city differ in what they like, where they set out and how much time they have. From the routes of
some of them a model learns to draw the routes of others: which places, in which order, and how many.
"""

# %%
# A city
# ------
# Twelve places of three kinds, spread out over a square, some more popular than others.

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from sklearn.neighbors import NearestNeighbors

from combpred import StructuredRidgeCV
from combpred.metrics import route_f1, route_pairs_f1
from combpred.structures import Routes

N_PLACES, N_TRAIN, N_TEST = 12, 500, 200
KINDS = ("museums", "parks", "markets")
COLOURS, MARKERS = ("C0", "C2", "C3"), "osD"
rng = np.random.default_rng(3)

place = rng.uniform(size=(1, 2))
while len(place) < N_PLACES:  # of some random points, the one farthest from the places there are
    candidates = rng.uniform(size=(12, 2))
    distance = np.linalg.norm(candidates[:, np.newaxis] - place, axis=2).min(axis=1)
    place = np.vstack([place, candidates[distance.argmax()]])
kind = np.arange(N_PLACES) % len(KINDS)
popularity = rng.uniform(0.5, 1.5, N_PLACES)
walk = np.linalg.norm(place[:, np.newaxis] - place, axis=2)
print(f"{Routes(N_PLACES).count():,} routes")

# %%
# Its visitors
# ------------
# A visitor's tastes for the three kinds add up to three. Going on to another place earns its popularity times the taste
# for its kind, and costs the walk. Each further place costs more if there is less time. A little noise differs from
# visitor to visitor. Everyone takes the best of all routes from their starting place.

n = N_TRAIN + N_TEST
taste = 3 * rng.dirichlet(np.ones(len(KINDS)), n)
start = rng.integers(N_PLACES, size=n)
hours = rng.uniform(2, 8, n)
going = taste[:, np.newaxis, kind] * popularity - 2 * walk - (2.1 - 0.25 * hours[:, np.newaxis, np.newaxis])
going = going + 0.2 * rng.standard_normal((n, 1, N_PLACES)) + 0.1 * rng.standard_normal(going.shape)
from_start = np.where(np.arange(N_PLACES) == start[:, np.newaxis], 0.0, -100.0)
arcs = going[:, ~np.eye(N_PLACES, dtype=bool)]
y = Routes(N_PLACES).decode(np.hstack([arcs, from_start, np.zeros((n, N_PLACES))]))
X = np.hstack([taste - 1, hours[:, np.newaxis] / 2 - 2.5, place[start] - 0.5, np.eye(N_PLACES)[start]])
train, test = slice(None, N_TRAIN), slice(N_TRAIN, None)
print("routes by number of places:", np.bincount((y >= 0).sum(axis=1)).tolist())

# %%
# Learning
# --------
# The model sees tastes, hours, the starting place and the route. It does not see kinds, popularity or the coordinates
# of other places. The starting place is known, so predictions must begin there; the same holds in leave-one-out, which
# chooses the loss and the penalty. For comparison, each test visitor is sent on the route of the most similar visitor
# with the same starting place.

ends = [{"start": v} for v in start.tolist()]
model = StructuredRidgeCV(
    Routes(), kernels=["rbf"], gammas=[0.1], alphas=np.logspace(-2, 0, 5), losses=["squared", "auc"], scoring="metric"
)
model.fit(X[train], y[train], constraints=ends[train])
predicted = model.predict(X[test], constraints=ends[test])
print("chosen:", model.best_params_)
weighted = X + 10 * np.hstack([np.zeros((n, X.shape[1] - N_PLACES)), np.eye(N_PLACES)[start]])
_, nearest = NearestNeighbors(n_neighbors=1).fit(weighted[train]).kneighbors(weighted[test])
for name, routes in {"most similar visitor": y[train][nearest[:, 0]], "StructuredRidgeCV": predicted}.items():
    places, pairs = route_f1(y[test], routes), route_pairs_f1(y[test], routes)
    print(f"{name:22} F1 of places {places:.3f}, of ordered pairs of places {pairs:.3f}")

# %%
# One visitor
# -----------
# A visitor of the test set with a prediction of middling quality, among those that see four places or more. The broad
# grey line is the route taken, the arrows are the route predicted; a ring marks where it begins.


def draw(ax: Axes, taken: np.ndarray, routed: np.ndarray, title: str) -> None:
    """Draw the city with one route that serves as background and one predicted."""
    taken, routed = taken[taken >= 0], routed[routed >= 0]
    ax.plot(*place[taken].T, color="0.5", alpha=0.4, linewidth=10, solid_capstyle="round", solid_joinstyle="round")
    style = {"arrowstyle": "-|>", "mutation_scale": 13, "shrinkA": 9, "shrinkB": 9, "linewidth": 2, "color": "C1"}
    for u, v in zip(routed[:-1], routed[1:], strict=True):
        ax.add_patch(FancyArrowPatch(place[u], place[v], **style))
    for each, (colour, marker) in enumerate(zip(COLOURS, MARKERS, strict=True)):
        ax.scatter(*place[kind == each].T, s=230, color=colour, marker=marker, zorder=3)
    ax.scatter(*place[taken[0]], s=480, facecolor="none", edgecolor="0.5", linewidth=2)
    for v, at in enumerate(place):
        ink = "black" if kind[v] == 2 else "white"
        ax.text(*at, str(v), ha="center", va="center_baseline", color=ink, fontsize="small", zorder=4)
    ax.set(xlim=(-0.1, 1.1), ylim=(-0.1, 1.1), xticks=[], yticks=[], aspect="equal", title=title)
    ax.axis("off")


# sphinx_gallery_thumbnail_number = 1
pairs = route_pairs_f1(y[test], predicted, per_row=True)
long = np.flatnonzero((y[test] >= 0).sum(axis=1) >= 4)
shown = long[np.argsort(-pairs[long], kind="stable")][np.linspace(0.05, 0.95, 6).dot(len(long) - 1).astype(int)]
visitor = shown[2]
likes = ", ".join(f"{KINDS[k]} {taste[N_TRAIN + visitor, k]:.1f}" for k in np.argsort(-taste[N_TRAIN + visitor]))
print(f"{hours[N_TRAIN + visitor]:.1f} hours; tastes: {likes}")
figure, ax = plt.subplots(figsize=(6, 6.6), layout="constrained")
draw(ax, y[N_TRAIN + visitor], predicted[visitor], f"F1 of ordered pairs {pairs[visitor]:.2f}")
handles = [
    plt.Line2D([], [], linestyle="", marker=m, markersize=11, color=c, label=k)
    for k, c, m in zip(KINDS, COLOURS, MARKERS, strict=True)
]
handles += [
    plt.Line2D([], [], color="0.5", alpha=0.4, linewidth=10, label="route taken"),
    plt.Line2D([], [], color="C1", linewidth=2, marker=">", label="route predicted"),
]
figure.legend(handles=handles, loc="outside lower center", ncols=3)
plt.show()

# %%
# Good and poor predictions
# -------------------------
# Four others, from one of the best twentieth to one of the worst.

figure, axes = plt.subplots(2, 2, figsize=(6, 6.4), layout="constrained")
for ax, visitor in zip(axes.flat, shown[[0, 1, 4, 5]], strict=True):
    draw(ax, y[N_TRAIN + visitor], predicted[visitor], f"F1 {pairs[visitor]:.2f}")
plt.show()

# %%
# Wishes
# ------
# The model was trained on free routes, but it also answers requests: a visitor's best route among those that end at a
# given place, that see some places, leave others out, or have as many places as there is time for. It is found exactly,
# by dynamic programming over the routes that meet the wishes. Grey is the route predicted without wishes.

visitor = shown[1]
first = int(predicted[visitor][0])
away = np.argsort(-walk[first])[:2].tolist()
wishes = {
    "free": {},
    f"end at {away[0]}": {"end": away[0]},
    f"see {away[0]} and {away[1]}": {"required": away},
    "four places": {"length": 4},
}
figure, axes = plt.subplots(2, 2, figsize=(6, 6.4), layout="constrained")
for ax, (title, wish) in zip(axes.flat, wishes.items(), strict=True):
    (route,) = model.predict(X[test][[visitor]], constraints={"start": first, **wish})
    draw(ax, predicted[visitor], route, title)
    print(f"{title:20}", " → ".join(str(v) for v in route[route >= 0]))
plt.show()
