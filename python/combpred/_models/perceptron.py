"""StructuredPerceptron, with its bounds on the number of mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from .._data.glossary import documented
from .._data.inputs import in_double, refit, unchanged_on_failure
from .._lib.arrays import FloatArray
from .._lib.decode import Decoded, Decoding
from .._lib.errors import CapabilityError, naming_row
from .._lib.maxmargin import AffineLoss, Request, perceptron_fit
from .base import KernelEstimator
from .losses import ScoredRows, best_others
from .svm import FeatureRows
from .training import TrainingRows, kernel_of, require_parameters, require_single


@dataclass(frozen=True)
class PerceptronState:
    """State of training. It is never changed in place.

    Attributes
    ----------
    weights : ndarray of shape (q, d)
        Of the features, those of the constant one last.
    late : ndarray of shape (q, d)
        The sum of all changes, each times the visits before it: the average is `weights` less that over `n_visits`.
    n_visits : int
    """

    weights: FloatArray
    late: FloatArray
    n_visits: int


class AmongCandidates:
    """Decodes among the outputs that are the candidates of each row, GEN(x).

    Parameters
    ----------
    model : StructuredPerceptron
    X : array or CSR
        Checked rows.
    numbers : ndarray of shape (k,)
        The rows of X that requests of training call 0, 1, ….
    """

    def __init__(self, model: StructuredPerceptron, X: Any, numbers: NDArray[np.intp] | None = None) -> None:
        self._model, self._X, self._numbers = model, X, np.arange(X.shape[0]) if numbers is None else numbers
        self._space = model.structure_.space
        self._parts: dict[int, NDArray[Any]] = {}  # of rows that were asked for

    def __call__(self, request: Request) -> None:
        for k, row in enumerate(request.rows.tolist()):
            magnitude = None if request.magnitude is None else request.magnitude[k]
            _, request.reply[k], _ = self.best(row, request.linear[k], magnitude)
        request.proven[:] = 1.0

    def of(self, row: int) -> NDArray[Any]:
        """Return the candidates of a row in parts."""
        if row not in self._parts:
            at = int(self._numbers[row])
            given = in_double(self._X[at : at + 1], row)
            outputs = self._model.candidates(given if sparse.issparse(given) else given[0])  # type: ignore[misc]
            with naming_row(row):
                self._parts[row] = self._model.structure_.encode(outputs, "candidates")
        return self._parts[row]

    def best(
        self, row: int, linear: FloatArray, magnitude: FloatArray | None = None
    ) -> tuple[NDArray[Any], FloatArray, float]:
        """Return the best candidate of a row, its ψ and its score."""
        parts = self.of(row)
        psi = self._space.embed(parts)
        values = psi @ linear if magnitude is None else psi @ linear + np.square(psi) @ magnitude
        at = int(np.argmax(values))
        return parts[at], psi[at], float(values[at])

    def best_others(self, given: ScoredRows) -> FloatArray:
        """Return the largest score of a candidate with another ψ than that of the row, −inf where there is none."""
        best = np.full(len(given.linear), -np.inf)
        for row, linear in enumerate(given.linear):
            psi = self._space.embed(self.of(row))
            best[row] = (psi @ linear)[(psi != given.psi[row]).any(axis=1)].max(initial=-np.inf)
        return best


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class StructuredPerceptron(KernelEstimator):
    r"""Structured perceptron: decodes each row, and where another structure wins, raises the score of the observed one.

    Scores a structure y for an input x by :math:`\langle f(x), \psi(y)\rangle`, f linear in the features or in a
    kernel. It needs only a decoder, which may be approximate, and no loss.

    Parameters
    ----------
    %(structure)s
    max_iter : int, default=100
        Limit on passes over the rows. Training stops after the first pass without a mistake.
    average : bool, default=True
        Predict by the average of the scorers after each row visited in `max_iter` passes rather than by the last one,
        which depends much on the last mistakes (Collins, 2002). Passes that would change nothing are counted, not made.
    %(kernel)s
        Kernels other than the linear one are trained in the features of their matrix on the training rows, which takes
        an eigendecomposition first: :math:`O(n^3)`.
    %(gamma)s
    %(degree)s
    %(coef0)s
    fit_intercept : bool, default=True
        Add a constant feature to the inputs.
    %(shuffle)s
    %(decoder)s
        Training decodes in the same way.
    n_candidates : int or None, default=None
        If a number, training does not decode but takes the best of so many structures, drawn uniformly and anew for
        each row that it visits; passes in which none is found to be better then do not end training. Prediction
        decodes all the same.
    candidates : callable or None, default=None
        GEN(x): a function of a row of X, an array of shape (n_features,) or CSR of one row, that returns the structures
        among which is decoded, in training and prediction, at least one in the format of y. The observed one need not
        be among them. Constraints cannot be given beside it. None: all structures.
    %(class_weight)s
    %(n_jobs)s
        Training decodes one row after another; only prediction is parallel.
    %(random_state)s
        It also seeds the order of rows, candidates, and these decoders in training.
    %(verbose)s

    Attributes
    ----------
    %(structure_)s
    %(coef_)s
    dual_coef_ : ndarray of shape (n, d)
        Coefficients of the training rows: the sum of :math:`\psi(y_i) - \psi(z)` over the mistakes on each, with
        `average` each counted by the share of visits that came after it. Only with other kernels.
    %(intercept_)s
    %(X_fit_)s
    %(kernel_)s
    %(classes_)s
    n_mistakes_ : int
        How often decoding found a structure with another ψ that scored at least as high as the observed one: the
        updates.
    radius_ : float
        Largest length of an update, R of the notes; 0 without mistakes.
    mistake_bound_ : float
        Upper bound on `n_mistakes_`, from the margin of the last scorer; see the notes. NaN where that is not known:
        training rows are not separated, or by ties only, or not proven to be; the values that ψ takes are not known;
        after `partial_fit`.
    separated_ : bool
        Whether the last pass was without mistakes. Not after `partial_fit`.
    n_iter_ : int
        Passes, or calls of `partial_fit` since `fit`.
    state_ : PerceptronState
        State of training, from which `partial_fit` continues. Only with ``kernel="linear"``.
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    StructuredSVM : Asks for a margin.
    combpred.StructuredRidge : Trains without decoding.
    sklearn.linear_model.Perceptron : For classes, one against the rest.

    Notes
    -----
    A row is decoded, and where that finds a structure z with another ψ that scores no less than y,
    :math:`x (\psi(y) - \psi(z))^\top` is added to the weights. What an approximate decoder finds below y is no mistake
    of the scorer, and changes nothing. A row of weight w is visited ⌈w⌉ times in a pass, and w/⌈w⌉ times the change is
    added.

    By the argument of Novikoff (1962) and Collins (2002), n mistakes of equal weight satisfy :math:`n \le R^2/\gamma^2`
    wherever some scorer of norm 1 beats all structures by a margin of γ, R being the largest length of an update. The
    margin of the last scorer W follows from decodings with a loss added: with the Hamming loss
    :math:`\Delta = \|\psi(y) - \psi(z)\|_1` and ρ the least ratio of margin and loss over all rows and structures, the
    sum over all mistakes satisfies

    .. math:: \sum_k \Delta(y_k, z_k) \le c \, \|W\|^2 \max_i \|x_i\|^2 / \rho^2,

    c being 1 for 0/1 embeddings and 2 for signed ones, as :math:`\|\psi(y) - \psi(z)\|^2 \le c \Delta`.
    ``mistake_bound_`` is that divided by the least Δ of two structures, 1 or (orders) 2, and multiplied by the ratio of
    the largest and the least weight of a visit. `mistake_bound` bounds them where no scorer separates the rows.

    A pass costs n decodings and :math:`O(n p d)`; memory is needed for n d numbers beside the inputs, twice that with
    `average`.

    References
    ----------
    M. Collins (2002), Discriminative training methods for hidden Markov models: theory and experiments with perceptron
    algorithms, *EMNLP*.

    A. Novikoff (1962), On convergence proofs for perceptrons, *Symposium on the Mathematical Theory of Automata*.

    S. Vembu (2010), *Learning to Predict Combinatorial Structures*, PhD thesis, University of Bonn, section 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred.baselines import StructuredPerceptron
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]])
    >>> ranker = StructuredPerceptron("permutations", fit_intercept=False, random_state=0).fit(X, y)
    >>> ranker.predict([[-0.5], [0.5]]).tolist()
    [[1, 2, 3], [3, 2, 1]]
    >>> ranker.separated_, ranker.n_mistakes_ <= ranker.mistake_bound_
    (True, True)
    """

    max_iter: int = 100
    average: bool = True
    shuffle: bool = True
    n_candidates: int | None = None
    candidates: Callable[[Any], Any] | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelEstimator._parameter_constraints,
        "candidates": [callable, None],
    }

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> StructuredPerceptron:
        """Train on inputs and the structures observed for them.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features), or (n, n) for ``kernel="precomputed"``
        y : array of n structures
            In the format of the structure's class, one complete structure in each row.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1.

        Returns
        -------
        StructuredPerceptron
            The estimator itself. When ``fit`` raises, or is interrupted, an earlier fit is kept as it was.

        Raises
        ------
        CapabilityError
            Where the structure cannot be decoded; where ``decoder="exact"`` is beyond the size that is solved exactly.
        ValueError
            For parameters, inputs, targets or weights that are not legal, naming the row and the remedy.
        MemoryError
            When the kernel matrix or the embedded targets do not fit, before they are allocated.

        Notes
        -----
        Cost: see the notes of the class; ``n_iter_`` says how many passes were made.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred.baselines import StructuredPerceptron
        >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), ["a", "a", "b", "b"]
        >>> StructuredPerceptron(random_state=0).fit(X, y).score(X, y)
        1.0
        """
        with refit(self):
            rows = self._read_rows(X, y, sample_weight)
            self.kernel_ = kernel_of(self, rows)
            found = self._train(rows, bounded=True)
            self.n_mistakes_, self.n_iter_, self.separated_ = found.mistakes, found.n_iter, bool(found.separated)
            self.radius_, self.mistake_bound_ = found.radius, found.bound
        return self

    @documented
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> StructuredPerceptron:
        """Visit each row of a mini-batch once, after those of earlier calls. Only with ``kernel="linear"``.

        Training continues from an earlier `fit`, too.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
            What the first call leaves open of the structure, it takes from there.
        %(classes)s
        sample_weight : array of shape (n,) or float, default=None

        Returns
        -------
        StructuredPerceptron
            The estimator itself. When ``partial_fit`` raises, or is interrupted, it is left as it was.

        Raises
        ------
        ValueError, CapabilityError, MemoryError
            As ``fit``; ValueError also where `classes` are missing or differ from those of the first call, where
            `fit_intercept` is not what it was then, and for another kernel than the linear one.

        Notes
        -----
        Cost: n decodings and :math:`O(n p d)`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred.baselines import StructuredPerceptron
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> model = StructuredPerceptron("permutations", random_state=0)
        >>> for _ in range(20):
        ...     model = model.partial_fit(X, y)
        >>> model.predict([[0.0], [3.0]]).tolist(), model.n_iter_
        ([[1, 2], [2, 1]], 20)
        """
        require_parameters(self, "partial_fit", kernel=["linear"])
        with unchanged_on_failure(self):
            before: PerceptronState | None = getattr(self, "state_", None)
            weights = None if before is None else before.weights
            rows = self._read_mini_batch(X, y, classes, sample_weight, first=before is None, weights=weights)
            found = self._train(rows, before, max_iter=1)
            self.n_mistakes_ = getattr(self, "n_mistakes_", 0) + found.mistakes
            self.radius_ = max(getattr(self, "radius_", 0.0), found.radius)
            self.n_iter_ = getattr(self, "n_iter_", 0) + 1
            self.mistake_bound_ = np.nan
            if hasattr(self, "separated_"):
                del self.separated_
        return self

    def _bounded_loss(self, psi: FloatArray) -> tuple[AffineLoss | None, dict[str, Any]]:
        """Return the Hamming loss, which bounds the mistakes, and its constants; nothing where they are not known."""
        space = self.structure_.space
        try:
            if space.entry_kind in ("numbers", "unknown") or space.counted is not None:
                return None, {}
        except CapabilityError:  # no entry of ψ that a loss can look at
            return None, {}
        squared = 1.0 if space.entry_kind == "bits" else 2.0
        least = 2.0 if space.entry_kind == "signs" else 1.0
        return space.loss("hamming").affine(psi), {"squared": squared, "least": least}

    def _train(
        self, rows: TrainingRows, before: PerceptronState | None = None, *, bounded: bool = False, **options: Any
    ) -> Any:
        """Visit rows, and set the coefficients."""
        training = FeatureRows.of(self, rows, sort=bool(self.shuffle), complete=True)
        loss, constants = self._bounded_loss(training.targets.psi) if bounded else (None, {})
        options = {"shuffle": int(self.shuffle), **constants, **options}
        by = None if self.candidates is None else AmongCandidates(self, rows.X, training.kept)
        start = None
        if before is not None:
            start, options["visits"] = (before.weights, before.late), before.n_visits
        found = training.train(perceptron_fit, loss, options, by, start)
        share = float(self.average) / found.visits  # the average of the weights is the last less what came late
        weights, dual = found.last - share * found.late, found.dual_last - share * found.dual_late
        self._keep_features(rows.X, training.kernel, training.kept, weights, dual)
        if self.kernel_.is_linear:
            self.state_ = PerceptronState(found.last, found.late, found.visits)
        return found

    def mistake_bound(self, X: Any, y: Any, *, scorer: Any = None) -> float:
        r"""Return a bound on the mistakes of training on given rows, which need not be separable.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
            The rows that the estimator was trained on, all with weight 1.
        scorer : estimator, default=None
            Fitted to the same structure with the same kernel and constant feature: its weights are v of the notes, and
            scorers of larger margins give smaller bounds, such as :class:`StructuredSVM`. None: the estimator itself.

        Returns
        -------
        bound : float
            On ``n_mistakes_``; at most the number of visits.

        Raises
        ------
        CapabilityError
            Where the second-best structure of a row is not found; for sets of admissible structures, and for a
            precomputed kernel.
        sklearn.exceptions.NotFittedError
            Before ``fit``, of either estimator.
        ValueError
            For rows that are not legal, and for a scorer of other features.

        Notes
        -----
        For v of norm 1 let :math:`m_i = \langle v, \phi(x_i, y_i)\rangle - \max_{z \in \mathrm{GEN}(x_i) \setminus y_i}
        \langle v, \phi(x_i, z)\rangle`, and :math:`D_\gamma^2 = \sum_i \max(0, \gamma - m_i)^2`. In one pass there are
        at most :math:`(R + D_\gamma)^2 / \gamma^2` mistakes for every γ > 0 (Collins, 2002, theorem 2), R being the
        largest length of an update. In T passes, rows count T times, and so does :math:`D_\gamma^2`. What is returned
        is the least over γ; its root is convex in 1/γ. Where v separates the rows by γ it is at most
        :math:`R^2/\gamma^2`.

        Cost: two best structures for each row, and the kernel matrix of the scorer's rows for its norm.

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, section 2.2.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred.baselines import StructuredPerceptron
        >>> X, y = np.array([[-1.0], [-0.5], [0.5], [1.0]]), ["a", "a", "a", "b"]  # the third is on the wrong side
        >>> model = StructuredPerceptron(max_iter=5, random_state=0, fit_intercept=False).fit(X, y)
        >>> model.n_mistakes_ <= model.mistake_bound(X, y) <= 20
        True
        """
        X = self._read_inputs(X)
        scorer = self if scorer is None else scorer
        check_is_fitted(scorer)
        if scorer.kernel_ != self.kernel_ or scorer.fit_intercept != self.fit_intercept:
            raise ValueError(f"scorer must have the kernel and the constant feature of {type(self).__name__}")
        given = ScoredRows.read(self.structure_, scorer.feature_scores(X), y)
        require_single(given.in_sets, "mistake_bound")
        others = (
            best_others(self.structure_, given)
            if self.candidates is None
            else AmongCandidates(self, X).best_others(given)
        )
        visits, norm = float(self.n_iter_ * X.shape[0]), _norm(scorer)
        if self.radius_ == 0 or norm == 0:
            return 0.0 if self.radius_ == 0 else visits
        margins = (given.own - others) / norm

        def root(inverse: float) -> float:
            short = np.maximum(0.0, 1.0 - inverse * margins[np.isfinite(margins)])
            return float(self.radius_ * inverse + np.sqrt(self.n_iter_ * np.sum(short**2)))

        found = minimize_scalar(root, bounds=(0.0, np.sqrt(visits) / self.radius_), method="bounded")
        return min(float(found.fun) ** 2, visits)

    def _decides_by_scores(self) -> bool:
        return self.candidates is None

    def _decoded_blocks(self, X: Any, constraints: Any, how: Decoding) -> Iterator[tuple[slice, Decoded]]:
        if self.candidates is None:
            yield from super()._decoded_blocks(X, constraints, how)
            return
        if constraints is not None:
            raise CapabilityError("constraints cannot be given beside candidates: let that function respect them")
        among = AmongCandidates(self, X)
        for rows, scores in self._score_blocks(X):
            best = [among.best(row, linear) for row, linear in enumerate(scores, rows.start)]
            values = np.array([value for *_, value in best])
            proven = np.ones(len(values), dtype=np.bool_)
            yield rows, Decoded(np.array([parts for parts, *_ in best]), values, values, 0.0 * values, proven)


def _norm(scorer: Any) -> float:
    """Return the norm of the weights of a fitted scorer."""
    if scorer.kernel_.is_precomputed:
        raise CapabilityError("the norm of a scorer with a precomputed kernel is unknown: give the kernel by its name")
    if scorer.kernel_.is_linear:
        squares = np.sum(np.square(scorer.coef_)) + bool(scorer.fit_intercept) * np.sum(np.square(scorer.intercept_))
        return float(np.sqrt(squares))
    matrix = scorer.kernel_.matrix(scorer.X_fit_) + float(scorer.fit_intercept)
    return float(np.sqrt(max(np.sum(scorer.dual_coef_ * (matrix @ scorer.dual_coef_)), 0.0)))
