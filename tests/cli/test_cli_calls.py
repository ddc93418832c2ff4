"""Calls that are mistaken, options that would be ignored, and files that would be overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_runs import Failing, fitted, write_csv
from combpred._cli.main import main

DASH = "; a value that begins with '-' is joined by '=', as in --targets=-a"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("fit", "fit: error: the following arguments are required: FILE, --model"),
        ("demo --plot", f"demo: error: argument --plot: expected one argument{DASH}"),
        ("fit t.csv --model m --targets -a,-b", f"fit: error: argument --targets: expected one argument{DASH}"),
        ("fit t.csv --model m --target k", "fit: error: unrecognized arguments: --target k, do you mean --targets?"),
        (
            "fit t --model m --index_col=k",
            "fit: error: unrecognized arguments: --index_col=k, do you mean --index-col?",
        ),
        ("fit t.csv --model m --nonsense", "fit: error: unrecognized arguments: --nonsense"),
        ("fit t.csv --model m other.csv", "fit: error: unrecognized arguments: other.csv"),
        ("fit t.csv --model m --alpha 1 --alpha=2", "fit: error: argument --alpha: given 2 times, but takes one value"),
        ("predict t.csv --model m --model m", "predict: error: argument --model: given 2 times, but takes one value"),
        ("evaluate t.csv --model m --id x", "evaluate: error: unrecognized arguments: --id x"),
    ],
)
def test_mistaken_calls_are_told_in_one_line(arguments: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments.split())
    assert stopped.value.code == 2
    command = f"combpred {arguments.split()[0]}"
    assert capsys.readouterr().err == f"combpred {said} (`{command} --help` lists what there is)\n"
    with pytest.raises(SystemExit) as stopped:
        main(["frobnicate"])
    assert stopped.value.code == 2 and capsys.readouterr().err.count("\n") == 1


def test_files_and_columns_may_be_called_like_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows: list[list[object]] = [[i, "ab"[i % 2]] for i in range(12)]
    write_csv(Path("file"), ["model", "file"], rows)
    fitted("file", "--targets", "file", "--model", "model")
    assert main(["info", "model"]) == 0
    assert main(["predict", "file", "--model", "model", "--id", "model"]) == 0


def test_nothing_is_written_over_what_is_read(
    rankings: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: Failing
) -> None:
    monkeypatch.chdir(tmp_path)
    before = Path(rankings[0]).read_bytes()
    said = fails("fit", rankings[0], "--targets", "L*", "--model", "./train.csv")
    assert said.endswith("--model: cannot write ./train.csv, which another argument names, too; name a file of its own")
    assert "which is no file" in fails("fit", rankings[0], "--targets", "L*", "--model", "/dev/null")
    assert "cannot write -, standard output, which takes" in fails(
        "fit", rankings[0], "--targets", "L*", "--model", "-"
    )
    Path("to").symlink_to("m")
    fitted(rankings[0], "--targets", "L*", "--model", "to")
    assert Path("to").is_symlink() and Path("m").is_file()
    Path("link").symlink_to("train.csv")
    for options in (["--output", "train.csv"], ["--output", "m"], ["--output", "link"], ["--plot", "train.csv"]):
        assert f"{options[0]}: cannot write {options[1]}" in fails("predict", "train.csv", "--model", "m", *options)
    assert "--plot: cannot write m" in fails("evaluate", "train.csv", "--model", "m", "--plot", "m")
    assert "--output: cannot write" in fails("consensus", "train.csv", "--targets", "L*", "--output", "train.csv")
    assert Path(rankings[0]).read_bytes() == before


def test_columns_of_predictions_have_names_of_their_own(tmp_path: Path, fails: Failing) -> None:
    rows: list[list[object]] = [[i, i, "a>b" if i % 2 else "b>a"] for i in range(12)]
    path, model = write_csv(tmp_path / "t.csv", ["x", "value", "order"], rows), str(tmp_path / "m")
    fitted(path, "--targets", "order", "--id", "value", "--model", model)
    assert main(["predict", path, "--model", model]) == 0
    said = fails("predict", path, "--model", model, "--certificate")
    assert "--id: 'value' is what a column of the predictions is called; rename it" in said
    said = fails("fit", path, "--targets", "order", "--labels", "l.xml", "--model", model)
    assert "--labels and --targets both say what the targets are" in said


def test_columns_of_a_consensus_have_one_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    path = write_csv(tmp_path / "b.csv", ["n", "order"], [[5, "a>b"], [-2, "b>a"]])
    said = fails("consensus", path, "--targets", "n,order", "--weights", "n")
    assert "--targets names 'n', and so does --weights, --drop or --id; name it once" in said
    assert "line 3: order, n: weights is -2.0, must be finite" in fails("consensus", path, "--weights", "n")
    assert main(["consensus", path, "--drop", "n", "--json", "--output", str(tmp_path / "o.csv")]) == 0
    assert '"distance": 1.0' in capsys.readouterr().out and (tmp_path / "o.csv").is_file()


def test_kinds_of_plots_are_known_before_any_work(fails: Failing) -> None:
    pytest.importorskip("matplotlib", reason="plots are drawn by matplotlib")
    for command in (["demo"], ["predict", "absent.csv", "--model", "m"], ["evaluate", "absent.csv", "--model", "m"]):
        for path in ("plot.csv", "plot"):
            said = fails(*command, "--plot", path)
            assert f"--plot: cannot write {path}: plots are written as " in said and "png" in said
