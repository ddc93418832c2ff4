"""How often orders that are given for positions are noticed, and positions wrongly doubted.

A row [3, 1, 2] may say that label 0 is third, or that label 2 is best. Training warns where rows of similar inputs have
far more similar rankings under the other reading. This script asks for that warning on rankings read rightly, where it
is a false alarm, and on the orders in place of the positions, where it is due. The rule was found on the sets of the
folder (columns A1.. and L1.., positions) and is confirmed on the others, made of scikit-learn's: ranked probabilities
of classes by models that did not see the row, ranked features given the others, and rankings drawn around linear
scores and centres.

usage: python tests/benchmarks/wrong_readings.py [folder with label_ranking/*.csv]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred.structures import Permutations

SIZES = (50, 150, 500)
SAMPLES = 40


def positions(scores: np.ndarray) -> np.ndarray:
    """Return the positions of labels by scores, ties at random."""
    noise = np.random.default_rng(0).random(scores.shape) * 1e-9 * np.abs(scores).max()
    return Permutations.from_scores(scores + noise)


def published(folder: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the sets of the folder."""
    for path in sorted((folder / "label_ranking").glob("*.csv*")):
        frame = pd.read_csv(path)
        yield path.name.split(".")[0], frame.filter(regex="^A").to_numpy(float), frame.filter(regex="^L").to_numpy(int)


def made() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the sets that are made here."""
    models = {"bayes": GaussianNB(), "logistic": LogisticRegression(max_iter=2000)}
    for name, load in (("digits", datasets.load_digits), ("wine", datasets.load_wine)):
        X, y = load(return_X_y=True)
        for called, model in {**models, "forest": RandomForestClassifier(random_state=0)}.items():
            method = "predict_proba" if called == "forest" else "predict_log_proba"
            found = cross_val_predict(make_pipeline(StandardScaler(), model), X, y, cv=5, method=method)
            yield f"{name}, {called}", X, positions(np.maximum(found, -1e9))
    digits = datasets.load_digits().data
    tables = {
        "diabetes": datasets.load_diabetes().data,
        "cancer": datasets.load_breast_cancer().data,
        "digits": digits[:, digits.std(axis=0) > 3],
        "wine": datasets.load_wine().data,
    }
    for name, table in tables.items():
        standard = (table - table.mean(axis=0)) / table.std(axis=0)
        for k in (4, 5, 7):
            ranked = np.random.default_rng(k).permutation(table.shape[1])[:k]
            yield f"{name}, {k} features", np.delete(table, ranked, axis=1), positions(standard[:, ranked])
    for k in (3, 4, 5, 6, 8):
        for noise in (0.1, 0.5, 1.5):
            rng = np.random.default_rng(10 * k + int(10 * noise))
            X = rng.normal(size=(1500, 6))
            scores = X @ rng.normal(size=(6, k)) + rng.normal(size=k) + noise * rng.gumbel(size=(1500, k))
            yield f"linear, {k} labels, noise {noise}", X, positions(scores)
        X, centres, worth = rng.normal(size=(1500, 3)), rng.normal(size=(5, 3)), 2 * rng.normal(size=(5, k))
        nearest = np.square(X[:, np.newaxis] - centres).sum(axis=2).argmin(axis=1)
        yield f"centres, {k} labels", X, positions(worth[nearest] + rng.gumbel(size=(1500, k)))


def doubted(X: np.ndarray, y: np.ndarray) -> bool:
    """Return whether training would warn."""
    return Permutations(y.shape[1]).doubt(y, X) is not None


def of_scores(n_labels: int) -> tuple[int, int]:
    """Return of how many samples positions are doubted, by scores linear in few inputs, and how many there are."""
    found = []
    for p in (1, 2, 3):
        for n in (60, 120, 300):
            for seed in range(300):
                rng = np.random.default_rng(seed)
                X = rng.normal(size=(n, p))
                found.append(doubted(X, Permutations.from_scores(X @ rng.normal(size=(p, n_labels)))))
    return sum(found), len(found)


def main() -> None:
    """Print the shares of samples."""
    groups = {"made": list(made())}
    if len(sys.argv) > 1:
        groups["published"] = list(published(Path(sys.argv[1])))
    for group, sets in groups.items():
        for n in SIZES:
            alarms, found = [], []
            for _, X, y in sets:
                if len(X) < n:
                    continue
                drawn = [np.random.default_rng(seed).choice(len(X), n, replace=False) for seed in range(SAMPLES)]
                alarms.append(np.mean([doubted(X[rows], y[rows]) for rows in drawn]))
                found.append(np.mean([doubted(X[rows], np.argsort(y[rows], axis=1) + 1) for rows in drawn]))
            print(
                f"{group}, {n} rows, {len(found)} sets: false alarms {np.mean(alarms):.4f}, at most {max(alarms):.3f}; "
                f"found {np.mean(found):.2f}, on {sum(share > 0.9 for share in found)} sets nearly always"
            )
    for k in (3, 4):
        print("scores, {} labels: false alarms {} of {}".format(k, *of_scores(k)))


if __name__ == "__main__":
    main()
