"""Rankings of four labels as users would describe them: by a list, by formulas and by draws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from combpred import StructuredRidge
from combpred.datasets import make_label_ranking
from combpred.structures import Custom, Permutations

RANKINGS = Permutations(4)

MEMBERS = np.array(list(RANKINGS.enumerate()))

X, Y = make_label_ranking(60, n_labels=4, random_state=0)

X_NEW, Y_NEW = make_label_ranking(40, n_labels=4, random_state=1)


def signs(y: Any) -> list[float]:
    return [1.0 if y[u] < y[v] else -1.0 for u in range(4) for v in range(u + 1, 4)]


def best(scores: np.ndarray) -> np.ndarray:
    return RANKINGS.decode(scores)


def shuffled(rng: np.random.Generator) -> np.ndarray:
    return rng.permutation(4) + 1


def by_formulas(**changes: Any) -> Custom:
    return Custom(
        **{
            "log_count": math.log(24),
            "mean": RANKINGS.mean(),
            "second_moment": RANKINGS.second_moment(),
            "embed": signs,
            "decode": best,
            **changes,
        }
    )


def by_list() -> Custom:
    return Custom.from_structures(MEMBERS.tolist(), signs)


def by_sampler(**changes: Any) -> Custom:
    return Custom.from_sampler(**{"sample": shuffled, "embed": signs, "decode": best, **changes})


def fitted(structure: Any, y: Any, **options: Any) -> StructuredRidge:
    return StructuredRidge(
        structure, **{"loss": "auc", "kernel": "rbf", "alpha": 0.1, "decoder": "auto", **options}
    ).fit(X, y)
