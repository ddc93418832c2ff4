"""Weights of averages: estimates for left-out rows, and the combination of least loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy.optimize import nnls
from sklearn.base import clone
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.metaestimators import _safe_split

from ..._lib.arrays import FloatArray
from ..._lib.ridge import left_out_scores
from ...structures import classes_of
from ..ridge import StructuredRidge, training_kernel
from ..ridge_cv import StructuredRidgeCV
from ..training import resolve_targets
from .base import Reached
from .members import Member

#: Rows up to which a ridge is left out row by row, which needs matrices of their number squared.
_MOST_LEFT_OUT = 5000


def leave_out(member: Member, X: Any, weights: FloatArray | None, cv: Any, loss: str) -> tuple[FloatArray, str]:
    """Return estimates for the rows by models without them, and how the rows were left out: "loo" or "cv"."""
    model, n, sets = member.estimator, X.shape[0], resolve_targets(member.structure, member.y)[1]
    if (
        n <= _MOST_LEFT_OUT
        and sets is None
        and isinstance(model, (StructuredRidge, StructuredRidgeCV))
        and getattr(model, "solver", "auto") in ("auto", "closed-form")
    ):
        return _leave_one_out(member, X, weights, loss), "loo"
    if n < 2:
        raise ValueError(
            f"weights='loo' are chosen on rows left out, of which there must be at least 2, got n_samples={n}; give "
            "weights as an array, or None for equal ones"
        )
    y, structure, reached = member.y, member.structure, Reached.within(model)
    template = clone(model)
    if structure.target_type == "multiclass":  # a fold may lack a class
        of_classes, classes = reached.estimator.class_weight, classes_of(structure)
        if isinstance(of_classes, dict) and classes is not None:
            names = classes.tolist()
            numbered = {names.index(label): weight for label, weight in of_classes.items() if label in names}
            template.set_params(**{f"{reached.path}class_weight": numbered})
        y, structure = structure.encode(y)[:, 0], type(structure)(structure.n_features)
    template.set_params(**{f"{reached.path}structure": structure})
    folds = KFold(min(int(cv), n), shuffle=True, random_state=0) if isinstance(cv, Integral) else check_cv(cv)
    found = np.full((n, structure.n_features), np.nan)
    for train, test in folds.split(X, None):
        X_train, y_train = _safe_split(template, X, y, train)
        X_test, _ = _safe_split(template, X, None, test, train)
        some = None if weights is None else weights[train]
        fitted = clone(template).fit(X_train, y_train, **reached.fit_arguments(some, f"member {member.name!r}"))
        found[test] = member.estimates(fitted, X_test, loss)
    missing = np.flatnonzero(np.isnan(found).any(axis=1))
    if missing.size:
        raise ValueError(f"cv must leave out every row: row {missing[0]} is in no test fold of {cv!r}")
    return found, "cv"


def _leave_one_out(member: Member, X: Any, weights: FloatArray | None, loss: str) -> FloatArray:
    """Return a ridge's estimates for the rows, each without that row in training."""
    if isinstance(member.estimator, StructuredRidgeCV):
        return member.in_terms_of_psi(member.estimator, member.estimator.loo_scores_, loss)
    ridge, n = clone(member.estimator), X.shape[0]
    X, problem = ridge._validate_training(X, member.y, weights)
    plan = problem.with_options(solver="closed-form").plan(0, n * n)
    advice = "fit fewer rows, or give weights"
    kernel = training_kernel(ridge, X, plan, advice, loo="_loo")
    (scores,) = left_out_scores(problem, kernel, [float(ridge.alpha)])
    return member.in_terms_of_psi(ridge, scores, loss)


@dataclass(frozen=True)
class StackingLoss:
    """The loss of averages of estimates for left-out rows, ½ w'Qw − b'w in their weights w and up to a constant."""

    quadratic: FloatArray  # Q (k, k)
    linear: FloatArray  # b (k,)
    size: float = 0.0  # of the squares of ψ, beside which A may be rounding noise

    @classmethod
    def of(
        cls,
        estimates: Sequence[FloatArray],
        psi: FloatArray,
        weights: FloatArray | None,
        covariance: FloatArray | None,
    ) -> StackingLoss:
        r"""Return it for estimates (n, d), of which f is an average, and centred ψ.

        The loss of a row is ½‖ψ − f‖², or with a covariance ½ f'Σf + ½ (1 − ⟨ψ, f⟩)².
        """
        rows = np.stack([np.sqrt(weights)[:, np.newaxis] * f for f in estimates] if weights is not None else estimates)
        target = psi if weights is None else np.sqrt(weights)[:, np.newaxis] * psi
        linear = np.einsum("kij,ij->k", rows, target)
        if covariance is None:
            return cls(np.einsum("kij,lij->kl", rows, rows), linear, float(np.square(target).sum()))
        products = np.einsum("kij,ij->ki", rows, psi)
        return cls(
            np.einsum("kij,lij->kl", rows @ covariance, rows) + products @ products.T,
            linear,
            float(np.square(target).sum()),
        )

    def least(self) -> FloatArray:
        """Return the nonnegative weights that lose least, equal ones where none beats all zero but for rounding."""
        if (np.diag(self.quadratic) <= 1e-20 * self.size).all():
            return np.full(len(self.linear), 1.0 / len(self.linear))
        values, vectors = np.linalg.eigh(self.quadratic)
        kept = values > 1e-12 * max(values[-1], 1e-300)
        root = np.sqrt(values[kept])[:, np.newaxis] * vectors[:, kept].T
        target = (vectors[:, kept].T @ self.linear) / np.sqrt(values[kept])
        found, _ = nnls(root, target) if kept.any() else (np.zeros(0), 0)
        return found if found.any() else np.full(len(values), 1.0 / len(values))
