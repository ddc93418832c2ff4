"""Forests on the embedding of outputs, ridge regression, and their average: the structure's metric by cross-validation.

"ridge" is `StructuredRidge` with the Gaussian or the Laplacian kernel on standardised features, width "scale", kernel
and penalty chosen by leave-one-out on the training fold; "forest" is `EmbeddingRegressor` as it is by default, 100
extremely randomised trees; "voting" is `StructuredVoting` of the two as they are, its weights from left-out rows of the
training fold. The means over repeated 10-fold cross-validation come with paired differences to the ridge, whose
standard errors treat folds as independent (they share training rows, so the true errors are larger).

    python tests/benchmarks/forests.py --data DIR [--sets iris ERA …] [--repeats 5] [--jobs 2] [--classifiers | --wide]

With ``--classifiers``: on digits and the test parts of label sets, classifiers of entries and of whole outputs (label
powerset) beside ridges and distributions over the sets observed. With ``--wide``: forests on the weights of 1000 words
(TF-IDF) of generated texts of 30 tags.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from folders import LABEL_SETS, RANKINGS, label_sets, listed, rankings
from joblib import Parallel, delayed
from losses import Data, of_folder
from ranking_selection import outer_folds
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, average_precision_score, f1_score, hamming_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from combpred import (
    EmbeddingRegressor,
    ProbabilisticStructured,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredVoting,
)
from combpred.datasets import load_digits_attributes
from combpred.structures import LabelSets, Permutations, Structure

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


def compare_classifiers(folder: Path) -> None:
    """Print subset accuracy, mean F1 of a set and Hamming score of each method on each set."""
    digits = load_digits_attributes()
    X, X_test, y, y_test = train_test_split(digits.data, digits.target, train_size=600, random_state=0)
    parts = {"digits": (X, y, X_test, y_test)}
    for name in listed(folder, LABEL_SETS):
        parts[name] = (*label_sets(folder, name), *label_sets(folder, name, "test"))
    observed, forest = LabelSets(observed=True), ExtraTreesClassifier(random_state=0)
    linear = LogisticRegression(max_iter=1000)
    models = {
        "forest, default": EmbeddingRegressor("labelsets", random_state=0),
        "forest, F1": EmbeddingRegressor("labelsets", decision="f1", random_state=0),
        "logistic, entries": EmbeddingRegressor("labelsets", linear),
        "logistic, entries, F1": EmbeddingRegressor("labelsets", linear, decision="f1"),
        "logistic, entries, observed sets": EmbeddingRegressor(observed, linear, decision="log_odds"),
        "logistic, outputs": EmbeddingRegressor("labelsets", linear, target="outputs"),
        "forest, outputs": EmbeddingRegressor("labelsets", forest, target="outputs"),
        "forest, outputs, nearest": EmbeddingRegressor("labelsets", forest, target="outputs", decision="mbr"),
        "SVC(C=10), outputs": EmbeddingRegressor("labelsets", SVC(C=10), target="outputs"),
        "StructuredRidgeCV, observed": StructuredRidgeCV(observed, kernels=["linear", "rbf"]),
        "ProbabilisticStructured, observed": ProbabilisticStructured(observed, kernel="rbf", gamma="scale", alpha=0.1),
    }
    for name, (X, y, X_test, y_test) in parts.items():
        scaler = StandardScaler().fit(X)
        for method, model in models.items():
            found = model.fit(scaler.transform(X), y).predict(scaler.transform(X_test))
            f1 = f1_score(y_test, found, average="samples", zero_division=1)
            exact, hamming = accuracy_score(y_test, found), 1 - hamming_loss(y_test, found)
            print(f"{name:<10}{method:<36}{exact:8.3f}{f1:8.3f}{hamming:8.3f}", flush=True)


def texts(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return TF-IDF weights of 1000 words in 1000 texts, half of which come from the tags, and these, 30 in all."""
    rng = np.random.default_rng(seed)
    tags = (rng.random((1000, 30)) < rng.uniform(0.03, 0.2, 30)).astype(int)
    none = np.flatnonzero(tags.sum(axis=1) == 0)
    tags[none, rng.integers(0, 30, len(none))] = 1
    topics, common = rng.dirichlet(np.full(1000, 0.05), 30), rng.dirichlet(np.full(1000, 0.3))
    laws = [(common + topics[row == 1].mean(axis=0)) / 2 for row in tags]
    counts = np.array([rng.multinomial(rng.poisson(60) + 5, law) for law in laws])
    weights = counts * np.log(1000 / np.maximum(1, (counts > 0).sum(axis=0)))
    return weights / np.linalg.norm(weights, axis=1, keepdims=True), tags


def compare_wide() -> None:
    """Print average precision, Hamming score and seconds of forests on texts, 600 of them for training."""
    for seed in (0, 1):
        X, y = texts(seed)
        for features, bootstrap in ((1.0, False), (1.0, True), (1 / 3, False), (1 / 3, True), ("sqrt", False)):
            forest = ExtraTreesRegressor(max_features=features, bootstrap=bootstrap, random_state=0)
            begin = time.process_time()
            model = EmbeddingRegressor("labelsets", forest).fit(X[:600], y[:600])
            seconds = time.process_time() - begin
            precision = average_precision_score(y[600:], model.feature_scores(X[600:]))
            hamming = model.score(X[600:], y[600:])
            told = (
                f"texts {seed}, {features if features == 'sqrt' else round(features, 2)} of the features, {bootstrap=}"
            )
            print(f"{told:<50}{precision:8.3f}{hamming:8.3f}{seconds:8.1f}", flush=True)


def main() -> None:
    """Print one row for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--classifiers", action="store_true", help="compare classifiers on label sets instead")
    parser.add_argument("--wide", action="store_true", help="compare forests on generated texts instead")
    args = parser.parse_args()
    if args.wide:
        compare_wide()
        return
    if args.classifiers:
        compare_classifiers(args.data)
        return
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
