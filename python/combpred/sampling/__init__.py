r"""Samplers, partition functions and marginals of distributions on any structure.

The distribution that scores s make is :math:`p(y) \propto \exp\langle s, \psi(y)\rangle`.

:func:`sample` draws outputs, exactly by recursions, coupling from the past and rejection, or along Markov chains.
:func:`log_partition` computes partition functions exactly, estimates them from such draws within given errors, or
approximates them for small scores; :func:`estimate_marginals` estimates the mean of ψ, :func:`estimate_count` the
number of outputs. :func:`search` looks for the output of largest score along chains, :func:`optimum_probability` says
how probable that is, :func:`least_alpha` when. Diagnostics of chains are :func:`effective_sample_size`,
:func:`split_r_hat` and :func:`autocorrelation`, and :func:`to_arviz` hands draws to ArviZ; the mixing bounds say after
how many steps a chain is close to its distribution. :func:`linear_extensions` draws uniform orders that agree with a
partial order, :func:`count_linear_extensions` counts them, and :func:`linear_extension_probabilities` returns how often
one element comes before another in them.

References
----------
Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6.
"""

from __future__ import annotations

from .._lib.errors import SamplingError
from ._counts import CountEstimate, estimate_count
from ._diagnostics import (
    ChainDiagnostics,
    autocorrelation,
    cube_mixing_bound,
    effective_sample_size,
    meta_coalescence_time,
    meta_mixing_bound,
    split_r_hat,
)
from ._estimates import AnnealingDetails, LogPartition, TaylorDetails
from ._export import to_arviz
from ._extensions import (
    LinearExtensionCount,
    count_linear_extensions,
    linear_extension_probabilities,
    linear_extensions,
)
from ._marginals import SampledMarginals, estimate_marginals, hoeffding_sample_size
from ._mixing import mixing_bound
from ._partition import log_partition
from ._sample import Samples, sample
from ._search import OptimumProbability, SearchResult, least_alpha, optimum_probability, search

__all__ = [
    "AnnealingDetails",
    "ChainDiagnostics",
    "CountEstimate",
    "LinearExtensionCount",
    "LogPartition",
    "OptimumProbability",
    "SampledMarginals",
    "Samples",
    "SamplingError",
    "SearchResult",
    "TaylorDetails",
    "autocorrelation",
    "count_linear_extensions",
    "cube_mixing_bound",
    "effective_sample_size",
    "estimate_count",
    "estimate_marginals",
    "hoeffding_sample_size",
    "least_alpha",
    "linear_extension_probabilities",
    "linear_extensions",
    "log_partition",
    "meta_coalescence_time",
    "meta_mixing_bound",
    "mixing_bound",
    "optimum_probability",
    "sample",
    "search",
    "split_r_hat",
    "to_arviz",
]


def __dir__() -> list[str]:
    return sorted(__all__)
