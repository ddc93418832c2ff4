"""Rules for the code in Go that neither its compiler nor go vet knows."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LOOP = re.compile(r"^(\t+)for (?:(\w+)(?:, (\w+))? := range .*|(\w+) := .*; .*; .*) \{\n\1\t(.+)\n\1\}$", re.M)
_SUM = re.compile(r"^([\w.]+(?:\[(.+)\])?) [+-]= ([^*]+) \* ([^*]+)$")


def products_of_vectors(text: str) -> Iterable[str]:
    """Yield the loops that are an inner product of two vectors, or add a multiple of one to another."""
    for found in _LOOP.finditer(text):
        _, index, value, counter, statement = found.groups()
        index = index or counter
        parts = _SUM.match(statement)
        if parts is None:
            continue
        _, place, *factors = parts.groups()
        entries = [factor == value or factor.endswith(f"[{index}]") for factor in factors]
        constant = [not re.search(rf"\b({index}|{value})\b", factor) for factor in factors]
        if place is None and all(entries):  # s += x[i] * y[i]
            yield statement
        if place == index and any(entries) and any(constant):  # y[i] += a * x[i]
            yield statement
