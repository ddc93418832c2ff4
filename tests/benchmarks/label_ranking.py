"""Label ranking on the benchmark of Cheng, Hühn and Hüllermeier: mean Kendall τ over repeated 10-fold cross-validation.

All choices are made inside the training fold, on features standardised there, as `ranking_selection` describes. Column
"selected" takes the loss that does better in three times five inner folds. `KernelRidge` is scikit-learn's, trained on
the pairwise embedding with the kernel and penalty chosen for the squared loss, and decoded by our decoder.

    python tests/benchmarks/label_ranking.py --data DIR [--sets iris glass …] [--repeats 5] [--jobs 2]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from folders import RANKINGS, chosen, rankings
from joblib import Parallel, delayed
from ranking_selection import choose, outer_folds
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge
from combpred.metrics import kendall_tau
from combpred.structures import Permutations

# Best published means, from the papers that use these folds' sizes (5 × 10-fold).
PUBLISHED = {
    "iris": 0.976, "glass": 0.910, "wine": 0.956, "vehicle": 0.886, "stock": 0.926,
    "bodyfat": 0.287, "authorship": 0.949, "cold": 0.108, "heat": 0.067,
}  # fmt: skip


def run_fold(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> dict[str, float]:
    """Return the mean τ of each method on one fold."""
    scaler = StandardScaler().fit(X[train])
    X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
    taus: dict[str, float] = {}
    chosen = choose(Permutations(), X_train, y[train])
    for loss, (setting, _) in chosen.items():
        model = StructuredRidge(Permutations(), **setting).fit(X_train, y[train])
        taus[loss] = kendall_tau(y[test], model.predict(X_test))
        if loss == "squared":
            structure = model.structure_
            kernel = {"metric": setting["kernel"], "gamma": setting["gamma"]}
            ridge = KernelRidge(alpha=2 * setting["alpha"], kernel="precomputed")
            ridge.fit(pairwise_kernels(X_train, **kernel) + 1, structure.embed(y[train]))
            predicted = ridge.predict(pairwise_kernels(X_test, X_train, **kernel) + 1)
            taus["KernelRidge"] = kendall_tau(y[test], structure.decode(predicted))
    taus["selected"] = taus[max(chosen, key=lambda loss: chosen[loss][1])]
    return taus


def main() -> None:
    """Print one row for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", help="of the folder; all that are there unless given")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    columns = ("KernelRidge", "squared", "auc", "selected")
    print(f"{'set':<12}{'n':>6}" + "".join(f"{c:>13}" for c in columns) + f"{'published':>11}{'seconds':>9}")
    reached, rivals = 0, 0
    for name in chosen(args.data, RANKINGS, args.sets):
        start = time.perf_counter()
        X, y = rankings(args.data, name)
        folds = outer_folds(X, args.repeats)
        with Parallel(n_jobs=args.jobs) as pool:
            rows = pd.DataFrame(pool(delayed(run_fold)(X, y, train, test) for train, test in folds))
        means, published = rows.mean(), PUBLISHED.get(name, np.nan)
        rivals += name in PUBLISHED
        reached += means["selected"] >= published - 5e-4
        print(
            f"{name:<12}{len(X):>6}"
            + "".join(f"{means[c]:>13.4f}" for c in columns)
            + f"{published:>11.3f}{time.perf_counter() - start:>9.0f}",
            flush=True,
        )
    print(f"selected is at or above the best published (to its three digits) on {reached} of {rivals}")


if __name__ == "__main__":
    main()
