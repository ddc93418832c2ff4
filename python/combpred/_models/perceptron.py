"""StructuredPerceptron, with its bound on the number of mistakes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from .._data.glossary import documented
from .._data.inputs import clear_fit, refit, unchanged_on_failure
from .._lib.abi import Control
from .._lib.arrays import FloatArray, IndexArray
from .._lib.call import get_n_threads
from .._lib.control import reported
from .._lib.decode import Decoding
from .._lib.errors import CapabilityError, renumbered
from .._lib.maxmargin import AffineLoss, MarginState, Report, maxmargin_pass
from ..structures import Structure
from ..structures.costs import loss_augmented
from .base import StructuredEstimator
from .maxmargin.oracles import Blocks, refuse_sets
from .training import TrainingRows, check_mini_batch, keep_weights, require_same_intercept

_BOUND_ROUNDING = 1e-12  # of the scores


_ROUNDING = 1e-13  # of the sum of the magnitudes of scores: outputs that differ by less score alike


def mistake_bound(structure: Structure, blocks: Blocks, coefficients: FloatArray, how: Decoding) -> float:
    r"""Return an upper bound on the number of mistakes from zero weights on.

    With W of norm B the weights that `coefficients` (m, d) of the blocks make up, ρ the least ratio of margin and
    Hamming loss Δ, and :math:`\|\psi(y) - \psi(z)\|^2 \le c\Delta`, mistakes k of weight w_k satisfy

    .. math:: \rho \sum_k w_k \Delta_k \le \langle W, W_n\rangle \le B \|W_n\|, \qquad
              \|W_n\|^2 \le \sum_k w_k^2 \|x_k\|^2 c \Delta_k,

    W_n being the weights after n of them, the second as none of the outputs that beat y had a positive margin. Hence
    :math:`\sum_k w_k \Delta_k \le c B^2 X^2 w_{max} / \rho^2` (Novikoff, 1962; Collins, 2002).

    Returns
    -------
    float
        NaN where decoding is not exact, where W separates the rows by no more than rounding errors, and where it is not
        known which values ψ takes.
    """
    kind = structure.space.entry_kind
    try:
        if kind in ("numbers", "unknown") or structure.space.loss_entries() is not None:
            return float("nan")
    except CapabilityError:  # no entry of ψ that a loss can look at
        return float("nan")
    weights = blocks.combined(coefficients)
    ratio = least_ratio(structure, blocks.psi, blocks.scores(weights), how)
    if ratio is None or ratio <= 0.0:
        return float("nan")
    squared, least = (1.0, 1.0) if kind == "bits" else (2.0, 2.0 if kind == "signs" else 1.0)
    longest = float(blocks.square_norms().max())
    uneven = float(blocks.weights.max() / blocks.weights.min())
    return squared * float(np.sum(np.square(weights))) * longest * uneven / (least * ratio**2)


def least_ratio(structure: Structure, psi: FloatArray, scores: FloatArray, how: Decoding) -> float | None:
    r"""Return the least :math:`\langle f_i, \psi_i - \psi(z)\rangle / \Delta(y_i, z)` over rows i and z ≠ y_i.

    Δ is the Hamming loss. By Dinkelbach's iteration (1967, "On nonlinear fractional programming"): at the ratio ρ so
    far, decoding with ρ times the loss added finds an output of smaller ratio, or shows that there is none. None where
    decoding is not proven exact.

    Parameters
    ----------
    structure : Structure
    psi, scores : ndarray of shape (n, d)
    how : Decoding
    """
    loss = structure.space.loss("hamming").affine(psi)
    own = np.einsum("ij,ij->i", scores, psi)
    ratio = np.inf
    # First the output of largest loss; then ratios fall, and few rows still have a smaller one.
    rows = np.arange(len(psi))
    while len(rows):
        part, f = loss.rows(rows), scores[rows]
        first = np.isinf(ratio)
        factor = 1.0 if first else ratio
        magnitude = None if part.magnitude is None else factor * part.magnitude
        weighted = AffineLoss(factor * part.constant, factor * part.gradient, magnitude)
        found = loss_augmented(structure.space, weighted, np.zeros_like(f) if first else f, how)
        if not found.decoded.optimal.all():
            return None
        losses = part.values(found.psi)
        margins = own[rows] - np.einsum("ij,ij->i", f, found.psi)
        smaller = losses > 0.0
        if not first:
            smaller &= ratio * losses - margins > _BOUND_ROUNDING * (ratio * losses + np.abs(own[rows]))
        if not smaller.any():
            break
        ratio = min(float(ratio), float((margins[smaller] / losses[smaller]).min()))
        if ratio <= 0.0:
            break
        rows = rows if first else rows[smaller]
    return float(ratio)


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

    @property
    def average(self) -> FloatArray:
        """The average of the weights after each visit."""
        average: FloatArray = self.weights - self.late / self.n_visits
        return average


class Learner:
    """Passes over blocks."""

    def __init__(self, model: Any, blocks: Blocks, rng: np.random.RandomState) -> None:
        blocks.require_complete(
            model.structure_, "a perceptron is told by complete ones whether it is wrong; take StructuredRidge"
        )
        self._blocks, self._structure = blocks, model.structure_
        self._candidates = int(model.n_candidates or 0)
        self.how = Decoding(model.decoder, get_n_threads(model.n_jobs), int(rng.randint(2**31)))
        # Structures whose outputs only Python knows, and programs, are decoded in Python.
        self._by_library = self._structure.space.in_library and model.decoder != "milp"
        self._design, self._norms = blocks.design(), blocks.square_norms()

    def visit(self, order: IndexArray, state: MarginState) -> Report:
        """Visit some blocks, changing the state."""
        if not self._by_library:
            return self._in_python(order, state)
        return maxmargin_pass(
            self._structure.space.description, "perceptron", self._design, self._blocks.psi, None, self._blocks.weights,
            order, state, self.how, n_candidates=self._candidates,
        )  # fmt: skip

    def _in_python(self, order: IndexArray, state: MarginState) -> Report:
        updates, proven, radius = 0, 0, 0.0
        for i in order:
            scores = self._blocks.scores(state.coef, np.array([i]))
            how = replace(self.how, seed=self.how.seed + state.step)
            if self._candidates:
                parts = self._structure.space.sample(self._candidates, how.seed)
                psi = self._structure.space.embed(parts, how.n_threads)
                found = psi[np.argmax(psi @ scores[0])]
            else:
                with renumbered(self._blocks.rows[[i]]):
                    decoded = self._structure.space.decode(scores, None, how)
                found = self._structure.space.embed(decoded.y, how.n_threads)[0]
                proven += bool(decoded.optimal[0])
            move = self._blocks.psi[i] - found
            if move.any() and scores[0] @ move <= _ROUNDING * np.abs(scores).sum():
                updates += 1
                radius = max(radius, float(self._norms[i] * (move @ move)))
                state.v[i] += move
                if state.late_v is not None:
                    state.late_v[i] += state.step * move
                self._blocks.add(state.coef, i, self._blocks.weights[i] * move)
            state.step += 1
        return Report(0.0, radius, updates, proven)


def train(model: Any, rows: TrainingRows, rng: np.random.RandomState) -> None:
    """Pass over all rows until none changes anything, and set the fitted attributes of `model`."""
    refuse_sets(model, rows)
    blocks = Blocks.of(model, rows.X, model._embed_rows(rows), sort=bool(model.shuffle))
    learner = Learner(model, blocks, rng)
    m, d = blocks.psi.shape
    state = MarginState.zero(m, d, blocks.n_weights, average=True)
    control, mistakes, number, separated, radius = Control(), 0, 0, False, 0.0
    with reported(control, type(model).__name__, verbose=int(model.verbose)):
        while number < model.max_iter and not separated:
            number += 1
            report = learner.visit(rng.permutation(m) if model.shuffle else np.arange(m), state)
            mistakes, radius = mistakes + report.updates, max(radius, report.radius)
            separated = report.updates == 0 and not model.n_candidates
            control.step, control.value = number, float(report.updates)
    if separated:
        state.step = m * int(model.max_iter)  # passes that are left would change nothing; the average counts them
    assert state.late_v is not None
    weights = blocks.weights[:, np.newaxis]
    last = weights * state.v
    blocks.keep(model, rows.X, weights * (state.v - state.late_v / state.step) if model.average else last)
    if model.kernel_.is_linear:
        model.state_ = PerceptronState(blocks.combined(last), blocks.combined(weights * state.late_v), state.step)
    model.n_mistakes_, model.n_iter_, model.separated_, model.radius_ = mistakes, number, separated, radius**0.5
    model.mistake_bound_ = mistake_bound(model.structure_, blocks, last, learner.how) if separated else np.nan


def learn_mini_batch(model: Any, rows: TrainingRows, rng: np.random.RandomState) -> None:
    """Visit each row once, from the state of `model`, and set its fitted attributes."""
    refuse_sets(model, rows)
    blocks = Blocks.of(model, rows.X, model._embed_rows(rows), sort=bool(model.shuffle))
    learner = Learner(model, blocks, rng)
    m, d = blocks.psi.shape
    zeros = np.zeros((blocks.n_weights, d))
    before: PerceptronState = getattr(model, "state_", PerceptronState(zeros, zeros, 0))
    state = MarginState.zero(m, d, blocks.n_weights, average=True)
    state.coef[:], state.step = before.weights, before.n_visits
    report = learner.visit(rng.permutation(m) if model.shuffle else np.arange(m), state)
    assert state.late_v is not None
    weights = blocks.weights[:, np.newaxis]
    model.state_ = PerceptronState(
        before.weights + blocks.combined(weights * state.v),
        before.late + blocks.combined(weights * state.late_v),
        state.step,
    )
    keep_weights(model, model.state_.average if model.average else model.state_.weights)
    model.n_mistakes_ = getattr(model, "n_mistakes_", 0) + report.updates
    model.radius_ = max(getattr(model, "radius_", 0.0), report.radius**0.5)
    model.n_iter_ = getattr(model, "n_iter_", 0) + 1
    model.mistake_bound_ = np.nan
    if hasattr(model, "separated_"):
        del model.separated_


@documented
class StructuredPerceptron(StructuredEstimator):
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
    %(n_jobs)s
        Training decodes one row after another; only prediction is parallel.
    %(random_state)s
        Also of the order of rows, of candidates, and of these decoders in training.
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
    the largest and the least weight of a visit.

    A pass costs n decodings and :math:`O(n p d)`; memory is needed for n d numbers beside the inputs, twice that with
    `average`.

    References
    ----------
    M. Collins (2002), Discriminative training methods for hidden Markov models: theory and experiments with perceptron
    algorithms, *EMNLP*.

    A. Novikoff (1962), On convergence proofs for perceptrons, *Symposium on the Mathematical Theory of Automata*.

    S. Vembu (2010), *Learning to Predict Combinatorial Structures*, PhD thesis, University of Bonn, ch. 2.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: rule for name, rule in StructuredEstimator._parameter_constraints.items() if name != "tol"},
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "average": ["boolean"],
        "shuffle": ["boolean"],
        "n_candidates": [Interval(Integral, 1, 2**20, closed="both"), None],
    }

    def __init__(
        self,
        structure: Any = None,
        *,
        max_iter: int = 100,
        average: bool = True,
        kernel: str | Callable[..., float] = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1.0,
        fit_intercept: bool = True,
        shuffle: bool = True,
        decoder: str = "auto",
        n_candidates: int | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.structure = structure
        self.max_iter = max_iter
        self.average = average
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.decoder = decoder
        self.n_candidates = n_candidates
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

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
            self._require_target(y)
            X = self._check_input(X, reset=True)
            rows = self._check_training_rows(X, y, sample_weight)
            self._resolve_kernel(rows)
            train(self, rows, check_random_state(self.random_state))
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
        if self.kernel != "linear":
            raise ValueError(
                f"partial_fit is for kernel='linear', got kernel={self.kernel!r}, which needs all rows at once: take "
                "fit, or a linear kernel on inputs mapped by combpred.kernels.NystromMap"
            )
        with unchanged_on_failure(self):
            self._require_target(y)
            first = not hasattr(self, "state_")
            if first:
                clear_fit(self)
            else:
                state: PerceptronState = self.state_
                require_same_intercept(self, len(state.weights))
            rows = check_mini_batch(self, self._check_input(X, reset=first), y, classes, sample_weight, first=first)
            if first:
                self._resolve_kernel(rows)
            learn_mini_batch(self, rows, check_random_state(self.random_state))
        return self
