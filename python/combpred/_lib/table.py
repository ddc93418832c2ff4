"""Structs, arrays and arguments as the C interface has them: types and sizes are those of the table in ``abi``."""

from __future__ import annotations

import ast
import ctypes
import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType, SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from . import abi
from .arrays import FloatArray, IntArray, allocate

_MOST_ITER = 2**30  # nobody waits for more, which need not fit in a field

Record = TypeVar("Record", bound=ctypes.Structure)


def record(kind: type[Record], **fields: Any) -> Record:
    """Return a struct of the C interface, whose fields begin as its macro in combpred.h says; see :func:`put`."""
    return put(kind(struct_size=ctypes.sizeof(kind), **abi.DEFAULTS.get(kind.__name__, {})), **fields)


def put(struct: Record, **fields: Any) -> Record:
    """Set fields of a struct, and return it.

    Arrays and other structs become pointers, and live as long as the struct that points to them; strings become bytes.
    Arrays that the library reads are converted to the types of combpred.h. Fields with their sizes are set, too, or
    must agree.
    """
    buffers, sizes, texts = _buffers(type(struct))
    kept: dict[str, Any] = vars(struct)
    # As the library has left them; sizes that nothing has set are 0, too, but fit any array.
    known = {name: getattr(struct, name) for name in kept["known"]} if "known" in kept else {}
    for name, value in fields.items():
        value = getattr(value, "struct", value)
        if value is None:
            pass
        elif isinstance(value, np.ndarray):
            if name in buffers:
                value = buffers[name].taken(value, known, packed=True)
            kept[name] = value
            value = value.ctypes.data
        elif name == "max_iter":
            value = min(int(value), _MOST_ITER)
        elif name == "seed":
            value = int(value) % 2**64
        elif name in texts:
            if not isinstance(value, (str, bytes)):  # a number would be taken for an address
                raise TypeError(f"{name} must be a string, got {value!r}")
            value = value.encode() if isinstance(value, str) else value
        elif isinstance(value, ctypes.Structure):
            kept[name] = value
            value = ctypes.addressof(value)
        elif name in sizes and known.setdefault(name, value) != value:
            raise ValueError(f"{name} is {value}, must be {known[name]}")
        try:
            setattr(struct, name, value)
        except TypeError as error:
            raise TypeError(f"{name} has the wrong type: {error}") from None
        if type(value) is int and name not in buffers and getattr(struct, name) != value:
            raise ValueError(f"{name} is {value}, beyond the range of 64-bit integers")
    if known:
        kept["known"] = sizes.intersection(known)
        for name in kept["known"]:
            setattr(struct, name, known[name])
    return struct


def check(struct: ctypes.Structure, known: dict[str, Any]) -> None:
    """Check the arrays of a struct whose sizes are those of other arguments, which are known."""
    for buffer in _foreign(type(struct)):
        if buffer.name in vars(struct):
            buffer.taken(vars(struct)[buffer.name], {**known}, packed=True)


def columns(kind: type[ctypes.Structure], *names: str, **sizes: int) -> dict[str, NDArray[Any]]:
    """Return zeros for the buffers of a struct that the library writes to, by name: for these, or for all of them.

    Bytes are read as truth values.
    """
    return {
        name: np.zeros(buffer.shape(sizes), np.bool_ if buffer.dtype == np.uint8 else buffer.dtype)
        for name, buffer in _buffers(kind)[0].items()
        if (name in names if names else buffer.is_result)
    }


def contents(struct: ctypes.Structure, **others: Any) -> SimpleNamespace:
    """Return the fields of a struct but for its size, with texts decoded, and others beside them."""
    values = {name: getattr(struct, name) for name, *_ in struct._fields_[1:]}
    texts = {name: value.decode() for name, value in values.items() if isinstance(value, bytes)}
    return SimpleNamespace(**{**values, **texts, **others})


def floats(values: Any, name: str, *shape: int | None) -> FloatArray:
    """Return numbers as a C-contiguous float64 array of a shape, in which None leaves a dimension open."""
    array = contiguous(values, np.float64)
    if array.ndim != len(shape) or any(want not in (None, got) for want, got in zip(shape, array.shape, strict=True)):
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(f"{name} has shape {array.shape}, must be ({wanted})")
    return array


def codes(values: Any, name: str) -> IntArray:
    """Return integers as a C-contiguous int32 array."""
    array = np.asarray(values)
    if array.dtype.kind not in "biu":
        raise TypeError(f"{name} must hold integers, not {array.dtype}")
    converted = contiguous(array, np.int32)
    beyond = array[converted != array]
    if beyond.size:
        raise ValueError(f"{name} holds {beyond[0]}, beyond the range of 32-bit integers")
    return converted


def contiguous(values: Any, dtype: npt.DTypeLike) -> NDArray[Any]:
    """Return `values` as a C-contiguous, aligned array: what other processes send may lie at odd places."""
    return np.require(values, dtype, ("C", "ALIGNED"))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function, or a field of a struct, as the table has it.

    Attributes
    ----------
    name : str
    is_result : bool
        Whether the library writes there.
    is_size : bool
        Whether it is one of the sizes of others.
    dtype : dtype or None
        Of a buffer.
    struct : type or None
        Class of a struct.
    sizes : tuple of str
        Of its dimensions: expressions in the names of parameters, "..." where only the library knows.
    is_made : bool
        Whether it is a new array or struct unless the caller gives one.
    """

    name: str
    is_result: bool
    is_size: bool
    dtype: np.dtype[Any] | None
    struct: type[ctypes.Structure] | None
    sizes: tuple[str, ...]
    is_made: bool

    @classmethod
    def of(cls, word: str) -> Parameter:
        """Read a word of the table."""
        name, _, rest = word.partition(" ")
        kind, _, sizes = rest.partition(" ")
        plain, is_result = name.strip(">?="), name[0] == ">"
        struct = getattr(abi, kind) if kind[:1] == "C" else None
        dtype = np.dtype(kind) if kind and struct is None else None
        dimensions = tuple(sizes.split(", ")) if sizes else ()
        return cls(plain, is_result, name[-1] == "=", dtype, struct, dimensions, is_result and bool(kind))

    def new(self, known: dict[str, Any]) -> Any:
        """Return the new array or struct, given what sizes are made of."""
        if self.struct is not None:
            return record(self.struct)
        shape, dtype = self.shape(known), self.dtype
        assert dtype is not None
        return allocate(shape, dtype, f"a result of shape {shape}", "take fewer rows at once, or smaller outputs")

    def taken(self, array: NDArray[Any], known: dict[str, Any], *, packed: bool = False) -> NDArray[Any]:
        """Return an array as the library takes it, whose sizes must be those known, and become known otherwise.

        What is `packed` may have one dimension: rows of several spaces, of different lengths, which the library knows.
        """
        assert self.dtype is not None
        dtype, flags = self.dtype, array.flags
        same = array.dtype is dtype or (
            array.dtype.itemsize == dtype.itemsize
            and (array.dtype.kind == dtype.kind or (array.dtype.kind in "biu" and dtype.kind in "iu"))
            and array.dtype.isnative
        )
        if not (same and flags.c_contiguous and flags.aligned and (flags.writeable or not self.is_result)):
            if self.is_result:
                raise ValueError(f"{self.name} must be a contiguous, writeable array of {dtype}")
            array = codes(array, self.name) if dtype == np.int32 else contiguous(array, dtype)
        fits = True
        if array.ndim == len(self.sizes):
            for size, got in zip(self.sizes, array.shape, strict=True):
                fits &= got == (known.setdefault(size, got) if size.isidentifier() else _value(size, known, got))
        else:
            whole = math.prod(_value(size, known, -1) for size in self.sizes)
            fits = array.size == whole or (packed and array.ndim == 1)
        if not fits:
            wanted = ", ".join(str(_value(size, known, size)) for size in self.sizes)
            raise ValueError(f"{self.name} has shape {array.shape}, must be ({wanted})")
        return array

    def shape(self, known: dict[str, Any]) -> tuple[int, ...]:
        """Return the shape of a buffer, given what its sizes are made of."""
        return tuple(int(_value(size, known, None)) for size in self.sizes)


def _value(size: str, known: dict[str, Any], unknown: Any) -> Any:
    """Return a size, or `unknown` if what it is made of is not all known."""
    code, names = _expression(size)
    return eval(code, {}, known) if names <= known.keys() else unknown


@functools.cache
def _expression(size: str) -> tuple[CodeType, frozenset[str]]:
    """Return the code of a size, and the names in it but for those of fields; "..." is never known."""
    tree = ast.parse(size, "combpred.h", "eval")
    names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return compile(tree, "combpred.h", "eval"), names | ({"..."} if "..." in size else set())


@functools.cache
def parameters(function: str) -> tuple[Parameter, ...]:
    """Return the parameters of a function up to the number of workers."""
    return tuple(Parameter.of(word) for word in abi.PARAMETERS[function])


@functools.cache
def _foreign(kind: type[ctypes.Structure]) -> tuple[Parameter, ...]:
    return tuple(b for b in _buffers(kind)[0].values() if "." in "".join(b.sizes).replace("...", ""))


@functools.cache
def _buffers(kind: type[ctypes.Structure]) -> tuple[dict[str, Parameter], frozenset[str], frozenset[str]]:
    """Return the buffers of a struct by name, and which of its fields are their sizes and which are strings."""
    buffers = [Parameter.of(word) for word in abi.BUFFERS.get(kind.__name__, ())]
    fields = {field[0] for field in kind._fields_}
    names = {name for b in buffers for size in b.sizes for name in _expression(size)[1]}
    texts = frozenset(name for name, of, *_ in kind._fields_ if of is ctypes.c_char_p)
    return {b.name: b for b in buffers}, frozenset(names & fields), texts


def prepared(function: str, arguments: Iterable[Any], named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return all arguments of a function, and what of them is new, by name; see :func:`computed`.

    Those in `named` are taken out of it: what is left are options of the call.
    """
    table, others = parameters(function), list(arguments)
    known: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for p in table:
        if p.name in named:
            value: Any = named.pop(p.name)
        elif p.is_size or p.is_made:
            continue
        elif others:
            value = others.pop(0)
        else:
            raise TypeError(f"{function} lacks the argument {p.name}")
        if p.struct is not None:
            if isinstance(value, dict):
                value = record(p.struct, **value)
            elif hasattr(value, "struct"):
                value = value.struct
            elif hasattr(value, "_asdict"):
                value = record(p.struct, **value._asdict())
        values[p.name] = value
        known[p.name] = _NOTHING if value is None else value
    if others:
        raise TypeError(f"{function} has {len(others)} arguments too many")
    for p in table:
        given = values.get(p.name)
        if given is None:
            continue
        if p.dtype is not None:
            values[p.name] = p.taken(np.asarray(given), known)
        elif p.struct is not None:
            check(given, known)
    made = {p.name: p.new(known) for p in table if p.is_made and p.name not in values}
    filled = {**known, **values, **made}
    return [filled[p.name] for p in table], made


def results(function: str, made: dict[str, Any], status: int, *, with_status: bool = False) -> Any:
    """Return what a function has written to new arrays and structs, in the order of combpred.h."""
    found: list[Any] = []
    for p in parameters(function):
        if p.name in made:
            result = made[p.name]
            if p.struct is not None:
                flag = {} if hasattr(result, "converged") else {"converged": status == abi.OK}
                result = contents(result, **flag)
            found.append(result.item() if p.sizes == ("1",) else result)
    found += [status] * with_status
    return found[0] if len(found) == 1 else tuple(found)


class _Nothing:
    """A struct that is not given: all its fields are 0."""

    def __getattr__(self, name: str) -> int:
        return 0


_NOTHING = _Nothing()
