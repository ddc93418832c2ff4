"""The function `log_partition`: exact, annealed or expanded about the uniform distribution, all by the library."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._data.checks import choice, seed_of
from .._data.glossary import documented
from .._lib.call import get_n_threads
from .._lib.names import PARTITION_METHODS
from .._lib.partition import Asked
from ..structures import Structure
from ._annealing import bounds_of_rows, log_z_of
from ._estimates import LogPartition
from .samplers import rows_of


@documented
def log_partition(
    structure: Structure,
    scores: ArrayLike,
    *,
    method: str = "auto",
    epsilon: float = 0.1,
    delta: float = 0.05,
    bound: ArrayLike | None = None,
    sampler: str = "auto",
    schedule: str = "adaptive",
    max_steps: int = 10**8,
    centred: bool = True,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> LogPartition:
    r"""Return the logarithm of the partition function of each row of scores, exact or estimated.

    For a row s it is :math:`\ln Z = \ln \sum_y \exp\langle s, \psi(y)\rangle`.

    Parameters
    ----------
    structure : Structure
        With its sizes known. "taylor" also needs the number of its outputs, which a `Custom` structure from a sampler
        has from `log_count`; "annealed" estimates it from repeats where it is unknown, as :func:`estimate_count` does
        with the seed of the structure, and its error is part of ε and δ.
    %(scores)s
    method : {"auto", "exact", "annealed", "taylor"}, default="auto"
        - "exact": by the structure's recursion or closed form, or a sum over up to a million outputs.
        - "annealed": estimated from draws, within a factor of 1 ± `epsilon` with probability 1 − `delta`: a fully
          polynomial randomised approximation scheme wherever the structure can be sampled in polynomial time.
        - "taylor": approximated for small scores by :math:`\ln |Y| + \langle s, \mu\rangle + \ln(1 + \frac12
          s^\top\Sigma s)`, with μ and Σ the mean and the covariance of ψ over all outputs Y. The error is of third
          order in the scores.
        - "auto": "exact" where that is expected to take no more than five minutes of a processor, else "annealed".
    epsilon : float, default=0.1
        Relative error of an estimate of Z, between 0 and 1.
    delta : float, default=0.05
        Probability of a larger error in a row, between 0 and 1.
    bound : float or array-like of shape (n,), default=None
        Only where values are estimated: a number that no :math:`|\langle s, \psi(y)\rangle|` exceeds, one for each row
        or one for all. It replaces the bounds that the structure proves, and makes every schedule and exact sampling
        available to a user's own sampler.
    sampler : {"auto", "monotone", "cftp", "rejection", "exact", "local", "meta", "cube"}, default="auto"
        Only where values are estimated: the sampler, as for :func:`sample`. "auto" takes for each row the first of
        "monotone", "exact", "cftp", "local" and "meta" that the structure has and that is expected to need no more
        than `max_steps`; chains of a user's own moves only where "local" is asked for.
    schedule : {"adaptive", "uniform", "thesis"}, default="adaptive"
        Only where values are estimated: the levels of β between the uniform distribution and p.

        - "adaptive": found from draws, as far apart as tests that prove a bound on the variance allow;
        - "uniform": 3 for each unit of half the range of scores, with 65 ε⁻² l sinh²(1/3) draws at each of l levels;
        - "thesis": 3 for each unit of :math:`\max\|\psi\|\,\|s\|`, or of `bound`, with 65 ε⁻² l exp(2/3) draws at each,
          as printed.
    max_steps : int, default=100000000
        Only where values are estimated: limit on steps of chains, or proposals, for a row.
    centred : bool, default=True
        For "taylor": whether the expansion is that of :math:`\exp\langle s, \psi - \mu\rangle`. False: of
        :math:`\exp\langle s, \psi\rangle`, hence :math:`\ln|Y| + \ln(1 + \langle s,\mu\rangle + \frac12 s^\top M s)`
        with the second moment M, which is worse where :math:`\langle s, \mu\rangle` is not 0.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness. Each row has its own stream, which follows from its scores: an integer gives a
        row the same estimate whatever the number of threads or the other rows. Equal rows are estimated independently.
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.
    verbose : int, default=0
        Positive: show the progress of an estimate, the number of draws so far with the level β.

    Returns
    -------
    LogPartition
        With arrays `value`, `lower`, `upper`, `is_exact`, `is_guaranteed` and `n_samples`, the `method` and its
        `details`.

    Raises
    ------
    CapabilityError
        When the structure is too large for exact sums; when the number of outputs is not known, and too large to be
        told by repeats; when the structure lacks what sampler or schedule need: an exactly uniform sampler for "meta",
        "cftp" and "rejection", a bound on all scores for these last two and for schedules other than "adaptive"; or
        when its moments, which "taylor" takes, are relaxed, those of a larger space.
    SamplingError
        When an exact sampler needs more than `max_steps`; the message estimates how many.
    TypeError, ValueError
        When a parameter is illegal, or given to a method that does not take it, or a score is not finite; when
        `bound` is less than the score of an output that is drawn or decoded.
    MemoryError
        When the d × d covariance of "taylor" does not fit.

    Warns
    -----
    ConvergenceWarning
        When chains did not converge within `max_steps`; names the row and the figure.
    ApproximationWarning
        When scores deviate from their mean by more than 1 with "taylor"; names the row and the figure. The figure comes
        from exact decoding or the bounds of a guaranteed solution; for a structure given by functions it is the
        standard deviation. Also where the moments of the structure are sampled (``moments_info``), whose errors add to
        those of the expansion.

    Notes
    -----
    "adaptive" takes about :math:`\sqrt{\ln|Y|}` levels and their square over ε² draws. The test between two levels is
    Markov's inequality for draws that are made for it, so that its error, an eighth of `delta`, is part of the
    guarantee; Chebyshev's inequality bounds the error of each repeat, and the binomial distribution that of their
    median. Chains ("local", "meta", "cube") give no guarantee. Four of them move from level to level; the number of
    steps between draws follows from measured autocorrelations.

    "taylor" costs O(n d²) beside the covariance, and two decodings a row. Regularised models with a penalty of at least
    :math:`R^2 \ln|Y|` have scores within its range (Vembu, 2010, ch. 6, where the factor ½ is missing).

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6. Štefankovič, Vempala and Vigoda (2009),
    Adaptive simulated annealing: a near-optimal connection between sampling and counting.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import LabelSets, Permutations
    >>> structure, scores = Permutations(5), np.linspace(-1, 1, 10)
    >>> exact = sampling.log_partition(structure, scores)
    >>> found = sampling.log_partition(structure, scores, method="annealed", random_state=0)
    >>> bool(found.lower[0] < exact.value[0] < found.upper[0]), found.is_exact, found.is_guaranteed
    (True, array([False]), array([ True]))
    >>> scores = np.array([0.3, -0.2, 0.1])
    >>> found = sampling.log_partition(LabelSets(3), scores, method="taylor")
    >>> round(float(found.value[0]), 4), round(LabelSets(3).log_partition(scores), 4)
    (2.1968, 2.1969)
    >>> found.details.spread
    array([0.3])
    """
    rows = rows_of(structure, scores)
    choice(method, "method", PARTITION_METHODS)
    asked = Asked(
        method, sampler, schedule, epsilon, delta, max_steps, seed_of(random_state), plain=not centred,
        bound=None if bound is None else bounds_of_rows(bound, len(rows)),
    )  # fmt: skip
    return log_z_of(structure, rows, asked, n_threads=get_n_threads(n_jobs), verbose=verbose)
