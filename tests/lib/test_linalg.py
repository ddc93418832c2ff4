"""Matrices as estimators hand them to LAPACK and to the core."""

from __future__ import annotations

import numpy as np
import pytest

from combpred import StructuredRidge
from combpred._lib import linalg
from combpred.structures import Ordinal


def test_one_row_is_diagonalised_without_lapack(monkeypatch):
    """SciPy 1.10 fails on 1×1 matrices with this driver."""
    whole = linalg.eigh

    def eigh(matrix, **options):
        if len(matrix) == 1:
            raise ValueError("LWORK too small")
        return whole(matrix, **options)

    monkeypatch.setattr(linalg, "eigh", eigh)
    for options in ({"kernel": "rbf"}, {"solver": "primal", "fit_intercept": False}):
        model = StructuredRidge(Ordinal(4), **options).fit([[2.0]], [3])
        assert model.predict([[2.0]]).tolist() == [3]


@pytest.mark.parametrize("rank", [0, 1, 5, 40])
@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1.0, 1e300])
def test_no_semidefinite_matrix_is_refused(rank, scale):
    features = np.random.default_rng(rank).normal(size=(40, rank))
    linalg.require_semidefinite(scale * (features @ features.T))  # of rounding its eigenvalues are negative
