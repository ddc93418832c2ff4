"""Versions of the package and of its dependencies."""

from __future__ import annotations

__version__ = "0.1.0"


def show_versions() -> None:
    """Print versions, the BLAS in use and why, the number of threads, and what scikit-learn says about itself.

    Examples
    --------
    >>> import combpred
    >>> combpred.show_versions()  # doctest: +SKIP
    """
    import sklearn

    from .call import get_n_threads, library  # not with the version, which importing the package reads

    loaded = library()
    lines = {
        "combpred": __version__,
        "Go core": loaded.core.control_Version(),
        "BLAS": f"{loaded.blas.name} ({loaded.blas.reason})",
        "threads": str(get_n_threads()),
    }
    for name, value in lines.items():
        print(f"{name:>13}: {value}")
    sklearn.show_versions()
