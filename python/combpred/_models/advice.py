"""Advice for kernel matrices that do not fit in memory: the alternatives, with their memory and time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .primal import HELD_BYTES

#: Landmarks, and rows that stochastic gradient descent keeps, of the advice.
N_KEPT = 1000

_PRODUCT = 4e10  # operations a second in products of large matrices
_STEP = 1.8e10  # and in those of conjugate gradient, which have as many columns as ψ has entries
_ENTRY = 1e-8  # seconds for each entry of the n×d scores in a step of conjugate gradient
_N_STEPS = {"auc": 20, "squared": 1}  # steps that it usually takes
_KEPT = 2**20  # numbers of the directions that are kept, at most
_EIGEN = 2.8e-10  # seconds of an eigendecomposition, times the cube of the order
_VALUE = 4e-8  # seconds of a kernel value, but for the product it contains
_MOVED = 1e-9  # seconds to read and update a number that is not in the processor's cache


@dataclass(frozen=True)
class Estimate:
    """Bytes of memory beside the inputs, and seconds of processor time."""

    n_bytes: float
    seconds: float

    def __str__(self) -> str:
        return f"about {_amount(self.n_bytes / 2**20, (('MiB', 1), ('GiB', 1024)))} and {_duration(self.seconds)}"


def primal_estimate(n: int, p: int, d: int, loss: str) -> Estimate:
    """Estimate training on n rows of p features by ``solver="primal"``, for structures with d entries of ψ."""
    n_steps = _N_STEPS[loss]
    steps = n_steps * (4.0 * (n * p + p * p) * d / _STEP + n * d * _ENTRY)
    # Copies of targets and inputs in small numbers are held up to a budget, and each direction with its two products.
    held = min(float(n) * (d + 4 * p), HELD_BYTES)
    arrays = 8.0 * (3 * p * p + 10 * p * d + 3 * min(n_steps * p * d, _KEPT))
    return Estimate(held + arrays, 2.0 * n * p * p / _PRODUCT + _EIGEN * p**3 + steps)


def nystrom_estimate(n: int, p: int, d: int, landmarks: int, loss: str) -> Estimate:
    """Estimate embedding n rows of p features by `landmarks`, then training as above. p = 0: values cost nothing."""
    values = float(n) * landmarks * (_VALUE + 2.0 * p / _PRODUCT) if p else 0.0
    embedding = values + 2.0 * n * landmarks**2 / _PRODUCT + _EIGEN * landmarks**3
    training = primal_estimate(n, landmarks, d, loss)
    return Estimate(training.n_bytes + 8.0 * n * landmarks, training.seconds + embedding)


def sgd_estimate(n: int, p: int, d: int, truncation: int) -> Estimate:
    """Estimate one pass over n rows of p features by StructuredSGD with a support of `truncation` rows."""
    row = truncation * (_VALUE + (p + d) * _MOVED)
    return Estimate(8.0 * (n * d + 2 * truncation * (p + d)), n * row)


def alternatives(kernel: str | Callable[..., float], n: int, p: int, d: int, loss: str) -> str:
    """Return what to do instead of training by the kernel matrix of n rows, with what it takes.

    Parameters
    ----------
    kernel : str or callable
        As the estimators take it.
    n, p, d : int
        Rows, features of a row, and entries of ψ.
    loss : str
        That of training, which decides the number of passes.

    Returns
    -------
    str
        The end of a message.
    """
    kept = min(N_KEPT, n)
    if kernel == "precomputed":
        return (
            "fit fewer rows, or pass inputs and a kernel in place of the matrix, with "
            f"make_pipeline(combpred.kernels.NystromMap({kept}, ...), StructuredRidge()), which takes "
            f"{nystrom_estimate(n, 0, d, kept, loss)} beside the kernel values"
        )
    sgd = f"StructuredSGD(truncation={kept}) ({sgd_estimate(n, p, d, kept)} a pass)"
    if kernel == "linear":
        primal = f"solver='primal', which needs no kernel matrix ({primal_estimate(n, p, d, loss)})"
        return f"fit fewer rows, or take {primal}, or {sgd}; times are those of one processor"
    known = not callable(kernel)
    nystrom = (
        f"make_pipeline(combpred.kernels.NystromMap({kept}, ...), StructuredRidge()) "
        f"({nystrom_estimate(n, p if known else 0, d, kept, loss)}{'' if known else ' beside the calls of the kernel'})"
    )
    return f"fit fewer rows, or take {nystrom}, or {sgd}; times are those of one processor"


def _amount(value: float, units: tuple[tuple[str, float], ...]) -> str:
    """Return a value in the largest unit of which it holds at least one."""
    name, size = next(((name, size) for name, size in reversed(units) if value >= size), units[0])
    return f"{value / size:.2g} {name}" if value / size < 10 else f"{value / size:.0f} {name}"


def _duration(seconds: float) -> str:
    return _amount(max(seconds, 0.1), (("s", 1), ("min", 60), ("h", 3600)))
