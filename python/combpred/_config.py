"""How many threads the library's own loops use."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_n_threads: ContextVar[int | None] = ContextVar("combpred_n_threads", default=None)


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
    if n_threads is None:
        yield
        return
    token = _n_threads.set(_resolve("n_threads", n_threads))
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


def _resolve(name: str, n: int) -> int:
    if n == 0:
        raise ValueError(f"{name} must not be 0; use 1 for one thread, -1 for all processors or None for the default")
    return min(n, 1 << 16) if n > 0 else max(1, _n_processors() + 1 + n)


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
