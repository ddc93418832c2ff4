"""Rankings in dask collections, and a cluster of processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

from distributed import LocalCluster  # noqa: E402

ROWS, FEATURES, LABELS = 600, 4, 5


def rankings() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, FEATURES))
    scores = X @ rng.normal(size=(FEATURES, LABELS)) + 0.5 * rng.normal(size=(ROWS, LABELS))
    return X, scores.argsort(axis=1).argsort(axis=1) + 1


def chunked(data, rows=90):
    X, y = data
    return da.from_array(X, chunks=(rows, 3)), da.from_array(y, chunks=(rows, LABELS))


def weights(model) -> np.ndarray:
    return np.column_stack([model.coef_, model.intercept_])


@contextmanager
def two_workers() -> Iterator[LocalCluster]:
    """Workers in processes of their own, which a nanny starts anew when they die."""
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "host": "127.0.0.1"}
    with LocalCluster(n_workers=2, **options) as workers:
        yield workers
