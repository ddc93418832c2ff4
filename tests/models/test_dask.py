"""Training and prediction on dask collections, in this process and on a cluster of processes."""

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
from sklearn.pipeline import make_pipeline

from combpred import BlockStatistics, ProbabilisticStructured, StructuredRidge
from combpred.kernels import NystromMap
from combpred.structures import LabelSets, Permutations

pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

from distributed import Client, LocalCluster  # noqa: E402

from combpred._data.dask import DaskBlocks, sampled_rows  # noqa: E402

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


def test_sparse_targets_and_a_weight_for_all_rows(data):
    X, y = data
    dX, _ = chunked(data)
    labels = (y <= 2).astype(int)
    expected = StructuredRidge(solver="closed-form").fit(X, labels, sample_weight=2.0)
    for kind in (sparse.csr_matrix, sparse.coo_array):
        model = StructuredRidge(LabelSets(LABELS)).fit(dX, kind(labels), sample_weight=2.0)
        np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-8)
        assert model.score(dX, kind(labels)) == pytest.approx(expected.score(X, labels))
    with pytest.raises(ValueError, match="X has 600 rows and y 599"):
        DaskBlocks(dX, sparse.csr_array(labels[1:]))
    with pytest.raises(ValueError, match="y is a csr_array, .*unknown lengths"):
        DaskBlocks(dX[dX[:, 0] > 0], sparse.csr_array(labels))
    with pytest.raises(ValueError, match="sample_weight is -1.0"):
        StructuredRidge("permutations").fit(*chunked(data), sample_weight=-1)
    with pytest.raises(ValueError, match="y is None: give one structure for each row"):
        StructuredRidge("permutations").fit(dX, None)


def test_partitions_of_sparse_rows(data):
    X, y = data
    rows = sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    dX = da.from_array(rows.toarray(), chunks=(250, FEATURES)).map_blocks(sparse.csr_array)
    dy = da.from_array(y, chunks=(250, LABELS))
    model = StructuredRidge("permutations").fit(dX, dy)
    expected = StructuredRidge("permutations", solver="primal").fit(rows, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-10)
    np.testing.assert_array_equal(model.predict(dX).compute(), expected.predict(rows))
    assert model.score(dX, dy) == pytest.approx(expected.score(rows, y))
    embedding = NystromMap(5, random_state=0).fit(dX)
    np.testing.assert_allclose(embedding.transform(dX).compute(), embedding.transform(rows), atol=1e-12)


def test_tables_are_refused_by_what_to_set(data):
    frame = dd.from_pandas(pd.DataFrame(data[0], columns=list("abcd")), npartitions=2)
    embedding = NystromMap(5, random_state=0).set_output(transform="pandas").fit(frame)
    with pytest.raises(TypeError, match="transform gives DataFrame.*set_output.transform='default'"):
        embedding.transform(frame)


def test_statistics_of_one_part_refuse_the_collection(data):
    X, y = chunked(data)
    for arguments in ((X, y), (data[0], y), (dd.from_pandas(pd.DataFrame(data[0]), npartitions=2), data[1])):
        with pytest.raises(TypeError, match=r"one part of the data.*dask.delayed.*solver='primal'"):
            BlockStatistics.of(Permutations(LABELS), *arguments)


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


# ---- Training --------------------------------------------------------------------------------------------------------


def weights(model):
    return np.column_stack([model.coef_, model.intercept_])


ESTIMATORS = {
    "auc": StructuredRidge(Permutations(), alpha=0.5, solver="primal", tol=1e-12),
    "squared": StructuredRidge(Permutations(), alpha=0.5, loss="squared", solver="primal"),
    "likelihood": ProbabilisticStructured(Permutations(), alpha=0.5, tol=1e-8),
}
#: Of weights after training on all rows and on blocks, which both reach the minimum to `tol`, by other ways for L-BFGS.
DISTANCES = {"auc": 1e-10, "squared": 1e-10, "likelihood": 1e-7}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_training_on_partitions_is_that_on_all_rows(data, name):
    X, y = data
    w = np.random.default_rng(1).uniform(size=ROWS)
    whole = clone(ESTIMATORS[name]).fit(X, y, sample_weight=w)
    model = clone(ESTIMATORS[name]).fit(*chunked(data), sample_weight=w)
    assert model.objective_ == pytest.approx(whole.objective_, rel=1e-12)
    np.testing.assert_allclose(weights(model), weights(whole), rtol=0, atol=DISTANCES[name])
    in_blocks = clone(ESTIMATORS[name]).fit_blocks(
        [(X[lo : lo + 90], y[lo : lo + 90], w[lo : lo + 90]) for lo in range(0, ROWS, 90)]
    )
    np.testing.assert_allclose(weights(model), weights(in_blocks), rtol=0, atol=DISTANCES[name])


@pytest.mark.parametrize("kind", [StructuredRidge, ProbabilisticStructured])
def test_classes_of_all_partitions_are_gathered(kind):
    X = np.arange(30.0)[:, None] / 30
    labels = np.repeat(["a", "b", "c"], 10)
    model = kind(alpha=0.01).fit(da.from_array(X, chunks=(10, 1)), da.from_array(labels, chunks=10))
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict(X), kind(alpha=0.01).fit(X, labels).predict(X))


def test_data_frames_keep_their_names(data):
    X, y = data
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=5)
    ranks = dd.from_pandas(pd.DataFrame(y), npartitions=5)
    model = StructuredRidge(Permutations(), alpha=0.5).fit(frame, ranks)
    assert model.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_allclose(weights(model), weights(StructuredRidge(Permutations(), alpha=0.5).fit(X, y)), atol=1e-6)


def test_what_is_wrong_is_named_by_partition_and_row(data):
    X, y = data
    bad = X.copy()
    bad[205, 2] = np.nan
    model = StructuredRidge(Permutations(), solver="primal").fit(X, y)
    before = model.coef_
    with pytest.raises(ValueError, match=r"block 2: .*row 25, column 2"):
        model.fit(da.from_array(bad, chunks=(90, 4)), da.from_array(y, chunks=(90, LABELS)))
    assert model.coef_ is before
    with pytest.raises(ValueError, match="needs kernel='linear', got kernel='rbf'"):
        StructuredRidge(Permutations(), kernel="rbf").fit(*chunked(data))
    with pytest.raises(ValueError, match="call partial_fit on one block after another"):
        ProbabilisticStructured(Permutations(), solver="sgd").fit(*chunked(data))


# ---- Prediction ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["predict", "feature_scores", "predict_marginals", "entropy"])
def test_predictions_are_lazy_and_those_of_the_rows(data, method):
    X, y = data
    model = ProbabilisticStructured(Permutations(), alpha=0.5).fit(X, y)
    dX, dy = chunked(data)
    found = getattr(model, method)(dX)
    assert isinstance(found, da.Array)
    assert found.chunks[0] == dX.chunks[0]
    expected = getattr(model, method)(X)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.compute(), expected, atol=1e-12)
    assert model.score(dX, dy) == pytest.approx(model.score(X, y), rel=1e-12)
    assert model.score_log_loss(dX, dy) == pytest.approx(model.score_log_loss(X, y), rel=1e-12)


def test_emptied_partitions_predict_nothing():
    frame = pd.DataFrame({"a": np.arange(40.0), "b": 1.0})
    labels = np.where(frame.a > 20, "high", "low")
    model = StructuredRidge(alpha=0.1).fit(frame, labels)
    some = dd.from_pandas(frame, npartitions=8)
    found = model.predict(some[some.a > 30])
    assert found.compute().tolist() == model.predict(frame[frame.a > 30]).tolist()


def test_constraints_of_single_rows_are_refused(data):
    model = StructuredRidge(Permutations(), alpha=0.5).fit(*data)
    dX, _ = chunked(data)
    with pytest.raises(ValueError, match="constraints has one entry for each row"):
        model.predict(dX, constraints=[{"first": 0}] * ROWS)
    assert (model.predict(dX, constraints={"first": 0}).compute()[:, 0] == 1).all()


def test_nystrom_features_of_partitions(data):
    X, y = data
    dX, dy = chunked(data)
    model = make_pipeline(NystromMap(60, gamma=0.1, random_state=0), StructuredRidge(Permutations(), alpha=0.1))
    model.fit(dX, dy)
    ridge, features = model[-1], model[0].transform(X)
    assert isinstance(model[0].transform(dX), da.Array)
    np.testing.assert_allclose(model[0].transform(dX).compute(), features, atol=1e-12)
    assert (model[0].components_[:, None] == X).all(axis=2).any(axis=1).all()  # landmarks are rows
    np.testing.assert_allclose(weights(ridge), weights(clone(ridge).fit(features, y)), atol=1e-6)
    np.testing.assert_array_equal(model.predict(dX).compute(), model.predict(X))
    assert model.score(dX, dy) == pytest.approx(model.score(X, y), rel=1e-12)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=5)
    assert NystromMap(20, random_state=0).fit(frame).feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="not 'precomputed'"):
        NystromMap(20, kernel="precomputed").fit(dX)


def test_rows_are_drawn_uniformly_from_all_partitions():
    """Of 50 rows in uneven partitions, 10 a draw, 400 draws: each row is drawn 80 times, ± 8 of standard deviation.

    The range is five of these: with 50 rows a false alarm comes once in 30 000 seeds.
    """
    X = da.from_array(np.arange(50.0)[:, None], chunks=((3, 40, 7), 1))
    drawn = np.concatenate([sampled_rows(X, 10, seed)[:, 0] for seed in range(400)])
    counts = np.bincount(drawn.astype(int), minlength=50)
    assert counts.sum() == 4000
    assert np.abs(counts - 80).max() < 40


# ---- On a cluster ----------------------------------------------------------------------------------------------------


def test_training_on_workers_is_that_on_one_machine(cluster, data):
    # The sums are merged in one order everywhere: the same iterates, converged or not.
    models = {name: clone(model).set_params(tol=1e-3) for name, model in ESTIMATORS.items()}
    collections = chunked(data, rows=150)
    in_one = {name: clone(model).fit(*collections) for name, model in models.items()}
    for workers, names in ((2, list(models)), (4, ["auc"])):
        cluster.scale(workers)
        with Client(cluster) as client:
            client.wait_for_workers(workers)
            for name in names:
                model = clone(models[name]).fit(*collections)
                np.testing.assert_allclose(weights(model), weights(in_one[name]), rtol=0, atol=1e-10)
            assert len(client.run(os.getpid)) == workers
    cluster.scale(2)


def test_a_worker_killed_in_mid_fit_does_not_lose_the_fit(cluster, data, monkeypatch, no_hang):
    model = clone(ESTIMATORS["auc"])
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
    with Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))
        model.fit(*chunked(data, rows=60))
        assert len(passes) > 5
        while victim in client.run(os.getpid).values():  # until the cluster has seen that it is dead
            time.sleep(0.1)
    monkeypatch.undo()
    np.testing.assert_allclose(weights(model), weights(clone(ESTIMATORS["auc"]).fit(*data)), rtol=0, atol=1e-10)
