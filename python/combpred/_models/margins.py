"""Training by margins: rows in the features that a scorer is linear in, and decoding in Python where it must be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._data.targets import TargetError
from .._lib.arrays import CountArray, FloatArray, IndexArray
from .._lib.call import get_n_threads
from .._lib.decode import Decoding
from .._lib.errors import CapabilityError, RowError, renumbered
from .._lib.loglinear import KernelFeatures
from .._lib.maxmargin import AffineLoss, Answer, MarginRows, Request, require_bits
from .._lib.ridge import Design, Targets, rows_order
from .._lib.structure import Description
from ..structures import Structure
from .training import TrainingRows, keep_dual, keep_weights, kernel_features


@dataclass(frozen=True)
class FeatureRows:
    """Training rows in the features that a scorer is linear in.

    Attributes
    ----------
    design : Design
        The inputs; with another kernel than the linear one the features of its matrix.
    targets : Targets
    kept : ndarray of shape (n,)
        The number of each row in the training data; those of weight 0 may be left out.
    kernel : KernelFeatures or None
        Where the features are those of a kernel matrix.
    order : ndarray of shape (n,), int64, or None
        In which passes begin, where they are to depend on the contents of rows alone; None: as they stand.
    """

    design: Design
    targets: Targets
    kept: IndexArray
    kernel: KernelFeatures | None
    order: CountArray | None

    @classmethod
    def of(cls, model: Any, rows: TrainingRows, *, sort: bool) -> FeatureRows:
        """Return the rows of checked training data; `model` has resolved its structure and kernel."""
        if rows.sets is not None:
            raise CapabilityError(
                f"{type(model).__name__} learns one structure for each row, and y holds Admissible sets: take one of "
                "each, or StructuredRidge or ProbabilisticStructured, which learn from sets"
            )
        targets, n_threads = model._embed_rows(rows), get_n_threads(model.n_jobs)
        if model.kernel_.is_linear:
            design = Design(rows.X, intercept=bool(model.fit_intercept))
            order = rows_order(design, targets, n_threads) if sort else None
            return cls(design, targets, np.arange(targets.n), None, order)
        weights = np.ones(targets.n) if targets.weights is None else targets.weights
        kept = np.flatnonzero(weights)
        X, targets = (rows.X, targets) if len(kept) == targets.n else (rows.X[kept], targets.take(kept))
        order = rows_order(Design(X), targets, n_threads) if sort else None
        kernel = kernel_features(model, X, np.ones(len(kept)), kept)
        return cls(Design(kernel.rows), targets, kept, kernel, order)

    def margins(self, loss: AffineLoss | None) -> MarginRows:
        """Return the rows as the library takes them."""
        return MarginRows(self.design, self.targets, loss, self.order)

    def affine_loss(self, structure: Structure, cost: str) -> AffineLoss:
        """Return the losses of outputs against those of the rows; TargetError where ψ of a row has no such loss."""
        try:
            return structure.space.loss(cost).affine(self.targets.psi)
        except RowError as error:
            raise TargetError(int(self.kept[error.row]), error.reason) from None

    def require_complete(self, structure: Structure, remedy: str) -> None:
        """Raise TargetError for the first ranking known in part, whose mean of ψ is that of no ranking."""
        bad = (np.abs(self.targets.psi) != 1.0).any(axis=1)
        if structure.space.entry_kind == "signs" and bad.any():
            raise TargetError(int(self.kept[bad].min()), f"the ranking is known in part, and {remedy}")

    def keep(self, model: Any, X: Any, weights: FloatArray, dual: FloatArray | None = None) -> None:
        """Set the coefficients of `model`, trained on the rows of X, from weights (q, d) of the features.

        `dual` (n, d) are the coefficients of the rows, if they are known.
        """
        if self.kernel is None:
            keep_weights(model, weights)
            return
        whole = np.zeros((X.shape[0], weights.shape[1]))
        whole[self.kept] = self.kernel.dual(weights) if dual is None else dual
        keep_dual(model, X, whole)


@dataclass(frozen=True)
class PythonDecoder:
    """Answers requests of training by decoders that the library does not have.

    Attributes
    ----------
    structure : Structure
    how : Decoding
    n_candidates : int
        If positive, the best of so many uniform outputs is taken instead of decoding.
    checked : bool
        Whether entries of ψ other than 0 and 1 are refused: there is no loss for them.
    """

    structure: Structure
    how: Decoding
    n_candidates: int
    checked: bool

    def __call__(self, request: Request) -> None:
        space = self.structure.space
        how = replace(self.how, seed=(self.how.seed + request.stream) % 2**63)
        if self.n_candidates:
            for k, (linear, reply) in enumerate(zip(request.linear, request.reply, strict=True)):
                psi = space.embed(space.sample(self.n_candidates, (how.seed + k) % 2**63), how.n_threads)
                values = psi @ linear
                if request.magnitude is not None:
                    values += np.square(psi) @ request.magnitude[k]
                reply[:] = psi[np.argmax(values)]
        else:
            with renumbered(request.rows):
                decoded = space.decode(request.linear, request.magnitude, how)
            request.reply[:] = space.embed(decoded.y, how.n_threads)
            request.proven[:] = decoded.optimal
        if self.checked:
            try:
                require_bits(request.reply, "what was decoded")
            except RowError as error:  # a fault of the structure, whichever row it is found at
                raise CapabilityError(error.reason) from None


def decoded_by(model: Any, how: Decoding, loss: AffineLoss | None = None) -> Description | Answer:
    """Return who decodes in training: the library, or Python for users' functions and integer programs."""
    space, checked = model.structure_.space, loss is not None and loss.checked
    if space.in_library and how.decoder != "milp" and not checked:
        description: Description = space.description
        return description
    return PythonDecoder(model.structure_, how, int(model.n_candidates or 0), checked)
