"""Base of the estimators whose scores come from other estimators, and what is asked of those."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from sklearn import get_config
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline

from ..._data.inputs import read_inputs
from ..._lib.arrays import FloatArray
from ..._lib.decode import Decoded, Decoding
from ..._lib.errors import CapabilityError
from ...structures import RowConstraints, Structure
from ..base import StructuredEstimator
from ..ridge import DECISIONS, decides_by


class Reached(NamedTuple):
    """The estimator at the end of pipelines and within searches.

    Attributes
    ----------
    estimator : estimator
    path : str
        What the names of its parameters begin with, in those of the estimator around it.
    fit_path : str
        What the names of arguments of ``fit`` begin with.
    X : array-like or None
        What it predicts from, if that was asked.
    """

    estimator: Any
    path: str = ""
    fit_path: str = ""
    X: Any = None

    @classmethod
    def within(cls, estimator: Any, X: Any = None, *, fitted: bool = False) -> Reached:
        """Return the innermost estimator, if `fitted` the one that a search has chosen, which gets X transformed."""
        found = cls(estimator, X=X)
        while True:
            model, path, fit_path, X = found
            if isinstance(model, Pipeline):
                name, last = model.steps[-1]
                X = X if X is None or len(model.steps) == 1 else model[:-1].transform(X)
                found = cls(last, f"{path}{name}__", f"{fit_path}{name}__", X)
            elif isinstance(model, BaseSearchCV):
                found = cls(model.best_estimator_ if fitted else model.estimator, f"{path}estimator__", fit_path, X)
            else:
                return found

    def fit_arguments(self, sample_weight: FloatArray | None) -> dict[str, FloatArray]:
        """Return the arguments by which ``fit`` of the outermost estimator gets weights, where there are any."""
        if sample_weight is None:
            return {}
        routed = get_config().get("enable_metadata_routing", False)
        return {"sample_weight" if routed else f"{self.fit_path}sample_weight": sample_weight}


@dataclass(eq=False, repr=False, kw_only=True)
class ComposedEstimator(StructuredEstimator):
    """Base of estimators whose scores are computed by other estimators, on X as the user gives it.

    A subclass defines `_scores`, and its ``fit`` sets `structure_`, `loss_` and `decision_`.
    """

    kernel: ClassVar[Any] = None  # X is handed on
    class_weight: ClassVar[Any] = None  # a parameter of those other estimators that have it

    decision: str = "auto"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StructuredEstimator._parameter_constraints,
        "decision": [DECISIONS],
    }

    def _read_inputs(self, X: Any, *, reset: bool = False, dtype: Any = None) -> Any:
        return read_inputs(self, X, reset=reset, dtype=None)

    def _decides_by(self) -> tuple[str, str]:
        return self.loss_, self.decision_

    def _decide_by_expectations(self, structure: Structure) -> None:
        """Set `loss_` and `decision_` for scores f that estimate E ψ − μ."""
        self.loss_, self.decision_ = decides_by(structure, "squared", self.decision)
        if self.decision_ == "mbr":
            try:
                structure.space.require_preimage()
            except CapabilityError:
                if self.decision != "auto":
                    raise
                self.decision_ = "score"

    def _decoded_blocks(self, X: Any, constraints: Any, how: Decoding) -> Iterator[tuple[slice, Decoded]]:
        scores = self._scores(X)
        held = None if constraints is None else RowConstraints(self.structure_.space, constraints, len(scores))
        yield slice(0, len(scores)), self._decode_scores(scores, how, held)

    def _score_blocks(self, X: Any) -> Iterator[tuple[slice, FloatArray]]:
        yield slice(0, X.shape[0]), self._scores(X)  # it is for the other estimators to cut rows

    def _decides_by_scores(self) -> bool:
        return False  # the library does not know the scores of a row of X
