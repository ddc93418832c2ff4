"""`Structure`, the base class of every structure: a description of an output space in the manner of scikit-learn.

A structure is parameters, and the translation between y in the user's format and parts. What is computed lives in the
space, in `_space`, which it makes from its parameters and holds.
"""

from __future__ import annotations

import copy
import math
from abc import ABC
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain, islice
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from .. import metrics
from .._data.checks import choice, frozen, require_integers, seed_of, whole_number
from .._data.converters import Entries, as_objects, natural_rows, read_entries
from .._data.inputs import column_names, columns_in_order
from .._data.names import Names, checked_names
from .._data.targets import TargetError, encoded_rows, flat_sets, is_array_of_numbers, target_matrix
from .._lib.arrays import FloatArray, require_memory
from .._lib.decode import DECODERS, Decoding
from .._lib.errors import CapabilityError, naming_row
from .._lib.structure import Description, structure_mean, structure_names, structure_second_moment
from . import _scored
from ._search.constraints import RowConstraints
from ._space import LibrarySpace, MomentsInfo
from .scores import read_scores

_ENUMERATION_LIMIT = 10**7  # members that enumerate() lists at most

_Structure = TypeVar("_Structure", bound="Structure")


def width_of(structure: Any, y: Any, argument: str) -> int:
    """Return the number of columns of y."""
    return int(target_matrix(y, argument, None, structure._sized.column).shape[1])


class Sized(NamedTuple):
    """The parameter of a structure that the library calls n, the number of its items.

    Attributes
    ----------
    parameter : str
        Its name.
    column : str
        What a column of y stands for, such as "label".
    source : str, default="the columns of y"
        What a fitted estimator reads the value from.
    names : str or None, default=None
        The parameter that holds names of the items.
    shown : callable, default=width_of
        Function of a structure, y and what messages call y that returns the value that y shows.
    """

    parameter: str
    column: str
    source: str = "the columns of y"
    names: str | None = None
    shown: Callable[[Any, Any, str], int] = width_of


class NaturalForm(NamedTuple):
    """How rows of names are told from the format of y, read and written.

    A structure that has such a form has the method `_read_natural`, too.

    Attributes
    ----------
    writes : str or None, default=None
        Name of the converter that makes rows of y; None where y has names itself.
    ordered, once : bool, default=True
        How `read_entries` reads rows.
    named : bool, default=False
        Whether rows of a data frame are dicts from the names of its columns.
    strings : bool, default=True
        Whether strings are such rows, and not the format of y.
    lists : callable or None, default=None
        Function of rows and what messages call these that returns a list of names for each; None where they are lists.
    """

    writes: str | None = None
    ordered: bool = True
    once: bool = True
    named: bool = False
    strings: bool = True
    lists: Callable[[list[Any], str], list[Any]] | None = None


class Structure(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    r"""A finite output space with an embedding ψ that describes each output by d numbers.

    Structures are descriptions in the manner of scikit-learn's estimators: `get_params`, `set_params`, `clone` and
    ``structure__size`` in a grid search work, and two structures are equal when their classes and parameters are.
    Only `set_params` and assignment change a structure; every other method leaves it as it is, and so do estimators,
    which work on copies. Averages are over the uniform distribution on the space.

    Notes
    -----
    A subclass gives the catalogue name, the description that the compiled library reads, and the translation between y
    in the user's format and the *parts* that the library computes with: int32 arrays of shape ``(n, part_len)``, one
    row for each output. Everything else is inherited.
    """

    name: ClassVar[str]
    """Name in the catalogue; estimators accept it in place of an instance."""

    default_metric: ClassVar[str]
    """Name of the function in `combpred.metrics` that `score` calls; larger is better."""
    any_metric: ClassVar[bool] = False
    """Whether every metric may judge outputs, because what they stand for is up to the user."""

    target_type: ClassVar[str] = ""
    """What scikit-learn calls y, "multiclass" or "multilabel-indicator"; empty where it has no word for it."""

    _sized: ClassVar[Sized]  # of structures that are described by one size, or by a size and something else
    __dir__ = object.__dir__  # scikit-learn's asks for the value of every attribute, which sizes may not allow yet
    _is_single: ClassVar[bool] = False  # whether an output is a value, and no row
    _dtype: ClassVar[Any] = np.int32  # of outputs that are rows
    _columns: ClassVar[Literal["items", "entries"] | None] = None  # what the columns of y stand for; None: neither
    _program: ClassVar[Any] = None  # static method that solves a row by an integer program, a `Program`
    _natural: ClassVar[NaturalForm | None] = None  # rows of names, where it reads such
    _sparse_format: type | None = None  # class of predictions, if y was sparse when the structure was resolved
    _y_columns: Sequence[Hashable] | None = None  # names of the columns of y, or of a series, if not items

    # The space: made once, and kept until a parameter changes.

    @property
    def space(self) -> LibrarySpace:
        """The output space that this structure describes, in the form that the package computes with.

        It is made at the first use, and again after a parameter was assigned or set. Lists and arrays that were passed
        must not be changed in place. Pickles make their own.

        Raises
        ------
        ValueError
            When a size is not known yet, or a parameter is illegal.
        """
        held: LibrarySpace | None = self.__dict__.get("_space")
        if held is None:
            held = self.__dict__["_space"] = self._make_space()
        return held

    def __setattr__(self, key: str, value: Any) -> None:
        if not key.startswith("_"):  # a parameter, or what was learned
            self.__dict__.pop("_space", None)
        super().__setattr__(key, value)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in super().__getstate__().items() if key != "_space"}

    def _make_space(self, cls: type[LibrarySpace] = LibrarySpace, **options: Any) -> LibrarySpace:
        """Return a new space, of a class that may take options beside; overridden where structures have such ones."""
        items = self._names
        seconds = getattr(self, "_second_names", items)  # of what the second of two numbers stands for
        called = items or ()
        if seconds and seconds != items:  # behind the names of items, which the library needs then
            called = (*(items or range(len(seconds))), *seconds)
        description = replace(self._describe(), names=tuple(map(str, called)) or None)
        return cls(
            description, type(self).__name__, items=items, seconds=seconds, is_single=self._is_single,
            dtype=self._dtype, program=self._program, **options,
        )  # fmt: skip

    def _describe(self) -> Description:
        """Return the description that the compiled library reads; overridden where it takes more than the size."""
        return Description(self.name, {"n": self._n()})

    @property
    def _names(self) -> Names | None:
        """The names of the items, checked; None if they have none."""
        parameter = self._sized.names if hasattr(self, "_sized") else None
        names = None if parameter is None else getattr(self, parameter)
        return None if names is None else checked_names(names, f"{type(self).__name__}: {parameter}")

    def _n(self) -> int:
        """Return the size: the parameter, or the number of names. The library knows its range."""
        parameter, names = self._sized.parameter, self._names
        n = getattr(self, parameter)
        if n is None and names is not None:
            return len(names)
        if n is None:
            raise ValueError(
                f"{type(self).__name__}: {parameter} is not known yet; give it, or use structure_ of a fitted "
                f"estimator, which has it from {self._sized.source}"
            )
        require_integers(**{f"{type(self).__name__}: {parameter}": n})
        return int(n)

    # The translation between y and parts, which subclasses fill in.

    _metric_arguments: Callable[[Any, Any], tuple[Any, Any]]
    """Returns observed and predicted outputs in the format of the default metric, where that is another."""

    embed_sparse: Callable[[Any], sparse.csr_array | None]
    """Returns ψ of training targets in CSR format, or None if it is not sparse enough, where it may be.

    Training then takes time proportional to the number of nonzero entries instead of d.
    """

    def _resolve(self, y: Any) -> Structure:
        """Return a copy in which every size that was left out is read from y.

        Raises
        ------
        ValueError
            When a parameter that the user gave does not agree with y.
        """
        if not hasattr(self, "_sized"):
            return copy_with(self)
        sized, rows = self._sized, rows_of_names(self, y, "y")
        n = None if known_items(self) is None else self._n()
        changes: dict[str, Any] = {}
        if rows is not None and self._names is None:
            found = entries_in(self, rows, None, "y")
            if not isinstance(found.names, range):
                changes[str(sized.names)] = list(found.names)
            n = _size_by(found, n, sized)
        elif rows is None and self._columns == "items" and self._names is None and sized.names is not None:
            changes[sized.names] = column_names(y)
        changes[sized.parameter] = sized.shown(self, y, "y") if n is None else n
        return copy_with(self, **changes)

    _read_natural: Callable[[list[Any], str], NDArray[Any]]
    """Returns rows of names, which messages call by the second argument, in the format of y."""

    def ordered(self, y: Any, argument: str = "y") -> Any:
        """Return y as the array that the structure documents, or a data frame with its columns in order.

        Parameters
        ----------
        y : array-like of n rows
            In the structure's format, or in its natural form.
        argument : str, default="y"
            What messages call y.

        Returns
        -------
        y : array-like
            The argument itself, unless it is in natural form, or its columns have the structure's names in another
            order.

        Raises
        ------
        ValueError
            When a data frame has columns of other names, or lacks some; when a row in natural form is no output.

        Examples
        --------
        >>> import pandas as pd
        >>> from combpred.structures import LabelSets
        >>> LabelSets(labels=["urgent", "billing"]).ordered(pd.DataFrame({"billing": [1], "urgent": [0]}))
           urgent  billing
        0       0        1
        """
        if is_array_of_numbers(y):
            return y
        rows = rows_of_names(self, y, argument)
        if rows is not None:
            return self._read_natural(rows, argument)
        known = names_of_columns(self) if hasattr(type(y), "columns") else None
        return columns_in_order(y, known, argument, f"those of {type(self).__name__}", partly=self._columns is None)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        """Return y, which messages call `argument`, as rows of numbers that the library reads and checks.

        Overridden where the format of y is not a matrix with a column for each item.

        Raises
        ------
        ValueError
            When y has another shape, or holds something else than numbers.
        """
        n = self._n()
        return target_matrix(y, argument, n, f"{self._sized.column} ({self._sized.parameter}={n})")

    def encode(self, y: Any, argument: str = "y", *, partial: bool = False) -> NDArray[Any]:
        """Return outputs in parts, the form in which spaces compute with them.

        Parameters
        ----------
        y : array-like of n rows
            In the structure's format.
        argument : str, default="y"
            What messages call y.
        partial : bool, default=False
            Whether rows may be known in part, in structures that have such rows.

        Returns
        -------
        parts : ndarray of shape (n, part_len), dtype=int32

        Raises
        ------
        ValueError
            For the first row that is no output, with what is wrong with it.
        """
        y = self.ordered(y, argument)
        return encoded_rows(self.space.description, self._numbers(y, argument), argument, partial=partial)

    def feature_names(self) -> NDArray[np.object_]:
        r"""Return a name for every entry of ψ.

        Returns
        -------
        names : ndarray of shape (d,), dtype=object

        Raises
        ------
        ValueError
            When a size is not known yet.
        """
        return np.array(structure_names(self.space.description), dtype=object)

    # Facts about the space.

    def count(self) -> int:
        """Return the exact number of members of the space.

        Returns
        -------
        count : int
            A Python integer, exact however large it is.

        Raises
        ------
        CapabilityError
            When the number of members is not known.
        ValueError
            When a size is not known yet.
        """
        return self.space.count()

    def log_count(self) -> float:
        """Return the natural logarithm of the number of members.

        Returns
        -------
        log_count : float
            Finite even where the count itself overflows a float.

        Raises
        ------
        CapabilityError
            When the number of members is not known.
        ValueError
            When a size is not known yet.
        """
        return self.space.log_count()

    @property
    def n_features(self) -> int:
        r"""Length d of the embedding ψ."""
        return self.space.n_features

    @property
    def moments_info(self) -> MomentsInfo:
        """Where `mean` and `second_moment` come from: exact counts, a relaxation or samples."""
        return self.space.moments_info

    def mean(self) -> NDArray[np.float64]:
        r"""Return the mean μ of ψ(y) over uniform members y.

        Returns
        -------
        mean : ndarray of shape (d,)

        Notes
        -----
        Cost: O(d) where a formula is known, which the notes of each structure cite.

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, section 4.3.1: the counting assumption.
        """
        return structure_mean(self.space.description)

    def second_moment(self) -> NDArray[np.float64]:
        r"""Return the second moment M of ψ(y) over uniform members y.

        It is :math:`M = E\,\psi(y)\psi(y)^\top`.

        Returns
        -------
        second_moment : ndarray of shape (d, d)

        Raises
        ------
        MemoryError
            When a d × d matrix does not fit in memory; raised before it is allocated. Training does not need this
            matrix for structures whose covariance has a known spectrum.

        Notes
        -----
        Cost: O(d²) time and memory, where a formula is known.

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, section 4.3.1.
        """
        return structure_second_moment(self.space.description)

    def covariance(self) -> NDArray[np.float64]:
        r"""Return the covariance of ψ(y) over uniform members y.

        It is :math:`\Sigma = M - \mu\mu^\top`, with the mean μ and the second moment M.

        Returns
        -------
        covariance : ndarray of shape (d, d)

        Raises
        ------
        MemoryError
            When two d × d matrices do not fit in memory; raised before they are allocated.

        Notes
        -----
        Cost: that of `second_moment`, plus O(d²).
        """
        mean = self.mean()
        covariance = structure_second_moment(self.space.description)
        covariance -= np.outer(mean, mean)
        return covariance

    # Members of the space.

    def validate(self, y: Any) -> None:
        """Raise ValueError unless every row of y is a member of the space.

        Parameters
        ----------
        y : array-like
            In the structure's format.

        Raises
        ------
        ValueError
            For the first bad row: its number, what is wrong with it and the remedy.
        """
        self.encode(y)

    def embed(self, y: Any) -> NDArray[np.float64]:
        r"""Return the embedding ψ(y) of every row.

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
            When a row is not a member of the space; names the row.
        MemoryError
            When n × d numbers do not fit in memory; raised before they are allocated.

        Notes
        -----
        Cost: O(n d).
        """
        parts = self.encode(y)
        d = self.n_features
        require_memory(
            8 * len(parts) * d, f"embedding {len(parts)} rows in {d} dimensions", "embed fewer rows at a time"
        )
        return self.space.embed(parts)

    def sample(
        self,
        n: int,
        random_state: int | np.random.RandomState | None = None,
        *,
        scores: ArrayLike | None = None,
        constraints: Any = None,
        n_jobs: int | None = None,
    ) -> NDArray[Any]:
        r"""Draw independent members, exactly uniform ones or from the distributions that scores make.

        For a row s of scores that is :math:`p(y) \propto \exp\langle s, \psi(y)\rangle`, over the outputs that
        satisfy the constraint of the row, if there is one.

        Parameters
        ----------
        n : int
            Number of draws, at least 1; for each row of scores.
        random_state : int, RandomState instance or None, default=None
            The only source of randomness; the same integer gives the same members. Each row of scores has its own
            stream, which follows from it; equal rows are sampled independently.
        scores : array-like of shape (m, d) or (d,), default=None
            Finite numbers; columns of data frames as for `decode`. None: 0, for uniform members.
        constraints : dict or list of m dicts (or None), default=None
            Conditions that the outputs must satisfy, as for `decode`.
        n_jobs : int or None, default=None
            Number of threads, -1 for all; None: as configured.

        Returns
        -------
        y : ndarray of n rows, or of shape (n, m, ...) for scores of shape (m, d)
            In the structure's format.

        Raises
        ------
        CapabilityError
            When no exact sampler is known at this size. :func:`combpred.sampling.sample` takes Markov chains, too.
        TypeError, ValueError
            When `n` is not an integer, or is less than 1; and as for `log_partition`.

        Examples
        --------
        >>> from combpred.structures import LabelSets
        >>> LabelSets(3).sample(4, random_state=0, scores=[30.0, -30.0, 30.0])
        array([[1, 0, 1],
               [1, 0, 1],
               [1, 0, 1],
               [1, 0, 1]])
        """
        n, seed = whole_number(n, "n", 1, 2**31 - 1), seed_of(random_state)
        if scores is None and constraints is None:
            return self.space.decode_parts(self.space.sample(n, seed))
        return _scored.draws(self, n, seed, scores, constraints, n_jobs)

    def enumerate(self) -> Iterator[Any]:
        """Return an iterator over all members, each once, in a fixed order.

        Yields
        ------
        y : one row in the structure's format

        Raises
        ------
        CapabilityError
            When the space has more than 10 000 000 members; `sample` draws from larger spaces.
        """
        log_count = self.log_count()
        if log_count > math.log(_ENUMERATION_LIMIT + 0.5):
            raise CapabilityError(
                f"{self!r} has about exp({log_count:.6g}) members, enumerate() lists up to {_ENUMERATION_LIMIT}; use "
                "sample(), or a smaller size"
            )
        space = self.space
        return (y for parts in space.listed() for y in space.decode_parts(parts))

    # Best outputs.

    def decode(
        self,
        scores: ArrayLike,
        *,
        constraints: Any = None,
        decoder: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> NDArray[Any]:
        r"""Return a member of largest score for every row of `scores`.

        The score of a member y for a row s is :math:`\langle s, \psi(y)\rangle`.

        Parameters
        ----------
        scores : array-like of shape (n, d) or (d,)
            Finite numbers. The columns of a data frame are matched with `feature_names`.
        constraints : dict or list of n dicts (or None), default=None
            Conditions that the outputs must satisfy: one dict for all rows, or one for each row, where None leaves the
            row free. The structure's notes list the keys.
        decoder : {"auto", "exact", "approx", "local-search", "anneal", "metropolis", "milp"}, default="auto"
            As in :class:`StructuredRidge`: "auto" is exact where the structure can be solved exactly at its size and
            otherwise a local search that starts from "approx", a solution with a guarantee. Structures without a
            search are solved exactly by all of them. :func:`combpred.sampling.search` takes schedules and numbers of
            steps for "anneal" and "metropolis", and returns certificates.
        random_state : int, RandomState instance or None, default=None
            Source of the randomness of "anneal" and "metropolis".

        Returns
        -------
        y : ndarray of n rows, or one row for scores of shape (d,)
            In the structure's format.

        Raises
        ------
        ValueError, TypeError
            When scores are not finite, when a constraint is illegal, or when no member satisfies it; names the row.
        CapabilityError
            When `constraints` is given and the structure, or the decoder, takes none; when "exact" is beyond its size,
            or the structure is no integer program.

        Notes
        -----
        The notes of each structure state the cost of decoding one row.
        """
        space = self.space
        rows, single = read_scores(self, scores)
        how = Decoding(choice(decoder, "decoder", DECODERS))
        if how.is_random:
            how = Decoding(decoder, seed=seed_of(random_state))
        searched = space if constraints is None else RowConstraints(space, constraints, len(rows))
        decoded = searched.decode(rows, None, how)
        y = space.decode_parts(decoded.y)
        return y[0] if single else y

    def k_best(
        self, scores: ArrayLike, magnitude: FloatArray | None = None, *, constraints: Any = None, **options: Any
    ) -> Any:
        """Return an iterator over outputs, best first, or one for each row of scores.

        Parameters
        ----------
        scores : array-like of shape (d,) or (n, d)
            Scores of the entries of ψ; columns of data frames as for `decode`.
        magnitude : ndarray of shape (d,) or None, default=None
            Scores of their squares, the same for all rows.
        constraints : dict or list of n dicts (or None), default=None
            As for `decode`: one for all rows, or one for each.
        **options
            `most`, `nu`, `method` and `n_threads` as for ``space.k_best``.

        Returns
        -------
        outputs : iterator, or list of n iterators for scores of shape (n, d)
            Over rows in the structure's format. Of several outputs with equal ψ, which no score tells apart, only one
            is listed.

        Raises
        ------
        CapabilityError
            When the structure has no exact decoder at its size, or an embedding that cannot be partitioned; when it
            takes no constraints. Only later decodings raise errors during iteration; all others are raised at once.
        ValueError, TypeError
            When scores are not finite, when a constraint is illegal, or when no member satisfies it; names the row.

        Examples
        --------
        >>> from combpred.structures import Permutations
        >>> ranked = Permutations(3).k_best([2.0, 3.0, 1.0], most=3, constraints={"before": [(1, 2)]})
        >>> [y.tolist() for y in ranked]
        [[1, 2, 3], [2, 1, 3], [3, 1, 2]]
        """
        space = self.space
        rows, single = read_scores(self, scores)
        conditions = _scored.conditions_of(self, constraints, len(rows))
        lists = []
        for i, row in enumerate(rows):
            with nullcontext() if single else naming_row(i):
                held = {} if conditions is None else {"conditions": conditions.taken([i])}
                found = space.k_best(row, magnitude, **options, **held)
                first = list(islice(found, 1))
            lists.append(y for parts in chain(first, found) for y in space.decode_parts(parts[np.newaxis]))
        return lists[0] if single else lists

    # The distributions p(y) ∝ exp⟨s, ψ(y)⟩.

    log_partition = _scored.log_partition
    marginals = _scored.marginals
    log_partition_and_marginals = _scored.log_partition_and_marginals
    log_proba = _scored.log_proba
    entropy = _scored.entropy
    scores_from = _scored.scores_from

    # Quality of predictions.

    def score(self, y_true: Any, y_pred: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the weighted mean of the structure's default metric; larger is better.

        Parameters
        ----------
        y_true, y_pred : array-like of n rows
            Observed and predicted outputs in the structure's format. Observed rows may be `combpred.Admissible` sets;
            the prediction is then compared with the best match in the set.
        sample_weight : array-like of shape (n,), default=None
            Weights of the rows; None weighs all equally.

        Returns
        -------
        score : float
            In the units of `default_metric`.

        Raises
        ------
        ValueError
            When the metric is not defined for a row; names the argument and the row.
        """
        return float(metrics.mean_of_counted(row_scores(self, y_true, y_pred), sample_weight, False))

    # Equality.

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and _key(self) == _key(other)

    def __hash__(self) -> int:
        return hash(_key(self))


def row_scores(structure: Structure, y_true: Any, y_pred: Any) -> NDArray[np.float64]:
    """Return the default metric of each row, NaN where not enough of it is known to count."""
    metric = getattr(metrics, structure.default_metric)
    sets = flat_sets(y_true)
    y_true = y_true if sets is None else sets.y
    known = structure if rows_of_names(structure, y_true, "y_true") is None else structure._resolve(y_true)
    y_true, y_pred = known.ordered(y_true, "y_true"), known.ordered(y_pred, "y_pred")
    convert = getattr(known, "_metric_arguments", lambda *both: both)
    if sets is None:
        return metric(*convert(y_true, y_pred), per_row=True)
    sizes = np.diff(sets.first)
    if len(y_pred) != len(sizes):
        raise ValueError(f"y_true has {len(sizes)} rows and y_pred {len(y_pred)}; they must agree row by row")
    repeated = np.repeat(np.asarray(y_pred), sizes, axis=0)
    return np.maximum.reduceat(metric(*convert(y_true, repeated), per_row=True), sets.first[:-1])


def known_items(structure: Structure) -> Sequence[Any] | None:
    """Return the names of the items, or their numbers; None where not even their number is known."""
    names = structure._names
    if names is None and getattr(structure, structure._sized.parameter) is not None:
        return range(structure._n())
    return names


def names_of_columns(structure: Structure) -> Sequence[Hashable] | None:
    """Return the names of the columns of y; None if they have none."""
    names = structure._names
    if structure._columns is None or names is None:
        return structure._y_columns
    return names if structure._columns == "items" else structure_names(structure.space.description)


def rows_of_names(structure: Structure, y: Any, argument: str) -> list[Any] | None:
    """Return the rows of y if they are in natural form; None where they are in the structure's format."""
    form = structure._natural
    if form is None or is_array_of_numbers(y):
        return None
    rows = natural_rows(y, argument, named=form.named)
    return None if rows and not form.strings and all(isinstance(row, str) for row in rows) else rows


def entries_in(structure: Any, rows: list[Any], names: Any, argument: str) -> Entries:
    """Return what rows of `names` hold, None: of the names that occur; TargetError for what is no such row."""
    form: NaturalForm = structure._natural
    lists = rows if form.lists is None else form.lists(rows, argument)
    parameter = structure._sized.names
    return read_entries(lists, names, argument, parameter, ordered=form.ordered, once=form.once)


def _size_by(found: Entries, n: int | None, sized: Sized) -> int:
    """Return the size, n or the number of names that occur; ValueError where there are none, or not n names."""
    if n is None and not found.names:
        raise ValueError(f"y: no row names anything: give {sized.parameter} or {sized.names}")
    if n is None or isinstance(found.names, range):
        return len(found.names) if n is None else n
    first = np.sort(np.unique(found.item, return_index=True)[1])  # where each name occurs first
    if len(first) > n:
        name = found.names[found.item[first[n]]]
        raise TargetError(int(found.row[first[n]]), f"{name!r} is one name more than {sized.parameter}={n}", "y")
    if len(first) < n:
        raise ValueError(f"y: {len(first)} names occur, but {sized.parameter}={n}: give all of them as {sized.names}")
    return n


def in_names(structure: Structure, y: Any) -> Any:
    """Return outputs in natural form; themselves where they are names already."""
    form = structure._natural
    return y if form is None or form.writes is None else as_objects(getattr(structure, form.writes)(y))


def copy_with(structure: _Structure, **changes: Any) -> _Structure:
    """Return a copy of a structure with some attributes replaced."""
    other = copy.copy(structure)
    for key, value in changes.items():
        setattr(other, key, value)
    return other


def both_in_parts(structure: Structure, y_true: Any, y_pred: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return both in parts, for metrics that take these; those of y_true are −1 where they are unknown."""
    known = structure._resolve(y_true)
    partial = "partial" in known.space.capabilities
    truth = known.encode(y_true, "y_true", partial=partial)
    return np.where(truth == 0, -1, truth) if partial else truth, known.encode(y_pred, "y_pred")


def _key(structure: Structure) -> tuple[Hashable, ...]:
    """Return what equal structures share: class, parameters and learned attributes."""
    learned = {k: v for k, v in vars(structure).items() if k.endswith("_")}
    return type(structure), frozen(structure.get_params(deep=False)), frozen(dict(sorted(learned.items())))
