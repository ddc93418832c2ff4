"""OnlineLabelRanker: label rankers that learn from one row at a time."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_consistent_length

from .._data.checks import float_array, whole_number
from .._data.glossary import documented
from .._data.inputs import check_weights, read_inputs, unchanged_on_failure
from .._lib.arrays import FloatArray
from .._lib.call import computed
from .._lib.names import UPDATES
from .._lib.rankings import Examples
from .._lib.ridge import Design
from .._lib.table import floats
from ._base import LabelRanker
from ._preferences import Edge, Preferences, examples_of, read_preferences

_Self = TypeVar("_Self", bound="OnlineLabelRanker")  # typing.Self needs Python 3.11


@dataclass(eq=False, repr=False)
@documented
class OnlineLabelRanker(LabelRanker):
    r"""Online label ranking: linear scores of labels, corrected whenever a row is ranked wrongly.

    The preferences of a row are the edges (u, v) of a graph, divided into subgraphs. An edge is wrong where
    :math:`f_u(x) \le f_v(x)`, with :math:`f_l(x) = \langle w_l, x\rangle`; a row's mistake is the share of its
    subgraphs with a wrong edge, and its loss the mean over its subgraphs E of
    :math:`\max(0, \max_{(u,v)\in E} 1 - f_u(x) + f_v(x))`, which is at least the mistake. Let D be the sum over wrong
    subgraphs of their share times the mean over their wrong edges of :math:`(e_u - e_v) \otimes x`.

    Parameters
    ----------
    update : {"additive", "multiplicative", "primal-dual"}, default="additive"
        What a row adds. ``"additive"``: D, a perceptron (Crammer & Singer, 2003). ``"multiplicative"``: D to the
        exponents of weights whose absolute values sum to at most `radius`, exponentiated gradient, for inputs of which
        few features matter. ``"primal-dual"``: the weights move to where :math:`\tfrac12\|W - W'\|^2 + C\,\ell(W)`
        is least (Shalev-Shwartz & Singer, 2007), which learns from rows with a loss but no mistake, too.
    C : float, default=1.0
        For ``"primal-dual"``: weight of the loss against the distance; positive.
    radius : float, default=0.1
        For ``"multiplicative"``: bound on :math:`\sum |W|`; positive. Exponents are the sums of D times `eta0` /
        (`radius` · max x²). While they are well below 1, weights grow in proportion to D: rankings of standardised
        inputs are those of ``"additive"`` from a radius of about 10 on. What counts is `radius` times the largest
        input.
    eta0 : float, default=1.0
        For ``"multiplicative"``: step size, between 0 and 2, both excluded, relative to the largest one that the bound
        allows. Steps get smaller as larger inputs are met, so that their size need not be known.
    %(decomposition)s
        A row's mistake is the share of its subgraphs in which any preference is violated.
    average : bool, default=True
        Whether predictions use the mean of the weights after each row in place of the last ones.
    %(constant_feature)s
    max_iter : int, default=5
        Passes of ``fit`` over the rows. ``partial_fit`` makes one.
    %(shuffle)s
        ``partial_fit`` takes them as they are given.
    random_state : int, RandomState instance or None, default=None
        Source of randomness for that order.
    %(verbose_bar)s

    Attributes
    ----------
    coef_ : ndarray of shape (k, n_features_in_)
        Weights that predict.
    intercept_ : ndarray of shape (k,)
        Weights of the constant feature.
    n_mistakes_ : float
        Sum of the mistakes of all rows learnt from, each before its step and times its sample weight. With
        ``decomposition="graph"`` and no weights, the number of rows that were not ranked as y says.
    loss_sum_ : float
        Sum of the losses, alike.
    weight_sum_ : float
        Sum of the weights of all rows learnt from: their number where none has a weight.
    n_iter_ : int
        Passes, or calls of ``partial_fit``.
    %(n_labels_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    LabelRankingSVM : Minimises the same loss over all rows at once.

    Notes
    -----
    Takes full and incomplete rankings, ties and preference graphs. A sample weight multiplies a row's step, or its C;
    a row of weight 2 does not equal two rows.

    `mistake_bound` gives what `n_mistakes_` cannot exceed, whatever the order of the rows, from the losses of any
    fixed weights.

    A row costs :math:`O(p k + k^2)` for p features (those that are not zero in sparse inputs); a mistake of
    ``"multiplicative"`` costs pk exponentials. Rows of ``"primal-dual"`` take some sweeps, the more the larger C is,
    each up to :math:`O(k^3)` with stars and :math:`O(k^4)` with whole graphs, which are for some tens of labels.

    References
    ----------
    K. Crammer and Y. Singer (2003), A family of additive online algorithms for category ranking, *Journal of Machine
    Learning Research* 3.

    J. Kivinen and M. K. Warmuth (1997), Exponentiated gradient versus gradient descent for linear predictors,
    *Information and Computation* 132.

    S. Shalev-Shwartz and Y. Singer (2007), A unified algorithmic approach for efficient online label ranking,
    *AISTATS*.

    Examples
    --------
    >>> from combpred.datasets import load_iris_ranking
    >>> from combpred.ranking import OnlineLabelRanker
    >>> X, y = load_iris_ranking(return_X_y=True)
    >>> ranker = OnlineLabelRanker("primal-dual", random_state=0)
    >>> for start in range(0, 150, 50):
    ...     ranker = ranker.partial_fit(X[start : start + 50], y[start : start + 50])
    >>> ranker.weight_sum_, 0 < ranker.n_mistakes_ < ranker.loss_sum_
    (150.0, True)
    """

    update: str = "additive"
    _: KW_ONLY
    C: float = 1.0
    radius: float = 0.1
    eta0: float = 1.0
    decomposition: str | Callable[[list[Edge]], Any] = "edges"
    average: bool = True
    fit_intercept: bool = True
    max_iter: int = 5
    shuffle: bool = True
    random_state: Any = None
    verbose: int = 0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LabelRanker._parameter_constraints,
        "update": [StrOptions(set(UPDATES))],
        "radius": [Interval(Real, 0, None, closed="neither")],
        "eta0": [Interval(Real, 0, 2, closed="neither")],
        "average": ["boolean"],
        "shuffle": ["boolean"],
    }

    def _train(self, X: Any, preferences: Preferences, weights: FloatArray | None) -> None:
        rng = check_random_state(self.random_state)
        state, examples = self._begin(), examples_of(preferences, weights, self.decomposition)
        for _ in range(self.max_iter):
            order = rng.permutation(len(preferences)).astype(np.int64) if self.shuffle else None
            self._learn(X, examples, state, order)
        self._keep(state, self.max_iter)

    def partial_fit(self: _Self, X: Any, y: Any, sample_weight: Any = None) -> _Self:
        """Update the model by more rows, one after the other.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
            Inputs, finite.
        y : array-like of shape (n, k) or (n, k, k)
            As ``fit`` takes it. The first call decides the number of labels.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1. Rows of weight 0 are passed over; one is positive.

        Returns
        -------
        OnlineLabelRanker
            The estimator itself. When the call raises, the model is as it was before.

        Raises
        ------
        ValueError
            For parameters, inputs, rankings or weights that are not legal, naming the row, and where features, labels
            or parameters are not those of the calls before.

        Notes
        -----
        Cost: as the notes of the class say, and O(pk) a call.

        Examples
        --------
        >>> from combpred.ranking import OnlineLabelRanker
        >>> ranker = OnlineLabelRanker(average=False).partial_fit([[0.0, 1.0]], [[1, 2]])
        >>> ranker = ranker.partial_fit([[1.0, 0.0]], [[2, 1]])
        >>> ranker.predict([[0.0, 1.0], [1.0, 0.0]]).tolist(), ranker.n_mistakes_
        ([[1, 2], [2, 1]], 2.0)
        """
        with unchanged_on_failure(self):
            self._validate_params()
            first = not hasattr(self, "n_labels_")
            X = read_inputs(self, X, reset=first)
            preferences, weights = self._check_targets(X, y, sample_weight, reset=first)
            if first:
                self.n_labels_ = preferences.n_labels
            elif self._kind() != self._settings:
                said = f"{self._kind()}, but were {self._settings} at first: set them back, or train anew by fit"
                raise ValueError(f"update, fit_intercept and average are {said}")
            state = self._begin() if first else deepcopy(self._state)
            self._learn(X, examples_of(preferences, weights, self.decomposition), state, None)
            self._keep(state, 1 if first else self.n_iter_ + 1)
        return self

    def mistake_bound(
        self,
        X: Any,
        y: Any,
        coef: Any,
        intercept: Any = None,
        *,
        sample_weight: Any = None,
        n_passes: int = 1,
    ) -> float:
        r"""Return an upper bound on `n_mistakes_`, from the losses of fixed weights on the same rows.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array-like of shape (n, k) or (n, k, k)
            All rows learnt from, in any order.
        coef : array of shape (k, n_features)
            Weights to compare with, the better the lower the bound: their losses count against margins of 1.
        intercept : array of shape (k,), default=None
            Weights of the constant feature, where there is one; None: zero.
        sample_weight : array of shape (n,) or float, default=None
        n_passes : int, default=1
            How many times all rows were learnt from: `max_iter` of ``fit``.

        Returns
        -------
        float
            With U the given weights, L the sum of their weighted losses over all passes, and S the largest of weight
            times :math:`\|x\|^2`, the constant feature included: for ``"additive"``
            :math:`\tfrac14 (a + \sqrt{a^2 + 4L})^2` with :math:`a^2 = 2S\|U\|^2`, which for L = 0 is
            :math:`2S\|U\|^2`. For ``"primal-dual"``
            :math:`(\tfrac12\|U\|^2 + CL) / \min(C/2, 1/(4S))`, a thousandth added for the accuracy of the steps. For
            ``"multiplicative"`` :math:`(L + S r^2 \ln(2qk)/\eta) / (1 - \eta/2)` with η = `eta0`, r the
            radius, q the number of features and S the largest of weight times :math:`\max_j |x_j|^2`.

        Raises
        ------
        ValueError
            For arguments that are not legal, and for ``"multiplicative"`` when the absolute values of the weights add
            up to more than `radius`.

        Notes
        -----
        Cost: O(n (pk + k²)). No fit is needed. The bounds hold for any sequence of rows, by the arguments of
        Crammer & Singer (2003), Kivinen & Warmuth (1997) and Shalev-Shwartz & Singer (2007), each with the share of
        wrong subgraphs in place of a mistake and weighted rows.

        Examples
        --------
        >>> from combpred.ranking import OnlineLabelRanker
        >>> X, y = [[0.0, 1.0], [1.0, 0.0]], [[1, 2], [2, 1]]
        >>> ranker = OnlineLabelRanker(fit_intercept=False).fit(X, y)
        >>> bound = ranker.mistake_bound(X, y, [[-0.5, 0.5], [0.5, -0.5]], n_passes=5)
        >>> ranker.n_mistakes_, round(bound, 6)
        (2.0, 2.0)
        """
        self._validate_params()
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        preferences = read_preferences(y)
        check_consistent_length(X, preferences)
        weights = check_weights(sample_weight, len(preferences), part=True)
        rival = self._fixed_weights(coef, intercept, preferences.n_labels, X.shape[1])
        passes = whole_number(n_passes, "n_passes", 1, 2**31)
        examples = examples_of(preferences, weights, self.decomposition)
        design = Design(X, intercept=self.fit_intercept)
        given = design, examples, self._options(), rival, passes
        return computed("cp_labelrank_mistake_bound", *given, n_threads=1)

    def _fixed_weights(self, coef: Any, intercept: Any, k: int, p: int) -> FloatArray:
        """Return the user's weights of p features, the constant one last, for k labels."""
        weights: FloatArray = floats(_finite(coef, "coef"), "coef", k, p).T
        if not self.fit_intercept and intercept is not None:
            raise ValueError("intercept is given, but with fit_intercept=False there is no constant feature")
        if not self.fit_intercept:
            return weights
        constant = np.zeros(k) if intercept is None else _finite(intercept, "intercept")
        return np.vstack([weights, floats(constant, "intercept", k)])

    def _kind(self) -> tuple[str, bool, bool]:
        """Return the parameters on which the shape of the state depends."""
        return self.update, self.fit_intercept, self.average

    def _begin(self) -> dict[str, Any]:
        """Return the arrays of ``cp_online_state``, which steps change, at zero."""
        shape = self.n_features_in_ + int(self.fit_intercept), self.n_labels_
        wanted = {"coef": True, "theta": self.update == "multiplicative", "average": self.average}
        return {name: np.zeros(shape) if there else None for name, there in wanted.items()} | {"tally": np.zeros(4)}

    def _learn(self, X: Any, examples: Examples, state: dict[str, Any], order: NDArray[np.int64] | None) -> None:
        design = Design(X, intercept=self.fit_intercept)
        computed(
            "cp_labelrank_online", design, examples, {**self._options(), "order": order},
            {"q": design.n_weights, "k": examples.k, **state}, n_threads=1, label="online label ranking",
            verbose=int(self.verbose), total=examples.n,
        )  # fmt: skip

    def _options(self) -> dict[str, Any]:
        """Return the fields of ``cp_online_options``."""
        return {"update": self.update, "rate": self.eta0, "radius": self.radius, "c": self.C}

    def _keep(self, state: dict[str, Any], n_iter: int) -> None:
        self._state, self._settings = state, self._kind()
        self._keep_weights(state["coef"] if state["average"] is None else state["average"])
        self.weight_sum_, self.n_mistakes_, self.loss_sum_, _ = state["tally"].tolist()
        self.n_iter_ = n_iter


def _finite(values: Any, name: str) -> Any:
    return check_array(float_array(values, name), ensure_2d=False, input_name=name)
