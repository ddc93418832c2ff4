"""Inputs and targets whose rows are not in memory, and the names of columns in what is said of them."""

from __future__ import annotations

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge

from combpred import EmbeddingRegressor, ProbabilisticStructured, StructuredRidge, StructuredSGD, StructuredVoting
from combpred.aggregation import borda
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.kernels import NystromMap
from combpred.metrics import kendall_tau
from combpred.ranking import LabelRankingSVM, NearestNeighborsLabelRanker, OnlineLabelRanker

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(40, 3)), columns=["age", "income", "height"])
Y = pd.DataFrame((-(X @ RNG.normal(size=(3, 3)))).to_numpy().argsort(1).argsort(1) + 1, columns=["tea", "milk", "cola"])
SETS = (Y == 1).astype(int)
IN_MEMORY = [
    (LabelRankingSVM(random_state=0), Y),
    (NearestNeighborsLabelRanker(), Y),
    (OnlineLabelRanker(random_state=0), Y),
    (StructuredSVM("labelsets"), SETS),
    (StructuredPerceptron("labelsets", random_state=0), SETS),
    (EmbeddingRegressor(Ridge(), "labelsets"), SETS),
    (StructuredVoting([("a", StructuredRidge("labelsets")), ("b", ProbabilisticStructured("labelsets"))]), SETS),
]


def without(row, column):
    spoilt = X.copy()
    spoilt.loc[row, column] = np.nan
    return spoilt


@pytest.mark.parametrize(("model", "y"), IN_MEMORY, ids=lambda value: type(value).__name__)
def test_frames_of_dask_are_read_with_their_names(model, y):
    lazily = clone(model).fit(dd.from_pandas(X, npartitions=3), dd.from_pandas(y, npartitions=2))
    expected = clone(model).fit(X, y)
    assert lazily.feature_names_in_.tolist() == X.columns.tolist()
    np.testing.assert_array_equal(lazily.predict(X), expected.predict(X))
    np.testing.assert_array_equal(np.asarray(expected.predict(dd.from_pandas(X, npartitions=3))), expected.predict(X))
    swapped = dd.from_pandas(X[["height", "age", "income"]], npartitions=3)
    with pytest.raises(ValueError):
        np.asarray(expected.predict(swapped))


@pytest.mark.parametrize(
    "model", [StructuredRidge("permutations"), StructuredSGD("permutations"), LabelRankingSVM(), IN_MEMORY[-2][0]]
)
@pytest.mark.filterwarnings("error")  # polars warns where columns are asked for
def test_rows_that_are_not_read_yet_are_refused_with_the_call_that_reads_them(model):
    y, lazy = (SETS if isinstance(model, EmbeddingRegressor) else Y), pl.from_pandas(X).lazy()
    with pytest.raises(ValueError):
        model.fit(lazy, y)
    with pytest.raises(ValueError):
        model.fit(X, pl.from_pandas(y).lazy())
    with pytest.raises(ValueError):
        model.fit(X, (row for row in y.to_numpy()))
    with pytest.raises(ValueError):
        model.fit((row for row in X.to_numpy()), y)
    model.fit(X, y)
    with pytest.raises(ValueError):
        model.predict(lazy)
    with pytest.raises(ValueError):
        model.score(X, pl.from_pandas(y).lazy())


def test_so_they_are_by_maps_metrics_and_aggregation():
    lazy = pl.from_pandas(Y).lazy()
    for call in (
        lambda: NystromMap().fit(lazy),
        lambda: kendall_tau(lazy, Y),
        lambda: borda(lazy),
        lambda: StructuredSGD("permutations").partial_fit(X, lazy),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize(
    "model",
    [
        StructuredRidge("permutations"),
        StructuredRidge("permutations", kernel="rbf"),
        StructuredRidge("permutations", kernel=lambda a, b: a @ b.T),
        StructuredSGD("permutations"),
        ProbabilisticStructured("permutations"),
        StructuredSVM("permutations"),
        LabelRankingSVM(),
        NearestNeighborsLabelRanker(),
    ],
)
def test_missing_values_are_named_by_their_column(model):
    with pytest.raises(ValueError) as caught:
        model.fit(without(17, "income"), Y)
    assert caught.value.row == 17
    with pytest.raises(ValueError) as caught:
        model.fit(X, Y).predict(without(17, "income"))
    assert caught.value.row == 17
    with pytest.raises(ValueError, match=r"row 17: .*NaN in column 1:"):
        model.fit(without(17, "income").to_numpy(), Y)
    with pytest.raises(ValueError):
        model.fit(X[[]], Y)


def test_missing_values_of_blocks_are_named_by_their_column():
    spoilt = dd.from_pandas(without(17, "income"), npartitions=4)
    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations").fit(spoilt, dd.from_pandas(Y, npartitions=4))
    assert (caught.value.block, caught.value.row) == (1, 7)
    with pytest.raises(ValueError) as caught:
        NystromMap().fit(without(17, "income"))
    assert caught.value.row == 17
