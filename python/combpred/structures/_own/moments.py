"""Moments of ψ that users give, or that draws of their samplers tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._lib.arrays import FloatArray
from ..._lib.structure import moments_of_draws
from .._space import MomentsInfo
from .functions import Functions, real_array

_BLOCK = 1024  # number of draws whose ψ is in memory at a time


def moments_of(functions: Functions, given: dict[str, Any]) -> tuple[FloatArray, MomentsInfo]:
    """Return mean and second moment, one behind the other, and where they come from."""
    if given["mean"] is not None or given["second_moment"] is not None:
        mean = real_array(given["mean"], "mean", None)
        second = real_array(given["second_moment"], "second_moment", len(mean), len(mean))
        return np.concatenate([mean, second.ravel()]), MomentsInfo()
    functions.require_sampler("or mean and second_moment")
    n, rng = int(given["n_moment_samples"]), np.random.default_rng(int(given["random_state"]))
    items = [functions.draw(rng)]
    d = len(real_array(functions.embed(items[0]), "what embed returns", None))
    if n <= d:
        raise ValueError(
            f"Custom: n_moment_samples={n} draws leave the covariance of {d} features singular; take several times {d}"
        )

    def drawn() -> Iterator[FloatArray]:
        for at in range(0, n, _BLOCK):
            items.extend(functions.draw(rng) for _ in range(min(_BLOCK, n - at) - len(items)))
            yield functions.embedded(items, d, "draws of sample")
            items.clear()

    moments, error = moments_of_draws(drawn(), d)
    return moments, MomentsInfo("sampled", error)
