"""Rows of CSV files: their lines, their widths, and columns that are read as they are written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cli_runs import Failing
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
