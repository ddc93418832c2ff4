"""The README keeps its word: its Python runs, its table is the catalogue, its links lead somewhere."""

from __future__ import annotations

import re
import sys
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from combpred import EmbeddingRegressor, ProbabilisticStructured, StructuredRidge, StructuredRidgeCV, sampling
from combpred._cli.main import parser
from combpred._lib.call import library
from combpred._lib.structure import catalogue
from combpred.datasets import load_digits_attributes, make_label_ranking
from combpred.structures import Custom, LabelSets, structure_classes

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
SHELL = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)


def run(block: str, lines: int = 8) -> dict[str, Any]:
    assert len([line for line in block.splitlines() if line.strip()]) <= lines
    names: dict[str, Any] = {}
    exec(compile(block, "README.md", "exec"), names)
    return names


def test_there_are_eight_examples() -> None:
    assert len(PYTHON) == 8


def test_first_screen_says_where_to_go_and_shows_a_result_that_is_so() -> None:
    """Six properties of digits: what the README says of 600 training images, with the best penalties of those tried.

    What it says of walks is checked where the notebook runs.
    """
    screen = README.split("## A ranking")[0]
    pages = {f"python/docs/{file.name}" for file in (ROOT / "python" / "docs").glob("*.md")}
    notebooks = {f"python/docs/notebooks/{file.name}" for file in (ROOT / "python" / "docs" / "notebooks").iterdir()}
    assert pages | {name for name in notebooks if name.endswith(".ipynb")} <= set(re.findall(r"\]\(([^)#]+)", screen))

    images = load_digits_attributes()
    X, X_test, y, y_test = train_test_split(images.data / 16, images.target, train_size=600, random_state=0)
    machines = {C: OneVsRestClassifier(SVC(C=C)).fit(X, y) for C in (1, 10, 100)}
    chosen = StructuredRidgeCV(LabelSets(), scoring="accuracy").fit(X, y)
    powerset = EmbeddingRegressor(LabelSets(), SVC(C=10), target="outputs").fit(X, y)
    shares = [
        max(accuracy_score(y_test, model.predict(X_test)) for model in models)
        for models in ([chosen], [powerset], machines.values())
    ]
    said = [int(found) / 100 for found in re.findall(r"(\d+) %", screen)]
    assert len(said) == 3
    np.testing.assert_allclose(shares, said, atol=0.01)


def test_ranking_example_learns(capsys: pytest.CaptureFixture[str]) -> None:
    names = run(PYTHON[0])
    *ranking, score = capsys.readouterr().out.replace("[", "").replace("]", "").split()
    shown, said = re.findall(r"# \[([\d ]+)\] ([\d.]+)$", PYTHON[0], re.MULTILINE)[0]
    assert " ".join(ranking) == shown
    assert float(score) == pytest.approx(float(said), abs=0.01)
    assert f"{names['model'].structure_.count():,}".replace(",", " ") + " rankings" in README
    certified = names["model"].predict(names["X_test"][:5], return_certificate=True)[1]
    assert certified.optimal.shape == (5,) and certified.optimal.all()


def test_label_set_example_learns(capsys: pytest.CaptureFixture[str]) -> None:
    run(PYTHON[1])
    first, second = capsys.readouterr().out.splitlines()
    shown = re.findall(r"# ([\d.]+)(?:, | True)", PYTHON[1])
    assert float(first) == pytest.approx(float(shown[0]), abs=0.01)
    assert second == f"{shown[1]} True" == "28 True"


def test_example_of_names_predicts_a_frame() -> None:
    names = run(PYTHON[2])
    found = names["model"].predict(names["X"], constraints={"last": "milk"})
    assert list(found.columns) == ["juice", "milk", "tea"] and (found["milk"] == 3).all()
    assert names["y"].loc[1] == ["juice", "tea"]


@pytest.mark.slow
def test_example_of_many_rows_learns(capsys: pytest.CaptureFixture[str]) -> None:
    names = run(PYTHON[3], lines=14)
    scores = [float(score) for score in capsys.readouterr().out.split()]
    assert min(scores) > 0.8  # rankings at random score 0 on average
    whole = StructuredRidge("permutations").fit(names["X"], names["y"])
    np.testing.assert_allclose(names["ridge"].coef_, whole.coef_, atol=1e-6)
    assert len(names["blocks"]) == 5 == names["online"].n_iter_


def test_probability_example_keeps_its_word(capsys: pytest.CaptureFixture[str]) -> None:
    names = run(PYTHON[4], lines=13)
    model, X_test, y_test = names["model"], names["X_test"], names["y_test"]
    *_, likelihood, entropy = capsys.readouterr().out.split("[[")[1].split("]]")[1].split()
    uniform = model.structure_.log_count()
    assert f"(-{uniform:.2f} {uniform:.2f} if all equal)" in PYTHON[4]
    assert float(likelihood) > -uniform and 0 < float(entropy) < uniform
    assert f"# {float(likelihood):.2f} {float(entropy):.2f} (" in PYTHON[4]
    assert f"all {model.structure_.count()} rankings" in README
    assert names["rankings"].shape == (100, *y_test.shape)
    found = names["found"]
    assert (found.lower <= found.value).all() and (found.value <= found.upper).all()
    before = (1 + model.predict_marginals(X_test)) / 2
    u, v = np.triu_indices(y_test.shape[1], 1)
    shares = (names["rankings"][..., u] < names["rankings"][..., v]).mean(axis=0)
    # Means of 100 independent draws of 0 and 1: a distance of 0.35 has a probability below 2 exp(-2 * 100 * 0.35**2) =
    # 5e-11 by Hoeffding, for all 1665 of them below 1e-7.
    assert np.abs(shares - before).max() < 0.35
    assert np.abs(shares - before).mean() < 0.06


@pytest.mark.slow
@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_scores_of_your_own_have_exact_gradients() -> None:
    names = run(PYTHON[5], lines=9)
    rankings, scores, y = names["rankings"], names["scores"], names["y"]
    step = 1e-6 * np.ones_like(scores)
    slope = rankings.log_proba(scores - step, y) - rankings.log_proba(scores + step, y)
    np.testing.assert_allclose(slope, 2e-6 * names["gradient"].sum(axis=1), rtol=1e-4)


def test_own_structure_agrees_with_enumeration() -> None:
    names = run(PYTHON[6], lines=28)
    model, found, drawn, X = names["model"], names["found"], names["drawn"], names["X"]
    members = [[c, *rest] for c in range(8) for rest in combinations([p for p in range(8) if p != c], 3)]
    psi = names["teams"].embed(np.array(members))
    assert len(members) == round(np.exp(names["teams"].log_count()))
    scores = psi @ names["scores"]
    exact = logsumexp(scores)
    assert found.lower[0] < exact < found.upper[0]
    # The chain is worth 1300 independent draws: a mean of 0 and 1 over as many is off by 0.1 with a probability below
    # 2 exp(-2 * 1300 * 0.1**2) = 2e-11 by Hoeffding.
    assert np.abs(np.exp(scores - exact) @ psi - names["teams"].embed(drawn.y[:, 0]).mean(axis=0)).max() < 0.1
    f = psi @ model.feature_scores(X[:1])[0]
    p = np.exp(f - logsumexp(f))
    assert np.abs(p @ psi - model.predict_marginals(X[:1])[0]).max() < model.epsilon  # with probability 0.95
    again = model.log_partition(X[:1], epsilon=0.25)
    assert again.lower[0] < logsumexp(f) < again.upper[0]  # with probability 0.95
    # "With `bound=` …, or `radius=5**0.5` …, the library draws exactly wherever that is affordable".
    tight = Custom.from_sampler(
        names["draw"], names["embed"], log_count=names["teams"].log_count(),
        bound=lambda s: max(np.sort(a * s[:8])[-4:].sum() + (a * s[8:]).max() for a in (1, -1)),
    )  # fmt: skip
    assert sampling.sample(tight, names["scores"], random_state=0).is_exact
    certified = sampling.log_partition(tight, names["scores"], epsilon=0.25, random_state=0)
    assert certified.is_guaranteed.all() and certified.lower[0] < exact < certified.upper[0]
    wide = Custom.from_sampler(names["draw"], names["embed"], log_count=names["teams"].log_count(), radius=5**0.5)
    assert np.linalg.norm(psi, axis=1).max() == pytest.approx(5**0.5)
    assert sampling.sample(wide, names["scores"], sampler="cftp", random_state=0).is_exact
    learnt = StructuredRidge(wide, loss="auc").fit(X, names["y"]).predict(X[:3], return_certificate=True)[1]
    assert (learnt.nu < 1).all() and np.isfinite(learnt.upper_bound).all()
    # It predicts what the same model predicts after training with exact partition functions, of all teams in a list.
    listed = Custom.from_structures(members, names["embed"])
    numbers = [members.index([team[0], *sorted(team[1:])]) for team in names["y"].tolist()]
    best = ProbabilisticStructured(listed, inference="exact").fit(X, numbers)
    means = []
    for trained in (model, best):
        learnt = psi @ trained.feature_scores(X).T
        means.append(np.exp(learnt - logsumexp(learnt, axis=0)).T @ psi)
    # Four seeds of training gave 0.06 to 0.07 of what the uniform distribution is off.
    assert np.abs(means[0] - means[1]).mean() < 0.12 * np.abs(psi.mean(axis=0) - means[1]).mean()


def test_example_of_other_learners_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    names = run(PYTHON[7], lines=16)
    *scores, consensus = capsys.readouterr().out.splitlines()
    assert min(map(float, scores)) > 0.75  # rankings at random score 0 on average
    assert consensus.endswith(" True")
    # No other ranking of three labels is nearer to all: by Kendall's distance written out.
    distances = [
        sum((row[u] - row[v]) * (order[u] - order[v]) < 0 for row in names["y"] for u, v in combinations(range(3), 2))
        for order in permutations([1, 2, 3])
    ]
    assert names["consensus"].distance == min(distances)


def test_training_lists_and_decodes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no output is listed or decoded on the way" in README

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("training called it")

    for function in ("cp_decode", "cp_predict", "cp_space_enumerate"):
        monkeypatch.setattr(library().dll, function, forbidden)
    X, y = make_label_ranking(40, n_labels=6, random_state=0)
    model = StructuredRidge("permutations", kernel="rbf").fit(X, y)
    with pytest.raises(AssertionError, match="training called it"):
        model.predict(X)


def test_table_is_the_catalogue() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` (\|.*)$", README, flags=re.MULTILINE))
    classes = {cls.__name__: name for name, cls in structure_classes().items()}
    assert set(rows) == set(classes)
    assert {entry["name"] for entry in catalogue()} == set(classes.values())
    for cls, row in rows.items():
        core, python = re.findall(r"\]\(([^)]+)\)", row)
        assert f'"{classes[cls]}"' in (ROOT / core).read_text(encoding="utf-8")
        assert re.search(rf"^class {cls}\(", (ROOT / python).read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_links_lead_to_files(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)", text)
    assert targets
    missing = [target for target in targets if "://" not in target and not (ROOT / target).exists()]
    assert not missing


def test_commands_exist() -> None:
    commands = [line for block in SHELL for line in block.strip().splitlines()]
    shown = [line for line in commands if line.startswith("combpred ")]
    assert len(shown) == 2
    for line in shown:
        options = parser().parse_args([word.strip("'") for word in line.split()[1:]])
        assert options.command is not None
    installs = [line for line in commands if "pip install" in line]
    assert len(installs) == 2
    assert installs[0].endswith("-m combpred demo")


def test_what_is_said_of_label_rankers_is_what_the_table_of_benchmarks_shows() -> None:
    """Kendall's tau on nine sets: ridge regression is the best or near it, and distributions are level on most."""
    assert re.search(r"loss \"squared\" is the best\s+or within \.015 of it", README)
    assert re.search(r"gives probabilities and is just as good on most", README)
    text = (ROOT / "tests" / "benchmarks" / "README.md").read_text(encoding="utf-8")
    head, *lines = text[text.index("| τ | iris |") :].split("\n\n")[0].splitlines()
    table = {cells[1].strip(): cells[2:-1] for cells in (line.split("|") for line in lines[1:])}
    tau = {name: np.array([float(cell.strip(" *")) for cell in cells]) for name, cells in table.items()}
    best = np.max(list(tau.values()), axis=0)
    assert best.shape == (9,) == (head.count("|") - 2,)
    assert (best - tau["StructuredRidge, squared"]).max() <= 0.015
    assert (tau["StructuredRidge, squared"] - tau["ProbabilisticStructured"] <= 0.015).sum() >= 7


def test_scripts_of_the_page_of_experiments_have_its_options() -> None:
    page = (ROOT / "python" / "docs" / "evidence" / "experiments.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    .*python (tests/benchmarks/\w+\.py)(.*)$", page, re.MULTILINE)
    assert len(commands) == 4
    for script, options in commands:
        source = (ROOT / script).read_text(encoding="utf-8")
        assert all(f'"{option}"' in source for option in re.findall(r"--\w+", options)), script


def test_extras_and_versions_are_those_of_the_package() -> None:
    if sys.version_info < (3, 11):
        pytest.skip("reading pyproject.toml needs tomllib, new in Python 3.11")
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = re.findall(r'pip install "\.\[(\w+)\]"', README)
    assert set(extras) == {"plot", "test"}
    assert set(extras) <= set(project["optional-dependencies"])
    assert f"CPython {project['requires-python'].removeprefix('>=')} or later" in README
    minimum = next(need for need in project["dependencies"] if need.startswith("scikit-learn"))
    assert f"scikit-learn {minimum.partition('>=')[2]} or later" in README
    go = re.search(r"^go (\d+\.\d+)", (ROOT / "go.mod").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert go is not None and f"Go {go.group(1)} or later" in README


def test_changelog_names_the_version() -> None:
    from combpred import __version__

    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
