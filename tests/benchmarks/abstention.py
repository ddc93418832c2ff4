"""Ranking with abstention: completeness and correctness of the partial orders of neighbours and of distributions.

Repeated 10-fold cross-validation on features standardised in the training fold. Probabilities of pairs are the shares
of 10 neighbours, or the marginals of `ProbabilisticStructured` with a Gaussian kernel, both with default parameters
beside. Printed are γ of the complete rankings that the same models predict (Kendall's τ), completeness (in brackets)
and γ at the least thresholds, and γ at the smallest threshold where completeness is at most .9, .75 and .5.

    python tests/benchmarks/abstention.py --data DIR [--sets iris glass …] [--repeats 3]
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from folders import RANKINGS, chosen, rankings
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from combpred import ProbabilisticStructured
from combpred.metrics import abstention_curve, kendall_tau
from combpred.ranking import NearestNeighborsLabelRanker

SHARES = (0.9, 0.75, 0.5)


def neighbours(X: np.ndarray, y: np.ndarray, X_new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities of pairs and rankings of neighbours."""
    model = NearestNeighborsLabelRanker(10, aggregation="kemeny").fit(X, y)
    return model.predict_pairwise_proba(X_new), model.predict(X_new)


def distribution(X: np.ndarray, y: np.ndarray, X_new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return marginals and rankings of a distribution, the former as the table of pairs."""
    model = ProbabilisticStructured("permutations", kernel="rbf", alpha=0.1).fit(X, y)
    k = y.shape[1]
    u, v = np.triu_indices(k, 1)
    share = (1 + model.predict_marginals(X_new)) / 2
    proba = np.full((len(X_new), k, k), 0.5)
    proba[:, u, v], proba[:, v, u] = share, 1 - share
    return proba, model.predict(X_new)


def held_out(X: np.ndarray, y: np.ndarray, learner: object, repeats: int) -> tuple[np.ndarray, ...]:
    """Return truths, probabilities and rankings of all rows, each left out once a repeat."""
    found = []
    for repeat in range(repeats):
        for train, test in KFold(10, shuffle=True, random_state=repeat).split(X):
            scaler = StandardScaler().fit(X[train])
            found.append((y[test], *learner(scaler.transform(X[train]), y[train], scaler.transform(X[test]))))
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))


def main() -> None:
    """Print a line for each set and learner."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", help="of the folder; all that are there unless given")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    shares = "".join(f" {share:>7}" for share in SHARES)
    print(f"{'set':10} {'learner':12} {'complete':>8} {'least':>15}{shares}")
    for name in chosen(arguments.data, RANKINGS, arguments.sets):
        X, y = rankings(arguments.data, name)
        for label, learner in (("neighbours", neighbours), ("distribution", distribution)):
            if label == "distribution" and y.shape[1] > 7:
                continue  # exact marginals of rankings are for few labels
            truth, proba, complete = held_out(X, y, learner, arguments.repeats)
            curve = abstention_curve(truth, proba)
            at = [int(np.argmax(curve.completeness <= share)) for share in SHARES]  # 0 where it is never so little
            gammas = "".join(f" {curve.correctness[i]:7.3f}" if i else "       -" for i in at)
            least = f"{curve.correctness[0]:.3f} ({curve.completeness[0]:.3f})"
            print(f"{name:10} {label:12} {kendall_tau(truth, complete):8.3f} {least:>15}{gammas}", flush=True)


if __name__ == "__main__":
    main()
