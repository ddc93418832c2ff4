"""Calls into the Go core: the library is loaded at first use, arguments become pointers, statuses exceptions.

The functions of this room follow these conventions; ``capi/combpred.h`` has those of the C interface below them.

- Arrays are C-contiguous: float64, int32 for parts of outputs, int64 for counts. Arguments are converted where they
  differ (``combpred._lib.table``) and never written to, unless a docstring says so.
- Results are new arrays that the caller owns. They are allocated here and filled by the core, which keeps no pointer
  beyond a call; what could be large is allocated by :func:`combpred._lib.arrays.allocate`, which refuses what does not
  fit in memory.
- A status that leaves the outputs undefined is raised by :func:`checked`: ValueError, CapabilityError, SamplingError,
  NumericalError, MemoryError, or RuntimeError for faults of the core itself. The status "not converged" comes with
  valid outputs and is returned.
- Where a row of the arguments is to blame, the core gives its number apart from the message, and the exception holds
  it as ``row``: a RowError in place of a ValueError. Rows count from 0 among those that the call got.
- Functions that can take long get a number of threads (`n_threads`) and a control block, by which Ctrl-C stops them
  (KeyboardInterrupt) and `verbose` reports their progress. Results do not depend on the number of threads.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from . import abi, blas
from .control import interruptible, reported
from .errors import CapabilityError, DataError, ForkedProcessError, NumericalError, RowError, SamplingError, TargetError
from .names import NUMBER_TYPES
from .table import contiguous, prepared, put, record, results

_n_threads: ContextVar[int | None] = ContextVar("combpred_n_threads", default=None)

_lock = threading.Lock()
_started = False  # the Go runtime runs, or is about to
_forked = False  # this process is a fork of one where it ran

_VALUES = ctypes.Structure, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64, ctypes.c_double  # passed by pointer
_MESSAGE_BYTES = 8192

_EXCEPTIONS: dict[int, type[BaseException]] = {
    abi.EVALUE: ValueError,
    abi.ECAPABILITY: CapabilityError,
    abi.ENUMERICAL: NumericalError,
    abi.ECANCELLED: KeyboardInterrupt,
    abi.EINTERNAL: RuntimeError,
    abi.EMEMORY: MemoryError,
    abi.EBUDGET: SamplingError,
    abi.EFORKED: ForkedProcessError,
    abi.ETARGET: TargetError,
}


@contextmanager
def config_context(*, n_threads: int | None = None) -> Iterator[None]:
    """Set options of combpred for the code inside the ``with`` block.

    Parameters
    ----------
    n_threads : int or None, default=None
        Threads for estimators with ``n_jobs=None``. Negative numbers count back from all processors as in joblib: -1
        is all of them. None leaves the choice to the surrounding context, then to ``OMP_NUM_THREADS``, then to the
        number of processors that the process may use.

    Raises
    ------
    TypeError
        If `n_threads` is no integer.
    ValueError
        If `n_threads` is 0.

    Notes
    -----
    The setting belongs to the current thread or asyncio task; worker processes do not inherit it. Results do not
    depend on it. The BLAS that SciPy brings has threads of its own: ``threadpoolctl.threadpool_limits`` limits those.

    Examples
    --------
    >>> import combpred
    >>> with combpred.config_context(n_threads=1):
    ...     pass  # estimators fitted here use one thread
    """
    token = _n_threads.set(_n_threads.get() if n_threads is None else _resolve("n_threads", n_threads))
    try:
        yield
    finally:
        _n_threads.reset(token)


def get_n_threads(n_jobs: int | None = None) -> int:
    """Return the number of threads to use.

    Parameters
    ----------
    n_jobs : int or None, default=None
        An estimator's own setting. Negative numbers count back from all processors: -1 is all of them. None takes
        :func:`config_context`, else ``OMP_NUM_THREADS`` (which joblib's worker processes set, so that they do not
        compete), else the number of processors that the process may use.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    TypeError
        If `n_jobs` is no integer.
    ValueError
        If `n_jobs` is 0.
    """
    if n_jobs is not None:
        return _resolve("n_jobs", n_jobs)
    configured = _n_threads.get()
    if configured is not None:
        return configured
    # OpenMP allows a list, one number for each level of nesting. A value that is no number is ignored, as OpenMP does.
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if first.isdecimal() and int(first) > 0:
        return min(int(first), 1 << 16)
    return _n_processors()


def _resolve(name: str, n: Any) -> int:
    if not isinstance(n, Integral):
        raise TypeError(f"{name} must be an integer or None, got {n!r}")
    number = int(n)
    if number == 0:
        raise ValueError(f"{name} must not be 0; use 1 for one thread, -1 for all processors or None for the default")
    return min(number, 1 << 16) if number > 0 else max(1, _n_processors() + 1 + number)


def _n_processors() -> int:
    quota = _cpu_quota()
    if hasattr(os, "sched_getaffinity"):
        return min(quota, len(os.sched_getaffinity(0)))
    return quota


@functools.cache
def _cpu_quota() -> int:
    """Processors that the machine or the container grants: read once, since it takes a look into the control groups."""
    from joblib import cpu_count

    return int(cpu_count())


class Library(NamedTuple):
    """The loaded shared object.

    Attributes
    ----------
    core : module
        The control plane: functions on numbers and strings.
    dll : ctypes.CDLL
        The flat C interface of the same mapping.
    blas : BlasChoice
        The BLAS it computes on.
    """

    core: Any
    dll: ctypes.CDLL
    blas: blas.BlasChoice


_library: Library | None = None


class _Functions(ctypes.CDLL):
    """The functions of the C interface, each with its prototype from its first use on: a process calls but few."""

    def __getattr__(self, name: str) -> Any:
        function = super().__getattr__(name)
        if name in abi.PROTOTYPES:
            function.restype, function.argtypes = ctypes.c_int32, abi.PROTOTYPES[name]
        return function


def _after_fork_in_child() -> None:
    # Only the forking thread survives a fork: the garbage collector of the Go runtime is gone, and the first
    # collection would wait for it forever.
    global _forked, _lock
    _lock = threading.Lock()
    _forked = _forked or _started


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def library() -> Library:
    """Return the library, loading it at the first call.

    Loading is left to the first use, so that processes forked before it work.

    Raises
    ------
    ForkedProcessError
        In a process that was forked after the first use.
    ImportError
        If the shared object is missing or of another version.
    """
    if _forked:
        raise ForkedProcessError(
            "this process was forked after combpred had computed in its parent, and cannot use it. Start workers with "
            "another method (multiprocessing.set_start_method('spawn') or 'forkserver', or joblib's default backend "
            "'loky'), or fork before the first use of combpred."
        )
    return _library or _load()


def _load() -> Library:
    global _library, _started
    with _lock:
        if _library is not None:
            return _library
        _started = True
        try:
            from . import _core  # type: ignore[attr-defined]  # compiled
        except ImportError as error:
            raise ImportError(
                f"the compiled part of combpred cannot be loaded ({error}). Install the package with 'pip install .', "
                "or build in place with 'python setup.py build_ext --inplace'."
            ) from error
        dll = _Functions(_core.__file__)
        version = dll.cp_abi_version()
        if version != abi.ABI_VERSION:
            raise ImportError(f"the compiled part has interface {version}, not {abi.ABI_VERSION}; reinstall combpred")
        _library = Library(_core, dll, blas.install(_core))
        return _library


class RowInputs:
    """Input features of some rows.

    Parameters
    ----------
    X : array or CSR of shape (n, p)
        Read in place where `are_read_in_place` says so, converted to float64 otherwise.
    mapped : bool, default=False
        Whether X is a view of a file mapped read-only, whose pages are given back once they are read.
    """

    def __init__(self, X: Any, *, mapped: bool = False) -> None:
        self.n, self.p = X.shape
        self.struct = record(abi.CFeatures, n=self.n, p=self.p)
        if hasattr(X, "tocsr"):
            put(self.struct, **compressed(X))
        else:
            in_place = are_read_in_place(X)
            if in_place and X.dtype.kind == "b":
                X = X.view(np.uint8)
            dense = X if in_place else contiguous(X, np.float64)
            stride = dense.strides[0] // dense.itemsize if self.n > 1 else self.p
            put(self.struct, type=dense.dtype.name, dense=dense, stride=stride, mapped=int(mapped and in_place))


def row_streams(X: Any, *, apart: bool = True) -> NDArray[np.uint64]:
    """Return the number ``(n,)`` of a random stream for each row of a dense or sparse matrix, which follows from it.

    If `apart`, equal rows are told apart by how many come before them, so that draws for them are independent.
    """
    streams: NDArray[np.int64] = computed("cp_row_streams", RowInputs(X), apart)
    return streams.view(np.uint64)


def compressed(rows: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays of a CSR matrix by the names of their fields in structs."""
    stored = rows.indptr[-1]  # there may be room for more
    return {
        "data": contiguous(rows.data[:stored], np.float64),
        "indices": contiguous(rows.indices[:stored], np.int32),
        "indptr": contiguous(rows.indptr, np.int64),
    }


def are_read_in_place(X: Any) -> bool:
    """Return whether an array or a sparse matrix is read as it lies in memory, without a copy."""
    if hasattr(X, "tocsr"):
        return bool(X.format == "csr" and X.dtype == np.float64)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or not (X.dtype.isnative and X.flags.aligned):
        return False
    if X.dtype.name not in NUMBER_TYPES and X.dtype.kind != "b":
        return False
    step, rest = divmod(X.strides[0], X.itemsize)
    return (X.shape[1] <= 1 or X.strides[1] == X.itemsize) and (X.shape[0] <= 1 or (step >= X.shape[1] and rest == 0))


def call(
    name: str,
    *arguments: Any,
    n_threads: int | None = None,
    control: abi.Control | None = None,
    **shown: Any,
) -> int:
    """Call a function of the C interface and raise what its status means.

    Parameters
    ----------
    name : str
        Name in combpred.h.
    *arguments
        Its arguments up to `workers`, or up to `bad_row` and the error buffer for functions without. Arrays, structs,
        objects that have a `struct`, and numbers of ctypes become pointers to them, strings bytes; objects that have
        a `handle` become that.
    n_threads : int or None, default=None
        The argument `workers` of functions that have it; None as :func:`get_n_threads` says.
    control : Control or None, default=None
        The control block, by which Ctrl-C stops the call; None: a new one for functions that take one.
    **shown
        label, verbose, total and progress, as :func:`combpred._lib.control.reported` takes them.

    Returns
    -------
    int
        ``OK`` or ``ENOTCONVERGED``.
    """
    function = getattr(library().dll, name)
    message, bad_row = ctypes.create_string_buffer(_MESSAGE_BYTES), ctypes.c_int64(-1)
    given = [_pointer(argument) for argument in arguments]
    if name in abi.PARALLEL:
        control = control or abi.Control()
        given += get_n_threads(n_threads), ctypes.byref(control)
    if name in abi.OF_ROWS:
        given.append(ctypes.byref(bad_row))
    if control is None:
        status = function(*given, message, _MESSAGE_BYTES)
    else:
        with reported(control, **shown) if shown else nullcontext(), interruptible(control):
            status = function(*given, message, _MESSAGE_BYTES)
    return checked(status, message, bad_row.value)


def computed(function: str, *arguments: Any, **named: Any) -> Any:
    """Call a function of the C interface, and return what it has written to new arrays and structs.

    Parameters
    ----------
    function : str
        Name in combpred.h.
    *arguments
        Its arguments but for the sizes of others and for what it writes to, as :func:`call` takes them. Arrays that it
        reads are converted to the types of combpred.h, and structs may be dicts or named tuples of their fields.
    **named
        Sizes that no argument has; arrays and structs in place of new ones, None for those that are not wanted;
        ``with_status=True`` if the status of the call is to come last; and the options of :func:`call`.

    Returns
    -------
    ndarray, number, namespace, or tuple of these
        What is new, in the order of combpred.h. Arrays of a single entry are numbers. Structs are namespaces of their
        fields, with texts decoded; ``converged`` tells whether the call has, unless that is one of the fields.
    """
    with_status = named.pop("with_status", False)
    given, made = prepared(function, arguments, named)
    status = call(function, *given, **named)
    return results(function, made, status, with_status=with_status)


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
        As :func:`computed` takes them.
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


def _pointer(argument: Any) -> Any:
    """Return an argument of the C interface as ctypes takes it."""
    if argument is None or isinstance(argument, (int, float, bytes)):
        return argument
    if isinstance(argument, np.ndarray):
        return argument.ctypes.data
    if isinstance(argument, _VALUES):
        return ctypes.byref(argument)
    if isinstance(argument, str):
        return argument.encode()
    handle = getattr(argument, "handle", None)
    return handle if handle is not None else _pointer(argument.struct) if hasattr(argument, "struct") else argument


def checked(status: int, message: Any, bad_row: int = -1) -> int:
    """Return `status` if outputs are valid, and raise what it means otherwise, with the row that is to blame."""
    if status in (abi.OK, abi.ENOTCONVERGED):
        return status
    text, kind = message.value.decode("utf-8", "replace"), _EXCEPTIONS[status]
    if bad_row < 0 or not issubclass(kind, (DataError, ValueError)):
        raise kind(text)
    if kind is ValueError:
        kind = RowError
    raise kind(bad_row, text) if issubclass(kind, RowError) else kind(text, bad_row)
