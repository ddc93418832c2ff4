"""StructuredRidge: ridge regression for structured outputs, dense and over blocks of rows.

Solvers are in the library, whose catalogue names them and whose plan chooses among them. Rows of arrays and of mapped
files are given to the primal one as they lie in memory. Others come in blocks: what it needs of all rows, sums and
products, adds up over blocks, wherever they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from operator import iadd
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from .._data.blocks import ArrayBlocks, BlockSource, IterableBlocks
from .._data.checks import counted
from .._data.dask import DaskBlocks
from .._data.glossary import documented
from .._data.inputs import in_double, is_dask, refit, require_weight
from .._lib.abi import Control
from .._lib.arrays import SMALL_BYTES, FloatArray, require_memory
from .._lib.call import get_n_threads
from .._lib.errors import CapabilityError, NumericalError
from .._lib.kernel import InputKernel
from .._lib.names import RIDGE_DECISIONS, RIDGE_LOSSES, RIDGE_SOLVERS
from .._lib.ridge import (
    PrimalProblem,
    RidgeProblem,
    Solution,
    Targets,
    left_out_scores,
    ridge_plan,
    solve,
    total_weight,
)
from ..structures import Structure
from .base import StructuredEstimator
from .thresholds import choose_threshold
from .training import BlockRows, TrainingRows, embed_rows, kernel_of, require_single, warn_unconverged

# What to do about a kernel matrix that does not fit in memory.
_NO_MATRIX = (
    "fit fewer rows; or pass inputs mapped by combpred.kernels.NystromMap with kernel='linear' and solver='primal', or "
    "take StructuredSGD, which need no kernel matrix"
)

# Of copies in the library that make passes cheaper: ψ of a million rows of 64 entries.
_HELD_BYTES = 2**26

#: Constraint of the parameter `decision`.
DECISIONS = StrOptions({"auto", *RIDGE_DECISIONS, "median"})

#: The same where all rows are at hand.
THRESHOLD_DECISIONS = [StrOptions({*DECISIONS.options, "f1"})]


def decides_by(structure: Structure, loss: str, decision: str) -> tuple[str, str]:
    """Return the loss and the decision for a structure; CapabilityError where it has no such decision."""
    space = structure.space
    all_sets = structure.target_type == "multilabel-indicator" and space.facts["free_values"] is not None
    # The median of grades is the one of nearest ψ; a threshold decides on each label alone.
    special = {
        "median": ("Ordinal", "median" in space.decisions),
        "mode": ("Hierarchy and Ordinal", "mode" in space.capabilities),
        "f1": ("LabelSets() of all sets", all_sets),
    }
    of, known = special.get(decision, ("", True))
    if not known:
        raise CapabilityError(f"decision={decision!r} is for {of}, not for {structure!r}: take decision='auto'")
    return space.decides_by(loss, "mbr" if decision == "median" else decision)


@dataclass(eq=False, repr=False, kw_only=True)
class RidgeBase(StructuredEstimator):
    """Base of the ridge estimators: their losses, and what is trained on and predicted under them."""

    degree: float = 3
    coef0: float = 1.0
    fit_intercept: bool = True
    class_weight: Mapping[Any, float] | str | None = None
    verbose: int = 0
    kernel_params: Mapping[str, Any] | None = None
    decision: str = "auto"
    tol: float = 1e-8
    max_iter: int | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StructuredEstimator._parameter_constraints,
        "loss": [StrOptions({"auto", *RIDGE_LOSSES})],
        "decision": [DECISIONS],
        "kernel_params": [dict, None],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    }

    def _set_structure(self, structure: Structure) -> None:
        super()._set_structure(structure)
        self.loss_, self.decision_ = decides_by(structure, self.loss, self.decision)
        if self.decision_ == "mbr":
            structure.space.require_preimage()

    def _decides_by(self) -> tuple[str, str]:
        return self.loss_, self.decision_

    def _keep_solution(self, solution: Solution, X: Any = None) -> None:
        """Set the fitted attributes; X are the training inputs, unless the solution is weights of the features."""
        info = solution.info
        if X is None:
            self._keep_weights(solution.coefficients)
        else:
            self._keep_dual(X, solution.coefficients)
        self.solver_, self.precision_ = solution.solver, info.precision
        self.objective_, self.n_iter_ = float(info.objective), max(int(info.n_iter), 1)
        if not info.converged:
            warn_unconverged(
                f"the solver stopped after {counted(info.n_iter, 'iteration')} at a relative residual of "
                f"{info.residual:.1e}, above tol={self.tol:.1e}: raise max_iter, alpha or tol, or scale the inputs"
            )


def training_kernel(kernel: InputKernel, X: Any, plan: dict[str, Any], *, loo: str = "") -> FloatArray:
    """Return the n×n kernel matrix after checking that it fits in memory beside what the library needs.

    Parameters
    ----------
    kernel : InputKernel
    X : array or CSR
        Training inputs, or the kernel matrix if it is precomputed.
    plan : dict
        As `RidgeProblem.plan` returns it.
    loo : str, default=""
        "_loo": rows are left out before training.
    """
    n = X.shape[0]
    n_bytes = plan[f"work{loo}_{plan['precision']}"] + plan[f"beside{loo}"]
    own = 0 if kernel.is_precomputed else 8 * n * n
    require_memory(own + n_bytes, f"training on {n} rows with a kernel matrix", _NO_MATRIX, square_rows=n)
    return kernel.matrix(X)


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class StructuredRidge(RidgeBase):
    r"""Ridge regression for structured outputs, trained by counting structures rather than listing them.

    Scores a structure :math:`y` for an input :math:`x` by :math:`\langle f(x), \psi(y)\rangle`. Training either fits
    :math:`\psi(y)`, or ranks the observed structure above all others under a quadratic bound of the AUC loss; `loss`
    says which. The output space enters only through the mean and the covariance of ψ over all structures, so nothing is
    enumerated and no decoder is called (Vembu, 2010, section 5.2).

    Parameters
    ----------
    %(structure)s
    %(alpha)s
    %(loss)s
    %(kernel)s
    %(gamma)s
    %(degree)s
    %(coef0)s
    %(kernel_params)s
    %(fit_intercept)s
    solver : {"auto", "closed-form", "cg", "newton-cg", "primal"}, default="auto"
        ``"closed-form"`` solves one n×n system, from factors or an eigendecomposition of the kernel matrix; ``"cg"``
        and ``"newton-cg"`` iterate on products with the kernel matrix; ``"primal"`` solves for the weights of the
        features, for the linear kernel. All reach the same minimum, and ``"auto"`` takes the cheapest of them.
    %(decoder)s
    %(threshold_decision)s
    %(residual_tol)s
    max_iter : int or None, default=None
        Limit on iterations; None takes the solver's default.
    %(class_weight)s
    %(n_jobs)s
    %(random_state)s
        Everything else is deterministic.
    %(verbose)s

    Attributes
    ----------
    %(structure_)s
    %(coef_)s
    %(dual_coef_)s
    %(intercept_)s
    %(X_fit_)s
    %(loss_)s
    threshold_ : float
        With ``decision="f1"``: labels are predicted whose expected entry of ψ, f(x) + 1/2 for ``loss="squared"``, or
        whose score f(x) for ``loss="auc"``, is above it.
    predicts_empty_ : bool
        With ``decision="f1"``: whether training holds an empty set. If not, the threshold of a row is at most just
        below the largest of its labels.
    %(kernel_)s
    %(classes_)s
    objective_ : float
        Value of the objective at the solution.
    n_iter_ : int
        Iterations of the innermost loop, at least 1; with ``solver_="primal"``, passes over the rows.
    solver_ : str
        The solver that ran.
    precision_ : {"single", "double"}
        Of the factors. The solution is refined in double precision to `tol` either way.
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    StructuredRidgeCV : Chooses `alpha` by leave-one-out at the cost of a few fits.
    StructuredSGD : Trains row by row: those that arrive in mini-batches, or too many for a kernel matrix.
    ProbabilisticStructured : Gives probabilities, at the cost of partition functions in training.
    sklearn.kernel_ridge.KernelRidge : The same for targets that are vectors.

    Notes
    -----
    With μ and Σ the mean and covariance of ψ under the uniform distribution, :math:`\tilde\psi_i = \psi(y_i) - \mu`,
    kernel matrix K (plus 1 with `fit_intercept`), f = Ka and sample weights w, training minimises

    .. math:: \alpha \operatorname{tr}(a^\top K a) + \sum_i w_i \left[\tfrac12 f_i^\top \Sigma f_i
              + \tfrac12 (1 - \langle\tilde\psi_i, f_i\rangle)^2 - \tfrac12\right]

    for ``loss="auc"``, and :math:`\tfrac12\|f_i - \tilde\psi_i\|^2` in the brackets for ``loss="squared"``. A weight of
    0 equals leaving the row out, an integer weight repeating it.

    Prediction maximises :math:`\langle f(x), \psi(y)\rangle` for ``loss="auc"`` with ``decision="score"``, otherwise
    :math:`\langle m(x), \psi(y)\rangle`, less :math:`\tfrac12\|\psi(y)\|^2` with ``decision="mbr"``, where m(x)
    estimates the expectation of ψ: :math:`f(x) + \mu` for ``loss="squared"``, and to first order
    :math:`\mu + \Sigma f(x)` for ``loss="auc"``. `score_structures` returns these values.

    ``loss="auc"`` is the thesis's. Without features its minimum is :math:`\Sigma^{-1}` times what ``"squared"`` finds,
    so that directions in which outputs hardly vary at random weigh most: among rankings cycles of preferences, among
    subtrees the nodes near the root. It learns little if some entries are the same in nearly all outputs (a variance
    below about 1e-3, such as the deep nodes of subtrees of 40 or more nodes): take ``"squared"`` there. Mean scores on
    held-out rows are in tests/benchmarks/README.md, from which ``"auto"`` follows: with ``"squared"`` decided as above
    they were as good or better on every kind of structure but ``Cliques`` and ``PosetElements``.

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

    alpha: float = 1.0
    loss: str = "auto"
    kernel: str | Callable[..., float] = "linear"
    gamma: float | str | None = None
    solver: str = "auto"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RidgeBase._parameter_constraints,
        "decision": THRESHOLD_DECISIONS,
        "solver": [StrOptions(set(RIDGE_SOLVERS))],
    }

    @documented
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
        %(sample_weight)s

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
            if is_dask(X):
                return self._fit_blocks(DaskBlocks(X, y, sample_weight))
            # Only the linear kernel can be solved in the features themselves, which takes rows as they are.
            by_features = self.kernel == "linear" and self.solver in ("auto", "primal") and self.decision != "f1"
            rows = self._read_rows(X, y, sample_weight, dtype="numeric" if by_features else np.float64)
            self.kernel_ = kernel_of(self, rows)
            if by_features and self._is_primal(rows.X):
                blocks = ArrayBlocks(rows.X, rows.y, rows.weights)
                return self._solve_features(blocks, BlockRows.of_model(self, self.structure_))
            if by_features:
                rows = rows._replace(X=in_double(rows.X))
            if self.decision_ == "f1":
                require_single(rows.sets, "decision='f1'")
            problem = self._problem(embed_rows(self, rows))
            if self.decision_ == "f1":
                without = LeaveOneOut(problem, self.kernel_, rows.X, by_features=self.solver == "auto")
                (left_out,) = without.scores([float(self.alpha)])
                without.train(self, rows)
                choose_threshold(self, left_out, problem.targets.psi, problem.targets.weights)
            else:
                plan = problem.plan(0, 0)
                self._keep_solution(solve(problem, training_kernel(self.kernel_, rows.X, plan), plan), rows.X)
        return self

    def _is_primal(self, X: Any) -> bool:
        """Whether the library solves in the features, of which there may be few beside the rows."""
        stored = int(X.nnz) if sparse.issparse(X) else int(X.size)
        plan = ridge_plan(self.structure_.space.description, self._options(), X.shape[0], X.shape[1], stored)
        return bool(plan["solver"] == "primal")

    def _options(self) -> dict[str, Any]:
        """Return the parameters as the library takes them."""
        return {
            "loss": self.loss_, "alpha": float(self.alpha), "solver": self.solver, "tol": float(self.tol),
            "max_iter": int(self.max_iter or 0), "shift": float(self.fit_intercept),
        }  # fmt: skip

    def _problem(self, targets: Targets) -> RidgeProblem:
        """Return the problem to solve from a kernel matrix of the rows."""
        description, n_threads = self.structure_.space.description, get_n_threads(self.n_jobs)
        return RidgeProblem(description, targets, self._options(), n_threads, int(self.verbose))

    @documented
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_blocks(self, blocks: Any, *, classes: Any = None) -> StructuredRidge:
        """Train on rows that come in blocks, of which one is in memory at a time.

        Parameters
        ----------
        %(blocks)s
        %(classes_of_blocks)s

        Returns
        -------
        StructuredRidge
            The estimator itself. When ``fit_blocks`` raises, an earlier fit is kept as it was.

        Raises
        ------
        TypeError
            For an iterator, which can be read only once, and for what gives no iterable of blocks.
        ValueError
            For another kernel than the linear one or another solver than ``"auto"`` or ``"primal"``; for blocks that
            are not legal, naming block and row (both from 0); where a later pass has more or
            fewer rows than the first.
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
            return self._fit_blocks(IterableBlocks(blocks), classes)

    def _fit_blocks(self, source: BlockSource, classes: Any = None) -> StructuredRidge:
        """Train on a source of blocks."""
        rows = BlockRows.of_source(self, source, classes, solver=["auto", "primal"], decision=sorted(DECISIONS.options))
        self._set_structure(rows.structure)
        self.kernel_ = InputKernel("linear")
        return self._solve_features(source, rows)

    def _solve_features(self, source: BlockSource, rows: BlockRows) -> StructuredRidge:
        """Train on the blocks of a source in the features themselves, and set the fitted attributes."""
        problem = PrimalProblem(rows.structure.space.description, self._options(), rows.n_threads)
        weights, info = solve_blocks(source, rows, problem, int(self.verbose))
        self._keep_solution(Solution(weights, "primal", info))
        return self


class LeaveOneOut:
    """Scores of rows without each in training, and training on all, from few features or from the kernel matrix.

    Parameters
    ----------
    problem : RidgeProblem
        With the solver of training from the kernel matrix.
    kernel : InputKernel
    X : array or CSR of shape (n, p)
        Training inputs, or the kernel matrix if it is precomputed.
    by_features : bool, default=True
        Whether features serve where they are few.
    """

    def __init__(self, problem: RidgeProblem, kernel: InputKernel, X: Any, *, by_features: bool = True) -> None:
        self.problem, self.kernel, self.X = problem, kernel, X
        self._features = few_features(problem, kernel, X) if by_features else None

    @cached_property
    def _matrix(self) -> FloatArray:
        return training_kernel(self.kernel, self.X, self.problem.plan(0, 0), loo="_loo")

    def scores(self, alphas: Iterable[float]) -> Iterator[FloatArray]:
        """Yield f(x) (n, d) of rows left out for each penalty, from the features unless they prove too few."""
        left = list(alphas)
        if self._features is not None:
            try:
                for scores in left_out_scores(self.problem, self._features, left, p=self._features.shape[1]):
                    yield scores
                    left.pop(0)
            except NumericalError:
                self._features = None
        if left:
            yield from left_out_scores(self.problem, self._matrix, left)

    def train(self, model: StructuredRidge, rows: TrainingRows) -> None:
        """Fit a model, which may have another penalty, on the rows, which are those of X."""
        if self._features is None:
            problem = self.problem.with_options(alpha=float(model.alpha))
            model._keep_solution(solve(problem, self._matrix, problem.plan(0, 0)), self.X)
        else:
            blocks = BlockRows.of_model(model, model.structure_)
            model._solve_features(ArrayBlocks(self.X, rows.y, rows.weights), blocks)


def few_features(problem: RidgeProblem, kernel: InputKernel, X: Any) -> FloatArray | None:
    """Return the features of the linear kernel where they are few beside the rows: no kernel matrix is needed then."""
    plan = problem.with_options(solver="closed-form").plan(X.shape[1] if kernel.is_linear else 0, 0)
    if plan["route_loo"] != "features":
        return None
    n_bytes = plan[f"work_loo_{plan['precision']}"] + plan["beside_loo"]
    require_memory(n_bytes, f"leaving out each of {problem.n} rows", "fit fewer rows")
    return X.toarray() if sparse.issparse(X) else X


def solve_blocks(source: BlockSource, rows: BlockRows, problem: PrimalProblem, verbose: int) -> tuple[FloatArray, Any]:
    """Return the weights (q, d) of training on the blocks of a source; ``n_iter`` counts the passes over them.

    Raises
    ------
    ValueError
        For blocks that are not legal, naming block and row, and where sums over rows overflow.
    MemoryError
        When weights and Gram matrix do not fit, before they are allocated.
    """
    q, d = rows.n_features + int(problem.options["shift"]), rows.structure.n_features
    if (needed := 8 * (4 * q * q + 14 * q * d)) > SMALL_BYTES:
        require_memory(
            needed,
            f"training on {q} features: the Gram matrix with its eigendecomposition, and weights of {d} scores",
            "take solver='closed-form' when there are fewer rows than features, or select features",
        )
    if isinstance(source, ArrayBlocks):
        with source.whole.errors():
            whole = rows.read_whole(source.whole)
            if whole is not None:
                return problem.solve(*whole, budget=_HELD_BYTES, verbose=verbose)
    control = Control()

    def advance() -> None:
        control.step += 1

    def add_up() -> FloatArray:
        sums: FloatArray = source.reduce(rows.compute, problem.sums, merge=iadd, advance=advance)
        require_weight(total_weight(sums, rows.n_features))
        return sums

    def multiply(direction: FloatArray) -> FloatArray:
        return source.reduce(rows.compute, problem.product, direction, merge=iadd, advance=advance)

    return problem.solve_elsewhere(rows.n_features, add_up, multiply, control, verbose)
