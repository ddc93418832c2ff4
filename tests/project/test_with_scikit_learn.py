"""The page on scikit-learn: its blocks run, and print what the text says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.model_selection import cross_val_predict

from combpred import ProbabilisticStructured
from combpred.datasets import load_iris_hierarchy
from combpred.structures import Ordinal

PAGE = (Path(__file__).parents[2] / "python" / "docs" / "guide" / "scikit_learn.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("error")
def test_the_blocks_run_and_show_what_is_said(capsys):
    names: dict[str, Any] = {}
    shown = []
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S):
        exec(compile(block, "scikit_learn.md", "exec"), names)
        shown.append(capsys.readouterr().out.splitlines())
    metrics, conditions, weights, entries, targets, numbered, kept = shown
    tau, first = map(float, metrics[0].split())
    assert 0.8 < tau < 1.0 and 0.8 < first <= 1.0
    assert conditions == ["True True"]
    few, many = map(int, weights[0].split())
    assert few < many
    importance = names["importance"].importances_mean
    assert importance[2:].max() > importance[:2].max()
    dependence = names["dependence"]["average"]
    assert dependence.shape == (len(names["classifier"].classes_), 5)
    np.testing.assert_allclose(dependence.sum(axis=0), 1.0)
    assert (np.diff(dependence[-1]) > 0).all()  # the longer the petal, the more probable is the last class
    chance, at = names["chance"]["average"][0], names["chance"]["grid_values"][0]
    rows = [names["numbers"].assign(**{"petal length (cm)": value}) for value in at]
    proba = [names["first"].ranker_.predict_position_proba(each)[:, 2, 0].mean() for each in rows]
    np.testing.assert_allclose(chance, proba, rtol=1e-12)
    assert (np.diff(chance) > 0).all() and names["y"].columns[2] == "virginica"
    row = names["numbers"][:1]
    drinks, tags = names["drinks"].predict(row)[0], names["searched"].predict(row)[0]
    assert targets == [str(tags), str(drinks)]
    assert sorted(drinks) == ["milk", "tea"] and set(tags) <= {"sweet", "red", "sour"}
    loss, shape, accuracy = numbered
    assert -np.log(2) < float(loss) < 0 and shape == "(50, 2)" and float(accuracy) >= 0.9
    by_row = names["chance_of_first"]
    for train, rows in names["folds"].split(names["numbers"]):
        alone = ProbabilisticStructured("permutations").fit(names["numbers"].iloc[train], names["y"].iloc[train])
        proba = alone.predict_position_proba(names["numbers"].iloc[rows])[:, 0, 0]
        np.testing.assert_allclose(by_row[rows], proba, rtol=1e-9)
    assert kept[0].startswith("setosa [")
    pipelines = (Path(__file__).parents[1] / "models" / "pipelines").glob("test_*.py")
    found = sum(len(re.findall(r"^def test_", file.read_text(encoding="utf-8"), re.M)) for file in pipelines)
    assert "more than 30 longer pipelines" in PAGE and found > 30


def test_what_numbers_names_is_refused_by_structures_with_names():
    """The last section: members get numbers in place of names; classes are sorted."""
    X, y = load_iris_hierarchy(return_X_y=True)
    tree = ProbabilisticStructured(load_iris_hierarchy().structure)
    for wrapper in (
        StackingClassifier([("tree", tree)], cv=3),
        VotingClassifier([("tree", tree)], voting="soft"),
        BaggingClassifier(tree, n_estimators=2, random_state=0),
        CalibratedClassifierCV(tree, cv=3, ensemble=False),
    ):
        assert f"`{type(wrapper).__name__}" in PAGE
        with pytest.raises(ValueError, match="found 0; the nodes are 'Iris'"):
            wrapper.fit(X, y)
    with pytest.raises(ValueError) as caught:
        cross_val_predict(tree, X, y, method="predict_proba")
    assert caught.value.row == 0
    grades = np.array(["low", "mid", "high"])[np.arange(150) % 3]
    model = ProbabilisticStructured(Ordinal(["low", "mid", "high"])).fit(X, grades)
    assert model.classes_.tolist() == ["high", "low", "mid"]
    assert model.predict_proba(X).shape == (150, 3)
