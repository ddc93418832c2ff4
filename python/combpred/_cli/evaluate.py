"""What ``combpred evaluate`` does: metrics of predictions for a file with targets, or by cross-validation."""

from __future__ import annotations

import argparse
import inspect
import json
import time
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from .. import metrics
from .._data.checks import counted
from .._data.targets import summary
from .._data.warn import warn_user
from .._lib.errors import RowError
from ..plotting import ReliabilityDisplay
from . import plots
from .commands import METRICS, naming_rows, read_constraints, read_inputs
from .error import UsageError, require
from .learners import known_name
from .model import load_model


def evaluate(options: argparse.Namespace) -> None:
    """Predict for a file with targets and print metrics, or train anew on parts of it and predict for the others."""
    for name in options.metric or ():
        known_name("--metric", "metric", name, dict.fromkeys(METRICS))
    plots.check_plot(options.plot, options.file, options.model)
    header, pipeline = load_model(options.model, trusted=options.trusted)
    table, X = read_inputs(options, header, pipeline)
    structure = getattr(pipeline[-1], "structure_", None)
    y = header.targets.read(table, structure)
    known = getattr(pipeline[-1], "classes_", ())
    strange = np.setdiff1d(y, known).tolist() if len(known) and not options.cv and np.ndim(y) == 1 else []
    if strange:
        what = f"the target {header.targets.columns[0]!r} holds {summary(strange)}, which did not occur in training"
        warn_user(f"{what}, and which is never predicted", UserWarning)
    default = getattr(structure, "default_metric", "kendall_tau")
    wanted = options.metric or list(dict.fromkeys([default, "zero_one_loss"]))
    by_row = [n for n in wanted if options.plot and "per_row" in inspect.signature(getattr(metrics, n)).parameters]
    rules = None if options.constraints is None else read_constraints(options.constraints, table, pipeline[-1])
    start = time.perf_counter()
    results: dict[str, list[float]] = {name: [] for name in wanted}
    rows: list[dict[str, Any]] = []  # of each fold: the values, truths and predictions of its rows
    for train, test in _splits(options.cv, pipeline, y, len(table)):
        with naming_rows(table, header.targets.columns, train):
            fitted = pipeline if train is None else clone(pipeline).fit(X.iloc[train], _safe_indexing(y, train))
        truth, inputs = _safe_indexing(y, test), X.iloc[test]
        with naming_rows(table, header.targets.columns, test):
            held = [rules[i] for i in test] if isinstance(rules, list) else rules
            predicted = fitted.predict(inputs, **({} if rules is None else {"constraints": held}))
            for name in wanted:
                results[name].append(_metric(name, fitted, inputs, truth, predicted))
            found = {name: _metric(name, fitted, inputs, truth, predicted, per_row=True) for name in by_row}
            if options.plot and hasattr(fitted[-1], "log_proba"):
                found["log_proba"] = fitted[-1].log_proba(fitted[:-1].transform(inputs), predicted)
            rows.append({**found, "y": truth, "predicted": predicted})
    seconds = time.perf_counter() - start
    if options.plot:
        joined = {key: np.concatenate([np.asarray(part[key]) for part in rows]) for key in rows[0]}
        nothing = f"nothing to draw for {', '.join(wanted)}, which have no values of rows; give another --metric"
        plots.draw(options.plot, _panels(by_row, joined, pipeline, None if options.cv else (X, y)), nothing)
    if options.json:
        shown = {name: {"mean": float(np.mean(found)), "values": found} for name, found in results.items()}
        print(json.dumps({"metrics": shown, "rows": len(table), "cv": options.cv, "seconds": seconds}, indent=1))
        return
    for name, values in results.items():
        spread = "" if options.cv is None else f" ± {np.std(values):.4f}"
        print(f"{name:{max(map(len, wanted))}}  {np.mean(values):.4f}{spread}")
    how = "" if options.cv is None else f", {options.cv} folds, mean ± standard deviation,"
    print(f"{counted(len(table), 'row')}{how} in {seconds:.3f} s")


def _panels(by_row: list[str], rows: dict[str, Any], pipeline: Pipeline, data: Any) -> list[plots.Panel]:
    """Return what can be drawn of predictions: metrics, classes or positions, and probabilities, of one model only."""
    panels: list[plots.Panel] = [partial(plots.histogram, name, rows[name]) for name in by_row]
    ranks = not hasattr(pipeline[-1], "structure_") or hasattr(pipeline[-1].structure_, "from_orders")
    if hasattr(pipeline[-1], "classes_") if rows["y"].ndim == 1 else ranks:
        panels.append(partial(plots.confusion, rows["y"], rows["predicted"]))
    if "log_proba" in rows and by_row:
        panels.append(partial(plots.coverage, by_row[0], rows[by_row[0]], rows["log_proba"]))
    if data is not None and hasattr(pipeline[-1], "predict_marginals"):
        panels.append(lambda ax: ReliabilityDisplay.from_estimator(pipeline, *data, ax=ax))
    return panels


def _splits(folds: int | None, pipeline: Pipeline, y: Any, n: int) -> Any:
    """Yield rows to train on, None for the model as it is, and rows to predict for."""
    if folds is None:
        return [(None, np.arange(n))]
    mend = "give a number from 2 to the number of rows"
    require(2 <= folds <= n, f"--cv: {folds} folds of {counted(n, 'row')}; {mend}")
    classes = np.ndim(y) == 1 and hasattr(pipeline[-1], "classes_")
    few = classes and np.unique(y, return_counts=True)[1].min() < folds
    splitter = StratifiedKFold if classes and not few else KFold
    return splitter(folds, shuffle=True, random_state=0).split(np.zeros(n), y)


def _metric(name: str, pipeline: Pipeline, X: Any, y: Any, predicted: Any, **how: Any) -> Any:
    """Return a metric of the predictions; which arguments it takes beside the truth, its signature says."""
    structure: Any = getattr(pipeline[-1], "structure_", None)
    if structure is not None and name == structure.default_metric and not how:
        return structure.score(y, predicted)
    takes = inspect.signature(getattr(metrics, name)).parameters
    if "parent" in takes:
        kind = type(structure or pipeline[-1]).__name__
        require(hasattr(structure, "parent"), f"--metric: {name} needs a tree, {kind} has none")
        how["parent"] = structure
    grades: Any = getattr(structure, "grades", None)
    if name == "neg_absolute_error" and np.ndim(grades):  # it takes numbers
        y, predicted = (np.array([list(grades).index(each) for each in of]) for of in (y, predicted))
    if "scores" in takes:
        predicted = pipeline[-1].feature_scores(pipeline[:-1].transform(X))
    what = f"--metric {name} does not suit these targets"
    what += f" ({structure.default_metric} does)" if structure is not None else ""
    try:
        return getattr(metrics, name)(y, predicted, **how)
    except RowError as error:
        raise RowError(error.row, f"{what}: {error.reason}") from error
    except (ValueError, TypeError) as error:
        raise UsageError(f"{what}: {error}") from error
