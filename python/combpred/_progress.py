"""Reports the progress of a running call from its control block."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ._abi import Control

_FIRST_SECONDS = 1.0  # shorter calls report nothing
_LINE_SECONDS = 1.0
_CALLBACK_SECONDS = 0.1


@contextmanager
def reported(
    control: Control, label: str, *, verbose: int = 0, progress: Callable[[int, float], object] | None = None
) -> Iterator[None]:
    """Report ``control.step`` and ``control.value`` while the block runs.

    Parameters
    ----------
    control : Control
        The control block of the call.
    label : str
        What is running.
    verbose : int, default=0
        When positive, calls of more than a second show a ``tqdm`` bar if tqdm is installed, and print a line to
        standard error each second otherwise.
    progress : callable or None, default=None
        Called with (step, value) ten times a second, from another thread.
    """
    if verbose <= 0 and progress is None:
        yield
        return
    finished = threading.Event()
    watchers = []
    if progress is not None:
        watchers.append(threading.Thread(target=_call_back, args=(control, progress, finished), daemon=True))
    if verbose > 0:
        watchers.append(threading.Thread(target=_show, args=(control, label, finished), daemon=True))
    for watcher in watchers:
        watcher.start()
    try:
        yield
    finally:
        finished.set()
        for watcher in watchers:
            watcher.join()


def _call_back(control: Control, progress: Callable[[int, float], object], finished: threading.Event) -> None:
    while not finished.wait(_CALLBACK_SECONDS):
        progress(control.step, control.value)
    progress(control.step, control.value)


def _show(control: Control, label: str, finished: threading.Event) -> None:
    if finished.wait(_FIRST_SECONDS):
        return
    start = time.monotonic() - _FIRST_SECONDS
    try:
        tqdm = importlib.import_module("tqdm").tqdm
    except ImportError:
        while True:
            seconds = time.monotonic() - start
            sys.stderr.write(f"[combpred] {label}: {seconds:.0f} s, step {control.step}, value {control.value:.3g}\n")
            if finished.wait(_LINE_SECONDS):
                return
    with tqdm(desc=label, unit="step") as bar:
        while True:
            bar.set_postfix_str(f"value {control.value:.3g}", refresh=False)
            bar.update(control.step - bar.n)
            if finished.wait(_CALLBACK_SECONDS):
                return
