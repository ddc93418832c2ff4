"""The page about structures: for each class of the catalogue a card, a section and a row of a table, from its facts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from combpred import structures
from combpred._lib.structure import catalogue, structure_count
from combpred.structures import Structure, structure_classes

#: Titles of groups of structures, with their names in the catalogue.
GROUPS = {
    "One of several": ["multiclass", "ordinal", "hierarchy", "posetelements"],
    "Sets": ["labelsets", "subtrees", "cliques"],
    "Orders": ["permutations", "weakorders", "partialorders", "tournaments"],
    "Graphs and matchings": ["graphs", "spanningtrees", "assignments"],
    "Ways": ["paths", "routes", "cycles", "directedcycles"],
    "Your own": ["custom"],
}

_OWN_PSI = "vectors that you give, or that a kernel between outputs implies"

MOST = 1000  # beyond which sizes are not tried: what is possible there counts as possible at any size


def _binary_tree(n: int) -> list[int]:
    return [-1, *((i - 1) // 2 for i in range(1, n))]


def _divisors(n: int) -> np.ndarray:
    numbers = np.arange(1, n + 1)
    return numbers[:, None] % numbers[None, :] == 0


def _grid(n: int) -> structures.Paths:
    cells = np.arange(n * n).reshape(n, n)
    across, down = (cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:])
    arcs = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in (across, down)])
    return structures.Paths(arcs, 0, n * n - 1)


def _listed(n: int) -> structures.Custom:
    return structures.Custom.from_structures(list(range(n)), np.random.default_rng(0).normal(size=(n, 3)))


class Sizes(NamedTuple):
    """How a structure of n items is made, a usual n, what the items are, and the largest n that is tried."""

    make: Callable[[int], Structure]
    usual: int
    items: str
    most: int = MOST


SIZES = {
    "multiclass": Sizes(structures.MultiClass, 10, "classes"),
    "ordinal": Sizes(structures.Ordinal, 5, "grades"),
    "hierarchy": Sizes(lambda n: structures.Hierarchy(_binary_tree(n)), 63, "nodes"),
    "posetelements": Sizes(lambda n: structures.PosetElements(_divisors(n)), 30, "elements"),
    "labelsets": Sizes(structures.LabelSets, 20, "labels"),
    "subtrees": Sizes(lambda n: structures.Subtrees(_binary_tree(n)), 63, "nodes"),
    "cliques": Sizes(structures.Cliques, 20, "vertices"),
    "permutations": Sizes(structures.Permutations, 10, "labels"),
    "weakorders": Sizes(structures.WeakOrders, 10, "labels"),
    "partialorders": Sizes(structures.PartialOrders, 7, "items"),
    "tournaments": Sizes(structures.Tournaments, 10, "items"),
    "graphs": Sizes(structures.Graphs, 10, "vertices"),
    "spanningtrees": Sizes(structures.SpanningTrees, 10, "vertices"),
    "assignments": Sizes(structures.Assignments, 10, "items"),
    "paths": Sizes(_grid, 10, "rows and columns of a grid", 200),
    "routes": Sizes(structures.Routes, 8, "places"),
    "cycles": Sizes(structures.Cycles, 10, "vertices"),
    "directedcycles": Sizes(structures.DirectedCycles, 10, "vertices"),
    "custom": Sizes(_listed, 100, "listed outputs"),
}


#: Rows of the table for parameters that change what a structure can do.
VARIANTS = {
    "graphs": {
        f'`hereditary="{name}"`': Sizes(lambda n, name=name: structures.Graphs(n, hereditary=name), 6, "vertices", 60)
        for name in ("forest", "matching", "bipartite")
    }
}


class Card(NamedTuple):
    """What the page says of a structure, in Markdown."""

    cls: type[Structure]
    summary: str
    psi: str
    y: str
    count: str
    sums: str
    best: str
    moments: str
    conditions: str


def cards() -> dict[str, Card]:
    """Return what there is to say of each structure, by its name in the catalogue."""
    classes, entries = structure_classes(), {entry["name"]: entry for entry in catalogue()}
    return {name: _card(name, classes[name], entries[name]) for group in GROUPS.values() for name in group}


def _card(name: str, cls: type[Structure], entry: dict[str, Any]) -> Card:
    paragraphs = (inspect.getdoc(cls) or "").split("\n\n")
    sizes = SIZES[name]
    conditions = [f"`{each['key']}`: {each['takes']}" for each in entry.get("conditions", [])]
    return Card(
        cls,
        summary=_markdown(paragraphs[0]),
        psi=_OWN_PSI if name == "custom" else _markdown(paragraphs[1]),
        y=_form(cls),
        count=_count(sizes),
        sums=_sums(sizes),
        best=_best(sizes),
        moments=_moments(sizes),
        conditions="; ".join(conditions),
    )


def _form(cls: type[Structure]) -> str:
    """Return the first sentence of the notes on y."""
    notes = (inspect.getdoc(cls) or "").partition("Notes\n-----\n")[2].split("\n\n")[0]
    sentence = re.split(r"(?<=[.]) (?=[A-Z])", " ".join(notes.split()))[0]
    return _markdown(sentence)


def _markdown(text: str) -> str:
    """Turn a paragraph of a docstring into Markdown."""
    text = " ".join(text.split())
    text = re.sub(r":math:`([^`]*)`", r"$\1$", text)
    text = re.sub(r":\w+:`[~.]?([^`]*)`", r"`\1`", text)
    return text.replace("``", "`")


def _abilities(structure: Structure) -> frozenset[str]:
    return structure.space.capabilities


def _largest(sizes: Sizes, holds: Callable[[frozenset[str]], bool]) -> str:
    """Return up to which size something is possible, by bisection."""
    if holds(_abilities(sizes.make(sizes.most))):
        return "any size"
    least, most = 3, sizes.most
    if not holds(_abilities(sizes.make(least))):
        return "–"
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if holds(_abilities(sizes.make(middle))) else (least, middle)
    return f"up to {least} {sizes.items}"  # what is possible at some size is possible at all smaller ones


def _sums(sizes: Sizes) -> str:
    exact = _largest(sizes, lambda able: {"marginals", "exact"} <= able)
    return f"exact {'at ' if exact == 'any size' else ''}{exact}"


def _best(sizes: Sizes) -> str:
    exact = _largest(sizes, lambda able: "decode" in able)
    if exact != "any size":
        return f"exact {exact}, then local search"
    return "exact where the search ends" if "search" in _abilities(sizes.make(sizes.most)) else "exact at any size"


def _moments(sizes: Sizes) -> str:
    exact = _largest(sizes, lambda able: "exact-moments" in able)
    if exact == "any size":
        return "exact at any size"
    return "relaxed" if exact == "–" else f"exact {exact}, then relaxed"


def _count(sizes: Sizes) -> str:
    """Return the number of outputs at the usual size, with thin spaces, or as a power of ten if it is long."""
    count = structure_count(sizes.make(sizes.usual).space.description)
    text = str(count)
    return f"{count:,}".replace(",", "\u202f") if len(text) <= 12 else f"{text[0]}.{text[1:3]} × 10^{len(text) - 1}^"


# ---- Markdown --------------------------------------------------------------------------------------------------------


def pictures(found: dict[str, Card]) -> str:
    """Return a grid of pictures, each of which leads to the section of its structure."""
    lines = ["::::{grid} 2 3 4 4", ":gutter: 2", ":class-container: structures", ""]
    for name, card in found.items():
        lines += [f":::{{grid-item-card}} {card.cls.__name__}", f":img-bottom: pictures/{name}.svg"]
        lines += [f":img-alt: {_plain(card.summary)}", f":link: structure-{name}", ":link-type: ref", ":::", ""]
    return "\n".join([*lines, "::::"])


def table(found: dict[str, Card]) -> str:
    """Return one row for each structure: how many outputs there are, and up to which size what is exact."""
    lines = ["| structure | size | outputs | sums, draws | best output | moments |", "|" + " --- |" * 6]
    for name, card in found.items():
        lines.append(_row(_reference(card), SIZES[name], card))
        for value, sizes in VARIANTS.get(name, {}).items():
            lines.append(_row(f"– {value}", sizes, card._replace(count=_count(sizes),
                              sums=_sums(sizes), best=_best(sizes), moments=_moments(sizes))))  # fmt: skip
    return "\n".join(lines)


def _row(title: str, sizes: Sizes, card: Card) -> str:
    cells = [card.sums, card.best, card.moments]
    short = [re.sub(rf" {sizes.items}|^exact (at )?|,.*|where the | ends", "", cell) for cell in cells]
    return f"| {title} | {sizes.usual} {sizes.items} | {_power(card.count)} | {' | '.join(short)} |"


def sections(found: dict[str, Card]) -> str:
    """Return a section for each structure, by groups."""
    return "\n".join(
        f"## {title}\n\n" + "\n".join(_section(name, found[name]) for name in members)
        for title, members in GROUPS.items()
    )


def _section(name: str, card: Card) -> str:
    rows = {
        "ψ": card.psi,
        "Outputs": f"{_power(card.count)} for {SIZES[name].usual} {SIZES[name].items}",
        "Sums and draws": card.sums,
        "Best output": card.best,
        "Moments": card.moments,
        "Constraints": card.conditions,
        "Class": _reference(card),
    }
    lines = [f"(structure-{name})=", f"### {card.cls.__name__}", ""]
    lines += [f"```{{image}} pictures/{name}.svg", f":alt: {_plain(card.summary)}", ":class: structure", "```", ""]
    lines += [card.summary, "", "- " + re.sub(r"\by\b", "**y**", card.y, count=1)]
    return "\n".join([*lines, *(f"- **{head}**: {text}" for head, text in rows.items() if text), ""])


def _reference(card: Card) -> str:
    return f"{{class}}`~combpred.structures.{card.cls.__name__}`"


def _power(text: str) -> str:
    return re.sub(r"10\^(\d+)\^", r"10{sup}`\1`", text)


def _plain(text: str) -> str:
    return text.replace("`", "").replace("$", "")
