"""What ``combpred fit``, ``predict`` and ``info`` do."""

from __future__ import annotations

import argparse
import inspect
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from textwrap import shorten
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils._param_validation import InvalidParameterError

from .. import metrics
from .._data.checks import counted
from .._data.targets import summary
from .._data.warn import warn_user
from .._lib.errors import DataError
from .._lib.versions import show_versions
from .._models.ridge_cv import StructuredRidgeCV
from ..structures import structure_classes
from .columns import choose_inputs, described, input_frame, preparation, select
from .error import UsageError, check_destination, require
from .learners import build, learners, read_json, set_structure
from .model import Header, load_header, load_model, save_model, versions
from .plots import chains, check_plot, draw, marginals
from .table import ENDINGS, READING, Table, read_table, write_table
from .targets import find_targets

_LONGEST = 300  # characters of a structure, or an estimator, as they are shown
#: Functions of truths and predictions, by name.
METRICS = sorted(name if hasattr(metrics, name) else name.removeprefix("neg_") for name in metrics.get_scorer_names())


def fit(options: argparse.Namespace) -> None:
    """Train on a file and save the model."""
    check_destination("--model", options.model, options.file, options.labels)
    both = options.labels is not None and options.targets is not None
    require(not both, "--labels and --targets both say what the targets are; leave one of them out")
    estimator, given = build(options)  # what is wrong without the data is told before the data is read
    table = read_table(options.file, reading(options), labels=options.labels)
    require(table.targets or options.labels is None, f"--labels: {table.source} is no ARFF file")
    table.take_as_text(select(table.names, options.categorical, "--categorical"))
    columns = select(table.names, options.targets, "--targets") or list(table.targets)
    require(columns, f"--targets: which columns of {table.source} are the targets? It has {summary(table.names)}")
    numbers, categories, said = choose_inputs(table, options, columns)
    with naming_rows(table, columns):
        ranks = "structure" not in estimator.get_params(deep=False)
        targets, told, name = find_targets(table, columns, options, given, ranks=ranks)
    structure = set_structure(estimator, name, given, told)
    table.take_as_text(columns if targets.as_text else ())
    X, y = input_frame(table, numbers, categories, missing=options.impute is not None), targets.read(table, structure)
    pipeline = Pipeline([("inputs", preparation(X, numbers, options)), ("model", estimator)])
    start = time.perf_counter()
    with naming_rows(table, targets.columns):
        pipeline.fit(X, y)
    seconds = time.perf_counter() - start
    what = str(getattr(estimator, "structure_", None) or f"Rankings of {counted(estimator.n_labels_, 'label')}")
    what, how = (shorten(text, _LONGEST, placeholder=" …") for text in (what, str(estimator)))
    about = {"structure": what, "estimator": how, "rows": str(len(table))}
    header = Header(
        about=about, numbers=numbers, categories=categories, targets=targets, missing=options.impute is not None,
        reading=reading(options), ids=select(table.names, options.id, "--id"), versions=versions(),
    )  # fmt: skip
    save_model(options.model, header, pipeline, pickled=options.pickle)
    inputs = counted(len(numbers) + len(categories), "input")
    print(f"{what} from {inputs}: trained on {counted(len(table), 'row')} in {seconds:.2f} s")
    print(*described(X, numbers, categories, options.impute), *said, sep="\n")
    if isinstance(estimator, StructuredRidgeCV):
        chosen = [f"{k} {v:g}" if isinstance(v, float) else f"{k} {v}" for k, v in estimator.best_params_.items()]
        measure = "explained variance" if estimator.loss_ == "squared" else estimator.structure_.default_metric
        print(f"{', '.join(chosen)}: leave-one-out {measure} {estimator.best_score_:.4f}")
    print(f"saved to {options.model}")


def predict(options: argparse.Namespace) -> None:
    """Predict for a file and write a table."""
    check_destination("--output", options.output, options.file, options.model, endings=ENDINGS)
    check_plot(options.plot, options.file, options.model, options.output)
    header, pipeline = load_model(options.model, trusted=options.trusted)
    table, X = read_inputs(options, header, pipeline)
    import pandas

    model, given = pipeline[-1], {}
    if options.constraints is not None:
        given["constraints"] = read_constraints(options.constraints, table, model)
    gives = not options.certificate or "return_certificate" in inspect.signature(model.predict).parameters
    require(gives, f"--certificate: {type(model).__name__} gives none; estimators with structures do")
    features = pipeline[:-1].transform(X)
    try:
        ids = header.ids if options.id is None else select(table.names, options.id, "--id")
        table.take_as_text(ids if len(table.lines) else ())  # as they are written, where they are
        copied = table.columns(ids)
    except UsageError as error:
        raise UsageError(f"{error}: --id names columns that are copied to the predictions, --id '' none") from error
    for name in set(ids).intersection(header.targets.columns):
        raise UsageError(f"--id: {name!r} is the target, whose column holds the predictions; leave it out")
    with naming_rows(table, ["constraints"] if given else header.targets.columns):
        model.set_output(predict="pandas" if header.targets.form == "columns" else "default")
        if options.certificate:
            found, proven = model.predict(features, return_certificate=True, **given)
        else:
            found, proven = model.predict(features, **given), None
        model.set_output(predict="default")
        parts = [copied.reset_index(drop=True), header.targets.written(found, getattr(model, "structure_", None))]
        if proven is not None:
            parts.append(pandas.DataFrame({k: getattr(proven, k) for k in ("value", "nu", "optimal", "upper_bound")}))
        if options.proba:
            parts.append(_probabilities(model, features, header, "--proba"))
    if options.plot is not None:
        few = [table.where(row) for row in range(min(4, len(table)))]
        shown = _probabilities(model, features[: len(few)], header, "--plot")
        draw(options.plot, [*marginals(pipeline, X, shown, few), *chains(model, features)], "no marginals")
    frame = pandas.concat([part for part in parts if len(part.columns)], axis=1)
    for name in frame.columns[frame.columns.duplicated()]:
        raise UsageError(f"--id: {name!r} is what a column of the predictions is called; rename it, or give --id ''")
    write_table(frame, options.output, "prediction")


def info(options: argparse.Namespace) -> None:
    """Print what a model is, or versions, structures, estimators and metrics."""
    if options.model is None:
        show_versions()
        for title, found in ("Structures", structure_classes()), ("Estimators", learners()):
            print(f"\n{title} (--{title[:-1].lower()})\n")
            for name, cls in sorted(found.items()):
                brief = (inspect.getdoc(cls) or "").splitlines()[0].split(":")[0].rstrip(".")
                print(f"  {name:{max(map(len, found))}}  {brief}")
        print(f"\nMetrics (--metric)\n\n  {', '.join(METRICS)}")
        return
    header = load_header(options.model)
    lists = {"targets": header.targets.columns, "numbers": header.numbers, "categories": header.categories}
    lists |= {"copied": header.ids, "made with": [f"{name} {number}" for name, number in header.versions.items()]}
    for label, shown in {**header.about, **{label: ", ".join(names) for label, names in lists.items()}}.items():
        if shown:
            print(f"{label:10} {shown}")


def read_inputs(options: argparse.Namespace, header: Header, pipeline: Pipeline) -> tuple[Table, Any]:
    """Return a file as the training file was read, and its inputs; warns of categories that training did not have."""
    table = read_table(options.file, reading(options), default=header.reading)
    table.take_as_text([*header.categories, *(header.targets.columns if header.targets.as_text else ())])
    X = input_frame(table, header.numbers, header.categories, missing=header.missing)
    known = pipeline[0].named_transformers_["categories"].categories_ if header.categories else ()
    for name, levels in zip(header.categories, known, strict=True):
        strange = sorted(set(X[name]) - set(levels))
        if strange:
            first = table.where(int(np.argmax(X[name] == strange[0])))
            what = f"{summary(strange)} did not occur in training (first in {first}), and counts as no category"
            warn_user(f"column {name!r}: {what}", UserWarning)
    return table, X


@contextmanager
def naming_rows(table: Table, columns: Sequence[str], rows: Any = None) -> Iterator[None]:
    """Turn an error about a row, of those numbered `rows`, or about y into one about the file and its columns."""
    shown = ", ".join(columns[:5]) + (", …" if len(columns) > 5 else "")
    try:
        yield
    except InvalidParameterError:  # of the estimator
        raise
    except (DataError, ValueError, TypeError) as error:
        row, what = getattr(error, "row", None), getattr(error, "reason", str(error))
        place = table.source if row is None else table.where(int(row if rows is None else rows[row]))
        where = "--" if row is None and what.startswith("constraints") else f"{place}: {shown}: "
        raise UsageError(f"{where}{what}") from error


def reading(options: argparse.Namespace) -> dict[str, Any]:
    """Return what the user says of how a file is to be read."""
    return {key: value for key in READING if (value := getattr(options, key)) is not None}


def read_constraints(given: str, table: Table, model: Any) -> Any:
    """Return constraints for all rows: from a column with JSON in its fields, or from a file."""
    takes = "constraints" in inspect.signature(model.predict).parameters
    require(takes, f"--constraints: {type(model).__name__} takes none; estimators with structures do")
    if given not in table.names:
        inline = given.lstrip()[:1] in ("{", "[")
        found = read_json(given, "--constraints" + " (which is no column either)" * (not inline), inline=inline)
        if isinstance(found, list) and len(found) != len(table):
            what = f"--constraints has {counted(len(found), 'entry', 'entries')} for {counted(len(table), 'row')}"
            raise UsageError(f"{what}; give one for each row")
        return found
    fields, rules = table.frame[given].astype(object).where(table.frame[given].notna(), "null").astype(str), []
    for row, field in enumerate(fields):
        rules.append(read_json(field, f"{table.where(row)}: {given!r}", inline=True))
        what = f"{table.where(row)}: {given!r} holds {field}, which is no JSON object of constraints"
        require(rules[-1] is None or isinstance(rules[-1], dict), what)
    return rules


def _probabilities(model: Any, X: Any, header: Header, option: str) -> Any:
    """Return the probabilities that an estimator predicts, in columns whose names say of what."""
    import pandas

    names = header.targets.names or header.targets.columns
    if hasattr(model, "predict_proba"):
        events = names if header.targets.names or header.targets.form == "columns" else model.classes_
        return pandas.DataFrame(model.predict_proba(X), columns=[f"p({event})" for event in events])
    if hasattr(model, "predict_pairwise_proba"):
        values, pairs = np.asarray(model.predict_pairwise_proba(X)), combinations(range(len(names)), 2)
        return pandas.DataFrame({f"p({names[u]}>{names[v]})": values[:, u, v] for u, v in pairs})
    if hasattr(model, "predict_marginals"):
        entries = [f"e({name})" for name in model.structure_.feature_names()]
        return pandas.DataFrame(model.predict_marginals(X), columns=entries)
    what = f"{type(model).__name__} predicts no probabilities"
    raise UsageError(f"{option}: {what}; fit with --estimator ProbabilisticStructured")
