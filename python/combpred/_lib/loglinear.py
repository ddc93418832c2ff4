"""The core's training of log-linear models, on rows here, or on sums over rows that lie elsewhere.

``capi/combpred.h`` states the problem and the options.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import abi
from .arrays import FloatArray, IntArray
from .call import RowInputs, Session, answer_moves, call, computed, view
from .decode import Conditions
from .ridge import Design, RowOutputs, Targets
from .structure import Description
from .table import contiguous, record

_ASKED = {
    abi.ASK_EXPECT: "expect", abi.ASK_MEAN: "mean", abi.ASK_PAIR: "pair", abi.ASK_PSI: "draw",
    abi.ASK_UNIFORM: "uniform",
}  # fmt: skip
_SUMS = {abi.ASK_MOMENTS: "moments", abi.ASK_LOSS: "loss", abi.ASK_SPREAD: "spread"}

#: What answers a request about rows of scores (k, d), which are given with their numbers: ``("expect", rows, scores,
#: draws)`` by expectations (k, d) and ln Z (k,), "mean" and "pair" by estimates (k, d) and (2, k, d), and "draw" by ψ
#: of so many draws (k, draws, d), or None where nothing can be drawn; "uniform" by ψ of uniform ones (draws, d).
Answers = Callable[[str, npt.NDArray[np.intp], FloatArray, int], "tuple[FloatArray, ...] | None"]


@dataclass(frozen=True)
class SgdState:
    """State of a descent. It is never changed in place, so that an interrupted pass leaves it as it was.

    Attributes
    ----------
    weights, average : ndarray of shape (q, d)
        The last iterate, and the average of all; the last row belongs to the constant feature, where there is one.
    moment : ndarray or None
        Second moment of the inputs seen by `partial_fit`, or its diagonal where they have many features.
    variance : float
        Of ψ, where its covariance is too large; 0: not known.
    n_steps : int
    n_rows : int
        Rows seen, those of repeated passes counted anew.
    n_seen : float
        Their total weight.
    """

    weights: FloatArray
    average: FloatArray
    moment: FloatArray | None = None
    variance: float = 0.0
    n_steps: int = 0
    n_rows: int = 0
    n_seen: float = 0.0


@dataclass(frozen=True)
class LoglinearProblem:
    """A training problem but for its rows.

    Attributes
    ----------
    description : Description
        The structure.
    options : dict
        Of the fields of ``cp_loglinear_options``; what is missing has the default there.
    n_threads : int
    label : str
        What progress is reported as.
    verbose : int
    """

    description: Description
    options: dict[str, Any]
    n_threads: int
    label: str = ""
    verbose: int = 0

    def _how(self) -> dict[str, Any]:
        return {"n_threads": self.n_threads, "label": self.label, "verbose": self.verbose}

    def _model(
        self, q: int, d: int, start: FloatArray | SgdState | None, chains: IntArray | None = None
    ) -> abi.CLoglinearModel:
        """Return the struct that training begins from and ends with, which has `chains` if their states are wanted."""
        if not isinstance(start, SgdState):
            weights = np.zeros((q, d)) if start is None else start
            start = SgdState(weights, weights)
        weights, average = (np.array(w, order="C", dtype=np.float64) for w in (start.weights, start.average))
        moment: FloatArray | None = None
        if self.options["solver"] == "online" and (length := self.sizes(q).moment):
            moment = np.zeros(length) if start.moment is None else np.array(start.moment).ravel()
        return record(
            abi.CLoglinearModel, q=q, d=d, weights=weights, average=average, moment=moment,
            has_moment=moment is not None and start.moment is not None, variance=start.variance, steps=start.n_steps,
            rows=start.n_rows, seen=start.n_seen, chains=chains,
        )  # fmt: skip

    def sizes(self, q: int) -> Any:
        """Return the lengths of arrays for q features, as ``cp_loglinear_sizes`` has them."""
        return computed("cp_loglinear_array_sizes", self.description, self.options, q)

    def fit(
        self,
        X: Any,
        targets: Targets,
        *,
        intercept: bool,
        start: FloatArray | SgdState | None = None,
        answers: Any = None,
    ) -> Any:
        """Train on rows in memory, from weights (q, d) or the state of a descent.

        Distributions that the library does not know come from `answers`: `Answers`, and with "local" a `call.Mover`.

        Returns
        -------
        namespace
            The fields of ``cp_loglinear_info``, with ``converged``, ``state``, an `SgdState` whose average is the
            solution, and ``chains`` (n, 2, part_len), where two chains of each row of positive weight are, or None.
        """
        design = Design(X, intercept=intercept)
        given, chains = (self.description, self.options, design, targets), None
        if answers is None and self.options.get("distribution", "exact") in ("local", "meta"):
            n = targets.n if targets.weights is None else int(np.count_nonzero(targets.weights))
            chains = np.zeros((n, 2, self.description.shape.part_len), dtype=np.int32)
        model = self._model(design.n_weights, targets.d, start, chains)
        if answers is None:
            return _trained(model, computed("cp_loglinear_fit", *given, model=model, **self._how()))
        with Session("cp_loglinear_start", *given, model=model, **self._how()) as session:
            for request in session:
                n, d = request.n, targets.d
                if request.ask == abi.ASK_MOVES:
                    answer_moves(request, d, answers)
                    continue
                rows, scores = view(request.rows, np.intp, n), view(request.linear, np.float64, n, d)
                found = answers(_ASKED[request.ask], rows, scores, request.draws) or ()
                places = (request.psi,) if request.psi else (request.means, request.log_z)
                for place, values in zip(places, found, strict=False):
                    if place:
                        view(place, np.float64, values.size)[:] = values.ravel()
            return _trained(model, session.results())

    def sums(self, kind: str, features: RowInputs, outputs: RowOutputs, weights: FloatArray) -> FloatArray:
        """Return the sums of a kind over rows, as ``cp_loglinear_sums`` names them, at `weights` (q, d)."""
        sums: FloatArray = np.zeros(getattr(self.sizes(len(weights)), kind))
        given = self.description, self.options, features, outputs, kind, weights, sums
        computed("cp_loglinear_sums", *given, n_threads=self.n_threads)
        return sums

    def search(
        self, q: int, d: int, sums: Callable[[str, FloatArray], FloatArray], start: FloatArray | None = None
    ) -> Any:
        """Train by sums over all rows, which ``sums(kind, weights)`` returns; as `LoglinearProblem.sums` does."""
        model = self._model(q, d, start)
        with Session(
            "cp_loglinear_search_start", self.description, self.options, model=model, **self._how()
        ) as session:
            for request in session:
                weights = np.zeros((q, d)) if request.linear is None else view(request.linear, np.float64, q, d).copy()
                view(request.sums, np.float64, request.n)[:] = sums(_SUMS[request.ask], weights)
            return _trained(model, session.results())


def _trained(model: abi.CLoglinearModel, info: Any) -> Any:
    """Return what training has ended with; a struct keeps the arrays that it points to."""
    arrays = vars(model)
    info.state = SgdState(
        arrays["weights"], arrays["average"], arrays["moment"] if model.has_moment else None, model.variance,
        model.steps, model.rows, model.seen,
    )  # fmt: skip
    info.chains = arrays.get("chains")
    return info


def log_seen(
    description: Description, scores: FloatArray, targets: Targets, conditions: Conditions | None, n_threads: int
) -> FloatArray:
    """Return ln Σ exp⟨s, ψ(y)⟩ over the outputs that agree with what was seen of each row of scores (n, d)."""
    rows = {"d": description.shape.n_features, "linear": scores}
    return computed("cp_log_seen", description, rows, conditions, targets, n_threads=n_threads)


class KernelFeatures:
    """Features in which training with a kernel matrix is linear: their inner products are the matrix.

    Parameters
    ----------
    kernel : ndarray of shape (n, n)
        Overwritten.
    weights : ndarray of shape (n,)
        Of the rows, positive.
    shift : float
        Added to every entry of the kernel matrix.

    Attributes
    ----------
    rows : ndarray of shape (n, q)
        The features.
    """

    def __init__(self, kernel: FloatArray, weights: FloatArray, *, shift: float, n_threads: int = 1) -> None:
        n, self._weights = len(weights), contiguous(weights, np.float64)
        curvature, q = computed("cp_loglinear_kernel", self._weights, shift, kernel=kernel, n_threads=n_threads)
        self._curvature = curvature[:q]
        self.rows: FloatArray = kernel.ravel()[: n * q].reshape(n, q)

    def converted(self, wanted: str, x: FloatArray) -> FloatArray:
        """Return what is wanted of some coefficients.

        "dual": the coefficients A (n, d) of the rows whose scores K A are those of the feature weights (q, d).
        "from-dual": its inverse, the feature weights with the scores K A of A. "from-scores": the feature weights whose
        scores of all rows are nearest to some (n, d).
        """
        (n, q), d = self.rows.shape, x.shape[1]
        found: FloatArray = np.empty((n if wanted == "dual" else q, d))
        features = record(abi.CLoglinearFeatures, rows=self.rows, curvature=self._curvature, weights=self._weights)
        call("cp_loglinear_kernel_weights", features, wanted, contiguous(x, np.float64), d, found)
        return found
