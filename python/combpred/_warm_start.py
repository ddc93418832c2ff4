"""Where training starts from when it does not start from zero: the weights of the model's earlier fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._features import InputFeatures, KernelFeatures

FloatArray = NDArray[np.float64]

_REMEDY = "set warm_start=False to start from zero"


@dataclass(frozen=True)
class EarlierFit:
    """What an earlier fit found, kept while a new one clears the attributes of the model.

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
        """Return what a fitted model found, None where it has not been fitted."""
        if not hasattr(model, "intercept_"):
            return None
        return cls(
            getattr(model, "coef_", None),
            model.intercept_,
            getattr(model, "dual_coef_", None),
            getattr(model, "classes_", None),
        )

    def require_match(self, model: Any, n: int) -> None:
        """Raise ValueError unless a model, whose structure and kernel are settled for n rows, has weights like these.

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

    def weights(self, X: Any, features: InputFeatures | KernelFeatures, kept: NDArray[np.intp]) -> FloatArray:
        """Return the weights (q, d) of `features`, which are those of the rows `kept` of X, that give these scores.

        In the features of a linear kernel's matrix they are the smallest ones that do so on the rows, which have no
        larger penalty and lose nothing: the maximum is among such weights.
        """
        if isinstance(features, InputFeatures):
            return self.input_weights(intercept=len(features.curvature) > X.shape[1])
        if self.dual is not None:
            return features.of_dual(self.dual[kept])
        assert self.coef is not None
        return features.of_scores(np.asarray(X[kept] @ self.coef.T) + self.intercept)

    def input_weights(self, *, intercept: bool) -> FloatArray:
        """Return the weights of the inputs (p, d), and of a constant feature where there is an intercept."""
        assert self.coef is not None
        return np.vstack([self.coef.T, self.intercept]) if intercept else self.coef.T.copy()
