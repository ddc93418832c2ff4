r"""Events that :math:`\psi` tells of: what may hold of an output, and with which probability it does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._lib.errors import CapabilityError
from ..structures import (
    Assignments,
    Cliques,
    Cycles,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    Paths,
    Permutations,
    PosetElements,
    Routes,
    SpanningTrees,
    Structure,
    Subtrees,
    Tournaments,
    WeakOrders,
)

FloatArray = NDArray[np.float64]

# Structures whose ψ has a 1 where something holds of the output, and a 0 where not.
_INDICATORS: tuple[type[Structure], ...] = (
    *(Assignments, Cliques, Cycles, Graphs, Hierarchy, LabelSets, MultiClass, Ordinal, PosetElements, Routes),
    *(SpanningTrees, Subtrees),
)
_ROUNDING = 1e-9


def has_indicators(structure: Structure) -> bool:
    r"""Whether every entry of :math:`\psi` is 0 or 1."""
    return isinstance(structure, _INDICATORS) or (isinstance(structure, Paths) and structure.tied is None)


def check_marginals(structure: Structure, marginals: Any, argument: str = "marginals") -> FloatArray:
    r"""Return rows of :math:`E\psi`, ``(n, d)``, within the range of :math:`\psi`; ValueError naming the entry."""
    rows = np.atleast_2d(np.asarray(marginals, dtype=np.float64))
    d = structure.n_features
    if rows.ndim != 2 or rows.shape[1] != d:
        raise ValueError(f"{argument} must have shape (n, {d}) or ({d},) for {structure!r}, got {np.shape(marginals)}")
    low = 0.0 if has_indicators(structure) else -1.0
    bad = ~((rows >= low - _ROUNDING) & (rows <= 1 + _ROUNDING))  # true of NaN
    if bad.any():
        row, entry = (int(i) for i in np.argwhere(bad)[0])
        name = structure.feature_names()[entry]
        raise ValueError(
            f"{argument}, row {row}, entry {entry} ({name}): {rows[row, entry]} is not between {low:g} and 1; pass "
            "what predict_marginals or the structure's marginals return"
        )
    return np.clip(rows, low, 1.0)


def pair_probabilities(structure: Structure, marginals: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    r"""Return the probabilities P(u before v) and P(v before u) of all pairs u < v, each ``(n_pairs,)``.

    None where :math:`E\psi` does not tell them: its entries are then their differences at most.

    Notes
    -----
    The pairs of partial tournaments are independent under :math:`p \propto \exp\langle s, \psi\rangle`, with
    probabilities in the proportion :math:`e^s : 1 : e^{-s}`. The one in the middle, q, is the geometric mean of the
    others, so that the difference t of those gives :math:`(1-q)^2 - t^2 = 4q^2`.
    """
    if isinstance(structure, Permutations):
        return (1 + marginals) / 2, (1 - marginals) / 2
    if isinstance(structure, WeakOrders):
        difference, neither = np.split(marginals, 2)
    elif isinstance(structure, Tournaments):
        difference = marginals
        neither = (1 - difference**2) / (1 + np.sqrt(4 - 3 * difference**2))
    else:
        return None
    before, after = (1 - neither + difference) / 2, (1 - neither - difference) / 2
    return np.clip(before, 0.0, 1.0), np.clip(after, 0.0, 1.0)


def events(structure: Structure, psi: FloatArray) -> tuple[FloatArray, list[str]]:
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
    if has_indicators(structure):
        mean = structure.mean()
        open_ = (mean > 0) & (mean < 1)
        return psi[:, open_], [name for name, kept in zip(names, open_, strict=True) if kept]
    if isinstance(structure, Permutations):
        return (1 + psi) / 2, names
    if isinstance(structure, WeakOrders):
        difference, tied = np.split(psi, 2, axis=1)
        return np.concatenate([np.clip((1 - tied + difference) / 2, 0.0, 1.0), tied], axis=1), names
    raise CapabilityError(
        f"the marginals of {structure!r} are no probabilities of events: take samples of the model, count in which "
        "share of them an event happens, and pass these shares to from_predictions"
    )
