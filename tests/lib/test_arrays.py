"""How much memory there is, what does not fit is refused before it is allocated, and rows have streams of their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from combpred._lib import arrays
from combpred._lib.call import row_streams
from combpred._lib.decode import decode
from combpred._lib.sampling import Plan
from combpred._lib.structure import structure_embed, structure_enumerate, structure_mean, structure_second_moment
from combpred.structures import Permutations


def test_memory_available_is_a_sensible_number():
    available = arrays.available_memory()
    assert available is None or 2**20 < available < 2**50


def test_outputs_that_do_not_fit_are_refused_before_they_are_allocated(limits, monkeypatch):
    description, scores = Permutations(30).space.description, np.zeros((20_000, 30 * 29 // 2))
    codes = np.tile(np.arange(30, dtype=np.int32), (20_000, 1))
    limits.available_memory(2**20)
    monkeypatch.setattr(np, "empty", lambda *shape, **options: pytest.fail("allocated"))
    for call in (
        lambda: decode(description, scores),
        lambda: structure_embed(description, codes),
        lambda: structure_enumerate(description, 0, 20_000),
        lambda: structure_mean(Permutations(2000).space.description),
        lambda: structure_second_moment(Permutations(50).space.description),
    ):
        with pytest.raises(MemoryError):
            call()


# Numbers of the random streams of rows.

X = np.random.default_rng(5).normal(size=(9, 3)) * (np.arange(27).reshape(9, 3) % 4 > 0)
X[7] = X[1]  # a row that is there twice


def test_streams_are_those_of_the_library():
    """The library computes them from scores where it is given none."""
    space, scores = Permutations(3).space, np.array([[1.0, 0.0, -2.0], [0.5, -0.0, 3.0], [1.0, 0.0, -2.0]])
    plan = Plan("exact", 20, seed=3)
    given = space.draw(scores, plan._replace(streams=row_streams(scores))).y
    np.testing.assert_array_equal(given, space.draw(scores, plan).y)
    assert (given[0] != given[2]).any()  # equal rows are told apart


@pytest.mark.parametrize("apart", [True, False])
def test_streams_follow_from_rows(apart):
    dense = row_streams(X, apart=apart)
    np.testing.assert_array_equal(row_streams(sparse.csr_matrix(X), apart=apart), dense)
    np.testing.assert_array_equal(row_streams(X[2:7], apart=apart), dense[2:7])
    assert len(set(dense.tolist())) == (9 if apart else 8)
    assert row_streams(X[:0], apart=apart).shape == (0,)
    parts = sparse.csr_matrix(([3.0, 1.0, 0.0, 4.0], [2, 1, 0, 1], [0, 4]), shape=(1, 3))  # 5 in two, and a stored zero
    np.testing.assert_array_equal(row_streams(parts, apart=apart), row_streams(parts.toarray(), apart=apart))
