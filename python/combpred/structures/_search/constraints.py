"""Conditions on outputs: what a user may ask, and decoding under it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._lib.decode import Decoded, Decoding, decode, score_values
from ..._lib.errors import CapabilityError, RowError, renumbered
from ..._lib.structure import Description, structure_embed

if TYPE_CHECKING:
    from .._space import Space


Pair = tuple[int, int]

FloatArray = NDArray[np.float64]

#: Values of the parameter `decoder` that can be told of constraints.
CONSTRAINED = ("auto", "exact", "local-search", "milp")

# What a violated condition costs when all scores of the row are scaled to sum up to less than 1 in magnitude: two
# outputs then differ by less than 2.
_PENALTY = 4.0


class ConditionError(ValueError):
    """A condition that contradicts another one or the structure; `_constraints` adds the row."""


class ConditionTypeError(TypeError):
    """A condition of a wrong type; `_constraints` adds the row."""


@dataclass(frozen=True)
class Noun:
    """What the numbers in a condition stand for."""

    one: str
    many: str
    n: int

    def check(self, key: str, value: Any) -> int:
        """Return a number 0..n−1."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise ConditionTypeError(f"{key!r} holds {_shown(value)}; {self.many} are whole numbers 0..{self.n - 1}")
        if not 0 <= value < self.n:
            raise ConditionError(f"{key!r} holds {value}; {self.many} are whole numbers 0..{self.n - 1}")
        return int(value)


class Conditions:
    """The conditions of one constraint.

    Parameters
    ----------
    given : mapping
        From key to condition; None stands for none.
    keys : tuple of str
        Those that the structure takes.
    what : str
        Name of the structure's class, for messages.

    Raises
    ------
    ConditionError, ConditionTypeError
        For unknown keys and for no mapping; later for every condition that is not legal.
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
        """Return the one number that a key holds, None without the key."""
        return noun.check(key, self._given[key]) if key in self._given else None

    def count(self, key: str, least: int, most: int, noun: str) -> int | None:
        """Return how many there shall be, between two bounds; None without the key."""
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
        """Return the numbers that a key lists, in ascending order and each once."""
        return sorted({noun.check(key, value) for value in self._items(key, f"a list of {noun.many}, such as [0, 1]")})

    def pairs(self, key: str, noun: Noun, *, second: Noun | None = None) -> list[Pair]:
        """Return the pairs that a key lists, without repetitions; the second number may count something else."""
        remedy = f"a list of pairs of {noun.many}, such as [(0, 1)]"
        found = dict.fromkeys(_pair(key, item, noun, second or noun, remedy) for item in self._items(key, remedy))
        return list(found)

    def mixed(self, key: str, noun: Noun) -> tuple[list[int], list[Pair]]:
        """Return the numbers and the pairs that a key lists, in any order."""
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
        value = self._given.get(key, ())
        listed = isinstance(value, (list, tuple, set, frozenset, range)) or getattr(value, "ndim", 0) > 0
        if not listed:
            raise ConditionTypeError(f"{key!r} is {_shown(value)}; it takes {remedy}")
        return iter(value)


def _pair(key: str, item: Any, first: Noun, second: Noun, remedy: str) -> Pair:
    if not (isinstance(item, (list, tuple)) or getattr(item, "ndim", 0) == 1) or len(item) != 2:
        raise ConditionTypeError(f"{key!r} holds {_shown(item)}; it takes {remedy}")
    return first.check(key, item[0]), second.check(key, item[1])


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _listed(keys: tuple[str, ...]) -> str:
    return ", ".join(repr(key) for key in keys)


class ConstraintError(RowError):
    """A constraint that is not legal, or that no output satisfies.

    Parameters
    ----------
    row : int
        The first such row, counted from 0.
    reason : str
        What is wrong with it.
    """

    def __str__(self) -> str:
        return f"constraints, row {self.row}: {self.reason}"


@dataclass(frozen=True)
class Restriction:
    """The outputs that satisfy one constraint, as the decoders are told of them.

    Attributes
    ----------
    description : Description
        The space to decode in; it meets the conditions that ψ has no entry for.
    must, must_not : tuple of (int, int)
        Entries of ψ with a value, 1 or −1, that they must, or must not, have.
    signed : bool, default=False
        Whether entries of ψ may be −1, 0 or 1, so that scores of their squares are needed to rule one value out.
    entries : ndarray of shape (d',) or None
        Where the space has another embedding than the structure: the entry of ψ whose score each of its entries takes.
    listed : callable or None
        How decoded outputs ``(k, part_len)`` are listed for the user, where that depends on the constraint.
    shown : str
        The constraint, for messages.
    decode : callable or None
        From linear scores, magnitudes and `Decoding` to `Decoded`, where the library does not decode the space.
    """

    description: Description
    must: tuple[tuple[int, int], ...] = ()
    must_not: tuple[tuple[int, int], ...] = ()
    signed: bool = False
    entries: NDArray[np.intp] | None = None
    listed: Callable[[NDArray[np.int32]], NDArray[np.int32]] | None = None
    shown: str = ""
    decode: Callable[[FloatArray, FloatArray | None, Decoding], Decoded] | None = None

    def key(self) -> Hashable:
        """Return what equal restrictions have in common, up to how outputs are listed."""
        ints = self.description.ints
        fixed = None if ints is None else ints.tobytes()
        return (tuple(sorted(self.description.scalars.items())), fixed, self.must, self.must_not, self.shown)


class RowConstraints:
    """The constraints of all rows.

    Parameters
    ----------
    space : Space
        The space that is predicted in.
    constraints : mapping, or sequence, array or Series of (mapping or None)
        One for all rows, or one for each; None: the row is free.
    n : int
        Number of rows.

    Raises
    ------
    CapabilityError
        When the structure takes no constraints.
    ValueError, TypeError
        When a constraint is not legal; names the row, the key and the remedy.
    """

    def __init__(self, space: Space, constraints: Any, n: int) -> None:
        self._space, structure = space, space.structure
        if isinstance(constraints, Iterable) and hasattr(constraints, "dtype"):
            constraints = list(constraints)  # an array or a Series of dicts
        held = constraints if isinstance(constraints, Sequence) else [constraints]
        if not structure._constraint_keys and any(held):
            raise CapabilityError(
                f"{type(structure).__name__} takes no constraints; leave them out, or choose among its outputs"
            )
        self._restrictions: list[Restriction | None] = []
        if isinstance(constraints, Mapping):
            self._restrictions.append(self._parsed(constraints, "constraints"))
            self._code = np.zeros(n, dtype=np.intp)
            return
        if isinstance(constraints, str) or not isinstance(constraints, Sequence):
            raise TypeError(
                f"constraints must be a dict for all rows, or a list with a dict or None for each; got {constraints!r}"
            )
        if len(constraints) != n:
            raise ValueError(f"constraints has {len(constraints)} entries for {n} rows; give one for each row")
        known: dict[Hashable, int] = {}
        code = []
        for row, given in enumerate(constraints):
            restriction = None if given is None else self._parsed(given, f"constraints, row {row}", row)
            number = known.setdefault(None if restriction is None else restriction.key(), len(known))
            if number == len(self._restrictions):
                self._restrictions.append(restriction)
            code.append(number)
        self._code = np.array(code, dtype=np.intp)

    def _parsed(self, given: Any, where: str, row: int | None = None) -> Restriction | None:
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
        """Decode the scores of consecutive rows from number `first` on, as ``space.decode`` does.

        Rows with the same constraint are decoded together.

        Raises
        ------
        CapabilityError
            When the decoder cannot be told of constraints, or is beyond its size.
        ValueError
            When no output satisfies a row's constraint, or a search found none.
        """
        code = self._code[first : first + len(linear)]
        whole: Decoded | None = None
        for number in np.unique(code):
            rows = np.flatnonzero(code == number)
            weights = magnitude if magnitude is None or magnitude.ndim == 1 else magnitude[rows]
            part = self._decode_group(self._restrictions[number], linear[rows], weights, how, first + rows)
            if len(rows) == len(linear):
                return part
            if whole is None:
                whole = Decoded(*(np.empty((len(linear), *a.shape[1:]), dtype=a.dtype) for a in part))
            for all_rows, some in zip(whole, part, strict=True):
                all_rows[rows] = some
        return self._space.decode(linear, magnitude, how) if whole is None else whole

    def _decode_group(
        self,
        restriction: Restriction | None,
        linear: FloatArray,
        magnitude: FloatArray | None,
        how: Decoding,
        rows: NDArray[np.intp],
    ) -> Decoded:
        if restriction is None:
            with renumbered(rows):
                return self._space.decode(linear, magnitude, how)
        if how.decoder not in CONSTRAINED:
            names = ", ".join(repr(name) for name in CONSTRAINED)
            raise CapabilityError(f"decoder={how.decoder!r} takes no constraints; those that do are {names}")
        if how.decoder == "milp":
            return self._decode_programs(restriction, linear, magnitude, rows)
        if restriction.entries is not None and magnitude is not None:
            self._space.require_preimage()  # squares of sums are no sums of squares
        with renumbered(rows):
            found, psi, met = _decode(restriction, linear, magnitude, how)
        if not met.all():
            row = int(np.argmin(met))
            raise ConstraintError(int(rows[row]), self._unmet(restriction, bool(found.optimal[row])))
        value = score_values(psi, linear, magnitude)
        bound = np.where(found.optimal, value, np.maximum(found.upper_bound, value))
        y = found.y if restriction.listed is None else restriction.listed(found.y)
        return Decoded(y, value, bound, found.nu, found.optimal)

    def _decode_programs(
        self, restriction: Restriction, linear: FloatArray, magnitude: FloatArray | None, rows: NDArray[np.intp]
    ) -> Decoded:
        """Decode rows as integer programs, of which the conditions are a part."""
        from .programs import decode_rows  # loads the solver

        structure = self._space.structure
        solve = partial(structure._best_by_program, restriction=restriction)
        try:
            found = decode_rows(self._space.description, linear, magnitude, solve)
        except RowError as error:
            raise ConstraintError(int(rows[error.row]), self._unmet(restriction, True)) from None
        return found if restriction.listed is None else found._replace(y=restriction.listed(found.y))

    def _unmet(self, restriction: Restriction, proven: bool) -> str:
        name = type(self._space.structure).__name__
        if proven:
            return f"no output of {name} satisfies {restriction.shown}; leave conditions out"
        return (
            f"the search found no output of {name} that satisfies {restriction.shown}; there may be one: leave "
            "conditions out, forbid more so that exact decoding is possible, or, for rankings without ties, "
            "cycles and routes, let decoder='milp' decide it"
        )


def _decode(
    restriction: Restriction, linear: FloatArray, magnitude: FloatArray | None, how: Decoding
) -> tuple[Decoded, FloatArray, NDArray[np.bool_]]:
    """Decode rows under one restriction: certificates about its outputs, ψ of the structure, and who meets it."""
    entries = restriction.entries
    inner = linear if entries is None else linear[:, entries]
    weights = magnitude if magnitude is None or entries is None else magnitude[..., entries]
    penalised = bool(restriction.must or restriction.must_not)
    if penalised:
        exponent, inner, weights = _penalised(restriction, inner, weights)
    if restriction.decode is not None:
        found = restriction.decode(inner, weights, how)
    else:
        found = decode(restriction.description, inner, weights, how.decoder, how.n_threads)
    psi = structure_embed(restriction.description, found.y, n_threads=how.n_threads)
    at, values = _columns(restriction.must)
    met = (psi[:, at] == values).all(axis=1)
    at, values = _columns(restriction.must_not)
    met &= (psi[:, at] != values).all(axis=1)
    if penalised:
        bound = np.ldexp(found.upper_bound - _PENALTY * len(restriction.must), exponent)
        found = found._replace(upper_bound=bound, nu=np.where(found.optimal, 0.0, 1.0))
    if entries is not None:
        folded = np.zeros((linear.shape[1], len(psi)))
        np.add.at(folded, entries, psi.T)
        psi = np.ascontiguousarray(folded.T)
    return found, psi, met


def _penalised(
    restriction: Restriction, linear: FloatArray, magnitude: FloatArray | None
) -> tuple[NDArray[np.intc], FloatArray, FloatArray | None]:
    """Return scores that prefer every condition met to anything else, and the power of 2 they are scaled down by."""
    weights = np.zeros((1, linear.shape[1])) if magnitude is None else np.atleast_2d(magnitude)
    total = np.abs(linear).sum(axis=1) + np.abs(weights).sum(axis=1)
    _, exponent = np.frexp(total)
    scaled = np.ldexp(linear, -exponent[:, np.newaxis])
    signed = restriction.signed
    squares = None if magnitude is None and not signed else np.ldexp(weights, -exponent[:, np.newaxis])
    d = linear.shape[1]
    at, values = _columns(restriction.must)
    scaled += np.bincount(at, _PENALTY * values, d)
    at, values = _columns(restriction.must_not)
    if signed and squares is not None:  # 0 for −value and 0, −_PENALTY for value
        scaled -= np.bincount(at, _PENALTY / 2 * values, d)
        squares -= np.bincount(at, minlength=d) * (_PENALTY / 2)
    else:
        scaled -= np.bincount(at, minlength=d) * _PENALTY
    return exponent, scaled, squares


def _columns(conditions: tuple[tuple[int, int], ...]) -> tuple[NDArray[np.intp], FloatArray]:
    """Return the entries and the values of conditions."""
    table = np.array(conditions, dtype=np.intp).reshape(-1, 2)
    return table[:, 0], table[:, 1].astype(np.float64)
