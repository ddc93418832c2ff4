"""Which loss of ridge regression predicts best on which structure? The rule of ``loss="auto"`` follows from this table.

For each structure there are sets of real data (where the folder given holds some, or the package ships some) and
generated ones, of two kinds: outputs drawn from the log-linear distribution p(y | x) ∝ exp⟨Wx, ψ(y)⟩, and outputs of
largest score under Wx with Gaussian noise on every entry. Five ways of training and deciding are compared:

- "auc, score": the output of largest score under f;
- "auc, mbr": scores f are to first order log-odds against the uniform distribution, so that μ + Σf are expected
  features, whose pre-image is the decision of least expected loss;
- "squared, mbr": the pre-image of f + μ, which estimates expected features without that detour;
- "squared, score": the output of largest inner product with f + μ, whatever its norm;
- "squared, mode": where f + μ tells them, on trees and grades, the output of largest probability.

Each takes its penalty by leave-one-out on the training half, by the structure's own metric, with the linear and the
Gaussian kernel (features standardised, width "scale"), whichever does better there. Printed are means over splits of
the metric on the other half, and at alpha=1, the default, with the linear kernel.

    python tests/benchmarks/losses.py [--data DIR] [--kinds permutations subtrees …] [--splits 5]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from folders import (
    GRADES,
    HIERARCHIES,
    LABEL_SETS,
    PROBABILITIES,
    RANKINGS,
    grades,
    label_sets,
    listed,
    ranked_probabilities,
    rankings,
)
from held_out import lists
from hierarchy import load, tree_of
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge, StructuredRidgeCV, datasets
from combpred import structures as s
from combpred.sampling import sample
from combpred.structures import Structure

ALPHAS = np.logspace(-3, 3, 13)
WAYS = (("auc", "score"), ("auc", "mbr"), ("squared", "mbr"), ("squared", "score"), ("squared", "mode"))
KERNELS: tuple[dict[str, Any], ...] = ({"kernel": "linear"}, {"kernel": "rbf", "gamma": "scale"})
N, N_FEATURES = 400, 8  # of generated sets
Data = tuple[str, Structure, np.ndarray, Any]


def tree(n_nodes: int) -> list[int]:
    """Return the parents of a tree whose nodes have three children each, as long as they last."""
    return [-1, *((node - 1) // 3 for node in range(1, n_nodes))]


def lattice(n: int) -> np.ndarray:
    """Return the order of divisibility of 1..n."""
    numbers = np.arange(1, n + 1)
    return numbers[np.newaxis] % numbers[:, np.newaxis] == 0


GENERATED: dict[str, Callable[[], Structure]] = {
    "multiclass": lambda: s.MultiClass(6),
    "permutations": lambda: s.Permutations(6),
    "weakorders": lambda: s.WeakOrders(5),
    "labelsets": lambda: s.LabelSets(8),
    "labelsets of size 3": lambda: s.LabelSets(8, size=3),
    "ordinal": lambda: s.Ordinal(6),
    "posetelements": lambda: s.PosetElements(lattice(12)),
    "hierarchy": lambda: s.Hierarchy(tree(22), allowed="leaves"),
    "subtrees": lambda: s.Subtrees(tree(22)),
    "cliques": lambda: s.Cliques(7),
    "graphs": lambda: s.Graphs(6),
    "tournaments": lambda: s.Tournaments(6),
    "partialorders": lambda: s.PartialOrders(5),
    "cycles": lambda: s.Cycles(7),
    "directedcycles": lambda: s.DirectedCycles(6),
    "routes": lambda: s.Routes(6),
    "paths": lambda: s.Paths.grid(5, 5),
    "spanningtrees": lambda: s.SpanningTrees(6, [(u, v) for u in range(6) for v in range(u + 1, 6)]),
    "assignments": lambda: s.Assignments(6),
}


def generated(kind: str, seed: int) -> Iterator[Data]:
    """Yield sets of outputs drawn from a log-linear distribution, and of largest noisy scores."""
    structure = GENERATED[kind]()
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, N_FEATURES))
    scores = X @ rng.standard_normal((N_FEATURES, structure.n_features)) / np.sqrt(N_FEATURES)
    try:
        yield "drawn", structure, X, sample(structure, scores, 1, random_state=seed).y[0]
    except ValueError as error:  # CapabilityError: it has no exact sampler
        print(f"{kind}: {error}")
    noise = rng.standard_normal(scores.shape)
    yield "decoded", structure, X, structure.decode(scores + noise)


def shipped_sets(kind: str) -> Iterator[Data]:
    """Yield the sets of a kind that the package has or makes as others published them."""
    if kind == "multiclass":
        yield "wine", s.MultiClass(3), *load_wine(return_X_y=True)
        X, y = load_digits(return_X_y=True)
        yield "digits", s.MultiClass(10), X[:600], y[:600]
    if kind == "permutations":
        for name in ("iris", "wine", "diabetes"):
            found = getattr(datasets, f"load_{name}_ranking")()
            yield name, s.Permutations(), found.data, found.target
    if kind == "labelsets":
        found = datasets.load_digits_attributes()
        yield "digits", s.LabelSets(), found.data[:600], found.target[:600]
    if kind == "hierarchy":
        found = datasets.load_digits_hierarchy()
        yield "digits", found.structure, found.data[:600], found.target[:600]
    if kind == "directedcycles":
        X, y = datasets.make_dicycle_policies(400, random_state=0)[:2]
        yield "policies", s.DirectedCycles(10), X, y


def of_folder(kind: str, folder: Path) -> Iterator[Data]:
    """Yield the sets of a kind that a folder holds, their first rows where there are many."""
    if kind == "permutations":
        for name in listed(folder, RANKINGS):
            X, y = rankings(folder, name)
            yield name, s.Permutations(), X[:800], y[:800]
    if kind == "weakorders":
        for name in listed(folder, PROBABILITIES):
            yield name, s.WeakOrders(), *ranked_probabilities(folder, name)
    if kind == "labelsets":
        for name in listed(folder, LABEL_SETS):
            X, y = label_sets(folder, name)
            yield name, s.LabelSets(), X[:800], y[:800]
    if kind == "ordinal":
        for name in listed(folder, GRADES):
            X, y = grades(folder, name)
            yield name, s.Ordinal(int(y.max()) + 1), X, y
    if kind == "hierarchy":
        for name in listed(folder, HIERARCHIES):
            X, codes, nodes = load(folder, name)
            yield name, s.Hierarchy(tree_of(nodes), allowed="leaves"), X[:1200], np.array(codes[:1200])


def sets(kind: str, folder: Path | None) -> Iterator[Data]:
    """Yield all sets of a kind; those of a folder that are called as one of the package are not the same ones."""
    shipped = list(shipped_sets(kind))
    yield from shipped
    for name, *rest in of_folder(kind, folder) if folder else ():
        yield (f"{name}, folder" if name in [each[0] for each in shipped] else name, *rest)
    yield from generated(kind, 0)


def compare(structure: Structure, X: np.ndarray, y: Any, splits: int) -> np.ndarray:
    """Return the metric of each way, chosen and at the defaults, for each split."""
    reached = np.full((splits, len(WAYS), 2), np.nan)
    for split, (train, test) in enumerate(ShuffleSplit(splits, test_size=0.5, random_state=0).split(X)):
        scaler = StandardScaler().fit(X[train])
        X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
        for at, (loss, decision) in enumerate(WAYS):
            if decision == "mode" and "mode" not in structure.space.capabilities:
                continue
            way, models = {"loss": loss, "decision": decision}, []
            for kernel in KERNELS:
                models.append(
                    StructuredRidgeCV(structure, alphas=ALPHAS, scoring="metric", **lists({**way, **kernel})).fit(
                        X_train, y[train]
                    )
                )
            best = max(models, key=lambda model: model.best_score_)
            reached[split, at, 0] = best.score(X_test, y[test])
            reached[split, at, 1] = StructuredRidge(structure, **way).fit(X_train, y[train]).score(X_test, y[test])
    return reached


def main() -> None:
    """Print a row for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--kinds", nargs="*", default=list(GENERATED))
    parser.add_argument("--splits", type=int, default=5)
    args = parser.parse_args()
    print(
        f"{'set':<34}{'metric':<20}"
        + "".join(f"{way:>18}" for way in map(", ".join, WAYS))
        + f"{'se of difference':>18}{'s':>6}"
    )
    for kind in args.kinds:
        for name, structure, X, y in sets(kind, args.data):
            start = time.perf_counter()
            if structure.__class__ in (s.Permutations, s.WeakOrders, s.LabelSets):
                structure = type(structure)(np.shape(y)[1]) if getattr(structure, "size", None) is None else structure
            reached = compare(structure, X, np.asarray(y), args.splits)
            error = (
                (reached[:, 2, 0] - reached[:, 0, 0]).std(ddof=1) / np.sqrt(args.splits) if args.splits > 1 else np.nan
            )
            means = reached.mean(axis=0)
            cells = "".join(f"{best:>11.3f}{plain:>7.3f}" for best, plain in means)
            seconds = time.perf_counter() - start
            print(
                f"{kind + ', ' + name:<34}{structure.default_metric:<20}{cells}{error:>18.3f}{seconds:>6.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
