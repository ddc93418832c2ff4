"""Convergence diagnostics of Markov chains, and proven bounds on their mixing times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._data.checks import counted, float_array, is_number, share, whole_number
from .._data.tables import Tabular
from .._lib.arrays import CountArray, FloatArray
from .._lib.sampling import chain_diagnose

#: Split R̂ above which chains have not met.
APART = 1.1


def _chains(x: ArrayLike) -> FloatArray:
    values = float_array(x, "x")
    if values.ndim == 1:
        values = values[None]
    if values.ndim != 2 or not values.size:
        raise ValueError(f"x must have shape (n_chains, n_draws) or (n_draws,), not empty, got {values.shape}")
    if not np.isfinite(values).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise ValueError(f"x, chain {row}, draw {column}: {values[row, column]} is not finite; replace it")
    return values


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
        When a draw is not finite, naming it, or there is none.

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
    return float(chain_diagnose(_chains(x)[np.newaxis])[0][0])


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
        When a draw is not finite, naming it, or there is none.

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
    return float(chain_diagnose(_chains(x)[np.newaxis])[1][0])


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
    draws = chains.shape[1]
    lags = draws if n_lags is None else whole_number(n_lags, "n_lags", 1, draws)
    found: FloatArray = chain_diagnose(chains[np.newaxis], lags)[2][0]
    return found if np.ndim(x) == 2 else found[0]


def meta_mixing_bound(log_beta: float, epsilon: float = 0.01) -> float:
    r"""Return a bound on the mixing time of the chain "meta".

    After so many steps from any start it is within `epsilon` of its distribution in total variation.

    Parameters
    ----------
    log_beta : float
        :math:`\ln\beta`, at most 0, with :math:`\beta = E\,\exp(h - \max h)` under the uniform distribution, for which
        the result is exact for the worst start (Liu, 1996), or anything below: −(max h − min h), or −2BR for scores of
        norm B and embeddings of norm R (Vembu, 2010, ch. 6).
    epsilon : float, default=0.01
        Between 0 and 1.

    Returns
    -------
    steps : float
        :math:`\lceil \ln\varepsilon^{-1} / \ln(1-\beta)^{-1} \rceil`; infinite where no float is large enough.

    Raises
    ------
    ValueError
        When `log_beta` is positive, or `epsilon` not between 0 and 1.

    Examples
    --------
    >>> import math
    >>> from combpred.sampling import meta_mixing_bound
    >>> meta_mixing_bound(math.log(0.5))
    7.0
    """
    share(epsilon, "epsilon")
    beta = _beta(log_beta)
    if beta == 1:
        return 1.0
    steps = math.inf if beta == 0 else math.log(1 / epsilon) / -math.log1p(-beta)  # overflows for β below 1e-307
    return float(math.ceil(steps)) if math.isfinite(steps) else math.inf


def meta_coalescence_time(log_beta: float) -> float:
    r"""Return the mean number of proposals that "cftp" and "rejection" make for a sample: 1/β.

    Parameters
    ----------
    log_beta : float
        :math:`\ln\beta`, at most 0, as for :func:`meta_mixing_bound`.

    Returns
    -------
    proposals : float
        Exact for the largest β, otherwise an upper bound. With probability 1 − δ at most ln(1/δ) times as many are
        made.

    Raises
    ------
    ValueError
        When `log_beta` is positive.

    Examples
    --------
    >>> import math
    >>> from combpred.sampling import meta_coalescence_time
    >>> meta_coalescence_time(math.log(0.25))
    4.0
    """
    beta = _beta(log_beta)
    return math.inf if beta == 0 else 1 / beta


def cube_mixing_bound(n_elements: int, epsilon: float = 0.01, *, heat_bath: bool = False) -> float:
    r"""Return a bound on the mixing time of a chain on all subsets of a set.

    After so many steps from any start it is within `epsilon` of its distribution in total variation.

    Parameters
    ----------
    n_elements : int
        Number d of elements of which sets are made, at least 1.
    epsilon : float, default=0.01
        Between 0 and 1.
    heat_bath : bool, default=False
        Whether the chain is the heat bath, which redraws an element from its conditional distribution, rather than
        "cube".

    Returns
    -------
    steps : float
        :math:`\lceil 2d \ln(d/\varepsilon) \rceil`, half of that for the heat bath, for any scores. (The
        thesis gives :math:`d\ln(d/\varepsilon)` for "cube", which holds where all scores are 0.)

    Raises
    ------
    TypeError, ValueError
        When `n_elements` is no integer, or a parameter is out of its range.

    Examples
    --------
    >>> from combpred.sampling import cube_mixing_bound
    >>> cube_mixing_bound(8), cube_mixing_bound(8, heat_bath=True)
    (107.0, 54.0)
    """
    share(epsilon, "epsilon")
    d = whole_number(n_elements, "n_elements", 1, 2**31 - 1)
    return float(math.ceil((1 if heat_bath else 2) * d * math.log(d / epsilon)))


def _beta(log_beta: float) -> float:
    if not is_number(log_beta):
        raise TypeError(f"log_beta must be a number, got {log_beta!r}")
    if not log_beta <= 0:
        raise ValueError(
            f"log_beta must be at most 0, got {log_beta!r}; it is the logarithm of a mean of exp(h − max h)"
        )
    return math.exp(log_beta)


@dataclass(frozen=True, eq=False, repr=False)
class ChainDiagnostics(Tabular):
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
        :func:`mixing_bound`; infinite where no bound is known.
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

    def _table(self) -> dict[str, Any]:
        columns = super()._table()
        columns["row"] = columns.pop("rows")
        return columns

    def _title(self) -> str:
        return f"ChainDiagnostics: {counted(len(self.rows), 'row')}, sampler {self.sampler!r}"
