"""``combpred demo``: real data, a structured estimator beside one of scikit-learn's, one table, one plot."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import Bunch

from .. import datasets
from .._data.listings import positions_by_score
from .._models.ridge import StructuredRidge
from .._models.ridge_cv import StructuredRidgeCV
from .error import needed

_PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0)
_FORMAT = "{:26} {:>10}  {:32} {:14} {:>6.3} {:>7.3} {:>7.3} {:>7.3}"


class DemoResult(NamedTuple):
    """One line of the table; times in seconds."""

    data: str
    size: str
    method: str
    metric: str
    score: float
    choose: float
    fit: float
    predict: float


def run_demo(plot: Path | None) -> list[DemoResult]:
    """Train on half of four data sets and evaluate on the other half, print a table as it grows and write a plot.

    Parameters
    ----------
    plot : Path or None
        Where the plot goes; None for no plot.

    Returns
    -------
    results : list of DemoResult
        Two for each data set: ours, and scikit-learn's.

    Raises
    ------
    UsageError
        Without matplotlib, which draws the plot, before any work is done.
    """
    drawing: Any = (
        None if plot is None else needed("matplotlib.figure", "plots are drawn by matplotlib", "combpred[plot]")
    )
    print("Scores on the other half of the rows, larger is better. Seconds to choose the penalty, to fit, to predict.")
    print("Gaussian kernels of the same width on standardised inputs.\n")
    heading = "data", "training", "method", "metric", "score", "choose", "fit", "predict"
    print(_FORMAT.replace(".3", "").format(*heading))
    ridge = KernelRidge(kernel="rbf"), "alpha", "KernelRidge on positions, sorted"
    machines = OneVsRestClassifier(SVC(gamma="auto")), "estimator__C", "OneVsRestClassifier(SVC)"
    results: list[DemoResult] = []
    for name, data, (theirs, penalty, method) in (
        ("digits, ranking of 10", datasets.load_digits_ranking(), ridge),
        ("diabetes, ranking of 6", datasets.load_diabetes_ranking(), ridge),
        ("digits, sets of 6 labels", datasets.load_digits_attributes(), machines),
        ("digits, leaves of a tree", datasets.load_digits_hierarchy(), machines),
    ):
        for result in _compared(name, data, theirs, penalty, method):
            first = ("", "") if len(results) % 2 else (result.data, result.size)
            print(_FORMAT.format(*first, *result[2:]), flush=True)
            results.append(result)
    print("\nchoose: of five penalties, ours by leave-one-out, scikit-learn's by three folds.")
    if plot is not None:
        _draw(results, drawing.Figure(figsize=(10, 4), layout="constrained")).savefig(plot, dpi=120)
        print(f"Plot written to {plot}.")
    return results


def _compared(name: str, data: Bunch, theirs: Any, penalty: str, method: str) -> list[DemoResult]:
    structure = data.structure
    structure.count()  # loads the library, which is not part of any fit
    X, X_test, y, y_test = train_test_split(data.data, data.target, test_size=0.5, random_state=0)
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    size = f"{X.shape[0]} × {X.shape[1]}"

    def predicted(estimator: Any, X: Any) -> Any:  # the smallest of the positions that a regressor predicts is first
        found = estimator.predict(X)
        return positions_by_score(-found) if isinstance(estimator, KernelRidge) else found

    def scored(estimator: Any, X: Any, y: Any) -> float:
        return float(structure.score(y, predicted(estimator, X)))

    def result(method: str, choose: float, estimator: Any) -> DemoResult:
        _, fit = _timed(lambda: estimator.fit(X, y))
        found, predict = _timed(lambda: predicted(estimator, X_test))
        score = float(structure.score(y_test, found))
        return DemoResult(name, size, method, structure.default_metric, score, choose, fit, predict)

    best, choose = _timed(StructuredRidgeCV(structure, alphas=_PENALTIES, kernels=["rbf"], gammas=[None]).fit, X, y)
    search = GridSearchCV(theirs, {penalty: _PENALTIES}, scoring=scored, cv=3, refit=False, error_score="raise")
    search, searched = _timed(search.fit, X, y)
    ours = StructuredRidge(structure, alpha=best.alpha_, kernel="rbf")
    return [
        result(f"StructuredRidge, loss {best.loss_}", choose, ours),
        result(method, searched, theirs.set_params(**search.best_params_)),
    ]


def _timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    value = work(*arguments)
    return value, time.perf_counter() - start


def _draw(results: Sequence[DemoResult], figure: Any) -> Any:
    score, seconds = figure.subplots(1, 2, sharey=True)
    ours, theirs = results[0::2], results[1::2]
    rows = np.arange(len(ours))
    for offset, label, lines in ((-0.2, "StructuredRidge", ours), (0.2, "scikit-learn (see the table)", theirs)):
        score.barh(rows + offset, [line.score for line in lines], 0.38, label=label)
        seconds.barh(rows + offset, [line.choose + line.fit + line.predict for line in lines], 0.38)
    score.set(yticks=rows, yticklabels=[f"{line.data}\n({line.metric})" for line in ours], xlabel="score on test rows")
    score.invert_yaxis()
    seconds.set(xlabel="seconds to choose the penalty, fit and predict", xscale="log")
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure
