"""Paths through an acyclic graph, such as routes through a grid or sequences of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import require_integers, whole_number
from .._data.converters import padded, read_entries, rows_in
from .._data.glossary import documented
from .._data.names import Names, checked_names, index_of
from .._data.targets import TargetError, target_matrix, target_vector, whole_numbers
from .._lib.structure import Description
from ._base import NaturalForm, Structure, both_in_parts, copy_with
from ._pairs import vertex_pairs
from ._space import LibrarySpace

_MOST_CELLS = 2**16  # vertices of the largest graph


@documented
@dataclass(eq=False, repr=False)
class Paths(Structure):
    r"""Paths from a source to a target in an acyclic graph.

    :math:`\psi_a(y)` is 1 if the path uses arc a, else 0.

    Parameters
    ----------
    arcs : array-like of shape (m, 2)
        Tail and head of each arc, by their numbers from 0 on or by their names. Arcs must differ from one another and
        must not form a cycle. Arcs that are on no path from source to target are allowed; their entries of ψ are 0.
    source : int or str
        The vertex at which every path starts.
    target : int or str
        The vertex at which every path ends.
    tied : array-like of shape (m,), default=None
        Group 0..g−1 of each arc; :math:`\psi_g(y)` is then the number of arcs of group g on the path. None: every arc
        is its own group.
    %(vertices)s

    Notes
    -----
    y has shape ``(n, L)``: a row lists the indices of the path's arcs in order, padded with −1 to the length L of the
    longest path. Lists of different lengths and arrays of another width are accepted, too, and lists of the names of
    vertices, from the source to the target. `from_vertices` and `to_vertices` convert such lists to y and back.
    Predictions are int32 of width L. The embedding has d = m entries, or g with `tied`.

    The default metric is `hamming_score` of the arcs: the fraction of arcs that both paths use or both do not use.

    Losses between paths, as `StructuredSVM` takes them, count the arcs that only one of the two paths uses. With
    `tied`, only groups of a single arc count; for `trellis` the loss is twice the number of labels that differ.

    If a path can use two arcs of one group, counts may exceed 1 and :math:`\|\psi(y)\|^2` is not a sum over the arcs of
    the path. ``loss="squared"``, whose predictions need that sum, is then refused.

    Constraints have the keys ``required`` and ``forbidden``, lists of arcs, which are pairs of vertices (not indices),
    and ``length``, the number of arcs, or the least and the largest number as a pair. With a length, decoding takes
    O(m) for each number of arcs up to the largest.

    The paths from each vertex to the target are counted exactly. A uniform path is a Markov chain whose transition
    probabilities are ratios of these counts, from which the moments follow in O(m d). Decoding is dynamic programming
    over a topological order (Viterbi, 1967, "Error bounds for convolutional codes"), in O(m).

    Examples
    --------
    >>> from combpred.structures import Paths
    >>> bypass = Paths([(0, 1), (1, 2), (0, 2)], source=0, target=2)
    >>> bypass.embed([[0, 1], [2]])
    array([[1., 1., 0.],
           [0., 0., 1.]])
    >>> bypass.decode([0.2, 0.3, 0.4]), bypass.decode([0.2, 0.3, 0.6])
    (array([0, 1], dtype=int32), array([ 2, -1], dtype=int32))
    >>> bypass.decode([0.2, 0.3, 0.6], constraints={"length": (2, 3)})
    array([0, 1], dtype=int32)
    """

    name = "paths"
    default_metric = "hamming_score"
    _natural = NaturalForm("to_vertices")

    arcs: ArrayLike
    source: int | str
    target: int | str
    _: KW_ONLY
    tied: ArrayLike | None = None
    vertices: Sequence[Any] | None = None

    @classmethod
    def grid(cls, n_rows: int, n_columns: int) -> Paths:
        """Return the paths through a grid from the first to the last cell, by moves to the right and down.

        Parameters
        ----------
        n_rows, n_columns : int
            Each at least 1, and not both 1. Cell (r, c) is vertex ``r * n_columns + c``.

        Returns
        -------
        Paths
            Its arcs are listed row by row: first the moves to the right within the row, then the moves down from it.

        Raises
        ------
        TypeError, ValueError
            When the sizes are not integers, or are too small.

        Examples
        --------
        >>> Paths.grid(5, 5).n_features, Paths.grid(5, 5).count()
        (40, 70)
        """
        n_rows = whole_number(n_rows, "n_rows", 1, _MOST_CELLS)
        n_columns = whole_number(n_columns, "n_columns", 1 if n_rows > 1 else 2, _MOST_CELLS)
        cells = np.arange(n_rows * n_columns).reshape(n_rows, n_columns)
        arcs = []
        for r in range(n_rows):
            arcs.append(np.stack([cells[r, :-1], cells[r, 1:]], axis=1))
            if r + 1 < n_rows:
                arcs.append(np.stack([cells[r], cells[r + 1]], axis=1))
        return cls(np.concatenate(arcs), 0, n_rows * n_columns - 1)

    @classmethod
    def trellis(cls, n_steps: int, n_states: int) -> Paths:
        r"""Return the sequences of `n_steps` labels 0..K−1, as paths through a trellis, for sequence labelling.

        ψ has an entry for each step t and label k, at index t K + k, which is 1 if the label of step t is k. After
        these it has an entry for each pair of labels, at index T K + k K + l: the number of steps from k to l.
        `from_labels` turns sequences of labels into paths, and `to_labels` turns predicted paths into labels.

        Parameters
        ----------
        n_steps : int
            Length T of the sequences, at least 2.
        n_states : int
            Number of labels K, at least 1.

        Returns
        -------
        Paths
            With d = T K + K² features. Each path has an arc for every label and an arc between consecutive labels; the
            latter are tied across steps.

        Raises
        ------
        TypeError, ValueError
            When the sizes are not integers, or are too small.

        Examples
        --------
        >>> chain = Paths.trellis(4, 2)
        >>> chain.count(), chain.n_features
        (16, 12)
        >>> chain.embed(Paths.from_labels([[0, 1, 1, 1]], 2))
        array([[1., 0., 0., 1., 0., 1., 0., 1., 0., 1., 0., 2.]])
        """
        n_steps = whole_number(n_steps, "n_steps", 2, _MOST_CELLS)
        n_states = whole_number(n_states, "n_states", 1, _MOST_CELLS)
        steps, states = np.arange(n_steps)[:, np.newaxis], np.arange(n_states)[np.newaxis, :]
        # The arc of label k at step t leads from vertex in(t, k) to out(t, k); at step 0 it starts from the source, and
        # at the last step it ends at the target. The arc of a pair of labels leads from out(t, k) to in(t + 1, l).
        out = 1 + 2 * steps * n_states + states
        into = out - n_states
        target = int(out[-1, 0])
        into[0], out[-1] = 0, target
        labels = np.stack([into.ravel(), out.ravel()], axis=1)
        tails = np.repeat(out[:-1], n_states, axis=1).ravel()
        heads = np.tile(into[1:], (1, n_states)).ravel()
        tied = np.concatenate(
            [np.arange(n_steps * n_states), n_steps * n_states + np.tile(np.arange(n_states**2), n_steps - 1)]
        )
        return cls(np.concatenate([labels, np.stack([tails, heads], axis=1)]), 0, target, tied=tied)

    @staticmethod
    def trellis_scores(emissions: ArrayLike, transitions: ArrayLike) -> NDArray[np.float64]:
        r"""Return scores of the entries of ψ of a `trellis`, given those of labels at each step and of pairs of labels.

        The score of labels :math:`y_1, …, y_T` becomes :math:`\sum_t e_{t y_t} + \sum_{t < T} w_{y_t y_{t+1}}`, as in
        a linear-chain conditional random field.

        Parameters
        ----------
        emissions : array-like of shape (T, K) or (n, T, K)
            Scores e of the K labels at each of T steps, for one sequence or n.
        transitions : array-like of shape (K, K) or (n, K, K)
            Scores w of a label (row) with the next one (column), the same for all sequences or for each.

        Returns
        -------
        scores : ndarray of shape (d,) or (n, d)
            d = T K + K².

        Raises
        ------
        ValueError
            When the shapes do not fit.

        Examples
        --------
        >>> scores = Paths.trellis_scores([[2.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [[5.0, 0.0], [0.0, 0.0]])
        >>> Paths.to_labels(Paths.trellis(3, 2).decode([scores]), 2)
        array([[0, 0, 0]], dtype=int32)
        """
        e, w = np.asarray(emissions, dtype=np.float64), np.asarray(transitions, dtype=np.float64)
        rows = e.shape[:-2]
        if e.ndim not in (2, 3) or w.shape not in ((e.shape[-1],) * 2, (*rows, *(e.shape[-1],) * 2)):
            raise ValueError(f"emissions {e.shape} and transitions {w.shape} are not (T, K) or (n, T, K), and (K, K)")
        pairs = np.broadcast_to(w, (*rows, *w.shape[-2:]))
        return np.concatenate([e.reshape(*rows, -1), pairs.reshape(*rows, -1)], axis=-1)

    def from_vertices(self, rows: Any) -> NDArray[np.int32]:
        """Return y for lists of the vertices of paths, in order.

        Parameters
        ----------
        rows : sequence of n lists, or array or data frame of shape (n, width)
            Vertices from the source to the target, by name, or by number where they have no names.

        Returns
        -------
        y : ndarray of shape (n, L), dtype=int32
            Indices of the arcs, padded with −1 to the length L of the longest path.

        Raises
        ------
        ValueError
            When a row is no path from the source to the target; names the row and the vertex.

        See Also
        --------
        to_vertices : The inverse.

        Examples
        --------
        >>> bypass = Paths([("a", "b"), ("b", "c"), ("a", "c")], "a", "c", vertices=["a", "b", "c"])
        >>> bypass.from_vertices([["a", "b", "c"], ["a", "c"]])
        array([[ 0,  1],
               [ 2, -1]], dtype=int32)
        """
        return self._read_natural(rows_in(rows, "rows"), "rows")

    def _read_natural(self, rows: list[Any], argument: str) -> NDArray[np.int32]:
        arcs, names, _ = self._graph()
        found = read_entries(rows, names, argument, "vertices", once=False)
        index = {(tail, head): arc for arc, (tail, head) in enumerate(arcs.tolist())}
        y = np.full((len(rows), max(1, found.place.max(initial=0))), -1, dtype=np.int32)
        for at in np.flatnonzero(found.row[1:] == found.row[:-1]):
            row, tail, head = int(found.row[at]), int(found.item[at]), int(found.item[at + 1])
            if (tail, head) not in index:
                raise TargetError(row, f"there is no arc from {names[tail]!r} to {names[head]!r}", argument)
            y[row, found.place[at]] = index[tail, head]
        return self.encode(y, argument)

    def to_vertices(self, y: Any) -> list[list[Any]]:
        """Return lists of the vertices of paths, in order, the inverse of `from_vertices`.

        Parameters
        ----------
        y : array-like of n rows
            In the structure's format, such as predictions.

        Returns
        -------
        rows : list of n lists
            Vertices by name, or by number where they have no names.

        Raises
        ------
        ValueError
            When a row of y is no path; names the row.

        Examples
        --------
        >>> Paths([("a", "b"), ("b", "c"), ("a", "c")], "a", "c", vertices=["a", "b", "c"]).to_vertices([[0, 1], [2]])
        [['a', 'b', 'c'], ['a', 'c']]
        """
        arcs, names, source = self._graph()
        return [[names[source], *(names[head] for head in arcs[row[row >= 0], 1])] for row in self.encode(y)]

    def _graph(self) -> tuple[NDArray[np.int32], Sequence[Any], int]:
        """Return the arcs by the numbers of their vertices, what these are called, and the source."""
        described = self.space.description
        assert described.ints is not None  # the ends of the arcs, and then their groups
        arcs = described.ints[: 2 * described.scalars["arcs"]].reshape(-1, 2)
        return arcs, self._names or range(described.scalars["vertices"]), described.scalars["source"]

    @staticmethod
    def from_labels(labels: ArrayLike, n_states: int) -> NDArray[np.int32]:
        """Return the paths through a `trellis` that stand for sequences of labels.

        Parameters
        ----------
        labels : array-like of shape (n, n_steps)
            Whole numbers 0..n_states−1.
        n_states : int
            As given to `trellis`.

        Returns
        -------
        paths : ndarray of shape (n, 2 * n_steps - 1), dtype=int32

        Raises
        ------
        ValueError
            For the first row with a number that is not a label.

        Examples
        --------
        >>> Paths.from_labels([[0, 1, 1]], 2)
        array([[ 0,  7,  3, 13,  5]], dtype=int32)
        """
        values = target_matrix(labels, "labels", None, "step")
        states = whole_numbers(values, "labels", 0, n_states - 1, f"labels are whole numbers 0..{n_states - 1}")
        n, steps = states.shape
        paths = np.empty((n, 2 * steps - 1), dtype=np.int32)
        step = np.arange(steps, dtype=np.int32)
        paths[:, ::2] = step * n_states + states
        paths[:, 1::2] = n_states * steps + step[:-1] * n_states**2 + states[:, :-1] * n_states + states[:, 1:]
        return paths

    @staticmethod
    def to_labels(paths: ArrayLike, n_states: int) -> NDArray[np.int32]:
        """Return the sequences of labels of paths through a `trellis`, the inverse of `from_labels`.

        Parameters
        ----------
        paths : array-like of shape (n, 2 * n_steps - 1)
            Arc indices, as `from_labels` returns and estimators predict them.
        n_states : int
            As given to `trellis`.

        Returns
        -------
        labels : ndarray of shape (n, n_steps), dtype=int32

        Raises
        ------
        ValueError
            For the first row in which an arc of a label is out of range.

        Examples
        --------
        >>> Paths.to_labels([[0, 7, 3, 13, 5]], 2)
        array([[0, 1, 1]], dtype=int32)
        """
        values = target_matrix(paths, "paths", None, "place")[:, ::2]
        most = values.shape[1] * n_states - 1
        arcs = whole_numbers(values, "paths", 0, most, f"every other arc is one of the labels, 0..{most}")
        return arcs % np.int32(n_states)

    def _describe(self) -> Description:
        names = self._names
        arcs = vertex_pairs(self.arcs, "arcs", names)
        ends = {}
        for key in ("source", "target"):
            called = f"Paths: {key}"
            vertex = index_of(getattr(self, key), names, f"{called} is {getattr(self, key)!r}, and no vertex")
            require_integers(**{called: vertex})
            ends[key] = int(vertex)
        n = max(int(arcs.max()), *ends.values()) + 1 if names is None else len(names)
        scalars = {"vertices": n, "arcs": len(arcs), **ends}
        if self.tied is None:
            return Description(self.name, scalars, arcs.ravel())
        tied = self._groups()
        scalars["groups"] = int(tied.max()) + 1
        return Description(self.name, scalars, np.concatenate([arcs.ravel(), tied]))

    @property
    def _names(self) -> Names | None:
        return None if self.vertices is None else checked_names(self.vertices, "Paths: vertices")

    def _groups(self) -> NDArray[np.int32]:
        """Return the group of each arc."""
        groups = target_vector(cast(ArrayLike, self.tied), "tied")
        return whole_numbers(groups, "tied", 0, np.iinfo(np.int32).max, "groups are whole numbers from 0 on")

    def _make_space(self, cls: type[LibrarySpace] = LibrarySpace, **options: Any) -> LibrarySpace:
        # Of groups of several arcs ψ counts, and a loss needs entries that are 0 or 1.
        counted = None if self.tied is None else np.bincount(self._groups()) == 1
        return super()._make_space(cls, counted=counted, **options)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return padded(y, argument, "arc")

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        untied = copy_with(self, tied=None).space
        truth, predicted = (untied.embed(parts) for parts in both_in_parts(self, y_true, y_pred))
        return truth.astype(np.int8), predicted.astype(np.int8)  # 1 for the arcs of the path
