r"""Structured ridge regression for the linear kernel, with rows that are only ever seen block by block.

The weights W (q, d) solve the linear equation H W = B with

.. math:: H W = 2\lambda W + S W \Sigma + \sum_i w_i x_i \tilde\psi_i^\top \langle\tilde\psi_i, W^\top x_i\rangle,

S = Σ w x xᵀ and B = Σ w x ψ̃ᵀ (Vembu, 2010, ch. 5). S and B are found in one pass; the last term takes one pass for each
product, all that conjugate gradient needs. It is preconditioned with M W = 2λW + S W Σ: H − M is positive semi-definite
and at most (κ − 1) M with κ = 1 + max ψ̃ᵀΣ⁺ψ̃, so that the number of passes depends neither on the number of rows nor
on the scale of the features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._data.blocks import Block, BlockSource
from .._lib.abi import Control
from .._lib.control import reported
from .._lib.linalg import eigendecompose
from .._lib.memory import require_memory
from .._lib.ridge import FitInfo, covariance_solve
from .rows import BlockRows, HeldBlock, HeldRows, Strip
from .solve import Solution
from .statistics import BlockStatistics, SumStatistics, merge_statistics, scaled_rows, transposed_product

FloatArray = NDArray[np.float64]

_MAX_STEPS = 2000  # without a limit of the user's; some tens are usual


@dataclass(frozen=True)
class RidgeTask:
    """What is minimised, and how far.

    Attributes
    ----------
    loss : {"auc", "squared"}
    alpha, tol : float
    max_iter : int or None
    intercept : bool
    verbose : int
    """

    loss: str
    alpha: float
    tol: float
    max_iter: int | None
    intercept: bool
    verbose: int


@dataclass(frozen=True)
class MarginCurvature:
    """Function of a block for `BlockSource.reduce`: the part of H that statistics do not know, times W."""

    rows: BlockRows
    intercept: bool

    def __call__(self, block: Block | HeldBlock, W: FloatArray, mean: FloatArray) -> FloatArray:
        """Return Σ_i w_i x_i ψ̃_iᵀ⟨ψ̃_i, Wᵀx_i⟩ of the rows of a block, of the shape (q, d) of W."""
        product = np.zeros_like(W)
        sums = np.zeros(len(W))  # Σ w x⟨ψ̃, Wᵀx⟩: ψ̃ = ψ − μ is never formed
        for strip in self.rows.strips(block, check=False):
            if sparse.issparse(strip.psi):
                self._add_sparse(product, sums, strip, W, mean)
            else:
                self._add_dense(product, sums, strip, W, mean)
        if mean.any():
            product -= np.multiply.outer(sums, mean)
        return product

    def _add_dense(self, product: FloatArray, sums: FloatArray, strip: Strip, W: FloatArray, mean: FloatArray) -> None:
        p, psi, sizes = self.rows.n_features, strip.psi, strip.sizes()
        scores = np.asarray(strip.X @ W[:p])
        if self.intercept:
            scores += W[p]
        if sizes is not None:
            scores = np.repeat(scores, sizes, axis=0)
        margins = np.einsum("ij,ij->i", scores, psi)
        margins -= scores @ mean
        pulled = scores  # no longer needed
        if sizes is not None:
            margins = self._of_sets(margins, strip, sizes)
        elif strip.weights is not None:
            margins *= strip.weights
        np.multiply(psi, margins[:, None], out=pulled)
        if strip.first is not None:
            pulled = np.add.reduceat(pulled, strip.first[:-1], axis=0)
            margins = np.add.reduceat(margins, strip.first[:-1])
        product[:p] += strip.X.T @ pulled
        sums[:p] += strip.X.T @ margins
        if self.intercept:
            product[p] += pulled.sum(axis=0)
            sums[p] += margins.sum()

    def _of_sets(self, margins: FloatArray, strip: Strip, sizes: NDArray[np.int64]) -> FloatArray:
        """Return the derivatives by u_y = ⟨ψ̃_y, f⟩ of the terms that are quadratic in them, times the weights.

        The loss of a set of k outputs has (1 − 2k/|𝒴|)/2 Σ u_y² + (Σ u_y)²/|𝒴|, in place of u²/2 for one output.
        """
        assert strip.first is not None and self.rows.share is not None  # sets were checked in the first pass
        totals = np.add.reduceat(margins, strip.first[:-1])
        derivatives = np.repeat(1.0 - self.rows.share * sizes, sizes) * margins
        derivatives += np.repeat(self.rows.share * totals, sizes)
        weights = strip.target_weights()
        if weights is not None:
            derivatives *= weights
        return derivatives

    def _add_sparse(self, product: FloatArray, sums: FloatArray, strip: Strip, W: FloatArray, mean: FloatArray) -> None:
        """Do the same where ψ is sparse, at the cost of its entries."""
        p, X = self.rows.n_features, strip.X
        along = np.asarray(strip.psi @ W.T)  # (n, q): Wψ̃_i
        along -= W @ mean
        if sparse.issparse(X):
            margins = np.asarray(X.multiply(along[:, :p]).sum(axis=1)).ravel()
        else:
            margins = np.einsum("ij,ij->i", X, along[:, :p])
        if self.intercept:
            margins += along[:, p]
        if strip.weights is not None:
            margins *= strip.weights
        scaled = scaled_rows(X, margins)
        product[:p] += transposed_product(scaled, strip.psi)
        sums[:p] += X.T @ margins
        if self.intercept:
            product[p] += strip.psi.T @ margins
            sums[p] += margins.sum()


def _add(one: FloatArray, other: FloatArray) -> FloatArray:
    one += other
    return one


def solve_blocks(source: BlockSource, rows: BlockRows, task: RidgeTask) -> Solution:
    """Train on the blocks of a source; ``Solution.info.n_iter`` counts the passes over them.

    Raises
    ------
    ValueError
        For blocks that are not legal, naming block and row, and where sums over rows overflow.
    MemoryError
        When weights and Gram matrix do not fit, before they are allocated.
    """
    _require_memory(rows, task)
    control = Control()

    def advance() -> None:
        control.step += 1

    with reported(control, "training", verbose=task.verbose):
        if task.loss == "auc":
            source = HeldRows.where_few(source, rows)
        statistics = source.reduce(SumStatistics(rows), merge=merge_statistics, advance=advance)
        if task.loss == "squared":
            return solve_statistics(statistics, task)

        def curvature(W: FloatArray, mean: FloatArray) -> FloatArray:
            return source.reduce(MarginCurvature(rows, task.intercept), W, mean, merge=_add, advance=advance)

        return _Descent(statistics, task, curvature, rows.n_threads, control).run()


def solve_statistics(statistics: BlockStatistics, task: RidgeTask) -> Solution:
    """Minimise the squared loss, which needs no more than the statistics."""
    _require_weight(statistics)
    S, B = statistics.system(intercept=task.intercept)
    gram = eigendecompose(S.copy())
    shifted = 2 * task.alpha + np.maximum(gram.values, 0.0)[:, None]
    W = np.zeros_like(B)
    for _ in range(2):  # the second time for what rounding has left
        residual = B - 2 * task.alpha * W - S @ W
        W += gram.vectors @ ((gram.vectors.T @ residual) / shifted)
    residual = B - 2 * task.alpha * W - S @ W
    objective = (statistics.centred_squares() - float(np.vdot(W, B)) - float(np.vdot(W, residual))) / 2
    scale = float(np.linalg.norm(B))
    relative = float(np.linalg.norm(residual)) / scale if scale else 0.0
    return Solution(W, "primal", "double", FitInfo(objective, relative, 1, 1, relative <= max(task.tol, 1e-10)))


class _Descent:
    """Conjugate gradient on H W = B, in the basis of the eigenvectors V of S, where M is known row by row.

    The residual is measured in the norm of M⁻¹, in which its square is at least twice the distance from the least value
    of the objective, because H ≥ M.
    """

    def __init__(
        self, statistics: BlockStatistics, task: RidgeTask, curvature: Any, n_threads: int, control: Control
    ) -> None:
        _require_weight(statistics)
        S, B = statistics.system(intercept=task.intercept)
        gram = eigendecompose(S)
        self._curvature, self._task, self._n_threads, self._control = curvature, task, n_threads, control
        self._description, self._mean = statistics.structure.space.description, statistics.structure.mean()
        self._s, self._V = np.maximum(gram.values, 0.0), gram.vectors
        self._B = self._V.T @ B
        self._passes = 1

    def run(self) -> Solution:
        B, tol = self._B, self._task.tol
        W, MW = np.zeros_like(B), np.zeros_like(B)
        R = B.copy()
        start = float(np.vdot(R, self._precondition(R)))
        limit = (self._task.max_iter or _MAX_STEPS) + self._passes
        relative = 1.0 if start > 0 else 0.0
        while relative > tol and self._passes < limit:
            before = relative
            R, relative = self._round(W, MW, R, start, limit)
            if self._rounding(W, start) <= tol / 10 or self._passes >= limit:
                break
            # Rounding may have moved the true residual away from the recurrence's: begin anew from there.
            R = B - MW - self._pass(W)
            relative = self._norm(R, start)
            if relative > 0.3 * before:
                break
        objective = -(float(np.vdot(W, B)) + float(np.vdot(W, R))) / 2
        info = FitInfo(objective, relative, self._passes, 0, relative <= tol)
        return Solution(self._V @ W, "primal", "double", info)

    def _round(
        self, W: FloatArray, MW: FloatArray, R: FloatArray, start: float, limit: int
    ) -> tuple[FloatArray, float]:
        """Go on from the residual R until it is small, changing W and MW; return the residual and its relative norm."""
        Z = self._precondition(R)
        rho = float(np.vdot(R, Z))
        P, MP = Z, R.copy()  # M Z is R, and stays so along directions: no product with M is needed
        while rho > (self._task.tol**2) * start and self._passes < limit:
            HP = self._pass(P)
            HP += MP
            energy = float(np.vdot(P, HP))
            if not np.isfinite(energy):
                raise ValueError("sums over the rows overflow: scale the inputs")
            if not energy > 0:
                break  # what is left is rounding
            step = rho / energy
            W += step * P
            MW += step * MP
            HP *= step
            R = R - HP
            Z = self._precondition(R)
            previous, rho = rho, float(np.vdot(R, Z))
            beta = rho / previous
            P *= beta
            P += Z
            MP *= beta
            MP += R
            self._control.value = np.sqrt(max(rho, 0.0) / start)
        return R, np.sqrt(max(rho, 0.0) / start)

    def _pass(self, W: FloatArray) -> FloatArray:
        """Return the product of W with H − M: one pass over the blocks."""
        self._passes += 1
        product: FloatArray = self._V.T @ self._curvature(self._V @ W, self._mean)
        return product

    def _precondition(self, R: FloatArray) -> FloatArray:
        return covariance_solve(self._description, 2 * self._task.alpha, self._s, R, n_threads=self._n_threads)

    def _norm(self, R: FloatArray, start: float) -> float:
        return float(np.sqrt(max(float(np.vdot(R, self._precondition(R))), 0.0) / start))

    def _rounding(self, W: FloatArray, start: float) -> float:
        """Return how large the relative residual of rounding errors may be."""
        eps = np.finfo(np.float64).eps
        return float(eps * self._passes * np.linalg.norm(self._B) / np.sqrt(2 * self._task.alpha * start))


def _require_weight(statistics: BlockStatistics) -> None:
    if not statistics.total_weight > 0:
        raise ValueError("sample_weight is zero in every row: at least one weight must be positive")


def _require_memory(rows: BlockRows, task: RidgeTask) -> None:
    q, d = rows.n_features + int(task.intercept), rows.structure.n_features
    require_memory(
        8 * (4 * q * q + 10 * q * d),
        f"training on {rows.n_features} features: the Gram matrix with its eigendecomposition, and weights of "
        f"{d} scores",
        "take solver='closed-form' when there are fewer rows than features, or select features",
    )
