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
    as_frame: bool,
) -> Any:
    """Return the data set as a Bunch, or as the pair (data, target) when `return_X_y` is true."""
    frame = None
    if as_frame:
        import pandas as pd  # an optional dependency

        features = pd.DataFrame(data, columns=list(feature_names))
        if target.ndim == 1:
            named: Any = pd.Series(target, name="target")
        else:
            named = pd.DataFrame(target, columns=list(target_names))
            structure = type(structure)(labels=list(target_names))  # as all that have columns
        data, target, frame = features, named, pd.concat([features, named], axis=1)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=list(feature_names),
        target_names=list(target_names),
        structure=structure,
        DESCR=description,
    )
