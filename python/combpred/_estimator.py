"""An estimator's manners: its input, what it tells scikit-learn about itself, and what a failed fit leaves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._compat import classifier_tags, validate_input
from ._input_rows import check_rows, unconverted_rows
from .structures import LabelSets, MultiClass, Structure


class StructuredEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base of estimators with the constructor parameters `structure` and `kernel`."""

    structure: Any
    kernel: Any

    def _check_input(self, X: Any, *, reset: bool = False) -> Any:
        """Return X as a C-contiguous float64 array, or as CSR with int32 indices where those suffice; always finite."""
        if not reset:
            self._check_width(X)
        precomputed = self.kernel == "precomputed"
        if reset and precomputed:  # training checks a kernel matrix as a whole
            return validate_input(self, X, reset=True, dtype=np.float64, order="C")
        return check_rows(self, X, reset=reset, accept_sparse=not precomputed)

    def _check_new_rows(self, X: Any) -> Any:
        """Return X for prediction, which reads it by `rows_in_double`, a block at a time."""
        self._check_width(X)
        return unconverted_rows(self, X, accept_sparse=self.kernel != "precomputed")

    def _check_width(self, X: Any) -> None:
        """Raise NotFittedError before `fit`, and ValueError where kernel values are not those to the training rows."""
        check_is_fitted(self)
        shape: tuple[int, ...] = np.shape(X) if self.kernel == "precomputed" else ()  # X may be a list
        if len(shape) == 2 and shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_}: with "
                "kernel='precomputed', X holds the kernel values between new rows and the rows of training, of "
                f"shape (n, {self.n_features_in_})"
            )

    def _classifies(self) -> bool:
        """Whether scikit-learn should treat this as a classifier (and stratify, for one)."""
        return self.structure is None or is_a(self.structure, MultiClass) or is_a(self.structure, LabelSets)

    @property
    def _estimator_type(self) -> str:
        if not self._classifies():
            raise AttributeError(f"{type(self).__name__} with structure={self.structure!r} is not a classifier")
        return "classifier"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        if self._classifies():
            tags.estimator_type = "classifier"
            # With structure None it is y that decides, so several labels are claimed only where they are asked for.
            tags.classifier_tags = classifier_tags(multi_label=is_a(self.structure, LabelSets))
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn < 1.6
        return {
            "requires_y": True,
            "pairwise": self.kernel == "precomputed",
            "multilabel": is_a(self.structure, LabelSets),
            "X_types": ["2darray"] if self.kernel == "precomputed" else ["2darray", "sparse"],
        }


def is_a(structure: Any, kind: type[Structure]) -> bool:
    return isinstance(structure, kind) or structure == kind.name


@contextmanager
def unchanged_on_failure(estimator: BaseEstimator) -> Iterator[None]:
    """Bring all attributes back if what follows fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@contextmanager
def refit(estimator: BaseEstimator) -> Iterator[None]:
    """Clear what an earlier fit left, and bring all of it back if the new fit fails or is interrupted."""
    with unchanged_on_failure(estimator):
        clear_fit(estimator)
        yield


def clear_fit(estimator: BaseEstimator) -> None:
    """Delete what an earlier fit left."""
    for name in list(vars(estimator)):
        if name.endswith("_") and not name.startswith("_"):
            delattr(estimator, name)
