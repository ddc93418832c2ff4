"""Training data checked and embedded for solvers, and fitted attributes set from their solutions."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import _num_samples

from .._data.blocks import Block, BlockSource, IterableBlocks
from .._data.inputs import check_weights
from .._data.targets import FlatSets, TargetError, flat_sets
from .._lib.arrays import FloatArray, refuse_masked, require_memory
from .._lib.call import get_n_threads
from .._lib.loglinear import KernelFeatures
from .._lib.ridge import Targets
from ..structures import Structure, classes_of, resolve_structure, target_type

_NYSTROM = "fit fewer rows, or take kernel='linear' on inputs mapped by combpred.kernels.NystromMap"
_REMEDY = "set warm_start=False to start from zero"


def resolve_targets(structure: Any, y: Any) -> tuple[Structure, FlatSets | None]:
    """Return the structure of y with all sizes resolved, and the sets of outputs where rows of y are `Admissible`."""
    sets = flat_sets(y)
    return resolve_structure(structure, y if sets is None else sets.y), sets


def weigh_rows(model: Any, y: Any, sets: FlatSets | None, sample_weight: Any) -> FloatArray | None:
    """Return weights of rows times those of their classes, None where all are 1; `structure_` is set."""
    n = _num_samples(y)
    weights, of_classes = check_weights(sample_weight, n), model.class_weight
    if of_classes is None:
        return weights
    classes, labels = classes_of(model.structure_), None if sets is not None else np.asarray(y)
    if classes is None or labels is None or labels.size != n:
        raise ValueError(f"class_weight={of_classes!r} weighs rows of one class each: give sample_weight")
    if isinstance(of_classes, dict):
        given = compute_sample_weight(of_classes, labels.ravel())
    else:  # scikit-learn's does not count rows by their weights
        occurring, at = np.unique(labels, return_inverse=True)
        counts = np.bincount(at.ravel(), weights)
        given = counts.sum() / (len(occurring) * np.where(counts > 0, counts, 1.0))[at.ravel()]
    of_rows = check_weights(given, n, name="class_weight")
    return of_rows if weights is None else weights if of_rows is None else check_weights(weights * of_rows, n)


def embed_targets(
    structure: Structure, y: Any, sets: FlatSets | None, weights: FloatArray | None, n_threads: int
) -> Targets:
    """Return the targets of training; ValueError naming the row where y is not in the structure."""
    if sets is None:
        parts, partial = structure.encode_targets(y)
        return Targets(structure.space.embed(parts, n_threads, partial=partial), weights)
    return Targets(structure.space.embed(encode_sets(structure, sets), n_threads), weights, sets.first)


def encode_sets(structure: Structure, sets: FlatSets) -> NDArray[Any]:
    """Return the outputs of sets in parts; ValueError naming the row where one is illegal or comes twice."""
    try:
        parts = structure.encode(sets.y)
    except TargetError as error:
        row = int(np.searchsorted(sets.first, error.row, side="right")) - 1
        reason = f"output {error.row - int(sets.first[row])} of the set: {error.reason}"
        raise TargetError(row, reason, error.argument) from None
    # Sorted by row and then by output, repetitions are neighbours.
    rows = np.repeat(np.arange(len(sets.first) - 1), np.diff(sets.first))
    order = np.lexsort((*parts.T[::-1], rows))
    same = (rows[order][1:] == rows[order][:-1]) & (parts[order][1:] == parts[order][:-1]).all(axis=1)
    if same.any():
        raise TargetError(int(rows[order][np.argmax(same)]), "the set lists an output twice; list each once")
    return parts


class TrainingRows(NamedTuple):
    """Training data that were checked row against row, with y in the user's format."""

    X: Any
    y: Any
    sets: FlatSets | None  # where rows of y are sets of structures
    weights: FloatArray | None


def kernel_features(model: Any, X: Any, weights: FloatArray, kept: NDArray[np.intp]) -> KernelFeatures:
    """Return the features of the kernel matrix of the rows `kept`, which X has, and all columns where precomputed."""
    n = X.shape[0]
    require_memory(8 * 5 * n * n, f"training on {n} rows with a kernel matrix", _NYSTROM, square_rows=n)
    # Indexing makes the copy of a precomputed matrix that may be overwritten.
    matrix = np.ascontiguousarray(X[:, kept]) if model.kernel_.is_precomputed else model.kernel_.matrix(X)
    threads = get_n_threads(model.n_jobs)
    return KernelFeatures(matrix, weights, shift=float(model.fit_intercept), n_threads=threads)


def linear_scores(X: Any, weights: FloatArray) -> FloatArray:
    """Return the scores of rows of features for weights (q, d), of which the last may be that of a constant feature."""
    p = X.shape[1]
    scores = np.asarray(X @ weights[:p])
    if len(weights) > p:
        scores += weights[p]
    return scores


@dataclass(frozen=True)
class EarlierFit:
    """Coefficients of an earlier fit, kept while a new one clears the attributes of the model.

    Attributes
    ----------
    model : estimator
        A copy of the model as it was.
    """

    model: Any

    @classmethod
    def of(cls, model: Any) -> EarlierFit | None:
        """Return the coefficients of a fitted model, None where it has not been fitted."""
        return cls(copy(model)) if hasattr(model, "intercept_") else None

    def require_match(self, model: Any, n: int) -> None:
        """Raise ValueError unless a model, whose structure and kernel are resolved for n rows, has weights like these.

        The shapes must be the same, and so must the classes, whose weights would change places otherwise.
        """
        d = model.structure_.n_features
        name, found = ("coef_", (d, model.n_features_in_)) if model.kernel_.is_linear else ("dual_coef_", (n, d))
        old = getattr(self.model, name, None)
        if old is None or old.shape != found:
            raise ValueError(
                f"warm_start=True starts from {name} of shape {found}, and those of the earlier fit have shape "
                f"{None if old is None else old.shape}: {_REMEDY}"
            )
        before, classes = (getattr(each, "classes_", None) for each in (self.model, model))
        if before is not None and classes is not None and not np.array_equal(before, classes):
            raise ValueError(
                f"warm_start=True needs the classes of the earlier fit, {before}, got {classes}: {_REMEDY}"
            )

    def weights(self, X: Any, kernel: KernelFeatures | None, kept: NDArray[np.intp], *, intercept: bool) -> FloatArray:
        """Return the weights (q, d) of features, those of a kernel matrix of the rows `kept` or the inputs' own.

        In the features of a linear kernel's matrix they are the smallest ones that do so on the rows, which have no
        larger penalty and lose nothing: the maximum is among such weights.
        """
        if kernel is None:
            return self.input_weights(intercept=intercept)
        if hasattr(self.model, "dual_coef_"):
            return kernel.of_dual(self.model.dual_coef_[kept])
        return kernel.of_scores(np.asarray(X[kept] @ self.model.coef_.T) + self.model.intercept_)

    def input_weights(self, *, intercept: bool) -> FloatArray:
        """Return the weights of the inputs (p, d), and of a constant feature where there is an intercept."""
        coef: FloatArray = self.model.coef_.T
        return np.vstack([coef, self.model.intercept_]) if intercept else coef.copy()


def has_partial_fit(model: Any) -> bool:
    """Return whether an estimator has `partial_fit`; AttributeError says which parameter gives it one."""
    if model.solver == "sgd":
        return True
    raise AttributeError(f"partial_fit needs solver='sgd', got solver={model.solver!r}")


def require_same_intercept(model: Any, n_weights: int) -> None:
    """Raise ValueError unless `fit_intercept` goes with the weights of the features found so far."""
    learnt = n_weights - model.n_features_in_
    if learnt != int(model.fit_intercept):
        raise ValueError(
            f"fit_intercept={model.fit_intercept!r}, but the coefficients found so far are those of "
            f"fit_intercept={bool(learnt)}, which partial_fit continues: set it back, or begin anew with fit or clone"
        )


def structure_of(structure: Any, y: Any, classes: Any = None) -> Structure:
    """Return the structure of targets of which some are given, or, of labels, the list of all as `classes`."""
    if classes is not None:
        if structure is not None and target_type(structure) != "multiclass":
            raise ValueError(
                f"classes={classes!r} has no meaning for structure={structure!r}; leave it out, and give sizes in the "
                "structure"
            )
        refuse_masked(classes, "classes")
        y = np.asarray(classes)
    with warnings.catch_warnings():
        # Of few rows, classes may be more than half, as scikit-learn expects of numbers to be regressed on.
        warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
        return resolve_targets(structure, y)[0]


def takes_classes(structure: Any, y: Any) -> bool:
    """Whether a structure has to learn classes from y, of which some rows are given."""
    if structure is not None:
        return target_type(structure) == "multiclass" and getattr(structure, "n_classes", None) is None
    shape = np.shape(y)  # one label in each row
    return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)


def source_of(blocks: Any) -> BlockSource:
    """Return blocks as the user gives them, or a source, as a source."""
    return blocks if isinstance(blocks, BlockSource) else IterableBlocks(blocks)


def block_labels(block: Block) -> NDArray[Any]:
    """Return the labels of a block, each once."""
    return np.unique(np.asarray(block.y))


def require_linear(model: Any, how: str) -> None:
    """Raise ValueError for kernels whose matrices take all rows at once, which `how` does not see."""
    if model.kernel != "linear":
        raise ValueError(
            f"{how} needs kernel='linear', got kernel={model.kernel!r}: map the inputs by combpred.kernels.NystromMap, "
            "fitted to some rows"
        )
