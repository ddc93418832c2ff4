"""From blocks of training data to the fitted attributes of a probabilistic model."""

from __future__ import annotations

from typing import Any

from ._block_loss import BlockLaws, BlockLoss
from ._block_rows import BlockRows
from ._block_start import require_linear, settle, source_of
from ._coefficients import keep_weights
from ._law_methods import TRAINING_VISITS, Work, engine_of, settled_method
from ._maximise import maximise, warn_unless_maximal
from ._warm_start import EarlierFit


def fit_over_blocks(model: Any, blocks: Any, classes: Any = None, earlier: EarlierFit | None = None) -> None:
    """Maximise the likelihood of the rows of blocks, or of a source of them, and set the fitted attributes of `model`.

    It starts from the weights of an earlier fit, if there is one.
    """
    require_linear(model)
    if model.solver == "sgd":
        raise ValueError(
            "training on blocks needs solver='auto' or 'lbfgs', got solver='sgd': call partial_fit on one block after "
            "another"
        )
    source = source_of(blocks)
    remedy = settle(model, source, classes)
    model._check_capabilities()
    engine = engine_of(model, "exact")
    engine.check()
    rows = BlockRows.of_model(model, margin=False, remedy=remedy)
    # How much work there is the first pass tells, which takes nothing from the engine.
    loss = BlockLoss(source, BlockLaws(rows, engine, bool(model.fit_intercept)))
    _require_exact(model, loss.n_rows)
    if earlier is not None:
        earlier.require_match(model, loss.n_rows)
    start = None if earlier is None else earlier.input_weights(intercept=model.fit_intercept)
    found = maximise(
        loss, start, alpha=float(model.alpha), tol=float(model.tol), max_iter=int(model.max_iter),
        label=type(model).__name__, verbose=int(model.verbose),
    )  # fmt: skip
    keep_weights(model, found.weights)
    model.solver_ = "lbfgs"
    model.objective_ = found.objective
    model.n_iter_ = max(found.n_iter, 1)
    model.inference_ = found.engine
    warn_unless_maximal(found, float(model.tol))


def _require_exact(model: Any, n: int) -> None:
    """Raise ValueError unless the laws of n rows are computed exactly."""
    method = settled_method(model.inference, model.structure_, Work(n, min(int(model.max_iter), TRAINING_VISITS)))
    if method != "exact":
        why = "" if model.inference == method else ", which inference='auto' takes for so much work"
        raise ValueError(
            f"training on blocks takes exact partition functions, not those of inference={method!r}{why}: set "
            "inference='exact', or call partial_fit with solver='sgd' on one block after another"
        )
