"""The core's training of structured ridge regression, with kernels or in the weights of features.

``capi/combpred.h`` states the problem and the options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from . import abi
from .abi import Control
from .arrays import SMALL_BYTES, FloatArray, allocate, available_memory, require_memory, taken_ranges
from .call import RowInputs, Session, compressed, computed, view
from .errors import NumericalError
from .structure import Description
from .table import contiguous, put, record


@dataclass(eq=False)
class Targets:
    """Outputs to learn.

    Parameters
    ----------
    psi : array of shape (N, d)
        Embedded outputs, not centred.
    weights : array of shape (n,) or None, default=None
        Sample weights; None for all 1.
    first : array of shape (n + 1,) or None, default=None
        Row i has the outputs ``psi[first[i]:first[i + 1]]``, all equally correct; None for one output each, N = n.
    parts : array of shape (N, part_len) or None, default=None
        The outputs, where the library knows them.
    partial : bool, default=False
        Whether they may be known in part.
    """

    psi: Any
    weights: FloatArray | None = None
    first: Any = None
    parts: Any = None
    partial: bool = False

    def __post_init__(self) -> None:
        self.psi = contiguous(self.psi, np.float64)
        self.first = None if self.first is None else contiguous(self.first, np.int64)
        self.n = len(self.psi) if self.first is None else len(self.first) - 1
        self.d = self.psi.shape[1]
        if self.first is not None and self.first[-1] != len(self.psi):
            raise ValueError(f"the sets of outputs end at {self.first[-1]}, psi has {len(self.psi)} rows")

    def take(self, rows: npt.NDArray[np.intp]) -> Targets:
        """Return the outputs of some rows."""
        weights = None if self.weights is None else self.weights[rows]
        if self.first is None:
            parts = None if self.parts is None else self.parts[rows]
            return Targets(self.psi[rows], weights, None, parts, self.partial)
        first, outputs = taken_ranges(self.first, rows)
        return Targets(self.psi[outputs], weights, first, None if self.parts is None else self.parts[outputs])

    @property
    def are_whole(self) -> bool:
        """Whether every row has one output, of which no label is unknown."""
        return self.first is None and (not self.partial or self.parts.min(initial=0) >= 0)

    def mean_psi(self) -> FloatArray:
        """Return ψ of each row, of several outputs the mean, of shape (n, d)."""
        if self.first is None:
            return self.psi
        means: FloatArray = np.add.reduceat(self.psi, self.first[:-1]) / np.diff(self.first)[:, np.newaxis]
        return means

    def row_weights(self) -> FloatArray | None:
        """Return the weight of each row with all its outputs, of shape (n,), or None for all 1."""
        if self.first is None:
            return self.weights
        sizes = np.diff(self.first).astype(np.float64)
        return sizes if self.weights is None else sizes * self.weights

    @property
    def struct(self) -> abi.CTargets:
        """The struct that the library's calls take."""
        return record(abi.CTargets, n=self.n, psi=self.psi, first=self.first, weights=self.weights, parts=self.parts)


class Design:
    """Input features for passes over rows.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        Features, dense or compressed by rows. Other sparse formats are converted.
    intercept : bool, default=False
        Whether a constant feature of value 1 is appended, as the last one.
    """

    def __init__(self, X: Any, *, intercept: bool = False) -> None:
        self.n, self.p = X.shape
        self.n_weights = self.p + int(intercept)
        arrays = compressed(X.tocsr()) if hasattr(X, "tocsr") else {"dense": np.asarray(X)}
        self.struct = record(abi.CDesign, n=self.n, p=self.p, intercept=int(intercept), **arrays)


def ridge_plan(description: Description, options: dict[str, Any], n: int, p: int, nnz: int) -> dict[str, Any]:
    """Say how a problem of `n` rows, `p` features (0: only a kernel) and `nnz` stored entries is best solved.

    Parameters
    ----------
    options : dict
        Of the fields of ``cp_ridge_options``; what is missing has the default there.

    Returns
    -------
    dict
        solver, route, precision, distinct, work_single, work_double, route_loo, work_loo_single, work_loo_double, as
        ``cp_ridge_plan`` says.
    """
    return vars(computed("cp_ridge_plan", description, options, n, p, nnz, n_threads=1))


@dataclass(frozen=True)
class RidgeProblem:
    """The training problem: a structure, its outputs, and the options of the library's training calls."""

    description: Description
    targets: Targets
    options: dict[str, Any]
    n_threads: int
    verbose: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.targets.n

    def with_options(self, **options: Any) -> RidgeProblem:
        """Return the same problem with other options, or more."""
        return replace(self, options={**self.options, **options})

    def plan(self, n_features: int, n_stored: int) -> dict[str, Any]:
        """Ask the library how to solve it; n_features = 0 when only a kernel is given."""
        return ridge_plan(self.description, self.options, self.n, n_features, n_stored)


@dataclass(frozen=True)
class Solution:
    """Coefficients, and how they were found."""

    coefficients: FloatArray  # dual (n, d), or primal (q, d)
    solver: str
    info: Any  # what ``cp_fit_info`` says, and whether training has converged


@contextmanager
def workspace(plan: dict[str, Any], n: int, what: str, remedy: str, *, loo: str = "") -> Iterator[dict[str, Any]]:
    """Yield the fields of ``cp_workspace``, scratch memory for the library's work on n rows; "_loo": to leave rows out.

    Room for double precision is taken where there is some: pages that are not written to cost nothing. Where there is
    none and single precision is not enough, MemoryError says what is missing.
    """
    least, most, beside = plan[f"work{loo}_{plan['precision']}"], plan[f"work{loo}_double"], plan[f"beside{loo}"]
    available = available_memory() if most > SMALL_BYTES else None
    work = np.empty(most if available is None or most + beside <= available else least, dtype=np.uint8)
    try:
        yield {"data": work, "bytes": work.nbytes}
    except NumericalError:
        if work.nbytes < most:
            require_memory(most + beside, what, remedy, square_rows=n)
        raise


def solve(problem: RidgeProblem, kernel: FloatArray, plan: dict[str, Any]) -> Solution:
    """Solve from the kernel matrix, as planned."""
    options = {**problem.options, "solver": plan["solver"], "precision": plan["precision"]}
    with workspace(plan, problem.n, f"training on {problem.n} rows: the work space", "fit fewer rows") as work:
        dual, info = computed(
            "cp_ridge_kernel", problem.description, options, kernel, problem.targets, work,
            n_threads=problem.n_threads, label="training", verbose=problem.verbose,
        )  # fmt: skip
    return Solution(dual, plan["solver"], info)


def left_out_scores(
    problem: RidgeProblem, matrix: FloatArray, alphas: list[float], *, p: int = 0
) -> Iterator[FloatArray]:
    """Yield f(x) of every row, without that row in training, for each penalty: shape (n, d).

    The matrix holds the values of the kernel, or p features, whose linear kernel it is.
    """
    problem, n, d = problem.with_options(solver="closed-form"), problem.n, problem.targets.d
    plan = problem.plan(p, 0)
    options = {**problem.options, "precision": plan["precision"]}
    # As many penalties come from one call of the library as memory is wanted for.
    together = max(1, max(0 if p else 8 * n * n, 2**26) // (8 * n * d))
    what = f"leaving out each of {n} rows, in the double precision that so small an alpha needs"
    with workspace(plan, n, what, "take larger alphas, or fewer rows", loo="_loo") as work:
        for at in range(0, len(alphas), together):
            some = np.array(alphas[at : at + together])
            scores = allocate((len(some), n, d), np.float64, "scores without each row", "take fewer penalties or rows")
            computed(
                "cp_ridge_loo", problem.description, options, matrix, problem.targets,
                {"p": p, "alphas": some, "scores": scores}, work, n_threads=problem.n_threads, label="leaving one out",
                verbose=problem.verbose,
            )  # fmt: skip
            yield from scores


class RowOutputs:
    """Outputs to learn, of n rows.

    Parameters
    ----------
    n : int
    d : int
        Number of entries of ψ.
    parts : array of shape (N, part_len) or None, default=None
        Encoded outputs.
    psi : array or CSR of shape (N, d) or None, default=None
        Embedded outputs, where there are no parts.
    **fields
        Of ``cp_outputs``: whether the parts are `partial`; `first` (n + 1,), where each row's outputs begin, None for
        one each; `weights` (n,), None for all 1.
    """

    def __init__(self, n: int, d: int, *, parts: Any = None, psi: Any = None, **fields: Any) -> None:
        self.d = d
        self.struct = record(abi.COutputs, n=n, d=d, **fields)
        if parts is not None:
            put(self.struct, parts=parts)
        else:
            put(self.struct, **(compressed(psi) if hasattr(psi, "tocsr") else {"psi": np.asarray(psi)}))


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
    ) -> tuple[FloatArray, Any]:
        """Train on rows in memory; up to `budget` bytes of copies make passes cheaper.

        Returns the weights and what ``cp_fit_info`` says, of which ``n_iter`` counts passes.
        """
        return self._computed("cp_ridge_features", features, outputs, budget, label="training", verbose=verbose)

    def sums(self, features: RowInputs, outputs: RowOutputs) -> FloatArray:
        """Return the sums over rows, as ``cp_ridge_sums`` lays them out."""
        sums: FloatArray = np.zeros(_sums_length(features.p, outputs.d))
        self._computed("cp_ridge_sums", features, outputs, sums=sums)  # which adds to them
        return sums

    def product(self, features: RowInputs, outputs: RowOutputs, direction: FloatArray) -> FloatArray:
        """Return the product with a direction over rows that have been summed, of shape (q, d)."""
        product: FloatArray = np.zeros((features.p + int(self.options["shift"]), outputs.d))
        self._computed("cp_ridge_product", features, outputs, direction, product=product)  # which adds to it
        return product

    def _computed(self, function: str, *arguments: Any, **named: Any) -> Any:
        return computed(function, self.description, self.options, *arguments, n_threads=self.n_threads, **named)

    def solve_elsewhere(
        self,
        p: int,
        add_up: Callable[[], FloatArray],
        multiply: Callable[[FloatArray], FloatArray] | None = None,
        control: Control | None = None,
        verbose: int = 0,
    ) -> tuple[FloatArray, Any]:
        """Train on rows of `p` features that only the caller can read.

        `add_up` returns the sums over all rows that `sums` finds, `multiply` those that `product` finds for a
        direction, which least squared loss does not need. The residual goes to ``control.value``.
        """
        q, d = p + int(self.options["shift"]), self.description.shape.n_features
        with Session(
            "cp_ridge_primal_start", self.description, self.options, p, d=d, n_threads=self.n_threads, control=control,
            label="training", verbose=verbose,
        ) as session:  # fmt: skip
            for request in session:
                if request.ask == abi.ASK_SUMS:
                    view(request.sums, np.float64, _sums_length(p, d))[:] = add_up()
                else:
                    assert multiply is not None
                    direction = view(request.linear, np.float64, 2 + 2 * p + q * d)
                    view(request.results, np.float64, q, d)[:] = multiply(direction)
            return session.results()


def _sums_length(p: int, d: int) -> int:
    """Return the number of sums over rows of p features and outputs of d entries."""
    return 2 + (p + 1) * (p + 1 + d)


def total_weight(sums: FloatArray, p: int) -> float:
    """Return the sum of the weights of all rows, from sums over them."""
    return float(sums[1 + (p + 1) ** 2])
