"""StructuredVoting: weighted averages of the scores of several estimators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import nnls
from sklearn.base import _fit_context, clone
from sklearn.utils import Bunch, check_array, get_tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import _BaseComposition, _safe_split

from ..._data.glossary import documented
from ..._data.inputs import check_lengths, check_weights, in_memory, refit
from ..._data.targets import flat_sets
from ..._lib.arrays import FloatArray, refuse_masked
from ..._lib.control import Steps
from ...structures import Structure, classes_of
from ..base import StructuredEstimator
from ..choice import SCORING, candidates, check_scoring, judge_decisions
from ..ridge import THRESHOLD_DECISIONS, StructuredRidge
from ..ridge_cv import StructuredRidgeCV
from ..thresholds import choose_threshold
from ..training import folds_of, require_single, structure_of
from .base import ComposedEstimator, Member, Reached, resolve_member

#: Rows up to which a ridge is left out row by row, which needs matrices of their number squared.
_MOST_LEFT_OUT = 5000


@documented
@dataclass(eq=False, repr=False)
class StructuredVoting(ComposedEstimator, _BaseComposition):  # type: ignore[misc]  # scikit-learn has no types
    r"""Weighted average of the scores of several estimators, which may even have different structures.

    Each member estimates the expectation of ψ. Weights are chosen on held-out rows, so that the average estimates it
    better than any member, and the average is decoded (stacked regressions; Breiman, 1996). Members may also predict
    another structure of the same objects, such as the set of places on a route; their scores are added to those of ψ.

    Parameters
    ----------
    estimators : list of (str, estimator) or (str, estimator, link)
        Names and members: estimators of this package, pipelines that end in one, or searches for one. A member whose
        `structure` is None, or of the same class as the average's, gets the average's. ``"drop"`` in place of a member
        leaves it out. A member that predicts another structure needs a `link`, an array or sparse matrix L of shape
        (d', d) with :math:`\psi'(y') = L\,\psi(y)`: the member is trained on the y' that follow from y, and the
        transpose of L carries its scores to those of ψ. For ``LabelSets`` of what ``Routes`` and ``Cycles`` visit, the
        link is known.
    structure : Structure, str or None, default=None
        The structure that is predicted. None: that of the first member without a link.
    weights : "loo", array of shape (n_estimators,) or None, default="loo"
        ``"loo"``: the nonnegative weights that do best on held-out rows. Those are left out one by one for
        :class:`StructuredRidge` and :class:`StructuredRidgeCV` of up to 5000 rows, and by `cv` otherwise. An array:
        nonnegative numbers, divided by the sum of those without a link. None: equal weights.
    cv : int, cross-validation generator or iterable, default=5
        Folds that leave rows out. An integer: so many, of shuffled rows.
    scoring : str or None, default=None
        Metric by which `decision` and the sets of ``LabelSets`` are chosen for the left-out rows where they are left
        open, as by :class:`StructuredRidgeCV`. It takes members without a link that estimate expectations. None:
        nothing is chosen. Members have a `scoring` of their own.
    %(decoder)s
    %(expected_threshold_decision)s
    %(n_jobs)s
    %(random_state)s
    %(verbose)s

    Attributes
    ----------
    estimators_ : list of estimators
        The members, fitted to all rows; dropped ones left out.
    named_estimators_ : :class:`~sklearn.utils.Bunch`
        The members by name; ``"drop"`` for those that were dropped.
    weights_ : ndarray of shape (n_members,)
        Weights of the members' estimates of ψ, of those in `estimators_`.
    left_out_by_ : list of {"loo", "cv"}
        How rows were left out of each member. Only where rows are: with ``weights="loo"``, ``decision="f1"`` or
        `scoring`.
    left_out_scores_ : ndarray of shape (n, d)
        The average's scores for the rows of training, of each from members without it. Only where rows are left out.
    threshold_, predicts_empty_ : float, bool
        Where ``decision_`` is "f1", as in :class:`StructuredRidge`.
    %(structure_)s
    loss_, decision_ : str
        ``"squared"``, unless all members predict by scores under the loss ``"auc"``; and what ``"auto"`` stood for.
    %(classes_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    EmbeddingRegressor : Forests and other regressors as members.
    sklearn.ensemble.VotingRegressor : Averages of regressors, with equal weights unless they are given.

    Notes
    -----
    Member k estimates :math:`E\psi - \mu` by :math:`f_k(x)`: its scores where its loss is ``"squared"``, its marginals
    less μ where it has a distribution, and :math:`\Sigma` times its scores otherwise, which is the same to first order
    for log-odds. With :math:`f_k^{-}` the estimates for left-out rows and sample weights u, the weights w ≥ 0 minimise
    :math:`\sum_i u_i \|\tilde\psi_i - \sum_k w_k f_k^{-}(x_i)\|^2`. Where all members decide by scores under the loss
    ``"auc"``, their scores are averaged, and w minimises that loss. Where no combination is better than the uniform
    mean, weights are equal.

    Members with a link are averaged with those of the same structure and link in the same way, to an estimate
    :math:`\hat\psi'` of the expectation of ψ'. To the score of y it adds :math:`\langle\hat\psi', \psi'(y')\rangle`,
    less :math:`\tfrac12 \|\psi'(y')\|^2` with ``decision="mbr"``, which takes a ψ' of zeros and ones: the decision is
    that of least expected squared distance of ψ and ψ' together. On routes of tourists, other factors for what was
    learnt about visits predicted no better (tests/benchmarks/README.md). Weights that are given multiply each member's
    own :math:`\hat\psi'`.

    Cost: a fit of each member; for a ridge leave-one-out besides, for others five fits.

    References
    ----------
    L. Breiman (1996), Stacked regressions, *Machine Learning* 24.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from combpred import EmbeddingRegressor, StructuredRidge, StructuredVoting
    >>> X = np.arange(10.0)[:, None]
    >>> y = np.where(X < 5, [1, 2, 3], [3, 2, 1])
    >>> neighbours = EmbeddingRegressor(regressor=KNeighborsRegressor(2))
    >>> voting = StructuredVoting([("ridge", StructuredRidge("permutations")), ("neighbours", neighbours)]).fit(X, y)
    >>> voting.predict([[0.5], [8.5]])
    array([[1, 2, 3],
           [3, 2, 1]], dtype=int32)
    """

    estimators: Sequence[tuple[Any, ...]]
    _: KW_ONLY
    structure: Any = None
    weights: Any = "loo"
    cv: Any = 5
    scoring: str | None = None
    verbose: int = 0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ComposedEstimator._parameter_constraints,
        "estimators": [list],
        "weights": [StrOptions({"loo"}), "array-like", None],
        "cv": ["cv_object"],
        "decision": THRESHOLD_DECISIONS,
        "scoring": SCORING,
    }

    # Parameters of members, by name.

    @property
    def _named(self) -> list[tuple[str, Any]]:
        entries = self.estimators if isinstance(self.estimators, (list, tuple)) else []
        return [entry[:2] for entry in entries if isinstance(entry, tuple)]

    @_named.setter
    def _named(self, named: list[tuple[str, Any]]) -> None:
        self.estimators = [(*pair, *entry[2:]) for pair, entry in zip(named, self.estimators, strict=True)]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with ``deep=True`` also members and their parameters by name."""
        return self._get_params("_named", deep=deep)

    def set_params(self, **params: Any) -> StructuredVoting:
        """Set parameters, members (``name=estimator`` or ``name="drop"``) and those of members (``name__alpha``)."""
        self._set_params("_named", **params)
        return self

    # Training.

    @documented
    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StructuredVoting:
        """Train the members and choose their weights.

        Parameters
        ----------
        X : array, CSR or data frame of shape (n, n_features)
            Inputs, which members get as they are.
        y : array of n structures
            In the format of the structure's class.
        %(sample_weight)s

        Returns
        -------
        StructuredVoting
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        ValueError
            As ``fit`` of the members; for members, links and weights that are not legal, naming the member; for outputs
            that a link does not map to those of a member's structure, naming the row.
        TypeError
            For members that are no estimators of structures.

        Notes
        -----
        Cost: see the notes of the class.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge, StructuredVoting
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> members = [("weak", StructuredRidge("permutations")), ("strong", StructuredRidge(alpha=0.1))]
        >>> StructuredVoting(members, weights=[1, 3]).fit(X, y).score(X, y)
        1.0
        """
        with refit(self):
            entries, shares = self._check_members()
            X, y = self._read_inputs(X, reset=True), in_memory(y, "y")
            check_lengths(X, y)
            structure = structure_of(self._own_structure(), y)
            self._set_structure(structure)
            check_scoring(self.scoring, structure, y)
            if self.scoring is not None or self.decision == "f1":
                require_single(flat_sets(y), "decision='f1'" if self.scoring is None else "scoring")
            weights = check_weights(sample_weight, X.shape[0])
            members = [resolve_member(structure, y, *entry) for entry in entries]
            own = sum(share for share, member in zip(shares, members, strict=True) if member.link is None)
            if not own > 0:
                raise ValueError("weights of members without a link, of the structure that is predicted, are all 0")
            for member in self._told(members, "fitting"):
                arguments = Reached.within(member.estimator).fit_arguments(weights)
                member.estimator.fit(X, member.y, **arguments)
            self.estimators_ = [member.estimator for member in members]
            fitted = {member.name: member.estimator for member in members}
            self.named_estimators_ = Bunch(**{name: fitted.get(name, "drop") for name, _ in self._named})
            self._decide(members)
            open_to = self._candidates(members, y)
            leaves_out = isinstance(self.weights, str) or self.decision_ == "f1" or self.scoring is not None
            left_out = self._leave_out(members, X, weights) if leaves_out else []
            if isinstance(self.weights, str):
                self._choose_weights(members, left_out, weights)
            else:
                self.weights_ = shares / own
                self._constant = np.zeros(structure.n_features) + sum(
                    weight * member.constant(self.decision_)
                    for weight, member in zip(self.weights_, members, strict=True)
                )
            if leaves_out:
                self.left_out_scores_ = self._constant + sum(
                    weight * member.lifted(scores)
                    for weight, member, scores in zip(self.weights_, members, left_out, strict=True)
                )
            if self.scoring is not None or self.decision_ == "f1":
                self._choose_decision(open_to, y, weights)
            self._members = [replace(member, y=None) for member in members]
        return self

    def _check_members(self) -> tuple[list[tuple[Any, ...]], FloatArray]:
        """Return the entries that are not dropped, and their weights, at most 1."""
        for entry in self.estimators:
            if not isinstance(entry, tuple) or len(entry) not in (2, 3) or not isinstance(entry[0], str):
                raise ValueError(f"estimators must hold (name, estimator) or (name, estimator, link), found {entry!r}")
            name, estimator = entry[:2]
            if estimator != "drop" and not isinstance(Reached.within(estimator).estimator, StructuredEstimator):
                raise TypeError(
                    f"member {name!r} must be an estimator of structures, such as StructuredRidge, or a pipeline that "
                    f"ends in one, got {estimator!r}; EmbeddingRegressor makes one of a regressor"
                )
        self._validate_names([name for name, _ in self._named])
        kept = [at for at, (_, estimator) in enumerate(self._named) if estimator != "drop"]
        if not kept:
            raise ValueError("estimators must hold at least one member that is not 'drop'")
        n, given = len(self.estimators), None if isinstance(self.weights, str) else self.weights
        if given is not None:
            refuse_masked(given, "weights")
            given = check_array(given, ensure_2d=False, dtype="numeric", input_name="weights")
        checked = check_weights(given, n, name="weights")
        weights = np.ones(n) if checked is None else checked
        return [self.estimators[at] for at in kept], weights[kept] / weights.max()

    def _told(self, members: list[Member], doing: str) -> Iterator[Member]:
        """Yield the members, telling what is done with each."""
        with Steps(type(self).__name__, len(members), self.verbose) as steps:
            for member in members:
                steps.tell(f"{doing} {member.name!r}")
                yield member
                steps.advance()

    def _own_structure(self) -> Any:
        if self.structure is not None:
            return self.structure
        for entry in self.estimators:
            if len(entry) == 2 and entry[1] != "drop":
                return Reached.within(entry[1]).estimator.structure
        return None

    def _decide(self, members: list[Member]) -> None:
        """Set `loss_` and `decision_`."""
        models = [Reached.within(member.estimator, fitted=True).estimator for member in members]
        if self.decision in ("auto", "score") and all(
            member.link is None and model._decides_by() == ("auc", "score") and not hasattr(model, "predict_marginals")
            for member, model in zip(members, models, strict=True)
        ):
            self.loss_, self.decision_ = "auc", "score"
            return
        self._decide_by_expectations(self.structure_)
        if self.decision_ == "mode" and any(member.link is not None for member in members):
            if self.decision != "auto":
                raise ValueError("decision='mode' takes no members with a link, which tell no probabilities of outputs")
            self.decision_ = "mbr"
        for member in members:
            if member.link is not None and self.decision_ == "mbr" and not member.structure.space.has_indicators:
                said = f"not {member.name!r} of {member.structure!r}: take decision='score'"
                raise ValueError(f"decision='mbr' takes a link only where ψ holds zeros and ones, {said}")

    def _scores(self, X: Any) -> FloatArray:
        total: FloatArray = np.zeros((X.shape[0], self.structure_.n_features)) + self._constant
        for member, weight in zip(self._members, self.weights_, strict=True):
            if weight:
                total += weight * member.lifted(member.estimates(member.estimator, X, self.loss_))
        return total

    def _leave_out(self, members: list[Member], X: Any, weights: FloatArray | None) -> list[FloatArray]:
        """Return estimates for left-out rows by each member, and set `left_out_by_`."""
        told = self._told(members, "leaving rows out of")
        found = [leave_out(member, X, weights, self.cv, self.loss_) for member in told]
        self.left_out_by_ = [how for _, how in found]
        return [scores for scores, _ in found]

    def _choose_weights(self, members: list[Member], left_out: list[FloatArray], weights: FloatArray | None) -> None:
        """Set `weights_` from estimates for left-out rows."""
        self.weights_, self._constant = np.zeros(len(members)), np.zeros(self.structure_.n_features)
        todo = list(range(len(members)))
        while todo:
            first = members[todo[0]]
            group = [at for at in todo if members[at].shares(first)]
            todo = [at for at in todo if at not in group]
            psi = first.mean_psi(self.n_jobs) - first.structure.mean()
            covariance = first.structure.covariance() if self.loss_ == "auc" else None
            self.weights_[group] = least_loss([left_out[at] for at in group], psi, weights, covariance)
            self._constant += first.constant(self.decision_)

    def _candidates(self, members: list[Member], y: Any) -> list[tuple[Structure, str]]:
        """Return the structures and decisions that `scoring` chooses among."""
        if self.scoring is None or any(member.link is not None for member in members):
            found = [(self.structure_, self.decision_)]
        else:
            found = candidates(self.structure_, self.loss_, self.decision, self.scoring, y)
        if self.scoring is not None and len(found) == 1 and self.decision == "auto":
            raise ValueError(
                f"scoring={self.scoring!r} has nothing to choose for {self.structure_!r}: it takes decision='auto', or "
                "LabelSets without `observed`, members without a link that estimate expectations, and y without unknown"
                " labels, of which neither sets nor thresholds are learnt: leave it out"
            )
        return found

    def _choose_decision(self, open_to: list[tuple[Structure, str]], y: Any, weights: FloatArray | None) -> None:
        """Set the structure and the decision that are best for rows left out, and what goes with them."""
        found: list[tuple[float, StructuredVoting]] = []
        mean = self.structure_.mean()
        for structure, decision in open_to:
            model = copy(self)
            model._set_structure(structure)
            model.decision_, shift = decision, mean - structure.mean()  # the expectations stay
            model._constant, model.left_out_scores_ = self._constant + shift, self.left_out_scores_ + shift
            if decision == "f1":
                choose_threshold(model, model.left_out_scores_, self.structure_.embed(y), weights)
            score = 0.0
            if self.scoring is not None:
                own = structure is not self.structure_
                score = judge_decisions(model, model.left_out_scores_, y, weights, self.scoring, learns_sets=own)
            found.append((score, model))
        _, best = max(found, key=lambda each: each[0])  # the first of equals
        self.__dict__.update(best.__dict__)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = [get_tags(estimator).input_tags for _, estimator in self._named if estimator != "drop"]
        tags.input_tags.pairwise = any(each.pairwise for each in given)
        tags.input_tags.sparse = all(each.sparse for each in given)
        tags.input_tags.allow_nan = all(each.allow_nan for each in given)
        return tags


def leave_out(member: Member, X: Any, weights: FloatArray | None, cv: Any, loss: str) -> tuple[FloatArray, str]:
    """Return estimates for the rows by models without them, and how the rows were left out: "loo" or "cv"."""
    model, n = member.estimator, X.shape[0]
    if n <= _MOST_LEFT_OUT and flat_sets(member.y) is None:
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
    found = np.full((n, structure.n_features), np.nan)
    for fold in folds_of(cv, n, y if structure.target_type == "multiclass" else None, seed=0).T:
        train, test = np.flatnonzero(fold > 0), np.flatnonzero(fold < 0)
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
