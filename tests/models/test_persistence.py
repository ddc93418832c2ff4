"""Fitted models in files of skops: every estimator and structure, with types that the page lists."""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import combpred
from combpred import (
    ConformalStructured,
    EmbeddingRegressor,
    ProbabilisticStructured,
    ProbabilisticStructuredCV,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredSGD,
    StructuredVoting,
    baselines,
    kernels,
    metrics,
    ranking,
    structures,
    trusted_types,
)

PAGE = (Path(__file__).parents[2] / "python" / "docs" / "guide" / "persistence.md").read_text(encoding="utf-8")
LISTED = [block.split() for block in re.findall(r"^```text\n(.*?)^```$", PAGE, re.M | re.S)]
N = 30
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
RANKS = np.argsort(np.argsort(-X, axis=1), axis=1) + 1
CHAIN = np.triu(np.ones((3, 3), dtype=bool))
WORDS = np.array(["a", "b", "c"], dtype=object)[RANKS.argmin(axis=1)]
#: Structures with sizes given where they do not follow from y; outputs are drawn but for classes.
STRUCTURES = [
    structures.MultiClass(),
    structures.Hierarchy({"a": "r", "b": "r", "c": "r"}),
    structures.Ordinal(["a", "b", "c"]),
    structures.PosetElements(CHAIN),
    structures.LabelSets(3),
    structures.Subtrees([-1, 0, 0, 1]),
    structures.Permutations(3),
    structures.WeakOrders(3),
    structures.PartialOrders(3),
    structures.Tournaments(3),
    structures.Cliques(4),
    structures.Graphs(3),
    structures.Cycles(5),
    structures.DirectedCycles(4),
    structures.Routes(4),
    structures.Paths([(0, 1), (1, 2), (0, 2)], 0, 2),
    structures.SpanningTrees(4),
    structures.Assignments(3),
    structures.Custom.from_structures([0, 1, 2], np.eye(3)),
]


def outputs(structure):
    if isinstance(structure, (structures.MultiClass, structures.Hierarchy, structures.Ordinal)):
        return WORDS
    if isinstance(structure, structures.PosetElements):
        return RANKS.argmin(axis=1)
    return structure.sample(N, random_state=0)


def voting(structure="permutations", **parameters):
    return StructuredVoting(
        [("a", StructuredRidge(structure)), ("b", EmbeddingRegressor(structure, Ridge()))], **parameters
    )


FRAME, FRAME_RANKS = pd.DataFrame(X, columns=list("abc")), pd.DataFrame(RANKS, columns=list("uvw"))
MODELS = {
    **{f"ridge of {type(each).__name__}": (StructuredRidge(each), X, outputs(each)) for each in STRUCTURES},
    **{
        f"{name}, {where}": (estimator, *data)
        for where, data in {"arrays": (X, RANKS), "frames": (FRAME, FRAME_RANKS)}.items()
        for name, estimator in {
            "ridge by a kernel": StructuredRidge(kernel="rbf", structure="permutations"),
            "cv": StructuredRidgeCV("permutations", alphas=[1.0, 0.1]),
            "sgd": StructuredSGD("permutations", max_iter=2),
            "sgd by a kernel": StructuredSGD("permutations", kernel="rbf", max_iter=2),
            "distribution by cv": ProbabilisticStructuredCV("permutations", alphas=[1.0], kernels=["linear"], cv=2),
            "distribution": ProbabilisticStructured("permutations", max_iter=3),
            "distribution by sgd": ProbabilisticStructured("permutations", solver="sgd", max_iter=2, random_state=0),
            "embedding": EmbeddingRegressor(structure="permutations", random_state=0),
            "average": voting(),
            "conformal": ConformalStructured(ProbabilisticStructured("permutations", max_iter=3), alpha=0.5, cv=0.5),
            "average by weights": voting(weights=[1, 2]),
            "pipeline": make_pipeline(
                StandardScaler(), kernels.NystromMap(n_components=9, random_state=0), StructuredRidge("permutations")
            ),
            "svm": baselines.StructuredSVM("permutations", max_iter=3),
            "perceptron": baselines.StructuredPerceptron("permutations", max_iter=2, random_state=0),
            **{
                name: getattr(ranking, name)()
                for name in ranking.__all__
                if hasattr(getattr(ranking, name), "fit") and not inspect.isabstract(getattr(ranking, name))
            },
        }.items()
    },
    "chains": (
        ProbabilisticStructured("cycles", inference="mcmc", max_iter=2, random_state=0),
        X,
        structures.Cycles(5).sample(N, random_state=0),
    ),
    "targets of lists": (
        StructuredRidge(structures.LabelSets(labels=["a", "b"])).set_output(predict="names"),
        X,
        [["a", "b"], ["b"]] * (N // 2),
    ),
    "sparse rows": (StructuredRidge("permutations", kernel="rbf"), sparse.csr_array(np.abs(X)), RANKS),
    "search": (
        GridSearchCV(
            StructuredRidge("permutations"), {"alpha": [1.0, 0.1]}, cv=2, scoring=metrics.get_scorer("kendall_tau")
        ),
        X,
        RANKS,
    ),
    "search by score": (GridSearchCV(StructuredRidge("permutations"), {"alpha": [1.0, 0.1]}, cv=2), X, RANKS),
    **{
        name: (getattr(kernels, name)(n_components=9, random_state=0), X, None)
        for name in kernels.__all__
        if name.endswith("Map")
    },
}


@cache
def written(name):
    """Fit a model and return it, and its file."""
    model, rows, y = MODELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(rows, y)
    return model, skops.io.dumps(model)


@pytest.mark.parametrize("name", MODELS)
def test_models_come_back_with_the_same_predictions(name):
    model, file = written(name)
    types = skops.io.get_untrusted_types(data=file)
    assert set(types) <= {each for block in LISTED for each in block}
    assert trusted_types(file) == types
    for again in (skops.io.loads(file, trusted=types), pickle.loads(pickle.dumps(model))):
        for call in ("predict", "transform", "feature_scores"):
            if hasattr(model, call):
                rows = MODELS[name][1]
                np.testing.assert_array_equal(getattr(again, call)(rows), getattr(model, call)(rows))


def test_the_page_lists_no_type_that_is_not_held():
    held = {each for name in MODELS for each in skops.io.get_untrusted_types(data=written(name)[1])}
    assert set(LISTED[0]) == {name for name in held if name.startswith("combpred.")}


def test_no_estimator_or_structure_is_left_out():
    listed = set(LISTED[0])
    for room in (combpred, ranking, baselines, kernels, structures):
        for name in room.__all__:
            item = getattr(room, name)
            if not inspect.isclass(item) or inspect.isabstract(item) or item is structures.Structure:
                continue
            if hasattr(item, "fit") or issubclass(item, structures.Structure):
                assert f"{item.__module__}.{name}" in listed


def test_an_average_keeps_no_targets():
    y = RANKS.astype(np.int64)
    assert y.tobytes() in pickle.dumps(y)
    assert y.tobytes() not in pickle.dumps(voting(weights=None).fit(X, y))


@pytest.mark.parametrize("function", [importlib.import_module, metrics.kendall_tau, sparse.csr_array.transpose])
def test_functions_are_not_trusted(function, tmp_path):
    path = tmp_path / "m.skops"
    skops.io.dump(make_pipeline(FunctionTransformer(function), StructuredRidge("permutations").fit(X, RANKS)), path)
    types = trusted_types(path)
    assert "combpred._models.ridge.StructuredRidge" in types
    assert not any(function.__name__ in each for each in types)
    with pytest.raises(skops.io.exceptions.UntrustedTypesFoundException):
        skops.io.load(path, trusted=types)


def test_the_example_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S):
        exec(compile(block, "persistence.md", "exec"), {})
    assert capsys.readouterr().out == "[[1 2]\n [1 2]\n [2 1]\n [2 1]]\n"
