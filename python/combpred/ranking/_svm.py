"""LabelRankingSVM: large margins between labels that are preferred to one another."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from .._data.checks import seed_of
from .._data.glossary import documented
from .._lib.arrays import FloatArray
from .._lib.call import get_n_threads
from .._lib.kernel import require_semidefinite
from .._lib.labelrank import svm
from .._lib.ridge import Design
from ._kernel import KernelRanker
from ._preferences import Edge, Preferences, examples_of, read_feedback, read_preferences


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

    def _train(self, X: Any, preferences: Preferences, weights: FloatArray | None) -> None:
        kernel = self._resolve_kernel(X, weights)
        examples = examples_of(preferences, weights, self.decomposition)
        options = {
            "c": self.C, "tol": self.tol, "max_iter": self.max_iter, "seed": seed_of(self.random_state)
        }  # fmt: skip
        how = {"n_threads": get_n_threads(self.n_jobs), "verbose": int(self.verbose)}
        if kernel.is_linear:
            trained = svm(examples, Design(X, intercept=self.fit_intercept), options, **how)
            dual = None
        else:
            matrix = self._training_matrix(kernel, X, preferences.rows, 1)
            if self.fit_intercept:  # the kernel of a constant feature is 1; X stays as the user gave it
                matrix = np.add(matrix, 1.0, out=None if matrix is X else matrix)
            require_semidefinite(matrix)
            trained = svm(examples, matrix, options, **how)
            dual = trained.coefficients
        self._keep(kernel, X, trained, dual, preferences.rows)
