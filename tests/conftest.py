"""Shared fixtures and helpers of the test suite."""

from __future__ import annotations

import ast
import faulthandler
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:
    # Workers share the processors, and threads of BLAS that wait for one another would keep them from the next worker.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent.parent


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name tests by their structures, in the same way in every process that runs a share of them."""
    if not type(val).__module__.startswith("combpred."):
        return None
    return re.sub(r"<function (\S+) at 0x[0-9a-f]+>", r"\1", repr(val))


@pytest.fixture(scope="session")
def root() -> Path:
    """The source tree."""
    return ROOT


@pytest.fixture(scope="session")
def go() -> str:
    """The Go toolchain; tests of the source tree need it, tests of the installed package do not."""
    found = os.environ.get("GO") or shutil.which("go")
    if found is None:
        pytest.skip("no Go toolchain on PATH")
    return found


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a script in a fresh interpreter, from a file so that worker processes can import it."""

    def run(script: str, *, timeout: float = 60, **environment: str) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "script.py"
        file.write_text(script)
        return subprocess.run(
            [sys.executable, str(file)],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


class Limits:
    """What the package takes for a full block, for little memory or for a long time, made small; no public name is.

    The only place of the tests that reaches into several rooms; what is changed is as before after the test.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._set, self.lift = patch.setattr, patch.undo

    def available_memory(self, n_bytes: int) -> None:
        """Let the system have so little memory left."""
        self._set("combpred._lib.arrays.available_memory", lambda: n_bytes)

    def block_entries(self, n: int) -> None:
        """Cut matrices into blocks of so many entries."""
        self._set("combpred._lib.arrays._BLOCK_ENTRIES", n)

    def block_rows(self, n: int) -> None:
        """Cut the rows of arrays into blocks of so many."""
        self._set("combpred._data.blocks._MANY_ROWS", n)

    def numbers_read(self, n: int) -> None:
        """Read so many numbers of rows of outputs at a time."""
        self._set("combpred._lib.structure._BLOCK_NUMBERS", n)

    def progress_at_once(self) -> None:
        """Show the progress of calls, however short; else only of those that take longer than a second."""
        self._set("combpred._lib.control._FIRST_SECONDS", 0.0)

    def exact_seconds(self, structure: Any, n_rows: int, evaluations: int = 1) -> None:
        """Let exact partition functions of so many rows take just too long."""
        from combpred._lib.partition import exact_seconds

        seconds = exact_seconds(structure.space.description, n_rows, evaluations)
        self._set("combpred._lib.partition.EXACT_SECONDS", 0.99 * seconds)

    def chain_steps(self, n: int) -> None:
        """Estimate means along chains in so few steps."""
        self._set("combpred.sampling.engines._MEAN_STEPS", n)

    def downsets(self, n: int) -> None:
        """Let estimates count linear extensions in tables of so few downsets."""
        self._set("combpred.sampling._extensions.FEW_DOWNSETS", n)


@pytest.fixture
def limits() -> Iterator[Limits]:
    with pytest.MonkeyPatch.context() as patch:
        yield Limits(patch)


# Reads a line for each estimator, an expression, and answers by a line: nothing, or what is wrong.
CHECKS = """
import sys, traceback, warnings
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator
import combpred
from combpred import kernels

answers, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    estimator, number = line.rsplit(maxsplit=1)
    wrong = ""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SkipTestWarning)
        try:
            results = check_estimator(eval(estimator))
            if results is not None:  # scikit-learn >= 1.6
                assert len(results) > int(number) and {r["status"] for r in results} == {"passed"}, results
        except BaseException:
            wrong = traceback.format_exc()
    print(ascii(wrong), file=answers, flush=True)
"""


@pytest.fixture(scope="session")
def checking_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that runs scikit-learn's checks, one for all estimators as its imports take as long as they; its log.

    Not this one: the array-API check is skipped unless SciPy was told of it at import.
    """
    folder = tmp_path_factory.mktemp("checks")
    script, log = folder / "checks.py", folder / "stderr.txt"
    script.write_text(CHECKS)
    path = os.pathsep.join(p for p in sys.path if p)
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": path}
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, str(script)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        yield process, log
        assert process.stdin is not None
        process.stdin.close()  # ends it


@pytest.fixture
def passes_check_estimator(checking_process: tuple[subprocess.Popen[str], Path]) -> Callable[[str, int], None]:
    """Run all of scikit-learn's checks, more than a number, on an estimator of `combpred` given as an expression."""
    process, log = checking_process

    def check(estimator: str, number: int) -> None:
        assert process.stdin is not None and process.stdout is not None
        watch = threading.Timer(300, process.kill)
        watch.start()
        try:
            process.stdin.write(f"{estimator} {number}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:  # an earlier check has killed it
            answer = ""
        finally:
            watch.cancel()
        assert answer, f"the process of the checks died: {log.read_text()}"
        wrong = ast.literal_eval(answer)
        assert not wrong, wrong

    return check


@pytest.fixture(scope="session", autouse=True)
def python_answers_sigint():
    """A shell makes jobs in the background ignore SIGINT, and Python keeps it so: tests of Ctrl-C need its handler."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def no_hang() -> Iterator[None]:
    """End the process, with the stacks of its threads, where a test waits for what does not come."""
    faulthandler.dump_traceback_later(900, exit=True, file=2)  # what sys.stderr is here may have no number
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def ctrl_c(no_hang: None) -> Callable[..., AbstractContextManager[None]]:
    """A context that presses Ctrl-C after some seconds or an event, until the work in it is left, which has no end.

    Not how soon, which tests/benchmarks/interrupts.py prints: work that is not left hangs. With `polled`, the handler
    of the interpreter stays silent, so that nothing but a compiled call that looks at its control block and stops
    raises KeyboardInterrupt; otherwise the interpreter itself may, between two calls.

    Pressed again and again, since a call may begin just after, and since the interpreter drops what is raised in a
    callback of its garbage collector; never once the context is left, so that a failure within it is reported as what
    it is.
    """
    if os.name != "posix":
        pytest.skip("signals reach the main thread as POSIX has them")

    @contextmanager
    def pressed(after: float | threading.Event = 0.3, *, polled: bool = False) -> Iterator[None]:
        entered, left = threading.Event(), threading.Event()

        def press() -> None:
            entered.wait()  # on a busy machine `after` may be over before the context is entered
            if isinstance(after, threading.Event):
                after.wait()
            else:
                left.wait(after)
            while not left.is_set():
                os.kill(os.getpid(), signal.SIGINT)
                left.wait(0.2 if polled else 5.0)  # not into the clearing up after the first

        before = signal.signal(signal.SIGINT, (lambda *_: None) if polled else signal.default_int_handler)
        thread = threading.Thread(target=press)
        thread.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                try:
                    entered.set()
                    yield
                finally:
                    left.set()
                    if isinstance(after, threading.Event):
                        after.set()
        finally:
            thread.join()
            signal.signal(signal.SIGINT, before)

    return pressed
