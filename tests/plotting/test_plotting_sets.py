"""StructuredSetDisplay: what is drawn is what the mask says."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

from combpred import ConformalStructured, structures
from combpred.plotting import StructuredSetDisplay
from given_models import Given, drawn

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def a_set(structure: Any) -> Any:
    """Return one with several outputs, but not all."""
    X, y = drawn(structure, 60, scale=2.0)
    model = ConformalStructured(Given(structure), alpha=0.3).fit(X, y)
    model.thresholds_["all"] = 0.15
    return next(each for each in model.predict_set(X) if 0.1 < each.log_size < np.log(structure.count()) - 0.1)


@pytest.mark.parametrize("structure", [structures.Permutations(labels=["tea", "rum", "gin"]), structures.WeakOrders(3)])
def test_orders_are_matrices(structure: Any) -> None:
    each = a_set(structure)
    display = StructuredSetDisplay.from_set(each)
    may = each.mask if each.mask.ndim == 2 else each.mask[0]
    order = np.argsort(-may.sum(axis=1), kind="stable")
    may = may[np.ix_(order, order)]
    values = np.asarray(display.artists_[0].get_array())
    np.testing.assert_array_equal(values > 0, may)
    np.testing.assert_array_equal(values == 2, may & ~may.T)
    shown = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert shown == [str(name) for name in each.names()[order]]


def test_assignments_are_matrices() -> None:
    each = a_set(structures.Assignments(3))
    values = np.asarray(StructuredSetDisplay.from_set(each).artists_[0].get_array())
    np.testing.assert_array_equal(values.ravel(), each.mask + 1)


@pytest.mark.parametrize("structure", [structures.LabelSets(labels=["sun", "rain", "fog"]), structures.MultiClass(4)])
def test_labels_and_classes_are_points(structure: Any) -> None:
    each = a_set(structure)
    display = StructuredSetDisplay.from_set(each)
    at = np.asarray(display.artists_[0].get_offsets())
    assert at.tolist() == [[each.mask[i], i] for i in np.flatnonzero(each.mask >= 0)]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == [str(name) for name in each.names()]


@pytest.mark.parametrize(
    "structure",
    [
        structures.Routes(4),
        structures.SpanningTrees(4),
        structures.Cycles(5),
        structures.Paths([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], 0, 3),
    ],
)
def test_the_graph_has_the_arcs_that_are_not_out(structure: Any) -> None:
    figure, ax = plt.subplots()
    each = a_set(structure)
    display = StructuredSetDisplay(each).plot(ax)
    assert display.ax_ is ax and display.figure_ is figure
    assert len(display.artists_) == (each.mask >= 0).sum()
    thick = [one.arrow_patch.get_linewidth() == 3 for one in display.artists_]
    assert thick == (each.mask[each.mask >= 0] == 1).tolist()
    figure.canvas.draw()


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    display, load = StructuredSetDisplay(a_set(structures.LabelSets(3))), builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError):
        display.plot()
