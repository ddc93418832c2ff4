"""Warnings that point to the user's line of code, however deep in the package they are issued."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import joblib
import sklearn

#: Code that is not the user's: this package, and the wrappers, pipelines and searches that call it.
_INNER = (
    Path(__file__).resolve().parents[1],
    *(Path(str(package.__file__)).resolve().parent for package in (sklearn, joblib)),
)


def warn_user(message: str, category: type[Warning]) -> None:
    """Issue a warning that points to the innermost line outside this package, scikit-learn and joblib.

    In a worker process that has no such line, it points to the outermost one.
    """
    frame, level = sys._getframe(1), 2  # level 2 is the caller's line
    while frame.f_back is not None and _is_inner(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_inner(file: str) -> bool:
    """Return whether a source file belongs to this package, scikit-learn or joblib."""
    return any(directory in Path(file).resolve().parents for directory in _INNER)
