"""Cliques: sets of vertices with all edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._data.glossary import documented
from ._base import Sized, Structure


@documented
class Cliques(Structure):
    r"""Cliques of the complete graph on N vertices: :math:`\psi_{uv}(y)`, u < v, is 1 if u and v both belong to y.

    Parameters
    ----------
    n_vertices : int, default=None
        Number of vertices N, at least 2. None: the number of columns of y when an estimator is fitted.
    %(vertices)s

    Notes
    -----
    y has shape ``(n, N)`` and holds 0/1 or booleans: ``y[i, v]`` says whether vertex v belongs to the clique. Each of
    the :math:`2^N` sets of vertices is a member. The empty set and the N single vertices have no edge, and therefore
    the same embedding 0. No score tells them apart; the empty set is predicted if all other sets score less. The
    embedding has d = N(N−1)/2 entries, edges u < v in lexicographic order. Predictions are int32. The default metric is
    `hamming_score`, the fraction of vertices that are right.

    Decoding finds the set of vertices whose inner edges have the largest total score. It is exact up to about 48
    vertices, by branch and bound, and beyond that if the scores split the vertices into independent parts of that size;
    40 vertices with Gaussian scores take about a tenth of a second. Larger sets are found by local search, which starts
    from a solution with a guarantee; up to 256 vertices a semidefinite relaxation bounds the score.
    ``StructuredRidge.predict_certified`` reports the bound and the guarantee ν.

    Constraints have the keys ``required`` and ``forbidden``, lists of vertices, and ``size``, the number of vertices.
    With a size, branch and bound stops after a limited effort, and local search takes over.

    The counts are those of Vembu (2010), ch. 5, with an exponent corrected: two edges with m different ends belong to
    :math:`2^{N-m}` cliques. The covariance has three eigenspaces, those of the Johnson scheme; it is applied in O(d).

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
    """

    name = "cliques"
    default_metric = "hamming_score"
    _entries = "bits"
    _sized = Sized("n_vertices", "vertex", names="vertices")
    _columns = "items"
    _called = "vertex|vertices|column"

    def __init__(self, n_vertices: int | None = None, *, vertices: Sequence[Any] | None = None) -> None:
        self.n_vertices = n_vertices
        self.vertices = vertices
