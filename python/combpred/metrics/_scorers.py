"""Metrics as scorers, which scikit-learn's searches and inspections call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.metrics import make_scorer
from sklearn.utils.metadata_routing import MetadataRequest

from .._data.forms import columns_in_order
from .._data.targets import meant
from ._grades import neg_absolute_error
from ._hierarchies import hierarchical_h_loss, hierarchical_loss
from ._labels import hamming_loss, hamming_score, ranking_loss
from ._matches import accuracy, zero_one_loss
from ._orders import kendall_tau, spearman_footrule, spearman_rho, tau_x
from ._relations import pair_accuracy
from ._tops import ndcg, rank_biased_overlap, top_k_recall
from ._tours import cycle_f1, policy_cosine, route_f1, route_pairs_f1

_SMALLER = hamming_loss, hierarchical_h_loss, hierarchical_loss, ranking_loss, spearman_footrule, zero_one_loss
_RANKINGS = kendall_tau, tau_x, spearman_rho, ndcg, rank_biased_overlap, top_k_recall
_CYCLES = cycle_f1, policy_cosine
_LARGER = *_RANKINGS, *_CYCLES, accuracy, hamming_score, neg_absolute_error, pair_accuracy, route_f1, route_pairs_f1
_METRICS: dict[str, Callable[..., Any]] = {
    **{metric.__name__: metric for metric in _LARGER},
    **{f"neg_{metric.__name__}": metric for metric in _SMALLER},
}
# Numbers are legal for many metrics whatever they stand for. One that reads them as positions, visits, relations or
# grades judges the structures whose own metric is among these; what is only right or wrong is left to its owner.
_OWN_METRICS = {
    **dict.fromkeys((*_RANKINGS, spearman_footrule), {"kendall_tau", "tau_x"}),
    **dict.fromkeys(_CYCLES, {"cycle_f1", "policy_cosine"}),
    **dict.fromkeys((route_f1, route_pairs_f1), {"route_pairs_f1", "cycle_f1", "policy_cosine"}),
    pair_accuracy: {"pair_accuracy"},
    neg_absolute_error: {"neg_absolute_error"},
}


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
        metric, params = self._metric_of(getattr(model, "structure_", None))
        response = "decision_function" if metric is ranking_loss else "predict"

        def judged(y_true: Any, found: Any, **given: Any) -> float:
            return float(metric(y_true, _in_order(model, found) if response == "predict" else found, **given))

        scorer = make_scorer(judged, response_method=response, greater_is_better=metric not in _SMALLER, **params)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(scorer(estimator, X, _in_order(model, y), **weights))

    def judge(self, structure: Any, y: Any, predicted: Any, scores: Any, sample_weight: Any = None) -> float:
        """Return the score of predictions of a structure, or of the scores of its classes, that are at hand."""
        metric, params = self._metric_of(structure)
        found = scores if metric is ranking_loss else predicted
        value = float(metric(structure.ordered(y), found, sample_weight=sample_weight, **params))
        return -value if metric in _SMALLER else value

    def _metric_of(self, structure: Any) -> tuple[Callable[..., Any], dict[str, Any]]:
        """Return the metric for outputs of a structure, or of an estimator without one, and its arguments."""
        metric, params = _METRICS[self.name], self.params
        own = getattr(structure, "default_metric", None)
        if structure is not None and own == self.name and not params:
            return structure.score, params  # takes every format of its y
        if own not in (None, "accuracy", *_OWN_METRICS.get(metric, {own})):
            kind = type(structure).__name__
            raise ValueError(f"scoring: {self.name} is not for outputs of {kind}; take get_scorer({own!r})")
        if "parent" in inspect.signature(metric).parameters:
            if "parent" not in params and not hasattr(structure, "parent"):
                raise ValueError(f"scoring: {self.name} needs a tree: pass get_scorer({self.name!r}, parent=…)")
            params = {"parent": structure, **params}
        return metric, params

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
    ValueError
        When no scorer has that name.
    TypeError
        When the metric does not have an argument, and for what is no name.

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
    if not isinstance(name, str):
        raise TypeError(f"scoring must be the name of a scorer, such as 'kendall_tau', got {name!r:.80}")
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


def _in_order(model: Any, y: Any) -> Any:
    """Return y with the columns of a data frame in the order in which the model predicts them."""
    if hasattr(model, "structure_"):
        return model.structure_.ordered(y)
    return columns_in_order(y, getattr(model, "labels_", None), "y", f"those of {type(model).__name__}")
