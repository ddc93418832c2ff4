"""Metrics as scorers, which scikit-learn's searches and inspections call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from .._data.forms import columns_in_order
from ._grades import neg_absolute_error
from ._hierarchies import hierarchical_h_loss, hierarchical_loss
from ._labels import hamming_loss, hamming_score, ranking_loss
from ._matches import accuracy, zero_one_loss
from ._orders import kendall_tau, spearman_footrule, spearman_rho, tau_x
from ._relations import pair_accuracy
from ._tops import ndcg, rank_biased_overlap, top_k_recall
from ._tours import cycle_f1, policy_cosine, route_f1, route_pairs_f1

_NEGATED = "neg_"  # what names begin with whose metric is smaller for better predictions
_LARGER = (
    accuracy, cycle_f1, hamming_score, kendall_tau, neg_absolute_error, pair_accuracy, policy_cosine, route_f1,
    route_pairs_f1, spearman_rho, tau_x, ndcg, rank_biased_overlap, top_k_recall,
)  # fmt: skip
_SMALLER = hamming_loss, hierarchical_h_loss, hierarchical_loss, ranking_loss, spearman_footrule, zero_one_loss
_METRICS: dict[str, Callable[..., Any]] = {
    **{metric.__name__: metric for metric in _LARGER},
    **{_NEGATED + metric.__name__: metric for metric in _SMALLER},
}
_OWN = "y_true", "y_pred", "scores", "sample_weight", "per_row"  # arguments of metrics that scorers give
_RANKINGS, _CYCLES = ("Permutations", "WeakOrders"), ("Cycles", "DirectedCycles")
_RELATIONS, _GRADES = ("PartialOrders", "Tournaments"), ("Ordinal", "MultiClass")
# The structures whose y a metric reads as it is meant; others take y of all, or refuse it by its values.
_MEANT_FOR: dict[Callable[..., Any], tuple[str, ...]] = {
    kendall_tau: _RANKINGS,
    tau_x: _RANKINGS,
    spearman_rho: _RANKINGS,
    spearman_footrule: _RANKINGS,
    ndcg: _RANKINGS,
    rank_biased_overlap: _RANKINGS,
    top_k_recall: _RANKINGS,
    cycle_f1: _CYCLES,
    policy_cosine: _CYCLES,
    route_f1: ("Routes", "Paths", *_CYCLES),
    route_pairs_f1: ("Routes", *_CYCLES),
    pair_accuracy: _RELATIONS,
    neg_absolute_error: _GRADES,
}
_OF_SCORES = "neg_ranking_loss"  # judges scores of labels, not sets


@dataclass(frozen=True)
class Scorer:
    """A metric of predictions, as a function of an estimator, inputs and truths; the larger the better.

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

    def __post_init__(self) -> None:
        """Raise TypeError or ValueError for a name, or an argument, that there is not."""
        given: Any = self.name
        if not isinstance(given, str):
            own = getattr(given, "__name__", None)
            named = f": pass its name, {own!r}" if own in _METRICS else f", one of {', '.join(get_scorer_names())}"
            raise TypeError(f"scoring must be the name of a scorer{named}; got {given!r:.80}")
        if self.name not in _METRICS:
            raise ValueError(f"scoring: no scorer is called {self.name!r}; {_meant(self.name)}")
        known = [name for name in inspect.signature(_METRICS[self.name]).parameters if name not in _OWN]
        for name in self.params:
            if name not in known:
                others = f"those it has are {', '.join(known)}" if known else "it has none"
                raise TypeError(f"{name}={self.params[name]!r} is no argument of the scorer {self.name!r}: {others}")

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of an estimator's predictions for X.

        Parameters
        ----------
        estimator : estimator
            Fitted. Of pipelines and searches the last, or best, estimator knows the names of the columns of y, and of
            `ConvertedTargets` how targets become arrays.
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
            For metrics that would misread the outputs of the estimator's structure, such as 0 and 1 for positions.
        """
        found = (estimator.decision_function if self.name == _OF_SCORES else estimator.predict)(X)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        metric, params = _METRICS[self.name], self.params
        y, found, structure = _comparable(estimator, y, found, self.name == _OF_SCORES)
        if structure is not None and structure.default_metric == self.name and not params:
            return float(structure.score(y, found, **weights))  # takes every format of its y
        if (reason := misread(metric, structure)) is not None:
            raise ValueError(f"scoring: {reason}; take get_scorer({structure.default_metric!r})")
        if "parent" in inspect.signature(metric).parameters and "parent" not in params:
            if not hasattr(structure, "parent"):
                raise ValueError(f"scoring: {metric.__name__} needs a tree: pass get_scorer({self.name!r}, parent=…)")
            params = {"parent": structure, **params}
        value = float(metric(y, found, **weights, **params))
        return value if metric.__name__ == self.name else -value

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Scorer:
        """Return the scorer that asks for weights, or for none, where scikit-learn routes metadata.

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
        >>> from combpred.metrics import kendall_tau_scorer
        >>> X, y, weights = [[0.0], [1.0], [0.0], [1.0]], [[1, 2], [2, 1], [1, 2], [1, 2]], [1, 1, 1, 3]
        >>> with config_context(enable_metadata_routing=True):
        ...     ridge = StructuredRidge("permutations").set_fit_request(sample_weight=True)
        ...     weighted = kendall_tau_scorer.set_score_request(sample_weight=True)
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
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._request)
        return request


def get_scorer_names() -> list[str]:
    """Return the names of all scorers, sorted.

    Returns
    -------
    names : list of str
        Of the metrics; those of losses and distances begin with "neg\\_", as their negatives are scores.

    Examples
    --------
    >>> from combpred.metrics import get_scorer_names
    >>> get_scorer_names()[:3]
    ['accuracy', 'cycle_f1', 'hamming_score']
    """
    return sorted(_METRICS)


def misread(metric: Callable[..., Any], structure: Any) -> str | None:
    """Return why a metric would not judge outputs of a structure by what they mean, None where it does."""
    kinds = {kind.__name__ for kind in type(structure).__mro__ if kind.__module__.startswith("combpred.structures")}
    meant = _MEANT_FOR.get(metric)
    if meant is None or kinds <= {"Structure"} or not kinds.isdisjoint((*meant, "Custom")):
        return None  # users know what structures of their own mean
    which = f"{', '.join(meant[:-1])} and {meant[-1]}"
    return f"{metric.__name__} is for {which}, and would misread y of {type(structure).__name__}"


def _meant(name: str) -> str:
    """Return which scorer may be meant by a name that there is not, or the names that there are."""
    if _NEGATED + name in _METRICS:
        return f"it is smaller for better predictions, and its scorer {_NEGATED + name!r}"
    near = get_close_matches(name.lower().replace(" ", "_"), _METRICS, n=1, cutoff=0.7)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(get_scorer_names())}"


def get_scorer(scoring: str | Scorer, **params: Any) -> Scorer:
    """Return a metric as a scorer, for the parameter `scoring` of scikit-learn's functions and searches.

    Parameters
    ----------
    scoring : str or Scorer
        One of `get_scorer_names`. Each is also an object of this module: ``kendall_tau_scorer``.
    **params
        Further arguments of the metric, such as ``k`` of "ndcg". Estimators of hierarchies and subtrees know `parent`.

    Returns
    -------
    scorer : callable
        Takes a fitted estimator, X and y (and ``sample_weight``). Columns of a data frame y are matched with those of
        training by name. "neg_ranking_loss" judges ``decision_function``, all others ``predict``.

    Raises
    ------
    ValueError
        For another name; says which one is like it, or lists those that there are.
    TypeError
        For an argument that the metric does not have, and for what is no name.

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
    if isinstance(scoring, Scorer):
        return Scorer(scoring.name, {**scoring.params, **params})
    return Scorer(scoring, params)


def _comparable(estimator: Any, y: Any, found: Any, are_scores: bool) -> tuple[Any, Any, Any]:
    """Return y and predictions, lists converted, columns in the order that the estimator knows, and its structure."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "convert_targets"):
            y, found = estimator.convert_targets(y), found if are_scores else estimator.convert_targets(found)
            estimator = estimator.estimator_
        else:
            break
    if (structure := getattr(estimator, "structure_", None)) is not None:
        return structure.ordered(y), found, structure
    known = getattr(estimator, "labels_", None)
    return columns_in_order(y, known, "y", f"those of {type(estimator).__name__}"), found, None


accuracy_scorer = get_scorer("accuracy")
cycle_f1_scorer = get_scorer("cycle_f1")
hamming_score_scorer = get_scorer("hamming_score")
kendall_tau_scorer = get_scorer("kendall_tau")
ndcg_scorer = get_scorer("ndcg")
neg_absolute_error_scorer = get_scorer("neg_absolute_error")
neg_hamming_loss_scorer = get_scorer("neg_hamming_loss")
neg_ranking_loss_scorer = get_scorer("neg_ranking_loss")
neg_spearman_footrule_scorer = get_scorer("neg_spearman_footrule")
neg_zero_one_loss_scorer = get_scorer("neg_zero_one_loss")
pair_accuracy_scorer = get_scorer("pair_accuracy")
policy_cosine_scorer = get_scorer("policy_cosine")
rank_biased_overlap_scorer = get_scorer("rank_biased_overlap")
route_f1_scorer = get_scorer("route_f1")
route_pairs_f1_scorer = get_scorer("route_pairs_f1")
spearman_rho_scorer = get_scorer("spearman_rho")
tau_x_scorer = get_scorer("tau_x")
top_k_recall_scorer = get_scorer("top_k_recall")
