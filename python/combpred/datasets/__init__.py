"""Data sets with structured targets, derived from those that scikit-learn ships or generated; no downloads."""

from ._generated import make_dicycle_policies, make_hierarchy, make_identity_labels, make_label_ranking
from ._loaders import (
    load_diabetes_ranking,
    load_digits_attributes,
    load_digits_hierarchy,
    load_digits_ranking,
    load_iris_hierarchy,
    load_iris_ranking,
    load_wine_ranking,
)

__all__ = [
    "load_diabetes_ranking",
    "load_digits_attributes",
    "load_digits_hierarchy",
    "load_digits_ranking",
    "load_iris_hierarchy",
    "load_iris_ranking",
    "load_wine_ranking",
    "make_dicycle_policies",
    "make_hierarchy",
    "make_identity_labels",
    "make_label_ranking",
]


def __dir__() -> list[str]:
    return __all__
