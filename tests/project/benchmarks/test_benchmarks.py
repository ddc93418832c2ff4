"""Scripts of tests/benchmarks run on any sets that are laid out as folders.py says."""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.structures import Routes

pytest.importorskip("pandas")
pytest.importorskip("arff")

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 2)).round(3)
RANKS, BITS = RNG.permuted(np.tile([1, 2, 3], (20, 1)), axis=1), RNG.integers(0, 2, size=(20, 2))
PROBABILITIES = np.array([[0.2, 0.6, 0.2], [0.1, 0.2, 0.7]] * 10)
GRADES, CODES = RNG.permutation(np.arange(20) % 3), ["1/1", "1/2", "2"] * 6 + ["2", "1/1"]
TRIPS = [[7, 3, 5], [3, 9], [9, 7, 3, 5], [5]]


def csv(y: np.ndarray, header: bool = True) -> str:
    """The text of features and labels."""
    lines = [",".join(map(str, [*row, *np.atleast_1d(labels)])) for row, labels in zip(X, y, strict=True)]
    head = ["A1,A2," + ",".join(f"L{j + 1}" for j in range(y.shape[1]))] if header else []
    return "\n".join(head + lines) + "\n"


def arff(kinds: list[str], rows: list[str]) -> str:
    attributes = [f"@attribute a{j} {kind}" for j, kind in enumerate(kinds)]
    return "\n".join(["@relation some", *attributes, "@data", *rows]) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a set of each layout, none of which is called as a published one."""
    rows = [f"{{1 {x},{2 + label} 1}}" for x, label in zip(X[:, 1], BITS[:, 0], strict=True)]
    sets = arff(["numeric", "numeric", "{0,1}", "{0,1}"], rows)
    paths = [f"{x[0]},{x[1]},{code}" for x, code in zip(X, CODES, strict=True)]
    tree = arff(["numeric", "numeric", "hierarchical 1,1/1,1/2,2"], paths)
    trips = "trip,places\n" + "".join(f"t{i},{' '.join(map(str, trip))}\n" for i, trip in enumerate(TRIPS))
    places = "poiID,poiCat,poiLon,poiLat\n" + "".join(f"{p},Park,{p / 100},{1 + p / 90}\n" for p in (3, 5, 7, 9))
    written = {
        "label_ranking/Zeta.csv": csv(RANKS),
        "label_ranking/eta.csv.gz": csv(RANKS),
        "partial_label_ranking/theta.csv": csv(RANKS),
        "partial_label_ranking/probs/theta.csv": csv(PROBABILITIES),
        "multilabel/iota/iota-train.arff": sets,
        "multilabel/iota/iota-test.arff.gz": sets,
        "multilabel/iota/iota.xml": '<labels><label name="a2"></label><label name="a3"></label></labels>',
        "ordinal/kappa.csv": csv(GRADES + 4, header=False),
        "hierarchical/mu_Train.arff.gz": tree,
        "hierarchical/mu_Test.arff": tree,
        "routes/trips-Nuville.csv": trips,
        "routes/places-Nuville.csv": places,
    }
    for name, text in written.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return tmp_path


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A function that imports a script, none of which stays imported."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCHMARKS)):
            del sys.modules[name]


def test_sets_are_read_as_they_were_written(folder: Path, script: Any) -> None:
    read: ModuleType = script("folders")
    assert read.listed(folder, read.RANKINGS) == ["eta", "Zeta"]
    expected = {
        "eta": (read.rankings(folder, "eta"), RANKS),
        "Zeta": (read.rankings(folder, "Zeta"), RANKS),
        "theta": (read.rankings(folder, "theta", read.TIES), RANKS),
        "probs": (read.ranked_probabilities(folder, "theta"), np.array([[2, 1, 2], [3, 2, 1]] * 10)),
        "kappa": (read.grades(folder, "kappa"), GRADES),
    }
    for name, ((features, y), written) in expected.items():
        np.testing.assert_array_equal(features, X, err_msg=name)
        np.testing.assert_array_equal(y, written, err_msg=name)


def test_sparse_label_sets_are_read(folder: Path, script: Any) -> None:
    read: ModuleType = script("folders")
    for part in ("train", "test"):
        features, y = read.label_sets(folder, "iota", part)
        assert features[:, 0].max() == features[:, 0].min() == 0.0
        np.testing.assert_array_equal(features[:, 1], X[:, 1])
        assert y.shape == (20, 2)
        assert (y.sum(axis=1) == 1).all()
        np.testing.assert_array_equal(y[:, 1], BITS[:, 0])


def test_scripts_run_on_all_sets_of_a_folder(folder: Path, script: Any) -> None:
    forests, losses, folders = script("forests"), script("losses"), script("folders")
    found = {name: (type(structure).__name__, len(X)) for name, structure, X, _ in forests.sets(folder)}
    assert found == {
        "eta": ("Permutations", 20),
        "Zeta": ("Permutations", 20),
        "theta (ties)": ("WeakOrders", 20),
        "iota": ("LabelSets", 20),
        "kappa": ("Ordinal", 20),
    }
    assert [name for name, *_ in losses.of_folder("hierarchy", folder)] == ["mu"]
    assert folders.chosen(folder, folders.RANKINGS) == ["eta", "Zeta"]
    assert folders.chosen(folder, folders.RANKINGS, ["Zeta"]) == ["Zeta"]
    assert list(forests.sets(folder / "empty")) == []


def test_hierarchies_and_cities_have_any_name(folder: Path, script: Any) -> None:
    X_read, codes, nodes = script("hierarchy").load(folder, "mu", "Test")
    np.testing.assert_array_equal(X_read, X)
    assert (codes, nodes) == (CODES, ["1", "1/1", "1/2", "2"])
    routes = script("routes")
    city = routes.load(folder, "Nuville")
    assert city.trips == [[2, 0, 1], [0, 3], [3, 2, 0, 1]]
    assert city.published == {}
    published = {"Nuville": {"t0": {"REAL": [7, 3, 5], "Guess": [7, 9, 5]}}}
    (folder / "routes" / "published_predictions.json.gz").write_bytes(gzip.compress(json.dumps(published).encode()))
    assert routes.load(folder, "Nuville").published == {"Guess": {0: [2, 3, 1]}}


def test_left_out_trips_are_scored_by_ridges_that_never_saw_them(folder: Path, script: Any) -> None:
    routes = script("routes")
    city, setting = routes.load(folder, "Nuville"), routes.Setting(0.1, 0.3)
    arcs, visits = routes.left_out(city, setting)
    kernel, rows = routes.query_kernel(city, setting.width), np.arange(len(city.trips))
    for row in rows:
        others = np.setdiff1d(rows, row)
        ridge = StructuredRidge(Routes(4), loss="squared", alpha=0.1, kernel="precomputed", fit_intercept=False)
        ridge.fit(kernel[np.ix_(others, others)], [city.trips[i] for i in others])
        np.testing.assert_allclose(arcs[row], ridge.decision_function(kernel[[row]][:, others])[0], atol=1e-12)
    assert visits.shape == arcs.shape


def test_sets_that_are_not_there_are_named(folder: Path, script: Any) -> None:
    read: ModuleType = script("folders")
    with pytest.raises(SystemExit, match=r"no set xi; there are \['eta', 'Zeta'\]"):
        read.chosen(folder, read.RANKINGS, ["eta", "xi"])
    with pytest.raises(SystemExit):
        read.chosen(folder / "empty", read.GRADES)


def test_label_rankings_are_printed_without_a_published_figure(
    folder: Path, script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole script, its choices replaced by a fixed one."""
    ranking = script("label_ranking")
    fixed = {loss: ({"alpha": 0.1, "kernel": "rbf", "gamma": 0.5, "loss": loss}, 0.0) for loss in ("squared", "auc")}
    monkeypatch.setattr(ranking, "choose", lambda *_: fixed)
    monkeypatch.setattr(sys, "argv", ["label_ranking.py", "--data", str(folder), "--repeats", "1", "--jobs", "1"])
    ranking.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["eta", "Zeta"]
    assert lines[-1].endswith("on 0 of 0")


def test_naive_baselines_are_printed_beside_ours(
    folder: Path, script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole script, on the sets of a folder and without the search for the best setting in hindsight."""
    baselines = script("baselines")
    sets = ["baselines.py", "--data", str(folder), "--parts", "sets", "--no-hindsight", "--rows", "12"]
    monkeypatch.setattr(sys, "argv", sets)
    baselines.main()
    lines = capsys.readouterr().out.splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")][2:]
    measured = ["subset accuracy", "F1", "Hamming score", "−absolute error", "τ", "τ"]
    assert [row[:3] for row in cells] == [
        [name, "12", metric] for name, metric in zip(["iota"] * 3 + ["kappa", "eta", "Zeta"], measured, strict=True)
    ]
    assert all(row[7].split(maxsplit=1)[1] in baselines.OF_SETS for row in cells[:3])
    assert lines[-1].startswith("The better call is behind") and "of 6 rows" in lines[-1]


def test_naive_baselines_predict_feasible_outputs(script: Any) -> None:
    """Classes that were seen, positions 1 to k, routes that meet their conditions, and the most probable path."""
    baselines, s = script("baselines"), script("combpred.structures")
    split = baselines.Split(s.Permutations(3), X, RANKS, X[:7], None)
    for name in ("positions, Ridge", "pairs, logistic"):
        assert (np.sort(baselines.OF_RANKINGS[name](split), axis=1) == [1, 2, 3]).all()
    seen = {tuple(row) for row in BITS.tolist()}
    found = baselines.POWERSETS["label powerset, logistic"](baselines.Split(s.LabelSets(2), X, BITS, X[:7], None))
    assert {tuple(row) for row in found.tolist()} <= seen
    trips = RNG.permuted(np.tile(np.arange(4), (20, 1)), axis=1)
    ends = [{"start": 0, "end": 3, "length": length} for length in (2, 3, 4)]
    routes = baselines.parts_and_decoder(baselines.Split(s.Routes(4), X, trips, X[:3], ends))
    assert [(row[0], row[row >= 0][-1], (row >= 0).sum()) for row in routes] == [(0, 3, 2), (0, 3, 3), (0, 3, 4)]

    labels = RNG.integers(0, 2, size=(20, 3))
    tokens = np.hstack([X, X[::-1], X + labels[:, :1]])
    words = baselines.Split(s.Paths.trellis(3, 2), tokens, s.Paths.from_labels(labels, 2), tokens[:7], None)
    read = s.Paths.to_labels(baselines.viterbi(words, baselines.LOGISTIC, 2), 2)
    reader = baselines.LOGISTIC.fit(tokens.reshape(60, 2), labels.ravel())
    seen_logs = reader.predict_log_proba(tokens[:7].reshape(21, 2)).reshape(7, 3, 2)
    counts = np.ones((2, 2))
    for before, after in np.concatenate([labels[:, :2], labels[:, 1:]]):
        counts[before, after] += 1
    follows, prior = np.log(counts / counts.sum(axis=1, keepdims=True)), np.log(np.bincount(labels.ravel()) / 60)
    for logs, path in zip(seen_logs, read, strict=True):
        value = {
            (a, b, c): logs[0, a] + follows[a, b] + logs[1, b] - prior[b] + follows[b, c] + logs[2, c] - prior[c]
            for a, b, c in np.ndindex(2, 2, 2)
        }
        assert value[tuple(path.tolist())] == pytest.approx(max(value.values()))


@pytest.mark.parametrize(
    "setting", [{}, {"kernel": "poly", "degree": 2}, {"kernel": "rbf", "gamma": 0.5, "loss": "auc"}]
)
def test_a_setting_is_one_setting_to_choose_from(script: Any, setting: dict[str, Any]) -> None:
    """What is left out has its default alone: a polynomial kernel is not tried with six widths."""
    given = script("held_out").lists(setting)
    chosen = StructuredRidgeCV("permutations", alphas=[0.1, 1.0], **given).fit(X, RANKS)
    assert len(chosen.cv_results_["params"]) == 2
    alone = StructuredRidge("permutations", alpha=chosen.alpha_, **setting).fit(X, RANKS)
    np.testing.assert_allclose(chosen.feature_scores(X), alone.feature_scores(X), atol=1e-9)
