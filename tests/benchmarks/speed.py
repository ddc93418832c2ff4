"""Speed and memory of training, selection, decoding and import, beside scikit-learn's KernelRidge in the same run.

    python tests/benchmarks/speed.py [--rows 2000 4000] [--repeats 5]

Times are medians over repeats taken in turn, so that a drift of the machine's speed touches both sides of a ratio
alike.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.structures import Permutations

N_LABELS = 10
# One fit in a fresh process: peak resident memory over that just before it, in kernel-sized matrices.
PEAK = """
import resource, sys
sys.path.insert(0, {folder!r})
from speed import problem, ridge
K, y, _ = problem({rows})
ridge({loss!r}).fit(K[:50, :50], y[:50])  # loads the library
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
with open("/proc/self/clear_refs", "w") as reset:  # sets the peak back to what is resident now
    reset.write("5")
ridge({loss!r}).fit(K, y)
peak = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print((peak - before + K.nbytes) / K.nbytes)
"""


def problem(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a kernel matrix, rankings with noise, and their embedding."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 10))
    utility = X @ rng.normal(size=(10, N_LABELS)) + rng.normal(size=(rows, N_LABELS))
    y = (-utility).argsort(axis=1).argsort(axis=1) + 1
    return rbf_kernel(X, gamma=0.1), y, Permutations(N_LABELS).embed(y)


def ridge(loss: str, **changes: object) -> StructuredRidge:
    """Return the estimator under test: no intercept, so that both sides see the same kernel matrix."""
    return StructuredRidge(Permutations(N_LABELS), loss=loss, kernel="precomputed", fit_intercept=False, **changes)


def seconds(call: Callable[[], object]) -> float:
    """Return the time of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def medians(calls: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the median time of each call, the calls taken in turn after one warm-up."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for repeat in range(repeats + 1):
        for name, call in calls.items():
            taken = seconds(call)
            if repeat > 0:
                times[name].append(taken)
    return {name: float(np.median(t)) for name, t in times.items()}


def training(rows: int, repeats: int) -> None:
    """Compare fits at this number of rows."""
    K, y, psi = problem(rows)
    calls: dict[str, Callable[[], object]] = {
        "KernelRidge": lambda: KernelRidge(alpha=2.0, kernel="precomputed").fit(K, psi),
        "auc": lambda: ridge("auc").fit(K, y),
        "squared": lambda: ridge("squared").fit(K, y),
    }
    times = medians(calls, repeats)
    base = times["KernelRidge"]
    for loss in ("auc", "squared"):
        code = PEAK.format(folder=str(__file__).rsplit("/", 1)[0], rows=rows, loss=loss)
        peak = float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        print(
            f"n={rows} fit {loss:<8} {times[loss]:7.3f} s, KernelRidge {base:7.3f} s, ratio {times[loss] / base:5.2f}, "
            f"peak {peak:.2f} K-sized matrices (K itself counted)"
        )
    # Newton-CG creeps along directions that the kernel hardly sees: its gradient is stopped where the objectives agree.
    closed = ridge("auc").fit(K, y)
    newton = ridge("auc", solver="newton-cg", tol=1e-2)
    taken = seconds(lambda: newton.fit(K, y))
    gap = abs(newton.objective_ - closed.objective_) / abs(closed.objective_)
    print(
        f"n={rows} newton-cg {taken:.2f} s, {newton.n_iter_} steps: "
        f"closed form {taken / times['auc']:.1f} times as fast (relative distance of the objectives {gap:.1e})"
    )
    for loss in ("auc", "squared"):
        model = StructuredRidgeCV(
            Permutations(N_LABELS),
            alphas=np.logspace(-2, 2, 10),
            losses=[loss],
            kernels=["precomputed"],
            fit_intercept=False,
        )
        taken = seconds(lambda model=model: model.fit(K, y))
        print(f"n={rows} ten alphas by leave-one-out, {loss}: {taken:.2f} s, {taken / times[loss]:.1f} single fits")


def decoding() -> None:
    """Measure exact decoding of rankings from random scores, the hardest kind, and from a model's."""
    rng = np.random.default_rng(1)
    structure = Permutations(N_LABELS)
    for name, scores in {
        "random": rng.normal(size=(50_000, structure.n_features)),
        "model-like": structure.embed(structure.sample(50_000, random_state=0))
        + rng.normal(size=(50_000, structure.n_features)),
    }.items():
        structure.decode(scores[:10])
        taken = seconds(lambda scores=scores: structure.decode(scores))
        print(f"exact decoding of 10-label rankings, {name} scores: {len(scores) / taken:,.0f} rows a second")


def importing(repeats: int) -> None:
    """Measure what importing combpred adds to importing scikit-learn."""
    code = (
        "import sklearn.base, sklearn.kernel_ridge, time; t = time.perf_counter(); "
        "import combpred; combpred.StructuredRidge; print(time.perf_counter() - t)"
    )
    bare = code.replace("combpred.StructuredRidge; ", "")
    for name, text in {"import combpred": bare, "import and combpred.StructuredRidge": code}.items():
        taken = [float(subprocess.check_output([sys.executable, "-c", text])) for _ in range(repeats)]
        print(f"{name}: {1000 * np.median(taken):.1f} ms on top of scikit-learn")


def main() -> None:
    """Print all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="*", default=[2000, 4000])
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    importing(args.repeats)
    decoding()
    for rows in args.rows:
        training(rows, args.repeats)


if __name__ == "__main__":
    main()
