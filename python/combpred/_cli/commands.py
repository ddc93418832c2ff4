"""What ``combpred fit``, ``predict``, ``evaluate`` and ``info`` do."""

from __future__ import annotations

import argparse
import csv
import inspect
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from .. import metrics
from .._lib.errors import RowError
from .._lib.versions import show_versions
from .._models.ridge import StructuredRidge
from .._models.ridge_cv import StructuredRidgeCV
from ..structures import Structure, structure_classes
from .columns import InputColumn, choose_inputs, input_matrix, select, target_values
from .error import UsageError
from .model import Header, check_destination, load_header, load_model, save_model, versions
from .table import Table, read_table


def fit(options: argparse.Namespace) -> None:
    """Train on a file and save the model."""
    check_destination(options.model)
    structure, estimator = _structure(options), _estimator(options)
    estimator.set_params(structure=structure)
    reading = {"delimiter": options.delimiter, "header": not options.no_header}
    table = read_table(options.file, **reading)
    targets = select(table.names, options.targets, "--targets")
    inputs = _inputs(options, table, targets)
    names = [table.names[j] for j in targets]
    as_text = any(isinstance(value, dict) for value in structure.get_params(deep=False).values())
    X = input_matrix(table, inputs, missing=options.impute is not None)
    y = target_values(table, names, as_text=as_text)
    pipeline = Pipeline([("inputs", _preparation(inputs, options)), ("model", estimator)])
    start = time.perf_counter()
    try:
        pipeline.fit(X, y)
    except RowError as error:
        raise UsageError(f"{table.where(error.row)}: targets {options.targets}: {error.reason}") from error
    seconds = time.perf_counter() - start
    resolved = estimator.structure_
    header = Header(
        structure=_shortened(resolved), estimator=_shortened(estimator), inputs=inputs, targets=names, as_text=as_text,
        missing=options.impute is not None, reading=reading, n_rows=len(table), versions=versions(),
    )  # fmt: skip
    save_model(options.model, header, pipeline)
    print(
        f"{header.structure} from {_counted(len(inputs), 'input')}: "
        f"trained on {_counted(len(table), 'row')} in {seconds:.2f} s"
    )
    if isinstance(estimator, StructuredRidgeCV):
        chosen = ", ".join(
            f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in estimator.best_params_.items()
        )
        what = "explained variance" if estimator.loss_ == "squared" else resolved.default_metric
        print(f"{chosen}: leave-one-out {what} {estimator.best_score_:.4f}")
    print(f"saved to {options.model}")


def predict(options: argparse.Namespace) -> None:
    """Predict for a file and write CSV."""
    header, pipeline = load_model(options.model, trusted=options.trusted)
    table = _read(options, header)
    X = input_matrix(table, header.inputs, missing=header.missing)
    predicted = pipeline.predict(X)
    rows = np.asarray(predicted).reshape(len(table), -1).tolist()
    if options.output in (None, "-"):
        _write_rows(sys.stdout, header.targets, rows)
        return
    with Path(options.output).open("w", encoding="utf-8", newline="") as file:
        _write_rows(file, header.targets, rows)
    print(f"{_counted(len(rows), 'prediction')} written to {options.output}")


def evaluate(options: argparse.Namespace) -> None:
    """Predict for a file with targets and print metrics."""
    unknown = [name for name in options.metric or () if name not in metrics.__all__]
    if unknown:
        raise UsageError(f"--metric: there is no metric {unknown[0]!r}; there are {', '.join(metrics.__all__)}")
    header, pipeline = load_model(options.model, trusted=options.trusted)
    table = _read(options, header)
    X = input_matrix(table, header.inputs, missing=header.missing)
    y = target_values(table, header.targets, as_text=header.as_text)
    start = time.perf_counter()
    predicted = pipeline.predict(X)
    seconds = time.perf_counter() - start
    structure: Structure = pipeline[-1].structure_
    wanted = options.metric or list(dict.fromkeys([structure.default_metric, "zero_one_loss"]))
    width = max(len(name) for name in wanted)
    for name in wanted:
        try:
            value = _metric(name, pipeline, X, y, predicted)
        except RowError as error:
            raise UsageError(
                f"{table.where(error.row)}: targets {', '.join(header.targets)}: {error.reason}"
            ) from error
        print(f"{name:{width}}  {value:.4f}")
    print(f"{_counted(len(table), 'row')} in {seconds:.3f} s")


def info(options: argparse.Namespace) -> None:
    """Print what a model is, or versions and structures."""
    if options.model is None:
        show_versions()
        print("\nStructures (combpred fit --structure NAME)\n")
        classes = structure_classes()
        width = max(map(len, classes))
        for name, cls in sorted(classes.items()):
            print(f"  {name:{width}}  {(inspect.getdoc(cls) or '').splitlines()[0].split(':')[0].rstrip('.')}")
        return
    header = load_header(options.model)
    kinds = [("numbers", True), ("categories", False)]
    print(f"structure  {header.structure}")
    print(f"estimator  {header.estimator}")
    print(f"targets    {', '.join(header.targets)}")
    for label, is_number in kinds:
        names = [column.name for column in header.inputs if column.is_number == is_number]
        if names:
            print(f"{label:10} {', '.join(names)}")
    print(f"rows       {header.n_rows}")
    print(f"made with  {', '.join(f'{name} {number}' for name, number in header.versions.items())}")


def _structure(options: argparse.Namespace) -> Structure:
    classes = structure_classes()
    cls = classes.get(options.structure)
    if cls is None:
        raise UsageError(
            f"--structure: there is no structure {options.structure!r}; there are {', '.join(sorted(classes))}"
        )
    known = inspect.signature(cls).parameters
    given: dict[str, Any] = {}
    for item in options.param:
        name, equals, value = item.partition("=")
        if not equals or name not in known:
            raise UsageError(
                f"--param: {item!r} is not NAME=VALUE with a parameter of {cls.__name__}, which are {', '.join(known)}"
            )
        given[name] = _value(name, value)
    missing = [name for name, parameter in known.items() if parameter.default is parameter.empty and name not in given]
    if missing:
        raise UsageError(
            f"--structure {options.structure} needs --param {missing[0]}=VALUE, or --param {missing[0]}=@FILE"
        )
    return cls(**given)


def _value(name: str, text: str) -> Any:
    if text.startswith("@"):
        try:
            return json.loads(Path(text[1:]).read_text(encoding="utf-8"))
        except OSError as error:
            raise UsageError(f"--param {name}: cannot read {text[1:]}: {error.strerror or error}") from error
        except ValueError as error:
            raise UsageError(f"--param {name}: {text[1:]} is not JSON: {error}") from error
    try:
        return json.loads(text)
    except ValueError:
        return text


def _estimator(options: argparse.Namespace) -> StructuredRidge | StructuredRidgeCV:
    if options.kernel == "precomputed":
        raise UsageError("--kernel: a precomputed kernel needs Python; take linear, poly, rbf, laplacian or cosine")
    shared: dict[str, Any] = {
        "degree": options.degree, "coef0": options.coef0, "fit_intercept": not options.no_intercept,
        "n_jobs": options.jobs,
    }  # fmt: skip
    gamma, alpha = _number("--gamma", options.gamma, "scale"), _number("--alpha", options.alpha, "auto")
    if options.kernel != "auto" and isinstance(alpha, float):
        return StructuredRidge(alpha=alpha, loss=options.loss, kernel=options.kernel, gamma=gamma, **shared)
    if alpha != "auto":
        shared["alphas"] = [alpha]
    if options.kernel != "auto":
        shared |= {"kernels": [options.kernel], "gammas": [gamma]}
    elif gamma is not None:
        shared["gammas"] = [gamma]
    return StructuredRidgeCV(losses=[options.loss], **shared)


def _number(option: str, text: str | None, word: str) -> float | str | None:
    if text is None or text == word:
        return text
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{option}: {text!r} is neither a number nor {word}") from None


def _inputs(options: argparse.Namespace, table: Table, targets: Sequence[int]) -> list[InputColumn]:
    chosen = [j for j in range(len(table.names)) if j not in targets]
    if options.inputs is not None:
        chosen = select(table.names, options.inputs, "--inputs")
        both = [table.names[j] for j in chosen if j in targets]
        if both:
            raise UsageError(f"--inputs and --targets both name the column {both[0]!r}; a target cannot be an input")
    if not chosen:
        raise UsageError(
            f"--targets names all {len(table.names)} columns of {table.source}; at least one must be left as an input"
        )
    categorical = [] if options.categorical is None else select(table.names, options.categorical, "--categorical")
    stray = [table.names[j] for j in categorical if j not in chosen]
    if stray:
        raise UsageError(f"--categorical names the column {stray[0]!r}, which is not an input")
    return choose_inputs(table, chosen, categorical)


def _preparation(inputs: Sequence[InputColumn], options: argparse.Namespace) -> ColumnTransformer:
    numbers = [j for j, column in enumerate(inputs) if column.is_number]
    categories = [j for j, column in enumerate(inputs) if not column.is_number]
    steps: list[Any] = [FunctionTransformer(np.asarray, kw_args={"dtype": np.float64})]
    if options.impute:
        steps.append(SimpleImputer(strategy=options.impute, keep_empty_features=True))
    if not options.no_scale:
        steps.append(StandardScaler())
    return ColumnTransformer([
        ("numbers", make_pipeline(*steps), numbers),
        ("categories", OneHotEncoder(handle_unknown="ignore"), categories),
    ])  # fmt: skip


def _read(options: argparse.Namespace, header: Header) -> Table:
    reading = dict(header.reading)
    if options.delimiter is not None:
        reading["delimiter"] = options.delimiter
    if options.no_header:
        reading["header"] = False
    return read_table(options.file, **reading)


def _metric(name: str, pipeline: Pipeline, X: NDArray[Any], y: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Return a metric of the predictions; which arguments it takes beside the truth, its signature says."""
    structure: Structure = pipeline[-1].structure_
    if name == structure.default_metric:
        return structure.score(y, predicted)
    function = getattr(metrics, name)
    takes = inspect.signature(function).parameters
    extra: dict[str, Any] = {}
    if "parent" in takes:
        if not hasattr(structure, "parent"):
            raise UsageError(f"--metric: {name} needs a tree, {type(structure).__name__} has none")
        extra["parent"] = structure.parent
    if "scores" in takes:
        predicted = pipeline[-1].feature_scores(pipeline[:-1].transform(X))
    return float(function(y, predicted, **extra))


def _write_rows(file: Any, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _shortened(thing: Any, most: int = 300) -> str:
    text = " ".join(repr(thing).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
