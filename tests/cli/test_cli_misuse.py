"""What a user may get wrong on the command line is explained, with a status that scripts can read."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from cli_runs import Failing, fitted, write_csv
from combpred import SamplingError
from combpred._cli import commands
from combpred._cli.main import main

# ---- Misuse ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"--structure": "knots"}, ["no structure 'knots'", "permutations"]),
        ({"--structure": "paths"}, ["needs --param arcs=VALUE"]),
        ({"--param": "n_labels"}, ["'n_labels' is not NAME=VALUE", "n_labels"]),
        ({"--param": "size=2"}, ["'size=2' is none of the parameters, which are n_labels", "Permutations"]),
        ({"--param": "alfa=2"}, ["'alfa=2' is none of the parameters, do you mean alpha? They are n_labels"]),
        ({"--param": "labels=[a,b]"}, ["--param labels: [a,b] is not JSON, in which text stands in double quotes"]),
        ({"--param": "n_labels=@nowhere.json"}, ["cannot read nowhere.json"]),
        ({"--param": "n_labels=5"}, ["n_labels=5", "4 names"]),
        ({"--targets": "M*"}, ["'M*' matches none of the 7 columns", "'A1'"]),
        ({"--targets": "9:"}, ["'9:' matches none"]),
        ({"--targets": "*"}, ["at least one must be left as an input"]),
        ({"--targets": "A*"}, ["line 2"]),
        ({"--inputs": "L1"}, ["--inputs and --targets both name the column 'L1'"]),
        ({"--categorical": "L1"}, ["--categorical names the column 'L1', which is not an input"]),
        ({"--alpha": "0"}, ["alpha"]),
        ({"--alpha": "much"}, ["'alpha' parameter", "'much'"]),
        ({"--gamma": "-1", "--kernel": "rbf"}, ["gamma"]),
        ({"--kernel": "quadratic"}, ["kernel", "rbf"]),
        ({"--kernel": "precomputed"}, ["--kernel", "rbf"]),
        ({"--loss": "hinge"}, ["loss", "squared"]),
        ({"--model": "nowhere/m"}, ["--model", "no directory"]),
        ({"--model": "."}, ["is a directory"]),
        ({"--sep": "::"}, ["--sep", "one character"]),
        ({"--encoding": "klingon"}, ["--encoding", "'klingon'"]),
        ({"--estimator": "Oracle"}, ["no estimator 'Oracle'", "LabelRankingSVM", "StructuredSVM"]),
        ({"--estimator": "LabelRankingSVM"}, ["--structure: LabelRankingSVM ranks labels and takes no structure"]),
        (
            {"--estimator": "StructuredPerceptron", "--alpha": "1"},
            ["--alpha: 'alpha=1' is none of the parameters", "max_iter"],
        ),
        ({"--param": "structure=labelsets"}, ["'structure=labelsets'"]),
        ({"--param": "structure__n_labels=5"}, ["n_labels=5", "4 names"]),
        ({"--param": "alpha=2", "--alpha": "1"}, ["--param: 'alpha' is given twice"]),
        ({"--param": "fit_intercept=False", "--alpha": "0"}, ["'alpha' parameter"]),
        (
            {"--estimator": "EmbeddingRegressor", "--param": 'regressor={"Ridge": 3}'},
            ['--param regressor: {"Ridge": 3} is not {"Name": {"parameter": value}}'],
        ),
        (
            {"--estimator": "EmbeddingRegressor", "--param": 'regressor={"Ridge": {"alfa": 1}}'},
            ["--param regressor: 'alfa' is none of the parameters of Ridge, alpha", "do you mean alpha?"],
        ),
        ({"--drop": "L1", "--inputs": "L1"}, ["--inputs and --targets both name the column 'L1'"]),
        ({"--drop": "L1"}, ["--drop and --targets both name the column 'L1'"]),
        ({"--id": "A1", "--inputs": "A1,A2"}, ["--inputs and --id both name the column 'A1'"]),
    ],
)
def test_fit_explains(
    rankings: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: Failing,
    changes: dict[str, str], words: list[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    options = {"--structure": "permutations", "--targets": "L*", "--model": "m", **changes}
    said = fails("fit", rankings[0], *(f"{name}={value}" for name, value in options.items()))
    for part in words:
        assert part in said
    assert not Path("m").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "empty"),
        ("A,L1,L2\n", "no row"),
        ("1,2,3\n4,5,6\n", "--no-header"),
        ("A,L1,L2\n1,1,2\n2,1\n", "line 3: 2 fields, the first line has 3"),
        ("A,L1,L2\n1,1,2,\n2,1,2,\n", "line 2: 4 fields, the first line has 3"),
        ("A,L1,L2\n1,1,2\n2,1,2,3\n", "line 3: 4 fields, the first line has 3"),
        ("A,A,L1\n1,1,2\n", "two columns are called 'A'"),
        ("A,,L1\n1,1,2\n", "column 1 (counted from 0) has no name"),
        ('A,L1,L2\n1,1,2\n"2,1,2\n', "line 3"),
        ("A,L1,L2,L3\n1,1,2,3\n2,1,1,2\n", "line 3"),  # tied positions
        ("A,L1,L2\n1,1,2\n2,first,1\n", "line 3: 'L1' holds 'first', which is not a number"),
        ("A,L1,L2\n1,1,2\ninf,2,1\n", "line 3: 'A' is infinite"),
    ],
)
def test_bad_csv_names_the_line(tmp_path: Path, fails: Failing, content: str, words: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    said = fails("fit", str(path), "--structure", "permutations", "--targets", "L*", "--model", str(tmp_path / "m"))
    assert words in said and "bad.csv" in said


def test_positions_that_are_left_empty_are_unknown(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("A,L1,L2,L3\n1,1,2,3\n2,,1,2\n3,3,2,1\n")
    arguments = ["fit", str(path), "--structure", "permutations", "--targets", "L*", "--model", str(tmp_path / "m")]
    assert main(arguments) == 0


def test_missing_class_names_the_line(tmp_path: Path, fails: Failing) -> None:
    path = write_csv(tmp_path / "t.csv", ["a", "kind"], [[1, "x"], [2, ""], [3, "y"]])
    said = fails("fit", path, "--structure", "multiclass", "--targets", "kind", "--model", str(tmp_path / "m"))
    assert "line 3: the target 'kind' is missing" in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "@relation r\n@attribute a numeric\n@attribute s relational\n@data\n1,x\n",
            "line 3: '@attribute s relational'",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute s hierarchical x,x/y\n@data\n1,x/z\n",
            "line 5: 's': 'x/z' is no node",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n{0 1, 2 2}\n",
            "line 5: '{0 1, 2 2}' is not as @attribute says",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n{0 1, 1}\n",
            "line 5: '{0 1, 1}' is not as @attribute says",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n\n1\n",
            "line 7: '1' is not as @attribute says",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute b {x}\n@data\n1,x\nz,x\n",
            "line 6: 'a' holds 'z', which is not as @attribute says: numeric",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute b {x, 'y z'}\n@data\n1,'y z'\n2,y\n",
            "line 6: 'b' holds 'y', which is not as @attribute says: {x, y z}",
        ),
        (
            "@relation r\n@attribute a integer\n@attribute b {0,1}\n@data\n{0 1}\n%\n{1 2}\n",
            "line 7: 'b' holds '2', which is not as @attribute says: {0, 1}",
        ),
        (
            "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@data\n{0 1, 0 2}\n",
            "line 5: an attribute is listed twice",
        ),
        ("nothing of the kind\n", "ARFF"),
        ("@relation r\n@attribute a numeric\n@data\n", "no row"),
    ],
)
def test_bad_arff_is_explained(tmp_path: Path, fails: Failing, content: str, words: str) -> None:
    path = tmp_path / "bad.arff"
    path.write_text(content)
    structure = "hierarchy" if "hierarchical" in content else "multiclass"
    said = fails("fit", str(path), "--structure", structure, "--targets", "-1:", "--model", str(tmp_path / "m"))
    assert words in said and "bad.arff" in said


def test_files_that_cannot_be_read(tmp_path: Path, fails: Failing) -> None:
    common = ["--structure", "multiclass", "--targets", "-1:", "--model", str(tmp_path / "m")]
    assert "No such file" in fails("fit", str(tmp_path / "absent.csv"), *common)
    latin = tmp_path / "latin.csv"
    latin.write_bytes("a,b\n1,Grün\n".encode("latin-1"))
    assert "line 2, is not text in UTF-8" in (said := fails("fit", str(latin), *common)) and "--encoding cp1252" in said
    book = tmp_path / "book.xlsx"
    book.write_bytes(b"PK\x03\x04\xff")
    assert "save the sheet as CSV" in fails("fit", str(book), *common)
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(gzip.compress(b"a,b\n1,2\n" * 50)[:-12])
    assert "cannot read" in fails("fit", str(cut), *common)


def test_models_that_cannot_be_loaded(rankings: tuple[str, str], tmp_path: Path, fails: Failing) -> None:
    train, test = rankings
    model = tmp_path / "m"
    assert "No such file" in fails("predict", test, "--model", str(model))
    assert "not a model file" in fails("predict", test, "--model", train)
    assert "not a model file" in fails("info", train)
    fitted(train, "--structure", "permutations", "--targets", "L*", "--model", str(model))
    with zipfile.ZipFile(model) as archive:
        header = json.loads(archive.read("header.json"))
    with zipfile.ZipFile(model, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("pipeline.joblib", b"\x80\x04not a pickle")
    assert "give --trusted" in fails("predict", test, "--model", str(model))
    assert "cannot be loaded" in fails("predict", test, "--model", str(model), "--trusted")
    with zipfile.ZipFile(model, "w") as archive:
        archive.writestr("header.json", json.dumps({**header, "format": "combpred model 0"}))
    assert "combpred model 0" in fails("predict", test, "--model", str(model))


def test_predict_and_evaluate_explain(rankings: tuple[str, str], tmp_path: Path, fails: Failing) -> None:
    model = str(tmp_path / "m")
    fitted(rankings[0], "--structure", "permutations", "--targets", "L*", "--model", model)
    lacking = write_csv(tmp_path / "l.csv", ["A1", "A3"], [[1, 2]])
    assert "has no column 'A2'" in fails("predict", lacking, "--model", model)
    text = write_csv(tmp_path / "t.csv", ["A1", "A2", "A3"], [[1, 2, 3], [1, "two", 3]])
    assert "line 3: 'A2' holds 'two'" in fails("predict", text, "--model", model)
    inputs = write_csv(tmp_path / "i.csv", ["A1", "A2", "A3"], [[1, 2, 3]])
    assert "has no column 'L1'" in fails("evaluate", inputs, "--model", model)
    said = fails("evaluate", rankings[1], "--model", model, "--metric", "beauty")
    assert "no metric 'beauty'" in said and "kendall_tau" in said
    assert "needs a tree" in fails("evaluate", rankings[1], "--model", model, "--metric", "hierarchical_loss")
    for option, command in (("--output", "predict"), ("--plot", "predict"), ("--plot", "evaluate")):
        said = fails(command, rankings[1], "--model", model, option, str(tmp_path / "no" / "p"))
        assert f"{option}: cannot write " in said and "in no directory that can be written to" in said
    # Said before any work: there is no such model.
    for ending in (".xlsx", ".json", ".csv.zip", ".parquet.gz"):
        said = fails("predict", rankings[1], "--model", "absent", "--output", str(tmp_path / f"p{ending}"))
        assert "--output: " in said and "tables are written as CSV or .parquet" in said


def test_a_failed_fit_leaves_an_earlier_model_alone(rankings: tuple[str, str], tmp_path: Path, fails: Failing) -> None:
    model = tmp_path / "m"
    common = ["fit", rankings[0], "--structure", "permutations", "--targets", "L*", "--model", str(model)]
    assert main(common) == 0
    before = model.read_bytes()
    fails(*common, "--alpha", "-1")
    assert model.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "test.csv", "train.csv"]  # no temporary files


def test_debug_shows_where_an_error_comes_from(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="cannot read"):
        main(
            [
                "fit",
                "absent.csv",
                "--structure",
                "multiclass",
                "--targets",
                "k",
                "--model",
                str(tmp_path / "m"),
                "--debug",
            ]
        )


def test_samples_that_cannot_be_drawn_are_no_traceback(monkeypatch: pytest.MonkeyPatch, fails: Failing) -> None:
    def drawing(*_: object) -> None:
        raise SamplingError("no sample within 10 steps")

    monkeypatch.setattr(commands, "info", drawing)
    assert fails("info") == "combpred: error: no sample within 10 steps"


def test_interrupt_has_its_own_status(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "info", interrupted)
    assert main(["info"]) == 130
    assert capsys.readouterr().err == "combpred: interrupted\n"


def test_conditions_that_a_structure_has_not_are_those_of_the_option(tmp_path: Path, fails: Failing) -> None:
    rows: list[list[object]] = [[at, "tea|milk" if at % 2 else "juice"] for at in range(12)]
    path, model = write_csv(tmp_path / "t.csv", ["x", "target"], rows), str(tmp_path / "m")
    fitted(path, "--targets", "target", "--model", model)
    said = fails("predict", path, "--model", model, "--constraints", '{"required": [tea]}')
    assert """--constraints: {"required": [tea]} is not JSON, in which text stands in double quotes: Exp""" in said
    said = fails("predict", path, "--model", model, "--constraints", '{"requires": ["tea"]}')
    assert said.startswith("combpred: error: --constraints: LabelSets takes no key 'requires'; its keys are 'required'")


def test_advice_is_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing) -> None:
    """Errors of structures tell what to do in Python; what cannot be done here is left out."""
    rows: list[list[object]] = [[at, "a>b>c" if at % 2 else "c=b>a"] for at in range(12)]
    rows[5][1] = "a>b"
    path, model = write_csv(tmp_path / "t.csv", ["x", "target"], rows), str(tmp_path / "m")
    said = fails("fit", path, "--targets", "target", "--model", model)
    assert said.endswith("t.csv, line 7: 'target': label 'c' is in no group; add it")
    rows = [[at, "a>b>c" if at % 2 else "c>b>a"] for at in range(12)]
    path = write_csv(tmp_path / "t.csv", ["x", "target"], rows)
    said = fails(
        "fit", path, "--targets", "target", "--structure", "permutations", "--param", "labels=a,b", "--model", model
    )
    assert "t.csv: target: y has 'c'; those of Permutations are 'a', 'b'" in said
    path = write_csv(tmp_path / "scores.csv", ["x", "a", "b"], [[1, 0.5, 0.25], [2, 0.25, 0.75]])
    said = fails("fit", path, "--targets", "a,b", "--structure", "permutations", "--model", model)
    assert said.endswith("1 for the first; where the larger are better, write their ranks into the file")


@pytest.mark.parametrize("cell", ["a, b", "a;b", "pet/cat"])
def test_fields_of_several_names_that_are_taken_for_classes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cell: str
) -> None:
    rows: list[list[object]] = [[at, cell if at % 3 else "c"] for at in range(12)]
    path, model = write_csv(tmp_path / "t.csv", ["x", "target"], rows), str(tmp_path / "m")
    fitted(path, "--targets", "target", "--model", model)
    assert f"'target': fields such as {cell!r} are a class each; if they hold several names" in capsys.readouterr().err
    fitted(path, "--targets", "target", "--structure", "multiclass", "--model", model)
    assert capsys.readouterr().err == ""


def test_metrics_of_other_targets_and_grades_without_a_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing
) -> None:
    rows: list[list[object]] = [[at, 1 + at // 4] for at in range(12)]
    path, model = write_csv(tmp_path / "t.csv", ["x", "grade"], rows), str(tmp_path / "m")
    fitted(path, "--targets", "grade", "--structure", "ordinal", "--param", "grades=[1, 2, 3]", "--model", model)
    assert "grades" not in capsys.readouterr().err
    said = fails("evaluate", path, "--model", model, "--metric", "kendall_tau")
    assert "--metric kendall_tau does not suit these targets (neg_absolute_error does): " in said
    said = fails("fit", path, "--targets", "grade", "--param", "grades=[1, 2, 3]", "--model", model)
    assert said.endswith("of StructuredRidge; those of a structure need --structure")


def test_text_without_a_mark_of_its_encoding(tmp_path: Path, fails: Failing) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("x,k\n1,a\n2,b\n".encode("utf-16-le"))
    assert "t.csv holds NUL characters" in fails("fit", str(path), "--targets", "k", "--model", str(tmp_path / "m"))
    assert main(["fit", str(path), "--encoding", "utf-16-le", "--targets", "k", "--model", str(tmp_path / "m")]) == 0
