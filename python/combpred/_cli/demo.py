"""``combpred demo``: walks and rankings predicted beside simple rivals, with proofs, probabilities and guarantees."""

from __future__ import annotations

import time
import warnings
from argparse import Namespace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from .. import datasets
from .._models.composed.conformal import ConformalStructured
from .._models.probabilistic import ProbabilisticStructured
from ..metrics import route_pairs_f1
from ..structures import structure_classes

_FORMAT = "{:34} {:30} {:>10} {:>10}  {}"
_PLACES, _VISITORS = 8, 225


def demo(options: Namespace) -> None:
    """Predict walks, and rankings from rankings of which half is hidden; print a table and draw a picture."""
    begin = time.perf_counter()
    print(_FORMAT.format("task", "metric", "combpred", "rival", "which rival"))
    walks, ranks = _Walks(), _Ranks()
    print(
        f"\n{time.perf_counter() - begin:.0f} seconds. {walks.proven} of {len(walks.found)} walks are proven best of",
        end=" ",
    )
    print(f"{walks.town.count():,}. Probabilities and sizes are exact sums over {ranks.count:,} rankings.")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('No picture: matplotlib is not installed; pip install "combpred[plot]" brings it.')
        return
    figure = Figure(figsize=(10, 8), layout="constrained")
    (first, second), (third, fourth) = figure.subplots(2, 2)
    walks.draw(first)
    ranks.draw(second, third, fourth)
    figure.savefig(options.plot, dpi=120)
    print(f"Picture written to {options.plot}.")


def _row(*cells: str) -> None:
    print(_FORMAT.format(*cells), flush=True)


class _Walks:
    """Walks of visitors, who like some places and dislike long ways; generated."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        town: Any = structure_classes()["routes"](_PLACES)
        self.town = town
        self.spots = rng.uniform(size=(_PLACES, 2))
        ways = np.linalg.norm(self.spots[:, None] - self.spots, axis=2)
        liked = rng.normal(size=(_VISITORS + 1000, _PLACES))
        worth = 1.5 * (liked[:, None, :] - ways) + rng.gumbel(scale=0.3, size=(len(liked), _PLACES, _PLACES))
        ends = {"start": 0, "end": _PLACES - 1}
        y = town.decode(town.scores_from(worth), constraints=ends)
        X, self.X, y, self.y = train_test_split(liked, y, train_size=_VISITORS, random_state=0)
        model = ProbabilisticStructured(town).fit(X, y, constraints=ends)
        self.found, certificate = model.predict(self.X, constraints=ends, return_certificate=True)
        self.proven = int(certificate.optimal.sum())
        different, number = np.unique(y, axis=0, return_inverse=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of scikit-learn, about so many classes
            whole = LogisticRegression(C=10, max_iter=3000).fit(X, number.ravel())
        steps = town.embed(y)
        odds = np.where(steps.all(axis=0), 10.0, -10.0) * np.ones((len(self.X), 1))
        for j in np.flatnonzero(steps.any(axis=0) & ~steps.all(axis=0)):
            odds[:, j] = LogisticRegression(C=10, max_iter=3000).fit(X, steps[:, j]).decision_function(self.X)
        for rival, name in (
            (different[whole.predict(self.X)], f"logistic regression, {len(different)} walks as classes"),
            (town.decode(odds, constraints=ends), "logistic regression for each step, best walk"),
        ):
            scores = (f"{route_pairs_f1(self.y, found):.3f}" for found in (self.found, rival))
            _row(f"walks, {_VISITORS} seen", "F1 of ordered pairs", *scores, name)

    def draw(self, axes: Any) -> None:
        """Draw the first walk to six places that was taken, and the one suggested."""
        first = np.flatnonzero((self.y >= 0).sum(axis=1) == 6)[0]
        for route, style, label in (
            (self.y[first], {"color": "0.75", "lw": 8}, "taken"),
            (self.found[first], {"color": "C0", "lw": 2}, "suggested"),
        ):
            axes.plot(*self.spots[route[route >= 0]].T, **style, label=label, solid_capstyle="round")
        axes.plot(*self.spots.T, "o", color="0.35", ms=5)
        for place, name in ((0, "start"), (_PLACES - 1, "end")):
            axes.annotate(name, self.spots[place], xytext=(6, 6), textcoords="offset points")
        axes.set(xticks=[], yticks=[], title=f"A walk, proven best of {self.town.count():,}")
        axes.margins(0.12)
        axes.legend(frameon=False)


class _Ranks:
    """Rankings of the ten digits for each image, the positions of half of them hidden in training."""

    def __init__(self) -> None:
        data = datasets.load_digits_ranking()
        self.structure, self.images = data.structure, data.data
        self.count = int(self.structure.count())
        X, y = StandardScaler().fit_transform(data.data), data.target
        rng = np.random.default_rng(0)
        order = rng.permutation(len(X))
        train, calibrate, self.test = order[:600], order[600:1100], order[1100:]
        seen = np.where(rng.random((600, 10)) < 0.5, -1, y[train])
        model = ProbabilisticStructured(self.structure, kernel="rbf", gamma=0.005, alpha=0.1)
        model.fit(X[train], seen)  # at the setting that ProbabilisticStructuredCV chooses
        X_test, y_test = X[self.test], y[self.test]
        self.marginals = model.predict_marginals(X_test)
        before = self.structure.embed(y_test) > 0
        pairs = np.empty(before.shape)
        for j, (u, v) in enumerate(zip(*np.triu_indices(10, 1), strict=True)):
            both = (seen[:, u] > 0) & (seen[:, v] > 0)
            ahead = seen[both, u] < seen[both, v]
            pairs[:, j] = LogisticRegression(C=0.3).fit(X[train][both], ahead).predict_proba(X_test)[:, 1]
        self.curves = {"combpred": (1 + self.marginals) / 2, "logistic regressions": pairs}
        self.before = before
        losses = [f"{-np.log(np.where(before, p, 1 - p)).mean():.3f}" for p in self.curves.values()]
        shares = [f"{np.mean((p > 0.5) == before):.3f}" for p in self.curves.values()]
        each = "logistic regression for each pair"
        _row("rankings of 10, half hidden", "log-loss of pairs (less: better)", *losses, each)
        _row("", "pairs in the right order", *shares, each)
        proba = model.log_proba(X_test, y_test)
        _row(
            "",
            "mean ln p of whole rankings",
            f"{proba.mean():.2f}",
            "–",
            f"all equally likely: {-np.log(self.count):.2f}",
        )
        sets = ConformalStructured(model, alpha=0.1).fit(X[calibrate], y[calibrate]).predict_set(X_test)
        self.sizes = sets.log_size / np.log(10)
        share, middle = sets.contains(y_test).mean(), 10 ** np.median(self.sizes)
        _row("sets that hold the right ranking", "share (.900 asked for)", f"{share:.3f}", "–",
             f"none: half of the sets have {middle:.0f} rankings or fewer")  # fmt: skip

    def draw(self, matrix: Any, reliability: Any, sizes: Any) -> None:
        """Draw what is known of the pairs of one image, how reliable that is, and how large sets are."""
        shares = np.full((10, 10), 0.5)
        u, v = np.triu_indices(10, 1)
        shares[u, v], shares[v, u] = (1 + self.marginals[0]) / 2, (1 - self.marginals[0]) / 2
        order = np.argsort(-shares.sum(axis=1))
        matrix.imshow(shares[np.ix_(order, order)], vmin=0, vmax=1, cmap="RdBu")
        matrix.set(xticks=range(10), yticks=range(10), xticklabels=order, yticklabels=order,
                   xlabel="blue: the digit on the left is more like the image",
                   title=f"Pairs of digits, exact over {self.count:,} rankings")  # fmt: skip
        image = matrix.inset_axes((1.05, 0.7, 0.3, 0.3))
        image.imshow(self.images[self.test[0]].reshape(8, 8), cmap="gray_r")
        image.set(xticks=[], yticks=[])
        reliability.plot([0.5, 1], [0.5, 1], color="0.7", ls=":")
        for name, p in self.curves.items():
            sure, right = np.maximum(p, 1 - p).ravel(), ((p > 0.5) == self.before).ravel()
            tenth = np.array_split(np.argsort(sure), 10)
            reliability.plot([sure[k].mean() for k in tenth], [right[k].mean() for k in tenth], "o-", ms=4, label=name)
        reliability.set(
            xlabel="confidence", ylabel="share that is right", title="Half of all positions hidden in training"
        )
        reliability.legend(frameon=False)
        sizes.hist(self.sizes, bins=20)
        sizes.axvline(np.log10(self.count), color="0.7", ls=":")
        sizes.set(xlabel=f"log₁₀ of the rankings in a set (dotted: all {self.count:,})", ylabel="images",
                  title="Sizes of sets, right with probability .90")  # fmt: skip
