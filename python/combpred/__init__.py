"""Learning to predict combinatorial structures, at the cost of kernel ridge regression.

Estimators follow scikit-learn; what is predicted is described by :mod:`combpred.structures`. Everything is loaded at
first use, so that importing the package costs next to nothing and processes may be forked until something is
computed.
"""

from __future__ import annotations

import importlib
from typing import Any

# Every public name by the module that has it; "" is the package itself, whose modules these are. Type checkers read
# __init__.pyi, which a test compares with this table.
_NAMES = {
    "": (
        "aggregation", "baselines", "datasets", "kernels", "losses", "metrics", "plotting", "ranking", "reductions",
        "sampling", "structures", "testing",
    ),
    "_data.persistence": ("trusted_types",),
    "_data.targets": ("Admissible",),
    "_lib.call": ("config_context",),
    "_lib.errors": (
        "ApproximationWarning", "CapabilityError", "ForkedProcessError", "NumericalError", "SamplingError",
    ),
    "_lib.versions": ("__version__", "show_versions"),
    "_models.base": ("Certified",),
    "_models.composed.conformal": ("ConformalStructured",),
    "_models.composed.embedding": ("EmbeddingRegressor",),
    "_models.composed.sets": ("StructuredSet", "StructuredSets"),
    "_models.composed.voting": ("StructuredVoting",),
    "_models.probabilistic": ("ProbabilisticStructured",),
    "_models.probabilistic_cv": ("ProbabilisticStructuredCV",),
    "_models.ridge": ("StructuredRidge",),
    "_models.ridge_cv": ("StructuredRidgeCV",),
    "_models.sgd": ("StructuredSGD",),
    "_models.statistics": ("BlockStatistics",),
    "sampling": ("ChainDiagnostics", "LogPartition"),
}  # fmt: skip
_HOMES = {name: home for home, names in _NAMES.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = importlib.import_module(f".{_HOMES[name] or name}", __name__)
    globals()[name] = getattr(home, name) if _HOMES[name] else home
    return globals()[name]


def __dir__() -> list[str]:
    return __all__
