"""Constraints on outputs: reading what the user passes, and decoding under it.

The user's dicts become `Conditions`, whole numbers by key, which the core checks, and respects where it decodes.
Integer programs and users' properties, which it does not decode, get a `Restriction` for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._data.checks import counted, is_integer
from ..._data.names import Names, index_of
from ..._data.targets import meant, summary
from ..._lib.arrays import FloatArray
from ..._lib.call import call
from ..._lib.decode import ALONE, Conditions, Decoded, Decoding, arrange, condition_key, decode, entries_of_conditions
from ..._lib.errors import CapabilityError, RowError, renumbered
from ..._lib.names import CONSTRAINED_DECODERS
from ..._lib.structure import condition_terms

if TYPE_CHECKING:
    from .._space import LibrarySpace


#: Values of the parameter `decoder` that respect constraints.
CONSTRAINED = (*CONSTRAINED_DECODERS, "milp")

_Numbers = tuple[Callable[[Any], int], Callable[[Any], int]]  # of the first and the second item of a pair


@dataclass(frozen=True)
class Restriction:
    """The constraint of one row, for what the core does not decode.

    Attributes
    ----------
    must, must_not : list of (int, int)
        Pairs of an entry of ψ and the value, 1, 0 or −1, that it must, or must not, have.
    given : dict of str to list of (int, int)
        What each key of the constraint holds: pairs, and numbers n as ``(n, ALONE)``.
    """

    must: Sequence[tuple[int, int]] = ()
    must_not: Sequence[tuple[int, int]] = ()
    given: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)


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
        self._space, self._name, terms = space, space.title, condition_terms(space.description.name)
        if isinstance(constraints, Iterable) and hasattr(constraints, "dtype"):
            constraints = list(constraints)  # an array or a Series of dicts
        self._shared = isinstance(constraints, Mapping)
        self._given = constraints if isinstance(constraints, Sequence) else [constraints]
        if not terms and any(self._given):
            raise CapabilityError(f"{self._name} takes no constraints; leave them out, or choose among its outputs")
        if isinstance(constraints, str) or not isinstance(constraints, (Mapping, Sequence)):
            raise TypeError(f"constraints must be a dict, or a list of one or None per row; got {constraints!r:.80}")
        if not self._shared and len(constraints) != n:
            entries, rows = counted(len(constraints), "entry", "entries"), counted(n, "row")
            raise ValueError(f"constraints has {entries} for {rows}; give one for each row")
        number = lru_cache(typed=True)(_number)  # the same few items come again and again, by names to be looked up
        numbers = partial(number, names=space.items), partial(number, names=space.seconds)
        try:
            read = [self._read(row, one, terms, numbers) for row, one in enumerate(self._given)]
            self._conditions = Conditions.of(read)
            if terms:
                call("cp_space_restrict", space.description, self._conditions, None, n_threads=1)
        except RowError as error:
            shared = ValueError(f"constraints: {error.reason}") if self._shared else None
            raise shared or RowError(error.row, error.reason, "constraints") from None

    def _read(self, row: int, given: Any, terms: Mapping[str, Any], numbers: _Numbers) -> list[tuple[int, int, int]]:
        """Return the conditions of a row: keys by number, and what they hold."""
        found: list[tuple[int, int, int]] = []
        try:
            if given is not None and not isinstance(given, Mapping):
                raise TypeError(f"found {given!r:.80}; a constraint is a dict with keys out of {', '.join(terms)}")
            for key, value in (given or {}).items():
                if key not in terms:
                    keys = list(terms)
                    raise ValueError(
                        f"{self._name} takes no key {key!r}; its keys are {', '.join(keys)}{meant(key, keys)}"
                    )
                if value is not None:
                    found += _held(key, value, terms[key], numbers)
        except TypeError as error:
            raise TypeError(f"constraints{'' if self._shared else f', row {row}'}: {error}") from None
        except ValueError as error:
            raise RowError(row, str(error)) from None
        return found

    def conditions(self, start: int, stop: int) -> Conditions:
        """Return the conditions of some rows: of each, or those that all share."""
        return self._conditions.taken(np.arange(start, stop))

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
        RowError
            When no output satisfies the constraint of a row, or a search found none.
        """
        try:
            with renumbered(slice(first, None)):
                return self._decode(linear, magnitude, how, first)
        except CapabilityError as error:
            if error.row is not None or len(self._given) == 1 or how.decoder not in CONSTRAINED:
                raise
            # Whatever the scores, but rows with other constraints may do.
            raise error.at(first) from error.__cause__

    def _decode(self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding, first: int) -> Decoded:
        """Do the same, where errors count rows from `first` on."""
        conditions = self.conditions(first, first + len(linear))
        if len(conditions.key) == 0:
            return self._space.decode(linear, magnitude, how)
        if how.decoder not in CONSTRAINED:
            names = ", ".join(repr(name) for name in CONSTRAINED)
            raise CapabilityError(f"decoder={how.decoder!r} takes no constraints; those that do are {names}")
        if magnitude is not None:
            self._space.require_preimage()  # squares of sums are no sums of squares, unless the sums are 0 or 1
        if not self._space.decodes_in_library(how.decoder):
            return self._decode_restricted(linear, magnitude, how, conditions, first)
        description, met = self._space.description, np.ones(len(linear), dtype=np.bool_)
        found = decode(description, linear, magnitude, how.decoder, how.n_threads, conditions=conditions, met=met)
        if not met.all():
            row = int(np.argmin(met))
            raise self._unmet(first, row, bool(found.optimal[row]))
        return found

    def _decode_restricted(
        self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding, conditions: Conditions, first: int
    ) -> Decoded:
        """Decode rows by integer programs or a user's property, which take what conditions say about entries of ψ."""
        restrictions = self._restrictions(conditions, len(linear))
        try:
            found = self._space.decode_within(linear, magnitude, how, restrictions)
        except RowError as error:
            raise self._unmet(first, error.row, True) from None
        return found._replace(y=arrange(self._space.description, conditions, found.y))

    def _restrictions(self, conditions: Conditions, n: int) -> list[Restriction]:
        """Return what the core makes of the conditions of each of n rows."""
        begin, feature, value, must = entries_of_conditions(self._space.description, conditions)
        found = []
        for row in range(len(begin) - 1):
            sides: tuple[list[tuple[int, int]], list[tuple[int, int]]] = [], []
            for at in range(begin[row], begin[row + 1]):
                sides[1 - must[at]].append((feature[at], value[at]))
            found.append(Restriction(*sides, conditions.given(row)))
        return found * n if self._shared else found

    def _unmet(self, first: int, row: int, proven: bool) -> RowError:
        """Return an error: no output satisfies the constraint, if that is proven, or a search found none."""
        given = self._given[0 if self._shared else first + row]
        text = str({key: value for key, value in given.items() if value is not None})
        shown = text if len(text) <= 200 else f"{text[:199]}…"
        reason = f"no output of {self._name}{'' if proven else ' that'} satisfies {shown}; leave conditions out"
        if not proven:  # there may be one
            reason = f"the search found {reason}, forbid more, or let decoder='milp' decide it where that is an option"
        return RowError(row, reason, "constraints")


def _held(key: str, value: Any, term: Mapping[str, str], numbers: _Numbers) -> Iterator[tuple[int, int, int]]:
    """Yield the numbers, or pairs of numbers, that a key holds; the library checks which of these it takes."""
    number = condition_key(key)
    first, second = (_number, _number) if term["form"] == "count" else numbers
    try:
        if isinstance(value, (str, Mapping)) and term["form"] not in ("one", "count"):
            raise TypeError
        for item in [value] if term["form"] in ("one", "count") else value:
            if not isinstance(item, (list, tuple, np.ndarray)):
                yield number, first(item), ALONE
            elif len(item) == 2:
                yield number, first(item[0]), second(item[1])
            else:
                raise TypeError
    except (TypeError, ValueError) as error:
        more = "" if isinstance(error, TypeError) else error
        raise type(error)(f"{key!r} is {value!r:.80}; it takes {term['takes']}{more}") from None


def _number(value: Any, names: Names | None = None) -> int:
    """Return the number of an item, which may be called by its name; an error says what ends the message."""
    found = index_of(value, names, "" if names is None else f", which are {summary(names)}")
    if not is_integer(found):
        raise TypeError
    if not 0 <= found < 2**31:
        raise ValueError(", numbers from 0 on" if names is None else f", which are {summary(names)}, numbers from 0 on")
    return int(found)
