"""The core's stochastic gradient descent on the ridge problem, on arrays.

``capi/combpred.h`` states the steps.
"""

from __future__ import annotations

import ctypes
import sys
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import abi
from .arrays import FloatArray
from .call import call, contiguous, floats, record
from .ridge import Design, Targets, ridge_options
from .structure import Description


class Steps(NamedTuple):
    """Step sizes η = p·m / (alpha (t + t0)).

    Attributes
    ----------
    m : float
        Rows that the penalty is weighed against.
    p : float
    t0 : float
        Above 2p.
    t : int
        Steps done so far.
    """

    m: float
    p: float
    t0: float
    t: int


@dataclass(frozen=True)
class Coefficients:
    """What steps change, one row for each kept row or input feature. Calls return new ones.

    Attributes
    ----------
    iterate : ndarray of shape (k, d)
        Of the function that moves.
    average : ndarray of shape (k, d), or None
        Of the average of these functions.
    velocity : ndarray of shape (k, d), or None
        Of the derivative by the gains, for stochastic meta-descent.
    gains : ndarray of shape (d,), or None
    """

    iterate: FloatArray
    average: FloatArray | None = None
    velocity: FloatArray | None = None
    gains: FloatArray | None = None

    @classmethod
    def of(cls, iterate: FloatArray, *, average: bool, meta: bool) -> Coefficients:
        """Begin at `iterate`, with or without an average and gains."""
        return cls(
            iterate,
            iterate.copy() if average else None,
            np.zeros(iterate.shape) if meta else None,
            np.ones(iterate.shape[1]) if meta else None,
        )

    @property
    def model(self) -> FloatArray:
        """The coefficients of the function that predicts."""
        return self.iterate if self.average is None else self.average

    def copy(self) -> Coefficients:
        """Return a copy in C-contiguous arrays."""
        arrays = self.iterate, self.average, self.velocity, self.gains
        return Coefficients(*(None if a is None else np.array(a, order="C") for a in arrays))  # type: ignore[arg-type]

    def rows(self, kept: NDArray[np.intp], added: int = 0) -> Coefficients:
        """Return those of some rows, with `added` rows of zeros after them."""

        def chosen(array: FloatArray | None) -> FloatArray | None:
            if array is None:
                return None
            out = np.zeros((len(kept) + added, array.shape[1]))
            np.take(array, kept, axis=0, out=out[: len(kept)])
            return out

        iterate = chosen(self.iterate)
        assert iterate is not None
        return Coefficients(iterate, chosen(self.average), chosen(self.velocity), self.gains)


class Visits(NamedTuple):
    """The rows that steps visit, in relation to the support.

    Attributes
    ----------
    kernel : ndarray of shape (n, slots)
        Kernel values between them and the support, which includes them.
    at : ndarray of shape (n,), int64
        The slot of each.
    drop : ndarray of shape (n,), int64
        The slot that is left out after each, −1 for none.
    """

    kernel: FloatArray
    at: NDArray[np.int64]
    drop: NDArray[np.int64]


def ridge_losses(
    description: Description, options: dict[str, Any], scores: Any, targets: Targets, *, n_threads: int
) -> FloatArray:
    """Return the weighted loss of each row at its scores (n, d): of shape (n,)."""
    scores = floats(scores, "scores", targets.n, targets.d)
    losses = np.empty(targets.n)
    _rowwise(description, options, scores, targets, losses, None, n_threads)
    return losses


def ridge_curvatures(
    description: Description, options: dict[str, Any], targets: Targets, *, n_threads: int
) -> FloatArray:
    """Return a bound on the curvature of each row's weighted loss by its scores: of shape (n,)."""
    curvatures = np.empty(targets.n)
    _rowwise(description, options, None, targets, None, curvatures, n_threads)
    return curvatures


def _rowwise(
    description: Description,
    options: dict[str, Any],
    scores: FloatArray | None,
    targets: Targets,
    losses: FloatArray | None,
    curvatures: FloatArray | None,
    n_threads: int,
) -> None:
    call(
        "cp_ridge_losses", description, ridge_options(options), scores, targets, losses, curvatures,
        n_threads=n_threads, flops=2.0 * len(targets.psi) * targets.d**2,
    )  # fmt: skip


def sgd_expansion(
    description: Description,
    options: dict[str, Any],
    visits: Visits,
    targets: Targets,
    steps: Steps,
    coefficients: Coefficients,
    *,
    n_threads: int,
) -> float:
    """Take one step on each row, changing the coefficients of the support in place.

    Returns
    -------
    float
        The sum of the weighted losses, each before its step.

    Raises
    ------
    NumericalError
        When the numbers overflow.
    """
    n, slots = visits.kernel.shape
    at, drop = (contiguous(a, np.int64) for a in (visits.at, visits.drop))
    if not n == len(at) == len(drop) == targets.n:
        raise ValueError(f"kernel has {n} rows, at {len(at)}, drop {len(drop)}, targets have {targets.n}")
    kernel = floats(visits.kernel, "kernel", n, slots)
    expansion = record(abi.CExpansion, n=n, slots=slots, kernel=kernel, at=at, drop=drop)
    sizes, state = record(abi.CSGDSteps, **steps._asdict()), _state(coefficients, slots, targets.d)
    loss = ctypes.c_double()
    call(
        "cp_sgd_expansion", description, ridge_options(options), expansion, targets, sizes, state, loss,
        n_threads=n_threads, flops=2.0 * n * (slots + 2 * n + targets.d) * targets.d,
    )  # fmt: skip
    return loss.value


@dataclass(frozen=True)
class Report:
    """What passes over the rows did.

    Attributes
    ----------
    steps : int
        Steps taken.
    curve : list of float
        The objective after each pass.
    start : float
        The objective of zero weights.
    loss : float
        The weighted mean of the losses of the last pass, each before its step.
    curvature : float
        The largest curvature of the loss of a row, as a function of the weights.
    converged : bool
        Whether the passes ended because little was gained.
    interrupt : KeyboardInterrupt or None
        What came between; the rest is about the steps until then.
    """

    steps: int
    curve: list[float]
    start: float
    loss: float
    curvature: float
    converged: bool
    interrupt: KeyboardInterrupt | None


def sgd_fit(
    description: Description,
    options: dict[str, Any],
    design: Design,
    targets: Targets,
    order: NDArray[np.int64],
    coefficients: Coefficients,
    *,
    max_iter: int,
    tol: float | None,
    eta0: float,
    seed: int | None,
    seen: int = 0,
    curvature: float = 0.0,
    n_threads: int,
    label: str = "",
    verbose: int = 0,
) -> Report:
    """Train the weights of input features, the constant one last, in passes over the rows of `order`.

    `coefficients` are changed in place. `tol` is None for passes whose objective is not asked for, `seed` for those in
    the order as it is. `seen` visits came before, of `curvature`. Ctrl-C ends the passes, see :class:`Report`.

    Raises
    ------
    NumericalError
        When the numbers overflow.
    """
    if design.n != targets.n:
        raise ValueError(f"the design has {design.n} rows, targets have {targets.n}")
    order = contiguous(order, np.int64)
    curve = np.zeros(0 if tol is None else max_iter)
    passes = record(
        abi.CSGDPasses, order=order, n_order=len(order), shuffle=int(seed is not None), seed=seed or 0,
        max_iter=max_iter, tol=tol or 0.0, curve=curve if len(curve) else None, eta0=eta0, seen=seen,
        curvature=curvature,
    )  # fmt: skip
    state, report = _state(coefficients, design.n_weights, targets.d), record(abi.CSGDReport)
    began, told = time.monotonic(), 0

    def tell(done: int, _: float = 0.0) -> None:
        nonlocal told
        for number in range(told, done):
            line = f"[{label}] pass {number + 1}: objective {curve[number]:.6g}, {time.monotonic() - began:.1f} s"
            print(line, file=sys.stderr)
        told = done

    telling = verbose > 0 and tol is not None
    interrupt = None
    try:
        call(
            "cp_sgd_fit", description, ridge_options(options), design, targets, passes, state, report,
            n_threads=n_threads, flops=4.0 * max_iter * (design.nnz + targets.n * targets.d) * targets.d,
            progress=tell if telling else None,
        )  # fmt: skip
    except KeyboardInterrupt as error:
        interrupt = error
    if telling:
        tell(report.passes)
    return Report(
        report.steps, curve[: report.passes].tolist(), report.start, report.loss / (report.weight or 1.0),
        report.curvature, bool(report.converged), interrupt,
    )  # fmt: skip


def _state(coefficients: Coefficients, rows: int, d: int) -> abi.CSGDState:
    """Return the struct of arrays that are written to in place."""
    shapes = {"iterate": (rows, d), "average": (rows, d), "velocity": (rows, d), "gains": (d,)}
    fields = {}
    for name, shape in shapes.items():
        array = getattr(coefficients, name)
        if array is not None and not (
            array.shape == shape and array.dtype == np.float64 and array.flags.c_contiguous and array.flags.writeable
        ):
            raise ValueError(f"{name} must be a contiguous, writeable array of float64 of shape {shape}")
        fields["coef" if name == "iterate" else name] = array
    return record(abi.CSGDState, rows=rows, d=d, **fields)
