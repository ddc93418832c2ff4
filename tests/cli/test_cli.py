"""The five commands on tables: what they write, and what they refuse."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from combpred._cli import main as main_module
from combpred._cli.main import main
from combpred.structures import LabelSets


def table(capsys: pytest.CaptureFixture[str]) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(capsys.readouterr().out))


def test_rankings_from_a_table_to_predictions(drinks, model, capsys, tmp_path):
    capsys.readouterr()
    new = tmp_path / "new.csv"
    new.write_text("city,age\nUlm,20\nBonn,69\n")  # another order of columns, and a city that is new
    assert main(["predict", str(new), "--model", model]) == 0
    pd.testing.assert_frame_equal(table(capsys), pd.DataFrame({"juice": [1, 3], "milk": [2, 2], "tea": [3, 1]}))
    assert main(["predict", str(new), "--model", model, "--constraints", '{"first": "milk"}']) == 0
    assert (table(capsys)["milk"] == 1).all()
    for out in (tmp_path / "out.csv", tmp_path / "out.parquet"):
        assert main(["predict", drinks, "--model", model, "--output", str(out)]) == 0
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "out.csv"), pd.read_parquet(tmp_path / "out.parquet"))


def test_evaluation(drinks, model, capsys):
    capsys.readouterr()
    assert main(["evaluate", drinks, "--model", model, "--metric", "kendall_tau", "--metric", "accuracy"]) == 0
    assert capsys.readouterr().out == "kendall_tau  1.0000\naccuracy  1.0000\n"
    assert main(["evaluate", drinks, "--model", model]) == 0
    assert capsys.readouterr().out == "score  1.0000\n"
    assert main(["evaluate", drinks, "--model", model, "--cv", "4", "--metric", "kendall_tau"]) == 0
    name, mean, _, spread = capsys.readouterr().out.split()
    assert name == "kendall_tau" and float(mean) > 0.8 and float(spread) >= 0


def test_parquet_and_standard_input(drinks, model, ranked, capsys, tmp_path, monkeypatch):
    parquet = drinks.replace(".csv", ".parquet")
    assert main(["fit", parquet, *ranked, "--model", str(tmp_path / "m")]) == 0
    capsys.readouterr()
    assert main(["predict", parquet, "--model", str(tmp_path / "m")]) == 0
    expected = table(capsys)
    monkeypatch.setattr(sys, "stdin", io.StringIO(Path(drinks).read_text()))
    assert main(["predict", "-", "--model", model]) == 0
    pd.testing.assert_frame_equal(table(capsys), expected)


TREE = '{"name": "hierarchy", "parent": {"cat": "pet", "dog": "pet", "pet": null}}'


@pytest.mark.parametrize(
    ("structure", "targets"),
    [
        ("multiclass", pd.Series(["a", "b"] * 10, name="kind")),
        ('{"name": "ordinal", "grades": ["low", "mid", "high"]}', pd.Series(["low", "high"] * 10, name="grade")),
        (TREE, pd.Series(["cat", "dog"] * 10, name="node")),
        ("labelsets", pd.DataFrame([[1, 0], [0, 1]] * 10, columns=["urgent", "billing"])),
        ('{"name": "labelsets", "size": 1}', pd.DataFrame([[1, 0], [0, 1]] * 10, columns=["urgent", "billing"])),
        ("weakorders", pd.DataFrame([[1, 1, 2], [2, 1, 1]] * 10, columns=["a", "b", "c"])),
    ],
)
def test_structures(structure, targets, tmp_path, capsys):
    path, model = tmp_path / "t.csv", str(tmp_path / "m")
    frame = pd.concat([pd.DataFrame({"x": [0.0, 1.0] * 10}), targets], axis=1)
    frame.to_csv(path, index=False)
    names = ",".join(frame.columns[1:])
    assert main(["fit", str(path), "--structure", structure, "--targets", names, "--model", model]) == 0
    capsys.readouterr()
    assert main(["predict", str(path), "--model", model]) == 0
    pd.testing.assert_frame_equal(table(capsys), frame.drop(columns="x"))


@pytest.mark.parametrize(
    ("estimator", "params", "column"),
    [("ProbabilisticStructured", {"alpha": 0.1}, "juice before milk"), ("RankingByPairwiseComparison", {}, None)],
)
def test_estimators_and_probabilities(drinks, ranked, tmp_path, capsys, fails, estimator, params, column):
    model = str(tmp_path / "m")
    chosen = ["--estimator", estimator, "--params", json.dumps(params)]
    assert main(["fit", drinks, *ranked, *chosen, "--model", model]) == 0
    capsys.readouterr()
    if column is None:
        assert "has no probabilities" in fails("predict", drinks, "--model", model, "--proba")
    else:
        assert main(["predict", drinks, "--model", model, "--proba"]) == 0
        assert column in table(capsys)


def test_options_of_pandas_are_kept(tmp_path, capsys):
    path, model = tmp_path / "prices.csv", str(tmp_path / "m")
    path.write_text("price;kind\n" + "1,50;cheap\n13,00;dear\n" * 4)
    read = ["--read", '{"sep": ";", "decimal": ","}']
    assert main(["fit", str(path), *read, "--structure", "multiclass", "--targets", "kind", "--model", model]) == 0
    capsys.readouterr()
    assert main(["predict", str(path), "--model", model]) == 0
    assert table(capsys)["kind"].tolist() == ["cheap", "dear"] * 4


def test_categories_are_written_as_in_the_training_file(drinks, model, tmp_path, fails):
    new = tmp_path / "new.csv"
    new.write_text("city,age\n7,20\n9,69\n")  # codes of cities, none of which the training file has
    refusal = fails("predict", str(new), "--model", model)
    assert "column 'city' holds numbers, but strings in the training file" in refusal
    assert main(["predict", str(new), "--model", model, "--read", '{"dtype": {"city": "str"}}']) == 0


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"--targets": "juice,mlk"}, "there is no column 'mlk'; did you mean 'milk'?"),
        ({"--structure": "permutation"}, "--structure: there is no 'permutation'; did you mean 'permutations'?"),
        ({"--structure": '{"name": "permutations", "n": 3}'}, "unexpected keyword argument 'n'"),
        ({"--structure": "labelsets"}, "row 0: found 3 in column"),
        ({"--estimator": "Ridge"}, "--estimator: there is no 'Ridge'"),
        ({"--params": '{"alpha": -1}'}, "alpha"),
        ({"--categorical": ""}, "column 'city' holds no numbers: give --categorical 'city' or --drop 'city'"),
        ({"--read": '{"seperator": ";"}'}, "seperator"),
    ],
)
def test_mistakes_are_one_line(drinks, ranked, tmp_path, fails, changed, expected):
    given = {**dict(zip(ranked[::2], ranked[1::2], strict=True)), "--model": str(tmp_path / "m"), **changed}
    if "--params" in changed:
        given["--estimator"] = "StructuredRidge"
    assert expected in fails("fit", drinks, *(word for pair in given.items() for word in pair))
    assert not (tmp_path / "m").exists()


def test_files_that_are_not_there_or_no_models(drinks, model, tmp_path, fails):
    import skops.io

    assert "nowhere.csv" in fails("predict", "nowhere.csv", "--model", model)
    fails("predict", drinks, "--model", drinks)
    fails("info", str(tmp_path / "none"))
    assert "nonsense" in fails("predict", drinks, "--model", model, "--read", '{"encoding": "nonsense"}')
    skops.io.dump(LabelSets(3), tmp_path / "other")
    assert "is no model of `combpred fit`" in fails("info", str(tmp_path / "other"))
    assert "no scorer is called 'tau'" in fails("evaluate", drinks, "--model", model, "--metric", "tau")
    assert "'first'" in fails("predict", drinks, "--model", model, "--constraints", '{"first": "beer"}')


@pytest.mark.parametrize("given", [[], ["fit"], ["nonsense"], ["fit", "t.csv", "--params", "{"]])
def test_calls_that_argparse_refuses(given):
    with pytest.raises(SystemExit) as caught:
        main(given)
    assert caught.value.code == 2


def test_what_fit_says(drinks, ranked, tmp_path, capsys):
    assert main(["fit", drinks, *ranked, "--model", str(tmp_path / "m")]) == 0
    assert "n_labels=3): trained on 40 rows of 2 inputs, saved to " in capsys.readouterr().out


def test_what_there_is(model, capsys):
    capsys.readouterr()
    assert main(["info"]) == 0
    listed = capsys.readouterr().out
    for name in ("permutations", "StructuredRidgeCV", "LabelRankingSVM", "StructuredSVM", "kendall_tau"):
        assert name in listed
    assert main(["info", model]) == 0
    assert json.loads(capsys.readouterr().out.partition("\n")[2])["targets"] == ["juice", "milk", "tea"]


@pytest.mark.parametrize("has_matplotlib", [True, False])
def test_the_demo_runs_without_matplotlib(tmp_path, capsys, monkeypatch, has_matplotlib):
    if not has_matplotlib:
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["demo", "--plot", str(tmp_path / "demo.png")]) == 0
    printed = capsys.readouterr().out
    ours, rivals = zip(
        *((float(row[0]), float(row[1])) for row in re.findall(r" (0\.\d+) +(0\.\d+)  ", printed)), strict=True
    )
    assert (np.sign(np.subtract(ours, rivals)) == [1, 1, -1, 1]).all()  # the third is a loss
    assert "1000 of 1000 walks are proven best of 109,592" in printed
    readme = " ".join((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split())
    said = re.search(r"F1 of (\.\d+) .* the (\d+) walks seen .* gets (\.\d+) .*, (\.\d+)\. Where few", readme)
    assert said is not None and f"{said[2]} walks as classes" in printed
    assert [float(said[k]) for k in (1, 3, 1, 4)] == pytest.approx([ours[0], rivals[0], ours[1], rivals[1]], abs=0.006)
    assert (tmp_path / "demo.png").exists() is has_matplotlib
    assert ("No picture: matplotlib is not installed" in printed) is not has_matplotlib


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_ctrl_c_ends_with_130():
    waits = "lambda _: lambda _: (print('ready', flush=True), __import__('time').sleep(60))"
    code = f"import sys, combpred._cli.main as m; m.resolve_name = {waits}; sys.exit(m.main(['info']))"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout.readline() == "ready\n"
        time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=60)
    assert run.returncode == 130 and error == "combpred: interrupted\n"


def test_warnings_are_lines(capsys, monkeypatch):
    monkeypatch.setattr(main_module, "resolve_name", lambda _: lambda _: warnings.warn("mind this", stacklevel=1))
    assert main(["info"]) == 0
    assert capsys.readouterr().err == "combpred: warning: mind this\n"
