"""Probabilities learnt from outputs of which only a part is known, and from routes whose queries are known.

1. Rankings drawn from the model: 5 labels, 3 features, 1500 rows, `alpha` 1; labels hidden at random, and lists of the
   best. Mean confidence in the more probable order of a pair, its accuracy, ln p of 3000 whole rankings, and the CPU
   time of the fit over that on whole data; times and iterations with 8 and 10 labels, too.
2. Real rankings with `--data`, labels hidden at random, fivefold cross-validation: ln p of whole held-out rankings,
   log-loss of pairs and τ, beside Plackett–Luce regression of the orders that are known and a logistic regression for
   each pair, trained on the rows where both labels are known. Penalties are chosen by the likelihood, or the log-loss,
   of what is known in inner folds.
3. Label sets with `--data`, half of the labels unknown: log-loss a label and Hamming score, beside one logistic
   regression a label on the rows where it is known, at the same penalty; and with the observed sets alone.
4. Routes of 5 places among 8 drawn from the model: log-linear models that know the start, the end and the length of the
   routes in training, or in predictions alone, and ridge regression. F1 of the places between the ends.
5. What the data of part 1 allow, twelve draws of the model: ln p of whole rankings below that of the truth, beside the
   loss that an efficient estimator has in the limit, tr(J I⁻¹) / 2n with the Fisher information J of whole rankings and
   I of what was seen.

    python tests/benchmarks/known.py [--data DIR] [--sets cold heat] [--parts 1 2 3 4 5]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
from folders import label_sets, rankings
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from combpred import ProbabilisticStructured, StructuredRidge
from combpred.metrics import hamming_score, kendall_tau, route_f1
from combpred.structures import LabelSets, Permutations, Routes

Floats = NDArray[np.float64]
ALPHAS = (0.1, 1.0, 10.0, 100.0, 1000.0)
SHARES = (0.2, 0.4, 0.6)


def hidden(y: NDArray[Any], share: float, rng: np.random.Generator) -> NDArray[Any]:
    """Return outputs of which labels are unknown at random."""
    return np.where(rng.random(y.shape) < share, -1, y)


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a fit gives, and its least CPU time of three."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        model = fit()
        times.append(time.process_time() - begin)
    return model, min(times)


class Simulation:
    """Rankings drawn from the model, and what is seen of the training part."""

    def __init__(self, labels: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.structure = structure = Permutations(labels)
        self.W = rng.normal(size=(3, structure.n_features))
        self.X, self.X_test = rng.normal(size=(1500, 3)), rng.normal(size=(3000, 3))
        y, self.y_test = (
            structure.sample(1, seed + i, scores=x @ self.W)[0] for i, x in enumerate((self.X, self.X_test))
        )
        self.known = {"all": y}
        self.known |= {f"{share:.0%} missing": hidden(y, share, rng) for share in SHARES}
        self.known |= {f"best {k}": np.minimum(y, k + 1) for k in (3, 2, 1)}


def simulated(seed: int = 0) -> None:
    """Part 1."""
    drawn = Simulation(5, seed)
    structure, X, X_test, y_test = drawn.structure, drawn.X, drawn.X_test, drawn.y_test
    signs = structure.embed(y_test)

    def row(name: str, marginals: Floats, log_proba: Floats, seconds: float = np.nan) -> None:
        confidence, accuracy = (np.abs(marginals).mean() + 1) / 2, np.mean((marginals > 0) == (signs > 0))
        print(f"| {name} | {confidence:.3f} | {accuracy:.3f} | {log_proba.mean():.3f} | {seconds:.1f} |", flush=True)

    print("\n| known | confidence | accuracy | ln p | time over whole |\n| --- | ---: | ---: | ---: | ---: |")
    truth = X_test @ drawn.W
    row("truth", structure.marginals(truth), structure.log_proba(truth, y_test))
    for partial in ("likelihood", "mean"):
        whole = 0.0
        for name, rows in drawn.known.items():
            model, seconds = timed(
                lambda rows=rows, p=partial: ProbabilisticStructured(structure, partial=p).fit(X, rows)
            )
            whole = whole or seconds
            row(f"{name}, {partial}", model.predict_marginals(X_test), model.log_proba(X_test, y_test), seconds / whole)
    print("\n| known | labels | time over whole | iterations |\n| --- | ---: | ---: | ---: |")
    for labels in (5, 8, 10):
        drawn, whole = Simulation(labels, seed), 0.0
        for name, rows in drawn.known.items():
            model, seconds = timed(lambda d=drawn, rows=rows: ProbabilisticStructured(d.structure).fit(d.X, rows))
            whole = whole or seconds
            print(f"| {name} | {labels} | {seconds / whole:.1f} | {model.n_iter_} |", flush=True)


def allowed(draws: int = 12) -> None:
    """Part 5. Everything is summed over the 120 rankings."""
    every = np.array(list(permutations(range(1, 6))))
    psi = Permutations(5).embed(every)
    losses: dict[str, list[tuple[float, float]]] = {}
    for seed in range(draws):
        drawn = Simulation(5, seed)
        X, truth = drawn.X, drawn.X_test @ drawn.W
        p = np.exp(X @ drawn.W @ psi.T)
        p /= p.sum(axis=1, keepdims=True)
        best = drawn.structure.log_proba(truth, drawn.y_test).mean()
        whole = np.zeros((X.shape[1] * psi.shape[1],) * 2)
        for x, q in zip(X, p, strict=True):
            mean = q @ psi
            whole += np.kron(np.outer(x, x), (psi * q[:, None]).T @ psi - np.outer(mean, mean))
        for name, rows in drawn.known.items():
            agrees = np.ones(p.shape, dtype=bool)
            for a, b in permutations(range(5), 2):
                above = (rows[:, a] >= 0) & (rows[:, b] >= 0) & (rows[:, a] < rows[:, b])
                agrees &= ~above[:, None] | (every[:, a] < every[:, b])
            within = np.where(agrees, p, 0.0)
            slopes = (within / within.sum(axis=1, keepdims=True) - p) @ psi
            each = (X[:, :, None] * slopes[:, None, :]).reshape(len(X), -1)
            seen = whole if name == "all" else each.T @ each
            model = ProbabilisticStructured(drawn.structure).fit(X, rows)
            lost = best - model.log_proba(drawn.X_test, drawn.y_test).mean()
            losses.setdefault(name, []).append((lost, np.trace(whole @ np.linalg.inv(seen)) / (2 * len(X))))
    print("\n| known | ln p lost | standard error | in the limit |\n| --- | ---: | ---: | ---: |")
    for name, found in losses.items():
        lost, limit = np.transpose(found)
        print(f"| {name} | {lost.mean():.4f} | {lost.std() / np.sqrt(draws):.4f} | {limit.mean():.4f} |")


class PlackettLuce:
    """Utilities linear in the inputs, by the likelihood of the order of the labels that are known."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def fit(self, X: Floats, y: NDArray[Any]) -> PlackettLuce:
        """Train; a label that is not known has no part in a row, as Luce's axiom has it."""
        phi = np.column_stack([X, np.ones(len(X))])
        order = np.argsort(np.where(y < 0, np.inf, y), axis=1)
        known = np.take_along_axis(y, order, axis=1) > 0
        shape = (phi.shape[1], y.shape[1])

        def objective(flat: Floats) -> tuple[float, Floats]:
            W = flat.reshape(shape)
            u = np.where(known, np.take_along_axis(phi @ W, order, axis=1), -np.inf)
            with np.errstate(invalid="ignore"):
                tails = np.logaddexp.accumulate(u[:, ::-1], axis=1)[:, ::-1]
                at = np.where(known[:, :, None] & known[:, None, :], np.exp(u[:, None, :] - tails[:, :, None]), 0.0)
            slope = np.triu(at).sum(axis=1) - known
            gradient = np.empty_like(slope)
            np.put_along_axis(gradient, order, slope, axis=1)
            loss = np.where(known, tails - np.where(known, u, 0.0), 0.0).sum() + self.alpha * np.square(W).sum()
            return float(loss), (phi.T @ gradient + 2 * self.alpha * W).ravel()

        self._weights = minimize(objective, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B").x.reshape(shape)
        return self

    def utilities(self, X: Floats) -> Floats:
        """Return the utilities of labels."""
        found: Floats = np.column_stack([X, np.ones(len(X))]) @ self._weights
        return found

    def log_proba(self, X: Floats, y: NDArray[Any]) -> Floats:
        """Return ln p of the orders of the labels that are known."""
        u, total = self.utilities(X), np.zeros(len(X))
        for i, row in enumerate(y):
            order = np.argsort(row)[np.sum(row < 0) :]
            chosen = u[i, order]
            total[i] = sum(chosen[r] - logsumexp(chosen[r:]) for r in range(len(order)))
        return total

    def pairs(self, X: Floats) -> Floats:
        """Return the probability that u is before v, for all u < v."""
        u = self.utilities(X)
        return np.column_stack([1 / (1 + np.exp(u[:, b] - u[:, a])) for a, b in combinations(range(u.shape[1]), 2)])

    def predict(self, X: Floats) -> NDArray[Any]:
        """Return positions by descending utility."""
        return np.argsort(np.argsort(-self.utilities(X), axis=1), axis=1) + 1


class PairwiseLogistic:
    """A logistic regression for each pair, ranked by the sums of its probabilities."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def fit(self, X: Floats, y: NDArray[Any]) -> PairwiseLogistic:
        """Train on the rows where both labels of a pair are known."""
        self.k, self.models = y.shape[1], []
        for a, b in combinations(range(self.k), 2):
            both = (y[:, a] > 0) & (y[:, b] > 0)
            first = y[both, a] < y[both, b]
            one = (
                LogisticRegression(C=1 / (2 * self.alpha))
                if len(set(first)) == 2
                else float(first.mean() if both.any() else 0.5)
            )
            self.models.append(one if isinstance(one, float) else one.fit(X[both], first))
        return self

    def pairs(self, X: Floats) -> Floats:
        """Return the probability that u is before v, for all u < v."""
        columns = [
            np.full(len(X), one) if isinstance(one, float) else one.predict_proba(X)[:, 1] for one in self.models
        ]
        return np.clip(np.column_stack(columns), 1e-6, 1 - 1e-6)

    def predict(self, X: Floats) -> NDArray[Any]:
        """Return positions."""
        votes = np.zeros((len(X), self.k))
        for (a, b), p in zip(combinations(range(self.k), 2), self.pairs(X).T, strict=True):
            votes[:, a] += p
            votes[:, b] += 1 - p
        return np.argsort(np.argsort(-votes, axis=1), axis=1) + 1


class Structured:
    """Ours, with the interface of the others."""

    def __init__(self, alpha: float, partial: str) -> None:
        self.model = ProbabilisticStructured(Permutations(), alpha=alpha, partial=partial, tol=1e-4, max_iter=1000)

    def fit(self, X: Floats, y: NDArray[Any]) -> Structured:
        """Train."""
        self.model.fit(X, y)
        return self

    def log_proba(self, X: Floats, y: NDArray[Any]) -> Floats:
        """Return ln p of what is known."""
        return self.model.log_proba(X, y)

    def pairs(self, X: Floats) -> Floats:
        """Return the probability that u is before v, for all u < v."""
        found: Floats = (self.model.predict_marginals(X) + 1) / 2
        return found

    def predict(self, X: Floats) -> NDArray[Any]:
        """Return positions."""
        found: NDArray[Any] = self.model.predict(X)
        return found


def pair_loss(model: Any, X: Floats, y: NDArray[Any]) -> float:
    """Return the mean log-loss of the pairs of which both labels are known."""
    total, count = 0.0, 0
    for (a, b), p in zip(combinations(range(y.shape[1]), 2), model.pairs(X).T, strict=True):
        both = (y[:, a] > 0) & (y[:, b] > 0)
        first = y[both, a] < y[both, b]
        total -= np.log(np.where(first, p[both], 1 - p[both])).sum()
        count += int(both.sum())
    return total / max(count, 1)


def chosen(build: Callable[[float], Any], X: Floats, y: NDArray[Any]) -> Any:
    """Return the model of the penalty that predicts what is known of inner folds best, trained on all rows."""

    def loss(alpha: float) -> float:
        total = 0.0
        for some, others in KFold(3, shuffle=True, random_state=1).split(X):
            model = build(alpha).fit(X[some], y[some])
            likely = hasattr(model, "log_proba")
            total += -model.log_proba(X[others], y[others]).sum() if likely else pair_loss(model, X[others], y[others])
        return total

    return build(min(ALPHAS, key=loss)).fit(X, y)


def real(data: Path, names: list[str]) -> None:
    """Part 2."""
    rivals: dict[str, Callable[[float], Any]] = {
        "likelihood": lambda alpha: Structured(alpha, "likelihood"),
        "mean": lambda alpha: Structured(alpha, "mean"),
        "Plackett–Luce": PlackettLuce,
        "pairwise logistic": PairwiseLogistic,
    }
    print("\n| set | hidden | model | ln p | log-loss of pairs | τ |\n| --- | ---: | --- | ---: | ---: | ---: |")
    for name in names:
        X, y = rankings(data, name)
        for share in (0.0, *SHARES):
            known = hidden(y, share, np.random.default_rng(7))
            figures: dict[str, list[tuple[float, float, float]]] = {each: [] for each in rivals}
            for some, others in KFold(5, shuffle=True, random_state=0).split(X):
                scaler = StandardScaler().fit(X[some])
                inputs, test = scaler.transform(X[some]), scaler.transform(X[others])
                for each, build in rivals.items():
                    model = chosen(build, inputs, known[some])
                    log_proba = model.log_proba(test, y[others]).mean() if hasattr(model, "log_proba") else np.nan
                    tau = float(kendall_tau(y[others], model.predict(test)))
                    figures[each].append((log_proba, pair_loss(model, test, y[others]), tau))
            for each, rows in figures.items():
                log_proba, pairs, tau = np.mean(rows, axis=0)
                print(f"| {name} | {share:.0%} | {each} | {log_proba:.3f} | {pairs:.4f} | {tau:.4f} |", flush=True)


def labels(data: Path) -> None:
    """Part 3."""
    print("\n| set | model | log-loss a label | Hamming | ln p of whole sets |\n| --- | --- | ---: | ---: | ---: |")
    for name in ("emotions", "yeast"):
        X, y = label_sets(data, name)
        X_test, y_test = label_sets(data, name, "test")
        scaler = StandardScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
        known = hidden(y, 0.5, np.random.default_rng(3))
        for alpha in (1.0, 10.0):
            for observed in (False, True):
                table = np.unique(y, axis=0) if observed else None
                structure = LabelSets(observed=table)
                model = ProbabilisticStructured(structure, alpha=alpha, decision="mbr").fit(X, known)
                p = np.clip(model.predict_proba(X_test), 1e-9, 1 - 1e-9)
                inside = np.ones(len(y_test), bool) if table is None else (y_test[:, None] == table).all(2).any(1)
                log_p = model.log_proba(X_test[inside], y_test[inside]).mean()
                title = f"{'observed sets' if observed else 'likelihood'}, alpha={alpha:g}"
                losses = np.mean([log_loss(t, q, labels=[0, 1]) for t, q in zip(y_test.T, p.T, strict=True)])
                hamming = hamming_score(y_test, model.predict(X_test))
                print(
                    f"| {name} | {title} | {losses:.4f} | {hamming:.4f} | {log_p:.3f} ({inside.mean():.0%} of rows) |"
                )
            p = np.empty(y_test.shape)
            for j in range(y.shape[1]):
                rows = known[:, j] >= 0
                one = LogisticRegression(C=1 / (2 * alpha), fit_intercept=False, tol=1e-8, max_iter=1000)
                one.fit(np.column_stack([X, np.ones(len(X))])[rows], known[rows, j])
                p[:, j] = one.predict_proba(np.column_stack([X_test, np.ones(len(X_test))]))[:, 1]
            losses = np.mean([log_loss(t, q, labels=[0, 1]) for t, q in zip(y_test.T, p.T, strict=True)])
            hamming = hamming_score(y_test, p > 0.5)
            print(f"| {name} | logistic a label, alpha={alpha:g} | {losses:.4f} | {hamming:.4f} | |", flush=True)


def routes() -> None:
    """Part 4."""
    structure = Routes(8)
    print("\n| rows | in training | in predictions | ridge | truth |\n| ---: | ---: | ---: | ---: | ---: |")
    for n in (150, 600, 2400):
        figures = []
        for seed in range(3):
            rng = np.random.default_rng(seed)
            W = rng.normal(size=(4, structure.n_features))
            X = rng.normal(size=(n + 1000, 4))
            ends = np.array([rng.choice(8, 2, replace=False) for _ in range(len(X))])
            held = [{"start": int(a), "end": int(b), "length": 5} for a, b in ends]
            y = structure.sample(1, seed, scores=X @ W, constraints=held)[0]
            train, test = slice(0, n), slice(n, None)

            def inner(predicted: NDArray[Any], truth: NDArray[Any] = y[test]) -> float:
                return float(np.mean([len({*p[1:4]} & {*t[1:4]}) / 3 for p, t in zip(predicted, truth, strict=True)]))

            known = ProbabilisticStructured(structure).fit(X[train], y[train], constraints=held[train])
            unknown = ProbabilisticStructured(structure).fit(X[train], y[train])
            ridge = StructuredRidge(structure).fit(X[train], y[train])
            models = [model.predict(X[test], constraints=held[test]) for model in (known, unknown, ridge)]
            models.append(structure.decode((X @ W)[test], constraints=held[test]))
            assert route_f1(y[test], models[-1]) > 0
            figures.append([inner(predicted) for predicted in models])
        print(f"| {n} | " + " | ".join(f"{figure:.3f}" for figure in np.mean(figures, axis=0)) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sets", nargs="+", default=["cold", "heat"])
    parser.add_argument("--parts", nargs="+", type=int, default=[1, 2, 3, 4, 5])
    options = parser.parse_args()
    if 1 in options.parts:
        simulated()
    if 2 in options.parts and options.data:
        real(options.data, options.sets)
    if 3 in options.parts and options.data:
        labels(options.data)
    if 4 in options.parts:
        routes()
    if 5 in options.parts:
        allowed()


if __name__ == "__main__":
    main()
