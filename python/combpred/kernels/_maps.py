"""Base of the feature maps of kernels: landmarks, spectra, and errors of approximation.

A new map is a subclass of `KernelMap` that computes its normalisation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from .._data.checks import whole_number
from .._data.dask import lazily_on_dask, sampled_rows
from .._data.inputs import is_dask, read_inputs, refit
from .._lib.arrays import FloatArray, allocate, require_memory, row_blocks
from .._lib.errors import RowError
from .._lib.kernel import Eigendecomposition, InputKernel, check_kernel, eigendecompose

#: Eigenvalues up to this, times the order of the matrix and its largest eigenvalue, are errors of rounding.
ROUNDING = 1e-15
# Of a dask collection, for each landmark: k-means++ and gamma="scale" have these rows to go by.
_DRAWN_ROWS = 10


def require_symmetric(matrix: Any) -> None:
    """Raise ValueError unless an array or sparse matrix is square, and symmetric up to 1e-6 of its largest entry."""
    if not sparse.issparse(matrix):
        check_kernel(_in_double(matrix))
        return
    from sklearn.metrics.pairwise import check_pairwise_arrays  # here, as its import takes a while

    difference = abs(matrix - check_pairwise_arrays(matrix, None, precomputed=True)[1].T)
    if difference.max() > 1e-6 * abs(matrix).max():
        column, row = sorted(divmod(int(difference.argmax()), matrix.shape[0]))  # as the library names them
        raise RowError(row, f"the kernel matrix is not symmetric in column {column}; pass (K + K.T) / 2 to make it so")


@dataclass(frozen=True)
class KernelError:
    """Errors of the inner products of embedded rows as approximations of kernel values.

    Attributes
    ----------
    relative_frobenius : float
        Root of the sum of squared differences over all pairs, divided by that of the kernel values; 0 where both are 0.
    largest : float
        Largest absolute difference.
    n_rows : int
        Number of rows compared with one another.
    exact : bool
        Whether these are all rows, rather than a sample of them.
    """

    relative_frobenius: float
    largest: float
    n_rows: int
    exact: bool


@dataclass(eq=False, repr=False, kw_only=True)
class KernelMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the maps z(x) = k(x, L)·N of a row x, for landmarks L and a normalisation N.

    A subclass is a dataclass, whose fields are parameters of its constructor beside those below. It computes N in
    `_normalise`. There are as many landmarks as components, unless one of its parameters is `n_landmarks`.
    """

    n_components: Any
    kernel: str | Callable[..., float] = "rbf"
    gamma: float | str | None = None
    degree: float = 3
    coef0: float = 1.0
    kernel_params: Mapping[str, Any] | None = None
    landmarks: str = "random"
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        **InputKernel._parameter_constraints,
        "kernel_params": [dict, None],
        "landmarks": [StrOptions({"random", "k-means++"})],
        "random_state": ["random_state"],
    }

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Any:
        """Choose landmarks among the rows of X and compute the normalisation.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features), or (n, n) for ``kernel="precomputed"``
            Inputs of type float64 or float32; other types are converted to float64. For a dask array or data frame, up
            to 10 rows per landmark are drawn from all partitions, and the map is fitted to these: `component_indices_`
            are their numbers.
        y : ignored
            Present by convention.

        Returns
        -------
        object
            The transformer itself. If ``fit`` raises, an earlier fit stays as it was.

        Raises
        ------
        ValueError
            If a parameter or an input is illegal, or a kernel value overflows, naming the row.
        numpy.linalg.LinAlgError
            When the kernel is too far from positive semi-definite for a map that needs it to be.
        MemoryError
            When matrices among the landmarks do not fit, before they are allocated.
        """
        with refit(self):
            if is_dask(X):
                X = self._rows_of_partitions(X)
            X = self._check(X, reset=True)
            if self.kernel == "precomputed":
                require_symmetric(X)
            self.kernel_ = InputKernel.resolve(
                self.kernel, X, gamma=self.gamma, degree=self.degree, coef0=self.coef0, params=self.kernel_params
            )
            rng = check_random_state(self.random_state)
            chosen = self.component_indices_ = self._choose(X, rng)
            k = len(chosen)
            require_memory(
                5 * 8 * k * k, f"a map by {k} landmarks: matrices among them", "take fewer landmarks", square_rows=k
            )
            if self.kernel_.is_precomputed:
                among = _dense(X[chosen][:, chosen])
            else:
                self.components_ = X[chosen]
                among = self.kernel_.matrix(_in_double(self.components_))
            self.normalization_ = self._normalise(X, among, rng)
        return self

    @lazily_on_dask
    def transform(self, X: Any) -> Any:
        """Return the features of rows.

        Parameters
        ----------
        X : array or CSR of shape (m, n_features)
            Inputs; for ``kernel="precomputed"`` the kernel values between these rows and those of ``fit``.

        Returns
        -------
        ndarray of shape (m, n_components_out)
            float32 if X is, otherwise float64. For a dask collection, a dask array that is not computed yet.
            ``get_feature_names_out()`` names the columns.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            If an input is illegal or a kernel value overflows, naming the row.
        MemoryError
            When the embedding does not fit, before it is allocated.

        Notes
        -----
        Cost for k landmarks and q columns: m·k kernel values, in blocks of 16 MiB, and O(m k q) time.
        """
        check_is_fitted(self)
        X = self._check(X)
        return self._embed(X, X.dtype)

    def _embed(self, X: Any, dtype: Any) -> FloatArray:
        columns = self._n_features_out
        what = f"{columns} columns for each of {X.shape[0]} rows"
        embedded: FloatArray = allocate((X.shape[0], columns), dtype, what, "pass fewer rows at once")
        for rows, values in self._landmark_values(X):
            embedded[rows] = values @ self.normalization_
        return embedded

    def approximation_error(self, X: Any, *, n_samples: int = 1000, random_state: Any = None) -> KernelError:
        """Compare inner products of embedded rows with the kernel.

        Parameters
        ----------
        X : array or CSR of shape (m, n_features), or (n, n) for ``kernel="precomputed"``
            Rows to compare on; a precomputed matrix must be the one of ``fit``, which holds the exact values.
        n_samples : int, default=1000
            Rows that are compared with one another, drawn at random where X has more.
        random_state : int, RandomState instance or None, default=None
            Seed of that draw.

        Returns
        -------
        KernelError
            The relative error in the Frobenius norm and the largest one, over all pairs of the compared rows.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For inputs that are not legal, and where kernel values overflow, naming the row.
        MemoryError
            When the embedding does not fit, before it is allocated.

        Notes
        -----
        Cost: ``n_samples**2`` kernel values, in blocks of 16 MiB, and embedding that many rows.
        """
        check_is_fitted(self)
        X = self._check(X)
        if self.kernel_.is_precomputed:
            require_symmetric(X)  # others do not hold the kernel values among their rows
        drawn = np.arange(X.shape[0])
        if len(drawn) > whole_number(n_samples, "n_samples", 1, np.iinfo(np.int64).max):
            # A stream of its own: with the seed of `fit`, the rows of the same draw would be the landmarks.
            rng = np.random.default_rng(check_random_state(random_state).randint(2**31, size=4))
            drawn = np.sort(rng.choice(len(drawn), n_samples, replace=False))
        inputs = X[drawn][:, drawn] if self.kernel_.is_precomputed else _in_double(X[drawn])
        embedded = self._embed(X[drawn], np.float64)
        right = embedded * getattr(self, "signs_", 1.0)  # of the columns in inner products
        wrong = whole = largest = 0.0
        for rows in row_blocks(len(drawn), len(drawn)):
            exact = self.kernel_.matrix(_dense(inputs[rows]) if self.kernel_.is_precomputed else inputs[rows], inputs)
            difference = exact - embedded[rows] @ right.T
            whole += float(np.vdot(exact, exact))
            wrong += float(np.vdot(difference, difference))
            largest = max(largest, float(np.abs(difference).max()))
        relative = np.sqrt(wrong / whole) if whole > 0 else (np.inf if wrong > 0 else 0.0)
        return KernelError(float(relative), largest, len(drawn), len(drawn) == X.shape[0])

    @property
    def _n_features_out(self) -> int:
        return int(self.normalization_.shape[1])

    @abstractmethod
    def _normalise(self, X: Any, among: FloatArray, rng: np.random.RandomState) -> FloatArray:
        """Return N of shape (k, q) for the landmarks' kernel matrix, which may be overwritten."""

    def _check(self, X: Any, *, reset: bool = False) -> Any:
        return read_inputs(self, X, reset=reset, dtype=[np.float64, np.float32])

    @property
    def _most_landmarks(self) -> int:
        return int(getattr(self, "n_landmarks", None) or self.n_components)

    def _rows_of_partitions(self, X: Any) -> Any:
        """Return rows drawn from the partitions of a dask collection."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        rows = sampled_rows(X, _DRAWN_ROWS * self._most_landmarks, seed)
        if not hasattr(X, "columns"):
            return rows
        import pandas

        return pandas.DataFrame(rows, columns=X.columns)

    def _choose(self, X: Any, rng: np.random.RandomState) -> NDArray[np.intp]:
        """Return the rows that are landmarks, in ascending order."""
        n = X.shape[0]
        wanted = min(self._most_landmarks, n)
        if self.landmarks == "random" or wanted == n:
            return np.sort(rng.choice(n, wanted, replace=False))
        if self.kernel == "precomputed":
            raise ValueError("landmarks='k-means++' needs inputs, not kernel='precomputed': take landmarks='random'")
        from sklearn.cluster import kmeans_plusplus  # here, as its import takes a while

        with np.errstate(divide="ignore", invalid="ignore"):  # no distance is left when there are fewer distinct rows
            found = kmeans_plusplus(X, wanted, random_state=rng)[1]
        return np.unique(found).astype(np.intp)

    def _landmark_values(self, X: Any) -> Iterator[tuple[slice, FloatArray]]:
        """Yield blocks of rows with their kernel values to the landmarks, (rows, k)."""
        k = len(self.component_indices_)
        for rows in row_blocks(X.shape[0], k, row_flops=2.0 * k * k):  # what follows is a product with k×k at most
            if self.kernel_.is_precomputed:
                yield rows, _dense(X[rows][:, self.component_indices_])
            else:
                block, landmarks = _in_double(X[rows]), _in_double(self.components_)
                yield rows, self.kernel_.matrix(block, landmarks, first_row=rows.start)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def spectrum(matrix: FloatArray) -> Eigendecomposition:
    """Diagonalise, overwriting the matrix, and drop eigenvalues that are errors of rounding; largest magnitudes first.

    One is kept in any case, so that a map has a column.
    """
    found = eigendecompose(matrix)
    size = np.abs(found.values)
    order = np.argsort(-size, kind="stable")
    kept = order[: max(1, int(np.sum(size > ROUNDING * len(size) * size.max())))]
    return Eigendecomposition(found.values[kept], found.vectors[:, kept])


def oriented(columns: FloatArray) -> FloatArray:
    """Return columns, whose signs are arbitrary, with their largest entries positive."""
    largest = np.take_along_axis(columns, np.abs(columns).argmax(axis=0)[None, :], axis=0)
    return columns * np.where(largest < 0, -1.0, 1.0)


def _in_double(X: Any) -> Any:
    return X.astype(np.float64, copy=False)


def _dense(values: Any) -> FloatArray:
    return np.ascontiguousarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64)
