"""Training rows whose outputs are members of a space that can be listed."""

from __future__ import annotations

import numpy as np

from combpred.structures import MultiClass

N = 9


def problem(structure, *, weighted=False, seed=0):
    """Return inputs (N, 3), structures, their ψ, all outputs' ψ and sample weights (one of them zero) or None."""
    rng = np.random.default_rng(seed)
    members = list(structure.enumerate())
    y = np.array([members[i] for i in rng.integers(len(members), size=N)])
    if isinstance(structure, MultiClass):
        y[:3] = [0, 1, 2]  # n_classes=3 is taken from y
    weights = np.append(rng.uniform(0.2, 3.0, size=N - 1), 0.0) if weighted else None
    return rng.normal(size=(N, 3)), y, structure.embed(y), structure.embed(np.array(members)), weights
