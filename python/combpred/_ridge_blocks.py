"""StructuredRidge on rows in blocks: from the user's data to a source, and from a source to the fitted attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from . import _lib
from ._block_rows import BlockRows
from ._block_statistics import BlockStatistics
from ._blocks import ArrayBlocks, BlockSource, IterableBlocks
from ._compat import validate_input
from ._config import get_n_threads
from ._estimator import is_a
from ._streamed_ridge import RidgeTask, solve_blocks, solve_statistics
from ._targets import resolve_targets
from ._training import Solution
from .kernels import InputKernel
from .structures import MultiClass

if TYPE_CHECKING:
    from ._ridge import StructuredRidge


def array_blocks(model: StructuredRidge, X: Any, y: Any, sample_weight: Any) -> ArrayBlocks | None:
    """Return the rows of arrays as blocks, None where another solver is cheaper; sets `structure_`.

    X is neither copied nor converted where it is an array of numbers, and not looked through.
    """
    model._require_target(y)
    X = _input(model, X)
    model._check_options()
    rows = model._check_training_rows(X, y, sample_weight)
    if model.solver == "auto":
        stored = int(X.nnz) if sparse.issparse(X) else int(X.size)
        options = {**model._library_options(), "alpha": float(model.alpha)}
        plan = _lib.ridge_plan(model.structure_._describe(), options, X.shape[0], X.shape[1], stored)
        if plan["solver"] != "primal":
            return None
    return ArrayBlocks(X, rows.y, rows.weights)


def given_blocks(model: StructuredRidge, blocks: Any, classes: Any) -> BlockSource:
    """Return blocks as the user gives them; sets what the first one shows: `structure_` and the names of features."""
    if model.kernel != "linear":
        raise ValueError(
            f"fit_blocks needs kernel='linear', got kernel={model.kernel!r}: map the inputs of every block by "
            "sklearn.kernel_approximation.Nystroem, fitted to some rows"
        )
    if model.solver not in ("auto", "primal"):
        raise ValueError(f"fit_blocks needs solver='auto' or 'primal', got solver={model.solver!r}")
    model._check_options()
    source: BlockSource = blocks if isinstance(blocks, BlockSource) else IterableBlocks(blocks)
    first = source.first()
    with first.errors():
        _input(model, first.X)
        labels = first.y if classes is None else np.asarray(classes)
        structure = model.structure
        if classes is not None:
            if structure is not None and not is_a(structure, MultiClass):
                raise ValueError(
                    f"classes={classes!r} has no meaning for structure={structure!r}; leave it out, and give sizes in "
                    "the structure"
                )
            structure = MultiClass() if structure is None else structure
        model.structure_, _ = resolve_targets(structure, labels)
    model._set_classes()
    return source


def fit_source(model: StructuredRidge, source: BlockSource) -> StructuredRidge:
    """Train on the blocks of a source, after `structure_` and `n_features_in_` are settled."""
    if model.loss == "squared":
        model.structure_._require_preimage()
    rows = BlockRows.of(
        model.structure_,
        model.n_features_in_,
        getattr(model, "feature_names_in_", None),
        margin=model.loss == "auc",
        n_threads=get_n_threads(model.n_jobs),
    )
    return _keep(model, solve_blocks(source, rows, _task(model)))


def fit_statistics(model: StructuredRidge, statistics: BlockStatistics) -> StructuredRidge:
    """Set the fitted attributes from sums over rows, for the squared loss."""
    model.structure_ = statistics.structure
    model.structure_._require_preimage()
    model.n_features_in_ = len(statistics.feature_sums)
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
    model.kernel_ = InputKernel("linear", None, model.degree, model.coef0)
    model._keep(None, solution)
    return model


def _input(model: StructuredRidge, X: Any) -> Any:
    """Return X as an array or CSR of any number type, setting the number and names of its features."""
    return validate_input(model, X, reset=True, accept_sparse="csr", dtype="numeric")
