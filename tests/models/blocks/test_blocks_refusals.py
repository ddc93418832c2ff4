"""Blocks that are not legal are refused with block and row, and a fit that fails leaves the earlier one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from combpred import StructuredRidge
from combpred.structures import Permutations
from rows_in_blocks import N, data

# ---- Refusals --------------------------------------------------------------------------------------------------------


def fitted_and_blocks():
    X, y, _ = data(Permutations(4))
    blocks = [(X[i : i + 4].copy(), y[i : i + 4].copy()) for i in range(0, N, 4)]
    return StructuredRidge("permutations", loss="auc").fit(X, y), blocks


def refused(blocks, match, kind=ValueError, **options):
    """Check that blocks are refused and that an earlier fit is as it was."""
    model, _ = fitted_and_blocks()
    before = dict(vars(model))
    model.set_params(**options)
    with pytest.raises(kind, match=match):
        model.fit_blocks(blocks)
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
    refused(blocks, "block 9: row 3: Input X contains NaN in column 2: remove such rows")
    X, y = (np.concatenate(each) for each in zip(*blocks, strict=True))
    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations", solver="primal").fit(X, y)
    assert caught.value.row == 39


@pytest.mark.usefixtures("few_rows")
@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"X": np.ones((4, 4))}, "block 3: X has 4 features, the first rows have 5: give all rows the same columns"),
        ({"X": np.ones((3, 5))}, "block 3: X has 3 rows and y 4"),
        ({"X": np.ones(4)}, r"block 3: X has shape \(4,\), must be \(n, n_features\)"),
        ({"X": np.ones((4, 5), dtype=complex)}, "block 3: Complex data not supported"),
        ({"X": np.full((4, 5), "a")}, "block 3: X, row 0: found .a. in column 0, where estimators take numbers"),
        ({"y": np.ones((4, 3), dtype=int)}, "block 3: y has 3 columns, it needs 4"),
        ({"y": np.tile([1, 3, 3, 4], (4, 1))}, "block 3: y, row 0: labels 1 and 2 share position 3"),
        ({"weights": np.ones(5)}, r"block 3: sample_weight has shape \(5,\)"),
        ({"weights": np.array([1, 1, -1, 1])}, "block 3: row 2: sample_weight is -1.0"),
    ],
)
def test_blocks_that_are_not_legal_are_named(change, match):
    _, blocks = fitted_and_blocks()
    refused(spoil(blocks, 3, **change), match)


def test_rows_are_counted_within_the_block_given(few_rows):
    X, y, _ = data(Permutations(4))
    y[50] = [1, 1, 2, 3]
    refused([(X[:10], y[:10]), (X[10:], y[10:])], "block 1: y, row 40: labels 0 and 1 share position 1")


def test_what_is_no_pair_is_refused():
    _, blocks = fitted_and_blocks()
    for wrong, shown in (((1,), "a tuple of 1"), ((1, 2, 3, 4), "a tuple of 4"), (7, "7")):
        refused([*blocks[:2], wrong], rf"block 2 is {shown}: give \(X, y\) or \(X, y, sample_weight\)")
    refused([*blocks[:2], (blocks[0][0], None)], "block 2: y is None")


def test_blocks_without_rows_are_skipped_and_nothing_else_is_not_enough():
    refused([], "blocks has no rows")
    refused([(np.ones((0, 5)), np.ones((0, 4)))], "blocks has no rows")
    _, blocks = fitted_and_blocks()
    refused([(X, y, 0.0) for X, y in blocks], "sample_weight is zero in every row")


def test_iterators_are_refused_and_functions_that_make_them_are_not():
    model, blocks = fitted_and_blocks()
    refused((block for block in blocks), "ends after one pass.* pass a list of blocks", TypeError)
    refused(iter(blocks), "ends after one pass", TypeError)
    refused(7, "blocks must be an iterable of blocks, got 7", TypeError)
    expected = model.fit_blocks(blocks).coef_
    np.testing.assert_array_equal(model.fit_blocks(lambda: iter(blocks)).coef_, expected)


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_functions_whose_iterators_go_on_are_refused(loss):
    _, blocks = fitted_and_blocks()
    only = iter(blocks)
    refused(lambda: only, "the same iterator in every pass", TypeError, loss=loss)
    shared = iter(blocks)
    refused(lambda: (block for block in shared), "begins with other rows in a later pass", loss=loss)

    class Reader:
        def __init__(self):
            self.only = iter(blocks)

        def __iter__(self):
            return self.only

    refused(Reader(), "the same iterator in every pass", TypeError, loss=loss)
    refused(lambda: 3, "a function that returned 3, not an iterable of blocks", TypeError, loss=loss)
    sparse_rows = [(sparse.csr_array(X), y) for X, y in blocks]
    shared = iter(sparse_rows)
    refused(lambda: (block for block in shared), "begins with other rows in a later pass", loss=loss)


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
    ("later", "match"),
    [
        (lambda blocks: blocks[:-1], "14 blocks of 56 rows in a later pass, 15 of 60 in the first"),
        (lambda blocks: [*blocks, blocks[0]], "block 15: 4 rows in a later pass, no such block in the first"),
        (lambda blocks: [(blocks[0][0][:2], blocks[0][1][:2]), *blocks[1:]], "block 0: 2 rows in a later pass, 4 rows"),
    ],
    ids=["fewer", "more", "smaller"],
)
def test_other_rows_in_a_later_pass_are_detected(later, match):
    _, blocks = fitted_and_blocks()
    passes = iter([blocks, blocks])  # the first look, and the first pass

    refused(lambda: iter(next(passes, later(blocks))), match)


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
    refused(fitted_and_blocks()[1], "training on blocks needs kernel='linear', got kernel='rbf'", kernel="rbf")
    refused(fitted_and_blocks()[1], "solver='auto' or 'primal', got solver='cg'", solver="cg")
    with pytest.raises(ValueError):
        StructuredRidge("permutations").fit_blocks(fitted_and_blocks()[1], classes=[1, 2])


def test_columns_of_data_frames_must_agree():
    _, blocks = fitted_and_blocks()
    frames = [(pd.DataFrame(X, columns=list("abcde")), pd.DataFrame(y)) for X, y in blocks]
    model = StructuredRidge("permutations").fit_blocks(frames)
    assert model.feature_names_in_.tolist() == list("abcde")
    frames[2] = (frames[2][0][list("bacde")], frames[2][1])
    refused(frames, r"block 2: the columns of X are \['b', 'a', 'c', 'd', 'e'\]")


def test_an_interrupted_fit_leaves_the_earlier_one():
    _, blocks = fitted_and_blocks()
    passes = iter([blocks, blocks, blocks])

    def interrupted():
        given = next(passes, None)
        if given is None:
            raise KeyboardInterrupt
        return iter(given)

    refused(interrupted, None, KeyboardInterrupt)
