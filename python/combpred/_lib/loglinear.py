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
from .call import RowInputs, call, computed
from .ridge import Design, RowOutputs, Targets
from .session import Session, answer_moves, view
from .structure import Description
from .table import contiguous, put, record

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

        Distributions that the library does not know come from `answers`: `Answers`, and with "local" a `session.Mover`.

        Returns
        -------
        namespace
            The fields of ``cp_loglinear_info``, with ``converged``, ``state``, an `SgdState` whose average is the
            solution, and ``chains`` (n, 2, part_len), where two chains of each row of positive weight are, or None.
        """
        design = Design(X, intercept=intercept)
        model = _Model(self, design.n_weights, targets.d, start)
        given = self.description, self.options, design, targets
        if answers is None:
            n = targets.n if targets.weights is None else int(np.count_nonzero(targets.weights))
            if self.options.get("distribution", "exact") in ("local", "meta"):
                model.keep_chains(n, self.description.shape.part_len)
            return model.trained(computed("cp_loglinear_fit", *given, model=model, **self._how()))
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
            return model.trained(session.results())

    def add_sums(
        self, kind: str, sums: FloatArray, features: RowInputs, outputs: RowOutputs, weights: FloatArray
    ) -> None:
        """Add the sums of a kind over rows, at `weights` (q, d) where that matters, to those over others."""
        given = self.description, self.options, features, outputs, kind, weights, sums
        computed("cp_loglinear_sums", *given, n_threads=self.n_threads)

    def length(self, kind: str, q: int) -> int:
        """Return the length of sums of a kind."""
        return int(getattr(self.sizes(q), kind))

    def search(
        self, q: int, d: int, sums: Callable[[str, FloatArray], FloatArray], start: FloatArray | None = None
    ) -> Any:
        """Train by sums over all rows, which ``sums(kind, weights)`` returns; the kinds are those of `add_sums`."""
        model = _Model(self, q, d, start)
        with Session(
            "cp_loglinear_search_start", self.description, self.options, model=model, **self._how()
        ) as session:
            for request in session:
                weights = np.zeros((q, d)) if request.linear is None else view(request.linear, np.float64, q, d).copy()
                view(request.sums, np.float64, request.n)[:] = sums(_SUMS[request.ask], weights)
            return model.trained(session.results())


class _Model:
    """The struct that training begins from and ends with, and what it points to."""

    def __init__(self, problem: LoglinearProblem, q: int, d: int, start: FloatArray | SgdState | None) -> None:
        if not isinstance(start, SgdState):
            weights = np.zeros((q, d)) if start is None else start
            start = SgdState(weights, weights)
        self._weights, self._average = (
            np.array(w, order="C", dtype=np.float64) for w in (start.weights, start.average)
        )
        self._moment: FloatArray | None = None
        if problem.options["solver"] == "online" and (length := problem.sizes(q).moment):
            self._moment = np.zeros(length) if start.moment is None else np.array(start.moment).ravel()
        self._chains: IntArray | None = None
        self.struct = record(
            abi.CLoglinearModel, q=q, d=d, weights=self._weights, average=self._average, moment=self._moment,
            has_moment=self._moment is not None and start.moment is not None, variance=start.variance,
            steps=start.n_steps, rows=start.n_rows, seen=start.n_seen,
        )  # fmt: skip

    def keep_chains(self, n: int, part_len: int) -> None:
        """Ask for the states of chains."""
        self._chains = np.zeros((n, 2, part_len), dtype=np.int32)
        put(self.struct, chains=self._chains)

    def trained(self, info: Any) -> Any:
        """Return what training has ended with."""
        known = self.struct
        info.state = SgdState(
            self._weights, self._average, self._moment if known.has_moment else None, known.variance, known.steps,
            known.rows, known.seen,
        )  # fmt: skip
        info.chains = self._chains
        return info


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

    def dual(self, weights: FloatArray) -> FloatArray:
        """Return the coefficients A (n, d) of the rows whose scores K A are those of the feature weights (q, d)."""
        return self._converted("dual", weights)

    def of_dual(self, dual: FloatArray) -> FloatArray:
        """Return the feature weights (q, d) with the scores K A of coefficients A (n, d): the inverse of `dual`."""
        return self._converted("from-dual", dual)

    def of_scores(self, scores: FloatArray) -> FloatArray:
        """Return the feature weights (q, d) whose scores of all rows are nearest to `scores` (n, d)."""
        return self._converted("from-scores", scores)

    def _converted(self, wanted: str, x: FloatArray) -> FloatArray:
        (n, q), d = self.rows.shape, x.shape[1]
        found: FloatArray = np.empty((n if wanted == "dual" else q, d))
        features = record(abi.CLoglinearFeatures, rows=self.rows, curvature=self._curvature, weights=self._weights)
        call("cp_loglinear_kernel_weights", features, wanted, contiguous(x, np.float64), d, found)
        return found
