"""Exact fits on large kernel matrices: seconds, memory, and how soon Ctrl-C is answered.

    python tests/benchmarks/large_kernels.py [--rows 8000 16000] [--interrupts 10] [--kernel-ridge 8000]

Each fit runs in a process of its own. Peak memory is over that just before the fit, in kernel-sized matrices and GiB.
For Ctrl-C, one process after another gets SIGINT at a random moment of its fit (a seeded uniform share of the time that
the whole fit took), and the delay is until KeyboardInterrupt reaches the caller. KernelRidge is fitted on the same
kernel matrix with as many threads, up to the rows given. For threads, set OPENBLAS_NUM_THREADS.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time

# Prints "ready" before the fit; then [seconds, peak bytes over those before, bytes of a kernel, solver, precision], or
# the moment at which KeyboardInterrupt was caught.
FIT = """
import json, resource, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may have been told to ignore it
import numpy as np
from combpred import StructuredRidge
from combpred.structures import Permutations
rows = {rows}
rng = np.random.default_rng(0)
X = rng.normal(size=(rows, 10))
utility = X @ rng.normal(size=(10, 10)) + rng.normal(size=(rows, 10))
y = (-utility).argsort(axis=1).argsort(axis=1) + 1
StructuredRidge(Permutations(10), loss="auc", kernel="rbf", gamma=0.1).fit(X[:50], y[:50])  # loads the library
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
with open("/proc/self/clear_refs", "w") as reset:  # sets the peak back to what is resident now
    reset.write("5")
print("ready", flush=True)
start = time.perf_counter()
try:
    model = StructuredRidge(Permutations(10), loss="auc", kernel="rbf", gamma=0.1, verbose={verbose}).fit(X, y)
except KeyboardInterrupt:
    print(json.dumps(time.monotonic()), flush=True)
    sys.exit()
seconds = time.perf_counter() - start
peak = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([seconds, peak - before, 8 * rows * rows, model.solver_, model.precision_]), flush=True)
"""
KERNEL_RIDGE = """
import json, time
import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
rows = {rows}
rng = np.random.default_rng(0)
X, psi = rng.normal(size=(rows, 10)), rng.choice([-1.0, 1.0], size=(rows, 45))
start = time.perf_counter()
K = rbf_kernel(X, gamma=0.1)
KernelRidge(alpha=2.0, kernel="precomputed").fit(K, psi)
print(json.dumps(time.perf_counter() - start))
"""


def begin(code: str) -> subprocess.Popen[str]:
    """Start a process and wait until it is ready."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while process.stdout.readline().strip() != "ready":
        if process.poll() is not None:
            raise SystemExit(f"the fit ended with status {process.returncode} before it began")
    return process


def delay(rows: int, wait: float) -> float | None:
    """Return the seconds from SIGINT, `wait` seconds into a fit, to KeyboardInterrupt; None if it came too late."""
    process = begin(FIT.format(rows=rows, verbose=0))
    time.sleep(wait)
    sent = time.monotonic()  # the same clock in all processes of the system
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    caught = json.loads(out.strip().splitlines()[-1]) if out.strip() else None
    return caught - sent if isinstance(caught, float) else None


def main() -> None:
    """Print one line for each number of rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[8000])
    parser.add_argument("--interrupts", type=int, default=10)
    parser.add_argument("--kernel-ridge", type=int, default=8000, help="most rows on which KernelRidge is fitted, too")
    parser.add_argument("--verbose", type=int, default=0)
    args = parser.parse_args()
    print(f"OPENBLAS_NUM_THREADS={os.environ.get('OPENBLAS_NUM_THREADS', 'unset')}", flush=True)
    for rows in args.rows:
        out, _ = begin(FIT.format(rows=rows, verbose=args.verbose)).communicate()
        seconds, peak, kernel, solver, precision = json.loads(out.strip().splitlines()[-1])
        print(
            f"{rows} rows: {seconds:.1f} s, {peak / 2**30:.2f} GiB = {peak / kernel:.2f} kernel matrices, {solver}, "
            f"{precision}",
            flush=True,
        )
        if rows <= args.kernel_ridge:
            run = subprocess.run(
                [sys.executable, "-c", KERNEL_RIDGE.format(rows=rows)], stdout=subprocess.PIPE, text=True, check=True
            )
            theirs = json.loads(run.stdout)
            print(f"  KernelRidge with its kernel: {theirs:.1f} s; ratio {seconds / theirs:.2f}", flush=True)
        rng = random.Random(0)
        found = [delay(rows, rng.uniform(0, seconds)) for _ in range(args.interrupts)]
        delays = [one for one in found if one is not None]
        if delays:
            print(f"  Ctrl-C: {len(delays)} times, longest delay {max(delays):.2f} s", flush=True)


if __name__ == "__main__":
    main()
