"""Samples from the laws of rows, for users: by the sampler they name, or the best that can be afforded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._chain_report import ChainDiagnostics, judge, relaxed_thin, successive
from ._errors import CapabilityError, SamplingError
from ._law_draws import (
    chain_draws,
    chain_of,
    exact_draws,
    first_capable,
    lacking,
    past_is_affordable,
)
from ._law_methods import EXACT_SECONDS, Work, exact_seconds
from .structures import Structure

FloatArray = NDArray[np.float64]

_PROPOSALS = 1e7  # uniform proposals that "auto" makes for a block of rows
_LAGGED = 32  # samples of a chain at least, for the correlation of successive ones


class Sampled(NamedTuple):
    """Samples of k rows in parts (k, n_samples, part_len), and the figures of chains where these drew them."""

    parts: NDArray[Any]
    report: ChainDiagnostics | None


class RowSampler:
    """Draws from the laws of rows of scores, by one sampler.

    Parameters
    ----------
    structure : Structure
    sampler : str
        "auto" draws by the structure's exact sampler where that takes no more than `EXACT_SECONDS`, else by coupling
        from the past: of the heat bath where the structure has it, of uniform proposals where these are likely to be
        few; else along chains.
    n_rows : int
        In all.

    Raises
    ------
    CapabilityError
        Where the structure lacks the sampler; says what works.
    """

    def __init__(self, structure: Structure, sampler: str, n_rows: int, n_threads: int | None, verbose: int) -> None:
        self._structure, self._n_threads, self._verbose = structure, n_threads, verbose
        self._methods: tuple[str, ...]
        if sampler in ("exact", "cftp"):
            self._methods = (first_capable(structure, sampler),)
        elif sampler in ("local", "meta"):
            self._methods = (chain_of(structure, sampler),)
        elif exact_seconds(structure, Work(n_rows)) <= EXACT_SECONDS:
            self._methods = ("exact",)
        elif lacking(structure, "monotone") is None:
            self._methods = ("monotone",)
        else:
            past = ("cftp",) if lacking(structure, "cftp") is None else ()
            self._methods = (*past, chain_of(structure, "auto"))

    def draw(self, scores: FloatArray, n_samples: int, *, first_row: int, seed: int) -> Sampled:
        """Return samples of rows, the first of which has a number among all."""
        method = self._methods[0]
        if len(self._methods) > 1:
            if past_is_affordable(self._structure, scores, n_samples, _PROPOSALS):
                try:
                    return Sampled(self._exact(method, scores, n_samples, seed), None)
                except (SamplingError, CapabilityError):
                    pass  # more proposals than a few uniform outputs led to expect
            method = self._methods[1]
        if method in ("local", "meta"):
            return self._along_chains(method, scores, n_samples, first_row, seed)
        return Sampled(self._exact(method, scores, n_samples, seed), None)

    def _exact(self, method: str, scores: FloatArray, n_samples: int, seed: int) -> NDArray[Any]:
        return exact_draws(self._structure, method, scores, n_samples, seed, self._n_threads)

    def _along_chains(self, method: str, scores: FloatArray, n_samples: int, first_row: int, seed: int) -> Sampled:
        judged = judge(self._structure, method, scores, first_row=first_row, seed=seed, n_threads=self._n_threads)
        thin, many = relaxed_thin(judged.report), max(n_samples, _LAGGED)
        drawn = chain_draws(
            self._structure,
            method,
            scores,
            (many, 0, thin),
            seed + 2**31,
            judged.states,
            self._n_threads,
            self._verbose,
        )
        report = replace(
            judged.report,
            steps=judged.report.steps + drawn.steps.sum(axis=1),
            thin=np.full(len(scores), thin),
            autocorrelation=successive(drawn.value),
        )
        return Sampled(drawn.y[:, -n_samples:], report)
