"""Training data checked and embedded for solvers, and fitted attributes set from their solutions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples

from .._data.blocks import Block, BlockSource, IterableBlocks
from .._data.checks import frozen, refuse_called
from .._data.inputs import check_lengths, check_weights, validate_input
from .._data.targets import FlatSets, TargetError, flat_sets, summary
from .._lib.arrays import FloatArray, refuse_masked, require_memory
from .._lib.call import get_n_threads
from .._lib.loglinear import KernelFeatures
from .._lib.ridge import Targets
from ..kernels import InputKernel
from ..structures import MultiClass, Structure, classes_of, resolve_structure, target_type

if TYPE_CHECKING:
    from .base import StructuredEstimator


_NYSTROM = "fit fewer rows, or take kernel='linear' on inputs mapped by combpred.kernels.NystromMap"
_REMEDY = "set warm_start=False to start from zero"


def require_target(model: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
    """Raise ValueError where y is missing."""
    if y is None:
        raise ValueError(
            f"{type(model).__name__} requires y to be passed, but the target y is None: give one structure per row"
        )
    refuse_called(X, y)


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
        what = "y has sets of outputs" if sets is not None else f"outputs of {model.structure_!r} are none"
        raise ValueError(f"class_weight={of_classes!r} weighs rows of one class each, and {what}: give sample_weight")
    labels = labels.reshape(n)
    if isinstance(of_classes, dict):
        strange = [label for label in of_classes if label not in classes.tolist()]
        if strange:
            raise ValueError(
                f"class_weight names {strange[0]!r}, which is none of the classes {summary(classes.tolist())}"
            )
        for label, weight in of_classes.items():
            if not isinstance(weight, Real) or not 0 <= float(weight) < math.inf:
                raise ValueError(f"class_weight of {label!r} is {weight!r}, must be a finite number, at least 0")
        given = np.array([of_classes.get(label, 1.0) for label in labels.tolist()])
    else:
        occurring, at = np.unique(labels, return_inverse=True)
        counts = np.bincount(at, weights)
        given = counts.sum() / (len(occurring) * np.where(counts > 0, counts, 1.0))[at]
    of_rows = check_weights(given, n, name="class_weight")
    return of_rows if weights is None else weights if of_rows is None else check_weights(weights * of_rows, n)


def embed_targets(structure: Structure, rows: TrainingRows, n_threads: int) -> Targets:
    """Return the targets of training; ValueError naming the row where y is not in the structure."""
    if rows.sets is None:
        parts, partial = structure.encode_targets(rows.y)
        return Targets(structure.space.embed(parts, n_threads, partial=partial), rows.weights)
    return Targets(structure.space.embed(encode_sets(structure, rows.sets), n_threads), rows.weights, rows.sets.first)


def encode_sets(structure: Structure, sets: FlatSets) -> NDArray[Any]:
    """Return the outputs of sets in parts; ValueError naming the row where one is illegal or comes twice."""
    try:
        parts = structure.encode(sets.y)
    except TargetError as error:
        row, number = sets.locate(error.row)
        raise TargetError(row, f"output {number} of the set: {error.reason}", error.argument) from None
    _refuse_repetitions(parts, sets)
    return parts


def _refuse_repetitions(parts: NDArray[np.int32], sets: FlatSets) -> None:
    # Sorted by row and then by output, repetitions are neighbours.
    rows = np.repeat(np.arange(len(sets.first) - 1), np.diff(sets.first))
    order = np.lexsort((*parts.T[::-1], rows))
    same = (rows[order][1:] == rows[order][:-1]) & (parts[order][1:] == parts[order][:-1]).all(axis=1)
    if same.any():
        at = int(np.argmax(same))
        row, one = sets.locate(int(order[at]))
        _, other = sets.locate(int(order[at + 1]))
        raise TargetError(row, f"outputs {one} and {other} of the set are the same; list each output once")


class TrainingRows(NamedTuple):
    """Training data that were checked row against row, with y in the user's format."""

    X: Any
    y: Any
    sets: FlatSets | None  # where rows of y are sets of structures
    weights: FloatArray | None


def keep_weights(model: Any, weights: FloatArray) -> None:
    """Set the coefficients of `model` from weights of the inputs (q, d), the constant one last."""
    p = model.n_features_in_
    model.coef_ = np.ascontiguousarray(weights[:p].T)
    model.intercept_ = weights[p].copy() if model.fit_intercept else np.zeros(weights.shape[1])


def keep_dual(model: Any, X: Any, dual: FloatArray) -> None:
    """Set them from coefficients (n, d) of the rows of X; with a linear kernel they make up weights of the inputs."""
    # f(x) = Σ_i (k(x, x_i) + 1) dual_i: the constant feature's share is the sum of the coefficients.
    model.intercept_ = dual.sum(axis=0) if model.fit_intercept else np.zeros(dual.shape[1])
    if model.kernel_.is_linear:
        model.coef_ = np.ascontiguousarray((X.T @ dual).T)
        return
    model.dual_coef_ = dual
    if not model.kernel_.is_precomputed:
        model.X_fit_ = X


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
    coef : ndarray of shape (d, p), or None
        Of a linear kernel.
    intercept : ndarray of shape (d,)
    dual : ndarray of shape (n, d), or None
        Of other kernels, one row for each training row.
    classes : ndarray, or None
        Class labels, where there are any.
    """

    coef: FloatArray | None
    intercept: FloatArray
    dual: FloatArray | None
    classes: NDArray[Any] | None

    @classmethod
    def of(cls, model: Any) -> EarlierFit | None:
        """Return the coefficients of a fitted model, None where it has not been fitted."""
        if not hasattr(model, "intercept_"):
            return None
        return cls(
            getattr(model, "coef_", None),
            model.intercept_,
            getattr(model, "dual_coef_", None),
            getattr(model, "classes_", None),
        )

    def require_match(self, model: Any, n: int) -> None:
        """Raise ValueError unless a model, whose structure and kernel are resolved for n rows, has weights like these.

        The shapes must be the same, and so must the classes, whose weights would change places otherwise.
        """
        d = model.structure_.n_features
        old, found, what = (
            (self.coef, (d, model.n_features_in_), "coef_ (entries of ψ × features)")
            if model.kernel_.is_linear
            else (self.dual, (n, d), "dual_coef_ (training rows × entries of ψ)")
        )
        if old is None:
            raise ValueError(
                f"warm_start=True starts from {what}, and the earlier fit had another kernel, without them: {_REMEDY}"
            )
        if old.shape != found:
            raise ValueError(
                f"warm_start=True starts from {what}, which has shape {old.shape} after the earlier fit, and these "
                f"data need {found}: fit data of the same shape, or {_REMEDY}"
            )
        classes = getattr(model, "classes_", None)
        if self.classes is not None and classes is not None and not np.array_equal(self.classes, classes):
            raise ValueError(
                f"warm_start=True needs the classes of the earlier fit, {self.classes.tolist()}, got "
                f"{classes.tolist()}: {_REMEDY}"
            )

    def weights(self, X: Any, kernel: KernelFeatures | None, kept: NDArray[np.intp], *, intercept: bool) -> FloatArray:
        """Return the weights (q, d) of features, those of a kernel matrix of the rows `kept` or the inputs' own.

        In the features of a linear kernel's matrix they are the smallest ones that do so on the rows, which have no
        larger penalty and lose nothing: the maximum is among such weights.
        """
        if kernel is None:
            return self.input_weights(intercept=intercept)
        if self.dual is not None:
            return kernel.of_dual(self.dual[kept])
        assert self.coef is not None
        return kernel.of_scores(np.asarray(X[kept] @ self.coef.T) + self.intercept)

    def input_weights(self, *, intercept: bool) -> FloatArray:
        """Return the weights of the inputs (p, d), and of a constant feature where there is an intercept."""
        assert self.coef is not None
        return np.vstack([self.coef.T, self.intercept]) if intercept else self.coef.T.copy()


def has_partial_fit(model: Any) -> bool:
    """Return whether an estimator has `partial_fit`; AttributeError says which parameter gives it one."""
    if model.solver == "sgd":
        return True
    raise AttributeError(f"partial_fit needs solver='sgd', got solver={model.solver!r}")


def check_mini_batch(
    model: StructuredEstimator, X: Any, y: Any, classes: Any, sample_weight: Any, *, first: bool
) -> TrainingRows:
    """Check a mini-batch, whose X has been through `_check_input`; the first one sets `structure_` and `classes_`.

    Raises
    ------
    ValueError
        Where y, `classes` or weights are not legal, `classes` is missing, or differs from that of the first mini-batch.
    """
    check_lengths(X, y)
    if first:
        model._set_structure(_first_structure(model.structure, y, classes))
    elif classes is not None:
        known = getattr(model, "classes_", None)
        if known is None or not np.array_equal(np.unique(np.asarray(classes)), known):
            raise ValueError(f"classes is {classes!r}, but the first call had {known!r}; pass the same, or None")
    if model.class_weight == "balanced":
        raise ValueError(
            "class_weight='balanced' needs the counts of all rows, which partial_fit does not see: give a dict"
        )
    sets = flat_sets(y)
    weights = weigh_rows(model, y, sets, sample_weight)
    return TrainingRows(X, model.structure_.ordered(y) if hasattr(y, "columns") else y, sets, weights)


def require_same_parameters(model: Any, earlier: Mapping[str, Any]) -> None:
    """Raise ValueError unless parameters are what they were in `earlier`, when the coefficients were found."""
    for name, value in earlier.items():
        given = getattr(model, name)
        if frozen(given) != frozen(value):
            raise ValueError(
                f"{name}={given!r}, but the coefficients found so far are those of {name}={value!r}, which partial_fit "
                "continues: set it back, or begin anew with fit or clone"
            )


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
    if structure is not None and target_type(structure) != "multiclass":
        raise ValueError(
            f"classes={classes!r} has no meaning for structure={structure!r}; leave it out, and give sizes in the "
            "structure"
        )
    refuse_masked(classes, "classes")
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
        return target_type(structure) == "multiclass" and getattr(structure, "n_classes", None) is None
    shape = np.shape(y)  # one label in each row
    return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)


def require_linear(model: StructuredEstimator) -> None:
    """Raise ValueError for kernels whose matrices take all rows at once."""
    if model.kernel != "linear":
        raise ValueError(
            f"training on blocks needs kernel='linear', got kernel={model.kernel!r}: map the inputs of every block by "
            "combpred.kernels.NystromMap, fitted to some rows"
        )


def source_of(blocks: Any) -> BlockSource:
    """Return blocks as the user gives them, or a source, as a source."""
    return blocks if isinstance(blocks, BlockSource) else IterableBlocks(blocks)


def resolve_from_blocks(model: StructuredEstimator, source: BlockSource, classes: Any = None) -> str:
    """Set `structure_`, `classes_`, `kernel_` and the names of features from the first block, or from `classes`.

    Classes that a source gathers, as dask collections do, are those of all blocks. Returns how messages about targets
    that are not in the structure should end.
    """
    if model.class_weight is not None:
        raise ValueError(
            f"class_weight={model.class_weight!r} is for rows that come at once: give blocks their weights"
        )
    first, remedy = source.first(), ""
    with first.errors():
        unconverted(model, first.X)
        if classes is None and takes_classes(model.structure, first.y):
            if source.gathers_classes:
                classes = source.reduce(block_labels, merge=merge_labels)
            else:
                remedy = ": pass classes, the list of all labels, which are else those of the first block"
        if classes is not None:
            structure = structure_of_classes(model.structure, classes)
        else:
            with _ending(remedy):
                structure = structure_of_part(model.structure, first.y)
    model._set_structure(structure)
    resolve_linear_kernel(model)
    return remedy


@contextmanager
def _ending(remedy: str) -> Iterator[None]:
    """Let errors about all targets, rather than one row of them, end with what else to do."""
    try:
        yield
    except ValueError as error:
        if not remedy or type(error) is not ValueError:
            raise
        raise ValueError(f"{error}{remedy}") from None


def resolve_linear_kernel(model: StructuredEstimator) -> None:
    """Set `kernel_` to the linear kernel, which takes nothing from the rows."""
    model.kernel_ = InputKernel("linear", None, model.degree, model.coef0)


def unconverted(model: StructuredEstimator, X: Any) -> Any:
    """Return X as an array or CSR of any number type, setting the number and names of its features."""
    return validate_input(model, X, reset=True, accept_sparse="csr", dtype="numeric")


def block_labels(block: Block) -> NDArray[Any]:
    """Return the labels of a block, each once."""
    return np.unique(np.asarray(block.y))


def merge_labels(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    return np.union1d(one, other)


def require_linear_kernel(model: Any) -> None:
    """Refuse kernels whose matrices need all rows."""
    if model.kernel != "linear":
        raise ValueError(
            f"partial_fit needs kernel='linear', got kernel={model.kernel!r}: take fit, or a linear kernel on "
            "inputs mapped by combpred.kernels.NystromMap"
        )
