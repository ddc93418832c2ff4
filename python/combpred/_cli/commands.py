"""What ``combpred fit``, ``predict`` and ``info`` do."""

from __future__ import annotations

import argparse
import inspect
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils._param_validation import InvalidParameterError

from .. import metrics
from .._data.checks import counted
from .._data.targets import summary
from .._data.warn import warn_user
from .._lib.errors import RowError
from .._lib.versions import show_versions
from .._models.ridge_cv import StructuredRidgeCV
from ..structures import structure_classes
from .columns import choose_inputs, described, input_frame, preparation, select
from .error import UsageError
from .learners import build, learners, read_json, set_structure
from .model import Header, check_destination, load_header, load_model, save_model, versions
from .plots import draw, marginals
from .table import READING, Table, read_bytes, read_table, write_table
from .targets import find_targets

#: Functions of truths and predictions, by name.
METRICS = sorted(name if hasattr(metrics, name) else name.removeprefix("neg_") for name in metrics.get_scorer_names())


def fit(options: argparse.Namespace) -> None:
    """Train on a file and save the model."""
    check_destination(options.model)
    estimator, given = build(options)  # what is wrong without the data is told before the data is read
    reading = _reading(options)
    raw = read_bytes(options.file)
    table = read_table(options.file, raw, reading, text=options.categorical, labels=options.labels)
    columns = select(table.names, options.targets, "--targets") or list(table.targets)
    if not columns:
        raise UsageError(f"--targets: which columns of {table.source} are the targets? It has {summary(table.names)}")
    numbers, categories, said = choose_inputs(table, options, columns)
    ranks = "structure" not in estimator.get_params(deep=False)
    with naming_rows(table, columns):
        targets, told, name = find_targets(
            table, columns, options.structure, given, ranks=ranks, sep=options.target_sep
        )
    structure = set_structure(estimator, name, given, told)
    if targets.as_text:
        table = read_table(options.file, raw, reading, text=[*categories, *columns], labels=options.labels)
    X = input_frame(table, numbers, categories, missing=options.impute is not None)
    y = targets.read(table, structure)
    pipeline = Pipeline([("inputs", preparation(X, numbers, options)), ("model", estimator)])
    start = time.perf_counter()
    with naming_rows(table, targets.columns):
        pipeline.fit(X, y)
    seconds = time.perf_counter() - start
    what = getattr(estimator, "structure_", None) or f"Rankings of {counted(estimator.n_labels_, 'label')}"
    header = Header(
        structure=_shortened(what), estimator=_shortened(estimator), numbers=numbers, categories=categories,
        targets=targets, missing=options.impute is not None, reading=reading,
        ids=select(table.names, options.id, "--id"), n_rows=len(table), versions=versions(),
    )  # fmt: skip
    save_model(options.model, header, pipeline, pickled=options.pickle)
    inputs = counted(len(numbers) + len(categories), "input")
    print(f"{header.structure} from {inputs}: trained on {counted(len(table), 'row')} in {seconds:.2f} s")
    for line in [*described(X, numbers, categories, options.impute), *said]:
        print(line)
    if isinstance(estimator, StructuredRidgeCV):
        chosen = ", ".join(
            f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in estimator.best_params_.items()
        )
        measure = "explained variance" if estimator.loss_ == "squared" else estimator.structure_.default_metric
        print(f"{chosen}: leave-one-out {measure} {estimator.best_score_:.4f}")
    print(f"saved to {options.model}")


def predict(options: argparse.Namespace) -> None:
    """Predict for a file and write a table."""
    header, pipeline = load_model(options.model, trusted=options.trusted)
    table, X = read_inputs(options, header, pipeline)
    import pandas

    model, given = pipeline[-1], {}
    takes = inspect.signature(model.predict).parameters
    if options.constraints is not None:
        given["constraints"] = read_constraints(options.constraints, table, model)
    structure = getattr(model, "structure_", None)
    features = pipeline[:-1].transform(X)
    ids = select(table.names, options.id, "--id") if options.id is not None else header.ids
    try:
        parts = [table.columns(ids).reset_index(drop=True)]
    except UsageError as error:
        raise UsageError(f"{error}: --id names columns that are copied to the predictions, --id '' none") from error
    with naming_rows(table, ["constraints"] if given else header.targets.columns):
        if options.certificate:
            if "return_certificate" not in takes:
                raise UsageError(f"--certificate: {type(model).__name__} gives none; estimators with structures do")
            found, certified = model.predict(features, return_certificate=True, **given)[:2]
            proven = {name: getattr(certified, name) for name in ("value", "nu", "optimal", "upper_bound")}
            parts += [header.targets.written(found, structure), pandas.DataFrame(proven)]
        else:
            parts.append(header.targets.written(model.predict(features, **given), structure))
        if options.proba:
            parts.append(_probabilities(model, features, header, "--proba"))
    if options.plot is not None:
        few = [table.where(row) for row in range(min(4, len(table)))]
        shown = _probabilities(model, features[: len(few)], header, "--plot")
        draw(options.plot, marginals(pipeline, X, shown, few), "no marginals")
    frame = pandas.concat([part for part in parts if len(part.columns)], axis=1)
    write_table(frame, options.output)
    if options.output not in (None, "-"):
        print(f"{counted(len(frame), 'prediction')} written to {options.output}")


def info(options: argparse.Namespace) -> None:
    """Print what a model is, or versions, structures, estimators and metrics."""
    if options.model is None:
        show_versions()
        for title, found in (
            ("Structures (--structure)", structure_classes()),
            ("Estimators (--estimator)", learners()),
        ):
            print(f"\n{title}\n")
            for name, cls in sorted(found.items()):
                brief = (inspect.getdoc(cls) or "").splitlines()[0].split(":")[0].rstrip(".")
                print(f"  {name:{max(map(len, found))}}  {brief}")
        print(f"\nMetrics (--metric)\n\n  {', '.join(METRICS)}")
        return
    header = load_header(options.model)
    for label, shown in {
        "structure": header.structure, "estimator": header.estimator, "targets": ", ".join(header.targets.columns),
        "numbers": ", ".join(header.numbers), "categories": ", ".join(header.categories),
        "copied": ", ".join(header.ids), "rows": header.n_rows,
        "made with": ", ".join(f"{name} {number}" for name, number in header.versions.items()),
    }.items():  # fmt: skip
        if shown:
            print(f"{label:10} {shown}")


def read_inputs(options: argparse.Namespace, header: Header, pipeline: Pipeline) -> tuple[Table, Any]:
    """Return a file as the training file was read, and its inputs; warns of categories that training did not have."""
    text = [*header.categories, *(header.targets.columns if header.targets.as_text else ())]
    table = read_table(options.file, read_bytes(options.file), {**header.reading, **_reading(options)}, text=text)
    X = input_frame(table, header.numbers, header.categories, missing=header.missing)
    if header.categories:
        known = pipeline[0].named_transformers_["categories"].categories_
        for name, levels in zip(header.categories, known, strict=True):
            strange = sorted(set(X[name]) - set(levels))
            if strange:
                warn_user(
                    f"column {name!r}: {summary(strange)} did not occur in training (first in "
                    f"{table.where(int(np.argmax(X[name] == strange[0])))}), and counts as no category",
                    UserWarning,
                )
    return table, X


@contextmanager
def naming_rows(table: Table, columns: Sequence[str], rows: Any = None) -> Iterator[None]:
    """Turn an error about a row, of those numbered `rows`, or about y into one about the file and its columns."""
    shown = ", ".join(columns[:5]) + (", …" if len(columns) > 5 else "")
    try:
        yield
    except RowError as error:
        row = int(error.row if rows is None else rows[error.row])
        raise UsageError(f"{table.where(row)}: {shown}: {error.reason}") from error
    except InvalidParameterError:  # of the estimator
        raise
    except ValueError as error:
        where = "--" if str(error).startswith("constraints") else f"{table.source}: {shown}: "
        raise UsageError(f"{where}{error}") from error


def _reading(options: argparse.Namespace) -> dict[str, Any]:
    return {key: value for key in READING if (value := getattr(options, key, None)) is not None}


def read_constraints(given: str, table: Table, model: Any) -> Any:
    """Return constraints for all rows: from a column with JSON in its fields, or from a file."""
    if "constraints" not in inspect.signature(model.predict).parameters:
        raise UsageError(f"--constraints: {type(model).__name__} takes none; estimators with structures do")
    if given not in table.names and given.lstrip()[:1] in ("{", "["):
        return read_json(given, "--constraints", inline=True)
    if given not in table.names:
        return read_json(given, "--constraints (which is no column either)")
    rows = []
    for row, field in enumerate(table.frame[given]):
        try:
            rows.append(None if field != field else json.loads(field))
        except (TypeError, ValueError) as error:
            raise UsageError(f"{table.where(row)}: {given!r} holds {field!r}, which is not JSON: {error}") from error
    return rows


def _probabilities(model: Any, X: Any, header: Header, option: str) -> Any:
    """Return the probabilities that an estimator predicts, in columns whose names say of what."""
    import pandas

    if hasattr(model, "predict_proba"):
        columns = header.targets.names or (
            header.targets.columns if header.targets.form == "columns" else model.classes_
        )
        return pandas.DataFrame(model.predict_proba(X), columns=[f"p({name})" for name in columns])
    if hasattr(model, "predict_pairwise_proba"):
        values = np.asarray(model.predict_pairwise_proba(X))
        names = header.targets.names or header.targets.columns
        above = [(u, v) for u in range(len(names)) for v in range(u + 1, len(names))]
        return pandas.DataFrame({f"p({names[u]}>{names[v]})": values[:, u, v] for u, v in above})
    if hasattr(model, "predict_marginals"):
        values = model.predict_marginals(X)
        return pandas.DataFrame(values, columns=[f"e({name})" for name in model.structure_.feature_names()])
    raise UsageError(
        f"{option}: {type(model).__name__} predicts no probabilities; fit with --estimator ProbabilisticStructured"
    )


def _shortened(thing: Any, most: int = 300) -> str:
    text = " ".join((thing if isinstance(thing, str) else repr(thing)).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
