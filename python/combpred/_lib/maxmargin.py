r"""The core's support vector machines and perceptrons, and losses that are affine in ψ.

``capi/combpred.h`` states the problems and the options. Where the library does not know the outputs, training asks for
them: a function answers `Request` by `Request`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import abi
from .arrays import CountArray, FloatArray, IndexArray
from .call import Session, computed, view
from .decode import score_values
from .errors import CapabilityError, RowError
from .ridge import Design, Targets
from .structure import Description
from .table import columns, record

_MOST_LOOKS = 2**20  # at the gap, of which there is room for


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

    @property
    def struct(self) -> abi.CAffineLoss:
        """The losses as the library reads them."""
        return record(abi.CAffineLoss, constant=self.constant, gradient=self.gradient, magnitude=self.magnitude)

    def rows(self, rows: NDArray[np.intp] | slice) -> AffineLoss:
        """Return the losses of some rows."""
        magnitude = None if self.magnitude is None else self.magnitude[rows]
        return AffineLoss(self.constant[rows], self.gradient[rows], magnitude, self.checked)


def require_bits(psi: FloatArray, what: str) -> None:
    bad = ~((psi == 0.0) | (psi == 1.0))
    if bad.any():
        row, column = (int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
        said = f"ψ of {what} has {psi[row, column]:g} in entry {column}; cost='hamming' is for entries 0 and 1"
        raise RowError(row, said, what)


def affine_losses(
    psi: FloatArray,
    entries: str,
    cost: str,
    counted: NDArray[np.bool_] | None = None,
    parent: NDArray[np.int32] | None = None,
) -> AffineLoss:
    """Return the losses between outputs of embeddings `psi` (n, d) and any other.

    Parameters
    ----------
    psi : ndarray of shape (n, d)
    entries : {"bits", "signs", "signs and zeros", "signs and ties"}
        Values that the entries of ψ take.
    cost : {"hamming", "kendall", "tree", "zero-one", "h-loss", "h-loss-sibling"}
    counted : ndarray of shape (d,), bool, or None, default=None
        The entries of "bits" that count; None for all.
    parent : ndarray of shape (d,) or None, default=None
        The parents of the nodes of a tree, −1 for the root, which the H-losses take.
    """
    unwanted: dict[str, None] = {"magnitude": None}
    if entries == "signs and zeros":
        unwanted, entries = ({}, entries) if (psi == 0.0).any() else (unwanted, "signs")
    return AffineLoss(*computed("cp_affine_losses", entries, cost, psi, counted, parent, **unwanted))


@dataclass(frozen=True)
class MarginRows:
    """Rows to learn by margins.

    Attributes
    ----------
    design : Design
        Features.
    targets : Targets
        One output for each row.
    loss : AffineLoss or None
        Between outputs and those of the rows.
    order : ndarray of shape (n,), int64, or None, default=None
        In which passes begin; None: as they stand.
    """

    design: Design
    targets: Targets
    loss: AffineLoss | None
    order: CountArray | None = None


class Request(NamedTuple):
    """Outputs that training asks for, k at a time: what is found is written to arrays in place.

    Attributes
    ----------
    rows : ndarray of shape (k,)
        Numbers of the rows.
    linear, magnitude : ndarray of shape (k, d)
        Asked for are outputs of largest ``<linear, psi> + <magnitude, psi**2>``; magnitude may be None: zero. With the
        user's own losses: the worst outputs at scores `linear`.
    reply : ndarray of shape (k, d)
        Gets ψ of the outputs. With the user's own losses gets ψ of the row less ψ of the output, with slack rescaling
        times the loss.
    offset : ndarray of shape (k,)
        Gets the losses, where they are the user's own; otherwise of shape (0,).
    proven : ndarray of shape (k,), uint8
        Gets 1 where an output is proven to be the best.
    stream : int
        Chooses the random stream, if any: those of the rows are this and the next ones.
    """

    rows: IndexArray
    linear: FloatArray
    magnitude: FloatArray | None
    reply: FloatArray
    offset: FloatArray
    proven: NDArray[np.uint8]
    stream: int

    @classmethod
    def of(cls, request: abi.CRequest, d: int) -> Request:
        """Return what a session asks for; its scores are copied, as users' functions may keep them."""
        n, n_offsets = request.n, request.n if request.ask == abi.ASK_PLANES else 0
        return cls(
            view(request.rows, np.int64, n).astype(np.intp),
            view(request.linear, np.float64, n, d).copy(),
            view(request.magnitude, np.float64, n, d).copy() if request.magnitude else None,
            view(request.psi, np.float64, n, d),
            view(request.losses, np.float64, n_offsets),
            view(request.proven, np.uint8, n),
            request.stream,
        )


Answer = Callable[[Request], None]


def svm_fit(rows: MarginRows, options: Mapping[str, Any], by: Description | Answer, **how: Any) -> Any:
    """Train a structured support vector machine.

    Parameters
    ----------
    rows : MarginRows
    options : mapping
        Of the fields of ``cp_svm_options``; what is missing has the default there.
    by : Description or callable
        The structure that the library decodes, or what answers requests.
    **how
        n_threads, label and verbose, as :func:`combpred._lib.call.call` takes them.

    Returns
    -------
    namespace
        The fields of ``cp_svm_info``, with ``converged``, ``weights`` (q, d) of the features, and ``curve``, a list of
        (passes, primal, dual) wherever these were computed.
    """
    coef = np.empty((rows.design.n_weights, rows.targets.d))
    curve = np.empty((min(int(options["max_iter"]), _MOST_LOOKS), 3))
    info = _train("svm", rows, options, by, {"coef": coef, "curve": curve}, how)
    info.weights = coef
    info.curve = [(int(n), float(primal), float(dual)) for n, primal, dual in curve[: info.n_curve]]
    return info


def perceptron_fit(
    rows: MarginRows,
    options: Mapping[str, Any],
    by: Description | Answer,
    start: tuple[FloatArray, FloatArray] | None = None,
    **how: Any,
) -> Any:
    """Train a structured perceptron.

    Parameters
    ----------
    rows : MarginRows
        With the Hamming loss where a bound on the mistakes is asked for.
    options : mapping
        Of the fields of ``cp_perceptron_options``; what is missing has the default there.
    by : Description or callable
        The structure that the library decodes, or what answers requests.
    start : pair of ndarray of shape (q, d), default=None
        `last` and `late` of training that this continues.
    **how
        n_threads, label and verbose, as :func:`combpred._lib.call.call` takes them.

    Returns
    -------
    namespace
        The fields of ``cp_perceptron_info``; ``last`` and ``late`` (q, d), the weights, and the sum of all changes,
        each times the visits before it; and ``dual_last`` and ``dual_late`` (n, d), the same as coefficients of rows.
    """
    sizes = {"n": rows.design.n, "q": rows.design.n_weights, "d": rows.targets.d}
    weights = columns(abi.CPerceptronSolution, **sizes)
    if start is not None:
        weights["last"][:], weights["late"][:] = start
        options = {**options, "start": np.array(start[0])}
    info = _train("perceptron", rows, options, by, weights, how)
    vars(info).update(weights)
    return info


def _train(
    kind: str, rows: MarginRows, options: Mapping[str, Any], by: Description | Answer, solution: Any, how: Any
) -> Any:
    """Train, by the library or with answers in Python, and return the information on it."""
    given = {**options, "order": rows.order}, rows.design, rows.targets, rows.loss, solution
    if not callable(by):
        return computed(f"cp_{kind}_fit", by, *given, **how)
    with Session(f"cp_{kind}_start", *given, **how) as session:
        for request in session:
            by(Request.of(request, rows.targets.d))
        return session.results()
