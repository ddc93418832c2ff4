"""Targets that leave something open: sets of correct outputs, and rankings known in part."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score

import reference
from combpred import Admissible, StructuredRidge, StructuredRidgeCV, metrics
from combpred.structures import LabelSets, MultiClass, Ordinal, Permutations

N = 8


def sets_of(structure: Any, seed: int = 0) -> tuple[np.ndarray, list[Admissible], np.ndarray]:
    """Return inputs, sets of one to three members, and ψ of every member of the space."""
    rng = np.random.default_rng(seed)
    members = np.array(list(structure.enumerate()))
    y = [Admissible(members[rng.permutation(len(members))[: 1 + i % 3]]) for i in range(N)]
    return rng.normal(size=(N, 3)), y, structure.embed(members)


def minimise(kernel: np.ndarray, outputs: np.ndarray, sets: list[np.ndarray], alpha: float, loss: str, w: np.ndarray):
    """Return the scores at the minimum of the enumerated loss: each output of a set against all outputs not in it."""
    n, d = len(sets), outputs.shape[1]
    values, vectors = np.linalg.eigh(kernel)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    hessian, gradient = 2 * alpha * np.eye(n * d), np.zeros(n * d)
    for i, members in enumerate(sets):
        others = np.array([z for z in outputs if not (z == members).all(axis=1).any()])
        for psi in members:
            if loss == "squared":
                h, g = np.eye(d), psi - outputs.mean(axis=0)
            else:
                differences = others - psi
                h, g = differences.T @ differences / len(outputs), -differences.sum(axis=0) / len(outputs)
            hessian += w[i] * np.kron(np.outer(root[i], root[i]), h)
            gradient += w[i] * np.kron(root[i], g)
    return root @ np.linalg.solve(hessian, gradient).reshape(n, d)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("structure", [Permutations(4), LabelSets(4), Ordinal(9)], ids=lambda s: s.name)
@pytest.mark.parametrize("solver", ["closed-form", "cg", "newton-cg"])
def test_sets_minimise_the_enumerated_loss(structure, loss, weighted, solver):
    X, y, outputs = sets_of(structure)
    w = np.random.default_rng(1).uniform(0.5, 2.0, N) if weighted else np.ones(N)
    model = StructuredRidge(structure, alpha=0.3, kernel="rbf", gamma=0.5, loss=loss, solver=solver, tol=1e-10)
    model.fit(X, y, w if weighted else None)
    sets = [structure.embed(each.structures) for each in y]
    expected = minimise(rbf_kernel(X, gamma=0.5) + 1, outputs, sets, 0.3, loss, w)
    np.testing.assert_allclose(model.feature_scores(X), expected, atol=1e-6)


@pytest.mark.parametrize("structure", [Permutations(4), Ordinal(9)], ids=lambda s: s.name)
def test_sets_have_the_same_minimum_in_the_features(structure):
    X, y, _ = sets_of(structure)
    dual = StructuredRidge(structure, solver="closed-form").fit(X, y)
    primal = StructuredRidge(structure, solver="primal").fit(X, y)
    np.testing.assert_allclose(primal.feature_scores(X), dual.feature_scores(X), atol=1e-7)
    assert primal.objective_ == pytest.approx(dual.objective_, rel=1e-8)


def test_sets_of_one_output_are_that_output():
    X, _, _ = sets_of(Permutations(4))
    y = Permutations(4).sample(N, random_state=0)
    plain = StructuredRidge("permutations", kernel="rbf").fit(X, y)
    wrapped = StructuredRidge("permutations", kernel="rbf").fit(X, [Admissible([row]) for row in y])
    np.testing.assert_allclose(wrapped.dual_coef_, plain.dual_coef_, atol=1e-9)
    assert wrapped.objective_ == pytest.approx(plain.objective_, rel=1e-9)


def test_sets_of_labels_and_object_arrays():
    X = np.arange(5.0)[:, None]
    y = np.array([Admissible(["a"]), Admissible(["a", "b"]), *(Admissible([c]) for c in "cde")], dtype=object)
    model = StructuredRidge(MultiClass(), kernel="rbf", alpha=0.01).fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c", "d", "e"]
    assert model.predict(X)[[0, 2, 3, 4]].tolist() == ["a", "c", "d", "e"]
    assert model.score(X, y) == 1.0


def test_score_compares_with_the_best_match():
    y = [Admissible([[1, 2, 3], [3, 2, 1]]), Admissible([[1, 2, 3]])]
    predicted = [[3, 2, 1], [3, 2, 1]]
    assert Permutations(3).score(y, predicted) == 0.0
    assert Permutations(3).score(y, predicted, sample_weight=[3, 1]) == 0.5
    with pytest.raises(ValueError, match="y_true has 2 rows and y_pred 1"):
        Permutations(3).score(y, predicted[:1])


def test_columns_of_frames_in_sets_are_matched():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = pd.DataFrame(Permutations.from_scores(X @ rng.normal(size=(2, 4))), columns=["sushi", "tofu", "eel", "tea"])
    order = ["tea", "sushi", "eel", "tofu"]
    moved = [Admissible(y.iloc[[i]][order if i % 2 else list(y)]) for i in range(30)]
    arrays = [Admissible(y.iloc[[i]].to_numpy()) for i in range(30)]
    want = StructuredRidge(Permutations(labels=list(y))).fit(X, arrays)
    for structure in (Permutations(labels=list(y)), "permutations"):
        model = StructuredRidge(structure).fit(X, moved)
        assert model.structure_.labels == list(y)
        np.testing.assert_allclose(model.feature_scores(X), want.feature_scores(X), atol=1e-12)
        assert model.score(X, moved) == want.score(X, arrays) == model.score(X, y) > 0.8
    other = [*moved[:7], Admissible(y.iloc[[7]].rename(columns={"tea": "coffee"})), *moved[8:]]
    for sets in (other, [*moved[:7], arrays[7], *moved[8:]]):
        with pytest.raises(ValueError) as caught:
            StructuredRidge("permutations").fit(X, sets)
        assert caught.value.row == 7


def test_sets_pass_through_cross_validation():
    X, y, _ = sets_of(Permutations(4))
    model = StructuredRidge(Permutations(4), kernel="rbf")
    assert np.isfinite(cross_val_score(model, X, y, cv=2)).all()
    assert GridSearchCV(model, {"alpha": [0.1, 1.0]}, cv=2).fit(X, y).best_score_ <= 1
    assert StructuredRidgeCV(Permutations(), alphas=[0.1, 1.0], cv=2, kernels=["rbf"]).fit(X, y).alpha_ in (0.1, 1.0)
    with pytest.raises(ValueError):
        StructuredRidgeCV(Permutations(4)).fit(X, y)


def test_sets_can_be_compared_copied_and_shown():
    one = Admissible([[1, 2], [2, 1]])
    assert one == Admissible(np.array([[1, 2], [2, 1]]))
    assert one != Admissible([[1, 2]])
    assert one != [[1, 2], [2, 1]]
    assert pickle.loads(pickle.dumps(one)) == one
    assert repr(one) == "Admissible([[1, 2], [2, 1]])"


@pytest.mark.parametrize(
    "y",
    [
        [Admissible([[1, 2, 3]]), [1, 2, 3]],
        [Admissible([[1, 2, 3]]), Admissible([[1, 2, 3], [1, 1, 2]])],
        [Admissible([[1, 2, 3]]), Admissible([[1, 2, 3]] * 2)],
        [Admissible([[1, 2, 3]]), Admissible([[1, 2, 3], [2, 1, 3], [3, 1, 2]])],
    ],
)
def test_illegal_sets_are_refused_by_row(y):
    with pytest.raises(ValueError) as caught:
        StructuredRidge(Permutations(3), loss="auc").fit([[0.0], [1.0]], y)
    assert caught.value.row == 1


@pytest.mark.parametrize("outputs", [[], 3, "abc", np.empty((0, 3))])
def test_sets_need_outputs(outputs):
    with pytest.raises(ValueError):
        Admissible(outputs)


# Rankings known in part.


def completions(row: np.ndarray, members: np.ndarray) -> np.ndarray:
    known = np.flatnonzero(row > 0)
    order = np.sign(row[known][:, None] - row[known])
    agree = [(np.sign(m[known][:, None] - m[known]) == order).all() for m in members]
    return members[agree]


@pytest.mark.parametrize("missing", [-1, np.nan])
@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_a_partial_ranking_is_the_mean_of_its_completions(loss, missing):
    rng = np.random.default_rng(0)
    structure = Permutations(4)
    members = np.array(list(structure.enumerate()))
    y = members[rng.integers(len(members), size=N)].astype(float)
    y[rng.random(y.shape) < 0.4] = missing
    X = rng.normal(size=(N, 2))
    psi = np.array([structure.embed(completions(np.nan_to_num(row, nan=-1), members)).mean(axis=0) for row in y])
    model = StructuredRidge("permutations", kernel="rbf", gamma=0.5, loss=loss, alpha=0.2).fit(X, y)
    kernel = rbf_kernel(X, gamma=0.5) + 1
    expected = reference.minimise(kernel, structure.embed(members), psi, alpha=0.2, loss=loss)
    np.testing.assert_allclose(model.feature_scores(X), expected, atol=1e-7)


def test_only_the_order_of_known_labels_counts():
    X = np.arange(4.0)[:, None]
    one = StructuredRidge("permutations").fit(X, [[1, -1, 2], [1, 2, 3], [3, 2, 1], [-1, -1, -1]])
    other = StructuredRidge("permutations").fit(X, [[1, -1, 3], [1, 2, 3], [3, 2, 1], [-1, 2, -1]])
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_kendall_tau_leaves_unknown_labels_out():
    truth, predicted = [[1, 2, 3, -1], [-1, 4, -1, -1], [2, 1, 3, 4]], [[1, 2, 4, 3], [1, 2, 3, 4], [1, 2, 3, 4]]
    values = metrics.kendall_tau(truth, predicted, per_row=True)
    assert np.isnan(values[1])
    np.testing.assert_allclose(values[[0, 2]], [1.0, 2 / 3])
    assert metrics.kendall_tau(truth, predicted) == pytest.approx(5 / 6)
    assert metrics.kendall_tau(truth, predicted, sample_weight=[1, 9, 3]) == pytest.approx(0.75)
    assert Permutations(4).score(truth, predicted) == pytest.approx(5 / 6)
    with pytest.raises(ValueError):
        metrics.kendall_tau([[-1, 1, -1]], [[1, 2, 3]])


@pytest.mark.parametrize(
    "row",
    [
        [2, -1, 2, 3],
        [1, 2, -1, 2],
        [1, 2, np.nan, 2],
        [5, -1, 2, 1],
        [0, -1, 2, 1],
        [1.5, -1, 2, 1],
    ],
)
def test_illegal_partial_rankings_are_refused_by_row(row):
    with pytest.raises(ValueError) as caught:
        StructuredRidge(Permutations(4)).fit([[0.0], [1.0]], [[1, 2, 3, 4], row])
    assert caught.value.row == 1
