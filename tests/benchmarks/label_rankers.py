"""All label rankers on the benchmark of Cheng, Hühn and Hüllermeier: Kendall τ and CPU time, side by side.

Repeated 10-fold cross-validation on features standardised in the training fold, where all parameters are chosen: those
of `StructuredRidge` by leave-one-out, as `ranking_selection` describes, the others by a grid search in five inner
folds, from 500 rows on with a fifth of them held out. Columns: repeats, mean τ, its standard deviation over repeats,
and CPU seconds a fold takes to choose, train and predict.

    python tests/benchmarks/label_rankers.py --data DIR [--sets iris glass …] [--rankers pairwise …] [--repeats 5]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from folders import RANKINGS, chosen, rankings
from joblib import Parallel, delayed
from ranking_selection import WIDTHS, outer_folds, settings
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from combpred import ProbabilisticStructured, StructuredRidge
from combpred.metrics import kendall_tau
from combpred.ranking import (
    ConstraintClassification,
    DirectRankingSVM,
    LabelRankingBoost,
    LabelRankingSVM,
    NearestNeighborsLabelRanker,
    OnlineLabelRanker,
    RankingByPairwiseComparison,
)
from combpred.structures import Permutations

Fit = Callable[[np.ndarray, np.ndarray], Any]

PENALTIES = np.logspace(-2, 4, 7)  # C of classifiers
NEIGHBORS = {"n_neighbors": [1, 2, 3, 5, 8, 12, 20], "weights": ["uniform", "distance"]}
COSTS = np.logspace(-1, 2, 4)  # C of support vector machines
MANY_ROWS = 500  # where one part held out tells settings apart as well as five inner folds do on fewer
PASSES = 300  # of support vector machines, which large C ends before their tolerance
SUBGRAPHS = ["edges", "stars", "graph"]
LOGISTIC = LogisticRegression(max_iter=1000)
# The settings of Cheng, Dembczyński and Hüllermeier (2010, ICML): logistic regression without penalty, and the number
# of neighbours, all of weight one, chosen among four.
UNPENALISED = LogisticRegression(C=1e8, max_iter=3000)
PUBLISHED_NEIGHBORS = {"n_neighbors": [5, 10, 15, 20]}


def searched(estimator: BaseEstimator, **grid: Any) -> Fit:
    """Return training with parameters chosen in inner folds."""

    def fit(X: np.ndarray, y: np.ndarray) -> Any:
        held_out = ShuffleSplit(1, test_size=0.2, random_state=0)
        inner = KFold(5, shuffle=True, random_state=0) if len(X) < MANY_ROWS else held_out
        return GridSearchCV(estimator, grid, cv=inner, error_score="raise").fit(X, y)

    return fit


def ridge(loss: str) -> Fit:
    """Return training of `StructuredRidge` with parameters chosen by leave-one-out."""

    def fit(X: np.ndarray, y: np.ndarray) -> Any:
        return StructuredRidge(Permutations(), **settings(Permutations(), X, y, (loss,))[loss]).fit(X, y)

    return fit


def probabilistic(X: np.ndarray, y: np.ndarray) -> Any:
    """Train distributions over rankings with a Gaussian kernel."""
    model = ProbabilisticStructured(Permutations(), kernel="rbf", tol=1e-3)
    return searched(model, gamma=WIDTHS[1:6:2] / X.shape[1], alpha=np.logspace(-3, 0, 4))(X, y)


def svm_rbf(X: np.ndarray, y: np.ndarray) -> Any:
    """Train support vector machines with a Gaussian kernel, on many rows without the largest C, which takes longest."""
    model = LabelRankingSVM(kernel="rbf", random_state=0, max_iter=PASSES)
    return searched(model, C=COSTS if len(X) < 2000 else COSTS[:-1], gamma=[0.03, 0.1, 0.3, 1.0])(X, y)


RANKERS: dict[str, Fit] = {
    "pairwise": searched(RankingByPairwiseComparison(LOGISTIC), estimator__C=PENALTIES),
    "pairwise, trees": searched(
        RankingByPairwiseComparison(DecisionTreeClassifier(random_state=0)), estimator__min_samples_leaf=[1, 2, 5, 10]
    ),
    "pairwise, no penalty": searched(RankingByPairwiseComparison(UNPENALISED, vote="soft")),
    "constraint": searched(ConstraintClassification(LOGISTIC), estimator__C=PENALTIES),
    "neighbors, borda": searched(NearestNeighborsLabelRanker(), **NEIGHBORS),
    "neighbors, kemeny": searched(NearestNeighborsLabelRanker(aggregation="kemeny"), **NEIGHBORS),
    "neighbors, plackett-luce": searched(NearestNeighborsLabelRanker(aggregation="plackett-luce"), **NEIGHBORS),
    "5-20 neighbors, mallows": searched(NearestNeighborsLabelRanker(aggregation="mallows"), **PUBLISHED_NEIGHBORS),
    "5-20 neighbors, pl": searched(NearestNeighborsLabelRanker(aggregation="plackett-luce"), **PUBLISHED_NEIGHBORS),
    "svm": searched(LabelRankingSVM(random_state=0, max_iter=PASSES), C=COSTS),
    "svm, rbf": svm_rbf,
    "boost": searched(LabelRankingBoost(), alpha=[0.01, 0.1, 1.0, 10.0]),
    "online, additive": searched(OnlineLabelRanker(max_iter=20, random_state=0), decomposition=SUBGRAPHS),
    "online, multiplicative": searched(
        OnlineLabelRanker("multiplicative", radius=0.1, max_iter=20, random_state=0), decomposition=SUBGRAPHS
    ),
    "online, primal-dual": searched(
        OnlineLabelRanker("primal-dual", max_iter=20, random_state=0), C=[0.01, 0.1, 1.0, 10.0]
    ),
    "direct": searched(DirectRankingSVM(), C=[1.0, 10.0, 100.0], loss=["footrule", "spearman"]),
    "ridge, squared": ridge("squared"),
    "ridge, auc": ridge("auc"),
    "probabilistic": probabilistic,
}


def run_fold(name: str, X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> tuple[float, float]:
    """Return the mean τ of a ranker on one fold, and its CPU seconds."""
    start = time.process_time()
    scaler = StandardScaler().fit(X[train])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of settings that are tried
        model = RANKERS[name](scaler.transform(X[train]), y[train])
    tau = kendall_tau(y[test], model.predict(scaler.transform(X[test])))
    return float(tau), time.process_time() - start


def main() -> None:
    """Print one row for each set and ranker."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", help="of the folder; all that are there unless given")
    parser.add_argument("--rankers", nargs="*", default=list(RANKERS), choices=list(RANKERS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first repeat, to go on with what was begun")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    print(f"{'set':<12}{'n':>6}{'labels':>8}  {'ranker':<26}{'repeats':>8}{'tau':>8}{'±':>8}{'CPU s':>9}")
    for set_name in chosen(args.data, RANKINGS, args.sets):
        X, y = rankings(args.data, set_name)
        folds = outer_folds(X, args.first + args.repeats)[10 * args.first :]
        for name in args.rankers:
            with Parallel(n_jobs=args.jobs) as pool:
                found = np.array(pool(delayed(run_fold)(name, X, y, train, test) for train, test in folds))
            means = found[:, 0].reshape(args.repeats, -1).mean(axis=1)
            problem = f"{set_name:<12}{len(X):>6}{y.shape[1]:>8}  {name:<26}{args.repeats:>8}"
            print(
                f"{problem}{means.mean():>8.4f}{means.std():>8.4f}{found[:, 1].mean():>9.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
