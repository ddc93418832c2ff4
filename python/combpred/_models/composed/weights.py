"""Weights of averages: estimates for left-out rows, and the combination of least loss."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy.optimize import nnls
from sklearn.base import clone
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.metaestimators import _safe_split

from ..._lib.arrays import FloatArray
from ...structures import classes_of
from ..ridge import StructuredRidge
from ..ridge_cv import StructuredRidgeCV
from ..training import resolve_targets
from .base import Reached
from .members import Member

#: Rows up to which a ridge is left out row by row, which needs matrices of their number squared.
_MOST_LEFT_OUT = 5000


def leave_out(member: Member, X: Any, weights: FloatArray | None, cv: Any, loss: str) -> tuple[FloatArray, str]:
    """Return estimates for the rows by models without them, and how the rows were left out: "loo" or "cv"."""
    model, n, sets = member.estimator, X.shape[0], resolve_targets(member.structure, member.y)[1]
    if n <= _MOST_LEFT_OUT and sets is None:
        if isinstance(model, StructuredRidge) and model.solver in ("auto", "closed-form"):
            given, search = model.get_params(deep=False), StructuredRidgeCV()
            search.set_params(**{name: given[name] for name in given.keys() & search.get_params(deep=False)})
            search.set_params(alphas=[model.alpha], kernels=[model.kernel], gammas=[model.gamma], losses=[model.loss])
            model = search.fit(X, member.y, weights)
        if isinstance(model, StructuredRidgeCV):
            return member.in_terms_of_psi(model, model.loo_scores_, loss), "loo"
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
        fitted = clone(template).fit(X_train, y_train, **reached.fit_arguments(some))
        found[test] = member.estimates(fitted, X_test, loss)
    missing = np.flatnonzero(np.isnan(found).any(axis=1))
    if missing.size:
        raise ValueError(f"cv must leave out every row: row {missing[0]} is in no test fold of {cv!r}")
    return found, "cv"


def least_loss(
    estimates: list[FloatArray], psi: FloatArray, weights: FloatArray | None, covariance: FloatArray | None
) -> FloatArray:
    r"""Return the nonnegative weights w of least loss of f = Σ_k w_k f_k, equal ones if none beats all zero.

    The loss is :math:`\sum_i u_i \|\psi_i - f_i\|^2` for estimates (n, d), centred ψ and weights u of the rows; with
    a covariance Σ it is :math:`\sum_i u_i [f_i^\top \Sigma f_i + (1 - \langle\psi_i, f_i\rangle)^2]`.
    """
    target: Any = psi
    columns: list[Any] = estimates
    if covariance is not None:  # also a sum of squares: those of Σ^½ f, and of one more entry
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        columns = [np.column_stack([f @ root, np.einsum("ij,ij->i", psi, f)]) for f in estimates]
        target = np.eye(1, columns[0].shape[1], columns[0].shape[1] - 1).repeat(len(psi), axis=0)
    share = np.ones((len(psi), 1)) if weights is None else np.sqrt(weights)[:, np.newaxis]
    system = np.column_stack([(share * one).ravel() for one in (*columns, target)])
    if np.linalg.norm(system[:, :-1]) > 1e-10 * np.linalg.norm(system[:, -1]):  # beyond rounding noise
        reduced: Any = np.linalg.qr(system, mode="r")
        found: FloatArray = nnls(reduced[:, :-1], reduced[:, -1])[0]
        if found.any():
            return found
    return np.full(len(estimates), 1.0 / len(estimates))
