"""Learning to predict combinatorial structures, at the cost of kernel ridge regression.

Estimators follow scikit-learn; what is predicted is described by :mod:`combpred.structures`. Everything is loaded at
first use, so that importing the package costs next to nothing and processes may be forked until something is
computed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the table below, spelt out for type checkers; a test compares the two
    from . import aggregation as aggregation
    from . import baselines as baselines
    from . import datasets as datasets
    from . import kernels as kernels
    from . import losses as losses
    from . import metrics as metrics
    from . import plotting as plotting
    from . import ranking as ranking
    from . import reductions as reductions
    from . import sampling as sampling
    from . import structures as structures
    from . import testing as testing
    from ._data.persistence import trusted_types as trusted_types
    from ._data.targets import Admissible as Admissible
    from ._lib.call import config_context as config_context
    from ._lib.errors import ApproximationWarning as ApproximationWarning
    from ._lib.errors import CapabilityError as CapabilityError
    from ._lib.errors import ForkedProcessError as ForkedProcessError
    from ._lib.errors import NumericalError as NumericalError
    from ._lib.errors import SamplingError as SamplingError
    from ._lib.versions import __version__ as __version__
    from ._lib.versions import show_versions as show_versions
    from ._models.certified import Certified as Certified
    from ._models.composed.converted import ConvertedTargets as ConvertedTargets
    from ._models.composed.embedding import EmbeddingRegressor as EmbeddingRegressor
    from ._models.composed.voting import StructuredVoting as StructuredVoting
    from ._models.probabilistic import ProbabilisticStructured as ProbabilisticStructured
    from ._models.ridge import StructuredRidge as StructuredRidge
    from ._models.ridge_cv import StructuredRidgeCV as StructuredRidgeCV
    from ._models.sgd import StructuredSGD as StructuredSGD
    from ._models.statistics import BlockStatistics as BlockStatistics
    from .sampling._diagnostics import ChainDiagnostics as ChainDiagnostics
    from .sampling._estimates import LogPartition as LogPartition

# Every public name and the module that has it, which is loaded at first use; "." is the package itself.
_HOMES = {
    "Admissible": "._data.targets",
    "ApproximationWarning": "._lib.errors",
    "BlockStatistics": "._models.statistics",
    "CapabilityError": "._lib.errors",
    "Certified": "._models.certified",
    "ChainDiagnostics": ".sampling._diagnostics",
    "ConvertedTargets": "._models.composed.converted",
    "EmbeddingRegressor": "._models.composed.embedding",
    "ForkedProcessError": "._lib.errors",
    "LogPartition": ".sampling._estimates",
    "NumericalError": "._lib.errors",
    "ProbabilisticStructured": "._models.probabilistic",
    "SamplingError": "._lib.errors",
    "StructuredRidge": "._models.ridge",
    "StructuredRidgeCV": "._models.ridge_cv",
    "StructuredSGD": "._models.sgd",
    "StructuredVoting": "._models.composed.voting",
    "__version__": "._lib.versions",
    "aggregation": ".",
    "baselines": ".",
    "config_context": "._lib.call",
    "datasets": ".",
    "kernels": ".",
    "losses": ".",
    "metrics": ".",
    "plotting": ".",
    "ranking": ".",
    "reductions": ".",
    "sampling": ".",
    "show_versions": "._lib.versions",
    "structures": ".",
    "testing": ".",
    "trusted_types": "._data.persistence",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _HOMES[name] == ".":
        value = importlib.import_module(f".{name}", __name__)
    else:
        value = getattr(importlib.import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
