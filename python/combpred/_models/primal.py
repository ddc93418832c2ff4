r"""Structured ridge regression for the linear kernel, with rows that are only ever seen block by block.

The weights W (q, d) solve the linear equation H W = B with

.. math:: H W = 2\lambda W + S W \Sigma + \sum_i w_i x_i \tilde\psi_i^\top \langle\tilde\psi_i, W^\top x_i\rangle,

S = Σ w x xᵀ and B = Σ w x ψ̃ᵀ (Vembu, 2010, ch. 5). S and B are found in one pass; the last term takes one pass for each
product, all that conjugate gradient needs. It is preconditioned with M W = 2λW + S W Σ: H − M is positive semi-definite
and at most (κ − 1) M with κ = 1 + max ψ̃ᵀΣ⁺ψ̃, so that the number of passes depends neither on the number of rows nor
on the scale of the features.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._data.blocks import Block, BlockSource
from .._lib.abi import Control
from .._lib.arrays import FloatArray
from .._lib.control import reported
from .._lib.linalg import eigendecompose
from .._lib.memory import require_memory
from .._lib.ridge import FitInfo, covariance_solve
from .rows import BlockRows, HeldBlock, HeldRows, RowBatch

_MAX_STEPS = 2000  # without a limit of the user's; some tens are usual


@dataclass(frozen=True)
class RidgeTask:
    """Options of the training problem: the loss, the penalty and when to stop.

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

    @classmethod
    def of_model(cls, model: Any) -> RidgeTask:
        """Return the options that the parameters of an estimator ask for."""
        return cls(
            model.loss, float(model.alpha), float(model.tol), model.max_iter, bool(model.fit_intercept),
            int(model.verbose),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class RowSums:
    r"""Weighted sums over rows of inputs x and embedded structures ψ(y), not centred.

    Attributes
    ----------
    n_rows : int
    total_weight : float
        Sum of the weights w.
    gram : ndarray of shape (p, p)
        :math:`\sum w x x^\top`.
    feature_sums : ndarray of shape (p,)
        :math:`\sum w x`.
    cross : ndarray of shape (p, d)
        :math:`\sum w x \psi(y)^\top`.
    psi_sums : ndarray of shape (d,)
        :math:`\sum w \psi(y)`.
    psi_squares : float
        :math:`\sum w \|\psi(y)\|^2`.
    """

    n_rows: int
    total_weight: float
    gram: FloatArray
    feature_sums: FloatArray
    cross: FloatArray
    psi_sums: FloatArray
    psi_squares: float

    def __add__(self, other: RowSums) -> RowSums:
        """Return the sums over the rows of both."""
        arrays = ("gram", "feature_sums", "cross", "psi_sums")
        return merged(replace(self, **{name: getattr(self, name).copy() for name in arrays}), other)

    def system(self, mean: FloatArray, *, intercept: bool) -> tuple[FloatArray, FloatArray]:
        """Return S = Σ w x xᵀ of shape (q, q) and B = Σ w x ψ̃ᵀ of shape (q, d), where ψ̃ is ψ less its `mean` (d,).

        With `intercept`, x has a last entry 1, and q = p + 1.
        """
        p = len(self.feature_sums)
        q = p + int(intercept)
        S, B = np.empty((q, q)), np.empty((q, len(mean)))
        S[:p, :p] = self.gram
        np.multiply.outer(-self.feature_sums, mean, out=B[:p])
        B[:p] += self.cross
        if intercept:
            S[p, :p] = S[:p, p] = self.feature_sums
            S[p, p] = self.total_weight
            B[p] = self.psi_sums - self.total_weight * mean
        return S, B

    def centred_squares(self, mean: FloatArray) -> float:
        """Return Σ w ‖ψ̃‖²."""
        return self.psi_squares - 2 * float(mean @ self.psi_sums) + self.total_weight * float(mean @ mean)


def merged(one: RowSums, other: RowSums) -> RowSums:
    """Return the sums over the rows of both, in the arrays of the first."""
    one.gram[...] += other.gram
    one.feature_sums[...] += other.feature_sums
    one.cross[...] += other.cross
    one.psi_sums[...] += other.psi_sums
    return replace(
        one,
        n_rows=one.n_rows + other.n_rows,
        total_weight=one.total_weight + other.total_weight,
        psi_squares=one.psi_squares + other.psi_squares,
    )


@dataclass(frozen=True)
class SumRows:
    """Function of a block for `BlockSource.reduce`: the sums over its rows."""

    rows: BlockRows

    def __call__(self, block: Block | HeldBlock) -> RowSums:
        """Return the sums over the rows of a block, which has some."""
        return functools.reduce(merged, map(_sums, self.rows.batches(block)))


def _sums(batch: RowBatch) -> RowSums:
    X, psi, w = batch.X, batch.psi, batch.row_weights()
    if batch.first is not None:  # of a set, the sum is all that these need, but for the squares
        squares = np.einsum("ij,ij->i", psi, psi)
        squares = np.add.reduceat(squares, batch.first[:-1])
        psi = np.add.reduceat(psi, batch.first[:-1], axis=0)
    elif sparse.issparse(psi):
        squares = np.asarray(psi.multiply(psi).sum(axis=1)).ravel()
    else:
        squares = np.einsum("ij,ij->i", psi, psi)
    each = np.ones(X.shape[0]) if batch.weights is None else batch.weights
    return RowSums(
        n_rows=X.shape[0],
        total_weight=float(X.shape[0] if w is None else w.sum()),
        gram=_gram(X, w),
        feature_sums=np.asarray(X.sum(axis=0)).ravel() if w is None else X.T @ w,
        cross=_transposed_product(X if batch.weights is None else _scaled_rows(X, batch.weights), psi),
        psi_sums=psi.T @ each,
        psi_squares=float(squares @ each),
    )


def _transposed_product(X: Any, psi: Any) -> FloatArray:
    """Return Xᵀψ as a dense array; each may be an array or CSR."""
    if sparse.issparse(psi):  # written row after row
        product = psi.T @ X
        return np.asarray((product.toarray() if sparse.issparse(product) else product).T)
    return np.asarray(X.T @ psi)


def _scaled_rows(X: Any, weights: FloatArray) -> Any:
    """Return the rows of X, an array or a sparse matrix, times their weights."""
    if not sparse.issparse(X):
        return X * weights[:, None]
    rows = X.tocsr()
    return type(rows)((rows.data * np.repeat(weights, np.diff(rows.indptr)), rows.indices, rows.indptr), shape=X.shape)


def _gram(X: Any, weights: FloatArray | None) -> FloatArray:
    if sparse.issparse(X):
        return np.asarray((X.T @ (X if weights is None else _scaled_rows(X, weights))).toarray())
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused with the sum
        root = X if weights is None else X * np.sqrt(weights)[:, None]
        return np.asarray(root.T @ root)


@dataclass(frozen=True)
class MarginCurvature:
    """Function of a block for `BlockSource.reduce`: the part of H that sums over rows do not know, times W."""

    rows: BlockRows
    intercept: bool

    def __call__(self, block: Block | HeldBlock, W: FloatArray, mean: FloatArray) -> FloatArray:
        """Return Σ_i w_i x_i ψ̃_iᵀ⟨ψ̃_i, Wᵀx_i⟩ of the rows of a block, of the shape (q, d) of W."""
        product = np.zeros_like(W)
        sums = np.zeros(len(W))  # Σ w x⟨ψ̃, Wᵀx⟩: ψ̃ = ψ − μ is never formed
        for batch in self.rows.batches(block, check=False):
            if sparse.issparse(batch.psi):
                self._add_sparse(product, sums, batch, W, mean)
            else:
                self._add_dense(product, sums, batch, W, mean)
        if mean.any():
            product -= np.multiply.outer(sums, mean)
        return product

    def _add_dense(
        self, product: FloatArray, sums: FloatArray, batch: RowBatch, W: FloatArray, mean: FloatArray
    ) -> None:
        p, psi, sizes = self.rows.n_features, batch.psi, batch.sizes()
        scores = np.asarray(batch.X @ W[:p])
        if self.intercept:
            scores += W[p]
        if sizes is not None:
            scores = np.repeat(scores, sizes, axis=0)
        margins = np.einsum("ij,ij->i", scores, psi)
        margins -= scores @ mean
        pulled = scores  # no longer needed
        if sizes is not None:
            margins = self._of_sets(margins, batch, sizes)
        elif batch.weights is not None:
            margins *= batch.weights
        np.multiply(psi, margins[:, None], out=pulled)
        if batch.first is not None:
            pulled = np.add.reduceat(pulled, batch.first[:-1], axis=0)
            margins = np.add.reduceat(margins, batch.first[:-1])
        product[:p] += batch.X.T @ pulled
        sums[:p] += batch.X.T @ margins
        if self.intercept:
            product[p] += pulled.sum(axis=0)
            sums[p] += margins.sum()

    def _of_sets(self, margins: FloatArray, batch: RowBatch, sizes: NDArray[np.int64]) -> FloatArray:
        """Return the derivatives by u_y = ⟨ψ̃_y, f⟩ of the terms that are quadratic in them, times the weights.

        The loss of a set of k outputs has (1 − 2k/|𝒴|)/2 Σ u_y² + (Σ u_y)²/|𝒴|, in place of u²/2 for one output.
        """
        assert batch.first is not None and self.rows.share is not None  # sets were checked in the first pass
        totals = np.add.reduceat(margins, batch.first[:-1])
        derivatives = np.repeat(1.0 - self.rows.share * sizes, sizes) * margins
        derivatives += np.repeat(self.rows.share * totals, sizes)
        weights = batch.target_weights()
        if weights is not None:
            derivatives *= weights
        return derivatives

    def _add_sparse(
        self, product: FloatArray, sums: FloatArray, batch: RowBatch, W: FloatArray, mean: FloatArray
    ) -> None:
        """Do the same where ψ is sparse, at the cost of its entries."""
        p, X = self.rows.n_features, batch.X
        along = np.asarray(batch.psi @ W.T)  # (n, q): Wψ̃_i
        along -= W @ mean
        if sparse.issparse(X):
            margins = np.asarray(X.multiply(along[:, :p]).sum(axis=1)).ravel()
        else:
            margins = np.einsum("ij,ij->i", X, along[:, :p])
        if self.intercept:
            margins += along[:, p]
        if batch.weights is not None:
            margins *= batch.weights
        product[:p] += _transposed_product(_scaled_rows(X, margins), batch.psi)
        sums[:p] += X.T @ margins
        if self.intercept:
            product[p] += batch.psi.T @ margins
            sums[p] += margins.sum()


def _add(one: FloatArray, other: FloatArray) -> FloatArray:
    one += other
    return one


def solve_blocks(source: BlockSource, rows: BlockRows, task: RidgeTask) -> tuple[FloatArray, FitInfo]:
    """Return the weights (q, d) of training on the blocks of a source; ``n_iter`` counts the passes over them.

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
        sums = source.reduce(SumRows(rows), merge=merged, advance=advance)
        if task.loss == "squared":
            return solve_sums(sums, rows.structure.mean(), task)

        def curvature(W: FloatArray, mean: FloatArray) -> FloatArray:
            return source.reduce(MarginCurvature(rows, task.intercept), W, mean, merge=_add, advance=advance)

        return _Descent(sums, rows, task, curvature, control).run()


def solve_sums(sums: RowSums, mean: FloatArray, task: RidgeTask) -> tuple[FloatArray, FitInfo]:
    """Return the weights (q, d) of least squared loss, which needs no more than the sums, and `mean` of ψ."""
    _require_weight(sums)
    S, B = sums.system(mean, intercept=task.intercept)
    gram = eigendecompose(S.copy())
    shifted = 2 * task.alpha + np.maximum(gram.values, 0.0)[:, None]
    W = np.zeros_like(B)
    for _ in range(2):  # the second time for what rounding has left
        residual = B - 2 * task.alpha * W - S @ W
        W += gram.vectors @ ((gram.vectors.T @ residual) / shifted)
    residual = B - 2 * task.alpha * W - S @ W
    objective = (sums.centred_squares(mean) - float(np.vdot(W, B)) - float(np.vdot(W, residual))) / 2
    scale = float(np.linalg.norm(B))
    relative = float(np.linalg.norm(residual)) / scale if scale else 0.0
    return W, FitInfo(objective, relative, 1, 1, relative <= max(task.tol, 1e-10))


class _Descent:
    """Conjugate gradient on H W = B, in the basis of the eigenvectors V of S, where M is known row by row.

    The residual is measured in the norm of M⁻¹, in which its square is at least twice the distance from the least value
    of the objective, because H ≥ M.
    """

    def __init__(self, sums: RowSums, rows: BlockRows, task: RidgeTask, curvature: Any, control: Control) -> None:
        _require_weight(sums)
        self._description, self._mean = rows.structure.space.description, rows.structure.mean()
        S, B = sums.system(self._mean, intercept=task.intercept)
        gram = eigendecompose(S)
        self._curvature, self._task, self._n_threads, self._control = curvature, task, rows.n_threads, control
        self._s, self._V = np.maximum(gram.values, 0.0), gram.vectors
        self._B = self._V.T @ B
        self._passes = 1

    def run(self) -> tuple[FloatArray, FitInfo]:
        """Return the weights (q, d) that solve H W = B, and how they were found."""
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
        return self._V @ W, info

    def _round(
        self, W: FloatArray, MW: FloatArray, R: FloatArray, start: float, limit: int
    ) -> tuple[FloatArray, float]:
        """Iterate from the residual R until it is small, changing W and MW; return it and its relative norm."""
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


def _require_weight(sums: RowSums) -> None:
    if not sums.total_weight > 0:
        raise ValueError("sample_weight is zero in every row: at least one weight must be positive")


def _require_memory(rows: BlockRows, task: RidgeTask) -> None:
    q, d = rows.n_features + int(task.intercept), rows.structure.n_features
    require_memory(
        8 * (4 * q * q + 10 * q * d),
        f"training on {rows.n_features} features: the Gram matrix with its eigendecomposition, and weights of "
        f"{d} scores",
        "take solver='closed-form' when there are fewer rows than features, or select features",
    )
