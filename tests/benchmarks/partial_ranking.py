"""Rankings with ties on the benchmark of Alfaro, Aledo and Gámez: mean τ_x over repeated 10-fold cross-validation.

The published figures belong to rankings of class probabilities: dense ranks of those in the folder `probs` come close
to their targets, though not exactly. The rankings in the folder above are other targets, tied more often, on which a
constant already scores high: `--targets ranks` takes these, without a published figure. Column "constant" is the
ranking that is best for the mean ψ of the training rows, whatever the features are.

All choices are made inside the training fold, on features standardised there, as `ranking_selection` describes. Column
"selected" takes the loss that does better in three times five inner folds. Column "calibrated" decodes the squared
loss's scores after multiplying those of the ties, and adding a constant to them, chosen by leave-one-out on the
training fold; 1 and 0 would leave them as they are. With the mean of ψ added, these scores estimate E[ψ | x], and τ_x
is the inner product of two embeddings over the number of pairs, so that without estimation errors the plain decoder
would be the best one. Column "neighbours" is a reference: the mean of ψ over 1, 3, 5, 10 or 20 nearest neighbours,
chosen by inner folds, with our decoder. Columns "ties" hold the share of pairs that are tied, true and predicted
(selected).

    python tests/benchmarks/partial_ranking.py --data DIR [--targets probs] [--sets iris …] [--repeats 5] [--jobs 2]
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from folders import PROBABILITIES, TIES, chosen, ranked_probabilities, rankings
from held_out import lists
from joblib import Parallel, delayed
from ranking_selection import choose, outer_folds
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.metrics import tau_x
from combpred.structures import WeakOrders

# Best published means, of 5 × 10 folds, on rankings of class probabilities.
PUBLISHED = {"iris": 0.932, "glass": 0.812, "vehicle": 0.820, "ecoli": 0.815}
FACTORS = (0.7, 0.85, 1.0, 1.2, 1.5, 2.0)
CONSTANTS = (-0.2, -0.1, 0.0, 0.1, 0.2)


def retied(scores: np.ndarray, factor: float, constant: float) -> np.ndarray:
    """Return scores with those of the ties, their second half, stretched and moved."""
    changed = scores.copy()
    ties = changed[:, scores.shape[1] // 2 :]
    ties *= factor
    ties += constant
    return changed


def calibration(
    structure: WeakOrders, setting: dict[str, Any], X: np.ndarray, y: np.ndarray
) -> tuple[tuple[float, float], StructuredRidgeCV]:
    """Return the factor and constant that do best on leave-one-out scores, and the model trained on all rows."""
    alpha, rest = setting["alpha"], {name: value for name, value in setting.items() if name != "alpha"}
    model = StructuredRidgeCV(structure, alphas=[alpha], **lists(rest)).fit(X, y)
    left_out = model.loo_scores_ + structure.mean()
    # Of equally good ones the least change is taken.
    pairs = sorted(product(FACTORS, CONSTANTS), key=lambda pair: abs(np.log(pair[0])) + abs(pair[1]))
    return max(pairs, key=lambda pair: tau_x(y, structure.decode(retied(left_out, *pair)))), model


def targets(data: Path, name: str, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the features and the positions of one set: those of its file, or dense ranks of probabilities."""
    if kind == "ranks":
        return rankings(data, name, TIES)
    return ranked_probabilities(data, name)


def neighbours(structure: WeakOrders, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> np.ndarray:
    """Return the rankings that are best for the mean ψ of the nearest neighbours, as many as inner folds choose."""

    def score(model: KNeighborsRegressor, X: np.ndarray, psi: np.ndarray) -> float:
        # τ_x of two rankings is the inner product of their embeddings over the number of pairs.
        return float((structure.embed(structure.decode(model.predict(X))) * psi).sum())

    folds = KFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [1, 3, 5, 10, 20]}, scoring=score, cv=folds)
    return structure.decode(search.fit(X, structure.embed(y)).predict(X_test))


def tied(ranks: np.ndarray) -> float:
    """Return the share of tied pairs."""
    u, v = np.triu_indices(ranks.shape[1], 1)
    return float((ranks[:, u] == ranks[:, v]).mean())


def run_fold(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> dict[str, float]:
    """Return the mean τ_x of each method on one fold, the shares of ties, and the CPU seconds."""
    start = time.process_time()
    scaler = StandardScaler().fit(X[train])
    X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
    structure = WeakOrders(y.shape[1])
    chosen = choose(structure, X_train, y[train])
    ranks = {
        loss: StructuredRidge(structure, **setting).fit(X_train, y[train]).predict(X_test)
        for loss, (setting, _) in chosen.items()
    }
    ranks["selected"] = ranks[max(chosen, key=lambda loss: chosen[loss][1])]
    pair, model = calibration(structure, chosen["squared"][0], X_train, y[train])
    ranks["calibrated"] = structure.decode(retied(model.feature_scores(X_test) + structure.mean(), *pair))
    ranks["neighbours"] = neighbours(structure, X_train, y[train], X_test)
    constant = structure.decode(structure.embed(y[train]).mean(axis=0))
    ranks["constant"] = np.tile(constant, (len(test), 1))
    found = {name: tau_x(y[test], each) for name, each in ranks.items()}
    ties = {"ties, true": tied(y[test]), "predicted": tied(ranks["selected"])}
    return {**found, **ties, "CPU s": time.process_time() - start}


def main() -> None:
    """Print one row for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--targets", choices=["probs", "ranks"], default="probs")
    parser.add_argument("--sets", nargs="*", help="of the folder; all that are there unless given")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    columns = ("constant", "neighbours", "squared", "auc", "selected", "calibrated", "ties, true", "predicted")
    print(f"{'set':<9}{'n':>5}" + "".join(f"{c:>12}" for c in columns) + f"{'published':>11}{'seconds':>9}{'CPU':>7}")
    for name in chosen(args.data, TIES if args.targets == "ranks" else PROBABILITIES, args.sets):
        start = time.perf_counter()
        X, y = targets(args.data, name, args.targets)
        folds = outer_folds(X, args.repeats)
        with Parallel(n_jobs=args.jobs) as pool:
            rows = pd.DataFrame(pool(delayed(run_fold)(X, y, train, test) for train, test in folds))
        means, published = rows.mean(), PUBLISHED.get(name, np.nan) if args.targets == "probs" else np.nan
        print(
            f"{name:<9}{len(X):>5}"
            + "".join(f"{means[c]:>12.4f}" for c in columns)
            + f"{published:>11.3f}{time.perf_counter() - start:>9.0f}{rows['CPU s'].sum():>7.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
