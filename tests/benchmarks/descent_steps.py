"""StructuredSGD: microseconds of CPU time a step on 20 features and rankings of 10, objectives included.

    python tests/benchmarks/descent_steps.py [--before FOLDER]

FOLDER holds the package of another state, built in place, to compare with: figures of both, in turns, and their ratio.
States that have no StructuredSGD descend by ``StructuredRidge(solver="sgd")``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import combpred

PROGRAM = """
import sys, time, warnings
from functools import partial
import numpy as np
import combpred
from combpred.structures import Permutations
warnings.simplefilter("ignore")
average, n = sys.argv[1] == "average", 20_000
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 20))
values = X @ rng.normal(size=(20, 10)) + rng.normal(size=(n, 10))
y = (values.argsort(axis=1).argsort(axis=1) + 1).astype(np.int32)
descends = getattr(combpred, "StructuredSGD", None) or partial(combpred.StructuredRidge, solver="sgd")
def seconds(passes):
    model = descends(Permutations(10), max_iter=passes, tol=1e-300, average=average, random_state=0, n_jobs=1)
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start
seconds(1)
print(1e6 * (min(seconds(21) for _ in range(3)) - min(seconds(1) for _ in range(3))) / (20 * n))
"""


def microseconds(folder: str, kind: str) -> float:
    """Return the time of a step in a new process."""
    environment = {**os.environ, "PYTHONPATH": folder, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM, kind]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", default=None, help="folder with the package of another state")
    options = parser.parse_args()
    for kind in ("plain", "average"):
        now = microseconds(str(Path(combpred.__file__).parents[1]), kind)
        beside = ""
        if options.before:
            before = microseconds(options.before, kind)
            beside = f", before {before:.2f}: ratio {now / before:.2f}"
        print(f"{kind:8} {now:.2f} µs a step{beside}", flush=True)


if __name__ == "__main__":
    main()
