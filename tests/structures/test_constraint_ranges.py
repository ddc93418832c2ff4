"""Ranges of sizes and lengths, and subtrees of hierarchies, as conditions on predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge

from combpred import CapabilityError, EmbeddingRegressor, ProbabilisticStructured, StructuredRidge
from combpred.structures import (
    Cliques,
    Cycles,
    DirectedCycles,
    Hierarchy,
    LabelSets,
    Paths,
    Routes,
    Structure,
    Subtrees,
)
from constraint_oracle import holds

TREE = [-1, 0, 0, 1, 1, 2, 5]
#: Structures, and conditions that differ by row.
CASES: list[tuple[Structure, list[dict[str, Any] | None]]] = [
    (LabelSets(5), [{"size": (1, 3)}, None, {"size": (0, 1), "forbidden": [2]}, {"size": (4, 5)}]),
    (LabelSets(6, size=3), [{"size": (1, 3)}, {"size": (3, 6), "required": [1]}]),
    (Cliques(6), [{"size": (1, 3)}, {"size": (4, 6), "required": [0]}, None]),
    (Subtrees(TREE), [{"size": (1, 3)}, {"size": (4, 6), "forbidden": [4]}, None]),
    (Cycles(6), [{"length": (2, 4)}, {"length": (5, 6), "start": 3}, None]),
    (DirectedCycles(5), [{"length": (2, 4)}, {"length": (4, 5), "required": [(1, 2)]}, None]),
    (Routes(5), [{"length": (2, 4)}, {"length": (4, 5), "start": 1, "end": 3}, None]),
    (Paths([(u, v) for v in range(6) for u in range(v)], 0, 5), [{"length": (2, 4)}, {"length": (4, 5)}, None]),
    (Hierarchy(TREE), [{"within": 2}, {"within": 4}, {"within": 0}, None]),
    (Hierarchy(TREE, allowed="leaves"), [{"within": 1}, {"within": 5}]),
]
MODELS = [
    StructuredRidge(loss="auc", alpha=0.1),
    StructuredRidge(loss="squared", alpha=0.1),
    ProbabilisticStructured(max_iter=20, tol=0.1),
    EmbeddingRegressor(Ridge()),
]


def names_of(case: Any) -> str:
    return repr(case) if isinstance(case, Structure) else ""


def values_of(fitted: Any, x: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """Return what a fitted estimator maximises for an input, of every row of ψ."""
    ((_, scores),) = fitted._score_blocks(x[np.newaxis])
    linear, magnitude = fitted._decoding_scores(scores)
    return psi @ linear[0] + (0.0 if magnitude is None else psi**2 @ np.ravel(magnitude))


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize(("structure", "rows"), CASES, ids=names_of)
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


# Decoders.


@pytest.mark.parametrize("structure", [Cycles(6), DirectedCycles(6), Routes(5)], ids=repr)
def test_integer_programs_keep_to_a_range_of_lengths(structure: Structure) -> None:
    rng = np.random.default_rng(21)
    members = list(structure.enumerate())
    psi = structure.embed(members)
    for bounds in ((2, 4), (4, 5), (5, 5), (0, 3), (3, 9)):
        scores = rng.normal(size=structure.n_features)
        left = np.array([holds(structure, z, {"length": bounds}) for z in members])
        for decoder in ("milp", "exact"):
            found = structure.decode(scores, constraints={"length": bounds}, decoder=decoder)
            assert holds(structure, found, {"length": bounds})
            assert abs((structure.embed([found]) @ scores)[0] - (psi[left] @ scores).max()) < 1e-10


@pytest.mark.parametrize(
    ("structure", "constraint"),
    [
        (Routes(40), {"length": (20, 25), "start": 3}),
        (Cycles(40), {"length": (20, 25), "start": 3}),
        (DirectedCycles(40), {"length": (20, 25), "required": [(1, 2)]}),
        (Cliques(80), {"size": (30, 35), "required": [3, 4]}),
    ],
    ids=names_of,
)
def test_searches_keep_to_ranges(structure: Structure, constraint: dict[str, Any]) -> None:
    scores = np.random.default_rng(22).normal(size=(2, structure.n_features))
    for decoder in ("auto", "local-search"):
        for found in structure.decode(scores, constraints=constraint, decoder=decoder):
            assert holds(structure, found, constraint)


def test_numbers_that_are_equal_are_one_number() -> None:
    scores = np.random.default_rng(23).normal(size=(5, Routes(5).n_features))
    alone = Routes(5).decode(scores, constraints={"length": 3})
    for same in ((3, 3), [3, 3], (np.int64(3), 3), np.array([3, 3])):
        np.testing.assert_array_equal(Routes(5).decode(scores, constraints={"length": same}), alone)


def test_large_sets_take_ranges() -> None:
    """The best sets are the positive scores, cut or filled up to the nearest bound."""
    scores = np.random.default_rng(24).normal(size=5000)
    order, positive = np.argsort(-scores), int((scores > 0).sum())
    for bounds in ((0, 100), (4000, 5000), (0, 5000), (0, 2**31 - 1)):
        size = min(max(positive, bounds[0]), bounds[1])
        found = LabelSets(5000).decode(scores, constraints={"size": bounds})
        np.testing.assert_array_equal(np.flatnonzero(found), np.sort(order[:size]))


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


# Subtrees by name.


def test_predictions_are_held_to_a_subtree_by_its_name() -> None:
    animals = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal", "cod": "fish"}
    below = {"mammal": {"mammal", "cat", "dog"}, "fish": {"fish", "cod"}, "cod": {"cod"}}
    X = np.random.default_rng(26).normal(size=(30, 2))
    y = np.array(["cat", "dog", "cod", "fish", "mammal", "animal"] * 5)
    model = StructuredRidge(Hierarchy(animals), alpha=0.1).fit(X, y)
    names = [*below, None] * 7 + ["cod", None]
    predicted = model.predict(X, constraints=[None if name is None else {"within": name} for name in names])
    assert all(found in below[name] for found, name in zip(predicted, names, strict=True) if name is not None)
    free = model.predict(X)
    np.testing.assert_array_equal(predicted[3::4], free[3::4])
    assert set(model.predict(X, constraints={"within": "mammal"})) <= below["mammal"]
    np.testing.assert_array_equal(model.predict(X, constraints={"within": "animal"}), free)


# Refusals.

NAMED = Hierarchy({"cat": "mammal", "dog": "mammal", "mammal": "animal"}, allowed=["mammal", "dog", "animal"])


@pytest.mark.parametrize(
    ("structure", "constraint", "error", "message"),
    [
        (LabelSets(4), {"size": (3, 1)}, ValueError, "'size' goes from 3 to 1; put the smaller number first"),
        (LabelSets(4), {"size": (5, 6)}, ValueError, r"'size' goes from 5 to 6; it is the number of labels, 0\.\.4"),
        (LabelSets(4), {"size": (-1, 2)}, ValueError, r"'size' is \(-1, 2\); .* from 0 on"),
        (LabelSets(4), {"size": (1, 2, 3)}, TypeError, r"'size' is \(1, 2, 3\); it is the number .* or \(least, most\)"),
        (LabelSets(4), {"size": (1.0, 2)}, TypeError, r"'size' is \(1\.0, 2\)"),
        (LabelSets(4), {"size": (True, 2)}, TypeError, r"'size' is \(True, 2\)"),
        (LabelSets(4), {"size": (None, 2)}, TypeError, r"'size' is \(None, 2\)"),
        (LabelSets(4, size=2), {"size": (3, 4)}, ValueError, "'size' leaves out 2, but all sets have 2 labels"),
        (LabelSets(4), {"size": (0, 1), "required": [1, 2]}, ValueError, "2 labels are required.*the size is 1 at most"),
        (LabelSets(labels=["a", "b", "c"]), {"size": (2, 1)}, ValueError, "'size' goes from 2 to 1"),
        (LabelSets(3, observed=[[0, 0, 0], [1, 1, 0]]), {"size": (3, 3)}, ValueError, "none of the 2 observed sets"),
        (Cliques(4), {"size": (3, 1)}, ValueError, "'size' goes from 3 to 1"),
        (Cliques(4), {"size": (3, 4), "forbidden": [0, 1]}, ValueError, "leaves 2 vertices, but the size is 3 at least"),
        (Subtrees([-1, 0, 1]), {"size": (5, 9)}, ValueError, r"it is the number of nodes, 0\.\.3"),
        (Subtrees([-1, 0, 1]), {"size": (0, 0)}, ValueError, "the size is 0 at most"),
        (Routes(5), {"length": (4, 2)}, ValueError, "'length' goes from 4 to 2"),
        (Routes(5), {"length": (0, 1)}, ValueError, r"'length' goes from 0 to 1; it is the number of places .*, 2\.\.5"),
        (Routes(5), {"length": (6, 7)}, ValueError, r"'length' goes from 6 to 7; it is the number of places .*, 2\.\.5"),
        (Routes(5), {"length": (-2, 3)}, ValueError, r"'length' is \(-2, 3\); .* from 0 on"),
        (Routes(places=["a", "b", "c"]), {"length": (3, 2)}, ValueError, "'length' goes from 3 to 2"),
        (Cycles(5), {"length": (1, 2)}, ValueError, r"'length' goes from 1 to 2; it is the number of vertices .*, 3\.\.5"),
        (Cycles(5), {"length": (3, 4), "forbidden": [0, 1, 2]}, ValueError, "'forbidden' leaves 2 vertices, 3 are"),
        (DirectedCycles(5), {"length": (5, 4)}, ValueError, "'length' goes from 5 to 4"),
        (Paths.grid(3, 3), {"length": (3, 2)}, ValueError, "'length' goes from 3 to 2"),
        (Paths.grid(3, 3), {"length": (10, 12)}, ValueError, r"it is the number of arcs that a path takes, 0\.\.9"),
        (Paths.grid(3, 3), {"length": (1, 3)}, ValueError, "no output of Paths satisfies"),
        (Hierarchy(TREE), {"within": 7}, ValueError, r"'within' holds 7; nodes are whole numbers 0\.\.6"),
        (Hierarchy(TREE), {"within": -1}, ValueError, "'within' holds -1"),
        (Hierarchy(TREE), {"within": [1]}, TypeError, r"'within' holds \[1\]"),
        (Hierarchy(TREE), {"inside": 1}, ValueError, "Hierarchy takes no key 'inside'; its keys are 'within'"),
        (NAMED, {"within": "mamal"}, ValueError, "'within' holds 'mamal'; the nodes are .*; did you mean 'mammal'"),
        (NAMED, {"within": "cat"}, ValueError, "'within' is node 'cat', and no node of its subtree is allowed"),
        (Hierarchy(TREE, allowed=[1]), {"within": 2}, ValueError, "'within' is node 2, and no node"),
    ],
)
def test_ranges_and_nodes_that_are_not_legal_are_refused_by_row(
    structure: Structure, constraint: dict[str, Any], error: type[Exception], message: str
) -> None:
    y = structure.sample(12, random_state=0)
    X = np.random.default_rng(27).normal(size=(12, 2))
    model = StructuredRidge(structure).fit(X, y)
    for predict in (
        lambda constraints: structure.decode(np.zeros((3, structure.n_features)), constraints=constraints),
        lambda constraints: model.predict(X[:3], constraints=constraints),
    ):
        with pytest.raises(error, match=f"^constraints.*: .*{message}"):
            predict(constraint)
        with pytest.raises(error, match=f"^constraints, row 2: .*{message}"):
            predict([None, {}, constraint])


def test_the_row_is_named_whatever_the_decoder() -> None:
    scores = np.zeros((3, Routes(5).n_features))
    for decoder in ("auto", "exact", "local-search", "milp"):
        with pytest.raises(ValueError, match="^constraints, row 1: 'length' goes from 4 to 2"):
            Routes(5).decode(scores, constraints=[{"length": (2, 4)}, {"length": (4, 2)}, None], decoder=decoder)
    with pytest.raises(ValueError, match=r"^constraints, row 2: no output of Routes satisfies {'length': \(2, 3\)"):
        wanted = {"length": (2, 3), "required": [(1, 2), (2, 1)]}
        Routes(5).decode(scores, constraints=[None, {"length": (2, 4)}, wanted], decoder="milp")
    with pytest.raises(CapabilityError, match="decoder='metropolis' takes no constraints"):
        LabelSets(4).decode(np.zeros(4), constraints={"size": (1, 2)}, decoder="metropolis")
