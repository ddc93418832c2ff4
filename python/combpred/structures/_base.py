"""Structures: descriptions of output spaces in the manner of scikit-learn."""

from __future__ import annotations

import copy
import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from .. import metrics
from .._data.checks import SIZE_LIMIT, Limit, frozen, is_integer
from .._data.inputs import check_weights
from .._data.targets import flat_sets
from .._lib.decode import Decoding, score_rows
from .._lib.errors import CapabilityError
from .._lib.memory import require_memory
from .._lib.structure import Description
from ._layout import Layout
from ._search.constraints import Conditions, Restriction
from ._space import EntryKind, LibrarySpace, MomentsInfo, Space

_ENUMERATION_LIMIT = 10**7


_Self = TypeVar("_Self", bound="Structure")  # typing.Self needs Python 3.11


class Structure(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    r"""A finite output space with an embedding :math:`\psi` into :math:`R^d`.

    Structures are descriptions in the manner of scikit-learn's estimators: `get_params`, `set_params`, `clone` and
    ``structure__size`` in a grid search work, and two structures are equal when their classes and parameters are.
    Only `set_params` and assignment change a structure; every other method leaves it as it is, and so do estimators,
    which work on copies. Averages are over the uniform law on the space.

    A subclass gives the catalogue name, the description that the compiled library reads, and the translation between y
    in the user's format and the int32 parts of the library; everything else is here.
    """

    name: ClassVar[str]
    """Name in the catalogue, usable wherever an estimator takes a structure."""

    default_metric: ClassVar[str]
    """Name of the function in `combpred.metrics` behind `score`; larger is better."""

    _constraint_keys: ClassVar[tuple[str, ...]] = ()  # of the conditions that predictions can be held to
    _entries: ClassVar[EntryKind] = "unknown"  # of ψ
    _costs: ClassVar[tuple[str, ...]] = ("hamming",)  # losses between outputs
    _sparse_format: type | None = None  # of predictions: of the y resolved from, where that was sparse

    @classmethod
    def _get_param_signature(cls) -> list[inspect.Parameter]:
        """Return the constructor's parameters without self."""
        return list(inspect.signature(cls.__init__).parameters.values())[1:]

    @classmethod
    def is_meant_by(cls, structure: Any) -> bool:
        """Whether an estimator's parameter `structure` is of this kind, as an instance or by its catalogue name."""
        return isinstance(structure, cls) or (isinstance(structure, str) and structure == cls.name)

    # The space, which is resolved once and kept until a parameter changes.

    @property
    def space(self) -> Space:
        """The space of outputs that this describes, as it is computed with; see `combpred.structures._space`.

        It is made at the first use, which raises ValueError when a size is not known yet or illegal, and is not part of
        copies and pickles, which make their own.
        """
        found: Space | None = self.__dict__.get("_space")
        if found is None:
            found = self.__dict__["_space"] = self._make_space()
        return found

    def __setattr__(self, key: str, value: Any) -> None:
        self.__dict__.pop("_space", None)
        super().__setattr__(key, value)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in super().__getstate__().items() if key != "_space"}

    # What a subclass provides.

    def _make_space(self) -> Space:
        """Return the space to compute with; a subclass whose outputs the library does not fully know replaces this."""
        return LibrarySpace(self)

    @abstractmethod
    def _describe(self) -> Description:
        """Return the description of the structure; ValueError when a size is not known yet or illegal."""

    @abstractmethod
    def _resolve(self, y: Any) -> Structure:
        """Return a copy with everything known that y shows; parameters given by the user must agree with y."""

    @abstractmethod
    def _encode(self, y: Any) -> NDArray[np.int32]:
        """Return y in parts, ``(n, part_len)``; ValueError naming the first bad row and the remedy."""

    def _embed_targets(self, y: Any, n_threads: int | None = None) -> NDArray[np.float64]:
        r"""Return :math:`\psi` of every row of training targets; a subclass may let them be known in part."""
        return self.space.embed(self._encode(y), n_threads)

    def _embed_sparse(self, y: Any) -> sparse.csr_array | None:
        r"""Return :math:`\psi` of every row of training targets as compressed rows, or None where few entries are zero.

        Training then costs time for the entries that are not zero, not for all d.
        """
        return None

    def _best_by_program(
        self, linear: NDArray[np.float64], magnitude: NDArray[np.float64], restriction: Restriction | None = None
    ) -> tuple[NDArray[np.int32], float]:
        """Solve one row's decoding as an integer program: parts of a best output, and a proven bound on all scores.

        The score of y is ⟨linear, ψ(y)⟩ + ⟨magnitude, |ψ(y)|⟩, both of shape ``(d,)``; outputs meet the restriction.
        """
        raise CapabilityError(
            f"{self!r} is not decoded as an integer program; take decoder='auto', which is exact where this structure "
            "can be solved exactly at its size"
        )

    @abstractmethod
    def _decode_parts(self, parts: NDArray[np.int32]) -> NDArray[Any]:
        """Return y in the user's format for parts of shape ``(n, part_len)``."""

    @abstractmethod
    def feature_names(self) -> NDArray[np.object_]:
        r"""Return a name for every entry of :math:`\psi`.

        Returns
        -------
        names : ndarray of shape (d,), dtype=object
        """

    @property
    def has_indicators(self) -> bool:
        r"""Whether each entry of :math:`\psi` says by 1 or 0 whether something holds of the output."""
        return self._entries == "bits"

    def indicators(self, psi: NDArray[np.float64]) -> NDArray[np.float64] | None:
        r"""Return, for every entry of :math:`\psi`, whether what its name says holds: 1 or 0, or probabilities.

        Parameters
        ----------
        psi : ndarray of shape (n, d)
            Embeddings of outputs, or marginals.

        Returns
        -------
        indicators : ndarray of shape (n, d) or None
            Of marginals, the probabilities. None where :math:`\psi` does not tell.
        """
        return psi if self.has_indicators else None

    @property
    def layout(self) -> Layout | None:
        r"""How the entries of :math:`\psi` make a matrix of items by items; None where they make none."""
        return None

    def _restriction(self, conditions: Conditions) -> Restriction:
        """Return how decoders are told of conditions; a structure that has keys for them replaces this."""
        raise CapabilityError(f"{self!r} takes no constraints")

    # Facts about ψ, where a subclass differs.

    def _free_values(self) -> tuple[int, ...] | None:
        """Return the values of the entries of ψ where every combination of them is a member, whose parts are its ψ."""
        return None

    def _loss_entries(self) -> NDArray[np.bool_] | None:
        """Return which entries of ψ losses look at, None for all."""
        return None

    def _require_preimage(self) -> None:
        """Raise CapabilityError unless the member of nearest ψ can be found, as predicting under "squared" asks."""

    # Facts about the space.

    def count(self) -> int:
        """Return the exact number of members of the space.

        Returns
        -------
        count : int
            Arbitrarily large.

        Raises
        ------
        CapabilityError
            When the number of members is not known.
        """
        return self.space.count()

    def log_count(self) -> float:
        """Return the natural logarithm of the number of members, finite at any size.

        Returns
        -------
        log_count : float

        Raises
        ------
        CapabilityError
            When the number of members is not known.
        """
        return self.space.log_count()

    @property
    def n_features(self) -> int:
        r"""Length d of the embedding :math:`\psi`."""
        return self.space.n_features

    @property
    def moments_info(self) -> MomentsInfo:
        """Provenance of `mean` and `second_moment`."""
        return self.space.moments_info

    def mean(self) -> NDArray[np.float64]:
        r"""Return the mean :math:`\mu = E\,\psi(y)` over uniform members y.

        Returns
        -------
        mean : ndarray of shape (d,)

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 5: the counting assumption.
        """
        return self.space.mean()

    def second_moment(self) -> NDArray[np.float64]:
        r"""Return the second moment :math:`M = E\,\psi(y)\psi(y)^\top` over uniform members y.

        Returns
        -------
        second_moment : ndarray of shape (d, d)

        Raises
        ------
        MemoryError
            When a d × d matrix does not fit, before it is allocated. Training needs no such matrix where the spectrum
            of the covariance is known.

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 5.
        """
        return self.space.second_moment()

    def covariance(self) -> NDArray[np.float64]:
        r"""Return the covariance :math:`\Sigma = M - \mu\mu^\top` over uniform members.

        Returns
        -------
        covariance : ndarray of shape (d, d)

        Raises
        ------
        MemoryError
            When the d × d matrices do not fit, before they are allocated.
        """
        return self.space.covariance()

    # Members of the space.

    def validate(self, y: Any) -> None:
        """Check that every row of y is a member of the space.

        Parameters
        ----------
        y : array-like
            In the structure's format.

        Raises
        ------
        ValueError
            Naming the first bad row, what is wrong with it and the remedy.
        """
        self.space.check(self.space.encode(y))

    def embed(self, y: Any) -> NDArray[np.float64]:
        r"""Return :math:`\psi(y)` of every row.

        Parameters
        ----------
        y : array-like
            In the structure's format, n rows.

        Returns
        -------
        psi : ndarray of shape (n, d)

        Raises
        ------
        ValueError
            When a row is not a member of the space.
        MemoryError
            When n × d numbers do not fit, before they are allocated.
        """
        parts = self.space.encode(y)
        d = self.n_features
        require_memory(
            8 * len(parts) * d, f"embedding {len(parts)} rows in {d} dimensions", "embed fewer rows at a time"
        )
        return self.space.embed(parts)

    def sample(self, n: int, random_state: int | np.random.RandomState | None = None) -> NDArray[Any]:
        """Draw independent, exactly uniform members.

        Parameters
        ----------
        n : int
            How many; at least 1.
        random_state : int, RandomState instance or None, default=None
            The only source of randomness: the same integer gives the same members.

        Returns
        -------
        y : ndarray of n rows
            In the structure's format.

        Raises
        ------
        CapabilityError
            When no exact sampler is known at this size.
        """
        if not is_integer(n):
            raise TypeError(f"n must be an integer, got {n!r}")
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int64).max, dtype=np.int64))
        return self.space.decode_parts(self.space.sample(int(n), seed))

    def enumerate(self) -> Iterator[Any]:
        """Return an iterator over all members, each once, in a fixed order.

        Yields
        ------
        y : one row in the structure's format

        Raises
        ------
        CapabilityError
            Above 10 000 000 members; `sample` draws from spaces of any size.
        """
        log_count = self.log_count()
        # The logarithm rules out large spaces: the digits of their counts are not wanted.
        large = log_count > math.log(10**20)
        count = -1 if large else self.count()
        if large or count > _ENUMERATION_LIMIT:
            shown = f"about exp({log_count:.6g})" if large else str(count)
            raise CapabilityError(
                f"{self!r} has {shown} members, enumerate() lists up to {_ENUMERATION_LIMIT}; use sample(), "
                "or a smaller size"
            )

        space = self.space
        return (y for parts in space.listed() for y in space.decode_parts(parts))

    # Best outputs.

    def decode(self, scores: ArrayLike, *, constraints: Any = None) -> NDArray[Any]:
        r"""Return a member of largest score :math:`\langle s, \psi(y)\rangle` for every row s of `scores`.

        Parameters
        ----------
        scores : array-like of shape (n, d) or (d,)
            Finite.
        constraints : dict, or list of n dicts (or None), default=None
            Conditions that the outputs must meet, for all rows or for each; the structure's notes list the keys.

        Returns
        -------
        y : ndarray of n rows, or one row for scores of shape (d,)
            In the structure's format. Exact where the structure is exactly solvable at its size, otherwise by local
            search from a solution with a guarantee; ``StructuredRidge.predict_certified`` says which.
        """
        space = self.space
        rows, single = score_rows(scores, space.n_features)
        if constraints is None:
            decoded = space.decode(rows)
        else:
            decoded = space.restricted(constraints, len(rows)).decode(rows, None, Decoding())
        y = space.decode_parts(decoded.y)
        return y[0] if single else y

    # The distributions p(y) ∝ exp⟨s, ψ(y)⟩.

    def log_partition(self, scores: ArrayLike) -> NDArray[np.float64] | float:
        r"""Return :math:`\ln Z = \ln \sum_y \exp\langle s, \psi(y)\rangle` for every row s of `scores`.

        The sum is over all members, so that scores of 0 give `log_count`. It is exact up to rounding, for scores of any
        finite size.

        Parameters
        ----------
        scores : array-like of shape (n, d) or (d,)
            Finite.

        Returns
        -------
        log_partition : ndarray of shape (n,), or float for scores of shape (d,)

        Raises
        ------
        CapabilityError
            When the structure is too large for exact sums, and has more than 1 000 000 members.
        ValueError
            When scores are not finite; names the row.

        Notes
        -----
        Closed forms and recursions take O(d) for each row where entries of ψ are independent, on trees and on paths,
        O(n ℓ) for sets of ℓ labels, :math:`O(n^3)` for spanning trees, :math:`O(2^n n)` for rankings and assignments
        (n ≤ 20) and for cliques, :math:`O(2^n n^2)` for cycles and routes (n ≤ 16) and :math:`O(3^n)` for rankings with
        ties. Other spaces are summed over member by member.

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6.

        Examples
        --------
        >>> import math
        >>> from combpred.structures import Permutations
        >>> z = math.exp(Permutations(3).log_partition([0.0, 0.0, 0.0]))
        >>> round(z, 6)
        6.0
        """
        rows, single = score_rows(scores, self.n_features)
        log_z = self.space.log_partition(rows).log_z
        return float(log_z[0]) if single else log_z

    def marginals(self, scores: ArrayLike) -> NDArray[np.float64]:
        r"""Return the mean of :math:`\psi(y)` under :math:`p(y) \propto \exp\langle s, \psi(y)\rangle` for every row s.

        It is the gradient of `log_partition`; entries of :math:`\psi` that are 0 or 1 have their probabilities there.
        Scores of 0 give `mean`.

        Parameters
        ----------
        scores : array-like of shape (n, d) or (d,)
            Finite.

        Returns
        -------
        marginals : ndarray of the shape of `scores`

        Raises
        ------
        CapabilityError
            When the structure is too large for exact sums, and has more than 1 000 000 members.
        ValueError
            When scores are not finite; names the row.
        MemoryError
            When n × d numbers do not fit, before they are allocated.

        Notes
        -----
        Cost: two to four times that of `log_partition`.

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6.

        Examples
        --------
        >>> from combpred.structures import LabelSets
        >>> LabelSets(3, size=1).marginals([0.0, 0.0, -1000.0])
        array([0.5, 0.5, 0. ])
        """
        rows, single = score_rows(scores, self.n_features)
        means = self.space.log_partition(rows, marginals=True).marginals
        assert means is not None  # they were asked for
        return means[0] if single else means

    # Quality of predictions.

    def score(self, y_true: Any, y_pred: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean of the structure's default metric, larger is better.

        Parameters
        ----------
        y_true, y_pred : array-like
            Observed and predicted outputs in the structure's format. Observed rows may be `combpred.Admissible` sets:
            the prediction is then compared with the best match of the set.
        sample_weight : array-like of shape (n,), default=None
            Weights of the rows; None: equal.

        Returns
        -------
        score : float
            See `default_metric`.

        Raises
        ------
        ValueError
            When a row of either is none that the metric is defined for; names the argument and the row.
        """
        metric = getattr(metrics, self.default_metric)
        sets = flat_sets(y_true)
        if sets is None:
            return float(metric(*self._compared(y_true, y_pred), sample_weight=sample_weight))
        sizes = np.diff(sets.first)
        if len(y_pred) != len(sizes):
            raise ValueError(f"y_true has {len(sizes)} rows and y_pred {len(y_pred)}; they must agree row by row")
        repeated = np.repeat(np.asarray(y_pred), sizes, axis=0)
        best = np.maximum.reduceat(metric(*self._compared(sets.y, repeated), per_row=True), sets.first[:-1])
        return float(np.average(best, weights=check_weights(sample_weight, len(best))))

    # Helpers for subclasses.

    def _compared(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        """Return truths and predictions as the default metric takes them."""
        return y_true, y_pred

    def _size(self, parameter: str, at_least: int, reads: str | None, limit: Limit = SIZE_LIMIT) -> int:
        """Return the integer parameter called `parameter`; `reads` says what y would tell it."""
        value = getattr(self, parameter)
        if value is None:
            remedy = "" if reads is None else f", or use structure_ of a fitted estimator, which has it from {reads}"
            raise ValueError(f"{type(self).__name__}: {parameter} is not known yet; give it{remedy}")
        if not is_integer(value):
            raise TypeError(f"{type(self).__name__}: {parameter} must be an integer or None, got {value!r}")
        if value < at_least:
            raise ValueError(f"{type(self).__name__}: {parameter} must be at least {at_least}, got {value}")
        if value > limit.most:
            raise ValueError(
                f"{type(self).__name__}: {parameter} must be at most {limit.most}, got {value}; {limit.reason}"
            )
        return int(value)

    def _with(self: _Self, **changes: Any) -> _Self:
        """Return a copy with some attributes replaced."""
        other = copy.copy(self)
        for key, value in changes.items():
            setattr(other, key, value)
        return other

    # Equality.

    def _key(self) -> tuple[Hashable, ...]:
        learned = {k: v for k, v in vars(self).items() if k.endswith("_")}
        return (frozen(self.get_params(deep=False)), frozen(dict(sorted(learned.items()))))

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Structure):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))
