"""``combpred demo``: a structured estimator beside one of scikit-learn's on real data: a table and a picture."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, ShuffleSplit, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from .. import datasets
from .._data.converters import positions_by_score
from .._models.ridge_cv import StructuredRidgeCV

_PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0)
_FORMAT = "{:26} {:>10}  {:32} {:14} {:>6.3} {:>7.3} {:>7.3}"


def demo(options: Namespace) -> None:
    """Train on half of four data sets and evaluate on the other half; print a table as it grows and draw a picture."""
    print("Scores on the other half of the rows, larger is better; seconds to choose the penalty and fit, to predict.")
    print("Gaussian kernels of the same width on standardised inputs.\n")
    print(_FORMAT.replace(".3", "").format("data", "training", "method", "metric", "score", "fit", "predict"))
    ridge = KernelRidge(kernel="rbf"), "alpha", "KernelRidge on positions, sorted"
    machines = OneVsRestClassifier(SVC(gamma="auto")), "estimator__C", "OneVsRestClassifier(SVC)"
    rows: list[tuple[Any, ...]] = []
    for name, data, (theirs, penalty, method) in (
        ("digits, ranking of 10", datasets.load_digits_ranking(), ridge),
        ("diabetes, ranking of 6", datasets.load_diabetes_ranking(), ridge),
        ("digits, sets of 6 labels", datasets.load_digits_attributes(), machines),
        ("digits, leaves of a tree", datasets.load_digits_hierarchy(), machines),
    ):
        structure = data.structure
        structure.count()  # loads the library, which is not part of any fit

        def scored(estimator: Any, X: Any, y: Any, structure: Any = structure) -> float:
            found = estimator.predict(X)  # the smallest of the positions that a regressor predicts is first
            return float(structure.score(y, positions_by_score(-found) if found.dtype.kind == "f" else found))

        ours = StructuredRidgeCV(structure, alphas=_PENALTIES, kernels=["rbf"], gammas=[None])
        search = GridSearchCV(theirs, {penalty: _PENALTIES}, scoring=scored, cv=3, error_score="raise")
        size = f"{len(data.data) // 2} × {data.data.shape[1]}"
        for estimator in (ours, search):
            found = cross_validate(
                make_pipeline(StandardScaler(), estimator), data.data, data.target, scoring=scored,
                cv=ShuffleSplit(1, test_size=0.5, random_state=0), return_estimator=True, error_score="raise",
            )  # fmt: skip
            called = f"StructuredRidge, loss {found['estimator'][0][-1].loss_}" if estimator is ours else method
            measured = (found[key][0] for key in ("test_score", "fit_time", "score_time"))
            rows.append((name, size, called, structure.default_metric, *measured))
            print(_FORMAT.format(*(rows[-1] if estimator is ours else ("", "", *rows[-1][2:]))), flush=True)
    print("\nBoth choose among five penalties: combpred by leave-one-out, scikit-learn by 3-fold CV.")
    print("Simple rivals on the same halves: .924 by a logistic regression for each pair of digits, .281 by Ridge on")
    print(
        "positions, .987 and .980 by SVC with a class for each set and for each leaf (tests/benchmarks/baselines.py)."
    )
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('No picture: matplotlib is not installed; pip install "combpred[plot]" brings it.')
        return
    _draw(rows, Figure(figsize=(10, 4), layout="constrained")).savefig(options.plot, dpi=120)
    print(f"Picture written to {options.plot}.")


def _draw(rows: list[tuple[Any, ...]], figure: Any) -> Any:
    left, right = figure.subplots(1, 2, sharey=True)
    at = np.arange(len(rows) // 2)
    for offset, label, lines in (
        (-0.2, "StructuredRidge", rows[0::2]),
        (0.2, "scikit-learn (see the table)", rows[1::2]),
    ):
        left.barh(at + offset, [line[4] for line in lines], 0.38, label=label)
        right.barh(at + offset, [line[5] + line[6] for line in lines], 0.38)
    left.set(yticks=at, yticklabels=[f"{line[0]}\n({line[3]})" for line in rows[0::2]], xlabel="score on test rows")
    left.invert_yaxis()
    right.set(xlabel="seconds to choose the penalty, fit and predict", xscale="log")
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure
