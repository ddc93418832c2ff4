"""Partitions of dask collections as blocks of rows, and rows drawn from all of them."""

from __future__ import annotations

import operator
import os
import signal
import threading
import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from combpred import StructuredRidge
from combpred.structures import Permutations

pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

from distributed import Client  # noqa: E402

from combpred._data.dask import DaskBlocks, sampled_rows  # noqa: E402
from dask_data import ROWS, chunked, rankings, two_workers, weights  # noqa: E402


@pytest.fixture(scope="module")
def data():
    return rankings()


def column_sums(block, factor):
    return factor * np.asarray(block.X).sum(axis=0)


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
    with pytest.raises(ValueError):
        DaskBlocks(none, none.b).first()
    with pytest.raises(ValueError):
        DaskBlocks(none, none.b).reduce(column_sums, 1.0, merge=operator.add)


def test_targets_in_memory_are_cut_as_the_inputs(data):
    X, y = data
    blocks = DaskBlocks(da.from_array(X, chunks=(100, 4)), y.tolist(), np.ones(ROWS))
    np.testing.assert_array_equal(blocks.first().y, y[:100])
    np.testing.assert_array_equal(blocks.first().weights, np.ones(100))


def test_rows_that_do_not_go_together_are_refused(data):
    X, y = data
    dX, _ = chunked(data)
    with pytest.raises(ValueError):
        DaskBlocks(dX, y[1:])
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=4)
    with pytest.raises(ValueError):
        DaskBlocks(frame, da.from_array(y, chunks=(90, 5)))
    with pytest.raises(ValueError):
        DaskBlocks(frame, y)
    with pytest.raises(ValueError):
        DaskBlocks(dX[:, 0], y).first()
    labels = sparse.csr_array((y <= 2).astype(int))
    with pytest.raises(ValueError):
        DaskBlocks(dX, labels[1:])
    with pytest.raises(ValueError):
        DaskBlocks(dX[dX[:, 0] > 0], labels)


def test_rows_are_drawn_uniformly_from_all_partitions():
    """Of 50 rows in uneven partitions, 10 a draw, 400 draws: each row is drawn 80 times, ± 8 of standard deviation.

    The range is five of these: with 50 rows a false alarm comes once in 30 000 seeds.
    """
    X = da.from_array(np.arange(50.0)[:, None], chunks=((3, 40, 7), 1))
    drawn = np.concatenate([sampled_rows(X, 10, seed)[:, 0] for seed in range(400)])
    counts = np.bincount(drawn.astype(int), minlength=50)
    assert counts.sum() == 4000
    assert np.abs(counts - 80).max() < 40


def test_a_worker_killed_in_mid_fit_does_not_lose_the_fit(data, monkeypatch, no_hang):
    model = StructuredRidge(Permutations(), loss="auc", alpha=0.5, solver="primal", tol=1e-12)
    passes = []
    reduce = DaskBlocks.reduce

    def with_a_death(self, *arguments, **options):
        passes.append(1)
        if len(passes) == 4:
            killer = threading.Timer(0.02, os.kill, (victim, signal.SIGKILL))
            killer.start()
            found = reduce(self, *arguments, **options)
            killer.join()
            return found
        return reduce(self, *arguments, **options)

    monkeypatch.setattr(DaskBlocks, "reduce", with_a_death)
    with two_workers() as cluster, Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))
        model.fit(*chunked(data, rows=60))
        assert len(passes) > 5
        while victim in client.run(os.getpid).values():  # until the cluster has seen that it is dead
            time.sleep(0.1)
    monkeypatch.undo()
    np.testing.assert_allclose(weights(model), weights(clone(model).fit(*data)), rtol=0, atol=1e-10)
