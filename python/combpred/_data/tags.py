"""What estimators tell of themselves by their tags, which before scikit-learn 1.6 were a dict."""

from __future__ import annotations

from typing import Any


def classifier_tags(*, multi_label: bool) -> Any:
    """Return the tags of a classifier, for scikit-learn >= 1.6."""
    from sklearn.utils import ClassifierTags

    return ClassifierTags(multi_class=True, multi_label=multi_label)


def input_tags(estimator: Any) -> Any:
    """Return what inputs an estimator takes: tags, or before scikit-learn 1.6 a dict of them."""
    try:
        from sklearn.utils import get_tags
    except ImportError:
        tags = estimator._get_tags()
        return {name: tags[name] for name in ("pairwise", "allow_nan", "X_types")}
    return get_tags(estimator).input_tags


def predicts_many(estimator: Any) -> bool:
    """Return whether an estimator says that it learns several targets at once."""
    try:
        from sklearn.utils import get_tags
    except ImportError:
        old = estimator._get_tags() if hasattr(estimator, "_get_tags") else {}
        return bool(old.get("multioutput") or old.get("multioutput_only"))
    return hasattr(estimator, "__sklearn_tags__") and bool(get_tags(estimator).target_tags.multi_output)
