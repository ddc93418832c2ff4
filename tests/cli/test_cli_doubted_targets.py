"""Targets that are probably something else than they read as, options that do not suit them, and how they come back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_runs import Failing, fitted, write_csv
from combpred._cli.main import main

X = np.random.RandomState(0).standard_normal(40).round(3)
HIGH = X > 0


def table(path: Path, low: str, high: str) -> str:
    pd.DataFrame({"x": X, "t": np.where(HIGH, high, low)}).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("cell", ["['a', 'b']", '["a", "b"]', "{a,b}", "('a', 'b')"])
@pytest.mark.parametrize("structure", ["labelsets", "permutations", "hierarchy"])
def test_lists_as_programs_write_them_are_refused(tmp_path: Path, fails: Failing, cell: str, structure: str) -> None:
    path = table(tmp_path / "t.csv", "a", cell)
    common = ["fit", path, "--structure", structure, "--targets", "t", "--model", str(tmp_path / "m")]
    mark = {"labelsets": "|", "permutations": ">", "hierarchy": "/"}[structure]
    for between, more in ((mark, []), (",", ["--target-sep", ","])):
        assert f"holds lists such as {cell!r}: write their names with '{between}' between" in fails(*common, *more)
    said = fails(*common[:2], *common[4:])
    assert f"holds lists such as {cell!r}: write their names with '|' or '>' between" in said
    assert said.endswith("or give --structure multiclass if they are classes")


@pytest.mark.parametrize(
    ("low", "high", "how", "words"),
    [
        ("a>b>c", "c=b>a", ["--structure", "permutations"], "'c=b' counts as one label, though its parts are labels"),
        ("a>b>c", "c=b>a", ["--structure", "permutations"], "or give --structure weakorders if these are ties, or"),
        ("a>b>c", "c~b>a", [], "'c~b' counts as one label, though its parts are labels elsewhere; mend the field, or"),
        ("a->b", "b->a", [], "if '->' divides names, give --target-sep='->', else '>'"),
        ("a->b", "b->a", ["--structure", "routes"], "if '->' divides names, give --target-sep='->', else '>'"),
        ("1.2", "1.3", ["--structure", "hierarchy"], "paths such as '1.3', in which no '/' divides names: say by"),
        ("a\\b", "a\\c", ["--structure", "subtrees"], "in which no '/' divides names: say by --target-sep"),
        (
            "a/b@a/c",
            "b",
            ["--structure", "hierarchy"],
            "there are several paths, but y is one node; give --structure sub",
        ),
        ("0.5", "1.5", [], "if these are grades, give --structure ordinal --param grades=LOWEST,…,HIGHEST; quantities"),
        ("cat", "dog", ["--structure", "hierarchy", "--param", 'parent={"cat": "pet", "pet": null}'], "'cat', 'pet'"),
    ],
)
def test_fields_that_are_probably_something_else_are_refused(
    tmp_path: Path, fails: Failing, low: str, high: str, how: list[str], words: str
) -> None:
    path = table(tmp_path / "t.csv", low, high)
    said = fails("fit", path, "--targets", "t", "--model", str(tmp_path / "m"), *how)
    assert words in said and "from_paths" not in said
    mark = {"a->b": "->", "1.2": ".", "a\\b": "\\"}.get(low)
    if mark is not None:
        fitted(path, "--targets", "t", "--model", str(tmp_path / "m"), *(how or ["--structure", "permutations"]),
               f"--target-sep={mark}")  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        ("a≻b", "b≻a", "fields such as 'b≻a' are a class each"),
        ("a<b", "b<a", "fields such as 'b<a' are a class each"),
        ("a >> b", "b >> a", "fields such as 'b >> a' are a class each"),
        ("a|b|", "b|", "fields such as 'a|b|' are a class each"),
        ("Yes", "yes", "t.csv: 'Yes' and 'yes' count as two labels"),
        ("a>b", "b>a\u200b", "t.csv: 'a' and 'a\\u200b' count as two labels"),
        ("Gr\u00fcn|b", "Gru\u0308n", "count as two labels"),
    ],
)
def test_fields_that_may_be_something_else_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], low: str, high: str, words: str
) -> None:
    fitted(table(tmp_path / "t.csv", low, high), "--targets", "t", "--model", str(tmp_path / "m"))
    assert words in (said := capsys.readouterr().err) and said.count("\n") == 1


def test_columns_of_numbers_need_the_structure_that_they_are_of(tmp_path: Path, fails: Failing) -> None:
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    common = ["fit", str(path), "--targets", "a,b,c", "--model", model]
    path.write_text("x,a,b,c\n1,0,1,1\n2,1,,0\n3,0,0,1\n")
    assert "t.csv, line 3: the target 'b' is missing; fill it in, or say by --structure" in fails(*common)
    path.write_text("x,a,b,c\n1,1,1,2\n2,2,3,1\n")
    assert "break them, or give --structure weakorders" in fails(*common, "--structure", "permutations")
    path.write_text("x,a,b,c\n1,5,3,1\n2,4,4,2\n3,1,5,2\n")
    assert "numbers other than 0 and 1 need --structure, permutations for rankings" in fails(*common)
    for structure, how in (("ordinal", "name one"), ("multiclass", "name one"),
                           ("hierarchy", "name one, or give --choices if they hold paths")):  # fmt: skip
        said = fails(*common, "--structure", structure)
        assert said.endswith(f"--targets names 3 columns, but {structure} has one: {how}")
    assert main([*common, "--structure", "hierarchy", "--choices"]) == 0
    said = fails(*common, "--structure", "ordinal", "--choices")
    assert "--choices is of names in several columns" in said
    assert "--target-sep: no names are divided in 'a', 'b', 'c'; leave it out" in fails(*common, "--target-sep", ";")


def test_predictions_have_all_columns_of_paths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """However deep the paths that are predicted, programs that read them find the same columns."""
    rows: list[list[object]] = [[1, "pet", "cat", ""], [1, "pet", "dog", "pug"], [1, "wild", "", ""]] * 4
    path, model = write_csv(tmp_path / "t.csv", ["x", "a", "b", "c"], rows), str(tmp_path / "m")
    fitted(path, "--structure", "hierarchy", "--targets", "a,b,c", "--model", model)
    capsys.readouterr()
    assert main(["predict", path, "--model", model]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["a,b,c", "pet,,"]


def test_the_last_column_is_counted_from_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = table(tmp_path / "t.csv", "u", "v"), str(tmp_path / "m")
    fitted(path, "--targets", "-1", "--model", model)
    assert "1 input is a number: x" in capsys.readouterr().out
