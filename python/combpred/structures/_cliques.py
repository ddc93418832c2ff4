"""Cliques: sets of vertices with all edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.converters import rows_in
from .._data.glossary import documented
from ._base import NaturalForm, Sized, Structure, entries_in, known_items
from ._converter import converter, table_in_parts


@documented
class Cliques(Structure):
    r"""Cliques of the complete graph on N vertices: any sets of these, scored by their pairs.

    :math:`\psi_{uv}(y)`, u < v, is 1 if u and v both belong to y, else 0.

    Parameters
    ----------
    n_vertices : int, default=None
        Number of vertices N, at least 2. None: the number of columns of y when an estimator is fitted.
    %(vertices)s

    Notes
    -----
    y has shape ``(n, N)`` and holds 0/1 or booleans: ``y[i, v]`` says whether vertex v belongs to the clique; or its
    rows are lists or sets of names of vertices, which `from_vertices` and `to_vertices` convert. Each of
    the :math:`2^N` sets of vertices is a member. The empty set and the N single vertices have no edge, and therefore
    the same embedding 0. No score tells them apart; the empty set is predicted if all other sets score less. The
    embedding has d = N(N−1)/2 entries, edges u < v in lexicographic order. Predictions are int32. The default metric is
    `hamming_score`, the fraction of vertices that are right.

    Decoding finds the set of vertices whose inner edges have the largest total score. It is exact up to about 48
    vertices, by branch and bound, and beyond that if the scores split the vertices into independent parts of that size;
    40 vertices with Gaussian scores take about a tenth of a second. Larger sets are found by local search, which starts
    from a solution with a guarantee; up to 256 vertices a semidefinite relaxation bounds the score.
    ``predict(X, return_certificate=True)`` reports the bound and the guarantee ν.

    Constraints have the keys ``required`` and ``forbidden``, lists of vertices, and ``size``, the number of vertices,
    or the least and the largest number as a pair. With a size, branch and bound stops after a limited effort, and local
    search takes over.

    The counts are those of Vembu (2010), section 4.3.1, with an exponent corrected: two edges with m different ends
    belong to :math:`2^{N-m}` cliques. The covariance has three eigenspaces, those of the Johnson scheme; it is applied
    in O(d).

    Examples
    --------
    >>> from combpred.structures import Cliques
    >>> Cliques(3).count()
    8
    >>> Cliques(3).embed([[1, 0, 1], [1, 1, 1], [0, 1, 0]])
    array([[0., 1., 0.],
           [1., 1., 1.],
           [0., 0., 0.]])
    >>> Cliques(4).decode([-1.0, 2.0, 0.5, -3.0, 1.0, -0.2])
    array([1, 0, 1, 1], dtype=int32)
    >>> Cliques(4).decode([-1.0, 2.0, 0.5, -3.0, 1.0, -0.2], constraints={"size": (1, 2)})
    array([1, 0, 1, 0], dtype=int32)
    """

    name = "cliques"
    default_metric = "hamming_score"
    _sized = Sized("n_vertices", "vertex", names="vertices")
    _natural = NaturalForm("to_vertices", ordered=False)
    _columns = "items"

    def __init__(self, n_vertices: int | None = None, *, vertices: Sequence[Any] | None = None) -> None:
        self.n_vertices = n_vertices
        self.vertices = vertices

    @converter
    def from_vertices(cliques: Any, vertices: Sequence[Any] | None = None) -> NDArray[np.int32]:
        """Return indicators, the format of y, for lists of the vertices of cliques.

        Parameters
        ----------
        cliques : sequence of n lists or sets, or array or data frame of shape (n, width)
            The vertices of each clique, by name or number.
        vertices : sequence of str or of int, default=None
            Names of all vertices, in the order of the columns of the result. None: names that occur, sorted; of numbers
            those from 0 to the largest.

        Returns
        -------
        indicators : ndarray of shape (n, n_vertices), dtype=int32
            1 where the vertex belongs to the clique.

        Raises
        ------
        ValueError
            When a row is no list of vertices, names one twice, or one that is unknown; names the row.

        Examples
        --------
        >>> Cliques.from_vertices([["Ann", "Cid"], ["Bob"]])
        array([[1, 0, 1],
               [0, 1, 0]], dtype=int32)
        """
        return Cliques(vertices=vertices)._read_natural(rows_in(cliques, "cliques"), "cliques")

    @converter
    def to_vertices(indicators: Any, vertices: Sequence[Any] | None = None) -> list[list[Any]]:
        """Return the vertices of each clique, the inverse of `from_vertices`.

        Parameters
        ----------
        indicators : array-like of shape (n, n_vertices)
            0/1 or booleans, as in y.
        vertices : sequence of str or of int, default=None
            Names of the vertices. None: those of the columns of a data frame, otherwise numbers.

        Returns
        -------
        cliques : list of n lists
            Vertices in the order of the columns.

        Raises
        ------
        ValueError
            When a row holds anything else than 0 and 1; names the row.

        Examples
        --------
        >>> Cliques.to_vertices([[1, 0, 1]], vertices=["Ann", "Bob", "Cid"])
        [['Ann', 'Cid']]
        """
        parts, called = table_in_parts(Cliques, indicators, vertices, "indicators")
        return [called[row != 0].tolist() for row in parts]

    def _read_natural(self, rows: list[Any], argument: str) -> NDArray[np.int32]:
        return entries_in(self, rows, known_items(self), argument).matrix(1, 0, np.int32)
