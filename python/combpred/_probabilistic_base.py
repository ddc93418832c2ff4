"""What a fitted probabilistic model can be asked: probabilities, marginals, partition functions, samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length

from . import _lib
from ._chain_report import ChainDiagnostics
from ._config import get_n_threads
from ._dask_blocks import is_dask
from ._dask_rows import lazily_on_dask, mean_over_rows
from ._errors import CapabilityError
from ._estimator import is_a
from ._inference import METHODS, LogPartition, check_choice, check_share
from ._kernel_estimator import KernelEstimator
from ._law_draws import SAMPLERS
from ._law_methods import Work, engine_of, settled_method
from ._law_samples import RowSampler
from ._laws import LawEngine, Laws
from ._memory import allocate
from ._weights import check_weights
from .structures import LabelSets, MultiClass, Ordinal
from .structures._parameters import is_integer

FloatArray = NDArray[np.float64]

_FEWER_ROWS = "pass fewer rows at once"


class _Block(NamedTuple):
    """The laws of a block of rows."""

    rows: slice
    scores: FloatArray  # (k, d)
    laws: Laws


def _has_probabilities(self: ProbabilisticPredictor) -> bool:
    """Whether `predict_proba` is there: for classes, grades and label sets."""
    structure = getattr(self, "structure_", self.structure)
    if structure is None or any(is_a(structure, kind) for kind in (MultiClass, LabelSets, Ordinal)):
        return True
    raise AttributeError(
        f"predict_proba is for classes, grades and label sets, not for structure={structure!r}: predict_marginals "
        "gives the expected embedding, log_proba the probability of a structure"
    )


class ProbabilisticPredictor(KernelEstimator):
    r"""Base of estimators of laws :math:`p(y \mid x) = \exp(\langle f(x), \psi(y)\rangle - \ln Z(x))`."""

    inference: str
    sampler: str
    decision: str

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    @lazily_on_dask
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class, grade or label.

        Only with classes (``MultiClass``), grades (``Ordinal``) and label sets (``LabelSets``).

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n, d), float64
            For classes, in the order of `classes_`, and for grades: the law of the class; rows sum to 1. For label
            sets: the probability of each label to be in the set.

        Raises
        ------
        AttributeError
            With other structures.
        sklearn.exceptions.NotFittedError, ValueError, MemoryError
            As `predict_marginals`.

        Notes
        -----
        Cost: that of `predict_marginals`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
        >>> ProbabilisticStructured().fit(X, ["a", "a", "b", "b"]).predict_proba([[1.5]]).round(2).tolist()
        [[0.38, 0.62]]
        """
        marginals = self.predict_marginals(X)
        if not isinstance(self.structure_, Ordinal):
            return marginals
        # P(grade = i) = P(grade ≥ i) − P(grade ≥ i + 1)
        marginals[:, :-1] -= marginals[:, 1:]
        return np.clip(marginals, 0.0, 1.0, out=marginals)

    @lazily_on_dask
    def predict_marginals(self, X: Any) -> FloatArray:
        r"""Return :math:`E\,\psi(y)` under the law of each row.

        Where entries of ψ are 0 or 1 these are probabilities: of a label, an arc, an edge, a cell. Where they are ±1,
        as the pairs of rankings, they are the difference of the probabilities of the two orders.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n, d), float64
            Columns are named by ``structure_.feature_names()``.

        Raises
        ------
        CapabilityError
            When the structure lacks what `inference` or `sampler` needs; says what works.
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For inputs that are not legal, and where kernel values or scores overflow, naming the row.
        MemoryError
            When the result does not fit, before it is allocated.

        Warns
        -----
        ConvergenceWarning
            When chains do not tell the marginals to within `epsilon` in four million steps; with the figure.
        ApproximationWarning
            When scores are beyond the range of ``inference="taylor"``, or the moments that it takes are sampled.

        Notes
        -----
        Cost: that of `feature_scores`, and of one recursion over the structure for each row
        (``structure_.marginals``). With ``inference="mcmc"`` marginals are estimated: by :math:`\ln(2d/\delta)\,
        r^2 / (2\varepsilon^2)` independent draws of features that vary by r (Hoeffding, 1963), or along four chains
        until the means of their batches say that the error is no larger.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = ProbabilisticStructured("permutations", alpha=0.1).fit(X, y)
        >>> bool(ranker.predict_marginals([[0.5]])[0, 0] > 0)  # P(0 before 1) − P(1 before 0)
        True
        """
        X = self._check_new_rows(X)
        n, d = X.shape[0], self.structure_.n_features
        marginals: FloatArray = allocate((n, d), np.float64, f"{d} marginals of each of {n} rows", _FEWER_ROWS)
        for block in self._blocks(X, marginals=True, log_z=False):
            marginals[block.rows] = block.laws.means
        return marginals

    def log_proba(self, X: Any, y: Any) -> FloatArray:
        r"""Return :math:`\ln p(y \mid x)` of a given structure for each row.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
            In full: without unknown positions, and no `Admissible` sets.

        Returns
        -------
        ndarray of shape (n,), float64
            At most 0.

        Raises
        ------
        CapabilityError, sklearn.exceptions.NotFittedError, ValueError
            As `predict_marginals`; ValueError also for structures that are not legal, naming the row.

        Notes
        -----
        Cost: that of `log_partition`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = ProbabilisticStructured("permutations", alpha=0.1).fit(X, y)
        >>> both = ranker.log_proba(X[:1], [[1, 2]]), ranker.log_proba(X[:1], [[2, 1]])
        >>> float(np.exp(both).sum().round(12))
        1.0
        """
        X = self._check_new_rows(X)
        parts = self.structure_._encode(y)
        check_consistent_length(X, parts)
        log_proba = np.empty(X.shape[0])
        for rows, scores, laws in self._blocks(X):
            assert laws.log_z is not None
            psi = self.structure_._embed_parts(parts[rows], get_n_threads(self.n_jobs))
            log_proba[rows] = np.einsum("ij,ij->i", scores, psi) - laws.log_z
        return np.minimum(log_proba, 0.0, out=log_proba)  # above by rounding, or errors of an estimate

    def score_log_loss(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        r"""Return the mean of :math:`-\ln p(y \mid x)`; smaller is better.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
        sample_weight : array of shape (n,) or float, default=None
            Weights of the rows; None: equal.

        Returns
        -------
        float
            In nats. For classes, :func:`sklearn.metrics.log_loss` of `predict_proba`.

        Raises
        ------
        CapabilityError, sklearn.exceptions.NotFittedError, ValueError
            As `log_proba`; ValueError also for weights that are not legal.

        Notes
        -----
        Cost: that of `log_proba`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = ProbabilisticStructured("permutations", alpha=0.1).fit(X, y)
        >>> bool(ranker.score_log_loss(X, y) < np.log(2))  # the loss of the uniform law
        True
        """
        if is_dask(X):
            return mean_over_rows(self, "score_log_loss", X, y, sample_weight)
        losses = -self.log_proba(X, y)
        return float(np.average(losses, weights=check_weights(sample_weight, len(losses))))

    def log_partition(
        self, X: Any, *, method: str | None = None, epsilon: float | None = None, delta: float | None = None
    ) -> LogPartition:
        r"""Return :math:`\ln Z(x)`, :math:`Z(x) = \sum_y \exp\langle f(x), \psi(y)\rangle`, with bounds.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        method : {"auto", "exact", "mcmc", "taylor"} or None, default=None
            None: the parameter `inference`.
        epsilon, delta : float or None, default=None
            Of estimates, the relative error of Z and the probability that it is larger, in (0, 1); None: the
            parameters of the same names. Exact values have neither.

        Returns
        -------
        LogPartition
            With fields `value`, `lower`, `upper`, `method` and `n_samples`, one entry per row.

        Raises
        ------
        CapabilityError, sklearn.exceptions.NotFittedError, ValueError, TypeError
            As `predict_marginals`; also for an illegal method, and for `epsilon` and `delta` out of range.

        Warns
        -----
        ConvergenceWarning, ApproximationWarning
            As `predict_marginals`.

        Notes
        -----
        Cost: that of `feature_scores`, and of one recursion over the structure for each row
        (``structure_.log_partition``), or of :func:`combpred.sampling.estimate_log_partition`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> found = ProbabilisticStructured("permutations", alpha=0.1).fit(X, y).log_partition(X)
        >>> bool((found.lower == found.value).all()), found.n_samples.tolist()
        (True, [0, 0, 0, 0])
        """
        method = check_choice("method", self.inference if method is None else method, METHODS)
        check_share("epsilon", epsilon)
        check_share("delta", delta)
        X = self._check_new_rows(X)
        n = X.shape[0]
        found = LogPartition(np.empty(n), np.empty(n), np.empty(n), np.empty(n, "U11"), np.zeros(n, dtype=np.int64))
        for rows, _, laws in self._blocks(X, engine=self._engine(n, method, epsilon, delta)):
            found.value[rows], found.lower[rows], found.upper[rows] = laws.log_z, laws.lower, laws.upper
            found.method[rows], found.n_samples[rows] = laws.engine, laws.n_samples
        return found

    @lazily_on_dask
    def entropy(self, X: Any) -> FloatArray:
        r"""Return the entropy :math:`-\sum_y p(y \mid x) \ln p(y \mid x)` of the law of each row.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n,), float64
            In nats, between 0 and ``structure_.log_count()``.

        Raises
        ------
        CapabilityError, sklearn.exceptions.NotFittedError, ValueError
            As `predict_marginals`.

        Notes
        -----
        It is :math:`\ln Z - \langle f, E\psi\rangle`. Cost: those of `predict_marginals` and `log_partition`. With
        ``inference="mcmc"`` both terms are estimates: by independent draws within :math:`\ln\frac{1}{1-\varepsilon} +
        \varepsilon\|f\|_1` with probability 1 − 2δ, which grows with the scores. With ``"taylor"`` no bound is known.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = ProbabilisticStructured("permutations", alpha=0.1).fit(X, y)
        >>> entropy = ranker.entropy(X)
        >>> bool((entropy > 0).all() and (entropy <= np.log(2)).all())
        True
        """
        X = self._check_new_rows(X)
        entropy = np.empty(X.shape[0])
        for rows, scores, laws in self._blocks(X, marginals=True):
            assert laws.means is not None and laws.log_z is not None
            entropy[rows] = laws.log_z - np.einsum("ij,ij->i", scores, laws.means)
        return np.clip(entropy, 0.0, self._largest_entropy(), out=entropy)  # beyond by rounding, or errors of estimates

    def _largest_entropy(self) -> float:
        """Return ln |Y|, infinite where the number of structures is not known."""
        try:
            return self.structure_.log_count()
        except CapabilityError:
            return np.inf

    def sample(self, X: Any, n_samples: int = 1, *, sampler: str | None = None, random_state: Any = None) -> Any:
        """Draw structures from the law of each row.

        They are independent, except for the samplers "meta" and "local", which follow a chain for each row.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        n_samples : int, default=1
            For each row; at least 1.
        sampler : {"auto", "exact", "cftp", "meta", "local"} or None, default=None
            None: the parameter of the same name.
        random_state : int, RandomState instance or None, default=None
            None: the parameter of the same name. The same integer gives the same structures, for any number of threads.

        Returns
        -------
        array of shape (n_samples, n, ...)
            Structures in the format of y.

        Raises
        ------
        CapabilityError
            When the structure lacks what the sampler needs; says what works.
        SamplingError
            When coupling from the past takes more than a million steps for a sample; at once where that is plain.
        sklearn.exceptions.NotFittedError, ValueError, TypeError, MemoryError
            As `predict_marginals`, and for an illegal sampler or number of samples.

        Warns
        -----
        ConvergenceWarning
            When chains do not find the same law: split R̂ is above 1.1.

        Notes
        -----
        Cost: exactly, that of `log_partition`, and of `n_samples` walks back through its recursion for each row. Along
        chains, four of each row are followed first to see how they mix; samples are then 1.5 times the longest
        autocorrelation time apart. ``chain_diagnostics_`` has the figures.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = ProbabilisticStructured("permutations", alpha=0.1).fit(X, y)
        >>> ranker.sample(X, n_samples=5, random_state=0).shape
        (5, 4, 2)
        """
        sampler = check_choice("sampler", self.sampler if sampler is None else sampler, SAMPLERS)
        if not is_integer(n_samples):
            raise TypeError(f"n_samples must be a positive integer, got {n_samples!r}")
        if n_samples < 1:
            raise ValueError(f"n_samples must be a positive integer, got {n_samples!r}")
        X = self._check_new_rows(X)
        rng = check_random_state(self.random_state if random_state is None else random_state)
        seed = int(rng.randint(2**62, dtype=np.int64))
        structure, n = self.structure_, X.shape[0]
        part_len = _lib.structure_shape(structure._describe())[0]
        what = f"drawing {n_samples} structures of {part_len} parts for each of {n} rows"
        parts = allocate((int(n_samples), n, part_len), structure._parts_dtype, what, "draw fewer at once")
        row_sampler = RowSampler(structure, sampler, n, get_n_threads(self.n_jobs), int(self.verbose))
        reports = []
        for rows, scores in self._score_blocks(X):
            # Blocks of rows have seeds of their own, and rows of a block streams of their own.
            drawn = row_sampler.draw(scores, int(n_samples), first_row=rows.start, seed=seed + rows.start)
            parts[:, rows] = np.swapaxes(drawn.parts, 0, 1)
            if drawn.report is not None:
                reports.append(drawn.report)
        if reports:
            self.chain_diagnostics_ = ChainDiagnostics.joined(reports)
            self.chain_diagnostics_.warn_unless_mixed("sampling")
        y = structure._decode_parts(parts.reshape(-1, parts.shape[2]))
        return y.reshape(int(n_samples), n, *y.shape[1:])

    def _engine(
        self, n: int, method: str | None = None, epsilon: float | None = None, delta: float | None = None
    ) -> LawEngine:
        """Return what computes the laws of n rows; arguments that are None are parameters of the model."""
        method = check_choice("inference", self.inference if method is None else method, METHODS)
        engine = engine_of(self, settled_method(method, self.structure_, Work(n)), epsilon=epsilon, delta=delta)
        engine.check()
        return engine

    def _blocks(
        self, X: Any, *, marginals: bool = False, log_z: bool = True, engine: LawEngine | None = None
    ) -> Iterator[_Block]:
        """Yield the laws of blocks of rows."""
        engine = self._engine(X.shape[0]) if engine is None else engine
        for rows, scores in self._score_blocks(X):
            yield _Block(rows, scores, engine.laws(rows, scores, means=marginals, log_z=log_z))

    def _decoding_scores(self, scores: FloatArray, first: int = 0) -> tuple[FloatArray, FloatArray | None]:
        if self.decision == "map":
            return scores, None
        # argmin_y E‖ψ(y) − ψ(Y)‖² = argmax_y ⟨Eψ, ψ(y)⟩ − ½‖ψ(y)‖².
        rows = slice(first, first + len(scores))
        marginals = self._engine(len(scores)).laws(rows, scores, means=True, log_z=False).means
        assert marginals is not None
        return marginals, np.full(scores.shape[1], -0.5)

    def _check_capabilities(self) -> None:
        """Raise CapabilityError, before any work, where `structure_` lacks what predicting asks of it."""
        if self.decision == "map":
            return
        try:
            self.structure_._require_preimage()
        except CapabilityError:
            raise CapabilityError(
                "decision='mbr' predicts the structure whose ψ is nearest to its expectation, which the decoder of "
                f"{self.structure_!r} does not find: take decision='map'"
            ) from None
