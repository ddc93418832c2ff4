"""Time and memory of training on structures with thousands of features, each in a process of its own.

    python tests/benchmarks/large.py [--rows 1000] [--loss auc squared]

Memory is the peak of the whole process, the interpreter and all imports included.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

STRUCTURES = (
    "Permutations(100)", "DirectedCycles(30)", "Cycles(30)", "Cliques(40)", "Routes(40)", "WeakOrders(60)",
    "Assignments(100)", "Paths.trellis(200, 10)", "LabelSets(5000)",
)  # fmt: skip

# One fit and one prediction in a fresh process: features, seconds of fit, seconds a predicted row, solver, peak bytes.
RUN = """
import json, resource, time
import numpy as np
from combpred import StructuredRidge
from combpred.structures import *
structure = {structure}
y = structure.sample({rows}, random_state=0)
X = np.random.default_rng(0).normal(size=({rows}, 20))
model = StructuredRidge(structure, loss={loss!r}, kernel="rbf")
start = time.perf_counter()
model.fit(X, y)
fit = time.perf_counter() - start
peak = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
start = time.perf_counter()
certified = model.predict(X[:20], return_certificate=True)[1]
predict = (time.perf_counter() - start) / 20
print(json.dumps([structure.n_features, fit, peak, predict, float(certified.optimal.mean()), model.solver_]))
"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--loss", nargs="+", default=["auc", "squared"], choices=["auc", "squared"])
    options = parser.parse_args()
    print(f"{'structure':24}{'d':>7}  {'loss':8}{'fit s':>7}{'peak MB':>9}{'row ms':>8}{'optimal':>9}  solver")
    for structure in STRUCTURES:
        for loss in options.loss:
            code = RUN.format(structure=structure, rows=options.rows, loss=loss)
            run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            if run.returncode:
                print(f"{structure:24}{'':7}  {loss:8}{run.stderr.splitlines()[-1]}", flush=True)
                continue
            d, fit, peak, predict, optimal, solver = json.loads(run.stdout)
            times = f"{fit:7.2f}{peak / 2**20:9.0f}{1e3 * predict:8.1f}"
            print(f"{structure:24}{d:7}  {loss:8}{times}{optimal:9.0%}  {solver}", flush=True)


if __name__ == "__main__":
    main()
