"""Sets of outputs against lists of all outputs: what they contain, their sizes, masks and draws."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from combpred import CapabilityError, ConformalStructured, StructuredSet, structures
from enumerable import INSTANCES
from given_models import Given, drawn

REFUSED = (structures.PartialOrders, structures.DirectedCycles)
SINGLE = (structures.MultiClass, structures.Ordinal, structures.Hierarchy, structures.PosetElements)
SMALL = [
    structure
    for structure, _ in INSTANCES
    if not isinstance(structure, (*REFUSED, structures.Custom))
    and getattr(structure, "tied", None) is None
    and 1 < structure.count() <= 400
]


def listed(structure: Any) -> tuple[list[Any], Any]:
    """Return all outputs, and their ψ."""
    outputs = list(structure.enumerate())
    return outputs, structure.embed(np.array(outputs))


def least(structure: Any, psi: Any, x: Any) -> Any:
    """Return the least probability of a part of each output, by sums over all that share it."""
    p = np.exp(psi @ x)
    p /= p.sum()
    if isinstance(structure, SINGLE):
        return p
    shared = psi[:, None, :] == psi[None, :, :]
    return np.einsum("abj,b->aj", shared, p).min(axis=1)


def calibrated(structure: Any, threshold: float | None = None, n: int = 40) -> tuple[ConformalStructured, Any]:
    X, y = drawn(structure, n)
    model = ConformalStructured(Given(structure), alpha=0.3).fit(X, y)
    if threshold is not None:
        model.thresholds_["all"] = threshold
    return model, X


@pytest.mark.parametrize("structure", SMALL)
def test_sets_hold_the_outputs_without_an_improbable_part(structure: Any) -> None:
    outputs, psi = listed(structure)
    model, X = calibrated(structure)
    q = model.thresholds_["all"]
    rows = model.predict_set(X[:6])
    for x, each in zip(X, rows, strict=False):
        m = least(structure, psi, x)
        assert isinstance(each, StructuredSet)
        inside = [each.contains(output) for output in outputs]
        clear = np.abs(m - q) > 1e-8
        np.testing.assert_array_equal(np.array(inside)[clear], (m >= q)[clear])
        size = sum(inside)
        assert each.log_size == (pytest.approx(math.log(size), abs=1e-9) if size else -math.inf)


@pytest.mark.parametrize("structure", SMALL)
def test_masks_say_which_outputs_are_in(structure: Any) -> None:
    outputs, psi = listed(structure)
    model, X = calibrated(structure)
    for each in model.predict_set(X[:6]):
        inside = np.array([each.contains(output) for output in outputs])
        mask = each.mask
        if isinstance(structure, SINGLE):
            left = {each.names()[i] for i in np.flatnonzero(mask >= 0)}
            assert left == {output for output, here in zip(outputs, inside, strict=True) if here}
            assert (mask == 1).sum() == (inside.sum() == 1)
        elif mask.ndim == 1:
            agree = ((mask == 0) | (psi == (mask + 1) / 2)).all(axis=1)
            assert not inside[~agree].any()
            if inside.any():
                np.testing.assert_array_equal(agree, inside)
        else:
            pairs = np.triu_indices(mask.shape[-1], 1)
            may = mask if mask.ndim == 3 else np.stack([mask, np.zeros_like(mask)])
            signs = psi[:, : len(pairs[0])]
            there, back, level = may[0][pairs], may[0].T[pairs], may[1][pairs]
            agree = np.where(signs > 0, there, np.where(signs < 0, back, level)).all(axis=1)
            np.testing.assert_array_equal(agree, inside)
        assert len(each.names()) == mask.shape[-1]
        assert each.to_frame().shape[0] == mask.shape[-1]


@pytest.mark.parametrize("structure", SMALL)
def test_draws_are_uniform(structure: Any) -> None:
    """A correct sampler fails with a probability of 1e-5 each."""
    outputs, psi = listed(structure)
    model, X = calibrated(structure)
    sets = model.predict_set(X)
    at = int(np.argmax(np.where(np.isfinite(sets.log_size), sets.log_size, -1)))
    inside = np.array([sets[at].contains(output) for output in outputs])
    n = 30 * int(inside.sum())
    found = structure.embed(sets[at].sample(n, random_state=5))
    number = np.argmin(((found[:, None] - psi[inside]) ** 2).sum(axis=2), axis=1)
    np.testing.assert_allclose(psi[inside][number], found)
    _, kinds = np.unique(psi[inside], axis=0, return_inverse=True)  # outputs of the same ψ count together
    expected = np.bincount(np.ravel(kinds)) * 30
    counts = np.bincount(np.ravel(kinds)[number], minlength=len(expected))
    assert ((counts - expected) ** 2 / expected).sum() <= chi2.ppf(1 - 1e-5, max(len(expected) - 1, 1))


@pytest.mark.parametrize("structure", SMALL)
def test_sets_shrink_as_thresholds_grow(structure: Any) -> None:
    model, X = calibrated(structure)
    y = structure.sample(len(X), random_state=1)
    before = None
    for q in (0.0, 0.01, 0.1, 0.3, 0.6):
        model.thresholds_["all"] = q
        sets = model.predict_set(X)
        inside = sets.contains(y)
        if q == 0:
            np.testing.assert_allclose(sets.log_size, math.log(structure.count()), atol=1e-9)
        if before is not None:
            assert not (inside & ~before[0]).any()
            assert (sets.log_size <= before[1] + 1e-9).all()
        before = inside, sets.log_size


def test_an_empty_set_contains_nothing() -> None:
    rankings = structures.Permutations(3)
    model, _ = calibrated(rankings, 0.6)
    empty = model.predict_set(np.zeros((1, 3)))[0]
    assert empty.log_size == -math.inf
    assert not empty.contains([1, 2, 3])
    assert repr(empty).startswith("StructuredSet of 0 outputs")
    with pytest.raises(ValueError) as raised:
        empty.sample(1)
    assert raised.value.row == 0  # type: ignore[attr-defined]


def test_sets_are_a_sequence_and_come_back_from_pickles() -> None:
    rankings = structures.Permutations(3)
    model, X = calibrated(rankings)
    sets = model.predict_set(X)
    assert len(sets) == len(X) == len(list(sets))
    assert sets[-1].log_size == sets.log_size[-1]
    np.testing.assert_array_equal(sets[3:7].log_size, sets.log_size[3:7])
    with pytest.raises(IndexError):
        sets[len(X)]
    again = pickle.loads(pickle.dumps(sets))
    np.testing.assert_array_equal(again.log_size, sets.log_size)
    np.testing.assert_array_equal(again[2].mask, sets[2].mask)
    assert repr(sets).startswith(f"StructuredSets of {len(X)} rows")
    with pytest.raises(ValueError):
        sets.contains([[1, 2, 3]])
    with pytest.raises(ValueError) as raised:
        sets.contains([[1, 2, 3]] * 4 + [[1, 1, 2]] + [[1, 2, 3]] * (len(X) - 5))
    assert raised.value.row == 4  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("structure", "constraint", "satisfied"),
    [
        (structures.Permutations(4), {"first": 1}, lambda y: y[1] == 1),
        (structures.LabelSets(4), {"size": (1, 2), "required": [0]}, lambda y: y[0] == 1 and y.sum() <= 2),
        (structures.Hierarchy([-1, 0, 0, 1, 1]), {"within": 1}, lambda y: y in (1, 3, 4)),
        (structures.Assignments(3), {"forbidden": [(0, 0)]}, lambda y: y[0] != 0),
    ],
)
def test_constraints_leave_what_satisfies_them(structure: Any, constraint: Any, satisfied: Any) -> None:
    outputs, _ = listed(structure)
    model, X = calibrated(structure)
    rows = [constraint if i % 2 else None for i in range(len(X))]
    free, held = model.predict_set(X), model.predict_set(X, constraints=rows)
    for i in (0, 1, 2, 3):
        wanted = [free[i].contains(output) and (i % 2 == 0 or satisfied(output)) for output in outputs]
        assert [held[i].contains(output) for output in outputs] == wanted
        assert round(np.exp(held[i].log_size)) == sum(wanted)
    for each in held[1:4:2]:
        if each.log_size > -math.inf:
            assert all(satisfied(output) for output in each.sample(20, random_state=0))
    with pytest.raises(ValueError):
        model.predict_set(X, constraints={"nothing": 1})


def test_cycles_are_drawn_from_their_start() -> None:
    cycles = structures.Cycles(5)
    model, X = calibrated(cycles, 0.02)
    sets = model.predict_set(X, constraints=[{"start": i % 5} for i in range(len(X))])
    for i in range(5):
        if sets[i].log_size > -math.inf:
            assert (sets[i].sample(20, random_state=0)[:, 0] == i).all()
    assert np.isfinite(sets.log_size).any()


def test_names_stand_in_frames() -> None:
    rankings = structures.Permutations(labels=["tea", "milk", "rum"])
    model, X = calibrated(rankings)
    frame = model.predict_set(X)[0].to_frame()
    assert frame.index.tolist() == frame.columns.tolist() == ["tea", "milk", "rum"]
    grades = structures.Ordinal(["low", "mid", "high"])
    model, X = calibrated(grades)
    each = model.predict_set(X)[0]
    assert each.to_frame().index.tolist() == ["low", "mid", "high"]
    assert set(each.sample(9, random_state=0)) <= {"low", "mid", "high"}
    ties = structures.WeakOrders(3)
    model, X = calibrated(ties)
    assert model.predict_set(X)[0].to_frame().columns.nlevels == 2


class Sure(Given):
    """Predicts E ψ as it is given."""

    def predict_marginals(self, X: Any) -> Any:
        return np.asarray(X)


def test_what_is_too_large_to_count_still_contains() -> None:
    rankings = structures.Permutations(30)
    one_pair = np.eye(1, rankings.n_features)
    model = ConformalStructured(Sure(rankings), alpha=0.5).fit(one_pair, [np.arange(1, 31)])
    sets = model.predict_set(one_pair)
    up = np.arange(1, 31)
    assert sets[0].contains(up) and not sets[0].contains(up[::-1])
    with pytest.raises(CapabilityError):
        _ = sets.log_size


def test_listed_outputs_of_zeros_and_ones_have_sets() -> None:
    bits = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]])
    custom = structures.Custom.from_structures(list("abcd"), bits)
    expected = np.array([[0.1, 0.6, 0.9]])
    model = ConformalStructured(Sure(custom), alpha=0.5).fit(expected, [0])  # P(second entry is 0) = .4
    assert model.thresholds_["all"] == pytest.approx(0.4)
    each = model.predict_set(expected)[0]
    assert [each.contains(place) for place in range(4)] == [True, True, False, False]
    assert each.mask.tolist() == [-1, 0, 1]


@pytest.mark.parametrize(
    "structure",
    [
        structures.PartialOrders(3),
        structures.DirectedCycles(4),
        structures.Custom.from_structures([0, 1, 2], [[0.5], [0.2], [1.0]]),
        structures.Paths([(0, 1), (0, 2), (1, 3), (2, 3)], 0, 3, tied=[0, 1, 2, 2]),
    ],
)
def test_structures_without_probabilities_of_parts_are_refused(structure: Any) -> None:
    X, y = drawn(structure, 20)
    with pytest.raises(CapabilityError):
        ConformalStructured(Given(structure)).fit(X, y)
