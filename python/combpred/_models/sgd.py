"""StructuredSGD: ridge regression for structured outputs by stochastic gradient descent."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from .._data.checks import counted, seed_of
from .._data.glossary import documented
from .._data.inputs import refit, unchanged_on_failure
from .._lib.arrays import FloatArray, IndexArray, require_memory
from .._lib.call import get_n_threads
from .._lib.ridge import Design, Targets
from .._lib.sgd import Coefficients, Descent, copied, spread
from .ridge import RidgeBase
from .training import EarlierFit, embed_rows, kernel_of, warn_unconverged

# Share of the gain that a last pass may change before the end of the passes is worth a warning.
_UNCONVERGED = 0.01


@dataclass(frozen=True)
class DescentState:
    """State of the descent. It is never changed in place, so that what fails leaves it as it was.

    Attributes
    ----------
    coefficients : dict of ndarray
        As ``combpred._lib.sgd`` has them. One row for each row of the support, or for each input feature, the constant
        one last.
    n_rows : int, default=0
        Visits so far, against which the penalty is weighed.
    curvature : float, default=0
        The largest curvature of the loss of a row seen so far.
    n_mini_batches : int, default=0
        Calls of `partial_fit` so far.
    """

    coefficients: Coefficients
    n_rows: int = 0
    curvature: float = 0.0
    n_mini_batches: int = 0


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class StructuredSGD(RidgeBase):
    r"""Ridge regression for structured outputs, trained row by row by stochastic gradient descent.

    Each step follows the gradient of one row's loss. Passes over the rows approach the minimum that
    :class:`StructuredRidge` computes directly. Use it for data that arrive in mini-batches (`partial_fit`), and for
    kernels on more rows than a kernel matrix can hold (`truncation`).

    Parameters
    ----------
    %(structure)s
    %(loss)s
    %(alpha)s
    %(kernel)s
    %(gamma)s
    %(degree)s
    %(coef0)s
    %(kernel_params)s
    %(fit_intercept)s
    truncation : int, float in (0, 1) or None, default=None
        Size of the support of a kernel that is not linear: the rows visited last, in which the scorer is expanded.
        Older rows are dropped, so that memory and the time of a step stay bounded. A float is a share of the training
        rows, for `fit` only; None is no limit.
    learning_rate : {"inverse", "smd"}, default="inverse"
        Schedule of step sizes. ``"inverse"``: they fall as the inverse of the number of steps. ``"smd"``: these times a
        gain for each direction of the scores in which the covariance of the structure is diagonal, adapted by
        stochastic meta-descent: it grows while steps continue in one direction, and shrinks when they reverse.
    eta0 : float, default=0.5
        The factor p of the step sizes in the notes. The first step size is the largest stable one for any value; the
        larger `eta0`, the later step sizes start to fall.
    average : bool, default=False
        Whether to predict by the average of all iterates, with weights that grow as the cube of their number, so that
        the last half of the steps counts 94 per cent. It removes most of the noise of the steps.
    %(shuffle)s
    %(decoder)s
    %(ridge_decision)s
    max_iter : int, default=100
        Limit on passes of `fit` over the rows. `partial_fit` makes one.
    tol : float, default=1e-4
        %(tol)s
        The measure is the largest change of the objective by one of the last five passes, relative to what training has
        gained since zero weights.
    warm_start : bool, default=False
        Whether `fit` starts from the coefficients of an earlier fit rather than from zero. The shapes of `coef_`, or of
        `dual_coef_`, whose rows are taken to be those of the same training rows, must not change. Step sizes and
        averages start anew.
    %(class_weight)s
    %(n_jobs)s
    %(random_state)s
        It also seeds the order of rows. Everything else is deterministic.
    %(verbose)s

    Attributes
    ----------
    %(structure_)s
    %(coef_)s
    %(dual_coef_)s
    %(intercept_)s
    X_fit_ : array or CSR of shape (n, n_features)
        Training inputs, which prediction needs; with `truncation` and after `partial_fit` the rows of the support,
        the oldest first. Only with kernels that are neither linear nor precomputed.
    %(loss_)s
    %(kernel_)s
    %(classes_)s
    objective_ : float
        Value of the objective at the solution. Not after `partial_fit`, which does not hold all rows.
    n_iter_ : int
        Passes, or calls of `partial_fit` since `fit`.
    loss_curve_ : list of float
        The objective over all rows after each pass of `fit`. Each call of `partial_fit` adds the weighted mean of the
        losses of its rows, each before the step on it: an estimate of the loss of new rows, without the penalty. Its
        first call after `fit` begins a new list.
    descent_ : DescentState
        State of the descent, from which `partial_fit` continues.
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    StructuredRidge : Reaches the minimum, where all rows fit in memory.
    StructuredRidge.fit_blocks : Reaches it on blocks that can be read repeatedly, for the linear kernel.
    combpred.kernels.NystromMap : Features with which a linear model approximates a kernel method.

    Notes
    -----
    The objective, and what is predicted, are those of :class:`StructuredRidge`.

    A step on row i replaces f by :math:`(1 - 2 \alpha \eta / m) f - \eta\, k(\cdot, x_i) g_i`, with
    :math:`g_i` the derivative of the weighted loss by :math:`f(x_i)`, m the number of rows and :math:`\eta = p m /
    (\alpha (t + t_0))` in step t. For every row, η times the curvature :math:`w_i k(x_i, x_i) (\sigma_{max} +
    \|\tilde\psi_i\|^2)` of its loss is at most 1, by the choice of :math:`t_0`: steps cannot diverge whatever the scale
    of the inputs, but where one row has far larger values than others they are small. A row of weight w is visited
    ⌈w⌉ times in a pass, with weight w/⌈w⌉ and counted so often in m, up to ten times on average. A pass costs
    :math:`O(n \tau (p + d))` with a support of τ rows, and the objective after it as much; with a linear kernel
    :math:`O(n p d)`. Ctrl-C ends the passes and is raised again, but leaves a model of all rows visited until then.

    References
    ----------
    S. Vembu (2010), *Learning to Predict Combinatorial Structures*, PhD thesis, University of Bonn, section 5.3.2.

    S. V. N. Vishwanathan, N. N. Schraudolph and A. J. Smola (2006), Step size adaptation in reproducing kernel Hilbert
    space, *JMLR* 7: ``learning_rate="smd"``.

    O. Shamir and T. Zhang (2013), Stochastic gradient descent for non-smooth optimization: convergence results and
    optimal averaging schemes, *ICML*: ``average=True``.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import StructuredSGD
    >>> from combpred.structures import Permutations
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]])  # the position of each of three labels
    >>> ranker = StructuredSGD(Permutations(), kernel="rbf", alpha=0.01, random_state=0).fit(X, y)
    >>> ranker.predict([[0.5], [2.5]])
    array([[1, 2, 3],
           [3, 2, 1]], dtype=int32)
    """

    loss: str = "auto"
    alpha: float = 1.0
    kernel: str | Callable[..., float] = "linear"
    gamma: float | str | None = None
    truncation: float | None = None
    learning_rate: str = "inverse"
    eta0: float = 0.5
    average: bool = False
    shuffle: bool = True
    max_iter: int = 100
    tol: float = 1e-4
    warm_start: bool = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RidgeBase._parameter_constraints,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "truncation": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
            None,
        ],
        "learning_rate": [StrOptions({"inverse", "smd"})],
        "eta0": [Interval(Real, 0, None, closed="neither")],
    }

    @documented
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StructuredSGD:
        r"""Train on inputs and the structures observed for them, in passes over all rows.

        Parameters
        ----------
        %(X_rows)s
        y : array of n structures
            In the format of the structure's class.
        %(sample_weight)s

        Returns
        -------
        StructuredSGD
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was; but see the notes of the class
            for Ctrl-C.

        Raises
        ------
        ValueError
            For parameters, inputs, targets or weights that are not legal, and where kernel values overflow, naming the
            row and the remedy, and where `warm_start` finds coefficients of other shapes.
        MemoryError
            When the embedded targets do not fit, before they are allocated.

        Warns
        -----
        ConvergenceWarning
            When `max_iter` was reached and the last pass still changed the objective by more than a hundredth of what
            training has gained.

        Notes
        -----
        Cost: a pass takes :math:`O(n p d)` for a linear kernel, else :math:`O(n \tau (p + d))` with a support of τ
        rows.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredSGD
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> StructuredSGD("permutations", alpha=0.1, random_state=0).fit(X, y, sample_weight=[1, 2, 2, 1]).score(X, y)
        1.0
        """
        earlier = EarlierFit.of(self)
        with refit(self):
            rows = self._read_rows(X, y, sample_weight)
            self.kernel_ = kernel_of(self, rows)
            if earlier is not None:
                earlier.require_match(self, rows.X.shape[0])
            targets, n = embed_rows(self, rows), rows.X.shape[0]
            most = _support_limit(self.truncation, n if rows.weights is None else int(np.count_nonzero(rows.weights)))
            coefficients, support, done = self._train(
                rows.X,
                targets,
                *self._begin(targets.d, earlier),
                most,
                max_iter=int(self.max_iter),
                tol=float(self.tol),
            )
            inputs = rows.X
            if support is not None and (most is None or self.kernel_.is_precomputed):
                coefficients = spread(coefficients, support, n)
            elif support is not None:
                inputs = rows.X[support]
            # Rows that come later are to be weighed as a stream of which these were the first.
            self._keep(inputs, DescentState(coefficients, n_rows=done.visits, curvature=done.curvature))
            self.loss_curve_, self.n_iter_ = done.curve, max(len(done.curve), 1)
            if done.interrupt is None:
                self.objective_ = done.curve[-1]
                _warn_unless_converged(done)
        _end(done)
        return self

    @documented
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> StructuredSGD:
        r"""Take one step on each row of a mini-batch, which adds to those of earlier calls.

        The penalty is weighed against all rows seen, with those of an earlier `fit`, which count once. Rows that are
        passed again count again: N calls with the same rows approach what `fit` finds with a weight of N for each, or
        with ``alpha / N``, so in the end the least loss without a penalty.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
            In the format of the structure's class. What the first call leaves open of the structure, it takes from
            there, as ``gamma="scale"`` takes the variance. Kernel and loss stay those of the first call, too, even if
            their parameters are set to something else.
        %(classes)s
        %(sample_weight)s
            Rows of weight 0 are left out.

        Returns
        -------
        StructuredSGD
            The estimator itself. When ``partial_fit`` raises, it is left as it was; after Ctrl-C it has the rows that
            were visited until then.

        Raises
        ------
        ValueError, MemoryError
            As ``fit``; ValueError also if `classes` are missing or differ from those of the first call, if
            `fit_intercept` changed since then with a linear kernel, for ``kernel="precomputed"``, and for a
            `truncation` that is a share.

        Notes
        -----
        Cost: :math:`O(n p d)` for a linear kernel, else :math:`O(n \tau (p + d))` with a support of τ rows. Without
        `truncation` those are all rows seen. Steps are those in the notes of the class for the rows seen with this
        call, but that :math:`t_0` grows with the square root of those seen before, beyond a thousand, as η would not
        fall otherwise. A first call is one pass of `fit`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredSGD
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> model = StructuredSGD("permutations", kernel="rbf", truncation=100, random_state=0)
        >>> for _ in range(20):
        ...     model = model.partial_fit(X, y)
        >>> model.predict([[0.0], [3.0]]).tolist(), len(model.X_fit_)
        ([[1, 2], [2, 1]], 80)
        """
        if self.kernel == "precomputed":
            remedy = "take fit, or pass the kernel as a function of two rows"
            raise ValueError(f"partial_fit keeps rows, which kernel='precomputed' does not have: {remedy}")
        if isinstance(self.truncation, (float, np.floating)):
            raise ValueError(f"truncation={self.truncation!r} is a share of unknown rows: give a number of rows")
        with unchanged_on_failure(self):
            state: DescentState | None = getattr(self, "descent_", None)
            weights = state.coefficients["coef"] if state is not None and self.kernel_.is_linear else None
            rows = self._read_mini_batch(X, y, classes, sample_weight, first=state is None, weights=weights)
            inputs, targets, most = rows.X, embed_rows(self, rows), self.truncation
            if state is None:
                coefficients, support = self._begin(targets.d, None)
                state = DescentState(coefficients)
            else:
                old, support = state.coefficients, None
                asked = self._started(old["coef"])  # with what the parameters ask for now
                coefficients = {name: old.get(name, begun) for name, begun in asked.items()}
                if not self.kernel_.is_linear:
                    support, inputs = np.arange(len(old["coef"])), _stacked(self.X_fit_, inputs)
            seen = {"seen": state.n_rows, "curvature": state.curvature}
            coefficients, support, done = self._train(inputs, targets, coefficients, support, most, **seen)
            if support is not None and not np.array_equal(support, np.arange(inputs.shape[0])):
                inputs = inputs[support]
            state = DescentState(coefficients, state.n_rows + done.steps, done.curvature, state.n_mini_batches + 1)
            self._keep(inputs, state)
            self.loss_curve_ = [*(self.loss_curve_ if state.n_mini_batches > 1 else []), done.loss]
            self.n_iter_ = state.n_mini_batches
            if hasattr(self, "objective_"):
                del self.objective_
        _end(done)
        return self

    def _started(self, coef: FloatArray) -> Coefficients:
        """Return coefficients with what the parameters ask for beside them."""
        average = {"average": coef} if self.average else {}
        if self.learning_rate != "smd":
            return {"coef": coef, **average}
        return {"coef": coef, **average, "velocity": np.zeros(coef.shape), "gains": np.ones(coef.shape[1])}

    def _begin(self, d: int, earlier: EarlierFit | None) -> tuple[Coefficients, IndexArray | None]:
        """Return the coefficients before the first step, zero or those of an earlier fit, and the support they are of.

        There is no support of those of input features.
        """
        intercept = bool(self.fit_intercept)
        if self.kernel_.is_linear:
            start = np.zeros((self.n_features_in_ + intercept, d))
            return self._started(start if earlier is None else earlier.input_weights(intercept=intercept)), None
        dual = np.zeros((0, d)) if earlier is None else earlier.model.dual_coef_
        support = np.flatnonzero(dual.any(axis=1))
        return self._started(dual[support]), support

    def _train(
        self, X: Any, targets: Targets, coefficients: Coefficients, support: IndexArray | None, most: int | None,
        **passes: Any,
    ) -> tuple[Coefficients, IndexArray | None, Any]:  # fmt: skip
        """Return what passes make of coefficients; `support` is None for those of input features."""
        seed = seed_of(self.random_state) if self.shuffle else 0
        descent = Descent(
            self.structure_.space.description,
            {"loss": self.loss_, "alpha": float(self.alpha), "shift": float(self.fit_intercept)},
            get_n_threads(self.n_jobs), type(self).__name__, int(self.verbose),
            shuffle=bool(self.shuffle), seed=seed, eta0=float(self.eta0), **passes,
        )  # fmt: skip
        if support is None:
            coefficients = copied(coefficients)
            done = descent.fit(Design(X, intercept=bool(self.fit_intercept)), targets, coefficients)
        else:
            coefficients, support, done = descent.expand(X, self.kernel_, targets, coefficients, support, most)
        if done.steps == 0:
            _end(done)
        return coefficients, support, done

    def _keep(self, inputs: Any, state: DescentState) -> None:
        """Set the coefficients; `inputs` are the rows of the support."""
        predicting = state.coefficients.get("average", state.coefficients["coef"])
        if self.kernel_.is_linear:
            self._keep_weights(predicting)
        else:
            self._keep_dual(inputs, predicting)
        self.descent_ = state


def _end(done: Any) -> None:
    """Go on with the interrupt that has ended the passes, if one has; coefficients are kept before."""
    if done.interrupt is not None:
        raise done.interrupt


def _warn_unless_converged(done: Any) -> None:
    gain = max(abs(done.start - done.curve[-1]), np.finfo(float).tiny)
    change = abs(done.curve[-2] - done.curve[-1]) / gain if len(done.curve) > 1 else math.inf
    if not done.converged and _UNCONVERGED < change < math.inf:
        warn_unconverged(
            f"stochastic gradient descent stopped after {counted(len(done.curve), 'pass', 'passes')}, the last of "
            f"which changed the objective by {change:.1%} of what was gained: raise max_iter or alpha, scale the "
            "inputs, or take average=True"
        )


def _stacked(above: Any, below: Any) -> Any:
    """Return two blocks of rows as one, sparse where one of them is."""
    rows, d = above.shape[0] + below.shape[0], above.shape[1]
    if sparse.issparse(above) or sparse.issparse(below):
        return sparse.vstack([sparse.csr_matrix(above), sparse.csr_matrix(below)], format="csr")
    require_memory(8 * rows * d, f"keeping {rows} rows of {d} features", "set truncation to the number of rows to keep")
    return np.vstack([above, below])


def _support_limit(given: Any, m: int) -> int | None:
    """Return the largest size of the support, None for no limit."""
    if given is None:
        return None
    count = math.ceil(given * m) if isinstance(given, (float, np.floating)) else int(given)
    return count if count < m else None
