"""Docstrings: their examples run, their sections parse, and notebooks can display what they document."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest
from sklearn.utils._param_validation import StrOptions

import combpred
import enumerable
from combpred import (
    ProbabilisticStructured,
    ProbabilisticStructuredCV,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredSGD,
    ranking,
    structures,
)
from combpred._data.glossary import GLOSSARY
from combpred._data.glossary import documented as filled
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.structures.costs import COSTS

# Running the package is what __main__ does when imported; _lib._core is the library itself.
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(combpred.__path__, "combpred.")
    if module.name not in ("combpred.__main__", "combpred._lib._core")
)
# Public functions that return nothing.
SILENT = (".validate", ".config_context", ".check_structure")
# A parameter or attribute with the names that it may have: ``solver : {"auto", "cg"}``.
NAMES = re.compile(r"^ *(\w+) : \{(\"[^}]*)\}", re.MULTILINE)
# Where these names are listed; estimators list those of their parameters in `_parameter_constraints`.
TABLES = {
    "StructuredEstimator.set_output.predict": "_data.names.OUTPUTS",
    "LabelRanker.set_output.predict": "_data.names.OUTPUTS",
    "search.schedule": "_lib.names.RANDOM_DECODERS",
    "search.proposals": "_lib.names.PROPOSALS",
    "mixing_bound.sampler": "_lib.names.CHAINS",
    "optimum_probability.chain": "_lib.names.CHAINS",
    "Structure.decode.decoder": "_lib.decode.DECODERS",
    "decode.method": "_lib.names.LIBRARY_DECODERS",
    "Examples.subgraphs": "_lib.names.SUBGRAPHS",
    "affine_losses.entries": "_lib.names.ENTRY_KINDS",
    "affine_losses.cost": "_lib.names.AFFINE_COSTS",
    "MomentsInfo.kind": "_lib.names.MOMENTS_KINDS",
    "PartialOrders.moments": "auto, _lib.names.MOMENTS_KINDS",
    "expected_calibration_error.strategy": "metrics.calibration.STRATEGIES",
    "ReliabilityDisplay.from_predictions.strategy": "metrics.calibration.STRATEGIES",
    "Graphs.hereditary": "structures._search.hereditary.PROPERTIES",
    "OutputLoss.cost": "structures.costs.COSTS",
    "structured_hinge_loss.cost": "structures.costs.COSTS",
    "structured_max_loss.cost": "structures.costs.COSTS",
    "sample.sampler": "auto, sampling.samplers.SAMPLERS",
    "log_partition.sampler": "auto, sampling.samplers.SAMPLERS",
    "estimate_marginals.sampler": "auto, sampling.samplers.SAMPLERS",
    "ChainDiagnostics.sampler": "sampling.samplers.CHAINED",
    "log_partition.schedule": "_lib.names.SCHEDULES",
    "AnnealingDetails.schedule": "_lib.names.SCHEDULES",
    "log_partition.method": "_lib.names.PARTITION_METHODS",
    "LogPartition.method": "-auto, _lib.names.PARTITION_METHODS",
    "estimate_marginals.method": "sampling._marginals.MARGINALS_METHODS",
    "linear_extensions.method": "_lib.names.EXTENSION_METHODS",
    "count_linear_extensions.method": "sampling._extensions.COUNT_METHODS",
    "LinearExtensionCount.method": "-auto, sampling._extensions.COUNT_METHODS",
    "ProbabilisticBase.log_partition.method": "_lib.names.PARTITION_METHODS",
    "ProbabilisticBase.sample.sampler": "sampling.samplers.ESTIMATOR_SAMPLERS",
    "extension_kernel.format": "kernels._orders.ORDER_FORMATS",
    "edge_kernel.format": "kernels._orders.ORDER_FORMATS",
    "signed_edge_kernel.format": "kernels._orders.ORDER_FORMATS",
    "position_kernel.format": "kernels._orders.ORDER_FORMATS",
    "position_kernel.base": "kernels._orders.BASES",
    "extension_kernel.method": "kernels._orders.KERNEL_METHODS",
    "InputKernel.name": "_lib.kernel.KERNELS",
    "acyclic_majority.method": "aggregation._consensus.ACYCLIC_METHODS",
    "kemeny.output": "_lib.names.CONSENSUSES",
    "solve_programs.method": "aggregation._programs.PROGRAMMED",
    "MarginalsDisplay.kind": "plotting._marginals._SCALES",
}
# Attributes whose names no parameter takes, and a parameter that is scikit-learn's.
UNLISTED = {
    "BlasChoice.name", "hierarchical_h_loss.node_weight", "StructuredRidge.precision_",
    "NearestNeighborsLabelRanker.algorithm",
}  # fmt: skip
# A parameter or attribute with its description, and from how many characters on it is worth an entry of the glossary.
ENTRY = re.compile(r"^\w[\w, ]* : .*\n(?:(?: {4}.*)?(?:\n|$))+", re.MULTILINE)
LONG_ENTRY = 110
# An underline that ended up on the line of its heading.
BROKEN_HEADING = re.compile(r"^\s*\w+ -{3,}", re.MULTILINE)

ESTIMATORS = [
    StructuredRidge, StructuredRidgeCV, StructuredSGD, ProbabilisticStructured, ProbabilisticStructuredCV,
    StructuredPerceptron, StructuredSVM,
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
    """Yield the name and docstring of every module, class and function of the package.

    The glossary is a docstring, too, whose entries are looked at where they are put.
    """
    for name in MODULES:
        module = importlib.import_module(name)
        yield name, "" if name == filled.__module__ else module.__doc__
        for key, value in vars(module).items():
            if getattr(value, "__module__", None) != name:
                continue
            if inspect.isclass(value):
                yield f"{name}.{key}", value.__doc__
                for member, method in vars(value).items():
                    text = getattr(method, "__doc__", None)
                    if text is not type(method).__doc__:  # that of a class, which its instances show
                        yield f"{name}.{key}.{member}", text
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
    with pytest.raises(KeyError):
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
        given = {"kernels": [kernel]} if hasattr(estimator, "kernels") else {"kernel": kernel}
        model = estimator(**given).fit(X, LABELS)
        fitted = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
        assert fitted <= set(described(by_name["Attributes"]))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of inputs that are not scaled
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_notebooks_display_estimators(estimator):
    for model in (estimator(), estimator(structures.MultiClass())):
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
        methods += ("decision_function", "feature_scores", "score_structures")
    for name in methods + (PROBABILITIES if estimator is ProbabilisticStructured else ()):
        text = inspect.getdoc(getattr(estimator, name))
        for part in ("Parameters\n---", "Returns\n---", "Raises\n---", "Examples\n---", "Cost", ">>> "):
            assert part in text, f"{estimator.__name__}.{name}: {part!r}"


def faces():
    """Return the modules that users import from."""
    return [combpred, *filter(inspect.ismodule, (getattr(combpred, name) for name in combpred.__all__))]


def test_first_sentences_are_plain_text():
    """They are shown in lists of functions and in tooltips, where roles and formulas are not set."""
    wrong = set()
    for face in faces():
        for owner in (face, *(getattr(face, name) for name in face.__all__)):
            if not (inspect.ismodule(owner) or callable(owner)):
                continue
            members = inspect.getmembers(owner) if inspect.isclass(owner) else []
            public = [member for name, member in members if not name.startswith("_")]
            for documented_object in (owner, *public):
                text = inspect.getdoc(documented_object) or ""
                if re.search(r":\w+:`", text.split("\n\n")[0].split(". ")[0]):
                    wrong.add(text.split("\n\n")[0])
    assert wrong == set()


#: Functions without errors of their own, and those whose errors come at the first use of what they return.
NO_ERRORS = re.compile(r"\.(probabilities|pair_probabilities|Custom\.(from_\w+|get_params))$")


def test_public_functions_say_what_they_return_and_raise():
    wrong, seen = {}, set()
    for face in faces():
        for owner in (getattr(face, name) for name in face.__all__):
            members = inspect.getmembers(owner, callable) if inspect.isclass(owner) else [("", owner)]
            for name, function in members:
                path = f"{getattr(owner, '__module__', '')}.{getattr(owner, '__name__', '')}.{name}".strip(".")
                text = inspect.getdoc(function) or ""
                ours = (getattr(function, "__module__", None) or "").startswith("combpred.")
                if name.startswith("_") or not ours or "Parameters\n---" not in text:
                    continue
                seen.add(path)
                says = {part for part in ("Returns", "Yields", "Raises") if f"{part}\n---" in text}
                if not says & {"Returns", "Yields"} and not path.endswith(SILENT):
                    wrong[path] = "Returns"
                if "Raises" not in says and not NO_ERRORS.search(path):
                    wrong[path] = "Raises"
    assert wrong == {}
    assert len(seen) > 300


def table_of(spelt):
    """Return the names of the tables that an entry of `TABLES` has, with those beside them, without those after "-"."""
    found, without = set(), set()
    for part in spelt.split(", "):
        module, _, name = part.rpartition(".")
        if module:
            found.update(getattr(importlib.import_module(f"combpred.{module}"), name))
        else:
            (without if part.startswith("-") else found).add(part.removeprefix("-"))
    return found - without


def options_of(owner, name):
    """Return what the constraints of an estimator allow for a parameter, or None where they list nothing.

    Attributes such as ``solver_`` hold what a parameter came to, which is not "auto".
    """
    constraints = getattr(owner, "_parameter_constraints", {})
    for parameter, resolved in ((name, set()), (name.removesuffix("_"), {"auto"})):
        kinds = [entry for entry in constraints.get(parameter, ()) if isinstance(entry, StrOptions)]
        options = {name for kind in kinds for name in kind.options}
        if options:
            return options - resolved
    return None


def test_names_in_docstrings_are_those_of_the_tables():
    """Errors list the names of the tables, so that docstrings and errors agree."""
    wrong, seen = {}, set()
    for path, text in documented():
        module = max((name for name in MODULES if path == name or path.startswith(f"{name}.")), key=len, default=path)
        inside = path.removeprefix(module).lstrip(".")
        owner = getattr(importlib.import_module(module), inside, None)
        for name, braces in NAMES.findall(text or ""):
            at, names = f"{inside}.{name}", re.findall(r'"([^"]+)"', braces)
            seen.add(at)
            expected = options_of(owner, name)
            if expected is None and at not in UNLISTED:
                expected = table_of(TABLES[at]) if at in TABLES else set()
            if expected is not None and sorted(expected) != sorted(names):
                wrong[f"{path}: {name}"] = (names, sorted(expected))
    assert wrong == {}
    assert set(TABLES) | UNLISTED <= seen


def test_losses_of_structures_are_those_of_the_table():
    shown = {name for structure in INSTANCES.values() for name in structure.space.costs}
    assert shown | {"auto", "own"} == set(COSTS)  # "own" where a user gives it


def test_entries_of_docstrings_are_written_once(root):
    """What several classes or functions share is in the glossary."""
    places: dict[str, list[str]] = {}
    for file in sorted((root / "python" / "combpred").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
                for entry in ENTRY.findall(ast.get_docstring(node) or ""):
                    if len(text := " ".join(entry.split())) > LONG_ENTRY:
                        places.setdefault(text, []).append(f"{file.name}: {node.name}")
    assert {text: where for text, where in places.items() if len(where) > 1} == {}
