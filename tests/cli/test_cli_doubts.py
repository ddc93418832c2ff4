"""What might be read, dropped or ignored in silence: marks, useless options, columns named twice, other divisions."""

from __future__ import annotations

import bz2
import json
import zipfile
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_runs import Failing, fitted
from combpred._cli.main import main
from data_frames import imported_pyarrow

X = np.random.RandomState(0).standard_normal(40).round(3)
HIGH = X > 0


def table(path: Path, low: str, high: str, more: dict[str, object] | None = None) -> str:
    pd.DataFrame({"x": X, **(more or {}), "t": np.where(HIGH, high, low)}).to_csv(path, index=False)
    return str(path)


def numbers(path: Path, fields: list[str]) -> str:
    rows = [f"{field};{'ab'[i % 2]}" for i, field in enumerate(fields * 10)]
    path.write_text("\n".join(["n;k", *rows]), encoding="utf-8")
    return str(path)


# ---- Numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (["1'000", "22'500.5", "7"], """give --thousands "'", or"""),
        (["1\u00a0000", "22\u00a0500", "7"], "numbers with signs such as '1\\xa0000': write plain numbers"),
        (["−1.5", "2.5", "−3"], "numbers with signs such as '−1.5': write plain numbers"),
        (["1 000,5", "22 500,25", "7"], "give --thousands ' ' --decimal ,, or"),
        (["1000", "2000", "3000", "4000", "5,5", "6000", "7000", "8000", "9000"], "give --decimal ,, or"),
    ],
)
def test_numbers_in_rarer_notations_are_refused(tmp_path: Path, fails: Failing, fields: list[str], words: str) -> None:
    said = fails("fit", numbers(tmp_path / "t.csv", fields), "--targets", "k", "--model", str(tmp_path / "m"))
    assert "the column 'n' holds numbers" in said and words in said


@pytest.mark.parametrize(
    ("fields", "doubted"),
    [
        (["1.250", "13.000", "-7.100", "12"], True),
        (["1.250", "0.125"], False),
        (["1.250", "1.5"], False),
        (["1.250", "1250"], False),
        (["12", "7"], False),
    ],
)
def test_points_that_may_mark_thousands_are_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fields: list[str], doubted: bool
) -> None:
    path, model = numbers(tmp_path / "t.csv", fields), str(tmp_path / "m")
    fitted(path, "--targets", "k", "--model", model)
    note = "note: 'n' has three digits behind each point; if it marks thousands, give --thousands ."
    assert (note in capsys.readouterr().out) == doubted
    if doubted:
        fitted(path, "--targets", "k", "--thousands", ".", "--model", model)
        assert "note: 'n' has" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--target-sep", ","], "--target-sep: say by --structure what is divided"),
        (["--structure", "multiclass", "--target-sep", ","], "--target-sep: no names are divided in 'k'; leave it out"),
        (["--target-sep", ""], "--target-sep: '' divides nothing; say what stands between names"),
        (["--choices"], "--choices is of names in several columns, such as a first and a second choice; leave it out"),
        (["--decimal", ".", "--thousands", "."], "--thousands and --decimal are both '.'; they must differ"),
        (["--decimal", ",,"], "--decimal: ',,' is not one character"),
        (["--labels", "l.xml"], "--labels and --targets both say what the targets are"),
        (
            ["--alpha", "auto", "--estimator", "ProbabilisticStructured"],
            "--alpha auto: ProbabilisticStructured does not",
        ),
        (["--kernel", "auto", "--estimator", "StructuredRidge"], "--kernel auto: StructuredRidge does not choose"),
        (["--gamma", ".1"], "--gamma is of the kernels poly, rbf, laplacian, not of linear"),
        (["--gamma", ".1", "--alpha", "auto"], "--gamma is of the kernels poly, rbf, laplacian, not of linear"),
        (["--degree", "3", "--kernel", "rbf"], "--degree is of the kernels poly, not of rbf"),
    ],
)
def test_options_that_would_be_ignored_are_refused(
    tmp_path: Path, fails: Failing, options: list[str], words: str
) -> None:
    path = numbers(tmp_path / "t.csv", ["1.5", "2.5"])
    assert words in fails("fit", path, "--targets", "k", "--model", str(tmp_path / "m"), *options)


@pytest.mark.parametrize(
    "how", [["--kernel", "rbf"], ["--param", "kernel=rbf"], ["--alpha", "auto", "--kernel", "rbf"]]
)
def test_numbers_need_no_zero_before_the_point(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: list[str]
) -> None:
    path, model = numbers(tmp_path / "t.csv", ["1.5", "2.5"]), str(tmp_path / "m")
    fitted(path, "--targets", "k", "--model", model, "--gamma", ".125", *how)
    capsys.readouterr()
    assert main(["info", model]) == 0
    assert "gamma=0.125" in (said := capsys.readouterr().out) or "gammas=[0.125]" in said


# ---- Columns ---------------------------------------------------------------------------------------------------------


def test_columns_may_be_named_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing) -> None:
    codes = {"code": [f"{i:03}" for i in range(40)], "a,b": range(0, 80, 2)}
    path, model = table(tmp_path / "t.csv", "u", "v", codes), str(tmp_path / "m")
    fitted(path, "--targets", "t", "--id", "code", "--id", "a,b", "--model", model)
    assert "1 input is a number: x\n" in capsys.readouterr().out
    assert main(["predict", path, "--model", model]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == 'code,"a,b",t' and rows[8].startswith("007,14,")  # as they are written
    said = fails("predict", path, "--model", model, "--id", "code,t")
    assert "--id: 't' is the target, whose column holds the predictions" in said
    said = fails("fit", path, "--targets", "t", "--id", "code", "--drop", "code", "--model", model)
    assert "--drop and --id both name the column 'code'" in said


def test_a_file_without_columns_is_refused(tmp_path: Path, fails: Failing) -> None:
    imported_pyarrow()
    pd.DataFrame(index=range(3)).to_parquet(tmp_path / "t.parquet")
    said = fails("fit", str(tmp_path / "t.parquet"), "--targets", "t", "--model", str(tmp_path / "m"))
    assert said.endswith("t.parquet has no column")


def test_packed_files_and_full_disks_are_named(tmp_path: Path, fails: Failing) -> None:
    path, model = tmp_path / "t.csv.bz2", str(tmp_path / "m")
    path.write_bytes(bz2.compress(b"x,t\n1,a\n2,b\n"))
    said = fails("fit", str(path), "--targets", "t", "--model", model)
    assert "t.csv.bz2 is a workbook or packed; save the sheet as CSV, or unpack the file" in said
    plain = table(tmp_path / "t.csv", "u", "v")
    fitted(plain, "--targets", "t", "--model", model)
    if Path("/dev/full").exists():
        said = fails("predict", plain, "--model", model, "--output", "/dev/full")
        assert said.startswith("combpred: error: --output: cannot write /dev/full: ")


# ---- Targets ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sep", [">", ";", ">>"])
def test_paths_are_divided_as_the_option_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing, sep: str
) -> None:
    low, high = (f"pet {sep} {kind}" for kind in ("cat", "red fox"))
    path, model = table(tmp_path / "t.csv", low, high), str(tmp_path / "m")
    common = [path, "--structure", "hierarchy", "--targets", "t", "--model", model, "--param", "allowed=leaves"]
    assert "holds paths such as 'pet " in (said := fails("fit", *common)) and "no '/' divides names" in said
    fitted(*common, "--target-sep", sep)
    assert f"Hierarchy(allowed='leaves', nodes=['pet', 'pet{sep}" in capsys.readouterr().out
    assert main(["predict", path, "--model", model]) == 0
    found = np.array(capsys.readouterr().out.splitlines()[1:])
    assert (found == np.where(HIGH, f"pet{sep}red fox", f"pet{sep}cat")).mean() > 0.85


def test_paths_in_columns_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing) -> None:
    path, model = str(tmp_path / "t.csv"), str(tmp_path / "m")
    frame = pd.DataFrame({"x": X, "top": np.where(HIGH, "pet", "plant"), "below": np.where(HIGH, "cat", "")})
    frame.to_csv(path, index=False)
    common = [path, "--targets", "top,below", "--model", model, "--structure"]
    fitted(*common, "hierarchy")
    said = capsys.readouterr().out
    assert said.startswith("Hierarchy(") and all(f"'{node}'" in said for node in ("pet", "pet/cat", "plant"))
    assert main(["predict", path, "--model", model]) == 0
    found = pd.read_csv(StringIO(capsys.readouterr().out)).fillna("")
    assert (found == frame[["top", "below"]]).all(axis=1).mean() > 0.85
    assert "such as 'pet': say by --structure what they are" in fails("fit", *common, "subtrees")
    frame.assign(below="a/b").to_csv(path, index=False)
    assert "hold several names in a field, such as 'a/b'" in fails("fit", *common, "hierarchy")


def test_labels_that_are_several_by_another_division_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = table(tmp_path / "t.csv", "a|b", "b;a"), str(tmp_path / "m")
    fitted(path, "--targets", "t", "--model", model)
    line = int(np.argmax(HIGH)) + 2
    assert f"t.csv, line {line}: 'b;a' counts as one label, though its parts are labels" in capsys.readouterr().err
    fitted(table(tmp_path / "t.csv", "a|b", "b;c"), "--targets", "t", "--model", model)
    assert capsys.readouterr().err == ""


def test_text_is_no_target_of_structures_of_numbers(tmp_path: Path, fails: Failing) -> None:
    common = ["fit", table(tmp_path / "t.csv", "u", "v"), "--targets", "t", "--model", str(tmp_path / "m")]
    for structure in ("assignments", "graphs", "spanningtrees", "cliques"):
        said = fails(*common, "--structure", structure)
        assert f"the target 't' holds 'v', but those of {structure} are numbers" in said


def test_grades_are_listed_as_numbers_or_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    path, model = table(tmp_path / "t.csv", "1", "3"), str(tmp_path / "m")
    common = [path, "--structure", "ordinal", "--targets", "t", "--model", model]
    for grades in ("1,2,3", "[1, 2, 3]"):
        fitted(*common, "--param", f"grades={grades}")
        assert capsys.readouterr().err == ""
        assert main(["predict", path, "--model", model]) == 0
        assert set(capsys.readouterr().out.split()) <= {"t", "1", "2", "3"}
    table(tmp_path / "t.csv", "low", "high")
    assert "from lowest to highest, by --param grades=LOWEST,…,HIGHEST" in fails("fit", *common)


def test_what_evaluation_cannot_judge_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    path, model = table(tmp_path / "t.csv", "u", "v"), str(tmp_path / "m")
    fitted(path, "--targets", "t", "--model", model)
    table(tmp_path / "t.csv", "u", "w")
    capsys.readouterr()
    assert main(["evaluate", path, "--model", model]) == 0
    assert "the target 't' holds 'w', which did not occur in training" in capsys.readouterr().err
    said = fails("evaluate", path, "--model", model, "--metric", "hamming_loss")  # no converters of Python
    assert "--metric hamming_loss does not suit these targets (accuracy does): " in said
    said = fails("evaluate", path, "--model", model, "--metric", "kendall_tau")
    assert "--metric kendall_tau does not suit these targets (accuracy does): " in said
    table(tmp_path / "t.csv", "a>b", "b>a", {"rule": 7})
    fitted(path, "--targets", "t", "--drop", "rule", "--model", model)
    said = fails("evaluate", path, "--model", model, "--metric", "hamming_loss")
    what = "t.csv, line 2: t: --metric hamming_loss does not suit these targets (kendall_tau does): must hold 0"
    assert what in said
    said = fails("predict", path, "--model", model, "--constraints", "rule")
    assert "t.csv, line 2: 'rule' holds 7, which is no JSON object of constraints" in said


@pytest.mark.parametrize(("cell", "sep"), [("a>>b", ">>"), ("a->b", "->"), ("a.b", ".")])
def test_names_may_be_divided_by_anything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cell: str, sep: str
) -> None:
    path, model = table(tmp_path / "t.csv", cell, sep.join("ba")), str(tmp_path / "m")
    for structure in ("permutations", "weakorders", "labelsets", "routes"):
        fitted(path, "--structure", structure, "--targets", "t", f"--target-sep={sep}", "--model", model)
        assert "'a', 'b'" in capsys.readouterr().out
        assert main(["predict", path, "--model", model]) == 0
        assert {*capsys.readouterr().out.split()[1:]} <= {cell, sep.join("ba"), "a", "b", "a=b"}


def test_columns_that_hold_each_position_once_are_rankings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    path, model = str(tmp_path / "t.csv"), str(tmp_path / "m")
    frame = pd.DataFrame({"x": X, "tea": np.where(HIGH, 1, 2), "milk": np.where(HIGH, 2, 1)})
    frame.to_csv(path, index=False)
    common = [path, "--targets", "tea,milk", "--model", model]
    fitted(*common)
    assert capsys.readouterr().out.startswith("Permutations(labels=['tea', 'milk'], n_labels=2)")
    (frame - [0, 1, 1]).to_csv(path, index=False)
    fitted(*common)
    assert capsys.readouterr().out.startswith("LabelSets(")
    said = fails("fit", *common, "--structure", "permutations")
    assert "count from 1: add 1" in said and said.endswith("a row that lists labels from best to worst needs --choices")


def test_a_row_is_not_taken_for_the_names_in_silence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    rows = "".join(f"{x},{'ab'[int(x > 0)]}\n" for x in X)
    path.write_text(rows)
    fitted(str(path), "--targets", "1", "--model", model)
    assert "the first line of " in (said := capsys.readouterr().err) and "taken for names of columns" in said
    fitted(str(path), "--targets", "1", "--no-header", "--model", model)
    assert capsys.readouterr().err == ""
    path.write_text(f"2024,kind\n{rows}")
    fitted(str(path), "--targets", "kind", "--model", model)
    assert capsys.readouterr().err == ""


def test_files_of_parquet_that_are_broken_are_named(tmp_path: Path, fails: Failing) -> None:
    imported_pyarrow()
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 and nothing more")
    assert f"error: {path}: " in fails("fit", str(path), "--targets", "t", "--model", str(tmp_path / "m"))


def test_an_index_of_parquet_is_a_column_unless_it_numbers_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported_pyarrow()
    path, model = str(tmp_path / "t.parquet"), str(tmp_path / "m")
    frame = pd.DataFrame({"u": ["a", "b"] * 20, "v": np.arange(40) % 3, "x": X, "t": np.where(HIGH, "p", "q")})
    for index, inputs in ((["u", "v"], "v, x\n1 input is a category: u "), (["u"], "v, x\n1 input is a category: u "),
                          (["v"], "v, x\n1 input is a category: u ")):  # fmt: skip
        frame.set_index(index).to_parquet(path)
        fitted(path, "--targets", "t", "--model", model)
        assert f"2 inputs are numbers: {inputs}" in capsys.readouterr().out
    for unnamed, inputs in (("u", "v, x\n1 input is a category: index "), ("v", "x\n1 input is a category: u ")):
        frame.set_index(unnamed).rename_axis(None).to_parquet(path)
        fitted(path, "--targets", "t", "--model", model)
        assert f"numbers: {inputs}" in capsys.readouterr().out.replace("number: ", "numbers: ")


@pytest.mark.parametrize(
    ("structure", "low", "high", "labels"),
    [
        ("permutations", "c>b>a", "b>a>c", "c,b,a"),
        ("permutations", "c>b>a", "b>a>c", "d,c,a,b"),
        ("weakorders", "c>b=a", "b>a>c", "c,b,a"),
        ("labelsets", "c|b", "a", "c,b,a"),
        ("labelsets", "c|b", "a", "d,c,a,b"),
    ],
)
def test_predictions_bear_the_names_of_labels_in_any_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], structure: str, low: str, high: str, labels: str
) -> None:
    path, model = table(tmp_path / "t.csv", low, high), str(tmp_path / "m")
    fitted(path, "--structure", structure, "--targets", "t", "--model", model, "--param", f"labels={labels}")
    capsys.readouterr()
    assert main(["predict", path, "--model", model]) == 0

    def parts(cell: str) -> list[list[str]]:
        tiers = [sorted(set(tier.split("=")) - {"d"}) for tier in cell.replace("|", "=").split(">")]
        return [tier for tier in tiers if tier]

    found = [parts(cell) for cell in capsys.readouterr().out.split()[1:]]
    right = [each == parts(high if which else low) for each, which in zip(found, HIGH, strict=True)]
    assert np.mean(right) > 0.85


def test_constraints_are_one_for_each_row_of_the_file(tmp_path: Path, fails: Failing) -> None:
    path, model = table(tmp_path / "t.csv", "a>b", "b>a"), str(tmp_path / "m")
    fitted(path, "--targets", "t", "--model", model)
    for command in (["predict"], ["evaluate"], ["evaluate", "--cv", "3"]):
        said = fails(*command, path, "--model", model, "--constraints", '[{"first": "a"}]')
        assert said.endswith("--constraints has 1 entry for 40 rows; give one for each row")


def test_headers_of_another_version_are_no_traceback(tmp_path: Path, fails: Failing) -> None:
    path, model = table(tmp_path / "t.csv", "u", "v"), tmp_path / "m"
    fitted(path, "--targets", "t", "--model", str(model))
    with zipfile.ZipFile(model) as archive:
        header = json.loads(archive.read("header.json"))
    with zipfile.ZipFile(model, "w") as archive:
        archive.writestr("header.json", json.dumps({**header, "more": 1}))
    assert "is not a model file of combpred" in fails("info", str(model))


def test_a_tree_that_is_given_takes_nodes_in_one_column(tmp_path: Path, fails: Failing) -> None:
    path = table(tmp_path / "t.csv", "u", "v", {"above": ["w"] * 40})
    tree = '{"u": "w", "v": "w", "w": null}'
    said = fails(
        "fit",
        path,
        "--structure",
        "hierarchy",
        "--param",
        f"parent={tree}",
        "--targets",
        "above,t",
        "--model",
        str(tmp_path / "m"),
    )
    assert "the targets 'above', 't', … hold names such as 'w'" in said
