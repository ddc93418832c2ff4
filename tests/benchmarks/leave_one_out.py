"""StructuredRidgeCV on ten penalties beside single fits: rankings of 10, in CPU seconds.

    python tests/benchmarks/leave_one_out.py [--rows 2000] [--kernels linear rbf]

Before one call took the list, these were 21 (linear) and 13 (rbf) single fits with loss "auc", and 17 and 10 with
"squared", at 2000 rows of 20 features.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.structures import Permutations

ALPHAS = np.logspace(-3, 2, 10)
BEFORE = {("linear", "auc"): 21.2, ("rbf", "auc"): 13.2, ("linear", "squared"): 16.6, ("rbf", "squared"): 10.0}


def seconds(model: StructuredRidge | StructuredRidgeCV, X: np.ndarray, y: np.ndarray) -> float:
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--kernels", nargs="+", default=["linear", "rbf"])
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(options.rows, 20))
    values = X @ rng.normal(size=(20, 10)) + rng.normal(size=(options.rows, 10))
    y = (values.argsort(axis=1).argsort(axis=1) + 1).astype(np.int32)
    for kernel in options.kernels:
        for loss in ("auc", "squared"):
            shared = {"kernel": kernel, "loss": loss, "n_jobs": 1}
            one = min(
                seconds(StructuredRidge(Permutations(10), solver="closed-form", **shared), X, y) for _ in range(3)
            )
            chosen = {"kernels": [kernel], "gammas": [None], "losses": [loss], "n_jobs": 1}
            all_ = min(seconds(StructuredRidgeCV(Permutations(10), alphas=ALPHAS, **chosen), X, y) for _ in range(2))
            before = BEFORE.get((kernel, loss))
            beside = "" if before is None else f", before {before:.1f}: ratio {all_ / one / before:.2f}"
            print(
                f"{kernel:7} {loss:8} fit {one:.3f} s, ten penalties {all_:.3f} s: {all_ / one:.1f} fits{beside}",
                flush=True,
            )


if __name__ == "__main__":
    main()
