"""Annealed partition functions: shares of estimates within 1 ± ε, and samples by schedule.

    python tests/benchmarks/fpras.py [--runs 200] [--scale 0.7] [--epsilons 0.25 0.1] [--deltas 0.25 0.05 0.01]

Scores are Gaussian with standard deviation `scale`, one vector for each structure, and exact values come from the
structures' own recursions. Shares are those of `runs` seeded estimates by the adaptive schedule and exact draws, each
the median of as many repeats as are cheapest (1 for δ = 1/4); beside, for δ = 1/4, an eighth as many by chains of local
moves. Samples are means of those runs for the adaptive schedule, the search for levels included. For the uniform
schedule and the thesis's they follow from the formulas, and are not drawn: for ε = 0.1 an estimate takes up to 10⁸.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from combpred.sampling import log_partition
from combpred.structures import Cycles, Permutations, Structure, Subtrees

DELTA = 0.25


def random_tree(n: int, seed: int) -> list[int]:
    """Return parents of a random recursive tree."""
    rng = np.random.default_rng(seed)
    return [-1, *(int(rng.integers(0, i)) for i in range(1, n))]


def share(structure: Structure, scores: np.ndarray, runs: int, **how: object) -> tuple[float, float, float, float]:
    """Return the share of estimates within 1 ± ε, and means of samples, of steps between levels and of repeats."""
    found = log_partition(structure, np.tile(scores, (runs, 1)), method="annealed", random_state=0, **how)
    exact = structure.log_partition(scores)
    within = (found.lower <= exact) & (exact <= found.upper)
    steps = np.mean([len(levels) - 1 for levels in found.details.schedules])
    return float(within.mean()), found.n_samples.mean(), steps, found.details.n_repeats.mean()


def needed(structure: Structure, scores: np.ndarray, epsilon: float, delta: float, schedule: str) -> int:
    """Return the number of samples of a schedule that follows from bounds, by an estimate with a large ε."""
    wide = 0.99
    found = log_partition(
        structure, scores, method="annealed", sampler="exact", epsilon=wide, delta=delta, schedule=schedule,
        max_steps=2**40, random_state=0,
    ).details  # fmt: skip
    in_batch = float(found.n_level_samples[0]) * (wide / epsilon) ** 2
    return round(found.n_repeats[0] * in_batch * (len(found.schedules[0]) - 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--scale", type=float, default=0.7)
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.25, 0.1])
    parser.add_argument("--deltas", type=float, nargs="*", default=[DELTA, 0.05, 0.01])
    arguments = parser.parse_args()
    spaces = {
        "rankings of 6": Permutations(6),
        "rankings of 7": Permutations(7),
        "rankings of 8": Permutations(8),
        "subtrees, 15 nodes": Subtrees(random_tree(15, 0)),
        "cycles, 8 vertices": Cycles(8),
    }
    print(
        "space                 ε     δ  within  local  levels  repeats    adaptive     uniform      thesis   "
        "factors    s"
    )
    for name, structure in spaces.items():
        scores = np.random.default_rng(1).normal(scale=arguments.scale, size=structure.n_features)
        for epsilon in arguments.epsilons:
            for delta in arguments.deltas:
                start = time.perf_counter()
                how = {"epsilon": epsilon, "delta": delta}
                within, samples, levels, repeats = share(structure, scores, arguments.runs, sampler="exact", **how)
                local = (
                    share(structure, scores, arguments.runs // 8, sampler="local", **how)[0]
                    if delta == DELTA
                    else np.nan
                )
                uniform, thesis = (needed(structure, scores, epsilon, delta, s) for s in ("uniform", "thesis"))
                print(
                    f"{name:19s}{epsilon:5.2f}{delta:6.2f}{within:8.3f}{local:7.3f}{levels:8.1f}{repeats:9.0f}"
                    f"{samples:12.0f}{uniform:12d}{thesis:12d}{uniform / samples:7.1f}{thesis / samples:8.0f}"
                    f"{time.perf_counter() - start:7.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
