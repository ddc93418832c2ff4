"""What the commands do with tables, estimators and model files."""

from __future__ import annotations

import inspect
import json
import sys
from argparse import Namespace
from fnmatch import fnmatchcase
from importlib import import_module
from typing import Any

import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from .. import metrics
from .._data.persistence import trusted_types
from .._data.targets import meant
from .._lib.versions import __version__
from ..structures import Structure, structure_classes

#: Modules whose estimators options name.
_PUBLIC = ("combpred", "combpred.baselines", "combpred.ranking")


def fit(options: Namespace) -> None:
    """Train a pipeline that standardises numbers and encodes categories, and save it."""
    frame = _table(options.file, options.read)
    targets, categories = _columns(frame, options.targets), _columns(frame, options.categorical)
    inputs = [name for name in frame if name not in (*targets, *_columns(frame, options.drop))]
    numbers = [name for name in inputs if name not in categories]
    for name in numbers:
        if not _is_number(frame[name]):
            raise ValueError(f"column {name!r} holds no numbers: give --categorical {name!r} or --drop {name!r}")
    transformer = make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), [c for c in inputs if c in categories])
    )
    model = make_pipeline(transformer, _estimator(options))
    model.combpred_ = {
        "targets": targets,
        "categories": {name: _is_number(frame[name]) for name in inputs if name in categories},
        "read": options.read,
        "versions": _versions(),
        "rows": len(frame),
    }
    model.fit(frame[inputs], frame[targets].squeeze("columns"))
    _skops().dump(model, options.model)
    print(f"{_described(model)}: trained on {len(frame)} rows of {len(inputs)} inputs, saved to {options.model}")


def predict(options: Namespace) -> None:
    """Write predictions for the rows of a table."""
    model = _load(options.model)
    frame = _table_for(model, options)
    model[-1].set_output(predict="pandas")
    if options.proba:
        name = next((each for each in ("predict_proba", "predict_marginals") if hasattr(model[-1], each)), None)
        if name is None:
            raise ValueError(f"--proba: {type(model[-1]).__name__} has no probabilities; fit ProbabilisticStructured")
        found = getattr(model[-1], name)(model[:-1].transform(frame))
    else:
        given = {} if options.constraints is None else {"constraints": options.constraints}
        found = model[-1].predict(model[:-1].transform(frame), **given)
    found = found.to_frame() if found.ndim == 1 else found
    if options.output == "-":
        found.to_csv(sys.stdout, index=False)
    elif options.output.endswith(".parquet"):
        found.rename(columns=str).to_parquet(options.output, index=False)
    else:
        found.to_csv(options.output, index=False)


def evaluate(options: Namespace) -> None:
    """Print metrics of predictions for a table with targets."""
    model = _load(options.model)
    frame = _table_for(model, options)
    names = _columns(frame, model.combpred_["targets"])
    X, y = frame.drop(columns=names), frame[names].squeeze("columns")
    scorers = {name: metrics.get_scorer(name) for name in options.metric or ()}
    if options.cv is not None:
        scoring = scorers or None
        found = cross_validate(clone(model), X, y, cv=options.cv, scoring=scoring, error_score="raise")
        for name, values in found.items():
            if name.startswith("test_"):
                print(f"{name.removeprefix('test_')}  {values.mean():.4f} ± {values.std():.4f}")
        return
    if not scorers:
        print(f"score  {model.score(X, y):.4f}")
    for name, scorer in scorers.items():
        print(f"{name}  {scorer(model, X, y):.4f}")


def info(options: Namespace) -> None:
    """List what there is, or describe a model file."""
    if options.model is not None:
        model = _load(options.model)
        print(_described(model))
        print(json.dumps(model.combpred_, indent=1))
        return
    print("versions    " + ", ".join(f"{name} {version}" for name, version in _versions().items()))
    print("structures  " + ", ".join(structure_classes()))
    print("estimators  " + ", ".join(_estimators()))
    print("metrics     " + ", ".join(metrics.get_scorer_names()))


def _table(file: str, read: dict[str, Any]) -> Any:
    """Return a file as pandas reads it with these options."""
    import pandas  # an extra

    if file.endswith(".parquet"):
        return pandas.read_parquet(file, **read)
    return pandas.read_csv(sys.stdin if file == "-" else file, **read)


def _table_for(model: Pipeline, options: Namespace) -> Any:
    """Return a table whose categories are written as in the training file: "1" is no known category where 1 was one."""
    frame = _table(options.file, model.combpred_["read"] if options.read is None else options.read)
    for name, numbers in model.combpred_["categories"].items():
        if name in frame and _is_number(frame[name]) != numbers:
            held, holds = ("numbers", "strings") if numbers else ("strings", "numbers")
            raise ValueError(f"column {name!r} holds {holds}, but {held} in the training file: say its dtype by --read")
    return frame


def _columns(frame: Any, wanted: str | list[str]) -> list[Any]:
    """Return the columns that are named, separated by commas, or that a pattern fits; those of a list are names."""
    found: list[Any] = []
    for name in wanted.split(",") if isinstance(wanted, str) else wanted:
        fitting = [c for c in frame if c == name or (isinstance(wanted, str) and fnmatchcase(str(c), name))]
        if name and not fitting:
            raise ValueError(f"there is no column {name!r}{meant(name, [str(c) for c in frame])}")
        found += [c for c in fitting if c not in found]
    return found


def _is_number(column: Any) -> bool:
    return column.dtype.kind in "biuf" if hasattr(column.dtype, "kind") else False


def _estimators() -> dict[str, type]:
    """Return the estimators by name, from the modules that are for all."""
    found = {}
    for module in (import_module(name) for name in _PUBLIC):
        for name in dir(module):
            each = getattr(module, name, None)
            if inspect.isclass(each) and hasattr(each, "fit") and hasattr(each, "predict"):
                found[name] = each
    return dict(sorted(found.items()))


def _estimator(options: Namespace) -> Any:
    """Return the estimator of a structure that options name."""
    known = _estimators()
    if options.estimator not in known:
        raise ValueError(f"--estimator: there is no {options.estimator!r}{meant(options.estimator, list(known))}")
    estimator = known[options.estimator]
    if "structure" not in inspect.signature(estimator).parameters:
        return estimator(**options.params)
    return estimator(structure=_structure(options.structure), **options.params)


def _structure(text: str) -> Structure:
    """Return a structure by its name, or by a JSON object of its name and parameters."""
    given = json.loads(text) if text.startswith("{") else {"name": text}
    name, classes = given.pop("name", None), structure_classes()
    if name not in classes:
        raise ValueError(f"--structure: there is no {name!r}{meant(str(name), list(classes))}")
    return classes[name](**given)


def _skops() -> Any:
    import skops.io  # an extra

    return skops.io


def _load(path: str) -> Pipeline:
    """Return the model of a file, which holds classes of combpred, scikit-learn and SciPy's sparse arrays alone."""
    model = _skops().load(path, trusted=trusted_types(path))
    if not hasattr(model, "combpred_"):
        raise ValueError(f"{path} is no model of `combpred fit`")
    return model


def _described(model: Pipeline) -> str:
    structure = getattr(model[-1], "structure_", None)
    return f"{type(model[-1]).__name__} of {structure!r}" if structure is not None else type(model[-1]).__name__


def _versions() -> dict[str, str]:
    return {"combpred": __version__, "scikit-learn": sklearn.__version__}
