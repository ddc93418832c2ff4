"""RandomProjectionMap: kernel values with a sample of rows as features, projected at random."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from .._data.glossary import documented
from .._lib.arrays import FloatArray
from ._maps import KernelMap
from ._nystrom import definite_spectrum, whitening


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
