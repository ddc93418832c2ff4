"""Learning to predict combinatorial structures, at the cost of kernel ridge regression.

Estimators follow scikit-learn; what is predicted is described by :mod:`combpred.structures`. Everything is loaded at
first use, so that importing the package costs next to nothing and processes may be forked until something is
computed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._lib.errors import ApproximationWarning, CapabilityError, ForkedProcessError, NumericalError
from ._lib.versions import __version__

if TYPE_CHECKING:
    from . import aggregation, baselines, datasets, kernels, metrics, plotting, ranking, sampling, structures
    from ._data.targets import Admissible
    from ._lib.call import config_context
    from ._lib.versions import show_versions
    from ._models.probabilistic import ProbabilisticStructured
    from ._models.ridge import StructuredRidge
    from ._models.ridge_cv import StructuredRidgeCV
    from ._models.sgd import StructuredSGD
    from ._models.statistics import BlockStatistics
    from .sampling._diagnostics import ChainDiagnostics
    from .sampling._estimates import LogPartition

__all__ = [
    "Admissible",
    "ApproximationWarning",
    "BlockStatistics",
    "CapabilityError",
    "ChainDiagnostics",
    "ForkedProcessError",
    "LogPartition",
    "NumericalError",
    "ProbabilisticStructured",
    "StructuredRidge",
    "StructuredRidgeCV",
    "StructuredSGD",
    "__version__",
    "aggregation",
    "baselines",
    "config_context",
    "datasets",
    "kernels",
    "metrics",
    "plotting",
    "ranking",
    "sampling",
    "show_versions",
    "structures",
]

_MODULES = frozenset(
    {"aggregation", "baselines", "datasets", "kernels", "metrics", "plotting", "ranking", "sampling", "structures"}
)
_HOMES = {
    "Admissible": "_data.targets",
    "BlockStatistics": "_models.statistics",
    "ChainDiagnostics": "sampling._diagnostics",
    "LogPartition": "sampling._estimates",
    "config_context": "_lib.call",
    "ProbabilisticStructured": "_models.probabilistic",
    "StructuredRidge": "_models.ridge",
    "StructuredRidgeCV": "_models.ridge_cv",
    "StructuredSGD": "_models.sgd",
    "show_versions": "_lib.versions",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _HOMES:
        value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
