"""From the names and settings on the command line to a structure and an estimator."""

from __future__ import annotations

import inspect
import json
import re
from argparse import Namespace
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sklearn.pipeline import make_pipeline

from .. import ranking
from .._models import perceptron, probabilistic, ridge, ridge_cv, sgd, svm
from .._models.composed import embedding, voting
from ..structures import structure_classes
from .error import UsageError, near, require

_MODULES = embedding, perceptron, probabilistic, ranking, ridge, ridge_cv, sgd, svm, voting
#: What searches call parameters of which they try several, and all options that are parameters of estimators.
_TRIED = {"alpha": "alphas", "kernel": "kernels", "gamma": "gammas", "loss": "losses"}
_SETTINGS = (*_TRIED, "degree", "coef0", "fit_intercept", "n_jobs", "random_state", "verbose")
_KERNELS = "linear", "poly", "rbf", "laplacian", "cosine"
#: Options that some kernels alone have.
_OF_KERNELS = {"gamma": ("poly", "rbf", "laplacian"), "degree": ("poly",), "coef0": ("poly",)}
_WORDS = {"True": True, "False": False, "None": None}  # as Python writes them
_POINT = re.compile(r"[+-]?(\d+\.|\d*\.\d+)([eE][+-]?\d+)?")  # numbers that JSON does not take
#: Parameters that are lists of names, also with commas between them.
LISTS = ("grades", "labels", "places", "vertices", "items", "nodes", "elements")
#: Parameters that are estimators, and those that are lists of them.
_INNER = ("estimator", "regressor", "estimators")


def learners() -> dict[str, type]:
    """Return the estimators that can be named on the command line; those that take no structure rank labels."""
    found = [(module.__name__, *each) for module in _MODULES for each in inspect.getmembers(module, inspect.isclass)]
    public = [each for each in found if hasattr(each[2], "fit") and not each[1].startswith("_")]
    return {name: cls for home, name, cls in public if cls.__module__.startswith(home)}


def build(options: Namespace) -> tuple[Any, dict[str, Any]]:
    """Return an estimator without its structure, and what --param says of the structure.

    Raises
    ------
    UsageError
        For a name or a setting that does not exist, listing those that do.
    """
    cls = known_name("--structure", "structure", options.structure, structure_classes())
    name = options.estimator or "StructuredRidge" + "CV" * ("auto" in (options.alpha, options.kernel))
    learner = known_name("--estimator", "estimator", name, learners())
    estimator = learner(**dict.fromkeys(_required(learner), []))
    own = estimator.get_params(deep=False)
    fits = cls is None or "structure" in own
    require(fits, f"--structure: {name} ranks labels and takes no structure; leave the option out")
    precomputed = f"--kernel: a precomputed kernel needs Python; take {', '.join(_KERNELS)}"
    require(options.kernel != "precomputed", precomputed)
    said = {key: value for key in _SETTINGS if (value := getattr(options, key)) is not None}
    for key in [key for key in ("alpha", "kernel") if said.get(key) == "auto"]:
        what = f"--{key} auto: {name} does not choose"
        require(_TRIED[key] in own, f"{what}; give --{key} a value, or --estimator StructuredRidgeCV")
        del said[key]
    items = [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in said.items()]
    linear = "kernels" in own and (options.kernel or "auto" if options.estimator else options.kernel) != "auto"
    settings: dict[str, Any] = {"kernels": ["linear"], "gammas": [None]} if linear else {}
    of_structure: dict[str, Any] = {}
    parameters = read_parameters([*items, *(options.param or ())])
    for key, value in parameters.items():
        key = key.removeprefix("structure__")
        if key in _INNER and key in own:
            settings[key] = _inner(key, value)
        elif "__" in key or (key in own and key != "structure" and key not in _parameters(cls)):
            settings[key] = value
        elif _TRIED.get(key) in own:
            settings[_TRIED[key]] = [value]
        else:
            of_structure[key] = value
    if cls is not None:
        _check(estimator, cls, of_structure)
    kernels = settings.get("kernels", [settings.get("kernel", own.get("kernel"))])
    for key, having in _OF_KERNELS.items():
        if key in parameters and all(kernel in _KERNELS and kernel not in having for kernel in kernels):
            raise UsageError(
                f"--{key} is of the kernels {', '.join(having)}, not of {', '.join(kernels)}: see --kernel"
            )
    try:
        for key in sorted(settings, key=lambda key: key.count("__")):
            estimator.set_params(**{key: settings[key]})
    except (ValueError, AttributeError) as error:
        raise UsageError(f"--param: {error}") from error
    for key in _required(learner):
        needs = f"--estimator {name} needs --param {key}=NAME,NAME with names of estimators"
        require(estimator.get_params(deep=False)[key], needs)
    return estimator, of_structure


def set_structure(estimator: Any, name: str | None, given: dict[str, Any], told: Mapping[str, Any]) -> Any:
    """Give an estimator its structure and return it: what the data tells of it, unless the user says otherwise."""
    cls = None if name is None else structure_classes()[name]
    _check(estimator, cls, given)
    if cls is None:
        return None
    parameters = {**told, **given}
    for key in _required(cls):
        require(key in parameters, f"--structure {name} needs --param {key}=VALUE, or {key}=@FILE")
    return estimator.set_params(structure=cls(**parameters)).structure


def _check(estimator: Any, cls: type | None, given: dict[str, Any]) -> None:
    for key in given:
        if key not in _parameters(cls):
            of = f"{', '.join(_parameters(cls))} of {cls.__name__} and " if cls is not None else ""
            own = f"{', '.join(estimator.get_params(deep=False))} of {type(estimator).__name__}"
            own += "" if cls is not None else "; those of a structure need --structure"
            option = f"--{key}" if key in _SETTINGS else "--param"
            meant = near(key, [*_parameters(cls), *estimator.get_params(deep=False)])
            what = f"'{key}={given[key]}' is none of the parameters"
            raise UsageError(f"{option}: {what}{meant or ','}{' They' if meant else ' which'} are {of}{own}")


def known_name(option: str, noun: str, name: str | None, known: Mapping[str, Any]) -> Any:
    """Return what is known by a name, None by none; `UsageError` for others, with those that there are."""
    if name is not None and name not in known:
        meant = near(name, known)
        hint = f"{meant} There" if meant else "; there"
        raise UsageError(f"{option}: there is no {noun} {name!r}{hint} are {', '.join(sorted(known))}")
    return None if name is None else known[name]


def _parameters(cls: type | None) -> Mapping[str, inspect.Parameter]:
    return {} if cls is None else inspect.signature(cls).parameters


def _required(cls: type) -> list[str]:
    parameters = _parameters(cls).values()
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def read_parameters(items: Iterable[str]) -> dict[str, Any]:
    """Return the values of parameters that are given as NAME=VALUE: JSON, a file of JSON, a list of names, or text."""
    values: dict[str, Any] = {}
    for item in items:
        name, equals, text = item.partition("=")
        require(equals, f"--param: {item!r} is not NAME=VALUE")
        require(name not in values, f"--param: {name!r} is given twice, by this or an option of its own; give it once")
        try:
            values[name] = read_json(text[1:], f"--param {name}") if text[:1] == "@" else json.loads(text)
        except ValueError:
            if text[:1] in ("{", "["):
                read_json(text, f"--param {name}", inline=True)  # says what is wrong
            number = float(text) if _POINT.fullmatch(text) else text
            values[name] = text.split(",") if name in LISTS else _WORDS.get(text, number)
    return values


def read_json(path: str, option: str, *, inline: bool = False) -> Any:
    """Return the contents of a JSON file that an option names, or that stand in its place."""
    try:
        return json.loads(path if inline else Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{option}: cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"{option}: {path} is not JSON, in which text stands in double quotes: {error}") from error


def _inner(key: str, value: Any) -> Any:
    """Return the estimator that JSON names, as "Name" or {"Name": {parameter: value}}; a list of them with names."""
    if key == "estimators":
        members = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [value]
        return make_pipeline(*(_inner("estimator", member) for member in members)).steps  # which names them
    if value is None:
        return None
    from sklearn.utils import all_estimators

    name, parameters = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else (value, {})
    shape = f'--param {key}: {json.dumps(value)} is not {{"Name": {{"parameter": value}}}}'
    require(isinstance(parameters, dict), shape)
    known = dict(all_estimators(type_filter="regressor" if key == "regressor" else ["classifier", "regressor"]))
    cls = known_name(f"--param {key}", "estimator", str(name), {**known, **learners()})
    for each in parameters:
        what = f"--param {key}: {each!r} is none of the parameters of {name}, {', '.join(_parameters(cls))}"
        require(each in _parameters(cls), what + near(each, _parameters(cls)))
    return cls(**{k: _inner(k, v) if k in _INNER else v for k, v in parameters.items()})
