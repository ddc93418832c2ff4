"""Time of fits of distributions over the nodes of a tree, beside classes without a tree on the same data.

    python tests/benchmarks/trees.py [--data DIR]

Texts: 2000 drawn documents, TF-IDF of 1000 words, the 32 leaves of a tree of 39 nodes. Deep: 2000 drawn rows of 50
features, a tree of 399 nodes, all of them allowed. With `--data`, ImCLEF07D, too (see `hierarchy.py`). Classes are as
many as nodes are allowed. Times are of CPU time, the best of some fits in turn.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from hierarchy import load, tree_of
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

from combpred import ProbabilisticStructured
from combpred.structures import Hierarchy, MultiClass

Data = tuple[Any, np.ndarray, dict[str, str | None]]


def texts() -> Data:
    """Return documents whose words depend on their leaf and on the node above."""
    rng = np.random.default_rng(0)
    parent: dict[str, str | None] = {"root": None} | dict.fromkeys(map(str, range(6)), "root")
    parent |= {f"{leaf % 6}/{leaf}": str(leaf % 6) for leaf in range(32)}
    topics = {}
    for node in parent:
        weights = np.zeros(1000)
        weights[rng.choice(1000, 60, replace=False)] = rng.gamma(0.5, size=60)
        topics[node] = weights / weights.sum()
    common = 1 / np.arange(1, 1001)
    leaves = rng.choice(list(parent)[7:], size=2000)
    laws = [0.55 * common / common.sum() + 0.2 * topics[str(parent[v])] + 0.25 * topics[v] for v in leaves]
    counts = [rng.multinomial(rng.integers(30, 120), law / law.sum()) for law in laws]
    return TfidfTransformer().fit_transform(sparse.csr_matrix(np.array(counts))), leaves, parent


def deep() -> Data:
    """Return nodes drawn from the model."""
    rng = np.random.default_rng(0)
    parent: dict[str, str | None] = {"0": None}
    for node in range(1, 399):
        parent[str(node)] = str(max(0, node - 1 - rng.integers(25)))
    tree, X = Hierarchy(parent), rng.normal(size=(2000, 50))
    psi = tree.embed(list(parent))
    values = 0.4 * X @ rng.normal(size=(50, psi.shape[1])) @ psi.T
    return X, np.array(list(parent))[(values + rng.gumbel(size=values.shape)).argmax(axis=1)], parent


def images(data: Path) -> Data:
    """Return the training part of ImCLEF07D."""
    X, codes, nodes = load(data, "ImCLEF07D")
    return StandardScaler().fit_transform(X), np.array(codes), tree_of(nodes)


def measure(name: str, data: Data, tree: Hierarchy, repeats: int) -> None:
    """Fit both in turn and print a row."""
    X, y, _ = data
    numbers = np.unique(y, return_inverse=True)[1]
    best = np.full(2, np.inf)
    for _ in range(repeats):
        for at, (structure, targets) in enumerate([(MultiClass(tree.count()), numbers), (tree, y)]):
            start = time.process_time()
            model = ProbabilisticStructured(structure, n_jobs=1).fit(X, targets)
            best[at] = min(best[at], time.process_time() - start)
    print(
        f"{name:<24}{tree.count():>9}{best[0]:>9.2f}{best[1]:>9.2f}{best[1] / best[0]:>7.2f}  {model.solver_}",
        flush=True,
    )


def main() -> None:
    """Print all rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    print(f"{'CPU seconds of a fit':<24}{'outputs':>9}{'classes':>9}{'tree':>9}{'ratio':>7}")
    sets = {"texts, 39 nodes": texts(), "deep, 399 nodes": deep()}
    if args.data:
        sets["ImCLEF07D"] = images(args.data)
    for name, data in sets.items():
        for allowed in ["leaves", None] if "deep" not in name else [None]:
            tree = Hierarchy(data[2], allowed=allowed)
            measure(f"{name}, {allowed or 'all'}", data, tree, args.repeats)


if __name__ == "__main__":
    main()
