"""Likelihood of what was seen: outputs known in part, sets of outputs and conditions, by sums over all members."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import (
    Admissible,
    CapabilityError,
    ProbabilisticStructured,
    ProbabilisticStructuredCV,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredVoting,
)
from combpred._lib.errors import RowError
from combpred.structures import (
    Hierarchy,
    LabelSets,
    MultiClass,
    Permutations,
    Routes,
    SpanningTrees,
    Structure,
    WeakOrders,
)
from constraint_oracle import STRUCTURES, holds, random_constraints

RNG = np.random.default_rng(40)
SETS = [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]]


def ranked(y: np.ndarray, row: np.ndarray) -> bool:
    """Whether a ranking, possibly with ties, agrees with the positions that are known; the last may be shared."""
    known = np.flatnonzero(row != -1)
    pairs = [(u, v) for u in known for v in known if row[u] < row[v]]
    return all(y[u] < y[v] for u, v in pairs)


def tied(y: np.ndarray, row: np.ndarray) -> bool:
    known = row != -1
    return bool((np.sign(np.subtract.outer(y, y)) == np.sign(np.subtract.outer(row, row)))[np.ix_(known, known)].all())


def labelled(y: np.ndarray, row: np.ndarray) -> bool:
    return bool((np.isnan(row) | (row == -1) | (row == y)).all())


def hidden(y: np.ndarray, share: float, unknown: float = -1) -> np.ndarray:
    return np.where(RNG.random(y.shape) < share, unknown, y)


def rows_of(structure: Structure, n: int = 25) -> Any:
    return structure.sample(n, random_state=3)


def top_lists(y: np.ndarray, k: int) -> np.ndarray:
    return np.minimum(y, k + 1)


CASES = {
    "rankings": (Permutations(4), lambda y: hidden(y, 0.4), ranked),
    "top": (Permutations(4), lambda y: top_lists(y, 2), ranked),
    "ties": (WeakOrders(3), lambda y: hidden(y, 0.4), tied),
    "labels": (LabelSets(3), lambda y: hidden(y, 0.5, np.nan), labelled),
    "sized": (LabelSets(4, size=2), lambda y: hidden(y, 0.5), labelled),
    "observed": (LabelSets(3, observed=SETS), lambda y: hidden(y, 0.5), labelled),
}


def enumerated(model: ProbabilisticStructured, X: np.ndarray, weights: np.ndarray, sets: list[np.ndarray]) -> Any:
    """Return the loss of W, whose last row is that of a constant feature, by sums over members, and its gradient."""
    psi = model.structure_.embed(np.array(list(model.structure_.enumerate())))
    W = np.vstack([model.coef_.T, model.intercept_])
    inputs = np.column_stack([X, np.ones(len(X))])
    scores = inputs @ W
    loss, gradient = model.alpha * (W**2).sum(), 2 * model.alpha * W
    for x, s, w, (seen, allowed) in zip(inputs, scores, weights, sets, strict=True):
        values = psi @ s
        of = [logsumexp(values[some]) for some in (allowed, seen)]
        means = [np.exp(values[some] - z) @ psi[some] for some, z in zip((allowed, seen), of, strict=True)]
        loss += w * (of[0] - of[1])
        gradient = gradient + w * np.outer(x, means[0] - means[1])
    return loss, gradient


def members_of(structure: Structure) -> np.ndarray:
    return np.array(list(structure.enumerate()))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("solver", ["auto", "lbfgs"])
def test_training_ends_where_the_likelihood_of_what_was_seen_is_stationary(case: str, solver: str) -> None:
    """The gradient is 0 where the expectations over what agrees are those of the model: a fixed point of EM."""
    structure, hide, agrees = CASES[case]
    whole = rows_of(structure)
    y = hide(whole)
    X, weights = RNG.normal(size=(len(y), 2)), RNG.integers(0, 3, size=len(y)).astype(float)
    members = members_of(structure)
    seen = [np.array([agrees(member, row) for member in members]) for row in y]
    model = ProbabilisticStructured(structure, alpha=0.1, tol=1e-9, solver=solver).fit(X, y, weights)
    everything = np.ones(len(members), dtype=bool)
    loss, gradient = enumerated(model, X, weights, [(row, everything) for row in seen])
    assert model.objective_ == pytest.approx(loss, rel=1e-9)
    assert np.abs(gradient).max() < 1e-5
    log_proba = model.log_proba(X, members[np.zeros(len(X), dtype=int)])
    each = np.array([model.log_proba(X, np.repeat(member[None], len(X), axis=0)) for member in members])
    np.testing.assert_allclose(log_proba, each[0])
    np.testing.assert_allclose(
        model.log_proba(X, y), [logsumexp(p[some]) for p, some in zip(each.T, seen, strict=True)], atol=1e-10
    )


@pytest.mark.parametrize("structure", [Permutations(4), LabelSets(3), MultiClass(4), SpanningTrees(4)], ids=repr)
def test_sets_count_by_the_probability_of_their_outputs(structure: Structure) -> None:
    members = members_of(structure)
    chosen = [RNG.choice(len(members), size=RNG.integers(1, 4), replace=False) for _ in range(20)]
    X, weights = RNG.normal(size=(20, 2)), RNG.random(20)
    y = [Admissible(members[some]) for some in chosen]
    model = ProbabilisticStructured(structure, alpha=0.1, tol=1e-9).fit(X, y, weights)
    everything = np.arange(len(members))
    loss, gradient = enumerated(model, X, weights, [(some, everything) for some in chosen])
    assert model.objective_ == pytest.approx(loss, rel=1e-9)
    assert np.abs(gradient).max() < 1e-5
    rbf = ProbabilisticStructured(structure, alpha=0.1, tol=1e-9, kernel="rbf").fit(X, y, weights)
    np.testing.assert_allclose(rbf.objective_, _objective_of_kernel(rbf, weights, y), rtol=1e-8)


def _objective_of_kernel(model: ProbabilisticStructured, weights: np.ndarray, y: Any) -> float:
    X = model.X_fit_
    scores = model.feature_scores(X)
    kernel = model.kernel_.matrix(X) + 1.0
    penalty = model.alpha * np.sum(model.dual_coef_ * (kernel @ model.dual_coef_))
    assert np.allclose(kernel @ model.dual_coef_, scores)
    return float(penalty - weights @ model.log_proba(X, y))


@pytest.mark.parametrize("structure", STRUCTURES, ids=repr)
def test_conditions_hold_in_training_and_in_every_probability(structure: Structure) -> None:
    """Conditions of every key, a constraint for each row, against sums over the members that satisfy it."""
    members = members_of(structure)
    psi = structure.embed(members)
    rng = np.random.default_rng(7)
    constraints, allowed = [], []
    for constraint in random_constraints(structure, 200, rng):
        some = np.flatnonzero([holds(structure, member, constraint) for member in members])
        if len(some):
            constraints.append(constraint)
            allowed.append(some)
        if len(constraints) == 12:
            break
    n = len(constraints)
    assert n > 3
    y = members[[rng.choice(some) for some in allowed]]
    X = rng.normal(size=(n, 2))
    model = ProbabilisticStructured(structure, alpha=0.3, tol=1e-9).fit(X, y, constraints=constraints)
    truth = [np.array([np.array_equal(e, structure.embed(row[None])[0]) for e in psi]) for row in y]
    loss, gradient = enumerated(model, X, np.ones(n), list(zip(truth, allowed, strict=True)))
    ambiguous = len(np.unique(psi, axis=0)) < len(psi)  # outputs that no score tells apart
    if not ambiguous:
        assert model.objective_ == pytest.approx(loss, rel=1e-9)
    assert np.abs(gradient).max() < 1e-5
    scores = model.feature_scores(X)
    values = [psi[some] @ s for some, s in zip(allowed, scores, strict=True)]
    log_z = np.array([logsumexp(v) for v in values])
    means = np.array([np.exp(v - z) @ psi[some] for v, z, some in zip(values, log_z, allowed, strict=True)])
    options = {"constraints": constraints}
    np.testing.assert_allclose(model.log_partition(X, **options).value, log_z, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(model.predict_marginals(X, **options), means, atol=1e-10)
    entropy = log_z - np.einsum("ij,ij->i", scores, means)
    np.testing.assert_allclose(model.entropy(X, **options), entropy, atol=1e-9)
    np.testing.assert_allclose(
        model.log_proba(X, y, **options), np.einsum("ij,ij->i", scores, structure.embed(y)) - log_z, atol=1e-10
    )
    drawn = model.sample(X, 3, random_state=0, **options).y
    for draw in drawn:
        assert all(holds(structure, row, c) for row, c in zip(draw, constraints, strict=True))
    shared = constraints[0]
    np.testing.assert_allclose(
        model.predict_marginals(X[:1], constraints=shared), model.predict_marginals(X[:1], constraints=[shared])
    )


def test_whole_data_have_the_same_model_either_way() -> None:
    y = rows_of(Permutations(4))
    X = RNG.normal(size=(len(y), 2))
    one, other = (ProbabilisticStructured("permutations", partial=p).fit(X, y) for p in ("likelihood", "mean"))
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_the_mean_over_what_agrees_is_a_bound_of_its_likelihood() -> None:
    y = hidden(rows_of(Permutations(4)), 0.4)
    X = RNG.normal(size=(len(y), 2))
    mean = ProbabilisticStructured("permutations", partial="mean", tol=1e-9).fit(X, y)
    psi = mean.structure_.space.embed(mean.structure_.encode(y, partial=True), partial=True)
    scores = mean.feature_scores(X)
    bound = -np.einsum("ij,ij->i", scores, psi) + mean.structure_.log_partition(scores)
    penalty = (mean.coef_**2).sum() + (mean.intercept_**2).sum()
    assert mean.objective_ == pytest.approx(bound.sum() + penalty, rel=1e-9)
    seen = ProbabilisticStructured("permutations").fit(X, y)
    assert seen.objective_ < penalty - mean.log_proba(X, y).sum() < mean.objective_


def test_confidence_is_accuracy_whatever_is_missing() -> None:
    """The claim of the docs: mean confidence in pairs is within .02 of their accuracy, and the mean was far below."""
    rng = np.random.default_rng(1)
    structure = Permutations(5)
    W = rng.normal(size=(3, structure.n_features))
    X = rng.normal(size=(1500, 3))
    y = structure.sample(1, random_state=5, scores=X @ W)[0]
    train, test = slice(0, 800), slice(800, None)
    truth = structure.embed(y[test]) > 0
    for share in (0.2, 0.4, 0.6):
        known = np.where(rng.random(y[train].shape) < share, -1, y[train])
        model = ProbabilisticStructured(structure).fit(X[train], known)
        marginals = model.predict_marginals(X[test])
        assert np.mean((np.abs(marginals) + 1) / 2) == pytest.approx(np.mean((marginals > 0) == truth), abs=0.02)
        timid = ProbabilisticStructured(structure, partial="mean").fit(X[train], known).predict_marginals(X[test])
        assert np.mean((np.abs(timid) + 1) / 2) < np.mean((timid > 0) == truth) - 0.05


def test_unknown_labels_leave_one_logistic_regression_a_label() -> None:
    X = RNG.normal(size=(120, 3))
    whole = (X @ RNG.normal(size=(3, 4)) + RNG.logistic(size=(120, 4)) > 0).astype(float)
    y = hidden(whole, 0.5, np.nan)
    model = ProbabilisticStructured(LabelSets(), alpha=0.5, fit_intercept=False, tol=1e-10).fit(X, y)
    assert model.solver_ == "newton"
    for label in range(4):
        known = ~np.isnan(y[:, label])
        logistic = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10).fit(X[known], y[known, label])
        np.testing.assert_allclose(model.coef_[label], logistic.coef_[0], atol=1e-5)


def test_rows_of_which_nothing_is_known_count_as_nothing() -> None:
    y = rows_of(Permutations(4)).astype(float)
    X = RNG.normal(size=(len(y), 2))
    y[::3] = -1
    model = ProbabilisticStructured("permutations", tol=1e-9).fit(X, y)
    known = (y != -1).all(axis=1)
    other = ProbabilisticStructured("permutations", tol=1e-9).fit(X[known], y[known])
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-6)
    assert model.log_proba(X, y)[::3].max() == 0.0


def test_weights_repeat_rows_that_are_known_in_part() -> None:
    y = hidden(rows_of(Permutations(4), 12), 0.4)
    X, weights = RNG.normal(size=(12, 2)), RNG.integers(0, 3, size=12)
    weighted = ProbabilisticStructured("permutations", tol=1e-10).fit(X, y, weights)
    repeated = ProbabilisticStructured("permutations", tol=1e-10).fit(
        np.repeat(X, weights, 0), np.repeat(y, weights, 0)
    )
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)


def test_blocks_and_dask_are_as_one_machine() -> None:
    da = pytest.importorskip("dask.array")
    y = hidden(rows_of(Permutations(4), 30), 0.4)
    X = RNG.normal(size=(30, 2))
    whole = ProbabilisticStructured("permutations", tol=1e-9).fit(X, y, constraints={"before": []})
    blocks = ProbabilisticStructured("permutations", tol=1e-9).fit_blocks([(X[:11], y[:11]), (X[11:], y[11:])])
    np.testing.assert_allclose(blocks.coef_, whole.coef_, atol=1e-6)
    assert blocks.objective_ == pytest.approx(whole.objective_, rel=1e-9)
    parts = {"chunks": (10, -1)}
    dask = ProbabilisticStructured("permutations", tol=1e-9).fit(da.from_array(X, **parts), da.from_array(y, **parts))
    np.testing.assert_allclose(dask.coef_, whole.coef_, atol=1e-6)
    held = np.where(y == 1, 1, y)
    keeps = [i for i, row in enumerate(y) if not (row[0] != -1 and row[1] != -1 and row[1] < row[0])]
    held, X = held[keeps], X[keeps]
    before = {"before": [(0, 1)]}
    one = ProbabilisticStructured("permutations", tol=1e-9).fit(X, held, constraints=before)
    two = ProbabilisticStructured("permutations", tol=1e-9).fit_blocks([(X, held)], constraints=before)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-6)
    with pytest.raises(ValueError):
        two.fit_blocks([(X, held)], constraints=[before] * len(X))


def test_steps_and_passes_reach_the_same_likelihood() -> None:
    y = hidden(rows_of(Permutations(4), 60), 0.4)
    X = RNG.normal(size=(60, 2))
    exact = ProbabilisticStructured("permutations", tol=1e-9).fit(X, y)
    steps = ProbabilisticStructured("permutations", solver="sgd", tol=0.01, random_state=0).fit(X, y)
    assert steps.objective_ == pytest.approx(exact.objective_, rel=1e-3)
    passes = ProbabilisticStructured("permutations", solver="sgd", random_state=0)
    for _ in range(40):  # each adds rows against the penalty
        passes.partial_fit(X, y)
    assert passes.log_proba(X, y).sum() > exact.log_proba(X, y).sum() - 0.5
    drawn = ProbabilisticStructured("permutations", inference="mcmc", random_state=0).fit(X, y)
    np.testing.assert_allclose(drawn.coef_, exact.coef_, atol=0.5 * np.abs(exact.coef_).max())
    timid = ProbabilisticStructured("permutations", partial="mean").fit(X, y)
    assert np.abs(drawn.coef_).sum() > 1.2 * np.abs(timid.coef_).sum()


def test_nodes_known_down_to_a_level_are_sets_of_leaves() -> None:
    tree = Hierarchy([-1, 0, 0, 1, 1, 2, 2], allowed="leaves")
    X = RNG.normal(size=(30, 2))
    leaves = np.where(X[:, 0] > 0, 3, 5) + (X[:, 1] > 0)
    y = [Admissible([3, 4]) if i % 3 == 0 and leaf < 5 else Admissible([leaf]) for i, leaf in enumerate(leaves)]
    model = ProbabilisticStructured(tree, alpha=0.1).fit(X, y)
    assert np.mean(model.predict(X) == leaves) > 0.8
    both = np.exp(model.log_proba(X[:1], [Admissible([3, 4])]))
    np.testing.assert_allclose(both, model.predict_proba(X[:1])[:, [0, 1]].sum())


def test_models_of_partly_known_data_pickle() -> None:
    y = hidden(rows_of(Permutations(4)), 0.4)
    X = RNG.normal(size=(len(y), 2))
    model = ProbabilisticStructured("permutations", kernel="rbf").fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.log_proba(X, y), model.log_proba(X, y))


def test_conditions_reach_pipelines_by_metadata_routing() -> None:
    structure = Routes(4)
    y = rows_of(structure, 12)
    X = RNG.normal(size=(12, 2))
    starts = [{"start": int(row[0])} for row in y]
    plain = ProbabilisticStructured(structure).fit(StandardScaler().fit_transform(X), y, constraints=starts)
    with config_context(enable_metadata_routing=True):
        model = ProbabilisticStructured(structure).set_fit_request(constraints=True)
        model.set_predict_request(constraints=True).set_score_request(constraints=True)
        pipeline = make_pipeline(StandardScaler(), model)
        pipeline.fit(X, y, constraints=starts)
        np.testing.assert_array_equal(pipeline[-1].coef_, plain.coef_)
        assert [row[0] for row in pipeline.predict(X, constraints=starts)] == [row[0] for row in y]
        assert pipeline.score(X, y, constraints=starts) > pipeline.score(X, y)


def test_refusals_name_the_row() -> None:
    X, y = np.zeros((3, 1)), [[1, 2, 3], [2, 1, 3], [1, -1, 2]]
    model = ProbabilisticStructured("permutations")
    for constraints, row in (
        ([None, {"first": 0}, None], 1),
        ([None, None, {"first": 2}], 2),
        ([None, {"first": 0, "last": 0}, None], 1),
    ):
        with pytest.raises(RowError) as caught:
            model.fit(X, y, constraints=constraints)
        assert caught.value.row == row
    kernel = ProbabilisticStructured("permutations", kernel="rbf")
    with pytest.raises(RowError) as caught:
        kernel.fit(X, y, [0, 1, 1], constraints=[None, None, {"first": 2}])
    assert caught.value.row == 2
    assert caught.value.argument == "y"
    fitted = model.fit(X, y)
    with pytest.raises(RowError) as caught:
        fitted.log_proba(X, y, constraints=[None, {"first": 0}, None])
    assert (caught.value.row, caught.value.argument) == (1, "y")
    with pytest.raises(ValueError):
        ProbabilisticStructured("permutations", partial="mean").fit(X, y, constraints={"first": 0})
    first = {"first": 1}
    with pytest.raises(CapabilityError):
        ProbabilisticStructured("permutations", inference="mcmc", sampler="local").fit(
            X, y, constraints=[None, first, None]
        )
    taylor = ProbabilisticStructured("permutations", inference="taylor", alpha=10).fit(X, y)
    with pytest.raises(CapabilityError):
        taylor.entropy(X, constraints=first)
    newton = ProbabilisticStructured(LabelSets(), solver="newton")
    with pytest.raises(CapabilityError):
        newton.fit(X, [[1, 0]] * 3, constraints={"required": [0]})
    with pytest.raises(CapabilityError):
        newton.fit(X, [Admissible([[1, 0], [0, 1]])] * 3)


def test_the_choice_of_a_penalty_goes_by_what_was_seen_under_conditions() -> None:
    y = hidden(rows_of(Permutations(4), 40), 0.3)
    X = RNG.normal(size=(40, 2))
    constraints = [{"before": [(int(row.argmin()), int(row.argmax()))]} if (row > 0).all() else None for row in y]
    model = ProbabilisticStructuredCV("permutations", alphas=[0.1, 1.0, 10.0], kernels=["linear"], cv=4)
    model.fit(X, y, constraints=constraints)
    structure = model.structure_
    scores = model.left_out_scores_
    members = members_of(structure)
    psi = structure.embed(members)
    means = []
    for s, row, c in zip(scores, y, constraints, strict=True):
        allowed = np.array([c is None or holds(structure, member, c) for member in members])
        seen = allowed & np.array([ranked(member, row) for member in members])
        values = psi @ s
        means.append(logsumexp(values[seen]) - logsumexp(values[allowed]))
    assert model.best_score_ == pytest.approx(np.mean(means), rel=1e-8)
    single = ProbabilisticStructured("permutations", alpha=model.alpha_).fit(X, y, constraints=constraints)
    np.testing.assert_allclose(model.coef_, single.coef_, atol=1e-6)


@pytest.mark.parametrize(
    "structure", [LabelSets(4, size=1), LabelSets(4, size=4), LabelSets(2, observed=[[0, 0], [1, 1]])], ids=repr
)
def test_few_outputs_with_unknown_labels_are_trained_by_gradients(structure: Structure) -> None:
    whole = structure.sample(40, random_state=0)
    y = hidden(whole, 0.4)
    model = ProbabilisticStructured(structure).fit(RNG.normal(size=(40, 2)), y)
    assert model.solver_ == "lbfgs"


def test_choices_among_decisions_take_unknown_labels() -> None:
    X = RNG.normal(size=(40, 3))
    y = hidden((X @ RNG.normal(size=(3, 3)) > 0).astype(int), 0.3)
    for scoring in (None, "metric", "neg_hamming_loss"):
        assert StructuredRidgeCV(LabelSets(3), scoring=scoring).fit(X, y).score(X, y) > 0.7
    members = [("a", StructuredRidge(LabelSets(3))), ("b", ProbabilisticStructured(LabelSets(3)))]
    assert StructuredVoting(members).fit(X, y).score(X, y) > 0.7
    with pytest.raises(RowError):
        StructuredRidgeCV(LabelSets(3), scoring="f1").fit(X, y)


def test_scores_of_partitions_weigh_the_rows_that_count() -> None:
    da = pytest.importorskip("dask.array")
    X = RNG.normal(size=(60, 2))
    y = (X[:, :1] + RNG.normal(size=(60, 3)) > 0).astype(int)
    y[25:45] = -1
    model = ProbabilisticStructured(LabelSets(3)).fit(X, y)
    parts = [da.from_array(each, chunks=(20, -1)) for each in (X, y)]
    assert model.score(*parts) == pytest.approx(model.score(X, y), abs=1e-12)
    assert model.score_log_loss(*parts) == pytest.approx(model.score_log_loss(X, y), abs=1e-12)


def test_nothing_known_by_sets_ends_at_once() -> None:
    tree = Hierarchy([-1] + [i // 3 for i in range(30)], allowed="leaves")
    y = tree.from_ancestors(np.zeros(50, dtype=int))
    model = ProbabilisticStructured(tree, partial="likelihood").fit(RNG.normal(size=(50, 2)), y)
    assert model.n_iter_ == 1 and not model.coef_.any()


def test_no_conditions_are_none() -> None:
    X, y = RNG.normal(size=(20, 2)), RNG.integers(0, 2, size=(20, 3))
    plain = ProbabilisticStructured(LabelSets()).fit(X, y)
    for nothing in ({}, [None] * 20, [{}] * 20):
        model = ProbabilisticStructured(LabelSets()).fit(X, y, constraints=nothing)
        assert model.solver_ == "newton"
        np.testing.assert_array_equal(model.coef_, plain.coef_)
    ProbabilisticStructured(MultiClass(3)).fit(X, y[:, 0], constraints={}).predict_marginals(X, constraints=[None] * 20)


def test_members_of_sets_that_conditions_rule_out_do_not_count() -> None:
    X = RNG.normal(size=(3, 2))
    sets = [Admissible([[1, 2, 3], [2, 1, 3]]), Admissible([[1, 2, 3], [3, 2, 1]]), Admissible([[2, 3, 1]])]
    first = {"before": [(0, 2)]}
    model = ProbabilisticStructured("permutations", tol=1e-9)
    model.fit(X, sets, constraints=[first, first, None])
    rest = [sets[0], Admissible([[1, 2, 3]]), sets[2]]
    other = ProbabilisticStructured("permutations", tol=1e-9).fit(X, rest, constraints=[first, first, None])
    assert model.objective_ == pytest.approx(other.objective_, rel=1e-9)
    with pytest.raises(RowError) as caught:
        model.fit(X, sets, constraints=[None, {"first": 1}, {"first": 0}])
    assert caught.value.row == 1


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_rows_of_weight_zero_may_break_their_conditions(kernel: str) -> None:
    X, y = RNG.normal(size=(6, 2)), [[1, 2, 3], [2, 1, 3], [1, -1, 2], [3, 2, 1], [1, 2, 3], [2, 3, 1]]
    constraints = [None, {"first": 0}, {"last": 2}, None, {"first": 0}, None]
    weights = np.array([1.0, 0.0, 2.0, 1.0, 1.0, 1.0])
    model = ProbabilisticStructured("permutations", kernel=kernel, gamma=1.0, tol=1e-9)
    scores = model.fit(X, y, weights, constraints=constraints).feature_scores(X)
    kept = np.flatnonzero(weights)
    model.fit(X[kept], np.array(y)[kept], weights[kept], constraints=[constraints[row] for row in kept])
    np.testing.assert_allclose(scores, model.feature_scores(X), atol=1e-6)
    with pytest.raises(RowError) as caught:
        model.fit(X, y, constraints=constraints)
    assert caught.value.row == 1


def test_what_takes_exact_sums_says_so_of_large_rankings() -> None:
    X, y = RNG.normal(size=(4, 2)), np.array([RNG.permutation(22) + 1 for _ in range(4)])
    y[2, 3] = -1
    model = ProbabilisticStructured(Permutations(22), max_iter=1, random_state=0).fit(
        X, np.delete(y, 2, axis=0)[[0, 1, 2, 0]]
    )
    with pytest.raises(CapabilityError) as caught:
        model.log_proba(X, y)
    assert "known in part" in str(caught.value)
    for sampler in ("auto", "exact", "local"):
        with pytest.raises(CapabilityError) as caught:
            model.sample(X, 2, sampler=sampler, constraints={"first": 0})
        assert "exact" in str(caught.value)
