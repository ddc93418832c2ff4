"""Tables as people have them: notations, encodings, formats, columns that are no inputs, what is refused and why."""

from __future__ import annotations

import gzip
import io
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_runs import Failing, fitted
from combpred._cli.columns import select
from combpred._cli.main import main

N = 30
AGES = np.random.RandomState(0).uniform(1000, 3000, N).round(2)
KINDS = np.where(AGES > 2000, "old", "new")


def written(
    path: Path, ages: list[str], sep: str = ",", encoding: str = "utf-8", more: dict[str, list[str]] | None = None
) -> str:
    columns = {"age": ages, **(more or {}), "kind": KINDS.tolist()}
    lines = [sep.join(columns), *(sep.join(row) for row in zip(*columns.values(), strict=True))]
    path.write_bytes("\n".join(lines).encode(encoding))
    return str(path)


def plain(path: Path, **how: object) -> str:
    return written(path, [f"{age:.2f}" for age in AGES], **how)  # type: ignore[arg-type]


@pytest.fixture
def expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a model of the plain file predicts for it."""
    path = plain(tmp_path / "plain.csv")
    fitted(path, "--targets", "kind", "--model", str(tmp_path / "plain.model"))
    capsys.readouterr()
    assert main(["predict", path, "--model", str(tmp_path / "plain.model")]) == 0
    out = capsys.readouterr().out
    assert {"old", "new"} <= set(out.split())
    return out


# ---- Notations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "sep", "encoding", "options", "without"),
    [
        ("{:.2f}", "\t", "utf-8", [], ""),
        ("{:.2f}", "|", "utf-8", [], ""),
        ("{:.2f}", "!", "excel", [], ""),
        ("{:.2f}", ",", "utf-16", ["--encoding", "utf-16"], "--encoding utf-16"),
        ("{:.2f}", ",", "utf-8-sig", [], ""),
        ("{:.2f}", "!", "utf-8", ["--sep", "!"], "(if these are no columns, see --sep)"),
        ("{:.2f}", " ", "utf-8", ["--sep", " "], "(if these are no columns, see --sep)"),
        ("{:.2f}", ";", "utf-8", ["--sep", ";"], ""),
        ("comma", ";", "utf-8", ["--decimal", ","], "give --decimal ,"),
        ("comma", "\t", "utf-8", ["--decimal", ","], "give --decimal ,"),
        ("{:,.2f}", ";", "utf-8", ["--thousands", ","], "give --thousands ,"),
        ("german", ";", "utf-8", ["--thousands", ".", "--decimal", ","], "give --thousands . --decimal ,"),
    ],
)
def test_notations_read_alike(
    expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing,
    shape: str, sep: str, encoding: str, options: list[str], without: str,
) -> None:  # fmt: skip
    swap = str.maketrans(",.", ".,")
    ages = [
        f"{age:.2f}".translate(swap) if shape == "comma" else f"{age:,.2f}".translate(swap)
        if shape == "german" else shape.format(age)
        for age in AGES
    ]  # fmt: skip
    excel = encoding == "excel"  # it writes the separator into the first line
    path = written(tmp_path / "t.csv", ages, sep=sep, encoding="utf-8" if excel else encoding)
    if excel:
        Path(path).write_text(f"sep={sep}\n" + Path(path).read_text())
    model = str(tmp_path / "m")
    common = [path, "--targets", "kind", "--model", model]
    if without:
        assert without in fails("fit", *common)
        assert not Path(model).exists()
    fitted(*common, *options)
    assert "1 input is a number: age" in capsys.readouterr().out
    assert main(["predict", path, "--model", model]) == 0  # reads as the training file was read
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    ("fields", "option"),
    [
        (["1,234", "2,345", "13,000"], "--thousands , (or --decimal ,"),
        (["1.234.567", "2.345.678", "3.000.000"], "--thousands ."),
        (["1 234", "2 345", "13 000"], "--thousands ' '"),
        (["1,5", "2", "0,25"], "--decimal ,"),
        (["1,234.5", "976.7", "-3.25", "12"], "--thousands ,"),
        (["1.234,5", "976,7", "-3,25", "12"], "--thousands . --decimal ,"),
    ],
)
def test_numbers_in_other_notations_are_refused(tmp_path: Path, fails: Failing, fields: list[str], option: str) -> None:
    path = written(tmp_path / "t.csv", (fields * N)[:N], sep=";")
    said = fails("fit", path, "--targets", "kind", "--model", str(tmp_path / "m"))
    assert f"give {option}" in said and "'age'" in said and f"{fields[0]!r}" in said


def test_a_wrong_decimal_mark_is_refused(tmp_path: Path, fails: Failing) -> None:
    path = plain(tmp_path / "t.csv")
    assert "give --decimal ." in fails(
        "fit", path, "--decimal", ",", "--targets", "kind", "--model", str(tmp_path / "m")
    )


def test_targets_in_another_notation_are_refused(tmp_path: Path, fails: Failing) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x;y\n1;1,5\n2;2,5\n3;1,5\n")
    assert "'y' holds numbers such as '1,5'" in fails(
        "fit", str(path), "--targets", "y", "--model", str(tmp_path / "m")
    )


def test_one_field_that_is_no_number_is_named(tmp_path: Path, fails: Failing) -> None:
    ages = [f"{age:.2f}" for age in AGES]
    ages[4] = "unknown"
    path, model = written(tmp_path / "t.csv", ages), str(tmp_path / "m")
    common = ["fit", path, "--targets", "kind", "--model", model]
    said = fails(*common)
    assert "line 6: 'age' holds 'unknown', and numbers elsewhere" in said and "--na-values 'unknown'" in said
    assert "line 6: the input 'age' is missing; drop the rows" in fails(*common, "--na-values", "unknown")
    assert main([*common, "--na-values", "unknown", "--impute", "median"]) == 0
    assert main(["predict", path, "--model", model]) == 0  # reads as the training file was read


def test_missing_values_and_names_that_look_like_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    path = plain(tmp_path / "t.csv", more={"size": (["NA", "XL", "M"] * N)[:N]})
    common = [path, "--targets", "kind", "--model", str(tmp_path / "m")]
    fitted(*common)
    said = capsys.readouterr().out
    assert (
        "1 input is a category: size (3 levels)" in said and "missing: 10 values of size, a level of their own" in said
    )
    fitted(*common, "--no-keep-default-na")
    assert "missing:" not in capsys.readouterr().out
    assert "line 2: the target 'size' is missing, here and in 9 other rows" in fails(
        "fit", path, "--targets", "size", "--drop", "kind", "--model", str(tmp_path / "m")
    )


# ---- Formats ---------------------------------------------------------------------------------------------------------


def test_parquet_in_and_out(expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing) -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        pytest.skip("Parquet is read by pyarrow, releases of which need a later NumPy than the oldest allowed")
    frame = pd.DataFrame({"age": AGES, "day": pd.date_range("2024-01-01", periods=N), "kind": KINDS})
    path, model, out = str(tmp_path / "t.parquet"), str(tmp_path / "m"), str(tmp_path / "p.parquet")
    frame.assign(age=[Decimal(f"{age:.2f}") for age in AGES]).set_index("day").to_parquet(path)
    fitted(path, "--targets", "kind", "--model", model)
    assert "left out: day, dates" in capsys.readouterr().out
    assert main(["predict", path, "--model", model, "--id", "day", "--output", out]) == 0
    found = pd.read_parquet(out)
    assert found.columns.tolist() == ["day", "kind"]
    assert found.kind.tolist() == expected.split()[1:]
    frame.loc[3, "age"] = np.inf
    frame.to_parquet(path)
    assert "t.parquet, row 3: 'age' is infinite" in fails("predict", path, "--model", model)


def test_standard_input_gzipped_or_not(
    expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, fails: Failing
) -> None:
    raw = (tmp_path / "plain.csv").read_bytes()

    def given(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    for content in (raw, gzip.compress(raw)):
        given(content)
        assert main(["predict", "-", "--model", str(tmp_path / "plain.model")]) == 0
        assert capsys.readouterr().out == expected
    given(b"age\n1\nx\n")
    said = fails("predict", "-", "--model", str(tmp_path / "plain.model"))
    assert "standard input, line 3: 'age' holds 'x'" in said


@pytest.mark.parametrize(
    ("module", "arguments", "words"),
    [
        ("pandas", ["predict", "{csv}"], "pip install 'combpred[cli]'"),
        ("skops.io", ["predict", "{csv}"], "pip install 'combpred[cli]'"),
        ("matplotlib.backend_bases", ["evaluate", "{csv}", "--plot", "o.png"], "pip install 'combpred[plot]'"),
    ],
)
def test_what_is_not_installed_is_named(
    expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: Failing,
    module: str, arguments: list[str], words: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    assert words in fails(*(a.format(csv="plain.csv") for a in arguments), "--model", "plain.model")


# ---- Columns that are no inputs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dates", ["2024-01-{:02d}", "{:02d}/12/1999", "{}.1.24", "2024-01-{:02d}T10:00:00Z", "{} May 2023", "1{}:30"]
)
def test_dates_are_left_out_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], dates: str, fails: Failing
) -> None:
    path = plain(tmp_path / "t.csv", more={"day": [dates.format(1 + i % 9) for i in range(N)]})
    common = [path, "--targets", "kind", "--model", str(tmp_path / "m")]
    fitted(*common)
    assert "left out: day, dates: make numbers of them, or give --categorical 'day'" in capsys.readouterr().out
    fitted(*common, "--categorical", "day")
    assert "1 input is a category: day (9 levels)" in capsys.readouterr().out
    assert "no inputs but dates, 'day'" in fails("fit", *common, "--inputs", "day")


def test_as_many_categories_as_rows_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    names = [f"p{i}" for i in range(N)]
    path, model = plain(tmp_path / "t.csv", more={"person": names}), str(tmp_path / "m")
    common = [path, "--targets", "kind", "--model", model]
    said = fails("fit", *common)
    assert "'person' has 30 different values in 30 rows" in said and "--id 'person'" in said and "--drop" in said
    fitted(*common, "--categorical", "person")
    assert "each a category of its own" in capsys.readouterr().err
    fitted(*common, "--drop", "person")
    fitted(*common, "--index-col", "person")  # pandas' name of --id
    capsys.readouterr()
    assert main(["predict", path, "--model", model]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "person,kind" and [row.split(",")[0] for row in rows[1:]] == names
    said = fails("predict", plain(tmp_path / "u.csv"), "--model", model)
    assert "has no column 'person'" in said and "--id '' none" in said
    assert main(["predict", str(tmp_path / "u.csv"), "--model", model, "--id", ""]) == 0
    assert capsys.readouterr().out.startswith("kind\n")
    path = plain(tmp_path / "v.csv", more={"group": [f"g{i // 2}" for i in range(N)]})
    fitted(path, "--targets", "kind", "--model", model)
    assert "'group' has 15 different values in 30 rows" in capsys.readouterr().err


def test_an_index_that_pandas_wrote_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = str(tmp_path / "t.csv"), str(tmp_path / "m")
    pd.DataFrame({"age": AGES, "kind": KINDS}).to_csv(path)
    fitted(path, "--targets", "kind", "--model", model)
    assert "note: 'index' numbers the rows; if it is no input, give --id 'index'" in capsys.readouterr().out
    fitted(path, "--targets", "kind", "--model", model, "--id", "0")
    assert "note" not in capsys.readouterr().out
    assert main(["predict", path, "--model", model]) == 0
    assert capsys.readouterr().out.startswith("index,kind\n0,")


def test_categories_keep_leading_zeros_where_others_are_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = ["01", "1"] * (N // 2)
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    path.write_text("code,kind\n" + "".join(f"{c},{'a' if c == '01' else 'b'}\n" for c in codes))
    fitted(str(path), "--targets", "kind", "--categorical", "code", "--alpha", "0.01", "--model", model)
    capsys.readouterr()
    path.write_text("code\n01\n1\n")
    assert main(["predict", str(path), "--model", model]) == 0
    assert capsys.readouterr().out.split() == ["kind", "a", "b"]


def test_columns_are_selected_by_name_pattern_number_and_range() -> None:
    names = ["a", "b1", "b2", "1", "x,y"]
    for wanted, found in {
        "b*": ["b1", "b2"], "-2:": ["1", "x,y"], "2": ["b2"], "1": ["1"], "x,y": ["x,y"], "b2,a": ["b2", "a"],
        "a,:2": ["a", "b1"],
    }.items():  # fmt: skip
        assert select(names, wanted, "--x") == found
    assert select(names, None, "--x") == []


@pytest.mark.parametrize("sign", ["{}%", "$ {}", "{} €"])
def test_numbers_with_signs_are_refused(tmp_path: Path, fails: Failing, sign: str) -> None:
    path = written(tmp_path / "t.csv", [sign.format(age) for age in AGES])
    said = fails("fit", path, "--targets", "kind", "--model", str(tmp_path / "m"))
    assert f"'age' holds numbers with signs such as {sign.format(AGES[0])!r}" in said


def test_a_file_of_one_column_and_one_class(tmp_path: Path, fails: Failing) -> None:
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    path.write_text("5.0 4.0 y\n3.0 2.0 1\n")
    assert "has one column, '5.0 4.0 y': say by --sep" in fails("fit", str(path), "--targets", "0", "--model", model)
    path.write_text("x,y\n1,a\n2,a\n")
    assert "t.csv: y: MultiClass: y holds one class only" in fails("fit", str(path), "--targets", "y", "--model", model)


def test_codes_with_zeros_in_front_are_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = plain(tmp_path / "t.csv", more={"zip": ["01067", "80331"] * (N // 2)}), str(tmp_path / "m")
    fitted(path, "--targets", "kind", "--model", model)
    assert "note: 'zip' has zeros in front; if these are codes, give --categorical 'zip'" in capsys.readouterr().out
    fitted(path, "--targets", "kind", "--model", model, "--categorical", "zip")
    assert "note:" not in capsys.readouterr().out


def test_constant_inputs_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = {"unit": ["cm"] * N, "year": ["2024"] * N}
    path, model = plain(tmp_path / "t.csv", more=same), str(tmp_path / "m")
    fitted(path, "--targets", "kind", "--model", model)
    assert "constant: year, unit, of which nothing is learnt: leave them out with --drop\n" in capsys.readouterr().out
    fitted(path, "--targets", "kind", "--drop", "year,unit", "--model", model)
    assert "constant:" not in capsys.readouterr().out
    rows = "\n".join(f"{{0 {1 + i % 2}, 1 3, 2 {'uv'[i % 2]}}}" for i in range(8))
    thin = tmp_path / "t.arff"
    head = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c {u,v}\n@attribute d numeric\n@data\n"
    thin.write_text(head + rows)
    fitted(str(thin), "--targets", "c", "--model", model)
    assert "constant: b, d, of which" in capsys.readouterr().out


def test_tables_with_tabs_are_written(tmp_path: Path, expected: str) -> None:
    model, out = str(tmp_path / "plain.model"), tmp_path / "p.tsv"
    path = plain(tmp_path / "t.csv", more={"who": ["a"] * N})
    assert main(["predict", path, "--model", model, "--id", "who", "--output", str(out)]) == 0
    assert out.read_text().splitlines()[0] == "who\tkind"
