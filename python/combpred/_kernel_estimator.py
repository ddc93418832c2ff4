"""What the training of every estimator begins with: checked inputs, a settled structure, kernel and weights."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_consistent_length

from . import _lib
from ._admissible import FlatSets
from ._config import get_n_threads
from ._decoding import DECODERS
from ._memory import require_memory
from ._predictor import StructuredPredictor
from ._targets import embed_targets, resolve_targets
from ._weights import check_weights
from .kernels import KERNELS, InputKernel
from .structures import LabelSets, MultiClass, Structure

FloatArray = NDArray[np.float64]


class TrainingRows(NamedTuple):
    """Training data that were checked row against row, with y in the user's format."""

    X: Any
    y: Any
    sets: FlatSets | None  # where rows of y are sets of structures
    weights: FloatArray | None


class KernelEstimator(StructuredPredictor):
    """Base of estimators that are trained on rows of features, or on a kernel matrix of all pairs of them."""

    alpha: Any
    gamma: float | str | None
    degree: float
    coef0: float

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "structure": [Structure, str, None],
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale"}), None],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "decoder": [StrOptions(set(DECODERS))],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def _require_target(self, y: Any) -> None:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: give one structure per row"
            )

    def _check_training_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """Check the training data and set `structure_`; X must have been through `_check_input`."""
        if self.kernel == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"X must be a square kernel matrix when kernel='precomputed', got shape {X.shape}; pass k(x_i, "
                    "x_j) of all pairs of training rows"
                )
            _lib.check_kernel(X, n_threads=get_n_threads(self.n_jobs))
        check_consistent_length(X, y)
        self.structure_, sets = resolve_targets(self.structure, y)
        self._set_classes()
        return TrainingRows(X, y, sets, check_weights(sample_weight, X.shape[0]))

    def _settle_kernel(self, rows: TrainingRows, params: Mapping[str, Any] | None = None) -> None:
        """Set `kernel_`, with what it takes from the inputs and the arguments `params` of a callable."""
        self.kernel_ = InputKernel.settle(
            self.kernel, rows.X, gamma=self.gamma, degree=self.degree, coef0=self.coef0, params=params,
            weights=rows.weights,
        )  # fmt: skip

    def _embed_rows(self, rows: TrainingRows) -> _lib.Targets:
        """Return ψ of the targets, after checking that they fit in memory with what training makes of them."""
        n = rows.X.shape[0] if rows.sets is None else int(rows.sets.first[-1])
        d = self.structure_.n_features
        require_memory(
            8 * 4 * n * d, f"embedding {n} outputs in {d} features", "fit fewer rows, or a smaller structure"
        )
        return embed_targets(self.structure_, rows.y, rows.sets, rows.weights, get_n_threads(self.n_jobs))

    def _set_classes(self) -> None:
        """Set `classes_` where scikit-learn asks for them."""
        if isinstance(self.structure_, MultiClass):
            self.classes_ = self.structure_.classes_
        elif isinstance(self.structure_, LabelSets):
            self.classes_ = np.arange(self.structure_.n_features)
