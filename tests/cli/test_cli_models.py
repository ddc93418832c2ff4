"""Model files, which skops writes and reads; evaluation by cross-validation, as JSON and as a plot."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from cli_runs import Failing, fitted, write_csv
from combpred import StructuredRidge
from combpred._cli import plots
from combpred._cli.error import UsageError
from combpred._cli.main import main
from combpred.datasets import make_label_ranking


@pytest.fixture
def model(rankings: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "m.model"
    fitted(rankings[0], "--structure", "permutations", "--targets", "L*", "--model", str(path))
    capsys.readouterr()
    return path


def test_model_files_are_files_of_skops(
    model: Path, rankings: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = skops.io.get_untrusted_types(file=model)
    assert all(name.startswith("combpred.") for name in found)
    pipeline = skops.io.load(model, trusted=found)
    import pandas as pd

    frame = pd.read_csv(rankings[1])
    assert main(["predict", rankings[1], "--model", str(model)]) == 0
    rows = [list(map(int, row.split(","))) for row in capsys.readouterr().out.split()[1:]]
    np.testing.assert_array_equal(pipeline.predict(frame), rows)


@pytest.mark.parametrize("function", [os.getcwd, clone])
def test_foreign_code_is_not_run(model: Path, rankings: tuple[str, str], fails: Failing, function: object) -> None:
    """Neither functions of others nor those of scikit-learn are among what model files may hold."""
    with zipfile.ZipFile(model) as archive:
        header = archive.read("header.json")
    skops.io.dump(make_pipeline(FunctionTransformer(function)), model)
    with zipfile.ZipFile(model, "a") as archive:
        archive.writestr("header.json", header)
    said = fails("predict", rankings[1], "--model", str(model))
    assert f"{function.__name__}, no classes of combpred or scikit-learn" in said  # type: ignore[attr-defined]


def test_pickles_are_read_on_request(
    rankings: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    model = str(tmp_path / "p")
    fitted(rankings[0], "--structure", "permutations", "--targets", "L*", "--model", model, "--pickle")
    assert "loading it runs code from it" in fails("predict", rankings[1], "--model", model)
    assert main(["predict", rankings[1], "--model", model, "--trusted"]) == 0
    assert len(capsys.readouterr().out.split()) == 41


# ---- Evaluation ------------------------------------------------------------------------------------------------------


def test_cross_validation_is_that_of_scikit_learn(
    model: Path, rankings: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", rankings[0], "--model", str(model), "--cv", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    table = np.loadtxt(rankings[0], delimiter=",", skiprows=1)
    direct = make_pipeline(StandardScaler(), StructuredRidge("permutations"))
    folds = KFold(4, shuffle=True, random_state=0)
    expected = cross_val_score(direct, table[:, :3], table[:, 3:].astype(int), cv=folds)
    np.testing.assert_allclose(found["metrics"]["kendall_tau"]["values"], expected)
    assert found["metrics"]["kendall_tau"]["mean"] == pytest.approx(expected.mean())
    assert found["rows"] == 80 and found["cv"] == 4
    assert main(["evaluate", rankings[0], "--model", str(model), "--cv", "4", "--metric", "spearman_rho"]) == 0
    assert " ± " in capsys.readouterr().out


def test_folds_name_lines_of_the_file(model: Path, tmp_path: Path, fails: Failing) -> None:
    X, y = make_label_ranking(20, 3, 4, random_state=0)
    y[13] = [1, 1, 2, 3]
    rows = [[*x, *r] for x, r in zip(X.tolist(), y.tolist(), strict=True)]
    path = write_csv(tmp_path / "tied.csv", ["A1", "A2", "A3", "L1", "L2", "L3", "L4"], rows)
    assert "tied.csv, line 15: L1, L2, L3, L4: " in fails("evaluate", path, "--model", str(model), "--cv", "5")
    for folds in ("1", "21"):
        assert "--cv: " in fails("evaluate", path, "--model", str(model), "--cv", folds)


def test_settings_of_a_search_are_its_own_unless_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[list[object]] = [[i, int(i % 4 < 2)] for i in range(20)]  # no line divides them
    path, model = write_csv(tmp_path / "t.csv", ["x", "k"], rows), str(tmp_path / "m")
    for more, kernel in (
        (["--alpha", "auto"], "linear"),
        (["--estimator", "StructuredRidgeCV", "--kernel", "laplacian"], "laplacian"),
        (["--kernel", "auto"], None),
        (["--estimator", "StructuredRidgeCV"], None),
    ):
        fitted(path, "--targets", "k", "--model", model, *more)
        chosen = capsys.readouterr().out.partition("kernel ")[2].partition(",")[0]
        assert chosen == kernel or (kernel is None and chosen in ("rbf", "laplacian"))


def test_folds_hold_all_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[list[object]] = [[i, "a" if i < 15 else "b"] for i in range(18)]
    path, model = write_csv(tmp_path / "t.csv", ["x", "k"], rows), str(tmp_path / "m")
    fitted(path, "--targets", "k", "--model", model)
    assert main(["evaluate", path, "--model", model, "--cv", "3", "--metric", "accuracy"]) == 0


def panels(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Record the labels of the axes below what is drawn, figure by figure."""
    figure = pytest.importorskip("matplotlib.figure", reason="plots are drawn by matplotlib").Figure
    drawn: list[list[str]] = []
    save = figure.savefig

    def recorded(self: Any, *arguments: Any, **options: Any) -> None:
        drawn.append([ax.get_xlabel() or ax.get_title() for ax in self.axes])
        save(self, *arguments, **options)

    monkeypatch.setattr(figure, "savefig", recorded)
    return drawn


def test_plots_show_what_makes_sense(
    rankings: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: Failing,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    found, model, plot = panels(monkeypatch), str(tmp_path / "m"), tmp_path / "o.png"
    common = [rankings[0], "--structure", "permutations", "--targets", "L*", "--model", model, "--estimator"]
    chosen = ["--model", model, "--plot", str(plot)]
    fitted(*common, "StructuredRidge")
    assert main(["evaluate", rankings[1], *chosen]) == 0
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert "StructuredRidge predicts no probabilities" in fails("predict", rankings[1], *chosen)
    fitted(*common, "ProbabilisticStructured")
    assert main(["evaluate", rankings[1], *chosen]) == 0
    assert main(["evaluate", rankings[1], "--cv", "3", *chosen]) == 0
    assert main(["predict", rankings[1], *chosen]) == 0
    metrics, share = ["kendall_tau", "zero_one_loss"], "share of rows, the most probable predictions first"
    assert found[0] == [*metrics, "position predicted"]
    assert found[1] == [*metrics, "position predicted", share, "predicted probability"]
    assert found[2] == [*metrics, "position predicted", share]  # each fold has probabilities of its own
    assert found[3] == [f"{rankings[1]}, line {line}" for line in (2, 3, 4, 5)]
    fitted(*common, "ProbabilisticStructured", "--param", "inference=mcmc", "--random-state", "0")
    assert main(["predict", rankings[1], *chosen]) == 0
    assert found.pop()[4:] == ["draw", "level"]  # traces of chains, and levels of cooling
    sets = write_csv(tmp_path / "s.csv", ["x", "t"], [[i, "a|b" if i > 9 else "c"] for i in range(20)])
    fitted(sets, "--targets", "t", "--estimator", "ProbabilisticStructured", "--model", model)
    capsys.readouterr()
    assert main(["predict", sets, *chosen]) == 0
    assert found[4] == [f"{sets}, line {line}" for line in (2, 3, 4, 5)]  # bars, as sets have no matrix
    assert capsys.readouterr().err == ""
    with pytest.raises(UsageError, match="no panel"):
        plots.draw(str(plot), [], "no panel")


def test_the_surest_rows_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    ax = pytest.importorskip("matplotlib.figure").Figure().subplots()
    plots.coverage("loss", np.array([1.0, 0.0, 2.0]), np.log([0.2, 0.5, 0.3]), ax)
    x, y = ax.lines[0].get_data()
    np.testing.assert_allclose(x, [1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(y, [0, 1, 1])
    plots.confusion(np.array([[1, 2, -1], [2, 1, 3]]), np.array([[2, 1, 3], [2, 1, 3]]), ax)
    assert [text.get_text() for text in ax.texts] == ["1", "1", "0", "1", "1", "0", "0", "0", "1"]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    import combpred

    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"combpred {combpred.__version__}\n"


def test_grades_with_names(tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing) -> None:
    pytest.importorskip("matplotlib", reason="plots are drawn by matplotlib")
    rows: list[list[object]] = [[i, "low" if i < 8 else "mid" if i < 16 else "high"] for i in range(24)]
    path, model = write_csv(tmp_path / "t.csv", ["x", "g"], rows), ["--model", str(tmp_path / "m")]
    common = [path, "--structure", "ordinal", "--targets", "g", *model, "--drop", "", "--param"]
    fitted(*common, "grades=low,mid,high")
    assert "Ordinal(grades=['low', 'mid', 'high'])" in capsys.readouterr().out
    assert main(["evaluate", path, *model, "--plot", str(tmp_path / "o.png")]) == 0
    assert "neg_absolute_error" in capsys.readouterr().out
    assert "--param grades: [low, mid] is not JSON" in fails("fit", *common, "grades=[low, mid]")
