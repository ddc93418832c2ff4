r"""Losses between outputs.

Most are affine in ψ. Such a loss can be added to the scores, so that loss-augmented decoding is ordinary decoding of
other scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError
from .._lib.maxmargin import AffineLoss, affine_losses, require_bits
from .._lib.names import AFFINE_COSTS

if TYPE_CHECKING:
    from .._lib.decode import Decoded, Decoding
    from ._space import LibrarySpace

#: The loss that a user's own structure was given.
OWN = "own"
#: All values of the parameter `cost` of estimators.
COSTS = ("auto", OWN, *AFFINE_COSTS)
#: Losses of structures whose outputs hold the parents of their nodes.
TREE_COSTS = ("h-loss", "h-loss-sibling")


class Worst(NamedTuple):
    """Outputs of largest loss and score for n rows.

    Attributes
    ----------
    psi : ndarray of shape (n, d)
    loss : ndarray of shape (n,)
        Between the outputs of the rows and these.
    proven : bool
        Whether there are no worse ones.
    """

    psi: FloatArray
    loss: FloatArray
    proven: bool


#: Function of numbers of rows (n,), ψ of their outputs (n, d), scores (n, d), and whether the loss rescales the slack.
WorstOutputs = Callable[[NDArray[np.intp], FloatArray, FloatArray, bool], Worst]


class Augmented(NamedTuple):
    """Outputs of largest loss plus score.

    Attributes
    ----------
    psi : ndarray of shape (n, d)
        ψ of the outputs z.
    loss : ndarray of shape (n,)
        Δ(y_i, z_i), without the score.
    decoded : Decoded
        The parts of the outputs and their certificates. Its values and bounds leave out the constants of the loss.
    """

    psi: FloatArray
    loss: FloatArray
    decoded: Decoded


def require_decision(space: LibrarySpace, decision: str) -> None:
    """Raise CapabilityError unless distributions on the space can decide so, with the decisions there are."""
    known = ("map", "mbr", *space.decisions)
    if decision not in known:
        raise CapabilityError(
            f"decision={decision!r} has no meaning for {space.title}, whose decisions are {', '.join(map(repr, known))}"
            + ("; it is the loss that Custom.from_structures(..., loss=) was given" if decision == OWN else "")
        )
    if decision in ("mbr", "median"):  # which take the output of nearest ψ
        try:
            space.require_preimage()
        except CapabilityError:
            said = f"which the decoder of {space.title} does not find: take decision='map'"
            raise CapabilityError(f"decision={decision!r} predicts the output of nearest ψ, {said}") from None


def loss_augmented(space: LibrarySpace, loss: AffineLoss, scores: FloatArray, how: Decoding) -> Augmented:
    r"""Return an output z of largest :math:`\Delta(y_i, z) + \langle s_i, \psi(z)\rangle` for every row i.

    This decodes the scores s + g, where g is the gradient of the loss, and keeps the guarantee of the decoder.

    Parameters
    ----------
    space : LibrarySpace
        The space to which the outputs belong.
    loss : AffineLoss
        Losses of the n observed outputs.
    scores : ndarray of shape (n, d)
        The scores s; finite.
    how : Decoding
        Decoder, number of threads and seed.

    Returns
    -------
    Augmented

    Raises
    ------
    CapabilityError
        When the decoder does not know the structure or is beyond its size.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred._lib.decode import Decoding
    >>> from combpred.structures import Permutations
    >>> rankings = Permutations(3).space
    >>> loss = rankings.loss().affine(Permutations(3).embed([[1, 2, 3]]))
    >>> found = loss_augmented(rankings, loss, np.zeros((1, 3)), Decoding())
    >>> rankings.decode_parts(found.decoded.y).tolist(), found.loss.tolist()  # the reverse: three pairs differ
    ([[3, 2, 1]], [3.0])
    """
    decoded = space.decode(scores + loss.gradient, loss.magnitude, how)
    psi = space.embed(decoded.y, how.n_threads)
    return Augmented(psi, loss.values(psi), decoded)


class OutputLoss:
    r"""A loss between outputs of a space.

    Most losses are defined by :math:`D(y, z) = \|\psi(y) - \psi(z)\|_1`. In 0/1 embeddings D is the number of entries
    that differ; in embeddings with signs it is the number of arcs or ordered pairs that only one of the two has.

    - ``"hamming"`` is D.
    - ``"kendall"``, for orders and relations, is D/2 over the signed entries: the number of discordant pairs, where a
      pair that is tied in only one of the two counts one half.
    - ``"tree"``, for `Hierarchy` and `Subtrees`, is D: the number of nodes that only one of the two contains, as in
      :func:`combpred.metrics.hierarchical_loss`.
    - ``"h-loss"`` and ``"h-loss-sibling"``, for `Hierarchy` and `Subtrees`, count the nodes that only one of the two
      contains and whose ancestors are in both, as :func:`combpred.metrics.hierarchical_h_loss` does with
      ``node_weight=None`` and "sibling". Both outputs contain the parents of their nodes, so that this is affine in
      ψ(z): for a node v below u it is :math:`y_v (z_u - z_v) + (y_u - y_v) z_v`.
    - ``"own"`` is the parameter `loss` of `Custom`, for training by margins.
    - ``"zero-one"`` is 1 for different outputs and 0 for equal ones; for `MultiClass` it is D/2.

    Parameters
    ----------
    space : LibrarySpace
        The space to which the outputs belong.
    cost : {"auto", "own", "hamming", "kendall", "tree", "zero-one", "h-loss", "h-loss-sibling"}, default="auto"
        "auto" stands for the user's own, kendall for rankings, tree for trees, zero-one for classes and hamming for all
        others. Every
        structure accepts "zero-one"; where it is not affine, all outputs must be listed to use it.

    Attributes
    ----------
    name : str
        The loss that `cost` stands for.
    is_affine : bool
        Whether the loss is affine in ψ and ψ², so that it can be added to scores.

    Raises
    ------
    CapabilityError
        When the structure does not have this loss; names those that it has.

    Examples
    --------
    >>> from combpred.structures import LabelSets
    >>> labels = LabelSets(3)
    >>> loss = OutputLoss(labels.space).affine(labels.embed([[1, 0, 1]]))
    >>> loss.constant.tolist(), loss.gradient.tolist()
    ([2.0], [[-1.0, 1.0, -1.0]])
    """

    def __init__(self, space: LibrarySpace, cost: str = "auto") -> None:
        self._space = space
        self.name = self._resolved(cost)

    def _resolved(self, cost: str) -> str:
        """Return the name of the loss that `cost` stands for; CapabilityError if the structure does not have it."""
        costs = self._space.costs
        if cost == "auto" and costs:
            return costs[0]
        others = ("hamming", "zero-one") if self._space.entry_kind == "unknown" else ("zero-one",)
        known = list(dict.fromkeys([*costs, *others]))
        if cost not in known:
            has = " and ".join(f"cost={name!r}" for name in known)
            raise CapabilityError(f"{self._space.title} has no loss {cost!r}; it has {has}")
        return cost

    @property
    def is_affine(self) -> bool:
        """Whether the loss is affine in ψ and ψ²."""
        return self._affine(self.name)

    def _affine(self, name: str) -> bool:
        """Return whether the loss called `name` is affine in ψ and ψ²."""
        if name in ("zero-one", OWN):
            return name != OWN and bool(self._space.facts["exclusive"])  # a class has one entry
        return self._space.entry_kind != "numbers"

    def affine(self, psi: FloatArray) -> AffineLoss:
        """Return the losses Δ(y_i, ·) as affine functions of ψ(z), given ψ(y_i).

        Parameters
        ----------
        psi : ndarray of shape (n, d)
            ψ of the outputs y. If a row is the mean over several outputs (a ranking known in part), its loss is the
            mean of theirs.

        Returns
        -------
        AffineLoss
            Its magnitudes are None, except for embeddings with signs and zeros.

        Raises
        ------
        CapabilityError
            When the loss is not affine; names one that is.
        """
        name, kind, title = self.name, self._space.entry_kind, self._space.title
        if self._space.counted is not None and not self._space.counted.any():
            remedy = "leave arcs untied, or take StructuredPerceptron, which needs no loss"
            raise CapabilityError(f"{title} counts arcs in groups, but losses need ψ of zeros and ones: {remedy}")
        if not self.is_affine:
            other = [each for each in self._space.costs if self._affine(each)]
            remedy = f"take cost={other[0]!r}" if other else "take StructuredPerceptron, which needs no loss"
            raise CapabilityError(f"cost={name!r} is not affine in ψ of {title}, so scores cannot hold it: {remedy}")
        if kind not in ("bits", "unknown"):
            return affine_losses(psi, kind, name)
        if name in TREE_COSTS:
            ints = self._space.description.ints  # begins with the parents
            return affine_losses(psi, "bits", name, parent=None if ints is None else ints[: psi.shape[1]])
        if kind == "unknown":
            require_bits(psi, "y")
        return replace(affine_losses(psi, "bits", name, self._space.counted), checked=kind == "unknown")

    def between(self, psi_y: FloatArray, psi_z: FloatArray) -> FloatArray:
        """Return the losses between outputs with the given embeddings, affine or not.

        Parameters
        ----------
        psi_y, psi_z : ndarray of shape (..., d)
            Embeddings that broadcast against each other.

        Returns
        -------
        losses : ndarray of shape (...)
        """
        name = self.name
        if name == OWN:
            raise CapabilityError("cost='own' is between outputs, not between embeddings")
        if name == "zero-one":
            return (psi_y != psi_z).any(axis=-1).astype(np.float64)
        if name in TREE_COSTS:
            y, z = (each.reshape(-1, psi_y.shape[-1]) for each in np.broadcast_arrays(psi_y, psi_z))
            return self.affine(y).values(z).reshape(np.broadcast_shapes(psi_y.shape, psi_z.shape)[:-1])
        if name == "kendall" and self._space.entry_kind == "signs and ties":
            half = psi_y.shape[-1] // 2
            psi_y, psi_z = psi_y[..., :half], psi_z[..., :half]
        counted = self._space.counted
        if counted is not None:
            psi_y, psi_z = psi_y[..., counted], psi_z[..., counted]
        distance: FloatArray = np.abs(psi_y - psi_z).sum(axis=-1)
        return 0.5 * distance if name == "kendall" else distance
