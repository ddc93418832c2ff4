"""Training row by row: how close passes come to the minimum, and one pass against solvers that hold all rows.

Run from the root of the repository, with BLAS on one thread: ``OPENBLAS_NUM_THREADS=1 python
tests/benchmarks/online.py`` (``--sizes 300 1000 5000`` for curves with other numbers of rows, at most 5000). It prints
Markdown. The gap is the distance of the objective to that of the closed form, relative to what there is to be gained
since the function that is zero, whose objective is 0 with the loss "auc"; after fewer passes where those came to rest.
Seconds are the processor's.
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
ROWS, FEATURES, MOST_ROWS = 500, 10, 5000
STRUCTURES: dict[str, Structure] = {
    "LabelSets(10)": LabelSets(10),
    "Permutations(6)": Permutations(6),
    "Hierarchy, 15 nodes": Hierarchy([(node - 1) // 2 for node in range(15)]),
    "DirectedCycles(6)": DirectedCycles(6),
}
MODEL: dict[str, Any] = {"loss": "auc", "alpha": 1.0, "fit_intercept": True}
DESCENT: dict[str, Any] = {"learning_rate": "inverse", "eta0": 0.5, "average": False, "shuffle": True}
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
    passes = " | ".join(f"{n} pass{'es' if n > 1 else ''}" for n in PASSES)
    print(f"| structure | kernel | steps | {passes} | seconds | closed form |")
    print("| --- " * (len(PASSES) + 5) + "|")
    for what, structure in STRUCTURES.items():
        X, y = linear_data(structure, ROWS)
        for kernel in ("linear", "rbf"):
            common: dict[str, Any] = {**MODEL, "kernel": kernel, "gamma": None}
            began = time.process_time()
            exact = StructuredRidge(structure, **common, solver="closed-form").fit(X, y).objective_
            closed = time.process_time() - began
            for name, more in VARIANTS.items():
                steps = {**DESCENT, **more, "max_iter": max(PASSES), "tol": 1e-4}
                model = StructuredSGD(structure, **common, **steps, random_state=0)
                began = time.process_time()
                curve = model.fit(X, y).loss_curve_
                seconds = time.process_time() - began
                found = [
                    f"{(curve[n - 1] - exact) / abs(exact):.2%}"
                    if n <= len(curve)
                    else f"{len(curve)}: {(curve[-1] - exact) / abs(exact):.2%}"
                    for n in PASSES
                ]
                print(
                    f"| {what} | {kernel} | {name} | {' | '.join(found)} | {seconds:.1f} | {closed:.2f} |", flush=True
                )


def single_passes(sizes: list[int]) -> None:
    """Print objective for each row and seconds of one pass and of the solvers that hold all rows."""
    single: dict[str, Any] = {**DESCENT, "max_iter": 1, "random_state": 0}
    X, y, _ = make_dicycle_policies(MOST_ROWS, random_state=0)
    experiments: list[tuple[str, dict[str, Any], Any, Any]] = [
        ("identity", {"structure": "labelsets", "kernel": "rbf", "gamma": 0.5}, 0.15, None),
        ("cycles", {"structure": "directedcycles", "kernel": "rbf", "gamma": 0.01}, 500, (X, y)),
    ]
    for experiment, common, truncation, data in experiments:
        shown = f"{truncation} m" if truncation < 1 else truncation
        solvers: dict[str, dict[str, Any]] = {
            f"one pass, τ = {shown}": {**single, "truncation": truncation},
            "one pass, all kept": single,
            "one pass, all kept, averaged": {**single, "average": True},
            "Newton-CG": {"solver": "newton-cg", "tol": 1e-3},
            "preconditioned CG": {"solver": "cg", "tol": 1e-3},
            "closed form": {"solver": "closed-form"},
        }
        print(f"\n| {experiment} | " + " | ".join(f"m = {n}" for n in sizes) + " |")
        print("| --- " * (len(sizes) + 1) + "|")
        for name, more in solvers.items():
            cells = []
            for n in sizes:
                part = make_identity_labels(n, random_state=0) if data is None else (data[0][:n], data[1][:n])
                began = time.process_time()
                model = (StructuredRidge if "solver" in more else StructuredSGD)(**MODEL, **common, **more).fit(*part)
                cells.append(f"{model.objective_ / n:.4f} in {time.process_time() - began:.2f} s")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[300, 1000, MOST_ROWS], help="rows of the curves")
    parser.add_argument("--only", choices=["gaps", "curves"], help="run one of the two parts")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # single passes are what is asked for
    if arguments.only != "curves":
        gaps()
    if arguments.only != "gaps":
        single_passes(arguments.sizes)


if __name__ == "__main__":
    main()
