"""Label rankers that are support vector machines with a kernel on the inputs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection
from dataclasses import KW_ONLY, dataclass
from itertools import permutations
from math import factorial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from .._data.checks import float_array, seed_of
from .._data.glossary import documented
from .._data.warn import warn_user
from .._lib.arrays import FloatArray, require_memory
from .._lib.call import get_n_threads
from .._lib.errors import CapabilityError, naming_row
from .._lib.kernel import require_semidefinite
from .._lib.loglinear import KernelFeatures
from .._lib.names import POSITION_LOSSES
from .._lib.rankings import svm, svm_direct
from .._lib.ridge import Design
from .._lib.table import floats
from ..kernels import InputKernel
from ._base import LabelRanker
from ._preferences import PREFERENCE_FORMATS, Edge, Preferences, examples_of, read_feedback, read_preferences


@dataclass(eq=False, repr=False)
class KernelRanker(LabelRanker):
    """Base of support vector machines whose scores are linear in the inputs, or in the features of a kernel."""

    C: float = 1.0
    _: KW_ONLY
    kernel: Any = "linear"
    gamma: float | str | None = None
    degree: float = 3
    coef0: float = 1.0
    kernel_params: dict[str, Any] | None = None
    fit_intercept: bool = True
    max_iter: int = 1000
    n_jobs: int | None = None
    verbose: int = 0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LabelRanker._parameter_constraints,
        **InputKernel._parameter_constraints,
        "kernel_params": [dict, None],
    }

    _n_matrices: ClassVar[int] = 1  # as large as the kernel matrix, which training holds at a time

    @abstractmethod
    def _minimise(self, rows: Any, preferences: Preferences, weights: FloatArray | None, **how: Any) -> Any:
        """Return what training finds, with `coefficients` of the features or, for a kernel matrix, of its rows.

        `rows` are a `Design` or a kernel matrix, which may be overwritten; either has the constant feature, if there is
        one.
        """

    def _train(self, X: Any, preferences: Preferences, weights: FloatArray | None) -> None:
        kernel = self.kernel_ = InputKernel.resolve(
            self.kernel, X, gamma=self.gamma, degree=self.degree, coef0=self.coef0, params=self.kernel_params,
            weights=weights,
        )  # fmt: skip
        how = {"n_threads": get_n_threads(self.n_jobs), "verbose": int(self.verbose)}
        if kernel.is_linear:
            trained = self._minimise(Design(X, intercept=self.fit_intercept), preferences, weights, **how)
            self._keep_weights(trained.coefficients)
        else:
            trained = self._minimise(self._training_matrix(X, preferences.rows), preferences, weights, **how)
            self._keep_dual(trained.coefficients, X, preferences.rows)
        self.objective_, self.dual_gap_, self.n_iter_ = trained.objective, trained.gap, trained.n_iter
        if not trained.converged:
            warn_user(
                f"the duality gap is {trained.gap / trained.objective:.2g} of the objective after {trained.n_iter} "
                f"iterations, tol is {self.tol:g}: raise max_iter or tol, standardise the features, or lower C",
                ConvergenceWarning,
            )

    def _training_matrix(self, X: Any, rows: NDArray[np.intp] | None) -> FloatArray:
        """Return the kernel matrix of the rows of X and their constant feature, after checking that it fits.

        A precomputed X has a column for each row of y, of which `rows` are kept; None: all. X itself is not changed.
        """
        n = X.shape[0]
        what = f"training on {n} rows with a kernel matrix"
        require_memory(8 * self._n_matrices * n * n, what, "train on fewer rows", square_rows=n)
        matrix = self.kernel_.matrix(X[:, rows] if self.kernel_.is_precomputed and rows is not None else X)
        return np.add(matrix, float(self.fit_intercept), out=None if matrix is X else matrix)

    def _keep_dual(self, dual: FloatArray, X: Any, rows: NDArray[np.intp] | None) -> None:
        """Set `dual_coef_`, `intercept_` and, if new rows are compared with them, `X_fit_`."""
        self.intercept_ = dual.sum(axis=0) if self.fit_intercept else np.zeros(dual.shape[1])
        if not self.kernel_.is_precomputed:
            self.X_fit_ = X
        elif rows is not None:  # new rows come with a column for each training row, also those of weight 0
            whole = np.zeros((self.n_features_in_, dual.shape[1]))
            whole[rows], dual = dual, whole
        self.dual_coef_ = dual

    def _label_scores(self, X: Any) -> FloatArray:
        if self.kernel_.is_linear:
            return super()._label_scores(X)
        return self.kernel_.matrix(X, getattr(self, "X_fit_", None)) @ self.dual_coef_ + self.intercept_

    def _row_width(self) -> int:
        return int(self.n_features_in_) if self.kernel_.is_linear else len(self.dual_coef_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
@documented
class LabelRankingSVM(KernelRanker):
    r"""Support vector machine for label ranking: scores of labels that differ by a margin where one is preferred.

    Minimises :math:`\tfrac12\sum_l \|w_l\|^2 + C \sum_i s_i \ell_i` over the weights of labels in
    :math:`f_l(x) = \langle w_l, x\rangle`, with :math:`s_i` the sample weights. The preferences of a row are the edges
    of a graph, divided into subgraphs, and the row's loss is the mean over its subgraphs E of

    .. math:: \max\bigl(0, \max_{(u,v)\in E} \gamma_{uv} - f_u(x_i) + f_v(x_i)\bigr).

    With a subgraph for each edge and :math:`\gamma = 1` this is the ranking loss of Elisseeff & Weston (2001).

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the norm; positive. Losses are summed over rows.
    %(kernel)s
    %(gamma)s
    %(degree)s
    %(coef0)s
    %(kernel_params)s
    %(decomposition)s
        Dual variables are one a preference, so that each is in one subgraph.
    margin : {"unit", "positions", "feedback"}, default="unit"
        The margin :math:`\gamma_{uv}` demanded where u is preferred to v. "unit": 1. "positions": by how much the
        position of v exceeds that of u; positions may be any numbers above 0 then. "feedback": y holds feedback vectors
        (Shalev-Shwartz & Singer, 2006), any finite numbers, of which larger ones are better, and NaN where they are
        unknown; the margin is by how much that of u exceeds that of v. `score` reads y in the same way.
    %(fit_intercept)s
    tol : float, default=1e-3
        %(gap_tol)s
    max_iter : int, default=1000
        Maximum number of passes over the rows.
    %(n_jobs)s
        Training uses them to compute the duality gap.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of the rows in each pass.
    %(verbose_bar)s

    Attributes
    ----------
    %(label_coef_)s
    %(X_fit_)s
    %(kernel_)s
    objective_ : float
        The objective reached.
    dual_gap_ : float
        An upper bound on how much that exceeds its minimum.
    n_iter_ : int
        Number of passes over the rows.
    %(n_labels_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    LabelRankingBoost : The same graphs under a logistic loss.
    OnlineLabelRanker : One step of the same training for each new row.

    Notes
    -----
    Takes full and incomplete rankings, ties and, with ``margin="unit"``, preference graphs. Rows that prefer no label
    to another have no loss.

    The dual is maximised by block-coordinate ascent, a row a block: while the others stay, a row's problem is one in
    its k scores. With edges, variables are taken one at a time; in larger subgraphs, whose variables share a bound,
    weight moves between the two that gain most. A pass over n rows costs :math:`O(n (p k + k^2))` with a linear kernel
    on p features, :math:`O(n k^2)` and :math:`O(n k)` for each row that changes with a kernel, whose matrix of
    :math:`n^2` values is held; and up to :math:`O(k^3)` more for each row with stars, :math:`O(k^4)` with whole graphs,
    which are for up to a hundred labels. Features of different scales are best standardised before.

    A kernel must be positive semi-definite: otherwise the dual is no bound, and `dual_gap_` means nothing. Matrices
    with clearly negative eigenvalues are refused with :class:`numpy.linalg.LinAlgError`. They are looked for by 32
    products with the matrix, which may miss eigenvalues closer to zero than some 1e-4 of the largest.

    With two labels it is a support vector machine without intercept or, with `fit_intercept`, with a penalised one:
    ``LinearSVC(loss="hinge")`` with twice its C.

    References
    ----------
    A. Elisseeff and J. Weston (2001), A kernel method for multi-labelled classification, *NIPS* 14.

    S. Shalev-Shwartz and Y. Singer (2006), Efficient learning of label ranking by soft projections onto polyhedra,
    *Journal of Machine Learning Research* 7.

    Examples
    --------
    >>> from combpred.ranking import LabelRankingSVM
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> y = [[1, 2, 3], [1, 2, 3], [-1, 2, 1], [3, 2, 1]]  # positions of three labels, one of them unknown
    >>> ranker = LabelRankingSVM(C=10.0).fit(X, y)
    >>> ranker.predict([[0.0], [3.0]])
    array([[1, 2, 3],
           [3, 2, 1]], dtype=int32)
    >>> bool(ranker.dual_gap_ <= 1e-3 * ranker.objective_)
    True
    """

    decomposition: str | Callable[[list[Edge]], Any] = "edges"
    margin: str = "unit"
    tol: float = 0.001
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelRanker._parameter_constraints,
        "margin": [StrOptions({"unit", "positions", "feedback"})],
    }

    def _formats_refused(self) -> Collection[str]:
        return () if self.margin == "unit" else ("graphs",)

    def _read(self, y: Any, n_labels: int | None, names: list[Any] | None) -> Preferences:
        if self.margin == "feedback":
            return read_feedback(y, n_labels, names=names)
        return read_preferences(y, n_labels, names=names, gaps=self.margin == "positions")

    def _minimise(self, rows: Any, preferences: Preferences, weights: FloatArray | None, **how: Any) -> Any:
        if not isinstance(rows, Design):
            require_semidefinite(rows)
        options = {"c": self.C, "tol": self.tol, "max_iter": self.max_iter, "seed": seed_of(self.random_state)}
        return svm(examples_of(preferences, weights, self.decomposition), rows, options, **how)


_MOST_LABELS = 8  # of which all 40320 rankings are listed for a loss that is a function


@dataclass(eq=False, repr=False, kw_only=True)
@documented
class DirectRankingSVM(KernelRanker):
    r"""Structured support vector machine that ranks by sorting and is trained for a given measure of rankings.

    Scores a ranking z by :math:`\sum_l c_{z_l} f_l(x)`, with :math:`z_l` the position of label l, weights
    :math:`c_1 \ge \dots \ge c_k` of positions and :math:`f_l(x) = \langle w_l, x\rangle`, x in the space of a kernel.
    The best ranking sorts the labels by f, whatever the weights are. Training demands that the observed ranking beats
    every other one by its loss (Le & Smola, 2007; Vembu, 2010, section 3.5), and minimises

    .. math:: \tfrac12 \sum_l \|w_l\|^2 + C \sum_i s_i \max_z \Bigl[\Delta(y_i, z)
        - \sum_l (c_{y_{il}} - c_{z_l}) f_l(x_i)\Bigr],

    :math:`s_i` the sample weights. The maximum is found exactly, and is at least the loss of the ranking predicted.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the sum of the rows' losses against half the squared norm; positive.
    loss : {"footrule", "spearman", "ndcg", "precision"}, array-like or callable, default="spearman"
        The loss Δ(y, z) of predicting z where y was observed. Those with a name are from 0 to at most 1.
        ``"footrule"``: the sum of the distances of all labels' positions, over its largest value. ``"spearman"``: that
        of their squares, which is (1 − ρ)/2 for Spearman's ρ. ``"ndcg"``: 1 less the normalised discounted cumulative
        gain, where the label at position j of y has the gain k − j, and position j of z the discount 1/log₂(1 + j).
        ``"precision"``: the share of the first `top` labels of z that are not among the first `top` of y.

        Your own loss is finite, and 0 between a ranking and itself. An array of shape (k, k): the sum over labels of
        ``loss[a - 1, b - 1]``, for a label at position a of y and b of z. An array of shape (top + 1,): ``loss[h]`` for
        h labels that are among the first `top` both of y and of z, such as 1 − h/(2 top − h) for Jaccard's. Any other
        loss, of up to 8 labels, as a function ``loss(y, z)`` of two arrays of shape (m, k) with a ranking in each row,
        positions from 1 on, that returns m numbers, as :mod:`combpred.metrics` do with ``per_row=True``.
    top : int, default=None
        How many positions ``"precision"`` and ``"ndcg"`` look at; other losses ignore it. None: 1 for precision, all k
        for NDCG. Precision takes less than k.
    position_weights : array-like of shape (k,), default=None
        The weights c, not increasing, the first above the last. None: :math:`c_j = (j + 1)^{-1/4}`.
        With 1 for the first `top` positions and 0 for others, precision alone decides how the labels are sorted.
    %(kernel)s
        Kernels other than the linear one are trained in the features of their matrix on the training rows, which takes
        :math:`O(n^3)` time.
    %(gamma)s
    %(degree)s
    %(coef0)s
    %(kernel_params)s
    %(fit_intercept)s
    tol : float, default=1e-2
        %(gap_tol)s
    max_iter : int, default=1000
        Maximum number of iterations, each of which finds the maximum for every row.
    %(n_jobs)s
        Training uses them to find these maxima.
    %(verbose_bar)s

    Attributes
    ----------
    %(label_coef_)s
    %(X_fit_)s
    %(kernel_)s
    position_weights_ : ndarray of shape (k,)
        The weights c.
    objective_ : float
        The objective reached.
    dual_gap_ : float
        An upper bound on how much that exceeds its minimum.
    n_iter_ : int
        Number of iterations.
    %(n_labels_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    combpred.baselines.StructuredSVM : With pairs of labels in place of positions: scores that need not be sorted.
    LabelRankingSVM : A loss for each pair of labels.

    Notes
    -----
    Takes full rankings. For losses that add up over labels and positions the maximum is an assignment problem, which is
    solved exactly in :math:`O(k^3)` (Kuhn, 1955). Losses that depend on the number h of labels among the first `top` of
    both rankings alone are functions of a contingency table whose margins are fixed; for each h the best ranking is
    found by sorting, as by Joachims (2005) for sets, for all h in :math:`O(k\,top + k \log k)`. For a function all k!
    rankings are looked at, and their losses are held for each row; it is called once for each ranking that y has.

    The maximum bounds the loss from above, and may do so loosely: training for a measure need not be best in that
    measure on new rows. Precision of the first two labels was higher with its own loss than with ``"spearman"`` on one
    of four benchmark sets by the default weights c, on two by weights 1 for the first two positions and 0 for others.

    Training is by one-slack cutting planes, as :class:`combpred.baselines.StructuredSVM` has them: an iteration costs
    :math:`O(n p k)` and the maxima, for n rows of p features; with a kernel p is at most n. Features of different
    scales are best standardised before.

    References
    ----------
    Q. V. Le and A. J. Smola (2007), Direct optimization of ranking measures, arXiv:0704.3359.

    T. Joachims (2005), A support vector method for multivariate performance measures, *ICML*.

    Examples
    --------
    >>> from combpred.ranking import DirectRankingSVM
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> y = [[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]]
    >>> ranker = DirectRankingSVM(C=100.0).fit(X, y)
    >>> ranker.predict([[0.0], [3.0]])
    array([[1, 2, 3],
           [3, 2, 1]], dtype=int32)
    >>> bool(ranker.dual_gap_ <= 1e-2 * ranker.objective_)
    True

    A loss of your own that is no sum over positions:

    >>> from combpred.metrics import kendall_tau
    >>> ranker = DirectRankingSVM(loss=lambda y, z: (1 - kendall_tau(y, z, per_row=True)) / 2, kernel="rbf")
    >>> ranker.fit(X, y).predict([[3.0]])
    array([[3, 2, 1]], dtype=int32)
    """

    loss: Any = "spearman"
    top: int | None = None
    position_weights: Any = None
    tol: float = 0.01

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelRanker._parameter_constraints,
        "loss": [StrOptions(set(POSITION_LOSSES)), "array-like", callable],
        "top": [Interval(Integral, 1, None, closed="left"), None],
        "position_weights": ["array-like", None],
    }

    _n_matrices: ClassVar[int] = 5

    def _formats_refused(self) -> Collection[str]:
        return PREFERENCE_FORMATS

    def _minimise(self, rows: Any, preferences: Preferences, weights: FloatArray | None, **how: Any) -> Any:
        ranks = preferences.ranks
        assert ranks is not None  # graphs are refused
        n, k = ranks.shape
        c = np.arange(2.0, k + 2.0) ** -0.25
        if self.position_weights is not None:
            c = float_array(self.position_weights, "position_weights")
        loss, table = _resolve_loss(self.loss, self.top, ranks)
        rankings = {"positions": ranks, "weights": weights, **table}
        options = {"c": self.C, "tol": self.tol, "max_iter": self.max_iter}
        self.position_weights_ = c
        if isinstance(rows, Design):
            return svm_direct(rows, rankings, loss, c, options, **how)
        # The features of the training rows under the kernel: a linear machine on them is one with the kernel.
        features = KernelFeatures(rows, np.ones(n), shift=0.0, n_threads=how["n_threads"])
        trained = svm_direct(Design(features.rows), rankings, loss, c, options, **how)
        trained.coefficients = features.converted("dual", trained.coefficients)
        return trained


def _resolve_loss(loss: Any, top: int | None, ranks: NDArray[np.int32]) -> tuple[str, dict[str, Any]]:
    """Return the name of the loss for the core, which checks its numbers, and its fields of ``cp_rankings``."""
    if isinstance(loss, str):
        looks = {"precision": 1, "ndcg": 0}  # at so many positions by default, 0 for all
        return loss, {"top": int(top or looks[loss]) if loss in looks else 0}
    if callable(loss):
        return _listed(loss, ranks)
    values = float_array(loss, "loss")
    if values.ndim == 2:
        return "by-position", {"losses": floats(values, "loss", *[ranks.shape[1]] * 2)}
    return "by-hits", {"top": len(values) - 1, "losses": floats(values, "loss", None)}


def _listed(loss: Callable[..., Any], ranks: NDArray[np.int32]) -> tuple[str, dict[str, Any]]:
    """Return a user's function as its values between the rankings of rows and all rankings."""
    n, k = ranks.shape
    if k > _MOST_LABELS:
        remedy = "pass an array, for a sum over positions or a function of the labels in front"
        raise CapabilityError(f"loss as a function is for at most {_MOST_LABELS} labels, and y ranks {k}: {remedy}")
    require_memory(
        8 * n * factorial(k), f"the losses of {n} rows and all rankings of {k} labels", "train on fewer rows"
    )
    every = np.array(list(permutations(range(1, k + 1))), dtype=np.int32)
    every.flags.writeable = False
    kinds, first, kind = np.unique(ranks, axis=0, return_index=True, return_inverse=True)
    table = np.empty((len(kinds), len(every)))
    for values, ranking, row in zip(table, kinds, first, strict=True):
        found = float_array(loss(np.tile(ranking, (len(every), 1)), every), "what loss returns")
        with naming_row(int(row)):
            values[:] = floats(found, "what loss returns", len(every))
    return "listed", {"losses": table[kind.ravel()], "listed": every}
