"""Training with decoding beside training by counting, on cycles with hidden policies (Vembu, 2010, section 5.5).

People with 15 features take the best cycle over 10 places. The table has the mean cosine of predicted and taken
cycles of 500 other people, and the seconds of the fit, against the number of people to learn from: `StructuredRidge`,
whose penalty leave-one-out chooses; `StructuredSVM` with exact decoding and with the best of 25 random cycles, C being
chosen on a tenth of the people; and the averaged perceptron.

    python tests/benchmarks/structured_svm.py [--sizes 50 100 200 500 1000] [--seeds 3]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from combpred import StructuredRidgeCV
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.datasets import make_dicycle_policies
from combpred.metrics import policy_cosine
from combpred.structures import DirectedCycles

CYCLES = DirectedCycles(10)
N_TEST = 500
PENALTIES = (0.1, 1.0, 10.0)


def chosen_svm(X: np.ndarray, y: np.ndarray, **options: Any) -> StructuredSVM:
    """Return the machine of the C that does best on the last tenth of the people, fitted to all."""
    held = max(len(X) // 10, 5)
    best = max(
        PENALTIES,
        key=lambda C: StructuredSVM(CYCLES, C=C, **options).fit(X[:-held], y[:-held]).score(X[-held:], y[-held:]),
    )
    return StructuredSVM(CYCLES, C=best, **options)


COMMON = {"fit_intercept": False, "random_state": 0}
MODELS: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "StructuredRidge": lambda X, y: StructuredRidgeCV(
        CYCLES, alphas=np.logspace(-1, 4, 11), losses=["auc"], kernels=["linear"], fit_intercept=False
    ),
    "SVM, 25 random cycles": lambda X, y: chosen_svm(
        X, y, n_candidates=25, max_iter=50, solver="frank-wolfe", **COMMON
    ),
    "SVM, exact decoding": lambda X, y: chosen_svm(X, y, max_iter=50, solver="frank-wolfe", **COMMON),
    "perceptron": lambda X, y: StructuredPerceptron(CYCLES, max_iter=50, **COMMON),
}


def curves(sizes: list[int], seeds: int) -> None:
    """Print cosine and seconds of each learner at each size."""
    cosines: dict[tuple[str, int], list[float]] = {(name, n): [] for name in MODELS for n in sizes}
    seconds: dict[tuple[str, int], list[float]] = {key: [] for key in cosines}
    for seed in range(seeds):
        X, y, _ = make_dicycle_policies(N_TEST + max(sizes), random_state=seed)
        for name, n in cosines:
            people = slice(N_TEST, N_TEST + n)
            model = MODELS[name](X[people], y[people])
            start = time.process_time()
            model.fit(X[people], y[people])
            seconds[name, n].append(time.process_time() - start)
            cosines[name, n].append(policy_cosine(y[:N_TEST], model.predict(X[:N_TEST])))
    for what, values, form in (("cosine", cosines, ".3f"), ("CPU seconds of the last fit", seconds, ".2f")):
        print(f"\n{what:<28}" + "".join(f"{n:>9}" for n in sizes))
        for name in MODELS:
            print(f"{name:<28}" + "".join(f"{np.mean(values[name, n]):>9{form}}" for n in sizes), flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[50, 100, 200, 500, 1000])
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # fifty passes are few for large C
    if args.sizes:
        curves(args.sizes, args.seeds)


if __name__ == "__main__":
    main()
