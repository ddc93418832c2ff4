"""TraceDisplay and CoolingScheduleDisplay."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from combpred import sampling
from combpred.plotting import CoolingScheduleDisplay, TraceDisplay
from combpred.structures import Permutations

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    yield
    plt.close("all")


def chains() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(300, 3)).cumsum(axis=0) * [1.0, 0.5, 0.1]


def test_traces_drawn_are_the_data_given() -> None:
    x = chains()
    display = TraceDisplay(x, name="walks", n_lags=20)
    assert display.plot(lw=2) is display
    for chain, line in enumerate(display.lines_):
        np.testing.assert_array_equal(line.get_ydata(), x[:, chain])
        assert line.get_linewidth() == 2
    assert len({line.get_color() for line in (*display.lines_, *display.autocorrelation_lines_)}) == 1
    expected = sampling.autocorrelation(x.T, 20)
    np.testing.assert_array_equal([line.get_ydata() for line in display.autocorrelation_lines_], expected)
    assert display.effective_sample_size == sampling.effective_sample_size(x.T)
    assert display.r_hat == sampling.split_r_hat(x.T)
    (text,) = display.ax_.get_legend().get_texts()
    figures = f"ESS {display.effective_sample_size:.0f}, split $\\hat{{R}}$ {display.r_hat:.3f}"
    assert text.get_text() == f"walks, 3 chains of 300 draws: {figures}"
    assert display.figure_ is display.ax_.figure is display.autocorrelation_ax_.figure


def test_traces_are_drawn_into_axes_given() -> None:
    _, ax = plt.subplots()
    alone = TraceDisplay(chains()[:, 0]).plot(ax)
    assert alone.ax_ is ax and alone.autocorrelation_ax_ is None and alone.autocorrelation_lines_ == []
    assert ax.get_legend().get_texts()[0].get_text().startswith("1 chain of 300 draws")
    first = TraceDisplay(chains(), name="a").plot()
    second = TraceDisplay(chains(), name="b").plot((first.ax_, first.autocorrelation_ax_))
    assert second.ax_ is first.ax_ and second.autocorrelation_ax_ is first.autocorrelation_ax_
    assert len(first.ax_.get_lines()) == 6 and len(first.ax_.get_legend().get_texts()) == 2
    assert len(first.autocorrelation_ax_.get_lines()) == 7  # the zero line is drawn once
    assert second.lines_[0].get_color() != first.lines_[0].get_color()


def test_traces_of_samples() -> None:
    scores = np.tile([1.0, 0.0, -1.0], (3, 1))
    drawn = sampling.sample(Permutations(3), scores, 60, sampler="local", random_state=0)
    display = TraceDisplay.from_samples(drawn)
    np.testing.assert_array_equal(display.value, drawn.value)
    assert display.name == "local" and display.autocorrelation.shape == (3, 30)
    two = TraceDisplay.from_samples(drawn, rows=[2, 0], name="two", n_lags=5)
    np.testing.assert_array_equal(two.value, drawn.value[:, [2, 0]])
    assert two.name == "two" and two.autocorrelation.shape == (2, 5)


def test_constant_traces_have_no_figures() -> None:
    display = TraceDisplay(np.ones((10, 2))).plot()
    assert np.isnan(display.effective_sample_size) and np.isnan(display.r_hat)
    assert "ESS nan" in display.ax_.get_legend().get_texts()[0].get_text()


def test_traces_refused() -> None:
    with pytest.raises(ValueError):
        TraceDisplay(np.ones(3))
    with pytest.raises(ValueError):
        TraceDisplay([[0, 0], [0, 0], [0, np.inf], [0, 0]])
    with pytest.raises(ValueError):
        TraceDisplay(np.arange(10), n_lags=11)
    with pytest.raises(AttributeError):
        TraceDisplay.from_samples([1.0, 2.0])  # type: ignore[arg-type]
    drawn = sampling.sample(Permutations(3), [0.0, 0.0, 0.0], 5, random_state=0)
    with pytest.raises(ValueError):
        TraceDisplay.from_samples(drawn, rows=[1])


def test_schedules_drawn_are_the_data_given() -> None:
    schedules = [[0, 0.5, 1], np.linspace(0, 1, 11)]
    display = CoolingScheduleDisplay(schedules, names=["few", "many"])
    assert display.plot(ms=2) is display
    for line, levels in zip(display.lines_, schedules, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), levels)
        np.testing.assert_array_equal(line.get_xdata(), np.arange(len(levels)))
        assert line.get_markersize() == 2
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["few: 2 steps", "many: 10 steps"]


def test_one_schedule_needs_no_list() -> None:
    for given in ([0, 1], np.array([0.0, 1.0]), [[0, 1]]):
        display = CoolingScheduleDisplay(given).plot()
        assert [levels.tolist() for levels in display.schedules] == [[0.0, 1.0]]
        assert display.lines_[0].get_label() == "1 step"
    assert CoolingScheduleDisplay([0, 1], names="one").names == ["one"]


def test_schedules_of_estimates_share_axes() -> None:
    estimate = sampling.log_partition(
        Permutations(4), np.full((2, 6), 0.1) * [[1.0], [9.0]], method="annealed", epsilon=0.9, schedule="uniform"
    )
    assert isinstance(estimate.details, sampling.AnnealingDetails)
    few, many = (len(levels) - 1 for levels in estimate.details.schedules)
    assert 1 < few < many
    first = CoolingScheduleDisplay.from_estimate(estimate)
    second = CoolingScheduleDisplay.from_estimate(estimate, 1, name="row 1", ax=first.ax_)
    np.testing.assert_array_equal(second.schedules[0], estimate.details.schedules[1])
    assert second.ax_ is first.ax_ and len(first.ax_.get_lines()) == 2 and len(plt.get_fignums()) == 1
    labels = [text.get_text() for text in first.ax_.get_legend().get_texts()]
    assert labels == [f"{few} steps", f"row 1: {many} steps"]
    with pytest.raises(ValueError):
        CoolingScheduleDisplay.from_estimate(estimate, 2)
    with pytest.raises(AttributeError):
        CoolingScheduleDisplay.from_estimate({})
    with pytest.raises(AttributeError):
        CoolingScheduleDisplay.from_estimate(sampling.log_partition(Permutations(4), np.zeros(6)))


@pytest.mark.parametrize("bad", [[0.0, 0.5], [0.1, 1.0], [0.0, 0.6, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0], [0, np.nan, 1]])
def test_levels_ascend_from_0_to_1(bad: list[float]) -> None:
    with pytest.raises(ValueError):
        CoolingScheduleDisplay([[0, 1], bad])


def test_schedules_refused() -> None:
    for bad in ([], [1.0], [[]]):
        with pytest.raises(ValueError):
            CoolingScheduleDisplay(bad)
    with pytest.raises(ValueError):
        CoolingScheduleDisplay([0, 1], names=["a", "b"])
