"""Rows of several spaces in one call of the C interface: what is found for each row is what is found for it alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from combpred import CapabilityError
from combpred._lib import abi
from combpred._lib.call import call
from combpred._lib.errors import RowError
from combpred._lib.structure import Description
from combpred._lib.table import record
from combpred.structures import Assignments, Cycles, Graphs, LabelSets, MultiClass, Permutations, SpanningTrees

RANKINGS = [Permutations(4), Permutations(3), Permutations(5)]
SETS = [LabelSets(5), LabelSets(4, size=2), LabelSets(3)]
ANY = [Permutations(4), LabelSets(5), MultiClass(3), Assignments(3), SpanningTrees(4), Graphs(3), Permutations(3)]
DECODED = [*ANY, Cycles(5)]
DRAWS = 3


class Rows(NamedTuple):
    """Rows, each with its own space: `numbers` says which of `spaces` it has; `scores` are those of each."""

    spaces: Sequence[Any]
    numbers: list[int]
    scores: list[np.ndarray]

    @classmethod
    def of(cls, structures: Sequence[Any], many: int = 9, *, unused: int = 1) -> Rows:
        """Return rows in random order, with none of the last spaces."""
        rng = np.random.default_rng(len(structures))
        numbers = rng.permutation(np.resize(np.arange(len(structures)), many)).tolist()
        spaces = [structure.space.description for structure in structures]
        scores = [rng.normal(size=spaces[k].shape.n_features) for k in numbers]
        return cls([*spaces, *spaces[:unused]], numbers, scores)

    @property
    def described(self) -> list[Description]:
        """The space of each row."""
        return [self.spaces[k] for k in self.numbers]

    def packed(self, *, placed: bool = False, **fields: Any) -> abi.CScores:
        """Return them for one call; with `placed`, in reverse order and with a gap before each."""
        handles = np.array([space.handle for space in self.spaces], dtype=np.uint64)
        if placed:
            pieces = [piece for row in reversed(self.scores) for piece in (np.array([np.nan]), row)]
            ends = np.cumsum([1 + len(row) for row in reversed(self.scores)])
            fields["first"] = (ends - [len(row) for row in reversed(self.scores)])[::-1].astype(np.int64).copy()
        else:
            pieces = self.scores
        linear = np.concatenate(pieces)
        of = np.array(self.numbers, dtype=np.int32)
        many = {"n": len(of), "d": len(linear), "linear": linear, "n_spaces": len(handles), "spaces": handles, "of": of}
        scores = record(abi.CScores, **(many | {k: v for k, v in fields.items() if not isinstance(v, int)}))
        for name, value in fields.items():
            if isinstance(value, int):  # a size, whatever the arrays have
                setattr(scores, name, value)
        return scores

    def alone(self, row: int) -> abi.CScores:
        scores = self.scores[row]
        return record(abi.CScores, n=1, d=len(scores), linear=scores)


def lengths(rows: list[Description]) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of parts and of entries of ψ of each row."""
    return np.array([row.shape.part_len for row in rows]), np.array([row.shape.n_features for row in rows])


def split(array: np.ndarray, widths: Any) -> list[np.ndarray]:
    return np.split(array, np.cumsum(widths)[:-1])


def decode(space: Any, scores: Any, rows: list[Description], row: int | None) -> list[Any]:
    parts, _ = lengths(rows)
    y, known = np.empty(parts.sum(), np.int32), np.empty((3, len(rows)))
    optimal, met = np.empty(len(rows), np.bool_), np.empty(len(rows), np.bool_)
    keys = np.arange(len(rows)) if row is None else np.array([row])  # each row must have its own value
    conditions = record(
        abi.CConstraints, n=len(rows), first=np.arange(len(rows) + 1), feature=(keys % 3).astype(np.int32),
        value=np.ones(len(rows), np.int8), must=(keys % 2).astype(np.int8),
    )  # fmt: skip
    value, upper, nu = known
    certificates = record(
        abi.CCertificates, n=len(rows), value=value, upper_bound=upper, nu=nu, optimal=optimal, met=met
    )
    options = record(abi.CDecodeOptions, constraints=conditions)
    call("cp_decode", space, scores, options, y, y.size, certificates, n_threads=2)
    return list(zip(split(y, parts), value, upper, nu, optimal, met, strict=True))


def search(space: Any, scores: Any, rows: list[Description], row: int | None) -> list[Any]:
    parts, _ = lengths(rows)
    y, value, accepted = np.empty(parts.sum(), np.int32), np.empty(len(rows)), np.empty(len(rows), np.int64)
    options = record(abi.CSearchOptions, method="anneal", steps=40, runs=2, seed=3)
    known = record(abi.CSearchRecord, n=len(rows), value=value, accepted=accepted)
    call("cp_search", space, scores, options, y, y.size, known, n_threads=2)
    return list(zip(split(y, parts), value, accepted, strict=True))


def k_best(space: Any, scores: Any, rows: list[Description], row: int | None) -> list[Any]:
    parts, _ = lengths(rows)
    y, value = np.zeros(DRAWS * parts.sum(), np.int32), np.zeros((len(rows), DRAWS))
    count = np.empty(len(rows), np.int64)
    listed = record(
        abi.CKbestList, n=len(rows), capacity=DRAWS, part_len=parts.sum(), parts=y, value=value, count=count
    )
    call("cp_kbest", space, scores, None, listed, n_threads=2)
    return list(zip(split(y, DRAWS * parts), value, count, strict=True))


def log_partition(space: Any, scores: Any, rows: list[Description], row: int | None) -> list[Any]:
    _, d = lengths(rows)
    log_z, marginals = np.empty(len(rows)), np.empty(d.sum())
    call("cp_log_partition", space, scores, None, log_z, marginals, n_threads=2)
    return list(zip(log_z, split(marginals, d), strict=True))


def chains(method: str, diagnosed: int) -> Callable[..., list[Any]]:
    def run(space: Any, scores: Any, rows: list[Description], row: int | None) -> list[Any]:
        parts, _ = lengths(rows)
        y, value, bound = np.empty(DRAWS * parts.sum(), np.int32), np.empty((len(rows), DRAWS)), np.empty(len(rows))
        options = record(
            abi.CChainOptions, method=method, n_samples=DRAWS, burn_in=4, thin=2, budget=10**6, seed=2,
            diagnosed=diagnosed, exact_seconds=1.0,
        )  # fmt: skip
        known = record(abi.CChainRecord, n=len(rows), n_samples=DRAWS, value=value, mixing_bound=bound)
        call("cp_chain_sample", space, scores, None, options, y, parts.sum(), known, n_threads=2)
        assert known.method.decode() == ("exact" if method == "auto" else method)
        return list(zip(split(y, DRAWS * parts), value, bound if diagnosed else value, strict=True))

    return run


def mixing_bounds(space: Any, scores: Any, rows: list[Description], row: int | None) -> list[Any]:
    bound = np.empty(len(rows))
    call("cp_mixing_bound", space, scores, "local", 0.1, bound, n_threads=2)
    return list(bound)


def estimates(method: str, sampler_name: str = "auto") -> Callable[..., list[Any]]:
    def run(space: Any, scores: Any, rows: list[Description], row: int | None) -> list[Any]:
        _, d = lengths(rows)
        value, lower, upper = np.zeros((3, len(rows)))
        steps = np.zeros(len(rows), dtype=np.int64)
        marginals, error = np.zeros((2, d.sum()))
        sampler = np.zeros((len(rows), 16), np.uint8)
        options = record(
            abi.CEstimateOptions, method=method, sampler=sampler_name, epsilon=0.4, delta=0.2, max_steps=10**7, seed=1,
            exact_seconds=10.0,
        )  # fmt: skip
        found = record(
            abi.CEstimates, n=len(rows), d=d.sum(), value=value, lower=lower, upper=upper, marginals=marginals,
            error=error, steps=steps, sampler=sampler,
        )  # fmt: skip
        call("cp_estimate", space, scores, options, found, n_threads=2)
        return list(
            zip(value, lower, upper, steps, split(marginals, d), split(error, d), map(bytes, sampler), strict=True)
        )

    return run


def positions(space: Any, scores: Any, rows: list[Description], row: int | None) -> list[Any]:
    parts, _ = lengths(rows)
    p = np.empty((parts**2).sum())
    call("cp_order_positions", space, scores, None, p, parts.sum(), n_threads=2)
    return split(p, parts**2)


def decide(space: Any, scores: Any, rows: list[Description], row: int | None) -> list[Any]:
    parts, _ = lengths(rows)
    y, value, again = np.empty(parts.sum(), np.int32), np.empty(len(rows)), np.empty(len(rows))
    call("cp_sets_decide", space, scores, "f1", None, y, y.size, value, n_threads=2)
    call("cp_sets_value", space, scores, "f1", y, y.size, again, n_threads=2)
    np.testing.assert_allclose(again, value, rtol=1e-14)
    return list(zip(split(y, parts), value, again, strict=True))


ENGINES = {
    "decode": (DECODED, decode),
    "search": (ANY, search),
    "k best": (DECODED, k_best),
    "ln Z": (ANY, log_partition),
    "samples": (ANY, chains("exact", 0)),
    "chains": (ANY, chains("local", 0)),
    "chains, measured": (ANY, chains("local", 1)),
    "exact draws": (ANY, chains("rejection", 0)),
    "the exact sampler": (ANY, chains("auto", 0)),
    "mixing bounds": (ANY, mixing_bounds),
    "ln Z, annealed": (RANKINGS, estimates("annealed")),
    "ln Z, exact": (ANY, estimates("auto")),
    "ln Z, by Taylor": (ANY, estimates("taylor")),
    "marginals": (SETS, estimates("samples")),
    "means of chains": (RANKINGS, estimates("chains", "local")),
    "positions": (RANKINGS, positions),
    "set decisions": (SETS, decide),
}
#: Engines that treat the rows of a space together: each space has one row then, or sums of matrix products are close.
TOGETHER = {"chains, measured": 0.0, "ln Z, by Taylor": 1e-13}


@pytest.mark.parametrize("placed", [False, True], ids=["packed", "first"])
@pytest.mark.parametrize("engine", ENGINES)
def test_each_row_is_as_alone(engine, placed):
    structures, run = ENGINES[engine]
    rows = Rows.of(structures, len(structures) if engine in TOGETHER else 2 * len(structures) + 1)
    found = run(0, rows.packed(placed=placed), rows.described, None)
    assert len(found) == len(rows.numbers)
    for row, space in enumerate(rows.described):
        (alone,) = run(space, rows.alone(row), [space], row)
        for x, y in zip(found[row], alone, strict=True) if isinstance(alone, tuple) else [(found[row], alone)]:
            np.testing.assert_allclose(x, y, rtol=TOGETHER.get(engine, 0.0), atol=0) if not isinstance(
                x, bytes
            ) else np.testing.assert_equal(x, y)


def test_one_space_may_be_given_as_several_are():
    rows = Rows.of([Permutations(4)], 3, unused=0)
    found = k_best(0, rows.packed(of=None), rows.described, None)
    for row, (y, value, _) in enumerate(found):
        alone_y, alone_value, _ = k_best(rows.spaces[0], rows.alone(row), rows.described[:1], row)[0]
        np.testing.assert_array_equal(y, alone_y)
        np.testing.assert_array_equal(value[None], alone_value[None])


def test_magnitudes_lie_as_scores_do():
    rows = Rows.of(ANY, 9)
    magnitude = [np.random.default_rng(row).normal(size=len(s)) for row, s in enumerate(rows.scores)]
    parts, _ = lengths(rows.described)
    y = np.empty(parts.sum(), np.int32)
    call("cp_decode", 0, rows.packed(n_magnitude=9, magnitude=np.concatenate(magnitude)), None, y, y.size, None)
    for row, space in enumerate(rows.described):
        alone = np.empty(parts[row], np.int32)
        own = record(abi.CScores, n=1, d=len(rows.scores[row]), linear=rows.scores[row], n_magnitude=1,
                     magnitude=magnitude[row])  # fmt: skip
        call("cp_decode", space, own, None, alone, alone.size, None)
        np.testing.assert_array_equal(split(y, parts)[row], alone)


@pytest.mark.parametrize(
    ("fields", "row"),
    [
        ({"of": np.array([0, 1, 2, 9, 0], np.int32)}, 3),
        ({"first": np.array([0, 0, 0, 0, 99])}, 4),
        ({"first": np.array([-1, 0, 0, 0, 0])}, 0),
        ({"d": 3}, None),
        ({"n_spaces": -1}, None),
        ({"n_spaces": 0}, None),
        ({"spaces": None}, None),
        ({"spaces": np.array([7, 7, 7, 7], np.uint64)}, None),
        ({"n_magnitude": 1, "magnitude": np.zeros(18)}, None),
    ],
)
def test_wrong_batches_are_refused(fields, row):
    rows = Rows.of([Permutations(3), MultiClass(3), Permutations(4)], 5)
    rows = rows._replace(numbers=[0, 1, 2, 0, 1], scores=[np.zeros(d) for d in (3, 3, 6, 3, 3)])
    parts, _ = lengths(rows.described)
    y = np.empty(parts.sum(), np.int32)
    with pytest.raises(ValueError) as caught:
        call("cp_decode", 0, rows.packed(**fields), None, y, y.size, None)
    assert getattr(caught.value, "row", None) == row


def test_what_is_wrong_is_said_of_the_row():
    rows = Rows.of(ANY, 9)
    space = rows.spaces[0]
    parts, _ = lengths(rows.described)
    y = np.empty(parts.sum(), np.int32)
    with pytest.raises(ValueError):
        call("cp_decode", space, rows.packed(), None, y, y.size, None)
    with pytest.raises(ValueError):
        call("cp_decode", 0, rows.packed(), None, y, 1, None)
    with pytest.raises(CapabilityError) as lacking:
        positions(0, rows.packed(), rows.described, None)
    assert rows.described[lacking.value.row].handle != rows.spaces[0].handle
    rows.scores[5][0] = np.nan
    with pytest.raises(RowError) as caught:
        call("cp_decode", 0, rows.packed(), None, y, y.size, None)
    assert caught.value.row == 5
