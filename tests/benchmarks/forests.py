"""Forests on the embedding of outputs, ridge regression, and their average: the structure's metric by cross-validation.

"ridge" is `StructuredRidge` with the Gaussian or the Laplacian kernel on standardised features, width "scale", kernel
and penalty chosen by leave-one-out on the training fold; "forest" is `EmbeddingRegressor` as it is by default, 100
extremely randomised trees; "voting" is `StructuredVoting` of the two as they are, its weights from left-out rows of the
training fold. The means over repeated 10-fold cross-validation come with paired differences to the ridge, whose
standard errors treat folds as independent (they share training rows, so the true errors are larger).

    python tests/benchmarks/forests.py --data DIR [--sets iris ERA …] [--repeats 5] [--jobs 2]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from folders import RANKINGS, listed, rankings
from joblib import Parallel, delayed
from losses import Data, of_folder
from ranking_selection import outer_folds
from sklearn.preprocessing import StandardScaler

from combpred import EmbeddingRegressor, StructuredRidge, StructuredRidgeCV, StructuredVoting
from combpred.structures import Permutations, Structure

ALPHAS = np.logspace(-4, 2, 13)


def sets(folder: Path) -> Iterator[Data]:
    """Yield the sets of the folder, with names that are unique."""
    for name in listed(folder, RANKINGS):
        yield name, Permutations(), *rankings(folder, name)
    for kind in ("weakorders", "labelsets", "ordinal"):
        for name, structure, X, y in of_folder(kind, folder):
            yield (f"{name} (ties)" if kind == "weakorders" else name), structure, X, y


def best_ridge(structure: Structure, X: np.ndarray, y: Any) -> StructuredRidge:
    """Return the ridge that leave-one-out prefers, not fitted."""
    searches = [
        StructuredRidgeCV(structure, alphas=ALPHAS, kernels=[kernel], gammas=["scale"]).fit(X, y)
        for kernel in ("rbf", "laplacian")
    ]
    best = max(searches, key=lambda search: search.best_score_)
    return StructuredRidge(structure, alpha=best.alpha_, kernel=best.best_params_["kernel"], gamma="scale")


def run_fold(structure: Structure, X: np.ndarray, y: Any, train: np.ndarray, test: np.ndarray) -> dict[str, float]:
    """Return the score of each method on one fold, the weights of the average, and CPU seconds."""
    begin = time.process_time()
    scaler = StandardScaler().fit(X[train])
    X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
    ridge = best_ridge(structure, X_train, y[train])
    forest = EmbeddingRegressor(structure=structure, random_state=0)
    voting = StructuredVoting([("ridge", ridge), ("forest", forest)]).fit(X_train, y[train])
    models = {**voting.named_estimators_, "voting": voting}
    found = {name: model.score(X_test, y[test]) for name, model in models.items()}
    weights = dict(zip(("weight of ridge", "of forest"), voting.weights_, strict=True))
    return {**found, **weights, "CPU s": time.process_time() - begin}


def main() -> None:
    """Print one row for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    methods = ("ridge", "forest", "voting")
    heads = "".join(f"{method:>8}" for method in methods)
    print(f"{'set':<15}{'n':>6} {'metric':<14}{heads}   less ridge: forest, voting")
    for name, structure, X, y in sets(args.data):
        if args.sets and name not in args.sets:
            continue
        folds = outer_folds(X, args.repeats)
        with Parallel(n_jobs=args.jobs) as pool:
            rows = pd.DataFrame(pool(delayed(run_fold)(structure, X, y, train, test) for train, test in folds))
        means = rows.mean()
        gaps = [rows[column] - rows["ridge"] for column in methods[1:]]
        print(
            f"{name:<15}{len(X):>6} {structure.default_metric:<14}"
            + "".join(f"{means[column]:8.4f}" for column in methods)
            + "   "
            + ", ".join(f"{gap.mean():+.4f} ± {gap.std() / np.sqrt(len(gap)):.4f}" for gap in gaps)
            + f"   weights {means['weight of ridge']:.2f} {means['of forest']:.2f}, {rows['CPU s'].sum():.0f} CPU s",
            flush=True,
        )


if __name__ == "__main__":
    main()
