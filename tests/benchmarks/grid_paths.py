"""Shortest paths on a 5 × 5 grid, learnt from observed paths alone: how much do predicted paths cost too much?

The generator is that of Elmachtoub and Grigas (2022), "Smart predict, then optimize", Management Science 68, with the
base normalised as in the libraries that benchmark it: features x ~ N(0, I_5), a matrix B of fair 0/1 coins drawn once,
and arc j costs ε_j [((Bx)_j / √5 + 3)^degree + 1] / 3.5^degree, with ε_j uniform on [1 − noise, 1 + noise]. (The paper
has 1 + (…)^degree without the 3.5^degree: a common factor, on which the normalised regret below does not depend.) Paths
move right and down from corner to corner, over 40 arcs. The observed path of a row is the shortest under its noisy
costs, and nothing but features and paths enters training. Normalised regret: on the test part, the true (noisy) cost of
predicted paths over that of the shortest ones, less one.

Kernel and penalty are chosen by leave-one-out on the training part, by the share of arcs that observed and predicted
paths agree on ("arcs"), or by the share of paths predicted exactly ("paths"). For loss "squared" two decoders are
tried: `predict`, and the path of largest inner product with the scores ("product"), that is, without the mean of all
paths, which favours arcs that many paths share.

References on the same data that see the costs: the shortest path under the noiseless costs, unknowable in practice but
as good as any can be; and costs predicted by regression, linear and cubic, their penalty by cross-validation.

    python tests/benchmarks/grid_paths.py [--seeds 5] [--degree 4] [--noise 0.5] [--train 1000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from held_out import lists
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from combpred import StructuredRidgeCV
from combpred.structures import Paths

GRID = Paths.grid(5, 5)
N_FEATURES, N_TEST = 5, 1000
ALPHAS = np.logspace(-3, 3, 13)
KERNELS: list[dict[str, Any]] = [
    {"kernel": "linear"},
    *({"kernel": "poly", "degree": degree} for degree in (2, 3, 4)),
    *({"kernel": "rbf", "gamma": width / N_FEATURES} for width in (0.03, 0.1, 0.3, 1.0)),
]
# Published for degree 4, noise .5, 1000 training rows, by methods that train on the costs: regret and seconds.
PUBLISHED = {"SPO+": (0.076, 165), "PFYL": (0.073, 297), "learning to rank": (0.085, 17)}


def generate(n: int, degree: int, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, noiseless costs and noisy costs."""
    rng = np.random.default_rng(seed)
    B = rng.binomial(1, 0.5, (GRID.n_features, N_FEATURES))
    X = rng.standard_normal((n, N_FEATURES))
    known = ((X @ B.T / np.sqrt(N_FEATURES) + 3) ** degree + 1) / 3.5**degree
    return X, known, known * rng.uniform(1 - noise, 1 + noise, known.shape)


def arcs_agree(truth: np.ndarray, paths: np.ndarray) -> float:
    """Return the share of arcs on which the paths agree."""
    return float((GRID.embed(truth) == GRID.embed(paths)).mean())


def paths_agree(truth: np.ndarray, paths: np.ndarray) -> float:
    """Return the share of paths that are the same."""
    return float((truth == paths).all(axis=1).mean())


def decoded(scores: np.ndarray, loss: str, decoder: str) -> np.ndarray:
    """Return the paths that `predict` takes for scores f(x), or those of largest inner product with them."""
    nearest = loss == "squared" and decoder == "predict"
    return GRID.decode(scores + GRID.mean() - 0.5 if nearest else scores)


def choose(
    X: np.ndarray, y: np.ndarray, X_test: np.ndarray, loss: str, decoder: str, kernels: Iterable[dict[str, Any]]
) -> dict[str, tuple[np.ndarray, dict[str, Any]]]:
    """Return, for each criterion, the paths predicted with the kernel and penalty that do best, and these."""
    tried: list[tuple[float, float, dict[str, Any]]] = []
    for kernel in kernels:
        for alpha in ALPHAS:
            model = StructuredRidgeCV(GRID, alphas=[alpha], **lists({**kernel, "loss": loss})).fit(X, y)
            paths = decoded(model.loo_scores_, loss, decoder)
            tried.append((arcs_agree(y, paths), paths_agree(y, paths), {**kernel, "alpha": alpha}))
    found = {}
    for at, criterion in enumerate(("arcs", "paths")):
        best = dict(max(tried, key=lambda each: each[at])[2])
        setting = dict(best)
        alpha = setting.pop("alpha")
        model = StructuredRidgeCV(GRID, alphas=[alpha], **lists({**setting, "loss": loss})).fit(X, y)
        found[criterion] = (decoded(model.feature_scores(X_test), loss, decoder), best)
    return found


def references(X: np.ndarray, costs: np.ndarray, X_test: np.ndarray, known: np.ndarray) -> dict[str, np.ndarray]:
    """Return the paths of the methods that see the costs."""
    found = {"noiseless costs (no method can know)": GRID.decode(-known)}
    for name, degree in (("regression of costs, linear", 1), ("regression of costs, cubic", 3)):
        model = make_pipeline(PolynomialFeatures(degree), StandardScaler(), RidgeCV(np.logspace(-3, 5, 17)))
        found[name] = GRID.decode(-model.fit(X, costs).predict(X_test))
    return found


def main() -> None:
    """Print mean and spread of the regrets over generator seeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--train", type=int, default=1000)
    parser.add_argument("--degree", type=int, default=4)
    parser.add_argument("--noise", type=float, default=0.5)
    args = parser.parse_args()
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for seed in range(args.seeds):
        X, known, costs = generate(args.train + N_TEST, args.degree, args.noise, seed)
        train, test = slice(None, args.train), slice(args.train, None)
        y = GRID.decode(-costs)  # scores are maximised
        least = (GRID.embed(y[test]) * costs[test]).sum()

        def regret(paths: np.ndarray, costs: np.ndarray = costs[test], least: float = least) -> float:
            return float((GRID.embed(paths) * costs).sum() / least - 1)

        for name, paths in references(X[train], costs[train], X[test], known[test]).items():
            rows.setdefault(name, []).append((regret(paths), np.nan, np.nan))
        for loss, decoder in (("squared", "predict"), ("squared", "product"), ("auc", "predict")):
            wall, cpu = time.perf_counter(), time.process_time()
            chosen = choose(X[train], y[train], X[test], loss, decoder, KERNELS)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            for criterion, (paths, setting) in chosen.items():
                name = f"{loss}, {decoder}, chosen by {criterion}"
                rows.setdefault(name, []).append((regret(paths), wall, cpu))
                print(f"seed {seed}: {name}: {regret(paths):.4f} {setting}", flush=True)
    print(f"\n{'regret':<42}{'mean':>8}{'sd':>8}{'seconds':>9}{'CPU':>8}   (to choose, train and predict)")
    for name, values in rows.items():
        regrets, wall, cpu = np.array(values).T
        spread = regrets.std(ddof=1) if len(regrets) > 1 else 0.0
        times = "" if np.isnan(wall).all() else f"{wall.mean():>9.1f}{cpu.mean():>8.1f}"
        print(f"{name:<42}{regrets.mean():>8.4f}{spread:>8.4f}{times}")
    if (args.degree, args.noise, args.train) == (4, 0.5, 1000):
        for name, (value, seconds) in PUBLISHED.items():
            print(f"{name + ' (published, sees costs)':<42}{value:>8.3f}{'':>8}{seconds:>9}")


if __name__ == "__main__":
    main()
