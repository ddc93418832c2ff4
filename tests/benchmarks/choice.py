"""StructuredRidgeCV with its defaults against the best fixed setting in hindsight, on label rankings.

    python tests/benchmarks/choice.py --data FOLDER [--sets iris wine ...] [--splits 4] [--seed 0]

The fixed settings are those the defaults try: kernel, width and penalty under the loss "squared". Each is trained on
the same 70 % of the rows, inputs standardised on them, and scored by τ on the others; the best in hindsight has the
largest mean over the splits, on the rows it is scored on, so that it is an optimistic rival. The time is a multiple of
single "squared" fits: of three, one a kernel (linear, rbf, laplacian), and of thirteen, one a kernel and width.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
from ranking_selection import load
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.structures import Permutations

WIDTHS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SETTINGS = [("linear", None), *((kernel, width) for kernel in ("rbf", "laplacian") for width in WIDTHS)]
ALPHAS = 10.0 ** np.arange(-3, 2.1, 0.5)
SETS = ("iris", "wine", "glass", "bodyfat", "authorship", "stock", "vehicle", "cold", "heat")


def seconds(model: StructuredRidge | StructuredRidgeCV, X: np.ndarray, y: np.ndarray) -> float:
    """Return how long one fit takes."""
    start = perf_counter()
    model.fit(X, y)
    return perf_counter() - start


def compare(X: np.ndarray, y: np.ndarray, splits: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return τ of the choice, τ of all fixed settings, and seconds of the choice and of the single fits, by split."""
    chosen, fixed, times = np.zeros(splits), np.zeros((splits, len(SETTINGS), len(ALPHAS))), np.zeros((splits, 3))
    folds = ShuffleSplit(splits, test_size=0.3, random_state=seed).split(X)
    for split, (train, test) in enumerate(folds):
        scaler = StandardScaler().fit(X[train])
        A, B = scaler.transform(X[train]), scaler.transform(X[test])
        choice = StructuredRidgeCV(Permutations(), n_jobs=1)
        times[split, 0] = seconds(choice, A, y[train])
        chosen[split] = choice.score(B, y[test])
        for k, (kernel, width) in enumerate(SETTINGS):
            for a, alpha in enumerate(ALPHAS):
                gamma = None if width is None else width / A.shape[1]
                model = StructuredRidge(
                    Permutations(), alpha=alpha, kernel=kernel, gamma=gamma, loss="squared", n_jobs=1
                )
                spent = seconds(model, A, y[train])
                times[split, 1] += spent * (width in (None, 1.0)) / len(ALPHAS)
                times[split, 2] += spent / len(ALPHAS)
                fixed[split, k, a] = model.score(B, y[test])
    return chosen, fixed, times


def main() -> None:
    """Print a line for each set, and the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds label_ranking")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0, help="of the splits")
    given = parser.parse_args()
    gaps = []
    for name in given.sets:
        X, y = load(given.data / "label_ranking", name)
        chosen, fixed, times = compare(X, y, given.splits, given.seed)
        mean = fixed.mean(axis=0)
        k, a = np.unravel_index(mean.argmax(), mean.shape)
        gaps.append(mean.max() - chosen.mean())
        spent, three, all_ = times.sum(axis=0)
        print(
            f"{name:11} {len(X):5} rows  chosen {chosen.mean():.4f}  best {mean.max():.4f} {SETTINGS[k]} "
            f"alpha {ALPHAS[a]:.3g}  gap {gaps[-1]:.4f}  time {spent / three:.1f} / {spent / all_:.1f} single fits",
            flush=True,
        )
    print(f"mean gap {np.mean(gaps):.4f} over {len(gaps)} sets")


if __name__ == "__main__":
    main()
