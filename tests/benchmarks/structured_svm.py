"""Training with decoding beside training by counting, on directed cycles with hidden policies (Vembu, 2010, ch. 5).

People with 15 features take the best cycle over 10 places. The first table has the mean cosine of predicted and taken
cycles of 500 other people, and the seconds of the fit, against the number of people to learn from: `StructuredRidge`,
whose penalty leave-one-out chooses; `StructuredSVM` with exact decoding and with the best of 25 random cycles, C being
chosen on a tenth of the people; and the averaged perceptron.

The second table has passes over the rows a second, of the compiled steps and of a plain loop in Python over the same
steps, which calls the same decoder for each row. Both run block-coordinate Frank–Wolfe with the same orders, and
their objectives are compared.

    python tests/benchmarks/structured_svm.py [--sizes 50 100 200 500 1000] [--seeds 3] [--passes 50]
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
from combpred._lib.decode import Decoding
from combpred._lib.maxmargin import MarginState
from combpred._models.maxmargin.oracles import Blocks, MarginOracle
from combpred._models.maxmargin.solvers import Dual, _by_library, _in_python
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.datasets import make_dicycle_policies
from combpred.metrics import policy_cosine
from combpred.structures import DirectedCycles, MultiClass, Permutations

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
    "StructuredRidge": lambda X, y: StructuredRidgeCV(CYCLES, alphas=np.logspace(-1, 4, 11), fit_intercept=False),
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


def blocks_of(X: np.ndarray, psi: np.ndarray) -> Blocks:
    """Return rows with a constant feature, of weight 1."""
    return Blocks(X, True, psi, np.ones(len(X)), np.arange(len(X)))


def speed(passes: int) -> None:
    """Print passes a second, compiled and in Python."""
    print(f"\n{'200 rows, 15 features':<28}{'compiled':>12}{'Python':>10}{'times':>8}   passes a second")
    rng = np.random.default_rng(0)
    for structure in (MultiClass(10), Permutations(5), Permutations(10), CYCLES):
        X = rng.normal(size=(200, 15))
        psi = structure.embed(structure.decode(X @ rng.normal(size=(15, structure.n_features))))
        blocks, penalties = blocks_of(X, psi), np.full(200, 0.1)
        oracle = MarginOracle(structure, psi, structure.space.loss().affine(psi), Decoding("auto", 1))
        dual, rates, objectives = Dual(blocks, oracle, penalties), [], []
        for make, times in ((_by_library, passes), (_in_python, max(passes // 10, 2))):
            state = MarginState.zero(200, psi.shape[1], 16, average=False)
            once, order = make(blocks, oracle, penalties), np.random.default_rng(1)
            start = time.process_time()
            for number in range(times):
                once(order.permutation(200), state)
                if number == max(passes // 10, 2) - 1:
                    objectives.append(dual.look(dual.weights(state.v), state.offset, 0)[0])
            rates.append(times / (time.process_time() - start))
        assert np.isclose(objectives[0], objectives[1], rtol=0.05), objectives
        print(f"{structure!r:<28}{rates[0]:>12.1f}{rates[1]:>10.1f}{rates[0] / rates[1]:>8.1f}", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[50, 100, 200, 500, 1000])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--passes", type=int, default=50)
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # fifty passes are few for large C
    speed(args.passes)
    if args.sizes:
        curves(args.sizes, args.seeds)


if __name__ == "__main__":
    main()
