"""Losses of label ranking by their definition, an edge at a time, for comparison with the learners."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from margin_problems import least_svm_objective


def random_preferences(n: int, k: int, seed: int) -> np.ndarray:
    """Return preference graphs (n, k, k) of random pairs, most of them not transitive, one row empty."""
    rng = np.random.default_rng(seed)
    graphs = np.zeros((n, k, k), dtype=bool)
    for u, v in combinations(range(k), 2):
        sign = rng.integers(-1, 2, size=n)
        graphs[:, u, v], graphs[:, v, u] = sign > 0, sign < 0
    graphs[0] = False
    return graphs


def thirds(edges: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return every third edge: a decomposition of a user's own."""
    return [part for part in (edges[::3], edges[1::3], edges[2::3]) if part]


def overlapping(edges: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return each edge with the next one, so that edges are in two subgraphs, and the first one alone."""
    return [edges[:1], *(edges[i : i + 2] for i in range(len(edges)))]


def subgraphs(graph: np.ndarray, decomposition: Any) -> list[list[tuple[int, int]]]:
    """Return the edges (winner, loser) of each subgraph of a preference graph."""
    edges = [(int(u), int(v)) for u, v in zip(*np.nonzero(graph), strict=True)]
    if callable(decomposition):
        return decomposition(edges) if edges else []
    if decomposition == "sinks":
        return [sink for label in range(len(graph)) if (sink := [edge for edge in edges if edge[1] == label])]
    if decomposition == "edges":
        return [[edge] for edge in edges]
    if decomposition == "graph":
        return [edges] if edges else []
    return [star for label in range(len(graph)) if (star := [edge for edge in edges if edge[0] == label])]


def row_losses(scores, graphs, decomposition, loss, margins=None):
    """Return for each row the mean over its subgraphs of `loss` on how far their margins are missed."""
    out = np.zeros(len(scores))
    for i, (f, graph) in enumerate(zip(scores, graphs, strict=True)):
        parts = subgraphs(graph, decomposition)
        missed = [
            np.array([(1.0 if margins is None else margins[i, u, v]) - f[u] + f[v] for u, v in part]) for part in parts
        ]
        out[i] = np.mean([loss(m) for m in missed]) if parts else 0.0
    return out


def hinge(missed: np.ndarray) -> float:
    return max(0.0, float(missed.max()))


def log_sum(missed: np.ndarray) -> float:
    """The logistic loss of a subgraph, which has no margins: 1 is taken off."""
    return float(np.log1p(np.exp(missed - 1.0).sum()))


def wrong(missed: np.ndarray) -> float:
    """Whether some edge of a subgraph is violated: margins of 1 are missed by at least 1."""
    return float((missed >= 1.0).any())


def smallest_svm_objective(X, graphs, decomposition, costs, margins=None) -> float:
    """Minimise ½‖W‖² + Σ_i costs_i loss_i as a quadratic program, by SLSQP on weights and slacks."""
    n, p = X.shape
    k = graphs.shape[1]
    parts = [(i, part) for i in range(n) for part in subgraphs(graphs[i], decomposition)]
    counts = np.bincount([i for i, _ in parts], minlength=n)
    cost = np.array([costs[i] / counts[i] for i, _ in parts])
    rows, bounds = [], []
    for at, (i, part) in enumerate(parts):
        for u, v in part:
            weights, slack = np.zeros((k, p)), np.zeros(len(parts))
            weights[u], weights[v], slack[at] = X[i], -X[i], 1.0
            rows.append(np.r_[weights.ravel(), slack])
            bounds.append(1.0 if margins is None else margins[i, u, v])
    A = np.vstack([rows, np.c_[np.zeros((len(parts), k * p)), np.eye(len(parts))]])
    b = np.r_[bounds, np.zeros(len(parts))]

    return least_svm_objective(k * p, cost, np.full(len(parts), b.max()), lambda z: A @ z - b, A, 1e-13)
