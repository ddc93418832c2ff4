"""Speed of the loops of LabelRankingSVM and OnlineLabelRanker, and of NearestNeighborsLabelRanker, beside NumPy.

    python tests/benchmarks/label_ranking_speed.py [--rows 20000] [--labels 10] [--features 20]

Columns: microseconds a row and pass of the library, and of a loop over rows whose steps are NumPy calls on the same
rows (of which it takes a hundredth), and their ratio. Then the seconds of one pass over a million rows.

Neighbours: microseconds of the processor a row of `predict` with 10 neighbours, and of NumPy on blocks of rows,
without a loop over rows: distances by a matrix product, neighbours by partition, and the ranking by sums of positions
(Borda) or by the products of the summed signs of pairs with those of all k! rankings (Kemeny, 7 labels). Equal
rankings, or for Kemeny equal agreement, are asserted. The search is scikit-learn's, with "brute" as NumPy's; then both
are given the neighbours.
"""

from __future__ import annotations

import argparse
import itertools
import time

import numpy as np

from combpred._lib.call import computed
from combpred._lib.rankings import Examples, svm
from combpred._lib.ridge import Design
from combpred.ranking import NearestNeighborsLabelRanker

NEIGHBORS = 10
BLOCK = 500  # rows: larger blocks leave the caches and are slower


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


def neighbors_in_numpy(trained: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return the nearest training rows of a block of rows."""
    squares = np.einsum("ij,ij->i", trained, trained) - 2.0 * (X @ trained.T)
    return np.argpartition(squares, NEIGHBORS, axis=1)[:, :NEIGHBORS]


def borda_in_numpy(y: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return positions by the sums of the positions that neighbours give; equal sums in the order of labels."""
    order = np.argsort(y[found].sum(axis=1), axis=1, kind="stable")
    positions = np.empty_like(order)
    np.put_along_axis(positions, order, np.arange(1, y.shape[1] + 1)[np.newaxis], axis=1)
    return positions


def votes(y: np.ndarray) -> np.ndarray:
    """Return for each row of positions and pair of labels 1 where the former is ahead, -1 where the latter is."""
    u, v = np.triu_indices(y.shape[1], 1)
    return np.sign(y[:, v] - y[:, u]).astype(float)


def kemeny_in_numpy(y: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return positions that agree with most pairs of the neighbours' rankings."""
    rankings = np.array(list(itertools.permutations(range(1, y.shape[1] + 1))))
    signs, given = votes(rankings).T, votes(y)
    blocks = np.array_split(found, max(len(found) // BLOCK, 1))
    return np.concatenate([rankings[np.argmax(given[block].sum(axis=1) @ signs, axis=1)] for block in blocks])


class Found:
    """Stands for the ranker's search: gives neighbours found before."""

    def __init__(self, ranker: NearestNeighborsLabelRanker, X: np.ndarray) -> None:
        self.found = ranker._nearest(X)
        self.start, self.rows = 0, len(X)

    def __call__(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the neighbours of the next block of rows."""
        at = slice(self.start, self.start + len(X))
        self.start = at.stop % self.rows
        return self.found[0][at], self.found[1][at]


def neighbors(rows: int, features: int) -> None:
    """Print the speed of neighbours' rankings with each aggregation and search."""
    print(f"{NEIGHBORS} neighbours, {rows} training rows, {features} features")
    for k, aggregation, rival in ((10, "borda", borda_in_numpy), (7, "kemeny", kemeny_in_numpy)):
        X, _ = problem(2 * rows, features, 1)
        rng = np.random.default_rng(1)
        scores = X @ rng.normal(size=(features, k)) + rng.normal(size=(2 * rows, k))
        y = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
        trained, new, y = X[:rows], X[rows:], y[:rows]

        def search(t: np.ndarray = trained, x: np.ndarray = new) -> np.ndarray:
            return np.concatenate([neighbors_in_numpy(t, x[i : i + BLOCK]) for i in range(0, len(x), BLOCK)])

        found = search()
        rank = seconds(lambda f=rival, z=y, n=found: f(z, n)) / rows
        python = seconds(lambda f=rival, z=y, s=search: f(z, s())) / rows
        for algorithm in ("brute", "auto"):
            ranker = NearestNeighborsLabelRanker(NEIGHBORS, aggregation=aggregation, algorithm=algorithm)
            ours, theirs = ranker.fit(trained, y).predict(new), rival(y, found)
            if aggregation == "borda":
                np.testing.assert_array_equal(ours, theirs)
            else:
                net = votes(y)[found].sum(axis=1)
                np.testing.assert_array_equal(*((net * votes(p)).sum(axis=1) for p in (ours, theirs)))
            library = seconds(lambda r=ranker, x=new: r.predict(x)) / rows
            ranker._nearest = Found(ranker, new)
            ranked = seconds(lambda r=ranker, x=new: r.predict(x)) / rows
            for part, mine, other in ((algorithm, library, python), ("neighbours given", ranked, rank)):
                row = f"{f'{aggregation}, {k} labels, {part}':<34}"
                print(f"{row}{1e6 * mine:>10.2f}{1e6 * other:>10.1f}{other / mine:>8.1f}")


def seconds(call) -> float:
    """Return the shortest of five processor times of a call."""
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
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
        shape = args.features, k
        theta = np.zeros(shape) if update == "multiplicative" else None
        state = {"q": args.features, "k": k, "coef": np.zeros(shape), "theta": theta, "tally": np.zeros(4)}
        given = Design(X[:rows]), Examples(signs[:rows], None, None, k, decomposition)
        computed("cp_labelrank_online", *given, {"update": update, "radius": 10.0}, state, n_threads=1)
        return state["coef"]

    def ascend(passes: int) -> None:
        svm(Examples(signs, None, None, k, "edges"), Design(X), {"tol": 1e-12, "max_iter": passes}, n_threads=1)

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
    neighbors(args.rows // 4, args.features)
    X, signs = problem(10**6, args.features, k)
    start = time.perf_counter()
    learn("additive", "edges", 10**6)
    print(f"a million rows, additive: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
