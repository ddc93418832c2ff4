"""The function `sample`, which draws from p(y) ∝ exp⟨s, ψ(y)⟩ exactly or along chains, and its result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._data.checks import choice, seed_of, whole_number
from .._data.glossary import documented
from .._lib.call import get_n_threads
from .._lib.errors import CapabilityError, SamplingError
from .._lib.names import BOUNDED_METHODS
from .._lib.sampling import Plan
from ..structures import Structure
from ._sums import bounds_of_rows
from .samplers import SAMPLERS, Samples, chain_instead, method_of, rows_of, samples_of, with_remedies


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
