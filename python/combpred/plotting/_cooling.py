"""CoolingScheduleDisplay: the inverse temperatures at which an annealed estimate draws samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from .._data.checks import counted, float_array, whole_number
from ._displays import axes_of, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class CoolingScheduleDisplay:
    r"""Cooling schedules: the inverse temperatures at which an annealed estimate draws samples.

    They are levels :math:`0 = \beta_0 < \dots < \beta_l = 1` by which scores are multiplied. An annealed estimate of a
    partition function is the product of the ratios :math:`Z(\beta_i) / Z(\beta_{i-1})`,
    :math:`Z(\beta) = \sum_y \exp(\beta \langle s, \psi(y)\rangle)`, each estimated by samples at one level. Where steps
    are long, the distribution changes little with β.

    Parameters
    ----------
    schedules : array-like of shape (n_levels,), or a list of such
        Levels β of one schedule, or of several; from 0 to 1, ascending. A schedule's levels may differ in number from
        those of another.
    names : str or list of str, default=None
        For the legend, one for each schedule.

    Attributes
    ----------
    schedules : list of ndarray
    names : list of str or None
    lines_ : list of matplotlib.lines.Line2D
        One for each schedule.
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure

    See Also
    --------
    TraceDisplay : How well chains at one level mix.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6. D. Štefankovič, S. Vempala and E. Vigoda
    (2009), Adaptive simulated annealing: a near-optimal connection between sampling and counting, *Journal of the ACM*
    56.

    Examples
    --------
    >>> from combpred.plotting import CoolingScheduleDisplay
    >>> display = CoolingScheduleDisplay([[0, 0.25, 0.5, 0.75, 1], [0, 0.2, 1]], names=["uniform", "adaptive"]).plot()
    >>> [line.get_label() for line in display.lines_]
    ['uniform: 4 steps', 'adaptive: 2 steps']
    """

    def __init__(self, schedules: ArrayLike | Sequence[ArrayLike], *, names: str | Sequence[str] | None = None) -> None:
        listed = list(schedules)  # type: ignore[arg-type]  # a number is no schedule
        single = not listed or np.ndim(listed[0]) == 0
        self.schedules = [_levels(each, i) for i, each in enumerate([listed] if single else listed)]
        self.names = None if names is None else [names] if isinstance(names, str) else [str(name) for name in names]
        check_consistent_length(self.schedules, self.names)

    @classmethod
    def from_estimate(
        cls, estimate: Any, row: int = 0, *, name: str | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> CoolingScheduleDisplay:
        r"""Draw the schedule of an estimated partition function.

        Parameters
        ----------
        estimate : LogPartition
            What :func:`combpred.sampling.log_partition` returns for ``method="annealed"``.
        row : int, default=0
            Row of the scores.
        name : str, default=None
            For the legend.
        ax, **kwargs
            As for `plot`; the axes of another display compare the two.

        Returns
        -------
        CoolingScheduleDisplay

        Raises
        ------
        ImportError
            Without matplotlib.
        AttributeError
            If `estimate` is not annealed, and has no schedules.
        ValueError
            For a row that is none.
        """
        schedules = estimate.details.schedules
        return cls([schedules[whole_number(row, "row", 0, len(schedules) - 1)]], names=name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> CoolingScheduleDisplay:
        """Draw the levels of all schedules.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            None: those of a new figure.
        **kwargs
            Passed to :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        CoolingScheduleDisplay
            The display itself.

        Raises
        ------
        ImportError
            Without matplotlib.
        """
        self.ax_, _, self.figure_ = axes_of(self, ax)
        from matplotlib.lines import Line2D

        self.lines_: list[Any] = []
        for i, levels in enumerate(self.schedules):
            name = "" if self.names is None else f"{self.names[i]}: "
            chosen = {"marker": "o", "markersize": 3.5, "label": name + counted(len(levels) - 1, "step")}
            self.lines_ += self.ax_.plot(np.arange(len(levels)), levels, **style(chosen, kwargs, Line2D))
        self.ax_.set(xlabel="level", ylabel="inverse temperature β", ylim=(-0.03, 1.03))
        self.ax_.legend(frameon=False)
        return self


def _levels(schedule: Any, i: int) -> NDArray[np.float64]:
    levels = float_array(schedule, f"schedules, number {i}:")
    if levels.ndim != 1 or len(levels) < 2 or levels[0] != 0 or levels[-1] != 1 or not (np.diff(levels) > 0).all():
        raise ValueError(f"schedules, number {i}: levels must ascend from 0 to 1, got {schedule!r:.80}")
    return levels
