r"""Samplers, partition functions and marginals of distributions on any structure.

The distribution that scores s make is :math:`p(y) \propto \exp\langle s, \psi(y)\rangle`.

:func:`sample` draws outputs, exactly if possible and along Markov chains otherwise. :func:`log_partition` computes
partition functions, or estimates them from draws within a given error; :func:`estimate_marginals` does the same for the
mean of ψ, :func:`estimate_count` for the number of outputs. :func:`search` looks for the output of largest score along
chains; :func:`optimum_probability` and :func:`least_alpha` say how likely a chain is to be there.
:func:`effective_sample_size`, :func:`split_r_hat` and :func:`autocorrelation` diagnose chains.
:mod:`combpred.sampling.theory` has bounds that hold before anything is drawn: mixing times and sample sizes.
:func:`linear_extensions` draws uniform orders that agree with a partial order, :func:`count_linear_extensions` counts
them, and :func:`linear_extension_probabilities` returns how often one element comes before another in them.

References
----------
Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6.
"""

from __future__ import annotations

from .._lib.errors import SamplingError
from . import theory
from ._diagnostics import ChainDiagnostics, autocorrelation, effective_sample_size, split_r_hat
from ._extensions import (
    LinearExtensionCount,
    count_linear_extensions,
    linear_extension_probabilities,
    linear_extensions,
)
from ._marginals import SampledMarginals, estimate_marginals
from ._search import OptimumProbability, SearchResult, least_alpha, optimum_probability, search
from ._sums import AnnealingDetails, CountEstimate, LogPartition, TaylorDetails, estimate_count, log_partition
from .samplers import Samples, sample

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
    "effective_sample_size",
    "estimate_count",
    "estimate_marginals",
    "least_alpha",
    "linear_extension_probabilities",
    "linear_extensions",
    "log_partition",
    "optimum_probability",
    "sample",
    "search",
    "split_r_hat",
    "theory",
]


def __dir__() -> list[str]:
    return __all__
