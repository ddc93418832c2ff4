"""Draws from p(y) ∝ exp⟨s, ψ(y)⟩, exact or by chains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from .._data.checks import whole_number
from .._lib.chain import Plan
from .._lib.errors import CapabilityError, SamplingError
from .._lib.names import BOUNDED_METHODS, CHAIN_METHODS, CHAINS
from ..structures import Structure
from ._diagnostics import ChainDiagnostics, judge, relaxed_thin, successive
from .draws import chain_draws, chain_of, exact_draws, first_capable, lacking, past_is_affordable, rows_of
from .engines import EXACT_SECONDS, Work, exact_seconds

FloatArray = NDArray[np.float64]

_PROPOSALS = 1e7  # uniform proposals that "auto" makes for a block of rows
_LAGGED = 32  # samples of a chain at least, for the correlation of successive ones

_MOST_STEPS = 2**40

_AUTO = ("monotone", "local", "meta")


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


@dataclass(frozen=True)
class Samples:
    """Outputs drawn for n rows of scores, and what is known about them.

    Attributes
    ----------
    y : ndarray of shape (n_samples, n, ...)
        Outputs in the structure's format.
    value : ndarray of shape (n_samples, n)
        Their scores.
    steps : ndarray of shape (n_samples, n), dtype=int64
        Steps made for each sample alone: those of the chain since the sample before, how far back in time coupling
        from the past went, or proposals until one was taken.
    accepted : ndarray of shape (n_samples, n), dtype=int64
        How many of these steps were accepted.
    sampler : str
        The sampler that was used, where "auto" chose it.
    """

    y: NDArray[Any]
    value: NDArray[np.float64]
    steps: NDArray[np.int64]
    accepted: NDArray[np.int64]
    sampler: str

    @property
    def acceptance(self) -> NDArray[np.float64]:
        """Share of accepted steps of each row, of shape (n,)."""
        share: NDArray[np.float64] = self.accepted.sum(axis=0) / self.steps.sum(axis=0)
        return share

    @property
    def is_exact(self) -> bool:
        """Whether samples are independent and follow the law exactly, rather than in the limit."""
        return self.sampler not in CHAINS


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
    r"""Draw outputs from :math:`p(y) \propto \exp\langle s, \psi(y)\rangle` for every row s of `scores`.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        Finite; one row for shape (d,).
    n_samples : int, default=1
        Outputs for each row.
    sampler : {"auto", "meta", "local", "cube", "cftp", "rejection", "monotone"}, default="auto"
        Chains, one for each row, whose successive samples are dependent and follow p in the limit:

        - "meta": uniform proposals, accepted by the rule of Metropolis;
        - "local": the structure's local moves, such as taking a label of a ranking to another place;
        - "cube": single elements of a set put in or out.

        Exact samplers, whose samples are independent:

        - "cftp": coupling from the past for "meta";
        - "rejection": uniform proposals until one is taken;
        - "monotone": coupling from the past by the heat bath, for sets of labels or edges without a fixed size and
          rooted subtrees.

        "auto" takes the first of "monotone", "local" and "meta" that the structure has; ``Samples.sampler`` says which.
    burn_in : int, default=None
        Steps of a chain before the first sample. None: 16 times `thin`.
    thin : int, default=None
        Steps of a chain from sample to sample. None: 8 for each part of an encoded output.
    max_steps : int, default=1000000
        Most steps for one exact sample.
    start : array-like of n rows, default=None
        Where chains begin, in the structure's format. None: in uniform outputs, or in the guaranteed solution for
        structures without a uniform sampler. Not for exact samplers.
    bound : array-like of shape (n,), default=None
        Bounds on the scores of all outputs, for "cftp" and "rejection". None: from the decoder.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness. Each row has its own stream: an integer gives a row the same samples whatever
        the number of threads or of later rows.
    n_jobs : int, default=None
        Threads; None: as configured by :func:`combpred.config_context`.
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
        When an exact sample would take more than `max_steps`; the message says about how many it takes.
    ValueError
        When a score is not finite, a start no member, or a bound below the score of an output.

    Notes
    -----
    With :math:`\beta = E\,\exp(h - \max h)` under the uniform law, h being the scores of outputs, "cftp" and
    "rejection" make 1/β proposals a sample on average, and "meta" comes nearer to p by the factor 1 − β a step: see
    :func:`meta_mixing_bound`. A step costs one output and its embedding, "local" one move and what it gains. "cube"
    and "monotone" cost one look at an element's neighbours.

    References
    ----------
    Vembu (2010), ch. 6. Propp and Wilson (1996), Exact sampling with coupled Markov chains.

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
    ('monotone', array([0.7, 0.3, 0.5]))
    """
    linear = rows_of(structure, scores)
    if sampler != "auto" and sampler not in CHAIN_METHODS:
        raise ValueError(f"sampler must be one of auto, {', '.join(CHAIN_METHODS)}, got {sampler!r}")
    n_samples = whole_number(n_samples, "n_samples", 1, 2**31 - 1)
    if thin is None:
        thin = 8 * max(1, linear.shape[1] if not structure.space.in_library else _part_len(structure))
    thin = whole_number(thin, "thin", 1, _MOST_STEPS)
    burn_in = min(16 * thin, _MOST_STEPS) if burn_in is None else whole_number(burn_in, "burn_in", 0, _MOST_STEPS)
    max_steps = whole_number(max_steps, "max_steps", 1, _MOST_STEPS)
    if start is not None and sampler not in ("auto", *CHAINS):
        raise ValueError(f"start is where a chain begins, sampler={sampler!r} has none; leave it out")
    if bound is not None:
        if sampler not in BOUNDED_METHODS:
            raise ValueError(f"bound is for sampler='cftp' and 'rejection', not {sampler!r}; leave it out")
        bound = _bounds(bound, len(linear))
    parts = None if start is None else structure.space.encode(start)
    if parts is not None and len(parts) != len(linear):
        raise ValueError(f"start has {len(parts)} rows, scores has {len(linear)}; one start for each is needed")
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int64).max, dtype=np.int64))
    choices = (sampler,) if sampler != "auto" else ("local", "meta") if start is not None else _AUTO
    for method in choices:
        plan = Plan(method, n_samples, burn_in, thin, max_steps, seed)
        try:
            drawn = structure.space.draw(linear, plan, parts, bound, n_jobs, verbose)
        except CapabilityError:
            if method == choices[-1]:
                raise
            continue  # "auto": known before any work
        break
    flat = structure.space.decode_parts(drawn.y.reshape(-1, drawn.y.shape[2]))
    y = np.swapaxes(flat.reshape(len(linear), n_samples, *flat.shape[1:]), 0, 1)
    return Samples(y, drawn.value.T, drawn.steps.T, drawn.accepted.T, method)


def _part_len(structure: Structure) -> int:
    return structure.space.part_len


def _bounds(bound: ArrayLike, n: int) -> NDArray[np.float64]:
    values = np.asarray(bound, dtype=np.float64)
    if values.shape not in ((), (n,)):
        raise ValueError(f"bound must have shape ({n},), one number for each row of scores, got {values.shape}")
    values = np.ascontiguousarray(np.broadcast_to(values, (n,)))
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"bound, row {row}: {values[row]} is not finite; replace it")
    return values
