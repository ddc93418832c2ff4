"""Naive baselines of ten lines beside every example, notebook and README claim, and on larger sets.

    python tests/benchmarks/baselines.py [--data FOLDER] [--parts loaders sets ...] [--rows N] [--no-hindsight]

A table in Markdown: the metric of

- one call of ours (`ONE_CALL`, to which other estimators are added by a line each) with its defaults; for label sets it
  is told the metric;
- the best of our settings in hindsight, chosen on the rows it is scored on, so that it is an optimistic rival: those of
  `settings`, and whatever a page itself uses;
- the best of the naive baselines, each at one setting, chosen in hindsight as well, with its name;
- the best published, where there is one.

Names of sets begin with "page: " where data and split are those of an example, a notebook or the README; the
others need --data (see `folders`), but for those that are generated. Features are standardised on the training rows,
but for those of pages, which say themselves what they do, and texts. Several splits are one: predictions of all test
rows are scored together. --rows limits the training rows of a split.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import runpy
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from folders import GRADES, HIERARCHIES, LABEL_SETS, RANKINGS, TRIPS, grades, label_sets, listed, rankings
from hierarchy import load as load_hierarchy
from hierarchy import tree_of
from joblib import Parallel, delayed
from label_ranking import PUBLISHED
from losses import tree
from routes import load as load_city
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import KFold, ShuffleSplit, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from combpred import (
    EmbeddingRegressor,
    ProbabilisticStructured,
    ProbabilisticStructuredCV,
    StructuredRidge,
    StructuredRidgeCV,
    datasets,
)
from combpred import metrics as m
from combpred import structures as s
from combpred.ranking import RankingByPairwiseComparison
from combpred.structures import Structure

PYTHON = Path(__file__).parents[2] / "python"
LOGISTIC = LogisticRegression(max_iter=2000)
CLASSIFIERS = {"logistic": LOGISTIC, "SVM": SVC(C=10), "forest": RandomForestClassifier(random_state=0)}
REGRESSORS = {
    "Ridge": Ridge(),
    "KernelRidge": KernelRidge(0.1, kernel="rbf"),
    "forest": RandomForestRegressor(random_state=0),
}

# ---- The naive baselines ---------------------------------------------------------------------------------------------


class Split(NamedTuple):
    """Rows to train on, rows to predict, and the conditions that are known of these."""

    structure: Structure
    X: Any
    y: Any
    X_test: Any
    conditions: list[dict[str, Any]] | None

    def decode(self, scores: np.ndarray) -> np.ndarray:
        """Return the outputs of largest score that meet the conditions."""
        return self.structure.decode(scores, constraints=self.conditions)


Baseline = Callable[[Split], Any]


def label_powerset(split: Split, model: Any) -> Any:
    """One class for each output of the training rows."""
    outputs, classes = np.unique(split.y, axis=0, return_inverse=True)
    return outputs[clone(model).fit(split.X, classes.ravel()).predict(split.X_test)]


def parts_and_decoder(split: Split, model: Any = LOGISTIC) -> Any:
    """One binary classifier for each entry of ψ, and the best feasible output by their log-odds."""
    psi = split.structure.embed(split.y)
    scores = np.empty((split.X_test.shape[0], psi.shape[1]))
    for j, part in enumerate(psi.T):
        held = part > 0
        if 0 < held.sum() < len(held):
            scores[:, j] = clone(model).fit(split.X, held).decision_function(split.X_test)
        else:
            scores[:, j] = np.log((held.sum() + 0.5) / ((~held).sum() + 0.5))
    return split.decode(scores)


def ridge_and_decoder(split: Split) -> Any:
    """Ridge regression of ψ, and the best feasible output by what it predicts."""
    return split.decode(Ridge().fit(split.X, split.structure.embed(split.y)).predict(split.X_test))


def sorted_positions(split: Split, model: Any) -> Any:
    """A regression of positions, and the ranking that sorts them."""
    return clone(model).fit(split.X, split.y).predict(split.X_test).argsort(axis=1).argsort(axis=1) + 1


def rounded_grades(split: Split, model: Any) -> Any:
    """A regression of grades, and the nearest grade."""
    found = clone(model).fit(split.X, split.y).predict(split.X_test)
    return np.clip(np.rint(found), 0, np.max(split.y)).astype(int)


def one_vs_rest(split: Split, model: Any) -> Any:
    """One binary classifier for each label, or one forest, which takes several labels."""
    is_forest = isinstance(model, RandomForestClassifier)
    return (
        (clone(model) if is_forest else OneVsRestClassifier(clone(model))).fit(split.X, split.y).predict(split.X_test)
    )


def classifier_chain(split: Split) -> Any:
    """Each label by the features and the labels before it."""
    return ClassifierChain(clone(LOGISTIC)).fit(split.X, split.y).predict(split.X_test).astype(int)


def viterbi(split: Split, model: Any, states: int) -> Any:
    """A classifier of single tokens, and the best path by it and by how often states follow each other.

    Rows of X hold the features of all tokens, one after the other. What is seen of a token is worth
    P(state | token) / P(state), to the next state P(next | state), which is counted with one added.
    """
    labels = s.Paths.to_labels(split.y, states)
    steps = labels.shape[1]
    tokens = split.X.reshape(len(labels) * steps, -1)
    reader = clone(model).fit(tokens, labels.ravel())
    seen = np.log(reader.predict_proba(split.X_test.reshape(-1, tokens.shape[1])).reshape(-1, steps, states) + 1e-9)
    counts = np.ones((states, states))
    np.add.at(counts, (labels[:, :-1].ravel(), labels[:, 1:].ravel()), 1)
    follows, prior = (
        np.log(counts / counts.sum(axis=1, keepdims=True)),
        np.log(np.bincount(labels.ravel()) / labels.size),
    )
    best, back = seen[:, 0], []
    for t in range(1, steps):
        through = best[:, :, None] + follows
        back.append(through.argmax(axis=1))
        best = through.max(axis=1) + seen[:, t] - prior
    path = [best.argmax(axis=1)]
    for step in reversed(back):
        path.append(step[np.arange(len(best)), path[-1]])
    return s.Paths.from_labels(np.column_stack(path[::-1]), states)


def each(function: Callable[..., Any], models: dict[str, Any], name: str) -> dict[str, Baseline]:
    """Return a baseline for each model."""
    return {f"{name}, {model}": partial(function, model=models[model]) for model in models}


POWERSETS = each(label_powerset, CLASSIFIERS, "label powerset")
CLASSES = {f"multi-class {name}": partial(label_powerset, model=model) for name, model in CLASSIFIERS.items()}
OF_SETS = {
    **POWERSETS,
    **each(one_vs_rest, CLASSIFIERS, "one-vs-rest"),
    "chain, logistic": classifier_chain,
}
ON_TEXTS = {name: model for name, model in CLASSIFIERS.items() if name != "SVM"}  # linear there, as is usual
OF_TEXTS = {
    **each(label_powerset, ON_TEXTS, "label powerset"),
    **each(one_vs_rest, {**ON_TEXTS, "LinearSVC": LinearSVC()}, "one-vs-rest"),
    "chain, logistic": classifier_chain,
}
OF_RANKINGS = {**each(sorted_positions, REGRESSORS, "positions"), "pairs, logistic": parts_and_decoder}
OF_GRADES = {**each(rounded_grades, REGRESSORS, "rounded"), **CLASSES}
OF_PARTS = {
    "parts, logistic": parts_and_decoder,
    "parts, Ridge": ridge_and_decoder,
    "most similar row": partial(label_powerset, model=KNeighborsClassifier(1)),
}

# ---- Ours ------------------------------------------------------------------------------------------------------------

SCORING = {"subset accuracy": "accuracy", "F1": "f1", "macro-F1": "f1"}  # of label sets; others have their own metric


def chosen_ridge(structure: Structure, metric: str) -> Any:
    """Return StructuredRidgeCV, which is told by what label sets are judged."""
    scoring = SCORING.get(metric) if isinstance(structure, s.LabelSets) else None
    return StructuredRidgeCV(structure, scoring=scoring, n_jobs=1)


def chosen_distribution(structure: Structure, metric: str) -> Any:
    """Return ProbabilisticStructuredCV, which decides by the expected F1 where label sets are judged by that."""
    by_f1 = isinstance(structure, s.LabelSets) and SCORING.get(metric) == "f1"
    return ProbabilisticStructuredCV(structure, decision="f1" if by_f1 else "map", n_jobs=1)


def by_classifiers(structure: Structure, metric: str) -> Any:
    """Return our call of a classifier for each output, or for each pair of labels: the naive baseline as one line."""
    if isinstance(structure, s.Permutations):
        return RankingByPairwiseComparison()
    kinds = {s.LabelSets: RandomForestClassifier(random_state=0), s.Hierarchy: SVC(C=10)}
    if type(structure) not in kinds:
        return None
    return EmbeddingRegressor(structure, kinds[type(structure)], target="outputs")


ONE_CALL: dict[str, Callable[[Structure, str], Any]] = {
    "RidgeCV": chosen_ridge, "ProbabilisticCV": chosen_distribution, "classifiers": by_classifiers
}  # fmt: skip
KERNELS = [("linear", None), *((kernel, width) for kernel in ("rbf", "laplacian") for width in (0.1, 0.3, 1.0))]
ALPHAS = (0.01, 0.1, 1.0)
DECISIONS: dict[type, list[dict[str, str]]] = {
    s.LabelSets: [{}, {"decision": "f1"}],
    s.Hierarchy: [{}, {"decision": "score"}, {"decision": "mode"}],
    **dict.fromkeys(
        (s.Routes, s.Cliques, s.DirectedCycles), [{"loss": "auc"}, {"loss": "squared", "decision": "score"}]
    ),
}
EXPECTED_LOSSES: dict[type, list[str | None]] = {  # that distributions decide by
    s.LabelSets: ["map", "mbr", "f1"],
    **dict.fromkeys((s.Ordinal, s.Permutations, s.WeakOrders), ["map", "mbr"]),
}


def spaces(structure: Structure) -> list[tuple[Structure, list[dict[str, str]]]]:
    """Return a structure, for label sets also among observed ones, each with the decisions and losses to try."""
    tried = [(structure, DECISIONS.get(type(structure), [{}]))]
    if isinstance(structure, s.LabelSets):
        tried.append((s.LabelSets(structure.n_labels, observed=True), [{}]))
    return tried


def settings(task: Task) -> Iterator[tuple[Any, list[str | None]]]:
    """Yield our models at all settings, and the decisions of which each has several.

    Widths are relative: 1 is one over the number of features and over their variance.
    """
    for structure, ways in spaces(task.structure):
        for (kernel, width), alpha in product(KERNELS, ALPHAS):
            gamma = None if width is None else width / (task.X.shape[1] * task.variance)
            for how in ways:
                model = StructuredRidge(structure, alpha=alpha, kernel=kernel, gamma=gamma, n_jobs=1, **how)
                yield model, [None]
        kernels = ("linear", "rbf") if task.n_train <= 1500 else ("linear",)
        decisions = EXPECTED_LOSSES.get(type(structure), ["map"])
        for kernel, alpha in product(kernels if task.has_distribution else (), (0.003, 0.03, 0.3)):
            yield ProbabilisticStructured(structure, alpha=alpha, kernel=kernel, gamma="scale", tol=1e-3), decisions


# ---- What is measured ------------------------------------------------------------------------------------------------


@dataclass
class Task:
    """Data, metrics (larger is better), and what is known of them."""

    name: str
    structure: Structure
    X: Any
    y: Any
    splits: list[tuple[np.ndarray, np.ndarray]]
    metrics: dict[str, Callable[[Any, Any], float]]
    naive: dict[str, Baseline]
    page: dict[str, float] = field(default_factory=dict)  # the best of ours that the page itself shows
    published: dict[str, str] = field(default_factory=dict)
    conditions: list[dict[str, Any]] | None = None
    is_standardised: bool = True
    has_distribution: bool = True  # with exact inference, in seconds

    @property
    def n_train(self) -> int:
        """Rows to train on."""
        return len(self.splits[0][0])

    @property
    def variance(self) -> float:
        """Of the features as models see them."""
        return 1.0 if self.is_standardised else float(self.X[self.splits[0][0]].var())

    def limited(self, rows: int | None) -> Task:
        """Return the same with fewer training rows, drawn with a fixed seed."""
        draw = np.random.default_rng(0).permutation
        self.splits = [
            (draw(train)[:rows] if rows and len(train) > rows else train, test) for train, test in self.splits
        ]
        return self

    def parts(self) -> Iterator[Split]:
        """Yield the splits."""
        for train, test in self.splits:
            scaler = StandardScaler(with_mean=self.is_standardised, with_std=self.is_standardised).fit(self.X[train])
            told = None if self.conditions is None else [self.conditions[i] for i in test]
            A, B = scaler.transform(self.X[train]), scaler.transform(self.X[test])
            yield Split(self.structure, A, self.y[train], B, told)

    def judged(self, predicted: list[Any]) -> dict[str, float]:
        """Return all metrics of predictions of all splits."""
        truth = np.concatenate([self.y[test] for _, test in self.splits])
        found = np.concatenate([np.asarray(each) for each in predicted])
        return {name: float(metric(truth, found)) for name, metric in self.metrics.items()}

    def of_model(self, model: Any, decisions: list[str | None]) -> list[dict[str, float]]:
        """Return the metrics of one of our models by each decision, None for the one that it has."""
        found: list[list[Any]] = [[] for _ in decisions]
        for split in self.parts():
            told = {} if split.conditions is None else {"constraints": split.conditions}
            model.fit(split.X, split.y)
            for decision, predicted in zip(decisions, found, strict=True):
                decided = model if decision is None else model.set_params(decision=decision)
                predicted.append(decided.predict(split.X_test, **told))
        return [self.judged(predicted) for predicted in found]


def figure(value: float | None) -> str:
    """Return three digits without the 0 in front, and "–" for what there is not."""
    return "–" if value is None else f"{value:.3f}".replace("0.", ".", 1).replace("-", "−")


def measured(task: Task, has_hindsight: bool) -> tuple[list[str], list[dict[str, float]]]:
    """Return the lines of one set, and for each what one call of ours lacks."""
    warnings.simplefilter("ignore")  # of convergence, at penalties that are too weak for it
    began = time.perf_counter()
    ours: dict[str, dict[str, float]] = {}
    tried = [task.page] if task.page else []
    for name, build in ONE_CALL.items():
        if not task.has_distribution and build is chosen_distribution:
            continue
        known: dict[str, dict[str, float]] = {}
        for metric in task.metrics:
            model = build(task.structure, metric)
            if model is not None:
                if repr(model) not in known:
                    known[repr(model)] = task.of_model(model, [None])[0]
                ours.setdefault(name, {})[metric] = known[repr(model)][metric]
        tried += known.values()
    for setting in settings(task) if has_hindsight else ():
        tried += task.of_model(*setting)
    naive = {name: task.judged([predict(split) for split in task.parts()]) for name, predict in task.naive.items()}
    lines, gaps = [], []
    for metric in task.metrics:
        best = max(naive, key=lambda name: naive[name][metric])
        calls = {name: scores[metric] for name, scores in ours.items() if metric in scores}
        top = max(scores.get(metric, -np.inf) for scores in tried)
        cells = [task.name, str(task.n_train), metric, *(figure(calls.get(name)) for name in ONE_CALL), figure(top)]
        cells += [f"{figure(naive[best][metric])} {best}", task.published.get(metric, "")]
        lines.append(f"| {' | '.join(cells)} |")
        gaps.append({"naive": naive[best][metric] - max(calls.values()), "hindsight": top - max(calls.values())})
    return [*lines, f"<!-- {task.name}: {time.perf_counter() - began:.0f} s -->"], gaps


# ---- Metrics ---------------------------------------------------------------------------------------------------------


def inner_f1(truth: np.ndarray, routes: np.ndarray) -> float:
    """Return the F1 of the places between the ends, 1 where there are none in either."""
    found = []
    for row, route in zip(truth, routes, strict=True):
        a, b = set(row[row >= 0][1:-1].tolist()), set(route[route >= 0][1:-1].tolist())
        found.append(2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0)
    return float(np.mean(found))


SUBSET = {"subset accuracy": accuracy_score}
F1 = {"F1": partial(f1_score, average="samples", zero_division=1)}
MACRO = {"macro-F1": partial(f1_score, average="macro", zero_division=0)}
HAMMING = {"Hamming score": m.hamming_score}
TAU, ACCURACY = {"τ": m.kendall_tau}, {"accuracy": accuracy_score}
ON_ROUTES = {"F1": m.route_f1, "pairs-F1": m.route_pairs_f1}

# ---- Pages -----------------------------------------------------------------------------------------------------------


def example(name: str) -> dict[str, Any]:
    """Run an example and return its names."""
    import matplotlib

    matplotlib.use("Agg")
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return runpy.run_path(str(PYTHON / "examples" / f"plot_{name}.py"))


def notebook(name: str, cells: int) -> dict[str, Any]:
    """Run the first cells of code of a notebook and return their names."""
    read = json.loads((PYTHON / "docs" / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    for cell in [cell for cell in read if cell["cell_type"] == "code"][:cells]:
        with contextlib.redirect_stdout(io.StringIO()):
            exec("".join(cell["source"]), names)
    return names


def halves(*parts: Any) -> tuple[Any, list[tuple[np.ndarray, np.ndarray]]]:
    """Return rows for training and for tests as one array with its split."""
    first, second = (np.asarray(part) for part in parts)
    return np.concatenate([first, second]), [(np.arange(len(first)), len(first) + np.arange(len(second)))]


def page(name: str, structure: Structure, four: Any, metrics: Any, naive: Any, **known: Any) -> Task:
    """Return the task of a page that has X_train, X_test, y_train and y_test."""
    (X, splits), (y, _) = halves(*four[:2]), halves(*four[2:])
    return Task(f"page: {name}", structure, X, y, splits, metrics, naive, is_standardised=False, **known)


def of_notebooks(data: Path | None) -> Iterator[Task]:
    """Yield the tasks of the notebooks, and of claims of the README on the same data."""
    images = datasets.load_digits_attributes()
    four = train_test_split(images.data / 16, images.target, train_size=600, random_state=0)
    yield page("label_sets.ipynb", s.LabelSets(6), four, {**SUBSET, **F1}, OF_SETS)
    digits = datasets.load_digits_hierarchy()
    four = train_test_split(digits.data / 16, digits.target, train_size=300, random_state=0)
    minus = {"−hierarchical loss": lambda a, b: -m.hierarchical_loss(a, b, parent=digits.structure)}
    yield page("hierarchy.ipynb", digits.structure, four, {**ACCURACY, **minus}, CLASSES)
    town = notebook("routes", 3)
    four = [np.asarray(town[name]) for name in ("X_train", "X_test", "y_train", "y_test")]
    shown = town["model"].predict(town["X_test"], constraints=town["ends"])
    figures = {name: float(metric(four[3], shown)) for name, metric in ON_ROUTES.items()}
    ends = [{"start": 0, "end": 7}] * len(town["y"])
    yield page("routes.ipynb", s.Routes(8), four, ON_ROUTES, OF_PARTS, page=figures, conditions=ends)
    four = train_test_split(*datasets.load_diabetes_ranking(return_X_y=True), random_state=0)
    yield page("label_ranking.ipynb", s.Permutations(6), four, TAU, OF_RANKINGS)
    four = train_test_split(*datasets.load_digits_ranking(return_X_y=True), random_state=0)
    yield page("README, digits ranking", s.Permutations(10), four, TAU, OF_RANKINGS, has_distribution=False)
    X, y = make_multilabel_classification(n_samples=300, n_classes=8, random_state=0)
    folds = list(KFold(5).split(X))
    yield Task("page: README, label sets", s.LabelSets(8), X, y, folds, HAMMING, OF_SETS, is_standardised=False)


def of_loaders(data: Path | None) -> Iterator[Task]:
    """Yield what the loaders return, a half for training."""
    for name, read, metrics, naive in (
        ("digits, ranking of 10", datasets.load_digits_ranking, TAU, OF_RANKINGS),
        ("diabetes, ranking of 6", datasets.load_diabetes_ranking, TAU, OF_RANKINGS),
        ("digits, sets of 6 labels", datasets.load_digits_attributes, HAMMING, OF_SETS),
        ("digits, leaves of a tree", datasets.load_digits_hierarchy, ACCURACY, CLASSES),
    ):
        data = read()
        splits = list(ShuffleSplit(1, test_size=0.5, random_state=0).split(data.data))
        small = "10" not in name
        yield Task(name, data.structure, data.data, data.target, splits, metrics, naive, has_distribution=small)


def of_examples(data: Path | None) -> Iterator[Task]:
    """Yield the tasks of the examples that predict."""
    words = example("chain_crf")
    X, splits = halves(*(words[name].reshape(300, -1) for name in ("pixels", "test_pixels")))
    y = s.Paths.from_labels(np.concatenate([words["words"], words["test_words"]]), 10)
    labels = partial(s.Paths.to_labels, n_states=10)
    reached = (
        (words["together"] == words["test_words"]).mean(),
        (words["together"] == words["test_words"]).all(1).mean(),
    )
    right = {
        "letters": lambda a, b: (labels(a) == labels(b)).mean(),
        "words": lambda a, b: (labels(a) == labels(b)).all(axis=1).mean(),
    }
    kernel = Nystroem(gamma=0.05, n_components=500, random_state=0)
    readers = {
        "logistic": LogisticRegression(C=0.03, max_iter=1000),
        "kernel logistic": make_pipeline(kernel, LogisticRegression(C=10, max_iter=1000)),
    }
    naive = {f"Viterbi, {name}": partial(viterbi, model=readers[name], states=10) for name in readers}
    yield Task(
        "page: plot_chain_crf", words["chain"], X, y, splits, right, naive, is_standardised=False,
        page=dict(zip(right, reached, strict=True)),
    )  # fmt: skip
    teams = example("cliques")
    four = [teams["X"][500:], teams["X_test"], teams["y"][500:], teams["y_test"]]
    both = {**OF_SETS, "pairs, logistic": parts_and_decoder}
    yield page("plot_cliques", s.Cliques(12), four, F1, both, page={"F1": teams["curves"]["pairs, linear"][-1]})
    wines = example("label_rankers")
    shown = max(float(taus.mean()) for taus, _ in wines["whole"].values())
    yield Task(
        "page: plot_label_rankers", s.Permutations(3), wines["X"], wines["y"], wines["FOLDS"], TAU,
        {**OF_RANKINGS, **POWERSETS}, page={"τ": shown},
    )  # fmt: skip
    sure = example("ranking_probabilities")
    four = [sure[name] for name in ("X_train", "X_test", "y_train", "y_test")]
    shown = max(model.score(sure["X_test"], sure["y_test"]) for model in sure["models"].values())
    yield page(
        "plot_ranking_probabilities",
        s.Permutations(10),
        four,
        TAU,
        OF_RANKINGS,
        page={"τ": shown},
        has_distribution=False,
    )
    ties = example("rankings_with_ties")
    four = [ties[name] for name in ("X_train", "X_test", "y_train", "y_test")]
    yield page(
        "plot_rankings_with_ties",
        s.WeakOrders(3),
        four,
        {"τ_x": m.tau_x},
        POWERSETS,
        page={"τ_x": ties["quality"]["WeakOrders"]},
    )
    city = example("tourist_routes")
    four = [city["X"][:500], city["X"][500:], city["y"][:500], city["y"][500:]]
    shown = {name: float(metric(four[3], city["predicted"])) for name, metric in ON_ROUTES.items()}
    yield page(
        "plot_tourist_routes", s.Routes(12), four, ON_ROUTES, OF_PARTS, page=shown, conditions=city["ends"],
        has_distribution=False,
    )  # fmt: skip
    for name, n, n_test in (("dicycle_policies", 1000, 500), ("structured_svm_cycles", 200, 200)):
        X, y, _ = datasets.make_dicycle_policies(n + n_test, n_features=15, n_places=10, random_state=0)
        four = [X[n_test:], X[:n_test], y[n_test:], y[:n_test]]
        cosine = {"cosine of trips": m.policy_cosine}
        yield page(f"plot_{name}", s.DirectedCycles(10), four, cosine, OF_PARTS, has_distribution=False)
    wishes = example("poset_kernels")
    for told in (2, 8, 28):
        at = wishes["PAIRS_TOLD"].index(told)
        yield Task(
            f"page: plot_poset_kernels, {told} pairs", s.MultiClass(3), wishes["told"](told).astype(float),
            wishes["taste"],
            list(wishes["folds"].split(wishes["taste"], wishes["taste"])), ACCURACY, CLASSES, is_standardised=False,
            page={"accuracy": max(curve[at] for curve in wishes["curves"].values())},
        )  # fmt: skip


# ---- Larger sets -----------------------------------------------------------------------------------------------------


def texts(n: int = 2000, n_tags: int = 30, n_words: int = 1000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return TF-IDF of generated texts and their tags: one to four, the next one often a neighbour of one before."""
    rng = np.random.default_rng(seed)
    popularity = 1.0 / np.arange(1, n_tags + 1) ** 0.7
    about = rng.dirichlet(np.full(n_words, 0.02), size=n_tags)
    common = rng.dirichlet(np.full(n_words, 0.3))
    tags, counts = np.zeros((n, n_tags), dtype=int), np.empty((n, n_words))
    for row, words in zip(tags, counts, strict=True):
        for _ in range(rng.choice([1, 2, 3, 4], p=[0.4, 0.3, 0.2, 0.1])):
            near = rng.choice(np.flatnonzero(row)) if row.any() else -1
            follow = near >= 0 and rng.random() < 0.6
            row[(near + 1) % n_tags if follow else rng.choice(n_tags, p=popularity / popularity.sum())] = 1
        words[:] = rng.multinomial(rng.poisson(40) + 5, 0.65 * common + 0.35 * about[row == 1].mean(axis=0))
    return TfidfTransformer().fit_transform(counts).toarray(), tags


def nodes_of_a_tree(n_nodes: int, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return features, and nodes of any depth: those near in the tree are near in the space of 20 features."""
    rng, parent = np.random.default_rng(seed), tree(n_nodes)
    centre = np.zeros((n_nodes, 20))
    for node in range(1, n_nodes):
        centre[node] = centre[parent[node]] + rng.standard_normal(20) * 0.6
    y = rng.integers(n_nodes, size=n)
    return centre[y] + 0.6 * rng.standard_normal((n, 20)), y


def of_hierarchies(data: Path | None) -> Iterator[Task]:
    """Yield trees in which every node may be the answer."""
    for n_nodes, n in ((40, 1000), (121, 1500), (400, 3000)):
        X, y = nodes_of_a_tree(n_nodes, n)
        splits = list(ShuffleSplit(1, test_size=0.3, random_state=0).split(X))
        naive = {**CLASSES, "nodes, logistic": parts_and_decoder}
        structure = s.Hierarchy(tree(n_nodes))
        yield Task(f"tree of {n_nodes} nodes", structure, X, y, splits, ACCURACY, naive, has_distribution=n_nodes < 400)
    for name in listed(data, HIERARCHIES) if data else ():
        X, codes, nodes = load_hierarchy(data, name)
        X_test, codes_test, _ = load_hierarchy(data, name, "Test")
        (X, splits), (y, _) = halves(X, X_test), halves(codes, codes_test)
        rows = np.random.default_rng(0).permutation(splits[0][0])[:1500]
        yield Task(name, s.Hierarchy(tree_of(nodes)), X, y, [(rows, splits[0][1])], ACCURACY, CLASSES)


def of_cities(data: Path | None) -> Iterator[Task]:
    """Yield the cities of the folder, trips of three places or more, by five folds."""
    known = {
        "Osak": {"F1": ".745", "pairs-F1": ".511", "inner F1": ".367"},
        "Edin": {"F1": ".701", "pairs-F1": ".444", "inner F1": ".331"},
    }
    for name in listed(data, TRIPS) if data else ():
        city = load_city(data, name)
        n = len(city.distance)
        y = np.full((len(city.trips), n), -1)
        for row, trip in zip(y, city.trips, strict=True):
            row[: len(trip)] = trip
        start, end, length = city.queries
        X = np.column_stack([np.eye(n)[start], np.eye(n)[end], np.log(length), np.exp(-city.distance)[start]])
        told = [{"start": int(a), "end": int(b), "length": int(k)} for a, b, k in zip(start, end, length, strict=True)]
        folds = KFold(5, shuffle=True, random_state=0).split(y)
        splits = [(train, np.intersect1d(test, city.scored)) for train, test in folds]
        yield Task(
            f"routes, {name}", s.Routes(n), X, y, splits, {**ON_ROUTES, "inner F1": inner_f1}, OF_PARTS,
            published=known.get(name, {}), conditions=told, has_distribution=False, is_standardised=False,
        )  # fmt: skip


def of_sets(data: Path | None) -> Iterator[Task]:
    """Yield label sets, grades and rankings of the folder."""
    known = {"yeast": {"Hamming score": ".810", "F1": ".655"}}
    for name in listed(data, LABEL_SETS) if data else ():
        X, X_test, y, y_test = (
            part for k in (0, 1) for part in (label_sets(data, name, p)[k] for p in ("train", "test"))
        )
        (X, splits), (y, _) = halves(X, X_test), halves(y, y_test)
        metrics = {**SUBSET, **F1, **HAMMING}
        yield Task(name, s.LabelSets(y.shape[1]), X, y, splits, metrics, OF_SETS, published=known.get(name, {}))
    for name in listed(data, GRADES) if data else ():
        X, y = grades(data, name)
        folds = list(KFold(5, shuffle=True, random_state=0).split(X))
        error = {"−absolute error": m.neg_absolute_error}
        yield Task(name, s.Ordinal(int(y.max()) + 1), X, y, folds, error, OF_GRADES)
    for name in listed(data, RANKINGS) if data else ():
        X, y = rankings(data, name)
        folds = list(KFold(5, shuffle=True, random_state=0).split(X))
        published = {"τ": f"{PUBLISHED[name]:.3f}".lstrip("0")} if name in PUBLISHED else {}
        yield Task(name, s.Permutations(y.shape[1]), X, y, folds, TAU, OF_RANKINGS, published=published)


def of_texts(data: Path | None) -> Iterator[Task]:
    """Yield the generated texts."""
    X, y = texts()
    splits = list(ShuffleSplit(1, test_size=0.4, random_state=0).split(X))
    metrics = {**SUBSET, **F1, **MACRO, **HAMMING}
    yield Task("texts of 30 tags", s.LabelSets(30), X, y, splits, metrics, OF_TEXTS, is_standardised=False)


PARTS: dict[str, Callable[[Path | None], Iterator[Task]]] = {
    "notebooks": of_notebooks, "loaders": of_loaders, "examples": of_examples,
    "hierarchies": of_hierarchies, "texts": of_texts, "sets": of_sets, "cities": of_cities,
}  # fmt: skip


def main() -> None:
    """Print the table and its means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--only", nargs="*", help="names of sets")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-hindsight", action="store_true")
    args = parser.parse_args()
    tasks = (task for part in args.parts for task in PARTS[part](args.data))
    chosen = (task for task in tasks if not args.only or task.name in args.only)
    print("| " + " | ".join(("data", "rows", "metric", *ONE_CALL, "best in hindsight", "naive", "published")) + " |")
    print("| --- " * (6 + len(ONE_CALL)) + "|")
    gaps: list[dict[str, float]] = []
    run = Parallel(args.jobs, return_as="generator")
    for lines, each_gap in run(delayed(measured)(task.limited(args.rows), not args.no_hindsight) for task in chosen):
        print("\n".join(lines), flush=True)
        gaps += each_gap
    behind = sum(gap["naive"] > 0 for gap in gaps)
    print(
        f"\nThe better call is behind the naive baseline in {behind} of {len(gaps)} rows, and behind the best in "
        f"hindsight by {np.mean([gap['hindsight'] for gap in gaps]):.4f} on average."
    )


if __name__ == "__main__":
    main()
