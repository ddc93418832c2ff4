"""Training and prediction on dask collections, in this process and on a cluster of processes."""

from __future__ import annotations

import operator

import numpy as np
import pytest

pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

from distributed import LocalCluster  # noqa: E402

from combpred._dask_blocks import DaskBlocks  # noqa: E402

ROWS, FEATURES, LABELS = 600, 4, 5


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, FEATURES))
    scores = X @ rng.normal(size=(FEATURES, LABELS)) + 0.5 * rng.normal(size=(ROWS, LABELS))
    return X, scores.argsort(axis=1).argsort(axis=1) + 1


@pytest.fixture(scope="module")
def cluster():
    """Workers in processes of their own, which a nanny starts anew when they die."""
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(n_workers=2, **options) as workers:
        yield workers


def chunked(data, rows=90):
    X, y = data
    return da.from_array(X, chunks=(rows, 3)), da.from_array(y, chunks=(rows, LABELS))


def column_sums(block, factor):
    return factor * np.asarray(block.X).sum(axis=0)


# ---- Blocks ----------------------------------------------------------------------------------------------------------


def test_partitions_are_blocks(data):
    X, y = data
    blocks = DaskBlocks(*chunked(data))
    assert len(blocks) == 7
    np.testing.assert_array_equal(blocks.first().X, X[:90])
    done = []
    found = blocks.reduce(column_sums, 2.0, merge=operator.add, advance=lambda: done.append(1))
    np.testing.assert_allclose(found, 2 * X.sum(axis=0), rtol=1e-12)
    assert len(done) == 7


def test_results_of_many_partitions_are_merged_in_a_tree(data):
    X, _ = data
    blocks = DaskBlocks(*chunked(data, rows=7))
    assert len(blocks) == 86
    np.testing.assert_allclose(blocks.reduce(column_sums, 1.0, merge=operator.add), X.sum(axis=0), rtol=1e-12)


def test_empty_partitions_are_skipped(data):
    X, _ = data
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=50)
    some = frame[frame.a > 1.5]
    kept = X[X[:, 0] > 1.5]
    blocks = DaskBlocks(some, some.b)
    np.testing.assert_allclose(blocks.first().X.iloc[0], kept[0])
    np.testing.assert_allclose(blocks.reduce(column_sums, 1.0, merge=operator.add), kept.sum(axis=0), rtol=1e-12)
    none = frame[frame.a > 100]
    with pytest.raises(ValueError, match="X has no rows"):
        DaskBlocks(none, none.b).first()
    with pytest.raises(ValueError, match="X has no rows"):
        DaskBlocks(none, none.b).reduce(column_sums, 1.0, merge=operator.add)


def test_targets_in_memory_are_cut_as_the_inputs(data):
    X, y = data
    blocks = DaskBlocks(da.from_array(X, chunks=(100, 4)), y.tolist(), np.ones(ROWS))
    np.testing.assert_array_equal(blocks.first().y, y[:100])
    np.testing.assert_array_equal(blocks.first().weights, np.ones(100))


def test_rows_that_do_not_go_together_are_refused(data):
    X, y = data
    dX, _ = chunked(data)
    with pytest.raises(ValueError, match="X has 600 rows and y 599; they must agree row by row"):
        DaskBlocks(dX, y[1:])
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=4)
    with pytest.raises(ValueError, match="X has 4 partitions and y 7: give collections with the same partitions"):
        DaskBlocks(frame, da.from_array(y, chunks=(90, 5)))
    with pytest.raises(ValueError, match="unknown lengths"):
        DaskBlocks(frame, y)
    with pytest.raises(ValueError, match="X has 1 dimensions"):
        DaskBlocks(dX[:, 0], y)
