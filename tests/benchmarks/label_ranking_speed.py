"""Speed of the loops of LabelRankingSVM and OnlineLabelRanker beside the same loops in Python and NumPy.

    python tests/benchmarks/label_ranking_speed.py [--rows 20000] [--labels 10] [--features 20]

Columns: microseconds a row and pass of the library, and of a loop over rows whose steps are NumPy calls on the same
rows (of which it takes a hundredth), and their ratio. Then the seconds of one pass over a million rows.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from combpred import _lib
from combpred._lib_labelrank import Examples, OnlineState, OnlineUpdate, Passes, online, svm_linear


def problem(rows: int, features: int, labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and the signs of all pairs of rankings with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, features))
    scores = X @ rng.normal(size=(features, labels)) + rng.normal(size=(rows, labels))
    u, v = np.triu_indices(labels, 1)
    return X, np.sign(scores[:, u] - scores[:, v]).astype(np.int8)


def additive_in_python(X: np.ndarray, signs: np.ndarray, labels: int) -> np.ndarray:
    """Return the weights of additive updates for edges, a row at a time."""
    u, v = np.triu_indices(labels, 1)
    W = np.zeros((X.shape[1], labels))
    for x, sign in zip(X, signs, strict=True):
        f = x @ W
        wrong = (sign != 0) & (sign * (f[u] - f[v]) <= 0)
        if wrong.any():
            move = np.zeros(labels)
            np.add.at(move, u[wrong], sign[wrong])
            np.subtract.at(move, v[wrong], sign[wrong])
            W += np.outer(x, move / np.count_nonzero(sign))
    return W


def ascent_in_python(X: np.ndarray, signs: np.ndarray, labels: int, cost: float) -> np.ndarray:
    """Return the weights after a pass of dual coordinate ascent for edges, one sweep over the edges of each row."""
    u, v = np.triu_indices(labels, 1)
    W, alpha = np.zeros((X.shape[1], labels)), np.zeros(signs.shape)
    for i, (x, sign) in enumerate(zip(X, signs, strict=True)):
        f, norm, move, limit = x @ W, x @ x, np.zeros(labels), cost / np.count_nonzero(sign)
        for pair in np.flatnonzero(sign):
            s = sign[pair]
            gain = 1.0 - s * (f[u[pair]] - f[v[pair]])
            new = min(max(alpha[i, pair] + gain / (2 * norm), 0.0), limit)
            step, alpha[i, pair] = s * (new - alpha[i, pair]), new
            f[u[pair]] += step * norm
            f[v[pair]] -= step * norm
            move[u[pair]] += step
            move[v[pair]] -= step
        W += np.outer(x, move)
    return W


def seconds(call) -> float:
    """Return the shortest of three times of a call."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--labels", type=int, default=10)
    parser.add_argument("--features", type=int, default=20)
    args = parser.parse_args()
    k = args.labels
    X, signs = problem(args.rows, args.features, k)
    few = max(args.rows // 100, 1)

    def learn(update: str, decomposition: str, rows: int = args.rows) -> np.ndarray:
        state = OnlineState.of(args.features, k, multiplicative=update == "multiplicative", average=False)
        how = OnlineUpdate(update, 1.0, 10.0, 1.0)
        online(Examples(signs[:rows], None, None, k, decomposition), _lib.Design(X[:rows]), how, state)
        return state.weights

    def ascend(passes: int) -> None:
        svm_linear(Examples(signs, None, None, k, "edges"), _lib.Design(X), 1.0, Passes(1e-12, passes, 0, 1))

    np.testing.assert_allclose(learn("additive", "edges", few), additive_in_python(X[:few], signs[:few], k), atol=1e-9)
    print(f"{args.rows} rows, {args.features} features, {k} labels")
    print(f"{'loop':<34}{'library':>10}{'Python':>10}{'ratio':>8}  us a row")
    python = seconds(lambda: additive_in_python(X[:few], signs[:few], k)) / few
    library = seconds(lambda: learn("additive", "edges")) / args.rows
    print(f"{'online, additive, edges':<34}{1e6 * library:>10.2f}{1e6 * python:>10.1f}{python / library:>8.0f}")
    python = seconds(lambda: ascent_in_python(X[:few], signs[:few], k, 1.0)) / few
    library = (seconds(lambda: ascend(6)) - seconds(lambda: ascend(1))) / 5 / args.rows  # without the gap
    print(f"{'svm, edges, a pass':<34}{1e6 * library:>10.2f}{1e6 * python:>10.1f}{python / library:>8.0f}")
    for update in ("multiplicative", "primal-dual"):
        for decomposition in ("edges", "graph"):
            spent = seconds(lambda u=update, d=decomposition: learn(u, d)) / args.rows
            print(f"{f'online, {update}, {decomposition}':<34}{1e6 * spent:>10.2f}")
    X, signs = problem(10**6, args.features, k)
    start = time.perf_counter()
    learn("additive", "edges", 10**6)
    print(f"a million rows, additive: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
