"""The form in which every loader returns its data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from ..structures import Structure


def dataset(
    original: Bunch, target: NDArray[Any], structure: Structure, target_names: Sequence[str], description: str,
    return_X_y: bool, as_frame: bool,
) -> Any:  # fmt: skip
    """Return the inputs of a data set with other targets, as a Bunch or, if `return_X_y`, as a pair."""
    features, names = list(original.feature_names), list(target_names)
    data: Any = np.array(original.data, dtype=np.float64, order="C")
    frame = None
    if as_frame:
        import pandas as pd  # an optional dependency

        data = pd.DataFrame(data, columns=features)
        if target.ndim == 1:
            target = pd.Series(target, name="target")
        else:
            target = pd.DataFrame(target, columns=names)
            structure = type(structure)(labels=names)  # as all that have columns
        frame = pd.concat([data, target], axis=1)
    if return_X_y:
        return data, target
    return Bunch(
        data=data, target=target, frame=frame, feature_names=features, target_names=names, structure=structure,
        DESCR=description,
    )  # fmt: skip
