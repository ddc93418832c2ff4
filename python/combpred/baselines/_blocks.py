"""The rows of training as learners that decode visit them, and the features in which their scores are linear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _lib
from .._coefficients import keep_dual, keep_weights
from .._errors import CapabilityError, RowError
from .._features import InputRows, KernelFeatures
from .._kernel_estimator import TrainingRows
from .._probabilistic_training import kernel_features
from .._sgd_rows import visited_rows
from ..structures import Structure
from ..structures._losses import AffineLoss, affine_loss
from ..structures._values import TargetError

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp]

_LONGEST = 1e280  # of squares of features: their sums and products with weights stay finite


@dataclass(frozen=True)
class Blocks:
    r"""Blocks of the dual: rows of positive weight, a row of weight w being ⌈w⌉ blocks.

    A weight of 2 then is a row that comes twice in every respect, but for rounding in kernel matrices.

    Attributes
    ----------
    X : array or CSR of shape (m, q)
        Features.
    intercept : bool
        Whether a constant feature is added, as the last one.
    psi : ndarray of shape (m, d)
    weights : ndarray of shape (m,)
    rows : ndarray of shape (m,)
        The training row of each block.
    kernel : KernelFeatures or None
        Where the features are those of a kernel matrix, of the rows that are in any block.
    """

    X: Any
    intercept: bool
    psi: FloatArray
    weights: FloatArray
    rows: Rows
    kernel: KernelFeatures | None = None

    @classmethod
    def of(cls, model: Any, X: Any, targets: _lib.Targets, *, sort: bool = True) -> Blocks:
        """Return the blocks of checked training data; `model` has settled its kernel.

        With `sort` their order depends on their contents alone.
        """
        visited = visited_rows(X, targets, sort=sort)
        rows, intercept, features, rows_of = visited.rows, bool(model.fit_intercept), X, visited.rows
        kernel = None
        if not model.kernel_.is_linear:
            kept, rows_of = np.unique(rows, return_inverse=True)
            given = X if len(kept) == X.shape[0] else X[kept]
            kernel = kernel_features(model, given, np.ones(len(kept)), kept)
            features, intercept = kernel.rows, False
        shared = visited.targets.weights
        weights = np.ones(len(rows)) if shared is None else shared[rows]
        blocks = cls(features[rows_of], intercept, targets.psi[rows], weights, rows, kernel)
        with np.errstate(over="ignore"):
            long = ~(blocks.square_norms() <= _LONGEST)
        if long.any():
            raise RowError(int(rows[long].min()), "the squares of the features in X overflow; scale the inputs")
        return blocks

    @property
    def n_weights(self) -> int:
        """Number of features, with the constant one."""
        return int(self.X.shape[1]) + int(self.intercept)

    def scores(self, weights: FloatArray, rows: Rows | slice = slice(None)) -> FloatArray:
        """Return the scores of some blocks, ``(k, d)``, for weights (q, d) of the features."""
        return InputRows(self.X, intercept=self.intercept).scores(rows, weights)

    def combined(self, coefficients: FloatArray) -> FloatArray:
        """Return the weights Σ_i φ_i a_iᵀ of the features, ``(q, d)``, for coefficients a (m, d) of the blocks."""
        weights = np.zeros((self.n_weights, coefficients.shape[1]))
        InputRows(self.X, intercept=self.intercept).add_gradient(slice(None), coefficients, weights)
        return weights

    def add(self, weights: FloatArray, block: int, coefficient: FloatArray) -> None:
        """Add the features of one block times a coefficient (d,) to the weights (q, d)."""
        InputRows(self.X, intercept=self.intercept).add_gradient(np.array([block]), coefficient[np.newaxis], weights)

    def square_norms(self) -> FloatArray:
        """Return the squared length of the features of each block, ``(m,)``."""
        squares = self.X.multiply(self.X) if hasattr(self.X, "multiply") else np.square(self.X)
        return np.asarray(squares.sum(axis=1), dtype=np.float64).ravel() + float(self.intercept)

    def design(self) -> _lib.Design:
        """Return the features as the library takes them."""
        return _lib.Design(self.X, intercept=self.intercept)

    def affine_loss(self, structure: Structure, cost: str) -> AffineLoss:
        """Return the losses of outputs against those of the blocks; TargetError where ψ of a row has no such loss."""
        try:
            return affine_loss(structure, self.psi, cost)
        except RowError as error:
            raise TargetError(int(self.rows[error.row]), error.reason) from None

    def require_complete(self, structure: Structure, remedy: str) -> None:
        """Raise TargetError for the first ranking known in part, whose mean of ψ is that of no ranking."""
        bad = (np.abs(self.psi) != 1.0).any(axis=1)
        if structure._entry_kind() == "signs" and bad.any():
            raise TargetError(int(self.rows[bad].min()), f"the ranking is known in part, and {remedy}")

    def keep(self, model: Any, X: Any, coefficients: FloatArray) -> None:
        """Set the coefficients of `model`, trained on the rows of X, from those of the blocks (m, d)."""
        if self.kernel is None:
            keep_weights(model, self.combined(coefficients))
            return
        dual = np.zeros((X.shape[0], coefficients.shape[1]))
        np.add.at(dual, self.rows, coefficients)
        keep_dual(model, X, dual)

    def keep_weights(self, model: Any, X: Any, weights: FloatArray) -> None:
        """Set them from weights (q, d) of the features."""
        if self.kernel is None:
            keep_weights(model, weights)
            return
        dual = np.zeros((X.shape[0], weights.shape[1]))
        dual[np.unique(self.rows)] = self.kernel.dual(weights)
        keep_dual(model, X, dual)


def refuse_sets(model: Any, rows: TrainingRows) -> None:
    """Raise CapabilityError for rows of y that are sets of structures."""
    if rows.sets is not None:
        raise CapabilityError(
            f"{type(model).__name__} learns one structure for each row, and y holds Admissible sets: take one of each, "
            "or StructuredRidge or ProbabilisticStructured, which learn from sets"
        )
