"""Partial orders as outputs."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._data.relations import LIMIT, encode_partial_orders, items_shown, pair_names
from .._lib.errors import CapabilityError
from .._lib.names import MOMENTS_KINDS
from .._lib.structure import Description
from ._base import Structure
from ._layout import Layout
from ._space import LibrarySpace

_MOMENTS = {name: number for number, name in enumerate(("auto", *MOMENTS_KINDS))}  # as the library counts them
_LISTED = 7  # most items of which all partial orders are listed, and drawn from


class PartialOrders(Structure):
    r"""Partial orders of N items: relations that are transitive and never go both ways.

    :math:`\psi_{uv}(y)`, u < v, is +1 if u is before v, −1 if v is before u and 0 if the two are not comparable.

    Parameters
    ----------
    n_items : int, default=None
        Number of items N, at least 2. None: as y shows it when an estimator is fitted.
    moments : {"auto", "exact", "relaxed", "sampled"}, default="auto"
        Where the mean and the second moment of :math:`\psi`, from which estimators are trained, come from; see
        `moments_info`. "exact": from all partial orders, up to N = 7. "relaxed": those of partial tournaments, the same
        relations without transitivity. "sampled": estimated by a Markov chain with a fixed seed, up to N = 48, with a
        standard error. "auto": exact up to N = 7, relaxed beyond.

    Notes
    -----
    y has shape ``(n, N(N−1)/2)`` and holds :math:`\psi` itself, pairs in lexicographic order, or shape ``(n, N, N)``
    and holds booleans, ``y[i, u, v]`` saying that u is before v, with a diagonal that is all False or all True.
    Predictions have the first format. The default metric is `pair_accuracy`.

    The number of partial orders is known up to N = 18. By symmetry the mean is 0. The second moment is q times that of
    rankings, q being the probability that a pair is comparable: this holds for N ≤ 8 by listing all orders, and is
    taken to hold for the sampled moments. Their chain adds and removes single relations, and its uniform law is exact,
    but how soon it is reached is not known. So two chains are run from opposite starts, and the standard error is that
    of the means of batches, or of the two chains where these differ by more.

    Decoding is exact up to N = 7, by comparing all orders, and wherever the best choices of all pairs are transitive.
    Beyond that it is a local search with an upper bound and a guarantee: at least half-way between the worst and the
    best score for ``loss="auc"``. `sample` and `enumerate` go up to N = 7.

    With ``loss="auc"`` a score only says which of two items is before the other, so that two items are rarely left
    incomparable; ``loss="squared"`` predicts the pre-image, in which every comparable pair costs ½.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 5.

    Examples
    --------
    >>> from combpred.structures import PartialOrders
    >>> PartialOrders(3).count(), PartialOrders(12).moments_info.kind
    (19, 'relaxed')
    >>> PartialOrders(3).decode([1.0, -0.2, 1.0])
    array([1, 1, 1], dtype=int32)
    """

    name = "partialorders"
    default_metric = "pair_accuracy"
    _entries = "signs and zeros"
    _costs = ("hamming", "kendall")

    def __init__(
        self, n_items: int | None = None, *, moments: Literal["auto", "exact", "relaxed", "sampled"] = "auto"
    ) -> None:
        self.n_items = n_items
        self.moments = moments

    def _n(self) -> int:
        return self._size("n_items", 2, "the pairs of y", LIMIT)

    def _describe(self) -> Description:
        if not isinstance(self.moments, str) or self.moments not in _MOMENTS:
            raise ValueError(f"PartialOrders: moments must be one of {', '.join(_MOMENTS)}, got {self.moments!r}")
        return Description(self.name, {"n": self._n(), "moments": _MOMENTS[self.moments]}, None, None)

    def _resolve(self, y: Any) -> PartialOrders:
        return self._with(n_items=items_shown(y, "PartialOrders") if self.n_items is None else self._n())

    def _encode(self, y: Any) -> NDArray[np.int32]:
        return encode_partial_orders(y, self._n(), "or take Tournaments, whose relations need not be transitive")

    def _make_space(self) -> LibrarySpace:
        return _PartialOrderSpace(self)

    def _compared(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        known = self._resolve(y_true)
        return known.space.encode(y_true), known.space.encode(y_pred)

    def _decode_parts(self, parts: NDArray[np.int32]) -> NDArray[Any]:
        return parts

    def feature_names(self) -> NDArray[np.object_]:
        return np.array(pair_names(self._n(), " before "), dtype=object)

    @property
    def layout(self) -> Layout:
        return Layout.of_pairs("order", self._n())


class _PartialOrderSpace(LibrarySpace):
    """Partial orders, which the library draws from a list of them all."""

    structure: PartialOrders

    def sample(self, n: int, seed: int) -> NDArray[np.int32]:
        if self.structure._n() > _LISTED:
            raise CapabilityError(
                f"{self.structure!r}: partial orders of more than {_LISTED} items cannot be drawn exactly; take "
                "combpred.sampling.sample(structure, np.zeros(structure.n_features), n, sampler='local'), whose chain "
                "draws them approximately"
            )
        return super().sample(n, seed)
