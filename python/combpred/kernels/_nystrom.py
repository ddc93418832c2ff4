"""NystromMap: features whose inner products approximate a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._eigen import Eigendecomposition
from .._errors import NumericalError
from ._map_base import KernelMap, oriented, spectrum

FloatArray = NDArray[np.float64]

# Eigenvalues of a kernel matrix, relative to the largest: from minus this on they are errors of rounding.
_INDEFINITE = 1e-8


class NystromMap(KernelMap):
    r"""Map inputs to features whose inner products approximate a kernel, by the Nyström method.

    With the kernel matrix :math:`A = U \Lambda U^\top` of landmarks L among the training rows, a row x becomes
    :math:`z(x) = k(x, L)\, U \Lambda^{-1/2}`. Inner products of the features are those of the kernel's own features
    after projection onto the span of the landmarks. Linear models on them are kernel methods at a cost linear in the
    number of rows: ``make_pipeline(NystromMap(1000), StructuredRidge())`` is that of kernel ridge.

    Parameters
    ----------
    n_components : int, default=100
        Number of landmarks, at most that of the rows.
    kernel : {"linear", "poly", "rbf", "laplacian", "cosine", "precomputed"} or callable, default="rbf"
        Positive semi-definite kernel; a callable takes two rows and returns a number. With ``"precomputed"``, X is the
        square matrix of kernel values (array or CSR) in ``fit``, and the values between new rows and those of ``fit``
        afterwards.
    gamma : float, "scale" or None, default=None
        Scale of poly, rbf and laplacian. None is one over the number of features; ``"scale"`` divides that by the
        variance of the training inputs.
    degree : float, default=3
        Degree of the polynomial kernel; others ignore it.
    coef0 : float, default=1.0
        Constant of the polynomial kernel; others ignore it.
    kernel_params : dict, default=None
        Keyword arguments of a callable kernel; ``fit`` refuses them for kernels given by name.
    landmarks : {"random", "k-means++"}, default="random"
        Rows drawn uniformly without replacement, or spread out as k-means++ seeds its centres (Arthur and
        Vassilvitskii, 2007), which takes :math:`O(n k p \log k)` time for p features.
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks.

    Attributes
    ----------
    components_ : array or CSR of shape (k, n_features)
        The landmarks. Not with ``kernel="precomputed"``.
    component_indices_ : ndarray of shape (k,)
        Their rows in the training data, ascending.
    normalization_ : ndarray of shape (k, q)
        :math:`U \Lambda^{-1/2}`, by descending eigenvalue.
    eigenvalues_ : ndarray of shape (q,)
        Λ. Eigenvalues up to :math:`10^{-15} k` of the largest are errors of rounding and dropped, so that q may be less
        than `n_components`: for a linear kernel it is the rank of the landmarks. At least one is kept.
    kernel_ : InputKernel
        The kernel with `gamma` settled.
    n_features_in_ : int
        Number of features (of training rows, with ``kernel="precomputed"``).
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features, where X has names that are all strings.

    See Also
    --------
    RandomProjectionMap : Fewer features than landmarks, by a random projection.
    IndefiniteNystromMap : For similarities that are no kernels.
    sklearn.kernel_approximation.Nystroem : Features that differ by a rotation.

    Notes
    -----
    Fitting costs :math:`O(k^3)` and three k×k matrices, beside the choice of landmarks; embedding n rows
    :math:`O(n k (p + q))` in blocks of 16 MiB. Where a row is a landmark, its inner products with all landmarks are
    exact; with all rows as landmarks the features reproduce the kernel matrix.

    References
    ----------
    C. Williams and M. Seeger (2001), Using the Nyström method to speed up kernel machines, *NIPS* 13.

    J. Platt (2005), FastMap, MetricMap, and Landmark MDS are all Nyström algorithms, *AISTATS*.

    Examples
    --------
    >>> from combpred.datasets import make_label_ranking
    >>> from combpred import StructuredRidge
    >>> from combpred.kernels import NystromMap
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = make_label_ranking(500, noise=0, random_state=0)
    >>> ranker = make_pipeline(NystromMap(100, random_state=0), StructuredRidge("permutations", alpha=0.1))
    >>> bool(ranker.fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.7)
    True
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        kernel: str | Callable[..., float] = "rbf",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1.0,
        kernel_params: Mapping[str, Any] | None = None,
        landmarks: str = "random",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.landmarks = landmarks
        self.random_state = random_state

    def _normalise(self, X: Any, among: FloatArray, rng: np.random.RandomState) -> FloatArray:
        found = definite_spectrum(among)
        self.eigenvalues_ = found.values
        return whitening(found)


def definite_spectrum(among: FloatArray) -> Eigendecomposition:
    """Return the spectrum of a kernel matrix, NumericalError where it is not positive semi-definite."""
    found = spectrum(among)
    largest = float(found.values[0])
    if largest < 0 or found.values.min() < -_INDEFINITE * largest:
        raise NumericalError(
            f"the kernel matrix of the landmarks is not positive semi-definite: its eigenvalues reach from "
            f"{found.values.min():.3g} to {found.values.max():.3g}; check the kernel, or take IndefiniteNystromMap for "
            "similarities that are no kernels"
        )
    kept = found.values > 0
    kept[0] = True  # a kernel that is zero
    return Eigendecomposition(found.values[kept], found.vectors[:, kept])


def whitening(found: Eigendecomposition) -> FloatArray:
    """Return UΛ^(-1/2), zero for a matrix that is."""
    scale = np.zeros(len(found.values))
    np.divide(1.0, np.sqrt(found.values), out=scale, where=found.values > 0)
    return oriented(found.vectors) * scale
