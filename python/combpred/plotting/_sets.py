"""StructuredSetDisplay: what the outputs of a set have in common, and where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._lib.structure import structure_layout
from ._displays import axes_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .. import StructuredSet

_OPEN, _REQUIRED = "C0", "C1"


class StructuredSetDisplay:
    """A set of outputs, drawn as what its members have in common.

    Such sets are predicted by :class:`combpred.ConformalStructured`.

    - Rankings and tournaments: a matrix whose filled cells say that the row's label may precede that of the column,
      strongly coloured where it must. Labels that may precede the most others come first.
    - Routes, paths, cycles, trees, graphs and cliques: the graph of the arcs or edges that the outputs may have, thick
      ones being those that all have.
    - Assignments, labels, nodes and classes: the cells, or the names, that are required, possible and out.

    It is recommended to make displays by `from_set`.

    Parameters
    ----------
    structured_set : StructuredSet
        What to draw.

    Attributes
    ----------
    structured_set : StructuredSet
        As given.
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure
    artists_ : list
        What was drawn: the image of a matrix, or a line, arrow or point for each part that is not out.

    See Also
    --------
    MarginalsDisplay : The probabilities that such sets come from.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import ConformalStructured, ProbabilisticStructured
    >>> from combpred.plotting import StructuredSetDisplay
    >>> X = np.random.default_rng(0).normal(size=(40, 1))
    >>> y = np.where(X < 0, [[1, 2, 3]], [[3, 2, 1]])
    >>> model = ConformalStructured(ProbabilisticStructured("permutations"), cv=0.5).fit(X, y)
    >>> display = StructuredSetDisplay.from_set(model.predict_set([[-2.0]])[0])
    >>> display.ax_.get_xlabel()
    'column'
    """

    def __init__(self, structured_set: StructuredSet) -> None:
        self.structured_set = structured_set

    @classmethod
    def from_set(cls, structured_set: StructuredSet, *, ax: Axes | None = None) -> StructuredSetDisplay:
        """Draw a set.

        Parameters
        ----------
        structured_set : StructuredSet
            One of those that ``predict_set`` returns.
        ax : matplotlib.axes.Axes, default=None
            None: those of a new figure.

        Returns
        -------
        StructuredSetDisplay

        Raises
        ------
        ImportError
            Without matplotlib.
        """
        return cls(structured_set).plot(ax)

    def plot(self, ax: Axes | None = None) -> StructuredSetDisplay:
        """Draw the set.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            None: those of a new figure.

        Returns
        -------
        StructuredSetDisplay
            The display itself.

        Raises
        ------
        ImportError
            Without matplotlib.
        """
        self.ax_, _, self.figure_ = axes_of(self, ax)
        space, mask = self.structured_set.structure.space, self.structured_set.mask
        names, layout = self.structured_set.names(), structure_layout(space.description)
        if mask.ndim > 1:
            may = mask if mask.ndim == 2 else mask[0]
            order = np.argsort(-may.sum(axis=1), kind="stable")
            may = may[np.ix_(order, order)]
            self.artists_ = self._matrix(may * np.where(may.T, 1, 2), names[order], names[order])
        elif layout is None:
            self.artists_ = self._states(mask, names)
        elif layout.kind == "cells":
            items = range(layout.n_items)
            cells = mask.reshape(layout.n_items, -1) + 1
            self.artists_ = self._matrix(cells, space.items or items, space.seconds or items)
        else:
            self.artists_ = self._graph(layout, mask, space.items or range(layout.n_items))
        return self

    def _matrix(self, values: Any, rows: Any, columns: Any) -> list[Any]:
        """Draw a matrix of 0 for what is out, 1 for what is possible and 2 for what is required."""
        image = self.ax_.imshow(values, cmap="Blues", vmin=0, vmax=2.5, interpolation="nearest")
        self.ax_.set_xticks(range(len(columns)), [str(name) for name in columns], rotation=45, ha="right")
        self.ax_.set_yticks(range(len(rows)), [str(name) for name in rows])
        self.ax_.set(xlabel="column", ylabel="row")
        return [image]

    def _states(self, mask: Any, names: Any) -> list[Any]:
        left = np.flatnonzero(mask >= 0)
        points = self.ax_.scatter(mask[left], left, c=np.where(mask[left], _REQUIRED, _OPEN))
        self.ax_.set_xticks([0, 1], ["possible", "required"])
        self.ax_.set_yticks(range(len(names)), [str(name) for name in names])
        self.ax_.set(xlim=(-0.5, 1.5), ylim=(len(names) - 0.5, -0.5))
        return [points]

    def _graph(self, layout: Any, mask: Any, items: Any) -> list[Any]:
        """Draw vertices in a circle, and the arcs or edges between them that are not out."""
        n = 1 + int(max(layout.n_items - 1, layout.rows.max(), layout.columns.max()))
        angles = 2 * np.pi * np.arange(n) / n
        at, drawn = np.column_stack([np.sin(angles), np.cos(angles)]), []
        for place, name in zip(at, [*items, "depot"], strict=False):
            self.ax_.annotate(str(name), place, ha="center", va="center", bbox={"boxstyle": "circle", "fc": "white"})
        directed = layout.kind == "arcs"
        form = {"arrowstyle": "-|>" if directed else "-", "connectionstyle": f"arc3,rad={directed * 0.1}"}
        for e in np.flatnonzero(mask >= 0):
            look = {"color": _REQUIRED, "lw": 3} if mask[e] else {"color": _OPEN, "lw": 1}
            arrow = {"shrinkA": 9, "shrinkB": 9, **form, **look}
            drawn.append(self.ax_.annotate("", at[layout.columns[e]], at[layout.rows[e]], arrowprops=arrow))
        self.ax_.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal")
        self.ax_.set_axis_off()
        return drawn
