"""Targets that are names, ARFF files of Mulan and Clus, and what predictions of each learner look like."""

from __future__ import annotations

import inspect
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsRegressor

import combpred
from cli_runs import Failing, fitted
from combpred import (
    EmbeddingRegressor,
    ProbabilisticStructured,
    StructuredRidge,
    StructuredVoting,
    baselines,
    ranking,
)
from combpred._cli.learners import learners
from combpred._cli.main import main
from combpred.structures import LabelSets, Permutations

N = 40
X = np.random.RandomState(0).standard_normal(N).round(3)
HIGH = X > 0
CLOSE = ["--kernel", "rbf", "--gamma", "10", "--alpha", "0.01"]
BYPASS = ["--param", 'arcs=[["a", "b"], ["b", "c"], ["a", "c"]]', "--param", "source=a", "--param", "target=c"]
BYPASS += ["--param", 'vertices=["a", "b", "c"]']


def cells(path: Path, low: str, high: str, more: dict[str, object] | None = None) -> str:
    frame = pd.DataFrame({**(more or {}), "x": X, "target": np.where(HIGH, high, low)})
    frame.to_csv(path, index=False)
    return str(path)


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(arguments) == 0, capsys.readouterr().err
    return capsys.readouterr().out


# ---- Names in cells --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "low", "high"),
    [
        (["--structure", "permutations"], "tea>milk>juice", "juice>milk>tea"),
        (["--structure", "weakorders"], "juice=tea>milk", "milk>juice=tea"),
        (["--structure", "labelsets"], "a|b", "c"),
        (["--structure", "labelsets"], "a|b", ""),
        (["--structure", "multiclass"], "cheap", "dear"),
        ([], "cheap", "dear"),
        (["--estimator", "LabelRankingSVM"], "tea>milk>juice", "juice>milk>tea"),
        (["--structure", "ordinal", "--param", 'grades=["poor", "fair", "good"]'], "poor", "good"),
        (
            ["--structure", "hierarchy", "--param", 'parent={"cat": "pet", "carp": "fish", "fish": "pet"}'],
            "cat",
            "carp",
        ),
        (["--structure", "hierarchy", "--param", "allowed=leaves"], "pet/cat", "pet/fish/carp"),
        (["--structure", "permutations", "--target-sep", ","], "tea,milk,juice", "juice,milk,tea"),
        (["--structure", "labelsets", "--target-sep", " "], "a b", "3"),
        (["--structure", "labelsets"], "1", "2"),
        (["--structure", "subtrees"], "1", "1/2@2"),
        (["--structure", "subtrees"], "pet/cat", "pet/cat@pet/fish/carp"),
        (["--structure", "routes", *CLOSE], "Bath>Cork", "Ely>Dover>Bath"),
        (["--structure", "directedcycles", *CLOSE], "Bath>Cork>Dover", "Bath>Ely>Cork"),
        (["--structure", "paths", *BYPASS], "a>c", "a>b>c"),
    ],
)
def test_names_come_back_as_they_were(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: list[str], low: str, high: str
) -> None:
    path, model = cells(tmp_path / "t.csv", low, high), str(tmp_path / "m")
    fitted(path, *how, "--targets", "target", "--model", model)
    predicted = pd.read_csv(StringIO(output(capsys, "predict", path, "--model", model)), dtype=str)
    right = predicted.target.fillna("") == np.where(HIGH, high, low)
    assert predicted.columns.tolist() == ["target"] and right.mean() > 0.85
    table = output(capsys, "evaluate", path, "--model", model, "--metric", "zero_one_loss")
    assert float(table.split()[1]) == pytest.approx(1 - right.mean(), abs=1e-4)


def test_orders_known_in_part_and_names_that_there_are_not(tmp_path: Path, fails: Failing) -> None:
    path, model = cells(tmp_path / "t.csv", "tea>milk", "juice>tea"), str(tmp_path / "m")
    fitted(path, "--structure", "permutations", "--targets", "target", "--model", model)
    new = cells(tmp_path / "n.csv", "tea>milk", "juice>coffee")
    line = 2 + int(np.argmax(HIGH))
    assert f"n.csv, line {line}: 'target': 'coffee' is none of labels" in fails("evaluate", new, "--model", model)
    twice = cells(tmp_path / "n.csv", "tea>milk", "juice>juice")
    said = fails("fit", twice, "--structure", "permutations", "--targets", "target", "--model", model)
    assert f"line {line}: 'target': 'juice' occurs twice" in said


@pytest.mark.parametrize(
    ("structure", "low", "high"),
    [
        ("permutations", "a", "b"),
        ("permutations", "a|b", "b|a"),
        ("routes", "a b", "b a"),
        ("labelsets", "a;b", "a"),
    ],
)
def test_what_divides_names_must_be_said(tmp_path: Path, fails: Failing, structure: str, low: str, high: str) -> None:
    path = cells(tmp_path / "t.csv", low, high)
    said = fails("fit", path, "--structure", structure, "--targets", "target", "--model", str(tmp_path / "m"))
    assert "the target 'target' holds " in said and "divides names: say by --target-sep" in said


def test_cells_equal_the_converters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = cells(tmp_path / "t.csv", "b|a", "c|a"), str(tmp_path / "m")
    fitted(path, "--structure", "labelsets", "--targets", "target", "--alpha", "2", "--no-scale", "--model", model)
    y = LabelSets.from_sets(np.where(HIGH, "c|a", "b|a").tolist(), sep="|")
    direct = StructuredRidge(LabelSets(), alpha=2.0).fit(X[:, None], y)
    found = [set(cell.split("|")) for cell in output(capsys, "predict", path, "--model", model).split()[1:]]
    assert found == [set(labels) for labels in LabelSets.to_sets(direct.predict(X[:, None]), ["a", "b", "c"])]


# ---- ARFF ------------------------------------------------------------------------------------------------------------


def arff(path: Path, attributes: str, rows: list[str]) -> str:
    path.write_text(f"% made here\n@RELATION 'r s'\n\n{attributes}\n@DATA\n% rows\n" + "\n".join(rows) + "\n")
    return str(path)


def test_sparse_and_dense_files_of_mulan_are_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.RandomState(1)
    words = (rng.random_sample((N, 5)) < 0.4) * rng.randint(1, 4, (N, 5))
    labels = np.column_stack([words[:, 0] > 0, words[:, 1] > 0]).astype(int)
    kinds = np.where(rng.random_sample(N) < 0.5, "b c", "a")
    head = "".join(f"@attribute w{j} numeric\n" for j in range(5)) + "@attribute 'the kind' {a, 'b c'}\n"
    head += "@attribute 'label 1' {0,1}\n@attribute label2 {0, 1}\n"
    table = [[*map(str, w), f"'{k}'", *map(str, y)] for w, k, y in zip(words, kinds, labels, strict=True)]
    dense = arff(tmp_path / "d.arff", head, [",".join(row) for row in table])
    entries = [[f"{j} {value}" for j, value in enumerate(row) if value not in ("0", "'a'")] for row in table]
    thin = arff(tmp_path / "s.arff", head, ["{" + ", ".join(row) + "}" for row in entries])
    xml = tmp_path / "labels.xml"
    xml.write_text('<labels xmlns="http://m"><label name="label2"><label name="label 1"/></label></labels>')
    found = []
    for path in (dense, thin):
        common = [path, "--structure", "labelsets", "--labels", str(xml), "--no-scale", "--alpha", "0.1"]
        said = output(capsys, "fit", *common, "--model", str(tmp_path / "m"))
        assert "5 inputs are numbers: w0, w1, w2, w3, w4\n1 input is a category: the kind (2 levels)" in said
        found.append(output(capsys, "predict", path, "--model", str(tmp_path / "m")))
    assert found[0] == found[1] and found[0].startswith("label 1,label2\n")
    values = np.array([row.split(",") for row in found[0].split("\n")[1:-1]], dtype=int)
    assert (values == labels).mean() > 0.9
    fitted(*common[:-3], "--alpha", "0.1", "--model", str(tmp_path / "m"))  # scaled, zeros staying zeros


@pytest.mark.parametrize(
    "how", [["--estimator", "NearestNeighborsLabelRanker"], ["--structure", "permutations", "--kernel", "rbf"]]
)
def test_sparse_rows_that_models_keep_are_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: list[str]
) -> None:
    head = "".join(f"@attribute w{j} numeric\n" for j in range(9)) + "@attribute order string\n"
    rows = [f"{{{i % 8} 1, 8 {i % 2}, 9 {'b>a' if i % 2 else 'a>b'}}}" for i in range(24)]
    path, model = arff(tmp_path / "s.arff", head, rows), str(tmp_path / "m")
    fitted(path, "--targets", "order", "--model", model, *how)
    assert output(capsys, "predict", path, "--model", model).split()[1:] == ["a>b", "b>a"] * 12


def test_inputs_that_are_missing_throughout_beside_sparse_ones(tmp_path: Path, fails: Failing) -> None:
    head = "@attribute v numeric\n@attribute w numeric\n@attribute k {u,v}"
    full = arff(tmp_path / "f.arff", head, [f"{{0 {i % 2}, 1 {i}, 2 {'uv'[i % 2]}}}" for i in range(1, 9)])
    fitted(full, "--targets", "k", "--model", str(tmp_path / "m"))
    odd = arff(tmp_path / "o.arff", head.replace("w numeric", "w string"), ["{0 1, 1 ?, 2 u}"] * 2)
    assert "o.arff, line 9: the input 'w' is missing" in fails("predict", odd, "--model", str(tmp_path / "m"))


def test_a_tie_lacks_no_name(tmp_path: Path, fails: Failing) -> None:
    path = cells(tmp_path / "t.csv", "tea=milk", "milk>tea=")
    said = fails("fit", path, "--structure", "weakorders", "--targets", "target", "--model", str(tmp_path / "m"))
    assert f"line {2 + int(np.argmax(HIGH))}: 'target': 'milk>tea=' lacks a name" in said


def test_a_quote_that_is_not_closed_is_refused(tmp_path: Path, fails: Failing) -> None:
    path = arff(tmp_path / "q.arff", "@attribute x numeric\n@attribute k string", ["1,'a", "2,b", "3,c'"])
    assert 'q.arff, line 8: "1,\'a" is not as @attribute says' in fails(
        "fit", path, "--targets", "k", "--model", str(tmp_path / "m")
    )


def test_labels_of_another_file_are_refused(tmp_path: Path, fails: Failing) -> None:
    path = arff(tmp_path / "d.arff", "@attribute a numeric\n@attribute b {0,1}", ["1,0", "2,1"])
    xml, model = tmp_path / "labels.xml", str(tmp_path / "m")
    for text, words in (
        ("<l><label name='z'/></l>", "lists 'z', which is no attribute"),
        ("<l/>", "lists no label"),
        ("<", "cannot read"),
    ):
        xml.write_text(text)
        assert words in fails("fit", path, "--structure", "labelsets", "--labels", str(xml), "--model", model)


TREE = "@attribute x numeric\n@attribute class hierarchical 1,1/1,1/2,2,2/1"


def test_hierarchies_of_clus(tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing) -> None:
    model = str(tmp_path / "m")
    single = arff(
        tmp_path / "s.arff", TREE, [f"{x},{'1@1/2' if high else '2'}" for x, high in zip(X, HIGH, strict=True)]
    )
    assert "Hierarchy(nodes=['(root)', '1', '1/1'" in output(capsys, "fit", single, "--model", model)
    found = output(capsys, "predict", single, "--model", model).split()
    assert found[0] == "class" and (np.array(found[1:]) == np.where(HIGH, "1/2", "2")).mean() > 0.85
    assert "hierarchical_loss" in output(capsys, "evaluate", single, "--model", model, "--metric", "hierarchical_loss")

    rows = [f"{x},{'1/2@2/1' if high else '1'}" for x, high in zip(X, HIGH, strict=True)]
    several = arff(tmp_path / "p.arff", TREE, rows)
    said = fails("evaluate", several, "--model", model)
    assert f"p.arff, line {8 + int(np.argmax(HIGH))}: 'class': there are several paths, but y is one node; give" in said
    assert "Subtrees(" in output(capsys, "fit", several, "--model", model)
    found = output(capsys, "predict", several, "--model", model).split()
    assert (np.array(found[1:]) == np.where(HIGH, "1/2@2/1", "1")).mean() > 0.85


# ---- Learners --------------------------------------------------------------------------------------------------------


def test_all_learners_have_their_names() -> None:
    public = {
        name: getattr(module, name) for module in (combpred, baselines, ranking) for name in module.__all__
        if hasattr(getattr(module, name), "fit") and name != "ConvertedTargets"  # the command line converts targets
    }  # fmt: skip
    assert learners() == public


@pytest.mark.parametrize("name", sorted(learners()))
def test_every_learner_is_saved_and_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    path, model = cells(tmp_path / "t.csv", "tea>milk>juice", "juice>milk>tea"), str(tmp_path / "m")
    takes_structure = "structure" in inspect.signature(learners()[name]).parameters
    more = ["--structure", "permutations"] * takes_structure
    more += ["--param", "estimators=StructuredRidge,ProbabilisticStructured"] * (name == "StructuredVoting")
    fitted(path, "--estimator", name, *more, "--targets", "target", "--model", model)
    found = output(capsys, "predict", path, "--model", model).split()[1:]
    assert (np.array(found) == np.where(HIGH, "juice>milk>tea", "tea>milk>juice")).mean() > 0.8
    assert name in output(capsys, "info", model)


def test_parameters_of_estimators_and_of_those_within(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    path, model = cells(tmp_path / "t.csv", "a>b", "b>a"), str(tmp_path / "m")
    common = ["fit", path, "--targets", "target", "--model", model, "--estimator", "RankingByPairwiseComparison"]
    inner = ["--param", "estimator__max_depth=2", "--param", "estimator=DecisionTreeClassifier"]
    output(capsys, *common, *inner)
    assert "DecisionTreeClassifier(max_depth=2)" in output(capsys, "info", model)
    assert "no estimator 'Oracle'" in fails(*common, "--param", "estimator=Oracle")
    assert "--param: Invalid parameter 'depth'" in fails(*common, *inner, "--param", "estimator__depth=2")


def test_averages_of_several_models(tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing) -> None:
    path, model = cells(tmp_path / "t.csv", "tea>milk>juice", "juice>milk>tea"), str(tmp_path / "m")
    common = [path, "--structure", "permutations", "--targets", "target", "--model", model, "--no-scale"]
    common += ["--estimator", "StructuredVoting"]
    members = '["StructuredRidge", {"EmbeddingRegressor": {"regressor": {"KNeighborsRegressor": {"n_neighbors": 3}}}}]'
    inner = ["--param", f"estimators={members}", "--param", "structuredridge__alpha=3", "--param", "weights=[1, 2]"]
    fitted(*common, *inner)
    labels = ["juice", "milk", "tea"]
    y = Permutations.from_orders(np.where(HIGH, "juice>milk>tea", "tea>milk>juice").tolist(), labels, sep=">")
    neighbours = EmbeddingRegressor(regressor=KNeighborsRegressor(3))
    both = [("a", StructuredRidge("permutations", alpha=3.0)), ("b", neighbours)]
    expected = StructuredVoting(both, weights=[1, 2]).fit(X[:, None], y).predict(X[:, None])
    orders = [">".join(order) for order in Permutations.to_orders(expected, labels)]
    assert output(capsys, "predict", path, "--model", model).split()[1:] == orders
    twice = ["--param", "estimators=StructuredRidge,StructuredRidge", "--param", "structuredridge-2__alpha=9"]
    fitted(*common, *twice)
    assert "needs --param estimators=NAME,NAME" in fails("fit", *common)
    assert "no estimator 'Oracle'" in fails("fit", *common, "--param", "estimators=StructuredRidge,Oracle")


def test_probabilities_certificates_and_constraints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    people = [f"p{i}" for i in range(N)]
    first = [json.dumps({"first": "milk"}) if i % 2 else "" for i in range(N)]
    path = cells(tmp_path / "t.csv", "tea>milk>juice", "juice>milk>tea", {"who": people, "rule": first})
    model, rules = str(tmp_path / "m"), tmp_path / "rules.json"
    common = ["--structure", "permutations", "--targets", "target", "--id", "who", "--drop", "rule", "--model", model]
    fitted(path, *common, "--estimator", "ProbabilisticStructured", "--no-scale")
    found = pd.read_csv(StringIO(output(capsys, "predict", path, "--model", model, "--proba", "--certificate")))
    assert found.columns.tolist()[:6] == ["who", "target", "value", "nu", "optimal", "upper_bound"]
    names = ["juice", "milk", "tea"]
    y = Permutations.from_orders(np.where(HIGH, "juice>milk>tea", "tea>milk>juice").tolist(), names, sep=">")
    direct = ProbabilisticStructured("permutations").fit(X[:, None], y)
    np.testing.assert_allclose(found.iloc[:, 6:], (1 + direct.predict_marginals(X[:, None])) / 2, atol=1e-9)
    assert found.columns[6:].tolist() == ["p(juice>milk)", "p(juice>tea)", "p(milk>tea)"]
    assert found.optimal.all() and (found.who == people).all()

    rules.write_text('{"first": "milk"}')
    firsts = [
        row.split(",")[1].split(">")[0]
        for row in output(capsys, "predict", path, "--model", model, "--constraints", str(rules)).split()[1:]
    ]
    assert firsts == ["milk"] * N
    chosen = [
        row.split(",")[1].split(">")[0]
        for row in output(capsys, "predict", path, "--model", model, "--constraints", "rule").split()[1:]
    ]
    assert chosen[1::2] == ["milk"] * (N // 2) and "milk" not in chosen[::2]
    found = [
        float(output(capsys, "evaluate", path, "--model", model, "--metric", "zero_one_loss", *more).split()[1])
        for more in ([], ["--constraints", "rule"], ["--constraints", "rule", "--cv", "4"])
    ]
    assert found[0] < 0.2 and min(found[1:]) >= 0.5 and max(found[1:]) < 0.7  # every other row is held to a wrong first
    rules.write_text('[{"first": "water"}]')
    assert "constraints" in fails("predict", path, "--model", model, "--constraints", str(rules))
    assert "cannot read nothing" in fails("predict", path, "--model", model, "--constraints", "nothing")

    fitted(
        path,
        "--targets",
        "target",
        "--id",
        "who",
        "--drop",
        "rule",
        "--model",
        model,
        "--estimator",
        "NearestNeighborsLabelRanker",
    )
    assert output(capsys, "predict", path, "--model", model, "--proba").startswith(
        "who,target,p(juice>milk),p(juice>tea),"
    )
    assert "--certificate: NearestNeighborsLabelRanker" in fails("predict", path, "--model", model, "--certificate")
    assert "--constraints: NearestNeighborsLabelRanker" in fails(
        "predict", path, "--model", model, "--constraints", "rule"
    )
    fitted(path, *common)
    assert "--estimator ProbabilisticStructured" in fails("predict", path, "--model", model, "--proba")


@pytest.mark.parametrize(
    "how",
    [
        [],
        ["--structure", "ordinal", "--param", 'grades=["cheap", "dear"]'],
        ["--structure", "hierarchy", "--param", "allowed=leaves"],
    ],
)
def test_probabilities_of_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str], how: list[str]) -> None:
    path, model = cells(tmp_path / "t.csv", "cheap", "dear"), str(tmp_path / "m")
    fitted(path, "--targets", "target", "--model", model, "--estimator", "ProbabilisticStructured", *how)
    found = pd.read_csv(StringIO(output(capsys, "predict", path, "--model", model, "--proba")))
    assert sorted(found.columns) == ["p(cheap)", "p(dear)", "target"]
    np.testing.assert_allclose(found["p(cheap)"] + found["p(dear)"], 1)
    assert ((found["p(dear)"] > 0.5) == (found.target == "dear")).all()
