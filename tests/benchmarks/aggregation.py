"""Rank aggregation: how far each method stays from the Kemeny optimum, what it guarantees, and how long it takes.

Profiles: 3 to 15 rankings of 8 to 12 items, a third each uniform, Mallows (dispersion 0.7 to 0.95) and Plackett–Luce
(worths of standard deviation 0.3 to 1). Gap: distance over that of the optimum, minus 1; "of bound" is the distance
over the lower bound that the method itself proves. "cycles" counts only profiles whose majorities are not an order,
where there is anything to solve. Positional methods are measured by Kendall's distance, too. A guarantee is violated
when the distance exceeds its ratio times the optimum; that of random pivots, a mean, is held against all profiles.

Programs: recursion over subsets against integer programs on the same uniform profiles, in one run: our own, which adds
constraints as they are violated, and one with all constraints at once, as textbooks have it.

Proofs: how many of twelve uniform profiles of 22 to 40 items each method proves.

    python tests/benchmarks/aggregation.py [--profiles 1000] [--ballots FILE.toc …]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from combpred.aggregation import Aggregate, borda, footrule, kemeny, median_rank, read_preflib

METHODS: dict[str, Callable[..., Aggregate]] = {
    "exact": lambda y, **rest: kemeny(y, method="exact", **rest),
    "milp": lambda y, **rest: kemeny(y, method="milp", **rest),
    "lp": lambda y, **rest: kemeny(y, method="lp", **rest),
    "pivot": lambda y, **rest: kemeny(y, method="pivot", **rest),
    "random-pivot": lambda y, **rest: kemeny(y, method="random-pivot", random_state=0, **rest),
    "local-search": lambda y, **rest: kemeny(y, method="local-search", **rest),
    "best-input": lambda y, **rest: kemeny(y, method="best-input", **rest),
    "borda": borda,
    "footrule": footrule,
    "median": median_rank,
}
POSITIONAL = ("borda", "footrule", "median")


def uniform(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    return np.array([rng.permutation(k) + 1 for _ in range(n)])


def mallows(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Draw by repeated insertion: the i-th item goes j places from the end with probability ∝ dispersion^j."""
    dispersion = rng.uniform(0.7, 0.95)
    orders = []
    for _ in range(n):
        order: list[int] = []
        for i in range(k):
            p = dispersion ** np.arange(i + 1)
            order.insert(i - int(rng.choice(i + 1, p=p / p.sum())), i)
        orders.append(np.argsort(order) + 1)
    return np.array(orders)


def plackett_luce(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    worth = rng.normal(scale=rng.uniform(0.3, 1.0), size=k)
    return np.argsort(np.argsort(-(worth + rng.gumbel(size=(n, k))), axis=1), axis=1) + 1


def kendall_of(rankings: np.ndarray, weights: np.ndarray, y: np.ndarray) -> float:
    """Return the distance of an order to rankings, ½ for their ties."""
    before, tied = rankings[:, :, None] < rankings[:, None, :], rankings[:, :, None] == rankings[:, None, :]
    wrong = (before & (y[:, None] > y)).sum(axis=(1, 2)) + 0.5 * np.triu(tied, 1).sum(axis=(1, 2))
    return float(weights @ wrong)


def compare(profiles: list[np.ndarray]) -> None:
    results: dict[str, list[tuple[float, ...]]] = {name: [] for name in METHODS}
    violated = 0
    cycles = []
    for rankings in profiles:
        weights = np.ones(len(rankings))
        best = kemeny(rankings).distance
        for name, method in METHODS.items():
            start = time.perf_counter()
            result = method(rankings)
            seconds = time.perf_counter() - start
            if name == "best-input":  # its bound is that of the pairs
                cycles.append(result.lower_bound < best)
            distance = result.distance
            if name in POSITIONAL:
                distance = kendall_of(rankings, weights, result.consensus)
            elif not result.expected and result.ratio is not None:
                violated += distance > result.ratio * best + 1e-9 or result.lower_bound > best + 1e-6
            bound = distance / result.lower_bound if name not in POSITIONAL else np.nan
            results[name].append((distance / best - 1, seconds, bound))
    hard = np.array(cycles)
    print(f"{len(profiles)} profiles, {hard.sum()} with cycles; guarantees violated: {violated}")
    print(f"{'method':<14}{'gap %':>9}{'cycles %':>11}{'worst %':>9}{'optimal':>9}{'of bound':>10}{'ms':>8}")
    for name, rows in results.items():
        gap, seconds, bound = np.array(rows).T
        print(
            f"{name:<14}{100 * gap.mean():9.3f}{100 * gap[hard].mean():11.3f}{100 * gap.max():9.2f}"
            f"{(gap < 1e-12).mean():9.3f}{bound.mean():10.4f}{1e3 * np.median(seconds):8.2f}"
        )
    mean = 1 + np.mean([gap for gap, *_ in results["random-pivot"]])
    print(f"random-pivot: {mean:.4f} of the optimum on average, 11/7 = {11 / 7:.4f} guaranteed")


def textbook(rankings: np.ndarray) -> float:
    """Return the least distance by the program with a variable for each pair and two constraints for three items."""
    k = rankings.shape[1]
    before = (rankings[:, :, None] < rankings[:, None, :]).sum(axis=0)
    u, v = np.triu_indices(k, 1)
    number = np.zeros((k, k), dtype=int)
    number[u, v] = np.arange(len(u))
    triples = list(combinations(range(k), 3))
    rows = np.zeros((len(triples), len(u)))
    for row, (a, b, c) in zip(rows, triples, strict=True):
        row[[number[a, b], number[b, c], number[a, c]]] = 1, 1, -1
    scores = before[v, u] - before[u, v]  # cost of u before v, less that of v before u
    found = milp(scores, integrality=np.ones(len(u)), bounds=Bounds(0, 1), constraints=LinearConstraint(rows, 0, 1))
    return float(found.fun + before[u, v].sum())


def race(rng: np.random.Generator, n: int = 30) -> None:
    profiles = [uniform(rng, 9, 12) for _ in range(n)]
    solvers = {
        "exact": lambda y: kemeny(y, method="exact").distance,
        "milp": lambda y: kemeny(y, method="milp").distance,
        "all constraints": textbook,
    }
    seconds, distances = {}, {}
    for name, solve in solvers.items():
        solve(profiles[0])  # loads the solver
        start = time.perf_counter()
        distances[name] = [round(solve(each)) for each in profiles]
        seconds[name] = (time.perf_counter() - start) / n
    assert distances["exact"] == distances["milp"] == distances["all constraints"]
    ratios = ", ".join(f"{name} {1e3 * s:.2f} ms ({s / seconds['exact']:.1f} ×)" for name, s in seconds.items())
    print(f"12 items, {n} uniform profiles: {ratios}")


def proofs(rng: np.random.Generator) -> None:
    """Print what is proven of twelve uniform profiles of 22 to 40 items, and in what time."""
    profiles = [uniform(rng, n, k) for k in (22, 26, 30, 40) for n in (5, 9, 25)]
    cases = [(method, "order", 0.5) for method in ("auto", "milp", "local-search")]
    cases += [(method, "weak", penalty) for penalty in (0.3, 0.5) for method in ("auto", "local-search")]
    for method, output, penalty in cases:
        results, seconds = [], []
        for rankings in profiles:
            start = time.perf_counter()
            results.append(kemeny(rankings, method=method, output=output, penalty=penalty))
            seconds.append(1e3 * (time.perf_counter() - start))
        proven = sum(result.optimal for result in results)
        print(
            f"22 to 40 items, {output:<5} penalty {penalty}: {method:<12} proves {proven:2} of {len(profiles)} in "
            f"{min(seconds):.0f} to {max(seconds):.0f} ms, total distance {sum(r.distance for r in results):.1f}"
        )


def ballots(file: str) -> None:
    data = read_preflib(file)
    k = len(data.names)
    rankings = np.where(data.rankings == -1, k + 1, data.rankings)  # not listed: tied behind all others
    arguments: dict[str, Any] = {"weights": data.weights}
    best = kemeny(rankings, method="milp", **arguments).distance
    print(f"{data.title}: {k} items, {data.weights.sum():.0f} ballots, optimum {best:g}")
    for name, method in METHODS.items():
        start = time.perf_counter()
        try:
            result = method(rankings, **arguments)
        except ValueError as error:
            print(f"{name:<14}{error}")
            continue
        seconds = time.perf_counter() - start
        distance = kendall_of(rankings, data.weights, result.consensus)
        print(f"{name:<14} gap {100 * (distance / best - 1):6.3f} %  {1e3 * seconds:8.1f} ms  {result.reason[:60]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiles", type=int, default=1000)
    parser.add_argument("--ballots", nargs="*", default=[], metavar="FILE")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    models = (uniform, mallows, plackett_luce)
    compare([models[i % 3](rng, int(rng.integers(3, 16)), int(rng.integers(8, 13))) for i in range(options.profiles)])
    race(rng)
    proofs(np.random.default_rng(0))
    for file in options.ballots:
        ballots(file)


if __name__ == "__main__":
    main()
