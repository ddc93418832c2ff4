"""Targets that are names in columns of their own: choices in order, members of sets, stops of tours."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_runs import Failing, fitted, write_csv
from combpred import StructuredRidge
from combpred._cli.main import main
from combpred.structures import Permutations

X = np.random.RandomState(0).standard_normal(40).round(3)
HIGH = X > 0
CLOSE = ["--kernel", "rbf", "--gamma", "10", "--alpha", "0.01"]
CHOICES = "--targets", "c1,c2,c3"


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(arguments) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def spread(path: Path, low: list[str], high: list[str]) -> str:
    rows = pd.DataFrame([high if which else low for which in HIGH], columns=["c1", "c2", "c3"])
    rows.assign(x=X).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize(
    ("how", "low", "high"),
    [
        (["--structure", "permutations"], ["tea", "milk", "juice"], ["cola", "tea", "milk"]),
        (["--estimator", "LabelRankingSVM"], ["tea", "milk", "juice"], ["juice", "milk", "tea"]),
        (["--structure", "weakorders"], ["tea", "milk=cola", "juice"], ["juice", "cola", "tea=milk"]),
        (["--structure", "labelsets"], ["a", "b", "c"], ["b", "", ""]),
        (["--structure", "routes", *CLOSE], ["Bath", "Cork", ""], ["Ely", "Dover", "Bath"]),
    ],
)
def test_choices_in_columns_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: list[str], low: list[str], high: list[str]
) -> None:
    path, model = spread(tmp_path / "t.csv", low, high), str(tmp_path / "m")
    fitted(path, *how, *CHOICES, "--model", model)
    found = pd.read_csv(StringIO(output(capsys, "predict", path, "--model", model)), dtype=str).fillna("")
    assert found.columns.tolist() == ["c1", "c2", "c3"]
    expected = [{tuple(sorted(cell.split("="))) for cell in (high if which else low)} for which in HIGH]
    same = [
        {tuple(sorted(cell.split("="))) for cell in row} == of
        and (how[1] == "labelsets" or row[0] == (high if which else low)[0])
        for row, of, which in zip(found.to_numpy().tolist(), expected, HIGH, strict=True)
    ]
    assert np.mean(same) > 0.85
    table = output(capsys, "evaluate", path, "--model", model, "--metric", "zero_one_loss")
    assert float(table.split()[1]) < 0.25


def test_labels_that_are_not_chosen_come_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = spread(tmp_path / "t.csv", ["tea", "milk", ""], ["juice", "", ""]), str(tmp_path / "m")
    fitted(path, "--structure", "permutations", *CHOICES, "--no-scale", "--model", model)
    tops = [["juice"] if which else ["tea", "milk"] for which in HIGH]
    y = Permutations.from_top_k(tops, ["juice", "milk", "tea"])
    expected = Permutations.to_orders(
        StructuredRidge("permutations").fit(X[:, None], y).predict(X[:, None]), ["juice", "milk", "tea"]
    )
    assert output(capsys, "predict", path, "--model", model).split()[1:] == [",".join(order) for order in expected]


def test_choices_that_cannot_be_read(tmp_path: Path, fails: Failing) -> None:
    model, line = ["--model", str(tmp_path / "m")], 2 + int(np.argmax(HIGH))
    gap = spread(tmp_path / "t.csv", ["tea", "milk", "cola"], ["tea", "", "cola"])
    said = fails("fit", gap, "--structure", "permutations", *CHOICES, *model)
    assert f"t.csv, line {line}: 'c2' is empty but 'c3' is not" in said
    twice = spread(tmp_path / "t.csv", ["tea", "milk", "cola"], ["tea", "cola", "cola"])
    said = fails("fit", twice, "--structure", "permutations", *CHOICES, *model)
    assert f"t.csv, line {line}: 'c1', 'c2', 'c3': 'cola' occurs twice" in said
    none = spread(tmp_path / "t.csv", ["tea", "milk", "cola"], ["", "", ""])
    said = fails("fit", none, "--structure", "permutations", *CHOICES, *model)
    assert f"line {line}: the target 'c1', 'c2', 'c3' is missing" in said
    assert "say by --structure what they are, permutations" in fails("fit", twice, *CHOICES, *model)


@pytest.mark.parametrize(
    ("low", "high", "structure"),
    [
        ("tea>milk>juice", "juice>milk>tea", "Permutations(labels=['juice', 'milk', 'tea']"),
        ("tea=milk>juice", "juice>milk=tea", "WeakOrders(labels=['juice', 'milk', 'tea']"),
        ("urgent|billing", "spam", "LabelSets(labels=['billing', 'spam', 'urgent']"),
        (">50K", "<=50K", "MultiClass(n_classes=2)"),
        ("a>b", "other", "MultiClass(n_classes=2)"),
    ],
)
def test_what_single_fields_are_is_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], low: str, high: str, structure: str
) -> None:
    path, model = str(tmp_path / "t.csv"), str(tmp_path / "m")
    pd.DataFrame({"x": X, "target": np.where(HIGH, high, low)}).to_csv(path, index=False)
    assert output(capsys, "fit", path, "--targets", "target", "--model", model).startswith(structure)
    assert output(capsys, "fit", path, "--targets", "target", "--model", model, "--structure", "MultiClass")
    found = pd.read_csv(StringIO(output(capsys, "predict", path, "--model", model)))
    assert set(found.target) == {low, high}


def test_names_that_are_probably_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing) -> None:
    path, model = str(tmp_path / "t.csv"), ["--model", str(tmp_path / "m")]
    orders = np.where(HIGH, "tea>milk", "milk>tea")
    orders[3] = "Tea>milk"
    pd.DataFrame({"x": X, "a": orders, "b": orders}).to_csv(path, index=False)
    fitted(path, "--targets", "a", "--drop", "b", *model)
    assert "'Tea' and 'tea' count as two labels" in capsys.readouterr().err
    assert "hold several names in a field, such as" in fails(
        "fit", path, "--structure", "permutations", "--targets", "a,b", *model
    )
    assert "no ';' divides names" in fails("fit", path, "--targets", "a", "--target-sep", ";", "--drop", "b", *model)
    assert "no '/' divides names" in fails(
        "fit", path, "--structure", "labelsets", "--targets", "a", "--target-sep", "/", "--drop", "b", *model
    )
    assert "do you mean permutations?" in fails("fit", path, "--structure", "permutation", "--targets", "a", *model)
    assert "do you mean kendall_tau?" in fails("evaluate", path, *model, "--metric", "kendal_tau")
    assert "written as CSV or .parquet" in fails("predict", path, *model, "--output", "p.xlsx")
    assert "--plot: cannot write" in fails("evaluate", path, *model, "--plot", str(tmp_path / "no" / "p.png"))
    held = output(capsys, "predict", path, *model, "--constraints", '{"first": "Tea"}')
    assert {row.split(">")[0] for row in held.split()[1:]} == {"Tea"}
    assert "--constraints: {no is not JSON" in fails("predict", path, *model, "--constraints", "{no")


def test_choices_by_the_numbers_of_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = spread(tmp_path / "t.csv", ["10", "2", "7"], ["7", "10", ""]), str(tmp_path / "m")
    fitted(path, "--structure", "permutations", *CHOICES, "--choices", "--no-scale", "--model", model)
    assert "Permutations(labels=['2', '7', '10']" in capsys.readouterr().out
    y = Permutations.from_top_k([["7", "10"] if which else ["10", "2", "7"] for which in HIGH], ["10", "2", "7"])
    found = StructuredRidge("permutations").fit(X[:, None], y).predict(X[:, None])
    expected = [",".join(order) for order in Permutations.to_orders(found, ["10", "2", "7"])]
    assert output(capsys, "predict", path, "--model", model).split()[1:] == expected


def test_labels_that_are_yes_or_no(tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing) -> None:
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    told = pd.DataFrame({"x": X, "c1": HIGH, "c2": X < 0.5, "c3": X < 0})
    told.replace({True: "yes", False: "no"}).to_csv(path, index=False)
    for how in ([], ["--structure", "labelsets"]):
        said = fails("fit", str(path), *CHOICES, *how, "--model", model)
        assert "hold 'no' and 'yes' only: if these say yes or no of each label, tell which by --true-values" in said
    fitted(str(path), *CHOICES, "--true-values", "yes", "--false-values", "no", "--model", model)
    assert capsys.readouterr().out.startswith("LabelSets(labels=['c1', 'c2', 'c3'], n_labels=3)")
    found = pd.read_csv(StringIO(output(capsys, "predict", str(path), "--model", model)))
    assert (found == told[["c1", "c2", "c3"]].astype(int)).to_numpy().mean() > 0.8


@pytest.mark.parametrize("comma", [False, True])
def test_numbers_of_labels_are_whole_beside_empty_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], comma: bool
) -> None:
    """pandas writes a column of whole numbers with blanks as 2.0, the others as 2."""
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    frame = pd.DataFrame({"x": X, "c1": np.where(HIGH, 1, 2), "c2": np.where(HIGH, 2, np.nan)})
    frame.to_csv(path, index=False, sep=";", decimal="," if comma else ".")
    assert ",0" in path.read_text() or not comma
    how = ["--decimal", ","] * comma
    fitted(str(path), "--structure", "labelsets", "--targets", "c1,c2", "--choices", *how, "--model", model)
    assert capsys.readouterr().out.startswith("LabelSets(labels=['1', '2'], n_labels=2)")
    found = output(capsys, "predict", str(path), "--model", model).split()
    assert found[0] == "c1,c2" and set(found[1:]) == {"1,2", "2,"}


@pytest.mark.parametrize(
    ("structure", "told", "low", "high"),
    [
        ("permutations", "labels=C,A,B", [2, 3, 1], [1, 2, 3]),
        ("permutations", "n_labels=3", [2, 3, 1], [1, 2, 3]),
        ("labelsets", "labels=C,B,A", [0, 1, 0], [1, 0, 0]),
        ("subtrees", 'parent={"C": null, "B": "C", "A": "C"}', [0, 1, 1], [1, 0, 1]),
        ("cliques", "vertices=B,C,A", [0, 1, 1], [1, 1, 0]),
    ],
)
def test_columns_bear_their_names_in_any_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], structure: str, told: str, low: list[int], high: list[int]
) -> None:
    path, model = str(tmp_path / "t.csv"), str(tmp_path / "m")
    columns = pd.DataFrame([high if which else low for which in HIGH], columns=["A", "B", "C"])
    columns.assign(x=X).to_csv(path, index=False)
    fitted(path, "--structure", structure, "--targets", "A,B,C", "--model", model, "--param", told)
    capsys.readouterr()
    assert main(["predict", path, "--model", model]) == 0
    found = pd.read_csv(StringIO(capsys.readouterr().out))[["A", "B", "C"]]
    assert (found == columns).all(axis=1).mean() > 0.8


@pytest.mark.parametrize("odd", ["tea>milk>", "tea", ">tea"])
def test_a_field_that_is_no_order_among_orders_is_named(tmp_path: Path, fails: Failing, odd: str) -> None:
    path = write_csv(tmp_path / "t.csv", ["x", "t"], [[i, "tea>milk" if i % 4 else odd] for i in range(1, 8)])
    common = ["fit", path, "--targets", "t", "--model", str(tmp_path / "m")]
    said = fails(*common)
    assert f"t.csv, line 5: t: {odd!r} is not as the others, orders such as 'tea>milk': mend the field, or" in said
    assert main([*common, "--structure", "multiclass"]) == 0


def test_a_tie_among_positions_is_named(tmp_path: Path, fails: Failing) -> None:
    rows = [[1, 2, 1, 3], [2, 3, 2, 1], [3, 1, 1, 2], [4, 1, 2, 3]]
    common = ["fit", write_csv(tmp_path / "t.csv", ["x", "a", "b", "c"], rows), "--targets", "a,b,c"]
    said = fails(*common, "--model", str(tmp_path / "m"))
    assert "line 4: a, b, c: the row does not hold 1 to 3 once each, as most do: mend it, or say by --structure" in said
    assert main([*common, "--structure", "weakorders", "--model", str(tmp_path / "m")]) == 0


def test_labels_that_are_listed_as_numbers_are_those_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    listed = ["--structure", "permutations", "--param", "labels=[7, 10, 2]", "--model", model]
    pd.DataFrame({"x": X, "order": np.where(HIGH, "7>10>2", "10>2>7")}).to_csv(path, index=False)
    fitted(str(path), "--targets", "order", *listed)
    assert "Permutations(labels=['7', '10', '2']" in capsys.readouterr().out
    pd.DataFrame({"x": X, "10": 1 + 2 * HIGH, "2": 3 - 2 * HIGH, "7": 2}).to_csv(path, index=False)
    fitted(str(path), "--targets", "10,2,7", *listed)
    assert "Permutations(labels=['7', '10', '2']" in capsys.readouterr().out
