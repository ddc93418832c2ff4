"""Paths through an acyclic graph, such as routes through a grid or sequences of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import refuse_unlisted, require_integers
from .._data.converters import as_objects, padded, read_entries, rows_in
from .._data.glossary import documented
from .._data.names import Names, checked_names, index_of
from .._data.targets import TargetError, summary, target_matrix, whole_numbers
from .._lib.arrays import refuse_masked
from .._lib.structure import Description, structure_embed
from .._lib.table import codes
from ._base import Structure
from ._space import LibrarySpace


@documented
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

    def __init__(
        self,
        arcs: ArrayLike,
        source: int | str,
        target: int | str,
        *,
        tied: ArrayLike | None = None,
        vertices: Sequence[Any] | None = None,
    ) -> None:
        self.arcs = arcs
        self.source = source
        self.target = target
        self.tied = tied
        self.vertices = vertices

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
        require_integers(n_rows=n_rows, n_columns=n_columns)
        if n_rows < 1 or n_columns < 1 or n_rows * n_columns < 2:
            raise ValueError(f"a grid needs at least 2 cells, got n_rows={n_rows} and n_columns={n_columns}")
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
        require_integers(n_steps=n_steps, n_states=n_states)
        if n_steps < 2 or n_states < 1:
            raise ValueError(
                f"a trellis needs at least 2 steps and 1 state, got n_steps={n_steps} and n_states={n_states}"
            )
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
        arcs, source, target = self._ends()
        names = self._names or range(int(arcs.max()) + 1)
        found = read_entries(rows, names, argument, "vertices", once=False)
        index = {(tail, head): arc for arc, (tail, head) in enumerate(arcs.tolist())}
        y = np.full((len(rows), self.space.part_len), -1, dtype=np.int32)
        for i, row in enumerate(np.split(found.item, np.searchsorted(found.row, np.arange(1, len(rows))))):
            if len(row) < 2 or (row[0], row[-1]) != (source, target):
                said = f"paths lead from {names[source]!r} to {names[target]!r}, found {list(rows[i])!r:.80}"
                raise TargetError(i, said, argument)
            for step, (tail, head) in enumerate(pairwise(row.tolist())):
                if (tail, head) not in index:
                    raise TargetError(i, f"there is no arc from {names[tail]!r} to {names[head]!r}", argument)
                y[i, step] = index[tail, head]
        return y

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
        arcs, source, _ = self._ends()
        names = self._names or range(int(arcs.max()) + 1)
        return [[names[source], *(names[head] for head in arcs[row[row >= 0], 1])] for row in self.encode(y)]

    def _in_names(self, y: Any) -> Any:
        return as_objects(self.to_vertices(y))

    def _ends(self) -> tuple[NDArray[np.int32], int, int]:
        """Return the arcs, the source and the target, by their numbers."""
        description = self.space.description  # checked
        numbered = self if self._names is None else self._numbered()
        return np.asarray(numbered.arcs), description.scalars["source"], description.scalars["target"]

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
        labels: NDArray[np.int32] = arcs % np.int32(n_states)
        return labels

    def _describe(self) -> Description:
        refuse_unlisted(self.arcs, "Paths: arcs", named=self._names is not None)
        if np.size(self.arcs) == 0:
            raise ValueError("Paths: arcs must list at least one pair of vertices, shape (m, 2); it is empty")
        if self._names is not None:
            numbered = self._numbered()._describe()
            return replace(numbered, scalars=numbered.scalars | {"vertices": len(self._names)})
        arcs = self._whole(self.arcs, "arcs", 2)
        if arcs.shape[1] != 2:
            raise ValueError(f"Paths: arcs must list at least one pair of vertices, shape (m, 2); got {arcs.shape}")
        require_integers(**{"Paths: source": self.source, "Paths: target": self.target})
        source, target = int(self.source), int(self.target)
        scalars = {
            "vertices": max(int(arcs.max()), source, target) + 1,
            "arcs": len(arcs),
            "source": source,
            "target": target,
        }
        if self.tied is None:
            return Description(self.name, scalars, arcs.ravel(), None)
        tied = self._whole(self.tied, "tied", 1)
        if len(tied) != len(arcs):
            raise ValueError(f"Paths: tied must have one group for each of {len(arcs)} arcs, got {len(tied)}")
        scalars["groups"] = int(tied.max()) + 1
        return Description(self.name, scalars, np.concatenate([arcs.ravel(), tied]), None)

    @property
    def _names(self) -> Names | None:
        return None if self.vertices is None else checked_names(self.vertices, "Paths: vertices")

    def _numbered(self) -> Paths:
        """Return the same paths with vertices called by their numbers."""
        names = self._names

        def number(vertex: Any, parameter: str) -> Any:
            remedy = f"Paths: {parameter} is {vertex!r}" if parameter != "arcs" else f"Paths: arcs hold {vertex!r}"
            return index_of(vertex, names, f"{remedy}; the vertices are {summary(names or ())}")

        ends = {parameter: number(getattr(self, parameter), parameter) for parameter in ("source", "target")}
        listed: Any = self.arcs
        arcs = [[number(vertex, "arcs") for vertex in arc] if np.ndim(arc) == 1 else arc for arc in listed]
        return self._with(arcs=arcs, vertices=None, **ends)

    def _untied(self) -> Description:
        """Return the description of the same paths where every arc is its own group."""
        return self._with(tied=None)._describe()

    def _whole(self, values: ArrayLike, parameter: str, ndim: int) -> NDArray[np.int32]:
        """Return a parameter as int32 after checking that it holds whole numbers in `ndim` dimensions."""
        refuse_masked(values, f"Paths: {parameter}")
        array = np.asarray(values)
        if array.ndim != ndim or array.dtype.kind not in "iu":
            named = "; names of vertices are given by vertices=" if array.dtype.kind in "OU" else ""
            raise ValueError(
                f"Paths: {parameter} must be whole numbers in {ndim} dimension{'s'[: ndim - 1]}, got shape "
                f"{array.shape} and dtype {array.dtype}{named}"
            )
        return codes(array, f"Paths: {parameter}")

    def _make_space(self, cls: type[LibrarySpace] = LibrarySpace, **options: Any) -> LibrarySpace:
        # Of groups of several arcs ψ counts, and a loss needs entries that are 0 or 1.
        counted = None if self.tied is None else np.bincount(self._whole(self.tied, "tied", 1)) == 1
        return super()._make_space(cls, counted=counted, **options)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return padded(y, argument, "arc")

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        untied = self._untied()
        truth, predicted = (structure_embed(untied, parts) for parts in self._encoded(y_true, y_pred))
        return truth.astype(np.int8), predicted.astype(np.int8)  # 1 for the arcs of the path
