"""Feature maps of kernels from landmarks: Nyström's, also of indefinite kernels, and random projections.

They do not use scikit-learn's Nystroem, which takes longer to fit and loses digits where landmarks nearly coincide
(tests/benchmarks/nystroem.py), and has neither fewer features than landmarks nor landmarks that k-means++ spreads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import qr
from sklearn.utils._param_validation import Interval, StrOptions

from .._data.glossary import documented
from .._lib.arrays import FloatArray
from .._lib.control import call_abandonable
from .._lib.errors import NumericalError
from .._lib.kernel import Eigendecomposition
from ._maps import KernelMap, oriented, spectrum

# Eigenvalues of a kernel matrix, relative to the largest: from minus this on they are errors of rounding.
_INDEFINITE = 1e-8


@documented
@dataclass(eq=False, repr=False)
class NystromMap(KernelMap):
    r"""Map inputs to features whose inner products approximate a kernel, by the Nyström method.

    With the kernel matrix :math:`A = U \Lambda U^\top` of landmarks L among the training rows, a row x becomes
    :math:`z(x) = k(x, L)\, U \Lambda^{-1/2}`. Inner products of the features are those of the kernel's own features
    after projection onto the span of the landmarks, or onto its leading principal directions. Linear models on them are
    kernel methods at a cost linear in the number of rows: ``make_pipeline(NystromMap(1000), StructuredRidge())`` is
    that of kernel ridge.

    Parameters
    ----------
    n_components : int, default=100
        Largest number of features.
    n_landmarks : int, default=None
        Number of landmarks; if there are fewer rows, all of them. There are no more features than landmarks; of more
        landmarks than `n_components`, the leading eigenvectors are kept. None: `n_components`.
    kernel : {"linear", "poly", "rbf", "laplacian", "cosine", "precomputed"} or callable, default="rbf"
        Positive semi-definite kernel; a callable takes two rows and returns a number. With ``"precomputed"``, X is the
        square matrix of kernel values (array or CSR) in ``fit``, and the values between new rows and those of ``fit``
        afterwards.
    %(gamma)s
    %(degree)s
    %(coef0)s
    %(kernel_params)s
    %(landmarks)s
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks.

    Attributes
    ----------
    %(components_)s
    %(component_indices_)s
    normalization_ : ndarray of shape (k, q)
        :math:`U \Lambda^{-1/2}`, by descending eigenvalue.
    eigenvalues_ : ndarray of shape (q,)
        Λ, of which the largest `n_components` are kept. Eigenvalues up to :math:`10^{-15} k` of the largest are errors
        of rounding and dropped, so that q may be less than `n_components`: for a linear kernel it is the rank of the
        landmarks. At least one is kept.
    %(kernel_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    RandomProjectionMap : Fewer features than landmarks, by a random projection.
    IndefiniteNystromMap : For similarities that are not positive semi-definite.
    sklearn.kernel_approximation.Nystroem : Features that differ by a rotation.

    Notes
    -----
    Fitting costs :math:`O(k^3)` and three k×k matrices, beside the choice of landmarks; embedding n rows
    :math:`O(n k (p + q))` in blocks of 16 MiB. Where a row is a landmark, its inner products with all landmarks are
    exact; with all rows as landmarks the features reproduce the kernel matrix. These hold for as many features as
    landmarks. With fewer, the features of the landmarks are those of kernel PCA without centring, whose inner products
    are the best approximation of that rank in the Frobenius norm, off by :math:`\sqrt{\sum_i \lambda_i^2}` over the
    eigenvalues left out; where the last one kept equals the first one left out, which of them is kept is arbitrary.

    References
    ----------
    C. Williams and M. Seeger (2001), Using the Nyström method to speed up kernel machines, *NIPS* 13.

    S. Kumar, M. Mohri and A. Talwalkar (2012), Sampling methods for the Nyström method, *Journal of Machine Learning
    Research* 13.

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

    n_components: int = 100
    n_landmarks: int | None = field(default=None, kw_only=True)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelMap._parameter_constraints,
        "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
    }

    def _normalise(self, X: Any, among: FloatArray, rng: np.random.RandomState) -> FloatArray:
        found = definite_spectrum(among)
        kept = slice(self.n_components)
        self.eigenvalues_ = found.values[kept]
        return whitening(Eigendecomposition(self.eigenvalues_, found.vectors[:, kept]))


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


@documented
@dataclass(eq=False, repr=False)
class IndefiniteNystromMap(KernelMap):
    r"""Map inputs to features that approximate an indefinite similarity, by the two-step Nyström method.

    The similarity need not be positive semi-definite. The symmetric matrix of similarities K of all training rows is
    approximated by :math:`\bar U \Lambda \bar U^\top`, with the eigendecomposition :math:`A = U \Lambda U^\top` among
    landmarks L and :math:`\bar U = K_{\cdot L} U \Lambda^{-1}`, whose columns are not orthogonal. From a QR
    factorisation :math:`\bar U = QR` and the eigendecomposition :math:`R \Lambda R^\top = W \Sigma W^\top`, the
    eigenvectors of the approximation are QW and its eigenvalues Σ, positive and negative (Fowlkes et al., 2004).
    Training rows are embedded as :math:`Q W |\Sigma|^{1/2}`.

    Parameters
    ----------
    n_components : int, default=100
        Number of landmarks, at most the number of rows; also the largest number of features.
    parts : {"all", "positive"}, default="all"
        Keep the features of all eigenvalues, or of the positive ones only. Inner products approximate similarities
        when each feature counts with the sign of its eigenvalue, `signs_`; those of positive ones alone approximate the
        nearest positive semi-definite matrix.
    kernel : {"linear", "poly", "rbf", "laplacian", "cosine", "precomputed"} or callable, default="rbf"
        Symmetric similarity; a callable takes two rows and returns a number. With ``"precomputed"``, X is the square
        matrix of similarities in ``fit``, and the similarities between new rows and those of ``fit`` afterwards; as an
        array, or as CSR, such as the adjacency matrix of a graph. The zeros of a sparse matrix are similarities, too.
    %(gamma)s
    %(degree)s
    %(coef0)s
    %(kernel_params)s
    %(landmarks)s
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (q,)
        Σ of the features kept, by descending magnitude. Those up to :math:`10^{-15} k` of the largest are errors of
        rounding and dropped.
    signs_ : ndarray of shape (q,)
        The sign of each eigenvalue, 1.0 or -1.0.
    %(components_)s
    %(component_indices_)s
    normalization_ : ndarray of shape (k, q)
        The matrix N of the notes.
    kernel_ : InputKernel
        The similarity with `gamma` resolved.
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    NystromMap : For positive semi-definite kernels; needs no pass over all rows.

    Notes
    -----
    As :math:`R \Lambda R^\top W = W \Sigma`, the embedding of training rows is :math:`K_{\cdot L} N` with
    :math:`N = U R^\top W \operatorname{sign}(\Sigma) |\Sigma|^{-1/2}`, and ``transform`` embeds any row x as
    :math:`k(x, L) N`: the same on training rows. Of Q only the triangle R is needed, which is updated block by block of
    rows. Fitting costs :math:`O(n k^2 + k^3)` time and some k×k matrices; embedding m rows :math:`O(m k (p + q))` in
    blocks of 16 MiB.

    The approximation is exact when the similarities among the landmarks have the rank of K. Landmarks of
    a sparse matrix are rarely similar to one another: take many of them, or a matrix of paths such as the square of
    the adjacency matrix.

    References
    ----------
    C. Fowlkes, S. Belongie, F. Chung and J. Malik (2004), Spectral grouping using the Nyström method, *IEEE
    Transactions on Pattern Analysis and Machine Intelligence* 26.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred.kernels import IndefiniteNystromMap
    >>> friends = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    >>> embedding = IndefiniteNystromMap(4, kernel="precomputed").fit(friends)
    >>> embedding.eigenvalues_.round(2)
    array([ 2.17, -1.48, -1.  ,  0.31])
    >>> z = embedding.transform(friends)
    >>> np.allclose(z * embedding.signs_ @ z.T, friends)
    True
    """

    n_components: int = 100
    parts: str = field(default="all", kw_only=True)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelMap._parameter_constraints,
        "parts": [StrOptions({"all", "positive"})],
    }

    def _normalise(self, X: Any, among: FloatArray, rng: np.random.RandomState) -> FloatArray:
        landmarks = spectrum(among)
        if landmarks.values[0] == 0.0:
            raise ValueError(f"all {len(among)} landmarks have similarity 0: raise n_components or change random_state")
        triangle = self._triangle(X, landmarks.vectors / landmarks.values)
        whole = spectrum((triangle * landmarks.values) @ triangle.T)
        kept = whole.values > 0 if self.parts == "positive" else np.ones(len(whole.values), dtype=bool)
        if not kept.any():
            raise ValueError("no eigenvalue of the similarities is positive: take parts='all'")
        self.eigenvalues_ = whole.values[kept]
        self.signs_ = np.sign(self.eigenvalues_)
        normalization: FloatArray = landmarks.vectors @ (triangle.T @ whole.vectors[:, kept])
        normalization *= self.signs_ / np.sqrt(np.abs(self.eigenvalues_))
        return oriented(normalization)

    def _triangle(self, X: Any, scaled: FloatArray) -> FloatArray:
        """Return R of the QR factorisation of K·scaled, taking blocks of rows in turn."""
        q = scaled.shape[1]
        pending, n_pending = [np.empty((0, q))], 0
        for _, values in self._landmark_values(X):
            pending.append(values @ scaled)
            n_pending += len(values)
            if n_pending >= 2 * q:  # so that most of the work is new rows
                pending, n_pending = [call_abandonable(_upper_triangle, np.vstack(pending))], 0
        return call_abandonable(_upper_triangle, np.vstack(pending))


def _upper_triangle(matrix: FloatArray) -> FloatArray:
    return qr(matrix, mode="r", overwrite_a=True, check_finite=False)[0][: matrix.shape[1]]


@documented
@dataclass(eq=False, repr=False)
class RandomProjectionMap(KernelMap):
    r"""Map inputs to their kernel values with a random sample of rows, and project these at random.

    Three maps of Balcan, Blum and Vempala (2006), for landmarks :math:`L = (x_1, \dots, x_k)` drawn from the rows:

    * :math:`F_1(x) = k(x, L) / \sqrt{k}`: kernel values themselves (``whiten=False, n_components=None``). If classes
      are separated by a margin under the kernel, a linear function of these separates them approximately. Inner
      products of F₁ do not approximate the kernel.
    * :math:`F_2(x) = k(x, L)\, U \Lambda^{-1/2}` with :math:`k(L, L) = U \Lambda U^\top` (``n_components=None``): the
      orthogonal projection of the kernel's own features onto the span of the sample, whose inner products approximate
      the kernel, as with `NystromMap`.
    * :math:`F_3(x) = F_2(x) R` with a random matrix R (the default): a Johnson–Lindenstrauss projection to
      `n_components` dimensions.

    Parameters
    ----------
    n_components : int or None, default=100
        Number of features after the random projection; None for no projection. Where there are no more features
        before it, nothing is projected.
    n_landmarks : int, default=1000
        Size k of the sample, at most the number of rows.
    whiten : bool, default=True
        Whether to whiten kernel values before the projection.
    projection : {"gaussian", "sign"}, default="gaussian"
        Entries of R: normal of variance ``1 / n_components``, or plus or minus its root with equal probability
        (Achlioptas, 2003). Either way inner products are unbiased, with a variance of at most
        :math:`2 \|z\|^2 \|z'\|^2` / `n_components`.
    kernel : {"linear", "poly", "rbf", "laplacian", "cosine", "precomputed"} or callable, default="rbf"
        As for `NystromMap`; positive semi-definite when `whiten`.
    %(gamma)s
    %(degree)s
    %(coef0)s
    %(kernel_params)s
    %(landmarks)s
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks and of R.

    Attributes
    ----------
    %(components_)s
    %(component_indices_)s
    normalization_ : ndarray of shape (k, q)
        The matrix by which kernel values are multiplied: that of F₁ or F₂, times R.
    %(kernel_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    NystromMap : One feature for each landmark, without the noise of a projection.
    sklearn.random_projection.GaussianRandomProjection : The projection alone.

    Notes
    -----
    Fitting costs :math:`O(k^3)` when whitening, and :math:`O(k^2 q)` for R; embedding n rows :math:`O(n k (p + q))` in
    blocks of 16 MiB. Eigenvalues up to :math:`10^{-15} k` of the largest are errors of rounding and dropped. For a
    given pair of rows, :math:`\|F_3(x) - F_3(x')\|^2` is off :math:`\|F_2(x) - F_2(x')\|^2` by more than a share ε with
    probability at most :math:`2 e^{-q(\epsilon^2/2 - \epsilon^3/3)/2}`.

    References
    ----------
    M.-F. Balcan, A. Blum and S. Vempala (2006), Kernels as features: on kernels, margins, and low-dimensional mappings,
    *Machine Learning* 65.

    D. Achlioptas (2003), Database-friendly random projections: Johnson–Lindenstrauss with binary coins, *Journal of
    Computer and System Sciences* 66.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred.kernels import RandomProjectionMap
    >>> X = np.random.default_rng(0).normal(size=(300, 5))
    >>> embedding = RandomProjectionMap(50, n_landmarks=200, random_state=0).fit(X)
    >>> embedding.transform(X[:2]).shape
    (2, 50)
    >>> error = embedding.approximation_error(X)
    >>> bool(error.relative_frobenius < 0.5), error.n_rows
    (True, 300)
    """

    n_components: int | None = 100
    n_landmarks: int = field(default=1000, kw_only=True)
    whiten: bool = field(default=True, kw_only=True)
    projection: str = field(default="gaussian", kw_only=True)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelMap._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "whiten": ["boolean"],
        "projection": [StrOptions({"gaussian", "sign"})],
    }

    def _normalise(self, X: Any, among: FloatArray, rng: np.random.RandomState) -> FloatArray:
        k = len(among)
        scaled = whitening(definite_spectrum(among)) if self.whiten else np.eye(k) / np.sqrt(k)
        if self.n_components is None or scaled.shape[1] <= self.n_components:
            return scaled
        shape = (scaled.shape[1], int(self.n_components))
        entries = rng.standard_normal(shape) if self.projection == "gaussian" else rng.choice([-1.0, 1.0], shape)
        return scaled @ (entries / np.sqrt(self.n_components))
