"""solver="newton": label sets, tournaments, classes and trees against L-BFGS and scikit-learn, and what it refuses."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from combpred import Admissible, CapabilityError, ProbabilisticStructured
from combpred.structures import Hierarchy, LabelSets, MultiClass, Tournaments

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 7))
Y = (X @ RNG.normal(size=(7, 5)) + RNG.normal(size=(90, 5)) > RNG.normal(size=5)).astype(int)
WIDE = sparse.random(60, 300, density=0.05, format="csr", random_state=0, data_rvs=lambda size: RNG.normal(size=size))
WIDE_Y = (WIDE @ RNG.normal(size=(300, 11)) + 0.3 * RNG.normal(size=(60, 11)) > 0.5).astype(int)
WEIGHTS = RNG.choice([0.0, 0.5, 1.0, 2.5], size=90)
TIGHT = {"tol": 1e-9, "max_iter": 5000}


CLASSES = np.where(Y[:, :3].any(axis=1), Y[:, :3].argmax(axis=1), 3)
WIDE_CLASSES = np.where(WIDE_Y.any(axis=1), WIDE_Y.argmax(axis=1), 11)


def fitted(X, y, weights=None, structure="labelsets", **options):
    return ProbabilisticStructured(structure, **TIGHT | options).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize(
    "options",
    [{}, {"fit_intercept": False}, {"alpha": 1e-3}, {"kernel": "rbf", "gamma": 0.2}, {"kernel": "laplacian"}],
    ids=str,
)
@pytest.mark.parametrize(("structure", "y"), [("labelsets", Y), ("multiclass", CLASSES)], ids=["sets", "classes"])
def test_both_solvers_find_the_same(structure, y, options, weights):
    ours, other = (
        fitted(X, y, weights, structure, **{"solver": solver, "tol": tol} | options)
        for solver, tol in (("newton", 1e-9), ("lbfgs", 4e-9))
    )
    np.testing.assert_allclose(ours.feature_scores(X), other.feature_scores(X), rtol=1e-5, atol=1e-6)
    assert ours.objective_ == pytest.approx(other.objective_, rel=1e-12)
    assert (ours.solver_, ours.inference_, ours.n_iter_ < 40) == ("newton", "recursion", True)


PARENTS = {"r": None, "a": "r", "b": "r", "c": "a", "d": "a", "e": "b", "f": "e", "g": "e"}
NODES = np.array(["c", "d", "f", "g"])[CLASSES]


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize(("given", "y"), [(X, NODES), (WIDE, NODES[:60])], ids=["dense", "sparse"])
@pytest.mark.parametrize("allowed", ["leaves", None])
def test_nodes_of_a_tree_are_classes_that_share_weights(allowed, given, y, weights):
    y = y if allowed == "leaves" else np.where(np.arange(len(y)) % 5, y, "b")
    weights = weights if weights is None else weights[: len(y)]
    tree = Hierarchy(PARENTS, allowed=allowed)
    ours, other = (fitted(given, y, weights, tree, solver=s, alpha=0.1) for s in ("auto", "lbfgs"))
    assert (ours.solver_, other.solver_) == ("newton", "lbfgs")
    assert ours.objective_ == pytest.approx(other.objective_, rel=1e-9)
    np.testing.assert_allclose(ours.predict_marginals(given), other.predict_marginals(given), atol=1e-6)


def test_sets_of_nodes_are_rows_of_each():
    tree = Hierarchy(PARENTS)
    sets = [Admissible([node, "e"] if i % 3 == 0 else [node]) for i, node in enumerate(NODES)]
    ours, other = (fitted(X, sets, structure=tree, solver=s, partial="mean") for s in ("newton", "lbfgs"))
    assert ours.objective_ == pytest.approx(other.objective_, rel=1e-9)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-5)


@pytest.mark.parametrize("kind", ["sparse", "dense", "float32"])
def test_wide_features_as_scikit_learn(kind):
    given = {"sparse": WIDE, "dense": WIDE.toarray(), "float32": WIDE.astype(np.float32)}[kind]
    ours = fitted(given, WIDE_Y, alpha=0.1)
    regression = LogisticRegression(C=5.0, fit_intercept=False, solver="liblinear", tol=1e-12, max_iter=10_000)
    whole = given if kind == "dense" else given.toarray().astype(float)
    theirs = OneVsRestClassifier(regression).fit(np.c_[whole, np.ones(60)], WIDE_Y)
    expected = np.vstack([one.coef_ for one in theirs.estimators_])
    np.testing.assert_allclose(np.c_[ours.coef_, ours.intercept_], expected, atol=1e-5)


@pytest.mark.parametrize("kind", ["sparse", "dense", "float32"])
@pytest.mark.parametrize("alpha", [1e-3, 0.1])
def test_classes_of_wide_features_as_scikit_learn(kind, alpha):
    given = {"sparse": WIDE, "dense": WIDE.toarray(), "float32": WIDE.astype(np.float32)}[kind]
    ours = fitted(given, WIDE_CLASSES, structure="multiclass", alpha=alpha)
    whole = given if kind == "dense" else given.toarray().astype(float)
    theirs = LogisticRegression(C=0.5 / alpha, fit_intercept=False, tol=1e-10, max_iter=10_000)
    expected = theirs.fit(np.c_[whole, np.ones(60)], WIDE_CLASSES).coef_
    assert (ours.solver_, hasattr(ours, "dual_coef_")) == ("newton", False)
    np.testing.assert_allclose(np.c_[ours.coef_, ours.intercept_], expected, atol=2e-4)
    np.testing.assert_allclose(ours.coef_.sum(axis=0), 0, atol=1e-12)


def test_tournaments_with_ties_are_as_lbfgs_finds_them():
    y = RNG.integers(-1, 2, size=(90, 4, 4))
    y = (np.triu(y, 1) - np.triu(y, 1).transpose(0, 2, 1) > 0).astype(int)  # who beats whom, neither in a tie
    ours, other = (fitted(X, y, structure=Tournaments(4), solver=solver) for solver in ("auto", "lbfgs"))
    assert (ours.solver_, other.solver_) == ("newton", "lbfgs")
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-6)


def test_sets_of_answers_are_rows_each():
    sets = [[Y[i], 1 - Y[i]] if i % 4 == 0 else [Y[i]] for i in range(90)]
    apart = np.repeat(np.arange(90), [len(one) for one in sets])
    ours = fitted(X, [Admissible(one) for one in sets], partial="mean")
    np.testing.assert_allclose(ours.coef_, fitted(X[apart], np.concatenate(sets)).coef_, atol=1e-7)
    sets = [[CLASSES[i], (CLASSES[i] + 1) % 4] if i % 4 == 0 else [CLASSES[i]] for i in range(90)]
    ours, one = (
        fitted(*given, structure=MultiClass(4), partial="mean")
        for given in ((X, [*map(Admissible, sets)]), (X[apart], np.concatenate(sets)))
    )
    np.testing.assert_allclose(ours.coef_, one.coef_, atol=1e-7)


@pytest.mark.parametrize("features", [X, sparse.csr_array(X)], ids=["dense", "sparse"])
def test_weights_are_repetitions_and_zero_leaves_out(features):
    weights = RNG.integers(0, 3, size=90)
    spoilt = Y.copy()
    spoilt[weights == 0] = 1 - spoilt[weights == 0]
    repeated = np.repeat(np.arange(90), weights)
    expected = fitted(X[repeated], Y[repeated]).coef_
    np.testing.assert_allclose(fitted(features, spoilt, weights).coef_, expected, atol=1e-7)


@pytest.mark.parametrize("features", [WIDE, WIDE.toarray() + 1e-9], ids=["sparse", "dense"])
@pytest.mark.parametrize(
    ("structure", "y"), [("labelsets", WIDE_Y), ("multiclass", WIDE_CLASSES)], ids=["sets", "classes"]
)
def test_the_number_of_threads_does_not_matter(structure, y, features):
    one, two = (fitted(features, y, structure=structure, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert one.objective_ == two.objective_


def test_labels_are_found_apart():
    whole = fitted(WIDE, WIDE_Y)
    for j in (0, 7):
        np.testing.assert_allclose(fitted(WIDE, WIDE_Y[:, [j]]).coef_[0], whole.coef_[j], atol=1e-8)


@pytest.mark.parametrize(("structure", "y"), [("labelsets", Y), ("multiclass", CLASSES)], ids=["sets", "classes"])
def test_warm_start_goes_on(structure, y):
    model = fitted(X, y, structure=structure, warm_start=True)
    coef, cold = model.coef_, model.n_iter_
    assert model.set_params(tol=1e-8).fit(X, y).n_iter_ == 1
    np.testing.assert_allclose(model.coef_, coef, atol=1e-15)
    warm = model.set_params(alpha=1.01, tol=1e-9).fit(X, y)
    assert warm.n_iter_ < cold
    np.testing.assert_allclose(warm.coef_, fitted(X, y, structure=structure, alpha=1.01).coef_, atol=1e-7)


def test_it_says_where_it_stopped_early():
    for structure, y in (("labelsets", Y), ("multiclass", CLASSES)):
        with pytest.warns(ConvergenceWarning):
            assert fitted(X, y, structure=structure, max_iter=1).n_iter_ == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(X, Y, tol=1e-6, max_iter=50)


def test_a_label_that_all_or_no_rows_have():
    y = np.c_[np.zeros(90, dtype=int), np.ones(90, dtype=int), Y[:, 0]]
    ours, other = (fitted(X, y, solver=solver) for solver in ("newton", "lbfgs"))
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.coef_[0], -ours.coef_[1], atol=1e-8)


@pytest.mark.parametrize(
    ("structure", "y"),
    [
        (LabelSets(5, size=2), np.eye(5, dtype=int)[np.arange(90) % 4] + [0, 0, 0, 0, 1]),
        ("permutations", np.argsort(X[:, :4], axis=1) + 1),
    ],
    ids=str,
)
def test_many_outputs_whose_entries_depend_on_each_other_are_refused(structure, y):
    with pytest.raises(CapabilityError):
        fitted(X, y, structure=structure, solver="newton")
    assert fitted(X, y, structure=structure, tol=1e-3).solver_ == "lbfgs"


def test_other_inference_and_blocks_are_refused():
    with pytest.raises(CapabilityError):
        fitted(X, Y, inference="taylor", solver="newton")
    with pytest.raises(ValueError):
        fitted(X, Y, inference="mcmc", solver="newton")
    model = ProbabilisticStructured(LabelSets(5), solver="newton")
    with pytest.raises(ValueError):
        model.fit_blocks([(X, Y)])
    blocks = ProbabilisticStructured(LabelSets(5), **TIGHT).fit_blocks([(X[:40], Y[:40]), (X[40:], Y[40:])])
    assert blocks.solver_ == "lbfgs"
    np.testing.assert_allclose(blocks.coef_, fitted(X, Y).coef_, atol=1e-6)
