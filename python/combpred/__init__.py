"""Learning to predict combinatorial structures, at the cost of kernel ridge regression.

Estimators follow scikit-learn; what is predicted is described by :mod:`combpred.structures`. Everything is loaded at
first use, so that importing the package costs next to nothing and processes may be forked until something is
computed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._config import config_context
from ._errors import ApproximationWarning, CapabilityError, ForkedProcessError, NumericalError
from ._version import __version__

if TYPE_CHECKING:
    from . import aggregation, baselines, datasets, kernels, metrics, plotting, ranking, sampling, structures
    from ._admissible import Admissible
    from ._block_statistics import BlockStatistics
    from ._chain_report import ChainDiagnostics
    from ._inference import LogPartition
    from ._probabilistic import ProbabilisticStructured
    from ._ridge import StructuredRidge
    from ._ridge_cv import StructuredRidgeCV
    from ._show_versions import show_versions

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
    "Admissible": "_admissible",
    "BlockStatistics": "_block_statistics",
    "ChainDiagnostics": "_chain_report",
    "LogPartition": "_inference",
    "ProbabilisticStructured": "_probabilistic",
    "StructuredRidge": "_ridge",
    "StructuredRidgeCV": "_ridge_cv",
    "show_versions": "_show_versions",
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
