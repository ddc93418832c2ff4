"""Policy estimation on directed cycles (Vembu, 2010, section 5.5): how close do they come to the hidden ones?

People with 15 features take the best cycle over 10 places under a policy that is linear in their features. Two cosines,
means over 500 test people: of the estimated scores to the hidden policy, and of the predicted cycle to the cycle taken.
The penalty, and the weight of the cubic part of the kernel, are chosen by leave-one-out on the training people.

Methods: "auc" and "squared" with the linear kernel and `predict`; "squared, product" predicts the cycle of largest
inner product with the scores instead of the pre-image, which prefers short cycles; "cubic" takes the odd kernel
c + κc³ of the cosine c of two people, κ chosen, since opposite people take opposite cycles and the length of x does not
matter. "perceptron" is a batch structured perceptron that decodes every training row in every pass: the data are
separable by construction, and it finds a policy that explains all training cycles, which no least-squares method does.

Two more tables tell what to expect. One gives the cosine of cycles of policies at a known cosine from the hidden one: a
cycle over ten places turns over at errors of the policy that its cosine hardly shows. The other gives the linear
methods' limit, trained on very many people. It stays below 1: by Stein's lemma, least squares on Gaussian features
tends to the mean derivative of the taken cycle's ψ, which is the hidden matrix times that of ψ with respect to the
policy. This is a multiple of the identity when policies point in all directions alike, and those of people with 15
features fill 15 of the 36 dimensions in which directed cycles vary. With more features the limit rises towards 1.

    python tests/benchmarks/cycles.py [--sizes 50 100 200 500 1000] [--seeds 5] [--limit 20000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.datasets import make_dicycle_policies
from combpred.metrics import policy_cosine
from combpred.structures import DirectedCycles

CYCLES = DirectedCycles(10)
N_TEST = 500
ALPHAS = np.logspace(-3, 5, 17)
CUBIC = (0.3, 1.0, 3.0)


@dataclass(frozen=True)
class Reached:
    """Cosines of scores and of cycles, and the seconds that choosing, training and deciding took."""

    scores: float
    cycles: float
    seconds: float
    cpu: float


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    """Return the mean cosine of the rows of two matrices."""
    return float((normalize(a) * normalize(b)).sum(axis=1).mean())


def linear(
    loss: str, product: bool, X: np.ndarray, y: np.ndarray, X_test: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the scores of the linear kernel, and the predicted cycles unless the scores alone decide."""
    # Opposite people take opposite cycles: scores are odd functions of x and need no intercept.
    model = StructuredRidgeCV(
        CYCLES,
        alphas=ALPHAS,
        losses=[loss],
        kernels=["linear"],
        fit_intercept=False,
        scoring="policy_cosine",
        decision="score" if product or loss == "auc" else "mbr",
    ).fit(X, y)
    return model.feature_scores(X_test), None if product else model.predict(X_test)


def cubic(loss: str, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> tuple[np.ndarray, None]:
    """Return the scores of the odd kernel whose cubic part does best in leave-one-out."""
    how: dict[str, Any] = {"fit_intercept": False, "scoring": "policy_cosine", "decision": "score"}
    c, c_test = normalize(X) @ normalize(X).T, normalize(X_test) @ normalize(X).T
    models = []
    for weight in CUBIC:
        model = StructuredRidgeCV(CYCLES, alphas=ALPHAS, losses=[loss], kernels=["precomputed"], **how)
        models.append((weight, model.fit(c + weight * c**3, y)))
    weight, best = max(models, key=lambda pair: pair[1].best_score_)
    return best.feature_scores(c_test + weight * c_test**3), None


def perceptron(X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> tuple[np.ndarray, None]:
    """Return the scores of a batch perceptron that starts from ridge and passes until it explains all cycles."""
    psi = CYCLES.embed(y)
    weights = X.T @ psi / len(X)
    for step in range(200):
        wrong = psi - CYCLES.embed(CYCLES.decode(X @ weights))
        if not wrong.any():
            break
        weights += X.T @ wrong / (len(X) * np.sqrt(1 + step))
    return X_test @ weights, None


Method = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray | None]]
METHODS: dict[str, Method] = {
    "auc": lambda *data: linear("auc", False, *data),
    "squared": lambda *data: linear("squared", False, *data),
    "squared, product": lambda *data: linear("squared", True, *data),
    "auc, cubic": lambda *data: cubic("auc", *data),
    "squared, product, cubic": lambda *data: cubic("squared", *data),
    "perceptron": perceptron,
}


def experiment(sizes: list[int], seeds: int) -> None:
    """Print both cosines of every method at every number of training people."""
    reached: dict[tuple[str, int], list[Reached]] = {(name, n): [] for n in sizes for name in METHODS}
    for seed in range(seeds):
        X, y, policies = make_dicycle_policies(N_TEST + max(sizes), random_state=seed)
        for name, n in reached:
            wall, cpu = time.perf_counter(), time.process_time()
            people = slice(N_TEST, N_TEST + n)
            scores, predicted = METHODS[name](X[people], y[people], X[:N_TEST])
            predicted = CYCLES.decode(scores) if predicted is None else predicted
            reached[name, n].append(
                Reached(
                    cosine(scores, policies[:N_TEST]),
                    policy_cosine(y[:N_TEST], predicted),
                    time.perf_counter() - wall,
                    time.process_time() - cpu,
                )
            )
            print(f"seed {seed}, {n:4} people, {name}: {reached[name, n][-1]}", flush=True)
    for what, title in (
        ("scores", "cosine of estimated to hidden policy"),
        ("cycles", "cosine of predicted to taken cycle"),
        ("seconds", "seconds to choose, train and predict"),
        ("cpu", "CPU seconds of the same"),
    ):
        print(f"\n{title:<38}" + "".join(f"{n:>15}" for n in sizes))
        for name in METHODS:
            cells = [np.array([getattr(each, what) for each in reached[name, n]]) for n in sizes]
            spread = [f"{c.mean():>8.3f} ±{c.std(ddof=1) if seeds > 1 else 0:5.3f}" for c in cells]
            print(f"{name:<38}" + "".join(f"{each:>15}" for each in spread), flush=True)


def exchange() -> None:
    """Print how the cosine of cycles falls with that of policies, on hidden policies with noise added."""
    _, y, policies = make_dicycle_policies(N_TEST, random_state=0)
    print("\ncosine to the hidden policy (noise added, exact decoding) and of the cycles it leads to")
    rng = np.random.default_rng(0)
    noise = rng.standard_normal(policies.shape) @ CYCLES.covariance()  # potentials, which change no cycle, are removed
    along = (noise * policies).sum(axis=1, keepdims=True) / (policies**2).sum(axis=1, keepdims=True)
    unit, noise = normalize(policies), normalize(noise - along * policies)
    for level in (0.9, 0.95, 0.975, 0.99, 0.995, 0.999):
        noisy = level * unit + np.sqrt(1 - level**2) * noise
        print(f"{level:8.3f} {policy_cosine(y, CYCLES.decode(noisy)):8.3f}", flush=True)


def limit(n: int) -> None:
    """Print what the linear methods reach with many people, each at its best penalty on the test people."""
    print("\nvery many training people, best of several penalties on the test people: an upper limit, not an estimate")
    for n_features in (5, 15, 60):
        # As many people for each feature, so that the error of estimation is alike.
        X, y, policies = make_dicycle_policies(N_TEST + n * n_features // 15, n_features, random_state=0)
        for loss in ("auc", "squared"):
            best, same = (0.0, 0.0, 0.0), 0.0
            for alpha in np.logspace(1, 6, 6):
                model = StructuredRidge(CYCLES, loss=loss, alpha=alpha, fit_intercept=False)
                scores = model.fit(X[N_TEST:], y[N_TEST:]).feature_scores(X[:N_TEST])
                exact = CYCLES.decode(scores)
                reached = (policy_cosine(y[:N_TEST], exact), cosine(scores, policies[:N_TEST]), float(alpha))
                if reached > best and loss == "auc":  # the squared loss predicts pre-images
                    searched = model.set_params(decoder="local-search").predict(X[:N_TEST])
                    same = float((searched == exact).all(axis=1).mean())
                best = max(best, reached)
            searching = f"; local search finds the best cycle in {same:.1%} of rows" if loss == "auc" else ""
            print(
                f"{n_features:3} features, {len(X) - N_TEST:6} people, {loss:<8} scores {best[1]:.3f} "
                f"cycles {best[0]:.3f} (alpha {best[2]:g}){searching}",
                flush=True,
            )


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[50, 100, 200, 500, 1000])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limit", type=int, default=20_000, help="0: no table of the limit")
    args = parser.parse_args()
    exchange()
    if args.limit:
        limit(args.limit)
    experiment(args.sizes, args.seeds)


if __name__ == "__main__":
    main()
