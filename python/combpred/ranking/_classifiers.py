"""Training the classifiers of other packages that rankers are built on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter


def weight_options(model: Any, weights: NDArray[np.float64] | None) -> dict[str, Any]:
    """Return the keyword arguments that give `model.fit` its weights; ValueError where it takes none."""
    if weights is None:
        return {}
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(
            f"sample_weight is given, but fit of estimator={model!r} does not take it: leave it out, or take an "
            "estimator whose fit does"
        )
    return {"sample_weight": weights}
