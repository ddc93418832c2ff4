"""StructuredRidge on rows in blocks: from the user's data to a source, and from a source to the fitted attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from . import _lib
from ._block_rows import BlockRows
from ._block_start import require_linear, settle, settle_linear_kernel, source_of, unconverted
from ._block_statistics import BlockStatistics
from ._blocks import ArrayBlocks, BlockSource
from ._streamed_ridge import RidgeTask, solve_blocks, solve_statistics
from ._training import Solution

if TYPE_CHECKING:
    from ._ridge import StructuredRidge


def array_blocks(model: StructuredRidge, X: Any, y: Any, sample_weight: Any) -> ArrayBlocks | None:
    """Return the rows of arrays as blocks, None where another solver is cheaper; sets `structure_`.

    X is neither copied nor converted where it is an array of numbers, and not looked through.
    """
    model._require_target(y)
    X = unconverted(model, X)
    model._check_options()
    rows = model._check_training_rows(X, y, sample_weight)
    if model.solver == "auto":
        stored = int(X.nnz) if sparse.issparse(X) else int(X.size)
        options = {**model._library_options(), "alpha": float(model.alpha)}
        plan = _lib.ridge_plan(model.structure_._describe(), options, X.shape[0], X.shape[1], stored)
        if plan["solver"] != "primal":
            return None
    return ArrayBlocks(X, rows.y, rows.weights)


def fit_given_blocks(model: StructuredRidge, blocks: Any, classes: Any = None) -> StructuredRidge:
    """Train on blocks as the user gives them, or on a source of blocks."""
    require_linear(model)
    if model.solver not in ("auto", "primal"):
        raise ValueError(f"training on blocks needs solver='auto' or 'primal', got solver={model.solver!r}")
    model._check_options()
    source = source_of(blocks)
    return fit_source(model, source, settle(model, source, classes))


def fit_source(model: StructuredRidge, source: BlockSource, remedy: str = "") -> StructuredRidge:
    """Train on the blocks of a source, after `structure_` and `n_features_in_` are settled.

    `remedy` ends the message about a target that is not in the structure.
    """
    if model.loss == "squared":
        model.structure_._require_preimage()
    rows = BlockRows.of_model(model, margin=model.loss == "auc", remedy=remedy)
    return _keep(model, solve_blocks(source, rows, _task(model)))


def fit_statistics(model: StructuredRidge, statistics: BlockStatistics) -> StructuredRidge:
    """Set the fitted attributes from sums over rows, for the squared loss."""
    model.structure_ = statistics.structure
    model.structure_._require_preimage()
    model.n_features_in_ = len(statistics.feature_sums)
    if statistics.feature_names is not None:
        model.feature_names_in_ = np.array(statistics.feature_names, dtype=object)
    model._set_classes()
    return _keep(model, solve_statistics(statistics, _task(model)))


def _task(model: StructuredRidge) -> RidgeTask:
    return RidgeTask(
        loss=model.loss,
        alpha=float(model.alpha),
        tol=float(model.tol),
        max_iter=model.max_iter,
        intercept=bool(model.fit_intercept),
        verbose=int(model.verbose),
    )


def _keep(model: StructuredRidge, solution: Solution) -> StructuredRidge:
    settle_linear_kernel(model)
    model._keep(None, solution)
    return model
