"""`combpred.testing`: each check fails for structures whose functions disagree in that one way, and for no others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from combpred.structures import Custom, Graphs, LabelSets, Permutations
from combpred.testing import check_structure, structure_checks
from custom_spaces import MEMBERS, RANKINGS, best, shuffled, signs

ORDER = ["embed", "sample", "contains", "decode", "moments", "count", "bounds", "sibling", "propose", "loss"]
EXACT = {"mean": RANKINGS.mean(), "second_moment": RANKINGS.second_moment(), "log_count": math.log(24)}


def swapped(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    i = rng.integers(3)
    z = y.copy()
    z[y == i + 1], z[y == i + 2] = i + 2, i + 1
    return z


def lopsided(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A swap of neighbours, twice as often where the label of smaller number comes first then."""
    z = swapped(y, rng)
    u, v = np.flatnonzero(y != z)
    return y if y[u] < y[v] and rng.random() < 0.5 else z


def lopsided_ratio(y: np.ndarray, z: np.ndarray) -> float:
    moved = np.flatnonzero(y != z)
    return 0.0 if not moved.size else math.log(0.5) if y[moved[0]] > y[moved[1]] else math.log(2.0)


def rankings(**changes: Any) -> Custom:
    """Rankings of four labels with all functions that there are."""
    functions: dict[str, Any] = {
        "sample": shuffled, "embed": signs, "decode": best, "contains": lambda y: sorted(y) == [1, 2, 3, 4],
        "sibling": lambda y: 5 - y, "propose": lopsided, "log_ratio": lopsided_ratio,
        "bound": lambda s: np.abs(s).sum(), "radius": math.sqrt(6), "loss": lambda y, z: float((y != z).sum()),
    }  # fmt: skip
    return Custom(**{**functions, **EXACT, **changes})


def failures(structure: Any, **options: Any) -> list[str]:
    """Return the names of all checks that fail, each with an error that begins with its name."""
    found = []
    for name, check in structure_checks(structure, **options):
        try:
            check()
        except AssertionError as error:
            assert str(error).startswith(f"{name}: ")
            found.append(name)
    return found


def test_checks_come_in_a_fixed_order() -> None:
    assert [name for name, _ in structure_checks(rankings())] == ORDER
    assert [name for name, _ in structure_checks(Custom.from_sampler(shuffled, signs))] == ["embed", "sample"]
    formulas = Custom(**EXACT, embed=signs, decode=best)
    assert [name for name, _ in structure_checks(formulas)] == ["embed", "decode", "count"]
    assert [name for name, _ in structure_checks(Graphs(4, hereditary=lambda held: True))] == ["subsets"]
    for nothing in (Permutations(4), LabelSets(3), Custom.from_structures("ab", np.eye(2)), Graphs(3)):
        assert structure_checks(nothing) == []


def test_functions_that_agree_pass() -> None:
    """Three statistical checks with 1e-6 each: a false alarm in 60 runs for 2e-4 of all ways to seed them."""
    for seed in range(20):
        assert failures(rankings(), n_draws=500, random_state=seed) == []
    check_structure(rankings())
    check_structure(rankings(propose=swapped, log_ratio=None))


def test_rare_entries_are_no_contradiction() -> None:
    """An entry that is 1 in one of 10 000 outputs: draws may show it or not."""
    mean = np.array([1e-4, 1e-4, 1e-4, 0.5])
    second = np.outer(mean, mean) + np.diag(mean * (1 - mean))

    def draw(rng: np.random.Generator) -> np.ndarray:
        return (rng.random(4) < mean).astype(float)

    for seed in range(20):
        space = Custom.from_sampler(draw, np.asarray, mean=mean, second_moment=second)
        assert failures(space, random_state=seed) == []


def test_the_size_of_small_and_large_spaces_is_no_contradiction() -> None:
    """Two outputs, and 2^300, of which no draw comes twice."""
    bits = {"sample": lambda rng: rng.integers(0, 2, size=300), "embed": np.asarray, "n_moment_samples": 400}
    assert failures(Custom.from_sampler(**bits, log_count=300 * math.log(2)), n_draws=200) == []
    one = {"sample": lambda rng: [float(rng.integers(2))], "embed": np.asarray}
    assert failures(Custom.from_sampler(**one, log_count=math.log(2))) == []


def noisy() -> Callable[[Any], Any]:
    calls = itertools.count()
    return lambda y: np.array(signs(y)) + 1e-13 * next(calls)


def once_false() -> Callable[[Any], bool]:
    calls = itertools.count()
    return lambda y: next(calls) != 1


def favoured(rng: np.random.Generator) -> np.ndarray:
    """Draws of which one in three is the same ranking."""
    return MEMBERS[0] if rng.random() < 0.3 else shuffled(rng)


OWN = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("name", "structure", "message"),
    [
        ("embed", lambda: Custom.from_sampler(shuffled, noisy()), "different ψ of the same output"),
        ("embed", lambda: Custom.from_sampler(shuffled, lambda _: np.ones(2)), "the same for all 4000 draws"),
        ("sample", lambda: rankings(sample=lambda _: shuffled(OWN)), "equal generators give different draws"),
        ("contains", lambda: Custom(**EXACT, embed=signs, decode=best, contains=once_false()), "different answers"),
        ("decode", lambda: rankings(decode=lambda s: best(-s)), "must return an output of largest score"),
        ("decode", lambda: rankings(decode=lambda s: np.ones(4)), "contains is False for the decoded output"),
        ("moments", lambda: rankings(mean=[0.5] * 6, second_moment=0.25 + 0.75 * np.eye(6)), r"mean\[\d\] is 0.5"),
        ("moments", lambda: rankings(second_moment=np.eye(6)), r"second_moment\[\d, \d\] is 0, but .* farther than"),
        ("count", lambda: rankings(log_count=math.log(48)), "48 outputs, of which 4000 draws should show more than 24"),
        ("count", lambda: rankings(log_count=math.log(20)), "20 outputs, and 24 of the draws are different"),
        ("count", lambda: rankings(log_count=math.log(5)), "spans 6 dimensions around its mean, which takes 7"),
        ("count", lambda: Custom.from_sampler(favoured, signs, log_count=math.log(24)), "one of them is 1... of 4000"),
        ("bounds", lambda: rankings(bound=lambda s: 0.3 * np.abs(s).sum()), "beyond the bound"),
        ("bounds", lambda: Custom(**EXACT, embed=signs, radius=1.0), "radius=1 is below .* norm of ψ, 2.44949"),
        ("sibling", lambda: rankings(sibling=lambda y: np.roll(y, 1)), "it must be constant"),
        ("propose", lambda: rankings(log_ratio=None), "do not lead to uniform outputs"),
        ("propose", lambda: rankings(log_ratio=lambda y, z: -lopsided_ratio(y, z)), "do not lead to uniform outputs"),
        ("propose", lambda: rankings(log_ratio=lambda y, z: 0.5), "their sum must be 0"),
        ("loss", lambda: rankings(loss=lambda y, z: 1.0), "between array.* and itself, must be 0"),
    ],
)  # fmt: skip
def test_a_disagreement_fails_one_check(name: str, structure: Callable[[], Custom], message: str) -> None:
    assert failures(structure()) == [name]
    with pytest.raises(AssertionError, match=f"^{name}: .*{message}"):
        check_structure(structure())


def test_illegal_values_are_failures_of_the_check_that_meets_them() -> None:
    assert "embed" in failures(rankings(embed=lambda _: [1.0]))
    assert "contains" in failures(Custom(**EXACT, embed=signs, decode=best, contains=lambda y: 1))


def connected(mask: np.ndarray) -> bool:
    return len(np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])) == 1)) <= 1


@pytest.mark.parametrize("n", [6, 30])
@pytest.mark.parametrize(
    "contains",
    [
        lambda held: held.sum() != 1,
        lambda held: held.sum() in (0, len(held) // 2),
        lambda held: not held.any() or held.all(),
        lambda held: held.sum() % 2 == 0,
    ],
)
def test_sets_without_their_subsets(n: int, contains: Callable[[np.ndarray], bool]) -> None:
    structure = Custom.from_oracle(n, contains)
    assert failures(structure) == ["subsets"]
    check_structure(Custom.from_oracle(n, lambda held: held.sum() <= 2))


def test_listed_sets_without_a_subset() -> None:
    """Elements 0 and 1 are found after 0, but 1 alone is no member."""
    structure = Custom.from_oracle(3, lambda held: not held[1] or held[0])
    assert structure.count() == 6
    assert failures(structure) == ["subsets"]


def test_edges_without_a_hereditary_property() -> None:
    edges = [(i, i + 1) for i in range(8)]
    assert failures(Graphs(9, edges=edges, hereditary=connected)) == ["subsets"]
    check_structure(Graphs(9, edges=edges, hereditary=lambda held: held.sum() <= 3))


def test_illegal_arguments_are_refused() -> None:
    with pytest.raises(TypeError):
        check_structure("permutations")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        check_structure(rankings(), n_draws=99)
    with pytest.raises(ValueError):
        check_structure(rankings(n_proposals=0))
