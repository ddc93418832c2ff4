"""Python holds spaces of the core by handles: opened at the first use, shared by equals, closed with the last one."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import threading
from typing import Any

import numpy as np
import pytest

from combpred import CapabilityError
from combpred._lib import abi, call, partition, structure
from combpred._lib.partition import log_partition, partition_cost
from combpred._lib.structure import Description, structure_count, structure_mean
from combpred.structures import Custom, Permutations, Subtrees


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the functions of the core that are called from now on."""
    names: list[str] = []

    def recorded(name: str, *arguments: Any, **options: Any) -> int:
        names.append(name)
        return original(name, *arguments, **options)

    original = call.call
    for module in (call, structure, partition):
        monkeypatch.setattr(module, "call", recorded)
    return names


def refusal(dll: Any, handle: int) -> str:
    """Return what the core says against a handle, or else against the illegal length that it gets."""
    message = ctypes.create_string_buffer(200)
    assert dll.cp_space_moments(handle, None, None, -1, None, 1, None, message, 200) == abi.EVALUE
    return message.value.decode()


def forget() -> None:
    """Let go of all spaces that nobody has."""
    structure._LAST.clear()
    gc.collect()


def is_open(dll: Any, handle: int) -> bool:
    return refusal(dll, handle).startswith("d is -1")


STRUCTURES = [
    Permutations(4),
    Subtrees({"a": None, "b": "a", "c": "a", "d": "c"}),
    Custom.from_structures("ab", [[1.0, 2.0], [0.0, 1.0]]),
]


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda structure: type(structure).__name__)
def test_one_call_for_each_evaluation(structure, asked):
    scores = np.random.default_rng(0).normal(size=(5, structure.n_features))
    first = log_partition(structure.space.sums, scores, marginals=True)
    asked.clear()
    again = log_partition(structure.space.sums, scores, marginals=True)
    assert asked == ["cp_log_partition"]
    np.testing.assert_array_equal(again.log_z, first.log_z)
    other = log_partition(pickle.loads(pickle.dumps(structure)).space.sums, scores, marginals=True)
    assert asked == ["cp_log_partition"] * 2  # the copy has the same space
    np.testing.assert_array_equal(other.marginals, first.marginals)


def test_structures_are_told_apart_by_all_they_are_given():
    chain, star = np.array([-1, 0, 1, 2], dtype=np.int32), np.array([-1, 0, 0, 0], dtype=np.int32)
    for parent, count in ((chain, 4), (star, 8), (chain, 4)):
        description = Description("subtrees", {"n": 4}, parent, None)
        assert np.exp(description.shape[2]) == pytest.approx(count)
    keys = {
        Description("custom", scalars, ints, reals).key
        for scalars in ({"d": 1}, {"d": 2})
        for ints in (None, chain, star, chain[:0])
        for reals in (None, np.zeros(2), np.zeros(4), np.ones(2), np.zeros(0))
    }
    assert len(keys) == 40


def test_spaces_are_told_apart_by_names():
    plain = Description("permutations", {"n": 2})
    drinks, meals = (
        Description("permutations", {"n": 2}, names=names) for names in (("tea", "milk"), ("rice", "fish"))
    )
    assert len({plain.handle, drinks.handle, meals.handle}) == 3
    assert plain.key == drinks.key == meals.key
    assert structure.structure_names(meals) == ["rice before fish"]


def test_limits_are_told_every_time():
    large = Description("permutations", {"n": 30}, None, None)
    for _ in range(2):
        with pytest.raises(CapabilityError):
            partition_cost(large)


def test_spaces_are_closed_with_the_last_who_has_them(dll):
    first = Description("permutations", {"n": 17})
    second = Description("permutations", {"n": 17})
    handle = first.handle
    assert second.handle == handle
    del first
    forget()
    assert is_open(dll, handle)
    del second
    forget()
    assert "has been closed" in refusal(dll, handle)


def test_a_few_of_the_last_spaces_stay_open(dll):
    """Fits of a search, each with a structure of its own, do not derive the same things again and again."""
    forget()
    handles = [Description("permutations", {"n": n}).handle for n in range(20, 26)]
    gc.collect()
    kept = structure._LAST.maxlen
    assert [is_open(dll, handle) for handle in handles] == [False] * (6 - kept) + [True] * kept
    assert Description("permutations", {"n": 25}).handle == handles[-1]


def test_copies_and_pickles_leave_handles_behind(dll):
    trained = Permutations(18)
    handle = trained.space.description.handle
    held = pickle.dumps(trained)
    cloned = copy.deepcopy(trained.space.description)
    assert "space" not in vars(cloned)
    assert cloned.handle == handle
    del trained, cloned
    forget()
    assert "has been closed" in refusal(dll, handle)
    again = pickle.loads(held)
    assert again.space.description.handle != handle
    assert again.space.count() == structure_count(Description("permutations", {"n": 18}))


def test_ten_thousand_spaces_live_and_are_closed(dll):
    trees = [np.array([-1, 0, 0, i % 3, i % 4, i % 5], dtype=np.int32) for i in range(60)]
    spaces = [
        Description("subtrees", {"n": 6}, trees[i % 60], names=tuple(f"{i} {j}" for j in range(6)))
        for i in range(10_000)
    ]
    handles = [space.handle for space in spaces]
    assert len(set(handles)) == 10_000
    for i in (0, 5_000, 9_999):
        np.testing.assert_array_equal(
            structure_mean(spaces[i]), structure_mean(Description("subtrees", {"n": 6}, trees[i % 60]))
        )
    del spaces
    forget()
    assert not any(is_open(dll, handle) for handle in handles)


def test_threads_open_use_and_close_at_once():
    wrong: list[object] = []

    def work(seed: int) -> None:
        try:
            for n in np.random.default_rng(seed).integers(2, 8, size=300):
                space = Description("permutations", {"n": int(n)})  # often the same as another thread's
                expected = np.prod(np.arange(1, n + 1))
                if structure_count(space) != expected or space.shape.part_len != n:
                    wrong.append(n)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_space_closed_by_another_thread_is_there_until_calls_return(dll):
    """What a call computes with is its own: closing the handle meanwhile changes nothing."""
    n, rows = 60, 20_000
    for _ in range(3):
        space = structure.OpenSpace(Description("permutations", {"n": n}))
        y = np.zeros((rows, n), np.int32)
        calling = threading.Thread(
            target=call.call, args=("cp_space_sample", space, 7, y, rows, n), kwargs={"n_threads": 2}
        )
        calling.start()
        while not y.any():
            pass
        assert dll.cp_space_close(space.handle, None, 0) == abi.OK
        calling.join()
        assert (np.sort(y, axis=1) == np.arange(1, n + 1)).all()
