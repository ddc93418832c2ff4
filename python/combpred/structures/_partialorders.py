"""Partial orders of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from .._data.glossary import documented
from .._lib.names import MOMENTS_KINDS
from .._lib.structure import Description
from ._relations import Relations

_MOMENTS = {name: number for number, name in enumerate(("auto", *MOMENTS_KINDS))}  # as the library counts them


@documented
@dataclass(eq=False, repr=False)
class PartialOrders(Relations):
    r"""Partial orders of N items: relations that are transitive and antisymmetric.

    :math:`\psi_{uv}(y)`, u < v, is +1 if u is before v, −1 if v is before u and 0 if the two are not comparable.

    Parameters
    ----------
    %(n_items)s
    moments : {"auto", "exact", "relaxed", "sampled"}, default="auto"
        Where estimators get the mean and the second moment of :math:`\psi` from; see `moments_info`. "exact": averages
        over all partial orders, up to N = 7. "relaxed": the moments of partial tournaments, which need not be
        transitive. "sampled": estimates from a Markov chain with a fixed seed, up to N = 48, with a standard error.
        "auto": exact up to N = 7, relaxed beyond.
    %(items)s

    Notes
    -----
    y has shape ``(n, N(N−1)/2)`` and holds :math:`\psi` itself, pairs in lexicographic order; or it has shape
    ``(n, N, N)`` and holds booleans: ``y[i, u, v]`` says that u is before v, and the diagonal is all False or all True.
    Predictions have the first format, of type int32. The default metric is `pair_accuracy`.

    Rows of y may also be lists of pairs of names of items, the first before the second, or directed graphs of
    networkx. `from_edges`, `from_networkx` and `from_adjacency` convert such graphs to y, and `to_edges`,
    `to_networkx` and `to_adjacency` back.

    The number of partial orders is known up to N = 18. By symmetry the mean is 0. The second moment is q times that of
    rankings, where q is the probability that a pair is comparable; this was found by listing all orders for N ≤ 8, and
    the sampled moments assume it for larger N. Their chain adds and removes single relations. Its stationary
    distribution is exactly uniform, but its mixing time is not known. Therefore two chains run from opposite starts,
    and the standard error is that of batch means or, if it is larger, the difference between the two chains.

    Decoding is exact up to N = 7, by comparing all orders, and for any N if the best choices for all pairs form a
    transitive relation. Otherwise local search finds an order, with an upper bound and a guarantee: for ``loss="auc"``
    its score is at least half-way between the worst and the best. `sample` and `enumerate` work up to N = 7.

    Scores say which of two items comes first but never favour incomparable pairs, so ``decision="score"`` of ridge
    regression rarely predicts these; ``decision="mbr"`` takes the pre-image, in which every comparable pair costs ½.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 4.3.1.

    Examples
    --------
    >>> from combpred.structures import PartialOrders
    >>> PartialOrders(3).count(), PartialOrders(12).moments_info.kind
    (19, 'relaxed')
    >>> PartialOrders(3).decode([1.0, -0.2, 1.0])
    array([1, 1, 1], dtype=int32)
    """

    name = "partialorders"

    n_items: int | None = None
    _: KW_ONLY
    moments: Literal["auto", "exact", "relaxed", "sampled"] = "auto"
    items: Sequence[Any] | None = None

    def _describe(self) -> Description:
        if not isinstance(self.moments, str) or self.moments not in _MOMENTS:
            raise ValueError(f"PartialOrders: moments must be one of {', '.join(_MOMENTS)}, got {self.moments!r}")
        return Description(self.name, {"n": self._n(), "moments": _MOMENTS[self.moments]}, None, None)
