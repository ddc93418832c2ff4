r"""Samples from :math:`p(y) \propto \exp\langle s, \psi(y)\rangle` on any structure, and how far chains can be trusted.

:func:`sample` draws by Markov chains or exactly, by coupling from the past and by rejection;
:func:`estimate_log_partition` estimates partition functions from such draws, within given errors;
:func:`taylor_log_partition` approximates them for small scores, and :func:`estimate_marginals` averages ψ;
:func:`effective_sample_size`, :func:`split_r_hat` and :func:`autocorrelation` judge what was recorded along chains, and
the bounds say after how many steps a chain is near its law. :func:`linear_extensions` draws uniform orders that agree
with a partial order, :func:`count_linear_extensions` counts them, and :func:`linear_extension_probabilities` says how
often one element is before another in them.

References
----------
Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6.
"""

from __future__ import annotations

from .._lib.errors import SamplingError
from ._annealing import AnnealedPartition, estimate_log_partition
from ._diagnostics import (
    autocorrelation,
    cube_mixing_bound,
    effective_sample_size,
    meta_coalescence_time,
    meta_mixing_bound,
    split_r_hat,
)
from ._extensions import (
    LinearExtensionCount,
    count_linear_extensions,
    linear_extension_probabilities,
    linear_extensions,
)
from ._marginals import SampledMarginals, estimate_marginals, hoeffding_sample_size
from ._sample import Samples, sample
from ._taylor import TaylorPartition, taylor_log_partition

__all__ = [
    "AnnealedPartition",
    "LinearExtensionCount",
    "SampledMarginals",
    "Samples",
    "SamplingError",
    "TaylorPartition",
    "autocorrelation",
    "count_linear_extensions",
    "effective_sample_size",
    "estimate_log_partition",
    "estimate_marginals",
    "hoeffding_sample_size",
    "linear_extension_probabilities",
    "linear_extensions",
    "meta_coalescence_time",
    "meta_mixing_bound",
    "cube_mixing_bound",
    "sample",
    "split_r_hat",
    "taylor_log_partition",
]


def __dir__() -> list[str]:
    return __all__
