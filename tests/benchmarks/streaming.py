"""Time and memory of training on more rows than need be held, each fit in a process of its own.

    python tests/benchmarks/streaming.py [rankings] [labels] [--rows 1000000] [--folder /tmp]

`rankings`: rows × 100 features and rankings of 10 labels in memory-mapped files, beside scikit-learn's Ridge on the
same rows and the 45 signs of the pairs, all held in memory, with as many threads; and the exponent with which the time
of a pass grows. `labels`: 50 000 rows × 500 features with 10 of 5000 labels each, as CSR. Files are written to a
temporary folder, 1 GB for a million rows, and deleted at the end. Memory is the peak of the whole process, the
interpreter and all imports included.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap

MEMORY = """
import json, sys, threading, time
import numpy as np

def memory(name):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
"""
OURS = (
    MEMORY
    + """
from combpred import StructuredRidge
from combpred.structures import Permutations
X, y = (np.load(sys.argv[1] + name, mmap_mode="r")[: int(sys.argv[2])] for name in ("/X.npy", "/y.npy"))
anonymous, done = [0], threading.Event()
def watch():
    while not done.wait(0.02):
        anonymous[0] = max(anonymous[0], memory("RssAnon"))
watcher = threading.Thread(target=watch)
watcher.start()
StructuredRidge(Permutations(10), loss="auc", solver="primal").fit(np.array(X[:1000]), np.array(y[:1000]))
start = time.perf_counter()
model = StructuredRidge(Permutations(10), loss="auc", solver="primal", loss=sys.argv[3]).fit(X, y)
seconds = time.perf_counter() - start
done.set()
watcher.join()
print(json.dumps([seconds, model.n_iter_, memory("VmHWM"), anonymous[0], model.objective_]))
"""
)
THEIRS = (
    MEMORY
    + """
from sklearn.linear_model import Ridge
from combpred.structures import Permutations
X, y = (np.load(sys.argv[1] + name)[: int(sys.argv[2])] for name in ("/X.npy", "/y.npy"))
psi = Permutations(10).embed(y)
Ridge(solver=sys.argv[3]).fit(X[:1000], psi[:1000])
start = time.perf_counter()
Ridge(solver=sys.argv[3]).fit(X, psi)
print(json.dumps([time.perf_counter() - start, memory("VmHWM")]))
"""
)
LABELS = (
    MEMORY
    + """
from scipy import sparse
from combpred import StructuredRidge
from combpred.structures import LabelSets
X, columns = np.load(sys.argv[1] + "/X.npy"), np.load(sys.argv[1] + "/columns.npy")
n, k = columns.shape
Y = sparse.csr_matrix((np.ones(n * k, dtype=np.int8), columns.ravel(), np.arange(0, n * k + 1, k)), shape=(n, 5000))
held = memory("VmRSS")
size = None if sys.argv[2] == "any" else k
start = time.perf_counter()
model = StructuredRidge(LabelSets(5000, size=size), loss="auc", solver="primal", alpha=10.0).fit(X, Y)
fit, peak = time.perf_counter() - start, memory("VmHWM")
start = time.perf_counter()
predicted = model.predict(X)
predict = time.perf_counter() - start
found = predicted.multiply(Y).sum() / max(predicted.nnz, 1)
print(json.dumps([fit, model.n_iter_, held, peak, predict, memory("VmHWM"), float(found)]))
"""
)
_ROWS = 20_000  # written at once


def measured(code: str, *arguments: object) -> list[float]:
    """Return what a program prints."""
    run = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr)
    numbers: list[float] = json.loads(run.stdout)
    return numbers


def write_rankings(folder: str, n: int) -> None:
    """Write inputs of 100 features, and rankings of 10 labels by linear utilities with noise."""
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(100, 10))
    X = open_memmap(f"{folder}/X.npy", mode="w+", dtype=np.float64, shape=(n, 100))
    y = open_memmap(f"{folder}/y.npy", mode="w+", dtype=np.int32, shape=(n, 10))
    for lo in range(0, n, _ROWS):
        rows = slice(lo, min(lo + _ROWS, n))
        X[rows] = rng.normal(size=X[rows].shape)
        utility = X[rows] @ weights + 10.0 * rng.normal(size=y[rows].shape)
        y[rows] = np.argsort(np.argsort(-utility, axis=1), axis=1) + 1


def rankings(folder: str, n: int) -> None:
    """Print times, ratios, memory and growth."""
    write_rankings(folder, n)
    print(f"{'rows':>9}  {'loss':8}{'s':>8}{'passes':>7}{'peak MB':>9}{'anonymous':>10}")
    times = {}
    for rows in sorted({n >> k for k in range(5)}):
        for loss in ("auc", "squared") if rows == n else ("auc",):
            seconds, passes, peak, anonymous, _ = measured(OURS, folder, rows, loss)
            times[rows, loss] = seconds / passes if loss == "auc" else seconds
            print(f"{rows:9}  {loss:8}{seconds:8.2f}{passes:7.0f}{peak / 1e6:9.0f}{anonymous / 1e6:10.0f}", flush=True)
            if loss == "auc" and rows == n:
                whole = seconds
    sizes = np.array([rows for rows, loss in times if loss == "auc"])
    slope = np.polyfit(np.log(sizes), np.log([times[rows, "auc"] for rows in sizes]), 1)[0]
    print(f"time of a pass grows with rows to the power of {slope:.2f}")
    for solver in ("cholesky", "auto"):
        seconds, peak = measured(THEIRS, folder, n, solver)
        print(
            f"{n:9}  Ridge, {solver}: {seconds:.2f} s, {peak / 1e6:.0f} MB; ours takes {whole / seconds:.1f} times that"
        )


def labels(folder: str) -> None:
    """Print time and memory of label sets."""
    n, p, d, k = 50_000, 500, 5000, 10
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(p, 20)) / math.sqrt(p), rng.normal(size=(20, d))
    X = rng.normal(size=(n, p)).astype(np.float32)
    columns = np.empty((n, k), dtype=np.int32)
    for lo in range(0, n, 1000):
        rows = slice(lo, min(lo + 1000, n))
        scores = X[rows] @ hidden[0] @ hidden[1] + 2 * rng.normal(size=(rows.stop - lo, d))
        columns[rows] = np.sort(np.argpartition(-scores, k, axis=1)[:, :k], axis=1)
    np.save(f"{folder}/X.npy", X)
    np.save(f"{folder}/columns.npy", columns)
    for size in ("any", "fixed"):
        fit, passes, held, peak, predict, later, found = measured(LABELS, folder, size)
        print(
            f"label sets of {size} size: fit {fit:.1f} s, {passes:.0f} passes, peak {peak / 1e6:.0f} MB of which "
            f"{held / 1e6:.0f} before; predict {predict:.1f} s, peak {later / 1e6:.0f} MB; {found:.0%} of the labels "
            "predicted are right"
        )


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("which", nargs="*", default=["rankings", "labels"], choices=["rankings", "labels"])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if "rankings" in options.which:
            rankings(folder, options.rows)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if "labels" in options.which:
            labels(folder)


if __name__ == "__main__":
    main()
