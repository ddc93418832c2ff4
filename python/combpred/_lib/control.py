"""Control of running calls: Ctrl-C stops them, and their progress is reported."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import importlib
import math
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

from .abi import Control

Result = TypeVar("Result")

_FIRST_SECONDS = 1.0  # shorter calls report nothing
_LINE_SECONDS = 1.0
_CALLBACK_SECONDS = 0.1


def _on_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def interruptible(control: Control) -> Iterator[None]:
    """Return a context manager in which SIGINT sets ``control.cancel``, for the main thread inside a compiled call.

    Entering and leaving take about 3 µs together, so every call is watched, however short it may be.

    Parameters
    ----------
    control : Control
        The control block of the call.

    Notes
    -----
    Does nothing outside the main thread, where Python delivers no signals. If SIGINT is ignored or has its default
    action, nothing arrives that could cancel a call.
    """
    if not _on_main_thread():
        yield
        return
    watcher = _watcher()
    outer = watcher.running
    if watcher.has_arrived.poll(0):  # of a call that has ended, or of the one around this
        watcher.take(outer)
    previous = signal.set_wakeup_fd(watcher.write, warn_on_full_buffer=False)
    watcher.running = (control, outer, previous)
    try:
        yield
    finally:
        signal.set_wakeup_fd(previous)
        # The thread may not have read yet what arrived during this call; it must not cancel the next one.
        if watcher.has_arrived.poll(0):
            watcher.take(watcher.running)
        watcher.running = outer


class _Watcher:
    """A thread that reads what the interpreter's own signal handler writes to the wake-up file descriptor.

    Whoever used that descriptor before (asyncio, Jupyter) gets the bytes passed on.

    Attributes
    ----------
    write : int
        The descriptor to install.
    running : tuple or None
        The control block of the innermost call, the same tuple of the call around it, and the descriptor that was
        installed before.
    has_arrived : select.poll
        By which the main thread asks whether something has not been read.
    """

    def __init__(self) -> None:
        self._read, self.write = os.pipe()
        for end in (self._read, self.write):
            os.set_blocking(end, False)
        self.running: Any = None
        self.has_arrived, self._arrives = select.poll(), select.poll()
        for poll in (self.has_arrived, self._arrives):
            poll.register(self._read, select.POLLIN)
        threading.Thread(target=self._watch, name="combpred-interrupt", daemon=True).start()

    def _watch(self) -> None:
        while True:
            self._arrives.poll()
            self.take(self.running)  # as it is before reading: what the main thread leaves is of a call that runs

    def take(self, running: Any) -> None:
        """Read what has arrived, cancel the calls that run after Ctrl-C, and pass the bytes on."""
        try:
            received = os.read(self._read, 64)
        except BlockingIOError:  # the other thread has read it
            return
        while running is not None:
            control, running, previous = running
            if signal.SIGINT in received:
                control.cancel = 1
            if previous not in (-1, self.write):
                with contextlib.suppress(OSError):  # its reader may be gone or slow: the interpreter drops bytes, too
                    os.write(previous, received)


@functools.cache
def _watcher() -> _Watcher:
    return _Watcher()


def call_abandonable(func: Callable[..., Result], *args: Any, **kwargs: Any) -> Result:
    """Call a long function that cannot be cancelled, such as a LAPACK driver, so that Ctrl-C is answered at once.

    The function runs in a daemon thread, in a copy of the caller's context, while the main thread waits. After
    KeyboardInterrupt the thread is left to finish on its own: it holds its arguments and its processors until then,
    and its result is dropped. Outside the main thread, where Python delivers no KeyboardInterrupt, the function is
    simply called.

    Parameters
    ----------
    func : callable
        The function.
    *args, **kwargs
        Its arguments. They must not be changed by the caller after a KeyboardInterrupt.

    Returns
    -------
    object
        What `func` returns. What it raises is raised here.
    """
    if not _on_main_thread():
        return func(*args, **kwargs)
    outcome: Future[Result] = Future()
    context = contextvars.copy_context()  # numpy.errstate and config_context hold in the thread, too

    def work() -> None:
        try:
            outcome.set_result(context.run(func, *args, **kwargs))
        except BaseException as error:  # noqa: B902 - raised again by the waiting thread
            outcome.set_exception(error)

    # An executor's thread would be waited for when the process ends.
    threading.Thread(target=work, name="combpred-call", daemon=True).start()
    return outcome.result()


@contextmanager
def reported(
    control: Control,
    label: str = "",
    *,
    verbose: int = 0,
    total: int | None = None,
    progress: Callable[[int, float], object] | None = None,
) -> Iterator[None]:
    """Return a context manager that reports ``control.step`` and ``control.value`` while its block runs.

    Parameters
    ----------
    control : Control
        The control block of the call.
    label, total, verbose
        As :class:`Steps` takes them.
    progress : callable or None, default=None
        Called with (step, value) ten times a second, from another thread.
    """
    if verbose <= 0 and progress is None:
        yield
        return
    finished, steps = threading.Event(), Steps(label, total, verbose, lines=True)

    def watch() -> None:
        with steps:
            done = False
            while not done:
                done = finished.wait(_CALLBACK_SECONDS)
                if progress is not None:
                    progress(control.step, control.value)
                steps.reach(control.step, control.value)

    # Notebooks know by the context which cell a bar belongs to.
    watcher = threading.Thread(target=contextvars.copy_context().run, args=(watch,), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()


class Steps:
    """Steps that take long, of which lines tell, and a bar how many there will be.

    Parameters
    ----------
    label : str
        What is running: lines begin with it.
    total : int or None
        How many steps there will be, at most, by which a bar tells the time left. None: not known.
    verbose : int
        Nothing is shown unless it is positive: lines on standard error and, of steps that take more than a second in
        all, a bar of tqdm below them if that is installed, in notebooks one of theirs.
    lines : bool, default=False
        Whether a line each second stands in for the bar where tqdm is not installed.

    Examples
    --------
    >>> with Steps("training", 3, verbose=0) as steps:
    ...     steps.tell("pass 1")
    ...     steps.advance()
    >>> steps.done
    1
    """

    def __init__(self, label: str, total: int | None, verbose: int, *, lines: bool = False) -> None:
        self.done = 0
        self._label, self._total, self._shown, self._lines = label, total, verbose > 0, lines
        self._began, self._told = time.monotonic(), -math.inf
        self._bar: Any = None

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    @property
    def seconds(self) -> float:
        """The time since the first step began."""
        return time.monotonic() - self._began

    def tell(self, line: str) -> None:
        """Write a line."""
        if self._shown:
            write = print if self._bar is None else self._bar.write
            write(f"[{self._label}] {line}", file=sys.stderr)

    def advance(self, steps: int = 1) -> None:
        """Count steps that have ended."""
        self.reach(self.done + steps)

    def reach(self, done: int, value: float = 0.0) -> None:
        """Say how many steps have ended, with a value that they have led to, or 0."""
        self.done = done
        if not self._shown or self.seconds < _FIRST_SECONDS:
            return
        if self._bar is None:
            with contextlib.suppress(ImportError):  # no tqdm: there are lines
                self._bar = importlib.import_module("tqdm.auto").tqdm(desc=self._label, unit="step", total=self._total)
                self._bar.start_t -= self.seconds  # since when there are steps
        if self._bar is not None:
            if value:
                self._bar.set_postfix_str(f"value {value:.3g}", refresh=False)
            self._bar.update(done - self._bar.n)
        elif self._lines and time.monotonic() - self._told >= _LINE_SECONDS:
            self._told = time.monotonic()
            self.tell(f"{self.seconds:.0f} s, step {done}, value {value:.3g}")
