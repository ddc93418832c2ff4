"""The core's training of structured ridge regression, on arrays.

``capi/combpred.h`` states the problem and the options.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _abi
from ._calls import Description, FloatArray, StructureArgument, address, call, floats, options_argument
from ._config import get_n_threads

_PLAN_BYTES = 4096
# Conjugate gradient takes some tens of steps; this many stand for them in estimates of the work.
_STEPS = 40


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
    """

    objective: float
    residual: float
    n_iter: int
    n_refine: int
    converged: bool


class Design:
    """Input features for :func:`ridge_primal`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        Features, dense or compressed by rows. Other sparse formats are converted.
    intercept : bool, default=False
        Whether a constant feature of value 1 is appended, as the last one.
    """

    def __init__(self, X: Any, *, intercept: bool = False) -> None:
        self.n, self.p = X.shape
        self._arrays: list[npt.NDArray[Any]] = []
        struct = _abi.CDesign(n=self.n, p=self.p, intercept=int(intercept))
        if hasattr(X, "tocsr"):
            rows, columns = X.tocsr(), X.T.tocsr()
            self.nnz = int(rows.nnz)
            struct.data, struct.indices, struct.indptr = self._compressed(rows)
            struct.t_data, struct.t_indices, struct.t_indptr = self._compressed(columns)
        else:
            self._arrays.append(floats(X, "X", None, None))
            self.nnz = self.n * self.p
            struct.dense = address(self._arrays[0])
        struct.nnz = self.nnz
        self._struct = struct
        self._as_parameter_ = ctypes.addressof(struct)
        self.n_weights = self.p + int(intercept)

    def _compressed(self, X: Any) -> tuple[int, int, int]:
        kept: list[npt.NDArray[Any]] = [
            np.ascontiguousarray(X.data, dtype=np.float64),
            np.ascontiguousarray(X.indices, dtype=np.int32),
            np.ascontiguousarray(X.indptr, dtype=np.int64),
        ]
        self._arrays += kept
        return kept[0].ctypes.data, kept[1].ctypes.data, kept[2].ctypes.data


def check_kernel(kernel: FloatArray, *, n_threads: int | None = None) -> None:
    """Raise ValueError unless a kernel matrix is finite and symmetric up to 1e-6 of its largest entry. Cost O(n²).

    The message names the row, the column and the remedy.
    """
    n = len(kernel)
    n_threads = get_n_threads() if n_threads is None else n_threads
    call("cp_kernel_check", address(floats(kernel, "kernel", n, n)), n, n_threads=n_threads, flops=2.0 * n * n)


def ridge_plan(description: Description, options: dict[str, Any], n: int, p: int, nnz: int) -> dict[str, Any]:
    """Say how a problem of `n` rows, `p` features (0: only a kernel) and `nnz` stored entries is best solved.

    Returns
    -------
    dict
        solver, route, precision, distinct, work_single, work_double, route_loo, work_loo_single, work_loo_double, as
        ``cp_ridge_plan`` says.
    """
    plan = ctypes.create_string_buffer(_PLAN_BYTES)
    call("cp_ridge_plan", StructureArgument(description), *options_argument(options), n, p, nnz, plan, _PLAN_BYTES)
    answer: dict[str, Any] = json.loads(plan.value)
    return answer


def ridge_kernel(
    description: Description,
    options: dict[str, Any],
    kernel: Any,
    psi: Any,
    weights: Any,
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
    psi : array of shape (n, d)
        Embedded outputs.
    weights : array of shape (n,) or None
        Sample weights.
    work : array of uint8
        Scratch of the size that :func:`ridge_plan` gives.
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
        If the factors are not accurate enough for ``precision="single"``, or the matrix is not positive semi-definite.
    """
    psi, weights = _outputs(psi, weights)
    n, d = psi.shape
    kernel = floats(kernel, "kernel", n, n)
    _check_work(work)
    dual, info = np.empty((n, d)), _abi.CFitInfo()
    status = call(
        "cp_ridge_kernel",
        StructureArgument(description),
        *options_argument(options),
        address(kernel),
        n,
        address(psi),
        d,
        address(weights),
        address(work) if work.size else None,
        work.size,
        address(dual),
        ctypes.addressof(info),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        flops=float(n) * n * (n + _STEPS * d),
        label="training",
        verbose=verbose,
        progress=progress,
    )
    return dual, _fit_info(info, status)


def ridge_spectral(
    description: Description,
    options: dict[str, Any],
    eigenvalues: Any,
    vectors: Any,
    psi: Any,
    weights: Any,
    *,
    n_threads: int | None = None,
    verbose: int = 0,
) -> tuple[FloatArray, FitInfo]:
    """Train from the eigendecomposition of ``D (K + shift) D``, ``D = diag(sqrt(weights))``.

    `eigenvalues` (n,) and `vectors` (n, n), one eigenvector a column, are given by the caller; the rest is as for
    :func:`ridge_kernel`.
    """
    psi, weights = _outputs(psi, weights)
    n, d = psi.shape
    eigenvalues, vectors = floats(eigenvalues, "eigenvalues", n), floats(vectors, "vectors", n, n)
    dual, info = np.empty((n, d)), _abi.CFitInfo()
    status = call(
        "cp_ridge_spectral",
        StructureArgument(description),
        *options_argument(options),
        address(eigenvalues),
        address(vectors),
        n,
        address(psi),
        d,
        address(weights),
        address(dual),
        ctypes.addressof(info),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        flops=float(_STEPS) * n * n * d,
        label="training",
        verbose=verbose,
    )
    return dual, _fit_info(info, status)


def _check_work(work: npt.NDArray[np.uint8]) -> None:
    if work.dtype != np.uint8 or not work.flags.c_contiguous or not work.flags.writeable:
        raise ValueError("work must be a contiguous, writeable array of uint8")


def ridge_kernel_loo(
    description: Description,
    options: dict[str, Any],
    kernel: Any,
    psi: Any,
    weights: Any,
    work: npt.NDArray[np.uint8],
    *,
    n_threads: int | None = None,
    verbose: int = 0,
) -> FloatArray:
    """Return label-removed leave-one-out scores of every row, of shape (n, d).

    Parameters and errors are those of :func:`ridge_kernel`; `work` has the bytes that "work_loo_single" or
    "work_loo_double" of :func:`ridge_plan` says when its "route_loo" is "factor".
    """
    n = len(psi)
    kernel = floats(kernel, "kernel", n, n)
    return _leave_one_out(
        "cp_ridge_kernel_loo", description, options, (address(kernel),), psi, weights, work, n_threads, verbose
    )


def ridge_spectral_loo(
    description: Description,
    options: dict[str, Any],
    eigenvalues: Any,
    vectors: Any,
    psi: Any,
    weights: Any,
    work: npt.NDArray[np.uint8],
    *,
    n_threads: int | None = None,
    verbose: int = 0,
) -> FloatArray:
    """Do the same for loss "auc" from an eigendecomposition, where "route_loo" is "spectral".

    Parameters are those of :func:`ridge_spectral`.
    """
    n = len(psi)
    eigenvalues, vectors = floats(eigenvalues, "eigenvalues", n), floats(vectors, "vectors", n, n)
    matrices = (address(eigenvalues), address(vectors))
    return _leave_one_out(
        "cp_ridge_spectral_loo", description, options, matrices, psi, weights, work, n_threads, verbose
    )


def _leave_one_out(
    function: str,
    description: Description,
    options: dict[str, Any],
    matrices: tuple[int | None, ...],
    psi: Any,
    weights: Any,
    work: npt.NDArray[np.uint8],
    n_threads: int | None,
    verbose: int,
) -> FloatArray:
    psi, weights = _outputs(psi, weights)
    n, d = psi.shape
    _check_work(work)
    scores = np.empty((n, d))
    call(
        function,
        StructureArgument(description),
        *options_argument(options),
        *matrices,
        n,
        address(psi),
        d,
        address(weights),
        address(work) if work.size else None,
        work.size,
        address(scores),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        flops=float(n) * n * (n + _STEPS * d),
        label="leaving one out",
        verbose=verbose,
    )
    return scores


def ridge_primal(
    description: Description,
    options: dict[str, Any],
    design: Design,
    eigenvalues: Any,
    vectors: Any,
    psi: Any,
    weights: Any,
    *,
    n_threads: int | None = None,
    verbose: int = 0,
) -> tuple[FloatArray, FitInfo]:
    """Train weights of the input features, of shape (q, d), from the eigendecomposition of their weighted Gram matrix.

    `design` holds n rows of q features, the constant one included; `eigenvalues` is (q,), `vectors` (q, q), one
    eigenvector a column. The rest is as for :func:`ridge_kernel`.
    """
    psi, weights = _outputs(psi, weights)
    n, d = psi.shape
    if n != design.n:
        raise ValueError(f"psi has {n} rows, the design has {design.n}")
    q = design.n_weights
    eigenvalues, vectors = floats(eigenvalues, "eigenvalues", q), floats(vectors, "vectors", q, q)
    coef, info = np.empty((q, d)), _abi.CFitInfo()
    status = call(
        "cp_ridge_primal",
        StructureArgument(description),
        *options_argument(options),
        design,
        address(eigenvalues),
        address(vectors),
        q,
        address(psi),
        d,
        address(weights),
        address(coef),
        ctypes.addressof(info),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        flops=4.0 * _STEPS * d * (design.nnz + q * q),
        label="training",
        verbose=verbose,
    )
    return coef, _fit_info(info, status)


def _outputs(psi: Any, weights: Any) -> tuple[FloatArray, FloatArray | None]:
    psi = floats(psi, "psi", None, None)
    return psi, None if weights is None else floats(weights, "weights", len(psi))


def _fit_info(info: _abi.CFitInfo, status: int) -> FitInfo:
    return FitInfo(info.objective, info.residual, info.n_iter, info.n_refine, status == _abi.OK)
