"""Two sets of edges that show that a property is not hereditary: one that has it, and a part of it that has not."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from .structures._edge_properties import EdgeProperty, FloatArray, Mask

ROUNDING = 1e-12  # of the sum of the weights: differences below it are ties


def check_subsets(edge_property: EdgeProperty, chosen: Mask) -> None:
    """Raise ValueError where a set that has the property loses it with one edge."""
    fewer = chosen.copy()
    for e in np.flatnonzero(chosen).tolist():
        fewer[e] = False
        if not edge_property.holds(fewer):
            _refuse(edge_property, chosen, fewer)
        fewer[e] = True


def check_search(
    edge_property: EdgeProperty, weights: FloatArray, candidates: list[int], best: Mask, other: Mask
) -> None:
    """Raise ValueError where another set is heavier among the candidates than the best that the search found there.

    Parameters
    ----------
    edge_property : EdgeProperty
    weights : ndarray of shape (n_edges,)
    candidates : list of int
        As given to the search.
    best : ndarray of shape (n_edges,)
        What it found.
    other : ndarray of shape (n_edges,)
        A set with the property, of any edges.

    Notes
    -----
    The search, and those of its subproblems that bound it, build sets from consecutive members of the heavier set, and
    ask about these with one further member. They had built the heavier set, were the answer always yes.
    """
    missed = np.zeros_like(other)
    missed[candidates] = other[candidates]
    slack = ROUNDING * float(weights[candidates].sum())
    if float(weights[missed].sum()) <= float(weights[best].sum()) + slack:
        return
    if not edge_property.holds(missed):
        _refuse(edge_property, other, missed)
    members = [e for e in candidates if missed[e]]
    for first in range(len(members)):
        part = np.zeros_like(missed)
        for at, e in enumerate(members[first:], first):
            part[e] = True
            for further in members[at:]:
                before = bool(part[further])
                part[further] = True
                if not edge_property.holds(part):
                    _refuse(edge_property, missed, part)
                part[further] = before
    raise ValueError("Graphs: hereditary does not always give the same answer for the same set of edges")


def _refuse(edge_property: EdgeProperty, whole: Mask, part: Mask) -> NoReturn:
    held, lost = (
        ", ".join(f"{u}-{v}" for u, v in edge_property.edges[edges].tolist()) or "no edge" for edges in (whole, part)
    )
    raise ValueError(
        f"Graphs: hereditary is no hereditary property: it is True for the edges {held} and False for {lost}; a set "
        "must keep it when edges are taken away"
    )
