"""Checks of structures that users give by functions, for their test suites."""

from __future__ import annotations

from .structures._own.checks import check_structure, structure_checks

__all__ = ["check_structure", "structure_checks"]


def __dir__() -> list[str]:
    return __all__
