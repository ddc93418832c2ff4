"""The error that the command line shows to its user."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class UsageError(Exception):
    """What the user asked for cannot be done; the message says why and what would work. Exit status 2, no traceback."""


def require(condition: object, message: str) -> None:
    """Raise `UsageError` unless a condition holds."""
    if not condition:
        raise UsageError(message)


def near(name: str, known: Iterable[str]) -> str:
    """Return a question for the name that is meant, "" where none is alike."""
    return next((f", do you mean {each}?" for each in get_close_matches(name, list(known), 1, 0.65)), "")


def needed(module: str, what: str, package: str) -> Any:
    """Return a module that the package does not need but the command line does; say what to install without it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError(f"{what}, which is not installed: pip install {package!r}") from None


def check_destination(option: str, path: str | None, *others: str | None, endings: tuple[str, ...] = ()) -> None:
    """Refuse a path that nothing can be written to, or another has, before any work is done; "-" is for tables."""
    if path is None or (path == "-" and endings):
        return
    place, refused = Path(path), f"{option}: cannot write {path}"
    require(path != "-", f"{refused}, standard output, which takes tables; name a file")
    require(not place.is_dir(), f"{refused}, which is a directory; name a file in it")
    require(endings or place.is_file() or not place.exists(), f"{refused}, which is no file")
    taken = place.resolve() in [Path(other).resolve() for other in others if other is not None]
    require(not taken, f"{refused}, which another argument names, too; name a file of its own")
    require(os.access(place.resolve().parent, os.W_OK), f"{refused}, which is in no directory that can be written to")
    known = not endings or "." not in place.name or place.name.lower().endswith(endings)
    require(known, f"{refused}: tables are written as CSV or .parquet; name such a file")
