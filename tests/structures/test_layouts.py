"""Names of the entries of ψ and their cells, compared with what outputs say, and how the entries vary together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from combpred import CapabilityError
from combpred._lib.structure import structure_layout
from combpred.structures import (
    Assignments,
    Cycles,
    DirectedCycles,
    Graphs,
    LabelSets,
    MultiClass,
    Ordinal,
    Paths,
    Permutations,
    Routes,
    SpanningTrees,
    Structure,
    Tournaments,
    WeakOrders,
    structure_classes,
)

JOINTS = {
    "order": " before ",
    "total order": " before ",
    "directions": "->",
    "arcs": "->",
    "edges": "-",
    "cells": " to ",
}


def steps(y: list[int], n: int, *, closed: bool) -> set[tuple[int, int]]:
    """Return the arcs of a cycle, or of a route with those from and to a depot n."""
    places = [v for v in y if v >= 0]
    around = [*places, places[0]] if closed else [n, *places, n]
    return set(itertools.pairwise(around))


def said(structure: Structure, y: list[int], u: int, v: int) -> int:
    """Return what ψ has for the items u and v of an output."""
    n = len(y)
    if structure.name in ("permutations", "weakorders"):
        return int(np.sign(y[v] - y[u]))
    if structure.name == "assignments":
        return int(y[u] == v)
    if structure.name == "cliques":
        return y[u] * y[v]
    arcs = steps(y, n, closed=structure.name != "routes")
    back = {"cycles": 1, "directedcycles": -1, "routes": 0}[structure.name]
    return int((u, v) in arcs) or back * int((v, u) in arcs)


@pytest.mark.parametrize(
    "name", ["permutations", "weakorders", "assignments", "cliques", "cycles", "directedcycles", "routes"]
)
def test_cells_of_the_layout_are_what_the_output_says(name: str) -> None:
    structure = structure_classes()[name](4)
    layout = structure_layout(structure.space.description)
    assert layout is not None
    for y, psi in zip(structure.enumerate(), structure.embed(list(structure.enumerate())), strict=True):
        found = [said(structure, y.tolist(), u, v) for u, v in zip(layout.rows, layout.columns, strict=True)]
        assert psi[: len(found)].tolist() == found
    inner = (layout.rows < layout.n_items) & (layout.columns < layout.n_items)
    named = [f"{u}{JOINTS[layout.kind]}{v}" for u, v in zip(layout.rows[inner], layout.columns[inner], strict=True)]
    assert structure.feature_names()[np.flatnonzero(inner)].tolist() == named


def test_layouts_of_graphs_are_their_edges_and_others_have_none() -> None:
    edges = [(2, 1), (0, 2), (3, 0), (1, 3)]
    for graph, kind in (
        (Graphs(edges=edges), "edges"),
        (SpanningTrees(4, edges), "edges"),
        (Paths(edges[:2], 0, 1), "arcs"),
    ):
        layout = structure_layout(graph.space.description)
        assert layout is not None and (layout.kind, layout.n_items) == (kind, 4 if kind == "edges" else 3)
        assert list(zip(layout.rows.tolist(), layout.columns.tolist(), strict=True)) == edges[: graph.n_features]
    for other in (LabelSets(3), MultiClass(3), Ordinal(3), Paths.trellis(3, 2)):
        assert structure_layout(other.space.description) is None


@pytest.mark.parametrize(
    ("structure", "said", "nonzero"),
    [
        (Assignments(5), "The covariance has one nonzero eigenvalue, 1/(k−1)", 1),
        (Cycles(5), "The covariance has three eigenvalues", 3),
        (DirectedCycles(5), "The covariance has one nonzero eigenvalue", 1),
        (Routes(5), "the covariance has at most six nonzero eigenvalues", 6),
        (Tournaments(4), "the covariance of :math:`\\psi` is 2/3 times the identity", 1),
        (WeakOrders(5), "The covariance of :math:`\\psi` has four eigenvalues", 4),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Structure) else "",
)
def test_covariances_have_as_many_eigenvalues_as_their_notes_say(structure: Structure, said: str, nonzero: int) -> None:
    assert said in " ".join((type(structure).__doc__ or "").split())
    members = structure.embed(list(structure.enumerate()))
    covariance = np.cov(members.T, bias=True)
    np.testing.assert_allclose(structure.covariance(), covariance, atol=1e-12)
    found = np.unique(np.linalg.eigvalsh(covariance).round(9))
    assert len(found[found > 0]) == nonzero
    if nonzero == 1 and not isinstance(structure, DirectedCycles):
        assert found[-1] == pytest.approx(2 / 3 if isinstance(structure, Tournaments) else 1 / 4)


def test_spaces_of_more_than_ten_million_members_are_not_listed() -> None:
    assert "more than 10 000 000 members" in (Structure.enumerate.__doc__ or "")
    assert next(iter(Permutations(10).enumerate())).shape == (10,)  # 3 628 800 members
    with pytest.raises(CapabilityError):
        next(iter(Permutations(11).enumerate()))  # 39 916 800
