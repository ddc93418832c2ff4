"""Hierarchical classification on ImCLEF07D (10 000 + 1006 images, 80 features, labels are leaves of a tree of codes).

python tests/benchmarks/hierarchy.py --data DIR [--rows 10000]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from folders import HIERARCHIES, chosen, file_of, text_of
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge
from combpred.metrics import hierarchical_loss, zero_one_loss
from combpred.structures import Hierarchy


def load(data: Path, name: str, part: str = "Train") -> tuple[np.ndarray, list[str], list[str]]:
    """Return the features of a part, the code of each row as a path from the root, and the codes of all nodes."""
    features, codes, nodes = [], [], []
    begun = False
    for line in map(str.strip, text_of(file_of(data, HIERARCHIES.replace("Train", part), name)).splitlines()):
        if line.lower().startswith("@attribute") and "hierarchical" in line.lower():
            nodes = line.split()[-1].split(",")
        elif line.lower() == "@data":
            begun = True
        elif begun and line:
            *numbers, label = line.split(",")
            features.append([float(v) for v in numbers])
            codes.append(max(label.split("@"), key=lambda code: code.count("/")))
    return np.array(features), codes, nodes


def tree_of(codes: list[str]) -> dict[str, str | None]:
    """Return the parent of each node on the way to the given codes; the root is called ``root``."""
    parent: dict[str, str | None] = {"root": None}
    for code in codes:
        steps = code.split("/")
        for depth in range(1, len(steps) + 1):
            parent["/".join(steps[:depth])] = "/".join(steps[: depth - 1]) or "root"
    return parent


def measure(name: str, model: Any, train: tuple, test: tuple, parent: dict[str, str | None]) -> None:
    """Fit, predict and print one row."""
    start = time.perf_counter()
    model.fit(*train)
    fitted = time.perf_counter()
    predicted = model.predict(test[0])
    done = time.perf_counter()
    print(
        f"{name:<52}{zero_one_loss(test[1], predicted):>9.4f}"
        f"{hierarchical_loss(test[1], predicted, parent=parent):>14.4f}{fitted - start:>9.2f}{done - fitted:>11.2f}",
        flush=True,
    )


def main() -> None:
    """Print one row for each model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--name", default="ImCLEF07D")
    parser.add_argument("--rows", type=int, default=10_000, help="training rows, drawn with a fixed seed")
    args = parser.parse_args()
    X, codes, nodes = load(args.data, *chosen(args.data, HIERARCHIES, [args.name]))
    X_test, codes_test, _ = load(args.data, args.name, "Test")
    parent = tree_of(nodes)
    drawn = np.random.default_rng(0).permutation(len(X))[: args.rows]
    X, y, y_test = X[drawn], np.array(codes)[drawn], np.array(codes_test)
    scaler = StandardScaler().fit(X)
    train, test = (scaler.transform(X), y), (scaler.transform(X_test), y_test)
    tree = Hierarchy(parent, allowed="leaves")

    print(f"{'model':<52}{'0-1':>9}{'hierarchical':>14}{'fit s':>9}{'predict s':>11}")
    logistic = make_pipeline(OneVsRestClassifier(LogisticRegression(max_iter=1000)))
    measure("OneVsRest(LogisticRegression) on leaves", logistic, train, test, parent)
    decisions = {"auc": "score", "squared": "mode"}
    for loss, decision in decisions.items():
        model = StructuredRidge(tree, loss=loss, alpha=1.0, decision=decision)
        measure(f"StructuredRidge linear, {loss}", model, train, test, parent)
    everywhere = Hierarchy(parent)
    for kernel in ({}, {"alpha": 0.1, "kernel": "rbf", "gamma": 0.3 / X.shape[1]}):
        for decision in ("mbr", "score", "mode"):
            model = StructuredRidge(everywhere, loss="squared", decision=decision, **kernel)
            measure(f"all nodes allowed, {kernel.get('kernel', 'linear')}, {decision}", model, train, test, parent)
    for loss, decision in decisions.items():
        for alpha in (0.01, 0.1):
            rbf = {"alpha": alpha, "kernel": "rbf", "gamma": 0.3 / X.shape[1]}
            model = StructuredRidge(tree, loss=loss, decision=decision, **rbf)
            measure(f"StructuredRidge rbf (gamma .3/p, alpha {alpha}), {loss}", model, train, test, parent)


if __name__ == "__main__":
    main()
