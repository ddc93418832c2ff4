"""Exact decoding of rankings with ties of 9 to 16 labels, against an earlier state of the package, in one run.

Scores are standard normal, or those of a ridge regression of noisy rankings with ties on held-out rows. Each state
decodes the same scores by "auto" in a process of its own, the two in turn; times are processor times of one thread.
Where the earlier state searches, its values are compared with the optima.

    python tests/benchmarks/weak_orders.py --before FOLDER   # the folder `python` of another checkout, built
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

SIZES = (9, 11, 12, 13, 14, 15, 16)


def scores_of(kind: str, k: int, rows: int) -> np.ndarray:
    """Return scores of rankings with ties of k labels."""
    from combpred import StructuredRidge
    from combpred.structures import WeakOrders

    rng = np.random.default_rng(k)
    if kind == "normal":
        return rng.normal(size=(rows, WeakOrders(k).n_features))
    x = rng.normal(size=(300 + rows, 8))
    noisy = x @ rng.normal(size=(8, k)) + rng.normal(scale=1.5, size=(300 + rows, k))
    y = np.argsort(np.argsort(-noisy, axis=1), axis=1) // 2 + 1  # ties in twos
    model = StructuredRidge(WeakOrders(k), loss="squared").fit(x[:300], y[:300])
    return np.asarray(model.feature_scores(x[300:]))


def decode(rows: int) -> None:
    """Print milliseconds of processor time a row, values and how many are proven, for every kind and size."""
    import combpred
    from combpred._lib.decode import Decoding
    from combpred.structures import WeakOrders

    found = {}
    with combpred.config_context(n_threads=1):
        for kind in ("normal", "ridge"):
            for k in SIZES:
                scores, space = scores_of(kind, k, rows), WeakOrders(k).space
                how = Decoding("auto", 1)
                space.decode(scores[:1], None, how)
                start = time.process_time()
                result = space.decode(scores, None, how)
                taken = 1e3 * (time.process_time() - start) / rows
                found[f"{kind} {k}"] = taken, [float(v) for v in result.value], int(np.sum(result.optimal))
    print(json.dumps(found))


def main() -> None:
    """Print times of both states and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        decode(options.rows)
        return
    if options.before is None:
        parser.error("--before is missing")
    here = Path(__file__).resolve().parents[2] / "python"
    runs: dict[Path, list[dict]] = {options.before: [], here: []}
    for _ in range(options.repeats):
        for folder, kept in runs.items():
            command = [sys.executable, __file__, "--child", "--rows", str(options.rows)]
            out = subprocess.run(
                command, env={**os.environ, "PYTHONPATH": str(folder)}, check=True, capture_output=True
            ).stdout
            kept.append(json.loads(out))
    for name in runs[here][0]:
        old, new = (min(run[name][0] for run in runs[folder]) for folder in (options.before, here))
        (_, before, proven), (_, after, now) = runs[options.before][0][name], runs[here][0][name]
        worse = int(np.sum(np.array(before) < np.array(after) - 1e-9))
        assert (np.array(before) <= np.array(after) + 1e-9).all()
        print(
            f"{name:<10} before {old:8.3f} ms a row, {proven} proven, {worse} below the optimum; now {new:8.3f} ms, "
            f"{now} proven: {old / new:6.1f} times as fast"
        )


if __name__ == "__main__":
    main()
