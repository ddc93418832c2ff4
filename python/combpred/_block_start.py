"""What the first block of training data settles of an estimator, before it trains on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._blocks import Block, BlockSource
from ._compat import validate_input
from ._iterable_blocks import IterableBlocks
from ._kernel_estimator import KernelEstimator
from ._pieces import structure_of_classes, structure_of_part, takes_classes
from .kernels import InputKernel


def require_linear(model: KernelEstimator) -> None:
    """Raise ValueError for kernels whose matrices take all rows at once."""
    if model.kernel != "linear":
        raise ValueError(
            f"training on blocks needs kernel='linear', got kernel={model.kernel!r}: map the inputs of every block by "
            "combpred.kernels.NystromMap, fitted to some rows"
        )


def source_of(blocks: Any) -> BlockSource:
    """Return blocks as the user gives them, or a source, as a source."""
    return blocks if isinstance(blocks, BlockSource) else IterableBlocks(blocks)


def settle(model: KernelEstimator, source: BlockSource, classes: Any = None) -> str:
    """Set what the first block shows, or `classes` say: `structure_`, `classes_`, `kernel_`, features and their names.

    Classes that a source gathers, as dask collections do, are those of all blocks. Returns how messages about targets
    that are not in the structure should end.
    """
    first, remedy = source.first(), ""
    with first.errors():
        unconverted(model, first.X)
        if classes is None and takes_classes(model.structure, first.y):
            if source.gathers_classes:
                classes = source.reduce(block_labels, merge=merge_labels)
            else:
                remedy = ": pass classes, the list of all labels, which are else those of the first block"
        if classes is not None:
            model.structure_ = structure_of_classes(model.structure, classes)
        else:
            with _ending(remedy):
                model.structure_ = structure_of_part(model.structure, first.y)
    model._set_classes()
    settle_linear_kernel(model)
    return remedy


@contextmanager
def _ending(remedy: str) -> Iterator[None]:
    """Let errors about all targets, rather than one row of them, end with what else to do."""
    try:
        yield
    except ValueError as error:
        if not remedy or type(error) is not ValueError:
            raise
        raise ValueError(f"{error}{remedy}") from None


def settle_linear_kernel(model: KernelEstimator) -> None:
    """Set `kernel_` to the linear kernel, which takes nothing from the rows."""
    model.kernel_ = InputKernel("linear", None, model.degree, model.coef0)


def unconverted(model: KernelEstimator, X: Any) -> Any:
    """Return X as an array or CSR of any number type, setting the number and names of its features."""
    return validate_input(model, X, reset=True, accept_sparse="csr", dtype="numeric")


def block_labels(block: Block) -> NDArray[Any]:
    """Return the labels of a block, each once."""
    return np.unique(np.asarray(block.y))


def merge_labels(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    return np.union1d(one, other)
