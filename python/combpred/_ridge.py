"""StructuredRidge: closed-form training of structured predictors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from ._block_statistics import BlockStatistics
from ._eigen import eigendecompose
from ._estimator import refit
from ._ridge_base import RidgeBase
from ._ridge_blocks import array_blocks, fit_source, fit_statistics, given_blocks
from ._training import solve_factored, solve_spectral


class StructuredRidge(RidgeBase):
    r"""Ridge regression for structured outputs, trained by counting.

    Scores a structure :math:`y` for an input :math:`x` by :math:`\langle f(x), \psi(y)\rangle`. Training ranks the
    observed structure above all others under a quadratic bound of the AUC loss. The sum over the whole output space
    enters only through its uniform mean and covariance, so nothing is enumerated and no decoder is called (Vembu, 2010,
    ch. 5).

    Parameters
    ----------
    structure : Structure, str or None, default=None
        The output space: an instance of a class of :mod:`combpred.structures`, the catalogue name of one (such as
        ``"permutations"``), or None to infer it from y: labels (1-D) make a ``MultiClass``, a 0/1 matrix ``LabelSets``.
        Sizes left out are inferred from y.
    alpha : float, default=1.0
        Penalty on the squared norm of the scorer, against the sum of the losses of the rows; positive.
    loss : {"auc", "squared"}, default="auc"
        ``"auc"``: the quadratic bound of the AUC loss, which ranks the observed structure above the others.
        ``"squared"``: regression of ψ(y), predicting its pre-image (kernel dependency estimation; Weston et al., 2002).
        Where structures differ in size (cycles, routes, cliques), the pre-image of an uncertain prediction is a small
        one, as fits a squared distance; ``"auc"`` has no such preference.
    kernel : {"linear", "poly", "rbf", "laplacian", "cosine", "precomputed"} or callable, default="linear"
        Input kernel, as in :class:`sklearn.kernel_ridge.KernelRidge`. With ``"precomputed"``, X is the square matrix of
        kernel values in ``fit``, and the values between new rows and training rows afterwards.
    gamma : float, "scale" or None, default=None
        Scale of poly, rbf and laplacian; other kernels ignore it. None is one over the number of features; ``"scale"``
        divides that by the variance of the training inputs, weighted by `sample_weight`.
    degree : float, default=3
        Degree of the polynomial kernel; others ignore it.
    coef0 : float, default=1.0
        Constant of the polynomial kernel; others ignore it.
    kernel_params : dict, default=None
        Keyword arguments of a callable kernel; ``fit`` refuses them for kernels given by name.
    fit_intercept : bool, default=True
        Add a constant feature to the inputs, hence 1 to every kernel value. Its weights are penalised like the others.
    solver : {"auto", "closed-form", "cg", "newton-cg", "primal"}, default="auto"
        ``"closed-form"`` solves one n×n system, from factors or an eigendecomposition of the kernel matrix; ``"cg"``
        and ``"newton-cg"`` iterate on products with the kernel matrix; ``"primal"`` solves for the weights of the
        features, for the linear kernel. All reach the same minimum. ``"auto"`` takes the cheapest.
    decoder : {"auto", "exact", "approx", "local-search", "anneal", "metropolis", "milp"}, default="auto"
        How `predict` maximises the score; `predict_certified` says how good the result is known to be. ``"auto"`` is
        exact where the structure can be at its size, and searches otherwise. ``"exact"`` refuses beyond that size.
        ``"approx"`` takes the guaranteed solution alone, in polynomial time; ``"local-search"`` improves on it by local
        moves, ``"anneal"`` by simulated annealing and ``"metropolis"`` by a Metropolis process of one temperature
        (Vembu, 2010, ch. 4), of some :math:`10^5` random moves for each row of up to 20 items; none is ever below it.
        Structures that are solved exactly in polynomial time at every size are so by all of these. ``"milp"`` solves an
        integer program for each row (HiGHS, by SciPy), exact at any size that its time allows: for rankings, cycles and
        routes.
    tol : float, default=1e-8
        Relative residual of the stationarity equation at which training stops.
    max_iter : int or None, default=None
        Limit on iterations; None leaves the solver its own.
    n_jobs : int or None, default=None
        Threads of the library's own loops. None takes :func:`combpred.config_context`, else all processors; results do
        not depend on it. Threads of BLAS are set as for NumPy.
    random_state : int, RandomState instance or None, default=None
        Seed of the decoders ``"anneal"`` and ``"metropolis"``, drawn anew in every call that predicts: an integer makes
        predictions reproducible, for any number of threads. All else is deterministic.
    verbose : int, default=0
        Print progress when positive.

    Attributes
    ----------
    structure_ : Structure
        The output space with all sizes settled.
    coef_ : ndarray of shape (d, n_features)
        Weights of the linear kernel, one row for each entry of ψ. Only with ``kernel="linear"``.
    dual_coef_ : ndarray of shape (n, d)
        Coefficients of the training rows. Only with other kernels.
    intercept_ : ndarray of shape (d,)
        Constant part of the scores; zero without `fit_intercept`.
    X_fit_ : array or CSR of shape (n, n_features)
        Training inputs, which prediction needs. Only with kernels that are neither linear nor precomputed.
    kernel_ : InputKernel
        The kernel with `gamma` settled.
    classes_ : ndarray
        Class labels (``MultiClass``) or label numbers (``LabelSets``). Other structures have none.
    objective_ : float
        Value of the objective at the solution.
    n_iter_ : int
        Iterations of the innermost loop, at least 1; with ``solver_="primal"``, passes over the rows.
    solver_ : str
        The solver that ran.
    precision_ : {"single", "double"}
        Of the factors. The solution is refined in double precision to `tol` either way.
    n_features_in_ : int
        Number of features (of training rows, with ``kernel="precomputed"``).
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features, where X has names that are all strings.

    See Also
    --------
    StructuredRidgeCV : Chooses `alpha` by leave-one-out at the cost of a few fits.
    ProbabilisticStructured : Gives probabilities, at the cost of partition functions in training.
    sklearn.kernel_ridge.KernelRidge : The same for targets that are vectors.

    Notes
    -----
    With μ and Σ the mean and covariance of ψ under the uniform law, :math:`\tilde\psi_i = \psi(y_i) - \mu`, kernel
    matrix K (plus 1 with `fit_intercept`), f = Ka and sample weights w, training minimises

    .. math:: \alpha \operatorname{tr}(a^\top K a) + \sum_i w_i \left[\tfrac12 f_i^\top \Sigma f_i
              + \tfrac12 (1 - \langle\tilde\psi_i, f_i\rangle)^2 - \tfrac12\right]

    for ``loss="auc"``, and :math:`\tfrac12\|f_i - \tilde\psi_i\|^2` in the brackets for ``loss="squared"``. A weight of
    0 equals leaving the row out, an integer weight repeating it.

    Prediction maximises :math:`\langle f(x), \psi(y)\rangle` for ``loss="auc"``, and
    :math:`\langle f(x) + \mu, \psi(y)\rangle - \tfrac12\|\psi(y)\|^2` for ``loss="squared"``; `score_structures`
    returns these values.

    The closed form costs :math:`O(s n^3 + n^2 d)` time for s distinct eigenvalues of Σ, and about three n×n matrices;
    the primal solver :math:`O(n p^2 + n p d)` for p features, and memory for p² and some 10 p d numbers beside the
    rows. Where ψ has few entries other than zero (``MultiClass`` of many classes, ``LabelSets`` with sparse y), d
    counts those only. Its residual is measured in the norm of the preconditioner's inverse, where it bounds the
    objective's distance from the minimum.

    References
    ----------
    S. Vembu (2010), *Learning to Predict Combinatorial Structures*, PhD thesis, University of Bonn, ch. 5.

    T. Gärtner and S. Vembu (2009), On structured output training: hard cases and an efficient alternative,
    *Machine Learning* 76.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import StructuredRidge
    >>> from combpred.structures import Permutations
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]])  # the position of each of three labels
    >>> ranker = StructuredRidge(Permutations(), kernel="rbf", alpha=0.01).fit(X, y)
    >>> ranker.predict([[0.5], [2.5]])
    array([[1, 2, 3],
           [3, 2, 1]], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RidgeBase._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        structure: Any = None,
        *,
        alpha: float = 1.0,
        loss: str = "auc",
        kernel: str | Callable[..., float] = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1.0,
        kernel_params: Mapping[str, Any] | None = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        decoder: str = "auto",
        tol: float = 1e-8,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.structure = structure
        self.alpha = alpha
        self.loss = loss
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.decoder = decoder
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StructuredRidge:
        """Train on inputs and the structures observed for them.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features), or (n, n) for ``kernel="precomputed"``
            Inputs. ``solver="primal"`` converts them to float64 a block of rows at a time, so that other number types
            and memory-mapped files are never held in that form; other solvers convert them as a whole.
        y : array of n structures
            In the format of the structure's class.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1.

        Returns
        -------
        StructuredRidge
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        ValueError
            For parameters, inputs, targets or weights that are not legal, and where kernel values overflow, naming the
            row and the remedy.
        MemoryError
            When the kernel matrix and its work space do not fit, before they are allocated.
        numpy.linalg.LinAlgError
            When the kernel matrix is too far from positive semi-definite.

        Warns
        -----
        ConvergenceWarning
            When `max_iter` came before `tol`.

        Notes
        -----
        Cost: see the notes of the class; ``solver_`` says which solver ran.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> StructuredRidge("permutations", alpha=0.1).fit(X, y, sample_weight=[1, 2, 2, 1]).score(X, y)
        1.0
        """
        with refit(self):
            # Only the linear kernel can be solved in the features themselves, which takes rows as they are.
            if self.kernel == "linear" and self.solver in ("auto", "primal"):
                blocks = array_blocks(self, X, y, sample_weight)
                if blocks is not None:
                    return fit_source(self, blocks)
            X, problem = self._validate_training(X, y, sample_weight)
            problem = problem.with_alpha(self.alpha)
            plan = problem.plan(0, 0)
            if plan["route"] == "spectral":
                decomposition = eigendecompose(self._weighted_kernel(X, problem))
                solution = solve_spectral(problem, decomposition, plan["solver"])
            else:
                kernel = self._training_kernel(X, plan[f"work_{plan['precision']}"])
                solution = solve_factored(problem, kernel, plan)
            self._keep(X, solution)
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_blocks(self, blocks: Any, *, classes: Any = None) -> StructuredRidge:
        """Train on rows that come in blocks, of which one is held at a time.

        Parameters
        ----------
        blocks : iterable of (X, y) or (X, y, sample_weight), or callable
            X is an array or CSR of shape (n_block, n_features), y the structures of its rows; blocks may be of
            different sizes, and empty. It is gone through several times, and must give the same rows each time: a list,
            an object whose ``__iter__`` starts anew, or a function without arguments that returns a new iterator (a
            generator function). Iterators are refused.
        classes : array-like, default=None
            All labels, for ``MultiClass``; None: those of the first block. Sizes of other structures that are left out
            are inferred from the first block.

        Returns
        -------
        StructuredRidge
            The estimator itself. When ``fit_blocks`` raises, an earlier fit is kept as it was.

        Raises
        ------
        TypeError
            For an iterator.
        ValueError
            For another kernel than the linear one or another solver than ``"auto"`` or ``"primal"``; for blocks that
            are not legal, naming block and row (both from 0); where a later pass gives other rows than the first.
        MemoryError
            When weights and Gram matrix do not fit, before they are allocated.

        Warns
        -----
        ConvergenceWarning
            When `max_iter` came before `tol`.

        See Also
        --------
        BlockStatistics : Sums of blocks that are never together, for ``loss="squared"``.

        Notes
        -----
        The minimum is that of ``fit`` on all rows at once. ``n_iter_`` counts the passes over the blocks: one for
        ``loss="squared"``, some 10 to 40 for ``loss="auc"``. A pass costs :math:`O(n p d)` time for p features, the
        first one :math:`O(n p (p + d))`. Memory: a block, p² and some :math:`10 p d` numbers.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> def blocks():
        ...     for rows in (slice(0, 3), slice(3, 4)):
        ...         yield X[rows], y[rows]
        >>> StructuredRidge("permutations", alpha=0.1).fit_blocks(blocks).predict([[0.5], [2.5]]).tolist()
        [[1, 2], [2, 1]]
        """
        with refit(self):
            return fit_source(self, given_blocks(self, blocks, classes))

    def _fit_statistics(self, statistics: BlockStatistics) -> StructuredRidge:
        """Train on the sums over the rows, for ``loss="squared"``."""
        self._validate_params()
        with refit(self):
            return fit_statistics(self, statistics)
