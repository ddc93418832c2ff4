"""Training on workers of a dask cluster on this machine, beside one process on the same rows.

    OPENBLAS_NUM_THREADS=1 python tests/benchmarks/dask_workers.py [--rows 200000] [--workers 2 4] [--partitions 16]

Rankings of 10 labels by 100 features, held by the workers before the clock starts. The difference is the largest of the
weights, the empty pass what a reduction costs that computes nothing, times the passes of the fit.
"""

from __future__ import annotations

import argparse
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

from combpred import ProbabilisticStructured, StructuredRidge
from combpred._data.dask import DaskBlocks
from combpred.structures import Permutations

LABELS, FEATURES = 10, 100
MODELS = {
    "ridge, auc": StructuredRidge(Permutations(LABELS), loss="auc", solver="primal", n_jobs=1),
    "ridge, squared": StructuredRidge(Permutations(LABELS), solver="primal", loss="squared", n_jobs=1),
    "likelihood": ProbabilisticStructured(Permutations(5), n_jobs=1, tol=1e-4),
}


def rankings(rows: int, labels: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, FEATURES))
    scores = X @ rng.normal(size=(FEATURES, labels)) + 5 * rng.normal(size=(rows, labels))
    return X, (scores.argsort(axis=1).argsort(axis=1) + 1).astype(np.int32)


def nothing(block: object) -> int:
    return 0


def add(one: int, other: int) -> int:
    return one + other


def timed(function):
    start = time.perf_counter()
    found = function()
    return found, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--workers", type=int, nargs="*", default=[2, 4])
    parser.add_argument("--partitions", type=int, default=16)
    arguments = parser.parse_args()
    chunk = -(-arguments.rows // arguments.partitions)
    local = {}
    for name, model in MODELS.items():
        X, y = rankings(arguments.rows, model.structure.n_labels)
        blocks = [(X[lo : lo + chunk], y[lo : lo + chunk]) for lo in range(0, arguments.rows, chunk)]
        local[name], seconds = timed(lambda model=model, blocks=blocks: model.fit_blocks(blocks))
        local[name] = local[name].coef_.copy()
        print(f"{name:15} one process {seconds:6.1f} s, n_iter_ {model.n_iter_}", flush=True)
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "host": "127.0.0.1"}
    for workers in arguments.workers:
        with LocalCluster(n_workers=workers, **options) as cluster, Client(cluster) as client:
            client.run(lambda: __import__("combpred").StructuredRidge)
            for name, model in MODELS.items():
                X, y = rankings(arguments.rows, model.structure.n_labels)
                dX, dy = (da.from_array(a, chunks=(chunk, a.shape[1])).persist() for a in (X, y))
                wait([dX, dy])
                source = DaskBlocks(dX, dy)
                _, empty = timed(lambda source=source: [source.reduce(nothing, merge=add) for _ in range(5)])
                _, seconds = timed(lambda model=model, dX=dX, dy=dy: model.fit(dX, dy))
                apart = np.abs(model.coef_ - local[name]).max()
                print(
                    f"{name:15} {workers} workers   {seconds:6.1f} s, n_iter_ {model.n_iter_}, difference {apart:.1e}, "
                    f"empty pass {empty / 5:.3f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
