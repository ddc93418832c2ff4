"""Algorithms of the core that ask their caller for things: what only Python can decode, draw or read."""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from . import abi
from .call import call, library
from .control import reported
from .errors import ForkedProcessError
from .table import prepared, record, results


class Session:
    """An algorithm of the core that stops whenever it asks for something.

    Used in a ``with`` statement, which closes it, it iterates over its requests (``cp_request`` in combpred.h); the
    next step of the iteration passes on the answers. Errors of the core are raised there. The addresses in a request
    hold until then: :func:`view` makes arrays of them.

    Parameters
    ----------
    start : str
        Name of the function that opens it.
    *arguments, **named
        As :func:`combpred._lib.call.computed` takes them.
    n_threads : int or None, default=None
        As for ``call``.
    control : Control or None, default=None
        The control block; None: a new one.

    Attributes
    ----------
    status : int
        The status of the last step: ``ENOTCONVERGED`` comes with the last request.
    last : CRequest
        The last request.
    """

    def __init__(
        self,
        start: str,
        *arguments: Any,
        n_threads: int | None = None,
        control: abi.Control | None = None,
        **named: Any,
    ) -> None:
        self.status = abi.OK
        self._start, self._control = start, control or abi.Control()
        given, self._made = prepared(start, arguments, named)
        self._shown = reported(self._control, **named)
        call(start, *given, n_threads=n_threads, control=self._control)
        self._handle = int(self._made.pop("session")[0])
        self.last = record(abi.CRequest)
        self._close = weakref.finalize(self, _close, self._handle, self._control, *given)
        self._close.atexit = False

    def __enter__(self) -> Session:
        self._shown.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._shown.__exit__(*raised)
        self._close()

    def __iter__(self) -> Iterator[abi.CRequest]:
        while True:
            self.status = call("cp_session_next", self._handle, self.last, control=self._control)
            if self.last.ask == abi.ASK_DONE:
                return
            yield self.last

    def results(self) -> Any:
        """Return what the algorithm has written to new arrays and structs, as ``computed`` does."""
        return results(self._start, self._made, self.status)


#: Makes moves: given the rows that they are for, the numbers of the outputs from which they start, −1 for a uniform
#: draw, and those that the new outputs get, returns figures (n, width) of these and logarithms of ratios (n,), −inf
#: where a move leads to no output.
Mover = Callable[[list[int], list[int], list[int]], tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]


def answer_moves(request: abi.CRequest, width: int, move: Mover) -> None:
    """Answer a request for moves."""
    n = request.n
    numbers = (view(at, np.int64, n).tolist() for at in (request.columns, request.rows, request.sizes))
    figures, ratios = move(*numbers)
    view(request.results, np.float64, n, width)[:] = figures
    view(request.log_ratio, np.float64, n)[:] = ratios


def _close(handle: int, *_: object) -> None:
    # What else it is given is what the library reads until then.
    with suppress(ForkedProcessError):  # the session is the parent's
        library().dll.cp_session_close(handle, None, 0)


def view(address: int | None, dtype: type[np.generic], *shape: int) -> npt.NDArray[Any]:
    """Return the memory at an address of a request as an array, which holds until the session goes on."""
    size = math.prod(shape)
    if size == 0:
        return np.empty(shape, dtype)
    buffer = (ctypes.c_char * (size * np.dtype(dtype).itemsize)).from_address(address or 0)
    return np.frombuffer(memoryview(buffer), dtype).reshape(shape)
