"""Calls into the C interface: arguments to pointers, statuses to exceptions."""

from __future__ import annotations

import ctypes
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _abi, _interrupt, _loader, _progress
from ._errors import CapabilityError, NumericalError, SamplingError
from ._remembered import Remembered

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]
Array = TypeVar("Array", FloatArray, IntArray)

_MESSAGE_BYTES = 8192
_INTERRUPTIBLE_FLOPS = 2e8  # about 20 ms: below, watching for Ctrl-C costs more than it gives
# Messages of the core name its package first, as is the custom in Go.
_PACKAGE = re.compile(
    r"(?:^|(?<=: ))(?:structure|decode|chain|extensions|fit|solve|labelrank|linalg|maxmargin|parallel|count|ordering): "
)


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

    Notes
    -----
    What is passed must not change afterwards: its text and its key are found once.
    """

    name: str
    scalars: dict[str, int]
    ints: IntArray | None = None
    reals: FloatArray | None = None

    @cached_property
    def text(self) -> bytes:
        """Name and scalars as JSON."""
        scalars = {key: int(value) for key, value in self.scalars.items()}
        return json.dumps({"name": self.name, **scalars}).encode()

    @cached_property
    def key(self) -> tuple[bytes, bytes | None, bytes | None]:
        """A short value that is the same for descriptions with the same contents, and for no others."""
        return self.text, _digest(self.ints), _digest(self.reals)


def _digest(array: npt.NDArray[Any] | None) -> bytes | None:
    if array is None:
        return None
    array = np.ascontiguousarray(array)
    digest = hashlib.sha256(f"{array.dtype} {array.shape}".encode())
    digest.update(array.data)
    return digest.digest()


class StructureArgument:
    """A Description as the C interface takes it. It keeps what its pointers point to."""

    def __init__(self, description: Description) -> None:
        text = description.text
        self._ints = None if description.ints is None else codes(description.ints, "ints", None)
        self._reals = None if description.reals is None else floats(description.reals, "reals", None)
        self.struct = _abi.CStructure(
            text,
            len(text),
            address(self._ints),
            0 if self._ints is None else self._ints.size,
            address(self._reals),
            0 if self._reals is None else self._reals.size,
        )
        self._as_parameter_ = ctypes.addressof(self.struct)


def options_argument(options: dict[str, Any]) -> tuple[bytes, int]:
    """Return options as JSON text and its length."""
    text = json.dumps(options, default=lambda number: number.item()).encode()
    return text, len(text)


def floats(values: Any, name: str, *shape: int | None) -> FloatArray:
    """Return `values` as a C-contiguous float64 array of the given shape, where None leaves a dimension open."""
    return _shaped(contiguous(values, np.float64), name, shape)


def codes(values: Any, name: str, *shape: int | None) -> IntArray:
    """Return integer `values` as a C-contiguous int32 array of the given shape, where None leaves a dimension open."""
    array = np.asarray(values)
    if array.dtype.kind not in "biu":
        raise TypeError(f"{name} must hold integers, not {array.dtype}")
    limits = np.iinfo(np.int32)
    if array.dtype.itemsize >= 4 and array.dtype != np.int32 and array.size:
        low, high = int(array.min()), int(array.max())
        if low < limits.min or high > limits.max:
            raise ValueError(f"{name} holds {low if low < limits.min else high}, beyond the range of 32-bit integers")
    return _shaped(contiguous(array, np.int32), name, shape)


def contiguous(values: Any, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Return `values` as a C-contiguous, aligned array: what other processes send may lie at odd places."""
    return np.require(values, dtype, ("C", "ALIGNED"))


def _shaped(array: Array, name: str, shape: tuple[int | None, ...]) -> Array:
    fits = array.ndim == len(shape) and all(
        want is None or want == got for want, got in zip(shape, array.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(f"{name} has shape {array.shape}, must be ({wanted})")
    return array


def address(array: npt.NDArray[Any] | None) -> int | None:
    """Return where the data of `array` begin, None for None."""
    return None if array is None else array.ctypes.data


def call(
    name: str,
    *arguments: Any,
    n_threads: int | None = None,
    flops: float = 0.0,
    label: str = "",
    verbose: int = 0,
    progress: Callable[[int, float], object] | None = None,
) -> int:
    """Call a function of the C interface and raise what its status means.

    Parameters
    ----------
    name : str
        Name in combpred.h.
    *arguments
        Its arguments up to `workers`, or up to the error buffer for functions without.
    n_threads : int or None, default=None
        The argument `workers`; None for functions that take neither workers nor a control block.
    flops : float, default=0
        Estimated operations. Longer calls can be interrupted by Ctrl-C.
    label, verbose, progress
        As :func:`combpred._progress.reported` takes them.

    Returns
    -------
    int
        ``OK`` or ``ENOTCONVERGED``.
    """
    function = getattr(_loader.library().dll, name)
    message = ctypes.create_string_buffer(_MESSAGE_BYTES)
    if n_threads is None:
        return checked(function(*arguments, message, _MESSAGE_BYTES), message)
    control = _abi.Control()

    def run() -> int:
        return int(function(*arguments, n_threads, ctypes.addressof(control), message, _MESSAGE_BYTES))

    if flops < _INTERRUPTIBLE_FLOPS and verbose <= 0 and progress is None:
        return checked(run(), message)
    with _progress.reported(control, label, verbose=verbose, progress=progress):
        status = _interrupt.run(run, control)
    return checked(status, message)


def structure_shape(description: Description) -> tuple[int, int, float]:
    """Return the number of parts of one output, the length d of the embedding, and ln of the number of outputs.

    The last is NaN where that number is not known. The core is asked once for each structure.
    """
    return _SHAPES.get(description.key, lambda: _shape(description))


_SHAPES = Remembered[tuple[int, int, float]]()


def _shape(description: Description) -> tuple[int, int, float]:
    part_len, feature_len, log_count = ctypes.c_int64(), ctypes.c_int64(), ctypes.c_double()
    call(
        "cp_structure_shape",
        StructureArgument(description),
        ctypes.addressof(part_len),
        ctypes.addressof(feature_len),
        ctypes.addressof(log_count),
    )
    return part_len.value, feature_len.value, log_count.value


def checked(status: int, message: Any) -> int:
    """Return `status` if outputs are valid, and raise what it means otherwise."""
    if status in (_abi.OK, _abi.ENOTCONVERGED):
        return status
    text = _PACKAGE.sub("", message.value.decode("utf-8", "replace"))
    if status == _abi.ECANCELLED:
        raise KeyboardInterrupt(text)
    raise _EXCEPTIONS[status](text)


_EXCEPTIONS: dict[int, type[Exception]] = {
    _abi.EVALUE: ValueError,
    _abi.ECAPABILITY: CapabilityError,
    _abi.ENUMERICAL: NumericalError,
    _abi.EINTERNAL: RuntimeError,
    _abi.EMEMORY: MemoryError,
    _abi.EBUDGET: SamplingError,
}
