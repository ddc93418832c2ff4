"""Shared fixtures and helpers of the test suite."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


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


@pytest.fixture(scope="session", autouse=True)
def python_answers_sigint():
    """A shell makes jobs in the background ignore SIGINT, and Python keeps it so: tests of Ctrl-C need its handler."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
