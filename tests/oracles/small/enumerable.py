"""Enumerable instances of all structures, each with its ψ written out from its definition."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from combpred.structures import Structure

# Every module of this folder whose name starts with small_ lists some as SMALL.
INSTANCES: list[tuple[Structure, Callable[[Any], Any]]] = [
    instance
    for module in sorted(Path(__file__).parent.glob("small_*.py"))
    for instance in importlib.import_module(module.stem).SMALL
]
