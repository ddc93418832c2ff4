r"""Structured ridge regression for the linear kernel, with rows that are only ever seen block by block.

The library does the mathematics (``core/solve/primal``). Rows of arrays and of mapped files are given to it as they lie
in memory. Others come in blocks: what it needs of all rows, sums and products, adds up over blocks, wherever they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._data.blocks import ArrayBlocks, Block, BlockSource
from .._data.inputs import require_weight
from .._lib.abi import Control
from .._lib.arrays import SMALL_BYTES, FloatArray, require_memory
from .._lib.ridge import PrimalProblem, sums_length, total_weight
from .rows import BlockRows

# Of copies in the library that make passes cheaper: ψ of a million rows of 64 entries.
HELD_BYTES = 2**26


@dataclass(frozen=True)
class SumRows:
    """Function of a block for `BlockSource.reduce`: the sums over its rows, as ``cp_ridge_sums`` lays them out."""

    rows: BlockRows
    problem: PrimalProblem

    def __call__(self, block: Block) -> FloatArray:
        """Return the sums over the rows of a block, which has some."""
        rows = self.rows
        with rows.errors(block):
            features, outputs = rows.read(block)
            sums: FloatArray = np.zeros(sums_length(features.p, outputs.d))
            self.problem.add_sums(sums, features, outputs)
        return sums


@dataclass(frozen=True)
class MultiplyRows:
    """Function of a block for `BlockSource.reduce`: the product of its rows with a direction."""

    rows: BlockRows
    problem: PrimalProblem

    def __call__(self, block: Block, direction: FloatArray) -> FloatArray:
        """Return the product, which the library asks for."""
        rows = self.rows
        with rows.errors(block):
            features, outputs = rows.read(block)
            return self.problem.product(features, outputs, direction)


def _add(one: FloatArray, other: FloatArray) -> FloatArray:
    one += other
    return one


def solve_blocks(source: BlockSource, rows: BlockRows, problem: PrimalProblem, verbose: int) -> tuple[FloatArray, Any]:
    """Return the weights (q, d) of training on the blocks of a source; ``n_iter`` counts the passes over them.

    Raises
    ------
    ValueError
        For blocks that are not legal, naming block and row, and where sums over rows overflow.
    MemoryError
        When weights and Gram matrix do not fit, before they are allocated.
    """
    _require_memory(rows.n_features + int(problem.options["shift"]), rows.structure.n_features)
    if isinstance(source, ArrayBlocks):
        with rows.errors(source.whole):
            whole = rows.read_whole(source.whole)
            if whole is not None:
                return problem.solve(*whole, budget=HELD_BYTES, verbose=verbose)
    control = Control()

    def advance() -> None:
        control.step += 1

    def add_up() -> FloatArray:
        sums: FloatArray = source.reduce(SumRows(rows, problem), merge=_add, advance=advance)
        require_weight(total_weight(sums, rows.n_features))
        return sums

    def multiply(direction: FloatArray) -> FloatArray:
        product: FloatArray = source.reduce(MultiplyRows(rows, problem), direction, merge=_add, advance=advance)
        return product

    return problem.solve_elsewhere(rows.n_features, add_up, multiply, control, verbose)


def solve_sums(sums: FloatArray, n_features: int, problem: PrimalProblem) -> tuple[FloatArray, Any]:
    """Return the weights (q, d) of least squared loss, which needs no more than the sums."""
    require_weight(total_weight(sums, n_features))
    return problem.solve_elsewhere(n_features, lambda: sums, _no_product, Control())


def _no_product(direction: FloatArray) -> FloatArray:
    raise AssertionError("squared loss needs no products")


def _require_memory(q: int, d: int) -> None:
    needed = 8 * (4 * q * q + 14 * q * d)
    if needed > SMALL_BYTES:
        require_memory(
            needed,
            f"training on {q} features: the Gram matrix with its eigendecomposition, and weights of {d} scores",
            "take solver='closed-form' when there are fewer rows than features, or select features",
        )
