"""The error that the command line shows to its user."""

from __future__ import annotations

import importlib
from typing import Any


class UsageError(Exception):
    """What the user asked for cannot be done; the message says why and what would work. Exit status 2, no traceback."""


def needed(module: str, what: str, package: str) -> Any:
    """Return a module that the package does not need but the command line does; say what to install without it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError(f"{what}, which is not installed: pip install {package!r}") from None
