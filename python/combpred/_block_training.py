"""From blocks of training data to the fitted attributes of a probabilistic model."""

from __future__ import annotations

from typing import Any

from ._block_loss import BlockLaws, BlockLoss
from ._block_rows import BlockRows
from ._blocks import BlockSource
from ._law_methods import TRAINING_VISITS, Work, engine_of, settled_method
from ._maximise import maximise, warn_unless_maximal


def fit_over_blocks(model: Any, blocks: BlockSource, rows: BlockRows) -> None:
    """Maximise the likelihood of the rows of all blocks and set the fitted attributes of `model`.

    Its structure and kernel are settled.
    """
    # Engines are settled by the number of rows, which the first pass tells; it takes laws from none.
    laws = BlockLaws(rows, engine_of(model, "exact"), bool(model.fit_intercept))
    loss = BlockLoss(blocks, laws)
    _require_exact(model, loss.n_rows)
    found = maximise(
        loss, alpha=float(model.alpha), tol=float(model.tol), max_iter=int(model.max_iter),
        label=type(model).__name__, verbose=int(model.verbose),
    )  # fmt: skip
    model._keep_weights(found.weights)
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
