"""Multi-label classification on yeast, the split of Elisseeff and Weston (1500 + 917 rows, 14 labels).

`--degrees` is Fig. 5.1 of Vembu (2010): polynomial kernels of degree 2 to 9, alpha 1 and the loss "auc", beside the
support vector machine of Elisseeff and Weston (`LabelRankingSVM`, whose scores rank labels; sets would need a
threshold) at four values of its C.

python tests/benchmarks/yeast.py [--data DIR] [--name yeast] [--degrees [2 3 4 5 6 7 8 9]]

Without --data the rows are scikit-learn's images of digits with six properties of each digit, grey values divided by
the largest length of a row, 300 rows for training and the others for test.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from folders import LABEL_SETS, chosen, label_sets
from held_out import lists

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.datasets import load_digits_attributes
from combpred.metrics import hamming_loss, ranking_loss
from combpred.ranking import LabelRankingSVM
from combpred.structures import LabelSets

Part = tuple[np.ndarray, np.ndarray]  # features and labels
RIDGE: dict[str, Any] = {"loss": "auc", "alpha": 1.0, "fit_intercept": False, "decision": "score"}
SVM: dict[str, Any] = {"margin": "unit", "decomposition": "edges", "tol": 1e-3, "max_iter": 1000, "random_state": 0}


def report(name: str, model: StructuredRidge, X: np.ndarray, y: np.ndarray, seconds: float) -> None:
    """Print the losses of a fitted model on the test part."""
    predicted = model.predict(X)
    print(
        f"{name:<58}{hamming_loss(y, predicted):>9.4f}{ranking_loss(y, model.feature_scores(X)):>9.4f}"
        f"{np.mean((y == predicted).all(axis=1)):>9.4f}{seconds:>9.2f}",
        flush=True,
    )


def read(data: Path | None, name: str) -> tuple[Part, Part]:
    """Return features and labels for training and for test."""
    if data is not None:
        (name,) = chosen(data, LABEL_SETS, [name])
        return label_sets(data, name, "train"), label_sets(data, name, "test")
    X, y = load_digits_attributes(return_X_y=True)
    X = X / np.linalg.norm(X, axis=1).max()
    return (X[:300], y[:300]), (X[300:], y[300:])


def degrees(X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray, asked: list[int]) -> None:
    """Print the losses of polynomial kernels of each degree."""
    penalties = (0.001, 0.01, 0.1, 1.0)
    print(f"{'degree':<8}{'Hamming':>9}{'ranking':>9}" + "".join(f"{f'SVM C={C:g}':>13}" for C in penalties))
    for degree in asked:
        kernel = {"kernel": "poly", "degree": degree, "gamma": 1.0, "coef0": 1.0}
        ridge = StructuredRidge(LabelSets(), **RIDGE, **kernel).fit(X, y)
        losses = [hamming_loss(y_test, ridge.predict(X_test)), ranking_loss(y_test, ridge.feature_scores(X_test))]
        line = f"{degree:<8}" + "".join(f"{loss:>9.4f}" for loss in losses)
        for C in penalties:
            svm = LabelRankingSVM(C=C, **SVM, **kernel).fit(X, 2 - y)  # labels of the row come first
            line += f"{ranking_loss(y_test, svm.label_scores(X_test)):>13.4f}"
        print(line, flush=True)


def main() -> None:
    """Print the published setting and what selection on the training part reaches."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="digits of scikit-learn unless given")
    parser.add_argument("--name", default="yeast", help="other label sets of the folder")
    parser.add_argument("--degrees", type=int, nargs="*", help="2 to 9 unless named")
    given = parser.parse_args()
    (X_train, y_train), (X_test, y_test) = read(given.data, given.name)

    if given.degrees is not None:
        degrees(X_train, y_train, X_test, y_test, given.degrees or list(range(2, 10)))
        return
    print(f"{'model':<58}{'Hamming':>9}{'ranking':>9}{'subset':>9}{'fit s':>9}")
    fixed = StructuredRidge(LabelSets(), **RIDGE, kernel="poly", degree=9, gamma=1.0, coef0=1.0)
    start = time.perf_counter()
    fixed.fit(X_train, y_train)
    report("(<x,x'> + 1)^9, alpha 1, loss auc", fixed, X_test, y_test, time.perf_counter() - start)

    kernels = [dict(kernel="poly", degree=degree, gamma=1.0, coef0=1.0) for degree in (3, 5, 7, 9, 11)]
    kernels += [dict(kernel=kernel, gamma=gamma) for kernel in ("rbf", "laplacian") for gamma in (0.25, 0.5, 1, 2, 4)]
    for loss in ("auc", "squared"):
        best = None
        start = time.perf_counter()
        for kernel in kernels:
            setting = {**kernel, "loss": loss}
            model = StructuredRidgeCV(LabelSets(), alphas=np.logspace(-2, 2, 10), scoring="metric", **lists(setting))
            model.fit(X_train, y_train)
            if best is None or model.best_score_ > best.best_score_:
                best, chosen_kernel = model, kernel
        name = f"selected: {chosen_kernel}, alpha {best.alpha_:.3g}, {loss}"
        report(name, best, X_test, y_test, time.perf_counter() - start)


if __name__ == "__main__":
    main()
