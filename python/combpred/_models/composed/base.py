"""Base of the estimators whose scores come from other estimators, what is asked of those, and members of averages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array

from ..._data.inputs import read_inputs
from ..._data.targets import flat_sets
from ..._lib.arrays import FloatArray, refuse_masked
from ..._lib.call import get_n_threads
from ..._lib.decode import Decoded, Decoding
from ..._lib.errors import CapabilityError, RowError
from ..._lib.ridge import Targets
from ...structures import RowConstraints, Structure, encode_rows, target_type
from ..base import StructuredEstimator
from ..ridge import DECISIONS, decides_by
from ..training import structure_of


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
        ((_, scores),) = self._score_blocks(X)
        held = None if constraints is None else RowConstraints(self.structure_.space, constraints, len(scores))
        yield slice(0, len(scores)), self._decode_scores(scores, how, held)

    def _score_blocks(self, X: Any) -> Iterator[tuple[slice, FloatArray]]:
        yield slice(0, X.shape[0]), self._scores(X)  # it is for the other estimators to cut rows

    def _decides_by_scores(self) -> bool:
        return False  # the library does not know the scores of a row of X


@dataclass
class Member:
    """An estimator, the structure that it predicts and what its ψ' is of ψ."""

    name: str
    estimator: Any  # fitted in the end
    structure: Structure
    link: sparse.csr_array | None  # L (d', d) with ψ' = L ψ, None for the structure itself
    y: Any  # of training, None after it

    def shares(self, other: Member) -> bool:
        """Return whether two members predict the same entries."""
        if self.link is None or other.link is None:
            return self.link is other.link
        return self.structure == other.structure and not (self.link - other.link).count_nonzero()

    def lifted(self, scores: FloatArray) -> FloatArray:
        """Return scores of ψ for those of ψ', which are left as they are where both are the same."""
        return scores if self.link is None else scores @ self.link

    def constant(self, decision: str) -> FloatArray | float:
        """Return the scores of ψ where the expectation of ψ' is μ'."""
        if self.link is None:
            return 0.0
        # ½‖ψ'‖² of indicators is half their sum.
        return self.lifted(self.structure.mean() - (0.5 if decision == "mbr" else 0.0))

    def estimates(self, estimator: Any, X: Any, loss: str) -> FloatArray:
        """Return what a fitted copy of the estimator says about rows of X, for averages of that loss."""
        model, _, _, X = Reached.within(estimator, X, fitted=True)
        if hasattr(model, "predict_marginals"):
            return model._marginals(X) - self.structure.mean()
        return self.in_terms_of_psi(model, model.feature_scores(X), loss)

    def in_terms_of_psi(self, model: Any, scores: FloatArray, loss: str) -> FloatArray:
        """Return a model's scores as estimates of ψ − μ, but for averages of scores."""
        if loss == "auc":
            return scores
        if model._decides_by()[0] == "squared":  # the mean is that of the sets that a choice has left
            return scores + (model.structure_.mean() - self.structure.mean())
        return scores @ self.structure.covariance()

    def mean_psi(self, n_jobs: int | None) -> FloatArray:
        """Return ψ of the targets, of a set of outputs the mean."""
        sets = flat_sets(self.y)
        parts, partial = encode_rows(self.structure, self.y, sets)
        psi: FloatArray = self.structure.space.embed(parts, get_n_threads(n_jobs), partial=partial)
        return Targets(psi, None, None if sets is None else sets.first).mean_psi()


def resolve_member(structure: Structure, y: Any, name: str, given: Any, link: Any = None) -> Member:
    """Return a copy of an estimator with its structure, and what it is trained on; y is of `structure`."""
    estimator = clone(given)
    innermost = Reached.within(estimator)
    own = innermost.estimator.structure
    of_sets = target_type(own) == "multilabel-indicator"
    if link is None and of_sets and hasattr(structure, "visited"):
        link = structure.visited()
    if link is not None:
        link, structure, y = _linked(structure, name, own, link, y)
    elif own is not None:
        _require_same(structure, name, own, y)
    if structure.target_type != "multiclass":  # which learns the labels themselves
        estimator.set_params(**{f"{innermost.path}structure": structure})
    return Member(name, estimator, structure, link, y)


def _require_same(structure: Structure, name: str, own: Any, y: Any) -> None:
    """Raise ValueError if the structure of a member, which that of y is to replace, says anything else."""
    same = isinstance(own, type(structure)) or own == structure.name
    if same and isinstance(own, Structure) and structure.space.in_library:  # users' functions cannot be compared
        said = {key: value for key, value in own.get_params(deep=False).items() if value is not None}
        same = structure_of(clone(structure).set_params(**said), y) == structure
    if not same:
        raise ValueError(
            f"member {name!r} predicts {own!r}, but what is averaged is of {structure!r}: give both the same "
            "parameters, leave out those of the member, or give (name, estimator, link), where link is the matrix of "
            "its ψ in terms of that of the structure predicted"
        )


def _linked(structure: Structure, name: str, own: Any, link: Any, y: Any) -> tuple[sparse.csr_array, Structure, Any]:
    """Return a link after checking it, the structure of its member, and what outputs y are in that."""
    whose, d = f"the link of member {name!r}", structure.n_features
    refuse_masked(link, whose)
    matrix = sparse.csr_array(check_array(link, accept_sparse="csr", dtype=np.float64, input_name=whose))
    if matrix.shape[1] != d:
        raise ValueError(f"{whose} must have {d} columns, one for each entry of ψ of {structure!r}, got {matrix.shape}")
    psi = structure.embed(y) @ matrix.T
    if isinstance(own, type(structure)) or own == structure.name:
        own = structure
    if target_type(own) == "multilabel-indicator":
        own = structure_of(own, np.rint(psi).astype(int))
    if not isinstance(own, Structure) or own.n_features != len(psi.T):
        raise ValueError(
            f"the structure of member {name!r} must have ψ of {len(psi.T)} entries, as its link has rows, got {own!r}"
        )
    # The output of nearest ψ, ‖ψ' − Lψ‖² = ‖ψ'‖² − 2⟨ψ', Lψ⟩ + …, must be one of ψ' = Lψ.
    parts = own.space.decode(psi, np.full(psi.shape[1], -0.5)).y
    wrong = np.flatnonzero(np.abs(own.space.embed(parts) - psi).max(axis=1) > 1e-9)
    if wrong.size:
        raise RowError(int(wrong[0]), f"{whose} maps y to {psi[wrong[0]]}, which is ψ of no output of {own!r}", "y")
    return matrix, own, own.space.decode_parts(parts)
