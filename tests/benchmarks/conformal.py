"""Sets of outputs with a guarantee: coverage and sizes over random splits, beside balls, MAPIE and MuLaConf.

A model is fitted once, on half of the rows. The other half is split at random into calibration and test rows, again and
again: over all splits the mean coverage is 1 − k / (n + 1) exactly, up to ties, with k = ⌊α (n + 1)⌋ and n calibration
rows, so that what is seen of it has the error that is printed. Columns: test rows of a split; coverage, and what it is
expected to be, with the binomial error of test rows × splits and the standard error of the mean, in which calibration
rows have a share; the number of all outputs; the geometric mean and the median of the sizes of sets that are not empty,
and the share of those that are; microseconds of a row for `predict_set` with sizes.

The second table has sizes of other sets at the same level and on the same splits:
- rankings: the Kendall ball around the prediction, of the least radius that split conformal prediction allows;
- classes, grades and nodes: MAPIE's LAC and APS on the probabilities of the same model (``pip install mapie``);
- label sets: MuLaConf's power set scoring on the same probabilities (``pip install mulaconf``), on fewer splits.

    python tests/benchmarks/conformal.py --data DIR [--splits 200] [--alpha 0.1]
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from folders import grades, label_sets, rankings
from hierarchy import load, tree_of
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import ConformalStructured, ProbabilisticStructured
from combpred.metrics import kendall_tau
from combpred.structures import Hierarchy, LabelSets, MultiClass, Ordinal, Permutations, Routes

FEW_SPLITS = 10  # of power set scoring, which lists all label sets


class Problem(NamedTuple):
    """A data set and what is predicted."""

    name: str
    structure: Any
    X: Any
    y: Any


def problems(data: Path) -> Iterator[Problem]:
    """Yield the sets, those of rankings first."""
    for name in ("vehicle", "stock", "glass", "bodyfat"):
        X, y = rankings(data, name)
        yield Problem(name, Permutations(y.shape[1]), X, y)
    for name in ("emotions", "yeast"):
        parts = [label_sets(data, name, part) for part in ("train", "test")]
        X, y = (np.concatenate(each) for each in zip(*parts, strict=True))
        yield Problem(name, LabelSets(y.shape[1]), X, y)
    for name in ("ESL", "ERA"):
        X, y = grades(data, name)
        yield Problem(name, Ordinal(int(y.max()) + 1), X, y)
    X, codes, nodes = load(data, "ImCLEF07D")
    kept = np.random.default_rng(0).permutation(len(X))[:3000]
    yield Problem("ImCLEF07D", Hierarchy(tree_of(nodes)), X[kept], np.array(codes, dtype=object)[kept])
    X, y = load_digits(return_X_y=True)
    yield Problem("digits", MultiClass(10), X, y)
    rng, routes = np.random.default_rng(0), Routes(7)
    X = rng.normal(size=(1200, 6))
    scores = X @ rng.normal(size=(6, routes.n_features))
    yield Problem("generated", routes, X, routes.sample(1, scores=scores, random_state=0)[0])


class Split(NamedTuple):
    """Calibration rows and test rows of one split."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


class Found(NamedTuple):
    """What sets of one kind were on one split."""

    coverage: float
    log_sizes: Any


def splits(X: Any, y: Any, n: int) -> Iterator[Split]:
    """Yield random halves of rows."""
    for seed in range(n):
        X_some, X_test, y_some, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
        yield Split(X_some, y_some, X_test, y_test)


def balls(model: Any, split: Split, alpha: float) -> Found:
    """Return what balls around predictions are: those of rankings within some Kendall distance."""
    k = split.y.shape[1]
    pairs = k * (k - 1) // 2

    def distances(X: Any, y: Any) -> Any:
        predicted = model.predict(X)
        return np.array([pairs * (1 - kendall_tau(y[i : i + 1], predicted[i : i + 1])) / 2 for i in range(len(y))])

    own = np.sort(np.rint(distances(split.X, split.y)))
    radius = own[math.ceil(round((1 - alpha) * (len(own) + 1), 9)) - 1]
    counts = np.ones(1)  # Mahonian numbers: rankings of k labels at each distance from one
    for j in range(2, k + 1):
        counts = np.convolve(counts, np.ones(j))
    inside = np.rint(distances(split.X_test, split.y_test)) <= radius
    return Found(inside.mean(), np.full(len(inside), np.log(counts[: int(radius) + 1].sum())))


def mapie(model: Any, split: Split, alpha: float, score: str) -> Found:
    """Return what MAPIE's sets of classes are."""
    from mapie.classification import SplitConformalClassifier

    sets = SplitConformalClassifier(model, 1 - alpha, conformity_score=score, prefit=True, random_state=0)
    found = sets.conformalize(split.X, split.y).predict_set(split.X_test)[1][:, :, 0]
    numbers = np.searchsorted(model.classes_, split.y_test)
    with np.errstate(divide="ignore"):
        return Found(found[np.arange(len(found)), numbers].mean(), np.log(found.sum(axis=1)))


def mulaconf(model: Any, split: Split, alpha: float, training: tuple[Any, Any]) -> Found:
    """Return what MuLaConf's sets of label sets are, by the Mahalanobis distance and without penalties."""
    import torch
    from mulaconf import InductiveConformalPredictor

    def tensor(values: Any) -> Any:
        return torch.as_tensor(np.asarray(values), dtype=torch.float32)

    sets = InductiveConformalPredictor(tensor(model.predict_proba(training[0])), tensor(training[1]))
    sets.calibrate(tensor(model.predict_proba(split.X)), tensor(split.y))
    regions = sets.predict(tensor(model.predict_proba(split.X_test)))
    regions.non_empty_prediction_regions = False
    found = regions(significance_level=alpha)
    rows = zip(found, split.y_test, strict=True)
    inside = [bool((np.asarray(some) == one).all(axis=1).any()) if len(some) else False for some, one in rows]
    with np.errstate(divide="ignore"):
        return Found(float(np.mean(inside)), np.log([len(some) for some in found]))


def line(found: list[Found]) -> str:
    """Return coverage and sizes over splits as cells."""
    logs = np.concatenate([each.log_sizes for each in found])
    full = logs[np.isfinite(logs)]
    mean, median = np.exp(full.mean()), np.exp(np.median(full))
    coverage = np.mean([each.coverage for each in found])
    return f"{coverage:.4f} | {mean:.4g} | {median:.4g} | {1 - len(full) / len(logs):.3f}"


def measure(problem: Problem, n_splits: int, alpha: float) -> tuple[str, list[str]]:
    """Return a row of the first table, and those of the second."""
    X, X_rest, y, y_rest = train_test_split(problem.X, problem.y, test_size=0.5, random_state=0)
    model = make_pipeline(StandardScaler(), ProbabilisticStructured(problem.structure, alpha=1.0)).fit(X, y)
    found, seconds = [], 0.0
    halves = list(splits(X_rest, y_rest, n_splits))
    for half in halves:
        sets = ConformalStructured(model, alpha=alpha).fit(half.X, half.y)
        start = time.perf_counter()
        predicted = sets.predict_set(half.X_test)
        sizes = predicted.log_size
        seconds += time.perf_counter() - start
        found.append(Found(float(predicted.contains(half.y_test).mean()), sizes))
    n, m = len(halves[0].y), len(halves[0].y_test)
    expected = 1 - math.floor(round(alpha * (n + 1), 9)) / (n + 1)
    coin = expected * (1 - expected) / n_splits
    errors = f"{math.sqrt(coin / m):.4f} | {math.sqrt(coin * (1 / m + 1 / (n + 2))):.4f}"
    coverage, rest = line(found).split(" | ", 1)
    all_outputs = math.exp(predicted.structure.log_count())
    kind = type(problem.structure).__name__
    ours = (
        f"| {problem.name} | {kind} | {m} | {coverage} | {expected:.4f} | {errors} | {all_outputs:.4g} | {rest} | "
        f"{1e6 * seconds / (m * n_splits):.0f} |"
    )
    others: dict[str, tuple[Callable[[Split], Found], int]] = {}
    if kind == "Permutations":
        others["Kendall ball"] = (lambda half: balls(model, half, alpha)), n_splits
    elif kind in ("MultiClass", "Ordinal", "Hierarchy"):
        for score in ("lac", "aps"):
            others[f"MAPIE {score.upper()}"] = (lambda half, score=score: mapie(model, half, alpha, score)), n_splits
    elif kind == "LabelSets":
        others["MuLaConf"] = (lambda half: mulaconf(model, half, alpha, (X, y))), FEW_SPLITS
    rows = []
    for name, (make, some) in others.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows.append(f"| {problem.name} | {name} | {some} | {line([make(half) for half in halves[:some]])} |")
        except ImportError as error:
            rows.append(f"| {problem.name} | {name} | is not installed ({error}) | | | | |")
    return ours, rows


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--alpha", type=float, default=0.1)
    asked = parser.parse_args()
    print("| set | structure | test rows | coverage | expected | binomial | error |", end="")
    print(" outputs | mean | median | empty | µs |")
    print("|" + " --- |" * 12)
    beside = []
    for problem in problems(asked.data):
        ours, others = measure(problem, asked.splits, asked.alpha)
        print(ours, flush=True)
        beside += others
    print("\n| set | sets | splits | coverage | mean | median | empty |\n| --- | --- | --- | --- | --- | --- | --- |")
    print("\n".join(beside))


if __name__ == "__main__":
    main()
