"""Work space of ridge regression: what is asked for where single precision is not enough."""

from __future__ import annotations

import pytest

from combpred import NumericalError, StructuredRidge
from combpred._lib import ridge
from combpred.structures import Permutations
from enumerated_problem import problem


def refuse_scratch(n_bytes, what, remedy, **keywords):
    """As if a system had room for the kernel matrix, and none for work in double precision beside it."""
    if what.endswith("the work space"):
        raise MemoryError(what)


def test_memory_for_double_precision_is_asked_for_where_single_is_not_enough(monkeypatch):
    plan = ridge.ridge_plan  # as the library advises for a thousand rows and more
    monkeypatch.setattr(ridge, "ridge_plan", lambda *arguments: {**plan(*arguments), "precision": "single"})
    X, y, _, _, _ = problem(Permutations(4))
    X[1] = X[0]
    model = StructuredRidge("permutations", alpha=1e-8, kernel="rbf", gamma=0.1, fit_intercept=False)
    monkeypatch.setattr(ridge, "SMALL_BYTES", 0)
    monkeypatch.setattr(ridge, "available_memory", lambda: 0)  # for the kernel matrix it is enough
    with pytest.raises(NumericalError):
        model.fit(X, y)
    monkeypatch.setattr(ridge, "require_memory", refuse_scratch)
    with pytest.raises(MemoryError):
        model.fit(X, y)
