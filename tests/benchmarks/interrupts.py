"""How soon Ctrl-C is answered by calls that take long.

    python tests/benchmarks/interrupts.py [--presses 5] [--only REGEX]

Each call is begun anew for every press, which comes a seeded random .3 to 1.3 seconds later; the delay is until
KeyboardInterrupt reaches the caller. Columns: milliseconds, median and longest. The calls are those of the tests, which
ask only whether they are left. `large_kernels.py` does the same for exact fits on large kernel matrices.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import statistics
import threading
import time
import warnings
from collections.abc import Callable

import numpy as np

from combpred import (
    ProbabilisticStructured,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredSGD,
    aggregation,
    kernels,
    sampling,
)
from combpred._lib.decode import Decoding, best_outputs
from combpred._lib.kernel import InputKernel, eigendecompose, require_semidefinite
from combpred._lib.sampling import chain_diagnose
from combpred._lib.structure import Description, structure_enumerate, structure_sample
from combpred._programs.orders import violated_three_cycles
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.kernels import extension_kernel
from combpred.ranking import LabelRankingBoost, LabelRankingSVM, OnlineLabelRanker
from combpred.structures import Cliques, Cycles, DirectedCycles, PartialOrders, Permutations, Routes, WeakOrders

Call = Callable[[], object]
RNG = np.random.default_rng(0)
FENCE = [(i, i + 1) if i % 2 else (i + 1, i) for i in range(69)]


def rankings(n: int, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and random rankings."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, p)), rng.permuted(np.tile(np.arange(1, k + 1), (n, 1)), axis=1)


def fit(model, n: int, p: int, k: int) -> Call:
    """Return the training of a model on random rankings, after one on a few that loads what is needed."""
    X, y = rankings(n, p, k)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        type(model)(**{**model.get_params(), "max_iter": 5} if "max_iter" in model.get_params() else {}).fit(
            X[:20], y[:20]
        )
    return lambda: model.fit(X, y)


def decode(structure, decoder: str, n: int) -> Call:
    """Return the decoding of random scores."""
    scores = np.random.default_rng(0).normal(size=(n, structure.n_features))
    return lambda: structure.space.decode(scores, None, Decoding(decoder, n_threads=1))


def log_linear() -> dict[str, Call]:
    """Return trainings of log-linear models, one for each solver and way to the distributions."""
    endless = {"tol": 1e-300, "max_iter": 10**6}
    models = {
        "L-BFGS": ProbabilisticStructured("permutations", inference="exact", **endless),
        "L-BFGS, rbf": ProbabilisticStructured("permutations", inference="exact", kernel="rbf", **endless),
        "SGD": ProbabilisticStructured("permutations", inference="exact", solver="sgd", **endless),
        "chains": ProbabilisticStructured("permutations", inference="mcmc", tol=1e-9, max_iter=10**6),
    }
    return {f"log-linear, {name}": fit(model, 2000, 5, 8) for name, model in models.items()}


def estimates() -> dict[str, Call]:
    """Return exact and estimated partition functions, marginals and draws."""
    twelve, many = Permutations(12), np.random.default_rng(0).normal(size=(3000, 66))
    chains, small = np.random.default_rng(0).normal(size=(50, 4, 1 << 16)), np.full((2000, 4950), 1e-4)
    plain = {"epsilon": 1e-3, "delta": 0.05, "random_state": 0}
    return {
        "exact partition functions": lambda: sampling.log_partition(twelve, many),
        "exact marginals": lambda: twelve.marginals(many),
        "exact draws": lambda: sampling.sample(twelve, many, 1000, sampler="exact", random_state=0),
        "marginals by samples": lambda: sampling.estimate_marginals(twelve, many[0], **plain),
        "marginals by counting": lambda: sampling.estimate_marginals(
            Permutations(7), np.ones(21), method="counting", **{**plain, "epsilon": 0.05}
        ),
        "marginals by chains": lambda: sampling.estimate_marginals(twelve, many[0], sampler="local", **plain),
        "expansion": lambda: sampling.log_partition(Permutations(100), small, method="taylor"),
        "diagnosis of chains": lambda: chain_diagnose(chains),
    }


def matrices() -> dict[str, Call]:
    """Return kernels, decompositions and lists."""
    rng = np.random.default_rng(0)
    X, orders = rng.normal(size=(6000, 50)), np.argsort(rng.random((4000, 20)), axis=1) + 1
    cycles = Description("cycles", {"n": 9})
    square = X[:2500] @ X[:2500].T
    return {
        "edge kernel": lambda: kernels.edge_kernel(orders),
        "position kernel": lambda: kernels.position_kernel(orders),
        "input kernel": lambda: InputKernel("laplacian", 1.0).matrix(X),
        "check of a kernel": lambda: require_semidefinite(square),
        "eigenvectors": lambda: eigendecompose(square),
        "list of outputs": lambda: structure_enumerate(Description("permutations", {"n": 11}), 10**7, 1),
        "k best, partition": lambda: list(best_outputs(cycles, rng.normal(size=36), most=10**5, method="partition")),
    }


def consensus() -> dict[str, Call]:
    """Return aggregations of rankings."""
    rng = np.random.default_rng(0)
    hard = np.array([rng.permutation(20) for _ in range(7)])
    large = np.array([rng.permutation(600) for _ in range(9)])
    long = np.array([rng.permutation(3000) for _ in range(9)])
    return {
        "consensus, exact": lambda: aggregation.kemeny(hard, method="exact"),
        "consensus, local search": lambda: aggregation.kemeny(large, method="local-search"),
        "consensus, best input": lambda: aggregation.kemeny(long, method="best-input"),
        "consensus, footrule": lambda: aggregation.footrule(long),
    }


def calls() -> dict[str, Call]:
    """Return the calls by their names."""
    sets = Description("labelsets", {"n": 5000, "size": -1})
    profile = np.array([np.random.default_rng(seed).permutation(120) for seed in range(9)])
    pairs = RNG.random(400 * 399 // 2)
    rows = np.where(RNG.random((60, 22)) < 0.2, np.argsort(RNG.random((60, 22)), axis=1), -1)
    sgd = {"loss": "squared", "max_iter": 100_000, "tol": 1e-300}
    hard_svm = {"C": 1e6, "tol": 1e-12, "max_iter": 10**6, "decomposition": "graph"}
    found: dict[str, Call] = {
        "uniform samples": lambda: structure_sample(sets, 50_000, 1),
        "kemeny, integer program": lambda: aggregation.kemeny(profile, method="milp"),
        "violated constraints on triples": lambda: violated_three_cycles(400, pairs, 2 * len(pairs)),
        "annealed partition function": lambda: sampling.log_partition(
            *(Permutations(12), np.ones(66)), method="annealed", epsilon=1e-3, sampler="local", max_steps=2**40
        ),
        "samples, local chain": lambda: sampling.sample(
            Permutations(30), np.full(435, 9.0), sampler="local", burn_in=2**40, max_steps=2**40
        ),
        "samples, rejection": lambda: sampling.sample(
            Permutations(30), np.full(435, 9.0), sampler="rejection", burn_in=2**40, max_steps=2**40
        ),
        "count of linear extensions": lambda: sampling.count_linear_extensions(FENCE, 70, random_state=0),
        "kernel of linear extensions": lambda: extension_kernel(rows),
        "ridge, closed form, 900 rows": fit(StructuredRidge("permutations", loss="auc", kernel="rbf"), 900, 4, 5),
        "ridge, closed form, 3000 rows": fit(
            StructuredRidge("permutations", loss="auc", kernel="rbf", solver="closed-form"), 3000, 4, 5
        ),
        "ridge, conjugate gradient": fit(
            StructuredRidge("permutations", loss="auc", kernel="rbf", solver="cg", alpha=1e-3), 900, 4, 5
        ),
        "ridge, leave one out": fit(StructuredRidgeCV("permutations", losses=["auc"], kernels=["rbf"]), 900, 4, 5),
        "ridge, sgd, linear": fit(StructuredSGD("permutations", kernel="linear", **sgd), 1000, 5, 8),
        "ridge, sgd, rbf": fit(StructuredSGD("permutations", kernel="rbf", **sgd), 1000, 5, 8),
        "ridge, weights of features": fit(
            StructuredRidge("permutations", loss="auc", solver="primal", tol=1e-15), 300_000, 20, 6
        ),
        "structured SVM": fit(StructuredSVM("permutations", tol=1e-12, max_iter=10**6), 300, 4, 16),
        "structured SVM, Frank–Wolfe": fit(
            StructuredSVM("permutations", solver="frank-wolfe", tol=1e-12, max_iter=10**6), 300, 4, 16
        ),
        "structured SVM, slack": fit(
            StructuredSVM("permutations", rescaling="slack", tol=1e-12, max_iter=10**6), 300, 4, 12
        ),
        "structured perceptron": fit(StructuredPerceptron("permutations", max_iter=10**6), 300, 4, 16),
        "label ranking SVM, linear": fit(LabelRankingSVM(kernel="linear", **hard_svm), 2000, 5, 8),
        "label ranking SVM, rbf": fit(LabelRankingSVM(kernel="rbf", **hard_svm), 2000, 5, 8),
        "label ranking boost": fit(LabelRankingBoost(alpha=1e-6, min_gain=0.0, max_iter=10**6), 20_000, 30, 6),
        "online label ranker": fit(OnlineLabelRanker("primal-dual", max_iter=10**6), 2000, 5, 8),
    }
    found |= log_linear() | estimates() | matrices() | consensus()
    for structure in (Cliques(500), Cycles(500), DirectedCycles(500), PartialOrders(500), Permutations(500),
                      Routes(500), WeakOrders(500)):  # fmt: skip
        for decoder in ("local-search", "anneal", "metropolis"):
            found[f"{decoder}, {structure!r}"] = decode(structure, decoder, 1)
    for structure, decoder, n in ((PartialOrders(7), "auto", 300), (Cycles(14), "local-search", 1000),
                                  (Cycles(5), "anneal", 60), (Permutations(4), "metropolis", 150)):  # fmt: skip
        found[f"{decoder}, {n} rows, {structure!r}"] = decode(structure, decoder, n)
    return found


def delay(call: Call, wait: float) -> float:
    """Return the seconds from Ctrl-C, `wait` seconds after the call began, to KeyboardInterrupt.

    The call is made again and again until then.
    """
    sent: list[float] = []

    def press() -> None:
        time.sleep(wait)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    try:
        thread.start()
        while True:
            call()
    except KeyboardInterrupt:
        answered = time.monotonic()
    thread.join()
    return answered - sent[0]


def main() -> None:
    """Print one line for each call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presses", type=int, default=5)
    parser.add_argument("--only", default="", help="only calls in whose name this regular expression is found")
    args = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may have to ignore it
    warnings.simplefilter("ignore")
    for name, call in calls().items():
        if re.search(args.only, name):
            rng = random.Random(0)
            delays = [1000 * delay(call, rng.uniform(0.3, 1.3)) for _ in range(args.presses)]
            print(f"{name:<50}{statistics.median(delays):8.0f}{max(delays):8.0f}", flush=True)


if __name__ == "__main__":
    main()
