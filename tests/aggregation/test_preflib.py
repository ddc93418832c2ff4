"""Files of PrefLib, read as preflibtools reads them where these are legal."""

from __future__ import annotations

import io

import numpy as np
import pytest

from combpred.aggregation import read_preflib

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


def test_graphs_are_refused_by_what_they_are(tmp_path):
    path = tmp_path / "a.wmd"
    instance = instances.MatchingInstance()
    instance.num_alternatives, instance.alternatives_name, instance.data_type = 2, {1: "Ann", 2: "Bob"}, "wmd"
    instance.add_edge(1, 2, 0.5)
    instance.num_edges = 1
    instance.write(str(path))
    with pytest.raises(ValueError):
        read_preflib(path)
    assert np.loadtxt(path, delimiter=",").tolist() == [1.0, 2.0, 0.5]


def test_what_preflibtools_passes_over_is_counted_or_refused():
    """The reasons that this package has a reader of its own."""
    header = "# NUMBER ALTERNATIVES: 3\n"

    def theirs(body):
        instance = instances.OrdinalInstance()
        instance.parse_str(header + body, "toi")
        return instance.multiplicity

    assert theirs("3: 1,2\n2: 1,2\n") == {((1,), (2,)): 2}
    assert read_preflib(io.StringIO(header + "3: 1,2\n2: 1,2\n")).weights.sum() == 5
    for body in ["1: 1,{2\n", "1: 1,1\n", "1: 1,7\n"]:
        assert len(theirs(body)) == 1
        with pytest.raises(ValueError):
            read_preflib(io.StringIO(header + body))
