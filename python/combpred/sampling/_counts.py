"""The number of outputs of a space, estimated from repeats among uniform draws."""

from __future__ import annotations

import numpy as np

from .._data.checks import seed_of, whole_number
from ..structures import Structure
from ._annealing import MAX_DRAWS, count_by_repeats
from ._estimates import CountEstimate
from .samplers import require_structure


def estimate_count(
    structure: Structure,
    *,
    epsilon: float = 0.1,
    delta: float = 0.05,
    max_draws: int = MAX_DRAWS,
    random_state: int | np.random.RandomState | None = None,
    verbose: int = 0,
) -> CountEstimate:
    r"""Return the logarithm of the number of outputs, estimated from repeats among exactly uniform draws.

    Nothing but a uniform sampler is needed. Outputs are told apart by ψ.

    Parameters
    ----------
    structure : Structure
        With an exactly uniform sampler, such as a `Custom` structure from a sampler.
    epsilon : float, default=0.1
        Relative error of the number, between 0 and 1.
    delta : float, default=0.05
        Probability of a larger error, between 0 and 1.
    max_draws : int, default=1000000
        Limit on the number of draws.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness.
    verbose : int, default=0
        Positive: show the number of draws so far.

    Returns
    -------
    CountEstimate

    Raises
    ------
    CapabilityError
        When the structure has no uniform sampler; when `max_draws` show too few repeats: the message says how many
        outputs there are at least.
    ValueError, TypeError
        When a parameter is illegal, or the user's functions return what is no output.

    Notes
    -----
    Let K be the number of different outputs that have been drawn. The next draw is one of them with probability K/N.
    Let A be the sum of K over all draws until there have been r repeats. Then A / r estimates N, and

    .. math:: P(A / r > (1 + \varepsilon) N) \le e^{-r (\varepsilon - \ln(1 + \varepsilon))}, \quad
        P(A / r < (1 - \varepsilon) N) \le e^{-r (-\varepsilon - \ln(1 - \varepsilon))}

    for every N, by Markov's inequality for the martingale :math:`\exp(\lambda R - (e^\lambda - 1) A/N)` bounded from
    above, with R the number of repeats. r is the least number for which both are at most δ/2. The number of draws is
    about :math:`\sqrt{2 r N}` for large N: 40 000 for a million outputs, ε = 0.1 and δ = 0.05. A sampler of which
    nothing else is known tells N apart from 2 N after no fewer than about :math:`\sqrt N` draws, so that no number of
    outputs that is exponential in the size of the problem can be estimated in polynomial time: give `log_count`, or
    count by parts, where you can. Memory: the draws' ψ.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6, where the number of outputs is assumed to be
    known or approximated.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import Custom
    >>> space = Custom.from_sampler(lambda rng: rng.permutation(5), lambda y: np.eye(5)[y].ravel(), n_moment_samples=99)
    >>> found = sampling.estimate_count(space, random_state=0)
    >>> bool(found.lower < np.log(120) < found.upper)
    True
    """
    require_structure(structure)
    max_draws = whole_number(max_draws, "max_draws", 2, 2**40)
    return count_by_repeats(structure, epsilon, delta, max_draws, seed_of(random_state), verbose)
