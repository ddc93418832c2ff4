"""Distributions over label sets: yeast and emotions, official splits, features standardised on the training part.

Every distribution has a width and a penalty, chosen by the log-likelihood of three inner folds (see `held_out`):

- "LabelSets": `ProbabilisticStructured` with labels as ψ, which is one logistic regression for each label. The script
  asserts that scikit-learn's logistic regressions with the same penalty give the same probabilities.
- "a penalty a label": the same with a penalty for each label, chosen by scikit-learn's cross-validation.
- "observed sets": the label sets that occur in the training part, `LabelSets(observed=…)`. Others have probability 0.
  The penalty is chosen with the sets of the whole training part. "with pairs": `Custom.from_structures` on the same
  list, with products of two labels in ψ as well.
- "all sets, with pairs": the same with all sets listed. Only where they are few.
- "chain": scikit-learn's `ClassifierChain` of logistic regressions, which defines a distribution by the chain rule.
  Its own predictions are greedy; "exact" takes the mode and the marginals of the distribution over all sets.

Columns: subset accuracy, F1 (mean over rows, 1 where both sets are empty, and over labels), Hamming loss and ranking
loss (pairs within the predicted set, and outside, count half) of a decision: the mode ("map"), least expected Hamming
loss ("half": labels of probability above ½), `decision="mbr"` where ψ has more than labels, largest expected F1 ("f1"),
least expected ranking loss ("ranking"), or the chain's greedy one; mean ln p of the test part's sets (over those that
were listed, in brackets how many others); of the labels' probabilities, mean log loss, Brier score and expected
calibration error (ten bins of equal width, mean over labels), and what this error would be by chance for labels drawn
from these very probabilities; CPU seconds for choosing, fitting and predicting.

    python tests/benchmarks/label_probabilities.py --data DIR [--sets emotions yeast] [--kernels linear rbf]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from folders import LABEL_SETS, chosen, label_sets
from held_out import ALPHAS, choose
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import f1_score
from sklearn.multioutput import ClassifierChain
from sklearn.preprocessing import StandardScaler

from combpred import ProbabilisticStructured
from combpred.metrics import hamming_loss
from combpred.structures import Custom, LabelSets, Structure

MOST_LISTED = 2**8  # sets of labels of which all are listed
START = (2, 12)  # width 0.1, penalty 10
BINS = 10


def all_sets(n_labels: int) -> np.ndarray:
    """Return all sets of labels."""
    return (np.arange(2**n_labels)[:, None] >> np.arange(n_labels)) & 1


class Chain:
    """The distribution of a chain of logistic regressions, with the methods that `choose` asks for."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def fit(self, X: np.ndarray, y: np.ndarray) -> Chain:
        """Train on rows and 0/1 labels."""
        self.chain = ClassifierChain(LogisticRegression(C=1 / (2 * self.alpha), max_iter=1000)).fit(X, y)
        return self

    def log_proba(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return ln p(y | x) for every row, by the chain rule."""
        total = np.zeros(len(X))
        for j, link in enumerate(self.chain.estimators_):
            margin = link.decision_function(np.column_stack([X, y[:, :j]]))
            total -= np.logaddexp(0, np.where(y[:, j] == 1, -margin, margin))
        return total

    def best_and_marginals(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the mode of each row's distribution, and the probability of each label under it."""
        n_labels, p = len(self.chain.estimators_), X.shape[1]
        sets = all_sets(n_labels)
        own = np.column_stack([link.coef_[0, :p] @ X.T + link.intercept_ for link in self.chain.estimators_])
        earlier = np.zeros((len(sets), n_labels))
        for j, link in enumerate(self.chain.estimators_):
            earlier[:, j] = sets[:, :j] @ link.coef_[0, p:]
        sign = 1 - 2 * sets
        best, marginals = np.empty((len(X), n_labels), dtype=int), np.empty((len(X), n_labels))
        for i, row in enumerate(own):
            log_p = -np.logaddexp(0, sign * (row + earlier)).sum(axis=1)
            best[i], marginals[i] = sets[log_p.argmax()], np.exp(log_p) @ sets
        return best, marginals


class Observed:
    """A distribution over a list of sets, which gives others probability 0."""

    def __init__(self, sets: np.ndarray, **setting: Any) -> None:
        self.known = {tuple(row) for row in sets.tolist()}
        self.sets = sets
        self.model = probabilistic(LabelSets(sets.shape[1], observed=sets), **setting)

    def fit(self, X: np.ndarray, y: np.ndarray) -> Observed:
        """Train on rows and their sets, all of them listed."""
        self.model.fit(X, y)
        return self

    def log_proba(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return ln p(y | x) for every row."""
        listed = np.array([tuple(row) in self.known for row in y.tolist()])
        found = self.model.log_proba(X, np.where(listed[:, None], y, self.sets[0]))
        return np.where(listed, found, -np.inf)

    def predict(self, X: np.ndarray, decision: str) -> np.ndarray:
        """Return the sets that a decision takes."""
        return self.model.set_params(decision=decision).predict(X)

    def marginals(self, X: np.ndarray) -> np.ndarray:
        """Return the probability of each label."""
        return self.model.predict_proba(X)


class Listed:
    """The same with products of two labels in ψ: y are sets rather than places in the list."""

    def __init__(self, sets: np.ndarray, **setting: Any) -> None:
        u, v = np.triu_indices(sets.shape[1], 1)
        psi = np.hstack([sets, sets[:, u] * sets[:, v]])
        self.sets = sets
        self.place = {tuple(row): i for i, row in enumerate(sets.tolist())}
        self.model = probabilistic(Custom.from_structures(range(len(sets)), psi), **setting)

    def codes(self, y: np.ndarray) -> np.ndarray:
        """Return the places of sets in the list, −1 for those that it lacks."""
        return np.array([self.place.get(tuple(row), -1) for row in y.tolist()])

    def fit(self, X: np.ndarray, y: np.ndarray) -> Listed:
        """Train on rows and their sets, all of them listed."""
        self.model.fit(X, self.codes(y))
        return self

    def log_proba(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return ln p(y | x) for every row."""
        codes = self.codes(y)
        found = self.model.log_proba(X, np.maximum(codes, 0))
        return np.where(codes < 0, -np.inf, found)

    def predict(self, X: np.ndarray, decision: str) -> np.ndarray:
        """Return the sets that a decision takes."""
        return self.sets[self.model.set_params(decision=decision).predict(X)]

    def marginals(self, X: np.ndarray) -> np.ndarray:
        """Return the probability of each label."""
        return self.model.predict_marginals(X)[:, : self.sets.shape[1]]


def probabilistic(structure: Structure, **setting: Any) -> ProbabilisticStructured:
    """Return the estimator with a width if there is one."""
    kernel = "rbf" if "gamma" in setting else "linear"
    return ProbabilisticStructured(structure, kernel=kernel, tol=1e-4, max_iter=2000, n_jobs=1, **setting)


def chance_error(p: np.ndarray) -> float:
    """Return the mean calibration error of labels drawn from the predicted probabilities themselves."""
    rng = np.random.default_rng(0)
    return float(np.mean([calibration_error((rng.random(p.shape) < p).astype(int), p) for _ in range(50)]))


def calibration_error(y: np.ndarray, p: np.ndarray) -> float:
    """Return the mean over labels of Σ |observed − expected| over bins of predicted probability, per row."""
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    gaps = [np.abs(np.where(bins == b, y - p, 0).sum(axis=0)) for b in range(BINS)]
    return float(np.sum(gaps, axis=0).mean() / len(y))


def ranking_loss(y: np.ndarray, predicted: np.ndarray) -> float:
    """Return the share of pairs of a relevant and another label in the wrong order, equal ones by half."""
    size = y.sum(axis=1)
    pairs = size * (y.shape[1] - size)
    hit = (y * predicted).sum(axis=1) * (y.shape[1] - size) + size * ((1 - y) * (1 - predicted)).sum(axis=1)
    return float(np.where(pairs > 0, 1 - hit / (2 * np.maximum(pairs, 1)), 0.0).mean())


class Report:
    """A table of the distributions of one data set."""

    def __init__(self, y: np.ndarray, listed: np.ndarray) -> None:
        self.y, self.listed = y, listed
        print(
            f"  {'distribution':<34}{'decision':<9}{'subset':>7}{'F1 rows':>8}{'labels':>7}{'Hamming':>8}{'ranking':>8}"
            f"{'ln p':>8}{'listed':>15}{'log loss':>9}{'Brier':>7}{'ECE':>7}{'chance':>8}{'CPU s':>8}  setting"
        )

    def line(self, distribution: str, decision: str, predicted: np.ndarray) -> str:
        """Return the part of a line on predictions."""
        y = self.y
        f1 = [
            f1_score(y, predicted, average=average, zero_division=zero)
            for average, zero in (("samples", 1), ("macro", 0))
        ]
        subset = float((y == predicted).all(axis=1).mean())
        return (
            f"  {distribution:<34}{decision:<9}{subset:7.3f}{f1[0]:8.3f}{f1[1]:7.3f}{hamming_loss(y, predicted):8.4f}"
            f"{ranking_loss(y, predicted):8.4f}"
        )

    def add(
        self,
        distribution: str,
        decisions: dict[str, np.ndarray],
        log_proba: np.ndarray | None,
        p: np.ndarray,
        seconds: float,
        setting: dict[str, float] | None = None,
    ) -> None:
        """Print a line for each decision, the first with what does not depend on it."""
        more = " " * 23
        if log_proba is not None:
            some = f"{log_proba[self.listed].mean():.3f} ({int((~self.listed).sum())})"
            more = f"{log_proba.mean():8.3f}{some:>15}"
        q = np.clip(np.where(self.y == 1, p, 1 - p), 1e-15, 1)
        more += f"{-np.log(q).mean():9.4f}{np.square(self.y - p).mean():7.4f}"
        more += f"{calibration_error(self.y, p):7.4f}{chance_error(p):8.4f}{seconds:8.1f}  "
        more += ", ".join(f"{key} {value:.2g}" for key, value in (setting or {}).items())
        for decision, predicted in decisions.items():
            print(self.line(distribution, decision, predicted) + more, flush=True)
            more = ""


def separate_labels(report: Report, kernel: str, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> None:
    """Report the distribution of independent labels, and check it against scikit-learn."""
    start, n_labels = time.process_time(), y.shape[1]

    def build(setting: dict[str, float]) -> ProbabilisticStructured:
        return probabilistic(LabelSets(n_labels), **setting)

    setting = choose(build, X, y, has_width=kernel == "rbf", start=START)
    model = build(setting).fit(X, y)
    predicted, p = model.predict(X_test), model.predict_proba(X_test)
    seconds = time.process_time() - start
    decisions = {"map": predicted} | {
        decision: model.set_params(decision=decision).predict(X_test) for decision in ("f1", "ranking")
    }
    report.add(f"LabelSets, {kernel}", decisions, model.log_proba(X_test, report.y), p, seconds, setting)
    if kernel == "linear":
        # The constant is a feature like the others, whose weight is penalised, so that both minimise the same.
        exact = probabilistic(LabelSets(n_labels), **setting).set_params(tol=1e-7).fit(X, y).predict_proba(X_test)
        parts = np.column_stack([X, np.ones(len(X))]), np.column_stack([X_test, np.ones(len(X_test))])
        same = LogisticRegression(C=1 / (2 * setting["alpha"]), fit_intercept=False, tol=1e-10, max_iter=10_000)
        reference = [same.fit(parts[0], y[:, j]).predict_proba(parts[1])[:, 1] for j in range(n_labels)]
        np.testing.assert_allclose(exact, np.column_stack(reference), atol=1e-5)


def separate(report: Report, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> None:
    """Report logistic regressions with a penalty each."""
    start = time.process_time()
    options: dict[str, Any] = {"Cs": 1 / (2 * ALPHAS), "cv": 3, "scoring": "neg_log_loss", "max_iter": 1000}
    options |= {"l1_ratios": (0.0,), "use_legacy_attributes": False}
    models = [LogisticRegressionCV(**options).fit(X, y[:, j]) for j in range(y.shape[1])]
    p = np.column_stack([model.predict_proba(X_test)[:, 1] for model in models])
    seconds = time.process_time() - start
    log_proba = np.log(np.where(report.y == 1, p, 1 - p)).sum(axis=1)
    report.add("a penalty a label, linear", {"map": (p > 0.5).astype(int)}, log_proba, p, seconds)


def listed_sets(
    report: Report, distribution: str, sets: np.ndarray, kernel: str, X: np.ndarray, y: np.ndarray, X_test: np.ndarray
) -> None:
    """Report a distribution over a list of sets."""
    start, pairs = time.process_time(), distribution.endswith("with pairs")

    def build(setting: dict[str, float]) -> Any:
        return (Listed if pairs else Observed)(sets, **setting)

    setting = choose(build, X, y, has_width=kernel == "rbf", start=START)
    model = build(setting).fit(X, y)
    p, predicted = model.marginals(X_test), model.predict(X_test, "map")
    seconds = time.process_time() - start
    decisions = {"map": predicted, "mbr": model.predict(X_test, "mbr"), "half": (p > 0.5).astype(int)}
    if not pairs:
        decisions |= {decision: model.predict(X_test, decision) for decision in ("f1", "ranking")}
    report.add(f"{distribution}, {kernel}", decisions, model.log_proba(X_test, report.y), p, seconds, setting)


def chain(report: Report, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> None:
    """Report the chain: its greedy predictions, and its distribution."""
    start = time.process_time()
    setting = choose(lambda found: Chain(**found), X, y, has_width=False, start=START)
    model = Chain(**setting).fit(X, y)
    greedy, p = model.chain.predict(X_test).astype(int), model.chain.predict_proba(X_test)
    seconds = time.process_time() - start
    report.add("chain, linear", {"greedy": greedy}, None, p, seconds, setting)
    best, p = model.best_and_marginals(X_test)
    seconds = time.process_time() - start
    decisions = {"map": best, "half": (p > 0.5).astype(int)}
    report.add("chain, linear, exact", decisions, model.log_proba(X_test, report.y), p, seconds, setting)


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", help="of the folder; all that are there unless given")
    parser.add_argument("--kernels", nargs="*", default=["linear", "rbf"], choices=["linear", "rbf"])
    args = parser.parse_args()
    for name in chosen(args.data, LABEL_SETS, args.sets):
        (X, y), (X_test, y_test) = (label_sets(args.data, name, part) for part in ("train", "test"))
        n_labels = y.shape[1]
        scaler = StandardScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
        observed = np.unique(y, axis=0)
        listed = np.array([(row == observed).all(axis=1).any() for row in y_test])
        print(f"{name}: {len(X)} and {len(X_test)} rows, {n_labels} labels, {len(observed)} sets in the training part")
        report = Report(y_test, listed)
        chain(report, X, y, X_test)
        separate(report, X, y, X_test)
        for kernel in args.kernels:
            separate_labels(report, kernel, X, y, X_test)
            distributions = {"observed sets": observed, "observed sets, with pairs": observed}
            if 2**n_labels <= MOST_LISTED:
                distributions["all sets, with pairs"] = all_sets(n_labels)
            for distribution, sets in distributions.items():
                listed_sets(report, distribution, sets, kernel, X, y, X_test)


if __name__ == "__main__":
    main()
