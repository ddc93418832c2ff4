"""What ``combpred evaluate`` does: metrics of predictions for a file with targets, or by cross-validation."""

from __future__ import annotations

import argparse
import inspect
import json
import time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from .. import metrics
from .._data.checks import counted
from .commands import METRICS, naming_rows, read_constraints, read_inputs
from .error import UsageError
from .model import load_model


def evaluate(options: argparse.Namespace) -> None:
    """Predict for a file with targets and print metrics, or train anew on parts of it and predict for the others."""
    unknown = [name for name in options.metric or () if name not in METRICS]
    if unknown:
        raise UsageError(f"--metric: there is no metric {unknown[0]!r}; there are {', '.join(METRICS)}")
    header, pipeline = load_model(options.model, trusted=options.trusted)
    table, X = read_inputs(options, header, pipeline)
    structure = getattr(pipeline[-1], "structure_", None)
    y = header.targets.read(table, structure)
    default = getattr(structure, "default_metric", "kendall_tau")
    wanted = options.metric or list(dict.fromkeys([default, "zero_one_loss"]))
    rules = None if options.constraints is None else read_constraints(options.constraints, table, pipeline[-1])
    start = time.perf_counter()
    results: dict[str, list[float]] = {name: [] for name in wanted}
    for train, test in _splits(options.cv, pipeline, y, len(table)):
        with naming_rows(table, header.targets.columns, train):
            fitted = pipeline if train is None else clone(pipeline).fit(X.iloc[train], _rows(y, train))
        truth, rows = _rows(y, test), X.iloc[test]
        with naming_rows(table, header.targets.columns, test):
            held = [rules[i] for i in test] if isinstance(rules, list) and len(rules) == len(table) else rules
            predicted = fitted.predict(rows, **({} if rules is None else {"constraints": held}))
            for name in wanted:
                results[name].append(_metric(name, fitted, rows, truth, predicted))
            if options.plot is not None and train is None:
                _plot(options.plot, fitted, rows, truth, predicted, wanted)
    seconds = time.perf_counter() - start
    if options.json:
        shown = {name: {"mean": float(np.mean(found)), "values": found} for name, found in results.items()}
        print(json.dumps({"metrics": shown, "rows": len(table), "cv": options.cv, "seconds": seconds}, indent=1))
        return
    width = max(map(len, wanted))
    for name, found in results.items():
        spread = "" if options.cv is None else f" ± {np.std(found):.4f}"
        print(f"{name:{width}}  {np.mean(found):.4f}{spread}")
    how = "" if options.cv is None else f", {options.cv} folds, mean ± standard deviation,"
    print(f"{counted(len(table), 'row')}{how} in {seconds:.3f} s")


def _splits(folds: int | None, pipeline: Pipeline, y: Any, n: int) -> Any:
    """Yield rows to train on, None for the model as it is, and rows to predict for."""
    if folds is None:
        return [(None, np.arange(n))]
    if not 2 <= folds <= n:
        raise UsageError(f"--cv: {folds} folds of {counted(n, 'row')}; give a number from 2 to the number of rows")
    classes = np.ndim(y) == 1 and hasattr(pipeline[-1], "classes_")
    few = classes and np.unique(y, return_counts=True)[1].min() < folds
    splitter = StratifiedKFold if classes and not few else KFold
    return splitter(folds, shuffle=True, random_state=0).split(np.zeros(n), y)


def _rows(y: Any, rows: Any) -> Any:
    return y.iloc[rows] if hasattr(y, "iloc") else y[rows]


def _metric(name: str, pipeline: Pipeline, X: Any, y: Any, predicted: Any, **how: Any) -> Any:
    """Return a metric of the predictions; which arguments it takes beside the truth, its signature says."""
    structure: Any = getattr(pipeline[-1], "structure_", None)
    if structure is not None and name == structure.default_metric and not how:
        return structure.score(y, predicted)
    takes = inspect.signature(getattr(metrics, name)).parameters
    if "parent" in takes:
        if not hasattr(structure, "parent"):
            raise UsageError(f"--metric: {name} needs a tree, {type(structure or pipeline[-1]).__name__} has none")
        how["parent"] = structure.parent
        if structure.nodes is not None:  # y has names
            above = [None if p < 0 else structure.nodes[p] for p in structure.parent]
            how["parent"] = dict(zip(structure.nodes, above, strict=True))
    if "scores" in takes:
        predicted = pipeline[-1].feature_scores(pipeline[:-1].transform(X))
    return getattr(metrics, name)(y, predicted, **how)


def _plot(path: str, pipeline: Pipeline, X: Any, y: Any, predicted: Any, names: list[str]) -> None:
    """Write the distribution of each metric over rows, and how reliable probabilities are where there are some."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError(
            "--plot: plots are drawn by matplotlib, which is not installed: pip install 'combpred[plot]'"
        ) from None
    from ..plotting import ReliabilityDisplay

    drawn = [name for name in names if "per_row" in inspect.signature(getattr(metrics, name)).parameters]
    probable = hasattr(pipeline[-1], "predict_marginals")
    if not drawn and not probable:
        raise UsageError(f"--plot: {', '.join(names)} have no values for single rows; give another --metric")
    panels = len(drawn) + probable
    figure = Figure(figsize=(4 * panels, 3.5), layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, panels))
    for ax, name in zip(axes, drawn, strict=False):
        values = np.asarray(_metric(name, pipeline, X, y, predicted, per_row=True), dtype=np.float64)
        ax.hist(values[np.isfinite(values)], bins=20)
        ax.set(xlabel=name, ylabel="rows")
    if probable:
        ReliabilityDisplay.from_estimator(pipeline, X, y, ax=axes[-1])
    figure.savefig(path, dpi=120)
