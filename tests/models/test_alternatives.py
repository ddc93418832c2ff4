"""Kernel matrices that do not fit in memory are refused before they are allocated, with what needs none."""

from __future__ import annotations

import numpy as np
import pytest

from combpred import StructuredRidge, StructuredRidgeCV


@pytest.mark.parametrize(
    ("kernel", "remedy"),
    [("rbf", "NystromMap"), ("linear", "solver='primal'"), ("precomputed", "pass inputs")],
)
def test_what_needs_no_kernel_matrix_is_named(kernel, remedy, limits):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.permuted(np.tile([1, 2, 3], (300, 1)), axis=1)
    X = X @ X.T if kernel == "precomputed" else X
    limits.available_memory(100_000)
    with pytest.raises(MemoryError) as caught:
        StructuredRidge("permutations", kernel=kernel, solver="closed-form").fit(X, y)
    assert remedy in str(caught.value)
    with pytest.raises(MemoryError):
        StructuredRidgeCV("permutations", kernels=[kernel]).fit(X, y)
