"""What is given of a user's own structure and contradicts itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from combpred.structures import Custom


def test_moments_that_draws_contradict_are_refused() -> None:
    """Nine in ten where it is one in two; a rare entry, which draws may miss or have, is no contradiction."""
    bits = {"sample": lambda rng: rng.integers(0, 2, size=3), "embed": np.asarray}
    with pytest.raises(ValueError):
        Custom.from_sampler(**bits, mean=[0.9] * 3, second_moment=np.diag([0.09] * 3) + 0.81).space  # noqa: B018
    right = {"mean": [0.5] * 3, "second_moment": np.full((3, 3), 0.25) + np.eye(3) / 4}
    rare = np.full((3, 3), 1e-8) + np.eye(3) * 1e-4
    for seed in range(20):
        assert Custom.from_sampler(**bits, **right, random_state=seed).mean().tolist() == [0.5] * 3
        few = {"sample": lambda rng: (rng.random(3) < 1e-4).astype(float), "embed": np.asarray, "random_state": seed}
        Custom.from_sampler(**few, mean=[1e-4] * 3, second_moment=rare).space  # noqa: B018


def test_counts_and_radii_that_moments_contradict_are_refused() -> None:
    bits = {"sample": lambda rng: rng.integers(0, 2, size=3), "embed": np.asarray}
    for log_count in (0.0, math.log(3)):
        with pytest.raises(ValueError):
            Custom.from_sampler(**bits, log_count=log_count).space  # noqa: B018
    assert Custom.from_sampler(**bits, log_count=math.log(4)).log_count() == math.log(4)
    formulas = {"mean": [5.0] * 3, "second_moment": np.full((3, 3), 25.0) + np.eye(3), "embed": np.asarray}
    with pytest.raises(ValueError, match="radius=1 is below the root mean square of the norm of ψ, 8.83"):
        Custom(log_count=2.0, radius=1.0, **formulas).space  # noqa: B018


def test_psi_that_is_the_same_everywhere_is_refused() -> None:
    with pytest.raises(ValueError):
        Custom.from_structures(["a", "b", "c"], lambda _: [1.0, 2.0]).mean()
    assert Custom.from_structures(["a"], lambda _: [1.0, 2.0]).count() == 1
    with pytest.raises(ValueError):
        Custom.from_sampler(lambda rng: rng.integers(9), lambda _: np.ones(2), n_moment_samples=1000).mean()
