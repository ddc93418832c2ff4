"""NystromMap and scikit-learn's Nystroem on the same landmarks: time, and error of the kernel matrix.

Rows are normal in 20 dimensions, or 20 copies of each (near-duplicate landmarks, hence a kernel matrix of low numerical
rank). Times are ratios to those of Nystroem, best of five, in turn. Usage: python tests/benchmarks/nystroem.py
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import pairwise_kernels

from combpred.kernels import NystromMap


def clocked(call, *arguments):
    """Return the least seconds of several calls, and what the last returned."""
    best, found = np.inf, None
    for _ in range(5):
        start = time.perf_counter()
        found = call(*arguments)
        best = min(best, time.perf_counter() - start)
    return best, found


def error(z, K):
    """Return the largest error of inner products of features."""
    return np.abs(z @ z.T - K).max()


def main() -> None:
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(10000, 20))
    copies = np.repeat(rng.normal(size=(500, 20)), 20, axis=0) + 1e-9 * rng.normal(size=(10000, 20))
    print("data    kernel     k     fit ratio  transform ratio  error of ours on landmarks, theirs  on rows, theirs")
    for name, X in (("normal", normal), ("copies", copies)):
        for kernel in ("rbf", "laplacian", "poly"):
            for k in (200, 1000):
                ours = NystromMap(k, kernel=kernel, gamma=0.05, random_state=0).fit(X)
                theirs = Nystroem(kernel, n_components=k, gamma=0.05, degree=3, coef0=1, random_state=0).fit(X)
                at = ours.component_indices_
                theirs.fit(X[at])  # the same landmarks
                fit, _ = clocked(ours.fit, X)
                their_fit, _ = clocked(theirs.fit, X[at])
                ours.fit(X)
                change, z = clocked(ours.transform, X)
                their_change, their_z = clocked(theirs.transform, X)
                some = rng.integers(0, len(X), 500)
                among = pairwise_kernels(X[at], metric=kernel, gamma=0.05, filter_params=True, degree=3, coef0=1)
                rows = pairwise_kernels(X[some], metric=kernel, gamma=0.05, filter_params=True, degree=3, coef0=1)
                errors = [error(each[which], K) for which, K in ((at, among), (some, rows)) for each in (z, their_z)]
                print(
                    f"{name:8}{kernel:10}{k:5}{fit / their_fit:11.2f}{change / their_change:17.2f}"
                    f"{errors[0]:23.1e}{errors[1]:9.1e}{errors[2]:18.1e}{errors[3]:9.1e}"
                )


if __name__ == "__main__":
    main()
