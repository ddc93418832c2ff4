"""Proven mixing times of the chains of a structure."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .._data.checks import choice, share
from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError
from .._lib.names import CHAINS
from .._lib.sampling import mixing_bounds
from ..structures import Structure
from .samplers import rows_of


def mixing_bound(structure: Structure, scores: ArrayLike, sampler: str = "local", epsilon: float = 0.01) -> FloatArray:
    r"""Return after how many steps a chain is within `epsilon` of its distribution, for each row of scores.

    The distance is that in total variation, from any start, and proven.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        Finite; one row for shape (d,). Zeros: the chain of the uniform distribution.
    sampler : {"meta", "local", "cube"}, default="local"
        The chain, as for :func:`sample`.
    epsilon : float, default=0.01
        Between 0 and 1.

    Returns
    -------
    steps : ndarray of shape (n,)
        Infinite where nothing is proven.

    Raises
    ------
    ValueError
        When a score is not finite, or a parameter out of its range.
    CapabilityError
        When the structure consists of a user's functions.

    Notes
    -----
    With D a bound on the range of scores, from the decoder or from the guaranteed solution:

    - "meta": :func:`meta_mixing_bound` of −D, for every structure.
    - "cube": :func:`cube_mixing_bound`, on all subsets of a set.
    - "local": from the spectral gap of the moves under the uniform distribution, and how far they stay above −1:

      ==========================================  ====================================  ==============
      structures                                  gap                                   above −1
      ==========================================  ====================================  ==============
      `LabelSets`, `Cliques`, `Graphs` of n       2/n, coming and going                 0
      `LabelSets` of l out of n                   n/(l(n − l)), exchanges               0 or more
      `Permutations` of n                         (n + 2)/n², random to random          1
      `Assignments` of n                          2/(n − 1), random transpositions      0
      `Tournaments` of m pairs                    3/(2m), one pair                      1/2
      `MultiClass`, `Ordinal`, `PosetElements`,   n/(n − 1), any other                  (n − 2)/(n − 1)
      `Hierarchy`, lists of n outputs
      ==========================================  ====================================  ==============

      The rule of Metropolis leaves at least exp(−D) of each, as :math:`\min p/\max p \ge e^{-D}` bounds what Dirichlet
      forms lose; where entries of ψ are independent and take v values, at least 1/(d(v − 1)) is left of the gap
      whatever D is. One step in eight of the chain stays, which keeps it away from −1. With the resulting gap γ the
      distance after t steps is at most :math:`\frac12 (1-\gamma)^t/\sqrt{\min p}`.

    For other moves (cycles, routes, weak and partial orders, subtrees, spanning trees, paths) no bound is known here.
    Linear extensions are drawn exactly by :func:`linear_extensions`; the chain that exchanges neighbours, which is not
    used, takes :math:`O(n^3\ln n)` steps (Bubley and Dyer, 1999; Wilson, 2004).

    References
    ----------
    Diaconis and Shahshahani (1981), Generating a random permutation with random transpositions; (1987), Time to reach
    stationarity in the Bernoulli–Laplace diffusion model. Dieker and Saliola (2018), Spectral analysis of
    random-to-random Markov chains. Diaconis and Saloff-Coste (1993), Comparison theorems for reversible Markov chains.
    Liu (1996), Metropolized independent sampling. Vembu (2010), ch. 6 and app. C.

    Examples
    --------
    >>> from combpred.sampling import mixing_bound
    >>> from combpred.structures import Permutations
    >>> mixing_bound(Permutations(10), [0.0] * 45)
    array([104.])
    """
    choice(sampler, "sampler", CHAINS)
    rows = rows_of(structure, scores)
    share(epsilon, "epsilon")
    if not structure.space.in_library:
        raise CapabilityError(f"{structure!r} consists of functions, about whose chains nothing is proven here")
    return mixing_bounds(structure.space.description, rows, sampler, float(epsilon))
