"""The decoders beyond the exact one, through the estimators: guarantees, reproducible chains, refusals, interrupts."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from combpred import CapabilityError, StructuredRidge, StructuredRidgeCV
from combpred._lib.decode import Decoding
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    DirectedCycles,
    LabelSets,
    PartialOrders,
    Permutations,
    Routes,
    Structure,
    WeakOrders,
)

SEARCHED: list[Structure] = [
    Cliques(6),
    Cycles(6),
    DirectedCycles(6),
    PartialOrders(4),
    Permutations(6),
    Routes(5),
    WeakOrders(4),
]
BY_CHAIN = ("anneal", "metropolis")
NEW = ("approx", *BY_CHAIN)
WITH_GUARANTEES = ("auto", "local-search", *NEW)


def scores(structure: Structure, n: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(n, structure.n_features))


def test_no_decoder_is_left_out() -> None:
    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations", decoder="?").fit(np.eye(2), [[1, 2], [2, 1]])
    named = re.search("among {(.*)}", str(caught.value))
    assert named is not None
    assert sorted(re.findall("'([^']+)'", named[1])) == sorted([*WITH_GUARANTEES, "exact", "milp"])


@pytest.mark.versionless
@pytest.mark.parametrize("decoder", WITH_GUARANTEES)
@pytest.mark.parametrize("structure", SEARCHED)
def test_guarantees_hold_against_enumeration(structure: Structure, decoder: str) -> None:
    linear = scores(structure, 20)
    psi = structure.embed(list(structure.enumerate()))
    all_values = linear @ psi.T
    most, least = all_values.max(axis=1), all_values.min(axis=1)
    found = structure.space.decode(linear, None, Decoding(decoder, seed=5))
    reached = np.einsum("ij,ij->i", linear, structure.space.embed(found.y))
    np.testing.assert_allclose(found.value, reached, atol=1e-12)
    assert (found.value >= (1 - found.nu) * most + found.nu * least - 1e-9).all()
    assert (found.upper_bound >= most - 1e-9).all()
    np.testing.assert_allclose(found.value[found.optimal], most[found.optimal], atol=1e-9)
    start = structure.space.decode(linear, None, Decoding("approx"))
    assert (found.value >= start.value - 1e-12).all()


@pytest.mark.parametrize("decoder", NEW)
@pytest.mark.parametrize("structure", [Assignments(4), LabelSets(5), LabelSets(5, size=2)])
def test_easy_structures_are_solved_exactly(structure: Structure, decoder: str) -> None:
    linear = scores(structure, 5)
    found = structure.space.decode(linear, None, Decoding(decoder))
    np.testing.assert_array_equal(found.y, structure.space.decode(linear).y)
    assert found.optimal.all()
    assert (found.nu == 0).all()


def fitted(**parameters: Any) -> tuple[StructuredRidge, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = Permutations(12).sample(40, random_state=0)
    return StructuredRidge(Permutations(12), alpha=1e-3, **parameters).fit(X, y), rng.normal(size=(7, 3))


@pytest.mark.parametrize("decoder", BY_CHAIN)
def test_an_integer_makes_predictions_reproducible(decoder: str) -> None:
    ranker, X = fitted(decoder=decoder, random_state=4)
    first = ranker.predict(X)
    np.testing.assert_array_equal(ranker.predict(X), first)
    np.testing.assert_array_equal(ranker.set_params(n_jobs=1).predict(X), first)
    np.testing.assert_array_equal(ranker.predict(X[::-2]), first[::-2])  # each row has its own stream
    np.testing.assert_array_equal(ranker.predict(np.tile(X[:1], (2, 1))), first[[0, 0]])


@pytest.mark.parametrize("decoder", NEW)
def test_certificates_reach_the_user(decoder: str) -> None:
    ranker, X = fitted(decoder=decoder, random_state=0)
    certified = ranker.predict(X, return_certificate=True)[1]
    np.testing.assert_allclose(certified.value, ranker.score_structures(X, certified.structures))
    assert ((certified.nu == 0.5) | certified.optimal).all()
    assert (certified.upper_bound >= certified.value).all()


@pytest.mark.parametrize("decoder", NEW)
def test_the_preimage_is_decoded_by_all(decoder: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), Cycles(6).sample(30, random_state=0)
    model = StructuredRidge(Cycles(6), loss="squared", decoder=decoder, random_state=0).fit(X, y)
    certified, exact = (
        model.predict(X, return_certificate=True)[1],
        model.set_params(decoder="exact").predict(X, return_certificate=True)[1],
    )
    assert (certified.value <= exact.value + 1e-9).all()
    assert (certified.upper_bound >= exact.value - 1e-9).all()


def test_selection_takes_them_too() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), Permutations(5).sample(20, random_state=0)
    model = StructuredRidgeCV(Permutations(5), alphas=(0.1, 1.0), decoder="anneal", random_state=0)
    assert model.fit(X, y).alpha_ in (0.1, 1.0)


@pytest.mark.parametrize("decoder", NEW)
def test_functions_cannot_be_walked_on(decoder: str) -> None:
    d = 2
    sets = Custom(
        log_count=d * np.log(2.0),
        mean=np.full(d, 0.5),
        second_moment=np.full((d, d), 0.25) + 0.25 * np.eye(d),
        embed=np.asarray,
        decode=lambda s: (s > 0).astype(int),
    )
    model = StructuredRidge(sets, decoder=decoder).fit(np.eye(2), [np.array([0, 1]), np.array([1, 0])])
    with pytest.raises(CapabilityError):
        model.predict(np.eye(2))


@pytest.mark.slow
@pytest.mark.versionless
@pytest.mark.parametrize("decoder", ["local-search", *BY_CHAIN])
@pytest.mark.parametrize(
    "structure",
    [
        Cliques(500),
        Cycles(500),
        DirectedCycles(500),
        PartialOrders(500),
        Permutations(500),
        Routes(500),
        WeakOrders(500),
    ],
)
def test_a_search_is_interrupted(structure: Structure, decoder: str, ctrl_c: Any) -> None:
    linear = np.random.default_rng(0).normal(size=(1, structure.n_features))
    how = Decoding(decoder)
    with ctrl_c(polled=True):
        while True:
            structure.space.decode(linear, None, how)


@pytest.mark.parametrize(
    ("structure", "decoder", "n"),
    [
        (PartialOrders(7), "auto", 300),
        (Cycles(14), "local-search", 1000),
        (Cycles(5), "anneal", 60),
        (Permutations(4), "metropolis", 150),
    ],
)
def test_batches_of_small_structures_are_interrupted(structure: Structure, decoder: str, n: int, ctrl_c: Any) -> None:
    """Many rows that take milliseconds each are a long call too."""
    scores = np.random.default_rng(0).normal(size=(n, structure.n_features))
    with ctrl_c(polled=True):
        while True:
            structure.space.decode(scores, None, Decoding(decoder, n_threads=1))


@pytest.mark.parametrize("structure", SEARCHED)
def test_structures_decode_by_the_decoder_they_are_given(structure: Structure) -> None:
    linear = scores(structure, 2)
    rows = [structure.decode(linear, decoder=decoder, random_state=1) for decoder in WITH_GUARANTEES]
    values = np.array([(linear * structure.embed(y)).sum(axis=1) for y in rows])
    exact = (linear * structure.embed(structure.decode(linear, decoder="exact"))).sum(axis=1)
    best = (linear @ structure.embed(list(structure.enumerate())).T).max(axis=1)
    np.testing.assert_allclose(exact, best)
    assert (values <= best + 1e-9).all() and (values >= values[WITH_GUARANTEES.index("approx")] - 1e-9).all()
    for decoder, y in zip(WITH_GUARANTEES, rows, strict=True):
        again = structure.decode(linear, decoder=decoder, random_state=1)
        np.testing.assert_array_equal(y, again)
        expected = structure.space.decode(linear, None, Decoding(decoder, seed=0))
        if decoder not in BY_CHAIN:
            np.testing.assert_array_equal(y, structure.space.decode_parts(expected.y))


def test_what_a_structure_cannot_decode_by_is_refused() -> None:
    with pytest.raises(ValueError, match="decoder must be one of auto, exact, .*milp, got 'beam'"):
        Permutations(3).decode(np.zeros(3), decoder="beam")
    with pytest.raises(CapabilityError):
        Permutations(3).decode(np.zeros(3), constraints={"first": 0}, decoder="anneal")
    with pytest.raises(CapabilityError, match="row 0: exact decoding of rankings .* is limited to size 20"):
        Permutations(40).decode(scores(Permutations(40), 1), decoder="exact")
