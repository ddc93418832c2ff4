"""ReliabilityDisplay and the expected calibration error, against sums by hand, scikit-learn and SciPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from combpred import CapabilityError, ProbabilisticStructured, structures
from combpred.datasets import load_diabetes_ranking
from combpred.metrics import expected_calibration_error
from combpred.metrics.calibration import calibration_bins, wilson_interval
from combpred.plotting import MarginalsDisplay, ReliabilityDisplay

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    yield
    plt.close("all")


def predictions(n: int = 500) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    p = rng.beta(0.7, 1.3, n)
    return (rng.random(n) < p**1.5).astype(int), p


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n_bins", [1, 4, 10, 60])
def test_bins_are_those_of_scikit_learn(strategy: str, n_bins: int) -> None:
    happened, p = predictions()
    bins = calibration_bins(happened, p, n_bins=n_bins, strategy=strategy)
    true, predicted = calibration_curve(happened, p, n_bins=n_bins, strategy=strategy)
    filled = bins.counts > 0
    np.testing.assert_allclose(bins.prob_true[filled], true)
    np.testing.assert_allclose(bins.prob_pred[filled], predicted)
    assert np.isnan(bins.prob_true[~filled]).all()
    assert bins.counts.sum() == len(p) and len(bins.edges) == len(bins.counts) + 1
    inside = [((p >= low) & (p < high)).sum() for low, high in zip(bins.edges[:-1], bins.edges[1:], strict=True)]
    inside[-1] += (p == bins.edges[-1]).sum()
    assert bins.counts.tolist() == inside


def test_ends_and_equal_probabilities_belong_to_a_bin() -> None:
    for strategy in ("uniform", "quantile"):
        assert calibration_bins([0, 1, 1], [0.0, 1.0, 0.5], n_bins=2, strategy=strategy).counts.tolist() == [1, 2]
    constant = calibration_bins([0, 1, 1, 0], np.full(4, 0.3), n_bins=5, strategy="quantile")
    assert constant.counts.tolist() == [4] and constant.prob_true.tolist() == [0.5]


def test_error_by_hand_and_at_its_ends() -> None:
    # Bins [0, ½) and [½, 1]: |⅓ − 0.2|·3/5 + |½ − 0.75|·2/5.
    y, p = [0, 1, 0, 0, 1], [0.1, 0.2, 0.3, 0.6, 0.9]
    assert expected_calibration_error(y, p, n_bins=2) == pytest.approx(abs(1 / 3 - 0.2) * 0.6 + 0.25 * 0.4)
    assert expected_calibration_error(np.reshape(y[:4], (2, 2)), np.reshape(p[:4], (2, 2))) == pytest.approx(
        expected_calibration_error(y[:4], p[:4])
    )
    assert expected_calibration_error([True, False], [1.0, 0.0]) == 0.0
    assert expected_calibration_error([True, False], [0.0, 1.0]) == 1.0


def test_error_of_true_probabilities_falls_with_the_rows() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(40000)
    happened = rng.random(len(p)) < p
    # Ten bins of n/10: the distance in each is about √(p(1−p)·10/n)·√(2/π) on average, at most 0.4·√(10/n) = 0.0063;
    # twice that is exceeded with a probability far below 1e-6.
    assert expected_calibration_error(happened, p) < 0.0127 < expected_calibration_error(happened, p**2)


@pytest.mark.parametrize(
    ("y", "p", "row"),
    [
        ([0, 1], [0.5], None),
        ([], [], None),
        ([0, 2], [0.5, 0.5], 1),
        ([[0, 1]], [[0.5, 1.5]], 0),
        ([0, 1], [0.5, np.nan], 1),
        (["a", "b"], [0.5, 0.5], None),
    ],
)
def test_bad_predictions_are_named(y: Any, p: Any, row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        expected_calibration_error(y, p)
    assert getattr(caught.value, "row", None) == row
    with pytest.raises(ValueError) as caught:
        ReliabilityDisplay.from_predictions(y, p)
    assert getattr(caught.value, "row", None) == row
    assert plt.get_fignums() == []


def test_bad_parameters_are_named() -> None:
    with pytest.raises(ValueError):
        expected_calibration_error([0], [0.5], strategy="equal")
    with pytest.raises(ValueError):
        expected_calibration_error([0], [0.5], n_bins=0)
    with pytest.raises(TypeError):
        expected_calibration_error([0], [0.5], n_bins=2.5)  # type: ignore[arg-type]
    for confidence in (0.0, 1.0, 95):
        with pytest.raises(ValueError):
            ReliabilityDisplay([0.0], [0.5], [1], [0.0, 1.0]).plot(confidence=confidence)
    with pytest.raises(ValueError):
        ReliabilityDisplay([0.0, 1.0], [0.5], [1, 2], [0.0, 0.5, 1.0])
    with pytest.raises(AttributeError):
        ReliabilityDisplay([0.0], [0.5], [1], [0.0, 1.0]).plot(ax=[1, 2])


def test_data_drawn_are_the_data_given() -> None:
    display = ReliabilityDisplay([0.0, np.nan, 0.75], [0.1, np.nan, 0.8], [5, 0, 8], [0, 0.25, 0.5, 1], name="Gibbs")
    assert display.plot(markersize=7, c="red") is display
    np.testing.assert_array_equal(display.line_.get_xydata(), [[0.1, 0.0], [0.8, 0.75]])
    assert display.line_.get_markersize() == 7 and display.line_.get_color() == "red"
    (bars,) = display.errorbar_.lines[2]
    low, high = wilson_interval(np.array([0.0, 0.75]), np.array([5, 8]), 0.95)
    drawn = np.array([[end[1] for end in segment] for segment in bars.get_segments()])
    np.testing.assert_allclose(drawn, np.column_stack([low, high]), atol=1e-12)
    values, edges, _ = display.bars_.get_data()
    assert values.tolist() == [5, 0, 8] and edges.tolist() == [0, 0.25, 0.5, 1]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["calibrated", f"Gibbs: ECE {(5 * 0.1 + 8 * 0.05) / 13:.3f}"]
    assert display.expected_calibration_error == pytest.approx((5 * 0.1 + 8 * 0.05) / 13)


def test_axes_given_are_drawn_into() -> None:
    y, p = predictions()
    figure, ax = plt.subplots()
    alone = ReliabilityDisplay.from_predictions(y, p, ax=ax, confidence=None)
    assert alone.ax_ is ax and alone.counts_ax_ is None and alone.bars_ is None and alone.errorbar_ is None
    assert ax.get_xlabel() == "predicted probability" and plt.get_fignums() == [figure.number]
    first = ReliabilityDisplay.from_predictions(y, p, name="a")
    second = ReliabilityDisplay.from_predictions(y, p**2, name="b", ax=(first.ax_, first.counts_ax_))
    assert second.ax_ is first.ax_ and second.counts_ax_ is first.counts_ax_ and second.figure_ is first.figure_
    texts = [text.get_text() for text in first.ax_.get_legend().get_texts()]
    assert [text.split(":")[0] for text in texts] == ["calibrated", "a", "b"]  # one diagonal
    assert len(plt.get_fignums()) == 2


def test_ranking_pairs_are_pooled_or_single() -> None:
    X, y = load_diabetes_ranking(return_X_y=True)
    model = ProbabilisticStructured("permutations").fit(X[:100], y[:100])
    X, y = X[100:], y[100:]
    before = (1 + model.predict_marginals(X)) / 2
    u, v = np.triu_indices(6, 1)
    display = ReliabilityDisplay.from_estimator(model, X, y, n_bins=7)
    expected = calibration_bins(y[:, u] < y[:, v], before, n_bins=7, strategy="uniform")
    np.testing.assert_array_equal(display.prob_true, expected.prob_true)
    np.testing.assert_array_equal(display.counts, expected.counts)
    assert display.name == "ProbabilisticStructured"
    one = ReliabilityDisplay.from_estimator(model, X, y, event="1 before 3", strategy="quantile", name="pair")
    by_hand = ReliabilityDisplay.from_predictions(y[:, 1] < y[:, 3], before[:, 6], strategy="quantile")
    np.testing.assert_array_equal(one.prob_true, by_hand.prob_true)
    assert one.name == "pair"


def test_classes() -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["iris", "other", "third"])[y]
    model = ProbabilisticStructured().fit(X, names)
    proba = model.predict_proba(X)
    display = ReliabilityDisplay.from_estimator(model, X, names)
    expected = calibration_bins(names[:, None] == model.classes_, proba, n_bins=10, strategy="uniform")
    np.testing.assert_array_equal(display.prob_pred, expected.prob_pred)
    one = ReliabilityDisplay.from_estimator(model, X, names, event="third")
    assert one.counts.sum() == 150
    np.testing.assert_allclose(one.expected_calibration_error, expected_calibration_error(y == 2, proba[:, 2]))
    # Of two classes the second tells all; scikit-learn's own estimator is drawn the same way.
    two = names[y < 2]
    for model in (ProbabilisticStructured(), LogisticRegression()):
        model.fit(X[y < 2], two)
        display = ReliabilityDisplay.from_estimator(model, X[y < 2], two)
        second = expected_calibration_error(two == "other", model.predict_proba(X[y < 2])[:, 1])
        assert display.counts.sum() == 100
        assert display.expected_calibration_error == pytest.approx(second)
    assert ReliabilityDisplay.from_estimator(model, X[y < 2], two, event="iris").counts.sum() == 100


def test_label_sets() -> None:
    X, y = make_multilabel_classification(n_samples=120, n_classes=4, random_state=0)
    ours = ProbabilisticStructured(structures.LabelSets(), alpha=0.5).fit(X, y)
    theirs = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    for model in (ours, theirs):
        display = ReliabilityDisplay.from_estimator(model, X, y)
        assert display.counts.sum() == y.size
        assert display.expected_calibration_error == expected_calibration_error(y, model.predict_proba(X))
    one = ReliabilityDisplay.from_estimator(ours, X, y, event="label2")
    assert one.expected_calibration_error == expected_calibration_error(y[:, 2], ours.predict_proba(X)[:, 2])
    assert ReliabilityDisplay.from_estimator(theirs, X, y, event=2).counts.sum() == 120


def test_grades_are_events_beside_those_of_psi() -> None:
    X, y = load_iris(return_X_y=True)
    grades = np.array(["low", "mid", "high"])
    model = ProbabilisticStructured(structures.Ordinal(grades)).fit(X, grades[y])
    by_class = dict(zip(model.classes_, model.predict_proba(X).T, strict=True))
    for i, grade in enumerate(grades):
        one = ReliabilityDisplay.from_estimator(model, X, grades[y], event=grade)
        assert one.expected_calibration_error == expected_calibration_error(y == i, by_class[grade])
    above = ReliabilityDisplay.from_estimator(model, X, grades[y], event=">=mid")
    assert above.expected_calibration_error == expected_calibration_error(y >= 1, model.predict_marginals(X)[:, -2])
    with pytest.raises(ValueError, match="event must be one of >=mid, >=high, high, low, mid"):
        ReliabilityDisplay.from_estimator(model, X, grades[y], event="top")


def test_events_have_the_names_of_columns_in_any_order() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = make_multilabel_classification(n_samples=120, n_classes=3, random_state=0)
    y = pandas.DataFrame(y, columns=["news", "sport", "spam"])
    model = ProbabilisticStructured("labelsets").fit(X, y)
    by_hand = expected_calibration_error(y["sport"], model.predict_proba(X)[:, 1])
    for given in (y, y[["spam", "news", "sport"]]):
        assert ReliabilityDisplay.from_estimator(model, X, given, event="sport").expected_calibration_error == by_hand
    with pytest.raises(ValueError):
        ReliabilityDisplay.from_estimator(model, X, y.rename(columns={"sport": "sports"}), event="sport")
    listed = [[name for name in y.columns if row[name]] for _, row in y.iterrows()]
    named = ProbabilisticStructured(structures.LabelSets(labels=y.columns)).fit(X, listed)
    assert ReliabilityDisplay.from_estimator(named, X, listed, event="sport").expected_calibration_error == by_hand


def test_rankings_are_drawn_by_name() -> None:
    X, y = load_diabetes_ranking(return_X_y=True)
    letters = list("abcdef")
    orders = [[letters[j] for j in np.argsort(row)] for row in y[:100]]
    ranker = ProbabilisticStructured(structures.Permutations(labels=letters))
    converted = ProbabilisticStructured(structures.Permutations(labels=letters)).fit(X[:100], orders)
    drawn = MarginalsDisplay.from_estimator(converted, X[100:101])
    plain = MarginalsDisplay.from_estimator(ranker.fit(X[:100], y[:100]), X[100:101])
    assert drawn.row_labels == tuple(letters)
    np.testing.assert_array_equal(drawn.matrix, plain.matrix)


def test_refusals() -> None:
    X, y = load_iris(return_X_y=True)
    model = ProbabilisticStructured().fit(X, y)
    with pytest.raises(ValueError):
        ReliabilityDisplay.from_estimator(model, X, y, event=3)
    with pytest.raises(NotFittedError):
        ReliabilityDisplay.from_estimator(ProbabilisticStructured(), X, y)
    with pytest.raises(ValueError):
        ReliabilityDisplay.from_estimator(model, X, y[:-1])
    with pytest.raises(AttributeError):
        ReliabilityDisplay.from_estimator(LinearSVC().fit(X, y), X, y)
    logistic = LogisticRegression(max_iter=500).fit(X, y)
    with pytest.raises(ValueError) as caught:
        ReliabilityDisplay.from_estimator(logistic, X, y + 7)
    assert (caught.value.argument, caught.value.row) == ("y", 0)
    sets = np.eye(3, dtype=int)[y]
    with pytest.raises(ValueError):
        ReliabilityDisplay.from_estimator(logistic, X, sets[:, :2])
    with pytest.raises(ValueError):
        ReliabilityDisplay.from_estimator(RandomForestClassifier(5, random_state=0).fit(X, sets), X, sets)
    games = np.sign(np.random.default_rng(0).integers(-1, 2, (150, 3)))
    with pytest.raises(CapabilityError):
        ReliabilityDisplay.from_estimator(ProbabilisticStructured("tournaments").fit(X, games), X, games)
    assert plt.get_fignums() == []
