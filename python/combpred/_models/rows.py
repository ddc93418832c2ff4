"""Blocks of rows as training reads them, for the library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from .._data.blocks import BLOCK_BYTES, Block, BlockSource
from .._data.inputs import in_double, is_mapped, read_inputs, release_pages
from .._data.targets import TargetError, flat_sets
from .._lib.call import RowInputs, are_read_in_place, get_n_threads
from .._lib.ridge import RowOutputs
from ..structures import Structure
from .training import block_labels, embed_targets, encode_sets, require_linear, structure_of, takes_classes

_PARTS_BYTES = 2**26  # most of encoded targets that are held as a whole, beside those of the user


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
    n_threads : int
    remedy : str, default=""
        What else to do about a target that is not in the structure; ends the message.
    """

    structure: Structure
    n_features: int
    names: tuple[str, ...] | None
    n_threads: int
    remedy: str = ""

    @classmethod
    def of_model(cls, model: Any, structure: Structure | None = None, remedy: str = "") -> BlockRows:
        """Describe blocks for an estimator whose features are resolved, and its structure, if none is given."""
        names = getattr(model, "feature_names_in_", None)
        known = None if names is None else tuple(names)
        structure = model.structure_ if structure is None else structure
        return cls(structure, model.n_features_in_, known, get_n_threads(model.n_jobs), remedy)

    @classmethod
    def of_source(cls, model: Any, source: BlockSource, classes: Any = None) -> BlockRows:
        """Describe the blocks of a source, from the first one or `classes`, and set the features of the estimator.

        Classes that a source gathers, as dask collections do, are those of all blocks.
        """
        require_linear(model, "training on blocks")
        if model.class_weight is not None:
            raise ValueError(
                f"class_weight={model.class_weight!r} is for rows that come at once: give blocks their weights"
            )
        first, remedy = source.first(), ""
        with first.errors():
            read_inputs(model, first.X, reset=True, dtype="numeric")
            if classes is None and takes_classes(model.structure, first.y):
                if source.gathers_classes:
                    classes = source.reduce(block_labels, merge=np.union1d)
                else:
                    remedy = ": pass classes, the list of all labels, which are else those of the first block"
            return cls.of_model(model, structure_of(model.structure, first.y, classes), remedy)

    def read(self, block: Block) -> tuple[RowInputs, RowOutputs]:
        """Return the rows of a block as the library reads them; to be called within `errors`."""
        X = self._suitable(block.X)
        return RowInputs(X if are_read_in_place(X) else in_double(X, names=self.names)), self._outputs(block)

    def read_whole(self, block: Block) -> tuple[RowInputs, RowOutputs] | None:
        """Return all rows as the library reads them, None where they would have to be copied and are too many.

        Rows of mapped files are read in place, and given back.
        """
        X, d = self._suitable(block.X), self.structure.n_features
        in_place = are_read_in_place(X)
        width = X.nnz / max(X.shape[0], 1) if sparse.issparse(X) else self.n_features
        n_bytes, most = (4 * self.structure.space.part_len, _PARTS_BYTES) if self._has_parts() else (8 * d, BLOCK_BYTES)
        if (not in_place and 8 * block.n * width > BLOCK_BYTES) or (
            block.n * n_bytes > most and not sparse.issparse(block.y)
        ):
            return None
        outputs = self._outputs(block)
        release_pages(block.y)
        return RowInputs(X if in_place else in_double(X, names=self.names), mapped=is_mapped(X)), outputs

    @contextmanager
    def errors(self, block: Block) -> Iterator[None]:
        """Name block and row, as the user counts them, in what the library or this class raises about a block."""
        with block.errors():
            try:
                yield
            except TargetError as error:
                raise TargetError(error.row, error.reason + self.remedy, error.argument) from None

    def _suitable(self, X: Any) -> Any:
        """Return the inputs of a block after checking that they have the features of all blocks, and real numbers."""
        if X.shape[1] != self.n_features:
            raise ValueError(
                f"X has {X.shape[1]} features, the first rows have {self.n_features}: give all rows the same columns"
            )
        columns = X.column_names if hasattr(X, "column_names") else getattr(X, "columns", None)  # Arrow's are arrays
        if self.names is not None and columns is not None and tuple(columns) != self.names:
            raise ValueError(
                f"the columns of X are {list(columns)}, those of the first rows are {list(self.names)}: give all rows "
                "the same columns in the same order"
            )
        if getattr(X, "dtype", np.dtype(float)).kind == "c":
            raise ValueError("Complex data not supported: X must hold real numbers")
        return X

    def _has_parts(self) -> bool:
        return self.structure.space.parts_dtype != np.object_

    def _outputs(self, block: Block) -> RowOutputs:
        """Return the targets of a block."""
        n, d, weights = block.n, self.structure.n_features, block.weights
        sets = flat_sets(block.y)
        if sets is None:
            few = self.structure.embed_sparse(block.y)
            if few is not None:
                return RowOutputs(n, d, psi=few, weights=weights)
        if not self._has_parts():
            targets = embed_targets(self.structure, block.y, sets, None, self.n_threads)
            return RowOutputs(n, d, psi=targets.psi, first=targets.first, weights=weights)
        if sets is not None:
            return RowOutputs(n, d, parts=encode_sets(self.structure, sets), first=sets.first, weights=weights)
        parts, partial = self.structure.encode_targets(block.y)
        return RowOutputs(n, d, parts=parts, partial=partial, weights=weights)
