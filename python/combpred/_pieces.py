"""Training data that come in pieces: what the first one settles, and what later ones must agree with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from ._admissible import flat_sets
from ._estimator import is_a
from ._kernel_estimator import KernelEstimator, TrainingRows
from ._targets import resolve_targets
from ._weights import check_weights
from .structures import MultiClass, Structure


def takes_pieces(model: Any) -> bool:
    """Whether an estimator has `partial_fit`; AttributeError, which says when, where it has not."""
    if model.solver == "sgd":
        return True
    raise AttributeError(f"partial_fit needs solver='sgd', got solver={model.solver!r}")


def check_piece(
    model: KernelEstimator, X: Any, y: Any, classes: Any, sample_weight: Any, *, first: bool
) -> TrainingRows:
    """Check one piece, whose X has been through `_check_input`; the first one sets `structure_` and `classes_`.

    Raises
    ------
    ValueError
        Where y, `classes` or weights are not legal, `classes` is missing, or differs from that of the first piece.
    """
    check_consistent_length(X, y)
    if first:
        model.structure_ = _first_structure(model.structure, y, classes)
        model._set_classes()
    elif classes is not None:
        known = getattr(model, "classes_", None)
        if known is None or not np.array_equal(np.unique(np.asarray(classes)), known):
            raise ValueError(f"classes is {classes!r}, but the first call had {known!r}; pass the same, or None")
    return TrainingRows(X, y, flat_sets(y), check_weights(sample_weight, X.shape[0]))


def require_same_intercept(model: Any, n_weights: int) -> None:
    """Raise ValueError unless `fit_intercept` goes with the weights of the features found so far."""
    learnt = n_weights - model.n_features_in_
    if learnt != int(model.fit_intercept):
        raise ValueError(
            f"fit_intercept={model.fit_intercept!r}, but the coefficients found so far are those of "
            f"fit_intercept={bool(learnt)}, which partial_fit continues: set it back, or begin anew with fit or clone"
        )


def _first_structure(structure: Any, y: Any, classes: Any) -> Structure:
    if classes is not None:
        return structure_of_classes(structure, classes)
    if takes_classes(structure, y):
        raise ValueError("classes must be passed on the first call to partial_fit: the list of all labels of y")
    return structure_of_part(structure, y)


def structure_of_classes(structure: Any, classes: Any) -> Structure:
    """Return the structure of labels whose list is `classes`; ValueError where `structure` has none."""
    if structure is not None and not is_a(structure, MultiClass):
        raise ValueError(
            f"classes={classes!r} has no meaning for structure={structure!r}; leave it out, and give sizes in the "
            "structure"
        )
    return structure_of_part(MultiClass() if structure is None else structure, np.asarray(classes))


def structure_of_part(structure: Any, y: Any) -> Structure:
    """Return the structure of targets of which some are given, or each kind once."""
    with warnings.catch_warnings():
        # Of few rows, classes may be more than half, as scikit-learn expects of numbers to be regressed on.
        warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
        return resolve_targets(structure, y)[0]


def takes_classes(structure: Any, y: Any) -> bool:
    """Whether a structure has to learn classes from y, of which some rows are given."""
    if structure is not None:
        return is_a(structure, MultiClass) and getattr(structure, "n_classes", None) is None
    shape = np.shape(y)  # one label in each row
    return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)
