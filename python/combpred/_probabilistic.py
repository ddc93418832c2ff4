"""ProbabilisticStructured: log-linear models of structures, fitted by maximum likelihood."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from ._block_training import fit_over_blocks
from ._dask_blocks import DaskBlocks, is_dask
from ._estimator import refit, unchanged_on_failure
from ._inference import METHODS
from ._law_draws import SAMPLERS
from ._law_methods import TRAINING_VISITS, Work, engine_of, settled_method
from ._laws import LawEngine
from ._pieces import check_piece, require_same_intercept, takes_pieces
from ._probabilistic_base import ProbabilisticPredictor
from ._probabilistic_training import continue_descent, fit_by_descent, fit_by_lbfgs
from ._warm_start import EarlierFit


class ProbabilisticStructured(ProbabilisticPredictor):
    r"""Log-linear model of structures, fitted by penalised maximum likelihood.

    The probability of a structure y for an input x is :math:`p(y \mid x) = \exp(\langle f(x), \psi(y)\rangle - \ln
    Z(x))`. The partition function Z sums over the whole output space; it, its gradient and samples are computed exactly
    by recursions over the structure, or estimated by Markov chains where that would take too long (Vembu, 2010, ch. 6).
    With classes this is multinomial logistic regression, with label sets one logistic regression for each label.

    Parameters
    ----------
    structure : Structure, str or None, default=None
        The output space: an instance of a class of :mod:`combpred.structures`, the catalogue name of one (such as
        ``"permutations"``), or None to infer it from y: labels (1-D) make a ``MultiClass``, a 0/1 matrix ``LabelSets``.
        Sizes left out are inferred from y.
    alpha : float, default=1.0
        Penalty on the squared norm of the scorer, against the sum of the losses of the rows; positive.
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
    fit_intercept : bool, default=True
        Add a constant feature to the inputs, hence 1 to every kernel value. Its weights are penalised like the others.
    inference : {"auto", "exact", "mcmc", "taylor"}, default="auto"
        How partition functions and marginals are computed, in training and afterwards.

        - "exact": by a closed form or recursion of the structure, or enumeration of up to a million members.
        - "mcmc": from samples. Training descends by gradients of eight samples for each row and visit: from two chains
          of each row, kept from pass to pass, or with `sampler` "exact" or "cftp" drawn afresh. Marginals are means of
          as many samples as `epsilon` and `delta` ask for, and partition functions are estimated by annealing.
        - "taylor": by the counting formula, an expansion about the uniform law, for models whose scores vary by no
          more than 1 from their mean over the structures; warns beyond, and where moments of ψ are sampled. Not with
          moments of a larger space (``moments_info.kind == "relaxed"``).
        - "auto": "exact" where that is expected to take no more than five minutes of a processor, for the rows of the
          call and, in training, up to 60 visits of each: some 30 000 rows of rankings of 10 labels, 300 of 16;
          otherwise "mcmc".
    sampler : {"auto", "exact", "cftp", "meta", "local"}, default="auto"
        What draws structures, in `sample` and in ``inference="mcmc"``.

        - "exact": independent draws by the structure's recursion.
        - "cftp": independent exact draws by coupling from the past: of the heat bath for sets without a fixed size, of
          "meta" otherwise.
        - "meta": chains of uniform proposals, which is all that a :class:`~combpred.structures.Custom` structure given
          by a sampler needs to know.
        - "local": chains of local moves.
        - "auto": for `sample`, the first that is affordable of "exact", "cftp", "local" and "meta"; to estimate, the
          first of the heat bath, "local" and "meta" that the structure has; to train, "local" or "meta".
    epsilon, delta : float, default=0.1 and 0.05
        Of ``inference="mcmc"`` after training: partition functions are within a factor of 1 ± `epsilon`, and each row's
        marginals all within ± `epsilon`, with probability 1 − `delta`. That is proven for independent draws, and holds
        for chains as far as their convergence can be judged. Others have no such errors.
    decision : {"map", "mbr"}, default="map"
        What `predict` predicts. ``"map"``: the most probable structure. ``"mbr"``: the structure of least expected
        loss :math:`E\|\psi(y) - \psi(Y)\|^2`, which is the 0-1 loss for classes, the Hamming loss for label sets and
        other 0/1 embeddings, and Kendall's distance for rankings (a tie against an order counts half), up to a factor.
    decoder : {"auto", "exact", "approx", "local-search", "anneal", "metropolis", "milp"}, default="auto"
        How `predict` maximises, as in :class:`StructuredRidge`.
    solver : {"auto", "lbfgs", "sgd"}, default="auto"
        ``"lbfgs"`` takes all rows at a time, with exact gradients, and reaches the maximum to `tol`. ``"sgd"`` takes
        32 rows at a time, steps in coordinates of the Hessian at zero, and averages its weights; it is for sampled
        gradients, for data that come in pieces (`partial_fit`, linear kernel only), and for moderate accuracy.
        ``"auto"`` is ``"sgd"`` with ``inference="mcmc"``, else ``"lbfgs"``.
    tol : float, default=1e-6
        ``"lbfgs"`` stops when no entry of the gradient exceeds `tol` times the largest at zero, after scaling by the
        curvature there. ``"sgd"`` stops when what is left to be gained is at most `tol`² times what it was at zero; the
        square, as it goes with that of the gradient. What is left is taken to be half the squared norm of the gradient
        after scaling by the curvature, or what was gained since half of the passes, if that is more. With sampled
        gradients both are estimated, up to two standard errors, and `tol` is 0.05 at least: a 400th of the gain. A
        warning says when passes ran out before, with sampled gradients when over four times that may be left.
    max_iter : int, default=200
        Limit on iterations, for ``"sgd"`` on passes over the rows.
    n_jobs : int or None, default=None
        Threads of the library's own loops. None takes :func:`combpred.config_context`, else all processors; results do
        not depend on it. Threads of BLAS are set as for NumPy.
    random_state : int, RandomState instance or None, default=None
        Seed of `sample`, of ``inference="mcmc"``, of the order of rows in ``"sgd"``, and of the decoders ``"anneal"``
        and ``"metropolis"``. All else is deterministic.
    warm_start : bool, default=False
        Whether `fit` starts from the weights of an earlier fit, such as one with another `alpha`, rather than from
        zero. Where it ends is the same to `tol`, which is relative to the gradient at zero either way. The shapes of
        `coef_`, or of `dual_coef_`, whose rows are taken to be those of the same training rows, must not change.
        ``"sgd"`` starts its step sizes and its average anew, and chains of samples are not kept from fit to fit.
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
        Value of the objective at the solution. Not after `partial_fit`, which does not hold all rows, nor with sampled
        gradients, which do without it.
    n_iter_ : int
        Iterations, or passes over the rows, at least 1.
    solver_ : {"lbfgs", "sgd"}
        The solver that ran.
    inference_ : str
        What trained: ``"recursion"``, the structure's own recursion or closed form, ``"enumeration"`` of its members,
        ``"mcmc"`` or ``"taylor"``.
    chain_diagnostics_ : ChainDiagnostics
        How the chains fared that trained last or that `sample` followed last. Only after either.
    descent_ : SgdState
        Where ``"sgd"`` stands, for `partial_fit`. Only with that solver and a linear kernel.
    n_features_in_ : int
        Number of features (of training rows, with ``kernel="precomputed"``).
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features, where X has names that are all strings.

    See Also
    --------
    StructuredRidge : Trains at the cost of kernel ridge regression, without partition functions or probabilities.
    sklearn.linear_model.LogisticRegression : The same model of classes; its C is 1 / (2 alpha), and its intercept is
        not penalised.

    Notes
    -----
    With f(x) = Wx (a constant feature included) and sample weights w, training minimises

    .. math:: \alpha \|W\|^2 + \sum_i w_i \left[\ln Z(x_i) - \langle f(x_i), \psi(y_i)\rangle\right],

    with :math:`\operatorname{tr}(A^\top K A)` in place of the squared norm for f = KA with a kernel matrix K. A weight
    of 0 equals leaving the row out, an integer weight repeating it. A row of y that is an :class:`Admissible` set
    stands for one row with each of its structures, so that the objective stays convex; a ranking with unknown
    positions is one row whose loss is the mean over its completions.

    The gradient of ln Z is the expectation of ψ. L-BFGS works in coordinates in which the Hessian at W = 0 is the
    identity; that Hessian is known, as the covariance of ψ under the uniform law is. As the laws move away from it, the
    coordinates follow: a Kronecker product near the Hessian comes from four draws of each row. With a kernel, its
    features come from an eigendecomposition of K: :math:`O(n^3)` time and five n×n matrices. An iteration costs one
    evaluation of ln Z and Eψ for all rows, and :math:`O(n p d)` for p features. A step of ``"sgd"`` costs that for 32
    rows, and :math:`O(p^2 d + p d^2)` for up to 512 features.

    References
    ----------
    S. Vembu (2010), *Learning to Predict Combinatorial Structures*, PhD thesis, University of Bonn, ch. 6.

    J. Martens and R. Grosse (2015), Optimizing neural networks with Kronecker-factored approximate curvature, *ICML*.

    O. Shamir and T. Zhang (2013), Stochastic gradient descent for non-smooth optimization: convergence results and
    optimal averaging schemes, *ICML*: the averaging of ``solver="sgd"``.

    T. Tieleman (2008), Training restricted Boltzmann machines using approximations to the likelihood gradient, *ICML*:
    chains that are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import ProbabilisticStructured
    >>> from combpred.structures import Permutations
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]])  # the position of each of three labels
    >>> ranker = ProbabilisticStructured(Permutations(), alpha=0.01).fit(X, y)
    >>> ranker.predict([[0.5], [2.5]])
    array([[1, 2, 3],
           [3, 2, 1]], dtype=int32)
    >>> np.exp(ranker.log_proba([[0.5]], [[1, 2, 3]])) > 0.9
    array([ True])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ProbabilisticPredictor._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "inference": [StrOptions(set(METHODS))],
        "sampler": [StrOptions(set(SAMPLERS))],
        "epsilon": [Interval(Real, 0, 1, closed="neither")],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "decision": [StrOptions({"map", "mbr"})],
        "solver": [StrOptions({"auto", "lbfgs", "sgd"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        structure: Any = None,
        *,
        alpha: float = 1.0,
        kernel: str | Callable[..., float] = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1.0,
        fit_intercept: bool = True,
        inference: str = "auto",
        sampler: str = "auto",
        epsilon: float = 0.1,
        delta: float = 0.05,
        decision: str = "map",
        decoder: str = "auto",
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 200,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.structure = structure
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.inference = inference
        self.sampler = sampler
        self.epsilon = epsilon
        self.delta = delta
        self.decision = decision
        self.decoder = decoder
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ProbabilisticStructured:
        """Train on inputs and the structures observed for them.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features), or (n, n) for ``kernel="precomputed"``
            Inputs, converted to float64. A dask array or data frame is trained on where its partitions are, with the
            linear kernel and exact laws; y is then partitioned as X.
        y : array of n structures
            In the format of the structure's class.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1.

        Returns
        -------
        ProbabilisticStructured
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        CapabilityError
            When the structure lacks what `inference` or `sampler` needs, such as exact inference at its size, or
            ``decision="mbr"`` is not possible; says what works.
        ValueError
            For parameters, inputs, targets or weights that are not legal, and where kernel values overflow, naming the
            row and the remedy. With `warm_start` also where the weights of the earlier fit are not those of these data.
        MemoryError
            When the kernel matrix and its work space do not fit, before they are allocated.
        numpy.linalg.LinAlgError
            When the kernel matrix is too far from positive semi-definite.

        Warns
        -----
        ConvergenceWarning
            When the search ended before `tol`, or chains did not find the same law; with the figure.
        ApproximationWarning
            When ``inference="taylor"`` ended where it is not meant to be taken, or takes moments that are sampled.

        Notes
        -----
        Cost: see the notes of the class.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> model = ProbabilisticStructured("permutations", alpha=0.1)
        >>> model.fit(X, y, sample_weight=[1, 2, 2, 1]).score(X, y)
        1.0
        """
        earlier = EarlierFit.of(self) if self.warm_start else None
        with refit(self):
            if is_dask(X):
                fit_over_blocks(self, DaskBlocks(X, y, sample_weight), earlier=earlier)
                return self
            self._require_target(y)
            rows = self._check_training_rows(self._check_input(X, reset=True), y, sample_weight)
            self._check_capabilities()
            engine = self._training_engine(rows.X.shape[0])
            self._settle_kernel(rows)
            if earlier is not None:
                earlier.require_match(self, rows.X.shape[0])
            targets = self._embed_rows(rows)
            self.solver_ = "sgd" if self.solver == "sgd" or engine.draws else "lbfgs"
            if self.solver_ == "sgd":
                fit_by_descent(self, rows.X, targets, engine, earlier)
            else:
                fit_by_lbfgs(self, rows.X, targets, engine, earlier)
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_blocks(self, blocks: Any, *, classes: Any = None) -> ProbabilisticStructured:
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
        ProbabilisticStructured
            The estimator itself. When ``fit_blocks`` raises, an earlier fit is kept as it was.

        Raises
        ------
        TypeError
            For an iterator.
        ValueError
            For another kernel than the linear one, ``solver="sgd"``, or laws that are not computed exactly; for blocks
            that are not legal, naming block and row (both from 0); where a later pass gives other rows than the first.
        CapabilityError
            When the laws of the structure cannot be computed exactly.

        Warns
        -----
        ConvergenceWarning
            When the search ended before `tol`.

        Notes
        -----
        The maximum is that of ``fit`` on all rows at once. An iteration is a pass over the blocks, and so are the
        beginning and every change of coordinates, two or three times in a fit. Memory: a block, and :math:`O(q^2 + d^2
        + q d)` numbers for q features with the constant one, the last some 40 times.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> blocks = [(X[:3], y[:3]), (X[3:], y[3:])]
        >>> ProbabilisticStructured("permutations", alpha=0.1).fit_blocks(blocks).predict([[0.5], [2.5]]).tolist()
        [[1, 2], [2, 1]]
        """
        earlier = EarlierFit.of(self) if self.warm_start else None
        with refit(self):
            fit_over_blocks(self, blocks, classes, earlier)
        return self

    @available_if(takes_pieces)  # type: ignore[untyped-decorator]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> ProbabilisticStructured:
        """Pass once over some rows, which add to those of earlier calls. Only with ``solver="sgd"``.

        Rows that are passed again count again: the penalty is weighed against all rows seen.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
            In the format of the structure's class. What the first call leaves open of the structure, it takes from
            there.
        classes : array of labels, default=None
            All classes that will ever occur; the first call needs it where the structure has to learn the classes from
            y.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1.

        Returns
        -------
        ProbabilisticStructured
            The estimator itself. When ``partial_fit`` raises, it is left as it was.

        Raises
        ------
        AttributeError
            With another solver.
        CapabilityError, ValueError, MemoryError
            As ``fit``; ValueError also where `classes` are missing, or they or `fit_intercept` differ from those of the
            first call.

        Notes
        -----
        Cost: one evaluation of ln Z and Eψ and :math:`O(p d)` for each row, with p features.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> model = ProbabilisticStructured("permutations", alpha=0.1, solver="sgd", random_state=0)
        >>> for _ in range(50):
        ...     model = model.partial_fit(X, y)
        >>> model.predict([[0.0], [3.0]]).tolist()
        [[1, 2], [2, 1]]
        """
        with unchanged_on_failure(self):
            self._check_pieces()
            self._require_target(y)
            first = not hasattr(self, "descent_")
            rows = check_piece(self, self._check_input(X, reset=first), y, classes, sample_weight, first=first)
            self._check_capabilities()
            if first:
                self._settle_kernel(rows)
                self.solver_ = "sgd"
            else:
                require_same_intercept(self, len(self.descent_.weights))
            engine = self._training_engine(rows.X.shape[0], visits=1)
            continue_descent(self, rows.X, self._embed_rows(rows), engine)
        return self

    def _training_engine(self, n: int, visits: int | None = None) -> LawEngine:
        """Return what computes the laws of n rows in training, after checking that structure and solver go with it."""
        work = Work(n, min(int(self.max_iter), TRAINING_VISITS) if visits is None else visits)
        method = settled_method(self.inference, self.structure_, work)
        engine = engine_of(self, method)
        if engine.draws and self.solver == "lbfgs":
            why = "" if self.inference == "mcmc" else ", which inference='auto' takes for a structure of this size"
            raise ValueError(
                f"solver='lbfgs' needs exact gradients, not those of inference='mcmc'{why}: take solver='auto' or "
                "'sgd', or inference='exact'"
            )
        engine.check()
        return engine

    def _check_pieces(self) -> None:
        """Refuse kernels whose matrices need all rows."""
        if self.kernel != "linear":
            raise ValueError(
                f"partial_fit needs kernel='linear', got kernel={self.kernel!r}: take fit, or a linear kernel on "
                "inputs mapped by combpred.kernels.NystromMap"
            )
