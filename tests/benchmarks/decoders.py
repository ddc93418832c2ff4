"""Decoders on random Gaussian scores: how good they are, how fast beside integer programs, and how they grow with size.

    python tests/benchmarks/decoders.py [--instances 1000] [--programs 20] [--seconds 0.3] [--threads N]

Quality: the share of instances at the optimum, which exact decoding gives, and the mean z-gap,
(max − value)/(max − min). Programs: exact decoding and ``decoder="milp"`` on the same instances in one run.
Throughput: rows a second with ``decoder="auto"`` at three sizes, and the exponent with which the time of a row grows,
fitted on a log scale.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from combpred._lib.decode import Decoding
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    DirectedCycles,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Paths,
    Permutations,
    PosetElements,
    Routes,
    SpanningTrees,
    Structure,
    Subtrees,
    Tournaments,
    WeakOrders,
)

DECODERS = ("approx", "local-search", "anneal", "metropolis")


def gaussian(structure: Structure, rows: int, seed: int = 0) -> np.ndarray:
    """Return score vectors of independent standard Gaussian entries."""
    return np.random.default_rng(seed).normal(size=(rows, structure.n_features))


def quality(structure: Structure, instances: int, threads: int | None) -> None:
    """Print how close each decoder comes to the optimum."""
    scores = gaussian(structure, instances)
    exact = Decoding("exact", threads)
    most = structure.space.decode(scores, None, exact).value
    least = -structure.space.decode(-scores, None, exact).value
    for decoder in DECODERS:
        start = time.perf_counter()
        found = structure.space.decode(scores, None, Decoding(decoder, threads, seed=1))
        taken = (time.perf_counter() - start) / instances
        gap = np.maximum(most - found.value, 0) / (most - least)
        print(
            f"{structure!r:<32} {decoder:<13} optima {100 * np.mean(gap < 1e-9):6.1f} %  mean z-gap {gap.mean():8.2e}  "
            f"nu {found.nu.mean():.2f}  {1e3 * taken:8.3f} ms a row"
        )


def programs(structure: Structure, rows: int, threads: int | None) -> None:
    """Print how much faster exact decoding is than integer programs."""
    scores = gaussian(structure, rows)
    structure.space.decode(scores[:1], None, Decoding("milp"))  # loads the solver
    start = time.perf_counter()
    solved = structure.space.decode(scores, None, Decoding("milp"))
    slow = (time.perf_counter() - start) / rows
    fast = per_row(structure, 0.3, threads, "exact")
    exact = structure.space.decode(scores, None, Decoding("exact", threads))
    np.testing.assert_allclose(solved.value, exact.value, rtol=1e-6)
    print(
        f"{structure!r:<32} exact {1e3 * fast:8.4f} ms a row, milp {1e3 * slow:8.1f} ms a row: {slow / fast:8.0f} "
        f"times as fast ({rows} instances, the same optima)"
    )


def per_row(structure: Structure, seconds: float, threads: int | None, decoder: str = "auto") -> float:
    """Return the time of one row, over as many rows as take about the given time."""
    rows, how = 1, Decoding(decoder, threads)
    structure.space.decode(gaussian(structure, 1), None, how)  # what is built at first use
    while True:
        scores = gaussian(structure, rows)
        start = time.perf_counter()
        structure.space.decode(scores, None, how)
        taken = time.perf_counter() - start
        if taken > seconds or rows * structure.n_features > 10**7:
            return taken / rows
        rows = int(rows * min(10.0, max(2.0, 1.5 * seconds / taken)))


def tree(n: int) -> list[int]:
    """Return the parents of a binary tree."""
    return [(i + 1) // 2 - 1 for i in range(n)]


def grid(side: int) -> list[tuple[int, int]]:
    """Return the arcs of a grid, to the right and downwards."""
    right = [(v, v + 1) for v in range(side * side) if (v + 1) % side]
    return sorted(right + [(v, v + side) for v in range(side * (side - 1))])


def complete(n: int) -> list[tuple[int, int]]:
    """Return the edges of the complete graph."""
    return [(u, v) for u in range(n) for v in range(u + 1, n)]


def listed(n: int) -> Structure:
    """Return n structures with ten random features."""
    return Custom.from_structures([str(i) for i in range(n)], np.random.default_rng(0).normal(size=(n, 10)))


SIZES: list[tuple[str, Callable[[int], Structure], tuple[int, int, int]]] = [
    ("MultiClass(n)", MultiClass, (10, 100, 1000)),
    ("LabelSets(n)", LabelSets, (10, 100, 1000)),
    ("LabelSets(n, size=n//3)", lambda n: LabelSets(n, size=n // 3), (10, 100, 1000)),
    ("Ordinal(n)", Ordinal, (10, 100, 1000)),
    ("PosetElements(chain of n)", lambda n: PosetElements(np.tri(n, dtype=bool)), (10, 100, 1000)),
    ("Hierarchy(n nodes)", lambda n: Hierarchy(tree(n)), (15, 127, 1023)),
    ("Subtrees(n nodes)", lambda n: Subtrees(tree(n)), (15, 127, 1023)),
    ("Permutations(n)", Permutations, (5, 10, 15)),
    ("Permutations(n), searched", Permutations, (25, 50, 100)),
    ("WeakOrders(n)", WeakOrders, (4, 7, 10)),
    ("PartialOrders(n)", PartialOrders, (4, 7, 20)),
    ("Tournaments(n)", Tournaments, (5, 15, 45)),
    ("Cliques(n)", Cliques, (10, 20, 40)),
    ("Graphs(n)", Graphs, (5, 15, 45)),
    ("Cycles(n)", Cycles, (6, 10, 14)),
    ("Cycles(n), searched", Cycles, (20, 40, 80)),
    ("DirectedCycles(n)", DirectedCycles, (6, 10, 14)),
    ("Routes(n)", Routes, (5, 9, 13)),
    ("Paths(n×n grid)", lambda n: Paths(grid(n), 0, n * n - 1), (5, 10, 30)),
    ("SpanningTrees(complete, n)", lambda n: SpanningTrees(n, complete(n)), (5, 15, 45)),
    ("Assignments(n)", Assignments, (5, 20, 80)),
    ("Custom(list of n)", listed, (10, 100, 1000)),
]


def throughput(seconds: float, threads: int | None) -> None:
    """Print rows a second at three sizes of every structure."""
    for name, make, sizes in SIZES:
        times = [per_row(make(n), seconds, threads) for n in sizes]
        exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        rates = "  ".join(f"n={n:<5} {1 / t:12,.0f}" for n, t in zip(sizes, times, strict=True))
        print(f"{name:<28} rows/s: {rates}   time grows as n^{exponent:.1f}")


def main() -> None:
    """Print all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=1000, help="of each structure for quality; 0 leaves it out")
    parser.add_argument(
        "--programs", type=int, default=20, help="integer programs of each structure; 0 leaves them out"
    )
    parser.add_argument("--seconds", type=float, default=0.3, help="for each size for throughput; 0 leaves it out")
    parser.add_argument("--threads", type=int, default=None)
    args = parser.parse_args()
    if args.instances:
        for structure in (Permutations(15), Cycles(14), DirectedCycles(14)):
            quality(structure, args.instances, args.threads)
    if args.programs:
        for structure in (Permutations(10), Cycles(10), DirectedCycles(10), Routes(10)):
            programs(structure, args.programs, args.threads)
    if args.seconds:
        throughput(args.seconds, args.threads)


if __name__ == "__main__":
    main()
