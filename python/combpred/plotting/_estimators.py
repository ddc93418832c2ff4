"""What is inside fitted searches and pipelines."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


def opened(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return what predicts within searches and pipelines, and X as it reaches it."""
    check_is_fitted(estimator)
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif isinstance(estimator, Pipeline):
            X = estimator[:-1].transform(X) if len(estimator) > 1 else X
            estimator = estimator[-1]
        else:
            return estimator, X
