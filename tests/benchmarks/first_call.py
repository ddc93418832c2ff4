"""The first call of the library in a new process: milliseconds of CPU time and MiB, with and without SciPy's BLAS.

SciPy's BLAS is taken with one thread, and with as many as it takes by itself.

    python tests/benchmarks/first_call.py [--before FOLDER]

FOLDER holds the package of another state, built in place, to compare with: figures of both, in turns, and their ratio.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

import combpred

PROGRAM = """
import resource, time
import scipy.linalg, sklearn.base
from combpred.structures import Permutations
space = Permutations(4)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
space.mean()
print(1e3 * (time.process_time() - start), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024)
"""


def first_call(folder: str, blas: str, threads: str | None) -> tuple[float, float]:
    """Return milliseconds and MiB of the first call in a new process."""
    environment = {**os.environ, "PYTHONPATH": folder, "COMBPRED_BLAS": blas}
    environment.pop("OPENBLAS_NUM_THREADS", None)
    if threads is not None:
        environment["OPENBLAS_NUM_THREADS"] = threads
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    milliseconds, mebibytes = map(float, answer.stdout.split())
    return milliseconds, mebibytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", default=None, help="folder with the package of another state")
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    folders = {"now": str(Path(combpred.__file__).parents[1])}
    if options.before:
        folders["before"] = options.before
    for blas, threads in (("auto", "1"), ("auto", None), ("gonum", "1")):
        setting = f"COMBPRED_BLAS={blas:6} threads {threads or 'all':3}"
        found: dict[str, list[tuple[float, float]]] = {state: [] for state in folders}
        for _ in range(options.repeats):
            for state, folder in folders.items():
                found[state].append(first_call(folder, blas, threads))
        medians = {state: [statistics.median(run[k] for run in runs) for k in (0, 1)] for state, runs in found.items()}
        for state, (milliseconds, mebibytes) in medians.items():
            print(f"{setting} {state:7} {milliseconds:6.1f} ms {mebibytes:6.1f} MiB")
        if options.before:
            print(f"{setting} ratio   {medians['now'][0] / medians['before'][0]:6.2f}")


if __name__ == "__main__":
    main()
