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

from ..._lib.arrays import FloatArray
from ..._lib.decode import Decoded, Decoding, decode, score_values
from ..._lib.errors import CapabilityError, RowError, renumbered
from ..._lib.structure import Description, structure_embed

if TYPE_CHECKING:
    from .._space import LibrarySpace


Pair = tuple[int, int]

#: Values of the parameter `decoder` that respect constraints.
CONSTRAINED = ("auto", "exact", "local-search", "milp")

# Penalty for a violated condition, after the scores of the row are scaled so that their magnitudes add up to less than
# 1. Two outputs then differ by less than 2, so no score outweighs a violation.
_PENALTY = 4.0


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
    signed : bool, default=False
        Whether entries of ψ may be −1, 0 or 1. Scores of squares are then needed to rule out one value.
    entries : ndarray of shape (d',) or None, default=None
        If the space has another embedding than the structure: for each of its d' entries, the entry of ψ from which it
        takes its score.
    listed : callable or None, default=None
        Function that turns decoded parts ``(k, part_len)`` into those that the user sees, if they differ.
    shown : str, default=""
        The constraint, for messages.
    decode : callable or None, default=None
        Function of linear scores, magnitudes and a `Decoding` that returns `Decoded`, if the library does not decode
        the space.
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
        """Return a key that restrictions share if they are equal and list outputs alike."""
        ints = self.description.ints
        fixed = None if ints is None else ints.tobytes()
        return (tuple(sorted(self.description.scalars.items())), fixed, self.must, self.must_not, self.shown)


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
        Rows with the same constraint are decoded together.
        """
        code = self._code[first : first + len(linear)]
        whole: Decoded | None = None
        for number in np.unique(code):
            rows = np.flatnonzero(code == number)
            weights = magnitude if magnitude is None or magnitude.ndim == 1 else magnitude[rows]
            try:
                part = self._decode_group(self._restrictions[number], linear[rows], weights, how, first + rows)
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
        self,
        restriction: Restriction | None,
        linear: FloatArray,
        magnitude: FloatArray | None,
        how: Decoding,
        rows: NDArray[np.intp],
    ) -> Decoded:
        """Decode rows that share a restriction; `rows` are their numbers among all rows."""
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
        """Decode rows that share a restriction by integer programs, which contain the conditions."""
        from .programs import decode_rows  # loads the solver

        structure = self._space.structure
        solve = partial(structure._best_by_program, restriction=restriction)
        try:
            found = decode_rows(self._space.description, linear, magnitude, solve)
        except RowError as error:
            raise ConstraintError(int(rows[error.row]), self._unmet(restriction, True)) from None
        return found if restriction.listed is None else found._replace(y=restriction.listed(found.y))

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


def _decode(
    restriction: Restriction, linear: FloatArray, magnitude: FloatArray | None, how: Decoding
) -> tuple[Decoded, FloatArray, NDArray[np.bool_]]:
    """Decode rows under one restriction.

    Returns
    -------
    found : Decoded
        Its bounds and guarantees hold among the outputs that satisfy the restriction.
    psi : ndarray of shape (n, d)
        ψ of the outputs, in the structure's embedding.
    met : ndarray of shape (n,), bool
        Whether an output satisfies the restriction.
    """
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
    """Return scores with a penalty for each violated condition that no other score can outweigh.

    Returns
    -------
    exponent : ndarray of shape (n,)
        The scores of row i are divided by ``2 ** exponent[i]``, so that their magnitudes add up to less than 1.
    scaled : ndarray of shape (n, d)
        Scores of the entries of ψ.
    squares : ndarray of shape (n, d) or (1, d), or None
        Scores of their squares.
    """
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
    if signed and squares is not None:  # adds 0 for −value and for 0, and −_PENALTY for value
        scaled -= np.bincount(at, _PENALTY / 2 * values, d)
        squares -= np.bincount(at, minlength=d) * (_PENALTY / 2)
    else:
        scaled -= np.bincount(at, minlength=d) * _PENALTY
    return exponent, scaled, squares


def _columns(conditions: tuple[tuple[int, int], ...]) -> tuple[NDArray[np.intp], FloatArray]:
    """Return the entries of ψ and the values of conditions as two arrays."""
    table = np.array(conditions, dtype=np.intp).reshape(-1, 2)
    return table[:, 0], table[:, 1].astype(np.float64)
