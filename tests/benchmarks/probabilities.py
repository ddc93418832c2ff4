"""Distributions over rankings: held-out log-likelihood and Kendall τ on real data, repeated 10-fold cross-validation.

`ProbabilisticStructured` beside Plackett–Luce regression, both linear and with a Gaussian kernel, and beside
`StructuredRidge` with the same kernels, which has no likelihood. Everything is chosen inside the training fold, on
features standardised there: the width and the penalty of distributions by the log-likelihood of three inner folds (or
their τ), as `held_out` describes; the ridge's width, penalty and loss by its leave-one-out τ. Columns: mean ln p of the
held-out ranking, in nats; the paired difference to Plackett–Luce with the same kernel, with its standard error over the
rows; τ of the most probable ranking and of the ranking of least expected Kendall distance; CPU seconds a fold for
choosing, fitting and predicting. The uniform distribution has ln p = −ln k!.

    python tests/benchmarks/probabilities.py --data DIR [--sets iris glass …] [--repeats 1] [--folds 10]
                                               [--by likelihood | tau] [--jobs 2]
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import plackett_luce
from folders import RANKINGS, chosen, rankings
from held_out import ALPHAS, WIDTHS, Build, Model, Score, choose, log_likelihood
from joblib import Parallel, delayed
from plackett_luce import PlackettLuce
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from combpred import ProbabilisticStructured, StructuredRidgeCV
from combpred.metrics import kendall_tau
from combpred.structures import Permutations

# Of the gradient, relative to that at zero, for both models; where inputs determine the rankings, small penalties take
# hundreds of iterations to get there.
TOL, MOST_ITERATIONS = 1e-4, 5000


class Held(NamedTuple):
    """What one method reaches on one fold."""

    log_proba: np.ndarray | None  # of each held-out row
    tau_map: float
    tau_mbr: float | None
    seconds: float  # of CPU time
    setting: dict[str, float]


def structured(kernel: str) -> Build:
    """Return a builder of `ProbabilisticStructured` for a kernel."""

    def build(setting: dict[str, float]) -> ProbabilisticStructured:
        return ProbabilisticStructured(
            Permutations(), kernel=kernel, tol=TOL, max_iter=MOST_ITERATIONS, n_jobs=1, **setting
        )

    return build


def plackett_luce_regression(setting: dict[str, float]) -> PlackettLuce:
    """Build Plackett–Luce regression."""
    return PlackettLuce(tol=TOL, max_iter=MOST_ITERATIONS, **setting)


def tau(model: Model, X: np.ndarray, y: np.ndarray) -> float:
    """Return the mean τ of what a distribution predicts."""
    return float(kendall_tau(y, model.predict(X)))


SCORES: dict[str, Score] = {"likelihood": log_likelihood, "tau": tau}


def hold_distribution(
    build: Build, has_width: bool, by: str, X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray
) -> Held:
    """Choose, fit and test a distribution."""
    start = time.process_time()
    setting = choose(build, X, y, has_width=has_width, score=SCORES[by])
    model = build(setting).fit(X, y)
    log_proba = model.log_proba(X_test, y_test)
    tau_map = tau(model, X_test, y_test)
    taken = time.process_time() - start
    if isinstance(model, PlackettLuce):
        return Held(log_proba, tau_map, None, taken, setting)
    tau_mbr = tau(model.set_params(decision="mbr"), X_test, y_test)
    return Held(log_proba, tau_map, tau_mbr, taken, setting)


def hold_ridge(kernel: str, X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray) -> Held:
    """Choose, fit and test the ridge."""
    start = time.process_time()
    gammas = WIDTHS / X.shape[1] if kernel == "rbf" else [None]
    models = (
        StructuredRidgeCV(Permutations(), alphas=ALPHAS, kernels=[kernel], gammas=[gamma], losses=[loss], n_jobs=1).fit(
            X, y
        )
        for gamma in gammas
        for loss in ("squared", "auc")
    )
    best = max(models, key=lambda model: model.best_score_)
    tau_map = tau(best, X_test, y_test)
    setting = {"alpha": best.alpha_} if kernel == "linear" else {"alpha": best.alpha_, "gamma": best.gamma_}
    return Held(None, tau_map, None, time.process_time() - start, setting)


def run_fold(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, by: str) -> dict[tuple[str, str], Held]:
    """Return what each method reaches on one fold."""
    scaler = StandardScaler().fit(X[train])
    parts = scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]
    held = {}
    for kernel in ("linear", "rbf"):
        held["ProbabilisticStructured", kernel] = hold_distribution(structured(kernel), kernel == "rbf", by, *parts)
        held["Plackett–Luce", kernel] = hold_distribution(plackett_luce_regression, kernel == "rbf", by, *parts)
        held["StructuredRidge", kernel] = hold_ridge(kernel, *parts)
    return held


def shown(held: list[dict[tuple[str, str], Held]]) -> Iterator[str]:
    """Yield a line for each method."""
    for name, kernel in held[0]:
        each = [fold[name, kernel] for fold in held]
        line = f"  {name:<24}{kernel:<8}"
        if each[0].log_proba is None:
            line += " " * 28
        else:
            found = np.concatenate([fold.log_proba for fold in each])
            line += f"{found.mean():>10.4f}"
            if name == "Plackett–Luce":
                line += " " * 18
            else:
                gain = found - np.concatenate([fold["Plackett–Luce", kernel].log_proba for fold in held])
                line += f"{gain.mean():>+10.4f} ±{gain.std() / math.sqrt(len(gain)):.4f}"
        line += f"{np.mean([fold.tau_map for fold in each]):>9.4f}"
        line += " " * 9 if each[0].tau_mbr is None else f"{np.mean([fold.tau_mbr for fold in each]):>9.4f}"
        line += f"{np.mean([fold.seconds for fold in each]):>9.2f}"
        middle = {key: float(np.median([fold.setting[key] for fold in each])) for key in each[0].setting}
        yield line + "  " + ", ".join(f"{key} {value:.2g}" for key, value in middle.items())


def main() -> None:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", help="of the folder; all that are there unless given")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--folds", type=int, default=10, help="how many of the ten folds of a repeat are tested")
    parser.add_argument("--by", choices=list(SCORES), default="likelihood", help="what the distributions are chosen by")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    plackett_luce.check()
    print(f"  {'':<32}{'ln p':>10}{'to Pl.–Luce':>18}{'τ map':>9}{'τ mbr':>9}{'CPU s':>9}  median setting")
    for name in chosen(args.data, RANKINGS, args.sets):
        X, y = rankings(args.data, name)
        folds = [
            fold
            for repeat in range(args.repeats)
            for fold in islice(KFold(10, shuffle=True, random_state=repeat).split(X), args.folds)
        ]
        with Parallel(n_jobs=args.jobs) as pool:
            held = pool(delayed(run_fold)(X, y, train, test, args.by) for train, test in folds)
        n, k = y.shape
        print(f"{name}: {n} rankings of {k} labels, {len(folds)} folds, uniform {-math.lgamma(k + 1):.4f}")
        print("\n".join(shown(held)), flush=True)


if __name__ == "__main__":
    main()
