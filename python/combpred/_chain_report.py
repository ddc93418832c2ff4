"""How far the chains behind a fit or behind samples can be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from . import _lib_chain
from ._chain_diagnostics import meta_mixing_bound
from ._errors import CapabilityError
from ._law_draws import chain_draws, natural_thin
from ._warn import warn_user
from .structures import Structure

FloatArray = NDArray[np.float64]
CountArray = NDArray[np.int64]

_CHAINS = 4  # for each row
_DRAWS = 64  # of each chain
_APART = 1.1  # split R̂ above which chains have not met
_SLOW = 8.0  # draws that are worth one independent draw: then fewer steps lie between draws than should
_LONGER = 4  # times as many steps between draws, when chains are slow
_TRIALS = {"local": 5, "meta": 3}  # uniform proposals do not become better by being far apart
_RELAXED = 1.5  # autocorrelation times between samples: correlations of exp(-3) where they fall exponentially


@dataclass(frozen=True)
class ChainDiagnostics:
    r"""What the scores of outputs along chains say about these; arrays of shape ``(k,)``, one entry per row.

    Attributes
    ----------
    sampler : {"local", "meta"}
        The chain.
    rows : ndarray of int64
        Which rows were judged: all whose structures were sampled, or after training up to 64 of the training rows.
    steps : ndarray of int64
        Steps made for these figures, by four chains for each row.
    acceptance : ndarray of float64
        Share of steps that were accepted.
    effective_sample_size : ndarray of float64
        Of how many independent draws the 256 that were judged are worth.
    split_r_hat : ndarray of float64
        Split R̂: above 1.1, the four chains did not find the same law, and samples should not be trusted.
    autocorrelation_time : ndarray of float64
        Steps that are worth one independent draw.
    thin : ndarray of int64
        Steps between successive samples; after training, between the draws of a gradient.
    autocorrelation : ndarray of float64
        Between the scores of draws that are `thin` steps apart.
    mixing_bound : ndarray of float64
        Steps after which the chain is proven to be within 0.01 of its law in total variation; infinite where no useful
        bound is known, as for "local".
    """

    sampler: str
    rows: CountArray
    steps: CountArray
    acceptance: FloatArray
    effective_sample_size: FloatArray
    split_r_hat: FloatArray
    autocorrelation_time: FloatArray
    thin: CountArray
    autocorrelation: FloatArray
    mixing_bound: FloatArray

    @classmethod
    def joined(cls, parts: list[ChainDiagnostics]) -> ChainDiagnostics:
        """Return the figures of several blocks of rows as those of all."""
        arrays = [name.name for name in fields(cls)][1:]
        return cls(parts[0].sampler, *(np.concatenate([getattr(part, name) for part in parts]) for name in arrays))

    def warn_unless_mixed(self, what: str) -> None:
        """Issue a ConvergenceWarning where chains did not find the same law."""
        apart = self.split_r_hat > _APART
        if apart.any():
            worst = int(np.argmax(self.split_r_hat))
            warn_user(
                f"{what}: the chains ({self.sampler!r}) of {int(apart.sum())} of {len(apart)} rows did not find the "
                f"same law after {self.steps[worst]} steps: split R̂ is up to {self.split_r_hat[worst]:.3g} (row "
                f"{self.rows[worst]}), above {_APART}; raise alpha, or take another sampler or inference='exact'",
                ConvergenceWarning,
            )


@dataclass(frozen=True)
class Judged:
    """Figures of chains, and where the first chain of each row is, in parts (k, part_len)."""

    report: ChainDiagnostics
    states: NDArray[Any]


def judge(
    structure: Structure,
    method: str,
    scores: FloatArray,
    *,
    first_row: int,
    seed: int,
    start: NDArray[Any] | None = None,
    n_threads: int | None = None,
) -> Judged:
    """Follow four chains of each row, further apart as long as they are slow, and say how they fare.

    `start` are four states of each row; None: uniform outputs.
    """
    n = len(scores)
    repeated = np.repeat(scores, _CHAINS, axis=0)
    thin = natural_thin(structure, method)
    steps, accepted = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    states = start
    trials = _TRIALS[method]
    for trial in range(trials):
        burn_in = 16 * thin if states is None else 0
        drawn = chain_draws(structure, method, repeated, (_DRAWS, burn_in, thin), seed + trial, states, n_threads)
        states = drawn.y[:, -1]
        steps += drawn.steps.reshape(n, -1).sum(axis=1)
        accepted += drawn.accepted.reshape(n, -1).sum(axis=1)
        values = drawn.value.reshape(n, _CHAINS, _DRAWS)
        size, r_hat, lag = _figures(values)
        if (r_hat <= _APART).all() and (_CHAINS * _DRAWS / size <= _SLOW).all():
            break
        thin *= _LONGER if trial < trials - 1 else 1
    assert states is not None
    report = ChainDiagnostics(
        method, np.arange(first_row, first_row + n), steps, accepted / steps, size, r_hat,
        thin * _CHAINS * _DRAWS / size, np.full(n, thin), lag, mixing_bounds(structure, method, scores),
    )  # fmt: skip
    return Judged(report, states.reshape(n, _CHAINS, -1)[:, 0])


def relaxed_thin(report: ChainDiagnostics) -> int:
    """Return steps between samples that leave little correlation in any row."""
    return max(1, math.ceil(_RELAXED * float(report.autocorrelation_time.max())))


def successive(values: FloatArray) -> FloatArray:
    """Return the correlation of successive draws (n, k) of each row; 0 where all are equal."""
    return np.nan_to_num(_lib_chain.chain_diagnose(values, 2)[2][:, 1])


def _figures(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return effective sizes, split R̂ and correlations of successive draws, of values (n, chains, draws)."""
    n, chains, draws = values.shape
    size, r_hat, lag = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        size[i], r_hat[i], lags = _lib_chain.chain_diagnose(values[i], 2)
        lag[i] = np.nan_to_num(lags[:, 1]).mean()
    constant = np.isnan(r_hat)  # all outputs score alike
    size[constant], r_hat[constant] = chains * draws, 1.0
    return np.minimum(size, chains * draws), r_hat, lag


def mixing_bounds(structure: Structure, method: str, scores: FloatArray) -> FloatArray:
    """Return proven mixing times, infinite where none is known."""
    bounds = np.full(len(scores), math.inf)
    if method != "meta":
        return bounds
    try:
        reach = structure._decode_scores(scores).upper_bound + structure._decode_scores(-scores).upper_bound
    except CapabilityError:
        return bounds
    return np.array([meta_mixing_bound(-max(float(r), 0.0)) if np.isfinite(r) else math.inf for r in reach])
