"""ProbabilisticStructured: log-linear models of structures, and their probabilities.

Training is in `loglinear`; a new solver goes there, and methods of inference in `sampling.engines`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length

from .._data.blocks import IterableBlocks
from .._data.checks import choice, share, whole_number
from .._data.dask import DaskBlocks, lazily_on_dask, mean_over_rows
from .._data.glossary import documented
from .._data.inputs import is_dask, mean_of_rows, refit, unchanged_on_failure
from .._data.names import output
from .._data.relations import pair_matrices
from .._lib.arrays import FloatArray, allocate
from .._lib.call import get_n_threads, row_streams
from .._lib.decode import Conditions, Decoded, Decoding
from .._lib.errors import CapabilityError, renumbered
from .._lib.loglinear import SgdState
from .._lib.names import SET_LOSSES
from .._lib.partition import order_positions
from ..sampling import LogPartition
from ..sampling.engines import INFERENCE_OF, INFERENCES, Engine, ExactEngine, Inferred, engine_of, resolve_method
from ..sampling.samplers import (
    ESTIMATOR_SAMPLERS,
    Samples,
    diagnostics_of,
    draw_rows,
    method_of,
    samples_of,
    warn_unless_mixed,
)
from ..structures import SeenRows, Structure, class_probabilities, conditions_of, has_method
from ..structures.costs import OWN, require_decision
from .base import StructuredEstimator
from .loglinear import conditions_of_training, fit_over_blocks, train
from .training import EarlierFit, embed_rows, has_partial_fit, kernel_of, require_parameters

if TYPE_CHECKING:
    from ..structures._search.constraints import RowConstraints

_MOST_PROBABLE = "map", "subset"  # decisions that take the most probable structure
_BY_LOSS = (*SET_LOSSES, OWN)  # those that compare expected losses of outputs
_FEWER_ROWS = "pass fewer rows at once"


def _of(conditions: Conditions | None, rows: slice, n: int) -> Conditions | None:
    """Return the conditions of some of n rows."""
    return None if conditions is None else conditions.taken(np.arange(n)[rows])


def _available(method: str, wanted: str) -> Any:
    """Return the decorator of a method, `wanted`, that there is for structures with a method of their own."""

    def check(model: ProbabilisticBase) -> bool:
        structure = getattr(model, "structure_", model.structure)
        # With structure None y decides, of which scikit-learn expects labels.
        return (structure is None and method == "probabilities") or has_method(structure, method, wanted)

    return available_if(check)


@dataclass(eq=False, repr=False, kw_only=True)
class ProbabilisticBase(StructuredEstimator):
    """Base of the estimators of log-linear models: inference, probabilities, samples and decisions."""

    degree: float = 3
    coef0: float = 1.0
    fit_intercept: bool = True
    class_weight: Mapping[Any, float] | str | None = None
    verbose: int = 0
    inference: str = "auto"
    sampler: str = "auto"
    epsilon: float = 0.1
    delta: float = 0.05
    decision: str = "map"
    partial: str = "likelihood"
    solver: str = "auto"
    tol: float = 1e-6
    max_iter: int = 200

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StructuredEstimator._parameter_constraints,
        "inference": [StrOptions(set(INFERENCES))],
        "sampler": [StrOptions(set(ESTIMATOR_SAMPLERS))],
        "epsilon": [Interval(Real, 0, 1, closed="neither")],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "decision": [StrOptions({*_MOST_PROBABLE, "mbr", "median", *_BY_LOSS})],
        "partial": [StrOptions({"likelihood", "mean"})],
        "solver": [StrOptions({"auto", "lbfgs", "newton", "sgd"})],
    }

    @documented
    @_available("probabilities", "predict_proba")  # type: ignore[untyped-decorator]
    @lazily_on_dask
    def predict_proba(self, X: Any, *, constraints: Any = None) -> Any:
        """Return the probability of each class, grade, node, element or label.

        Only with classes (``MultiClass``), grades (``Ordinal``), nodes of trees (``Hierarchy``), elements of posets
        (``PosetElements``) and label sets (``LabelSets``).

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        %(constraints_of_rows)s

        Returns
        -------
        ndarray of shape (n, d), float64
            In the order of `classes_`. The probability of each class, grade, or allowed node or element; rows sum to
            1. For label sets: the probability of each label to be in the set.

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
        return self._probabilities(X, np.positive, constraints)

    @documented
    @_available("probabilities", "predict_log_proba")  # type: ignore[untyped-decorator]
    @lazily_on_dask
    def predict_log_proba(self, X: Any, *, constraints: Any = None) -> Any:
        """Return the logarithm of `predict_proba`.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        %(constraints_of_rows)s

        Returns
        -------
        ndarray of shape (n, d), float64
            −inf where a probability is below the smallest positive number.

        Raises
        ------
        AttributeError, sklearn.exceptions.NotFittedError, ValueError, MemoryError
            As `predict_proba`.

        Notes
        -----
        Cost: that of `predict_proba`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
        >>> ProbabilisticStructured().fit(X, ["a", "a", "b", "b"]).predict_log_proba([[1.5]]).round(2).tolist()
        [[-0.98, -0.47]]
        """
        with np.errstate(divide="ignore"):
            return self._probabilities(X, np.log, constraints)

    def _probabilities(self, X: Any, scale: Callable[[FloatArray], FloatArray], constraints: Any) -> Any:
        """Return the probabilities of classes on a scale."""
        marginals = self._marginals(X, constraints)  # refuses what is not fitted
        values = scale(class_probabilities(self.structure_, marginals))
        return output(self, values, X, self.classes_.tolist())

    @documented
    @_available("pair_probabilities", "predict_pairwise_proba")  # type: ignore[untyped-decorator]
    @lazily_on_dask
    def predict_pairwise_proba(self, X: Any, *, constraints: Any = None) -> FloatArray:
        """Return the probability of each label, or item, to be before each other.

        Only with rankings (``Permutations``, ``WeakOrders``) and partial tournaments (``Tournaments``).

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        %(constraints_of_rows)s

        Returns
        -------
        proba : ndarray of shape (n, k, k), float64
            ``proba[i, u, v]``: that u is before v, or beats it; 1/2 on the diagonal. For u, v and v, u they add up to 1
            less the probability of a tie, or of no comparison. An array whatever `set_output` says, as frames have two
            dimensions: that of row i is ``pandas.DataFrame(proba[i], names, names)`` with the names
            ``structure_.labels`` (or ``items``).

        Raises
        ------
        AttributeError
            With other structures.
        CapabilityError, sklearn.exceptions.NotFittedError, ValueError, MemoryError
            As `predict_marginals`.

        Notes
        -----
        Cost: that of `predict_marginals`, and O(n k²). :func:`combpred.ranking.partial_orders` makes partial orders of
        these probabilities.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ProbabilisticStructured("permutations").fit(X, y).predict_pairwise_proba([[1.5]]).round(2).tolist()
        [[[0.5, 0.37], [0.63, 0.5]]]
        """
        marginals = self._marginals(X, constraints)  # refuses what is not fitted
        return pair_matrices(*self.structure_.pair_probabilities(marginals))

    @documented
    @_available("from_orders", "predict_position_proba")  # type: ignore[untyped-decorator]
    @lazily_on_dask
    def predict_position_proba(self, X: Any, *, constraints: Any = None) -> FloatArray:
        """Return the probability of each label to be at each position.

        Only with rankings (``Permutations``) of up to 20 labels; for more count positions in `sample`.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        %(constraints_of_rows)s

        Returns
        -------
        proba : ndarray of shape (n, k, k), float64
            ``proba[i, u, r]``: that label u is at position r + 1, exact whatever `inference` is. ``proba[:, :, 0]`` are
            the probabilities of labels to be first. An array whatever `set_output` says, as frames have two dimensions:
            that of row i is ``pandas.DataFrame(proba[i], structure_.labels)``.

        Raises
        ------
        AttributeError
            With other structures.
        CapabilityError
            Beyond 20 labels.
        sklearn.exceptions.NotFittedError, ValueError, MemoryError
            As `predict_marginals`.

        Notes
        -----
        Cost: that of `feature_scores`, and :math:`O(n k 2^k)` for sums over the sets of first labels.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ProbabilisticStructured("permutations").fit(X, y).predict_position_proba([[1.5]]).round(2).tolist()
        [[[0.37, 0.63], [0.63, 0.37]]]
        """
        X = self._read_inputs(X)
        k, n = self.structure_.space.part_len, X.shape[0]
        conditions = conditions_of(self.structure_, constraints, n)
        proba: FloatArray = allocate((n, k, k), np.float64, f"positions of {k} labels", _FEWER_ROWS)
        for rows, scores in self._score_blocks(X):
            with renumbered(rows):
                proba[rows] = order_positions(
                    self.structure_.space.description, scores, get_n_threads(self.n_jobs), _of(conditions, rows, n)
                )
        return proba

    @documented
    @lazily_on_dask
    def predict_marginals(self, X: Any, *, constraints: Any = None) -> Any:
        r"""Return the expected embedding E ψ(y) of each row.

        Where entries of ψ are 0 or 1 these are probabilities: of a label, an arc, an edge, a cell. Where they are ±1,
        as the pairs of rankings, they are the difference of the probabilities of the two orders.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        %(constraints_of_rows)s

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
        marginals = self._marginals(X, constraints)
        return output(self, marginals, X, self.structure_.feature_names().tolist())

    def _marginals(self, X: Any, constraints: Any = None) -> FloatArray:
        """Return what `predict_marginals` does, as an array."""
        X = self._read_inputs(X)
        n, d = X.shape[0], self.structure_.n_features
        marginals: FloatArray = allocate((n, d), np.float64, f"{d} marginals of each of {n} rows", _FEWER_ROWS)
        for rows, _, inferred, _ in self._blocks(X, constraints, marginals=True, log_z=False):
            marginals[rows] = inferred.means
        return marginals

    @documented
    def log_proba(self, X: Any, y: Any, *, constraints: Any = None) -> FloatArray:
        r"""Return the log-probability of a given structure for each row.

        That is :math:`\ln p(y \mid x)`.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
            Of which a part may be known, or `Admissible` sets: the probability is that of what is known.
        %(constraints_of_rows)s

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
        X = self._read_inputs(X)
        n_threads, seen = get_n_threads(self.n_jobs), SeenRows.of(self.structure_, y)
        check_consistent_length(X, range(seen.n))
        log_proba = np.empty(X.shape[0])
        for rows, scores, inferred, conditions in self._blocks(X, constraints):
            with renumbered(rows):
                log_seen = seen.log_sums(scores, rows, conditions, n_threads)
            log_proba[rows] = log_seen - inferred.log_z
        return np.minimum(log_proba, 0.0, out=log_proba)  # above by rounding, or errors of an estimate

    @documented
    def score_log_loss(self, X: Any, y: Any, sample_weight: Any = None, *, constraints: Any = None) -> float:
        r"""Return the mean of −ln p(y | x); smaller is better.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
        sample_weight : array of shape (n,) or float, default=None
            Weights of the rows; None: equal.
        %(constraints_of_rows)s

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
        >>> bool(ranker.score_log_loss(X, y) < np.log(2))  # the loss of the uniform distribution
        True
        """
        if is_dask(X):
            return -mean_over_rows(self, ProbabilisticBase.log_proba, X, y, sample_weight, constraints=constraints)
        return float(mean_of_rows(-self.log_proba(X, y, constraints=constraints), sample_weight, False))

    @documented
    def log_partition(
        self,
        X: Any,
        *,
        method: str | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        constraints: Any = None,
    ) -> LogPartition:
        r"""Return the logarithm of the partition function of each row, with bounds.

        The partition function is :math:`Z(x) = \sum_y \exp\langle f(x), \psi(y)\rangle`.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        method : {"auto", "exact", "annealed", "taylor"} or None, default=None
            As for :func:`combpred.sampling.log_partition`. None: that of the parameter `inference`, whose "mcmc" stands
            for "annealed".
        epsilon, delta : float or None, default=None
            Of estimates, the relative error of Z and the probability that it is larger, in (0, 1); None: the
            parameters of the same names. Exact values have neither.
        %(constraints_of_rows)s

        Returns
        -------
        LogPartition
            With arrays `value`, `lower`, `upper`, `is_exact`, `is_guaranteed` and `n_samples`, one entry per row, the
            method that computed them, ``"exact"``, ``"annealed"`` or ``"taylor"``, and its `details`.

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
        (``structure_.log_partition``), or of an estimate by :func:`combpred.sampling.log_partition`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> found = ProbabilisticStructured("permutations", alpha=0.1).fit(X, y).log_partition(X)
        >>> bool((found.lower == found.value).all()), found.n_samples.tolist()
        (True, [0, 0, 0, 0])
        """
        inference = None if method is None else INFERENCE_OF[choice(method, "method", tuple(INFERENCE_OF))]
        epsilon = None if epsilon is None else share(epsilon, "epsilon")
        delta = None if delta is None else share(delta, "delta")
        X = self._read_inputs(X)
        engine = self._engine(X.shape[0], inference, epsilon, delta)
        scores = np.concatenate([scores for _, scores in self._score_blocks(X)])
        return engine.within(conditions_of(self.structure_, constraints, len(scores))).log_partition(scores)

    @documented
    @lazily_on_dask
    def entropy(self, X: Any, *, constraints: Any = None) -> FloatArray:
        r"""Return the entropy of the distribution of each row.

        It is :math:`-\sum_y p(y \mid x) \ln p(y \mid x)`.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        %(constraints_of_rows)s

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
        X = self._read_inputs(X)
        entropy = np.empty(X.shape[0])
        for rows, scores, inferred, _ in self._blocks(X, constraints, marginals=True):
            entropy[rows] = inferred.log_z - np.einsum("ij,ij->i", scores, inferred.means)
        structure = self.structure_
        largest = structure.log_count() if "log-count" in structure.space.capabilities else np.inf
        return np.clip(entropy, 0.0, largest, out=entropy)  # beyond by rounding, or errors of estimates

    @documented
    def sample(
        self,
        X: Any,
        n_samples: int = 1,
        *,
        sampler: str | None = None,
        random_state: Any = None,
        constraints: Any = None,
    ) -> Samples:
        """Draw structures from the predicted distribution of each row.

        They are independent, except for the samplers "meta" and "local", which follow a chain for each row.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        n_samples : int, default=1
            For each row; at least 1.
        sampler : {"auto", "exact", "cftp", "meta", "local"} or None, default=None
            None: the parameter of the same name.
        random_state : int, RandomState instance or None, default=None
            None: the parameter of the same name. Each row of X has its own random stream, which follows from its
            entries: an integer gives a row the same samples whatever the number of threads or the other rows. Equal
            rows are sampled independently. Chains are thinned alike for all rows, by the slowest of a block of them.
        %(constraints_of_rows)s

        Returns
        -------
        samples : combpred.sampling.Samples
            With the outputs, `y` of shape (n_samples, n, ...), as :func:`combpred.sampling.sample` returns them.

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
            When chains have not converged: split R̂ is above 1.1.

        Notes
        -----
        Cost of exact sampling: that of `log_partition`, and of `n_samples` backward passes through its recursion for
        each row. With chains, four for each row are run first to measure how they mix; samples are then 1.5 times the
        longest autocorrelation time apart. ``chain_diagnostics_`` has the figures.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = ProbabilisticStructured("permutations", alpha=0.1).fit(X, y)
        >>> ranker.sample(X, n_samples=5, random_state=0).y.shape
        (5, 4, 2)
        """
        sampler = choice(self.sampler if sampler is None else sampler, "sampler", ESTIMATOR_SAMPLERS)
        n_samples = whole_number(n_samples, "n_samples", 1, 2**31 - 1)
        X = self._read_inputs(X)
        rng = check_random_state(self.random_state if random_state is None else random_state)
        seed = int(rng.randint(2**62, dtype=np.int64))
        structure, n = self.structure_, X.shape[0]
        conditions = conditions_of(self.structure_, constraints, n)
        method = sampler if sampler == "auto" else method_of(structure, sampler)
        n_threads, streams, found = get_n_threads(self.n_jobs), row_streams(X), []
        for rows, scores in self._score_blocks(X):
            with renumbered(rows):
                drawn = draw_rows(
                    structure, method, scores, n_samples, seed, n_rows=n, streams=streams[rows], n_threads=n_threads,
                    verbose=int(self.verbose), conditions=_of(conditions, rows, n),
                )  # fmt: skip
            found.append((np.arange(n)[rows], drawn))
        measured = [(numbers, drawn.chains) for numbers, drawn in found if drawn.chains is not None]
        if measured:
            numbers, chains = zip(*measured, strict=True)
            self.chain_diagnostics_ = diagnostics_of(drawn.method, np.concatenate(numbers), list(chains))
            warn_unless_mixed(self.chain_diagnostics_, "sampling")
        return samples_of(structure, [drawn for _, drawn in found])

    def _engine(
        self, n: int, inference: str | None = None, epsilon: float | None = None, delta: float | None = None
    ) -> Engine:
        """Return the engine for n rows; arguments that are None are parameters of the model."""
        inference = choice(self.inference if inference is None else inference, "inference", INFERENCES)
        engine = engine_of(self, resolve_method(inference, self.structure_, n), epsilon=epsilon, delta=delta)
        engine.check()
        return engine

    def _blocks(
        self, X: Any, constraints: Any = None, *, marginals: bool = False, log_z: bool = True
    ) -> Iterator[tuple[slice, FloatArray, Inferred, Conditions | None]]:
        """Yield f(x) of blocks of rows, what is asked about their distributions, and their conditions."""
        n = X.shape[0]
        engine, conditions = self._engine(n), conditions_of(self.structure_, constraints, n)
        for rows, scores in self._score_blocks(X):
            some = _of(conditions, rows, n)
            with renumbered(rows):
                inferred = engine.within(some).infer(scores, means=marginals, log_z=log_z)
            yield rows, scores, inferred, some

    def _set_structure(self, structure: Structure) -> None:
        require_decision(structure.space, self.decision)
        super()._set_structure(structure)

    def _decides_by_scores(self) -> bool:
        require_decision(self.structure_.space, self.decision)  # the parameter may have been set after fit
        return self.decision in _MOST_PROBABLE

    def _decode_scores(
        self, scores: FloatArray, how: Decoding, held: RowConstraints | None = None, first: int = 0
    ) -> Decoded:
        if self.decision not in _BY_LOSS:
            return super()._decode_scores(scores, how, held, first)
        conditions = None if held is None else held.conditions(first, first + len(scores))
        with renumbered(slice(first, None)):
            return self.structure_.space.decide(scores, self.decision, conditions, how.n_threads)

    def _values(self, scores: FloatArray, parts: Any, first: int) -> FloatArray:
        if self.decision not in _BY_LOSS:
            return super()._values(scores, parts, first)
        with renumbered(slice(first, None)):
            return self.structure_.space.decision_values(scores, self.decision, parts, get_n_threads(self.n_jobs))

    def _decoding_scores(
        self, scores: FloatArray, first: int = 0, held: RowConstraints | None = None
    ) -> tuple[FloatArray, FloatArray | None]:
        if self._decides_by_scores():
            return scores, None
        if self.decision in _BY_LOSS:
            raise CapabilityError(
                f"decision={self.decision!r} gives no scores to list structures by: take decision='map' or 'mbr'"
            )
        # argmin_y E‖ψ(y) − ψ(Y)‖² = argmax_y ⟨Eψ, ψ(y)⟩ − ½‖ψ(y)‖².
        engine = self._engine(len(scores))
        if held is not None and isinstance(engine, ExactEngine):  # others know the unconditional expectation
            engine = engine.within(held.conditions(first, first + len(scores)))
        with renumbered(slice(first, None)):
            marginals = engine.infer(scores, means=True, log_z=False).means
        return marginals, np.full(scores.shape[1], -0.5)


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class ProbabilisticStructured(ProbabilisticBase):
    r"""Log-linear model of structures, fitted by penalised maximum likelihood.

    The probability of a structure y for an input x is :math:`p(y \mid x) = \exp(\langle f(x), \psi(y)\rangle - \ln
    Z(x))`. The partition function Z sums over the whole output space; it, its gradient and samples are computed exactly
    by recursions over the structure, or estimated by Markov chains where that would take too long (Vembu, 2010, ch. 6).
    With classes this is multinomial logistic regression, with label sets one logistic regression for each label.

    Parameters
    ----------
    %(structure)s
    %(alpha)s
    %(kernel)s
    %(gamma)s
    %(degree)s
    %(coef0)s
    %(fit_intercept)s
    inference : {"auto", "exact", "mcmc", "taylor"}, default="auto"
        Method for partition functions and marginals, in training and afterwards.

        - "exact": by a closed form or recursion of the structure, or enumeration of up to a million members.
        - "mcmc": from samples. Training uses stochastic gradients from eight samples for each row and pass: of two
          persistent chains for each row, or new draws with `sampler` "exact" or "cftp". Marginals are means of as many
          samples as `epsilon` and `delta` ask for, and partition functions are estimated by annealing.
        - "taylor": by the counting formula, an expansion about the uniform distribution, for models whose scores vary
          by no more than 1 from their mean over the structures; warns beyond, and where moments of ψ are sampled. Not
          with moments of a larger space (``moments_info.kind == "relaxed"``).
        - "auto": "exact" where that is expected to take no more than five minutes of a processor, for the rows of the
          call and, in training, up to 60 evaluations of each: some 30 000 rows of rankings of 10 labels, 300 of 16;
          otherwise "mcmc".
    sampler : {"auto", "exact", "cftp", "meta", "local"}, default="auto"
        Sampler of structures, for `sample` and for ``inference="mcmc"``.

        - "exact": independent draws by the structure's recursion.
        - "cftp": independent exact draws by coupling from the past: of the heat bath for sets without a fixed size, of
          "meta" otherwise.
        - "meta": chains of uniform proposals, for which a :class:`~combpred.structures.Custom` structure needs only a
          uniform sampler.
        - "local": chains of local moves, or of those of a :class:`~combpred.structures.Custom` structure's `propose`.
        - "auto": for `sample`, the first that is affordable of "exact", "cftp", "local" and "meta"; to estimate, the
          first of the heat bath, "local" and "meta" that the structure has; to train, "local" or "meta".
    epsilon : float, default=0.1
        Error of estimates by ``inference="mcmc"`` after training: with probability 1 − `delta` partition functions are
        within a factor of 1 ± `epsilon`, and all marginals of a row within ± `epsilon`. That is proven for independent
        draws, and holds for chains as far as their convergence can be judged. Other methods do not use it.
    delta : float, default=0.05
        Probability that an estimate by ``inference="mcmc"`` is off by more than `epsilon`.
    decision : {"map", "mbr", "f1", "ranking", "subset", "median", "own"}, default="map"
        Decision rule of `predict`: which expected loss is least.

        - "map": the 0-1 loss; the most probable structure.
        - "mbr": :math:`E\|\psi(y) - \psi(Y)\|^2`, which is the 0-1 loss for classes, the Hamming loss for label sets
          and other 0/1 embeddings, the absolute error for grades, and Kendall's distance for rankings (a tie against
          an order counts half), up to a factor.
        - "f1", of label sets: one minus F1, which is 1 between empty sets; exact for any distribution (Waegeman et
          al., 2014). Decides by itself, whatever `decoder` is.
        - "ranking", of label sets: the share of pairs of a relevant and an irrelevant label in the wrong order, where
          the labels of the predicted set come before the others and pairs within either count half. Likewise.
        - "subset", of label sets, and "median", of grades: other names of "map" and "mbr" there.
        - "own", of a `Custom` structure that lists its outputs: the `loss` that it was given.
    %(decoder)s
    %(partial)s
    solver : {"auto", "lbfgs", "newton", "sgd"}, default="auto"
        ``"lbfgs"`` uses the exact gradient over all rows, and reaches the maximum to `tol`. ``"sgd"`` takes steps on
        mini-batches of 32 rows, preconditioned by the Hessian at zero weights, and averages its weights; it is for
        sampled gradients, for data that arrive in mini-batches (`partial_fit`, linear kernel only), and for moderate
        accuracy. ``"newton"``, Newton's method, is for structures of no more members than entries of ψ, up to 1024 of
        them: grades, the nodes of a tree, and classes, of which there may be more; and for those whose entries of ψ do
        not depend on each other, label sets without a size and tournaments, where it finds the weights of each entry
        apart.
        ``"auto"`` is ``"sgd"`` with ``inference="mcmc"``, else ``"newton"`` where that is possible, and ``"lbfgs"``
        elsewhere.
    tol : float, default=1e-6
        %(tol)s
        Of ``"lbfgs"`` and ``"newton"`` it is the largest entry of the gradient, preconditioned by the Hessian at zero
        weights, relative to that at zero weights; with ``"newton"`` each entry of ψ found apart stops there. Of
        ``"sgd"`` it is the square root of the excess of the objective over its minimum, as that grows with the square
        of the gradient, relative to that at zero weights. The excess is estimated by half the squared norm of the
        preconditioned gradient, or by what the second half of the passes has gained, whichever is larger. With
        sampled gradients both are estimated, up to two standard errors, and `tol` is taken to be at least 0.05: a 400th
        of the gain. A warning is issued when `max_iter` comes first; with sampled gradients only where the excess may
        be more than four times as large.
    max_iter : int, default=200
        Limit on iterations, for ``"newton"`` on those of each entry of ψ found apart, for ``"sgd"`` on passes over the
        rows.
    %(class_weight)s
    %(n_jobs)s
    %(random_state)s
        It also seeds `sample`, ``inference="mcmc"``, whose streams follow from the scores of rows, and the order of
        rows in ``"sgd"``. Everything else is deterministic.
    warm_start : bool, default=False
        Whether `fit` starts from the weights of an earlier fit, such as one with another `alpha`, rather than from
        zero. Where it ends is the same to `tol`, which is relative to the gradient at zero either way. The shapes of
        `coef_`, or of `dual_coef_`, whose rows are taken to be those of the same training rows, must not change.
        ``"sgd"`` restarts its step sizes and its average, and chains of samples are not kept from fit to fit.
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
    objective_ : float
        Value of the objective at the solution. Not after `partial_fit`, which does not hold all rows, nor with sampled
        gradients, which do not compute it.
    n_iter_ : int
        Iterations, or passes over the rows, at least 1. Of ``"newton"`` the most of any entry of ψ found apart.
    solver_ : {"lbfgs", "newton", "sgd"}
        The solver that ran.
    inference_ : str
        Method of inference used in training: ``"recursion"``, the structure's own recursion or closed form,
        ``"enumeration"`` of its members, ``"mcmc"`` or ``"taylor"``.
    chain_diagnostics_ : ChainDiagnostics
        Diagnostics of the chains of the last training, or of the last call of `sample`. Only after either.
    descent_ : SgdState
        State of ``"sgd"``, from which `partial_fit` continues. Only with that solver and a linear kernel.
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    StructuredRidge : Trains at the cost of kernel ridge regression, without partition functions or probabilities.
    sklearn.linear_model.LogisticRegression : The same model of classes; its C is 1 / (2 alpha), and its intercept is
        not penalised.

    Notes
    -----
    With f(x) = Wx (a constant feature included) and sample weights w, training minimises

    .. math:: \alpha \|W\|^2 + \sum_i w_i \left[\ln Z_{C_i}(x_i) - \ln Z_{K_i}(x_i)\right], \quad
        Z_A(x) = \sum_{y \in A} \exp\langle f(x), \psi(y)\rangle,

    with :math:`\operatorname{tr}(A^\top K A)` in place of the squared norm for f = KA with a kernel matrix K. K_i are
    the outputs that agree with what is known of row i, and C_i those that satisfy its constraints, or all. Of a whole
    output, :math:`\ln Z_{K_i}` is :math:`\langle f(x_i), \psi(y_i)\rangle`. A weight of 0 equals leaving the row out,
    an integer weight repeating it; a row of which nothing is known counts as nothing.

    Where every row is whole the objective is convex. Otherwise it is a difference of convex functions: training begins
    at W = 0, unless ``warm_start`` gives weights, and ends where the gradient is zero, a fixed point of the EM
    algorithm. Both sums are exact where the structure has exact sums at its size; beyond, ``inference="mcmc"`` follows
    chains within :math:`K_i`. With ``partial="mean"`` an `Admissible` set stands for one row with each of its
    structures.

    The gradient of ln Z is the expectation of ψ. L-BFGS is preconditioned by the Hessian at W = 0, which is known, as
    the covariance of ψ under the uniform distribution is. As distributions move away from that, the preconditioner
    follows: a Kronecker product near the Hessian comes from eight draws of each row. With a kernel, its
    features come from an eigendecomposition of K: :math:`O(n^3)` time and five n×n matrices. An iteration costs one
    evaluation of ln Z and Eψ for all rows, and :math:`O(n p d)` for p features. ``"newton"`` solves for its steps
    by conjugate gradients, with as much work each, whose sum over all steps is some 10 to 30, for classes and small
    penalties up to some hundred; sparse features cost what their stored entries do. A step of ``"sgd"`` costs that for
    32 rows, and :math:`O(p^2 d + p d^2)` for up to 512 features.

    References
    ----------
    S. Vembu (2010), *Learning to Predict Combinatorial Structures*, PhD thesis, University of Bonn, ch. 6.

    J. Martens and R. Grosse (2015), Optimizing neural networks with Kronecker-factored approximate curvature, *ICML*.

    O. Shamir and T. Zhang (2013), Stochastic gradient descent for non-smooth optimization: convergence results and
    optimal averaging schemes, *ICML*: the averaging of ``solver="sgd"``.

    W. Waegeman, K. Dembczyński, A. Jachnik, W. Cheng and E. Hüllermeier (2014), On the Bayes-optimality of F-measure
    maximizers, *JMLR* 15.

    T. Tieleman (2008), Training restricted Boltzmann machines using approximations to the likelihood gradient, *ICML*:
    persistent chains.

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

    alpha: float = 1.0
    kernel: str | Callable[..., float] = "linear"
    gamma: float | str | None = None
    warm_start: bool = False

    @documented
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, constraints: Any = None) -> ProbabilisticStructured:
        """Train on inputs and the structures observed for them.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features), or (n, n) for ``kernel="precomputed"``
            Inputs, converted to float64. A dask array or data frame is trained on where its partitions are, with the
            linear kernel and exact inference; y is then partitioned as X.
        y : array of n structures
            In the format of the structure's class. Rows may be known in part: see `partial`.
        %(sample_weight)s
        %(constraints_of_training)s

        Returns
        -------
        ProbabilisticStructured
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        CapabilityError
            When the structure lacks what `inference` or `sampler` needs, such as exact inference at its size, or
            ``decision="mbr"`` is not possible, and where ``solver="newton"`` is not; says what works.
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
            When the search ended before `tol`, or chains did not find the same distribution; with the figure.
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
        earlier = EarlierFit.of(self)
        with refit(self):
            if is_dask(X):
                fit_over_blocks(self, DaskBlocks(X, y, sample_weight), earlier=earlier, constraints=constraints)
                return self
            rows = self._read_rows(X, y, sample_weight)
            self.kernel_ = kernel_of(self, rows)
            if earlier is not None:
                earlier.require_match(self, rows.X.shape[0])
            train(
                self,
                rows.X,
                embed_rows(self, rows),
                earlier,
                conditions=conditions_of_training(self, constraints, rows.n),
            )
        return self

    @documented
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_blocks(self, blocks: Any, *, classes: Any = None, constraints: Any = None) -> ProbabilisticStructured:
        """Train on rows that come in blocks, of which one is in memory at a time.

        Parameters
        ----------
        %(blocks)s
        %(classes_of_blocks)s
        constraints : dict or None, default=None
            What the outputs of all rows satisfy, as for `fit`.

        Returns
        -------
        ProbabilisticStructured
            The estimator itself. When ``fit_blocks`` raises, an earlier fit is kept as it was.

        Raises
        ------
        TypeError
            For an iterator.
        ValueError
            For another kernel than the linear one, ``solver="newton"`` or ``"sgd"``, or inference that is not exact;
            for blocks that are not legal, naming block and row (both from 0); where a later pass has more or fewer
            rows than the first.
        CapabilityError
            When the structure is too large for exact inference.

        Warns
        -----
        ConvergenceWarning
            When the search ended before `tol`.

        Notes
        -----
        The maximum is that of ``fit`` on all rows at once. An iteration is a pass over the blocks, and so are the
        beginning and every change of the preconditioner, two or three times in a fit. Memory: a block, and
        :math:`O(q^2 + d^2 + q d)` numbers for q features with the constant one, the last some 40 times.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> blocks = [(X[:3], y[:3]), (X[3:], y[3:])]
        >>> ProbabilisticStructured("permutations", alpha=0.1).fit_blocks(blocks).predict([[0.5], [2.5]]).tolist()
        [[1, 2], [2, 1]]
        """
        earlier = EarlierFit.of(self)
        with refit(self):
            fit_over_blocks(self, IterableBlocks(blocks), classes, earlier, constraints)
        return self

    @documented
    @available_if(has_partial_fit)  # type: ignore[untyped-decorator]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, *, constraints: Any = None
    ) -> ProbabilisticStructured:
        """Pass once over a mini-batch, which adds to those of earlier calls. Only with ``solver="sgd"``.

        Rows that are passed again count again: the penalty is weighed against all rows seen.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
            In the format of the structure's class. What the first call leaves open of the structure, it takes from
            there.
        %(classes)s
        %(sample_weight)s
        %(constraints_of_training)s

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
            require_parameters(self, "partial_fit", kernel=["linear"])
            state: SgdState | None = getattr(self, "descent_", None)
            weights = None if state is None else state.weights
            rows = self._read_mini_batch(X, y, classes, sample_weight, first=state is None, weights=weights)
            conditions = conditions_of_training(self, constraints, rows.n)
            train(self, rows.X, embed_rows(self, rows), online=True, conditions=conditions)
        return self
