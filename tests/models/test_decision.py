"""The loss and the decision of ridge regression: what suits a structure, and what decisions maximise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import (
    CapabilityError,
    EmbeddingRegressor,
    ProbabilisticStructured,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredSGD,
    StructuredVoting,
)
from combpred.aggregation import kemeny
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    DirectedCycles,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Paths,
    Permutations,
    PosetElements,
    Routes,
    SpanningTrees,
    Structure,
    Subtrees,
    Tournaments,
    WeakOrders,
)
from constraint_oracle import holds

TREE = [-1, 0, 0, 1, 1]
CHAIN = np.tri(4, dtype=bool).T
SUITED = [
    (MultiClass(3), "squared", "mbr"),
    (LabelSets(3), "squared", "mbr"),
    (Ordinal(4), "squared", "mbr"),
    (PosetElements(CHAIN), "auc", "score"),
    (Hierarchy(TREE), "squared", "mode"),
    (Subtrees(TREE), "squared", "mbr"),
    (Permutations(4), "squared", "mbr"),
    (WeakOrders(3), "squared", "mbr"),
    (PartialOrders(3), "squared", "score"),
    (Tournaments(3), "squared", "score"),
    (Cliques(4), "auc", "score"),
    (Graphs(4), "squared", "mbr"),
    (Cycles(4), "squared", "score"),
    (DirectedCycles(4), "squared", "score"),
    (Routes(3), "auc", "score"),
    (Paths.grid(3, 3), "squared", "mbr"),
    (SpanningTrees(4, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]), "squared", "mbr"),
    (Assignments(3), "squared", "mbr"),
]


def data(structure, n=30, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), structure.sample(n, random_state=seed)


def name(value):
    return type(value).__name__.lower() if not isinstance(value, str) else value


@pytest.mark.parametrize(("structure", "loss", "decision"), SUITED, ids=name)
def test_auto_is_what_suits_the_structure(structure, loss, decision):
    X, y = data(structure)
    model = StructuredRidge(structure).fit(X, y)
    assert (model.loss_, model.decision_) == (loss, decision)
    given = StructuredRidge(structure, loss=loss, decision=decision).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), given.predict(X))
    other = StructuredRidge(structure, loss="squared" if loss == "auc" else "auc").fit(X, y)
    usual = "score" if isinstance(structure, Routes) else "mbr"  # under "squared", where that does not suit
    assert other.decision_ == (usual if loss == "auc" else "score")


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("decision", ["score", "mbr"])
@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("structure", [structure for structure, *_ in SUITED], ids=name)
def test_decisions_maximise_what_they_say(structure, loss, decision, kernel):
    """Against a list of all outputs: log-odds f are expected features μ + Σf, which the squared loss estimates."""
    X, y = data(structure)
    model = StructuredRidge(structure, loss=loss, decision=decision, kernel=kernel, alpha=0.1).fit(X, y)
    psi = structure.embed(list(structure.enumerate()))
    mean, scores = psi.mean(axis=0), model.feature_scores(X)
    if loss == "squared":
        scores = scores + mean
    elif decision == "mbr":
        scores = mean + scores @ np.cov(psi.T, bias=True).reshape(psi.shape[1], -1)
    values = scores @ psi.T
    if decision == "mbr":
        values -= (psi**2).sum(axis=1) / 2
    best = values.max(axis=1)
    np.testing.assert_allclose(model.score_structures(X, model.predict(X)), best, atol=1e-9)
    certified = model.predict(X, return_certificate=True)[1]
    np.testing.assert_allclose(certified.value, best, atol=1e-9)
    assert certified.optimal.all()


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_constraints_take_the_best_of_what_they_leave(loss):
    structure = Permutations(4)
    X, y = data(structure)
    model = StructuredRidge(structure, loss=loss, decision="mbr").fit(X, y)
    outputs = np.array([output for output in structure.enumerate() if output[2] == 1])
    values = np.array([model.score_structures(X, np.tile(output, (len(X), 1))) for output in outputs])
    found = model.predict(X, constraints={"first": 2})
    np.testing.assert_allclose(model.score_structures(X, found), values.max(axis=0), atol=1e-9)


@pytest.mark.parametrize("decision", ["score", "mbr"])
def test_leave_one_out_decides_alike(decision):
    """With the squared loss leaving one out is exact, so that the rows are predicted as by models without them."""
    structure = DirectedCycles(4)
    X, y = data(structure, n=15)
    options = {"alphas": [0.5], "kernels": ["linear"], "losses": ["squared"]}
    left_out = StructuredRidgeCV(structure, decision=decision, **options).fit(X, y)
    decoded = left_out._decode_scores(left_out.loo_scores_, left_out._decoding())
    predicted = structure.space.decode_parts(decoded.y)
    for i in range(15):
        rest = np.arange(15) != i
        model = StructuredRidge(structure, alpha=0.5, loss="squared", decision=decision).fit(X[rest], y[rest])
        np.testing.assert_array_equal(predicted[i], model.predict(X[i : i + 1])[0])


def test_without_inputs_rankings_are_kemeny_s_consensus():
    """The squared loss estimates E ψ, whose nearest ranking is Kemeny's; "auc" divides by Σ, which blows up noise."""
    found, auc = 0, 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        # Each ranking sorts the labels by their merits with noise.
        y = np.argsort(np.argsort(-(np.linspace(0.6, 0, 7) + rng.normal(size=(300, 7))), axis=1), axis=1) + 1
        X, consensus = np.zeros((300, 1)), kemeny(y, method="exact").consensus
        found += np.array_equal(StructuredRidge("permutations").fit(X, y).predict(X[:1])[0], consensus)
        auc += np.array_equal(StructuredRidge("permutations", loss="auc").fit(X, y).predict(X[:1])[0], consensus)
    assert found == 20 and auc < found


def test_every_way_of_training_resolves_auto():
    structure = Cliques(4)
    X, y = data(structure)
    for model in (
        StructuredRidge(structure, solver="primal"),
        StructuredRidge(structure, solver="closed-form"),
        StructuredSGD(structure),
        StructuredRidgeCV(structure),
    ):
        fitted = clone(model).fit(X, y)
        assert (fitted.loss_, fitted.decision_) == ("auc", "score")
    blocks = StructuredRidge(structure).fit_blocks([(X[:15], y[:15]), (X[15:], y[15:])])
    assert (blocks.loss_, blocks.decision_) == ("auc", "score")
    assert StructuredSGD(structure).partial_fit(X, y).loss_ == "auc"


def test_own_structures_without_pre_images_take_scores():
    outputs = [(0, 1), (1, 0), (1, 1)]
    psi = {output: np.array(output, dtype=float) for output in outputs}
    structure = Custom(
        log_count=np.log(3.0), mean=np.mean(outputs, axis=0), second_moment=np.cov(np.transpose(outputs), bias=True)
        + np.outer(np.mean(outputs, axis=0), np.mean(outputs, axis=0)),
        embed=lambda y: psi[tuple(y)], decode=lambda scores: max(outputs, key=lambda y: psi[y] @ scores),
    )  # fmt: skip
    X, y = np.arange(6.0).reshape(6, 1), outputs * 2
    model = StructuredRidge(structure).fit(X, y)
    assert (model.loss_, model.decision_) == ("auc", "score")
    assert StructuredRidge(structure, loss="squared", decision="score").fit(X, y).decision_ == "score"
    for loss in ("auc", "squared"):
        with pytest.raises(CapabilityError):
            StructuredRidge(structure, loss=loss, decision="mbr").fit(X, y)


def test_refusals():
    X, y = data(Permutations(4))
    for wrong in ("subset", "map", 3, None):
        with pytest.raises(ValueError):
            StructuredRidge("permutations", decision=wrong).fit(X, y)
    with pytest.raises(ValueError):
        StructuredRidge("permutations", loss="hinge").fit(X, y)


def test_the_median_of_grades_has_the_least_expected_error():
    """Under the estimated distribution, grade z is expected to err by the sum of what lies beyond it, step by step."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 2))
    y = np.clip((2 + 1.5 * X[:, 0] + rng.normal(size=40)).round(), 0, 4).astype(int)
    structure, steps = Ordinal(5), np.arange(1, 5)
    forest = EmbeddingRegressor(structure=structure, random_state=0)
    voting = StructuredVoting([("ridge", StructuredRidge(structure, loss="auc"))])
    cv, sgd = StructuredRidgeCV(structure, kernels=["rbf"]), StructuredSGD(structure, max_iter=500, random_state=0)
    for model in (StructuredRidge(structure), StructuredRidge(structure, loss="squared"), cv, sgd, forest, voting):
        model.set_params(decision="median").fit(X, y)
        assert model.decision_ == "mbr" and model.loss_ == "squared"
        at_least = (model.feature_scores(X) + structure.mean())[:, 1:]  # P(grade ≥ step); that of ≥ 0 is 1
        errors = [np.where(z >= steps, 1 - at_least, at_least).sum(axis=1) for z in range(5)]
        np.testing.assert_array_equal(model.predict(X), np.argmin(errors, axis=0))


def most_probable(structure: Any, expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the most probable outputs and their probabilities: P(at or below) less that of the children."""
    below = np.zeros((structure.n_features,) * 2)
    for node, parent in enumerate(structure.parent if isinstance(structure, Hierarchy) else range(-1, 3)):
        below[node, max(parent, 0)] = parent >= 0
    outputs = np.array(list(structure.enumerate()))
    values = (expected - expected @ below)[:, outputs]
    return outputs[values.argmax(axis=1)], values.max(axis=1)


@pytest.mark.parametrize(
    "structure",
    [Hierarchy(TREE), Hierarchy(TREE, allowed="leaves"), Hierarchy(TREE, allowed=[0, 1, 3]), Ordinal(4)],
    ids=repr,
)
@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_the_mode_is_the_most_probable_output(structure, loss):
    X, y = data(structure, n=40)
    options = {"loss": loss, "decision": "mode", "alpha": 0.1}
    single = StructuredRidge(structure, kernel="rbf", **options).fit(X, y)
    linear = StructuredRidge(structure, **options).fit(X, y)
    cv = StructuredRidgeCV(structure, losses=[loss], decision="mode", kernels=["rbf"]).fit(X, y)
    forest = EmbeddingRegressor(structure=structure, decision="mode", random_state=0).fit(X, y)
    voting = StructuredVoting([("ridge", StructuredRidge(structure))], decision="mode").fit(X, y)
    for model in (single, linear, cv, forest, voting):
        assert model.decision_ == "mode"
        scores = model.feature_scores(X)
        expected = structure.mean() + (scores @ structure.covariance() if model.loss_ == "auc" else scores)
        outputs, probabilities = most_probable(structure, expected)
        np.testing.assert_array_equal(model.predict(X), outputs)
        certified = model.predict(X, return_certificate=True)[1]
        np.testing.assert_allclose(certified.value, probabilities, atol=1e-9)
        np.testing.assert_allclose(model.score_structures(X, outputs), probabilities, atol=1e-9)
        assert next(model.enumerate(X[0])) == outputs[0]
        np.testing.assert_array_equal(model.classes_[model.decision_function(X).argmax(axis=1)], outputs)


def test_the_mode_keeps_to_conditions_and_to_structures_that_tell_it():
    structure = Hierarchy(TREE)
    X, y = data(structure)
    model = StructuredRidge(structure, decision="mode").fit(X, y)
    values = model.decision_function(X)
    np.testing.assert_array_equal(
        model.predict(X, constraints={"within": 1}), np.array([1, 3, 4])[values[:, [1, 3, 4]].argmax(axis=1)]
    )
    for kind in (StructuredRidge, StructuredRidgeCV, StructuredSGD, EmbeddingRegressor):
        with pytest.raises(CapabilityError):
            kind(structure="permutations", decision="mode").fit(X, Permutations(4).sample(30, 0))


@pytest.mark.parametrize("kind", [StructuredRidge, StructuredRidgeCV, StructuredSGD, EmbeddingRegressor])
def test_only_grades_have_a_median(kind):
    X, y = data(Permutations(4))
    with pytest.raises(CapabilityError, match="decision='median' is for Ordinal, not for Permutations"):
        kind(structure="permutations", decision="median").fit(X, y)


def test_own_losses_decide_by_their_expectation():
    """Against the sum over all outputs, of which each has its own loss to each: neither is symmetric."""
    rng = np.random.default_rng(6)
    items = [(i, j) for i in range(3) for j in range(3)]
    losses = rng.random((9, 9)) * (1.0 - np.eye(9))
    psi = np.array([np.eye(3)[[i, j]].ravel() for i, j in items])
    structure = Custom.from_structures(items, psi, loss=losses)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 9, size=40)
    model = ProbabilisticStructured(structure, decision="own").fit(X, y)
    weight = np.exp(model.feature_scores(X) @ psi.T)
    expected = (weight / weight.sum(axis=1, keepdims=True)) @ losses
    predicted, certified = model.predict(X), model.predict(X, return_certificate=True)[1]
    np.testing.assert_array_equal(predicted, expected.argmin(axis=1))
    np.testing.assert_allclose(certified.value, -expected.min(axis=1), rtol=1e-12)
    np.testing.assert_allclose(model.score_structures(X, y), -expected[np.arange(40), y], rtol=1e-12)
    assert (predicted != model.set_params(decision="map").predict(X)).any()


def test_own_decisions_need_a_loss():
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]
    for structure in ("multiclass", Custom.from_structures([0, 1], np.eye(2))):
        with pytest.raises(CapabilityError):
            ProbabilisticStructured(structure, decision="own").fit(X, y)


def test_certificates_and_marginals_come_along_through_pipelines():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(30, 2))
    y = np.argsort(np.argsort(X @ rng.normal(size=(2, 4)), axis=1), axis=1) + 1
    ridge = make_pipeline(StandardScaler(), StructuredRidge("permutations")).fit(X, y)
    predicted, certified = ridge.predict(X, return_certificate=True)
    want = ridge[-1].predict(ridge[0].transform(X), return_certificate=True)[1]
    np.testing.assert_array_equal(predicted, ridge.predict(X))
    np.testing.assert_array_equal(certified.structures, predicted)
    for field in ("value", "nu", "optimal", "upper_bound"):
        np.testing.assert_array_equal(getattr(certified, field), getattr(want, field))
    with pytest.raises(CapabilityError):
        ridge.predict(X, return_marginals=True)
    model = ProbabilisticStructured("permutations").set_output(predict="pandas").fit(X, y)
    predicted, certified, marginals = model.predict(X, return_certificate=True, return_marginals=True)
    assert predicted.equals(model.predict(X)) and certified.structures is predicted
    assert marginals.equals(model.predict_marginals(X)) and marginals.equals(model.predict(X, return_marginals=True)[1])
    sets = sparse.csr_array(y > 2)
    labels = StructuredRidge("labelsets").fit(X, sets.astype(int))
    predicted, certified = labels.predict(X, return_certificate=True)
    assert sparse.issparse(predicted) and (predicted != labels.predict(X)).nnz == 0 and certified.optimal.all()


def test_scores_decide_by_the_loss_whose_scores_they_are():
    """Scores of the loss "squared" are expectations, by which sets of rare labels would have all of them."""
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(60, 3)), (rng.random((60, 9)) < 0.11).astype(int)
    model = StructuredRidge("labelsets", decision="score").fit(X, y)
    assert model.loss_ == "auc" and model.predict(X).mean() < 0.3


def test_columns_of_observed_sets_are_matched_by_name():
    y = pd.DataFrame([[1, 0], [1, 1], [1, 0], [1, 1]], columns=["a", "b"])
    X = np.arange(4.0)[:, np.newaxis]
    observed = pd.DataFrame([[0, 1], [1, 1]], columns=["b", "a"])
    model = StructuredRidge(LabelSets(observed=observed)).fit(X, y)
    assert model.structure_.decode([[1.0, -1.0]]).tolist() == [[1, 0]]
    with pytest.raises(ValueError):
        StructuredRidge(LabelSets(observed=observed.rename(columns={"a": "c"}))).fit(X, y)


# Ranges of sizes and lengths, and subtrees of hierarchies, as conditions.

NODES = [-1, 0, 0, 1, 1, 2, 5]
#: Structures, and conditions that differ by row.
CONSTRAINED: list[tuple[Structure, list[dict[str, Any] | None]]] = [
    (LabelSets(5), [{"size": (1, 3)}, None, {"size": (0, 1), "forbidden": [2]}, {"size": (4, 5)}]),
    (LabelSets(6, size=3), [{"size": (1, 3)}, {"size": (3, 6), "required": [1]}]),
    (Cliques(6), [{"size": (1, 3)}, {"size": (4, 6), "required": [0]}, None]),
    (Subtrees(NODES), [{"size": (1, 3)}, {"size": (4, 6), "forbidden": [4]}, None]),
    (Cycles(6), [{"length": (2, 4)}, {"length": (5, 6), "start": 3}, None]),
    (DirectedCycles(5), [{"length": (2, 4)}, {"length": (4, 5), "required": [(1, 2)]}, None]),
    (Routes(5), [{"length": (2, 4)}, {"length": (4, 5), "start": 1, "end": 3}, None]),
    (Paths([(u, v) for v in range(6) for u in range(v)], 0, 5), [{"length": (2, 4)}, {"length": (4, 5)}, None]),
    (Hierarchy(NODES), [{"within": 2}, {"within": 4}, {"within": 0}, None]),
    (Hierarchy(NODES, allowed="leaves"), [{"within": 1}, {"within": 5}]),
]
MODELS = [
    StructuredRidge(loss="auc", alpha=0.1),
    StructuredRidge(loss="squared", alpha=0.1),
    ProbabilisticStructured(max_iter=20, tol=0.1),
    EmbeddingRegressor(regressor=Ridge()),
]


def names_of(case: Any) -> str:
    return repr(case) if isinstance(case, Structure) else ""


def values_of(fitted: Any, x: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """Return what a fitted estimator maximises for an input, of every row of ψ."""
    ((_, scores),) = fitted._score_blocks(x[np.newaxis])
    linear, magnitude = fitted._decoding_scores(scores)
    return psi @ linear[0] + (0.0 if magnitude is None else psi**2 @ np.ravel(magnitude))


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize(("structure", "rows"), CONSTRAINED, ids=names_of)
def test_estimators_predict_the_best_of_the_outputs_that_are_left(
    structure: Structure, rows: list[dict[str, Any] | None], model: Any
) -> None:
    rng = np.random.default_rng(20)
    X, y = rng.normal(size=(24, 3)), structure.sample(24, random_state=1)
    fitted = clone(model).set_params(structure=structure).fit(X, y)
    constraints = (rows * 12)[:24]
    predicted, certified = fitted.predict(X, constraints=constraints, return_certificate=True)
    assert certified.optimal.all() and (certified.upper_bound == certified.value).all()
    members = list(structure.enumerate())
    psi = structure.embed(members)
    for i, (found, constraint) in enumerate(zip(predicted, constraints, strict=True)):
        left = np.array([constraint is None or holds(structure, z, constraint) for z in members])
        assert constraint is None or holds(structure, found, constraint)
        values = values_of(fitted, X[i], psi)
        np.testing.assert_allclose(values_of(fitted, X[i], structure.embed([found])), values[left].max(), atol=1e-12)
        np.testing.assert_allclose(certified.value[i], values[left].max(), atol=1e-12)
    shared = fitted.predict(X, constraints=rows[0])
    assert all(holds(structure, z, rows[0] or {}) for z in shared)
    np.testing.assert_array_equal(shared[0], predicted[0])


def test_sets_of_largest_expected_f1_have_a_size_in_the_range() -> None:
    rng = np.random.default_rng(25)
    X, labels = rng.normal(size=(40, 2)), LabelSets(4)
    y = (X @ rng.normal(size=(2, 4)) + rng.normal(size=(40, 4)) > 0.3).astype(int)
    members = np.array(list(labels.enumerate()))
    both, sizes = members @ members.T, members.sum(axis=1)
    with np.errstate(invalid="ignore"):
        f1 = np.nan_to_num(2 * both / (sizes[:, np.newaxis] + sizes), nan=1.0)
    for structure in (labels, LabelSets(4, observed=members)):
        model = ProbabilisticStructured(structure, decision="f1").fit(X, y)
        for bounds in ((1, 2), (3, 4), (0, 1)):
            left = (bounds[0] <= sizes) & (sizes <= bounds[1])
            for x, found in zip(X, model.predict(X, constraints={"size": bounds}), strict=True):
                p = np.exp(model.log_proba(np.tile(x, (len(members), 1)), members))
                expected = f1 @ p
                at = int(np.flatnonzero((members == found).all(axis=1))[0])
                assert left[at] and abs(expected[at] - expected[left].max()) < 1e-12
