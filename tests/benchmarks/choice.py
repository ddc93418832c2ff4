"""StructuredRidgeCV with its defaults against the best fixed setting in hindsight, and by cross-validation.

    python tests/benchmarks/choice.py --data FOLDER [--sets iris ERA ...] [--splits 4] [--seed 0]
    python tests/benchmarks/choice.py --data FOLDER --folds 1 [--sets iris ERA ...]
    python tests/benchmarks/choice.py --data FOLDER --decisions 2 [--sets emotions yeast]

The fixed settings are those the defaults try: kernel, width and penalty under the loss "squared". Each is trained on
the same 70 % of the rows, inputs standardised on them, and scored by the structure's metric on the others; the best in
hindsight has the largest mean over the splits. It is chosen on the very rows it is scored on, so that it is an
optimistic rival. How optimistic says the floor: what is lost, on one half of the test rows, by the setting that is best
on the other half (the mean of both ways), to the setting that is best there.

The gaps are those of both values of `scoring`, None and "metric". The time is a multiple of single "squared" fits: of
three, one a kernel (linear, rbf, laplacian), and of thirteen, one a kernel and width.

With --folds the defaults choose inside each of ten outer folds, drawn anew so many times (nested choice); beside the
mean stands that of the best of the fixed settings in hindsight, on the same folds, unless --alone.

With --decisions, for label sets: subset accuracy, F1 and the Hamming score in five folds, drawn so many times. "chosen"
lets `scoring` choose sets and decision at the setting that explains most variance; "by metric" chooses the setting by
the metric, too, once for each kind of sets and decision, and of these the best; "none" leaves the choice out. Beside
them stand all sets, all sets with decision="f1", and observed sets, each at the setting that explains most variance.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from forests import sets
from ranking_selection import outer_folds
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge, StructuredRidgeCV
from combpred._models.thresholds import mean_f1
from combpred.metrics import accuracy, hamming_score
from combpred.structures import LabelSets, Structure

WIDTHS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SETTINGS = [("linear", None), *((kernel, width) for kernel in ("rbf", "laplacian") for width in WIDTHS)]
ALPHAS = 10.0 ** np.arange(-3, 2.1, 0.5)


def seconds(model: StructuredRidge | StructuredRidgeCV, X: np.ndarray, y: np.ndarray) -> float:
    """Return how long one fit takes."""
    start = perf_counter()
    model.fit(X, y)
    return perf_counter() - start


def standardised(X: np.ndarray, train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows for training and for tests, standardised on the former."""
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), scaler.transform(X[test])


def scored(model: Any, X: np.ndarray, y: np.ndarray) -> list[float]:
    """Return the metric on all rows, on the even and on the odd ones."""
    predicted = model.predict(X)
    parts = (slice(None), slice(0, None, 2), slice(1, None, 2))
    return [model.structure_.score(y[part], predicted[part]) for part in parts]


def fixed_settings(structure: Structure, A: np.ndarray, y: np.ndarray, B: np.ndarray, z: np.ndarray) -> tuple[Any, Any]:
    """Return the scores of all fixed settings (13, 11, 3), and the seconds of one fit of each kernel and width."""
    found, times = np.zeros((len(SETTINGS), len(ALPHAS), 3)), np.zeros(len(SETTINGS))
    for k, (kernel, width) in enumerate(SETTINGS):
        for a, alpha in enumerate(ALPHAS):
            gamma = None if width is None else width / A.shape[1]
            model = StructuredRidge(structure, alpha=alpha, kernel=kernel, gamma=gamma, loss="squared", n_jobs=1)
            times[k] += seconds(model, A, y) / len(ALPHAS)
            found[k, a] = scored(model, B, z)
    return found, times


def best_of(means: np.ndarray) -> tuple[int, ...]:
    """Return the place of the largest entry."""
    return tuple(int(at) for at in np.unravel_index(means.argmax(), means.shape))


def hindsight(name: str, structure: Structure, X: np.ndarray, y: Any, splits: int, seed: int) -> list[float]:
    """Print the line of one set, and return its gaps by both scorings, and the floor."""
    chosen, fixed, times = np.zeros((splits, 2)), [], np.zeros(3)
    for split, (train, test) in enumerate(ShuffleSplit(splits, test_size=0.3, random_state=seed).split(X)):
        A, B = standardised(X, train, test)
        for s, scoring in enumerate((None, "metric")):
            choice = StructuredRidgeCV(structure, scoring=scoring, n_jobs=1)
            spent = seconds(choice, A, y[train])
            times[0] += spent * (s == 0)
            chosen[split, s] = scored(choice, B, y[test])[0]
        found, single = fixed_settings(structure, A, y[train], B, y[test])
        fixed.append(found)
        times[1:] += single[[width in (None, 1.0) for _, width in SETTINGS]].sum(), single.sum()
    means = np.mean(fixed, axis=0)
    k, a = best_of(means[..., 0])
    best = means[k, a, 0]
    floor = np.mean([means[..., one].max() - means[(*best_of(means[..., 3 - one]), one)] for one in (1, 2)])
    gaps = best - chosen.mean(axis=0)
    print(
        f"{name:15} {len(X):5} rows  {structure.default_metric:14} chosen {chosen[:, 0].mean():.4f}  best {best:.4f} "
        f"{SETTINGS[k]} alpha {ALPHAS[a]:.3g}  gap {gaps[0]:.4f}, by metric {gaps[1]:.4f}, floor {floor:.4f}  "
        f"time {times[0] / times[1]:.1f} / {times[0] / times[2]:.1f} single fits",
        flush=True,
    )
    return [*gaps, float(floor)]


def nested(name: str, structure: Structure, X: np.ndarray, y: Any, repeats: int, *, alone: bool) -> None:
    """Print the mean over outer folds of the choice, and of the best fixed setting."""
    chosen, fixed = [], []
    for train, test in outer_folds(X, repeats):
        A, B = standardised(X, train, test)
        chosen.append(StructuredRidgeCV(structure, n_jobs=1).fit(A, y[train]).score(B, y[test]))
        if not alone:
            fixed.append(fixed_settings(structure, A, y[train], B, y[test])[0][..., 0])
    error = np.std(chosen) / np.sqrt(len(chosen))
    rival = "" if alone else f"  best in hindsight {np.mean(fixed, axis=0).max():.4f}"
    print(
        f"{name:15} {len(X):5} rows  {structure.default_metric:14} nested {np.mean(chosen):.4f} ± {error:.4f}{rival}",
        flush=True,
    )


def decisions(name: str, X: np.ndarray, y: Any, repeats: int) -> None:
    """Print a line for each metric: the choice of sets and decisions, and what is chosen from."""
    judges: dict[str, Any] = {"accuracy": accuracy, "f1": mean_f1, "hamming_score": hamming_score}
    kinds = ((False, "mbr"), (False, "f1"), (True, "mbr"))
    found: dict[str, list[list[float]]] = {scoring: [] for scoring in judges}
    for seed in range(repeats):
        for train, test in KFold(5, shuffle=True, random_state=seed).split(X):
            A, B = standardised(X, train, test)
            fixed = [
                StructuredRidgeCV(LabelSets(observed=observed), decision=decision, n_jobs=1).fit(A, y[train])
                for observed, decision in kinds
            ]
            for scoring, judge in judges.items():
                by_metric = [clone(model).set_params(scoring=scoring).fit(A, y[train]) for model in fixed]
                models = [
                    StructuredRidgeCV(LabelSets(), scoring=scoring, n_jobs=1).fit(A, y[train]),
                    max(by_metric, key=lambda model: model.best_score_),
                    *fixed,
                ]
                found[scoring].append([judge(y[test], model.predict(B)) for model in models])
    for scoring, rows in found.items():
        means = np.mean(rows, axis=0)
        heads = ("chosen", "by metric", "none: all sets", "all sets, f1", "observed sets")
        each = "  ".join(f"{head} {mean:.4f}" for head, mean in zip(heads, means, strict=True))
        print(f"{name:15} {len(X):5} rows  {scoring:14} {each}", flush=True)


def main() -> None:
    """Print a line for each set, and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0, help="of the splits")
    parser.add_argument("--folds", type=int, default=0, help="how often ten folds are drawn")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--decisions", type=int, default=0, help="how often five folds are drawn")
    args = parser.parse_args()
    StructuredRidgeCV().fit(np.eye(20), np.arange(20) % 2)  # what is loaded once is not part of the time
    gaps = []
    for name, structure, X, y in sets(args.data):
        if args.sets and name not in args.sets:
            continue
        if args.decisions:
            if isinstance(structure, LabelSets):
                decisions(name, X, y, args.decisions)
        elif args.folds:
            nested(name, structure, X, y, args.folds, alone=args.alone)
        else:
            gaps.append(hindsight(name, structure, X, y, args.splits, args.seed))
    if gaps:
        means = np.mean(gaps, axis=0)
        print(f"mean gap {means[0]:.4f}, by metric {means[1]:.4f}, floor {means[2]:.4f} over {len(gaps)} sets")


if __name__ == "__main__":
    main()
