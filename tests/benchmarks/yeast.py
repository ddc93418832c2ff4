"""Multi-label classification on yeast, the split of Elisseeff and Weston (1500 + 917 rows, 14 labels).

python tests/benchmarks/yeast.py --data DIR
"""

from __future__ import annotations

import argparse
import gzip
import io
import time
from pathlib import Path

import numpy as np
from held_out import lists
from scipy.io import arff

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.metrics import hamming_loss, ranking_loss
from combpred.structures import LabelSets

N_LABELS = 14


def load(path: Path, n_labels: int = N_LABELS) -> tuple[np.ndarray, np.ndarray]:
    """Return features and 0/1 labels, the last columns, of one part."""
    with gzip.open(path, "rt") as file:
        rows = arff.loadarff(io.StringIO(file.read()))[0]
    columns = [np.array(rows[name], float) for name in rows.dtype.names]
    table = np.column_stack(columns)
    return table[:, :-n_labels], table[:, -n_labels:].astype(int)


def report(name: str, model: StructuredRidge, X: np.ndarray, y: np.ndarray, seconds: float) -> None:
    """Print the losses of a fitted model on the test part."""
    predicted = model.predict(X)
    print(
        f"{name:<58}{hamming_loss(y, predicted):>9.4f}{ranking_loss(y, model.feature_scores(X)):>9.4f}"
        f"{np.mean((y == predicted).all(axis=1)):>9.4f}{seconds:>9.2f}",
        flush=True,
    )


def main() -> None:
    """Print the published setting and what selection on the training part reaches."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data / "multilabel" / "yeast"
    X_train, y_train = load(folder / "yeast-train.arff.gz")
    X_test, y_test = load(folder / "yeast-test.arff.gz")

    print(f"{'model':<58}{'Hamming':>9}{'ranking':>9}{'subset':>9}{'fit s':>9}")
    fixed = StructuredRidge(
        LabelSets(N_LABELS), loss="auc", alpha=1.0, kernel="poly", degree=9, gamma=1.0, coef0=1.0, fit_intercept=False
    )
    start = time.perf_counter()
    fixed.fit(X_train, y_train)
    report("(<x,x'> + 1)^9, alpha 1, loss auc", fixed, X_test, y_test, time.perf_counter() - start)

    kernels = [dict(kernel="poly", degree=degree, gamma=1.0, coef0=1.0) for degree in (3, 5, 7, 9, 11)]
    kernels += [dict(kernel=kernel, gamma=gamma) for kernel in ("rbf", "laplacian") for gamma in (0.25, 0.5, 1, 2, 4)]
    for loss in ("auc", "squared"):
        best = None
        start = time.perf_counter()
        for kernel in kernels:
            model = StructuredRidgeCV(
                LabelSets(N_LABELS), alphas=np.logspace(-2, 2, 10), losses=[loss], scoring="metric", **lists(kernel)
            )
            model.fit(X_train, y_train)
            if best is None or model.best_score_ > best.best_score_:
                best = model
        setting = {k: v for k, v in best.get_params().items() if k in ("kernel", "degree", "gamma")}
        name = f"selected: {setting}, alpha {best.alpha_:.3g}, {loss}"
        report(name, best, X_test, y_test, time.perf_counter() - start)


if __name__ == "__main__":
    main()
