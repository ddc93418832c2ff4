"""Blocks that are data frames: of every library, with their names, and what is in none but the first block."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.preprocessing import StandardScaler

from combpred import BlockStatistics, ProbabilisticStructured, StructuredRidge
from data_frames import imported_pyarrow

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(40, 3)), columns=["age", "income", "height"])
Y = pd.DataFrame((X @ RNG.normal(size=(3, 3)) > 0).to_numpy().astype(int), columns=["urgent", "bill", "spam"])
SWAPPED = ["spam", "urgent", "bill"]


def nullable(frame):
    return frame.convert_dtypes()


def arrow(frame):
    pa = imported_pyarrow()
    return pa.Table.from_pandas(frame, preserve_index=False)


def polars(frame):
    return pl.from_arrow(arrow(frame))


NAMES_OF_POLARS = hasattr(StandardScaler().fit(pl.DataFrame({"age": [1.0]})), "feature_names_in_")
FORMS = [
    pytest.param(polars, marks=pytest.mark.skipif(
        not NAMES_OF_POLARS, reason="scikit-learn < 1.8 names columns of polars by a protocol that polars 2 lacks"
    )),
    arrow,
    nullable,
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("model", [StructuredRidge("labelsets"), ProbabilisticStructured("labelsets")])
def test_blocks_are_frames_of_any_library(model, form, few_rows):
    blocks = [(form(X[:15]), form(Y[:15])), (form(X[15:]), form(Y[SWAPPED][15:]))]
    expected = model.fit_blocks([(X[:15].to_numpy(), Y[:15].to_numpy()), (X[15:].to_numpy(), Y[15:].to_numpy())]).coef_
    found = model.fit_blocks(blocks)
    np.testing.assert_allclose(found.coef_, expected, rtol=1e-12, atol=1e-14)
    assert found.feature_names_in_.tolist() == X.columns.tolist()
    assert found.structure_.labels == Y.columns.tolist()
    of_a_block = BlockStatistics.of("labelsets", *blocks[0]).solve().coef_
    np.testing.assert_allclose(of_a_block, BlockStatistics.of("labelsets", X[:15], Y[:15]).solve().coef_, rtol=1e-12)
    with pytest.raises(ValueError):
        model.fit_blocks([blocks[0], (form(X[["height", "age", "income"]]), form(Y))])


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_missing_numbers_of_later_blocks_are_named(form):
    spoilt = X.astype("Float64")
    spoilt.loc[17, "income"] = pd.NA
    with pytest.raises(ValueError, match=r"^block 1: row 17: X holds NaN in column 'income': remove"):
        StructuredRidge("labelsets").fit_blocks([(form(X), form(Y)), (form(spoilt), form(Y))])


def test_what_is_no_number_is_named_in_every_block():
    for blocks in ([(X.assign(age="old"), Y)], [(X, Y), (X.assign(age="old"), Y)]):
        with pytest.raises(ValueError) as caught:
            StructuredRidge("labelsets").fit_blocks(blocks)
        assert str(caught.value).startswith(f"block {len(blocks) - 1}: ")


def test_lazy_frames_are_refused_by_block():
    for block in ((pl.from_pandas(X).lazy(), Y), (X, pl.from_pandas(Y).lazy())):
        with pytest.raises(ValueError):
            StructuredRidge("labelsets").fit_blocks([(X, Y), block])


@pytest.mark.parametrize("form", [lambda frame: frame, *FORMS])
def test_targets_beside_arrays_of_dask_keep_their_names(form):
    da = pytest.importorskip("dask.array")
    chunks = da.from_array(X.to_numpy(), chunks=(15, 3))
    model = StructuredRidge("labelsets").fit(chunks, form(Y))
    assert model.structure_.labels == Y.columns.tolist()
    assert model.score(X.to_numpy(), Y[SWAPPED]) == model.score(X.to_numpy(), Y)
    with pytest.raises(ValueError) as caught:
        StructuredRidge("labelsets").fit(chunks, np.ma.masked_array(Y, np.arange(40)[:, np.newaxis] == [2, 2, 2]))
    assert (caught.value.argument, caught.value.row) == ("y", 2)
