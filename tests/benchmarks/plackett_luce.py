"""Plackett–Luce regression of rankings, linear or with a Gaussian kernel: a reference for `probabilities.py`.

Label j has the utility u_j(x), and a ranking is drawn place by place, each time one of the labels that are left with
probability proportional to exp u_j (Plackett, 1975; Cheng, Dembczyński and Hüllermeier, 2010, for the regression).
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import approx_fprime, minimize
from sklearn.metrics.pairwise import rbf_kernel

from combpred import ProbabilisticStructured
from combpred.structures import Permutations


class PlackettLuce:
    r"""Minimise α‖W‖² − Σ ln p(y_i | x_i) over the utilities u(x) = Wφ(x), a constant feature included, by L-BFGS.

    Parameters
    ----------
    alpha : float
        Penalty, against the sum over rows.
    gamma : float, optional
        Of the kernel exp(−γ‖x − x'‖²) + 1, whose features φ are. None: φ are the inputs and a constant.
    tol : float, default=1e-6
        Largest entry of the gradient at which the search stops, relative to that at zero.
    max_iter : int, default=1000
        Limit on iterations; RuntimeError where it is reached.
    """

    def __init__(self, *, alpha: float, gamma: float | None = None, tol: float = 1e-6, max_iter: int = 1000) -> None:
        self.alpha, self.gamma, self.tol, self.max_iter = alpha, gamma, tol, max_iter

    def fit(self, X: np.ndarray, y: np.ndarray) -> PlackettLuce:
        """Train on rows (n, p) and positions (n, k), 1 for the first."""
        order = np.argsort(y, axis=1)
        if self.gamma is None:
            phi = self._features(X)
        else:
            self._rows = X
            values, vectors = eigh(self._features(X))
            kept = values > 1e-12 * values[-1]
            values, vectors = values[kept], vectors[:, kept]
            phi = vectors * np.sqrt(values)
        # Coordinates in which the curvature is about 1 where utilities are 0.
        scale = 1 / np.sqrt(2 * self.alpha + np.square(phi).sum(axis=0) / 4)[:, None]
        shape = (phi.shape[1], y.shape[1])

        def objective(z: np.ndarray) -> tuple[float, np.ndarray]:
            W = scale * z.reshape(shape)
            loss, gradient = loss_of(phi @ W, order)
            gradient = phi.T @ gradient + 2 * self.alpha * W
            return loss + self.alpha * float(np.square(W).sum()), (scale * gradient).ravel()

        start = np.zeros(shape).ravel()
        most = float(np.abs(objective(start)[1]).max())
        options = {
            "maxiter": self.max_iter,
            "maxfun": 2 * self.max_iter,
            "maxcor": 20,
            "ftol": 0.0,
            "gtol": self.tol * most,
        }
        found = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
        if found.nit >= self.max_iter:
            raise RuntimeError(f"not converged after {found.nit} iterations; raise max_iter or tol")
        self._weights = scale * found.x.reshape(shape)
        if self.gamma is not None:
            self._weights = vectors @ (self._weights / np.sqrt(values)[:, None])
        return self

    def utilities(self, X: np.ndarray) -> np.ndarray:
        """Return u(x) for every row, (n, k)."""
        return np.asarray(self._features(X) @ self._weights)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the most probable rankings: by descending utility."""
        return np.argsort(np.argsort(-self.utilities(X), axis=1), axis=1) + 1

    def log_proba(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return ln p(y | x) for every row."""
        u = np.take_along_axis(self.utilities(X), np.argsort(y, axis=1), axis=1)
        return (u - log_tails(u)).sum(axis=1)

    def _features(self, X: np.ndarray) -> np.ndarray:
        if self.gamma is None:
            return np.column_stack([X, np.ones(len(X))])
        return rbf_kernel(X, self._rows, gamma=self.gamma) + 1


def log_tails(u: np.ndarray) -> np.ndarray:
    """Return ln Σ_{s ≥ r} exp u_s for every row and place r."""
    return np.logaddexp.accumulate(u[:, ::-1], axis=1)[:, ::-1]


def loss_of(utilities: np.ndarray, order: np.ndarray) -> tuple[float, np.ndarray]:
    """Return −Σ ln p of the labels in the given `order` (n, k) and its gradient by the utilities (n, k)."""
    u = np.take_along_axis(utilities, order, axis=1)
    tails = log_tails(u)
    # The label at place s is a candidate at the places r ≤ s, with probability exp(u_s − tail_r).
    at_places = np.exp(u + np.logaddexp.accumulate(-tails, axis=1)) - 1
    gradient = np.empty_like(u)
    np.put_along_axis(gradient, order, at_places, axis=1)
    return float((tails - u).sum()), gradient


def check() -> None:
    """Assert what the reference must satisfy: its gradient, its total probability, and its agreement on two labels."""
    rng = np.random.default_rng(0)
    u, order = rng.normal(size=(3, 4)), rng.permuted(np.tile(np.arange(4), (3, 1)), axis=1)
    numeric = approx_fprime(u.ravel(), lambda v: loss_of(v.reshape(3, 4), order)[0], 1e-6)
    np.testing.assert_allclose(loss_of(u, order)[1].ravel(), numeric, atol=1e-5)

    X, every = rng.normal(size=(24, 2)), np.array(list(permutations(range(1, 5))))
    model = PlackettLuce(alpha=0.1, gamma=0.5).fit(X, every)
    total = np.exp(model.log_proba(np.repeat(X[:1], 24, axis=0), every)).sum()
    np.testing.assert_allclose(total, 1, rtol=1e-12)

    # For two labels both are logistic regressions: u_0 − u_1 = 2 f, and the penalty 2α‖w‖² of u is α‖w‖² of f.
    y = 1 + rng.permuted(np.tile([0, 1], (24, 1)), axis=1)
    for gamma in (None, 0.5):
        kernel = {"kernel": "linear"} if gamma is None else {"kernel": "rbf", "gamma": gamma}
        structured = ProbabilisticStructured(Permutations(2), alpha=0.2, tol=1e-6, **kernel).fit(X, y)
        reference = PlackettLuce(alpha=0.1, gamma=gamma, tol=1e-6).fit(X, y)
        np.testing.assert_allclose(reference.log_proba(X, y), structured.log_proba(X, y), atol=1e-6)


if __name__ == "__main__":
    check()
