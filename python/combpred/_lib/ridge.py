"""The core's training of structured ridge regression, with kernels or in the weights of features.

``capi/combpred.h`` states the problem and the options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import abi
from .abi import Control
from .arrays import SMALL_BYTES, CountArray, FloatArray, allocate, available_memory, require_memory
from .call import RowInputs, compressed, computed
from .errors import NumericalError
from .session import Session, view
from .structure import Description
from .table import codes, contiguous, fields, floats, in_place, put, read, record


class FitInfo(NamedTuple):
    """How training ended.

    Attributes
    ----------
    objective : float
        The objective at the coefficients returned.
    residual : float
        Relative residual of the stationarity equation.
    n_iter : int
        Iterations of the innermost loop, at least 1.
    n_refine : int
        Refinements in double precision.
    converged : bool
        Whether the residual is at most the tolerance. When it is not, the coefficients are those where the
        solver stopped.
    precision : str
        "single" or "double": of the factors of the kernel matrix. Results are refined in double either way.
    """

    objective: float
    residual: float
    n_iter: int
    n_refine: int
    converged: bool
    precision: str


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
    """

    def __init__(self, psi: Any, weights: Any = None, first: Any = None) -> None:
        self.psi = floats(psi, "psi", None, None)
        self.first = None if first is None else contiguous(first, np.int64)
        self.n = len(self.psi) if self.first is None else len(self.first) - 1
        self.d = self.psi.shape[1]
        self.weights = None if weights is None else floats(weights, "weights", self.n)
        if self.first is not None and self.first[-1] != len(self.psi):
            raise ValueError(f"the sets of outputs end at {self.first[-1]}, psi has {len(self.psi)} rows")

    def take(self, rows: npt.NDArray[np.intp]) -> Targets:
        """Return the outputs of some rows."""
        weights = None if self.weights is None else self.weights[rows]
        if self.first is None:
            return Targets(self.psi[rows], weights)
        starts, sizes = self.first[rows], self.first[rows + 1] - self.first[rows]
        first = np.concatenate([[0], np.cumsum(sizes)])
        outputs = np.repeat(starts - first[:-1], sizes) + np.arange(first[-1])
        return Targets(self.psi[outputs], weights, first)

    def row_weights(self) -> FloatArray | None:
        """Return the weight of each row with all its outputs, of shape (n,), or None for all 1."""
        if self.first is None:
            return self.weights
        sizes = np.diff(self.first).astype(np.float64)
        return sizes if self.weights is None else sizes * self.weights

    @property
    def struct(self) -> abi.CTargets:
        """The struct that the library's calls take."""
        return record(abi.CTargets, n=self.n, psi=self.psi, first=self.first, weights=self.weights)


class Design:
    """Input features for :func:`~combpred._lib.sgd.sgd_fit`.

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


def rows_order(design: Design, targets: Targets, n_threads: int) -> CountArray:
    """Return an order ``(n,)`` of rows that depends on what they hold alone, but for ties."""
    order: CountArray = computed("cp_rows_order", design, targets, n_threads=n_threads)
    return order


def ridge_options(options: dict[str, Any]) -> abi.CRidgeOptions:
    """Return the options of ridge regression as the library takes them.

    Parameters
    ----------
    options : dict
        Of the fields of ``cp_ridge_options``; what is missing has the default there.
    """
    known = {"alpha": 1.0, "tol": 1e-8, **options}
    for name, value in known.items():
        if name == "max_iter":
            known[name] = min(int(value), 2**62)
        elif not isinstance(value, str):
            known[name] = float(value)
    return record(abi.CRidgeOptions, **known)


def ridge_plan(description: Description, options: dict[str, Any], n: int, p: int, nnz: int) -> dict[str, Any]:
    """Say how a problem of `n` rows, `p` features (0: only a kernel) and `nnz` stored entries is best solved.

    Returns
    -------
    dict
        solver, route, precision, distinct, work_single, work_double, route_loo, work_loo_single, work_loo_double, as
        ``cp_ridge_plan`` says.
    """
    plan = computed("cp_ridge_plan", description, ridge_options(options), n, p, nnz, n_threads=1)
    return fields(plan)


def ridge_kernel(
    description: Description,
    options: dict[str, Any],
    kernel: Any,
    targets: Targets,
    work: npt.NDArray[np.uint8],
    *,
    progress: Callable[[int, float], object] | None = None,
    n_threads: int | None = None,
    verbose: int = 0,
) -> tuple[FloatArray, FitInfo]:
    """Train on a symmetric kernel matrix.

    Parameters
    ----------
    description : Description
        The structure.
    options : dict
        As ``capi/combpred.h`` lists them.
    kernel : array of shape (n, n)
        The kernel matrix; C-contiguous float64 is passed without a copy.
    targets : Targets
        The outputs of the n rows.
    work : array of uint8
        Scratch of the size that :func:`ridge_plan` gives. With precision "single" and the bytes for double, double
        precision is taken where single is not enough.
    progress : callable or None, default=None
        Called with (step, relative residual) ten times a second, from another thread.
    n_threads : int or None, default=None
        Threads; None as :func:`get_n_threads` says.
    verbose : int, default=0
        When positive, long calls report progress.

    Returns
    -------
    dual : ndarray of shape (n, d)
    info : FitInfo

    Raises
    ------
    NumericalError
        If the factors are not accurate enough, or the matrix is not positive semi-definite.
    """
    dual, info = computed(
        "cp_ridge_kernel", description, ridge_options(options), kernel, targets, _workspace(work),
        n_threads=n_threads, label="training", verbose=verbose, progress=progress,
    )  # fmt: skip
    return dual, read(FitInfo, info)


def _workspace(work: npt.NDArray[np.uint8]) -> abi.CWorkspace:
    """Return the struct of scratch memory that the caller keeps."""
    in_place(work, "work", work.size, dtype=np.uint8)
    return record(abi.CWorkspace, data=work if work.size else None, bytes=work.size)


def ridge_loo(
    description: Description,
    options: dict[str, Any],
    kernel: Any,
    targets: Targets,
    alphas: Any,
    work: npt.NDArray[np.uint8],
    *,
    n_threads: int | None = None,
    verbose: int = 0,
) -> FloatArray:
    """Return label-removed leave-one-out scores of every row under each penalty, of shape (len(alphas), n, d).

    Parameters and errors are those of :func:`ridge_kernel`; `work` has the bytes that "work_loo_single" or
    "work_loo_double" of :func:`ridge_plan` says. With those of double precision, penalties that are too small for
    ``precision="single"`` are computed in double.
    """
    shape = len(alphas), targets.n, targets.d
    scores = allocate(shape, np.float64, "scores without each row", "take fewer penalties, or fewer rows")
    loo = {"alphas": np.asarray(alphas), "scores": scores}
    computed(
        "cp_ridge_loo", description, ridge_options(options), kernel, targets, loo, _workspace(work),
        n_threads=n_threads, label="leaving one out", verbose=verbose,
    )  # fmt: skip
    return scores


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
    info: FitInfo


@contextmanager
def workspace(
    plan: dict[str, Any], n: int, what: str, remedy: str, *, loo: str = ""
) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield scratch memory for the library's work on n rows; "_loo": to leave rows out.

    Room for double precision is taken where there is some: pages that are not written to cost nothing. Where there is
    none and single precision is not enough, MemoryError says what is missing.
    """
    least, most, beside = plan[f"work{loo}_{plan['precision']}"], plan[f"work{loo}_double"], plan[f"beside{loo}"]
    available = available_memory() if most > SMALL_BYTES else None
    work = np.empty(most if available is None or most + beside <= available else least, dtype=np.uint8)
    try:
        yield work
    except NumericalError:
        if work.nbytes < most:
            require_memory(most + beside, what, remedy, square_rows=n)
        raise


def solve(problem: RidgeProblem, kernel: FloatArray, plan: dict[str, Any]) -> Solution:
    """Solve from the kernel matrix, as planned."""
    options = {**problem.options, "solver": plan["solver"], "precision": plan["precision"]}
    with workspace(plan, problem.n, f"training on {problem.n} rows: the work space", "fit fewer rows") as work:
        dual, info = ridge_kernel(
            problem.description, options, kernel, problem.targets, work, n_threads=problem.n_threads,
            verbose=problem.verbose,
        )  # fmt: skip
    return Solution(dual, plan["solver"], info)


def left_out_scores(problem: RidgeProblem, kernel: FloatArray, alphas: list[float]) -> Iterator[FloatArray]:
    """Yield f(x) of every row, without that row in training, for each penalty: shape (n, d)."""
    problem, n = problem.with_options(solver="closed-form"), problem.n
    plan = problem.plan(0, n * n)
    options = {**problem.options, "precision": plan["precision"]}
    # As many penalties come from one call of the library as memory is wanted for.
    together = max(1, max(8 * n * n, 2**26) // (8 * n * problem.targets.d))
    what = f"leaving out each of {n} rows, in the double precision that so small an alpha needs"
    with workspace(plan, n, what, "take larger alphas, or fewer rows", loo="_loo") as work:
        for at in range(0, len(alphas), together):
            yield from ridge_loo(
                problem.description, options, kernel, problem.targets, alphas[at : at + together], work,
                n_threads=problem.n_threads, verbose=problem.verbose,
            )  # fmt: skip


class RowOutputs:
    """Outputs to learn, of n rows.

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
        self.struct = record(abi.COutputs, n=n, d=d, partial=int(partial), first=first, weights=weights)
        if parts is not None:
            read_in_place = codes(parts, "parts", None, None)
            put(self.struct, parts=read_in_place, mapped=int(mapped and read_in_place is parts))
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
    ) -> tuple[FloatArray, FitInfo]:
        """Train on rows in memory; up to `budget` bytes of copies make passes cheaper. ``n_iter`` counts passes."""
        coef, info = computed(
            "cp_ridge_features", *self._rows(features, outputs), budget, n_threads=self.n_threads, label="training",
            verbose=verbose,
        )  # fmt: skip
        return coef, read(FitInfo, info)

    def add_sums(self, sums: FloatArray, features: RowInputs, outputs: RowOutputs) -> None:
        """Add the sums over rows to those over others, as ``cp_ridge_sums`` lays them out."""
        in_place(sums, "sums", sums_length(features.p, outputs.d))
        computed("cp_ridge_sums", *self._rows(features, outputs), sums=sums, n_threads=self.n_threads)

    def product(self, features: RowInputs, outputs: RowOutputs, direction: FloatArray) -> FloatArray:
        """Return the product with a direction over rows that have been summed, of shape (q, d)."""
        q = features.p + int(self.options["shift"])
        direction = floats(direction, "direction", 2 + 2 * features.p + q * outputs.d)
        product: FloatArray = np.zeros((q, outputs.d))  # to which the library adds
        rows = self._rows(features, outputs)
        computed("cp_ridge_product", *rows, direction, product=product, n_threads=self.n_threads)
        return product

    def solve_elsewhere(
        self,
        p: int,
        add_up: Callable[[], FloatArray],
        multiply: Callable[[FloatArray], FloatArray],
        control: Control,
        verbose: int = 0,
    ) -> tuple[FloatArray, FitInfo]:
        """Train on rows of `p` features that only the caller can read.

        `add_up` returns the sums over all rows that `add_sums` finds, `multiply` those that `product` finds for a
        direction. The residual goes to ``control.value``.
        """
        q, d = p + int(self.options["shift"]), self.description.shape.n_features
        coef, info = np.empty((q, d)), record(abi.CFitInfo)
        with Session(
            "cp_ridge_primal_start", self.description, ridge_options(self.options), p, coef, d, info,
            n_threads=self.n_threads, label="training", verbose=verbose, control=control,
        ) as session:  # fmt: skip
            for request in session:
                if request.ask == abi.ASK_SUMS:
                    view(request.sums, np.float64, sums_length(p, d))[:] = add_up()
                else:
                    direction = view(request.linear, np.float64, 2 + 2 * p + q * d)
                    view(request.results, np.float64, q, d)[:] = multiply(direction)
            return coef, read(FitInfo, info, converged=session.status == abi.OK)

    def _rows(self, features: RowInputs, outputs: RowOutputs) -> tuple[Any, ...]:
        return self.description, ridge_options(self.options), features, outputs


def sums_length(p: int, d: int) -> int:
    """Return the number of sums over rows of p features and outputs of d entries."""
    return 2 + (p + 1) * (p + 1 + d)


def total_weight(sums: FloatArray, p: int) -> float:
    """Return the sum of the weights of all rows, from sums over them."""
    return float(sums[1 + (p + 1) ** 2])
