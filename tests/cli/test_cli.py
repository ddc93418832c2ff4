"""The command line: files in, tables and models out, every misuse explained with exit status 2."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from cli_runs import Failing, fitted, write_csv
from combpred import StructuredRidge, metrics
from combpred._cli import model as files
from combpred._cli.main import main
from combpred.datasets import load_digits_hierarchy, make_hierarchy
from combpred.structures import Permutations


def read_csv(text: str) -> tuple[list[str], list[list[str]]]:
    names, *rows = csv.reader(text.splitlines())
    return names, rows


# ---- Whole runs ------------------------------------------------------------------------------------------------------


def test_ranking_from_csv_equals_the_estimator(
    rankings: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train, test = rankings
    model, output = str(tmp_path / "m.model"), tmp_path / "p.csv"
    fitted(
        train, "--structure", "permutations", "--targets", "L*", "--kernel", "rbf", "--alpha", "0.1", "--model", model
    )
    said = capsys.readouterr().out
    assert "Permutations(labels=['L1', 'L2', 'L3', 'L4'], n_labels=4) from 3 inputs: trained on 80 rows" in said
    assert "3 inputs are numbers: A1, A2, A3\n" in said
    assert main(["predict", test, "--model", model, "--output", str(output)]) == 0
    assert capsys.readouterr().out == f"40 predictions written to {output}\n"

    def table(path: str) -> np.ndarray:
        return np.loadtxt(path, delimiter=",", skiprows=1)

    scaler = StandardScaler().fit(table(train)[:, :3])
    direct = StructuredRidge(Permutations(), kernel="rbf", alpha=0.1)
    direct.fit(scaler.transform(table(train)[:, :3]), table(train)[:, 3:])
    expected = direct.predict(scaler.transform(table(test)[:, :3]))
    np.testing.assert_array_equal(table(str(output)), expected)
    assert output.read_text().splitlines()[0] == "L1,L2,L3,L4"
    assert main(["predict", test, "--model", model, "--output", "-"]) == 0
    assert capsys.readouterr().out == output.read_text()

    assert main(["evaluate", test, "--model", model]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    tau = metrics.kendall_tau(table(test)[:, 3:], expected)
    assert tau > 0.5  # rankings at random score 0
    assert out.splitlines()[0] == f"kendall_tau    {tau:.4f}"
    assert out.splitlines()[1].startswith("zero_one_loss")


def test_label_sets_from_gzipped_arff_with_nominal_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.RandomState(0)
    size, colour = rng.standard_normal(90), rng.choice(["red", "green"], 90)
    header = "@relation r\n@attribute size numeric\n@attribute colour {red,green}\n"
    labels = "@attribute big {0,1}\n@attribute warm {0,1}\n@data\n"
    rows = "".join(f"{s:.6f},{c},{int(s > 0)},{int(c == 'red')}\n" for s, c in zip(size, colour, strict=True))
    path, model = tmp_path / "r.arff.gz", str(tmp_path / "m")
    path.write_bytes(gzip.compress((header + labels + rows).encode()))
    fitted(str(path), "--structure", "labelsets", "--targets", "-2:", "--alpha", "auto", "--model", model)
    assert "kernel linear, loss auto: leave-one-out explained variance 0." in capsys.readouterr().out
    every = "--alpha", "auto", "--kernel", "auto", "--model", model
    fitted(str(path), "--structure", "labelsets", "--targets", "-2:", *every)
    assert ", gamma 0." in capsys.readouterr().out
    chosen = ["--metric", "hamming_loss", "--metric", "ranking_loss"]
    assert main(["evaluate", str(path), "--model", model, *chosen]) == 0
    values = dict(line.split() for line in capsys.readouterr().out.splitlines()[:2])
    # The colour decides one label, the sign of the size the other.
    assert float(values["hamming_loss"]) < 0.1 and float(values["ranking_loss"]) < 0.1

    # New rows may lack the targets and have unseen or missing categories.
    new = write_csv(tmp_path / "new.csv", ["colour", "size"], [["red", 2], ["blue", -2], ["", 2]])
    assert main(["predict", new, "--model", model]) == 0
    out, err = capsys.readouterr()
    names, predicted = read_csv(out)
    assert names == ["big", "warm"]
    assert "column 'colour': '', 'blue' did not occur in training (first in " in err and "new.csv, line 4)" in err
    assert predicted[0] == ["1", "1"] and len(predicted) == 3


def test_hierarchy_with_named_nodes_that_read_as_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digits = load_digits_hierarchy()
    tree, model = tmp_path / "tree.json", str(tmp_path / "m")
    tree.write_text(json.dumps(digits.structure.parent))
    rows = [[*x, t] for x, t in zip(digits.data[:300].tolist(), digits.target[:300].tolist(), strict=True)]
    path = write_csv(tmp_path / "digits.csv", [*digits.feature_names, "digit"], rows)
    fitted(path, "--structure", "hierarchy", "--param", f"parent=@{tree}", "--param", "allowed=leaves",
           "--targets", "digit", "--kernel", "rbf", "--alpha", "0.01", "--model", model)  # fmt: skip
    capsys.readouterr()
    assert main(["evaluate", path, "--model", model, "--metric", "accuracy", "--metric", "hierarchical_loss"]) == 0
    values = dict(line.split() for line in capsys.readouterr().out.splitlines()[:2])
    assert float(values["accuracy"]) > 0.95 and float(values["hierarchical_loss"]) < 0.5


def test_hierarchy_by_parent_indices_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y, tree = make_hierarchy(60, 4, depth=1, branching=3, separation=8.0, random_state=0)
    path = write_csv(tmp_path / "t.csv", ["a", "b", "c", "d", "node"], [[*x, v] for x, v in zip(X, y, strict=True)])
    parent = json.dumps(np.asarray(tree.parent).tolist())
    model = str(tmp_path / "m")
    fitted(path, "--structure", "hierarchy", "--param", f"parent={parent}", "--targets", "node", "--model", model)
    assert "trained on 60 rows" in capsys.readouterr().out


def test_text_classes_no_header_and_spaces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.txt"
    path.write_text("".join(f"{i}.0   {-i}.0 {'high' if i > 5 else 'low'}\n" for i in range(12)))
    model = str(tmp_path / "m")
    fitted(str(path), "--sep", " ", "--no-header", "--structure", "multiclass", "--targets=-1:", "--model", model)
    capsys.readouterr()
    assert main(["predict", str(path), "--model", model]) == 0  # reads as the training file was read
    names, rows = read_csv(capsys.readouterr().out)
    assert names == ["x2"]
    assert [row[0] for row in rows] == ["low"] * 6 + ["high"] * 6


def test_numbers_as_categories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Class b holds the codes 1 and 3 between those of a: linear in categories, not in numbers.
    rows: list[list[object]] = [[code, "b" if code in (1, 3) else "a"] for code in (0, 1, 2, 3, 4)] * 6
    path, model = write_csv(tmp_path / "t.csv", ["code", "kind"], rows), str(tmp_path / "m")
    common = [path, "--structure", "multiclass", "--targets", "kind", "--alpha", "0.01", "--model", model]
    shares = []
    for extra in ([], ["--categorical", "code"]):
        fitted(*common, *extra)
        capsys.readouterr()
        assert main(["evaluate", path, "--model", model, "--metric", "accuracy"]) == 0
        shares.append(float(capsys.readouterr().out.split()[1]))
    assert shares[0] < 1 and shares[1] == 1


def test_imputed_inputs(rankings: tuple[str, str], tmp_path: Path, fails: Failing) -> None:
    lines = Path(rankings[0]).read_text().splitlines()
    lines[3] = ",".join(["?", *lines[3].split(",")[1:]])
    path = tmp_path / "holes.csv"
    path.write_text("\n".join(lines))
    common = ["fit", str(path), "--structure", "permutations", "--targets", "L*", "--model", str(tmp_path / "m")]
    said = fails(*common)
    assert "line 4: the input 'A1' is missing" in said and "--impute" in said
    assert main([*common, "--impute", "median"]) == 0
    assert main(["predict", str(path), "--model", str(tmp_path / "m")]) == 0


def test_model_file_says_what_it_is_without_running_code(
    rankings: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.model"
    fitted(rankings[0], "--structure", "permutations", "--targets", "L*", "--model", str(model))
    with zipfile.ZipFile(model) as archive:
        header = archive.read("header.json")
    with zipfile.ZipFile(model, "w") as archive:  # without the estimator there is nothing to load
        archive.writestr("header.json", header)
    capsys.readouterr()
    assert main(["info", str(model)]) == 0
    out = capsys.readouterr().out
    for part in ("n_labels=4)", "StructuredRidge(", "L1, L2, L3, L4", "A1, A2, A3", "80", "scikit-learn"):
        assert part in out


def test_info_lists_versions_and_structures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("numpy", "permutations", "LabelRankingSVM", "kendall_tau"))


def test_versions_that_differ_are_said(
    rankings: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = str(tmp_path / "m.model")
    fitted(rankings[0], "--structure", "permutations", "--targets", "L*", "--model", model)
    now = files.versions()
    monkeypatch.setattr(files, "versions", lambda: {**now, "numpy": "99.0"})
    capsys.readouterr()
    assert main(["predict", rankings[1], "--model", model]) == 0
    assert f"numpy {now['numpy']} (now 99.0)" in capsys.readouterr().err


# ---- The program ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["demo", "fit", "predict", "evaluate", "consensus", "info"])
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    assert f"  combpred {command} " in capsys.readouterr().out


def test_module_runs_and_a_closed_pipe_is_no_error(rankings: tuple[str, str], tmp_path: Path) -> None:
    model = str(tmp_path / "m")
    fitted(rankings[0], "--structure", "permutations", "--targets", "L*", "--model", model)
    command = [sys.executable, "-m", "combpred", "predict", rankings[1], "--model", model]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("L1,L2,L3,L4\n") and done.stderr == ""
    reading, writing = os.pipe()
    os.close(reading)
    closed = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert closed.returncode == 0 and closed.stderr == ""


def test_help_does_not_import_scikit_learn() -> None:
    code = (
        "import sys\nfrom combpred._cli.main import main\n"
        "try:\n    main(['fit', '--help'])\nexcept SystemExit:\n    pass\n"
        "sys.exit('sklearn' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False).returncode == 0


@pytest.mark.slow
def test_demo_prints_a_table_and_writes_a_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="without matplotlib the demo writes no plot")
    plot = tmp_path / "demo.png"
    command = [sys.executable, "-m", "combpred", "demo", "--plot", str(plot)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if "StructuredRidge, loss" in line]
    assert len(lines) == 4
    for metric in ("kendall_tau", "hamming_score", "accuracy"):
        assert metric in done.stdout
    assert str(plot) in done.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")
