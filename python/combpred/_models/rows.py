"""Blocks of rows as training reads them, in batches of checked inputs and embedded targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._data.blocks import BLOCK_BYTES, ArrayBlocks, Block, BlockSource, Merge, Result
from .._data.inputs import require_finite, require_short_rows, square_norms
from .._data.targets import TargetError, flat_sets
from .._lib.arrays import FloatArray
from .._lib.call import get_n_threads
from .._lib.errors import CapabilityError
from ..structures import Structure
from .training import embed_targets

# Doubles of a batch's scores or targets: they stay in cache, and products of that size run at full speed.
_BATCH_ENTRIES = 2**18
_BATCH_ROWS = 1024  # at least: sums of outer products are written once for so many rows
_SPARSE_BATCH = 2  # rows of a batch of sparse rows, for each feature


@dataclass(frozen=True)
class RowBatch:
    """A batch of rows, ready for training.

    Attributes
    ----------
    X : array or CSR of shape (n, p), float64
        Finite.
    psi : ndarray or CSR of shape (N, d)
        Embedded targets, not centred.
    first : ndarray of shape (n + 1,) or None
        Row i has the targets ``psi[first[i]:first[i + 1]]``; None for one each.
    weights : ndarray of shape (n,) or None
        Sample weights; None for all 1.
    """

    X: Any
    psi: Any
    first: NDArray[np.int64] | None
    weights: FloatArray | None

    def sizes(self) -> NDArray[np.int64] | None:
        """Return the number of targets of each row, None for one each."""
        return None if self.first is None else np.diff(self.first)

    def row_weights(self) -> FloatArray | None:
        """Return the weight of each row with all its targets; None for all 1."""
        sizes = self.sizes()
        if sizes is None:
            return self.weights
        return sizes.astype(np.float64) if self.weights is None else sizes * self.weights

    def target_weights(self) -> FloatArray | None:
        """Return the weight of each target; None for all 1."""
        sizes = self.sizes()
        return self.weights if sizes is None or self.weights is None else np.repeat(self.weights, sizes)


@dataclass(frozen=True)
class HeldBlock:
    """A block whose rows were read in an earlier pass."""

    batches: tuple[RowBatch, ...]


@dataclass(frozen=True)
class BlockRows:
    """How blocks are read, and what every block must agree with. It can be pickled.

    Attributes
    ----------
    structure : Structure
        With all sizes resolved.
    n_features : int
    names : tuple of str, or None
        Names of the features, which data frames must have.
    share : float or None
        2 over the number of members of the structure, None where that is not known.
    margin : bool
        Whether targets are for the AUC loss, which takes sets of less than half of all members.
    n_threads : int
    remedy : str, default=""
        What else to do about a target that is not in the structure; ends the message.
    """

    structure: Structure
    n_features: int
    names: tuple[str, ...] | None
    share: float | None
    margin: bool
    n_threads: int
    remedy: str = ""

    @classmethod
    def of(
        cls, structure: Structure, n_features: int, names: Any, *, margin: bool, n_threads: int, remedy: str = ""
    ) -> BlockRows:
        """Describe blocks for a structure with all sizes resolved; `names` is an array or None."""
        known = None if names is None else tuple(names)
        return cls(structure, n_features, known, _share(structure), margin, n_threads, remedy)

    @classmethod
    def of_model(cls, model: Any, *, margin: bool, remedy: str = "") -> BlockRows:
        """Describe blocks for an estimator whose structure and features are resolved."""
        names = getattr(model, "feature_names_in_", None)
        threads = get_n_threads(model.n_jobs)
        n_features = model.n_features_in_
        return cls.of(model.structure_, n_features, names, margin=margin, n_threads=threads, remedy=remedy)

    def batches(self, block: Block | HeldBlock, *, check: bool = True) -> Iterator[RowBatch]:
        """Yield the rows of a block, a few at a time; errors name the block and the row as the user counts them.

        Batches must not be changed. Without `check`, NaN and infinity are let through: for rows that an earlier pass
        has checked.
        """
        if isinstance(block, HeldBlock):
            yield from block.batches
            return
        width = max(self.n_features, self.structure.n_features)
        step = max(_BATCH_ENTRIES // width, _BATCH_ROWS)
        if sparse.issparse(block.X) or sparse.issparse(block.y):
            # Products of sparse rows write the whole sum, of p rows, each time; scores and dense targets of so many
            # rows take no more memory than a few arrays of the size of the weights.
            step = max(step, _SPARSE_BATCH * self.n_features)
        for part in block.cut(step):
            with part.errors():
                X = self._inputs(part, check)
                if check:
                    squares = square_norms(X)
                    require_short_rows(squares if part.weights is None else np.where(part.weights > 0, squares, 0.0))
                psi, first = self._targets(part)
            yield RowBatch(X, psi, first, part.weights)

    def _inputs(self, block: Block, check: bool) -> Any:
        X = block.X
        if X.shape[1] != self.n_features:
            raise ValueError(
                f"X has {X.shape[1]} features, the first rows have {self.n_features}: give all rows the same columns"
            )
        columns = getattr(X, "columns", None)
        if self.names is not None and columns is not None and tuple(columns) != self.names:
            raise ValueError(
                f"the columns of X are {list(columns)}, those of the first rows are {list(self.names)}: give all rows "
                "the same columns in the same order"
            )
        if getattr(X, "dtype", np.dtype(float)).kind == "c":
            raise ValueError("Complex data not supported: X must hold real numbers")
        X = X.astype(np.float64, copy=False) if sparse.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
        if check:
            require_finite(X)
        return X

    def _targets(self, block: Block) -> tuple[Any, NDArray[np.int64] | None]:
        try:
            return self._embedded(block)
        except TargetError as error:
            raise TargetError(error.row, error.reason + self.remedy, error.argument) from None

    def _embedded(self, block: Block) -> tuple[Any, NDArray[np.int64] | None]:
        sets = flat_sets(block.y)
        if sets is None:
            few = self.structure.space.embed_sparse(block.y)
            if few is not None:
                return few, None
        targets = embed_targets(self.structure, block.y, sets, None, self.n_threads)
        if targets.first is not None and self.margin:
            self._check_sets(np.diff(targets.first))
        return targets.psi, targets.first

    def _check_sets(self, sizes: NDArray[np.int64]) -> None:
        if self.share is None:
            raise CapabilityError(
                f"{self.structure!r}: the number of its members is not known, which training on sets of outputs needs: "
                "give one output for each row, or a structure that can be counted"
            )
        many = sizes * self.share >= 1.0
        if many.any():
            row = int(np.argmax(many))
            raise TargetError(
                row,
                f"the set has {sizes[row]} correct outputs, loss 'auc' takes fewer than half of all "
                f"{2 / self.share:g}: leave the row out, or use loss 'squared'",
            )


def _share(structure: Structure) -> float | None:
    try:
        log_count = structure.log_count()
        return 2.0 / structure.count() if log_count < 30.0 else 2.0 * math.exp(-log_count)
    except CapabilityError:
        return None


class HeldRows(BlockSource):
    """The rows of another source, read once and held.

    Parameters
    ----------
    source : BlockSource
    rows : BlockRows
        How its blocks are read.
    """

    def __init__(self, source: BlockSource, rows: BlockRows) -> None:
        self._source = source
        batches: list[RowBatch] = source.reduce(_ReadBatches(rows), merge=_joined)
        self._held = HeldBlock(tuple(batches))

    @classmethod
    def where_few(cls, source: BlockSource, rows: BlockRows) -> BlockSource:
        """Return the source itself, or its rows held where they are those of arrays and fill no more than a block."""
        if not isinstance(source, ArrayBlocks):
            return source
        n_bytes = 8 * source.n * (rows.n_features + rows.structure.n_features)
        return cls(source, rows) if n_bytes <= BLOCK_BYTES else source

    def first(self) -> Block:
        return self._source.first()

    def reduce(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        merge: Merge[Result],
        advance: Callable[[], object] | None = None,
    ) -> Result:
        result = function(self._held, *arguments)
        if advance is not None:
            advance()
        return result


@dataclass(frozen=True)
class _ReadBatches:
    rows: BlockRows

    def __call__(self, block: Block) -> list[RowBatch]:
        return list(self.rows.batches(block))


def _joined(one: list[RowBatch], other: list[RowBatch]) -> list[RowBatch]:
    one += other
    return one
