"""What training for precision gains in precision: DirectRankingSVM with several losses, by several measures.

Repeated 10-fold cross-validation on features standardised in the training fold, with a Gaussian kernel of width
"scale". C is chosen for the measure itself, on a fifth of the training fold held out. Rows: the measure on the test
folds, its mean over repeats; columns: the loss that training was for, and
the weights of positions: the default, 1 for the first `top` and 0 for others, or k, k − 1, …, 1.

    python tests/benchmarks/direct_measures.py --data DIR [--sets iris glass …] [--repeats 1]
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from folders import RANKINGS, chosen, rankings
from joblib import Parallel, delayed
from ranking_selection import outer_folds
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import ndcg_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from combpred.metrics import kendall_tau, spearman_rho
from combpred.ranking import DirectRankingSVM

TOP = 2
COSTS = (3.0, 30.0, 300.0)


def losses(k: int) -> dict[str, dict[str, Any]]:
    """Return the settings that are compared: precision with the default weights of positions, and two others."""
    settings: dict[str, dict[str, Any]] = {"spearman": {"loss": "spearman"}}
    settings["precision@2"] = {"loss": "precision", "top": TOP}
    for top in (2, 1):
        first = {"loss": "precision", "top": top}
        settings[f"precision@{top}, step"] = {**first, "position_weights": (np.arange(k) < top).astype(float)}
        settings[f"precision@{top}, linear"] = {**first, "position_weights": np.arange(k, 0.0, -1.0)}
    return settings


def precision(y: np.ndarray, z: np.ndarray, top: int) -> float:
    """Return the mean share of the first labels of z that are among the first ones of y."""
    return float(((y <= top) & (z <= top)).sum() / (top * len(y)))


def measures(y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return the mean of each measure of the rows of MEASURES; the larger, the better."""
    gain = float(ndcg_score(y.shape[1] - y, -z, k=TOP))
    return np.array([spearman_rho(y, z), gain, precision(y, z, 2), precision(y, z, 1), kendall_tau(y, z)])


MEASURES = ("rho", "ndcg@2", "precision@2", "precision@1", "tau")


def run_fold(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the measures (measures, losses) on a fold."""
    scaler = StandardScaler().fit(X[train])
    inner, held = train_test_split(train, test_size=0.2, random_state=0)
    found = np.empty((len(MEASURES), len(losses(y.shape[1]))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for column, loss in enumerate(losses(y.shape[1]).values()):
            models = [DirectRankingSVM(C, kernel="rbf", gamma="scale", max_iter=200, **loss) for C in COSTS]
            tried = [
                measures(y[held], model.fit(scaler.transform(X[inner]), y[inner]).predict(scaler.transform(X[held])))
                for model in models
            ]
            for row, best in enumerate(np.argmax(tried, axis=0)):
                model = models[best].fit(scaler.transform(X[train]), y[train])
                found[row, column] = measures(y[test], model.predict(scaler.transform(X[test])))[row]
    return found


def main() -> None:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", help="of the folder; all that are there unless given")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    for name in chosen(args.data, RANKINGS, args.sets):
        X, y = rankings(args.data, name)
        folds = outer_folds(X, args.repeats)
        found = Parallel(args.jobs)(delayed(run_fold)(X, y, *fold) for fold in folds)
        means = np.mean(found, axis=0)
        print(f"{name:>12}", *(f"{loss:>20}" for loss in losses(y.shape[1])))
        for measure, row in zip(MEASURES, means, strict=True):
            print(f"{measure:>12}", *(f"{value:20.4f}" for value in row), flush=True)


if __name__ == "__main__":
    main()
