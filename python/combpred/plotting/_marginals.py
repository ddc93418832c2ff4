"""MarginalsDisplay: the marginals of one distribution as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from .._data.checks import choice, float_array
from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError, RowError
from .._lib.structure import structure_layout
from .._lib.table import floats
from ..structures import Structure
from ._displays import axes_of, opened, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The middle has the lightest colour where it means that nothing is known, zero where it means that nothing is there.
_SCALES: dict[str, tuple[str, float, float]] = {
    "pair": ("PuOr", 0.0, 1.0),
    "probability": ("Blues", 0.0, 1.0),
    "difference": ("PuOr", -1.0, 1.0),
}
_MOST_VALUES = 16  # rows and columns up to which values are written by default


class MarginalsDisplay:
    r"""The marginals of one distribution p(y | x), the means of ψ, as a matrix.

    For rankings the matrix holds P(row before column). What it holds for other structures:

    - `WeakOrders` and `Tournaments`: P(row before column) too; ties and pairs not played make up the rest to 1;
    - `PartialOrders` and `DirectedCycles`: the difference of the probabilities of both directions, which is what their
      :math:`\psi` tells;
    - `Assignments`: the probability of each cell;
    - `Routes` and `Paths`: the probability of each arc, with a row of starts and a column of ends for routes;
    - `Cliques`, `Graphs`, `SpanningTrees` and `Cycles`: the probability of each edge.

    It is recommended to make displays by `from_estimator` or `from_marginals`.

    Parameters
    ----------
    matrix : array-like of shape (n_rows, n_columns)
        Values to draw; NaN for cells to leave empty.
    row_labels, column_labels : sequence of str, default=None
        Names of the rows and columns; None: their numbers.
    quantity : str, default="P(row before column)"
        What the values are, for the colour bar.
    kind : {"pair", "probability", "difference"}, default="pair"
        The scale of colours: "pair" for probabilities whose middle is ½, "probability" for others, "difference" for
        values from −1 to 1.

    Attributes
    ----------
    matrix, row_labels, column_labels, quantity, kind
        As given, rows and columns being sorted.
    im_ : matplotlib.image.AxesImage
        The matrix.
    text_ : ndarray of shape (n_rows, n_columns), dtype=object, or None
        The values written in the cells; entries are None in empty cells. None where values were not asked for.
    colorbar_ : matplotlib.colorbar.Colorbar or None
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure

    See Also
    --------
    ReliabilityDisplay : Whether such probabilities agree with what is observed.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 6.1: the model.

    Examples
    --------
    >>> from combpred.plotting import MarginalsDisplay
    >>> from combpred.structures import Permutations
    >>> rankings = Permutations(3)
    >>> display = MarginalsDisplay.from_marginals(
    ...     rankings, rankings.marginals([2.0, 0.0, -1.0]), labels="abc", order="rank"
    ... )
    >>> display.row_labels, display.matrix.round(2).tolist()
    (('a', 'c', 'b'), [[nan, 0.53, 0.99], [0.47, nan, 0.94], [0.01, 0.06, nan]])
    """

    def __init__(
        self,
        matrix: ArrayLike,
        *,
        row_labels: Any = None,
        column_labels: Any = None,
        quantity: str = "P(row before column)",
        kind: str = "pair",
    ) -> None:
        values = float_array(matrix, "matrix")
        self.matrix: FloatArray = check_array(values, ensure_all_finite="allow-nan", input_name="matrix")
        self.row_labels = names_for(values.shape[0], row_labels, "row_labels")
        self.column_labels = names_for(values.shape[1], column_labels, "column_labels")
        self.quantity = quantity
        self.kind = choice(kind, "kind", _SCALES)

    @classmethod
    def from_marginals(
        cls,
        structure: Structure,
        marginals: ArrayLike,
        *,
        labels: Any = None,
        order: Any = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> MarginalsDisplay:
        r"""Draw the marginals of a structure under one distribution.

        Parameters
        ----------
        structure : Structure
            With its sizes known.
        marginals : array-like of shape (d,)
            :math:`E\psi`, such as `structure.marginals(scores)` or a row of `predict_marginals`.
        labels : sequence of str, default=None
            Names of the labels (items, vertices, places); None: those of the structure or, without any, their numbers.
        order : "rank" or array-like of shape (n_labels,), default=None
            In which order rows and columns stand: "rank" sorts labels of orders by their expected rank, the first at
            the top. None: as they are numbered.
        ax : matplotlib.axes.Axes, default=None
            None: those of a new figure.
        **kwargs
            Passed to `plot`.

        Returns
        -------
        MarginalsDisplay

        Raises
        ------
        CapabilityError
            Where the marginals make no matrix, such as those of label sets.
        ImportError
            Without matplotlib.
        ValueError
            When marginals are not those of one distribution, naming the entry, and for labels and orders that do not
            fit.

        Notes
        -----
        The marginals of partial tournaments are taken to be those of a distribution :math:`p \propto \exp\langle s,
        \psi\rangle`; only for these do they tell P(row before column).

        Examples
        --------
        >>> from combpred.plotting import MarginalsDisplay
        >>> from combpred.structures import Assignments
        >>> cells = Assignments(2)
        >>> MarginalsDisplay.from_marginals(cells, cells.marginals([1.0, 0.0, 0.0, 1.0])).matrix.round(2).tolist()
        [[0.88, 0.12], [0.12, 0.88]]
        """
        values, space = _of_one(structure, marginals), structure.space
        layout = structure_layout(space.description)
        if layout is None:
            remedy = "draw them as bars: ax.barh(structure.feature_names(), marginals)"
            raise CapabilityError(f"the marginals of {structure!r} make no matrix, one for each entry of ψ; {remedy}")
        matrix, quantity, kind = _matrix_of(structure, layout, values)
        n, size = layout.n_items, len(matrix)
        if labels is None and space.items is not None:
            labels = space.items[:n]  # paths may have names of more vertices
        names = names_for(n, labels, "labels")
        rows: Any = (*names, "start") if size > n else names
        columns: Any = (*names, "end") if size > n else names
        if layout.kind == "cells":
            rows = tuple(f"item {i}" for i in range(n)) if labels is None else names
            columns = space.seconds or tuple(f"column {i}" for i in range(n))
        if order is not None:
            shared = 0 if layout.kind == "cells" else n  # items that have a row and a column
            if layout.kind in ("total order", "order") and isinstance(order, str) and order == "rank":
                order = np.argsort(expected_ranks(matrix, kind), kind="stable")
            if np.shape(order) != (shared,) or (np.sort(order) != np.arange(shared)).any():
                raise ValueError(f"order must list each of {shared} items once, or be 'rank' for orders, got {order!r}")
            at = np.append(order, range(shared, size)).astype(int)
            matrix, rows, columns = matrix[np.ix_(at, at)], np.take(rows, at), np.take(columns, at)
        display = cls(matrix, row_labels=rows, column_labels=columns, quantity=quantity, kind=kind)
        return display.plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, labels: Any = None, order: Any = None, ax: Axes | None = None, **kwargs: Any
    ) -> MarginalsDisplay:
        """Draw the marginals that an estimator predicts for one row.

        Parameters
        ----------
        estimator : ProbabilisticStructured
            Fitted; or a fitted pipeline or search around one.
        X : array or CSR of shape (1, n_features)
            One row.
        labels, order, ax, **kwargs
            As for `from_marginals`.

        Returns
        -------
        MarginalsDisplay

        Raises
        ------
        CapabilityError, ImportError, ValueError
            As `from_marginals`; ValueError also for more than one row.
        AttributeError
            If the estimator predicts no marginals.
        sklearn.exceptions.NotFittedError
            Before ``fit``.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import ProbabilisticStructured
        >>> from combpred.plotting import MarginalsDisplay
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = ProbabilisticStructured("permutations", alpha=0.1).fit(X, y)
        >>> display = MarginalsDisplay.from_estimator(ranker, X[:1], labels=["ale", "bitter"])
        >>> bool(display.matrix[0, 1] > 0.5)  # P(ale before bitter)
        True
        """
        model, rows = opened(estimator, X)
        marginals = np.asarray(model.predict_marginals(rows))
        return cls.from_marginals(model.structure_, marginals, labels=labels, order=order, ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        include_values: bool | None = None,
        values_format: str = ".2f",
        cmap: Any = None,
        colorbar: bool = True,
        im_kw: dict[str, Any] | None = None,
        text_kw: dict[str, Any] | None = None,
    ) -> MarginalsDisplay:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            None: those of a new figure.
        include_values : bool, default=None
            Whether to write values in the cells. None: up to 16 rows and columns.
        values_format : str, default=".2f"
            Format of these values.
        cmap : str or matplotlib Colormap, default=None
            Colours; None: by `kind`.
        colorbar : bool, default=True
            Whether to draw a colour bar.
        im_kw : dict, default=None
            Keywords for :meth:`matplotlib.axes.Axes.imshow`.
        text_kw : dict, default=None
            Keywords for the :meth:`matplotlib.axes.Axes.text` of values.

        Returns
        -------
        MarginalsDisplay
            The display itself.

        Raises
        ------
        ImportError
            Without matplotlib.
        """
        self.ax_, _, self.figure_ = axes_of(self, ax)
        colours, low, high = _SCALES[self.kind]
        shown = {"cmap": cmap if cmap is not None else colours, "vmin": low, "vmax": high, "interpolation": "nearest"}
        self.im_ = self.ax_.imshow(np.ma.masked_invalid(self.matrix), **{**shown, **(im_kw or {})})
        self.ax_.set_facecolor("0.9")  # of empty cells, which must not look like zeros
        if include_values is None:
            include_values = max(self.matrix.shape) <= _MOST_VALUES
        self.text_ = self._written(values_format, text_kw) if include_values else None
        self.colorbar_ = self.figure_.colorbar(self.im_, ax=self.ax_, label=self.quantity) if colorbar else None
        self.ax_.set_xticks(range(len(self.column_labels)), self.column_labels)
        self.ax_.set_yticks(range(len(self.row_labels)), self.row_labels)
        if max(len(name) for name in self.column_labels) > 3:
            for label in self.ax_.get_xticklabels():
                label.set(rotation=45, ha="right", rotation_mode="anchor")
        return self

    def _written(self, values_format: str, text_kw: dict[str, Any] | None) -> NDArray[np.object_]:
        """Write the values of cells that have one, in black or white, whichever is read better on the cell's colour."""
        from matplotlib.text import Text

        text = np.full(self.matrix.shape, None, dtype=object)
        for i, j in np.argwhere(~np.isnan(self.matrix)).tolist():
            red, green, blue, _ = self.im_.cmap(self.im_.norm(self.matrix[i, j]))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            chosen = {"ha": "center", "va": "center", "color": "white" if dark else "black", "fontsize": "small"}
            text[i, j] = self.ax_.text(j, i, format(self.matrix[i, j], values_format), **style(chosen, text_kw, Text))
        return text


_ROUNDING = 1e-9


def expected_ranks(matrix: FloatArray, kind: str) -> FloatArray:
    """Return the expected rank of every item, 1 for the first; items that share ranks have their mean.

    An item's rank is 1, plus 1 for each other that stands before it and ½ for each that stands neither before nor
    behind it. `matrix` and `kind` are those of a display of orders.
    """
    values = np.nan_to_num(matrix)
    ahead = values if kind == "difference" else values - values.T  # P(u before v) − P(v before u)
    return (len(values) + 1) / 2 - ahead.sum(axis=1) / 2


#: What the entries of ψ of each kind are the probabilities of, with a row and a column.
_EVENTS = {
    "total order": "P({} before {})",
    "order": "P({} before {})",
    "directions": "P({}→{})",
    "arcs": "P({}→{})",
    "edges": "P(edge)",
    "cells": "P({} has {})",
}


def _matrix_of(structure: Structure, layout: Any, values: FloatArray) -> tuple[FloatArray, str, str]:
    r"""Return a display's matrix, quantity and kind from :math:`E\psi` and where its entries stand in a matrix."""
    event = layout.kind
    quantity, kind, back = _EVENTS[event].format("row", "column"), "probability", None
    if hasattr(structure, "pair_probabilities"):
        values, back = structure.pair_probabilities(values)
        kind = "pair" if event == "total order" else kind
    elif event in ("order", "directions"):
        back, kind = -values, "difference"
        quantity += f" − {_EVENTS[event].format('column', 'row')}"
    elif event == "edges":
        back = values
    size = layout.n_items + int(layout.n_items in layout.rows)  # with a row of starts and a column of ends
    matrix = np.full((size, size), np.nan)
    matrix[layout.rows, layout.columns] = values
    if back is not None:
        matrix[layout.columns, layout.rows] = back
    return matrix, quantity, kind


def _of_one(structure: Structure, marginals: Any) -> FloatArray:
    r"""Return :math:`E\psi` of one distribution, ``(d,)``, within the range of :math:`\psi`."""
    values = floats(np.atleast_2d(float_array(marginals, "marginals")), "marginals", 1, structure.n_features)[0]
    low = 0.0 if structure.space.has_indicators else -1.0
    bad = ~((values >= low - _ROUNDING) & (values <= 1 + _ROUNDING))  # true of NaN
    if bad.any():
        entry = int(np.argmax(bad))
        name = structure.feature_names()[entry]
        raise RowError(0, f"entry {entry} ({name}) is {values[entry]}, must be between {low:g} and 1", "marginals")
    return np.asarray(np.clip(values, low, 1.0))


def names_for(n: int, names: Any, argument: str) -> tuple[str, ...]:
    """Return names of n rows or columns as strings, their numbers where `names` is None."""
    listed = tuple(map(str, range(n) if names is None else names))
    if len(listed) != n:
        raise ValueError(f"{argument} has {len(listed)} names, {n} are needed")
    return listed
