"""The places where scikit-learn 1.4 and 1.5 differ from later releases in what this package uses."""

from __future__ import annotations

from typing import Any

try:
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:  # scikit-learn < 1.6: the function was a method of every estimator, with another keyword

    def _validate_data(estimator: Any, /, X: Any, *, ensure_all_finite: bool, **options: Any) -> Any:
        return estimator._validate_data(X, force_all_finite=ensure_all_finite, **options)


def validate_input(estimator: Any, X: Any, *, reset: bool, **options: Any) -> Any:
    """Convert X as `options` of scikit-learn's check_array say; set (reset) or check its number of features and names.

    NaN and infinity pass: the caller looks for them and names the row.
    """
    return _validate_data(estimator, X=X, reset=reset, ensure_all_finite=False, **options)


def classifier_tags(*, multi_label: bool) -> Any:
    """Return the tags of a classifier; only scikit-learn >= 1.6 asks for them."""
    from sklearn.utils import ClassifierTags

    return ClassifierTags(multi_class=True, multi_label=multi_label)
