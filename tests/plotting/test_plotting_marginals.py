"""MarginalsDisplay: what is drawn is what enumeration gives, in cells, names and order."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import CapabilityError, ProbabilisticStructured, StructuredRidge, structures
from combpred.plotting import MarginalsDisplay
from combpred.plotting._marginals import expected_ranks
from combpred.plotting._reliability import events
from combpred.structures import Permutations, Structure, WeakOrders, structure_classes

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

LABELS = np.arange(4)
EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
ARCS = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
SMALL: dict[str, Structure] = {
    "Assignments": structures.Assignments(4),
    "Cliques": structures.Cliques(4),
    "Custom": structures.Custom.from_structures(["a", "b"], [[1.0], [0.0]]),
    "Cycles": structures.Cycles(4),
    "DirectedCycles": structures.DirectedCycles(4),
    "Graphs": structures.Graphs(4, edges=EDGES),
    "Hierarchy": structures.Hierarchy([-1, 0, 0, 1]),
    "LabelSets": structures.LabelSets(4),
    "MultiClass": structures.MultiClass(3),
    "Ordinal": structures.Ordinal(4),
    "PartialOrders": structures.PartialOrders(4),
    "Paths": structures.Paths(ARCS, 0, 3),
    "Permutations": structures.Permutations(4),
    "PosetElements": structures.PosetElements(np.tril(np.ones((3, 3), dtype=bool))),
    "Routes": structures.Routes(4),
    "SpanningTrees": structures.SpanningTrees(4, EDGES),
    "Subtrees": structures.Subtrees([-1, 0, 0, 1]),
    "Tournaments": structures.Tournaments(4),
    "WeakOrders": structures.WeakOrders(4),
}


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    yield
    plt.close("all")


def before(y: Any) -> np.ndarray:
    """Which label of a ranking stands before which."""
    return y[:, None] < y[None, :]


def result_of_pairs(y: Any) -> np.ndarray:
    matrix = np.zeros((4, 4))
    matrix[np.triu_indices(4, 1)] = y
    return (matrix - matrix.T) > 0


def followed(y: Any, *, closed: bool) -> np.ndarray:
    matrix = np.zeros((4, 4))
    stops = [v for v in y if v >= 0]
    for u, v in zip(stops, [*stops[1:], stops[0]] if closed else stops[1:], strict=closed):
        matrix[u, v] = 1
    return matrix


def route(y: Any) -> np.ndarray:
    stops = [v for v in y if v >= 0]
    matrix = np.zeros((5, 5))
    matrix[:4, :4] = followed(y, closed=False)
    matrix[4, stops[0]] = matrix[stops[-1], 4] = 1
    return matrix


def joined(y: Any) -> np.ndarray:
    matrix = np.zeros((4, 4))
    for taken, (u, v) in zip(y, EDGES, strict=True):
        matrix[u, v] = matrix[v, u] = taken
    return matrix


def travelled(y: Any) -> np.ndarray:
    matrix = np.zeros((4, 4))
    for arc in y:
        if arc >= 0:
            matrix[ARCS[arc]] = 1
    return matrix


# What a cell of the matrix says of an output, written out from the format of y.
CELLS: dict[str, Callable[[Any], np.ndarray]] = {
    "Assignments": lambda y: y[:, None] == LABELS,
    "Cliques": lambda y: np.outer(y, y) - np.diag(y),
    "Cycles": lambda y: followed(y, closed=True) + followed(y, closed=True).T,
    "DirectedCycles": lambda y: followed(y, closed=True) - followed(y, closed=True).T,
    "Graphs": joined,
    "PartialOrders": lambda y: result_of_pairs(y) - 1.0 * result_of_pairs(y).T,
    "Paths": travelled,
    "Permutations": before,
    "Routes": route,
    "SpanningTrees": joined,
    "Tournaments": result_of_pairs,
    "WeakOrders": before,
}


@pytest.mark.parametrize("name", sorted(CELLS))
def test_cells_are_those_of_enumeration(name: str) -> None:
    structure = SMALL[name]
    scores = np.random.default_rng(0).normal(size=structure.n_features)
    members = list(structure.enumerate())
    psi = structure.embed(members)
    p = np.exp(psi @ scores - structure.log_partition(scores))
    expected = sum(share * np.asarray(CELLS[name](y), dtype=float) for share, y in zip(p, members, strict=True))
    drawn = MarginalsDisplay.from_marginals(structure, structure.marginals(scores)).matrix
    empty = np.isnan(drawn)
    np.testing.assert_allclose(drawn[~empty], expected[~empty], atol=1e-12)
    assert (expected[empty] == 0).all()
    assert not empty.all() and (empty.sum() <= 4 or name in ("Graphs", "SpanningTrees", "Paths", "Routes"))


@pytest.mark.parametrize("name", sorted(SMALL))
def test_every_structure_has_a_matrix_or_says_what_else(name: str) -> None:
    assert set(SMALL) == {cls.__name__ for cls in structure_classes().values()}
    structure = SMALL[name]
    if name in CELLS:
        assert MarginalsDisplay.from_marginals(structure, structure.mean()).matrix.ndim == 2
    else:
        with pytest.raises(CapabilityError):
            MarginalsDisplay.from_marginals(structure, structure.mean())
        bars = plt.subplots()[1].barh(structure.feature_names(), structure.mean())  # as the message says
        assert [bar.get_width() for bar in bars] == structure.mean().tolist()


@pytest.mark.parametrize("name", sorted(SMALL))
def test_events_are_zero_or_one_of_every_output(name: str) -> None:
    structure = SMALL[name]
    psi = structure.embed(list(structure.enumerate()))
    if name in ("Custom", "DirectedCycles", "PartialOrders", "Tournaments"):
        with pytest.raises(CapabilityError):
            events(structure, psi)
        return
    happened, names = events(structure, psi)
    assert happened.shape == (len(psi), len(names))
    assert set(np.unique(happened)) == {0.0, 1.0}
    assert ((happened.min(axis=0) == 0) & (happened.max(axis=0) == 1)).all()  # none holds always, or never
    kept = [i for i, each in enumerate(structure.feature_names()) if each in names]
    assert np.ptp(np.delete(psi, kept, axis=1), axis=0).sum() == 0  # and no other is left out


def test_data_drawn_are_the_data_given() -> None:
    matrix = np.array([[np.nan, 0.9, 0.25], [0.1, np.nan, 0.5], [0.75, 0.5, np.nan]])
    display = MarginalsDisplay(matrix, row_labels="abc", column_labels=["x", "y", "longer"], quantity="share")
    assert display.plot() is display
    np.testing.assert_array_equal(np.ma.filled(display.im_.get_array(), np.nan), matrix)
    assert display.im_.get_clim() == (0.0, 1.0)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["a", "b", "c"]
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["x", "y", "longer"]
    assert display.colorbar_.ax.get_ylabel() == "share"
    texts = [[None if cell is None else cell.get_text() for cell in row] for row in display.text_]
    assert texts == [[None, "0.90", "0.25"], ["0.10", None, "0.50"], ["0.75", "0.50", None]]
    assert display.figure_ is display.ax_.figure


def test_text_is_read_on_any_colour() -> None:
    display = MarginalsDisplay([[0.0, 0.5, 1.0]], kind="probability").plot()
    assert [cell.get_color() for cell in display.text_[0]] == ["black", "black", "white"]


def test_axes_given_are_drawn_into() -> None:
    figure, (left, right) = plt.subplots(1, 2)
    display = MarginalsDisplay([[0.5]]).plot(ax=right, colorbar=False, include_values=False, im_kw={"alpha": 0.5})
    assert display.ax_ is right and display.figure_ is figure and not left.has_data()
    assert display.text_ is None and display.colorbar_ is None and display.im_.get_alpha() == 0.5
    again = MarginalsDisplay.from_marginals(Permutations(2), [0.5], ax=left, values_format=".1f", text_kw={"size": 20})
    assert again.ax_ is left and plt.get_fignums() == [figure.number]
    assert again.text_[0, 1].get_text() == "0.8" and again.text_[0, 1].get_fontsize() == 20


def test_values_are_written_up_to_a_size() -> None:
    assert MarginalsDisplay(np.zeros((16, 2))).plot().text_ is not None
    assert MarginalsDisplay(np.zeros((17, 2))).plot().text_ is None
    assert MarginalsDisplay(np.zeros((17, 2))).plot(include_values=True).text_ is not None


@pytest.mark.parametrize(
    "structure", [SMALL[n] for n in ("Permutations", "WeakOrders", "PartialOrders", "Tournaments")]
)
def test_sorted_by_expected_rank(structure: Structure) -> None:
    scores = np.random.default_rng(3).normal(size=structure.n_features)
    members = list(structure.enumerate())
    p = np.exp(structure.embed(members) @ scores - structure.log_partition(scores))
    signs = structure.embed(members)[:, :6]
    first = np.zeros((len(members), 4, 4))
    u, v = np.triu_indices(4, 1)
    first[:, u, v] = signs
    first -= first.transpose(0, 2, 1)
    ranks = p @ (1 + ((first < 0) + 0.5 * (first == 0)).sum(axis=2) - 0.5)  # a label is not tied with itself
    plain = MarginalsDisplay.from_marginals(structure, structure.marginals(scores))
    np.testing.assert_allclose(expected_ranks(plain.matrix, plain.kind), ranks, atol=1e-10)
    display = MarginalsDisplay.from_marginals(structure, structure.marginals(scores), labels="abcd", order="rank")
    assert display.row_labels == display.column_labels == tuple("abcd"[i] for i in np.argsort(ranks))
    by_hand = MarginalsDisplay.from_marginals(structure, structure.marginals(scores), order=np.argsort(ranks))
    np.testing.assert_array_equal(by_hand.matrix, display.matrix)


def test_places_are_permuted_before_the_starts_and_ends() -> None:
    structure = SMALL["Routes"]
    marginals = structure.marginals(np.random.default_rng(0).normal(size=structure.n_features))
    plain = MarginalsDisplay.from_marginals(structure, marginals, labels="abcd")
    other = MarginalsDisplay.from_marginals(structure, marginals, labels="abcd", order=[3, 1, 0, 2])
    assert plain.row_labels == (*"abcd", "start") and plain.column_labels == (*"abcd", "end")
    assert other.row_labels == ("d", "b", "a", "c", "start")
    at = [3, 1, 0, 2, 4]
    np.testing.assert_array_equal(other.matrix, plain.matrix[np.ix_(at, at)])


NAMED: dict[str, Structure] = {
    "Cliques": structures.Cliques(vertices=["a", "b", "c"]),
    "Cycles": structures.Cycles(vertices=["a", "b", "c", "d"]),
    "DirectedCycles": structures.DirectedCycles(vertices=["a", "b", "c"]),
    "Graphs": structures.Graphs(vertices=["a", "b", "c"]),
    "PartialOrders": structures.PartialOrders(items=["a", "b", "c"]),
    "Paths": structures.Paths([("a", "b"), ("a", "c"), ("b", "c")], "a", "c", vertices=["a", "b", "c", "d"]),
    "Permutations": structures.Permutations(labels=["a", "b", "c"]),
    "Routes": structures.Routes(places=["a", "b", "c"]),
    "SpanningTrees": structures.SpanningTrees(vertices=["a", "b", "c"]),
    "Tournaments": structures.Tournaments(items=["a", "b", "c"]),
    "WeakOrders": structures.WeakOrders(labels=["a", "b", "c"]),
}


@pytest.mark.parametrize("name", NAMED)
def test_rows_and_columns_have_the_names_of_the_structure(name: str) -> None:
    structure = NAMED[name]
    display = MarginalsDisplay.from_marginals(structure, structure.mean())
    n = 4 if name in ("Cycles", "Paths") else 3
    assert "".join(display.row_labels[:n]) == "".join(display.column_labels[:n]) == "abcd"[:n]
    assert set(display.row_labels[n:]) <= {"start"} and set(display.column_labels[n:]) <= {"end"}


def test_items_and_columns_of_assignments_have_their_own_names() -> None:
    structure = structures.Assignments(items=["ann", "bob"], columns=["north", "south"])
    marginals = structure.marginals([1.0, 0.0, 0.0, 1.0])
    display = MarginalsDisplay.from_marginals(structure, marginals)
    assert display.row_labels == ("ann", "bob") and display.column_labels == ("north", "south")
    columns = structures.Assignments(2, columns=["north", "south"])
    display = MarginalsDisplay.from_marginals(columns, marginals)
    assert display.row_labels == ("item 0", "item 1") and display.column_labels == ("north", "south")
    renamed = MarginalsDisplay.from_marginals(columns, marginals, labels="ab")
    assert renamed.row_labels == ("a", "b") and renamed.column_labels == ("north", "south")


def test_names_come_from_training_and_may_be_replaced() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = data()
    frame = pandas.DataFrame(y, columns=[f"dish {i}" for i in range(y.shape[1])])
    ranker = ProbabilisticStructured("permutations").fit(X, frame)
    display = MarginalsDisplay.from_estimator(ranker, X[:1], order="rank")
    plain = MarginalsDisplay.from_estimator(ranker, X[:1])
    ranks = expected_ranks(plain.matrix, plain.kind)
    assert display.row_labels == tuple(f"dish {i}" for i in np.argsort(ranks, kind="stable"))
    other = "abcdefgh"[: y.shape[1]]
    assert MarginalsDisplay.from_estimator(ranker, X[:1], labels=other).row_labels == tuple(other)


def data() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(40, 3))
    return X, np.argsort(np.argsort(X, axis=1), axis=1) + 1


def test_from_estimator_draws_what_it_predicts() -> None:
    X, y = data()
    model = ProbabilisticStructured(Permutations()).fit(X, y)
    m = model.predict_marginals(X[[3]])[0]
    display = MarginalsDisplay.from_estimator(model, X[[3]])
    np.testing.assert_allclose(display.matrix[np.triu_indices(3, 1)], (1 + m) / 2)
    np.testing.assert_allclose(display.matrix[np.tril_indices(3, -1)], 1 - display.matrix.T[np.tril_indices(3, -1)])


def test_pipelines_and_searches_are_opened() -> None:
    X, y = data()
    pipeline = make_pipeline(StandardScaler(), ProbabilisticStructured(Permutations()))
    search = GridSearchCV(pipeline, {"probabilisticstructured__alpha": [0.1, 1.0]}, cv=2).fit(X, y)
    best = search.best_estimator_
    expected = best[-1].predict_marginals(best[0].transform(X[:1]))[0]
    display = MarginalsDisplay.from_estimator(search, X[:1])
    np.testing.assert_allclose(display.matrix[np.triu_indices(3, 1)], (1 + expected) / 2)


def test_refusals() -> None:
    X, y = data()
    rankings = Permutations(3)
    model = ProbabilisticStructured(rankings).fit(X, y)
    with pytest.raises(ValueError):
        MarginalsDisplay.from_estimator(model, X[:2])
    with pytest.raises(NotFittedError):
        MarginalsDisplay.from_estimator(ProbabilisticStructured(rankings), X[:1])
    with pytest.raises(AttributeError):
        MarginalsDisplay.from_estimator(StructuredRidge(rankings).fit(X, y), X[:1])
    with pytest.raises(AttributeError):
        MarginalsDisplay.from_marginals("permutations", [0, 0, 0])  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        MarginalsDisplay.from_marginals(rankings, [0, 0])
    with pytest.raises(ValueError):
        MarginalsDisplay.from_marginals(rankings, np.zeros((2, 3)))
    for bad in (1.5, -1.5, math.nan):
        with pytest.raises(ValueError) as caught:
            MarginalsDisplay.from_marginals(rankings, [0, bad, 0])
        assert caught.value.row == 0
    with pytest.raises(ValueError) as caught:
        MarginalsDisplay.from_marginals(structures.Cliques(3), [0, -0.5, 0])
    assert caught.value.row == 0
    with pytest.raises(ValueError):
        MarginalsDisplay.from_marginals(rankings, [0, 0, 0], labels="ab")
    with pytest.raises(ValueError):
        MarginalsDisplay.from_marginals(rankings, [0, 0, 0], order="score")
    for order in ([0, 1], [0, 1, 1], [[0, 1, 2]]):
        with pytest.raises(ValueError):
            MarginalsDisplay.from_marginals(rankings, [0, 0, 0], order=order)
    with pytest.raises(ValueError):
        MarginalsDisplay.from_marginals(structures.Cliques(3), [0, 0, 0], order="rank")
    with pytest.raises(ValueError):
        MarginalsDisplay.from_marginals(structures.Assignments(2), [1, 0, 0, 1], order=[1, 0])
    with pytest.raises(CapabilityError):
        tied = structures.Paths(ARCS, 0, 3, tied=[0, 0, 1, 1, 1])
        MarginalsDisplay.from_marginals(tied, [1.0, 0.5])
    with pytest.raises(ValueError):
        MarginalsDisplay([0.5])
    with pytest.raises(ValueError):
        MarginalsDisplay([[0.5]], kind="sure")
    with pytest.raises(ValueError):
        MarginalsDisplay([[0.5]], row_labels="ab")
    assert plt.get_fignums() == []  # refused before anything is drawn


def test_without_matplotlib_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return load(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    display = MarginalsDisplay([[0.5]])  # holding data needs no matplotlib
    with pytest.raises(ImportError, match=r"MarginalsDisplay\.plot requires matplotlib.*combpred\[plot\]"):
        display.plot()
    with pytest.raises(ImportError):
        MarginalsDisplay.from_marginals(WeakOrders(2), [0.0, 0.5])


def test_package_loads_matplotlib_late(run_python: Callable[..., Any]) -> None:
    script = "import sys, combpred; combpred.plotting.MarginalsDisplay([[0.5]]); print('matplotlib' in sys.modules)"
    assert run_python(script).stdout == "False\n"
