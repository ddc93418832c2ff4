"""What every label ranker does, as a citizen of scikit-learn and with each format of y.

scikit-learn's own `check_estimator` trains on targets of one dimension, or on matrices of arbitrary numbers, neither of
which are rankings, so that it applies to no ranker; these tests take over what it checks beside.
"""

from __future__ import annotations

import itertools
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.utils
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, check_cv, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import ranking
from combpred.ranking import RankingByPairwiseComparison
from combpred.ranking._base import LabelRanker
from combpred.ranking._preferences import PREFERENCE_FORMATS
from rankers import CASES, FORMATS, Case, small_data


def of_cases(keep=lambda case: True):
    """Run a test on the rankers for which `keep` holds."""
    return pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items() if keep(case)])


def of_cases_and_formats(keep):
    """Run a test on the pairs of a ranker and a format of y for which `keep` holds."""
    return pytest.mark.parametrize(
        ("case", "form"),
        [
            pytest.param(case, form, id=f"{name}-{form}")
            for name, case in CASES.items()
            for form in FORMATS
            if keep(case, form)
        ],
    )


def takes(case: Case, form: str) -> bool:
    return form == "full" or form in case.formats


def fitted(case, form="full", **options):
    X, y = small_data(form)
    return clone(case.ranker).fit(X, y, **options)


def outcome(case, model, X):
    return model.label_scores(X) if case.has_scores else model.predict(X)


def assert_same(case, one, other, X):
    """Two models agree: in their scores up to the solver's tolerance, in predictions where there are no scores."""
    np.testing.assert_allclose(outcome(case, one, X), outcome(case, other, X), rtol=0, atol=case.tolerance)


@of_cases()
def test_learns_and_predicts_positions(case):
    X, y = small_data(n=80)
    model = clone(case.ranker).fit(X[:60], y[:60])
    predicted = model.predict(X[60:])
    assert predicted.dtype == np.int32 and model.n_labels_ == 4 and model.n_features_in_ == 3
    np.testing.assert_array_equal(np.sort(predicted, axis=1), np.tile(np.arange(1, 5), (20, 1)))
    assert model.score(X[60:], y[60:]) > 0.5  # of a fair coin: 0 ± 0.13
    if case.has_scores:
        scores = model.label_scores(X[60:])
        assert scores.shape == (20, 4) and scores.dtype == np.float64
        np.testing.assert_array_equal(predicted, np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1) + 1)
    else:
        assert not hasattr(model, "label_scores")


@of_cases_and_formats(takes)
def test_formats_are_learnt_from(case, form):
    X, y = small_data()
    assert fitted(case, form).score(X, y) > 0.4


class OfFullRankings(RankingByPairwiseComparison):
    """A ranker that takes no other format."""

    def _formats_refused(self):
        return PREFERENCE_FORMATS


@pytest.mark.parametrize(
    ("case", "form"),
    [
        pytest.param(case, form, id=f"{name}-{form}")
        for name, case in [*CASES.items(), ("full only", Case(OfFullRankings(), (), {}))]
        for form in FORMATS
        if not takes(case, form)
    ],
)
def test_other_formats_are_refused(case, form):
    with pytest.raises(ValueError) as caught:
        fitted(case, form)
    assert type(case.ranker).__name__ in str(caught.value) and re.search(r"y, row \d+: ", str(caught.value))


@of_cases()
def test_training_leaves_parameters_and_arguments_alone(case):
    X, y = small_data()
    model = clone(case.ranker)
    before, X_before, y_before = str(model.get_params()), X.copy(), y.copy()
    assert model.fit(X, y) is model
    model.predict(X)
    assert str(model.get_params()) == before
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)
    assert not [name for name in vars(clone(model)) if name.endswith("_")]


@of_cases()
def test_the_same_seed_gives_the_same_model(case):
    X, _ = small_data()
    np.testing.assert_array_equal(outcome(case, fitted(case), X), outcome(case, fitted(case), X))


@of_cases()
def test_pickles(case):
    X, _ = small_data()
    model = fitted(case)
    np.testing.assert_array_equal(outcome(case, pickle.loads(pickle.dumps(model)), X), outcome(case, model, X))


@of_cases()
def test_rows_are_predicted_alike_one_by_one(case):
    X, _ = small_data()
    model = fitted(case)
    alone = np.vstack([outcome(case, model, X[i : i + 1]) for i in range(10)])
    np.testing.assert_allclose(alone, outcome(case, model, X)[:10], rtol=0, atol=1e-10)


@of_cases()
def test_not_fitted(case):
    for method in ("predict", "label_scores") if case.has_scores else ("predict",):
        with pytest.raises(NotFittedError):
            getattr(clone(case.ranker), method)([[1.0, 2.0, 3.0]])


@of_cases()
def test_grid_search_in_a_pipeline(case):
    X, y = small_data()
    step = type(case.ranker).__name__.lower()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), case.ranker),
        {f"{step}__{name}": values for name, values in case.grid.items()},
        cv=3,
        error_score="raise",
    ).fit(X, y)
    assert len(search.cv_results_["params"]) == 2
    assert search.best_score_ > 0.4
    assert cross_val_predict(search.best_estimator_, X, y, cv=3).shape == y.shape


@of_cases()
def test_is_no_classifier_so_that_folds_are_not_stratified(case):
    _, y = small_data()
    assert not hasattr(case.ranker, "_estimator_type") or case.ranker._estimator_type is None
    assert isinstance(check_cv(3, y, classifier=False), KFold)
    get_tags = getattr(sklearn.utils, "get_tags", None)
    if get_tags is not None:
        tags = get_tags(case.ranker)
        assert tags.estimator_type is None and tags.target_tags.required and tags.target_tags.multi_output


@of_cases()
def test_data_frames_bring_feature_names(case):
    X, y = small_data()
    frame = pd.DataFrame(X, columns=list("abc"))
    model = clone(case.ranker).fit(frame, pd.DataFrame(y))
    assert model.feature_names_in_.tolist() == list("abc")
    np.testing.assert_array_equal(model.predict(frame), fitted(case).predict(X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(frame)
    with pytest.raises(ValueError):
        model.predict(frame[list("cba")])
    piped = make_pipeline(StandardScaler(), clone(case.ranker)).set_output(transform="pandas").fit(frame, y)
    assert piped[-1].feature_names_in_.tolist() == list("abc")


def in_two_parts(X):
    """Return CSR that stores every entry as the sum of two, in no order."""
    once = sparse.csr_matrix(X)
    indices, data = [], []
    for start, end in itertools.pairwise(once.indptr):
        indices += [*once.indices[start:end], *once.indices[start:end][::-1]]
        data += [*(2 * once.data[start:end]), *(-once.data[start:end][::-1])]
    return sparse.csr_matrix((data, indices, 2 * once.indptr), shape=X.shape)


@of_cases()
@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array, in_two_parts])
def test_sparse_inputs_give_the_same(case, container):
    X, y = small_data()
    X[np.abs(X) < 0.3] = 0.0
    model = clone(case.ranker).fit(container(X), y)
    assert_same(case, model, clone(case.ranker).fit(X, y), X)
    np.testing.assert_allclose(outcome(case, model, container(X)), outcome(case, model, X), rtol=0, atol=1e-10)


@of_cases()
def test_other_containers_and_number_types_give_the_same(case):
    X, y = small_data()
    X = X.astype(np.float32)
    expected = outcome(case, clone(case.ranker).fit(X.astype(float), y), X)
    for inputs, targets in ((X, y.astype(np.uint8)), (X.tolist(), y.tolist()), (np.asfortranarray(X), y.astype(float))):
        np.testing.assert_array_equal(outcome(case, clone(case.ranker).fit(inputs, targets), inputs), expected)


@of_cases_and_formats(lambda case, form: case.weights == "repeat" and takes(case, form))
def test_weights_count_rows(case, form):
    X, y = small_data(form)
    weights = np.random.default_rng(1).integers(0, 3, size=60)
    weighted = clone(case.ranker).fit(X, y, sample_weight=weights)
    assert_same(case, weighted, clone(case.ranker).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights, axis=0)), X)


@of_cases(lambda case: case.weights != "none")
def test_rows_of_weight_zero_are_left_out(case):
    X, y = small_data()
    weights = (np.arange(60) % 3 > 0).astype(float)
    weighted = clone(case.ranker).fit(X, y, sample_weight=weights)
    assert_same(case, weighted, clone(case.ranker).fit(X[weights > 0], y[weights > 0]), X)
    assert_same(case, fitted(case, sample_weight=1.0), fitted(case), X)


@of_cases()
@pytest.mark.parametrize(
    ("change", "row"),
    [
        (lambda X, y: (X, y[:-1]), None),
        (lambda X, y: (np.where(np.arange(60)[:, None] == 7, np.nan, X), y), 7),
        (lambda X, y: (X, np.where(np.arange(60)[:, None] == 7, 0, y)), 7),
        (lambda X, y: (X, None), None),
        (lambda X, y: (X[:0], y[:0]), None),
        (lambda X, y: (X[0], y), None),
    ],
)
def test_bad_input_is_named_and_the_earlier_model_kept(case, change, row):
    X, y = small_data()
    model = fitted(case)
    before = outcome(case, model, X)
    with pytest.raises(ValueError) as caught:
        model.fit(*change(X, y))
    assert getattr(caught.value, "row", None) == row
    np.testing.assert_array_equal(outcome(case, model, X), before)


@of_cases(lambda case: case.weights != "none")
@pytest.mark.parametrize(
    ("weights", "row"),
    [
        (-np.ones(60), 0),
        (np.zeros(60), None),
        (np.ones(59), None),
    ],
)
def test_bad_weights_are_named_and_the_earlier_model_kept(case, weights, row):
    X, y = small_data()
    model = fitted(case)
    before = outcome(case, model, X)
    with pytest.raises(ValueError) as caught:
        model.fit(X, y, sample_weight=weights)
    assert getattr(caught.value, "row", None) == row
    np.testing.assert_array_equal(outcome(case, model, X), before)


@of_cases(lambda case: "incomplete" in case.formats)
def test_rows_that_say_nothing_cannot_be_learnt_from(case):
    X, y = small_data()
    with pytest.raises(ValueError):
        clone(case.ranker).fit(X, np.where(np.arange(4) == 0, y, -1))


@of_cases()
def test_predictions_check_their_inputs(case):
    X, _ = small_data()
    model = fitted(case)
    X[5, 1] = np.inf
    with pytest.raises(ValueError) as caught:
        model.predict(X)
    assert caught.value.row == 5
    with pytest.raises(ValueError):
        model.predict(X[:, :2])


@of_cases()
def test_refit_forgets_the_earlier_size(case):
    X, y = small_data(k=3)
    model = fitted(case).fit(X[:, :2], y)
    assert model.n_labels_ == 3 and model.n_features_in_ == 2 and model.predict(X[:, :2]).shape == (60, 3)
    assert not hasattr(model.fit(X, y), "feature_names_in_")


@of_cases()
def test_notebooks_display(case):
    name = type(case.ranker).__name__
    assert name in case.ranker._repr_html_() and name in fitted(case)._repr_html_()


def test_every_ranker_is_in_the_battery():
    tested = {type(case.ranker).__name__ for case in CASES.values()}
    assert {
        n for n in ranking.__all__ if isinstance(g := getattr(ranking, n), type) and issubclass(g, LabelRanker)
    } == tested
    assert all(set(case.ranker._formats_refused()) == set(FORMATS[1:]) - set(case.formats) for case in CASES.values())


@pytest.mark.parametrize("cls", [ranking.LabelRankingSVM, ranking.DirectRankingSVM])
def test_keyword_arguments_are_for_kernels_that_are_functions(cls):
    X, y = small_data("full")
    with pytest.raises(ValueError):
        cls(kernel="rbf", kernel_params={"power": 2}).fit(X, y)
    power = cls(kernel=lambda a, b, power: float(np.dot(a, b) ** power), kernel_params={"power": 2}, tol=1e-8)
    quadratic = cls(kernel="poly", degree=2, gamma=1.0, coef0=0.0, tol=1e-8)
    np.testing.assert_allclose(power.fit(X, y).label_scores(X), quadratic.fit(X, y).label_scores(X), atol=1e-2)


def test_rows_are_counted_as_the_user_does():
    """In training beside rows of weight 0, and in predictions that take several blocks."""
    X, y = small_data()
    X[2] *= 1e200
    weights = np.where(np.arange(60) < 2, 0.0, 1.0)
    model = ranking.LabelRankingSVM(kernel="poly", random_state=0)
    with pytest.raises(ValueError) as caught:
        model.fit(X, y, weights)
    assert caught.value.row == 2
    X, y = small_data(n=300)
    model.fit(X, y)
    many = np.tile(X, (40, 1))
    many[11_000] *= 1e200
    with pytest.raises(ValueError) as caught:
        model.label_scores(many)
    assert caught.value.row == 11_000
