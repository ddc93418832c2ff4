"""DirectRankingSVM: a structured support vector machine whose predictions are made by sorting."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from .._data.glossary import documented
from .._lib.arrays import FloatArray
from .._lib.call import get_n_threads
from .._lib.labelrank import Passes, svm_direct
from .._lib.names import POSITION_LOSSES
from .._lib.ridge import Design
from .._models.training import keep_weights
from ._base import LabelRanker, keep_solution
from ._preferences import Preferences


@documented
class DirectRankingSVM(LabelRanker):
    r"""Structured support vector machine that ranks by sorting and is trained for a given measure of rankings.

    Scores a ranking z by :math:`\sum_l c_{z_l} f_l(x)`, with :math:`z_l` the position of label l, weights
    :math:`c_1 \ge \dots \ge c_k` of positions and :math:`f_l(x) = \langle w_l, x\rangle`. The best ranking sorts the
    labels by f, whatever the weights are. Training demands that the observed ranking beats every other one by its loss
    (Le & Smola, 2007), and minimises

    .. math:: \tfrac12 \sum_l \|w_l\|^2 + C \sum_i s_i \max_z \Bigl[\Delta(y_i, z)
        - \sum_l (c_{y_{il}} - c_{z_l}) f_l(x_i)\Bigr],

    :math:`s_i` the sample weights. The maximum is at least the loss of the ranking predicted.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the sum of the rows' losses against half the squared norm; positive.
    loss : {"footrule", "spearman", "ndcg"}, default="spearman"
        The loss Δ, from 0 to at most 1. ``"footrule"``: the sum of the distances of all labels' positions, over its
        largest value. ``"spearman"``: that of their squares, which is (1 − ρ)/2 for Spearman's ρ. ``"ndcg"``: 1 less
        the normalised discounted cumulative gain, where the label at position j of y has the gain k − j, and position j
        of the ranking the discount 1/log₂(1 + j).
    position_weights : array-like of shape (k,), default=None
        The weights c, not increasing, the first above the last. None: :math:`c_j = (j + 1)^{-1/4}`.
    %(constant_feature)s
        Its weights are penalised like the others.
    tol : float, default=1e-2
        %(gap_tol)s
    max_iter : int, default=1000
        Maximum number of iterations, each of which solves an assignment problem for every row.
    %(n_jobs)s
        Training uses them to solve these problems.
    %(verbose)s

    Attributes
    ----------
    coef_ : ndarray of shape (k, n_features_in_)
        Weights.
    intercept_ : ndarray of shape (k,)
        Weights of the constant feature.
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
    Takes full rankings. Losses that add up over labels and positions make the maximum an assignment problem, which is
    solved exactly in :math:`O(k^3)` (Kuhn, 1955). Training is by one-slack cutting planes, as
    :class:`combpred.baselines.StructuredSVM` has them: an iteration costs :math:`O(n (p k + k^3))` for n rows of p
    features. Features of different scales are best standardised before.

    References
    ----------
    Q. V. Le and A. J. Smola (2007), Direct optimization of ranking measures, arXiv:0704.3359.

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
    """

    _formats = frozenset[str]()

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions(set(POSITION_LOSSES))],
        "position_weights": ["array-like", None],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "spearman",
        position_weights: Any = None,
        fit_intercept: bool = True,
        tol: float = 1e-2,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.loss = loss
        self.position_weights = position_weights
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _train(self, X: Any, preferences: Preferences, weights: FloatArray | None) -> None:
        assert preferences.ranks is not None
        c = self.position_weights_ = _position_weights(self.position_weights, preferences.n_labels)
        how = Passes(float(self.tol), self.max_iter, 0, get_n_threads(self.n_jobs), int(self.verbose))
        design = Design(X, intercept=bool(self.fit_intercept))
        trained = svm_direct(design, preferences.ranks, weights, c, self.loss, float(self.C), how)
        keep_weights(self, trained.coefficients)
        keep_solution(self, trained, "iterations")


def _position_weights(given: Any, k: int) -> FloatArray:
    """Return the weights of k positions; what sorting takes of them is checked in training."""
    if given is None:
        return np.asarray(np.arange(2.0, k + 2.0) ** -0.25)
    try:
        c = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):  # strings, complex numbers, lists of different lengths
        raise ValueError(f"position_weights must be {k} numbers, one for each position, got {given!r}") from None
    if c.shape != (k,):
        raise ValueError(f"position_weights has shape {c.shape}, must be ({k},): one for each position")
    return c
