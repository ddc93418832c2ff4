"""Constraints on outputs: parsing what the user passes, and decoding under it.

The user's dict for one row becomes `Conditions`; the structure's ``_restriction`` turns these into a `Restriction`,
which decoders understand; `RowConstraints` holds the restrictions of all rows and decodes under them. To take
constraints, a structure lists its keys and implements ``_restriction``; what families of structures share for this is
in `_members`, `_edges`, `_orders` and `_visits`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._data.checks import counted
from ..._lib.arrays import FloatArray
from ..._lib.decode import Constraints, Decoded, Decoding, decode
from ..._lib.errors import CapabilityError, RowError, renumbered
from ..._lib.names import CONSTRAINED_DECODERS
from ..._lib.structure import Description

if TYPE_CHECKING:
    from .._space import LibrarySpace


Pair = tuple[int, int]

#: Values of the parameter `decoder` that respect constraints.
CONSTRAINED = (*CONSTRAINED_DECODERS, "milp")


class ConditionError(ValueError):
    """A condition contradicts another one or the structure; `RowConstraints` adds the row to the message."""


class ConditionTypeError(TypeError):
    """A condition has a wrong type; `RowConstraints` adds the row to the message."""


@dataclass(frozen=True)
class Noun:
    """What the numbers in a condition stand for, such as labels 0..n−1.

    Attributes
    ----------
    one, many : str
        What messages call one of them, and several.
    n : int
        How many there are.
    """

    one: str
    many: str
    n: int

    def check(self, key: str, value: Any) -> int:
        """Return a value of the condition `key` as an int after checking that it is in 0..n−1."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise ConditionTypeError(f"{key!r} holds {_shown(value)}; {self.many} are whole numbers 0..{self.n - 1}")
        if not 0 <= value < self.n:
            raise ConditionError(f"{key!r} holds {value}; {self.many} are whole numbers 0..{self.n - 1}")
        return int(value)


class Conditions:
    """The conditions of one constraint, as the user gave them; methods read and check the values of keys.

    Parameters
    ----------
    given : mapping
        From key to condition. A condition that is None counts as absent.
    keys : tuple of str
        The keys that the structure takes.
    what : str
        Name of the structure's class, for messages.

    Raises
    ------
    ConditionError, ConditionTypeError
        When `given` is not a mapping or has an unknown key. The methods raise them for illegal values.
    """

    def __init__(self, given: Mapping[str, Any], keys: tuple[str, ...], what: str) -> None:
        if not isinstance(given, Mapping):
            raise ConditionTypeError(f"found {_shown(given)}; a constraint is a dict with keys out of {_listed(keys)}")
        for key in given:
            if key not in keys:
                raise ConditionError(f"{what} take no key {key!r}; their keys are {_listed(keys)}")
        self._given = {key: value for key, value in given.items() if value is not None}

    def __bool__(self) -> bool:
        return bool(self._given)

    def __str__(self) -> str:
        text = str(self._given)
        return text if len(text) <= 200 else f"{text[:199]}…"

    def one(self, key: str, noun: Noun) -> int | None:
        """Return the number that a key holds, or None if the key is absent."""
        return noun.check(key, self._given[key]) if key in self._given else None

    def count(self, key: str, least: int, most: int, noun: str) -> int | None:
        """Return the integer between `least` and `most` that a key holds, or None if the key is absent.

        `noun` says what it counts, for messages.
        """
        value = self._given.get(key)
        if value is None:
            return None
        remedy = f"it is the number of {noun}, {least}..{most}"
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise ConditionTypeError(f"{key!r} is {_shown(value)}; {remedy}")
        if not least <= value <= most:
            raise ConditionError(f"{key!r} is {value}; {remedy}")
        return int(value)

    def many(self, key: str, noun: Noun) -> list[int]:
        """Return the numbers that a key lists, in ascending order and without repetitions."""
        return sorted({noun.check(key, value) for value in self._items(key, f"a list of {noun.many}, such as [0, 1]")})

    def pairs(self, key: str, noun: Noun, *, second: Noun | None = None) -> list[Pair]:
        """Return the pairs that a key lists, without repetitions; `second` is what their second numbers stand for."""
        remedy = f"a list of pairs of {noun.many}, such as [(0, 1)]"
        found = dict.fromkeys(_pair(key, item, noun, second or noun, remedy) for item in self._items(key, remedy))
        return list(found)

    def mixed(self, key: str, noun: Noun) -> tuple[list[int], list[Pair]]:
        """Return the numbers and the pairs of numbers that a key lists."""
        remedy = f"a list of {noun.many} and of pairs of them, such as [2, (0, 1)]"
        alone: set[int] = set()
        pairs: dict[Pair, None] = {}
        for item in self._items(key, remedy):
            if isinstance(item, Collection) or getattr(item, "ndim", 0) > 0:
                pairs[_pair(key, item, noun, noun, remedy)] = None
            else:
                alone.add(noun.check(key, item))
        return sorted(alone), list(pairs)

    def _items(self, key: str, remedy: str) -> Iterator[Any]:
        """Return an iterator over the list that a key holds, empty if the key is absent."""
        value = self._given.get(key, ())
        listed = isinstance(value, (list, tuple, set, frozenset, range)) or getattr(value, "ndim", 0) > 0
        if not listed:
            raise ConditionTypeError(f"{key!r} is {_shown(value)}; it takes {remedy}")
        return iter(value)


def _pair(key: str, item: Any, first: Noun, second: Noun, remedy: str) -> Pair:
    """Return an item of a list as a pair of ints, checked."""
    if not (isinstance(item, (list, tuple)) or getattr(item, "ndim", 0) == 1) or len(item) != 2:
        raise ConditionTypeError(f"{key!r} holds {_shown(item)}; it takes {remedy}")
    return first.check(key, item[0]), second.check(key, item[1])


def _shown(value: Any) -> str:
    """Return a value for messages, shortened if it is long."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _listed(keys: tuple[str, ...]) -> str:
    """Return keys for messages."""
    return ", ".join(repr(key) for key in keys)


class ConstraintError(RowError):
    """The constraint of a row is illegal, or no output satisfies it.

    Parameters
    ----------
    row : int
        The first such row, counted from 0.
    reason : str
        What is wrong with its constraint.
    """

    def message(self) -> str:
        return f"constraints, row {self.row}: {self.reason}"


@dataclass(frozen=True)
class Restriction:
    """The set of outputs that satisfy one constraint, in the form that decoders take.

    Attributes
    ----------
    description : Description
        The space to decode in. Conditions that are not about single entries of ψ are part of it.
    must, must_not : tuple of (int, int)
        Pairs of an entry of ψ and the value, 1 or −1, that it must, or must not, have.
    entries : ndarray of shape (d',) or None, default=None
        If the space has another embedding than the structure: for each of its d' entries, the entry of ψ from which it
        takes its score.
    listed : callable or None, default=None
        Function that turns decoded parts ``(k, part_len)`` into those that the user sees, if they differ.
    shown : str, default=""
        The constraint, for messages.
    decode : callable or None, default=None
        Function of linear scores, magnitudes, a `Decoding` and the restriction that returns `Decoded`, or None where no
        output satisfies the restriction; if the library does not decode the space.
    """

    description: Description
    must: tuple[tuple[int, int], ...] = ()
    must_not: tuple[tuple[int, int], ...] = ()
    entries: NDArray[np.intp] | None = None
    listed: Callable[[NDArray[np.int32]], NDArray[np.int32]] | None = None
    shown: str = ""
    decode: Callable[[FloatArray, FloatArray | None, Decoding, Restriction], Decoded | None] | None = None

    def space_key(self) -> Hashable:
        """Return a key that restrictions share if they are decoded in the same space."""
        ints = self.description.ints
        fixed = None if ints is None else ints.tobytes()
        own = None if self.decode is None else (self.must, self.must_not)
        return (tuple(sorted(self.description.scalars.items())), fixed, own)


class RowConstraints:
    """The constraints of all rows, and decoding under them.

    Parameters
    ----------
    space : LibrarySpace
        The space to which predictions belong.
    constraints : mapping, or sequence, array or Series of (mapping or None)
        One constraint for all rows, or one for each row, where None leaves the row free.
    n : int
        Number of rows.

    Raises
    ------
    CapabilityError
        When the structure takes no constraints.
    ValueError, TypeError
        When a constraint is illegal; names the row, the key and the remedy.
    """

    def __init__(self, space: LibrarySpace, constraints: Any, n: int) -> None:
        self._space, structure = space, space.structure
        if isinstance(constraints, Iterable) and hasattr(constraints, "dtype"):
            constraints = list(constraints)  # an array or a Series of dicts
        held = constraints if isinstance(constraints, Sequence) else [constraints]
        if not structure._constraint_keys and any(held):
            raise CapabilityError(
                f"{type(structure).__name__} takes no constraints; leave them out, or choose among its outputs"
            )
        self._restrictions: list[Restriction | None]  # of all rows, or the one that they share
        if isinstance(constraints, Mapping):
            self._restrictions = [self._parsed(constraints, "constraints")]
            self._code = np.zeros(n, dtype=np.intp)
            return
        if isinstance(constraints, str) or not isinstance(constraints, Sequence):
            raise TypeError(
                f"constraints must be a dict for all rows, or a list with a dict or None for each; got {constraints!r}"
            )
        if len(constraints) != n:
            raise ValueError(
                f"constraints has {counted(len(constraints), 'entry', 'entries')} for "
                f"{counted(n, 'row')}; give one for each row"
            )
        self._restrictions = [
            None if given is None else self._parsed(given, f"constraints, row {row}", row)
            for row, given in enumerate(constraints)
        ]
        known: dict[Hashable, int] = {}
        keys = (None if restriction is None else restriction.space_key() for restriction in self._restrictions)
        self._code = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.intp)

    def _of(self, row: int) -> Restriction | None:
        """Return the restriction of a row."""
        return self._restrictions[0 if len(self._restrictions) == 1 else row]

    def _parsed(self, given: Any, where: str, row: int | None = None) -> Restriction | None:
        """Return the restriction of one constraint, or None if it has no conditions; errors begin with `where`."""
        structure = self._space.structure
        try:
            conditions = Conditions(given, structure._constraint_keys, type(structure).__name__)
            return structure._restriction(conditions) if conditions else None
        except ConditionTypeError as error:
            raise TypeError(f"{where}: {error}") from None
        except ConditionError as error:
            if row is None:
                raise ValueError(f"{where}: {error}") from None
            raise ConstraintError(row, str(error)) from None

    def decode(self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding, first: int = 0) -> Decoded:
        """Return an output of largest score that satisfies the constraint of its row, with a certificate.

        Parameters
        ----------
        linear : ndarray of shape (n, d)
            Scores of consecutive rows.
        magnitude : ndarray of shape (d,) or (n, d), or None
            Scores of the squares of ψ, as in ``space.decode``.
        how : Decoding
            Decoder, number of threads and seed.
        first : int, default=0
            Number of the first of these rows among all rows.

        Raises
        ------
        CapabilityError
            When the decoder does not respect constraints, or is beyond its size.
        ConstraintError
            When no output satisfies the constraint of a row, or a search found none.

        Notes
        -----
        Rows whose outputs belong to the same space are decoded together.
        """
        code = self._code[first : first + len(linear)]
        whole: Decoded | None = None
        for number in np.unique(code):
            rows = np.flatnonzero(code == number)
            weights = magnitude if magnitude is None or len(np.atleast_2d(magnitude)) == 1 else magnitude[rows]
            try:
                part = self._decode_group(linear[rows], weights, how, first + rows)
            except CapabilityError as error:
                if error.row is not None or len(self._restrictions) == 1 or how.decoder not in CONSTRAINED:
                    raise
                # Whatever the scores, but rows with other constraints may do.
                raise error.at(int(first + rows[0])) from error.__cause__
            if len(rows) == len(linear):
                return part
            if whole is None:
                whole = Decoded(*(np.empty((len(linear), *a.shape[1:]), dtype=a.dtype) for a in part))
            for all_rows, some in zip(whole, part, strict=True):
                all_rows[rows] = some
        return self._space.decode(linear, magnitude, how) if whole is None else whole

    def _decode_group(
        self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding, rows: NDArray[np.intp]
    ) -> Decoded:
        """Decode rows in one space; `rows` are their numbers among all rows."""
        held = [self._of(row) for row in rows.tolist()]
        shared = held[0]
        if shared is None:
            with renumbered(rows):
                return self._space.decode(linear, magnitude, how)
        restrictions = [restriction for restriction in held if restriction is not None]  # which are all
        if how.decoder not in CONSTRAINED:
            names = ", ".join(repr(name) for name in CONSTRAINED)
            raise CapabilityError(f"decoder={how.decoder!r} takes no constraints; those that do are {names}")
        if how.decoder == "milp":
            return self._decode_programs(restrictions, linear, magnitude, rows)
        if shared.entries is not None:
            if magnitude is not None:
                self._space.require_preimage()  # squares of sums are no sums of squares, unless the sums are 0 or 1
                magnitude = magnitude[..., shared.entries]
            linear = linear[:, shared.entries]
        met = np.ones(len(rows), dtype=np.bool_)
        with renumbered(rows):
            if shared.decode is None:
                found: Decoded | None = decode(
                    shared.description,
                    linear,
                    magnitude,
                    how.decoder,
                    how.n_threads,
                    constraints=_conditions(restrictions),
                    met=met,
                )
            else:
                found = shared.decode(linear, magnitude, how, shared)
        if found is None or not met.all():
            row = int(np.argmin(met)) if found is not None else 0
            proven = found is None or bool(found.optimal[row])
            raise ConstraintError(int(rows[row]), self._unmet(restrictions[row], proven))
        return found if shared.listed is None else found._replace(y=shared.listed(found.y))

    def _decode_programs(
        self, restrictions: list[Restriction], linear: FloatArray, magnitude: FloatArray | None, rows: NDArray[np.intp]
    ) -> Decoded:
        """Decode rows in one space by integer programs, which contain the conditions."""
        from .programs import decode_rows  # loads the solver

        structure = self._space.structure
        solvers = [partial(structure._best_by_program, restriction=restriction) for restriction in restrictions]
        try:
            found = decode_rows(self._space.description, linear, magnitude, solvers)
        except RowError as error:
            raise ConstraintError(int(rows[error.row]), self._unmet(restrictions[error.row], True)) from None
        listed = restrictions[0].listed
        return found if listed is None else found._replace(y=listed(found.y))

    def _unmet(self, restriction: Restriction, proven: bool) -> str:
        """Return a message that no output satisfies the constraint, if that is proven, or that a search found none."""
        name = type(self._space.structure).__name__
        if proven:
            return f"no output of {name} satisfies {restriction.shown}; leave conditions out"
        return (
            f"the search found no output of {name} that satisfies {restriction.shown}; there may be one: leave "
            "conditions out, forbid more so that exact decoding is possible, or, for rankings without ties, "
            "cycles and routes, let decoder='milp' decide it"
        )


def _conditions(restrictions: list[Restriction]) -> Constraints:
    """Return the conditions of rows on entries of ψ as the library takes them."""
    if all(restriction is restrictions[0] for restriction in restrictions):
        restrictions = restrictions[:1]
    table = [
        (*condition, must)
        for restriction in restrictions
        for must, conditions in ((1, restriction.must), (0, restriction.must_not))
        for condition in conditions
    ]
    feature, value, must = np.array(table, dtype=np.int32).reshape(-1, 3).T
    sizes = [len(restriction.must) + len(restriction.must_not) for restriction in restrictions]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Constraints(first, np.ascontiguousarray(feature), value.astype(np.int8), must.astype(np.int8))
