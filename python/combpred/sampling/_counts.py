"""The number of outputs of a space, estimated from repeats among uniform draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from .._data.checks import seed_of, share, whole_number
from .._lib.abi import Control
from .._lib.control import reported
from .._lib.errors import CapabilityError
from ..structures import Structure
from .samplers import require_structure

MAX_DRAWS = 10**6
_AT_ONCE = 2**10  # draws that are compared at a time
_LEAST = 1.0 - math.exp(-1.0)

_HELD: WeakKeyDictionary[object, dict[tuple[float, float], CountEstimate]] = WeakKeyDictionary()


@dataclass(frozen=True)
class CountEstimate:
    """The logarithm of a number of outputs, estimated from repeats.

    Attributes
    ----------
    value : float
        The estimate of the natural logarithm.
    lower, upper : float
        Bounds that contain it with probability 1 − δ: those of a number within a factor of 1 ± ε.
    n_samples : int
        Outputs drawn.
    n_repeats : int
        How many of them had been drawn before.
    """

    value: float
    lower: float
    upper: float
    n_samples: int
    n_repeats: int


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
    epsilon, delta = share(epsilon, "epsilon"), share(delta, "delta")
    max_draws = whole_number(max_draws, "max_draws", 2, 2**40)
    return _estimated(structure, epsilon, delta, max_draws, seed_of(random_state), verbose)


def count_for(structure: Structure, epsilon: float, delta: float, verbose: int) -> CountEstimate:
    """Return an estimate for a structure from a sampler, made once, with the seed of the structure."""
    held = _HELD.setdefault(structure.space, {})
    if (epsilon, delta) not in held:
        seed = int(structure.get_params()["random_state"])
        held[epsilon, delta] = _estimated(structure, epsilon, delta, MAX_DRAWS, seed, verbose)
    return held[epsilon, delta]


def _estimated(
    structure: Structure, epsilon: float, delta: float, max_draws: int, seed: int, verbose: int
) -> CountEstimate:
    space, rng, control = structure.space, np.random.default_rng(seed % 2**64), Control()
    needed = math.ceil(math.log(2.0 / delta) / (epsilon - math.log1p(epsilon)))  # the upper tail is the heavier one
    met: set[bytes] = set()
    total, repeats, draws = 0, 0, 0
    with reported(control, "counting", verbose=verbose):
        while repeats < needed:
            if draws == max_draws:
                least = math.log(_LEAST * total / (repeats + math.log(1.0 / delta)))
                raise CapabilityError(
                    f"{structure!r} has too many outputs to be counted by repeats: {max_draws} draws show {repeats} of "
                    f"{needed}, so that with probability {1.0 - delta:g} there are more than exp({least:.4g}); give "
                    "log_count, or raise epsilon, delta or max_draws"
                )
            parts = space.sample(min(_AT_ONCE, max_draws - draws), int(rng.integers(2**63)))
            for psi in space.embed(parts) + 0.0:  # where −0 is 0
                draws, total = draws + 1, total + len(met)
                if (key := psi.tobytes()) in met:
                    repeats += 1
                    if repeats == needed:
                        break
                met.add(key)
            control.step = draws
    value = math.log(total / repeats)
    return CountEstimate(value, value - math.log1p(epsilon), value - math.log1p(-epsilon), draws, repeats)
