"""Ridge regression for structured outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.metaestimators import available_if

from .._data.blocks import ArrayBlocks, BlockSource
from .._data.dask import DaskBlocks
from .._data.inputs import clear_fit, is_dask, refit, unchanged_on_failure
from .._lib.call import get_n_threads
from .._lib.linalg import eigendecompose
from .._lib.memory import require_memory
from .._lib.names import RIDGE_LOSSES, RIDGE_SOLVERS
from .._lib.ridge import ridge_plan
from .base import StructuredEstimator
from .primal import RidgeTask, solve_blocks, solve_statistics
from .rows import BlockRows
from .sgd import continue_by_sgd, fit_by_sgd
from .solve import (
    RidgeProblem,
    Solution,
    alternatives,
    solve_factored,
    solve_spectral,
    warn_unless_converged,
    weighted_kernel,
)
from .statistics import BlockStatistics
from .training import (
    EarlierFit,
    TrainingRows,
    check_piece,
    keep_dual,
    keep_weights,
    require_linear,
    require_same_intercept,
    settle,
    settle_linear_kernel,
    source_of,
    takes_pieces,
    unconverted,
)

if TYPE_CHECKING:
    from typing_extensions import Self


FloatArray = NDArray[np.float64]


class RidgeBase(StructuredEstimator):
    """Base of the ridge estimators."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StructuredEstimator._parameter_constraints,
        "loss": [StrOptions(set(RIDGE_LOSSES))],
        "kernel_params": [dict, None],
        "solver": [StrOptions({*RIDGE_SOLVERS, "sgd"})],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    }

    def _check_options(self) -> None:
        """Raise ValueError for parameters that contradict each other."""
        if self.solver == "primal" and self.kernel != "linear":
            raise ValueError(
                f"solver='primal' needs kernel='linear', got kernel={self.kernel!r}: take solver='auto', or a linear "
                "kernel on inputs mapped by combpred.kernels.NystromMap"
            )
        if self.kernel_params and not callable(self.kernel):
            raise ValueError(
                f"kernel_params={self.kernel_params!r} has no effect on kernel={self.kernel!r}: it is for callable "
                "kernels; give gamma, degree and coef0 as parameters of their own"
            )

    def _validate_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
        """Check the training data, set `structure_` and `kernel_`, and return X with the problem to solve."""
        self._require_target(y)
        X = self._check_input(X, reset=True)
        self._check_options()
        rows = self._check_training_rows(X, y, sample_weight)
        self._settle_kernel(rows, self.kernel_params)
        return X, self._problem(rows)

    def _problem(self, rows: TrainingRows) -> RidgeProblem:
        """Return the problem to solve on checked rows."""
        if self.loss == "squared":
            self.structure_.space.require_preimage()
        return RidgeProblem(
            description=self.structure_.space.description,
            targets=self._embed_rows(rows),
            options=self._library_options(),
            n_threads=get_n_threads(self.n_jobs),
            verbose=int(self.verbose),
        )

    def _library_options(self) -> dict[str, Any]:
        return {
            "loss": self.loss,
            "tol": float(self.tol),
            "max_iter": int(self.max_iter or 0),
            "shift": float(self.fit_intercept),
            "solver": self.solver,
        }

    def _training_kernel(self, X: Any, n_bytes: int, *, overwritable: bool = False) -> FloatArray:
        """Return the n×n kernel matrix after checking that it fits in memory beside `n_bytes` of work space.

        `overwritable` makes sure that the caller may write to it: a precomputed matrix is then copied.
        """
        n = X.shape[0]
        copied = self.kernel_.is_precomputed and overwritable
        own = 8 * n * n if copied or not self.kernel_.is_precomputed else 0
        remedy = self._remedy(n, X.shape[1])
        require_memory(own + n_bytes, f"training on {n} rows with a kernel matrix", remedy, square_rows=n)
        kernel = self.kernel_.matrix(X)
        return kernel.copy() if copied else kernel

    def _remedy(self, n: int, p: int) -> str:
        """Return what to do when n×n matrices do not fit."""
        return alternatives(self.kernel, n, p, self.structure_.n_features)

    def _weighted_kernel(self, X: Any, problem: RidgeProblem) -> FloatArray:
        """Return D(K + shift)D for the spectral route, after checking that diagonalising it fits: two more matrices."""
        kernel = self._training_kernel(X, 16 * problem.n**2, overwritable=True)
        return weighted_kernel(kernel, problem.targets.row_weights(), problem.options["shift"])

    def _keep(self, X: Any, solution: Solution) -> None:
        """Set the fitted attributes from a solution."""
        if solution.solver == "primal":
            keep_weights(self, solution.coefficients)
        else:
            keep_dual(self, X, solution.coefficients)
        self.solver_ = solution.solver
        self.precision_ = solution.precision
        self.objective_ = float(solution.info.objective)
        self.n_iter_ = max(int(solution.info.n_iter), 1)
        warn_unless_converged(solution.info, self.tol)

    def _decoding_scores(self, scores: FloatArray, first: int = 0) -> tuple[FloatArray, FloatArray | None]:
        if self.loss == "auc":
            return scores, None
        # Pre-image of f + μ: argmin_y ‖ψ(y) − (f + μ)‖² = argmax_y ⟨f + μ, ψ(y)⟩ − ½‖ψ(y)‖², a score of −½ on the
        # squares of the entries of ψ (Weston et al., 2002, "Kernel dependency estimation").
        return scores + self.structure_.mean(), np.full(scores.shape[1], -0.5)


class RidgeInPieces(RidgeBase):
    """Base of the ridge estimator with its methods for such rows."""

    @available_if(takes_pieces)  # type: ignore[untyped-decorator]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Take one step on each of some rows, which add to those of earlier calls. Only with ``solver="sgd"``.

        The penalty is weighed against all rows seen, with those of an earlier `fit`, which count once. Rows that are
        passed again count again: N calls with the same rows approach what `fit` finds with a weight of N for each, or
        with ``alpha / N``, so in the end the least loss without a penalty.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
            In the format of the structure's class. What the first call leaves open of the structure, it takes from
            there, as ``gamma="scale"`` takes the variance.
        classes : array of labels, default=None
            All classes that will ever occur; the first call needs it where the structure has to learn the classes from
            y.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1. Rows of weight 0 are left out.

        Returns
        -------
        StructuredRidge
            The estimator itself. When ``partial_fit`` raises, it is left as it was; after Ctrl-C it has the rows that
            were visited until then.

        Raises
        ------
        AttributeError
            With another solver.
        ValueError, MemoryError
            As ``fit``; ValueError also where `classes` are missing or differ from those of the first call, where
            `kernel`, or `fit_intercept` of a linear one, is not what it was then, for ``kernel="precomputed"``, and
            for a `truncation` that is a share.

        Notes
        -----
        Cost: :math:`O(n p d)` for a linear kernel, else :math:`O(n \tau (p + d))` with τ rows kept. Without
        `truncation` those are all rows seen. Steps are those in the notes of the class for the rows seen with this
        call, but that :math:`t_0` grows with the square root of those seen before, beyond a thousand, as η would not
        fall otherwise. A first call is one pass of `fit`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> model = StructuredRidge("permutations", kernel="rbf", solver="sgd", truncation=100, random_state=0)
        >>> for _ in range(20):
        ...     model = model.partial_fit(X, y)
        >>> model.predict([[0.0], [3.0]]).tolist(), len(model.X_fit_)
        ([[1, 2], [2, 1]], 80)
        """
        with unchanged_on_failure(self):
            self._check_pieces()
            self._require_target(y)
            first = not hasattr(self, "descent_")
            if first:
                clear_fit(self)
            else:
                self._require_same_kernel()
            rows = check_piece(self, self._check_input(X, reset=first), y, classes, sample_weight, first=first)
            if first:
                self._settle_kernel(rows, self.kernel_params)
            problem = self._problem(rows).with_alpha(self.alpha)
            interrupt = continue_by_sgd(self, rows.X, problem)
            if hasattr(self, "objective_"):
                del self.objective_
        if interrupt is not None:
            raise interrupt
        return self

    def _require_same_kernel(self) -> None:
        """Refuse parameters with which the coefficients found so far make another function."""
        if self.kernel != self.kernel_.name:
            raise ValueError(
                f"kernel={self.kernel!r}, but the coefficients found so far are those of kernel={self.kernel_.name!r}, "
                "which partial_fit continues: set it back, or begin anew with fit or clone"
            )
        if self.kernel == "linear":
            require_same_intercept(self, len(self.descent_.coefficients.iterate))

    def _check_pieces(self) -> None:
        """Refuse what needs all rows at once."""
        self._check_options()
        if self.kernel == "precomputed":
            raise ValueError(
                "partial_fit keeps rows to compute kernel values with rows that come later, and kernel='precomputed' "
                "has no rows: take fit, or pass the kernel as a function of two rows"
            )
        if isinstance(self.truncation, (float, np.floating)):
            raise ValueError(
                f"truncation={self.truncation!r} is a share of the training rows, whose number partial_fit does not "
                "know: give the number of rows to keep"
            )

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_blocks(self, blocks: Any, *, classes: Any = None) -> Self:
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
            For an iterator, and for an object or a function that gives the same one in every pass.
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
            return fit_given_blocks(self, blocks, classes)

    def _fit_statistics(self, statistics: BlockStatistics) -> Self:
        """Train on the sums over the rows, for ``loss="squared"``."""
        self._validate_params()
        with refit(self):
            return fit_statistics(self, statistics)


def array_blocks(model: StructuredRidge, X: Any, y: Any, sample_weight: Any) -> ArrayBlocks | None:
    """Return the rows of arrays as blocks, None where another solver is cheaper; sets `structure_`.

    X is neither copied nor converted where it is an array of numbers, and not looked through.
    """
    model._require_target(y)
    X = unconverted(model, X)
    model._check_options()
    rows = model._check_training_rows(X, y, sample_weight)
    if model.solver == "auto":
        stored = int(X.nnz) if sparse.issparse(X) else int(X.size)
        options = {**model._library_options(), "alpha": float(model.alpha)}
        plan = ridge_plan(model.structure_.space.description, options, X.shape[0], X.shape[1], stored)
        if plan["solver"] != "primal":
            return None
    return ArrayBlocks(X, rows.y, rows.weights)


def fit_given_blocks(model: StructuredRidge, blocks: Any, classes: Any = None) -> StructuredRidge:
    """Train on blocks as the user gives them, or on a source of blocks."""
    require_linear(model)
    if model.solver not in ("auto", "primal"):
        raise ValueError(f"training on blocks needs solver='auto' or 'primal', got solver={model.solver!r}")
    model._check_options()
    source = source_of(blocks)
    return fit_source(model, source, settle(model, source, classes))


def fit_source(model: StructuredRidge, source: BlockSource, remedy: str = "") -> StructuredRidge:
    """Train on the blocks of a source, after `structure_` and `n_features_in_` are settled.

    `remedy` ends the message about a target that is not in the structure.
    """
    if model.loss == "squared":
        model.structure_.space.require_preimage()
    rows = BlockRows.of_model(model, margin=model.loss == "auc", remedy=remedy)
    return _keep(model, solve_blocks(source, rows, _task(model)))


def fit_statistics(model: StructuredRidge, statistics: BlockStatistics) -> StructuredRidge:
    """Set the fitted attributes from sums over rows, for the squared loss."""
    model.structure_ = statistics.structure
    model.structure_.space.require_preimage()
    model.n_features_in_ = len(statistics.feature_sums)
    if statistics.feature_names is not None:
        model.feature_names_in_ = np.array(statistics.feature_names, dtype=object)
    model._set_classes()
    return _keep(model, solve_statistics(statistics, _task(model)))


def _task(model: StructuredRidge) -> RidgeTask:
    return RidgeTask(
        loss=model.loss,
        alpha=float(model.alpha),
        tol=float(model.tol),
        max_iter=model.max_iter,
        intercept=bool(model.fit_intercept),
        verbose=int(model.verbose),
    )


def _keep(model: StructuredRidge, solution: Solution) -> StructuredRidge:
    settle_linear_kernel(model)
    model._keep(None, solution)
    return model


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
