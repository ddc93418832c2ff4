"""Scores of one's own: a fused call beside two calls, and what a row costs beside the work of the core.

    python tests/benchmarks/scores.py [--seconds 2]

First table: milliseconds a row of `log_partition` and `marginals` one after the other, of
`log_partition_and_marginals`, and their ratio, on one thread. Second table: microseconds that the core takes for a row,
by a call of the C interface with 1000 rows, and what a row takes beyond these through the public method: of 1000 rows,
alone, and of 1000 rows under a condition that all share, and under one of two conditions for each row.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from combpred import config_context
from combpred._lib.partition import log_partition
from combpred.structures import Assignments, Cycles, LabelSets, Permutations, Routes, SpanningTrees, Structure

LARGE = [Permutations(10), Assignments(10), Routes(9), Cycles(9), LabelSets(1000, size=50), SpanningTrees(20)]
SMALL = [(LabelSets(5), "required"), (Permutations(4), "first"), (Routes(3), "start"), (SpanningTrees(4), "required")]


def seconds_of(act: Callable[[], object], seconds: float) -> float:
    """Return the least of the times of a call, repeated for so long."""
    act()
    least, end = np.inf, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        act()
        least = min(least, time.perf_counter() - start)
    return least


def fused(structure: Structure, seconds: float) -> None:
    """Print a row of the first table."""
    scores = np.random.default_rng(0).normal(size=(16, structure.n_features))
    one = seconds_of(lambda: structure.log_partition_and_marginals(scores), seconds) / 16
    two = seconds_of(lambda: (structure.log_partition(scores), structure.marginals(scores)), seconds) / 16
    print(f"| {type(structure).__name__} | {1e3 * two:.3f} | {1e3 * one:.3f} | {two / one:.2f} |")


def overhead(structure: Structure, key: str, seconds: float) -> None:
    """Print a row of the second table."""
    scores, sums = np.random.default_rng(0).normal(size=(1000, structure.n_features)), structure.space.sums
    both = structure.log_partition_and_marginals
    core = seconds_of(lambda: log_partition(sums, scores, marginals=True, n_threads=1), seconds) / 1000
    batch = seconds_of(lambda: both(scores), seconds) / 1000
    alone = seconds_of(lambda: both(scores[0]), seconds)
    items = [[(0, 1)], [(1, 2)]] if isinstance(structure, SpanningTrees) else [[0], [1]]
    given = [{key: item if key == "required" else item[0]} for item in items]
    shared = seconds_of(lambda: both(scores, constraints=given[0]), seconds) / 1000
    each = seconds_of(lambda: both(scores, constraints=given * 500), seconds) / 1000
    figures = " | ".join(
        f"{1e6 * value:.2f}" for value in (core, batch - core, alone - core, shared - core, each - core)
    )
    print(f"| {type(structure).__name__}, d = {structure.n_features} | {figures} |")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2)
    seconds = parser.parse_args().seconds
    with config_context(n_threads=1):
        print("| structure | two calls, ms a row | one call | ratio |\n| --- | ---: | ---: | ---: |")
        for structure in LARGE:
            fused(structure, seconds)
        print(
            "\n| structure | core, µs a row | + one of 1000 | + alone | + a shared condition | + a condition a row |"
            "\n| --- | ---: | ---: | ---: | ---: | ---: |"
        )
        for structure, key in SMALL:
            overhead(structure, key, seconds)


if __name__ == "__main__":
    main()
