"""Blocks of rows as training reads them, for the library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._data.blocks import BLOCK_BYTES, Block
from .._data.inputs import is_mapped, release_pages, require_finite, take_rows
from .._data.targets import TargetError, flat_sets
from .._lib.call import RowInputs, are_read_in_place, get_n_threads
from .._lib.errors import RowError
from .._lib.ridge import RowOutputs
from ..structures import Structure
from .training import TrainingRows, embed_targets, encode_sets

_STRIP_ROWS = 2**15  # of targets that are encoded at a time
_COPIED_BYTES = 2**26  # most of encoded targets that are held as a whole, beside those of the user


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
    def of_model(cls, model: Any, *, remedy: str = "") -> BlockRows:
        """Describe blocks for an estimator whose structure and features are resolved."""
        names = getattr(model, "feature_names_in_", None)
        known = None if names is None else tuple(names)
        return cls(model.structure_, model.n_features_in_, known, get_n_threads(model.n_jobs), remedy)

    def read(self, block: Block) -> tuple[RowInputs, RowOutputs]:
        """Return the rows of a block as the library reads them; to be called within `errors`."""
        X = self._suitable(block.X)
        if not are_read_in_place(X):
            X = _as_doubles(X)
        return RowInputs(X), self._outputs(block)

    def read_whole(self, block: Block) -> tuple[RowInputs, RowOutputs] | None:
        """Return all rows as the library reads them, None where they would have to be copied and are too many.

        Rows of mapped files are read in place, and given back.
        """
        X, d = self._suitable(block.X), self.structure.n_features
        width = X.nnz / max(X.shape[0], 1) if sparse.issparse(X) else self.n_features
        if not are_read_in_place(X):
            if 8 * block.n * width > BLOCK_BYTES:
                return None
            X = _as_doubles(X)
        if flat_sets(block.y) is None and not sparse.issparse(block.y) and block.n > _STRIP_ROWS:
            n_bytes = 4 * self.structure.space.part_len * block.n
            if getattr(block.y, "dtype", None) != np.int32 and n_bytes > _COPIED_BYTES:
                return None
            outputs = self._encoded_in_strips(block)
        elif 8 * block.n * d > BLOCK_BYTES and not sparse.issparse(block.y) and not self._has_parts():
            return None
        else:
            outputs = self._outputs(block)
        return None if outputs is None else (RowInputs(X, mapped=is_mapped(X)), outputs)

    @contextmanager
    def errors(self, block: Block) -> Iterator[None]:
        """Name block and row, as the user counts them, in what the library or this class raises about a block."""
        with block.errors():
            try:
                yield
            except TargetError as error:
                raise TargetError(error.row, error.reason + self.remedy, error.argument) from None
            except RowError as error:
                rows = take_rows(block.X, slice(error.row, error.row + 1))
                require_finite(_as_doubles(rows), block.number(error.row), self.names)
                raise

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
            targets = embed_targets(self.structure, TrainingRows(None, block.y, sets, None), self.n_threads)
            return RowOutputs(n, d, psi=targets.psi, first=targets.first, weights=weights)
        if sets is not None:
            return RowOutputs(n, d, parts=encode_sets(self.structure, sets), first=sets.first, weights=weights)
        parts, partial = self.structure.encode_targets(block.y)
        return RowOutputs(n, d, parts=parts, partial=partial, weights=weights)

    def _encoded_in_strips(self, block: Block) -> RowOutputs | None:
        """Return the targets of many rows, of whose y one strip at a time is copied; None if only `_outputs` can."""
        parts, partial = None, False
        if not self._has_parts():
            return None
        if self.structure.embed_sparse(take_rows(block.y, slice(0, 1))) is not None:  # an entry a row
            return self._outputs(block)
        for lo in range(0, block.n, _STRIP_ROWS):
            strip = take_rows(block.y, slice(lo, min(lo + _STRIP_ROWS, block.n)))
            try:
                encoded, some = self.structure.encode_targets(strip)
            except TargetError as error:
                raise TargetError(error.row + lo, error.reason, error.argument) from None
            partial |= some
            if parts is None and not (isinstance(strip, np.ndarray) and _is_same(encoded, strip)):
                if 4 * block.n * encoded.shape[1] > _COPIED_BYTES:
                    return None
                parts = np.empty((block.n, encoded.shape[1]), dtype=np.int32)
                parts[:lo] = block.y[:lo] if lo else 0
            if parts is not None:
                parts[lo : lo + len(encoded)] = encoded
            release_pages(strip)
        mapped = parts is None and is_mapped(block.y)
        parts = np.asarray(block.y) if parts is None else parts
        return RowOutputs(
            block.n, self.structure.n_features, parts=parts, partial=partial, weights=block.weights, mapped=mapped
        )


def _as_doubles(X: Any) -> Any:
    """Return inputs as an array or CSR of float64."""
    if hasattr(X, "iloc"):  # pandas has values of its own where a number is missing
        X = X.to_numpy(dtype=np.float64, na_value=np.nan)
    return X.astype(np.float64, copy=False) if sparse.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)


def _is_same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Return whether two arrays are the same numbers in the same place."""
    return one.dtype == other.dtype and one.shape == other.shape and one.ctypes.data == other.ctypes.data
