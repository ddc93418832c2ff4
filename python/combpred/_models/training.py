"""Training data, whole or in blocks of rows, checked and embedded for solvers; and what their training shares."""

from __future__ import annotations

from collections.abc import Callable, Collection
from copy import copy
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import _num_samples

from .._data.blocks import BLOCK_BYTES, Block, BlockSource
from .._data.inputs import check_weights, in_double, is_mapped, release_pages
from .._data.targets import FlatSets, flat_sets
from .._data.warn import warn_user
from .._lib.arrays import FloatArray, refuse_masked, require_memory
from .._lib.call import RowInputs, are_read_in_place, get_n_threads
from .._lib.errors import CapabilityError
from .._lib.kernel import InputKernel
from .._lib.loglinear import KernelFeatures
from .._lib.ridge import RowOutputs, Targets
from ..structures import Structure, classes_of, encode_rows, resolve_structure, target_type

_NYSTROM = "fit fewer rows, or take kernel='linear' on inputs mapped by combpred.kernels.NystromMap"
_PARTS_BYTES = 2**26  # most of encoded targets that are held as a whole, beside those of the user

# What to do about parameters that do not go with blocks or mini-batches.
_INSTEAD = {
    "kernel": ": map the inputs by combpred.kernels.NystromMap, fitted to some rows",
    "class_weight": ": it is for rows that come at once; give blocks their weights",
}


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


class TrainingRows(NamedTuple):
    """Training data that were checked row against row, with y in the user's format."""

    X: Any
    y: Any
    sets: FlatSets | None  # where rows of y are sets of structures
    weights: FloatArray | None

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])


def kernel_of(model: Any, rows: TrainingRows) -> InputKernel:
    """Return the kernel of an estimator, resolved on the training inputs."""
    return InputKernel.resolve(
        model.kernel, rows.X, gamma=None if model.kernel == "linear" else model.gamma, degree=model.degree,
        coef0=model.coef0, params=getattr(model, "kernel_params", None), weights=rows.weights,
    )  # fmt: skip


def embed_rows(model: Any, rows: TrainingRows, *, complete: bool = False) -> Targets:
    """Return ψ of the targets, after checking that they fit in memory with what training makes of them."""
    structure, sets = model.structure_, rows.sets
    n, d = rows.n if sets is None else int(sets.first[-1]), structure.n_features
    require_memory(8 * 4 * n * d, f"embedding {n} outputs in {d} features", "fit fewer rows, or a smaller structure")
    parts, partial = encode_rows(structure, rows.y, sets, complete=complete)
    psi = structure.space.embed(parts, get_n_threads(model.n_jobs), partial=partial)
    known = parts if structure.space.in_library else None
    return Targets(psi, rows.weights, None if sets is None else sets.first, known, partial)


def require_single(sets: Any, learner: str) -> None:
    """Raise CapabilityError where rows of y are sets, which `learner` cannot learn from."""
    if sets:
        raise CapabilityError(
            f"{learner} takes one output for each row, and y holds Admissible sets: take one of each, or "
            "StructuredRidge or ProbabilisticStructured, which learn from sets"
        )


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
        """Return the coefficients that a model is to start from, None where it starts from zero."""
        return cls(copy(model)) if model.warm_start and hasattr(model, "intercept_") else None

    def require_match(self, model: Any, n: int) -> None:
        """Raise ValueError unless a model, whose structure and kernel are resolved for n rows, has weights like these.

        The shapes must be the same, and so must the classes, whose weights would change places otherwise.
        """
        d = model.structure_.n_features
        name, shape = ("coef_", (d, model.n_features_in_)) if model.kernel_.is_linear else ("dual_coef_", (n, d))
        before, now = (getattr(each, "classes_", ()) for each in (self.model, model))
        if np.shape(getattr(self.model, name, ())) != shape or not np.array_equal(before, now):
            raise ValueError(
                f"warm_start=True needs an earlier fit to the same classes, with {name} of shape {shape}: set "
                "warm_start=False to start from zero"
            )

    def weights(self, X: Any, kernel: KernelFeatures | None, kept: NDArray[np.intp], *, intercept: bool) -> FloatArray:
        """Return the weights (q, d) of features, those of a kernel matrix of the rows `kept` or the inputs' own.

        In the features of a linear kernel's matrix they are the smallest ones that do so on the rows, which have no
        larger penalty and lose nothing: the maximum is among such weights.
        """
        if kernel is None:
            return self.input_weights(intercept=intercept)
        if hasattr(self.model, "dual_coef_"):
            return kernel.converted("from-dual", self.model.dual_coef_[kept])
        return kernel.converted("from-scores", np.asarray(X[kept] @ self.model.coef_.T) + self.model.intercept_)

    def input_weights(self, *, intercept: bool) -> FloatArray:
        """Return the weights of the inputs (p, d), and of a constant feature where there is an intercept."""
        coef: FloatArray = self.model.coef_.T
        return np.vstack([coef, self.model.intercept_]) if intercept else coef.copy()


def folds_of(cv: Any, n: int, y: Any = None, *, seed: int) -> NDArray[np.int8]:
    """Return a matrix (n, folds): 1 for rows that a fold trains on, −1 for those left out, 0 for neither.

    ValueError where `cv` gives no folds of n rows. y is for splitters that need classes; a number of folds is of
    shuffled rows.
    """
    if isinstance(cv, Integral):
        cv = KFold(min(int(cv), n), shuffle=True, random_state=seed)
    numbers = np.arange(n)
    try:
        found = [(numbers[some], numbers[others]) for some, others in check_cv(cv).split(np.zeros((n, 1)), y)]
    except (IndexError, TypeError, ValueError) as error:
        raise ValueError(f"cv={cv!r} gives no folds of {n} rows: {error}") from error
    if not found:
        raise ValueError(f"cv={cv!r} gives no folds")
    folds = np.zeros((n, len(found)), dtype=np.int8)
    for fold, (some, others) in enumerate(found):
        if np.isin(some, others).any():
            raise ValueError(f"cv: fold {fold} trains on rows that it leaves out")
        folds[some, fold], folds[others, fold] = 1, -1
    return folds


def has_partial_fit(model: Any) -> bool:
    """Return whether an estimator has `partial_fit`; AttributeError says which parameter gives it one."""
    if model.solver == "sgd":
        return True
    raise AttributeError(f"partial_fit needs solver='sgd', got solver={model.solver!r}")


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
    sets = flat_sets(y)
    return resolve_structure(structure, y if sets is None else sets.y)


def takes_classes(structure: Any, y: Any) -> bool:
    """Whether a structure has to learn classes from y, of which some rows are given."""
    if structure is not None:
        return target_type(structure) == "multiclass" and getattr(structure, "n_classes", None) is None
    shape = np.shape(y)  # one label in each row
    return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)


def block_labels(block: Block) -> NDArray[Any]:
    """Return the labels of a block, each once."""
    return np.unique(np.asarray(block.y))


def require_parameters(model: Any, how: str, **allowed: Collection[Any]) -> None:
    """Raise ValueError for the first parameter whose value is none of those with which rows can be trained on so."""
    for name, values in allowed.items():
        value = getattr(model, name)
        if value not in values:
            needed = " or ".join(map(repr, values))
            raise ValueError(f"{how} needs {name}={needed}, got {name}={value!r}{_INSTEAD.get(name, '')}")


def warn_unconverged(message: str) -> None:
    """Issue a ConvergenceWarning that points to the user's line."""
    warn_user(message, ConvergenceWarning)


@dataclass(frozen=True)
class BlockRows:
    """How blocks are read, and what every block must agree with. It can be pickled.

    Attributes
    ----------
    structure : Structure
        With all sizes resolved.
    n_features : int
    n_threads : int
    reader : estimator or None, default=None
        Knows the features that every block must have; None where inputs have been read.
    """

    structure: Structure
    n_features: int
    n_threads: int
    reader: Any = None

    @classmethod
    def of_model(cls, model: Any, structure: Structure, reader: Any = None) -> BlockRows:
        """Describe blocks for an estimator whose features are resolved."""
        return cls(structure, model.n_features_in_, get_n_threads(model.n_jobs), reader)

    @classmethod
    def of_source(cls, model: Any, source: BlockSource, classes: Any, **allowed: Any) -> BlockRows:
        """Describe the blocks of a source, from the first one or `classes`, and set the features of the estimator.

        Classes that a source gathers, as dask collections do, are those of all blocks; `allowed` are parameters as
        `require_parameters` takes them.
        """
        require_parameters(model, "training on blocks", kernel=["linear"], class_weight=[None], **allowed)
        first = source.first()
        with first.errors():
            model._read_inputs(first.X, reset=True)
            if classes is None and source.gathers_classes and takes_classes(model.structure, first.y):
                classes = source.reduce(block_labels, merge=np.union1d)
            return cls.of_model(model, structure_of(model.structure, first.y, classes), model)

    def read(self, block: Block) -> tuple[RowInputs, RowOutputs]:
        """Return the rows of a block as the library reads them; to be called within the block's `errors`."""
        X = self._inputs(block)
        return RowInputs(X if are_read_in_place(X) else in_double(X)), self._outputs(block)

    def compute(self, block: Block, function: Callable[..., FloatArray], *arguments: Any) -> FloatArray:
        """Return ``function(inputs, outputs, *arguments)`` of the rows of a block; for `BlockSource.reduce`."""
        with block.errors():
            return function(*self.read(block), *arguments)

    def read_whole(self, block: Block) -> tuple[RowInputs, RowOutputs] | None:
        """Return all rows as the library reads them, None where they would have to be copied and are too many.

        Rows of mapped files are read in place, and given back.
        """
        X, d = self._inputs(block), self.structure.n_features
        in_place = are_read_in_place(X)
        width = X.nnz / max(X.shape[0], 1) if sparse.issparse(X) else self.n_features
        n_bytes, most = (4 * self.structure.space.part_len, _PARTS_BYTES) if self._has_parts() else (8 * d, BLOCK_BYTES)
        if (not in_place and 8 * block.n * width > BLOCK_BYTES) or (
            block.n * n_bytes > most and not sparse.issparse(block.y)
        ):
            return None
        outputs = self._outputs(block)
        release_pages(block.y)
        return RowInputs(X if in_place else in_double(X), mapped=is_mapped(X)), outputs

    def _inputs(self, block: Block) -> Any:
        """Return the inputs of a block, as the user gives them where the library can read these."""
        return block.X if self.reader is None else self.reader._read_inputs(block.X)

    def _has_parts(self) -> bool:
        return self.structure.space.parts_dtype != np.object_

    def _outputs(self, block: Block) -> RowOutputs:
        """Return the targets of a block."""
        structure, sets = self.structure, flat_sets(block.y)
        form: dict[str, Any] = {"n": block.n, "d": structure.n_features, "weights": block.weights}
        few = structure.embed_sparse(block.y) if sets is None and hasattr(structure, "embed_sparse") else None
        if few is not None:
            return RowOutputs(**form, psi=few)
        parts, partial = encode_rows(structure, block.y, sets)
        form["first"] = None if sets is None else sets.first
        if self._has_parts():
            return RowOutputs(**form, parts=parts, partial=partial)
        return RowOutputs(**form, psi=structure.space.embed(parts, self.n_threads, partial=partial))
