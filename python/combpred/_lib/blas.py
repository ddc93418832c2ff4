"""Hands the BLAS and LAPACK routines of SciPy to the Go core."""

from __future__ import annotations

import ctypes
import os
from typing import Any, NamedTuple


class BlasChoice(NamedTuple):
    """The BLAS that the core uses.

    Attributes
    ----------
    name : {"host", "gonum"}
        "host" is SciPy's own, "gonum" the portable one inside the library.
    reason : str
        Why it was chosen.
    """

    name: str
    reason: str


def install(core: Any) -> BlasChoice:
    """Give SciPy's routines to the core, as the environment variable ``COMBPRED_BLAS`` says: auto (the default), host
    or gonum.

    Parameters
    ----------
    core : module
        The control plane ``combpred._lib._core``.

    Returns
    -------
    BlasChoice

    Raises
    ------
    ValueError
        If ``COMBPRED_BLAS`` is something else.
    RuntimeError
        If it is "host" and SciPy's routines cannot be used.

    Notes
    -----
    The routines are those that ``scipy.linalg.cython_blas`` and ``cython_lapack`` publish for Cython code. Before
    anything uses them, the core compares their argument lists with what it expects, and their results with its own.
    """
    wish = os.environ.get("COMBPRED_BLAS", "").strip().lower() or "auto"
    if wish not in ("auto", "host", "gonum"):
        raise ValueError(f"the environment variable COMBPRED_BLAS is {wish!r}, must be auto, host or gonum")
    if wish == "gonum":
        return BlasChoice("gonum", "COMBPRED_BLAS=gonum asks for it")
    if core.control_BlasStatus() == "host":  # an earlier load got as far as this
        return BlasChoice("host", "SciPy's routines pass the self-test")
    try:
        for line in core.control_BlasRoutines().splitlines():
            name = line.split()[0]
            core.control_BlasOffer(name, *_routine(name))
        core.control_BlasActivate()
    except (ImportError, AttributeError, RuntimeError, ValueError) as error:
        if wish == "host":
            raise RuntimeError(f"COMBPRED_BLAS=host, but SciPy's BLAS cannot be used: {error}") from error
        return BlasChoice("gonum", f"SciPy's BLAS cannot be used: {error}")
    return BlasChoice("host", "SciPy's routines pass the self-test")


def _routine(name: str) -> tuple[str, int]:
    """Return the signature of SciPy's routine in C, and its address."""
    from scipy.linalg import cython_blas, cython_lapack

    capsule = cython_blas.__pyx_capi__.get(name) or cython_lapack.__pyx_capi__.get(name)
    if capsule is None:
        raise ValueError(f"it does not publish {name}")
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature = get_name(capsule)
    address = get_pointer(capsule, signature)
    if not address:
        raise ValueError(f"{name} has no address")
    return signature.decode(), int(address)
