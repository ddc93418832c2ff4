"""Kernel methods on many rows: landmarks beside the exact kernel on fewer rows, in one run.

    python tests/benchmarks/nystrom.py [--data DIR] [--parts rankings hierarchy exact] [--landmarks 1000]

`rankings`: 100 000 rankings by smooth, not linear utilities, the exact kernel on a subsample of 5000. `hierarchy`:
ImCLEF07D, landmarks beside all rows (needs --data). `exact`: 20 000 rankings, landmarks beside the exact kernel on all.
All with the same penalty and width, which are stated. Seconds are of processor time, of all threads; for their number,
set OPENBLAS_NUM_THREADS.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from folders import HIERARCHIES, chosen
from hierarchy import load, tree_of
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge
from combpred.kernels import NystromMap
from combpred.metrics import hierarchical_loss, kendall_tau, zero_one_loss
from combpred.structures import Hierarchy, Permutations

N_LABELS, N_FEATURES, TEST_ROWS = 10, 5, 5000


def rankings(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs, and rankings by utilities that are random smooth functions of them, plus noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, N_FEATURES))
    waves, phases = rng.normal(size=(N_FEATURES, 200)), rng.uniform(0, 2 * np.pi, 200)
    weights = rng.normal(size=(200, N_LABELS)) / 10
    utility = np.cos(X @ waves + phases) @ weights + 0.3 * rng.normal(size=(rows, N_LABELS))
    return X, (-utility).argsort(axis=1).argsort(axis=1) + 1


def timed(name: str, model: Any, train: tuple, test: tuple, losses: tuple) -> None:
    """Fit, predict and print one row."""
    start = time.process_time()
    model.fit(*train)
    fitted = time.process_time()
    predicted = model.predict(test[0])
    done = time.process_time()
    figures = "".join(f"{loss(test[1], predicted):10.4f}" for loss in losses)
    print(f"{name:<44}{len(train[0]):>8}{figures}{fitted - start:>9.1f}{done - fitted:>11.1f}", flush=True)


def ranking_table(rows: int, exact_rows: int, landmarks: int, alpha: float, gamma: float) -> None:
    """Compare on rankings."""
    X, y = rankings(rows + TEST_ROWS)
    test = X[rows:], y[rows:]
    print(f"\n{'rankings of 10, alpha ' + format(alpha) + ', gamma ' + format(gamma):<44}{'rows':>8}", end="")
    print(f"{'tau':>10}{'fit s':>9}{'predict s':>11}")
    ridge = {"structure": Permutations(N_LABELS), "loss": "auc", "alpha": alpha}
    exact = StructuredRidge(**ridge, kernel="rbf", gamma=gamma)
    timed("exact kernel", exact, (X[:exact_rows], y[:exact_rows]), test, (kendall_tau,))
    for choice in ("random", "k-means++"):
        for n_rows in sorted({min(exact_rows, rows), rows}):
            embedding = NystromMap(landmarks, gamma=gamma, landmarks=choice, random_state=0)
            model = make_pipeline(embedding, StructuredRidge(**ridge))
            timed(f"{landmarks} landmarks, {choice}", model, (X[:n_rows], y[:n_rows]), test, (kendall_tau,))
        error = embedding.approximation_error(X[:rows], random_state=0)
        print(f"  error of the kernel: {error.relative_frobenius:.2g} relative, {error.largest:.2g} at most")


def hierarchy_table(data: Path, name: str, landmarks: int) -> None:
    """Compare on a hierarchy of the folder."""
    X, codes, nodes = load(data, *chosen(data, HIERARCHIES, [name]))
    X_test, codes_test, _ = load(data, name, "Test")
    parent = tree_of(nodes)
    scaler = StandardScaler().fit(X)
    train, test = (scaler.transform(X), np.array(codes)), (scaler.transform(X_test), np.array(codes_test))
    tree, gamma = Hierarchy(parent, allowed="leaves"), 0.3 / X.shape[1]

    def hierarchical(true: np.ndarray, predicted: np.ndarray) -> float:
        return float(hierarchical_loss(true, predicted, parent=parent))

    print(f"\n{name + ', gamma .3/p':<44}{'rows':>8}{'0-1':>10}{'hier.':>10}{'fit s':>9}{'predict s':>11}")
    for loss in ("squared", "auc"):
        for alpha in (0.01, 0.1):
            for choice in ("random", "k-means++"):
                embedding = NystromMap(landmarks, gamma=gamma, landmarks=choice, random_state=0)
                model = make_pipeline(embedding, StructuredRidge(tree, alpha=alpha, loss=loss))
                title = f"{landmarks} landmarks, {choice}, {loss}, alpha {alpha}"
                timed(title, model, train, test, (zero_one_loss, hierarchical))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--name", default="ImCLEF07D", help="the hierarchy")
    parser.add_argument("--parts", nargs="+", default=["rankings"], choices=["rankings", "hierarchy", "exact"])
    parser.add_argument("--landmarks", type=int, default=1000)
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--gamma", type=float, default=0.3)
    args = parser.parse_args()
    print(f"OPENBLAS_NUM_THREADS={os.environ.get('OPENBLAS_NUM_THREADS', 'unset')}")
    if "rankings" in args.parts:
        ranking_table(100_000, 5000, args.landmarks, args.alpha, args.gamma)
    if "hierarchy" in args.parts:
        if args.data is None:
            parser.error("--parts hierarchy needs --data")
        hierarchy_table(args.data, args.name, args.landmarks)
    if "exact" in args.parts:
        ranking_table(20_000, 20_000, args.landmarks, args.alpha, args.gamma)


if __name__ == "__main__":
    main()
