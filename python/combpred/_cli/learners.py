"""From the names and settings on the command line to a structure and an estimator."""

from __future__ import annotations

import inspect
import json
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import ranking
from .._models.composed.embedding import EmbeddingRegressor
from .._models.perceptron import StructuredPerceptron
from .._models.probabilistic import ProbabilisticStructured
from .._models.ridge import StructuredRidge
from .._models.ridge_cv import StructuredRidgeCV
from .._models.sgd import StructuredSGD
from .._models.svm import StructuredSVM
from ..structures import Structure, structure_classes
from .error import UsageError

#: Those that take a structure; the others rank labels.
_STRUCTURED = (
    EmbeddingRegressor, ProbabilisticStructured, StructuredPerceptron, StructuredRidge, StructuredRidgeCV,
    StructuredSGD, StructuredSVM,
)  # fmt: skip
#: Options that are parameters of estimators, by name.
SETTINGS = ("alpha", "loss", "kernel", "gamma", "degree", "coef0", "n_jobs", "random_state", "verbose")
#: What searches call them: lists of what is tried.
_TRIED = {"alpha": "alphas", "kernel": "kernels", "gamma": "gammas", "loss": "losses"}


def learners() -> dict[str, type]:
    """Return the estimators that can be named on the command line: those that need no object of Python."""
    rankers = [getattr(ranking, name) for name in ranking.__all__ if hasattr(getattr(ranking, name), "fit")]
    return {cls.__name__: cls for cls in (*_STRUCTURED, *rankers)}


def build(options: Namespace, given: dict[str, Any] | None) -> tuple[Any, type[Structure] | None, dict[str, Any]]:
    """Return an estimator, the class of its structure and the parameters of that structure.

    Parameters
    ----------
    options : Namespace
    given : dict or None
        Parameters of the structure that the data tells; those of the user come before them. None before data is read.

    Returns
    -------
    estimator : estimator
        Without its structure.
    cls : type or None
        None for rankers of labels, and where targets tell what they are.
    parameters : dict

    Raises
    ------
    UsageError
        For a name or a setting that does not exist, listing those that do.
    """
    auto = "auto" in (options.alpha, options.kernel)
    name = options.estimator or ("StructuredRidgeCV" if auto else "StructuredRidge")
    known = learners()
    if name not in known:
        raise UsageError(f"--estimator: there is no estimator {name!r}; there are {', '.join(sorted(known))}")
    estimator, cls = known[name](), _structure_class(options.structure)
    own = estimator.get_params(deep=False)
    if cls is not None and "structure" not in own:
        raise UsageError(f"--structure: {name} ranks labels and takes no structure; leave the option out")
    of_structure = {} if cls is None else dict(inspect.signature(cls).parameters)
    settings, parameters = _settings(options, name, own), dict(given or {})
    for item in options.param:
        key, equals, text = item.partition("=")
        if equals and key in of_structure:
            parameters[key] = _value(key, text)
        elif equals and key.partition("__")[0] in own and key != "structure":
            settings[key] = _named_estimator(key, _value(key, text))
        elif cls is not None or given is not None:
            what = f"{', '.join(of_structure)} of {cls.__name__} and " if cls is not None else ""
            raise UsageError(
                f"--param: {item!r} is not NAME=VALUE with a parameter, which are {what}{', '.join(own)} of {name}"
            )
    missing = [key for key in _required(cls) if key not in parameters] if cls and given is not None else []
    if missing:
        raise UsageError(f"--structure {options.structure} needs --param {missing[0]}=VALUE, or {missing[0]}=@FILE")
    try:
        for key in sorted(settings, key=lambda key: key.count("__")):
            estimator.set_params(**{key: settings[key]})
    except (ValueError, AttributeError) as error:
        raise UsageError(f"--param: {error}") from error
    return estimator, cls, parameters


def _structure_class(name: str | None) -> type[Structure] | None:
    classes = structure_classes()
    if name is not None and name not in classes:
        raise UsageError(f"--structure: there is no structure {name!r}; there are {', '.join(sorted(classes))}")
    return None if name is None else classes[name]


def _settings(options: Namespace, name: str, own: Iterable[str]) -> dict[str, Any]:
    """Return the settings of options, under the names that the estimator has for them."""
    settings: dict[str, Any] = {}
    for key in SETTINGS:
        value = getattr(options, key)
        if value is None or (value == "auto" and key in ("alpha", "kernel")):
            continue
        if value == "precomputed" and key == "kernel":
            raise UsageError("--kernel: a precomputed kernel needs Python; take linear, poly, rbf, laplacian or cosine")
        if key in ("alpha", "gamma") and not (key == "gamma" and value == "scale"):
            value = _number(f"--{key}", value, {"alpha": "auto", "gamma": "scale"}[key])
        if key in own:
            settings[key] = value
        elif _TRIED.get(key, "") in own:
            settings[_TRIED[key]] = [value]
        else:
            raise UsageError(f"--{key.replace('_', '-')}: {name} has no such parameter; it has {', '.join(own)}")
    if options.no_intercept:
        if "fit_intercept" not in own:
            raise UsageError(f"--no-intercept: {name} has no parameter fit_intercept")
        settings["fit_intercept"] = False
    if "kernels" in own and (options.kernel or "auto" if options.estimator else options.kernel) != "auto":
        settings = {"kernels": ["linear"], "gammas": [None], **settings}
    return settings


def _required(cls: type) -> list[str]:
    parameters = inspect.signature(cls).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _value(name: str, text: str) -> Any:
    if text.startswith("@"):
        return read_json(text[1:], f"--param {name}")
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_json(path: str, option: str) -> Any:
    """Return the contents of a JSON file that an option names."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{option}: cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"{option}: {path} is not JSON: {error}") from error


def _named_estimator(key: str, value: Any) -> Any:
    """Return an estimator of scikit-learn by its name, for parameters that are estimators; other values as they are."""
    if key not in ("estimator", "regressor") or not isinstance(value, str):
        return value
    from sklearn.utils import all_estimators

    found = dict(all_estimators(type_filter={"estimator": "classifier", "regressor": "regressor"}[key]))
    if value not in found:
        raise UsageError(f"--param {key}: scikit-learn has no {value!r}; there are {', '.join(found)}")
    return found[value]()


def _number(option: str, text: str, word: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{option}: {text!r} is neither a number nor {word}") from None
