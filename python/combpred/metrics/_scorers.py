"""Metrics as scorers, which scikit-learn's searches and inspections call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.utils.metadata_routing import MetadataRequest

from .._data.inputs import columns_in_order
from .._data.targets import meant
from . import _entries, _hierarchies, _rankings, _tours

_RANKINGS, _CYCLES = {"kendall_tau", "tau_x"}, {"cycle_f1", "policy_cosine"}
# Numbers are legal for many metrics whatever they stand for. One that reads them as positions, visits, relations or
# grades judges the structures whose own metric is among these.
_JUDGED: dict[Callable[..., Any], set[str] | None] = {
    **dict.fromkeys(
        (_rankings.kendall_tau, _rankings.tau_x, _rankings.spearman_rho, _rankings.spearman_footrule), _RANKINGS
    ),
    **dict.fromkeys((_rankings.ndcg, _rankings.rank_biased_overlap, _rankings.top_k_recall), _RANKINGS),
    **dict.fromkeys((_tours.cycle_f1, _tours.policy_cosine), _CYCLES),
    **dict.fromkeys((_tours.route_f1, _tours.route_pairs_f1), {"route_pairs_f1", *_CYCLES}),
    **dict.fromkeys((_entries.accuracy, _entries.zero_one_loss, _entries.ranking_loss), None),
    **dict.fromkeys((_entries.hamming_score, _entries.hamming_loss), None),
    **dict.fromkeys((_hierarchies.hierarchical_h_loss, _hierarchies.hierarchical_loss), None),
    _entries.pair_accuracy: {"pair_accuracy"},
    _entries.neg_absolute_error: {"neg_absolute_error"},
}
_SMALLER = ("_loss", "_footrule")  # ends of the names of metrics that are smaller for better predictions
_METRICS = {f"neg_{m.__name__}" if m.__name__.endswith(_SMALLER) else m.__name__: m for m in _JUDGED}


@dataclass(frozen=True)
class Scorer:
    """A metric of predictions, as a function of an estimator, inputs and truths; the larger, the better.

    `get_scorer` makes it.

    Attributes
    ----------
    name : str
        One of `get_scorer_names`.
    params : dict
        Further arguments of the metric.
    """

    name: str
    params: dict[str, Any] = field(default_factory=dict)
    _request: bool | str | None = field(default=None, kw_only=True, repr=False)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of an estimator's predictions for X.

        Parameters
        ----------
        estimator : estimator
            Fitted, or a fitted pipeline or search around one.
        X : array-like of shape (n, n_features)
        y : array-like of n rows
            Truths, as the estimator takes them. Columns of a data frame are matched by name.
        sample_weight : array of shape (n,), default=None
            Weights of the rows in the mean; None: equal.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            When the metric is not for outputs of the estimator's structure, such as a metric of rankings for label
            sets, and for what the metric refuses.
        """
        model = _predicting(estimator)
        found = estimator.decision_function(X) if self.takes_scores else estimator.predict(X)
        if hasattr(model, "structure_"):
            return self.judge(model.structure_, y, found, sample_weight)
        y = columns_in_order(y, getattr(model, "labels_", None), "y", f"those of {type(model).__name__}")
        return self._signed(_METRICS[self.name](y, found, sample_weight=sample_weight, **self.params))

    @property
    def takes_scores(self) -> bool:
        """Whether it judges what ``decision_function`` returns rather than what ``predict`` does."""
        return _METRICS[self.name] is _entries.ranking_loss

    def judge(self, structure: Any, y: Any, found: Any, sample_weight: Any = None) -> float:
        """Return the score of predictions of a structure, or of what `takes_scores` says.

        Parameters
        ----------
        structure : Structure
            Resolved.
        y : array-like of n rows
            Truths.
        found : array-like of n rows
            Predictions or scores.
        sample_weight : array of shape (n,), default=None
            Weights of the rows in the mean; None: equal.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            As a call.
        """
        metric, params, own = _METRICS[self.name], self.params, structure.default_metric
        if own == self.name and not params:
            return float(structure.score(y, found, sample_weight))  # which takes every format of its y
        self.require_judged(structure)
        if "parent" in inspect.signature(metric).parameters and hasattr(structure, "parent"):
            params = {"parent": structure, **params}
        found = found if self.takes_scores else structure.ordered(found)
        return self._signed(metric(structure.ordered(y), found, sample_weight=sample_weight, **params))

    def require_judged(self, structure: Any) -> Scorer:
        """Check that the metric judges outputs of a structure.

        Parameters
        ----------
        structure : Structure

        Returns
        -------
        scorer : Scorer
            This one.

        Raises
        ------
        ValueError
            If it does not.
        """
        own = structure.default_metric
        if own not in (_JUDGED[_METRICS[self.name]] or {own}) and not structure.any_metric:
            kind = type(structure).__name__
            raise ValueError(f"scoring: {self.name} is not for outputs of {kind}; take get_scorer({own!r})")
        return self

    def _signed(self, value: Any) -> float:
        return float(value) if self.name == _METRICS[self.name].__name__ else -float(value)

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Scorer:
        """Return a scorer that asks for weights, or for none, where scikit-learn routes metadata.

        Parameters
        ----------
        sample_weight : bool, str or None, default=None
            Whether weights passed to searches and cross-validation, or metadata of that name, reach the scorer. None:
            scikit-learn refuses weights until this is said.

        Returns
        -------
        scorer : Scorer
            Another one: scorers do not change.

        Raises
        ------
        ValueError
            For what is neither a bool nor the name of metadata.

        Examples
        --------
        >>> from sklearn import config_context
        >>> from sklearn.model_selection import cross_val_score
        >>> from combpred import StructuredRidge
        >>> from combpred.metrics import get_scorer
        >>> X, y, weights = [[0.0], [1.0], [0.0], [1.0]], [[1, 2], [2, 1], [1, 2], [1, 2]], [1, 1, 1, 3]
        >>> with config_context(enable_metadata_routing=True):
        ...     ridge = StructuredRidge("permutations").set_fit_request(sample_weight=True)
        ...     weighted = get_scorer("kendall_tau").set_score_request(sample_weight=True)
        ...     scores = cross_val_score(ridge, X, y, scoring=weighted, cv=2, params={"sample_weight": weights})
        >>> scores.tolist()
        [0.0, -0.5]
        """
        other = replace(self, _request=sample_weight)
        other.get_metadata_routing()  # refuses what is no request
        return other

    def get_metadata_routing(self) -> Any:
        """Return what the scorer asks for where scikit-learn routes metadata.

        Returns
        -------
        request : sklearn.utils.metadata_routing.MetadataRequest
            For the method ``score``.
        """
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._request)
        return request


def get_scorer_names() -> list[str]:
    """Return the names of all scorers, sorted.

    Returns
    -------
    names : list of str
        Those of the metrics. Losses and distances are negated, and their names begin with "neg\\_".

    Examples
    --------
    >>> from combpred.metrics import get_scorer_names
    >>> get_scorer_names()[:3]
    ['accuracy', 'cycle_f1', 'hamming_score']
    """
    return sorted(_METRICS)


def get_scorer(name: str, **params: Any) -> Scorer:
    """Return a metric as a scorer, for the parameter `scoring` of scikit-learn's functions and searches.

    Unlike a scorer that :func:`sklearn.metrics.make_scorer` makes of the metric, it knows the structure of the
    estimator: it matches the columns of y by name, and refuses a metric that is for other outputs.

    Parameters
    ----------
    name : str
        One of `get_scorer_names`.
    **params
        Further arguments of the metric, such as ``k`` of "ndcg". Estimators of hierarchies and subtrees know `parent`.

    Returns
    -------
    scorer : Scorer
        Takes a fitted estimator, X and y (and ``sample_weight``). "neg_ranking_loss" judges ``decision_function``, all
        others ``predict``.

    Raises
    ------
    ValueError, TypeError
        When no scorer has that name, or the metric does not have an argument.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from combpred import StructuredRidge
    >>> from combpred.datasets import load_iris_ranking
    >>> from combpred.metrics import get_scorer
    >>> X, y = load_iris_ranking(return_X_y=True)
    >>> cross_val_score(StructuredRidge("permutations"), X, y, scoring=get_scorer("spearman_rho")).shape
    (5,)
    """
    if name not in _METRICS:
        names = get_scorer_names()
        raise ValueError(f"scoring: no scorer is called {name!r}; known are {', '.join(names)}{meant(name, names)}")
    inspect.signature(_METRICS[name]).bind_partial(None, None, **params)  # TypeError for others
    return Scorer(name, params)


def _predicting(estimator: Any) -> Any:
    """Return what predicts within pipelines and searches."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator
