r"""Losses between outputs that are affine in ψ, so that decoding with the loss added is decoding of other scores."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import abi, names
from .arrays import FloatArray
from .call import address, call, contiguous, floats
from .decode import Decoding, score_values
from .errors import CapabilityError, RowError
from .ridge import Design
from .structure import Description


@dataclass(frozen=True)
class AffineLoss:
    r"""Losses :math:`\Delta(y_i, z) = a_i + \langle g_i, \psi(z)\rangle + \langle t_i, \psi(z)^2\rangle` of n outputs.

    Attributes
    ----------
    constant : ndarray of shape (n,)
        a, one number for each row.
    gradient : ndarray of shape (n, d)
        g.
    magnitude : ndarray of shape (n, d), or None
        t, which is multiplied by the squares of the entries of ψ; None for zero.
    checked : bool
        Whether the entries of ψ(z) have to be looked at: nothing is known about them, and the formula holds for 0
        and 1.
    """

    constant: FloatArray
    gradient: FloatArray
    magnitude: FloatArray | None = None
    checked: bool = False

    def values(self, psi: FloatArray) -> FloatArray:
        """Return the loss of every row at its ψ(z), of shape ``(n,)``, from `psi` (n, d)."""
        if self.checked:
            try:
                require_bits(psi, "what was decoded")
            except RowError as error:  # a fault of the structure, whichever row it is found at
                raise CapabilityError(error.reason) from None
        return self.of_means(psi)

    def of_means(self, psi: FloatArray) -> FloatArray:
        """Return the same at ψ that may be means over several outputs, whose entries are not looked at."""
        return self.constant + score_values(psi, self.gradient, self.magnitude)

    def rows(self, rows: NDArray[np.intp] | slice) -> AffineLoss:
        """Return the losses of some rows."""
        magnitude = None if self.magnitude is None else self.magnitude[rows]
        return AffineLoss(self.constant[rows], self.gradient[rows], magnitude, self.checked)


def require_bits(psi: FloatArray, what: str) -> None:
    bad = ~((psi == 0.0) | (psi == 1.0))
    if bad.any():
        row, column = (int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
        raise RowError(
            row,
            f"ψ of {what} has {psi[row, column]:g} in entry {column}; cost='hamming' of a Custom structure given by "
            "functions is for entries 0 and 1",
        )


class Report(NamedTuple):
    """What a pass saw.

    Attributes
    ----------
    gap : float
        Sum of the duality gaps of the rows, each before its step; 0 for the perceptron.
    radius : float
        Largest squared length of a step of the perceptron; 0 for Frank–Wolfe.
    updates : int
        Steps that moved the weights.
    proven : int
        Decodings proven optimal.
    """

    gap: float = 0.0
    radius: float = 0.0
    updates: int = 0
    proven: int = 0


@dataclass
class MarginState:
    r"""What steps change, in place.

    Attributes
    ----------
    v : ndarray of shape (n, d)
        For each row the mean of ψ(y_i) − ψ(z) over a distribution on the outputs z; for the perceptron their sum over
        mistakes.
    offset : ndarray of shape (n,)
        The mean of the losses.
    late_v, late_offset : ndarray of shape (n, d) and (n,), or None
        Sums of all changes, each times the weight of the iterates before it, from which the average follows.
    coef : ndarray of shape (q, d)
        Weights of the features.
    step : int
        Steps done.
    """

    v: FloatArray
    offset: FloatArray
    late_v: FloatArray | None
    late_offset: FloatArray | None
    coef: FloatArray
    step: int = 0

    @classmethod
    def zero(cls, n: int, d: int, q: int, *, average: bool) -> MarginState:
        """Return the state of the function that is zero."""
        state = cls(np.zeros((n, d)), np.zeros(n), None, None, np.zeros((q, d)))
        if average:
            state.late_v, state.late_offset = np.zeros((n, d)), np.zeros(n)
        return state


def maxmargin_pass(
    description: Description,
    rule: str,
    design: Design,
    psi: FloatArray,
    loss: AffineLoss | None,
    weights: FloatArray,
    order: NDArray[np.intp],
    state: MarginState,
    how: Decoding,
    *,
    n_candidates: int = 0,
) -> Report:
    """Take a step on each row of an order, changing the state in place.

    Parameters
    ----------
    description : Description
    rule : {"frank-wolfe", "perceptron"}
    design : Design
        Features of the n rows.
    psi : ndarray of shape (n, d)
    loss : AffineLoss or None
        None for the perceptron.
    weights : ndarray of shape (n,)
        What the duality gap of each row, or an update on it, is multiplied by.
    order : ndarray of shape (m,)
    state : MarginState
    how : Decoding
        By the library.
    n_candidates : int, default=0
        If positive, the best of so many uniform outputs is taken instead of decoding.

    Raises
    ------
    KeyboardInterrupt
        The state is then not to be used.
    CapabilityError
        When the structure lacks the decoder or the sampler.
    """
    n, d = psi.shape
    order = contiguous(order, np.int64)
    arrays = {
        "v": (state.v, (n, d)),
        "offset": (state.offset, (n,)),
        "late_v": (state.late_v, (n, d)),
        "late_offset": (state.late_offset, (n,)),
        "coef": (state.coef, (design.n_weights, d)),
    }
    for name, (array, shape) in arrays.items():
        if array is not None and not (
            array.shape == shape and array.dtype == np.float64 and array.flags.c_contiguous and array.flags.writeable
        ):
            raise ValueError(f"{name} must be a contiguous, writeable array of float64 of shape {shape}")
    constant = gradient = magnitude = None
    if loss is not None:
        constant, gradient = floats(loss.constant, "constant", n), floats(loss.gradient, "gradient", n, d)
        magnitude = None if loss.magnitude is None else floats(loss.magnitude, "magnitude", n, d)
    psi, weights = floats(psi, "psi", design.n, d), floats(weights, "weights", n)
    report = abi.CMarginReport()
    method = names.LIBRARY_DECODERS[how.decoder]
    call(
        "cp_maxmargin_pass", description, names.RULES[rule], method, n_candidates,
        how.seed % 2**64, design, address(psi), d, address(constant), address(gradient),
        address(magnitude), address(weights), address(order), len(order), state.step,
        *(address(array) for array, _ in arrays.values()), design.n_weights, ctypes.addressof(report),
        # Decoding may take any time from some dozens of entries on: be ready to be interrupted.
        n_threads=1, flops=float(len(order)) * (4.0 * (design.nnz / design.n + 1) * d + 1e6),
    )  # fmt: skip
    state.step += len(order)
    return Report(report.gap, report.radius, report.updates, report.proven)
