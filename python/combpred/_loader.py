"""Loads the shared object at first use, and refuses to use it in a process forked afterwards."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any, NamedTuple

from . import _abi, _blas
from ._errors import ForkedProcessError


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
    blas: _blas.BlasChoice


_lock = threading.Lock()
_library: Library | None = None
_started = False  # the Go runtime runs, or is about to
_forked = False  # this process is a fork of one where it ran


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
            from . import _core
        except ImportError as error:
            raise ImportError(
                f"the compiled part of combpred cannot be loaded ({error}). Install the package with 'pip install .', "
                "or build in place with 'python setup.py build_ext --inplace'."
            ) from error
        dll = ctypes.CDLL(_core.__file__)
        for name, arguments in _abi.PROTOTYPES.items():
            function = getattr(dll, name)
            function.restype, function.argtypes = ctypes.c_int32, arguments
        version = dll.cp_abi_version()
        if version != _abi.ABI_VERSION:
            raise ImportError(
                f"the compiled part of combpred has interface version {version}, this package needs "
                f"{_abi.ABI_VERSION}; install it again"
            )
        _library = Library(_core, dll, _blas.install(_core))
        return _library
