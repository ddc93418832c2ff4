"""The form in which every loader returns its data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from ..structures import Structure


def dataset(
    data: NDArray[np.float64],
    target: NDArray[Any],
    *,
    structure: Structure,
    feature_names: Sequence[str],
    target_names: Sequence[str],
    description: str,
    return_X_y: bool,
) -> Bunch | tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the data set as a Bunch, or as the pair (data, target) when `return_X_y` is true."""
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        feature_names=list(feature_names),
        target_names=list(target_names),
        structure=structure,
        DESCR=description,
    )
