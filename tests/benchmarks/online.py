"""Training row by row: how close passes come to the minimum, and one pass against solvers that hold all rows.

Run from the root of the repository, with BLAS on one thread: ``OPENBLAS_NUM_THREADS=1 python
tests/benchmarks/online.py`` (``--large`` for the curves with up to 5000 rows). It prints Markdown. The gap is the
distance of the objective to that of the closed form, relative to what there is to be gained since the function that is
zero; after fewer passes where those came to rest. Seconds are the processor's.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from combpred import StructuredRidge, StructuredSGD
from combpred.datasets import make_dicycle_policies, make_identity_labels
from combpred.structures import DirectedCycles, Hierarchy, LabelSets, Permutations, Structure

PASSES = (1, 5, 20, 100)
ROWS, FEATURES = 500, 10
STRUCTURES: list[Structure] = [
    LabelSets(10),
    Permutations(6),
    Hierarchy([(node - 1) // 2 for node in range(15)]),
    DirectedCycles(6),
]
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "averaged": {"average": True},
    "smd": {"learning_rate": "smd"},
    "smd, averaged": {"learning_rate": "smd", "average": True},
}


def linear_data(structure: Structure, n: int) -> tuple[np.ndarray, Any]:
    """Draw inputs, and the best structures of a random linear model of them with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, FEATURES))
    scores = X @ rng.standard_normal((FEATURES, structure.n_features))
    return X, structure.decode(scores + rng.standard_normal(scores.shape))


def gaps() -> None:
    """Print the gap after passes for structures, kernels and kinds of steps."""
    print("| structure | kernel | steps | " + " | ".join(f"{n} passes" for n in PASSES) + " | seconds | closed form |")
    print("| --- " * (len(PASSES) + 5) + "|")
    for structure in STRUCTURES:
        X, y = linear_data(structure, ROWS)
        for kernel in ("linear", "rbf"):
            common: dict[str, Any] = {"kernel": kernel, "alpha": 1.0}
            began = time.process_time()
            exact = StructuredRidge(structure, **common, solver="closed-form").fit(X, y).objective_
            closed = time.process_time() - began
            for name, more in VARIANTS.items():
                model = StructuredSGD(structure, **common, random_state=0, max_iter=max(PASSES), **more)
                began = time.process_time()
                curve = model.fit(X, y).loss_curve_
                seconds = time.process_time() - began
                found = [
                    f"{(curve[n - 1] - exact) / abs(exact):.2%}"
                    if n <= len(curve)
                    else f"{len(curve)}: {(curve[-1] - exact) / abs(exact):.2%}"
                    for n in PASSES
                ]
                what = f"{type(structure).__name__}({structure.n_features} features)"
                print(
                    f"| {what} | {kernel} | {name} | {' | '.join(found)} | {seconds:.1f} | {closed:.2f} |", flush=True
                )


def single_passes(sizes: tuple[int, ...]) -> None:
    """Print objective for each row and seconds of one pass and of the solvers that hold all rows."""
    single: dict[str, Any] = {"max_iter": 1, "random_state": 0}
    X, y, _ = make_dicycle_policies(max(sizes), random_state=0)
    experiments: list[tuple[str, dict[str, Any], Any, Any]] = [
        ("identity", {"structure": "labelsets", "kernel": "rbf", "gamma": 0.5}, 0.15, None),
        ("cycles", {"structure": "directedcycles", "kernel": "rbf", "gamma": 0.01}, 500, (X, y)),
    ]
    for experiment, common, truncation, data in experiments:
        solvers: dict[str, dict[str, Any]] = {
            f"sgd, τ = {truncation}": {**single, "truncation": truncation},
            "sgd, all kept": single,
            "sgd, all kept, averaged": {**single, "average": True},
            "newton-cg": {"solver": "newton-cg", "tol": 1e-3},
            "cg": {"solver": "cg", "tol": 1e-3},
            "closed-form": {"solver": "closed-form"},
        }
        print(f"\n| {experiment} | " + " | ".join(f"m = {n}" for n in sizes) + " |")
        print("| --- " * (len(sizes) + 1) + "|")
        for name, more in solvers.items():
            cells = []
            for n in sizes:
                part = make_identity_labels(n, random_state=0) if data is None else (data[0][:n], data[1][:n])
                began = time.process_time()
                model = (StructuredRidge if "solver" in more else StructuredSGD)(**common, **more).fit(*part)
                cells.append(f"{model.objective_ / n:.4f} in {time.process_time() - began:.2f} s")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="up to 5000 rows in the curves of single passes")
    parser.add_argument("--only", choices=["gaps", "curves"], help="run one of the two parts")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # single passes are what is asked for
    if arguments.only != "curves":
        gaps()
    if arguments.only != "gaps":
        single_passes((100, 300, 1000, 3000, 5000) if arguments.large else (100, 300, 1000, 2000))


if __name__ == "__main__":
    main()
