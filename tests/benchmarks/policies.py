"""Figure 5.2 of the thesis, policies estimated from directed cycles, in the thesis's setting and without potentials.

People with 15 features take the best directed cycle over 10 places under a policy that is linear in their features; the
cosine of the estimated scores to the hidden policy is averaged over 500 other people and over seeds. "thesis": features
are uniform on [0, 1], the entries of A uniform on [-1, 1], and policies are compared as they are. "centred": features
and entries of A are normal, and the part of a policy that is a potential, which cancels along every cycle so that no
tour tells anything of it, is left out. In the thesis's setting the cosine of the policy without its potential to the
policy itself is a limit that no learner can exceed but by what features tell; it is printed beside.

`StructuredRidge` with the loss "auc", its penalty by leave-one-out, against `StructuredSVM` with the best of 25 random
cycles, with the C that is best ON THE TEST PEOPLE, as the thesis does to its rival's advantage.

    python tests/benchmarks/policies.py [--sizes 50 100 200 500 1000] [--seeds 3] [--penalties 0.01 0.1 1 10 100]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

from combpred import StructuredRidgeCV
from combpred.baselines import StructuredSVM
from combpred.structures import DirectedCycles

PLACES, FEATURES, N_TEST = 10, 15, 500
CYCLES = DirectedCycles(PLACES)
PENALTIES = [0.01, 0.1, 1.0, 10.0, 100.0]
RIDGE: dict[str, Any] = {"alphas": np.logspace(-3, 5, 17).tolist(), "kernels": ["linear"], "losses": ["auc"]}
SVM: dict[str, Any] = {"n_candidates": 25, "cost": "hamming", "rescaling": "margin", "tol": 0.01, "max_iter": 1000}
Matrix = NDArray[np.float64]


def without_potential(policies: Matrix) -> Matrix:
    """Return what cycles can tell of policies: they without what places earn as potentials."""
    tail, head = np.triu_indices(PLACES, 1)
    incidence = np.zeros((len(tail), PLACES))
    incidence[np.arange(len(tail)), tail], incidence[np.arange(len(tail)), head] = 1, -1
    return policies - (policies @ incidence / PLACES) @ incidence.T


def people(setting: str, n: int, seed: int) -> tuple[Matrix, Matrix]:
    """Return the features of people, and their policies."""
    rng, d = np.random.default_rng(seed), CYCLES.n_features
    if setting == "thesis":
        X = rng.uniform(size=(n, FEATURES))
        return X, X @ rng.uniform(-1, 1, size=(FEATURES, d))
    X = rng.normal(size=(n, FEATURES))
    return X, without_potential(X @ rng.normal(size=(FEATURES, d)))


def cosine(a: Matrix, b: Matrix) -> float:
    """Return the mean cosine of the rows of two matrices."""
    return float((normalize(a) * normalize(b)).sum(axis=1).mean())


def main() -> None:
    """Print a table for each setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[50, 100, 200, 500, 1000])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--penalties", type=float, nargs="*", default=PENALTIES, help="C of the SVM")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    for setting in ("thesis", "centred"):
        limits, tables = (
            [],
            {name: np.zeros((args.seeds, len(args.sizes))) for name in ("ridge, auc", "svm, 25 cycles")},
        )
        for seed in range(args.seeds):
            X, policies = people(setting, max(args.sizes) + N_TEST, seed)
            y = CYCLES.decode(policies)
            X_test, hidden = X[:N_TEST], policies[:N_TEST]
            limits.append(cosine(without_potential(hidden), hidden))
            for at, n in enumerate(args.sizes):
                rows = slice(N_TEST, N_TEST + n)
                found = StructuredRidgeCV(CYCLES, **RIDGE).fit(X[rows], y[rows]).feature_scores(X_test)
                tables["ridge, auc"][seed, at] = cosine(found, hidden)
                tables["svm, 25 cycles"][seed, at] = max(
                    cosine(
                        StructuredSVM(CYCLES, C=C, random_state=seed, **SVM)
                        .fit(X[rows], y[rows])
                        .feature_scores(X_test),
                        hidden,
                    )
                    for C in args.penalties
                )
        print(f"\n{setting}: policies without potentials are at {np.mean(limits):.3f}")
        print(f"{'':16}" + "".join(f"{n:>15}" for n in args.sizes))
        for name, table in tables.items():
            errors = table.std(axis=0, ddof=1) / np.sqrt(len(table))
            cells = (f"{mean:.3f} ±{error:.3f}" for mean, error in zip(table.mean(axis=0), errors, strict=True))
            print(f"{name:16}" + "".join(f"{cell:>15}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
