"""StructuredSVM, and what training by margins shares: rows in features, and decoding in Python where it must be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from .._data.checks import counted
from .._data.glossary import documented
from .._data.inputs import refit
from .._lib.arrays import CountArray, FloatArray, IndexArray, require_memory
from .._lib.call import computed, get_n_threads
from .._lib.decode import Decoding
from .._lib.errors import renumbered
from .._lib.loglinear import KernelFeatures
from .._lib.maxmargin import AffineLoss, Answer, MarginRows, Request, svm_fit
from .._lib.names import MARGIN_SOLVERS, RESCALINGS
from .._lib.ridge import Design, Targets
from .._lib.structure import Description
from ..structures import Structure
from ..structures.costs import COSTS, OWN, WorstOutputs
from .base import KernelEstimator
from .training import TrainingRows, embed_rows, kernel_features, kernel_of, require_single, warn_unconverged

_REMEDY = "fit fewer rows, or a smaller structure"


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class StructuredSVM(KernelEstimator):
    r"""Structured support vector machine: the observed structure outscores others by margins that grow with the loss.

    Scores a structure y for an input x by :math:`\langle f(x), \psi(y)\rangle`, f linear in the features or in a
    kernel. Training decodes every row repeatedly, with the loss added to the scores; where decoding is hard it may be
    approximate, at the price of guarantees. :class:`combpred.StructuredRidge` decodes only to predict.

    Parameters
    ----------
    %(structure)s
    C : float, default=1.0
        Weight of the sum of the hinge losses of the rows against half the squared norm of the scorer; positive.
    rescaling : {"margin", "slack"}, default="margin"
        ``"margin"``: the margin over z must be at least the loss Δ(y, z). ``"slack"``: it must be 1, and a violation
        counts Δ(y, z) times (Tsochantaridis et al., 2005); the worst z is then found by listing all of small spaces,
        and otherwise by a search over decodings with the loss weighted, which may miss it.
    cost : {"auto", "own", "hamming", "kendall", "tree", "zero-one", "h-loss", "h-loss-sibling"}, default="auto"
        The loss Δ. ``"hamming"``: the entries of ψ that differ, an entry of a signed ψ counting as two arcs.
        ``"kendall"``, of rankings and relations: discordant pairs, a pair tied in one of both counting one half.
        ``"tree"``, of hierarchies and subtrees: nodes that only one of both holds. ``"h-loss"``: those of them whose
        ancestors are in both (`combpred.metrics.hierarchical_h_loss`); ``"h-loss-sibling"``: the same, where a node
        counts as its parent does divided by the number of the parent's children. ``"zero-one"``: 1 for another ψ; for
        other structures than classes it takes a list of all. ``"own"``: that of a `Custom` structure which was given a
        `loss`. ``"auto"``: the own one if there is one, kendall of rankings, tree of trees, zero-one
        of classes and of a `Custom` list whose ψ is not 0/1, hamming else.
    solver : {"cutting-plane", "frank-wolfe"}, default="cutting-plane"
        ``"cutting-plane"``: one-slack cutting planes, which decode all rows, on all threads, between two steps. It
        takes more passes for a rough solution, and far fewer for an accurate one. ``"frank-wolfe"``: block-coordinate
        Frank–Wolfe, a step of exact line search for each row that is decoded: for many rows, and a rough solution.
    %(kernel)s
        Kernels other than the linear one are trained in the features of their matrix on the training rows, which takes
        an eigendecomposition first: :math:`O(n^3)`.
    %(gamma)s
    %(degree)s
    %(coef0)s
    %(fit_intercept)s
    %(decoder)s
        Training maximises the score with the loss added in the same way; ``exact_`` records whether that was proven.
    n_candidates : int or None, default=None
        If a number, training does not decode but takes the best of so many structures, drawn uniformly and anew for
        each row that it visits. For structures that are hard to decode; prediction decodes all the same. Margin
        rescaling only.
    tol : float, default=1e-2
        %(gap_tol)s
    max_iter : int, default=1000
        Limit on passes over the rows, for both solvers.
    average : bool, default=True
        For ``"frank-wolfe"``: predict by the average of all iterates, each weighted by its number, which has the
        smaller gap while there are few passes. Either way the gap is that of the scorer that predicts.
    %(class_weight)s
    %(n_jobs)s
        Training decodes independent rows in parallel: those of a pass of ``"cutting-plane"``, and all rows for the
        duality gap.
    %(random_state)s
        It also seeds the order of rows in ``"frank-wolfe"``, candidates, and these decoders in training.
    %(verbose)s

    Attributes
    ----------
    %(structure_)s
    %(coef_)s
    %(dual_coef_)s
    %(intercept_)s
    %(X_fit_)s
    %(kernel_)s
    %(classes_)s
    cost_ : str
        The loss, as ``"auto"`` resolved it.
    objective_ : float
        Value of the objective at the solution, the hinge losses being those of the structures that decoding found, with
        cutting planes in any of the passes.
    dual_gap_ : float
        Objective minus dual objective: the objective exceeds its minimum by at most that where `exact_`. With
        approximate decoding `objective_` may miss violations (the working set undergenerates, as Finley and Joachims,
        2008, call it), and the gap is one over the structures that are found, which may even be negative.
    exact_ : bool
        Whether the structures behind `objective_` are proven to be the worst ones, so that `dual_gap_` is a bound.
    n_iter_ : int
        Passes over the rows.
    n_oracle_calls_ : int
        Rows that were decoded in training, those for the gap included.
    gap_curve_ : list of (int, float, float)
        Passes, objective and dual objective, wherever they were computed. All are finite, to be plotted by
        ``passes, objectives, bounds = zip(*gap_curve_)``. With cutting planes the objective is the least so far and the
        dual objective the largest, so that the curves only approach one another; with approximate decoding the
        objective rises where a pass finds what an earlier one has missed.
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    StructuredPerceptron : No margin, and no loss.
    combpred.StructuredRidge : Trains without decoding.
    sklearn.svm.LinearSVC : For classes: ``multi_class="crammer_singer"`` is the same problem.

    Notes
    -----
    With scores :math:`f_i = W^\top x_i`, sample weights w and the loss Δ, training minimises

    .. math:: \tfrac12 \|W\|^2 + C \sum_i w_i \max_z \left[\Delta(y_i, z) - \langle f_i, \psi(y_i) - \psi(z)\rangle
              \right]

    for margin rescaling, and with :math:`\Delta(y_i, z)(1 - \langle f_i, \psi(y_i) - \psi(z)\rangle)` in the brackets
    for slack rescaling. A weight of 0 equals leaving the row out, an integer weight repeating it. Losses are affine in
    ψ, or in ψ and its squares, so that the maximum of margin rescaling is decoding of other scores, with the guarantee
    that the decoder has. A ranking known in part has the mean of the losses of the rankings that agree with it.

    A pass costs n decodings and :math:`O(n p d)`. The dual has a distribution on structures for each row,
    of which ``"frank-wolfe"`` holds the means: memory for n d numbers, 2 n d with `average`, beside inputs, targets and
    losses; the gap falls as the inverse of the number of passes. ``"cutting-plane"`` adds memory for k p d numbers and
    a quadratic program in the k planes that are kept, some hundred at most (k n d for other kernels than the linear
    one), and keeps up to 32 structures that decoding has found for each row, where all of them take 256 MiB at most:
    between two passes it minimises over these, which takes several times fewer passes. Steps of structures that only
    Python decodes are taken in Python.

    References
    ----------
    I. Tsochantaridis, T. Joachims, T. Hofmann and Y. Altun (2005), Large margin methods for structured and
    interdependent output variables, *JMLR* 6.

    T. Joachims, T. Finley and C.-N. Yu (2009), Cutting-plane training of structural SVMs, *Machine Learning* 77.

    S. Lacoste-Julien, M. Jaggi, M. Schmidt and P. Pletscher (2013), Block-coordinate Frank–Wolfe optimization for
    structural SVMs, *ICML*.

    T. Finley and T. Joachims (2008), Training structural SVMs when exact inference is intractable, *ICML*.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred.baselines import StructuredSVM
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]])
    >>> ranker = StructuredSVM("permutations", C=10, tol=1e-3).fit(X, y)
    >>> ranker.predict([[0.5], [2.5]]).tolist(), ranker.exact_
    ([[1, 2, 3], [3, 2, 1]], True)
    >>> bool(ranker.dual_gap_ <= 1e-3 * ranker.objective_)
    True
    """

    C: float = 1.0
    rescaling: str = "margin"
    cost: str = "auto"
    solver: str = "cutting-plane"
    n_candidates: int | None = None
    tol: float = 1e-2
    max_iter: int = 1000
    average: bool = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelEstimator._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "rescaling": [StrOptions(set(RESCALINGS))],
        "cost": [StrOptions(set(COSTS))],
        "solver": [StrOptions(set(MARGIN_SOLVERS))],
    }

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StructuredSVM:
        """Train on inputs and the structures observed for them.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features), or (n, n) for ``kernel="precomputed"``
        y : array of n structures
            In the format of the structure's class, one structure in each row.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1.

        Returns
        -------
        StructuredSVM
            The estimator itself. When ``fit`` raises, or is interrupted, an earlier fit is kept as it was.

        Raises
        ------
        CapabilityError
            Where the structure has no such loss or cannot be decoded with it, and where ``decoder="exact"`` is beyond
            the size that is solved exactly; names what can be done instead.
        ValueError
            For parameters, inputs, targets or weights that are not legal, naming the row and the remedy.
        MemoryError
            When the kernel matrix or the embedded targets do not fit, before they are allocated.

        Warns
        -----
        ConvergenceWarning
            When `max_iter` came before `tol`, with the gap.

        Notes
        -----
        Cost: see the notes of the class; ``n_oracle_calls_`` says how many rows were decoded.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred.baselines import StructuredSVM
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), ["a", "a", "b", "b"]
        >>> StructuredSVM(C=100).fit(X, y, sample_weight=[1, 2, 2, 1]).score(X, y)
        1.0
        """
        with refit(self):
            rows = self._read_rows(X, y, sample_weight)
            self.kernel_ = kernel_of(self, rows)
            cost = self.structure_.space.loss(self.cost)
            self.cost_ = cost.name
            # Of outputs known in part ψ is a mean, with which losses that are not affine have nothing to do.
            complete = self.rescaling == "slack" or not cost.is_affine
            training = FeatureRows.of(self, rows, sort=self.solver == "frank-wolfe", complete=complete)
            n, d = training.targets.psi.shape
            require_memory(8 * (6 + 2 * self.average) * n * d, f"means of {n} rows in {d} features", _REMEDY)
            options = {
                "solver": self.solver, "rescaling": self.rescaling, "c": float(self.C), "tol": float(self.tol),
                "average": int(self.average), "zero_one": int(not cost.is_affine and self.cost_ != OWN),
            }  # fmt: skip
            with renumbered(training.kept):
                loss = cost.affine(training.targets.psi) if cost.is_affine else None
            worst = None
            if self.cost_ == OWN:
                against = self.structure_.space.worst(self.structure_.encode(rows.y)[training.kept])
                worst = OwnWorst(against, training.targets.psi, self.rescaling == "slack")
            found: Any = training.train(svm_fit, loss, options, worst)
            self._keep_features(rows.X, training.kernel, training.kept, found.weights)
            self.objective_, self.dual_gap_, self.exact_ = found.objective, found.gap, bool(found.exact)
            self.n_iter_, self.n_oracle_calls_, self.gap_curve_ = found.n_iter, found.n_calls, found.curve
            if not found.converged:
                sooner = "; solver='cutting-plane' reaches small gaps sooner" * (self.solver == "frank-wolfe")
                warn_unconverged(
                    f"the solver stopped after {counted(found.n_iter, 'pass', 'passes')} at a duality gap of "
                    f"{found.gap / found.objective:.1e} of the objective, above tol={self.tol:.1e}: raise max_iter or "
                    f"tol, lower C, or scale the inputs{sooner}"
                )
        return self


@dataclass(frozen=True)
class OwnWorst:
    """Answers requests of training by a user's own loss.

    Attributes
    ----------
    worst : callable
        Finds the worst outputs of rows.
    psi : ndarray of shape (n, d)
        ψ of the outputs of the rows.
    slack : bool
        Whether the loss rescales the slack.
    """

    worst: WorstOutputs
    psi: FloatArray
    slack: bool

    def __call__(self, request: Request) -> None:
        psi = self.psi[request.rows]
        with renumbered(request.rows):
            found = self.worst(request.rows, psi, request.linear, self.slack)
        planes = psi - found.psi
        if self.slack:
            planes *= found.loss[:, np.newaxis]
        violated = found.loss - np.einsum("ij,ij->i", request.linear, planes) > 0.0
        request.reply[:] = np.where(violated[:, np.newaxis], planes, 0.0)
        request.offset[:] = np.where(violated, found.loss, 0.0)
        request.proven[:] = found.proven


@dataclass(frozen=True)
class FeatureRows:
    """Training rows of a model, in the features that its scorer is linear in.

    Attributes
    ----------
    model : estimator
        Whose structure and kernel are resolved.
    design : Design
        The inputs; with another kernel than the linear one the features of its matrix.
    targets : Targets
    kept : ndarray of shape (n,)
        The number of each row in the training data; those of weight 0 may be left out.
    kernel : KernelFeatures or None
        Where the features are those of a kernel matrix.
    order : ndarray of shape (n,), int64, or None
        In which passes begin, where they are to depend on the contents of rows alone; None: as they stand.
    """

    model: Any
    design: Design
    targets: Targets
    kept: IndexArray
    kernel: KernelFeatures | None
    order: CountArray | None

    @classmethod
    def of(cls, model: Any, rows: TrainingRows, *, sort: bool, complete: bool) -> FeatureRows:
        """Return the rows of checked training data."""
        require_single(rows.sets, type(model).__name__)
        X, targets, kernel, kept = rows.X, embed_rows(model, rows, complete=complete), None, np.arange(rows.n)
        if not model.kernel_.is_linear and targets.weights is not None:
            kept = np.flatnonzero(targets.weights)
            X, targets = X[kept], targets.take(kept)
        design = Design(X, intercept=bool(model.fit_intercept))
        order = computed("cp_rows_order", design, targets, n_threads=get_n_threads(model.n_jobs)) if sort else None
        if not model.kernel_.is_linear:
            kernel = kernel_features(model, X, np.ones(len(kept)), kept)
            design = Design(kernel.rows)
        return cls(model, design, targets, kept, kernel, order)

    def train(
        self, fit: Any, loss: AffineLoss | None, options: dict[str, Any], by: Answer | None = None, *start: Any
    ) -> Any:
        """Return what `fit` finds; outputs are those that `by` answers with, or the decoder of the model."""
        model, seed = self.model, int(check_random_state(self.model.random_state).randint(2**31))
        how = Decoding(model.decoder, get_n_threads(model.n_jobs), seed)
        common = {"seed": seed, "method": how.decoder, "n_candidates": int(model.n_candidates or 0)}
        with renumbered(self.kept):
            return fit(
                MarginRows(self.design, self.targets, loss, self.order),
                {"max_iter": model.max_iter, **common, **options}, decoded_by(model, how, loss) if by is None else by,
                *start, n_threads=how.n_threads, label=type(model).__name__, verbose=int(model.verbose),
            )  # fmt: skip


@dataclass(frozen=True)
class PythonDecoder:
    """Answers requests of training by decoders that the library does not have.

    Attributes
    ----------
    structure : Structure
    how : Decoding
    n_candidates : int
        If positive, the best of so many uniform outputs is taken instead of decoding.
    loss : AffineLoss or None
        What looks at the entries of ψ of outputs, if that is needed.
    """

    structure: Structure
    how: Decoding
    n_candidates: int
    loss: AffineLoss | None

    def __call__(self, request: Request) -> None:
        space = self.structure.space
        how = replace(self.how, seed=(self.how.seed + request.stream) % 2**63)
        if self.n_candidates:
            for k, (linear, reply) in enumerate(zip(request.linear, request.reply, strict=True)):
                psi = space.embed(space.sample(self.n_candidates, (how.seed + k) % 2**63), how.n_threads)
                values = psi @ linear
                if request.magnitude is not None:
                    values += np.square(psi) @ request.magnitude[k]
                reply[:] = psi[np.argmax(values)]
        else:
            with renumbered(request.rows):
                decoded = space.decode(request.linear, request.magnitude, how)
            request.reply[:] = space.embed(decoded.y, how.n_threads)
            request.proven[:] = decoded.optimal
        if self.loss is not None:
            self.loss.rows(request.rows).values(request.reply)  # which refuses entries that it is not for


def decoded_by(model: Any, how: Decoding, loss: AffineLoss | None = None) -> Description | Answer:
    """Return who decodes in training: the library, or Python for users' functions and integer programs."""
    space, checked = model.structure_.space, loss if loss is not None and loss.checked else None
    if space.in_library and how.decoder != "milp" and checked is None:
        return space.description
    return PythonDecoder(model.structure_, how, int(model.n_candidates or 0), checked)
