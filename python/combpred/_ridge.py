"""StructuredRidge: closed-form training of structured predictors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from ._dask_blocks import DaskBlocks, is_dask
from ._eigen import eigendecompose
from ._estimator import refit
from ._ridge_base import RidgeBase
from ._ridge_blocks import array_blocks, fit_given_blocks, fit_source
from ._ridge_pieces import RidgeInPieces
from ._ridge_sgd import fit_by_sgd
from ._training import RidgeProblem, solve_factored, solve_spectral
from ._warm_start import EarlierFit


class StructuredRidge(RidgeInPieces):
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
    solver : {"auto", "closed-form", "cg", "newton-cg", "primal", "sgd"}, default="auto"
        ``"closed-form"`` solves one n×n system, from factors or an eigendecomposition of the kernel matrix; ``"cg"``
        and ``"newton-cg"`` iterate on products with the kernel matrix; ``"primal"`` solves for the weights of the
        features, for the linear kernel. All reach the same minimum, and ``"auto"`` takes the cheapest of them.
        ``"sgd"`` takes the rows one by one and approaches the minimum: for rows that come in pieces (`partial_fit`),
        and for kernels on more rows than a kernel matrix can be held of (`truncation`).
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
        Relative residual of the stationarity equation at which training stops. ``"sgd"`` stops when five passes in a
        row each changed the objective by less than `tol` times what was gained since zero, or 1e-4 times if that is
        more.
    max_iter : int or None, default=None
        Limit on iterations; None leaves the solver its own. For ``"sgd"`` on passes over the rows, 100 for None.
    n_jobs : int or None, default=None
        Threads of the library's own loops. None takes :func:`combpred.config_context`, else all processors; results do
        not depend on it. Threads of BLAS are set as for NumPy.
    random_state : int, RandomState instance or None, default=None
        Seed of the decoders ``"anneal"`` and ``"metropolis"``, drawn anew in every call that predicts: an integer makes
        predictions reproducible, for any number of threads. Also of the order of rows in ``"sgd"``. All else is
        deterministic.
    truncation : int, float in (0, 1) or None, default=None
        Of ``"sgd"`` with a kernel that is not linear: how many rows are kept, those visited last. Older rows are
        forgotten, and memory and the time of a step stay bounded. A float is a share of the training rows, for `fit`
        only; None keeps all. Like the parameters below, other solvers ignore it.
    learning_rate : {"inverse", "smd"}, default="inverse"
        Of ``"sgd"``: how large its steps are. ``"inverse"``: they fall as the inverse of their number. ``"smd"``: these
        times a gain for each direction of the scores in which the covariance of the structure is diagonal, which
        stochastic meta-descent adapts: it grows while steps go on in one direction, and shrinks as they turn back.
    eta0 : float, default=0.5
        Of ``"sgd"``: p of the step sizes in the notes. The first step has the largest size that is stable for any
        value; steps begin to fall the later, the larger `eta0`.
    average : bool, default=False
        Of ``"sgd"``: whether to predict by the average of all functions on the way, with weights that grow as the cube
        of their number, so that the last half of the steps counts 94 per cent. It takes out most of the noise of steps.
    shuffle : bool, default=True
        Of ``"sgd"``: whether each pass has a random order of its own; otherwise rows are taken as they are given.
    warm_start : bool, default=False
        Of ``"sgd"``: whether `fit` starts from the coefficients of an earlier fit, by any solver, rather than from
        zero. The shapes of `coef_`, or of `dual_coef_`, whose rows are taken to be those of the same training rows,
        must not change. Step sizes and averages start anew.
    verbose : int, default=0
        Print progress when positive.

    Attributes
    ----------
    structure_ : Structure
        The output space with all sizes settled.
    coef_ : ndarray of shape (d, n_features)
        Weights of the linear kernel, one row for each entry of ψ. Only with ``kernel="linear"``.
    dual_coef_ : ndarray of shape (n, d)
        Coefficients of the training rows, or of the rows of `X_fit_`. Only with other kernels.
    intercept_ : ndarray of shape (d,)
        Constant part of the scores; zero without `fit_intercept`.
    X_fit_ : array or CSR of shape (n, n_features)
        Training inputs, which prediction needs; with `truncation` and after `partial_fit` the rows that are kept, the
        oldest first. Only with kernels that are neither linear nor precomputed.
    kernel_ : InputKernel
        The kernel with `gamma` settled.
    classes_ : ndarray
        Class labels (``MultiClass``) or label numbers (``LabelSets``). Other structures have none.
    objective_ : float
        Value of the objective at the solution. Not after `partial_fit`, which does not hold all rows.
    n_iter_ : int
        Iterations of the innermost loop, at least 1; with ``solver_="primal"``, passes over the rows; of ``"sgd"``,
        passes, or calls of `partial_fit` since `fit`.
    solver_ : str
        The solver that ran.
    loss_curve_ : list of float
        Of ``"sgd"``: the objective over all rows after each pass of `fit`. Each call of `partial_fit` adds the weighted
        mean of the losses of its rows, each before the step on it: an estimate of the loss of new rows, without the
        penalty. Its first call after `fit` begins a new list.
    descent_ : DescentState
        Where ``"sgd"`` stands, for `partial_fit`.
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

    A step of ``solver="sgd"`` on row i replaces f by :math:`(1 - 2 \alpha \eta / m) f - \eta\, k(\cdot, x_i) g_i`, with
    :math:`g_i` the derivative of the weighted loss by :math:`f(x_i)`, m the number of rows and :math:`\eta = p m /
    (\alpha (t + t_0))` in step t. For every row, η times the curvature :math:`w_i k(x_i, x_i) (\sigma_{max} +
    \|\tilde\psi_i\|^2)` of its loss is at most 1, by the choice of :math:`t_0`: steps cannot diverge whatever the scale
    of the inputs, but where one row has far larger values than others they are small. A row of weight w is visited
    ⌈w⌉ times in a pass, with weight w/⌈w⌉ and counted so often in m, up to ten times on average. A pass costs
    :math:`O(n \tau (p + d))` with τ rows kept, and the objective after it as much; with a linear kernel
    :math:`O(n p d)`. Ctrl-C ends the passes and is raised again, but leaves a model of all rows visited until then.

    References
    ----------
    S. Vembu (2010), *Learning to Predict Combinatorial Structures*, PhD thesis, University of Bonn, ch. 5.

    T. Gärtner and S. Vembu (2009), On structured output training: hard cases and an efficient alternative,
    *Machine Learning* 76.

    S. V. N. Vishwanathan, N. N. Schraudolph and A. J. Smola (2006), Step size adaptation in reproducing kernel Hilbert
    space, *JMLR* 7: ``learning_rate="smd"``.

    O. Shamir and T. Zhang (2013), Stochastic gradient descent for non-smooth optimization: convergence results and
    optimal averaging schemes, *ICML*: ``average=True``.

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
        "truncation": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
            None,
        ],
        "learning_rate": [StrOptions({"inverse", "smd"})],
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "average": ["boolean"],
        "shuffle": ["boolean"],
        "warm_start": ["boolean"],
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
        truncation: float | None = None,
        learning_rate: str = "inverse",
        eta0: float = 0.5,
        average: bool = False,
        shuffle: bool = True,
        warm_start: bool = False,
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
        self.truncation = truncation
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.average = average
        self.shuffle = shuffle
        self.warm_start = warm_start
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StructuredRidge:
        """Train on inputs and the structures observed for them.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features), or (n, n) for ``kernel="precomputed"``
            Inputs. ``solver="primal"`` converts them to float64 a block of rows at a time, so that other number types
            and memory-mapped files are never held in that form; other solvers convert them as a whole. A dask array or
            data frame is trained on where its partitions are, by ``solver="primal"``; y is then partitioned as X.
        y : array of n structures
            In the format of the structure's class.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1.

        Returns
        -------
        StructuredRidge
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was; but see the notes of the class
            for Ctrl-C in ``solver="sgd"``.

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
            When `max_iter` came before `tol`; with ``"sgd"`` when the last pass still changed the objective by a
            hundredth of what was gained, with the figure.

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
        earlier = EarlierFit.of(self) if self.warm_start and self.solver == "sgd" else None
        interrupt = None
        with refit(self):
            if is_dask(X):
                return fit_given_blocks(self, DaskBlocks(X, y, sample_weight))
            # Only the linear kernel can be solved in the features themselves, which takes rows as they are.
            if self.kernel == "linear" and self.solver in ("auto", "primal"):
                blocks = array_blocks(self, X, y, sample_weight)
                if blocks is not None:
                    return fit_source(self, blocks)
            X, problem = self._validate_training(X, y, sample_weight)
            problem = problem.with_alpha(self.alpha)
            if self.solver == "sgd":
                if earlier is not None:
                    earlier.require_match(self, X.shape[0])
                interrupt = fit_by_sgd(self, X, problem, earlier)
            else:
                self._solve(X, problem)
        if interrupt is not None:
            raise interrupt
        return self

    def _solve(self, X: Any, problem: RidgeProblem) -> None:
        """Train by a solver that holds a kernel matrix, and set the fitted attributes."""
        plan = problem.plan(0, 0)
        if plan["route"] == "spectral":
            decomposition = eigendecompose(self._weighted_kernel(X, problem))
            solution = solve_spectral(problem, decomposition, plan["solver"])
        else:
            kernel = self._training_kernel(X, plan[f"work_{plan['precision']}"])
            solution = solve_factored(problem, kernel, plan)
        self._keep(X, solution)
