"""StructuredRidgeCV: ridge regression whose penalty is chosen by leave-one-out or cross-validation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.stats import rankdata
from sklearn import get_config
from sklearn.base import BaseEstimator, _fit_context
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection import GridSearchCV
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _num_samples, check_consistent_length

from .._data.glossary import documented
from .._data.inputs import check_weights, refit
from .._lib.arrays import FloatArray
from .._lib.errors import NumericalError
from .._lib.ridge import ridge_loo
from .advice import alternatives
from .dual import RidgeProblem, solve, workspace
from .ridge import SOLVERS, RidgeBase, StructuredRidge, keep, training_kernel
from .training import resolve_targets

_PROBABILITIES = ("predict_proba", "predict_log_proba")


@documented
class StructuredRidgeCV(RidgeBase):
    r"""StructuredRidge with built-in selection of the penalty `alpha`.

    By default every `alpha` is scored by leave-one-out without refitting: removing the label of row i from the closed
    form is a change of rank one, and dropping its input as well is corrected to first order. With ``loss="squared"``
    the leave-one-out is exact.

    Parameters
    ----------
    %(structure)s
    alphas : array-like of float, default=(0.01, 0.1, 1.0, 10.0, 100.0)
        Penalties to try; positive. Of several with the best score, the first is chosen.
    cv : int, cross-validation generator or iterable, default=None
        None for leave-one-out; otherwise as in :class:`sklearn.model_selection.GridSearchCV`.
    scoring : str or callable, default=None
        None for the structure's own metric, weighted by `sample_weight`. Otherwise the name of a scikit-learn scorer or
        a callable ``(estimator, X, y)``, not weighted, larger is better. In leave-one-out it gets an estimator that
        has ``predict`` and ``decision_function`` only, which give the leave-one-out predictions of the training rows.
    %(loss)s
    %(kernel)s
    %(gamma)s
    %(degree)s
    %(coef0)s
    %(kernel_params)s
    %(fit_intercept)s
    solver : {"auto", "closed-form", "cg", "newton-cg", "primal"}, default="auto"
        As in :class:`StructuredRidge` when `cv` is given. Leave-one-out is closed-form and accepts ``"auto"`` or
        ``"closed-form"``.
    %(decoder)s
    %(ridge_decision)s
    %(residual_tol)s
    max_iter : int or None, default=None
        Limit on iterations; None takes the solver's default.
    %(n_jobs)s
    %(random_state)s
        All else is deterministic.
    %(verbose)s

    Attributes
    ----------
    alpha_ : float
        The penalty chosen.
    best_score_ : float
        Its score.
    cv_results_ : dict
        ``params``, ``param_alpha``, ``mean_test_score`` and ``rank_test_score``, one entry per penalty; with `cv`, all
        that :class:`~sklearn.model_selection.GridSearchCV` reports.
    %(structure_)s
    %(coef_)s
    %(dual_coef_)s
    %(intercept_)s
    %(loss_)s
    %(kernel_)s
    %(classes_)s
    X_fit_, objective_, n_iter_, solver_, precision_
        As in :class:`StructuredRidge` fitted with `alpha_`.
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    StructuredRidge : With `alpha` given.
    sklearn.model_selection.GridSearchCV : Searches any parameters, such as ``structure__size`` or ``gamma``.

    Notes
    -----
    Leave-one-out costs :math:`O(s n^3 + n^2 d)` and decoding n rows for each penalty, with s the number of distinct
    eigenvalues of Σ (1 for ``loss="squared"``). A kernel matrix of a rank r up to n/8, as the linear one has on few
    features, is decomposed once for all penalties, which then cost :math:`O(s n^2 r + n^3 + n^2 d)`, with
    ``loss="squared"`` :math:`O(n r d)`. Of any rank, five penalties or more under ``loss="squared"`` share one banded
    form of the matrix, after which each costs :math:`O(n^2 d)`. From 1000 rows on n×n matrices are in single precision,
    and in double where a penalty is too small for that; errors stay below about 1e-3 of the scores. Memory: up to three
    n×n matrices; five with more than eight distinct eigenvalues, where one eigendecomposition serves all penalties.

    References
    ----------
    S. Vembu (2010), *Learning to Predict Combinatorial Structures*, PhD thesis, University of Bonn, ch. 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from combpred import StructuredRidgeCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = StructuredRidgeCV(kernel="rbf", alphas=[0.01, 0.1, 1.0]).fit(X, y)
    >>> model.best_score_ > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RidgeBase._parameter_constraints,
        "alphas": ["array-like"],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "solver": SOLVERS,
    }

    def __init__(
        self,
        structure: Any = None,
        *,
        alphas: Sequence[float] = (0.01, 0.1, 1.0, 10.0, 100.0),
        cv: Any = None,
        scoring: str | Callable[..., float] | None = None,
        loss: str = "auto",
        kernel: str | Callable[..., float] = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1.0,
        kernel_params: Mapping[str, Any] | None = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        decoder: str = "auto",
        decision: str = "auto",
        tol: float = 1e-8,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.structure = structure
        self.alphas = alphas
        self.cv = cv
        self.scoring = scoring
        self.loss = loss
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.decoder = decoder
        self.decision = decision
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @documented
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StructuredRidgeCV:
        """Choose the penalty and train with it on all rows.

        Parameters
        ----------
        %(X_rows)s
        y : array of n structures
            In the format of the structure's class.
        %(sample_weight)s

        Returns
        -------
        StructuredRidgeCV
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        ValueError
            As :meth:`StructuredRidge.fit`; for `alphas` that are not positive numbers; for `scoring` that needs what
            the models do not have, or gives NaN or infinity.
        MemoryError
            When three n×n matrices do not fit, before they are allocated.
        numpy.linalg.LinAlgError
            When the kernel matrix is too far from positive semi-definite.

        Notes
        -----
        Cost of leave-one-out: see the notes of the class. Cost of folds: a :meth:`StructuredRidge.fit` for each penalty
        and fold.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidgeCV
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["a", "a", "b", "b"])
        >>> StructuredRidgeCV(alphas=[0.1, 1.0]).fit(X, y).predict([[0.5], [2.5]]).tolist()
        ['a', 'b']
        """
        with refit(self):
            alphas = self._check_alphas()
            self._require_target(y)
            if self.cv is None:
                self._fit_leave_one_out(X, y, sample_weight, alphas)
            else:
                self._fit_folds(X, y, sample_weight, alphas)
        return self

    def _check_alphas(self) -> list[float]:
        try:
            alphas = np.asarray(self.alphas, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"alphas must be a list of positive numbers, got {self.alphas!r}: {error}") from error
        if alphas.ndim != 1 or not alphas.size:
            raise ValueError(f"alphas must be a list of at least one number, got {self.alphas!r}")
        bad = np.flatnonzero(~(np.isfinite(alphas) & (alphas > 0)))
        if bad.size:
            raise ValueError(f"alphas[{bad[0]}] is {alphas[bad[0]]}, must be positive and finite")
        return [float(alpha) for alpha in alphas]

    def _fit_leave_one_out(self, X: Any, y: Any, sample_weight: Any, alphas: list[float]) -> None:
        if self.solver not in ("auto", "closed-form"):
            raise ValueError(
                f"leave-one-out (cv=None) is closed-form, got solver={self.solver!r}: take 'auto', or folds (cv=5)"
            )
        X_fit, problem = self._validate_training(X, y, sample_weight)
        if problem.targets.first is not None:
            raise ValueError("leave-one-out (cv=None) takes one output for each row, y has Admissible sets: take cv=5")
        n, problem = problem.n, problem.with_options(solver="closed-form")
        plan = problem.plan(0, n * n)

        def advice() -> str:
            if self.kernel == "linear":
                return (
                    "fit fewer rows, or choose alpha by folds (cv=5) with solver='primal', which need no kernel matrix"
                )
            return alternatives(self.kernel, n, X_fit.shape[1], self.structure_.n_features, self.loss_)

        # The linear kernel takes the same n×n route, however few its features: leaving rows out needs the diagonal of
        # the inverse of an n×n matrix that is not of low rank. Where that does not fit, folds need no such matrix.
        kernel = training_kernel(self, X_fit, plan, advice, loo="_loo")
        scores = np.array(self._leave_one_out_scores(problem, plan, kernel, alphas, X, y))
        best = int(scores.argmax())
        self.alpha_ = alphas[best]
        self.best_score_ = float(scores[best])
        self.cv_results_ = {
            "params": [{"alpha": alpha} for alpha in alphas],
            "param_alpha": np.ma.masked_array(alphas),
            "mean_test_score": scores,
            "rank_test_score": rankdata(-scores, method="min").astype(np.int32),
        }
        keep(self, X_fit, solve(problem.with_options(alpha=self.alpha_), kernel, plan))

    def _leave_one_out_scores(
        self, problem: RidgeProblem, plan: dict[str, Any], kernel: FloatArray, alphas: list[float], X: Any, y: Any
    ) -> list[float]:
        """Return the score of each penalty, from a call of the library for as many as memory is wanted for."""
        n, targets = problem.n, problem.targets
        options = {**problem.options, "precision": plan["precision"]}
        together = max(1, max(8 * n * n, 2**26) // (8 * n * targets.d))
        what = f"leaving out each of {n} rows, in the double precision that so small an alpha needs"
        found: list[float] = []
        with workspace(plan, n, what, "take larger alphas, or fewer rows", loo="_loo") as work:
            for at in range(0, len(alphas), together):
                some = alphas[at : at + together]
                try:
                    left_out = ridge_loo(
                        problem.description, options, kernel, targets, some, work, n_threads=problem.n_threads,
                        verbose=problem.verbose,
                    )  # fmt: skip
                except NumericalError as error:
                    raise NumericalError(
                        f"{error}: raise alpha, or check that the kernel is positive semi-definite"
                    ) from error
                found += [
                    self._leave_one_out_score(scores, alpha, targets.weights, X, y)
                    for scores, alpha in zip(left_out, some, strict=True)
                ]
        return found

    def _leave_one_out_score(
        self, left_out: FloatArray, alpha: float, weights: FloatArray | None, X: Any, y: Any
    ) -> float:
        predicted = self.structure_.space.decode_parts(self._decode_scores(left_out, self._decoding()).y)
        if self.scoring is None:
            score = self.structure_.score(y, predicted, weights)
        else:
            decision = self._decision(left_out)
            if weights is not None:  # rows of weight 0 are left out, of the score as well
                rows = np.flatnonzero(weights)
                X, y, predicted, decision = (_safe_indexing(each, rows) for each in (X, y, predicted, decision))
            scorer = get_scorer(self.scoring)  # a callable is returned as it is
            left_out_model = _LeaveOneOut(self, predicted, decision)
            try:
                score = scorer(left_out_model, X, y)
            except AttributeError as error:
                _refuse_scoring(self.scoring, left_out_model.missing, error)
                raise
        if not np.isfinite(score):
            raise ValueError(f"scoring gave {score} at alpha={alpha}, must be a finite number")
        if self.verbose:
            line = f"[{type(self).__name__}] alpha={alpha:g}: leave-one-out score {score:.6g}"
            print(line, file=sys.stderr)
        return float(score)

    def _fit_folds(self, X: Any, y: Any, sample_weight: Any, alphas: list[float]) -> None:
        own = ("alphas", "cv", "scoring")
        shared = {name: value for name, value in self.get_params(deep=False).items() if name not in own}
        if self.structure is not None:
            # Sizes come from all of y, since a fold may lack the largest grade, say.
            shared["structure"], _ = resolve_targets(self.structure, y)
        model = StructuredRidge(**shared)
        fit_params: dict[str, Any] = {}
        if sample_weight is not None:
            fit_params["sample_weight"] = check_weights(sample_weight, _num_samples(X))
            if get_config().get("enable_metadata_routing", False):
                model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"alpha": alphas}, scoring=self.scoring, cv=self.cv, error_score="raise")
        try:
            search.fit(X, y, **fit_params)
        except AttributeError as error:
            _refuse_scoring(self.scoring, [], error)
            raise
        self.alpha_ = search.best_params_["alpha"]
        self.best_score_ = float(search.best_score_)
        self.cv_results_ = search.cv_results_
        for name, value in vars(search.best_estimator_).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(self, name, value)


def _refuse_scoring(scoring: Any, missing: Sequence[str], error: AttributeError) -> None:
    """Raise ValueError if `error` is about a method that scoring asked of a model and did not find."""
    for name in _PROBABILITIES:
        if name in str(error):
            raise ValueError(
                f"scoring={scoring!r} needs {name}, which structured models do not have: take a scorer of predictions "
                "or of decision_function, or None for the structure's own metric"
            ) from error
    for name in missing:
        if name in str(error):
            raise ValueError(
                f"scoring={scoring!r} needs {name}, and leave-one-out has only predict and decision_function: take "
                "folds (cv=5), or another scorer"
            ) from error


class _LeaveOneOut(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The leave-one-out predictions of the training rows, dressed as an estimator for scikit-learn's scorers."""

    def __init__(self, model: StructuredRidgeCV, predicted: Any, decision: FloatArray) -> None:
        self.model = model
        self.predicted = predicted
        self.decision = decision
        self.missing: list[str] = []
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            self.__dict__.setdefault("missing", []).append(name)
        raise AttributeError(f"leave-one-out predictions have no {name}")

    @property
    def _estimator_type(self) -> str:
        return self.model._estimator_type

    def __sklearn_tags__(self) -> Any:
        return self.model.__sklearn_tags__()

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> Any:
        check_consistent_length(X, self.decision)
        return self.predicted

    def decision_function(self, X: Any) -> FloatArray:
        check_consistent_length(X, self.decision)
        return self.decision
