"""ProbabilisticStructuredCV: log-linear models whose kernel, width and penalty are chosen by held-out likelihood."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context

from .._data.glossary import documented
from .._data.inputs import refit
from .._lib.arrays import FloatArray, IndexArray
from .._lib.call import get_n_threads
from .._lib.kernel import SCALED_KERNELS
from .._lib.loglinear import log_seen
from ..sampling.engines import engine_of, resolve_method
from .choice import (
    SCORING,
    Choice,
    JudgedRows,
    Setting,
    Trial,
    check_scoring,
    checked_lists,
    given_kernel,
    judge_decisions,
    require_two_rows,
    settings_of,
    take_fit,
    take_structure,
)
from .loglinear import LikelihoodRows, conditions_of_training, train
from .probabilistic import ProbabilisticBase, ProbabilisticStructured
from .training import TrainingRows, embed_rows, folds_of, kernel_of

_ALPHAS = tuple(10.0 ** (k / 2) for k in range(-8, 5))
_OWN = ("alphas", "kernels", "gammas", "cv", "scoring")
_ROUNDS = (200, 3), (1000, 1)
# Of folds. Where penalties are small, gradients a hundred times as large stand for models that are not yet as
# overconfident as they will be. Starting from the solution at the penalty before saved iterations, but not time, as
# starts off zero need a preconditioner of their own.
_TOL = 1e-5


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class ProbabilisticStructuredCV(ProbabilisticBase):
    r"""ProbabilisticStructured whose kernel, width and penalty are chosen by the likelihood of held-out rows.

    A penalty that does not suit the data makes probabilities timid or overconfident, and predictions worse. Here each
    setting is trained on the folds of a cross-validation, judged by the rows that it has not seen, and the best one
    trained on all rows.

    Parameters
    ----------
    %(structure)s
    alphas : array-like of float, default=10 ** np.arange(-4, 2.1, 0.5)
        Penalties to try; positive. Of several with the best score, the first is chosen.
    kernels : list of str or callable, or None, default=None
        Kernels to try, of those of :class:`ProbabilisticStructured`. None: ``["linear", "rbf", "laplacian"]``.
        ``["precomputed"]`` makes X the matrix of kernel values, as ``kernel="precomputed"`` does there.
    %(gammas)s
    cv : int, cross-validation generator or iterable, default=5
        Folds; every row must be left out by one. An integer: so many, of shuffled rows.
    scoring : str or None, default=None
        What settings are compared by. None: the mean of ln p(y | x) over held-out rows, weighted by `sample_weight`;
        of rows known in part, and of sets, that of what is known, as in training. ``"metric"``: the structure's own
        metric of predictions. Otherwise a name from :func:`combpred.metrics.get_scorer_names`.
    %(degree)s
    %(coef0)s
    %(fit_intercept)s
    inference : str, default="auto"
        As in :class:`ProbabilisticStructured`.
    sampler : str, default="auto"
        As in :class:`ProbabilisticStructured`.
    epsilon : float, default=0.1
        As in :class:`ProbabilisticStructured`.
    delta : float, default=0.05
        As in :class:`ProbabilisticStructured`.
    decision : str, default="map"
        As in :class:`ProbabilisticStructured`.
    %(decoder)s
    %(partial)s
    solver : str, default="auto"
        As in :class:`ProbabilisticStructured`.
    tol : float, default=1e-6
        As in :class:`ProbabilisticStructured`.
    max_iter : int, default=200
        As in :class:`ProbabilisticStructured`.
    %(class_weight)s
    %(n_jobs)s
    %(random_state)s
        It also seeds `sample`, ``inference="mcmc"`` and the order of rows in ``solver="sgd"``. Folds do not depend on
        it.
    %(verbose)s

    Attributes
    ----------
    alpha_ : float
        The penalty chosen.
    gamma_ : float or None
        The scale of the kernel chosen, None where it has none.
    best_params_ : dict
        The setting chosen, as :class:`ProbabilisticStructured` takes it: ``alpha``, ``kernel`` and, where the kernel
        has it, ``gamma``.
    best_score_ : float
        Its score.
    cv_results_ : dict
        ``params``, ``param_alpha``, ``param_kernel``, ``param_gamma``, ``n_rows``, ``mean_test_score`` and
        ``rank_test_score``, one entry for each penalty tried with a kernel and width, on few rows first (see the
        notes). Scores on more rows rank first.
    best_index_ : int
        The place of the setting chosen in the lists of `cv_results_`.
    left_out_scores_ : ndarray of shape (n, d)
        f(x) of each training row, by the model of the folds without it, with the setting chosen.
    %(structure_)s
    %(coef_)s
    %(dual_coef_)s
    %(intercept_)s
    %(X_fit_)s
    %(kernel_)s
    %(classes_)s
    objective_, n_iter_, solver_, inference_, chain_diagnostics_
        As in :class:`ProbabilisticStructured` fitted with `best_params_`.
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    ProbabilisticStructured : With all of these given.
    StructuredRidgeCV : Chooses by leave-one-out in closed form, much faster, but has no probabilities.
    sklearn.linear_model.LogisticRegressionCV : The same for classes and the linear kernel.

    Notes
    -----
    More than three kernels and widths are first compared on at most 200 rows, drawn with a fixed seed, with every third
    penalty. The best three, or all where there are no more, are compared on at most 1000 rows; the best is then tried
    on all. After a first comparison only penalties next to the best so far are tried, until those on both sides are
    worse. A single setting is tried with every penalty. Folds are trained to a relative gradient of 1e-5, or `tol` if
    that is larger.

    Cost: with the defaults some 52 penalties on 200 rows, 10 on 1000 and 3 on all, each with a fit for each fold.

    References
    ----------
    S. Vembu (2010), *Learning to Predict Combinatorial Structures*, PhD thesis, University of Bonn, ch. 6.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from combpred import ProbabilisticStructuredCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProbabilisticStructuredCV(kernels=["linear", "rbf"]).fit(X, y)
    >>> bool(model.score_log_loss(X, y) < 0.15), model.score(X, y) > 0.9
    (True, True)
    """

    alphas: Sequence[float] = _ALPHAS
    kernels: Sequence[str | Callable[..., float]] | None = None
    gammas: Sequence[float | str | None] | None = None
    cv: Any = 5
    scoring: str | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ProbabilisticBase._parameter_constraints,
        "alphas": ["array-like"],
        "kernels": ["array-like", None],
        "gammas": ["array-like", None],
        "cv": ["cv_object"],
        "scoring": SCORING,
    }

    kernel = given_kernel

    @documented
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, constraints: Any = None) -> ProbabilisticStructuredCV:
        """Choose kernel, width and penalty, and train with them on all rows.

        Parameters
        ----------
        %(X_rows)s
        y : array of n structures
            In the format of the structure's class.
        %(sample_weight)s
        %(constraints_of_training)s

        Returns
        -------
        ProbabilisticStructuredCV
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        CapabilityError, MemoryError, numpy.linalg.LinAlgError
            As :meth:`ProbabilisticStructured.fit`.
        ValueError
            As there; for lists that hold what is not legal, naming the place; for `scoring` that does not judge outputs
            of the structure; for `cv` that does not leave out each row once, naming the row.

        Warns
        -----
        ConvergenceWarning, ApproximationWarning
            As there; ConvergenceWarning of the training on all rows only.

        Notes
        -----
        Cost: see the notes of the class.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructuredCV
        >>> X, y = np.arange(8.0)[:, None], np.repeat(["a", "b"], 4)
        >>> ProbabilisticStructuredCV(alphas=[0.1, 1.0], cv=2).fit(X, y).predict([[0.5], [6.5]]).tolist()
        ['a', 'b']
        """
        with refit(self):
            lists = checked_lists(self, ProbabilisticStructured)
            rows = self._read_rows(X, y, sample_weight)
            settings = settings_of(lists, rows, widths=self.gammas is None)
            check_scoring(self.scoring, self.structure_, rows.y)
            scoring = "likelihood" if self.scoring is None else self.scoring
            choice = Choice(self, lists["alpha"], settings, scoring, _ROUNDS, self._trial_of)
            conditions = conditions_of_training(self, constraints, rows.n)
            judged = JudgedRows(rows, embed_rows(self, rows), constraints, self._folds(rows))
            if scoring == "likelihood":  # which is refused now rather than after all folds
                space, scores = self.structure_.space, np.zeros((rows.n, self.structure_.n_features))
                log_seen(space.description, scores, judged.targets, conditions, get_n_threads(self.n_jobs))
            best = choice.keep(judged)
            self.left_out_scores_ = best.left_out
            model = self._model_of(best.setting).set_params(alpha=self.alpha_)
            model.kernel_ = kernel_of(model, rows)
            train(model, rows.X, judged.targets, conditions=conditions)
            take_fit(self, model)
            self.gamma_ = self.kernel_.gamma if self.kernel_.name in SCALED_KERNELS else None
        return self

    def _folds(self, rows: TrainingRows) -> NDArray[np.int8]:
        """Return the folds, as `folds_of` does; ValueError unless each row is left out by one."""
        require_two_rows(rows, "cross-validation", ProbabilisticStructured)
        y = rows.y if self.structure_.target_type == "multiclass" else None
        # Another seed than that of `JudgedRows.some`, whose rows would be those of a fold.
        folds = folds_of(self.cv, rows.n, y, seed=1)
        times = (folds < 0).sum(axis=1)
        if (times != 1).any():
            row = int(np.argmax(times != 1))
            raise ValueError(f"cv must leave out every row once: row {row} is left out {times[row]} times")
        return folds

    def _model_of(self, setting: Setting) -> ProbabilisticStructured:
        """Return the estimator of a setting, not fitted but for the structure and the features of all rows."""
        shared = {name: value for name, value in self.get_params(deep=False).items() if name not in _OWN}
        return take_structure(ProbabilisticStructured(**shared, **setting.parameters), self)

    def _trial_of(self, setting: Setting, judged: JudgedRows) -> HeldOut:
        """Return the trial of a setting."""
        model = self._model_of(setting).set_params(tol=max(float(self.tol), _TOL), verbose=0)
        return HeldOut(setting, model, judged)


class HeldOut(Trial):
    """A log-linear model on some rows, and its scores of each fold of them by a fit to the others."""

    def __init__(self, setting: Setting, model: ProbabilisticStructured, judged: JudgedRows) -> None:
        super().__init__(setting, model, judged)
        assert judged.folds is not None
        self.folds = judged.folds
        self.conditions = conditions_of_training(model, judged.constraints, judged.targets.n)

    def leave_out(self, alphas: Iterable[float]) -> Iterable[FloatArray]:
        """Return f(x) of rows left out for each penalty."""
        penalties = list(alphas)
        scores = np.zeros((len(penalties), self.targets.n, self.targets.d))
        counts = 1.0 if self.targets.weights is None else self.targets.weights
        for fold in self.folds.T:
            training, left_out = np.flatnonzero(counts * fold > 0), np.flatnonzero(fold < 0)
            # Without rows to train on the scores are 0, those of the uniform distribution.
            if training.size and left_out.size:
                self._add_fold(scores, penalties, training, left_out)
        return scores

    def _add_fold(self, scores: FloatArray, penalties: list[float], training: IndexArray, left_out: IndexArray) -> None:
        """Set the scores of the rows that a fold leaves out."""
        model, X = self.model, self.rows.X
        targets = self.targets.take(training)
        square = model.kernel == "precomputed"
        X_training, X_left_out = (X[np.ix_(rows, training)] if square else X[rows] for rows in (training, left_out))
        model.kernel_ = kernel_of(model, TrainingRows(X_training, None, None, targets.weights))
        conditions = None if self.conditions is None else self.conditions.taken(training)
        given = LikelihoodRows.of(model, X_training, targets, conditions=conditions)
        for place, alpha in zip(scores, penalties, strict=True):
            given.maximise(model.set_params(alpha=alpha), None)
            place[left_out] = model._scores(X_left_out)

    def judge(self, scores: FloatArray, scoring: str) -> float:
        """Return the mean log-likelihood of rows, or the metric that `scoring` names."""
        model, targets = self.model, self.targets
        if scoring != "likelihood":
            return judge_decisions(model, scores, self.rows.y, targets.weights, scoring)
        method = resolve_method(model.inference, model.structure_, targets.n)
        log_z = engine_of(model, method).within(self.conditions).infer(scores).log_z
        space, n_threads = model.structure_.space, get_n_threads(model.n_jobs)
        seen = log_seen(space.description, scores, targets, self.conditions, n_threads)
        return float(np.average(seen - log_z, weights=targets.weights))
