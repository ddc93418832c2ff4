"""Markov chains and coupling from the past: measured times beside their bounds, and steps a second.

    python tests/benchmarks/chains.py [--samples 2000] [--seconds 0.5]

Times: on spaces small enough to be listed, the mean number of proposals of coupling from the past beside 1/β, with β =
E exp(h − max h) under the uniform law; the number of steps after which chains from the worst start are within ε = 0.01
of their law in total variation, by powers of the transition matrix, beside its bound. The last column has another
bound: for proposals that of the range of the scores, exp(min h − max h) in place of β, and on the hypercube d ln(d/ε),
which the thesis prints for the chain of single elements and which does not hold for strong scores. Monotone coupling
goes back a power of two times d steps; half of that was too little.

Speed: steps a second of chains, on one thread, beside a loop in NumPy that makes the same steps.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import numpy as np

from combpred import sampling
from combpred.structures import Cycles, LabelSets, Permutations, Structure, Subtrees, Tournaments

EPSILON = 0.01


def law(structure: Structure, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of all outputs and their probabilities."""
    values = structure.embed(list(structure.enumerate())) @ scores
    p = np.exp(values - values.max())
    return values, p / p.sum()


def meta_matrix(values: np.ndarray) -> np.ndarray:
    """Return the transition matrix of the chain of uniform proposals."""
    matrix = np.minimum(1, np.exp(values[None] - values[:, None])) / len(values)
    np.fill_diagonal(matrix, 0)
    np.fill_diagonal(matrix, 1 - matrix.sum(axis=1))
    return matrix


def cube_matrix(structure: Structure, scores: np.ndarray, heat_bath: bool) -> np.ndarray:
    """Return the transition matrix of the chain of single elements, or of the heat bath."""
    members = np.array(list(structure.enumerate()))
    number = {tuple(row): i for i, row in enumerate(members.tolist())}
    d = members.shape[1]
    matrix = np.zeros((len(members), len(members)))
    for i, row in enumerate(members):
        for j in range(d):
            gain = scores[j] * (1 - 2 * row[j])
            changed = row.copy()
            changed[j] = 1 - row[j]
            to = number[tuple(changed.tolist())]
            matrix[i, to] = (1 / (1 + math.exp(-gain)) if heat_bath else min(1, math.exp(gain)) / 2) / d
    np.fill_diagonal(matrix, 1 - matrix.sum(axis=1))
    return matrix


def mixing_time(matrix: np.ndarray, p: np.ndarray, most: int = 10**6) -> int:
    """Return the first number of steps with a distance of at most ε from every start."""

    def near(steps: int) -> bool:
        return bool(np.abs(np.linalg.matrix_power(matrix, steps) - p).sum(axis=1).max() <= 2 * EPSILON)

    low, high = 0, 1
    while not near(high):
        low, high = high, 2 * high
        if high > most:
            raise RuntimeError(f"not within {EPSILON} after {most} steps")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if near(middle) else (middle, high)
    return high


def times(samples: int) -> None:
    """Print measured coalescence and mixing times beside the bounds."""
    print(f"{'structure and chain':<38} {'coalescence':>12} {'1/β':>9} {'mixing':>7} {'bound':>9} {'other':>8}")
    meta: list[tuple[Structure, float]] = [
        *((Permutations(4), scale) for scale in (0.2, 0.5, 1.0)),
        (Cycles(4), 1.0),
        (Tournaments(3), 1.0),
        (Subtrees([-1, 0, 0, 1, 1, 2, 2]), 1.0),
        (LabelSets(6), 1.0),
    ]
    for structure, scale in meta:
        scores = scale * np.random.default_rng(0).normal(size=structure.n_features)
        values, p = law(structure, scores)
        log_beta = math.log(np.exp(values - values.max()).mean())
        spread = values.max() - values.min()
        drawn = sampling.sample(structure, scores, samples, sampler="cftp", random_state=0)
        name = f"{type(structure).__name__} ×{scale}, meta, range {spread:.1f}"
        mixing = mixing_time(meta_matrix(values), p)
        print(
            f"{name:<38} {drawn.steps.mean():12.2f} {sampling.meta_coalescence_time(log_beta):9.2f} {mixing:7d} "
            f"{sampling.meta_mixing_bound(log_beta, EPSILON):9.0f} {sampling.meta_mixing_bound(-spread, EPSILON):8.0f}"
        )
    for d in (2, 4, 6, 8):
        for scale in (0.0, 5.0):
            structure = LabelSets(d)
            scores = scale * np.random.default_rng(0).normal(size=d)
            p = law(structure, scores)[1]
            back = sampling.sample(structure, scores, samples, sampler="monotone", random_state=0).steps.mean()
            for heat_bath in (False, True):
                mixing = mixing_time(cube_matrix(structure, scores, heat_bath), p)
                bound = sampling.cube_mixing_bound(d, EPSILON, heat_bath=heat_bath)
                name = f"LabelSets({d}) ×{scale}, {'heat bath' if heat_bath else 'cube'}"
                shown = f"{back:12.1f}" if heat_bath else " " * 12
                print(f"{name:<38} {shown} {'':>9} {mixing:7d} {bound:9.0f} {math.ceil(d * math.log(d / EPSILON)):8d}")


def numpy_meta(scores: np.ndarray, n: int, steps: int, rng: np.random.Generator) -> None:
    """Make steps of uniform proposals on rankings of n labels."""
    first, second = np.triu_indices(n, 1)
    value = -math.inf
    for _ in range(steps):
        proposed = rng.permutation(n)
        score = scores @ np.where(proposed[first] < proposed[second], 1.0, -1.0)
        if score >= value or rng.random() < math.exp(score - value):
            value = score


def numpy_local(scores: np.ndarray, n: int, steps: int, rng: np.random.Generator) -> None:
    """Make steps that take a label of a ranking of n to another place; only the gain of that label is computed."""
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = scores
    matrix -= matrix.T
    order = rng.permutation(n)
    for _ in range(steps):
        at, to = rng.integers(n, size=2)
        label = order[at]
        passed = order[at + 1 : to + 1] if at < to else order[to:at]
        gain = 2 * matrix[label, passed].sum() * (-1 if at < to else 1)
        if gain >= 0 or rng.random() < math.exp(gain):
            order = np.insert(np.delete(order, at), to, label)


def rate(work: Callable[[int], object], seconds: float) -> float:
    """Return steps a second, over as many as take about the given time."""
    steps = 100
    while True:
        start = time.perf_counter()
        work(steps)
        taken = time.perf_counter() - start
        if taken > seconds:
            return steps / taken
        steps = int(steps * min(10.0, max(2.0, 1.5 * seconds / max(taken, 1e-9))))


def speed(seconds: float) -> None:
    """Print steps a second beside NumPy."""
    loops: dict[str, Callable[..., None]] = {"meta": numpy_meta, "local": numpy_local}
    for n in (5, 10, 20):
        for sampler, loop in loops.items():
            compare(n, sampler, loop, seconds)


def compare(n: int, sampler: str, loop: Callable[..., None], seconds: float) -> None:
    """Print steps a second of a chain on rankings of n labels beside those of a loop."""
    structure = Permutations(n)
    scores = 0.3 * np.random.default_rng(0).normal(size=structure.n_features)

    def ours(steps: int) -> object:
        return sampling.sample(structure, scores, sampler=sampler, burn_in=steps, thin=1, random_state=0, n_jobs=1)

    fast = rate(ours, seconds)
    slow = rate(lambda steps: loop(scores, n, steps, np.random.default_rng(0)), seconds)
    print(f"Permutations({n:<2}) {sampler:<6} {fast:12,.0f} steps/s, NumPy {slow:9,.0f}: {fast / slow:6.0f} times")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000, help="exact samples for each mean")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each rate")
    args = parser.parse_args()
    times(args.samples)
    speed(args.seconds)


if __name__ == "__main__":
    main()
