"""The structured perceptron against one written out, and against the bound on its mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from combpred import CapabilityError
from combpred._lib.errors import RowError
from combpred.baselines import StructuredPerceptron
from combpred.structures import Custom, DirectedCycles, Graphs, LabelSets, MultiClass, Permutations, Tournaments

SPACES = [Permutations(4), LabelSets(4), LabelSets(5, size=2), MultiClass(4), Tournaments(3), DirectedCycles(4)]


def members(structure):
    return np.concatenate([structure.space.embed(parts) for parts in structure.space.listed()])


def separable(structure, n=25, p=3, seed=0):
    """Return inputs, the outputs of largest score under a hidden scorer, and the largest bound that it gives."""
    rng = np.random.default_rng(seed)
    X, W = rng.normal(size=(n, p)), rng.normal(size=(p, structure.n_features))
    scores = X @ W
    outputs = members(structure)
    values = np.sort(scores @ outputs.T, axis=1)
    return X, structure.decode(scores), W, float((values[:, -1] - values[:, -2]).min())


@pytest.mark.parametrize("average", [True, False])
def test_it_is_the_perceptron(average):
    structure = Permutations(3)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 2)), structure.sample(8, 0)
    psi, outputs = structure.embed(y), members(structure)
    model = StructuredPerceptron(structure, max_iter=5, average=average, shuffle=False).fit(X, y)
    inputs, W = np.hstack([X, np.ones((8, 1))]), np.zeros((3, 3))
    total, mistakes, radius = np.zeros((3, 3)), 0, 0.0
    first = structure.embed(structure.decode(np.zeros((1, 3))))[0]  # all outputs score alike in the first step
    for step in range(40):
        x, own = inputs[step % 8], psi[step % 8]
        best = outputs[np.argmax(outputs @ (W.T @ x))] if W.any() else first
        if (best != own).any():
            W = W + np.outer(x, own - best)
            mistakes += 1
            radius = max(radius, np.linalg.norm(np.outer(x, own - best)))
        total += W
    expected = total / 40 if average else W
    np.testing.assert_allclose(np.vstack([model.coef_.T, model.intercept_]), expected, atol=1e-12)
    assert model.n_mistakes_ == mistakes
    assert model.radius_ == pytest.approx(radius)


def test_the_average_counts_the_passes_that_would_change_nothing():
    X, y, _, _ = separable(Permutations(4), n=8)
    model = StructuredPerceptron(Permutations(4), max_iter=30, shuffle=False).fit(X, y)
    assert model.separated_ and model.n_iter_ < 30
    made = StructuredPerceptron(Permutations(4), shuffle=False)
    for _ in range(30):
        made.partial_fit(X, y)
    np.testing.assert_allclose(model.coef_, made.coef_, atol=1e-12)
    assert model.state_.n_visits == made.state_.n_visits == 240


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("structure", SPACES)
def test_mistakes_on_separable_data_never_exceed_the_bounds(structure, seed):
    X, y, W, margin = separable(structure, seed=seed)
    model = StructuredPerceptron(structure, fit_intercept=False, max_iter=20_000, random_state=seed).fit(X, y)
    assert model.separated_
    # Novikoff's theorem with the hidden scorer, and the bound by the scorer that was found.
    assert model.n_mistakes_ <= (model.radius_ * np.linalg.norm(W) / margin) ** 2
    assert model.n_mistakes_ <= model.mistake_bound_ < np.inf
    last = StructuredPerceptron(structure, fit_intercept=False, max_iter=20_000, average=False, random_state=seed)
    assert last.fit(X, y).score(X, y) == pytest.approx(1.0)


@pytest.mark.parametrize("structure", SPACES)
def test_the_bound_follows_from_the_least_ratio_of_margin_and_loss(structure):
    X, y, _, _ = separable(structure)
    model = StructuredPerceptron(structure, fit_intercept=False, max_iter=20_000, random_state=0, average=False)
    model.fit(X, y)
    psi, outputs, W = structure.embed(y), members(structure), model.coef_.T
    margins = np.einsum("nd,nNd->nN", X @ W, psi[:, np.newaxis] - outputs[np.newaxis])
    losses = structure.space.loss("hamming").between(psi[:, np.newaxis], outputs[np.newaxis])
    ratio = (margins[losses > 0] / losses[losses > 0]).min()
    kind = structure.space.entry_kind
    squared, least = (1.0 if kind == "bits" else 2.0), (2.0 if kind == "signs" else 1.0)
    bound = squared * np.sum(W**2) * np.square(X).sum(axis=1).max() / (least * ratio**2)
    assert model.mistake_bound_ == pytest.approx(bound, rel=1e-8)


def test_unequal_weights_loosen_the_bound_and_no_separation_leaves_none():
    X, y, _, _ = separable(Permutations(4))
    weights = np.linspace(0.1, 1.0, len(X))
    model = StructuredPerceptron("permutations", max_iter=20_000, random_state=0).fit(X, y, sample_weight=weights)
    assert model.separated_ and model.n_mistakes_ <= model.mistake_bound_
    noisy = StructuredPerceptron("permutations", max_iter=5, random_state=0).fit(np.zeros((2, 1)), [[1, 2], [2, 1]])
    assert not noisy.separated_ and np.isnan(noisy.mistake_bound_)


def test_mini_batches_are_passes():
    X, y, _, _ = separable(Permutations(4))
    whole = StructuredPerceptron("permutations", max_iter=3, shuffle=False).fit(X, y)
    mini_batches = StructuredPerceptron("permutations", shuffle=False)
    for _ in range(3):
        mini_batches.partial_fit(X[:10], y[:10]).partial_fit(X[10:], y[10:])
    np.testing.assert_allclose(mini_batches.coef_, whole.coef_, atol=1e-12)
    assert mini_batches.n_mistakes_ == whole.n_mistakes_ and mini_batches.n_iter_ == 6
    assert mini_batches.state_.n_visits == 75
    more = StructuredPerceptron("permutations", max_iter=2, shuffle=False).fit(X, y).partial_fit(X, y)
    np.testing.assert_allclose(more.coef_, whole.coef_, atol=1e-12)
    with pytest.raises(ValueError):
        StructuredPerceptron("permutations", kernel="rbf").partial_fit(X, y)
    with pytest.raises(ValueError):
        StructuredPerceptron().partial_fit([[0.0], [1.0]], np.array(["a", "b"]))
    with pytest.raises(ValueError):
        more.set_params(fit_intercept=False).partial_fit(X, y)


def test_the_kernel_form_makes_the_same_mistakes():
    X, y, _, _ = separable(Permutations(4))
    primal = StructuredPerceptron("permutations", max_iter=4, shuffle=False).fit(X, y)
    dual = StructuredPerceptron("permutations", max_iter=4, shuffle=False, kernel="precomputed").fit(X @ X.T, y)
    assert dual.n_mistakes_ == primal.n_mistakes_
    np.testing.assert_allclose(dual.feature_scores(X @ X.T), primal.feature_scores(X), atol=1e-8)
    assert StructuredPerceptron("permutations", kernel="rbf", average=False, max_iter=1000).fit(X, y).score(X, y) == 1.0


def test_spaces_that_only_python_decodes_are_learnt_the_same():
    sets = Custom(
        log_count=3 * np.log(2), mean=[0.5] * 3, second_moment=np.full((3, 3), 0.25) + np.eye(3) / 4,
        embed=np.asarray, decode=lambda scores: (scores > 0).astype(int),
    )  # fmt: skip
    X, y, _, _ = separable(LabelSets(3))
    ours = StructuredPerceptron(sets, max_iter=3, random_state=0).fit(X, y)
    theirs = StructuredPerceptron(LabelSets(3), max_iter=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-12)
    assert ours.n_mistakes_ == theirs.n_mistakes_ and ours.radius_ == pytest.approx(theirs.radius_)


def test_approximate_decoding_learns_and_is_no_proof_of_separation():
    X, y, _, _ = separable(Graphs(3))
    drawn = StructuredPerceptron(Graphs(3), n_candidates=3, max_iter=30, random_state=0).fit(X, y)
    assert not drawn.separated_ and drawn.n_iter_ == 30
    assert drawn.score(X, y) > 0.9  # the share of edges; by chance one half
    rankings, order, _, _ = separable(Permutations(6), n=10)
    near = StructuredPerceptron("permutations", decoder="approx", max_iter=500, random_state=0).fit(rankings, order)
    assert np.isnan(near.mistake_bound_)


def test_targets_that_tell_no_mistakes_are_refused():
    with pytest.raises(RowError) as caught:
        StructuredPerceptron("permutations").fit([[0.0], [1.0]], [[1, 2, 3], [1, -1, 2]])
    assert (caught.value.argument, caught.value.row) == ("y", 1)
    blind = Custom(log_count=np.log(2), mean=[0.5], second_moment=[[0.5]], embed=lambda y: np.array([float(y)]))
    with pytest.raises(CapabilityError):
        StructuredPerceptron(blind).fit([[0.0], [1.0]], [0, 1])
