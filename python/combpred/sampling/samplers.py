"""Samplers of p(y) ∝ exp⟨s, ψ(y)⟩ as estimators use them: their names, draws, and what is said of chains.

The core chooses among them, draws, and measures chains; here are names, remedies and warnings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from .._data.warn import warn_user
from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError, SamplingError
from .._lib.names import CHAIN_METHODS, CHAINS
from .._lib.sampling import Drawn, Measured, Plan
from ..structures import Structure
from ..structures.scores import read_scores
from ._diagnostics import APART, ChainDiagnostics

#: All samplers: values of the parameter `sampler` of functions, beside "auto".
SAMPLERS = (*CHAIN_METHODS, "exact")
#: Those that estimators use.
ESTIMATOR_SAMPLERS = ("auto", "exact", "cftp", "meta", "local")
#: ... and of these the Markov chains.
CHAINED = tuple(name for name in ESTIMATOR_SAMPLERS if name in CHAINS)
#: The methods of the library that some of these stand for, the best first. Coupling from the past goes by the heat bath
#: where that keeps inclusions, else by uniform proposals.
_STANDS_FOR = {"auto": ("chain",), "cftp": ("monotone", "cftp")}
_PAST_STEPS = 10**6  # of one sample by coupling from the past, at most


@dataclass(frozen=True, eq=False)
class Samples:
    """Outputs drawn for n rows, with the work that each took.

    Attributes
    ----------
    y : ndarray of shape (n_samples, n, ...)
        Outputs in the structure's format.
    value : ndarray of shape (n_samples, n)
        Their scores.
    steps : ndarray of shape (n_samples, n), dtype=int64
        Steps made for each sample: those of the chain since the previous sample, the length of the past that coupling
        from the past needed, or proposals until one was accepted; 1 for the sampler "exact".
    accepted : ndarray of shape (n_samples, n), dtype=int64
        Number of these steps that were accepted.
    sampler : str
        The sampler used, as "auto" resolved it.
    """

    y: NDArray[Any]
    value: NDArray[np.float64]
    steps: NDArray[np.int64]
    accepted: NDArray[np.int64]
    sampler: str

    @property
    def acceptance(self) -> NDArray[np.float64]:
        """Share of accepted steps of each row, of shape (n,)."""
        return self.accepted.sum(axis=0) / self.steps.sum(axis=0)

    @property
    def is_exact(self) -> bool:
        """Whether samples are independent and follow p exactly, rather than in the limit."""
        return self.sampler not in CHAINS


def samples_of(structure: Structure, drawn: Sequence[Drawn]) -> Samples:
    """Return the draws for one block of rows after the other as outputs in the structure's format."""
    parts = np.concatenate([block.y for block in drawn])
    flat = structure.space.decode_parts(parts.reshape(-1, parts.shape[2]))
    y = np.swapaxes(flat.reshape(*parts.shape[:2], *flat.shape[1:]), 0, 1)
    value, steps, accepted = (np.concatenate(column).T for column in zip(*(block[1:4] for block in drawn), strict=True))
    return Samples(y, value, steps, accepted, drawn[-1].method)


def method_of(structure: Structure, sampler: str) -> str:
    """Return the method of the library that a sampler stands for, "auto" for a chain; CapabilityError says what works.

    A structure that has it lacks nothing that the method needs, but for a bound on scores that are extreme.
    """
    found = _resolved(structure, sampler)
    if isinstance(found, str):
        return found
    working = [name for name in ESTIMATOR_SAMPLERS[1:] if isinstance(_resolved(structure, name), str)]
    if not working:
        raise CapabilityError(f"no sampler works for this structure: {found}") from None
    remedy = f"take sampler={' or '.join(repr(name) for name in working)}"
    raise CapabilityError(f"sampler={sampler!r} is not possible: {found}; {remedy}") from None


def _resolved(structure: Structure, sampler: str) -> str | CapabilityError:
    """Return the method that a sampler stands for, or why there is none."""
    nothing = np.empty((0, structure.n_features))
    for method in _STANDS_FOR.get(sampler, (sampler,)):
        try:
            return structure.space.draw(nothing, Plan(method, diagnosed=method in CHAINS)).method
        except CapabilityError as error:
            reason = error
    return reason


def draw_rows(
    structure: Structure,
    method: str,
    scores: FloatArray,
    n_samples: int,
    seed: int,
    *,
    n_rows: int = 0,
    streams: NDArray[np.uint64] | None = None,
    n_threads: int | None = None,
    verbose: int = 0,
) -> Drawn:
    """Return samples for rows of scores by a method of the library, or "auto"; chains are measured and thinned.

    `n_rows` is the number of rows in all, if there are others; `streams` are as those of a plan.
    """
    plan = Plan(method, n_samples, budget=_PAST_STEPS, seed=seed, diagnosed=True, n_rows=n_rows, streams=streams)
    try:
        return structure.space.draw(scores, plan, n_threads=n_threads, verbose=verbose)
    except SamplingError as error:
        raise with_remedies(error, "raise alpha", *chain_instead(structure)) from None


def chain_instead(structure: Structure) -> tuple[str, ...]:
    """Return the advice to take a chain, if the structure has one."""
    chain = _resolved(structure, "auto")
    return (f"take sampler={chain!r}",) if isinstance(chain, str) else ()


def with_remedies(error: SamplingError, *remedies: str) -> SamplingError:
    """Return the error of the library, which knows no parameters, with what its user can do."""
    return SamplingError(f"{error.reason}; {', or '.join(remedies)}", error.row)


def diagnostics_of(sampler: str, rows: NDArray[np.integer], blocks: list[Measured]) -> ChainDiagnostics:
    """Return what the chains of blocks of rows say, given the numbers of all rows."""
    return ChainDiagnostics(sampler, rows.astype(np.int64), *map(np.concatenate, zip(*blocks, strict=True)))


def warn_unless_mixed(report: ChainDiagnostics, what: str) -> None:
    """Issue a ConvergenceWarning where chains did not find the same distribution."""
    apart = report.split_r_hat > APART
    if apart.any():
        worst = int(np.argmax(report.split_r_hat))
        warn_user(
            f"{what}: the chains ({report.sampler!r}) of {int(apart.sum())} of {len(apart)} rows did not find the same "
            f"distribution after {report.steps[worst]} steps: split R̂ is up to {report.split_r_hat[worst]:.3g} (row "
            f"{report.rows[worst]}), above {APART}; raise alpha, or take another sampler or inference='exact'",
            ConvergenceWarning,
        )


def require_structure(structure: Structure) -> None:
    """Raise TypeError unless the argument is a structure."""
    if not isinstance(structure, Structure):
        raise TypeError(f"structure must be a combpred.structures.Structure, got {structure!r}")


def rows_of(structure: Structure, scores: ArrayLike) -> FloatArray:
    """Return scores as rows (n, d), n at least 1, after checking both arguments."""
    require_structure(structure)
    rows, _ = read_scores(structure, scores)
    if not len(rows):
        raise ValueError("scores has 0 rows; at least 1 is needed")
    return rows
