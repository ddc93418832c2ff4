"""Rows of CSV files: their lines, their widths, and columns that are read as they are written."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_runs import Failing, fitted
from combpred._cli.main import main
from combpred._cli.table import read_table


def test_lines_are_counted_as_editors_do(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('\n"a\nb",k\n1,"x\ny"\n\n  \n2,z\n"a",z\n')
    table = read_table(str(path), {})
    assert list(table.lines) == [4, 8, 9]


@pytest.mark.parametrize("quoted", ["a", '"a"'])
def test_rows_of_another_width_are_refused_wherever_they_are(tmp_path: Path, fails: Failing, quoted: str) -> None:
    """pandas fills in what is missing at the end of a row, and drops an empty field that is too many."""
    good, path = f"1,2,{quoted}\n", tmp_path / "t.csv"
    for row in ("1,2", "1,2,a,", "1,2,a,5", ",", "1,2,", "1,2,,"):
        for at in (0, 1, 7):
            lines = [good] * 8
            lines[at] = row + "\n"
            path.write_text("x,y,k\r\n" + "".join(lines))
            if row == "1,2,":
                assert len(read_table(str(path), {})) == 8
                continue
            said = fails("fit", str(path), "--targets", "k", "--model", str(tmp_path / "m"))
            assert f"t.csv, line {at + 2}: " in said and "the first line has 3" in said


def test_text_is_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("code,n,k\n007,1.50,a\n,2,b\n")
    table = read_table(str(path), {})
    assert list(table.doubts) == ["code"] and table.frame["code"].tolist()[0] == 7.0
    table.take_as_text(["code", "n", "k", "absent"])
    assert table.frame["code"].tolist() == ["007", np.nan]
    assert table.frame["n"].tolist() == ["1.50", "2"]


@pytest.mark.parametrize("sep", ["\t", ",", ";", "|", " "])
@pytest.mark.parametrize("quoted", [False, True])
def test_lines_of_rows_are_those_of_the_file(tmp_path: Path, sep: str, quoted: bool) -> None:
    path = tmp_path / "t.csv"
    rows = [["x", "y", "z"], ["1", "2", "3"], ["", "", ""], ["4", "", ""], ["", "", "5"], ["6", "7", "8"]]
    rows = [["1" if sep == " " and not field else field for field in row] for row in rows]
    lines = [sep.join(f'"{field}"' if quoted else field for field in row) for row in rows]
    path.write_text("\n".join([*lines[:2], "", "  ", *lines[2:], "", ""]))
    table = read_table(str(path), {"sep": sep})
    assert len(table) == 5 and list(table.lines) == [2, 5, 6, 7, 8]
    expected = [[float(field) if field else np.nan for field in row] for row in rows[1:]]
    np.testing.assert_array_equal(table.frame.to_numpy(dtype=float), expected)


def test_quotation_marks_that_are_not_closed_are_named_by_their_line(tmp_path: Path, fails: Failing) -> None:
    path = tmp_path / "t.csv"
    path.write_text('x,k\n1,a\n"2,b\n3,a\n4,b\n')
    said = fails("fit", str(path), "--targets", "k", "--model", str(tmp_path / "m"))
    assert said.endswith("t.csv, line 5: unexpected end of data; the quotation mark that opens in line 3 is not closed")
    path.write_text('x,k\n1,"a \\"b\\" c"\n')
    said = fails("fit", str(path), "--targets", "k", "--model", str(tmp_path / "m"))
    assert "t.csv, line 2: " in said and said.endswith("; quotation marks within quoted fields are written twice")


def test_comments_are_lines_outside_of_quotation_marks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    """Nothing behind a mark within a line is left out, unlike by ``comment`` of pandas."""
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    rows = '# made by "hand"\nx,k\n1,"a\n# b"\n# c, "d\n2,C#\n3,"C ""#"""\n4," #"\n#\n5,6" e\n# f\n7," ""\n# g"\n'
    path.write_text(rows)
    said = fails("fit", str(path), "--targets", "k", "--model", model)
    assert "t.csv, line 2: 2 fields, the first line has 1;" in said and "or give --comment '#' if lines" in said
    table = read_table(str(path), {"comment": "#"})
    assert list(table.lines) == [3, 6, 7, 8, 10, 12]
    assert table.frame["x"].tolist() == [1, 2, 3, 4, 5, 7]
    assert table.frame["k"].tolist() == ["a\n# b", "C#", 'C "#"', " #", '6" e', ' "\n# g']
    fitted(str(path), "--targets", "k", "--comment", "#", "--model", model)
    capsys.readouterr()
    path.write_text("x\n# g\n1\n")
    assert main(["predict", str(path), "--model", model]) == 0  # read as the training file
    assert len(pd.read_csv(io.StringIO(capsys.readouterr().out))) == 1


def test_names_that_read_as_missing_are_kept_by_an_option(tmp_path: Path, fails: Failing) -> None:
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    path.write_text("x,country\n1,NA\n2,DE\n3,FR\n4,NA\n")
    common = ["fit", str(path), "--targets", "country", "--model", model]
    said = fails(*common)
    assert "line 2: the target 'country' is missing, here and in 1 other row; fill it in" in said
    assert said.endswith("or give --no-keep-default-na if the field is a name such as NA")
    fitted(*common[1:], "--no-keep-default-na")
    path.write_text("x,country\n1,NA\n2,DE\n3,\n4,NA\n")  # empty fields are missing all the same
    said = fails(*common, "--no-keep-default-na")
    assert "line 4: the target 'country' is missing; fill it in" in said
    path.write_text("x,country\n1,NA\n2,DE\n,NA\n")
    assert "line 4: the input 'x' is missing; drop" in fails(*common, "--no-keep-default-na")
