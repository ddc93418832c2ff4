"""Routes: simple directed paths over subsets of places."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._data.glossary import documented
from .._lib.structure import structure_layout
from ._base import Sized
from ._search.constraints import Restriction
from ._visits import Visits, size_of_visits


@documented
class Routes(Visits):
    r"""Routes through two or more of n places.

    :math:`\psi(y)` has indicators of the arcs, of the start and of the end.

    Parameters
    ----------
    n_places : int, default=None
        Number of places n, at least 2. None: the number of columns of y when an estimator is fitted, or one more than
        the largest place in y if that is larger.
    %(places)s

    Notes
    -----
    y has shape ``(n_samples, n)``: a row lists the places of a route in order, out of 0..n−1, at least two and none
    twice, padded with −1 on the right. Narrower matrices and lists of different lengths are accepted, too, and lists of
    names. The embedding
    has d = n(n+1) entries, 0 or 1: the arcs u→v, u ≠ v, ordered by u and then v; the n starts; and the n ends. Start
    and end are like arcs from a depot and back to it. The default metric is `route_pairs_f1`.

    `from_names` and `to_names` convert lists of names to y and back.

    Decoding finds the route of largest score among those of all lengths. Up to 16 places it is exact, by dynamic
    programming over subsets in O(2^n n²); beyond that it is a local search with a proven bound.

    Constraints have the keys ``start`` and ``end``, one place each; ``length``, the number of places, or the least and
    the largest number as a pair; and ``required`` and ``forbidden``, lists of places and of arcs, which are pairs of
    places. Under constraints, decoding is exact as long as at most 17 places may be visited between the ends, or more
    if ``length`` is small.

    By default ridge regression takes the loss "auc", which is far ahead of "squared" on trips through cities where the
    length is to be predicted, too. ``StructuredRidgeCV(Routes(), losses=["squared", "auc"], scoring="metric")``
    chooses, under the constraints that predictions will have if ``fit`` is given them.

    There are :math:`\sum_{k\ge2} n!/(n-k)!` routes. The mean and the second moment are found by counting the routes
    through one or two features, as in Vembu (2010), app. B, for cycles; the covariance has at most six
    nonzero eigenvalues.

    Examples
    --------
    >>> from combpred.structures import Routes
    >>> routes = Routes(3)
    >>> routes.embed([[2, 0], [0, 1, 2]])
    array([[0., 0., 0., 0., 1., 0., 0., 0., 1., 1., 0., 0.],
           [1., 0., 0., 1., 0., 0., 1., 0., 0., 0., 0., 1.]])
    >>> routes.feature_names().tolist()[:3], routes.count()
    (['0->1', '0->2', '1->0'], 12)
    >>> routes.decode([1.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], constraints={"end": 2, "forbidden": [(1, 2)]})
    array([ 0,  2, -1], dtype=int32)
    """

    name = "routes"
    default_metric = "route_pairs_f1"
    _sized = Sized("n_places", "place", "y", "places", size_of_visits)
    _noun = ("place", "places")

    def __init__(self, n_places: int | None = None, *, places: Sequence[Any] | None = None) -> None:
        self.n_places = n_places
        self.places = places

    def visited(self) -> sparse.csr_array:
        """Return the matrix L such that L ψ(y) says which places a route y visits.

        Returns
        -------
        L : sparse matrix of shape (n, d)
        """
        layout = structure_layout(self.space.description)
        to = np.flatnonzero(layout.columns < layout.n_items)  # arcs into a place, and starts
        shape = layout.n_items, self.n_features
        return sparse.csr_array((np.ones(len(to)), (layout.columns[to], to)), shape=shape)

    @staticmethod
    def _program(
        n: int, linear: NDArray[np.float64], magnitude: NDArray[np.float64], restriction: Restriction
    ) -> tuple[list[int], float]:
        from .._programs.tours import best_route
        from ._search.programs import visit_cuts  # loads the solver

        scores = linear + magnitude  # ψ is 0 or 1
        gains = np.zeros((n, n))
        gains[~np.eye(n, dtype=bool)] = scores[: n * (n - 1)]
        starts, ends = n * (n - 1), n * n
        conditions = visit_cuts(restriction, n, visited=ends + n, step=partial(_arc, n), starts=starts, ends=ends)
        return best_route(n, gains, scores[starts:ends], scores[ends:], conditions)


def _arc(n: int, u: int, v: int) -> int:
    """Return the number of the arc u→v between n places."""
    return u * (n - 1) + v - (v > u)
