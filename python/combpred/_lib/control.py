"""Control of running calls: Ctrl-C stops them, and their progress is reported."""

from __future__ import annotations

import contextlib
import contextvars
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from .abi import Control

Result = TypeVar("Result")

_POLL_SECONDS = 0.1  # where waiting for a thread cannot be interrupted

_FIRST_SECONDS = 1.0  # shorter calls report nothing
_LINE_SECONDS = 1.0
_CALLBACK_SECONDS = 0.1


def _on_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


class interruptible:  # noqa: N801  (used like a function, as contextlib.suppress is)
    """Context manager: SIGINT sets ``control.cancel`` while the main thread is inside a compiled call.

    A thread waits for the bytes that the interpreter's own signal handler writes to the wake-up file descriptor.
    Whoever used that descriptor before (asyncio, Jupyter) gets the bytes passed on. Entering and leaving cost about
    0.15 ms together.

    Parameters
    ----------
    control : Control
        The control block of the call.

    Notes
    -----
    Does nothing outside the main thread, where Python delivers no signals; where SIGINT is ignored or has its default
    action; and on Windows, where :func:`run_interruptibly` works otherwise.
    """

    def __init__(self, control: Control) -> None:
        self._control = control
        self._active = False

    def __enter__(self) -> interruptible:
        if os.name != "posix" or not _on_main_thread() or not callable(signal.getsignal(signal.SIGINT)):
            return self
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)  # the interpreter demands it
        self._thread = threading.Thread(target=self._watch, name="combpred-interrupt", daemon=True)
        self._previous = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._active = True
        try:
            self._thread.start()
        except BaseException as error:
            if isinstance(error, RuntimeError):  # there is no thread
                os.close(self._read)
            self.__exit__(None, None, None)
            raise
        return self

    def _watch(self) -> None:
        # The thread closes what it reads from: it may begin only after Ctrl-C has ended the wait for it.
        try:
            while received := os.read(self._read, 64):
                if signal.SIGINT in received:
                    self._control.cancel = 1
                if self._previous != -1:
                    # Its reader may be gone or slow; the interpreter itself drops the byte then.
                    with contextlib.suppress(OSError):
                        os.write(self._previous, received)
        finally:
            os.close(self._read)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._active:
            return
        self._active = False
        try:
            signal.set_wakeup_fd(self._previous)
        finally:
            os.close(self._write)  # ends the thread
            if self._thread.ident is not None:
                self._thread.join()


def run_interruptibly(func: Callable[[], Result], control: Control) -> Result:
    """Call `func`, which polls `control`, so that Ctrl-C stops it.

    Parameters
    ----------
    func : callable
        Takes nothing. It must return soon after ``control.cancel`` becomes non-zero.
    control : Control
        The control block that `func` polls.

    Returns
    -------
    object
        What `func` returns.
    """
    if os.name == "posix" or not _on_main_thread():
        with interruptible(control):
            return func()

    def cancel_and_wait(done: threading.Event) -> None:
        control.cancel = 1
        done.wait()  # the call still writes to the caller's arrays

    return _in_thread(func, cancel_and_wait)


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
    return _in_thread(lambda: func(*args, **kwargs), lambda done: None)


def _in_thread(func: Callable[[], Result], on_interrupt: Callable[[threading.Event], None]) -> Result:
    """Call `func` in a daemon thread and wait for it; call `on_interrupt` when the wait is interrupted."""
    done = threading.Event()
    results: list[Result] = []
    errors: list[BaseException] = []
    context = contextvars.copy_context()  # numpy.errstate and config_context hold in the thread, too

    def work() -> None:
        try:
            results.append(context.run(func))
        except BaseException as error:  # noqa: B902 - raised again by the waiting thread
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=work, name="combpred-call", daemon=True).start()
    try:
        # A wait without a timeout can be interrupted on POSIX only.
        while not done.wait(None if os.name == "posix" else _POLL_SECONDS):
            pass
    except BaseException:
        on_interrupt(done)
        raise
    if errors:
        raise errors[0]
    return results[0]


@contextmanager
def reported(
    control: Control,
    label: str,
    *,
    verbose: int = 0,
    total: int | None = None,
    progress: Callable[[int, float], object] | None = None,
) -> Iterator[None]:
    """Report ``control.step`` and ``control.value`` while the block runs.

    Parameters
    ----------
    control : Control
        The control block of the call.
    label : str
        What is running.
    verbose : int, default=0
        When positive, calls of more than a second show a bar of tqdm if that is installed, in notebooks one of theirs,
        and print a line to standard error each second otherwise.
    total : int or None, default=None
        Number of steps that there will be, by which a bar tells the time left. None: not known.
    progress : callable or None, default=None
        Called with (step, value) ten times a second, from another thread.
    """
    if verbose <= 0 and progress is None:
        yield
        return
    finished = threading.Event()
    watchers = []
    # Notebooks know by the context which cell a bar belongs to.
    if progress is not None:
        tell = partial(contextvars.copy_context().run, _call_back, control, progress, finished)
        watchers.append(threading.Thread(target=tell, daemon=True))
    if verbose > 0:
        show = partial(contextvars.copy_context().run, _show, control, label, total, finished)
        watchers.append(threading.Thread(target=show, daemon=True))
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


def _show(control: Control, label: str, total: int | None, finished: threading.Event) -> None:
    if finished.wait(_FIRST_SECONDS):
        return
    start = time.monotonic() - _FIRST_SECONDS
    tqdm = _bars()
    if tqdm is None:
        while True:
            seconds = time.monotonic() - start
            sys.stderr.write(f"[combpred] {label}: {seconds:.0f} s, step {control.step}, value {control.value:.3g}\n")
            if finished.wait(_LINE_SECONDS):
                return
    done = False
    with tqdm(desc=label, unit="step", total=total) as bar:
        bar.start_t -= _FIRST_SECONDS  # since when there are steps
        while not done:
            done = finished.wait(_CALLBACK_SECONDS)
            if control.value:  # of what has one
                bar.set_postfix_str(f"value {control.value:.3g}", refresh=False)
            bar.update(control.step - bar.n)


class Steps:
    """Steps that take long and end one by one, of which lines tell, and a bar how many there will be.

    Parameters
    ----------
    label : str
        What is running: lines begin with it.
    total : int
        How many steps there will be, at most.
    verbose : int
        Nothing is shown unless it is positive: lines on standard error and, of steps that take more than a second in
        all, a bar of tqdm below them if that is installed.

    Examples
    --------
    >>> with Steps("training", 3, verbose=0) as steps:
    ...     steps.tell("pass 1")
    ...     steps.advance()
    >>> steps.done
    1
    """

    def __init__(self, label: str, total: int, verbose: int) -> None:
        self.done = 0
        self._label, self._total, self._shown = label, total, verbose > 0
        self._began = time.monotonic()
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
        self.done += steps
        if self._shown and self._bar is None and self.seconds >= _FIRST_SECONDS:
            tqdm = _bars()
            if tqdm is not None:
                self._bar = tqdm(desc=self._label, unit="step", total=self._total, leave=False)
                self._bar.start_t -= self.seconds  # since when there are steps
        if self._bar is not None:
            self._bar.update(self.done - self._bar.n)


def _bars() -> Any:
    """Return the class of tqdm's bars, those of notebooks there; None without tqdm."""
    try:
        return importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return None
