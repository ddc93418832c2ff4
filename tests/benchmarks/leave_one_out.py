"""StructuredRidgeCV on ten penalties beside single fits: rankings of 10, or 10 classes, in CPU seconds.

    python tests/benchmarks/leave_one_out.py [--rows 2000] [--features 10] [--structures rankings classes]
        [--kernels linear rbf]

A single fit is the one that solver="auto" takes, in the weights where the kernel is linear; one BLAS thread, as
OPENBLAS_NUM_THREADS=1 gives. While the linear kernel was left out by its n×n matrix, these were 324 (rankings) and 514
(classes) such fits with loss "auc", and 77 and 63 with "squared", at 2000 rows of 10 features.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.structures import MultiClass, Permutations

ALPHAS = np.logspace(-3, 2, 10)
STRUCTURES = {"rankings": Permutations(10), "classes": MultiClass(10)}


def seconds(model: StructuredRidge | StructuredRidgeCV, X: np.ndarray, y: np.ndarray) -> float:
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def targets(name: str, values: np.ndarray) -> np.ndarray:
    """Return the order of the values of each row, or the place of the largest."""
    if name == "classes":
        return values.argmax(axis=1)
    return (values.argsort(axis=1).argsort(axis=1) + 1).astype(np.int32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--features", type=int, default=10)
    parser.add_argument("--structures", nargs="+", default=list(STRUCTURES))
    parser.add_argument("--kernels", nargs="+", default=["linear", "rbf"])
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(options.rows, options.features))
    values = X @ rng.normal(size=(options.features, 10)) + rng.normal(size=(options.rows, 10))
    for name in options.structures:
        structure, y = STRUCTURES[name], targets(name, values)
        for kernel in options.kernels:
            for loss in ("auc", "squared"):
                single = StructuredRidge(structure, kernel=kernel, loss=loss, n_jobs=1)
                one = min(seconds(single, X, y) for _ in range(5))
                chosen = {"kernels": [kernel], "gammas": [None], "losses": [loss], "n_jobs": 1}
                all_ = min(seconds(StructuredRidgeCV(structure, alphas=ALPHAS, **chosen), X, y) for _ in range(3))
                print(
                    f"{name:8} {kernel:7} {loss:8} fit {one:.4f} s, ten penalties {all_:.3f} s: {all_ / one:.1f} fits",
                    flush=True,
                )


if __name__ == "__main__":
    main()
