"""Ballots of PrefLib, which preflibtools reads, as positions."""

from __future__ import annotations

import numpy as np
import pytest

from combpred.aggregation import kemeny, read_preflib

instances = pytest.importorskip("preflibtools.instances")
NAMES = {1: "Ann", 2: 'Bob, the "second"', 3: "3: x", 4: "#four", 5: "Zoë"}
KINDS = {"soc": (False, False), "soi": (False, True), "toc": (True, False), "toi": (True, True)}


def groups(row):
    """Return the items of a ballot by position, counted from 1."""
    return tuple(tuple((np.flatnonzero(row == place) + 1).tolist()) for place in sorted(set(row.tolist()) - {-1}))


def drawn(rng, ties, short):
    """Return a random ballot of five items as groups."""
    items = rng.permutation(5)[: int(rng.integers(1, 6)) if short else 5] + 1
    ends = np.flatnonzero(rng.random(len(items) - 1) < 0.5) + 1 if ties else np.arange(1, len(items))
    return tuple(tuple(sorted(group.tolist())) for group in np.split(items, ends))


def filled(instance, kind, ballots):
    instance.title, instance.data_type, instance.file_name = "A title: x", kind, f"a.{kind}"
    instance.num_alternatives, instance.alternatives_name = len(NAMES), dict(NAMES)
    instance.num_voters = sum(ballots.values())
    instance.multiplicity = ballots
    return instance


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_preflibtools_writes_are_read_as_it_reads_them(tmp_path, kind):
    rng = np.random.default_rng(list(KINDS).index(kind))
    ballots = {drawn(rng, *KINDS[kind]): int(rng.integers(1, 9)) for _ in range(12)}
    instance = filled(instances.OrdinalInstance(), kind, ballots)
    instance.orders, instance.num_unique_orders = list(ballots), len(ballots)
    path = tmp_path / f"a.{kind}"
    instance.write(str(path))
    again, found = instances.OrdinalInstance(str(path)), read_preflib(path)
    assert found.title == again.title == "A title: x"
    assert found.names == list(again.alternatives_name.values()) == list(NAMES.values())
    assert [groups(row) for row in found.rankings] == again.orders
    assert dict(zip(again.orders, found.weights.tolist(), strict=True)) == again.multiplicity == ballots


def test_categories_are_positions(tmp_path):
    ballots = {((1,), (2, 3), (4, 5)): 3, ((), (1, 2), (3, 4, 5)): 2, ((1, 2, 3, 4, 5), (), ()): 1}
    instance = filled(instances.CategoricalInstance(), "cat", ballots)
    instance.preferences, instance.num_unique_preferences = list(ballots), len(ballots)
    instance.num_categories, instance.categories_name = 3, {1: "yes", 2: "perhaps", 3: "no"}
    path = tmp_path / "a.cat"
    instance.write(str(path))
    again, found = instances.CategoricalInstance(str(path)), read_preflib(path)
    assert again.multiplicity == ballots
    assert [groups(row) for row in found.rankings] == [tuple(filter(None, each)) for each in again.preferences]
    assert found.weights.tolist() == [again.multiplicity[each] for each in again.preferences]


HEADER = "# TITLE: Three\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 3: Cy: a name\n"


def parsed(text, **options):
    instance = instances.OrdinalInstance()
    instance.parse_str(text, "toi", **options)
    return instance


def test_files_and_what_preflibtools_has_read_are_the_same(tmp_path):
    file = tmp_path / "three.toi"
    file.write_text(HEADER + "4: 3,{1,2}\n2: 2\n\n1: {1,2,3}\n", encoding="utf-8")
    for source in (file, str(file), parsed(file.read_text())):
        ballots = read_preflib(source)
        assert ballots.rankings.tolist() == [[2, 2, 1], [-1, 1, -1], [1, 1, 1]]
        assert ballots.weights.tolist() == [4.0, 2.0, 1.0]
        assert ballots.names == ["Ann", "2", "Cy: a name"] and ballots.title == "Three"
    assert kemeny(ballots.rankings, weights=ballots.weights).consensus.tolist() == [2, 3, 1]
    assert repr(ballots).startswith("Ballots: Three, 3 rankings of 3 items by 7 voters\n")


def test_what_holds_no_ballots_is_refused(tmp_path):
    path = tmp_path / "a.wmd"
    instance = instances.MatchingInstance()
    instance.num_alternatives, instance.alternatives_name, instance.data_type = 2, {1: "Ann", 2: "Bob"}, "wmd"
    instance.add_edge(1, 2, 0.5)
    instance.num_edges = 1
    instance.write(str(path))
    other, old = tmp_path / "a.csv", tmp_path / "old.soc"
    other.write_text("1: 1,2\n")
    old.write_text("3\n1,Ann\n")  # as files began before 2022
    for source in (path, instance, 5, other, old):
        with pytest.raises((TypeError, ValueError)):
            read_preflib(source)


@pytest.mark.parametrize(("body", "row"), [("1: 2\n1: 1,4\n", 1), ("1: 1,{2,1}\n", 0)])
def test_illegal_ballots_are_named(body, row):
    with pytest.raises(ValueError) as caught:
        read_preflib(parsed(HEADER + body))
    assert (caught.value.row, caught.value.argument) == (row, "source")


def test_ballots_that_are_listed_twice_are_not_lost():
    """Of these preflibtools keeps the voters of the last line only, unless it is told to correct the file."""
    text = HEADER + "3: 1,2\n2: 1,2\n"
    with pytest.raises(ValueError):
        read_preflib(parsed(text))
    election = parsed(text, autocorrect=True)
    election.num_alternatives = 3  # which it takes to be the number of names
    assert read_preflib(election).weights.tolist() == [5.0]
