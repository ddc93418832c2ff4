"""What the option --plot draws: the package's displays and scikit-learn's, as panels of one figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .._data.warn import warn_user
from .._lib.errors import CapabilityError
from ..plotting import CoolingScheduleDisplay, MarginalsDisplay, TraceDisplay
from ..sampling import sample
from .error import UsageError, check_destination, needed, require

_MOST = 30  # classes or positions in a matrix
Panel = Callable[[Any], Any]


def check_plot(path: str | None, *others: str | None) -> None:
    """Refuse a path that no plot can be written to, before any work is done, or any without matplotlib."""
    check_destination("--plot", path, *others)
    if path is not None:
        drawing = needed("matplotlib.backend_bases", "plots are drawn by matplotlib", "combpred[plot]")
        kinds = sorted(drawing.FigureCanvasBase.get_supported_filetypes())
        how = f"plots are written as {', '.join(kinds)}; name such a file, such as plot.png"
        require(Path(path).suffix[1:].lower() in kinds, f"--plot: cannot write {path}: {how}")


def draw(path: str, panels: Sequence[Panel], nothing: str) -> None:
    """Write a figure of panels, each of which draws into the axes it gets; those that cannot be drawn are left out.

    Raises
    ------
    UsageError
        Where there is no panel, for the reason given.
    """
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    grid, drawn = figure.add_gridspec(1, max(1, len(panels))), 0
    for panel in panels:
        ax = figure.add_subplot(grid[0, drawn])
        try:
            panel(ax)
            drawn += 1
        except (CapabilityError, ValueError) as error:  # some structures have neither a matrix of marginals nor events
            ax.remove()
            warn_user(f"--plot: one panel is left out: {error}", UserWarning)
    require(drawn, f"--plot: {nothing}")
    grid.set_width_ratios([1] * drawn + [1e-9] * (len(panels) - drawn))
    figure.set_size_inches(4.5 * drawn, 4)
    try:
        figure.savefig(path, dpi=120)
    except (OSError, ValueError) as error:
        raise UsageError(f"--plot: cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def histogram(name: str, values: Any, ax: Any) -> None:
    """Draw the distribution of a metric over rows."""
    ax.hist(values[np.isfinite(values)], bins=20)
    ax.set(xlabel=name, ylabel="rows")


def coverage(name: str, values: Any, confidence: Any, ax: Any) -> None:
    """Draw the mean of a metric over those rows of whose predictions a model is most confident, by their share."""
    ordered = np.asarray(values)[np.argsort(-confidence, kind="stable")]
    count = np.arange(1, len(ordered) + 1)
    ax.plot(count / len(ordered), np.cumsum(ordered) / count)
    ax.set(xlabel="share of rows, the most probable predictions first", ylabel=f"mean {name}")


def confusion(y: Any, predicted: Any, ax: Any) -> None:
    """Draw how often each class, or position in a ranking, was predicted for each."""
    from sklearn.metrics import ConfusionMatrixDisplay

    y, predicted = np.asarray(y), np.asarray(predicted)
    known = y > 0 if y.ndim > 1 else np.ones(len(y), dtype=bool)
    n = len(np.unique(y[known]))
    if n > _MOST:
        raise CapabilityError(f"a matrix of {n} classes is not legible; {_MOST} are")
    ConfusionMatrixDisplay.from_predictions(y[known], predicted[known], ax=ax, colorbar=False, include_values=n <= 10)
    what = "position" if y.ndim > 1 else "class"
    ax.set(xlabel=f"{what} predicted", ylabel=f"true {what}")


def marginals(pipeline: Any, X: Any, probabilities: Any, names: Sequence[str]) -> list[Panel]:
    """Return panels with the marginals of rows whose names are their titles: a matrix, or bars where there is none."""

    def panel(row: int, ax: Any) -> None:
        try:
            MarginalsDisplay.from_estimator(pipeline, X.iloc[[row]], ax=ax, colorbar=False)
        except (CapabilityError, TypeError):
            ax.barh(probabilities.columns[::-1], probabilities.iloc[row, ::-1])
            ax.set_xlim(min(0, probabilities.min(axis=None)), 1)
        ax.set_title(names[row])

    return [partial(panel, row) for row in range(len(names))]


def chains(model: Any, features: Any) -> list[Panel]:
    """Return panels for the first row of a model trained by sampling: traces of chains, and how an estimate cools."""
    if getattr(model, "inference_", "") != "mcmc":
        return []

    def traces(ax: Any) -> None:
        scores, sampler = np.tile(model.feature_scores(features[:1]), (4, 1)), model.sampler.replace("auto", "meta")
        drawn = sample(model.structure_, scores, 500, sampler=sampler, thin=1, random_state=0)
        TraceDisplay.from_samples(drawn, ax=ax)

    def cooling(ax: Any) -> None:
        CoolingScheduleDisplay.from_estimate(model.log_partition(features[:1], method="annealed"), ax=ax)

    return [traces, cooling]
