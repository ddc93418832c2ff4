"""LabelRankingBoost: log-linear label ranking by parallel boosting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from .._data.checks import float_array
from .._data.glossary import documented
from .._data.warn import warn_user
from .._lib.arrays import FloatArray
from .._lib.call import get_n_threads
from .._lib.labelrank import boost
from .._lib.ridge import Design
from .._lib.table import floats
from ._base import LabelRanker
from ._preferences import Edge, Preferences, examples_of

_WINDOW = 10  # rounds over which the decrease is measured


@dataclass(eq=False, repr=False)
@documented
class LabelRankingBoost(LabelRanker):
    r"""Log-linear label ranking, trained by boosting all weights in parallel.

    Scores are :math:`f_l(x) = \sum_j \lambda_j h_j(x, l)` of base functions h: by default each feature for each label,
    so that :math:`f_l(x) = \langle w_l, x\rangle`, or the given `base_rankers`. The preferences of a row are the edges
    of a graph, divided into subgraphs, and training minimises

    .. math:: \sum_i \frac{s_i}{n_i} \sum_E \ln\Bigl(1 + \sum_{(u,v)\in E} e^{f_v(x_i) - f_u(x_i)}\Bigr)
        + 2\alpha \sum_j \ln\cosh\tfrac{\lambda_j}{2},

    :math:`s_i` the sample weights and :math:`n_i` the numbers of subgraphs E of the rows. Divided by ln 2, the first
    sum bounds the number of subgraphs in which some preference is violated, as shares of their rows (Dekel, Manning &
    Singer, 2003).

    Parameters
    ----------
    alpha : float, default=0.1
        Penalty on the weights, at least 0; close to :math:`\alpha\lambda^2/4` for small weights and to
        :math:`\alpha|\lambda|` for large ones. It has the form of a loss, two more examples for each weight, so that
        the steps lower it by the guaranteed amount, too. At 0 there need not be a minimum.
    base_rankers : sequence of callables or None, default=None
        Functions that take X and return scores of shape ``(n, k)``, such as the ``label_scores`` of rankers that are
        fitted already. None: the features themselves.
    %(decomposition)s
    %(constant_feature)s
        Without effect on `base_rankers`.
    min_gain : float, default=1e-4
        Training ends when ten rounds together lower the objective by at most `min_gain` times its value.
    max_iter : int, default=2000
        Maximum number of rounds.
    %(verbose_bar)s
        It is a line every 100 rounds.

    Attributes
    ----------
    coef_ : ndarray of shape (k, n_features_in_)
        Weights of the features, without `base_rankers`.
    intercept_ : ndarray of shape (k,)
        Weights of the constant feature, without `base_rankers`.
    ranker_weights_ : ndarray of shape (len(base_rankers),)
        Weights of the base rankers, where they are given.
    loss_curve_ : ndarray of shape (n_iter_ + 1,)
        The objective before the first round and after each.
    bound_curve_ : ndarray of shape (n_iter_,)
        The guaranteed decrease of each round: ``loss_curve_[t] - loss_curve_[t + 1] >= bound_curve_[t]``.
    n_iter_ : int
        Number of rounds.
    %(n_labels_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    LabelRankingSVM : The same graphs under a hinge loss.

    Notes
    -----
    Takes full and incomplete rankings, ties and preference graphs. Rows that prefer no label to another have no loss.

    With :math:`a_{ej} = h_j(x, u) - h_j(x, v)` for the edge e = (u, v), :math:`q_e` the derivative of its row's loss by
    :math:`f_v - f_u`, and factors :math:`\rho_j` with :math:`\sum_j \rho_j |a_{ej}| \le 1` for all edges, a round adds

    .. math:: \delta_j = \frac{\rho_j}{2} \ln\frac{W^+_j}{W^-_j}, \qquad
        W^{\pm}_j = \rho_j \sum_e q_e \max(0, \pm a_{ej}),

    the penalty's two examples included, to every weight, which lowers the objective by at least
    :math:`\sum_j (\sqrt{W^+_j} - \sqrt{W^-_j})^2`. A longer step along the same line is taken instead where it lowers
    the objective by that much, too: ever longer ones until one does not (Salakhutdinov & Roweis, 2003), which takes a
    tenth of the rounds. The factors follow from the largest value of each base function, so that at alpha 0 the
    scale of features changes neither the rounds nor the predictions. Many features make the factors small and the
    rounds many, as the constraint is on their sum.

    A round costs :math:`O(n p k + m)` for p features and m preferences in all, or :math:`O(m J)` for J base rankers,
    whose m J differences are held.

    One star for each row, of its class and all other labels, is multinomial logistic regression.

    References
    ----------
    O. Dekel, C. D. Manning and Y. Singer (2003), Log-linear models for label ranking, *NIPS* 16.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred.datasets import load_iris_ranking
    >>> from combpred.ranking import LabelRankingBoost
    >>> X, y = load_iris_ranking(return_X_y=True)
    >>> ranker = LabelRankingBoost().fit(X, y)
    >>> bool((-np.diff(ranker.loss_curve_) >= ranker.bound_curve_ - 1e-12).all())
    True
    """

    alpha: float = 0.1
    _: KW_ONLY
    base_rankers: Sequence[Callable[[Any], Any]] | None = None
    decomposition: str | Callable[[list[Edge]], Any] = "edges"
    fit_intercept: bool = True
    min_gain: float = 0.0001
    max_iter: int = 2000
    verbose: int = 0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LabelRanker._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "base_rankers": ["array-like", None],
        "min_gain": [Interval(Real, 0, None, closed="left")],
    }

    def _train(self, X: Any, preferences: Preferences, weights: FloatArray | None) -> None:
        scores = None if self.base_rankers is None else self._base_scores(X)
        options = {"alpha": float(self.alpha), "min_gain": float(self.min_gain), "max_iter": int(self.max_iter)}
        found = boost(
            examples_of(preferences, weights, self.decomposition),
            Design(X, intercept=self.fit_intercept), scores, options, n_threads=get_n_threads(),
            verbose=int(self.verbose),
        )  # fmt: skip
        self.loss_curve_, self.bound_curve_, self.n_iter_ = found.losses, found.bounds, len(found.bounds)
        if scores is None:
            self._keep_weights(found.weights)
        else:
            self.ranker_weights_ = found.weights
        if not found.converged:
            fall = (found.losses[max(0, self.n_iter_ - _WINDOW)] - found.losses[-1]) / found.losses[-1]
            warn_user(
                f"the last {min(_WINDOW, self.n_iter_)} of {self.n_iter_} rounds lowered the objective by {fall:.2g} "
                f"of its value, min_gain is {self.min_gain:g}: raise max_iter or min_gain, or, where rankings can be "
                "learnt without a mistake, alpha",
                ConvergenceWarning,
            )

    def _base_scores(self, X: Any) -> FloatArray:
        """Return the scores of the base rankers, of shape (n, k, J)."""
        shape, rankers = (X.shape[0], self.n_labels_), self.base_rankers or ()
        scores = np.empty((*shape, len(rankers)))
        for j, ranker in enumerate(rankers):
            if not callable(ranker):
                raise TypeError(f"base_rankers[{j}] must be a function of X, got {ranker!r:.80}")
            what = f"what base_rankers[{j}] returns"
            scores[:, :, j] = floats(float_array(ranker(X), what), what, *shape)
        return scores

    def _label_scores(self, X: Any) -> FloatArray:
        return super()._label_scores(X) if self.base_rankers is None else self._base_scores(X) @ self.ranker_weights_

    def _row_width(self) -> int:
        own = 0 if self.base_rankers is None else self.n_labels_ * len(self.base_rankers)
        return int(self.n_features_in_) + own
