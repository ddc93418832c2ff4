r"""Events that :math:`\psi` tells of: what may hold of an output, and with which probability it does."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError, RowError
from ..structures import Structure

_ROUNDING = 1e-9


def check_marginals(structure: Structure, marginals: Any, argument: str = "marginals") -> FloatArray:
    r"""Return rows of :math:`E\psi`, ``(n, d)``, within the range of :math:`\psi`; ValueError naming the entry."""
    rows = np.atleast_2d(np.asarray(marginals, dtype=np.float64))
    d = structure.n_features
    if rows.ndim != 2 or rows.shape[1] != d:
        raise ValueError(f"{argument} must have shape (n, {d}) or ({d},) for {structure!r}, got {np.shape(marginals)}")
    low = 0.0 if structure.space.has_indicators else -1.0
    bad = ~((rows >= low - _ROUNDING) & (rows <= 1 + _ROUNDING))  # true of NaN
    if bad.any():
        row, entry = (int(i) for i in np.argwhere(bad)[0])
        name = structure.feature_names()[entry]
        raise RowError(
            row,
            f"entry {entry} ({name}) is {rows[row, entry]}, which is not between {low:g} and 1; pass what "
            "predict_marginals or the structure's marginals return",
            argument,
        )
    return np.clip(rows, low, 1.0)


def events(structure: Any, psi: FloatArray) -> tuple[FloatArray, list[str]]:
    r"""Return events that :math:`\psi` tells of, and their names.

    For :math:`E\psi` these are probabilities; for :math:`\psi(y)`, they are 1 where the event holds of y and 0 where
    not. Events that hold of all outputs or of none are left out.

    Parameters
    ----------
    structure : Structure
    psi : ndarray of shape (n, d)

    Returns
    -------
    events : ndarray of shape (n, m)
    names : list of m str

    Raises
    ------
    CapabilityError
        Where entries of :math:`E\psi` are no probabilities.
    """
    names = [str(name) for name in structure.feature_names()]
    if structure.space.has_indicators:
        mean = structure.mean()
        open_ = (mean > 0) & (mean < 1)
        return psi[:, open_], [name for name, kept in zip(names, open_, strict=True) if kept]
    if structure.space.entry_kind not in ("signs", "signs and ties"):
        raise CapabilityError(
            f"the marginals of {structure!r} are no probabilities of events: take samples of the model, count in which "
            "share of them an event happens, and pass these shares to from_predictions"
        )
    before = structure.pair_probabilities(psi)[0]
    return np.concatenate([before, psi[:, before.shape[1] :]], axis=1), names  # ties are indicators
