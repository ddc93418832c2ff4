"""Fits of distributions over label sets beside liblinear: seconds at equal accuracy of the objective, in one run.

`ProbabilisticStructured` on `LabelSets` is one logistic regression for each label; scikit-learn's
`OneVsRestClassifier(LogisticRegression(solver="liblinear"))` minimises the same, with C = 1 / (2 alpha) and the
constant as a column of X, as its weight is penalised. The objective of either is computed here in double precision, and
its excess is relative to the least value found by both at their tightest tolerance.

"default" times both at their own tolerances, with the excess reached. Below that, the time each takes to come within an
excess: that which liblinear has at its default ("as liblinear"), or 1e-9 of the objective, at the loosest tolerance of
a grid of powers of ten. `--classes` fits classes instead, beside scikit-learn's L-BFGS. The sets are generated, but for
yeast, which `--data` adds. Seconds are those of the processor, the least of `--repeats`, on one thread.

    OPENBLAS_NUM_THREADS=1 python tests/benchmarks/label_laws.py [--data DIR] [--sets text yeast-like …] [--alphas 1]
                                                                [--solver auto] [--repeats 3] [--classes]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from folders import LABEL_SETS, label_sets, listed
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from combpred import ProbabilisticStructured
from combpred.structures import LabelSets, MultiClass

Weights = tuple[np.ndarray, float]  # (q, d), and the seconds that they took
Fit = Callable[[float], Weights]  # by tolerance
TOLERANCES = 10.0 ** -np.arange(1, 11)
CLOSE = 1e-9  # of the objective


def text(n: int, p: int, d: int, nonzeros: int = 100) -> tuple[sparse.csr_array, np.ndarray]:
    """Return rows of unit length with words of Zipf's frequencies, and labels that words tell, rare and frequent."""
    rng = np.random.default_rng(0)
    frequency = 1 / np.arange(1, p + 1)
    words = rng.choice(p, size=(n, nonzeros), p=frequency / frequency.sum())
    counts = sparse.csr_array((np.ones(words.size), words.ravel(), np.arange(0, words.size + 1, nonzeros)), (n, p))
    counts.sum_duplicates()
    seen = np.maximum(1, (counts > 0).sum(axis=0))
    counts.data = (1 + np.log(counts.data)) * np.log((1 + n) / seen)[counts.indices]
    X = narrow(sparse.csr_array(counts.multiply(1 / np.sqrt(counts.power(2).sum(axis=1))[:, None])))
    return X, labels(X, d, rng)


def narrow(X: sparse.csr_array) -> sparse.csr_array:
    """Return X with 32-bit indices, which is all that liblinear takes."""
    return sparse.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)


def dense(n: int, p: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return correlated features of unit variance, and labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 10)) @ rng.normal(size=(10, p))
    X = StandardScaler().fit_transform(X)
    return X, labels(X, d, rng)


def labels(X: Any, d: int, rng: np.random.Generator) -> np.ndarray:
    """Return labels by linear scores and noise; each belongs to a share of the rows from 1 to 50 %."""
    scores = X @ rng.normal(size=(X.shape[1], d))
    scores += rng.normal(size=scores.shape) * scores.std(axis=0)
    shares = np.geomspace(0.01, 0.5, d)
    return np.column_stack([s > np.quantile(s, 1 - share) for s, share in zip(scores.T, shares, strict=True)]).astype(
        int
    )


def few_features(n: int = 5000, p: int = 10, d: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Return many labels of few features."""
    return dense(n, p, d)


SETS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "text, 50 labels": lambda: text(10_000, 20_000, 50),
    "text, 200 labels": lambda: text(10_000, 20_000, 200),
    "short text, dense": lambda: (lambda X, y: (X.toarray(), y))(*text(3000, 5000, 20)),
    "short text": lambda: text(3000, 5000, 20),
    "yeast-like": lambda: dense(1500, 103, 14),
    "scene-like": lambda: dense(2000, 300, 6),
    "few features": few_features,
}


def with_constant(X: Any) -> Any:
    """Return X with a column of ones."""
    ones = np.ones((X.shape[0], 1))
    return narrow(sparse.csr_array(sparse.hstack([X, ones]))) if sparse.issparse(X) else np.hstack([X, ones])


def objective(X: Any, y: np.ndarray, weights: np.ndarray, alpha: float) -> float:
    """Return the penalised negative log-likelihood of all labels; X has the constant."""
    scores = X @ weights
    return float(alpha * np.square(weights).sum() + (np.logaddexp(0, scores) - y * scores).sum())


def timed(fit: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """Return what a fit returns, and the least seconds."""
    least = np.inf
    for _ in range(repeats):
        start = time.process_time()
        model = fit()
        least = min(least, time.process_time() - start)
    return model, least


def structured(structure: Any, X: Any, y: np.ndarray, alpha: float, repeats: int, **options: Any) -> Weights:
    """Fit ours."""
    model = ProbabilisticStructured(structure, alpha=alpha, n_jobs=1, **{"max_iter": 5000, **options})
    found, seconds = timed(lambda: model.fit(X, y), repeats)
    return np.vstack([found.coef_.T, found.intercept_]), seconds


def liblinear(X: Any, y: np.ndarray, alpha: float, repeats: int, **options: Any) -> Weights:
    """Fit scikit-learn's; X has the constant."""
    one = LogisticRegression(C=1 / (2 * alpha), solver="liblinear", fit_intercept=False, max_iter=1000, **options)
    found, seconds = timed(lambda: OneVsRestClassifier(one).fit(X, y), repeats)
    return np.vstack([each.coef_ for each in found.estimators_]).T, seconds


def loosest(fit: Fit, excess: Callable[[np.ndarray], float], within: float) -> tuple[float, float, float]:
    """Return seconds, tolerance and excess at the loosest tolerance that comes within an excess."""
    for tol in TOLERANCES:
        weights, seconds = fit(tol)
        if (reached := excess(weights)) <= within:
            return seconds, tol, reached
    return np.nan, np.nan, reached


def compare(ours: Fit, theirs: Fit, value: Callable[[np.ndarray], float], name: str, usual: float) -> Iterator[str]:
    """Yield lines on two ways to minimise the same, given the tolerance of the other by default."""
    tight = [ours(1e-9)[0], theirs(1e-9)[0]]
    best = min(map(value, tight))
    yield f"    largest difference of coefficients at tolerance 1e-9: {np.abs(tight[0] - tight[1]).max():.1e}"

    def excess(weights: np.ndarray) -> float:
        return max(value(weights) / best - 1, 0.0)

    (own, own_time), (other, other_time) = ours(1e-6), theirs(usual)
    yield (
        f"    default        ours {own_time:8.3f} s, excess {excess(own):.0e}; {name} {other_time:8.3f} s, excess "
        f"{excess(other):.0e}; ratio {own_time / other_time:.2f}"
    )
    for what, within in ((f"as {name}", excess(other)), (f"to {CLOSE:g}", CLOSE)):
        (a, own_tol, _), (b, other_tol, _) = loosest(ours, excess, within), loosest(theirs, excess, within)
        own_said, other_said = f"{a:8.3f} s at {own_tol:.0e}", f"{b:8.3f} s at {other_tol:.0e}"
        yield f"    {what:<14} ours {own_said}; {name} {other_said}; ratio {a / b:.2f}"


def label_fits(X: Any, y: np.ndarray, alpha: float, solver: str, repeats: int) -> Iterator[str]:
    """Yield the lines of label sets."""
    whole = with_constant(X)

    def ours(tol: float) -> Weights:
        return structured(LabelSets(y.shape[1]), X, y, alpha, repeats, tol=tol, solver=solver)

    def theirs(tol: float) -> Weights:
        return liblinear(whole, y, alpha, repeats, tol=tol)

    return compare(ours, theirs, lambda weights: objective(whole, y, weights, alpha), "liblinear", 1e-4)


def class_fits(X: Any, y: np.ndarray, alpha: float, solver: str, repeats: int) -> Iterator[str]:
    """Yield the lines of classes: the label of the rarest share that a row has, or none."""
    y = np.where(y.any(axis=1), y.argmax(axis=1), y.shape[1])
    whole, codes = with_constant(X), np.unique(y, return_inverse=True)[1]

    def value(weights: np.ndarray) -> float:
        scores = whole @ weights
        top = scores.max(axis=1)
        log_z = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
        return float(alpha * np.square(weights).sum() + (log_z - scores[np.arange(len(y)), codes]).sum())

    def ours(tol: float) -> Weights:
        return structured(MultiClass(), X, y, alpha, repeats, tol=tol, solver=solver)

    def theirs(tol: float) -> Weights:
        rival = LogisticRegression(C=1 / (2 * alpha), fit_intercept=False, max_iter=5000, tol=tol)
        found, seconds = timed(lambda: rival.fit(whole, y), repeats)
        return found.coef_.T, seconds

    return compare(ours, theirs, value, "lbfgs", 1e-4)


def main() -> None:
    """Print a paragraph for each set and penalty."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--alphas", nargs="*", type=float, default=[1.0])
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--classes", action="store_true", help="fits of classes instead")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    sets = {name: make for name, make in SETS.items() if name in args.sets}
    of_folder = listed(args.data, LABEL_SETS) if args.data else []
    sets |= {name: partial(label_sets, args.data, name) for name in of_folder}
    for name, make in sets.items():
        X, y = make()
        if name in of_folder:
            X = StandardScaler().fit_transform(X)
        for alpha in args.alphas:
            print(f"{name}: {X.shape[0]} x {X.shape[1]}, {y.shape[1]} labels, alpha {alpha:g}", flush=True)
            fits = class_fits if args.classes else label_fits
            for line in fits(X, y, alpha, args.solver, args.repeats):
                print(line, flush=True)


if __name__ == "__main__":
    main()
