"""Exact partition functions: rows a second, beside a sum over all members in NumPy in the same run.

    python tests/benchmarks/partition.py [--labels 10] [--seconds 2] [--threads N]

Rankings of `--labels` labels with Gaussian scores: ln Z and marginals a second, and how many times as fast that is as
the sum over a list of all rankings in NumPy, products of a block of ψ with the scores. Forming ψ is not counted. Other
structures: milliseconds of CPU time a row.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import islice, permutations

import numpy as np

from combpred._lib.partition import log_partition
from combpred.structures import (
    Assignments,
    Cliques,
    Cycles,
    LabelSets,
    PartialOrders,
    Permutations,
    Routes,
    SpanningTrees,
    Structure,
    WeakOrders,
)

BLOCK = 40320


def blocks(structure: Permutations, n: int) -> Iterator[np.ndarray]:
    """Yield ψ of all rankings of n labels, block by block."""
    rankings = permutations(range(1, n + 1))
    while block := list(islice(rankings, BLOCK)):
        yield structure.embed(np.array(block))


def listed(structure: Permutations, n: int, scores: np.ndarray) -> tuple[float, np.ndarray, float]:
    """Return ln Z and the marginals of one row by the list, and the CPU seconds that NumPy takes without forming ψ."""
    top, z, mean, taken = -np.inf, 0.0, np.zeros(len(scores)), 0.0
    for psi in blocks(structure, n):
        start = time.process_time()
        values = psi @ scores
        new = max(top, float(values.max()))
        p = np.exp(values - new)
        z, mean = z * np.exp(top - new) + p.sum(), mean * np.exp(top - new) + p @ psi
        top = new
        taken += time.process_time() - start
    return top + np.log(z), mean / z, taken


def rate(structure: Structure, seconds: float, threads: int | None, *, cpu: bool) -> float:
    """Return seconds a row of ln Z with marginals on Gaussian scores: of the clock, or of all processors together."""
    clock = time.process_time if cpu else time.perf_counter
    scores = np.random.default_rng(0).normal(size=(16, structure.n_features))
    log_partition(structure.space.sums, scores[:1], marginals=True, n_threads=threads)
    rows, start, end = 0, clock(), time.perf_counter() + seconds
    while rows == 0 or time.perf_counter() < end:
        log_partition(structure.space.sums, scores, marginals=True, n_threads=threads)
        rows += len(scores)
    return (clock() - start) / rows


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    n, threads = arguments.labels, arguments.threads

    rankings = Permutations(n)
    scores = np.random.default_rng(0).normal(size=rankings.n_features)
    log_z, mean, slow = listed(rankings, n, scores)
    np.testing.assert_allclose(rankings.log_partition(scores), log_z, rtol=1e-10)
    np.testing.assert_allclose(rankings.marginals(scores), mean, atol=1e-10)
    fast = rate(rankings, arguments.seconds, threads, cpu=False)
    cpu = rate(rankings, arguments.seconds, threads, cpu=True)
    print(f"{rankings!r}: ln Z and marginals of {1 / fast:.0f} rows a second, {1 / cpu:.0f} a second of CPU time")
    print(f"  the list: {slow:.2f} s of CPU time a row; {slow / cpu:.0f} times as fast, the same numbers")

    edges = [(u, v) for u in range(45) for v in range(u)]
    for structure in [
        *(Permutations(k) for k in (6, 8, 10, 12, 14, 16)),
        *(WeakOrders(k) for k in (6, 8, 10)),
        *(Assignments(k) for k in (8, 12, 16)),
        *(Cycles(k) for k in (8, 10, 12)),
        *(Routes(k) for k in (8, 10, 12)),
        *(LabelSets(k, size=k // 3) for k in (30, 300, 900)),
        *(Cliques(k) for k in (8, 12, 16)),
        *(PartialOrders(k) for k in (5, 6, 7)),
        SpanningTrees(45, edges),
    ]:
        taken = rate(structure, arguments.seconds / 4, threads, cpu=True)
        print(f"{repr(structure)[:50]:<50} {1e3 * taken:12.4f} ms of CPU a row")


if __name__ == "__main__":
    main()
