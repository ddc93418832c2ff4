"""StructuredRidgeCV: ridge regression whose kernel, width, loss and penalty are chosen by leave-one-out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.base import _fit_context

from .._data.glossary import documented
from .._data.inputs import refit
from .._lib.control import Steps
from .._lib.kernel import SCALED_KERNELS
from ..structures import Structure
from .choice import (
    ROUNDS,
    SCORING,
    Choice,
    JudgedRows,
    LeaveOut,
    Setting,
    candidates,
    check_scoring,
    checked_lists,
    given_kernel,
    require_two_rows,
    settings_of,
    take_fit,
    take_structure,
)
from .ridge import THRESHOLD_DECISIONS, RidgeBase, StructuredRidge
from .training import embed_rows, require_single

_ALPHAS = tuple(10.0 ** (k / 2) for k in range(-6, 5))
_OWN = ("alphas", "kernels", "gammas", "losses", "scoring", "kernel_params")


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class StructuredRidgeCV(RidgeBase):
    r"""StructuredRidge whose kernel, width, loss and penalty are chosen on the training rows.

    By default all are scored by leave-one-out without refitting: removing the label of row i from the closed form is a
    change of rank one, and dropping its input as well is corrected to first order. With ``loss="squared"`` the
    leave-one-out is exact.

    Parameters
    ----------
    %(structure)s
    alphas : array-like of float, default=10 ** np.arange(-3, 2.1, 0.5)
        Penalties to try; positive. Of several with the best score, the first is chosen.
    kernels : list of str or callable, or None, default=None
        Kernels to try, of those of :class:`StructuredRidge`. None: ``["linear", "rbf", "laplacian"]``.
        ``["precomputed"]`` makes X the matrix of kernel values, as ``kernel="precomputed"`` does there.
    %(gammas)s
    losses : list of {"auto", "auc", "squared"}, or None, default=None
        Losses to try. None: ``["auto"]``.
    scoring : str or None, default=None
        What predictions are judged by: a name from :func:`combpred.metrics.get_scorer_names`; ``"metric"`` or None, the
        structure's own; ``"f1"``, for label sets, the mean F1 of rows, 1 where no label is true or predicted. It
        chooses what is left open: the decision where that is "auto", of those by the expected ψ, and, unless it is
        None, the sets of ``LabelSets()``, all or those observed. If there is such a choice, or `scoring` is None, the
        setting is chosen before by the share of the variance of ψ that the expected ψ of rows left out explains, which
        needs no decoding and is less noisy than a metric (see the notes). Otherwise, and with constraints or where a
        loss is not "squared", settings are compared by the metric, too, weighted by `sample_weight`. A row left out
        leaves its set out of those observed, unless another row has it. With constraints sets are all. For other
        scorers and for folds, search :class:`StructuredRidge` with
        :class:`~sklearn.model_selection.GridSearchCV`.
    %(degree)s
    %(coef0)s
    %(kernel_params)s
    %(fit_intercept)s
    %(decoder)s
    %(threshold_decision)s
    %(residual_tol)s
    max_iter : int or None, default=None
        Limit on iterations; None takes the solver's default.
    %(class_weight)s
    %(n_jobs)s
    %(random_state)s
        Everything else is deterministic.
    %(verbose)s

    Attributes
    ----------
    alpha_ : float
        The penalty chosen.
    gamma_ : float or None
        The scale of the kernel chosen, None where it has none.
    best_params_ : dict
        The setting chosen, as :class:`StructuredRidge` takes it: ``alpha``, ``kernel``, ``loss`` and, where the kernel
        has it, ``gamma``; where `scoring` has chosen them, also ``structure`` and ``decision``.
    best_score_ : float
        Its score, by `scoring` where that is given, otherwise the one by which the setting was chosen.
    cv_results_ : dict
        ``params``, ``param_alpha``, ``param_kernel``, ``param_gamma``, ``param_loss``, ``n_rows``, ``mean_test_score``
        and ``rank_test_score``, one entry for each penalty tried with a kernel, width and loss, on few rows first (see
        the notes). Scores on more rows rank first. They are shares of variance where `scoring` chooses decisions.
    best_index_ : int
        The place of the setting chosen in the lists of `cv_results_`.
    loo_scores_ : ndarray of shape (n, d)
        f(x) of each training row, left out of training with the setting chosen.
    %(structure_)s
    %(coef_)s
    %(dual_coef_)s
    %(intercept_)s
    %(loss_)s
    threshold_, predicts_empty_ : float, bool
        With ``decision="f1"``, as in :class:`StructuredRidge`.
    %(kernel_)s
    %(classes_)s
    X_fit_, objective_, n_iter_, solver_, precision_
        As in :class:`StructuredRidge` fitted with `best_params_`.
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    StructuredRidge : With all of these given.
    sklearn.model_selection.GridSearchCV : Searches any parameter, by folds and any scorer.

    Notes
    -----
    More than five kernels, widths and losses are first compared on at most 500 rows, drawn with a fixed seed, with
    every third penalty. The best five, or all where there are no more, are compared on at most 1000 rows; the best is
    then tried on all, since the best penalty depends on their number. After a first comparison only penalties next to
    the best so far are tried, until those on both sides are worse. A single setting is tried with every penalty.

    Expected ψ of rows left out are the f(x) of ``loss="squared"`` and the mean of ψ. Choosing by their squared distance
    from ψ, which is less noisy than a metric of predictions, lost .006 of the structure's metric to the best setting in
    hindsight on 17 sets of rankings, label sets and grades, choosing by the metric .008; a choice made on one half of
    the test rows lost .007 on the other half (tests/benchmarks/choice.py).

    Choosing sets and decisions at the setting of most variance explained reached, on emotions and on 800 rows of yeast,
    a subset accuracy of .304 and .194 (without a choice .302 and .166; with the setting chosen by the metric, too, .292
    and .188), F1 of .691 and .670 (.608 and .619; .680 and .670), and a Hamming score of .818 and .807 (.818 and .807;
    .812 and .806). On texts of 30 tags, where the threshold of F1 suits all metrics, the Hamming score rose from .973
    to .984 (tests/benchmarks/naive_baselines.md).

    Leave-one-out costs :math:`O(s n^3 + n^2 d)` for each kernel and width, with s the number of distinct eigenvalues of
    Σ (1 for ``loss="squared"``), and decoding n rows for each penalty where `scoring` asks for predictions. A kernel
    matrix of a rank r up to n/8 is decomposed once for all penalties, and so are up to n/8 features, r with the
    intercept, of the linear kernel, whose matrix is not formed. A penalty then costs :math:`O(n r d)` with
    ``loss="squared"``, and otherwise :math:`O(n q^2 + q^3)` for q = r d weights up to n/2, :math:`O(s n^2 r + n^3)` for
    more. Features of very different scales need no larger penalties for that. Of any rank, five penalties or more under
    ``loss="squared"`` share one banded form of the matrix, after which each costs :math:`O(n^2 d)`. From 1000 rows on
    n×n matrices are in single precision, and in double where a penalty is too small for that; errors stay below about
    1e-3 of the scores. Memory: up to three n×n matrices; five with more than eight distinct eigenvalues, where one
    eigendecomposition serves all penalties; none of the linear kernel where q is up to n/2, or with ``loss="squared"``
    r up to n/8.

    References
    ----------
    S. Vembu (2010), *Learning to Predict Combinatorial Structures*, PhD thesis, University of Bonn, ch. 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from combpred import StructuredRidgeCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = StructuredRidgeCV(kernels=["linear", "rbf"], scoring="metric").fit(X, y)
    >>> model.best_params_["kernel"], model.best_score_ > 0.9
    ('rbf', True)
    """

    alphas: Sequence[float] = _ALPHAS
    kernels: Sequence[str | Callable[..., float]] | None = None
    gammas: Sequence[float | str | None] | None = None
    losses: Sequence[str] | None = None
    scoring: str | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RidgeBase._parameter_constraints,
        "alphas": ["array-like"],
        "kernels": ["array-like", None],
        "gammas": ["array-like", None],
        "losses": ["array-like", None],
        "scoring": SCORING,
        "decision": THRESHOLD_DECISIONS,
    }

    kernel = given_kernel

    @documented
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, constraints: Any = None) -> StructuredRidgeCV:
        """Choose kernel, width, loss and penalty, and train with them on all rows.

        Parameters
        ----------
        %(X_rows)s
        y : array of n structures
            In the format of the structure's class.
        %(sample_weight)s
        constraints : dict, or list of n dicts (or None), default=None
            As in ``predict``: what the predictions for rows left out must satisfy when they are scored, such as the
            ends of routes. They have no part in training. With them `scoring` None is the structure's own metric.

        Returns
        -------
        StructuredRidgeCV
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        ValueError
            As :meth:`StructuredRidge.fit`; for lists that hold what is not legal, naming the place; for `scoring` that
            does not judge outputs of the structure; for `constraints` that are illegal, naming the row.
        MemoryError
            When three n×n matrices do not fit, before they are allocated.
        numpy.linalg.LinAlgError
            When the kernel matrix is too far from positive semi-definite.

        Notes
        -----
        Cost: see the notes of the class.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidgeCV
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["a", "a", "b", "b"])
        >>> StructuredRidgeCV(alphas=[0.1, 1.0]).fit(X, y).predict([[0.5], [2.5]]).tolist()
        ['a', 'b']
        """
        with refit(self):
            lists = checked_lists(self, StructuredRidge)
            rows = self._read_rows(X, y, sample_weight)
            require_single(rows.sets, "leave-one-out")
            require_two_rows(rows, "leave-one-out", StructuredRidge)
            check_scoring(self.scoring, self.structure_, rows.y)
            judged = JudgedRows(rows, embed_rows(self, rows), constraints)
            open_to = self._candidates(lists["loss"], judged)
            scoring = self._scoring(lists["loss"], constraints, chooses=len(open_to) > 1)
            settings = settings_of(lists, rows, widths=self.gammas is None)
            best = Choice(self, lists["alpha"], settings, scoring, ROUNDS, self._trial_of).keep(judged)
            chosen: dict[str, Any] = {}
            if len(open_to) > 1:
                chosen, best = self._decide(best, judged, open_to)
            self.loo_scores_ = best.train(self.alpha_)
            take_fit(self, best.model)
            self.best_params_ = {"alpha": self.alpha_, **best.setting.parameters, **chosen}
            if self.scoring is not None:
                self.best_score_ = best.score
            self.gamma_ = self.kernel_.gamma if self.kernel_.name in SCALED_KERNELS else None
        return self

    def _set_structure(self, structure: Structure) -> None:
        super(RidgeBase, self)._set_structure(structure)  # what goes by a loss comes with the model chosen

    def _are_squared(self, losses: list[str]) -> bool:
        decides_by = self.structure_.space.decides_by
        return all(decides_by(loss, "auto")[0] == "squared" for loss in losses)

    def _candidates(self, losses: list[str], judged: JudgedRows) -> list[tuple[Structure, str]]:
        """Return the structures and decisions that `scoring` chooses among."""
        loss, y = "squared" if self._are_squared(losses) else "", judged.rows.y
        # A condition on a prediction may hold for none of the sets observed.
        observed = self.scoring is not None and judged.constraints is None
        return candidates(self.structure_, loss, self.decision, self._metric, y, observed=observed)

    @property
    def _metric(self) -> str:
        """What decisions are chosen by."""
        return "metric" if self.scoring is None else self.scoring

    def _scoring(self, losses: list[str], constraints: Any, *, chooses: bool) -> str:
        """Return what settings are compared by, as `judge` takes it; if `scoring` chooses decisions, by none of its."""
        squared = self._are_squared(losses)
        if self.scoring is not None and not (chooses and constraints is None):
            return self.scoring
        if squared and constraints is None:
            return "explained"
        return "threshold" if self.decision == "f1" else "metric"

    def _decide(
        self, best: LeaveOut, judged: JudgedRows, open_to: list[tuple[Structure, str]]
    ) -> tuple[dict[str, Any], LeaveOut]:
        """Return the structure and the decision that are best at the setting chosen, and its trial under them."""
        left_out = {self.structure_: best}
        found: list[tuple[dict[str, Any], LeaveOut]] = []
        with Steps(type(self).__name__, len(open_to), int(self.verbose)) as steps:
            for structure, decision in open_to:
                if structure not in left_out:
                    other = LeaveOut(best.setting, self._model_of(best.setting, structure), judged)
                    other.try_penalties({best.best: self.alpha_}, "explained", steps.tell)
                    left_out[structure] = other
                model = self._model_of(best.setting, structure, decision)
                decided = left_out[structure].decided_by(
                    model, self._metric, learns_sets=structure is not self.structure_
                )
                found.append(({"structure": structure, "decision": decision}, decided))
                among = "all outputs" if structure is self.structure_ else "outputs observed"
                steps.tell(f"decision={decision!r} among {among}: left-out score {decided.score:.6g}")
                steps.advance()
        return max(found, key=lambda each: each[1].score)  # the first of equals

    def _trial_of(self, setting: Setting, judged: JudgedRows) -> LeaveOut:
        """Return the trial of a setting."""
        return LeaveOut(setting, self._model_of(setting), judged)

    def _model_of(self, setting: Setting, structure: Structure | None = None, decision: str = "") -> StructuredRidge:
        """Return the estimator of a setting, not fitted but for the structure and the features of all rows."""
        shared = {name: value for name, value in self.get_params(deep=False).items() if name not in _OWN}
        params = self.kernel_params if callable(setting.kernel) else None
        model = StructuredRidge(**shared, kernel_params=params, **setting.parameters)
        return take_structure(model.set_params(decision=decision or self.decision), self, structure)
