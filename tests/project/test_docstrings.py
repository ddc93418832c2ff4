"""Docstrings: their examples run, their sections parse, and notebooks can display what they document."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest

import combpred
import enumerable
from combpred import ProbabilisticStructured, StructuredRidge, StructuredRidgeCV, StructuredSGD, ranking, structures
from combpred._data.glossary import GLOSSARY
from combpred._data.glossary import documented as filled
from combpred.baselines import StructuredPerceptron, StructuredSVM

# Running the package is what __main__ does when imported; _lib._core is the library itself.
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(combpred.__path__, "combpred.")
    if module.name not in ("combpred.__main__", "combpred._lib._core")
)
# An underline that ended up on the line of its heading.
BROKEN_HEADING = re.compile(r"^\s*\w+ -{3,}", re.MULTILINE)

ESTIMATORS = [
    StructuredRidge, StructuredRidgeCV, StructuredSGD, ProbabilisticStructured, StructuredPerceptron, StructuredSVM
]  # fmt: skip
PROBABILITIES = (
    "predict_proba", "predict_marginals", "log_proba", "score_log_loss", "log_partition", "entropy", "sample",
)  # fmt: skip
RANKERS = [getattr(ranking, name) for name in ranking.__all__ if hasattr(getattr(ranking, name), "fit")]
OF_RANKERS = ("label_scores", "pair_votes", "predict_mallows", "partial_fit")
X = np.arange(12.0)[:, None]
LABELS = np.arange(12) % 3
#: One of every structure, as a test of the oracles demands.
INSTANCES = {type(structure): structure for structure, _ in enumerable.INSTANCES}


def documented():
    """Yield the name and docstring of every module, class and function of the package."""
    for name in MODULES:
        module = importlib.import_module(name)
        yield name, module.__doc__
        for key, value in vars(module).items():
            if getattr(value, "__module__", None) != name:
                continue
            if inspect.isclass(value):
                yield f"{name}.{key}", value.__doc__
                for member, method in vars(value).items():
                    yield f"{name}.{key}.{member}", getattr(method, "__doc__", None)
            elif callable(value):
                yield f"{name}.{key}", value.__doc__


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    if name.startswith("combpred.plotting"):
        pytest.importorskip("matplotlib").use("Agg")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_headings_have_their_underlines_on_their_own_line():
    assert [name for name, text in documented() if text and BROKEN_HEADING.search(text)] == []


def test_entries_of_the_glossary_are_in_place():
    text = "\n".join(text for _, text in documented() if text)
    assert re.findall(r"%\(\w+\)s", text.replace("lines ``%(name)s``", "")) == []
    for name, entry in GLOSSARY.items():
        first = entry.strip().splitlines()[0]
        assert first in text, f"no docstring has the entry of {name!r}"
        assert " : " in first or first.endswith("."), name


def test_entries_take_the_place_and_the_indentation_of_their_lines():
    class Described:
        r"""One.

        Parameters
        ----------
        %(degree)s
            50%% more, or 10 % of %(degree)s.
        """

    found = inspect.getdoc(filled(Described)).splitlines()
    assert found[4:] == [
        "degree : float, default=3",
        "    Degree of the polynomial kernel; others ignore it.",
        "    50%% more, or 10 % of %(degree)s.",
    ]
    Described.__doc__ = None  # as with python -OO
    assert filled(Described).__doc__ is None
    Described.__doc__ = "    %(nothing)s"
    with pytest.raises(KeyError, match="nothing"):
        filled(Described)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of inputs that are not scaled
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_every_parameter_and_fitted_attribute_is_described(estimator):
    sections = re.split(r"\n(\w[\w ]*)\n-+\n", inspect.getdoc(estimator))
    by_name = dict(zip(sections[1::2], sections[2::2], strict=True))

    def described(section):
        return [name for line in re.findall(r"^(\w.*?)(?: :.*)?$", section, re.MULTILINE) for name in line.split(", ")]

    assert sorted(described(by_name["Parameters"])) == sorted(inspect.signature(estimator).parameters)
    for kernel in ("linear", "rbf"):
        model = estimator(kernel=kernel).fit(X, LABELS)
        fitted = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
        assert fitted <= set(described(by_name["Attributes"]))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of inputs that are not scaled
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_notebooks_display_estimators(estimator):
    for model in (estimator(), estimator(structures.MultiClass(), kernel="rbf")):
        assert estimator.__name__ in model._repr_html_()
        assert estimator.__name__ in model.fit(X, LABELS)._repr_html_()


@pytest.mark.parametrize("cls", structures.structure_classes().values(), ids=lambda cls: cls.__name__)
def test_notebooks_display_structures(cls):
    structure = INSTANCES[cls]
    assert cls.__name__ in structure._repr_html_()
    if cls is structures.MultiClass:  # sizes are inferred from y
        structure = StructuredRidge(structures.MultiClass()).fit(X, LABELS).structure_
        assert cls.__name__ in structure._repr_html_()


@pytest.mark.parametrize("estimator", ESTIMATORS + RANKERS, ids=lambda cls: cls.__name__)
def test_public_methods_say_what_they_raise_and_cost(estimator):
    methods = ("fit", "predict", "score")
    if estimator in RANKERS:
        methods += tuple(name for name in OF_RANKERS if hasattr(estimator, name))
    else:
        methods += ("decision_function", "feature_scores", "score_structures", "predict_certified")
    for name in methods + (PROBABILITIES if estimator is ProbabilisticStructured else ()):
        text = inspect.getdoc(getattr(estimator, name))
        for part in ("Parameters\n---", "Returns\n---", "Raises\n---", "Examples\n---", "Cost", ">>> "):
            assert part in text, f"{estimator.__name__}.{name}: {part!r}"
