"""Speed of distributions over rankings: exact partition functions, uniform samples, chains and fits, in one run.

    python tests/benchmarks/speed_distributions.py [--seconds 0.5] [--rows 1000]

All rates are of CPU time, on one thread, so that they hold for a core whatever else runs on the machine.

Partition functions: ln Z and marginals of rankings of 10 labels, beside the sum over a list of all in NumPy (see
`partition.py`). Uniform samples: beside `numpy.random.Generator.permuted`. Chains: steps a second beside a loop in
NumPy that makes the same steps, and beside NumPy making the same steps of 1000 chains at a time. Fits: exact maximum
likelihood for `--rows` rankings of 8 labels and ten features, on all processors; "ln Z" is the share of the CPU time
that partition functions take.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import partition

from combpred import ProbabilisticStructured, sampling
from combpred.structures import Permutations
from combpred.structures._space import LibrarySpace

MANY = 1000  # chains that NumPy makes steps of at a time
BATCH = 10_000  # uniform rankings drawn in one call


def exact(seconds: float) -> None:
    """Print rows a second of ln Z and marginals beside the list."""
    rankings = Permutations(10)
    scores = np.random.default_rng(0).normal(size=rankings.n_features)
    log_z, mean, slow = partition.listed(rankings, 10, scores)
    np.testing.assert_allclose(rankings.log_partition(scores), log_z, rtol=1e-10)
    np.testing.assert_allclose(rankings.marginals(scores), mean, atol=1e-10)
    fast = partition.rate(rankings, seconds, 1, cpu=True)
    print(f"ln Z and marginals of {rankings!r}: {1 / fast:,.0f} rows a second, {slow / fast:,.0f} times the list")


def uniform(seconds: float) -> None:
    """Print uniform rankings a second beside NumPy."""
    print(f"{'uniform rankings a second':<26}{'ours':>12}{'permuted':>12}{'times':>7}")
    for n in (5, 10, 20, 100):
        structure, rng = Permutations(n), np.random.default_rng(0)
        tiled = np.tile(np.arange(1, n + 1), (BATCH, 1))

        def ours(rows: int, structure: Permutations = structure) -> None:
            for seed in range(0, rows, BATCH):
                structure.sample(BATCH, seed)

        def numpy(rows: int, rng: np.random.Generator = rng, tiled: np.ndarray = tiled) -> None:
            for _ in range(0, rows, BATCH):
                rng.permuted(tiled, axis=1)

        fast, slow = per_second(ours, seconds), per_second(numpy, seconds)
        print(f"  {repr(structure):<24}{fast:12,.0f}{slow:12,.0f}{fast / slow:7.1f}")


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


def numpy_meta_many(scores: np.ndarray, n: int, steps: int, rng: np.random.Generator) -> None:
    """Make steps of `MANY` chains of uniform proposals at a time, `steps` in all."""
    first, second = np.triu_indices(n, 1)
    labels, values = np.tile(np.arange(n), (MANY, 1)), np.full(MANY, -math.inf)
    for _ in range(0, steps, MANY):
        proposed = rng.permuted(labels, axis=1)
        score = np.where(proposed[:, first] < proposed[:, second], 1.0, -1.0) @ scores
        values = np.where(rng.random(MANY) < np.exp(np.minimum(score - values, 0)), score, values)


def numpy_local_many(scores: np.ndarray, n: int, steps: int, rng: np.random.Generator) -> None:
    """Make steps of `MANY` chains at a time, `steps` in all, that take a label of each ranking to another place."""
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = scores
    matrix -= matrix.T
    places, each = rng.permuted(np.tile(np.arange(n), (MANY, 1)), axis=1), np.arange(MANY)
    for _ in range(0, steps, MANY):
        label, to = rng.integers(n, size=(2, MANY))
        at = places[each, label]
        later = (places > at[:, None]) & (places <= to[:, None])  # labels that it passes on its way back
        earlier = (places < at[:, None]) & (places >= to[:, None])
        passed = earlier.astype(float) - later
        gain = 2 * np.einsum("ij,ij->i", matrix[label], passed)
        accepted = rng.random(MANY) < np.exp(np.minimum(gain, 0))
        places += np.where(accepted[:, None], passed.astype(int), 0)
        places[each, label] = np.where(accepted, to, at)


def per_second(work: Callable[[int], object], seconds: float) -> float:
    """Return steps a second of CPU time, over as many as take about the given time."""
    steps = BATCH  # a multiple of `MANY`
    while True:
        start = time.process_time()
        work(steps)
        taken = time.process_time() - start
        if taken > seconds:
            return steps / taken
        steps *= int(min(10.0, max(2.0, 1.5 * seconds / max(taken, 1e-9))))


def chains(seconds: float) -> None:
    """Print steps a second beside NumPy."""
    print(f"{'chain steps a second':<26}{'ours':>12}{'NumPy loop':>12}{'times':>7}{f'{MANY} chains':>13}{'times':>7}")
    loops: dict[str, tuple[Callable[..., None], Callable[..., None]]] = {
        "meta": (numpy_meta, numpy_meta_many),
        "local": (numpy_local, numpy_local_many),
    }
    for n in (5, 10, 20):
        for sampler, (loop, many) in loops.items():
            compare(n, sampler, loop, many, seconds)


def compare(n: int, sampler: str, loop: Callable[..., None], many: Callable[..., None], seconds: float) -> None:
    """Print steps a second of a chain on rankings of n labels beside those of a loop and of many chains at a time."""
    structure = Permutations(n)
    scores = 0.3 * np.random.default_rng(0).normal(size=structure.n_features)

    def ours(steps: int) -> object:
        return sampling.sample(structure, scores, sampler=sampler, burn_in=steps, thin=1, random_state=0, n_jobs=1)

    fast = per_second(ours, seconds)
    slow, vectorised = (
        per_second(lambda steps, make=make: make(scores, n, steps, np.random.default_rng(0)), seconds)
        for make in (loop, many)
    )
    name = f"Permutations({n}), {sampler}"
    print(
        f"{name:<26}{fast:12,.0f}{slow:12,.0f}{fast / slow:7.0f}{vectorised:13,.0f}{fast / vectorised:7.1f}", flush=True
    )


class TimedSpace(LibrarySpace):
    """A space that counts the CPU seconds of its partition functions."""

    taken = 0.0

    def log_partition(self, *args: Any, **options: Any) -> Any:
        start = time.process_time()
        found = super().log_partition(*args, **options)
        TimedSpace.taken += time.process_time() - start
        return found


class Timed(Permutations):
    """Rankings in such a space."""

    def _make_space(self) -> LibrarySpace:
        return TimedSpace(self)


def fits(rows: int) -> None:
    """Print the times of exact fits."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 10))
    utility = X @ rng.normal(size=(10, 8)) + rng.normal(size=(rows, 8))
    y = (-utility).argsort(axis=1).argsort(axis=1) + 1
    print(f"{f'fit of {rows} rows, 8 labels':<26}{'alpha':>7}{'steps':>7}{'seconds':>9}{'CPU s':>8}{'ln Z':>7}")
    for kernel in ("linear", "rbf"):
        for alpha in (1.0, 0.01):
            model = ProbabilisticStructured(Timed(8), alpha=alpha, kernel=kernel, gamma=0.1, max_iter=2000)
            TimedSpace.taken, clock, cpu = 0.0, time.perf_counter(), time.process_time()
            model.fit(X, y)
            clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
            share = TimedSpace.taken / cpu
            print(f"  {kernel:<24}{alpha:>7}{model.n_iter_:>7}{clock:>9.1f}{cpu:>8.1f}{share:>7.0%}", flush=True)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="of CPU time, for each rate")
    parser.add_argument("--rows", type=int, default=1000)
    args = parser.parse_args()
    exact(args.seconds)
    uniform(args.seconds)
    chains(args.seconds)
    fits(args.rows)


if __name__ == "__main__":
    main()
