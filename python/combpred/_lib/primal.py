"""The core's training of structured ridge regression in the weights of features, on rows here or elsewhere.

``capi/combpred.h`` states the problem and the options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import abi
from .arrays import FloatArray
from .call import RowInputs, call, codes, compressed, contiguous, floats, put, record
from .ridge import FitInfo, fit_info, ridge_options
from .structure import Description

_PASSES = 20  # of products, in estimates of the work


class RowOutputs:
    """RowOutputs to learn, of n rows.

    Parameters
    ----------
    n : int
    d : int
        Number of entries of ψ.
    parts : array of shape (N, part_len) or None, default=None
        Encoded outputs.
    partial : bool, default=False
        Whether they may be known in part.
    psi : array or CSR of shape (N, d) or None, default=None
        Embedded outputs, where there are no parts.
    first : array of shape (n + 1,) or None, default=None
        Row i has the outputs ``first[i]`` to ``first[i + 1] - 1``; None for one each, N = n.
    weights : array of shape (n,) or None, default=None
        Sample weights; None for all 1.
    mapped : bool, default=False
        Whether `parts` is a view of a file mapped read-only, whose pages are given back once they are read.
    """

    def __init__(
        self,
        n: int,
        d: int,
        *,
        parts: Any = None,
        partial: bool = False,
        psi: Any = None,
        first: Any = None,
        weights: FloatArray | None = None,
        mapped: bool = False,
    ) -> None:
        self.d = d
        struct = record(abi.COutputs, n=n, d=d, partial=int(partial))
        arrays: dict[str, npt.NDArray[Any]] = {}
        if parts is not None:
            arrays["parts"] = codes(parts, "parts", None, None)
            struct.part_len, struct.mapped = parts.shape[1], int(mapped and arrays["parts"] is parts)
        elif hasattr(psi, "tocsr"):
            struct.nnz = int(psi.nnz)
            arrays |= compressed(psi)
        else:
            arrays["psi"] = floats(psi, "psi", None, d)
        if first is not None:
            arrays["first"] = contiguous(first, np.int64)
        if weights is not None:
            arrays["weights"] = floats(weights, "weights", n)
        self.struct = put(struct, **arrays)


@dataclass(frozen=True)
class PrimalProblem:
    """A training problem but for its rows.

    Attributes
    ----------
    description : Description
        The structure.
    options : dict
        Of the fields of ``cp_ridge_options``; "shift" is 1.0 for a constant feature, 0.0 for none.
    n_threads : int
    """

    description: Description
    options: dict[str, Any]
    n_threads: int

    def solve(
        self, features: RowInputs, outputs: RowOutputs, *, budget: int, verbose: int = 0
    ) -> tuple[FloatArray, FitInfo]:
        """Train on rows in memory; up to `budget` bytes of copies make passes cheaper. ``n_iter`` counts passes."""
        coef: FloatArray = np.empty((features.p + int(self.options["shift"]), outputs.d))
        info = record(abi.CFitInfo)
        status = call(
            "cp_ridge_features", *self._rows(features, outputs), budget, coef, info, n_threads=self.n_threads,
            flops=_PASSES * self._work(features, outputs), label="training", verbose=verbose,
        )  # fmt: skip
        return coef, fit_info(info, status)

    def add_sums(self, sums: FloatArray, features: RowInputs, outputs: RowOutputs) -> None:
        """Add the sums over rows to those over others, as ``cp_ridge_sums`` lays them out."""
        self._check(sums, sums_length(features.p, outputs.d))
        work = self._work(features, outputs) + features.n * features.width**2
        rows = self._rows(features, outputs)
        call("cp_ridge_sums", *rows, sums, n_threads=self.n_threads, flops=work)

    def product(self, features: RowInputs, outputs: RowOutputs, direction: FloatArray) -> FloatArray:
        """Return the product with a direction over rows that have been summed, of shape (q, d)."""
        q = features.p + int(self.options["shift"])
        direction = floats(direction, "direction", 2 + 2 * features.p + q * outputs.d)
        product: FloatArray = np.zeros((q, outputs.d))
        call(
            "cp_ridge_product", *self._rows(features, outputs), direction, product, n_threads=self.n_threads,
            flops=self._work(features, outputs),
        )  # fmt: skip
        return product

    def _rows(self, features: RowInputs, outputs: RowOutputs) -> tuple[Any, ...]:
        return self.description, ridge_options(self.options), features, outputs

    def _work(self, features: RowInputs, outputs: RowOutputs) -> float:
        return float(4.0 * features.n * features.width * outputs.d)

    def _check(self, array: FloatArray, size: int) -> None:
        if array.dtype != np.float64 or array.shape != (size,) or not array.flags.carray:
            raise ValueError(f"sums must be a writeable array of {size} doubles")


def sums_length(p: int, d: int) -> int:
    """Return the number of sums over rows of p features and outputs of d entries."""
    return 2 + (p + 1) * (p + 1 + d)


class PrimalMachine:
    """The solver for rows that only the caller can read: it says what it needs next.

    Parameters
    ----------
    problem : PrimalProblem
    p : int
        Number of features.

    Attributes
    ----------
    residual : float
        How far it is: the relative residual.
    """

    def __init__(self, problem: PrimalProblem, p: int) -> None:
        self._problem, self._p = problem, p
        self._options = ridge_options(problem.options)
        self._sizes, self._step, self._info = record(abi.CPrimalSizes), record(abi.CPrimalStep), record(abi.CFitInfo)
        call("cp_ridge_primal_sizes", problem.description, self._options, p, self._sizes)
        self._state: FloatArray = np.zeros(self._sizes.state)
        self._status = abi.OK

    def next(self, answer: FloatArray | None = None) -> tuple[str, FloatArray]:
        """Take the answer to the last request, and return the next: "sums", "product" with a direction, or "done"."""
        if answer is not None:
            reply = self._step.reply
            self._state[reply : reply + answer.size] = answer.ravel()
        self._status = call(
            "cp_ridge_primal", self._problem.description, self._options, self._p, self._state.ctypes.data,
            len(self._state), self._step, self._info, n_threads=self._problem.n_threads,
            flops=10.0 * self._sizes.q**2 * (self._sizes.q + self._sizes.d),
        )  # fmt: skip
        request: bytes = self._step.request
        at = self._step.direction
        return request.decode(), self._state[at : at + self._sizes.direction]

    @property
    def residual(self) -> float:
        """How far it is: the relative residual."""
        residual: float = self._info.residual
        return residual

    @property
    def info(self) -> FitInfo:
        """How training ended, once it has."""
        return fit_info(self._info, self._status)

    @property
    def coef(self) -> FloatArray:
        """The weights (q, d), once it is done."""
        at, shape = self._step.coef, (self._sizes.q, self._sizes.d)
        weights: FloatArray = self._state[at : at + shape[0] * shape[1]].reshape(shape).copy()
        return weights
