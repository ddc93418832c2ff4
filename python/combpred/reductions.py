"""Reductions between problems of structured prediction: what training conditions would have to solve."""

from __future__ import annotations

from .structures._search.reductions import maximum_set, maximum_subgraph

__all__ = ["maximum_set", "maximum_subgraph"]


def __dir__() -> list[str]:
    return __all__
