"""Pictures of estimators in notebooks, which scikit-learn draws, show the help of our parameters."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

import combpred
from combpred import StructuredRidge, baselines, kernels, ranking, structures

CLASSES = [
    item
    for room in (combpred, ranking, baselines, kernels, structures)
    for item in (getattr(room, name) for name in room.__all__)
    if inspect.isclass(item) and hasattr(item, "get_params") and not inspect.isabstract(item)
]
X, Y = np.arange(12.0).reshape(6, 2), np.array([[1, 2, 3], [3, 2, 1], [2, 1, 3]] * 2)


@pytest.mark.parametrize("described", CLASSES, ids=lambda each: each.__name__)
def test_every_parameter_has_help(described):
    common = pytest.importorskip("sklearn.utils._repr_html.common", reason="scikit-learn < 1.8 shows no help")
    if described is structures.Custom:  # its classmethods describe what they take
        return
    for name in described._get_param_names():
        assert common.get_docstring(described, "Parameters", name), name
        assert common.generate_link_to_param_doc(described, name, "#x"), name


@pytest.mark.parametrize(
    "model",
    [
        StructuredRidge("permutations"),
        combpred.StructuredRidgeCV("permutations", alphas=[1.0]),
        combpred.StructuredSGD("permutations", max_iter=2),
        combpred.ProbabilisticStructured("permutations", max_iter=2),
        combpred.EmbeddingRegressor(structure="permutations", random_state=0),
        combpred.StructuredVoting([("ridge", StructuredRidge("permutations"))]),
        baselines.StructuredPerceptron("permutations", max_iter=2),
        baselines.StructuredSVM("permutations", max_iter=2),
        ranking.LabelRankingSVM(),
        make_pipeline(kernels.NystromMap(n_components=2), StructuredRidge("permutations")),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pictures_are_drawn_before_and_after_training(model):
    own = model[-1] if hasattr(model, "steps") else model
    for each in (model, model.fit(X, Y)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            drawn = estimator_html_repr(each)
        assert f'href="{own._get_doc_link()}' in drawn
    if "param-doc-description" in drawn:  # of scikit-learn from 1.8 on
        name, *_ = own._get_param_names()
        assert f"anchor-name: --doc-link-{name};" in drawn
        assert f"{name}: " in drawn
    assert own._get_doc_link().endswith(f".{type(own).__name__}")
