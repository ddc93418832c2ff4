"""A small picture of an output of each structure: grey lines on a transparent ground, and one colour for the output."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

WIDTH, HEIGHT = 160, 100  # in pixels of 1/96 inch
GREY, LIT, SECOND = "#8c8c8c", "#2b8fd6", "#d9822b"  # all have a contrast of three or more on white and on dark grey

Point = tuple[float, float]
Draw = Callable[["Canvas"], None]
PICTURES: dict[str, Draw] = {}


class Canvas:
    """What pictures are drawn with, in pixels from the lower left corner."""

    def __init__(self, ax: Axes) -> None:
        self.ax = ax

    def dot(self, at: Point, lit: bool = False, radius: float = 4.5, colour: str = LIT) -> None:
        """Draw a vertex: filled where it belongs to the output."""
        edge = colour if lit else GREY
        self.ax.add_patch(Circle(at, radius, facecolor=edge if lit else "none", edgecolor=edge, linewidth=1.4))

    def line(self, a: Point, b: Point, lit: bool = False, gap: float = 4.5, colour: str = LIT) -> None:
        """Draw an edge between the rims of two vertices."""
        (x, y), (u, v) = _between(a, b, gap)
        style = {"color": colour, "linewidth": 2.6} if lit else {"color": GREY, "linewidth": 1.1}
        self.ax.plot([x, u], [y, v], solid_capstyle="round", **style)

    def arrow(self, a: Point, b: Point, lit: bool = False, gap: float = 6, bend: float = 0, colour: str = LIT) -> None:
        """Draw an arc from one vertex to another."""
        start, end = _between(a, b, gap)
        width, edge = (2.2, colour) if lit else (1.1, GREY)
        self.ax.add_patch(
            FancyArrowPatch(start, end, arrowstyle="-|>,head_length=3.4,head_width=1.9", color=edge, linewidth=width,
                            connectionstyle=f"arc3,rad={bend}", shrinkA=0, shrinkB=0, mutation_scale=1.5)
        )  # fmt: skip

    def box(self, at: Point, size: Point, lit: bool = False, text: str = "", round_by: float = 3) -> None:
        """Draw a rectangle with round corners, given its centre, and a word in it."""
        (x, y), (width, height) = at, size
        corner = x - width / 2 + round_by, y - height / 2 + round_by
        self.ax.add_patch(
            FancyBboxPatch(corner, width - 2 * round_by, height - 2 * round_by, linewidth=1.2, alpha=None,
                           boxstyle=f"round,pad={round_by}", facecolor=LIT if lit else "none",
                           edgecolor=LIT if lit else GREY)
        )  # fmt: skip
        if text:
            self.word(at, text, "white" if lit else GREY)

    def word(self, at: Point, text: str, colour: str = GREY, size: float = 7.5) -> None:
        self.ax.text(*at, text, color=colour, fontsize=size, ha="center", va="center_baseline", weight="bold")


def _between(a: Point, b: Point, gap: float) -> tuple[Point, Point]:
    length = math.dist(a, b)
    dx, dy = (b[0] - a[0]) / length * gap, (b[1] - a[1]) / length * gap
    return (a[0] + dx, a[1] + dy), (b[0] - dx, b[1] - dy)


def write_pictures(folder: Path, names: Iterable[str] = ()) -> list[Path]:
    """Write the pictures of some structures, or of all, as SVG files, and return these."""
    folder.mkdir(exist_ok=True)
    written = []
    for name in names or PICTURES:
        with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "path"}):
            figure = Figure(figsize=(WIDTH / 96, HEIGHT / 96))
            ax = figure.add_axes((0, 0, 1, 1))
            ax.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
            ax.set_axis_off()
            PICTURES[name](Canvas(ax))
            file = folder / f"{name}.svg"
            figure.savefig(file, transparent=True, metadata={"Date": None})
        written.append(file)
    return written


def _picture(draw: Draw) -> Draw:
    PICTURES[draw.__name__] = draw
    return draw


def _ring(n: int, centre: Point = (80, 50), radius: float = 38, wide: float = 1.4) -> list[Point]:
    turns = [math.pi / 2 - 2 * math.pi * i / n for i in range(n)]
    return [(centre[0] + wide * radius * math.cos(t), centre[1] + radius * math.sin(t)) for t in turns]


def _network(canvas: Canvas, points: Sequence[Point], edges: Iterable[tuple[int, int]], lit: Iterable[tuple[int, int]],
             vertices: Iterable[int] = ()) -> None:  # fmt: skip
    """Draw a graph, with some edges and vertices lit."""
    chosen, marked = set(lit), set(vertices)
    for u, v in sorted(edges, key=lambda edge: edge in chosen):
        canvas.line(points[u], points[v], (u, v) in chosen)
    for i, at in enumerate(points):
        canvas.dot(at, i in marked)


#: Places of a small town, and a plane graph on them.
_TOWN = [(22, 28), (52, 76), (66, 22), (92, 56), (112, 86), (128, 20), (143, 62)]
_STREETS = [(0, 1), (0, 2), (1, 2), (1, 3), (1, 4), (2, 3), (2, 5), (3, 4), (3, 5), (3, 6), (4, 6), (5, 6)]

#: A tree: the root, its children, and theirs.
_TREE = [(80, 86), (32, 50), (80, 50), (128, 50), (16, 14), (48, 14), (80, 14), (112, 14), (144, 14)]
_PARENT = [-1, 0, 0, 0, 1, 1, 2, 3, 3]


def _tree(canvas: Canvas, lit: set[int], end: int | None = None) -> None:
    edges = [(_PARENT[i], i) for i in range(1, len(_TREE))]
    _network(canvas, _TREE, edges, [(u, v) for u, v in edges if v in lit], lit)
    if end is not None:
        canvas.dot(_TREE[end], True, 7)


@_picture
def multiclass(canvas: Canvas) -> None:
    """One box of several."""
    for i in range(4):
        canvas.box((26 + 36 * i, 50), (28, 28), lit=i == 2, text="ABCD"[i])


@_picture
def ordinal(canvas: Canvas) -> None:
    """Bars up to a grade."""
    for i in range(5):
        height = 18 + 15 * i
        canvas.box((24 + 28 * i, 10 + height / 2), (20, height), lit=i <= 2)


@_picture
def posetelements(canvas: Canvas) -> None:
    """A Hasse diagram, with an element and all below it."""
    points = [(80, 12), (32, 38), (80, 38), (128, 38), (32, 66), (80, 66), (128, 66), (80, 90)]
    covers = [(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (2, 4), (2, 6), (3, 5), (3, 6), (4, 7), (5, 7), (6, 7)]
    below = {0, 1, 2, 4}
    _network(canvas, points, covers, [(u, v) for u, v in covers if v in below], below)
    canvas.dot(points[4], True, 7)


@_picture
def hierarchy(canvas: Canvas) -> None:
    """A tree, with a node and the path to it."""
    _tree(canvas, {0, 1, 5}, end=5)


@_picture
def subtrees(canvas: Canvas) -> None:
    """A tree, with several branches."""
    _tree(canvas, {0, 1, 2, 3, 4, 7, 8})


@_picture
def labelsets(canvas: Canvas) -> None:
    """Tags, some of them lit."""
    for row, widths in enumerate([(28, 46, 36), (46, 34, 30), (38, 28, 44)]):
        x = (WIDTH - sum(widths) - 16) / 2
        for column, width in enumerate(widths):
            lit = (row, column) in {(0, 0), (0, 2), (1, 1), (2, 2)}
            canvas.box((x + width / 2, 80 - 30 * row), (width, 18), lit, round_by=7)
            x += width + 8


@_picture
def cliques(canvas: Canvas) -> None:
    """Some vertices with all edges between them."""
    points, members = _ring(7), {0, 2, 3, 5}
    pairs = [(u, v) for u in range(7) for v in range(u + 1, 7)]
    for u, v in pairs:
        if {u, v} <= members:
            canvas.line(points[u], points[v], True)
    for i, at in enumerate(points):
        canvas.dot(at, i in members)


@_picture
def permutations(canvas: Canvas) -> None:
    """A ladder of labels, from the first place down."""
    for place, label in enumerate("CADB"):
        y = 86 - 24 * place
        width = 110 - 22 * place
        canvas.word((18, y), str(place + 1))
        canvas.box((32 + width / 2, y), (width, 18), lit=place == 0, text=label)


@_picture
def weakorders(canvas: Canvas) -> None:
    """A ladder on which two labels share a place."""
    for place, labels in enumerate(["C", "AE", "D"]):
        y = 80 - 30 * place
        canvas.word((26, y), str(place + 1))
        for i, label in enumerate(labels):
            canvas.box((90 + 44 * (i - (len(labels) - 1) / 2), y), (36, 20), lit=len(labels) > 1, text=label)


@_picture
def partialorders(canvas: Canvas) -> None:
    """Items of which only some are compared."""
    points = {"A": (46, 84), "B": (114, 84), "C": (22, 20), "D": (80, 50), "E": (80, 14), "F": (138, 34)}
    for u, v in ("AC", "AD", "BD", "DE", "BF"):
        canvas.arrow(points[u], points[v], True, gap=10)
    for label, at in points.items():
        canvas.dot(at, radius=8)
        canvas.word(at, label)


@_picture
def tournaments(canvas: Canvas) -> None:
    """Who beats whom, with pairs that have not played."""
    points = _ring(5, radius=36, wide=1.5)
    for u, v in [(0, 1), (1, 2), (2, 0), (3, 0), (4, 1), (3, 4), (4, 2)]:
        canvas.arrow(points[u], points[v], True, gap=9)
    for at in points:
        canvas.dot(at, radius=6.5)


@_picture
def graphs(canvas: Canvas) -> None:
    """Any edges of a graph."""
    lit = [(0, 1), (0, 2), (1, 2), (3, 4), (4, 6), (2, 5)]
    _network(canvas, _TOWN, _STREETS, lit)


@_picture
def spanningtrees(canvas: Canvas) -> None:
    """Edges that connect all vertices without a cycle."""
    lit = [(0, 1), (1, 2), (1, 3), (3, 4), (3, 5), (3, 6)]
    _network(canvas, _TOWN, _STREETS, lit, range(len(_TOWN)))


@_picture
def assignments(canvas: Canvas) -> None:
    """A matching of two columns."""
    left, right = [(30, 86 - 24 * i) for i in range(4)], [(130, 86 - 24 * i) for i in range(4)]
    match = [1, 3, 0, 2]
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            if match[i] != j:
                canvas.ax.plot(*zip(*_between(a, b, 6), strict=True), color=GREY, linewidth=0.4)
    for i, a in enumerate(left):
        canvas.line(a, right[match[i]], True, gap=6)
    for at in left + right:
        canvas.dot(at, True, 5)


@_picture
def paths(canvas: Canvas) -> None:
    """A way through a grid."""
    place = [[(20 + 30 * c, 86 - 24 * r) for c in range(5)] for r in range(4)]
    walk = [(0, 0), (0, 1), (1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (3, 4)]
    steps = set(zip(walk, walk[1:], strict=False))
    for r in range(4):
        for c in range(5):
            for to in ((r, c + 1), (r + 1, c)):
                if to[0] < 4 and to[1] < 5:
                    canvas.line(place[r][c], place[to[0]][to[1]], ((r, c), to) in steps, gap=3)
            canvas.dot(place[r][c], (r, c) in walk, 3)


@_picture
def routes(canvas: Canvas) -> None:
    """A route through some places, with its start and its end."""
    order = [0, 1, 3, 4, 6]
    for u, v in zip(order, order[1:], strict=False):
        canvas.arrow(_TOWN[u], _TOWN[v], True, gap=8)
    for i, at in enumerate(_TOWN):
        canvas.dot(at, i in order, *((6, SECOND) if i in (order[0], order[-1]) else ()))


@_picture
def cycles(canvas: Canvas) -> None:
    """A round trip in either direction."""
    order = [0, 1, 4, 6, 3, 2]
    for u, v in zip(order, order[1:] + order[:1], strict=True):
        canvas.line(_TOWN[u], _TOWN[v], True)
    for i, at in enumerate(_TOWN):
        canvas.dot(at, i in order)


@_picture
def directedcycles(canvas: Canvas) -> None:
    """A round trip in one direction."""
    order = [0, 1, 4, 6, 5, 2]
    for u, v in zip(order, order[1:] + order[:1], strict=True):
        canvas.arrow(_TOWN[u], _TOWN[v], True, gap=7)
    for i, at in enumerate(_TOWN):
        canvas.dot(at, i in order)


@_picture
def custom(canvas: Canvas) -> None:
    """An output of any form, and its vector."""
    outline = [(18, 30), (24, 66), (46, 82), (62, 62), (54, 34), (36, 18), (18, 30)]
    canvas.ax.plot(*zip(*outline, strict=True), color=LIT, linewidth=2.2)
    canvas.word((38, 50), "y", LIT, 11)
    canvas.arrow((68, 50), (108, 50), gap=2)
    canvas.word((88, 62), "ψ", size=11)
    for i, lit in enumerate([True, False, True, True, False]):
        canvas.box((128, 84 - 17 * i), (22, 15), lit, round_by=2)
