"""Blocks that are not legal are refused with block and row, and a fit that fails leaves the earlier one."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from combpred import StructuredRidge
from combpred.structures import Permutations
from rows_in_blocks import N, data

# ---- Refusals --------------------------------------------------------------------------------------------------------


def fitted_and_blocks():
    X, y, _ = data(Permutations(4))
    blocks = [(X[i : i + 4].copy(), y[i : i + 4].copy()) for i in range(0, N, 4)]
    return StructuredRidge("permutations", loss="auc").fit(X, y), blocks


def refused(blocks, kind=ValueError, block=None, row=None, **options):
    """Check that blocks are refused, with the block and row at fault if there are any, and the earlier fit is kept."""
    model, _ = fitted_and_blocks()
    before = dict(vars(model))
    model.set_params(**options)
    with pytest.raises(kind) as caught:
        model.fit_blocks(blocks)
    assert getattr(caught.value, "row", None) == row
    assert block is None or str(caught.value).startswith(f"block {block}")
    assert block is None or caught.value.block == block
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert {k: v for k, v in vars(model).items() if k.endswith("_")} == {
        k: v for k, v in before.items() if k.endswith("_")
    }


def spoil(blocks, index, X=None, y=None, weights=None):
    old = blocks[index]
    new = (old[0] if X is None else X, old[1] if y is None else y)
    blocks[index] = new if weights is None else (*new, weights)
    return blocks


def test_not_a_number_in_the_tenth_block_is_named(few_rows):
    _, blocks = fitted_and_blocks()
    blocks[9][0][3, 2] = np.nan
    refused(blocks, block=9, row=3)
    X, y = (np.concatenate(each) for each in zip(*blocks, strict=True))
    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations", solver="primal").fit(X, y)
    assert caught.value.row == 39


@pytest.mark.usefixtures("few_rows")
@pytest.mark.parametrize(
    ("change", "row"),
    [
        ({"X": np.ones((4, 4))}, None),
        ({"X": np.ones((3, 5))}, None),
        ({"X": np.ones(4)}, None),
        ({"X": np.ones((4, 5), dtype=complex)}, None),
        ({"X": np.full((4, 5), "a")}, None),
        ({"y": np.ones((4, 3), dtype=int)}, None),
        ({"y": np.tile([1, 3, 3, 4], (4, 1))}, 0),
        ({"weights": np.ones(5)}, None),
        ({"weights": np.array([1, 1, -1, 1])}, 2),
    ],
)
def test_blocks_that_are_not_legal_are_named(change, row):
    _, blocks = fitted_and_blocks()
    refused(spoil(blocks, 3, **change), block=3, row=row)


def test_rows_are_counted_within_the_block_given(few_rows):
    X, y, _ = data(Permutations(4))
    y[50] = [1, 1, 2, 3]
    refused([(X[:10], y[:10]), (X[10:], y[10:])], block=1, row=40)


def test_what_is_no_pair_is_refused():
    _, blocks = fitted_and_blocks()
    for wrong in ((1,), (1, 2, 3, 4), 7):
        refused([*blocks[:2], wrong], block=2)
    refused([*blocks[:2], (blocks[0][0], None)], block=2)


def test_blocks_without_rows_are_skipped_and_nothing_else_is_not_enough():
    refused([])
    refused([(np.ones((0, 5)), np.ones((0, 4)))])
    _, blocks = fitted_and_blocks()
    refused([(X, y, 0.0) for X, y in blocks])


def test_iterators_are_refused_and_functions_that_make_them_are_not():
    model, blocks = fitted_and_blocks()
    refused((block for block in blocks), TypeError)
    refused(iter(blocks), TypeError)
    refused(7, TypeError)
    expected = model.fit_blocks(blocks).coef_
    np.testing.assert_array_equal(model.fit_blocks(lambda: iter(blocks)).coef_, expected)


def test_functions_whose_iterators_go_on_are_read_once_or_refused():
    model, blocks = fitted_and_blocks()
    sparse_rows = [(sparse.csr_array(X), y) for X, y in blocks]

    class Reader:
        def __init__(self):
            self.only = iter(blocks)

        def __iter__(self):
            return self.only

    def readers():
        only, shared, shared_sparse = iter(blocks), iter(blocks), iter(sparse_rows)
        yield lambda: only
        yield lambda: (block for block in shared)
        yield lambda: (block for block in shared_sparse)
        yield Reader()

    for reader in readers():
        refused(reader)  # the loss "auc" takes several passes
    expected = clone(model).set_params(loss="squared").fit_blocks(blocks).coef_
    for reader in readers():
        found = clone(model).set_params(loss="squared").fit_blocks(reader)
        np.testing.assert_allclose(found.coef_, expected, rtol=1e-10)
    refused(lambda: 3, TypeError)


def test_generators_are_closed_when_a_pass_ends():
    _, blocks = fitted_and_blocks()
    opened = []

    def read():
        opened.append("open")
        try:
            yield from blocks
        finally:
            opened[-1] = "closed"

    StructuredRidge("permutations", loss="auc").fit_blocks(read)
    assert len(opened) > 2  # the first look, and passes
    assert set(opened) == {"closed"}


@pytest.mark.parametrize(
    "later",
    [
        lambda blocks: blocks[:-1],
        lambda blocks: [*blocks, blocks[0]],
        lambda blocks: [(blocks[0][0][:2], blocks[0][1][:2]), *blocks[1:]],
    ],
    ids=["fewer", "more", "smaller"],
)
def test_other_rows_in_a_later_pass_are_detected(later):
    _, blocks = fitted_and_blocks()
    passes = iter([blocks, blocks])  # the first look, and the first pass

    refused(lambda: iter(next(passes, later(blocks))))


def test_classes_that_come_later_must_be_announced():
    X = np.arange(12.0).reshape(6, 2)
    blocks = [(X[:3], ["a", "b", "a"]), (X[3:], ["b", "c", "a"])]
    with pytest.raises(ValueError) as caught:
        StructuredRidge().fit_blocks(blocks)
    assert (caught.value.block, caught.value.argument, caught.value.row) == (1, "y", 1)
    with pytest.raises(ValueError):
        StructuredRidge().fit_blocks([(X[:1], ["a"]), *blocks])
    model = StructuredRidge().fit_blocks(blocks, classes=["a", "b", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    whole = StructuredRidge(solver="closed-form").fit(X, ["a", "b", "a", "b", "c", "a"])
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-7)
    refused(fitted_and_blocks()[1], kernel="rbf")
    refused(fitted_and_blocks()[1], solver="cg")
    with pytest.raises(ValueError):
        StructuredRidge("permutations").fit_blocks(fitted_and_blocks()[1], classes=[1, 2])


def test_columns_of_data_frames_must_agree():
    _, blocks = fitted_and_blocks()
    frames = [(pd.DataFrame(X, columns=list("abcde")), pd.DataFrame(y)) for X, y in blocks]
    model = StructuredRidge("permutations").fit_blocks(frames)
    assert model.feature_names_in_.tolist() == list("abcde")
    frames[2] = (frames[2][0][list("bacde")], frames[2][1])
    refused(frames, block=2)


def test_an_interrupted_fit_leaves_the_earlier_one():
    _, blocks = fitted_and_blocks()
    passes = iter([blocks, blocks, blocks])

    def interrupted():
        given = next(passes, None)
        if given is None:
            raise KeyboardInterrupt
        return iter(given)

    refused(interrupted, KeyboardInterrupt)
