"""A C program without Python beside the same fit in Python: CPU seconds of tests/c/predict.c and of StructuredRidge.

Both run on one thread of the same BLAS. Usage: python c_program.py [n]; needs Go and a C compiler, for capi/install.sh.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy

from combpred import StructuredRidge

ROOT = Path(__file__).parents[2]
ROUNDS, FEATURES, NEW = 3, 20, 500


def program(prefix: str) -> str:
    """Install the library, compile the program, and return its path."""
    subprocess.run(["sh", ROOT / "capi" / "install.sh", prefix], check=True)
    path = f"{prefix}/predict"
    source = ROOT / "tests" / "c" / "predict.c"
    link = [f"-L{prefix}/lib", "-lcombpred", f"-Wl,-rpath,{prefix}/lib"]
    subprocess.run(["cc", "-std=c11", "-O2", f"-I{prefix}/include", "-o", path, source, *link], check=True)
    return path


def main() -> None:
    """Print a line for each kernel and loss."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    blas = next((Path(scipy.__file__).parent.parent / "scipy.libs").glob("*openblas*"))
    rng = np.random.default_rng(0)
    x, fresh = rng.normal(size=(n, FEATURES)), rng.normal(size=(NEW, FEATURES))
    y = np.argsort(np.argsort(-(x[:, :5] + rng.normal(size=(n, 5)))), axis=1) + 1
    given = " ".join(repr(float(v)) for a in ([n, NEW, FEATURES, 1.0], x, y, fresh) for v in np.ravel(a))
    print(f"{n} rankings of 5, {FEATURES} features, {NEW} new rows; CPU seconds, best of {ROUNDS}")
    print(
        f"{'kernel':10} {'loss':8} {'fit C':>7} {'Python':>7} {'ratio':>6} {'predict C':>10} {'Python':>7} {'ratio':>6}"
    )
    with tempfile.TemporaryDirectory() as prefix:
        command = [program(prefix), "", "", str(blas)]
        for kernel in ("rbf", "laplacian"):
            for loss in ("auc", "squared"):
                model = StructuredRidge("permutations", kernel=kernel, gamma="scale", loss=loss)
                seconds = []
                command[1:3] = kernel, loss
                for _ in range(ROUNDS):
                    answer = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
                    lines = dict(line.split(" ", 1) for line in answer.stdout.splitlines())
                    start = time.process_time()
                    model.fit(x, y)
                    fitted = time.process_time()
                    model.predict(fresh, return_certificate=True)[1]
                    mine = [fitted - start, time.process_time() - fitted]
                    seconds.append([*map(float, lines["seconds"].split()), *mine])
                fit_c, predict_c, fit, predict = np.min(seconds, axis=0)
                print(
                    f"{kernel:10} {loss:8} {fit_c:7.3f} {fit:7.3f} {fit_c / fit:6.2f} {predict_c:10.4f} {predict:7.4f} "
                    f"{predict_c / predict:6.2f}"
                )


if __name__ == "__main__":
    main()
