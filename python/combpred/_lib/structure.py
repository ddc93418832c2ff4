"""Structures as the core knows them: how many outputs there are, their moments, embeddings and draws."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import math
import threading
import weakref
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from . import abi
from .arrays import FloatArray, IntArray, allocate, require_memory
from .call import call, computed, library
from .errors import ForkedProcessError, renumbered
from .table import put

_BLOCK_NUMBERS = 2**20  # of rows of data that are read at a time


class Shape(NamedTuple):
    """How large a structure is.

    Attributes
    ----------
    part_len : int
        Number of parts of one output.
    n_features : int
        Length d of the embedding.
    log_count : float
        Natural logarithm of the number of outputs, NaN where that is not known.
    """

    part_len: int
    n_features: int
    log_count: float


@dataclass(frozen=True, eq=False)
class Description:
    """What the core needs to know to build a structure.

    Parameters
    ----------
    name : str
        Catalogue name.
    scalars : dict of str to int
        Parameters that are single integers.
    ints : ndarray of int32 or None, default=None
        Parameters that are integer arrays, in the layout of the catalogue.
    reals : ndarray of float64 or None, default=None
        Parameters that are arrays of numbers.
    names : tuple of str or None, default=None
        What items are called in messages and in the names of the entries of ψ; None: by their numbers.

    Notes
    -----
    What is passed must not change afterwards: the space is opened once, at the first use. Copies and pickles do not
    take it with them; equal descriptions share one while they live, and a few of the last spaces stay open beyond that.
    """

    name: str
    scalars: dict[str, int]
    ints: IntArray | None = None
    reals: FloatArray | None = None
    names: tuple[str, ...] | None = None

    @cached_property
    def text(self) -> bytes:
        """Name and scalars as JSON."""
        scalars = {key: int(value) for key, value in self.scalars.items()}
        return json.dumps({"name": self.name, **scalars}).encode()

    @cached_property
    def key(self) -> tuple[bytes, bytes | None, bytes | None]:
        """A short value that is the same for descriptions of the same outputs, whatever items are called."""
        return self.text, _digest(self.ints), _digest(self.reals)

    @cached_property
    def space(self) -> OpenSpace:
        """The open space; ValueError where the description is illegal."""
        return _opened(self)

    @cached_property
    def handle(self) -> int:
        """The handle of the space, which functions of the C interface take."""
        return self.space.handle

    @cached_property
    def shape(self) -> Shape:
        """The size of outputs and of ψ."""
        return self.space.shape

    def __reduce__(self) -> Any:
        return Description, (self.name, self.scalars, self.ints, self.reals, self.names)


class OpenSpace:
    """A space that the core holds open until nobody has this object any more.

    Parameters
    ----------
    description : Description
        What it is made from.

    Attributes
    ----------
    handle : int
        What the core calls it.
    """

    def __init__(self, description: Description) -> None:
        text, ints, reals = description.text, description.ints, description.reals
        struct = put(abi.CStructure(), text=text, text_len=len(text), ints=ints, reals=reals)
        names = b"" if description.names is None else json.dumps(description.names).encode()
        opened = ctypes.c_uint64()
        call("cp_space_open", struct, names or None, len(names), opened)
        self.handle = opened.value
        weakref.finalize(self, _close, self.handle).atexit = False

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What ``cp_space_facts`` says."""
        return json.loads(library().core.control_SpaceFacts(self.handle))

    @cached_property
    def shape(self) -> Shape:
        """The size of outputs and of ψ."""
        log_count = self.facts["log_count"]
        return Shape(self.facts["part_len"], self.facts["feature_len"], math.nan if log_count is None else log_count)

    @cached_property
    def capabilities(self) -> frozenset[str]:
        """Names of what it can do with its parameters."""
        return frozenset(self.facts["capabilities"])


_SPACES: weakref.WeakValueDictionary[Any, OpenSpace] = weakref.WeakValueDictionary()
_LAST: deque[OpenSpace] = deque(maxlen=4)  # stay open: each fit of a search has a description of its own
_opening = threading.Lock()


def _opened(description: Description) -> OpenSpace:
    """Return the open space of equal descriptions, or a new one."""
    library()  # which refuses forked processes before they wait for a lock that is held for ever
    key = description.key, description.names
    with _opening:
        found = _SPACES.get(key)
    opened = found or OpenSpace(description)  # without the lock: it may take long
    with _opening:
        opened = _SPACES.setdefault(key, opened)
        if opened not in _LAST:
            _LAST.append(opened)
    return opened


def _close(handle: int) -> None:
    with suppress(ForkedProcessError):  # the space is the parent's
        library().dll.cp_space_close(handle, None, 0)


def _digest(array: npt.NDArray[Any] | None) -> bytes | None:
    if array is None:
        return None
    array = np.ascontiguousarray(array)
    digest = hashlib.sha256(f"{array.dtype} {array.shape}".encode())
    digest.update(array.data)
    return digest.digest()


def structure_names(description: Description) -> list[str]:
    """Return a name for each entry of ψ."""
    d = description.shape.n_features
    return _text("cp_space_names", description, 64 + 24 * d, n_threads=1).split("\n")


def _text(function: str, description: Description, capacity: int, **options: Any) -> str:
    """Return what a function of a structure writes, which is asked again where it is longer than expected."""
    needed = ctypes.c_int64(capacity)
    while True:
        text = ctypes.create_string_buffer(needed.value)
        call(function, description, text, len(text), needed, **options)
        if needed.value <= len(text):
            return text.value.decode()


def structure_layout(description: Description) -> Any:
    r"""Return the entries of :math:`\psi`, or the first of them, as cells of a matrix, or None if they do not form one.

    Returns
    -------
    namespace
        ``kind``, what an entry means. "order": +1 if the row's item is before the column's item, −1 if it is after it,
        0 if neither. "total order": the same, but never 0. "directions": +1 for the arc from row to column, −1 for the
        reverse arc. "arcs": 1 for the arc from row to column. "edges": 1 for the edge between the two. "cells": 1 if
        the row's item gets the column. ``n_items``; ``rows`` and ``columns`` (m,), those of each entry. For routes, row
        `n_items` stands for the start and column `n_items` for the end.
    """
    layout, rows, columns = computed("cp_space_layout", description, d=description.shape.n_features, n_threads=1)
    layout.rows, layout.columns = rows[: layout.n_cells], columns[: layout.n_cells]
    return layout if layout.n_cells else None


def catalogue() -> list[dict[str, Any]]:
    """Describe every structure of the core as ``cp_catalogue`` does, sorted by name."""
    return json.loads(library().core.control_Catalogue())["structures"]


def _of_catalogue(structure: str, what: str) -> list[dict[str, Any]]:
    return next((entry.get(what, []) for entry in catalogue() if entry["name"] == structure), [])


@functools.cache
def parameter_range(structure: str, parameter: str) -> tuple[int, int]:
    """Return the smallest and the largest value of an integer parameter, by its name in the catalogue."""
    (found,) = (p for p in _of_catalogue(structure, "params") if p["name"] == parameter)
    return found["least"], found["most"]


@functools.cache
def condition_terms(structure: str) -> dict[str, dict[str, str]]:
    """Return what the keys of constraints hold that a structure takes, given its name in the catalogue.

    Each has a "form": "one", a number; "count", how many there are of something; "list", numbers; "pairs" of numbers;
    or "mixed", numbers and pairs. "takes" is what that is, in a clause for messages.
    """
    return {term["key"]: term for term in _of_catalogue(structure, "conditions")}


def structure_count(description: Description) -> int:
    """Return the exact number of outputs."""
    return int(_text("cp_space_count", description, 256), 16)


def structure_mean(description: Description) -> FloatArray:
    """Return the mean of the embedding under the uniform distribution, of shape (d,)."""
    return _moments(description, second=None, info=None)


def structure_second_moment(description: Description) -> FloatArray:
    """Return the second moment of the embedding under the uniform distribution, of shape (d, d)."""
    d = description.shape.n_features
    # The library computes it in memory of its own, which it may go on with after Ctrl-C.
    require_memory(16 * d * d, f"the second moment of {d} features", "take a smaller structure")
    return _moments(description, mean=None, info=None)


def _moments(description: Description, **unwanted: None) -> Any:
    return computed("cp_space_moments", description, d=description.shape.n_features, n_threads=1, **unwanted)


def structure_embed(
    description: Description, y: Any, *, partial: bool = False, n_threads: int | None = None
) -> FloatArray:
    """Return the embeddings of the rows of `y` (n, part_len), of shape (n, d).

    A row not in the structure is a ValueError. With ``partial=True`` rows may be known in part, in structures that have
    such rows: theirs is the mean over all outputs that agree with what is known.
    """
    d = description.shape.n_features
    return computed("cp_space_embed", description, y, partial, d=d, n_threads=n_threads)


def structure_mode(description: Description, expected: FloatArray, *, n_threads: int | None = None) -> FloatArray:
    """Return scores s (n, d) with ⟨s, ψ(y)⟩ = P(y), given expected features (n, d); see "mode" among capabilities."""
    return computed("cp_space_mode", description, expected, n_threads=n_threads)


def structure_sample(description: Description, n: int, seed: int, *, n_threads: int | None = None) -> IntArray:
    """Draw `n` independent uniform outputs, of shape (n, part_len). Equal seeds (64 bits) give equal outputs."""
    sizes = {"n": n, "part_len": description.shape.part_len}
    return computed("cp_space_sample", description, seed % 2**64, n_threads=n_threads, **sizes)


def structure_encode(description: Description, y: Any, *, partial: bool = False) -> IntArray:
    """Return outputs as they stand in data, rows of numbers `y` (n, width), in parts, of shape (n, part_len).

    Sparse matrices are read in blocks of rows. RowError for the first row that shows no output. With ``partial=True``
    rows may be known in part, in structures that have such rows.
    """
    part_len, n = description.shape.part_len, y.shape[0]
    parts: IntArray = allocate((n, part_len), np.int32, f"{n} outputs of {part_len} parts", "use fewer rows")
    rows = max(1, _BLOCK_NUMBERS // max(1, y.shape[1]))  # small, as the core takes float64
    for first in range(0, n, rows):
        some = slice(first, first + rows)
        with renumbered(some):
            block = y[some].toarray() if issparse(y) else y[some]
            computed("cp_space_encode", description, block, partial, dst=parts[some], n_threads=1)
    return parts


def structure_enumerate(description: Description, skip: int, capacity: int) -> IntArray:
    """List at most `capacity` outputs from number `skip` on, of shape (k, part_len); k = 0 past the end."""
    sizes = {"capacity": capacity, "part_len": description.shape.part_len}
    y, n = computed("cp_space_enumerate", description, skip, n_threads=1, **sizes)
    return y[:n]


def custom_kernel(gram: FloatArray) -> FloatArray:
    """Return embeddings (k, d) of k outputs from the values of a kernel between them, such that gram ≈ ψψᵀ."""
    psi, d = computed("cp_custom_kernel", gram, n_threads=1)
    return psi.ravel()[: len(gram) * d].reshape(len(gram), d)


def moments_of_draws(blocks: Iterable[FloatArray], d: int) -> tuple[FloatArray, float]:
    """Return the mean and the second moment, one after the other (d + d²), and its largest standard error.

    The blocks are embeddings (n, d) of draws; RowError for the first draw that is not finite.
    """
    sums = allocate((1 + d + 2 * d * d,), np.float64, f"moments of {d} features", "take a smaller embedding")
    sums[:] = 0
    for psi in blocks:
        computed("cp_custom_draws", psi, d=d, sums=sums, n_threads=1, moments=None, standard_error=None)
    return computed("cp_custom_draws", np.empty((0, d)), d=d, sums=sums, n_threads=1)


def custom_check(description: Description, psi: FloatArray) -> None:
    """Raise RowError for the first row of `psi` (n, d) that the moments of the structure exclude as an embedding.

    It is a ValueError without a row where the moments are those of no distribution.
    """
    computed("cp_custom_check", description, psi, d=description.shape.n_features, n_threads=1)


def custom_agree(description: Description, check: str, psi: FloatArray) -> None:
    """Raise ValueError unless draws or moves, `psi` (n, d), agree with the structure; `check` is as for the library."""
    computed("cp_custom_agree", description, check, psi, d=description.shape.n_features, n_threads=1)
