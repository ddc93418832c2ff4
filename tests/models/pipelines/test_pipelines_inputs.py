"""Pipelines that prepare inputs of all kinds, each against a second way to the same numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.impute import SimpleImputer
from sklearn.model_selection import (
    cross_val_score,
)
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
)

from combpred import (
    ProbabilisticStructured,
    StructuredRidge,
)
from combpred.datasets import load_iris_hierarchy
from combpred.kernels import NystromMap
from combpred.metrics import kendall_tau
from data_frames import imported_pyarrow

same = np.testing.assert_array_equal


# Preparing inputs.


def test_scaling_is_that_of_its_own_rows(iris):
    X, y = iris
    pipe = make_pipeline(StandardScaler(), StructuredRidge("permutations", alpha=0.1)).fit(X[:40], y[:40])
    scaler = StandardScaler().fit(X[:40])
    alone = StructuredRidge("permutations", alpha=0.1).fit(scaler.transform(X[:40]), y[:40])
    same(pipe.predict(X[40:]), alone.predict(scaler.transform(X[40:])))
    assert pipe.score(X[40:], y[40:]) == kendall_tau(y[40:], pipe.predict(X[40:]))


def test_columns_of_all_kinds_are_prepared_by_name(people, prepared):
    X, y = people
    pipe = make_pipeline(prepared(), StructuredRidge("labelsets")).fit(X, y)
    shuffled = X[["plan", "income", "city", "age"]]
    same(pipe.predict(shuffled), pipe.predict(X))
    assert pipe.score(X, y) > 0.85
    unknown = X.assign(city="Cork")
    city = pipe[0].transform(unknown)[:, 2:5]
    assert city.sum() == 0 and pipe[0].transform(X)[:, 2:5].sum() == 90
    assert len(pipe.predict(unknown)) == 90


def test_selectors_of_types_take_numbers_and_categories(people):
    X, y = people
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    chosen = ColumnTransformer(
        [
            ("numbers", numbers, make_column_selector(dtype_include="number")),
            ("rest", OrdinalEncoder(), make_column_selector(dtype_exclude="number")),
        ]
    )
    pipe = Pipeline([("prepare", chosen), ("predict", StructuredRidge("labelsets", kernel="rbf"))]).fit(X, y)
    same(pipe.predict(X), pipe["predict"].predict(pipe["prepare"].transform(X)))


def test_frames_between_steps_keep_the_names_of_features(people, prepared):
    X, y = people
    dense = prepared().set_params(sparse_threshold=0, onehotencoder__sparse_output=False)
    pipe = make_pipeline(dense, StructuredRidge("labelsets")).set_output(transform="pandas")
    pipe.fit(X, y)
    names = list(pipe[-1].feature_names_in_)
    assert "onehotencoder__city_Ely" in names and len(names) == 7
    plain = make_pipeline(prepared(), StructuredRidge("labelsets")).fit(X, y)
    same(pipe.predict(X), plain.predict(X))


def test_features_of_several_kinds_are_put_side_by_side(iris):
    X, y = iris
    union = FeatureUnion([("pca", PCA(2)), ("pairs", PolynomialFeatures(2, include_bias=False))])
    pipe = make_pipeline(StandardScaler(), union, StructuredRidge("permutations", alpha=1.0)).fit(X, y)
    assert pipe[-1].n_features_in_ == 2 + 14
    scaled = pipe[0].transform(X)
    by_hand = np.hstack([PCA(2).fit_transform(scaled), PolynomialFeatures(2, include_bias=False).fit_transform(scaled)])
    same(pipe.predict(X), StructuredRidge("permutations", alpha=1.0).fit(by_hand, y).predict(by_hand))


def test_splines_make_a_linear_model_bend(iris):
    X, y = iris
    straight = make_pipeline(StandardScaler(), StructuredRidge("permutations"))
    bent = make_pipeline(StandardScaler(), SplineTransformer(5), StructuredRidge("permutations"))
    assert cross_val_score(bent, X, y, cv=3).mean() > cross_val_score(straight, X, y, cv=3).mean()


def test_features_are_selected_by_what_they_say_of_classes():
    X, y = load_iris_hierarchy(return_X_y=True, as_frame=True)
    tree = load_iris_hierarchy().structure
    pipe = make_pipeline(SelectKBest(f_classif, k=2), StructuredRidge(tree, kernel="rbf")).fit(X, y)
    assert list(pipe[0].get_feature_names_out()) == ["petal length (cm)", "petal width (cm)"]
    assert pipe.score(X, y) > 0.9


def test_own_functions_are_steps(iris):
    X, y = iris
    ratios = FunctionTransformer(lambda frame: frame.assign(ratio=frame.iloc[:, 2] / frame.iloc[:, 3]))
    pipe = make_pipeline(ratios, VarianceThreshold(), StructuredRidge("permutations")).fit(X, y)
    by_hand = np.column_stack([X, X.iloc[:, 2] / X.iloc[:, 3]])
    same(pipe.predict(X), StructuredRidge("permutations").fit(by_hand, y).predict(by_hand))


def test_texts_become_sparse_rows():
    texts = [
        "cheap pills now",
        "meeting at noon",
        "lunch at noon",
        "cheap watches",
        "pills and watches",
        "team lunch",
    ] * 5
    topics = [["spam", "health"], ["work"], ["work", "food"], ["spam"], ["spam", "health"], ["work", "food"]] * 5
    pipe = make_pipeline(TfidfVectorizer(), StructuredRidge("labelsets", alpha=0.1)).fit(texts, topics)
    assert sparse.issparse(pipe[:-1].transform(texts))
    pipe[-1].set_output(predict="names")
    assert pipe.predict(["cheap pills", "team meeting"]).tolist() == [["health", "spam"], ["work"]]
    reduced = make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=0), StructuredRidge("labelsets", alpha=0.1))
    assert reduced.fit(texts, topics).score(texts, topics) > 0.9


def test_kernels_are_approximated_in_a_step(iris):
    X, y = iris
    pipe = make_pipeline(StandardScaler(), NystromMap(30, random_state=0), StructuredRidge("permutations", alpha=0.1))
    whole = make_pipeline(StandardScaler(), StructuredRidge("permutations", kernel="rbf", gamma="scale", alpha=0.1))
    assert np.mean(pipe.fit(X, y).predict(X) == whole.fit(X, y).predict(X)) > 0.95


# Tables of other libraries.


@pytest.mark.parametrize("name", ["polars", "pyarrow"])
def test_tables_of_other_libraries_are_those_of_pandas(iris, name):
    table = pytest.importorskip(name, exc_type=ImportError, reason="its releases need a later NumPy")
    library = table.from_pandas if name == "polars" else table.Table.from_pandas
    X, y = iris
    expected = StructuredRidge("permutations").fit(X, y)
    model = StructuredRidge("permutations").fit(library(X), library(y))
    same(model.predict(library(X)), expected.predict(X))
    assert model.score(library(X), library(y)) == expected.score(X, y)
    with pytest.raises(ValueError):
        model.score(library(X), library(y.rename(columns={"setosa": "rosa"})))


def test_sparse_frames_are_sparse_matrices(people):
    X, y = people
    encoded = OneHotEncoder().fit_transform(X[["city", "plan"]])
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(encoded), columns=[f"f{i}" for i in range(5)])
    model, expected = StructuredRidge("labelsets").fit(frame, y), StructuredRidge("labelsets").fit(encoded, y)
    same(model.predict(frame), np.asarray(expected.predict(encoded.toarray())))
    assert model.score(frame, y) == expected.score(encoded, y)
    assert ProbabilisticStructured("labelsets").fit(frame, y).predict_proba(frame[:5]).shape == (5, 3)


def test_nullable_numbers_are_numbers(iris):
    X, y = iris
    nullable = X.convert_dtypes().astype({X.columns[0]: "Float64"})
    same(StructuredRidge("permutations").fit(nullable, y.astype("Int64")).predict(nullable),
         StructuredRidge("permutations").fit(X, y).predict(X))  # fmt: skip


# Strings in X.


def arrow(X):
    return imported_pyarrow().Table.from_pandas(X, preserve_index=False)


def arrow_dates(X):
    return X.astype({"since": pd.ArrowDtype(imported_pyarrow().date32())})


OTHER = {
    "polars": pl.from_pandas, "arrow": arrow,
    "object": lambda X: X.astype({"since": object}), "periods": lambda X: X.assign(since=X["since"].dt.to_period("D")),
    "arrow in pandas": arrow_dates,
    "array": lambda X: X.astype(object).to_numpy(), "lists": lambda X: X.astype(object).to_numpy().tolist(),
    "times alone": lambda X: X[["since"]].to_numpy(),
}  # fmt: skip
