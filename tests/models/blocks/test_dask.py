"""Training and prediction on dask collections, in this process and on a cluster of processes."""

from __future__ import annotations

import os

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

from distributed import Client  # noqa: E402

from dask_data import FEATURES, LABELS, ROWS, chunked, rankings, two_workers, weights  # noqa: E402


@pytest.fixture(scope="module")
def data():
    return rankings()


@pytest.fixture(scope="module")
def cluster():
    with two_workers() as workers:
        yield workers


# ---- Blocks ----------------------------------------------------------------------------------------------------------


def test_sparse_targets_and_a_weight_for_all_rows(data):
    X, y = data
    dX, _ = chunked(data)
    labels = (y <= 2).astype(int)
    expected = StructuredRidge(solver="closed-form").fit(X, labels, sample_weight=2.0)
    for kind in (sparse.csr_matrix, sparse.coo_array):
        model = StructuredRidge(LabelSets(LABELS)).fit(dX, kind(labels), sample_weight=2.0)
        np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-8)
        assert model.score(dX, kind(labels)) == pytest.approx(expected.score(X, labels))
    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations").fit(*chunked(data), sample_weight=-1)
    assert (caught.value.block, caught.value.row) == (0, 0)
    with pytest.raises(ValueError):
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
    with pytest.raises(TypeError):
        embedding.transform(frame)


def test_statistics_of_one_part_refuse_the_collection(data):
    X, y = chunked(data)
    for arguments in ((X, y), (data[0], y), (dd.from_pandas(pd.DataFrame(data[0]), npartitions=2), data[1])):
        with pytest.raises(TypeError):
            BlockStatistics.of(Permutations(LABELS), *arguments)


# ---- Training --------------------------------------------------------------------------------------------------------


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
    with pytest.raises(ValueError) as caught:
        model.fit(da.from_array(bad, chunks=(90, 4)), da.from_array(y, chunks=(90, LABELS)))
    assert (caught.value.block, caught.value.row) == (2, 25)
    assert model.coef_ is before
    with pytest.raises(ValueError):
        StructuredRidge(Permutations(), kernel="rbf").fit(*chunked(data))
    with pytest.raises(ValueError):
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
    with pytest.raises(ValueError):
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
    with pytest.raises(ValueError):
        NystromMap(20, kernel="precomputed").fit(dX)


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
