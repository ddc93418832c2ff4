"""Base of the estimators whose scores come from other estimators, and what is asked of those."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from ..._data.checks import counted
from ..._data.inputs import read_inputs
from ..._lib.arrays import FloatArray
from ..._lib.errors import CapabilityError, RowError
from ...structures import Structure
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
    """

    estimator: Any
    path: str = ""
    fit_path: str = ""

    @classmethod
    def within(cls, estimator: Any) -> Reached:
        """Return the innermost estimator, which need not be fitted."""
        found = cls(estimator)
        while True:
            if isinstance(found.estimator, Pipeline):
                name, last = found.estimator.steps[-1]
                found = cls(last, f"{found.path}{name}__", f"{found.fit_path}{name}__")
            elif isinstance(found.estimator, BaseSearchCV):
                found = cls(found.estimator.estimator, f"{found.path}estimator__", found.fit_path)
            else:
                return found

    def fit_arguments(self, sample_weight: FloatArray | None, whose: str) -> dict[str, FloatArray]:
        """Return the arguments by which ``fit`` of the outermost estimator gets weights; ValueError if it takes none.

        `whose` is what messages call the estimator.
        """
        if sample_weight is None:
            return {}
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                f"sample_weight cannot be taken into account: {whose} is {self.estimator!r}, whose fit takes no "
                "weights; choose one that does, or leave sample_weight out"
            )
        routed = get_config().get("enable_metadata_routing", False)
        return {"sample_weight" if routed else f"{self.fit_path}sample_weight": sample_weight}


class ComposedEstimator(StructuredEstimator):
    """Base of estimators whose scores are computed by other estimators, on X as the user gives it.

    A subclass defines `_scores`, and its ``fit`` sets `structure_`, `loss_` and `decision_`.
    """

    kernel: Any = None  # X is handed on
    class_weight: Any = None  # a parameter of those other estimators that have it

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: StructuredEstimator._parameter_constraints[name]
            for name in ("structure", "decoder", "n_jobs", "random_state")
        },
        "decision": [DECISIONS],
    }

    @abstractmethod
    def _scores(self, X: Any) -> FloatArray:
        """Return f(x) of all rows."""

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

    def _model(self) -> None:  # type: ignore[override]  # the library has no part in scores
        """Return nothing: there are no coefficients."""

    def _row_blocks(self, X: Any, *, whole: bool = False) -> Iterator[slice]:
        """Return all rows at once: it is for the other estimators to cut them."""
        return iter([slice(0, X.shape[0])])

    def _predict_rows(self, model: Any, X: Any, rows: slice, **wanted: Any) -> None:
        scores = self._scores(X)
        if "scores" in wanted:
            wanted["scores"][:] = scores
        if "found" in wanted:
            for column, some in zip(wanted["found"], self._decode_scores(scores, wanted["how"]), strict=True):
                column[:] = some


def require_scores(predicted: Any, structure: Structure, n: int, whose: str) -> FloatArray:
    """Return predictions as an array (n, d) of finite numbers; ValueError naming the row, and `whose` they are."""
    d = structure.n_features
    if np.ma.isMaskedArray(predicted) or np.iscomplexobj(predicted):
        kind = "masked entries" if np.ma.isMaskedArray(predicted) else "complex numbers"
        raise ValueError(f"{whose} predicts {kind}, must predict real numbers, one for each entry of ψ")
    if issparse(predicted):
        predicted = predicted.toarray()
    try:
        values = np.asarray(predicted, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{whose} must predict numbers: {error}") from error
    if d == 1 and values.shape == (n,):
        values = values[:, np.newaxis]
    if values.shape != (n, d):
        raise ValueError(
            f"{whose} predicts an array of shape {values.shape} for {counted(n, 'row')}, must be ({n}, {d}): one "
            f"column for each entry of ψ of {structure!r}"
        )
    bad = ~np.isfinite(values)
    if bad.any():
        row, column = (int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
        name = str(structure.feature_names()[column])
        raise RowError(row, f"{whose} predicts {values[row, column]} for {name!r}, must be finite")
    return values
