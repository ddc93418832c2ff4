"""Samplers of p(y) ∝ exp⟨s, ψ(y)⟩: their names, the function `sample`, and what is said of chains.

The core chooses among them, draws, and measures chains; here are names, remedies and warnings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from .._data.checks import choice, seed_of, whole_number
from .._data.glossary import documented
from .._data.warn import warn_user
from .._lib.arrays import FloatArray, refuse_masked
from .._lib.call import get_n_threads
from .._lib.decode import Conditions
from .._lib.errors import CapabilityError, RowError, SamplingError
from .._lib.names import BOUNDED_METHODS, CHAIN_METHODS, CHAINS
from .._lib.sampling import Drawn, Plan
from .._lib.table import floats
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
    conditions: Conditions | None = None,
) -> Drawn:
    """Return samples for rows of scores by a method of the library, or "auto"; chains are measured and thinned.

    `n_rows` is the number of rows in all, if there are others; `streams` are as those of a plan. Samples satisfy the
    `conditions`, if there are any.
    """
    plan = Plan(method, n_samples, budget=_PAST_STEPS, seed=seed, diagnosed=True, n_rows=n_rows, streams=streams)
    try:
        held = {} if conditions is None else {"conditions": conditions}
        return structure.space.draw(scores, plan, n_threads=n_threads, verbose=verbose, **held)
    except SamplingError as error:
        raise with_remedies(error, "raise alpha", *chain_instead(structure)) from None


def chain_instead(structure: Structure) -> tuple[str, ...]:
    """Return the advice to take a chain, if the structure has one."""
    chain = _resolved(structure, "auto")
    return (f"take sampler={chain!r}",) if isinstance(chain, str) else ()


def with_remedies(error: SamplingError, *remedies: str) -> SamplingError:
    """Return the error of the library, which knows no parameters, with what its user can do."""
    return SamplingError(f"{error.reason}; {', or '.join(remedies)}", error.row)


def diagnostics_of(sampler: str, rows: NDArray[np.integer], blocks: list[Any]) -> ChainDiagnostics:
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


def bounds_of_rows(bound: ArrayLike, n: int) -> FloatArray:
    """Return bounds on the magnitudes of scores of n rows, given as one number or one for each."""
    refuse_masked(bound, "bound")
    bounds = floats(np.full(n, bound) if np.ndim(bound) == 0 else bound, "bound", n)
    if not (legal := bounds >= 0).all():
        row = int(np.argmin(legal))
        raise RowError(row, f"bound is {bounds[row]:g}, must be at least 0")
    return bounds


@documented
def sample(
    structure: Structure,
    scores: ArrayLike,
    n_samples: int = 1,
    *,
    sampler: str = "auto",
    burn_in: int | None = None,
    thin: int | None = None,
    max_steps: int = 10**6,
    start: Any = None,
    bound: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Samples:
    r"""Draw outputs from the distribution that each row of `scores` makes.

    For a row s that is :math:`p(y) \propto \exp\langle s, \psi(y)\rangle`.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    %(scores)s
    n_samples : int, default=1
        Outputs for each row.
    sampler : {"auto", "meta", "local", "cube", "cftp", "rejection", "monotone", "exact"}, default="auto"
        Chains, one for each row, whose successive samples are dependent and follow p in the limit:

        - "meta": uniform proposals, accepted by the Metropolis rule;
        - "local": the structure's local moves, such as moving a label of a ranking to another position, or those that
          `propose` of a `Custom` structure makes;
        - "cube": adding or removing single elements of a set.

        Exact samplers, whose samples are independent:

        - "cftp": coupling from the past for "meta";
        - "rejection": uniform proposals until one is accepted;
        - "monotone": coupling from the past by the heat bath, for sets of labels or edges without a fixed size and
          rooted subtrees;
        - "exact": by the structure's recursion, or from a list of its outputs.

        "auto" takes the first of "exact", "monotone", "cftp", "local" and "meta" that the structure has and that is
        affordable: "exact" where it is expected to take no more than five minutes of a processor, "cftp" where samples
        are likely to take few proposals. With `start` it takes "local" or "meta". ``Samples.sampler`` is the choice.
    burn_in : int, default=None
        Steps of a chain before the first sample; without effect where samples are exact. None: 16 times `thin`.
    thin : int, default=None
        Steps of a chain from sample to sample; exact samplers have none. None: 8 for each part of an encoded output, or
        for each entry of ψ where outputs are a user's own.
    max_steps : int, default=1000000
        Limit on steps for one exact sample.
    start : array-like of n rows, default=None
        Outputs from which chains start, in the structure's format. None: uniform outputs, or the approximate solution
        with a guarantee for structures without a uniform sampler. Not for exact samplers.
    bound : float or array-like of shape (n,), default=None
        For "cftp" and "rejection", and for "auto", which may take "cftp": a number that no
        :math:`|\langle s, \psi(y)\rangle|` exceeds, one for each row or one for all, as for :func:`log_partition`. It
        replaces the bounds that the structure proves, and makes exact samples available to a user's own sampler. They
        rest on it as a bound on the largest score, and the nearer it is to that, the fewer proposals they take.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness. Each row has its own stream, which follows from its scores: an integer gives a
        row the same samples whatever the number of threads or the other rows. Equal rows are sampled independently.
        Chains are thinned alike for all rows, by the slowest: only there other rows matter.
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.
    verbose : int, default=0
        Positive: show progress.

    Returns
    -------
    Samples

    Raises
    ------
    CapabilityError
        When the structure lacks what the sampler needs: an exactly uniform sampler for "meta", "cftp" and "rejection".
    SamplingError
        When an exact sample would take more than `max_steps`; the message estimates how many it takes.
    TypeError, ValueError
        When a parameter is illegal, a score is not finite, a start is no member, or `bound` is less than the score of
        an output that is drawn.

    Notes
    -----
    With :math:`\beta = E\,\exp(h - \max h)` under the uniform distribution, h being the scores of outputs, "cftp" and
    "rejection" make 1/β proposals for a sample on average, and the distance of "meta" from p shrinks by the factor
    1 − β in each step: see `theory.meta_mixing_bound`. A step of these draws and embeds one output; a step of "local"
    makes a move and computes the change of the score; a step of "cube" and "monotone" visits the neighbours of one
    element.

    References
    ----------
    Vembu (2010), section 6.6. Propp and Wilson (1996), Exact sampling with coupled Markov chains.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import LabelSets, Permutations
    >>> drawn = sampling.sample(Permutations(4), np.full(6, 0.5), 1000, sampler="cftp", random_state=0)
    >>> drawn.y.shape, drawn.is_exact
    ((1000, 1, 4), True)
    >>> drawn = sampling.sample(LabelSets(3), [1.0, -1.0, 0.0], 4000, random_state=0)
    >>> drawn.sampler, np.round(drawn.y[:, 0].mean(axis=0), 1)
    ('exact', array([0.7, 0.3, 0.5]))
    """
    linear, n_threads = rows_of(structure, scores), get_n_threads(n_jobs)
    choice(sampler, "sampler", ("auto", *SAMPLERS))
    n_samples = whole_number(n_samples, "n_samples", 1, 2**31 - 1)
    if thin is None:
        thin = 8 * max(1, structure.space.part_len if structure.space.in_library else linear.shape[1])
    burn_in = 16 * thin if burn_in is None else burn_in
    parts = None if start is None else structure.encode(start, "start")
    bound = None if bound is None else bounds_of_rows(bound, len(linear))
    plan = Plan(sampler, n_samples, burn_in, thin, max_steps, seed_of(random_state))
    try:
        drawn = structure.space.draw(linear, plan, start=parts, bound=bound, n_threads=n_threads, verbose=verbose)
    except CapabilityError:
        if sampler != "auto":
            method_of(structure, sampler)  # refuses it, and names the samplers that work
        raise
    except SamplingError as error:
        tighter = ("give a tighter bound=",) if sampler in BOUNDED_METHODS else ()
        raise with_remedies(error, "raise max_steps", *tighter, *chain_instead(structure)) from None
    return samples_of(structure, [drawn])
