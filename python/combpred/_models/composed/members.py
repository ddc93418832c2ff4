"""Members of averages: estimators of a structure, or of another one that a matrix ties to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from ..._lib.arrays import FloatArray, refuse_masked
from ..._lib.call import get_n_threads
from ...structures import Structure, target_type
from ..training import TrainingRows, embed_targets, resolve_targets
from .base import Reached


@dataclass
class Member:
    """An estimator, the structure that it predicts and what its ψ' is of ψ."""

    name: str
    estimator: Any  # fitted in the end
    structure: Structure
    link: Any  # L (d', d) with ψ' = L ψ, None for the structure itself
    y: Any  # of training, None after it

    def shares(self, other: Member) -> bool:
        """Return whether two members predict the same entries."""
        if self.link is None or other.link is None:
            return self.link is other.link
        return (
            type(self.structure) is type(other.structure)
            and self.link.shape == other.link.shape
            and abs(self.link - other.link).max() == 0
        )

    def lifted(self, scores: FloatArray) -> FloatArray:
        """Return scores of ψ for those of ψ', which are left as they are where both are the same."""
        lifted: FloatArray = scores if self.link is None else scores @ self.link
        return lifted

    def constant(self, decision: str) -> FloatArray | float:
        """Return the scores of ψ where the expectation of ψ' is μ'."""
        if self.link is None:
            return 0.0
        # ½‖ψ'‖² of indicators is half their sum.
        return self.lifted(self.structure.mean() - (0.5 if decision == "mbr" else 0.0))

    def estimates(self, estimator: Any, X: Any, loss: str) -> FloatArray:
        """Return what a fitted copy of the estimator says about rows of X, for averages of that loss."""
        model, X = reached(estimator, X)
        if hasattr(model, "predict_marginals"):
            marginals: FloatArray = model._marginals(X) - self.structure.mean()
            return marginals
        return self.in_terms_of_psi(model, model.feature_scores(X), loss)

    def in_terms_of_psi(self, model: Any, scores: FloatArray, loss: str) -> FloatArray:
        """Return a model's scores as estimates of ψ − μ, but for averages of scores."""
        if loss == "auc" or model._decides_by()[0] == "squared":
            return scores
        expected: FloatArray = scores @ self.structure.covariance()
        return expected

    def mean_psi(self, n_jobs: int | None) -> FloatArray:
        """Return ψ of the targets, of a set of outputs the mean."""
        sets = resolve_targets(self.structure, self.y)[1]
        targets = embed_targets(self.structure, TrainingRows(None, self.y, sets, None), get_n_threads(n_jobs))
        if targets.first is None:
            return targets.psi
        means: FloatArray = np.add.reduceat(targets.psi, targets.first[:-1]) / np.diff(targets.first)[:, np.newaxis]
        return means


def reached(model: Any, X: Any) -> tuple[Any, Any]:
    """Return the fitted model within pipelines and searches, and X as it gets it (None stays so)."""
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "steps"):
            if X is not None and len(model.steps) > 1:
                X = model[:-1].transform(X)
            model = model.steps[-1][1]
        else:
            return model, X


def resolve_member(structure: Structure, y: Any, name: str, given: Any, link: Any = None) -> Member:
    """Return a copy of an estimator with its structure, and what it is trained on; y is of `structure`."""
    estimator = clone(given)
    innermost = Reached.within(estimator)
    own = innermost.estimator.structure
    if link is None and own is not None and not _is_of(structure, own):
        link = (
            structure.visited()
            if hasattr(structure, "visited") and target_type(own) == "multilabel-indicator"
            else None
        )
        if link is None:
            raise ValueError(
                f"member {name!r} predicts {own!r}, not {type(structure).__name__}: give (name, estimator, link), "
                "where link is the matrix of its ψ in terms of that of the structure predicted"
            )
    if link is None and isinstance(own, Structure):
        _require_same(structure, name, own, y)
    if link is not None:
        link, structure, y = _linked(structure, name, own, link, y)
    if structure.target_type != "multiclass":  # which learns the labels themselves
        estimator.set_params(**{f"{innermost.path}structure": structure})
    return Member(name, estimator, structure, link, y)


def _is_of(structure: Structure, own: Any) -> bool:
    """Return whether a member's parameter `structure` is of the class of another one, or its catalogue name."""
    return isinstance(own, type(structure)) or (isinstance(own, str) and own == structure.name)


def _require_same(structure: Structure, name: str, own: Structure, y: Any) -> None:
    """Raise ValueError where a member's structure, which that of y replaces, is another one or has other names."""
    if all(value is None for value in own.get_params(deep=False).values()):
        return  # it says nothing but its class
    try:
        meant, _ = resolve_targets(own, y)
    except ValueError as error:
        raise ValueError(f"member {name!r} predicts {own!r}: {error}") from None
    same = meant.space.description.key == structure.space.description.key
    shown = structure.get_params(deep=False)
    for parameter, value in meant.get_params(deep=False).items():
        known = shown[parameter]
        if value is not None and known is not None:  # names, too, which may be in lists, tuples or arrays
            same &= np.asarray(value, dtype=object).tolist() == np.asarray(known, dtype=object).tolist()
    if not same:
        raise ValueError(
            f"member {name!r} predicts {own!r}, but what is averaged is of {structure!r}: give both the same "
            "parameters, or leave out those of the member"
        )


def _linked(structure: Structure, name: str, own: Any, link: Any, y: Any) -> tuple[Any, Structure, Any]:
    """Return a link after checking it, the structure of its member, and what outputs y are in that."""
    whose, d = f"the link of member {name!r}", structure.n_features
    refuse_masked(link, whose)
    try:
        if np.iscomplexobj(link):
            raise ValueError("complex numbers")
        matrix = sparse.coo_array(link, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{whose} must be a matrix of real numbers, got {link!r:.80} ({error})") from None
    if matrix.ndim != 2 or matrix.shape[1] != d:
        raise ValueError(
            f"{whose} must be a matrix of {d} columns, one for each entry of ψ of {structure!r}, got shape "
            f"{matrix.shape}"
        )
    if bad := np.flatnonzero(~np.isfinite(matrix.data)).tolist():
        row, column = matrix.row[bad[0]], matrix.col[bad[0]]
        raise ValueError(f"{whose} is {matrix.data[bad[0]]} at row {row}, column {column}, must be finite")
    matrix = matrix.tocsr()
    psi = structure.embed(y) @ matrix.T
    if _is_of(structure, own):
        own = structure
    if target_type(own) == "multilabel-indicator":
        own, _ = resolve_targets(own, np.rint(psi).astype(int))
    if not isinstance(own, Structure) or own.n_features != psi.shape[1]:
        raise ValueError(
            f"the structure of member {name!r} must have ψ of {psi.shape[1]} entries, as its link has rows, got {own!r}"
        )
    # The output of nearest ψ, ‖ψ' − Lψ‖² = ‖ψ'‖² − 2⟨ψ', Lψ⟩ + …, must be one of ψ' = Lψ.
    parts = own.space.decode(psi, np.full(psi.shape[1], -0.5)).y
    wrong = np.flatnonzero(np.abs(own.space.embed(parts) - psi).max(axis=1) > 1e-9)
    if wrong.size:
        raise ValueError(
            f"the link of member {name!r} maps y of row {wrong[0]} to {psi[wrong[0]]}, which is ψ of no output of "
            f"{own!r}"
        )
    return matrix, own, own.space.decode_parts(parts)
