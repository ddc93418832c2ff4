"""Linear-chain conditional random fields: `ProbabilisticStructured` on paths with tied arcs."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from combpred import ProbabilisticStructured
from combpred.structures import Paths


def test_a_chain_of_one_label_is_logistic_regression():
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    # Two arcs for each label, of which the second are all of one group: its entry of ψ is 1 in all paths.
    arcs = [(0, 1 + k) for k in range(3)] + [(1 + k, 4) for k in range(3)]
    chain = Paths(arcs, 0, 4, tied=[0, 1, 2, 3, 3, 3])
    field = ProbabilisticStructured(chain, alpha=0.5, fit_intercept=False, tol=1e-9).fit(X, np.c_[y, y + 3])
    # α‖W‖² beside the sum of losses is scikit-learn's ½‖W‖² beside C times it for C = 1/(2α).
    regression = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(field.coef_[:3], regression.coef_, atol=1e-4)
    np.testing.assert_allclose(field.coef_[3], 0.0, atol=1e-9)
    np.testing.assert_allclose(field.predict_marginals(X)[:, :3], regression.predict_proba(X), atol=1e-4)


def test_a_chain_has_the_largest_likelihood_over_all_sequences():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(12, 2)), rng.integers(2, size=(12, 3))
    chain = Paths.trellis(3, 2)
    field = ProbabilisticStructured(chain, alpha=0.3, tol=1e-9).fit(X, Paths.from_labels(labels, 2))
    # ψ written out: labels by step, then how often each pair follows.
    every = list(itertools.product(range(2), repeat=3))
    outputs = np.array(
        [
            [float(s[t] == k) for t in range(3) for k in range(2)]
            + [float(sum(s[t] == k and s[t + 1] == m for t in range(2))) for k in range(2) for m in range(2)]
            for s in every
        ]
    )
    psi = outputs[[every.index(tuple(row)) for row in labels.tolist()]]
    inputs = np.column_stack([X, np.ones(12)])

    def loss(flat):
        f = inputs @ flat.reshape(3, 10)
        scores = f @ outputs.T
        value = np.sum(logsumexp(scores, axis=1) - (f * psi).sum(axis=1)) + 0.3 * flat @ flat
        p = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        return value, (inputs.T @ (p @ outputs - psi) + 0.6 * flat.reshape(3, 10)).ravel()

    best = minimize(loss, np.zeros(30), jac=True, method="BFGS", options={"gtol": 1e-9})
    W = np.vstack([field.coef_.T, field.intercept_])
    np.testing.assert_allclose(W, best.x.reshape(3, 10), atol=1e-5)
