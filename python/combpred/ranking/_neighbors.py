"""NearestNeighborsLabelRanker: the rankings of similar rows, aggregated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import KW_ONLY, dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from .._data.checks import counted, float_array
from .._data.glossary import documented
from .._data.tables import Named, Tabular
from .._lib.arrays import FloatArray
from .._lib.call import RowInputs, computed, get_n_threads
from .._lib.rankings import Examples, neighbors_consensus
from .._lib.table import floats
from ..aggregation.utilities import fit_plackett_luce
from ._base import LabelRanker, partial_orders
from ._preferences import Preferences

# Metrics of which scikit-learn's brute force takes inner products, by BLAS, in place of differences; cosine is another.
_EUCLIDEAN = frozenset({"euclidean", "l2", "sqeuclidean", "nan_euclidean"})


@dataclass(frozen=True, eq=False, repr=False)
class MallowsEstimate(Tabular):
    r"""Estimates of Mallows' model of rankings for n rows.

    The model is :math:`p(y) \propto e^{-\theta D(y, c)}`, D being Kendall's distance.

    Parameters
    ----------
    positions : ndarray of shape (n, k), dtype=int32
        The centres c, which are predicted: positions 1..k of the labels.
    theta : ndarray of shape (n,)
        Concentrations :math:`\theta \ge 0`: 0 where neighbours agree on nothing, infinity where nothing contradicts
        the centre.
    probability : ndarray of shape (n,)
        That of the centre under the model, between 1/k! and 1: the confidence in the whole predicted ranking.
    """

    positions: NDArray[np.int32]
    theta: FloatArray
    probability: FloatArray

    _outputs = "positions"
    _shown: Named | None = field(default=None, kw_only=True)

    def _title(self) -> str:
        return f"MallowsEstimate: {counted(len(self.theta), 'ranking')}"


@dataclass(eq=False, repr=False)
@documented
class NearestNeighborsLabelRanker(LabelRanker):
    r"""Instance-based label ranking: predicts the consensus of the rankings of the nearest training rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Weights of the neighbours, as in :class:`sklearn.neighbors.KNeighborsClassifier`. ``"distance"`` takes the
        inverse distance; if some neighbours are at distance 0, only those count. A callable maps an array of distances
        to an array of weights, at least 0.
    aggregation : {"borda", "kemeny", "mallows", "plackett-luce"}, default="borda"
        How the neighbours' rankings become one. ``"borda"``: labels are sorted by how many others they are preferred
        to, less how many are preferred to them, on average (Brinker & Hüllermeier, 2006); best for Spearman's
        correlation with the neighbours. ``"kemeny"``: the ranking that reverses the least weight of the neighbours'
        preferences, hence of largest mean Kendall τ with full rankings. ``"mallows"``: the same, which is the
        centre of largest likelihood in Mallows' model (Cheng, Hühn & Hüllermeier, 2009), with its concentration in
        `predict_mallows`. ``"plackett-luce"``: the mode of the Plackett–Luce model of largest penalised likelihood
        (Cheng, Dembczyński & Hüllermeier, 2010).
    penalty : float, default=0.1
        For ``"plackett-luce"``: ½ `penalty` ‖u‖² on the utilities u of the labels, against the log-likelihood of the
        neighbours' rankings: without it a label that is always first would have an infinite one.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
    leaf_size : int, default=30
    p : float, default=2
    metric : str or callable, default="minkowski"
    metric_params : dict, default=None
        How neighbours are found, as in :class:`sklearn.neighbors.NearestNeighbors`. With ``metric="precomputed"``, X is
        the square matrix of distances in ``fit``, and the distances between new rows and training rows afterwards.
    n_jobs : int or None, default=None
        Processors that search for neighbours, as scikit-learn takes it, and threads that solve for Kemeny rankings
        and fit Plackett–Luce models.

    Attributes
    ----------
    nearest_ : NearestNeighbors
        The search structure on the training rows.
    signs_ : ndarray of shape (n, k(k-1)/2), dtype=int8
        For the pairs of labels u < v in lexicographic order +1 where a training row prefers u, −1 where it prefers v, 0
        where it says nothing or ties them.
    borda_scores_ : ndarray of shape (n, k), dtype=int32
        Of each training row, how many labels each label is preferred to, less how many are preferred to it.
    ranks_ : ndarray of shape (n, k), dtype=int32, or None
        Dense ranks of the labels in training, 0 where unknown; None for preference graphs.
    row_weights_ : ndarray of shape (n,) or None
        Weights of the training rows; None for 1.
    %(n_labels_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    combpred.structures.Permutations.decode : Finds the Kemeny ranking of given weights of pairs.
    combpred.ranking.partial_orders : Makes partial orders of probabilities of pairs.

    Notes
    -----
    Takes full and incomplete rankings, ties and preference graphs; ``"plackett-luce"`` takes full and incomplete
    rankings only. Neighbours count through the preferences that they state: a tied pair, or one with an unknown
    position, adds nothing for either label. Labels with equal scores are ranked by index.

    Kemeny rankings are exact, by dynamic programming over subsets, if the strongly connected components of the
    neighbours' majority preferences have at most 20 labels. Otherwise a local search finds them.

    Euclidean distances are computed from differences of rows, so a training row that equals the new one is at distance
    0 exactly, in sparse and in dense inputs. If several rows tie for the last place among the neighbours, brute force
    with Euclidean distances takes those that come first in training; other searches may take any, as in scikit-learn.

    The weight of a neighbour is multiplied by the `sample_weight` of its row. A row is one neighbour whatever its
    weight, so a weight of 2 is not the same as two equal rows.

    Under ``"borda"``, the score of a label is its centred mean Borda score, between 1 − k and k − 1; for full rankings
    this is k + 1 minus twice the mean position. Under ``"plackett-luce"`` it is the label's utility. The other
    aggregations have no scores.

    Prediction costs a search for neighbours and, for each row, O(n_neighbors k) with Borda, O(n_neighbors k²) with
    Kemeny and Mallows, beside at most :math:`O(2^m m)` for each component of m labels, and some ten times
    O(n_neighbors k²) for Plackett–Luce models. Features of different scales are best standardised before, in a
    pipeline.

    References
    ----------
    K. Brinker and E. Hüllermeier (2006), Case-based multilabel ranking, *IJCAI*; and Case-based label ranking, *ECML*.

    W. Cheng, J. Hühn and E. Hüllermeier (2009), Decision tree and instance-based learning for label ranking, *ICML*.

    W. Cheng, K. Dembczyński and E. Hüllermeier (2010), Label ranking methods based on the Plackett-Luce model, *ICML*.

    Examples
    --------
    >>> from combpred.ranking import NearestNeighborsLabelRanker
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> y = [[1, 2, 3], [1, 2, 3], [2, 1, 3], [2, 3, 1], [3, -1, 1], [2, 3, 1]]  # one position is unknown
    >>> NearestNeighborsLabelRanker(n_neighbors=3).fit(X, y).predict([[1.0], [4.0]])
    array([[1, 2, 3],
           [2, 3, 1]], dtype=int32)
    """

    n_neighbors: int = 5
    _: KW_ONLY
    weights: str | Callable[[FloatArray], FloatArray] = "uniform"
    aggregation: str = "borda"
    penalty: float = 0.1
    algorithm: str = "auto"
    leaf_size: int = 30
    p: float = 2
    metric: str | Callable[..., float] = "minkowski"
    metric_params: Mapping[str, Any] | None = None
    n_jobs: int | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LabelRanker._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"}), callable],
        "aggregation": [StrOptions({"borda", "kemeny", "mallows", "plackett-luce"})],
        "penalty": [Interval(Real, 0, None, closed="neither")],
    }

    def _train(self, X: Any, preferences: Preferences, weights: FloatArray | None) -> None:
        n = X.shape[0]
        if n < self.n_neighbors:
            raise ValueError(f"n_neighbors={self.n_neighbors}, but only {counted(n, 'row')} of positive weight")
        of_search = ("n_neighbors", "algorithm", "leaf_size", "p", "metric", "metric_params", "n_jobs")
        self.nearest_ = NearestNeighbors(**{name: getattr(self, name) for name in of_search}).fit(X)
        self.signs_, self.ranks_, self.row_weights_ = preferences.signs, preferences.ranks, weights
        alone = {"numbers": np.arange(n)[:, np.newaxis], "weights": np.ones((n, 1))}
        examples = Examples(self.signs_, None, None, self.n_labels_)
        found = neighbors_consensus(examples, alone, "borda", n_threads=get_n_threads(self.n_jobs))
        self.borda_scores_ = found.scores.astype(np.int32)

    def _positions(self, X: Any) -> NDArray[np.int32]:
        if self._has_scores():
            return super()._positions(X)
        return self._by_blocks(X, lambda block: self._consensus(block).positions)

    @available_if(lambda self: self.aggregation == "mallows")  # type: ignore[untyped-decorator]
    def predict_mallows(self, X: Any) -> MallowsEstimate:
        r"""Predict rankings, and how strongly the neighbours agree on each; needs ``aggregation="mallows"``.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
            As in `predict`.

        Returns
        -------
        MallowsEstimate
            With fields `positions`, the prediction, `theta`, the concentration of Mallows' model
            :math:`p(y) \propto e^{-\theta D(y, c)}` around it, and `probability`, that of the predicted ranking.

        Raises
        ------
        sklearn.exceptions.NotFittedError, ValueError, MemoryError
            As `predict`.

        Notes
        -----
        With full rankings, centre and concentration have the largest (weighted) likelihood of the neighbours' rankings.
        With others, the concentration is the one at which the model expects as much weight of stated preferences
        against the centre as there is; this is unbiased as long as which pairs are stated does not depend on their
        order.
        Cost: that of `predict`, and O(k²) for each row.

        Examples
        --------
        >>> from combpred.ranking import NearestNeighborsLabelRanker
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2, 3], [1, 2, 3], [1, 3, 2], [3, 1, 2]]
        >>> ranker = NearestNeighborsLabelRanker(n_neighbors=3, aggregation="mallows").fit(X, y)
        >>> estimate = ranker.predict_mallows([[0.0], [3.0]])
        >>> estimate.positions.tolist(), estimate.theta.round(2).tolist(), estimate.probability.round(2).tolist()
        ([[1, 2, 3], [1, 2, 3]], [1.78, 0.57], [0.71, 0.34])
        """
        found = self._by_blocks(X, self._mallows)
        positions = found[:, :-2].astype(np.int32)
        shown = None if self.labels_ is None else Named(positions, list(self.labels_))
        return MallowsEstimate(positions, found[:, -2].copy(), found[:, -1].copy(), _shown=shown)

    def _mallows(self, X: Any) -> FloatArray:
        found = self._consensus(X)
        return np.column_stack([found.positions, found.theta, found.probability])

    def predict_pairwise_proba(self, X: Any) -> FloatArray:
        """Return the share of neighbours that prefer each label to each other one.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
            As in `predict`.

        Returns
        -------
        proba : ndarray of shape (n, k, k)
            ``proba[i, u, v]`` is the share of the weight of row i's neighbours that prefer label u to v. A neighbour
            that ties the two, or does not compare them, counts half for each order, so both orders sum to 1. The
            diagonal is 1/2.

        Raises
        ------
        sklearn.exceptions.NotFittedError, ValueError, MemoryError
            As `predict`.

        Notes
        -----
        With m neighbours of equal weight these are multiples of 1/(2m): frequencies, not calibrated probabilities. They
        do not depend on `aggregation`. Cost: a search for neighbours, plus O(n_neighbors k²) per row.

        Examples
        --------
        >>> from combpred.ranking import NearestNeighborsLabelRanker
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 1, 2]]
        >>> NearestNeighborsLabelRanker(n_neighbors=4).fit(X, y).predict_pairwise_proba([[1.0]])[0].tolist()
        [[0.5, 0.5, 0.75], [0.5, 0.5, 0.75], [0.25, 0.25, 0.5]]
        """
        return self._by_blocks(X, self._pairs, self.n_labels_**2)

    def predict_partial_order(self, X: Any, threshold: str | float = "least") -> NDArray[np.bool_]:
        r"""Predict partial orders, which leave open what the neighbours do not agree on.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
            As in `predict`.
        threshold : "least" or float, default="least"
            As in :func:`combpred.ranking.partial_orders`: "least" states as many pairs as the neighbours' majorities
            can without contradiction; a number from 1/2 to below 1 what a larger share of them prefers.

        Returns
        -------
        relations : ndarray of shape (n, k, k), dtype=bool
            ``relations[i, u, v]``: label u is before v. Transitive and antisymmetric, as `PartialOrders` takes y.

        Raises
        ------
        sklearn.exceptions.NotFittedError, ValueError, MemoryError
            As `predict`; ValueError for other thresholds, too.

        Notes
        -----
        The partial orders of `predict_pairwise_proba`. Cost: that, and O(k³) for each row.

        References
        ----------
        Cheng, W., Rademaker, M., De Baets, B. and Hüllermeier, E. (2010). Predicting partial orders: ranking with
        abstention. *ECML PKDD*.

        Examples
        --------
        >>> from combpred.ranking import NearestNeighborsLabelRanker
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 1, 2]]
        >>> ranker = NearestNeighborsLabelRanker(n_neighbors=4).fit(X, y)
        >>> ranker.predict_partial_order([[1.0]]).astype(int)  # two of the four prefer 0 to 1
        array([[[0, 0, 1],
                [0, 0, 1],
                [0, 0, 0]]])
        """
        options: dict[str, Any] = {"threshold": threshold, "n_threads": get_n_threads(self.n_jobs)}
        return self._by_blocks(X, lambda block: partial_orders(self._pairs(block), **options), self.n_labels_**2)

    def _pairs(self, X: Any) -> FloatArray:
        """Return the shares of the neighbours of a block of rows that prefer one label to another."""
        return self._consensus(X, "pairs").pairs

    def _formats_refused(self) -> Collection[str]:
        return ("ties", "graphs") if self.aggregation == "plackett-luce" else ()

    def _has_scores(self) -> bool:
        return self.aggregation in ("borda", "plackett-luce")

    def _label_scores(self, X: Any) -> FloatArray:
        if self.aggregation == "plackett-luce":
            near = self._weighted_neighbors(X)
            assert self.ranks_ is not None  # graphs are refused
            ranks = self.ranks_[near["numbers"]]
            return fit_plackett_luce(ranks, near["weights"], self.penalty, n_threads=get_n_threads(self.n_jobs))
        return self._consensus(X).scores

    def _consensus(self, X: Any, wanted: str | None = None) -> Any:
        """Return what the neighbours of a block of rows make of the labels; None: by `aggregation`."""
        known, near = Examples(self.signs_, None, None, self.n_labels_), self._weighted_neighbors(X)
        return neighbors_consensus(known, near, wanted or self.aggregation, n_threads=get_n_threads(self.n_jobs))

    def _weighted_neighbors(self, X: Any) -> dict[str, Any]:
        """Return the training rows that are nearest to those of a block, and their weights."""
        distances, numbers = self._nearest(X)
        weights = neighbor_weights(self.weights, distances)
        if self.row_weights_ is not None:
            weights = weights * self.row_weights_[numbers]
        return {"numbers": numbers, "weights": weights, "counts": self.borda_scores_}

    def _nearest(self, X: Any) -> tuple[FloatArray, NDArray[np.int64]]:
        """Return the distances to the nearest training rows, and their numbers, each ``(n, n_neighbors)``."""
        search = self.nearest_
        metric, plain = search.effective_metric_, search._fit_method == "brute" and not search.effective_metric_params_
        if plain and metric in _EUCLIDEAN:  # of which scikit-learn takes products, that lose small distances
            rows, n_threads = (RowInputs(X), RowInputs(search._fit_X)), get_n_threads(self.n_jobs)
            numbers, squares = computed("cp_nearest", *rows, m=search.n_neighbors, n_threads=n_threads)
            return squares if metric == "sqeuclidean" else np.sqrt(squares), numbers
        if sparse.issparse(X) and not sparse.issparse(search._fit_X) and metric != "precomputed":
            X = X.toarray()  # as trees and most metrics take it only
        distances, numbers = search.kneighbors(X)
        if plain and metric == "cosine":  # products of norm 1: how far rounding can move them, and then some
            distances[distances <= (X.shape[1] + 8) * np.finfo(np.float64).eps] = 0.0
        return distances, numbers

    def _row_width(self) -> int:
        dense = 0 if sparse.issparse(self.nearest_._fit_X) else self.n_features_in_
        return max(self.n_neighbors * (2 + (self.n_labels_ if self.aggregation == "plackett-luce" else 0)), dense)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def neighbor_weights(rule: str | Callable[[FloatArray], FloatArray], distances: FloatArray) -> FloatArray:
    """Return the weights of neighbours at `distances`, ``(n, m)``, up to a factor for each row.

    `rule` is "uniform", "distance" or a callable, as scikit-learn's neighbours take it. ValueError where a callable
    returns something else than finite numbers, at least 0, one for each distance.
    """
    if rule == "uniform":
        return np.ones_like(distances)
    if not callable(rule):
        # In units of the inverse of the smallest one: only ratios count, and no distance is too small.
        nearest = distances.min(axis=1, keepdims=True)
        return np.divide(nearest, distances, out=np.ones_like(distances), where=distances > 0)
    found = float_array(rule(distances), "what weights returns")
    return floats(found, "what weights returns", *distances.shape)
