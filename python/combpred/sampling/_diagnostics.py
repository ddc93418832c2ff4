"""Convergence diagnostics of Markov chains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._data.checks import float_array, whole_number
from .._lib.arrays import CountArray, FloatArray
from .._lib.sampling import chain_diagnose
from .._lib.table import floats

#: Split R̂ above which chains have not met.
APART = 1.1


def _chains(x: ArrayLike) -> FloatArray:
    """Return chains (n_chains, n_draws) as those of one quantity, (1, n_chains, n_draws)."""
    return floats(np.atleast_2d(float_array(x, "x")), "x", None, None)[np.newaxis]


def effective_sample_size(x: ArrayLike) -> float:
    """Return how many independent draws the draws of chains are worth for the mean of a quantity.

    Parameters
    ----------
    x : array-like of shape (n_chains, n_draws) or (n_draws,)
        A quantity recorded along each chain, such as ``Samples.value.T``.

    Returns
    -------
    size : float
        n_chains · n_draws / τ, but at most n_chains · n_draws · log10(n_chains · n_draws), which antithetic chains
        would exceed. NaN where all draws are equal, and for fewer than 4 draws.

    Raises
    ------
    ValueError
        When a draw is not finite, naming it.

    Notes
    -----
    τ, the integrated autocorrelation time, is truncated by Geyer's (1992) initial monotone sequence: autocorrelations
    are added in pairs of neighbours, up to the first sum that is not positive, and none is taken to be larger than the
    one before. Autocorrelations are those of the halves of all chains together (Vehtari et al., 2021), without ranks,
    so that chains that have not mixed count for little.
    Costs O(n_chains n_draws log n_draws).

    Examples
    --------
    >>> import numpy as np
    >>> from combpred.sampling import effective_sample_size
    >>> x = np.random.default_rng(0).normal(size=(4, 1000))
    >>> 3000 < effective_sample_size(x) < 5000
    True
    """
    return float(chain_diagnose(_chains(x))[0][0])


def split_r_hat(x: ArrayLike) -> float:
    r"""Return the potential scale reduction factor R̂ of the halves of chains.

    Parameters
    ----------
    x : array-like of shape (n_chains, n_draws) or (n_draws,)
        As for :func:`effective_sample_size`.

    Returns
    -------
    r_hat : float
        Near 1 where all halves have the same distribution. Results of chains call for values below 1.01; above 1.1,
        estimators warn that chains have not converged. NaN where all draws are equal, and for fewer than 4 draws.

    Raises
    ------
    ValueError
        When a draw is not finite, naming it.

    References
    ----------
    Gelman and Rubin (1992), Inference from iterative simulation using multiple sequences; split as by Gelman et al.
    (2013), *Bayesian Data Analysis*. The plain version, without ranks.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred.sampling import split_r_hat
    >>> x = np.random.default_rng(0).normal(size=(4, 1000))
    >>> split_r_hat(x) < 1.01 < split_r_hat(x + np.arange(4)[:, None])
    True
    """
    return float(chain_diagnose(_chains(x))[1][0])


def autocorrelation(x: ArrayLike, n_lags: int | None = None) -> FloatArray:
    """Return the autocorrelations of each chain at the lags 0 to n_lags − 1.

    Parameters
    ----------
    x : array-like of shape (n_chains, n_draws) or (n_draws,)
        As for :func:`effective_sample_size`.
    n_lags : int, default=None
        At most n_draws; None: all.

    Returns
    -------
    autocorrelation : ndarray of shape (n_chains, n_lags), or (n_lags,) for one chain without that dimension
        NaN for chains whose draws are all equal.

    Raises
    ------
    ValueError
        When a draw is not finite, naming it, or `n_lags` is out of its range.

    Examples
    --------
    >>> from combpred.sampling import autocorrelation
    >>> autocorrelation([1.0, -1.0, 1.0, -1.0], 2)
    array([ 1.  , -0.75])
    """
    chains = _chains(x)
    lags = chains.shape[2] if n_lags is None else whole_number(n_lags, "n_lags", 1, chains.shape[2])
    found: FloatArray = chain_diagnose(chains, lags)[2][0]
    return found if np.ndim(x) == 2 else found[0]


@dataclass(frozen=True, eq=False)
class ChainDiagnostics:
    r"""Convergence diagnostics of the chains of k rows: arrays of shape ``(k,)``.

    They are computed from the scores of the outputs along four chains for each row.

    Attributes
    ----------
    sampler : {"local", "meta"}
        The chain.
    rows : ndarray of int64
        The rows diagnosed: all whose structures were sampled, or after training up to 64 of the training rows.
    steps : ndarray of int64
        Steps that the four chains of a row made for these figures.
    acceptance : ndarray of float64
        Share of steps that were accepted.
    effective_sample_size : ndarray of float64
        How many independent draws the 256 recorded draws are worth.
    split_r_hat : ndarray of float64
        Split R̂, see :func:`split_r_hat`; above 1.1, which is warned of, the four chains did not find the same
        distribution.
    autocorrelation_time : ndarray of float64
        Number of steps worth one independent draw.
    thin : ndarray of int64
        Steps between successive samples; after training, between the draws of a gradient.
    autocorrelation : ndarray of float64
        Between the scores of draws that are `thin` steps apart.
    mixing_bound : ndarray of float64
        Steps after which the chain is proven to be within 0.01 of its distribution in total variation, see
        :func:`theory.mixing_bound`; infinite where no bound is known.
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
