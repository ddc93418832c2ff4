"""Markov chains and coupling from the past: measured times beside their bounds.

    python tests/benchmarks/chains.py [--samples 2000]

On spaces small enough to be listed. Coalescence: how far coupling from the past went back, on average. For
uniform proposals ("meta") its mean is known, 1/β with β = E exp(h − max h) under the uniform distribution. Monotone
coupling by the heat bath goes back a power of two times d steps, half of which was too little, so at most max(d, 2 E T)
on average for the time T that chains need to meet: E T is d (1 + 1/2 + … + 1/d) on the hypercube, and at most
2 t (1 + ln l) on a lattice whose longest chain has l steps, t being the time after which chains from any two starts are
within 1/e (Propp and Wilson, 1996). Mixing: steps after which chains from the worst start are within ε = 0.01 of their
distribution in total variation, by powers of the transition matrix. The last column has the bound that the thesis
prints: for proposals that of the range of the scores, exp(min h − max h) in place of β, and on the hypercube d ln(d/ε).
A measured time above it has an exclamation mark; the script ends with an error when one of the other bounds does not
hold.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np

from combpred import sampling
from combpred.structures import Cycles, LabelSets, Permutations, Structure, Subtrees, Tournaments

EPSILON = 0.01
TREES = {"binary tree": [-1, 0, 0, 1, 1, 2, 2], "path": [-1, 0, 1, 2, 3, 4, 5, 6], "star": [-1, *[0] * 7]}


def distribution(structure: Structure, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


def site_matrix(structure: Structure, scores: np.ndarray, heat_bath: bool) -> np.ndarray:
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
            to = number.get(tuple(changed.tolist()))
            if to is not None:
                matrix[i, to] = (1 / (1 + math.exp(-gain)) if heat_bath else min(1, math.exp(gain)) / 2) / d
    np.fill_diagonal(matrix, 1 - matrix.sum(axis=1))
    return matrix


def first_time(done: Callable[[int], bool], most: int = 10**6) -> int:
    """Return the first number of steps at which something holds that goes on to hold."""
    low, high = 0, 1
    while not done(high):
        low, high = high, 2 * high
        if high > most:
            raise RuntimeError(f"not done after {most} steps")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if done(middle) else (middle, high)
    return high


def mixing_time(matrix: np.ndarray, p: np.ndarray) -> int:
    """Return the first number of steps with a distance of at most ε to the distribution from every start."""

    def near(steps: int) -> bool:
        return bool(np.abs(np.linalg.matrix_power(matrix, steps) - p).sum(axis=1).max() <= 2 * EPSILON)

    return first_time(near)


def meeting_time(matrix: np.ndarray) -> int:
    """Return the first number of steps after which the distributions from any two starts are within 1/e."""

    def near(steps: int) -> bool:
        distributions = np.linalg.matrix_power(matrix, steps)
        return max(float(np.abs(distributions - row).sum(axis=1).max()) for row in distributions) <= 2 / math.e

    return first_time(near)


def show(
    name: str,
    *,
    back: np.ndarray | None = None,
    back_bound: float | None = None,
    back_is_mean: bool = False,
    mixing: int,
    bound: float | None = None,
    printed: float | None = None,
) -> None:
    """Print a line of the table of times; RuntimeError when a bound does not hold."""
    found = "" if back is None else f"{back.mean():.2f}"
    limit = "" if back_bound is None else f"{'=' if back_is_mean else '≤'} {back_bound:.2f}"
    mixed = "" if bound is None else f"{bound:.0f}"
    other = "" if printed is None else f"{printed:.0f}{' !' if mixing > printed else '  '}"
    print(f"{name:<40}{found:>11} {limit:<12}{mixing:>8}{mixed:>8}{other:>10}")
    if back is not None and back_bound is not None:
        # Five standard errors: a false alarm is rarer than one in a million.
        margin = 5 * float(back.std()) / math.sqrt(back.size)
        if back.mean() > back_bound + margin or (back_is_mean and back.mean() < back_bound - margin):
            raise RuntimeError(f"{name}: coalescence took {back.mean()} steps, not {limit}")
    if bound is not None and mixing > bound:
        raise RuntimeError(f"{name}: mixing took {mixing} steps, more than {bound}")


def proposals(samples: int) -> None:
    """Print the lines of uniform proposals."""
    meta: list[tuple[Structure, float]] = [
        *((Permutations(4), scale) for scale in (0.2, 0.5, 1.0)),
        (Cycles(4), 1.0),
        (Tournaments(3), 1.0),
        (Subtrees(TREES["binary tree"]), 1.0),
        (LabelSets(6), 1.0),
    ]
    for structure, scale in meta:
        scores = scale * np.random.default_rng(0).normal(size=structure.n_features)
        values, p = distribution(structure, scores)
        log_beta = math.log(np.exp(values - values.max()).mean())
        spread = float(values.max() - values.min())
        show(
            f"{type(structure).__name__} ×{scale}, meta, range {spread:.1f}",
            back=sampling.sample(structure, scores, samples, sampler="cftp", random_state=0).steps,
            back_bound=sampling.theory.meta_coalescence_time(log_beta),
            back_is_mean=True,
            mixing=mixing_time(meta_matrix(values), p),
            bound=sampling.theory.meta_mixing_bound(log_beta, EPSILON),
            printed=sampling.theory.meta_mixing_bound(-spread, EPSILON),
        )


def hypercubes(samples: int) -> None:
    """Print the lines of single elements and the heat bath on all subsets."""
    for d in (2, 4, 6, 8):
        for scale in (0.0, 1.0, 5.0):
            structure = LabelSets(d)
            scores = scale * np.random.default_rng(0).normal(size=d)
            p = distribution(structure, scores)[1]
            show(
                f"LabelSets({d}) ×{scale}, cube",
                mixing=mixing_time(site_matrix(structure, scores, heat_bath=False), p),
                bound=sampling.theory.cube_mixing_bound(d, EPSILON),
                printed=math.ceil(d * math.log(d / EPSILON)),
            )
            show(
                f"LabelSets({d}) ×{scale}, heat bath",
                back=sampling.sample(structure, scores, samples, sampler="monotone", random_state=0).steps,
                back_bound=max(d, 2 * d * sum(1 / i for i in range(1, d + 1))),
                mixing=mixing_time(site_matrix(structure, scores, heat_bath=True), p),
                bound=sampling.theory.cube_mixing_bound(d, EPSILON, heat_bath=True),
            )


def subtrees(samples: int) -> None:
    """Print the lines of rooted subtrees, for whose mixing there is no closed bound."""
    for shape, tree in TREES.items():
        for scale in (0.0, 1.0, 3.0):
            structure = Subtrees(tree)
            scores = scale * np.random.default_rng(0).normal(size=len(tree))
            p = distribution(structure, scores)[1]
            matrix = site_matrix(structure, scores, heat_bath=True)
            name = f"Subtrees of a {shape} ×{scale}"
            show(f"{name}, cube", mixing=mixing_time(site_matrix(structure, scores, heat_bath=False), p))
            show(
                f"{name}, heat bath",
                back=sampling.sample(structure, scores, samples, sampler="monotone", random_state=0).steps,
                back_bound=max(len(tree), 4 * meeting_time(matrix) * (1 + math.log(len(tree) - 1))),
                mixing=mixing_time(matrix, p),
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000, help="exact samples for each mean")
    samples = parser.parse_args().samples
    columns = f"{'coalescence':>11} {'bound':<12}{'mixing':>8}{'bound':>8}{'printed':>10}"
    print(f"{'structure, scale of scores, chain':<40}{columns}")
    proposals(samples)
    hypercubes(samples)
    subtrees(samples)


if __name__ == "__main__":
    main()
