"""A model whose distributions are given: its inputs are the scores of ψ."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from combpred.structures import Structure


class Given(BaseEstimator):
    """Predicts the marginals of p(y) ∝ exp⟨x, ψ(y)⟩ for inputs x, as if it had been fitted."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.structure_ = structure

    def fit(self, X: Any, y: Any) -> Given:
        self.n_rows_ = len(X)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> Any:
        return self.structure.decode(X)

    def predict_marginals(self, X: Any) -> Any:
        return self.structure.marginals(np.asarray(X))


def drawn(structure: Structure, n: int, *, scale: float = 1.5, seed: int = 0) -> tuple[Any, Any]:
    """Return inputs and outputs drawn from what is predicted for them."""
    X = scale * np.random.default_rng(seed).normal(size=(n, structure.n_features))
    return X, structure.sample(1, scores=X, random_state=seed)[0]
