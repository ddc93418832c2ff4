"""Inputs that are probably something else than they read as, and options that a file has no use for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_runs import Failing, fitted
from combpred._cli.main import main
from combpred._cli.table import read_table
from data_frames import imported_pyarrow

N = 24


def table(path: Path, fields: list[str], kinds: str = "ab") -> str:
    """A column `n` of the fields, again and again, beside another input and a target."""
    rows = [f"{fields[i % len(fields)]};{i * 7 % 11};{kinds[i % 2]}" for i in range(N)]
    path.write_text("\n".join(["n;z;k", *rows]) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (["5 kg", "7.5 kg", "12 kg"], "numbers with a unit such as '5 kg': write plain numbers into the file, or give"),
        (["5EUR", "7EUR", "12EUR", "8"] + ["9EUR"] * 4, "numbers with a unit such as '5EUR'"),
        (["(5)", "7", "8.5"], "numbers with signs such as '(5)': write plain numbers into the file"),
        (
            ["12345678901234567890123", "2"],
            "numbers of too many digits or of other signs, such as '12345678901234567890123'",
        ),
        (["1", "2", "3", "4", "5", "6 kg"], "line 7: 'n' holds '6 kg', and numbers elsewhere"),
        (
            [""],
            "line 2: the input 'n' is missing, here and in 23 other rows; leave it out with --drop 'n', or fit with",
        ),
    ],
)
def test_numbers_that_are_written_otherwise_are_refused(
    tmp_path: Path, fails: Failing, fields: list[str], words: str
) -> None:
    path, model = table(tmp_path / "t.csv", fields), str(tmp_path / "m")
    assert words in fails("fit", path, "--targets", "k", "--model", model)
    fitted(path, "--targets", "k", "--model", model, "--categorical", "n")


@pytest.mark.parametrize(
    "fields",
    [
        ["2wd", "4wd"],
        ["1st", "2nd", "3rd"],
        ["12a", "14b", "16c"],
        ["A1", "B2", "C3"],
        ["5th", "6th", "7th"],
        ["70s", "80s", "90s"],
        ["2XL", "3XL", "4XL"],
        ["1A", "2A", "3A"],
        ["2009-10", "2010-11", "2011-12"],
    ],
)
def test_names_that_begin_with_numbers_are_categories(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fields: list[str]
) -> None:
    fitted(table(tmp_path / "t.csv", fields), "--targets", "k", "--model", str(tmp_path / "m"))
    out, err = capsys.readouterr()
    assert f"1 input is a category: n ({len(fields)} levels)" in out and err == ""


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (["20240131", "20231101"], "note: 'n' holds 20240131, …; if these are dates, make numbers of days of them, or"),
        (
            ["9007199254740993", "2"],
            "note: 'n' has over 15 digits, and is rounded; for ids and codes, give --id or",
        ),
        (["2024-01", "2023-11"], "left out: n, dates"),
        (["2024-01-01"] * 7 + ["soon"], "left out: n, dates"),
        (["Bonn", "bonn"], "t.csv: 'Bonn' and 'bonn' count as two levels; if they are one, mend the file"),
        (["A", "a", "B", "b", "C", "c"], "t.csv: 'A' and 'a' count as two levels, 2 other pairs, too; if they are one"),
    ],
)
def test_inputs_that_may_be_something_else_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fields: list[str], words: str
) -> None:
    fitted(table(tmp_path / "t.csv", fields), "--targets", "k", "--model", str(tmp_path / "m"))
    assert words in "".join(capsys.readouterr())


def test_zeros_in_front_are_noticed_in_any_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("code,x\n" + "".join(f"{1000 + i},0.5\n" for i in range(300)) + "0042,1\n")
    assert "has zeros in front" in read_table(str(path), {}).doubts["code"]
    path.write_text("code,x,day\n" + "".join(f"{1000 + i},0.5,0{1 + i % 9}.01.2024\n" for i in range(300)))
    assert read_table(str(path), {}).doubts == {}


@pytest.mark.parametrize(
    ("fields", "options", "wrong"),
    [
        (["1,234", "1,5"], ["--thousands", ","], "'1,5'"),
        (["1.234,5", "-1.5"], ["--thousands", ".", "--decimal", ","], "'-1.5'"),
        (["1,234.5", "1,2345"], ["--thousands", ","], "'1,2345'"),
        (["12,34,567", "-1,234.5", "", "7", "1,234e3"], ["--thousands", ",", "--impute", "mean"], ""),
        (["1 234", "2 345,5"], ["--thousands", " ", "--decimal", ","], ""),
    ],
)
def test_marks_that_mark_no_thousands_are_refused(
    tmp_path: Path, fails: Failing, fields: list[str], options: list[str], wrong: str
) -> None:
    """pandas leaves them out wherever they are: 1,5 would be 15."""
    common = [table(tmp_path / "t.csv", fields), "--targets", "k", "--model", str(tmp_path / "m"), *options]
    if wrong:
        said = fails("fit", *common)
        assert f"t.csv, line 3: 'n' holds {wrong}, in which {options[1]!r} marks no thousands: mend it" in said
    else:
        fitted(*common)
    said = fails("fit", *common[:5], "--thousands", "’")
    assert "--thousands: '’' is not ASCII, as pandas needs: write plain numbers into the file" in said


def test_codes_come_back_as_they_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    path.write_text("x,k\n" + "".join(f"{i % 2},{['01', '12'][i % 2]}\n" for i in range(12)))
    fitted(str(path), "--targets", "k", "--model", model)
    capsys.readouterr()
    assert main(["predict", str(path), "--model", model]) == 0
    assert capsys.readouterr().out.split() == ["k", *["01", "12"] * 6]
    assert main(["evaluate", str(path), "--model", model, "--metric", "accuracy"]) == 0
    assert "accuracy  1.0000" in capsys.readouterr().out


def test_columns_of_parquet_that_hold_lists_or_nothing_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    imported_pyarrow()
    path, model = str(tmp_path / "t.parquet"), str(tmp_path / "m")
    frame = pd.DataFrame({"x": [0, 1] * 6, "n": [[1, 2]] * 12, "k": ["a", "b"] * 6})
    frame.to_parquet(path)
    said = fails("fit", path, "--targets", "k", "--model", model)
    assert "the column 'n' holds lists such as [1 2]: make a column of each of their entries, or --drop it" in said
    frame.assign(n=pd.array([None] * 12, dtype="Int64")).to_parquet(path)
    assert "leave it out with --drop 'n'" in fails("fit", path, "--targets", "k", "--model", model)
    fitted(path, "--targets", "k", "--impute", "mean", "--model", model)
    assert "constant: n" in capsys.readouterr().out


def test_inputs_without_values_are_constant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path / "t.csv", [""])
    fitted(path, "--targets", "k", "--impute", "median", "--model", str(tmp_path / "m"))
    assert "constant: n, of which nothing is learnt" in capsys.readouterr().out


def test_columns_that_are_numbered_have_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = str(tmp_path / "t.csv"), str(tmp_path / "m")
    frame = pd.DataFrame(np.random.RandomState(0).standard_normal((N, 2)))
    frame.assign(k=["u", "v"] * (N // 2)).set_axis(range(3), axis=1).to_csv(path, index=False)
    fitted(path, "--targets", "2", "--model", model)
    out, err = capsys.readouterr()
    assert "2 inputs are numbers: 0, 1" in out and err == ""


def test_the_field_that_is_neither_yes_nor_no_is_named(tmp_path: Path, fails: Failing) -> None:
    how = ["--true-values", "yes", "--false-values", "no"]
    path, model = table(tmp_path / "t.csv", ["yes", "no"]), str(tmp_path / "m")
    fitted(path, "--targets", "k", "--model", model, *how)
    table(tmp_path / "t.csv", ["yes", "no", "maybe"])
    assert "line 4: 'n' holds 'maybe', which is not a number" in fails("predict", path, "--model", model)
    said = fails("fit", path, "--targets", "k", "--model", model, *how, "--false-values", "yes")
    assert "--true-values and --false-values: 'yes' is given twice" in said


@pytest.mark.parametrize("text", ['[{"x": 1}]', '{"x": 1}\n{"x": 2}\n', "<table><tr><td>1</td></tr></table>"])
def test_files_that_are_no_tables_are_told(tmp_path: Path, fails: Failing, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    said = fails("fit", str(path), "--targets", "k", "--model", str(tmp_path / "m"))
    assert said.endswith(f"t.csv begins with {text[0]!r}, as JSON and HTML do: save the table as CSV or Parquet")


@pytest.mark.parametrize("name", ["<OPEN>", "[pH]", "{x}"])
def test_names_of_columns_begin_with_brackets(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    path = Path(table(tmp_path / "t.csv", ["1", "3", "2"]))
    path.write_text(path.read_text().replace("n;", f"{name};", 1))
    fitted(str(path), "--targets", "k", "--model", str(tmp_path / "m"))
    assert f"2 inputs are numbers: {name}, z" in capsys.readouterr().out


def test_targets_with_points_are_no_codes(tmp_path: Path, fails: Failing) -> None:
    path = table(tmp_path / "t.csv", ["1.250", "2.500", "1.750"])
    said = fails("fit", path, "--targets", "n", "--drop", "k", "--model", str(tmp_path / "m"))
    assert "the targets are numbers that are not whole" in said


def test_options_of_csv_files_are_of_no_others(tmp_path: Path, fails: Failing) -> None:
    """What the training file needed, though, counts for those files of predictions that have use for it."""
    path, model, data = table(tmp_path / "t.csv", ["1,5", "2,5"]), str(tmp_path / "m"), tmp_path / "t.arff"
    fitted(path, "--targets", "k", "--decimal", ",", "--sep", ";", "--model", model)
    rows = ["@relation r", "@attribute n numeric", "@attribute z numeric", "@attribute k {a,b}", "@data", "1,2,a"]
    data.write_text("\n".join([*rows, "3,4,b"]))
    assert main(["predict", str(data), "--model", model]) == 0
    for option in ("--sep=;", "--decimal=,", "--no-header", "--na-values=1", "--no-keep-default-na", "--comment=#"):
        said = fails("fit", str(data), "--targets", "k", option, "--model", model)
        named = option.partition("=")[0].replace("--no-keep", "--keep")
        assert said.endswith(f"{named} is of CSV files, which {data} is none of; leave it out")
    fitted(str(data), "--targets", "k", "--encoding", "cp1252", "--model", model)


def test_marks_at_the_end_of_lines_are_told(tmp_path: Path, fails: Failing) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,k,\n1,a,\n2,b,\n")
    said = fails("fit", str(path), "--targets", "k", "--model", str(tmp_path / "m"))
    assert said.endswith("has no name; name it in the first line, or take out the mark at the end of the lines")


def test_small_integers_of_parquet_are_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    imported_pyarrow()
    n = np.tile(np.array([-128, 127], dtype=np.int8), 12)
    pd.DataFrame({"n": n, "k": ["a", "b"] * 12}).to_parquet(tmp_path / "t.parquet")
    fitted(str(tmp_path / "t.parquet"), "--targets", "k", "--model", str(tmp_path / "m"))
    out, err = capsys.readouterr()
    assert "1 input is a number: n" in out and err == ""


def test_sparse_inputs_with_missing_values_are_not_constant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["{0 1, 1 2, 3 1}", "{0 ?, 1 1}", "{0 3, 2 1, 3 1}", "{1 4}"] * 6
    attributes = [f"@attribute {name} numeric" for name in "xyz"] + ["@attribute k {0,1}"]
    text = "\n".join(["@relation t", *attributes, "@data", *rows])
    (tmp_path / "t.arff").write_text(text + "\n")
    fitted(str(tmp_path / "t.arff"), "--targets", "k", "--impute", "median", "--model", str(tmp_path / "m"))
    assert "constant" not in "".join(capsys.readouterr())


def test_rankings_in_place_of_names_of_columns_are_told(tmp_path: Path, fails: Failing) -> None:
    path = tmp_path / "t.csv"
    path.write_text("0,1,2\n" + "1,0,2\n2,1,0\n0,2,1\n" * 8)
    with pytest.warns(UserWarning, match="the first line of .*t.csv"):
        read_table(str(path), {})
