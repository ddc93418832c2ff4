"""Base of the estimators: checks of inputs, scores, predictions and certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import _check_partial_fit_first_call

from .._data.checks import check_argument, choice, counted, seed_of, whole_number
from .._data.dask import lazily_on_dask, mean_over_rows
from .._data.inputs import check_lengths, clear_fit, in_double, is_dask, is_mapped, read_inputs, release_pages
from .._data.names import output, set_output
from .._data.tables import Named, Tabular
from .._data.targets import flat_sets
from .._lib.arrays import FloatArray, IndexArray, allocate, refuse_masked, row_blocks
from .._lib.call import are_read_in_place, get_n_threads, row_streams
from .._lib.decode import DECODERS, Decoded, Decoding, Model, score_values
from .._lib.errors import CapabilityError, renumbered
from .._lib.kernel import check_kernel
from .._lib.loglinear import KernelFeatures
from .._lib.structure import structure_mode
from ..kernels import InputKernel
from ..structures import (
    RowConstraints,
    Structure,
    class_values,
    classes_of,
    form_of,
    has_method,
    named,
    resolve_structure,
    row_scores,
    target_type,
)
from .thresholds import above_threshold
from .training import TrainingRows, kernel_of, structure_of, takes_classes, weigh_rows


@dataclass(frozen=True, eq=False, repr=False)
class Certified(Tabular):
    r"""Predicted structures with guarantees on their scores, one entry for each row.

    For a row's score function :math:`s(y)`, decoding maximises :math:`s(y)` over all structures. Every field but
    `structures` is an array of shape ``(n,)``.

    Attributes
    ----------
    structures : array
        The predictions, in the format of y.
    value : ndarray of float64
        The score of the predicted structure.
    nu : ndarray of float64
        The guarantee: ``value >= (1 - nu) * max + nu * min`` over all structures. 0 where `optimal`.
    optimal : ndarray of bool
        Whether no structure scores higher, up to rounding.
    upper_bound : ndarray of float64
        A proven bound on the score of every structure; equal to `value` where `optimal`.

    Examples
    --------
    >>> from combpred import StructuredRidge
    >>> model = StructuredRidge("permutations").fit([[0.0], [1.0], [2.0]], [[1, 2, 3], [2, 1, 3], [3, 2, 1]])
    >>> y, certified = model.predict([[0.0], [1.0], [3.0]], return_certificate=True)
    >>> certified
    Certified: 3 predictions, 3 proven optimal
    row  structures      value  nu  optimal  upper_bound
      0  [1 2 3]     -0.653846   0  True       -0.653846
      1  [2 1 3]     -0.961538   0  True       -0.961538
      2  [3 2 1]      0.884615   0  True        0.884615
    """

    structures: Any
    value: FloatArray
    nu: FloatArray
    optimal: NDArray[np.bool_]
    upper_bound: FloatArray

    _outputs = "structures"
    _shown: Named | None = field(default=None, kw_only=True)

    def _title(self) -> str:
        return f"Certified: {counted(len(self.value), 'prediction')}, {int(self.optimal.sum())} proven optimal"


@dataclass(eq=False, repr=False)
class StructuredEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    r"""Base of estimators that score a structure y for an input x by :math:`\langle f(x), \psi(y)\rangle`.

    Estimators are dataclasses, whose fields are the constructor parameters; those that several share are in their
    bases. They are without ``eq`` and ``repr``, which scikit-learn defines. Their ``fit`` sets `structure_` and, unless
    a subclass has other `_scores`, `kernel_`, `intercept_` and either `coef_` (linear kernel) or `dual_coef_` (with
    `X_fit_`, unless the kernel is precomputed).
    """

    structure: Any = None
    _: KW_ONLY
    decoder: str = "auto"
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None

    # Of parameters that several estimators have; scikit-learn looks at those that one has.
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "structure": [object],  # `resolve_structure` checks it, in words of its own
        **InputKernel._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "average": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "decoder": [StrOptions(set(DECODERS))],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_candidates": [Interval(Integral, 1, 2**20, closed="both"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "shuffle": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
    }

    def _read_inputs(self, X: Any, *, reset: bool = False, dtype: Any = "numeric") -> Any:
        """Return X as `read_inputs` does; `in_double` converts arrays of other number types, some rows at a time."""
        return read_inputs(self, X, reset=reset, dtype=dtype, accept_sparse=self.kernel != "precomputed")

    def _own_structure(self) -> Any:
        """Return the parameter that says what is predicted, as it is before `fit`."""
        return self.structure

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        structure = self._own_structure()
        if structure is None or has_method(structure, "probabilities"):  # scikit-learn then stratifies
            tags.estimator_type = "classifier"
            # With structure None it is y that decides, so several labels are claimed only where they are asked for.
            tags.classifier_tags = ClassifierTags(multi_label=target_type(structure) == "multilabel-indicator")
        return tags

    # Training.

    def _read_rows(
        self, X: Any, y: Any, sample_weight: Any, *, dtype: Any = np.float64,
        resolve: Callable[[Any, Any], Structure] | None = resolve_structure,
    ) -> TrainingRows:  # fmt: skip
        """Return the training data, checked row against row, and set `structure_`, unless `resolve` is None."""
        if y is not None:  # which `check_lengths` refuses in scikit-learn's words
            dtype = "numeric" if self.kernel == "precomputed" else dtype
            X = self._read_inputs(X, reset=resolve is not None, dtype=dtype)
        check_lengths(X, y)
        if self.kernel == "precomputed":
            X = np.ascontiguousarray(X, dtype=np.float64)
            check_kernel(X, n_threads=get_n_threads(self.n_jobs))
        sets = flat_sets(y)
        if resolve is not None:
            self._set_structure(resolve(self.structure, y if sets is None else sets.y))
        return TrainingRows(X, y, sets, weigh_rows(self, y, sets, sample_weight))

    def _read_mini_batch(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, *, first: bool, weights: FloatArray | None = None
    ) -> TrainingRows:
        """Return the rows of a mini-batch, the first of which clears an earlier fit, and sets structure and kernel.

        `weights` (q, d) are those of the input features that earlier ones have led to.
        """
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs the counts of all rows, which partial_fit does not see: give a dict"
            )
        if weights is not None and len(weights) - self.n_features_in_ != int(self.fit_intercept):
            raise ValueError(
                f"fit_intercept={self.fit_intercept!r}, but partial_fit continues from coefficients found with the "
                "other value: set it back, or begin anew with fit or clone"
            )
        if first:
            clear_fit(self)
        has_classes = takes_classes(self.structure, y) or hasattr(self, "classes_")
        if has_classes:
            refuse_masked(classes, "classes")
            _check_partial_fit_first_call(self, classes)
        known = not first and (has_classes or classes is None)  # of others `structure_of` refuses classes
        rows = self._read_rows(X, y, sample_weight, resolve=None if known else partial(structure_of, classes=classes))
        if first:
            self.kernel_ = kernel_of(self, rows)
        return rows

    def _keep_weights(self, weights: FloatArray) -> None:
        """Set `coef_` and `intercept_` from weights of the inputs (q, d), the constant one last if there is one."""
        p = self.n_features_in_
        self.coef_ = np.ascontiguousarray(weights[:p].T)
        self.intercept_ = weights[p].copy() if self.fit_intercept else np.zeros(weights.shape[1])

    def _keep_dual(self, X: Any, dual: FloatArray) -> None:
        """Set them, or `dual_coef_` and `X_fit_`, from coefficients (n, d) of the rows of X."""
        # f(x) = Σ_i (k(x, x_i) + 1) dual_i: the weight of the constant is the sum of the coefficients.
        constant = dual.sum(axis=0)
        if self.kernel_.is_linear:
            self._keep_weights(np.vstack([X.T @ dual, constant]))
            return
        self.dual_coef_, self.intercept_ = dual, constant if self.fit_intercept else np.zeros_like(constant)
        if not self.kernel_.is_precomputed:
            self.X_fit_ = X

    def _keep_features(
        self, X: Any, kernel: KernelFeatures | None, kept: IndexArray, weights: FloatArray, dual: Any = None
    ) -> None:
        """Set them from weights (q, d) of the features of `kernel`, a matrix of the rows `kept` of X, or of the inputs.

        `dual` are the coefficients of these rows, if they are known.
        """
        if kernel is None:
            self._keep_weights(weights)
            return
        whole = np.zeros((X.shape[0], weights.shape[1]))
        whole[kept] = kernel.converted("dual", weights) if dual is None else dual
        self._keep_dual(X, whole)

    def _set_structure(self, structure: Structure) -> None:
        """Set `structure_` and what follows from it, such as `classes_` where scikit-learn asks for them."""
        self.structure_ = structure
        classes = classes_of(structure)
        if classes is not None:
            self.classes_ = classes

    def set_output(self, *, predict: str | None = None) -> Any:
        """Set what predictions come back as.

        Parameters
        ----------
        predict : {"default", "names", "pandas", "polars"} or None, default=None
            What `predict`, `predict_proba`, `predict_log_proba` and `predict_marginals` return. "default": arrays.
            "names": predictions in the natural form of the structure, such as lists of labels, as an array of n
            objects; otherwise as "default". "pandas", "polars": a data frame whose columns have the names of the
            structure's labels, items or nodes (or of the entries of ψ), with the index of X; a series where outputs
            are single values. None: as before.

        Returns
        -------
        estimator
            The estimator itself. As in scikit-learn, ``clone`` keeps the choice.

        Raises
        ------
        ValueError
            For another value.

        Examples
        --------
        >>> import pandas as pd
        >>> from combpred import StructuredRidge
        >>> X, y = pd.DataFrame({"age": [20, 30, 60]}), pd.DataFrame({"tea": [2, 2, 1], "milk": [1, 1, 2]})
        >>> StructuredRidge("permutations").set_output(predict="pandas").fit(X, y).predict(X[:1])
           tea  milk
        0    2     1
        """
        set_output(self, predict)
        return self

    # Scores and predictions.

    @lazily_on_dask
    def feature_scores(self, X: Any) -> FloatArray:
        """Return f(x) of each row: one score for each entry of ψ.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
            Inputs; for ``kernel="precomputed"`` the kernel values between these rows and the training rows.

        Returns
        -------
        ndarray of shape (n, d), float64
            Columns are named by ``structure_.feature_names()``.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For inputs that are not legal, and where kernel values or scores overflow, naming the row.
        MemoryError
            When the scores do not fit, before they are allocated.

        Notes
        -----
        Cost for n rows, with a linear kernel of p features: :math:`O(n p d)` time; with another kernel on m training
        rows: n m kernel values and :math:`O(n m d)`. Kernel values are held in blocks of 16 MiB.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = StructuredRidge("permutations", alpha=0.1).fit(X, y)
        >>> ranker.feature_scores(X).shape, ranker.structure_.feature_names().tolist()
        ((4, 1), ['0 before 1'])
        """
        return self._scores(self._read_inputs(X))

    def _scores(self, X: Any) -> FloatArray:
        """Return f(x) of all rows of X, which has been read."""
        n, d = X.shape[0], self.structure_.n_features
        scores: FloatArray = allocate((n, d), np.float64, f"{d} scores for each of {n} rows", "pass fewer rows at once")
        model = self._model()
        for rows in self._row_blocks(X, whole=True):
            self._predict_rows(model, X, rows, scores=scores[rows])
        return scores

    @lazily_on_dask
    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores in the shape that scikit-learn expects of a classifier.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)

        Returns
        -------
        ndarray of shape (n, d) or (n,), float64
            As `feature_scores`; for grades, nodes and elements what `predict` maximises, less its mean, a column for
            each of `classes_`. Where there are two: the second one's score minus the first's, of shape ``(n,)``.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For inputs that are not legal, and where kernel values or scores overflow, naming the row.
        MemoryError
            When the scores do not fit, before they are allocated.

        Notes
        -----
        Cost: that of `feature_scores`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
        >>> StructuredRidge().fit(X, ["a", "a", "b", "b"]).decision_function(X) > 0
        array([False, False,  True,  True])
        """
        return self._decision(self.feature_scores(X))

    def _decision(self, scores: FloatArray) -> FloatArray:
        space, of_sets = self.structure_.space, self.structure_.target_type == "multilabel-indicator"
        if hasattr(self, "classes_") and not of_sets and not space.facts["exclusive"]:
            scores = class_values(self.structure_, *self._decoding_scores(scores))
        two = scores.shape[1] == 2 and not of_sets and hasattr(self, "classes_")
        return scores[:, 1] - scores[:, 0] if two else scores

    def score_structures(self, X: Any, y: Any) -> FloatArray:
        r"""Return the score of a given structure for each row, the quantity that `predict` maximises.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures

        Returns
        -------
        ndarray of shape (n,), float64
            :math:`\langle f(x), \psi(y)\rangle` with ψ not centred; for ``loss="squared"``
            :math:`\langle E\psi, \psi(y)\rangle`, where :math:`E\psi = f(x) + \mu` and μ is the mean of ψ under the
            uniform distribution. With ``decision="mbr"``, where `predict` takes the structure of least expected loss,
            :math:`\langle E\psi, \psi(y)\rangle - \tfrac12\|\psi(y)\|^2`; with ``decision="mode"`` the probability of
            y that these expectations tell.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For inputs or structures that are not legal, and where kernel values or scores overflow, naming the row.

        Notes
        -----
        Cost for n rows, with a linear kernel of p features: :math:`O(n p d)` time; with another kernel on m training
        rows: n m kernel values and :math:`O(n m d)`. Kernel values are held in blocks of 16 MiB.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = StructuredRidge("permutations", alpha=0.1).fit(X, y)
        >>> given, reverse = ranker.score_structures(X[:1], [[1, 2]]), ranker.score_structures(X[:1], [[2, 1]])
        >>> (given > reverse).tolist()
        [True]
        """
        X = self._read_inputs(X)
        parts = self.structure_.encode(y)
        check_lengths(X, parts)
        values = np.empty(X.shape[0])
        for rows, block in self._score_blocks(X):
            values[rows] = self._values(block, parts[rows], rows.start)
        return values

    def _values(self, scores: FloatArray, parts: Any, first: int) -> FloatArray:
        """Return what `predict` maximises, for f(x) of rows from number `first` on and given outputs."""
        psi = self.structure_.space.embed(parts, get_n_threads(self.n_jobs))
        return score_values(psi, *self._decoding_scores(scores, first))

    def _decides_by(self) -> tuple[str, str]:
        """Return the loss, "auc" or "squared", and the decision, "score", "mbr", "mode" or "f1", of predictions."""
        return "auc", "score"

    def _decoding_scores(
        self, scores: FloatArray, first: int = 0, held: RowConstraints | None = None
    ) -> tuple[FloatArray, FloatArray | None]:
        """Return (s, t) such that prediction maximises ⟨s, ψ(y)⟩ + ⟨t, ψ(y)²⟩, from f(x) of rows from `first` on."""
        loss, decision = self._decides_by()
        if (loss, decision) == ("auc", "score"):
            return scores, None
        if decision == "f1":
            return above_threshold(self, scores), None
        # Scores of the AUC loss are log-odds against the uniform distribution, under which ψ is μ + Σf to first order.
        expected = self.structure_.mean() + (scores @ self.structure_.covariance() if loss == "auc" else scores)
        if decision == "mode":
            return structure_mode(self.structure_.space.description, expected), None
        # argmin_y ‖ψ(y) − Eψ‖² = argmax_y ⟨Eψ, ψ(y)⟩ − ½‖ψ(y)‖², a score of −½ on the squares of the entries of ψ
        # (Weston et al., 2002, "Kernel dependency estimation").
        return expected, np.full(scores.shape[1], -0.5) if decision == "mbr" else None

    def _model(self, **instead: Any) -> Model:
        """Return what the library predicts from; `instead` are fields of ``cp_model`` other than those of the fit."""
        kernel: InputKernel = self.kernel_
        named = isinstance(kernel.name, str) and not (kernel.is_linear or kernel.is_precomputed)
        loss, decision = self._decides_by()
        decision = "score" if decision == "f1" else decision  # the library knows no threshold of a row
        fields = {"intercept": self.intercept_, "loss": loss, "decision": decision, **instead}
        return Model(
            self.structure_.space.description, kernel if named else None, self.X_fit_ if named else None,
            get_n_threads(self.n_jobs), coef=self.coef_.T if kernel.is_linear else self.dual_coef_, **fields,
        )  # fmt: skip

    def _row_blocks(self, X: Any, *, whole: bool = False) -> Iterator[slice]:
        """Cut rows so that neither kernel values nor scores of all need be held; not where the library does that."""
        if whole and are_read_in_place(X) and not callable(self.kernel_.name):
            return iter([slice(0, X.shape[0])])
        width = self.structure_.n_features
        if not self.kernel_.is_linear:
            width = max(len(self.dual_coef_), width)
        return row_blocks(X.shape[0], max(width, X.shape[1]))

    def _predict_rows(self, model: Model, X: Any, rows: slice, **wanted: Any) -> None:
        """Have the library predict some rows of X; `wanted` says what, and where it goes."""
        given = X[rows]
        if callable(self.kernel_.name):
            given = self.kernel_.matrix(in_double(given, rows.start), self.X_fit_, first_row=rows.start)
        model.predict(given, first=rows.start, mapped=is_mapped(X), **wanted)
        release_pages(X[rows])

    def _score_blocks(self, X: Any) -> Iterator[tuple[slice, FloatArray]]:
        """Yield f(x) for blocks of rows."""
        model = self._model()
        for rows in self._row_blocks(X):
            scores = np.empty((rows.stop - rows.start, self.structure_.n_features))
            self._predict_rows(model, X, rows, scores=scores)
            yield rows, scores

    @lazily_on_dask
    def predict(
        self, X: Any, *, constraints: Any = None, return_certificate: bool = False, return_marginals: bool = False
    ) -> Any:
        """Predict the structure with the largest score for each row.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        constraints : dict, or list of n dicts (or None), default=None
            Constraints on predictions: one dict for all rows, or one for each row, None for a row without any.
            The keys are those of the structure, in the notes of its class: ``start``, ``end`` and ``length`` of cycles
            and routes, ``first``, ``last`` and ``before`` of rankings, ``size`` of sets, ``required`` and
            ``forbidden`` labels, vertices, places, nodes, edges, arcs or cells. All are called by their names, or by
            numbers from 0 on. The structure of largest score is predicted among those that meet the row's conditions.
        return_certificate : bool, default=False
            Whether to return what is known of each prediction, too, at no further cost. A `Pipeline` passes this on.
        return_marginals : bool, default=False
            Whether to return that of `predict_marginals`, too, of estimators of distributions.

        Returns
        -------
        y : array
            n structures in the format of y. For ``LabelSets`` fitted to sparse y: CSR, as scikit-learn's multi-label
            classifiers do.
        certified : Certified
            With `return_certificate`: the scores of the predictions and how good these are proven to be, among the
            structures that meet the row's constraints. Under constraints, `nu` is 1 where optimality is not proven, and
            the distance between `value` and `upper_bound` is what is known.
        marginals : ndarray of shape (n, d), or DataFrame
            With `return_marginals`.

        Raises
        ------
        CapabilityError
            If ``decoder="exact"`` and the structure is beyond the size that is solved exactly. For constraints on a
            structure, or with a decoder, that takes none. For `return_marginals` of estimators without.
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError, TypeError
            For inputs that are not legal, and where kernel values or scores overflow, naming the row. For constraints
            that are not legal, or that no structure satisfies, naming row, key and remedy.
        MemoryError
            When the predictions do not fit, before they are allocated.

        Notes
        -----
        Cost for n rows, with a linear kernel of p features: :math:`O(n p d)` time; with another kernel on m training
        rows: n m kernel values and :math:`O(n m d)`, and n decodings. Scores are held in blocks of 16 MiB. Rows with
        equal constraints are decoded together. Exact decoders compare only outputs that satisfy the constraints.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = StructuredRidge("permutations", alpha=0.1).fit(X, y)
        >>> ranker.predict([[0.5], [2.5]]).tolist()
        [[1, 2], [2, 1]]
        >>> y, certified = ranker.predict([[0.5], [2.5]], return_certificate=True)
        >>> certified.optimal.tolist()
        [True, True]
        """
        if return_marginals and not hasattr(self, "predict_marginals"):
            raise CapabilityError(
                f"{type(self).__name__} has no distributions and so no marginals: take ProbabilisticStructured"
            )
        inputs = self._read_inputs(X)
        space, form = self.structure_.space, form_of(self.structure_)
        compressed, decoded = form.sparse_format, None
        if compressed is not None and not return_certificate:
            blocks = self._decoded_blocks(inputs, constraints, self._decoding())
            y = compressed(sparse.vstack([compressed(part.y) for _, part in blocks], dtype=np.int64))
        else:
            decoded = self._decode_rows(inputs, constraints)
            y = space.decode_parts(decoded.y)
            y = y if compressed is None else compressed(y)
        y = output(self, y, X, form.columns, form.in_names)
        found: tuple[Any, ...] = (y,)
        if decoded is not None and return_certificate:
            _, value, bound, nu, optimal = decoded
            found += (Certified(y, value, nu, optimal, bound, _shown=named(self.structure_, y)),)
        if return_marginals:
            found += (self.predict_marginals(X, constraints=constraints),)
        return found if len(found) > 1 else y

    def enumerate(self, X_row: Any, *, nu: float = 0.5, max_results: int | None = None) -> Iterator[Any]:
        r"""Iterate over the structures whose scores for one input are largest, each once.

        Parameters
        ----------
        X_row : array of shape (n_features,) or (1, n_features)
        nu : float, default=0.5
            In (0, 1]. Every structure with score at least :math:`(1-\nu)\max + \nu\min` is listed, over all
            structures. 1 lists all, so that ``nu=1, max_results=k`` gives the k best.
        max_results : int or None, default=None
            How many to list at most; None for all, of which there may be as many as the space has members.

        Yields
        ------
        y : one row in the structure's format
            In descending order of the score, up to rounding. The exception is ``nu=0.5`` in sibling systems (rankings,
            label sets of any size, relations, graphs, directed cycles), whose structures come in pairs: there they come
            in no order of the score, without any decoding. Structures with equal ψ, which no score tells apart (cliques
            of less than two vertices, paths through tied arcs), are listed once.

        Raises
        ------
        CapabilityError
            Where structures are listed in order, and the structure is too large to be decoded exactly, is a `Custom`
            one given by functions, or has features other than −1, 0 and 1 (paths that count tied arcs) and more
            members than can be sorted.
        TypeError
            If `nu` is no number.
        sklearn.exceptions.NotFittedError, ValueError
            As `predict`.

        Notes
        -----
        In order: at most d exact decodings for each structure listed (Murty, 1968; Lawler, 1972); O(d) where the
        entries of ψ are independent; small spaces are sorted at once. For sibling systems and ν = ½ the time to the
        next structure is polynomial in the number listed so far and the size of the structures (Gärtner & Vembu, 2009).

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = StructuredRidge("permutations", alpha=0.1).fit(X, y)
        >>> [good.tolist() for good in ranker.enumerate([0.5])]
        [[1, 2]]
        >>> [good.tolist() for good in ranker.enumerate([0.5], nu=1, max_results=2)]
        [[1, 2], [2, 1]]
        """
        check_argument(nu, "nu", Interval(Real, 0, 1, closed="right"))
        if max_results is not None:
            whole_number(max_results, "max_results", 1, 2**63 - 1)
        X = self._read_inputs(X_row if np.ndim(X_row) == 2 or sparse.issparse(X_row) else np.atleast_2d(X_row))
        if X.shape[0] != 1:
            raise ValueError(f"X_row must be one row, got {X.shape[0]}")
        ((_, scores),) = self._score_blocks(X)
        linear, magnitude = self._decoding_scores(scores)
        return self.structure_.k_best(
            linear[0],
            magnitude,
            nu=float(nu),
            most=max_results,
            n_threads=get_n_threads(self.n_jobs),
            method="unordered",
        )

    def _decode_rows(self, X: Any, constraints: Any = None) -> Decoded:
        """Decode the scores of all rows of X, which has been read, block by block into arrays that hold the whole."""
        n, space = X.shape[0], self.structure_.space
        what, remedy = f"predicting {n} structures of {space.part_len} parts", "pass fewer rows at once"
        parts = allocate((n, space.part_len), space.parts_dtype, what, remedy)
        value, bound, nu = allocate((3, n), np.float64, what, remedy)
        whole = Decoded(parts, value, bound, nu, np.empty(n, dtype=np.bool_))
        how = self._decoding()
        if constraints is None and self._decides_by_scores() and space.decodes_in_library(how.decoder):
            model = self._model()
            for rows in self._row_blocks(X, whole=True):
                self._predict_rows(model, X, rows, found=whole.rows(rows), how=how)
            return whole
        for rows, part in self._decoded_blocks(X, constraints, how):
            for column, some in zip(whole, part, strict=True):
                column[rows] = some
        return whole

    def _decides_by_scores(self) -> bool:
        """Whether the library predicts what follows from f(x) of a row without inference."""
        return self._decides_by()[1] != "f1"

    def _decoded_blocks(self, X: Any, constraints: Any, how: Decoding) -> Iterator[tuple[slice, Decoded]]:
        """Yield the decoded scores of blocks of rows; X must have been through `_read_inputs`."""
        held = None if constraints is None else RowConstraints(self.structure_.space, constraints, X.shape[0])
        streams = row_streams(X, apart=False) if how.is_random else None
        for rows, block in self._score_blocks(X):
            how = replace(how, streams=None if streams is None else streams[rows])
            yield rows, self._decode_scores(block, how, held, rows.start)

    def _decoding(self) -> Decoding:
        """Return how one call decodes, with a seed drawn from `random_state` where the decoder needs one."""
        choice(self.decoder, "decoder", DECODERS)  # it may have been set after fit, which checks it
        how = Decoding(self.decoder, get_n_threads(self.n_jobs), verbose=int(getattr(self, "verbose", 0)))
        return replace(how, seed=seed_of(self.random_state)) if how.is_random else how

    def _decode_scores(
        self, scores: FloatArray, how: Decoding, held: RowConstraints | None = None, first: int = 0
    ) -> Decoded:
        """Decode f(x) of rows from number `first` on, which are held to their constraints."""
        linear, magnitude = self._decoding_scores(scores, first, held)
        if held is not None:
            return held.decode(linear, magnitude, how, first)
        structure: Structure = self.structure_
        with renumbered(slice(first, None)):
            return structure.space.decode(linear, magnitude, how)

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, constraints: Any = None) -> float:
        """Return the structure's default metric on predictions; larger is better.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
        sample_weight : array of shape (n,), optional
        constraints : dict, or list of n dicts (or None), default=None
            Constraints on predictions, as for `predict`.

        Returns
        -------
        float
            The metric named ``structure_.default_metric``.

        Raises
        ------
        CapabilityError, sklearn.exceptions.NotFittedError, MemoryError
            As `predict`.
        ValueError
            For inputs, structures or weights that are not legal, naming the row.

        Notes
        -----
        Cost: that of `predict`, and of the metric.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> ranker = StructuredRidge("permutations", alpha=0.1).fit(X, y)
        >>> ranker.score(X, y)
        1.0
        """
        if is_dask(X):
            return mean_over_rows(self, _row_scores, X, y, sample_weight, constraints=constraints)
        predicted = self.predict(X, constraints=constraints)  # refuses what is not fitted
        return self.structure_.score(y, predicted, sample_weight)


def _row_scores(model: StructuredEstimator, X: Any, y: Any, constraints: Any = None) -> FloatArray:
    return row_scores(model.structure_, y, model.predict(X, constraints=constraints))


@dataclass(eq=False, repr=False, kw_only=True)
class KernelEstimator(StructuredEstimator):
    """Base of estimators whose scores are linear in the inputs, or in the features of a kernel."""

    kernel: str | Callable[..., float] = "linear"
    gamma: float | str | None = None
    degree: float = 3
    coef0: float = 1.0
    fit_intercept: bool = True
    class_weight: Mapping[Any, float] | str | None = None
    verbose: int = 0
