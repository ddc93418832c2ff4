r"""Expectations of ψ, estimated to a given error from independent draws or along chains."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from .._lib.abi import Control
from .._lib.arrays import FloatArray, row_blocks
from .._lib.control import reported
from ..structures import Custom, Paths, Structure
from .samplers import chain_draws, exact_draws, natural_thin

_CHAINS = 4  # for each row
_DRAWS = 32  # of each chain, whose mean is the first batch
_BATCHES = 16  # of each chain at most: then neighbours are joined
_FEWEST = 4  # batches of each chain that an error is told from
_LARGEST_SQUARE = 4096  # order of a second moment that is asked for
_NUMBERS = 2**21  # entries of ψ held at a time
#: Most steps of all chains of a row: some seconds, of the library's own structures and of those of Python functions.
MEAN_STEPS, COMPUTED_STEPS = 4_000_000, 100_000
_APART = 1.1  # split R̂ above which chains have not met


class ChainMeans(NamedTuple):
    """Estimated means (n, d), the half-widths of their confidence intervals, and the split R̂ of each row."""

    means: FloatArray
    error: FloatArray  # (n,): the largest of the row
    r_hat: FloatArray  # (n,)


def feature_range(structure: Structure) -> float | None:
    r"""Return the largest range of an entry of ψ, or None where only the user knows.

    Entries are between −1 and 1 everywhere but in a user's own structures and in paths, which may count. Whole numbers
    in that range are 0 or 1 if the mean of the squares is the mean.
    """
    if isinstance(structure, (Custom, Paths)):
        return None
    if structure.n_features > _LARGEST_SQUARE or structure.moments_info.kind != "exact":
        return 2.0
    return 1.0 if np.allclose(np.diag(structure.second_moment()), structure.mean(), rtol=0.0, atol=1e-9) else 2.0


def independent_means(
    structure: Structure, method: str, scores: FloatArray, n_samples: int, seed: int, n_threads: int | None
) -> FloatArray:
    """Return the means of ψ over `n_samples` draws of each row by an exact sampler."""
    n, d = scores.shape
    means = np.zeros((n, d))
    width = max(1, min(n_samples, _NUMBERS // max(1, n * d)))
    for number, first in enumerate(range(0, n_samples, width)):
        many = min(width, n_samples - first)
        parts = exact_draws(structure, method, scores, many, seed + number, n_threads)
        means += embedded(structure, parts, n_threads).sum(axis=1)
    means /= n_samples
    return means


def chain_means(
    structure: Structure,
    method: str,
    scores: FloatArray,
    *,
    epsilon: float,
    delta: float,
    seed: int,
    n_threads: int | None,
    verbose: int = 0,
) -> ChainMeans:
    r"""Run chains for each row until the means of ψ are known to within ε, with probability about 1 − δ.

    Notes
    -----
    Four chains of each row are followed in rounds, and the means of batches of their draws kept: batches grow with the
    chains, so that they come to be nearly independent (Flegal and Jones, 2010). A row is done when Student's intervals
    of all d means, at the level 1 − δ/d, have half-widths of ε or less, and the halves of chains agree (split R̂ of at
    most 1.1), or after `MEAN_STEPS` steps.
    """
    n, d = scores.shape
    found = ChainMeans(np.empty((n, d)), np.empty(n), np.empty(n))
    control = Control()
    with reported(control, "marginals along chains", verbose=verbose):
        for number, rows in enumerate(row_blocks(n, _CHAINS * _DRAWS * d)):
            run = _Run(structure, method, scores[rows], epsilon, delta, seed + 2**32 * number, n_threads)
            for whole, part in zip(found, run.finished(control), strict=True):
                whole[rows] = part
    return found


class _Run:
    """The chains of a block of rows; rows that are done are dropped."""

    def __init__(
        self,
        structure: Structure,
        method: str,
        scores: FloatArray,
        epsilon: float,
        delta: float,
        seed: int,
        n_threads: int | None,
    ) -> None:
        self._structure, self._method, self._n_threads = structure, method, n_threads
        self._scores, self._epsilon, self._delta, self._seed = scores, epsilon, delta, seed
        self._thin = natural_thin(structure, method)
        n, d = scores.shape
        self._states: NDArray[Any] | None = None
        self._batches = np.empty((n, _CHAINS, 0, d))
        self._squares = np.zeros((n, _CHAINS, d))
        self._length = 1  # rounds in a batch
        self._rounds = 0

    def finished(self, control: Control) -> ChainMeans:
        """Run the chains to the end; `control` counts rounds and holds the largest error."""
        n, d = self._scores.shape
        found = ChainMeans(np.empty((n, d)), np.full(n, np.inf), np.full(n, np.inf))
        active = np.arange(n)
        steps = COMPUTED_STEPS if not self._structure.space.in_library else MEAN_STEPS
        most = max(_FEWEST, steps // (_CHAINS * _DRAWS * self._thin))
        while len(active):
            for _ in range(_FEWEST):
                self._lengthen()
            now = self._estimate()
            for whole, part in zip(found, now, strict=True):
                whole[active] = part
            control.step, control.value = control.step + _FEWEST, float(now.error.max())
            left = (now.error > self._epsilon) | (now.r_hat > _APART)
            if self._rounds >= most:
                break
            active = active[left]
            self._keep(left)
        return found

    def _keep(self, left: NDArray[np.bool_]) -> None:
        assert self._states is not None
        self._states = self._states.reshape(len(left), _CHAINS, -1)[left].reshape(-1, self._states.shape[1])
        self._scores, self._batches, self._squares = self._scores[left], self._batches[left], self._squares[left]

    def _lengthen(self) -> None:
        """Add a batch to each chain: as many rounds as the others have."""
        n, d = self._scores.shape
        repeated = np.repeat(self._scores, _CHAINS, axis=0)
        total = np.zeros((n, _CHAINS, d))
        for _ in range(self._length):
            burn_in = 16 * self._thin if self._states is None else 0
            drawn = chain_draws(
                self._structure, self._method, repeated, (_DRAWS, burn_in, self._thin), self._seed + self._rounds,
                self._states, self._n_threads,
            )  # fmt: skip
            self._states = drawn.y[:, -1]
            psi = embedded(self._structure, drawn.y, self._n_threads).reshape(n, _CHAINS, _DRAWS, d)
            total += psi.sum(axis=2)
            self._squares += np.square(psi).sum(axis=2)
            self._rounds += 1
        mean = total / (_DRAWS * self._length)
        self._batches = np.concatenate([self._batches, mean[:, :, None]], axis=2)
        if self._batches.shape[2] == _BATCHES:
            self._batches = (self._batches[:, :, ::2] + self._batches[:, :, 1::2]) / 2
            self._length *= 2

    def _estimate(self) -> ChainMeans:
        n, chains, batches, d = self._batches.shape
        flat = self._batches.reshape(n, chains * batches, d)
        means = flat.mean(axis=1)
        spread = np.sqrt(flat.var(axis=1, ddof=1) / (chains * batches))
        error = student.ppf(1 - self._delta / (2 * d), chains * batches - 1) * spread.max(axis=1)
        draws = _DRAWS * self._length * batches
        by_chain = self._batches.mean(axis=2)
        within = np.maximum(self._squares / draws - np.square(by_chain), 0.0).mean(axis=1)
        half = batches // 2
        halves = np.concatenate([self._batches[:, :, :half].mean(axis=2), self._batches[:, :, half:].mean(axis=2)], 1)
        between = halves.var(axis=1, ddof=1)
        still = within <= 1e-12
        ratio = np.where(still, np.where(between <= 1e-12, 1.0, np.inf), 1.0 + between / np.where(still, 1.0, within))
        return ChainMeans(means, error, np.sqrt(ratio.max(axis=1)))


def embedded(structure: Structure, parts: NDArray[Any], n_threads: int | None) -> FloatArray:
    """Return ψ of parts (n, k, part_len) as (n, k, d)."""
    n, k = parts.shape[:2]
    flat = np.ascontiguousarray(parts.reshape(n * k, parts.shape[2]))
    return structure.space.embed(flat, n_threads).reshape(n, k, -1)
