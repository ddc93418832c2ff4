"""Partial tournaments: the results of games between pairs of items, some of which are not played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.glossary import documented
from ._relations import Relations


@documented
class Tournaments(Relations):
    r"""Partial tournaments on N items: in each pair one of the two items wins, or the game is not played.

    :math:`\psi_{uv}(y)`, u < v, is +1 if u is before v, −1 if v is before u and 0 if neither is.

    Parameters
    ----------
    %(n_items)s
    %(items)s

    Notes
    -----
    y has shape ``(n, N(N−1)/2)`` and holds :math:`\psi` itself, pairs in lexicographic order; or it has shape
    ``(n, N, N)`` and holds booleans: ``y[i, u, v]`` says that u is before v. Predictions have the first format, of type
    int32. Relations need not be transitive; `PartialOrders` are. The default metric is `pair_accuracy`.

    Rows of y may also be lists of pairs of names of items, the first before the second, or directed graphs of
    networkx. `from_edges`, `from_networkx` and `from_adjacency` convert such graphs to y, and `to_edges`,
    `to_networkx` and `to_adjacency` back.

    There are 3^(N(N−1)/2) partial tournaments. Their pairs are independent, so the covariance of :math:`\psi` is 2/3
    times the identity, and decoding takes the best value of every pair, in O(N²).

    With ``decision="score"`` ridge regression leaves a pair out only if its score is exactly 0; ``decision="mbr"``
    predicts the pre-image, which leaves out pairs whose expected signs are below ½ in magnitude.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 4.3.1, with the off-diagonal entries of
    the second moment corrected to 0.

    Examples
    --------
    >>> from combpred.structures import Tournaments
    >>> Tournaments(3).count()
    27
    >>> Tournaments(3).decode([0.5, -1.0, 0.25])
    array([ 1, -1,  1], dtype=int32)
    """

    name = "tournaments"

    def __init__(self, n_items: int | None = None, *, items: Sequence[Any] | None = None) -> None:
        self.n_items = n_items
        self.items = items

    def pair_probabilities(self, marginals: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        r"""Return the probabilities that u is before v, and that v is before u, for all pairs u < v.

        Parameters
        ----------
        marginals : ndarray of shape (…, d)
            As `marginals` returns them.

        Returns
        -------
        before, after : ndarray of shape (…, n_pairs)

        Notes
        -----
        Under :math:`p \propto \exp\langle s, \psi\rangle` the pairs of partial tournaments are independent, and the
        probabilities of +1, 0 and −1 are proportional to :math:`e^s`, 1 and :math:`e^{-s}`. The probability q of 0 is
        the geometric mean of the other two. If t is their difference, then :math:`(1-q)^2 - t^2 = 4q^2`.
        """
        neither = (1 - marginals**2) / (1 + np.sqrt(4 - 3 * marginals**2))
        before, after = (1 - neither + marginals) / 2, (1 - neither - marginals) / 2
        return np.clip(before, 0.0, 1.0), np.clip(after, 0.0, 1.0)
