"""Seconds that the refusal of a kernel matrix promises for other ways to train, beside those that they take.

    OPENBLAS_NUM_THREADS=1 python tests/benchmarks/alternatives.py

Processor time of fits with `solver="primal"`, on inputs as they are or embedded by landmarks (the embedding included),
by one thread. The ratio depends on the machine: the estimate is meant for one that multiplies double-precision matrices
at 40 GFlop/s. Bytes and steps, which do not, are compared in tests/models/test_alternatives.py.
"""

from __future__ import annotations

import time

import numpy as np

from combpred import StructuredRidge
from combpred._models.advice import nystrom_estimate, primal_estimate
from combpred.kernels import NystromMap
from combpred.structures import Permutations

SIZES = [(20_000, 20, 10, 0), (8000, 200, 10, 0), (6000, 20, 10, 500), (15_000, 20, 5, 300), (3000, 20, 30, 300)]


def fit(n: int, p: int, labels: int, landmarks: int) -> float:
    """Return the processor seconds of one fit on random rankings."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, p)), rng.permuted(np.tile(np.arange(1, labels + 1), (n, 1)), axis=1)
    start = time.process_time()
    if landmarks:
        X = NystromMap(landmarks, random_state=0).fit_transform(X)
    StructuredRidge(Permutations(labels), loss="auc", solver="primal", n_jobs=1).fit(X, y)
    return time.process_time() - start


def main() -> None:
    """Print one line for each size."""
    print(f"{'rows':>6}{'features':>10}{'labels':>8}{'landmarks':>11}{'estimate':>10}{'taken':>8}{'ratio':>7}")
    for n, p, labels, landmarks in SIZES:
        d = labels * (labels - 1) // 2
        expected = (
            nystrom_estimate(n, p, d, landmarks, "auc") if landmarks else primal_estimate(n, p, d, "auc")
        ).seconds
        fit(2 * landmarks + 50, p, labels, landmarks)  # loads what is loaded at first use
        taken = fit(n, p, labels, landmarks)
        print(f"{n:>6}{p:>10}{labels:>8}{landmarks:>11}{expected:>9.2f}s{taken:>7.2f}s{expected / taken:>7.2f}")


if __name__ == "__main__":
    main()
