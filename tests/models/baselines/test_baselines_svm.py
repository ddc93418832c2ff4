"""The structured support vector machine against its problem solved with all constraints written out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import LinearSVC

from combpred import CapabilityError, NumericalError
from combpred._lib.errors import RowError
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.structures import (
    Custom,
    DirectedCycles,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    Paths,
    Permutations,
    Subtrees,
    Tournaments,
    WeakOrders,
)
from margin_problems import data, hinge_losses, least_objective, members

SPACES = [Permutations(3), LabelSets(3), Tournaments(2), DirectedCycles(4), WeakOrders(2), Ordinal(3), MultiClass(3)]
TREES = [(Subtrees([-1, 0, 0, 1, 1]), "h-loss"), (Subtrees([-1, 0, 0, 1, 1]), "h-loss-sibling")]
TREES += [(Hierarchy([-1, 0, 0, 1, 1]), "h-loss")]


@pytest.mark.parametrize("solver", ["frank-wolfe", "cutting-plane"])
@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize(("structure", "cost"), [*((each, "auto") for each in SPACES), *TREES])
def test_the_gap_bounds_the_distance_to_the_optimum_over_all_constraints(structure, cost, rescaling, solver):
    X, y = data(structure)
    weights = np.array([1.0, 2.0, 0.5, 0.0, 1.5])
    tol = 3e-3 if solver == "cutting-plane" else 3e-2
    model = StructuredSVM(structure, C=0.7, cost=cost, rescaling=rescaling, solver=solver, tol=tol, random_state=0)
    model.fit(X, y, sample_weight=weights)
    outputs, psi, slack = members(structure), structure.embed(y), rescaling == "slack"
    losses = structure.space.loss(model.cost_).between(psi[:, np.newaxis], outputs[np.newaxis])
    inputs = np.hstack([X, np.ones((5, 1))])
    W = np.vstack([model.coef_.T, model.intercept_])
    objective = 0.5 * np.sum(W**2) + 0.7 * weights @ hinge_losses(W, inputs, psi, outputs, losses, slack)
    least = least_objective(inputs, psi, outputs, losses, 0.7 * weights, slack)
    assert model.exact_
    assert model.objective_ == pytest.approx(objective, rel=1e-9)
    assert -1e-6 * least <= objective - least <= model.dual_gap_ + 1e-6 * least
    assert model.dual_gap_ <= tol * objective
    # The hinge loss bounds the loss of what is predicted.
    predicted = structure.embed(model.predict(X))
    assert weights @ structure.space.loss(model.cost_).between(psi, predicted) * 0.7 <= objective + 1e-9


def test_classes_have_the_objective_of_crammer_and_singer():
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs = LinearSVC(multi_class="crammer_singer", C=0.5, fit_intercept=False, tol=1e-8, max_iter=100_000).fit(X, y)
    ours = StructuredSVM(C=0.5, fit_intercept=False, solver="cutting-plane", tol=1e-4).fit(X, y)

    def objective(W):
        scores = X @ W.T
        wrong = scores + 1.0 - scores[np.arange(len(y)), y][:, np.newaxis]
        wrong[np.arange(len(y)), y] = 0.0
        return 0.5 * np.sum(W**2) + 0.5 * wrong.max(axis=1).sum()

    assert ours.objective_ == pytest.approx(objective(ours.coef_), rel=1e-9)
    assert objective(ours.coef_) == pytest.approx(objective(theirs.coef_), rel=2e-4)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.98
    slack = StructuredSVM(C=0.5, fit_intercept=False, rescaling="slack", solver="cutting-plane", tol=1e-4).fit(X, y)
    assert slack.objective_ == pytest.approx(ours.objective_, rel=2e-4)  # where all losses are 1, they are the same


def test_slack_rescaling_by_decoding_stays_within_its_bound():
    structure = LabelSets(11)  # of 2048 sets, 22528 numbers: too many for a list
    X, y = data(structure, n=10)
    model = StructuredSVM(structure, rescaling="slack", tol=1e-3).fit(X, y)
    psi, outputs = structure.embed(y), members(structure)
    losses = structure.space.loss().between(psi[:, np.newaxis], outputs[np.newaxis])
    W = np.vstack([model.coef_.T, model.intercept_])
    inputs = np.hstack([X, np.ones((10, 1))])
    objective = 0.5 * np.sum(W**2) + hinge_losses(W, inputs, psi, outputs, losses, slack=True).sum()
    assert objective * (1 + 1e-9) >= model.objective_ > 0.8 * objective


def test_a_linear_kernel_is_the_same_given_as_a_matrix():
    X, y = data(Permutations(4), n=15, p=3)
    primal = StructuredSVM("permutations", solver="cutting-plane", tol=1e-5).fit(X, y)
    dual = StructuredSVM("permutations", kernel="precomputed", solver="cutting-plane", tol=1e-5).fit(X @ X.T, y)
    assert dual.objective_ == pytest.approx(primal.objective_, rel=2e-5)
    np.testing.assert_allclose(dual.feature_scores(X @ X.T), primal.feature_scores(X), atol=0.03)
    rbf = StructuredSVM("permutations", kernel="rbf", C=100.0, solver="cutting-plane").fit(X, y)
    assert rbf.score(X, y) == 1.0


def test_candidates_and_searches_are_no_proof():
    X, y = data(DirectedCycles(6), n=20, p=3)
    drawn = StructuredSVM("directedcycles", solver="frank-wolfe", n_candidates=25, random_state=0).fit(X, y)
    again = StructuredSVM("directedcycles", solver="frank-wolfe", n_candidates=25, random_state=0).fit(X, y)
    np.testing.assert_array_equal(drawn.coef_, again.coef_)
    assert not drawn.exact_
    exact = StructuredSVM("directedcycles", random_state=0).fit(X, y)
    assert exact.exact_ and exact.n_oracle_calls_ >= 20 * exact.n_iter_
    searched = StructuredSVM("permutations", decoder="approx", random_state=0).fit(*data(Permutations(6), n=10))
    assert searched.n_iter_ < 1000  # it converges
    assert not searched.exact_


def test_integer_programs_decode_in_training_as_the_recursions_do():
    X, y = data(DirectedCycles(4), n=5)
    options = {"solver": "frank-wolfe", "tol": 0.1, "random_state": 0}
    program = StructuredSVM("directedcycles", decoder="milp", **options).fit(X, y)
    assert program.exact_
    assert program.objective_ == pytest.approx(StructuredSVM("directedcycles", **options).fit(X, y).objective_, rel=0.1)


def test_progress_is_shown_on_request(capsys, limits):
    limits.progress_at_once()
    StructuredSVM("permutations", verbose=1).fit(*data(Permutations(4), n=30))
    assert "StructuredSVM" in capsys.readouterr().err


def test_sequences_learn_their_transitions():
    rng = np.random.default_rng(0)
    labels = np.array([[(start + t) % 3 for t in range(4)] for start in rng.integers(3, size=30)])
    X = np.eye(3)[labels[:, 0]] + 0.1 * rng.normal(size=(30, 3))
    y = Paths.from_labels(labels, 3)
    model = StructuredSVM(Paths.trellis(4, 3), C=10.0, solver="cutting-plane").fit(X, y)
    np.testing.assert_array_equal(Paths.to_labels(model.predict(X), 3), labels)


def test_spaces_that_only_python_decodes_are_learnt():
    sets = Custom(
        log_count=3 * np.log(2), mean=[0.5] * 3, second_moment=np.full((3, 3), 0.25) + np.eye(3) / 4,
        embed=np.asarray, decode=lambda scores: (scores > 0).astype(int),
    )  # fmt: skip
    X, y = data(LabelSets(3), n=6)
    model = StructuredSVM(sets, cost="hamming", tol=0.05, random_state=0).fit(X, y)
    same = StructuredSVM(LabelSets(3), tol=0.05, random_state=0).fit(X, y)
    assert not model.exact_
    assert model.objective_ == pytest.approx(same.objective_, rel=0.05)
    listed = Custom.from_structures(["a", "b", "c"], [[1.0, 0.0], [0.6, 0.5], [0.0, 1.0]])
    far = StructuredSVM(listed, C=10.0, random_state=0).fit(np.array([[0.0], [1.0], [2.0]] * 4), [0, 1, 2] * 4)
    assert far.cost_ == "zero-one" and far.exact_


def test_rankings_known_in_part_are_learnt_with_margins_only():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    y = np.array([[1, 2, 3], [1, -1, 2], [2, -1, 1], [3, 2, 1]])
    model = StructuredSVM("permutations", C=10.0, solver="cutting-plane").fit(X, y)
    np.testing.assert_array_equal(model.predict(X)[[0, 3]], y[[0, 3]])
    for options in ({"rescaling": "slack"}, {"cost": "zero-one"}):
        with pytest.raises(RowError) as caught:
            StructuredSVM("permutations", **options).fit(X, y)
        assert (caught.value.argument, caught.value.row) == ("y", 1)


def test_what_cannot_be_done_is_refused_with_what_can():
    X, y = data(Permutations(4), n=6)
    with pytest.raises(CapabilityError):
        StructuredSVM("permutations", cost="tree").fit(X, y)
    with pytest.raises(CapabilityError, match="has no loss 'h-loss'; it has cost='kendall'"):
        StructuredSVM("permutations", cost="h-loss").fit(X, y)
    with pytest.raises(ValueError):
        StructuredSVM("permutations", n_candidates=5, rescaling="slack").fit(X, y)
    with pytest.raises(CapabilityError):
        StructuredSVM(LabelSets(), cost="zero-one").fit(X, np.ones((6, 30), dtype=int))


@pytest.mark.parametrize("solver", ["frank-wolfe", "cutting-plane"])
def test_inputs_that_overflow_are_refused(solver):
    X, y = data(Permutations(4), n=6)
    X[4] *= 1e200
    with pytest.raises(RowError) as caught:
        StructuredSVM("permutations", solver=solver).fit(X, y)
    assert caught.value.row == 4
    X[4] /= 1e70
    if solver == "cutting-plane":
        with pytest.raises(NumericalError):
            StructuredSVM("permutations", C=1e100).fit(X, y)


@pytest.mark.parametrize("solver", ["frank-wolfe", "cutting-plane"])
def test_embeddings_without_a_loss_are_named(solver):
    moments = {"log_count": 3 * np.log(2), "mean": [0.5] * 3, "second_moment": np.full((3, 3), 0.25) + np.eye(3) / 4}
    X, y = data(LabelSets(3), n=12)
    halves = Custom(embed=np.asarray, decode=lambda scores: np.where(scores > 0, 1, 0.5), **moments)
    with pytest.raises(CapabilityError):
        StructuredSVM(halves, cost="hamming", solver=solver).fit(X, y)
    odd = np.array(y, dtype=float)
    odd[7, 1] = 0.5
    with pytest.raises(RowError) as caught:
        StructuredSVM(halves, cost="hamming", solver=solver).fit(X, odd)
    assert (caught.value.argument, caught.value.row) == ("y", 7)


@pytest.mark.parametrize(
    "learner",
    [
        StructuredSVM(cost="hamming", solver="frank-wolfe", random_state=0),
        StructuredSVM(cost="hamming", solver="cutting-plane"),
        StructuredSVM(cost="hamming", solver="cutting-plane", rescaling="slack"),
        StructuredPerceptron(random_state=0),
    ],
    ids=["frank-wolfe", "cutting-plane", "slack", "perceptron"],
)
@pytest.mark.parametrize("bad", [4, 7])
def test_outputs_that_are_none_are_named_by_the_rows_of_the_user(learner, bad):
    large = 1e3 if isinstance(learner, StructuredPerceptron) else 1.0  # whose weights have no penalty

    def decode(scores):
        found = (scores > 0).astype(float)
        return found[:2] if np.abs(scores).max() > 6.0 * large else found

    moments = {"log_count": 3 * np.log(2), "mean": [0.5] * 3, "second_moment": np.full((3, 3), 0.25) + np.eye(3) / 4}
    X, y = data(LabelSets(3), n=12)
    X[bad], y[bad] = [50.0 * large, 80.0 * large], 0  # the only row that can have such scores; no mistake without any
    learner.set_params(structure=Custom(embed=np.asarray, decode=decode, **moments))
    with pytest.raises(RowError) as caught:
        learner.fit(X, y)
    assert caught.value.row == bad


def test_inputs_in_large_units_are_learnt():
    X, y = data(Permutations(4), n=20, p=3)
    model = StructuredSVM("permutations", tol=0.02, max_iter=400).fit(1e5 * X, y)
    assert model.dual_gap_ <= 0.02 * model.objective_ < 2.0
