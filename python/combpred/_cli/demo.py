"""``combpred demo``: real data, a structured estimator beside one of scikit-learn's, one table, one plot."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
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
from ..structures import Structure

_PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0)
_FOLDS = 3


@dataclass(frozen=True)
class Baseline:
    """An estimator of scikit-learn, the penalties to try, and how its predictions become structures."""

    name: str
    estimator: Any
    grid: dict[str, Sequence[float]]
    structures: Callable[[NDArray[Any]], NDArray[Any]]


@dataclass(frozen=True)
class DemoResult:
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
        Where the plot goes; None for no plot. Without matplotlib there is none either, which is said.

    Returns
    -------
    results : list of DemoResult
        Two for each data set: ours, and scikit-learn's.
    """
    print("Scores on the other half of the rows, larger is better. Seconds to choose the penalty, to fit, to predict.")
    print("Gaussian kernels of the same width on standardised inputs.\n")
    heading = ("choose", "fit", "predict")
    print(
        f"{'data':26} {'training':>10}  {'method':32} {'metric':14} {'score':>6} {' '.join(f'{h:>7}' for h in heading)}"
    )
    results: list[DemoResult] = []
    for name, data, baseline in _tasks():
        for result in _compared(name, data, baseline):
            results.append(result)
            first = result.data if len(results) % 2 else ""
            size = result.size if len(results) % 2 else ""
            print(
                f"{first:26} {size:>10}  {result.method:32} {result.metric:14} {result.score:6.3f} "
                f"{result.choose:7.2f} {result.fit:7.3f} {result.predict:7.3f}",
                flush=True,
            )
    print("\nchoose: of five penalties, ours by leave-one-out, scikit-learn's by three folds.")
    if plot is not None:
        print(_plotted(results, plot))
    return results


def _tasks() -> list[tuple[str, Bunch, Baseline]]:
    def unchanged(predicted: NDArray[Any]) -> NDArray[Any]:
        return predicted

    def ranked(predicted: NDArray[Any]) -> NDArray[Any]:
        return positions_by_score(-predicted)  # the smallest predicted position comes first

    regression = Baseline("KernelRidge on positions, sorted", KernelRidge(kernel="rbf"), {"alpha": _PENALTIES}, ranked)
    machines = Baseline(
        "OneVsRestClassifier(SVC)",
        OneVsRestClassifier(SVC(gamma="auto")),
        {"estimator__C": _PENALTIES},
        unchanged,
    )
    return [
        ("digits, ranking of 10", datasets.load_digits_ranking(), regression),
        ("diabetes, ranking of 6", datasets.load_diabetes_ranking(), regression),
        ("digits, sets of 6 labels", datasets.load_digits_attributes(), machines),
        ("digits, leaves of a tree", datasets.load_digits_hierarchy(), machines),
    ]


def _compared(name: str, data: Bunch, baseline: Baseline) -> list[DemoResult]:
    structure: Structure = data.structure
    structure.count()  # loads the library, which is not part of any fit
    X, X_test, y, y_test = train_test_split(data.data, data.target, test_size=0.5, random_state=0)
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)

    def scored(estimator: Any, X: NDArray[Any], y: NDArray[Any]) -> float:
        return structure.score(y, baseline.structures(estimator.predict(X)))

    def result(method: str, choose: float, fit: float, predict: float, predicted: NDArray[Any]) -> DemoResult:
        score = structure.score(y_test, predicted)
        return DemoResult(
            name, f"{X.shape[0]} × {X.shape[1]}", method, structure.default_metric, score, choose, fit, predict
        )

    def chosen() -> StructuredRidge:
        best = StructuredRidgeCV(structure, alphas=_PENALTIES, kernels=["rbf"], gammas=[None]).fit(X, y)
        return StructuredRidge(structure, alpha=best.alpha_, kernel="rbf")

    ours, choose = _timed(chosen)
    _, fit = _timed(lambda: ours.fit(X, y))
    predicted, predict = _timed(lambda: ours.predict(X_test))
    results = [result(f"StructuredRidge, loss {ours.loss_}", choose, fit, predict, predicted)]

    search = GridSearchCV(
        baseline.estimator, baseline.grid, scoring=scored, cv=_FOLDS, refit=False, error_score="raise"
    )
    search, choose = _timed(lambda: search.fit(X, y))
    theirs = baseline.estimator.set_params(**search.best_params_)
    _, fit = _timed(lambda: theirs.fit(X, y))
    predicted, predict = _timed(lambda: baseline.structures(theirs.predict(X_test)))
    return [*results, result(baseline.name, choose, fit, predict, predicted)]


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    value = work()
    return value, time.perf_counter() - start


def _plotted(results: Sequence[DemoResult], path: Path) -> str:
    """Write the plot and return what to tell the user."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return "No plot: matplotlib is not installed (pip install 'combpred[plot]')."
    figure = Figure(figsize=(10, 4), layout="constrained")
    score, seconds = figure.subplots(1, 2, sharey=True)
    names = list(dict.fromkeys(result.data for result in results))
    rows = np.arange(len(names))
    for offset, colour, label, lines in (
        (-0.2, "tab:blue", "StructuredRidge", results[0::2]),
        (0.2, "tab:gray", "scikit-learn (see the table)", results[1::2]),
    ):
        score.barh(rows + offset, [line.score for line in lines], 0.38, color=colour, label=label)
        seconds.barh(rows + offset, [line.choose + line.fit + line.predict for line in lines], 0.38, color=colour)
    metrics = {result.data: result.metric for result in results}
    score.set_yticks(rows, [f"{name}\n({metrics[name]})" for name in names])
    score.invert_yaxis()
    score.set_xlabel("score on test rows")
    seconds.set_xlabel("seconds to choose the penalty, fit and predict")
    seconds.set_xscale("log")
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    for axes in (score, seconds):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)
    return f"Plot written to {path}."
