"""Lists of the best outputs as the C interface gives them: one by one, also by callers who decode; the way chosen."""

from __future__ import annotations

import numpy as np
import pytest

from combpred._lib import abi
from combpred._lib.call import computed
from combpred._lib.decode import best_outputs, decode
from combpred._lib.structure import Description, structure_embed, structure_enumerate
from combpred._lib.table import record

SPACES = [
    Description("permutations", {"n": 4}),
    Description("labelsets", {"n": 5}),
    Description("tournaments", {"n": 3}),
    Description("cycles", {"n": 5}),
    Description("cliques", {"n": 5}),
]


def scores_of(space: Description, kind: str) -> tuple[np.ndarray, np.ndarray | None]:
    rng = np.random.default_rng(0)
    d = space.shape[1]
    if kind == "ties":
        return rng.integers(-1, 2, d).astype(float), None
    return rng.normal(size=d), rng.normal(size=d) if kind == "magnitudes" else None


def k_best(space, linear, magnitude=None, *, most, **options):
    """Outputs of rows (n, most, part_len), how many there are, and the method that listed them."""
    sizes = {"n": len(linear), "capacity": most, "part_len": space.shape.part_len}
    parts, count = np.zeros((len(linear), most, space.shape.part_len), np.int32), np.zeros(len(linear), np.int64)
    listed = record(abi.CKbestList, **sizes, parts=parts, count=count)
    computed("cp_kbest", space, {"linear": linear, "magnitude": magnitude}, options, list=listed)
    return parts, count, listed.method.decode()


@pytest.mark.parametrize("kind", ["gaussian", "ties", "magnitudes"])
@pytest.mark.parametrize("nu", [1.0, 0.4])
@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_requests_are_answered_one_after_the_other(space, kind, nu):
    linear, magnitude = scores_of(space, kind)
    asked = []

    def solve(scores, squares):
        asked.append(len(scores))
        return decode(space, scores, squares, "exact").y

    listed = np.array(list(best_outputs(space, linear, magnitude, solve, nu=nu)))
    psi = structure_embed(space, listed)
    assert len(np.unique(psi, axis=0)) == len(psi)
    every = np.unique(structure_embed(space, structure_enumerate(space, 0, 1000)), axis=0)
    squares = np.zeros_like(linear) if magnitude is None else magnitude
    values = np.sort(every @ linear + every**2 @ squares)[::-1]
    expected = values[values >= (1 - nu) * values[0] + nu * values[-1] - 1e-10]
    np.testing.assert_allclose(psi @ linear + psi**2 @ squares, expected, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(list(best_outputs(space, linear, magnitude, solve, nu=nu, most=3)), listed[:3])
    np.testing.assert_array_equal(list(best_outputs(space, linear, magnitude, nu=nu, method="partition")), listed)
    assert max(asked) > 1  # rows at a time


def test_answers_that_are_no_outputs_are_refused():
    with pytest.raises(ValueError) as caught:
        list(best_outputs(SPACES[0], np.ones(6), None, lambda scores, _: np.zeros((len(scores), 4), dtype=np.int32)))
    assert caught.value.row == 0


@pytest.mark.parametrize("method", ["auto", "partition"])
def test_outputs_one_by_one_make_up_the_list(method):
    linear, _ = scores_of(SPACES[0], "gaussian")
    whole, counts, _ = k_best(SPACES[0], linear[np.newaxis], most=100, method=method)
    assert counts.tolist() == [24]
    for most in (None, 1, 16, 17, 24, 30):
        listed = list(best_outputs(SPACES[0], linear, most=most, method=method))
        np.testing.assert_array_equal(listed, whole[0, : min(24, most or 24)])


def test_rows_are_listed_together():
    scores = np.random.default_rng(1).normal(size=(3, 6))
    together, counts, _ = k_best(SPACES[0], scores, -np.ones((1, 6)), most=4)
    assert counts.tolist() == [4, 4, 4]
    for row, parts in zip(scores, together, strict=True):
        np.testing.assert_array_equal(k_best(SPACES[0], row[np.newaxis], most=4)[0][0], parts)


def test_siblings_are_taken_where_pairs_are_level():
    linear, magnitude = np.ones((1, 3)), np.full((1, 3), -0.5)
    for name, method in (("tournaments", "combinations"), ("labelsets", "siblings")):
        space = Description(name, {"n": 3})
        assert k_best(space, linear, magnitude, most=1, nu=0.5, method="unordered")[2] == method
        assert k_best(space, linear, magnitude, most=1, nu=0.4, method="unordered")[2] == "combinations"


@pytest.mark.parametrize(
    ("space", "method"),
    [
        (Description("permutations", {"n": 12}), "partition"),
        (Description("labelsets", {"n": 60}), "combinations"),
        (Description("permutations", {"n": 11}), "sort"),
        (Description("permutations", {"n": 12}), "siblings"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.name,
)
def test_lists_are_interrupted(space, method, ctrl_c):
    scores = np.random.default_rng(2).normal(size=(1, space.shape[1]))
    with ctrl_c(polled=True):
        k_best(space, scores, most=1, skip=10**8, method=method)
    assert k_best(SPACES[0], np.ones((1, 6)), most=2)[1].tolist() == [2]


@pytest.mark.parametrize("n", [1, 2])
def test_the_bad_row_is_named_unless_there_is_one_by_nature(n):
    scores = np.ones((n, 6))
    scores[n - 1, 2] = np.nan
    with pytest.raises(ValueError) as caught:
        k_best(SPACES[0], scores, most=4)
    assert caught.value.row == n - 1
    with pytest.raises(ValueError):
        list(best_outputs(SPACES[0], scores[n - 1]))
