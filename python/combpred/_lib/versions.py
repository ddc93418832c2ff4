"""Versions of the package and of its dependencies."""

from __future__ import annotations

import importlib
import platform
import sys

__version__ = "0.1.0"

_PACKAGES = ("combpred", "numpy", "scipy", "sklearn", "joblib", "threadpoolctl", "pandas", "matplotlib", "tqdm")


def show_versions() -> None:
    """Print versions, the BLAS in use and why, and the number of threads.

    Examples
    --------
    >>> import combpred
    >>> combpred.show_versions()  # doctest: +SKIP
    """
    from .call import get_n_threads, library  # not with the version, which importing the package reads

    loaded = library()
    print("\nSystem:")
    _print("python", sys.version.replace("\n", " "))
    _print("executable", sys.executable)
    _print("machine", platform.platform())
    print("\nPython packages:")
    for name in _PACKAGES:
        _print(name, __version__ if name == "combpred" else _version(name))
    print("\nGo core:")
    _print("version", loaded.core.control_Version())
    _print("blas", f"{loaded.blas.name} ({loaded.blas.reason})")
    _print("threads", str(get_n_threads()))
    from threadpoolctl import threadpool_info

    print("\nThread pools:")
    for pool in threadpool_info():
        _print(pool["internal_api"], f"{pool['num_threads']} threads, version {pool['version']}, {pool['filepath']}")


def _print(name: str, value: str) -> None:
    print(f"{name:>13}: {value}")


def _version(package: str) -> str:
    try:
        return str(getattr(importlib.import_module(package), "__version__", "unknown"))
    except ImportError:
        return "not installed"
