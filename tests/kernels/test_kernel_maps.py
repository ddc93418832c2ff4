"""Low-dimensional maps of kernels: against exact matrices, enumerated spectra, and one another."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from combpred import StructuredRidge
from combpred.datasets import make_label_ranking
from combpred.kernels import IndefiniteNystromMap, NystromMap, RandomProjectionMap
from kernel_maps import MAPS, difference, inputs

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly", "gamma": 0.3, "degree": 2, "coef0": 0.5},
    {"kernel": "rbf", "gamma": 0.2},
    {"kernel": "laplacian", "gamma": 0.2},
    {"kernel": "cosine"},
]


def indefinite(n=40, rank=6, seed=1):
    """Return a symmetric matrix of low rank with eigenvalues of both signs."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(n, rank))
    return (factor * np.where(np.arange(rank) % 2, -1.0, 1.0)) @ factor.T


@pytest.mark.parametrize("options", KERNELS, ids=lambda options: options["kernel"])
def test_all_rows_as_landmarks_reproduce_the_kernel(options):
    X, new = inputs(), inputs(9, seed=2)
    for embedding in (
        NystromMap(60, **options),
        RandomProjectionMap(None, n_landmarks=60, **options),
        IndefiniteNystromMap(60, **options),
    ):
        z = embedding.fit_transform(X)
        np.testing.assert_allclose(z @ z.T, pairwise_kernels(X, metric=options["kernel"], filter_params=True, **{
            key: value for key, value in options.items() if key != "kernel"}), atol=1e-9)  # fmt: skip
        # Outside the landmarks it is the projection on their span: equal in the products with landmarks.
        exact = embedding.kernel_.matrix(new, X)
        np.testing.assert_allclose(embedding.transform(new) @ z.T, exact, atol=1e-6)


@pytest.mark.parametrize("landmarks", ["random", "k-means++"])
def test_products_are_those_of_the_extension_formula(landmarks):
    """Second route: K_nL A⁺ K_Lm, from a pseudo-inverse."""
    X, new = inputs(), inputs(11, seed=3)
    embedding = NystromMap(12, gamma=0.1, landmarks=landmarks, random_state=0).fit(X)
    np.testing.assert_array_equal(embedding.components_, X[embedding.component_indices_])
    left, right = (pairwise_kernels(rows, embedding.components_, metric="rbf", gamma=0.1) for rows in (X, new))
    among = pairwise_kernels(embedding.components_, metric="rbf", gamma=0.1)
    expected = left @ np.linalg.pinv(among, rcond=1e-14, hermitian=True) @ right.T
    np.testing.assert_allclose(embedding.transform(X) @ embedding.transform(new).T, expected, atol=1e-9)
    assert embedding.eigenvalues_ == pytest.approx(np.linalg.eigvalsh(among)[::-1])
    assert (np.diff(embedding.component_indices_) > 0).all()


@pytest.mark.parametrize("options", KERNELS, ids=lambda options: options["kernel"])
def test_fewer_features_than_landmarks_are_those_of_the_leading_eigenvectors(options):
    """Against the eigendecomposition: K_nL A_q⁺ K_Lm for the best approximation A_q of rank q of A."""
    X, new, q = inputs(), inputs(11, seed=3), 3
    embedding = NystromMap(q, n_landmarks=20, random_state=0, **options).fit(X)
    assert embedding.components_.shape == (20, 4) and embedding.normalization_.shape == (20, q)
    assert embedding.transform(new).shape == (11, q) == (11, len(embedding.get_feature_names_out()))
    among, left, right = (embedding.kernel_.matrix(rows, embedding.components_) for rows in (
        embedding.components_, X, new))  # fmt: skip
    values, vectors = np.linalg.eigh(among)
    inverse = (vectors[:, -q:] / values[-q:]) @ vectors[:, -q:].T
    products = embedding.transform(X) @ embedding.transform(new).T
    np.testing.assert_allclose(products, left @ inverse @ right.T, atol=1e-9)
    assert embedding.eigenvalues_ == pytest.approx(values[::-1][:q])
    # On the landmarks no matrix of that rank is nearer.
    z = embedding.transform(embedding.components_)
    assert np.linalg.norm(among - z @ z.T) == pytest.approx(np.linalg.norm(values[:-q]), abs=1e-9)


def test_as_many_features_as_landmarks_are_those_without_the_parameter():
    X = inputs()
    plain, given = (NystromMap(12, n_landmarks=k, random_state=0).fit(X) for k in (None, 12))
    np.testing.assert_array_equal(plain.normalization_, given.normalization_)
    np.testing.assert_array_equal(plain.transform(X), given.transform(X))
    # Leading ones of the same landmarks are their first columns, and more of them approximate no worse.
    errors = []
    for q in (1, 4, 8, 12):
        fewer = NystromMap(q, n_landmarks=12, random_state=0).fit(X)
        np.testing.assert_allclose(fewer.transform(X), plain.transform(X)[:, :q], atol=1e-12)
        errors.append(fewer.approximation_error(X[plain.component_indices_]).relative_frobenius)
    assert errors == sorted(errors, reverse=True) and errors[0] > 0.1 and errors[-1] < 1e-12
    # The rank limits both.
    assert NystromMap(10, n_landmarks=20, kernel="linear", random_state=0).fit_transform(X).shape == (60, 4)


def test_products_are_those_of_scikit_learn():
    X = inputs()
    theirs = Nystroem(gamma=0.1, n_components=60, random_state=0).fit_transform(X)
    ours = NystromMap(60, gamma=0.1).fit_transform(X)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-8)


@pytest.mark.parametrize("Map", [NystromMap, IndefiniteNystromMap])
def test_reconstruction_is_exact_from_as_many_landmarks_as_the_rank(Map):
    X = inputs(50, 4)
    embedding = Map(10, kernel="linear", random_state=0).fit(X)  # of rank 4
    assert embedding.transform(X).shape == (50, 4)
    error = embedding.approximation_error(X)
    assert error.exact and error.n_rows == 50
    assert error.relative_frobenius < 1e-12 and error.largest < 1e-11


def test_the_error_is_that_of_the_whole_matrix_or_of_a_sample(limits):
    X = inputs(40)
    embedding = NystromMap(8, gamma=0.1, random_state=0).fit(X)
    K, z = pairwise_kernels(X, metric="rbf", gamma=0.1), embedding.transform(X)
    limits.block_entries(90)  # two rows at a time
    error = embedding.approximation_error(X)
    assert error.relative_frobenius == pytest.approx(np.linalg.norm(K - z @ z.T) / np.linalg.norm(K))
    assert error.largest == pytest.approx(np.abs(K - z @ z.T).max())
    sampled = embedding.approximation_error(X, n_samples=10, random_state=0)
    assert not sampled.exact and sampled.n_rows == 10 and 0 < sampled.largest <= error.largest
    assert sampled == embedding.approximation_error(X, n_samples=10, random_state=0)
    given = NystromMap(8, kernel="precomputed", random_state=0).fit(K)
    assert given.approximation_error(K).largest == pytest.approx(error.largest)
    assert given.approximation_error(K, n_samples=10, random_state=0).largest == pytest.approx(sampled.largest)
    with pytest.raises(ValueError):
        given.approximation_error(K[:3])
    # The sample is not that of the landmarks, whose products are exact, though seed and size are the same.
    assert embedding.approximation_error(X, n_samples=8, random_state=0).relative_frobenius > 1e-6
    with pytest.raises(ValueError):
        embedding.approximation_error(X, n_samples=0)


@pytest.mark.parametrize("Map", [NystromMap, RandomProjectionMap, IndefiniteNystromMap])
def test_the_error_falls_as_landmarks_are_added(Map):
    X = inputs(200)
    option = "n_landmarks" if Map is RandomProjectionMap else "n_components"
    changes = {"n_components": None} if Map is RandomProjectionMap else {}
    errors = [
        Map(**{**changes, option: k}, gamma=0.1, random_state=0).fit(X).approximation_error(X).relative_frobenius
        for k in (5, 20, 80, 200)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-9


def test_landmarks_spread_by_k_means_are_better_on_clusters():
    rng = np.random.default_rng(0)
    sizes = [300, 5, 5, 5, 5, 5, 5]  # random landmarks miss the small ones
    X = np.concatenate([10 * i + rng.normal(size=(size, 3)) for i, size in enumerate(sizes)])
    random, spread = (
        NystromMap(14, gamma=0.05, landmarks=landmarks, random_state=0).fit(X).approximation_error(X).largest
        for landmarks in ("random", "k-means++")
    )
    assert spread < random
    repeated = NystromMap(5, landmarks="k-means++", random_state=0).fit(np.repeat(X[::110], 20, axis=0))
    assert len(repeated.component_indices_) == len(set(repeated.component_indices_.tolist())) <= 5


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_indefinite_spectrum_is_that_of_the_whole_matrix(form):
    """Oracle: numpy.linalg.eigh of all similarities, when every row is a landmark."""
    K = indefinite(rank=40)
    values = np.linalg.eigh(K)[0]
    values = values[np.argsort(-np.abs(values))]
    embedding = IndefiniteNystromMap(40, kernel="precomputed").fit(form(K))
    np.testing.assert_allclose(embedding.eigenvalues_, values, atol=1e-9)
    assert set(embedding.signs_) == {-1.0, 1.0}
    z = embedding.transform(form(K))
    np.testing.assert_allclose((z * embedding.signs_) @ z.T, K, atol=1e-9)
    np.testing.assert_allclose(z.T @ z, np.diag(np.abs(values)), atol=1e-8)  # eigenvectors are orthogonal
    positive = IndefiniteNystromMap(40, parts="positive", kernel="precomputed").fit(form(K))
    np.testing.assert_allclose(positive.eigenvalues_, values[values > 0], atol=1e-9)
    nearest = np.linalg.eigh(K)
    part = (nearest[1] * np.maximum(nearest[0], 0)) @ nearest[1].T
    z = positive.transform(form(K))
    np.testing.assert_allclose(z @ z.T, part, atol=1e-9)


def test_indefinite_approximation_is_that_of_the_extension_formula(limits):
    """Second route: K_nL A⁺ K_Ln by a pseudo-inverse, and its eigenvalues; with R put together from many blocks."""
    K = indefinite(60, rank=30)
    limits.block_entries(40)  # three rows at a time
    embedding = IndefiniteNystromMap(12, kernel="precomputed", random_state=0).fit(K)
    at = embedding.component_indices_
    expected = K[:, at] @ np.linalg.inv(K[np.ix_(at, at)]) @ K[at]
    z = embedding.transform(K)
    np.testing.assert_allclose((z * embedding.signs_) @ z.T, expected, atol=1e-8 * np.abs(expected).max())
    found = np.linalg.eigvalsh(expected)
    found = found[np.argsort(-np.abs(found))][:12]
    np.testing.assert_allclose(embedding.eigenvalues_, found, rtol=1e-7)
    np.testing.assert_allclose(z.T @ z, np.diag(np.abs(found)), atol=1e-7 * np.abs(found).max())
    exact = IndefiniteNystromMap(30, kernel="precomputed", random_state=0).fit(K)  # as many as the rank
    assert exact.approximation_error(K).relative_frobenius < 1e-7


def test_indefinite_embedding_of_new_rows_continues_that_of_training_rows():
    X, new = inputs(), inputs(7, seed=5)
    embedding = IndefiniteNystromMap(20, kernel=difference, random_state=0)
    z = embedding.fit_transform(X)
    np.testing.assert_allclose(embedding.transform(X), z, rtol=1e-12)
    assert (embedding.signs_ < 0).any() and (embedding.signs_ > 0).any()
    # A row's products with the landmarks are its similarities to them, of training rows and of new ones.
    landmarks = embedding.transform(embedding.components_)
    for rows in (X, new):
        expected = [[difference(a, b) for b in embedding.components_] for a in rows]
        np.testing.assert_allclose((embedding.transform(rows) * embedding.signs_) @ landmarks.T, expected, atol=1e-8)


def test_johnson_lindenstrauss_distances():
    """1225 pairs, each off by more than a share ε with probability at most 2 exp(−q(ε²/2 − ε³/3)/2) = 2e-9 at q = 500
    and ε = .5: false alarms in less than one of 10^5 seeds."""
    X = inputs(600, 20)
    for projection in ("gaussian", "sign"):
        options = {"n_landmarks": 600, "gamma": 0.2, "random_state": 0}
        whole = RandomProjectionMap(None, **options).fit_transform(X)[:50]
        z = RandomProjectionMap(500, projection=projection, **options).fit_transform(X)[:50]
        assert z.shape == (50, 500)
        i, j = np.triu_indices(50, 1)
        before, after = (((rows[i] - rows[j]) ** 2).sum(axis=1) for rows in (whole, z))
        assert 1e-3 < np.abs(after / before - 1).max() < 0.5  # it is a projection


def test_random_projections_are_unbiased():
    """The mean of 60 products, of standard error at most √(2/q/60), is off by 6 of them in one of 10^6 seeds at most:
    900 entries, whose products of normal variables have heavier tails than a normal one."""
    X = inputs(30)
    K = pairwise_kernels(X, metric="rbf", gamma=0.2)
    for projection in ("gaussian", "sign"):
        total = np.zeros((30, 30))
        for seed in range(60):
            options = {"n_landmarks": 30, "gamma": 0.2, "projection": projection, "random_state": seed}
            z = RandomProjectionMap(10, **options).fit_transform(X)
            total += z @ z.T
        assert np.abs(total / 60 - K).max() < 6 * np.sqrt(2 / 10 / 60)


def test_plain_kernel_values_are_features_too():
    X = inputs()
    embedding = RandomProjectionMap(None, n_landmarks=16, whiten=False, gamma=0.1, random_state=0).fit(X)
    expected = pairwise_kernels(X, embedding.components_, metric="rbf", gamma=0.1) / 4
    np.testing.assert_allclose(embedding.transform(X), expected)


@pytest.mark.parametrize("Map", MAPS)
def test_sparse_inputs_blocks_and_single_precision_change_nothing(Map, limits):
    X = inputs()
    X[X < 0] = 0
    options = {"gamma": "scale", "random_state": 0}
    expected = Map(15, **options).fit_transform(X)
    np.testing.assert_allclose(Map(15, **options).fit_transform(sparse.csr_matrix(X)), expected, atol=1e-9)
    single = Map(15, **options).fit_transform(X.astype(np.float32))
    assert single.dtype == np.float32 and expected.dtype == np.float64
    left = expected[:, :1] @ expected[:, :1].T
    np.testing.assert_allclose(single[:, :1] @ single[:, :1].T, left, atol=1e-4)
    limits.block_entries(40)
    np.testing.assert_allclose(Map(15, **options).fit_transform(X), expected, atol=1e-9)


@pytest.mark.parametrize("Map", [NystromMap, IndefiniteNystromMap])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_precomputed_kernels_give_what_the_kernel_gives(Map, form):
    X, new = inputs(), inputs(5, seed=1)
    K, K_new = (pairwise_kernels(rows, X, metric="rbf", gamma=0.1) for rows in (X, new))
    given = Map(10, kernel="precomputed", random_state=0).fit(form(K))
    named = Map(10, gamma=0.1, random_state=0).fit(X)
    np.testing.assert_array_equal(given.component_indices_, named.component_indices_)
    np.testing.assert_allclose(given.transform(form(K_new)), named.transform(new), atol=1e-9)
    assert not hasattr(given, "components_")
    assert given.__sklearn_tags__().input_tags.pairwise


def test_adjacency_of_a_graph():
    """The complete bipartite graph has the spectrum ±√(ab), 0: two landmarks, one of each side, tell all of it."""
    a, b = 5, 8
    graph = np.zeros((a + b, a + b))
    graph[:a, a:] = graph[a:, :a] = 1
    embedding = IndefiniteNystromMap(6, kernel="precomputed", random_state=0).fit(sparse.csr_array(graph))
    assert set(embedding.component_indices_ < a) == {False, True}
    np.testing.assert_allclose(embedding.eigenvalues_ * embedding.signs_, np.sqrt(a * b))
    assert embedding.approximation_error(sparse.csr_array(graph)).largest < 1e-12
    with pytest.raises(ValueError):
        IndefiniteNystromMap(1, kernel="precomputed").fit(graph)
    with pytest.raises(ValueError):
        IndefiniteNystromMap(3, kernel="precomputed", parts="positive").fit(-np.eye(3))


@pytest.mark.parametrize("Map", MAPS)
def test_constant_inputs_have_one_feature(Map):
    z = Map(5, kernel="linear", random_state=0)
    if Map is IndefiniteNystromMap:
        with pytest.raises(ValueError):
            z.fit(np.zeros((6, 2)))
        return
    assert z.fit_transform(np.zeros((6, 2))).tolist() == [[0.0]] * 6
    assert z.approximation_error(np.zeros((6, 2))).relative_frobenius == 0.0


@pytest.mark.parametrize("Map", MAPS)
def test_clones_pickles_frames_and_names(Map):
    X = pd.DataFrame(inputs(), columns=list("abcd"))
    embedding = clone(Map(8, gamma=0.1, random_state=0)).set_output(transform="pandas").fit(X)
    frame = embedding.transform(X)
    assert frame.columns.tolist() == embedding.get_feature_names_out().tolist() == [
        f"{Map.__name__.lower()}{i}" for i in range(8)
    ]  # fmt: skip
    assert embedding.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(embedding)).transform(X), frame)
    np.testing.assert_array_equal(clone(embedding).fit_transform(X), frame)


class TestWithRidge:
    """Pipelines with StructuredRidge: the scalable kernel method."""

    X, y = make_label_ranking(300, noise=0.3, random_state=0)

    @pytest.mark.parametrize("loss", ["auc", "squared"])
    def test_approaches_the_exact_kernel_and_reaches_it(self, loss):
        exact = StructuredRidge("permutations", kernel="rbf", gamma=0.1, alpha=0.1, loss=loss)
        expected = exact.fit(self.X[:200], self.y[:200]).feature_scores(self.X[200:])
        gaps = []
        for k in (10, 50, 150, 200):
            ranker = StructuredRidge("permutations", alpha=0.1, loss=loss)
            model = make_pipeline(NystromMap(k, gamma=0.1, random_state=0), ranker).fit(self.X[:200], self.y[:200])
            found = model[-1].feature_scores(model[:-1].transform(self.X[200:]))
            gaps.append(np.abs(found - expected).max() / np.abs(expected).max())
        assert gaps == sorted(gaps, reverse=True)
        assert gaps[0] > 0.1 and gaps[-1] < 1e-6
        assert ranker.objective_ == pytest.approx(exact.objective_, rel=1e-6)

    def test_is_searched_over_a_grid(self):
        model = make_pipeline(NystromMap(random_state=0), StructuredRidge("permutations", alpha=0.1))
        grid = {"nystrommap__n_components": [5, 60], "nystrommap__gamma": [0.01, "scale"]}
        search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(self.X, self.y)
        assert search.best_params_["nystrommap__n_components"] == 60
        model.set_output(transform="pandas").fit(self.X, self.y)
        assert model[-1].feature_names_in_[0] == "nystrommap0"
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(self.X), model.predict(self.X))

    def test_similarities_that_are_no_kernel_can_be_learnt_from(self):
        model = make_pipeline(
            IndefiniteNystromMap(100, kernel=difference, random_state=0), StructuredRidge("permutations", alpha=0.1)
        )
        assert model.fit(self.X[:200], self.y[:200]).score(self.X[200:], self.y[200:]) > 0.5


@pytest.mark.parametrize("name", [Map.__name__ for Map in MAPS])
def test_check_estimator_passes_with_nothing_skipped(name, passes_check_estimator):
    passes_check_estimator(f"kernels.{name}()", 40)
