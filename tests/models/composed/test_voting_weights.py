"""StructuredVoting: weights of least loss and by the metric, against refits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize
from sklearn.base import clone

from averages import data, folded, neighbours, refitted
from combpred import (
    EmbeddingRegressor,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredVoting,
)
from combpred.structures import (
    Cliques,
    LabelSets,
    MultiClass,
    Ordinal,
    Permutations,
    WeakOrders,
)


@pytest.mark.parametrize("structure", [Permutations(4), LabelSets(3), Ordinal(4), WeakOrders(3), MultiClass(3)])
def test_weights_are_those_of_least_squares_on_left_out_rows(structure):
    X, y = data(structure)
    members = [
        ("ridge", StructuredRidge(structure, loss="squared")),
        ("search", StructuredRidgeCV(structure, losses=["squared"], kernels=["rbf"], gammas=[None], alphas=[0.1])),
        ("neighbours", neighbours()),
    ]
    voting = StructuredVoting(members).fit(X, y)
    assert voting.left_out_by_ == ["loo", "loo", "cv"]
    kernel = StructuredRidge(structure, loss="squared", kernel="rbf", alpha=0.1)
    left_out = [refitted(members[0][1], X, y), refitted(kernel, X, y), folded(neighbours(3, structure), X, y)]
    psi = structure.embed(y) - structure.mean()
    direct = lsq_linear(np.column_stack([each.ravel() for each in left_out]), psi.ravel(), bounds=(0, np.inf))
    np.testing.assert_allclose(voting.weights_, direct.x, atol=1e-6)
    average = sum(weight * each for weight, each in zip(voting.weights_, left_out, strict=True))
    np.testing.assert_allclose(voting.left_out_scores_, average, atol=1e-8)
    alone = [clone(model).set_params(structure=structure).fit(X, y).feature_scores(X) for _, model in members]
    expected = sum(weight * each for weight, each in zip(voting.weights_, alone, strict=True))
    np.testing.assert_allclose(voting.feature_scores(X), expected, atol=1e-10)


def test_weights_of_rows_weigh_their_errors():
    X, y = data(Permutations(4))
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    members = [(name, StructuredRidge(Permutations(4), kernel=name)) for name in ("linear", "rbf")]
    voting = StructuredVoting(members).fit(X, y, sample_weight=weights)
    root = np.repeat(np.sqrt(weights), 6)
    columns = [root * refitted(model, X, y, weights).ravel() for _, model in members]
    direct = lsq_linear(np.column_stack(columns), root * Permutations(4).embed(y).ravel(), bounds=(0, np.inf))
    np.testing.assert_allclose(voting.weights_, direct.x, atol=1e-6)
    np.testing.assert_allclose(voting.estimators_[0].coef_, members[0][1].fit(X, y, sample_weight=weights).coef_)


def test_rows_of_weight_zero_are_left_out_like_the_others():
    X, y = data(Permutations(4))
    weights = np.ones(len(X))
    weights[[3, 8, 9]] = 0
    members = [(name, StructuredRidge(Permutations(4), kernel=name)) for name in ("linear", "rbf")]
    voting = StructuredVoting(members).fit(X, y, sample_weight=weights)
    left_out = [refitted(model, X, y, weights) for _, model in members]
    average = sum(weight * each for weight, each in zip(voting.weights_, left_out, strict=True))
    np.testing.assert_allclose(voting.left_out_scores_, average, atol=1e-6)


def test_averages_under_the_auc_loss_minimise_it():
    structure = Cliques(4)
    X, y = data(structure)
    members = [(name, StructuredRidge(kernel=name, alpha=5.0)) for name in ("linear", "rbf")]
    voting = StructuredVoting(members, structure=structure, cv=5).fit(X, y)
    assert (voting.loss_, voting.decision_) == ("auc", "score")
    covariance, psi = structure.covariance(), structure.embed(y) - structure.mean()
    left_out = []
    for _, model in members:  # the estimates of leave-one-out, whose loss is to first order that of models without rows
        alone = StructuredRidgeCV(structure, alphas=[5.0], kernels=[model.kernel], gammas=[None], losses=[model.loss])
        left_out.append(alone.fit(X, y).loo_scores_)

    def loss(weights):
        f = sum(weight * each for weight, each in zip(weights, left_out, strict=True))
        return (np.einsum("ij,jk,ik->i", f, covariance, f) + (1 - np.einsum("ij,ij->i", psi, f)) ** 2).sum() / 2

    direct = minimize(loss, [1, 1], bounds=[(0, None)] * 2, tol=1e-12)
    np.testing.assert_allclose(loss(voting.weights_), direct.fun, rtol=1e-6)
    np.testing.assert_allclose(voting.weights_, direct.x, atol=1e-3)


def test_members_that_know_nothing_get_equal_weights():
    X, y = np.zeros((6, 1)), [[1, 2], [2, 1]] * 3
    voting = StructuredVoting([("a", StructuredRidge("permutations")), ("b", neighbours())]).fit(X, y)
    np.testing.assert_array_equal(voting.weights_, [0.5, 0.5])


def test_a_single_row_leaves_nothing_to_choose_by():
    with pytest.raises(ValueError):
        StructuredVoting([("a", EmbeddingRegressor(random_state=0))], structure="permutations").fit([[0.0]], [[1, 2]])
