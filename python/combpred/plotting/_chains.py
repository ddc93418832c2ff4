"""Displays of Markov chains: traces of samples, and schedules of annealing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length

from .._data.checks import counted, float_array, whole_number
from ..sampling import autocorrelation, effective_sample_size, split_r_hat
from ._displays import axes_of, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..sampling import Samples

_MOST_LAGS = 100


class TraceDisplay:
    r"""Traces of a quantity along Markov chains of one distribution, and their autocorrelations.

    The legend has the effective sample size and split :math:`\hat R` of the chains taken together.

    It is recommended to make displays of samples by `from_samples`.

    Parameters
    ----------
    value : array-like of shape (n_draws, n_chains) or (n_draws,)
        The quantity, one column for each chain. At least 4 draws; finite.
    name : str, default=None
        For the legend.
    n_lags : int, default=None
        Number of autocorrelations; None: for half of the draws, at most 100.

    Attributes
    ----------
    value : ndarray of shape (n_draws, n_chains)
    name : str or None
    autocorrelation : ndarray of shape (n_chains, n_lags)
        NaN for chains whose draws are all equal.
    effective_sample_size, r_hat : float
        NaN where all draws are equal.
    lines_ : list of matplotlib.lines.Line2D
        The traces.
    autocorrelation_lines_ : list of matplotlib.lines.Line2D
        Empty without the second panel.
    ax_ : matplotlib.axes.Axes
        With the traces.
    autocorrelation_ax_ : matplotlib.axes.Axes or None
        With the autocorrelations.
    figure_ : matplotlib.figure.Figure

    See Also
    --------
    combpred.sampling.effective_sample_size, combpred.sampling.split_r_hat, combpred.sampling.autocorrelation

    Examples
    --------
    >>> import numpy as np
    >>> from combpred.plotting import TraceDisplay
    >>> display = TraceDisplay(np.random.default_rng(0).normal(size=(500, 4)))
    >>> bool(display.effective_sample_size > 1500), bool(display.r_hat < 1.01)
    (True, True)
    """

    def __init__(self, value: ArrayLike, *, name: str | None = None, n_lags: int | None = None) -> None:
        values = float_array(value, "value")
        if values.ndim == 1:
            values = values[:, None]
        values = check_array(values, ensure_min_samples=4, input_name="value")
        lags = min(_MOST_LAGS, len(values) // 2) if n_lags is None else n_lags
        self.value = values
        self.name = name
        self.autocorrelation = np.atleast_2d(autocorrelation(values.T, lags))
        self.effective_sample_size = effective_sample_size(values.T)
        self.r_hat = split_r_hat(values.T)

    @classmethod
    def from_samples(
        cls,
        samples: Samples,
        *,
        rows: Sequence[int] | None = None,
        name: str | None = None,
        n_lags: int | None = None,
        ax: Axes | Sequence[Axes] | None = None,
        **kwargs: Any,
    ) -> TraceDisplay:
        r"""Draw the scores along the chains that made samples.

        Parameters
        ----------
        samples : combpred.sampling.Samples
            Of chains of one distribution: of equal rows of scores, such as ``np.tile(scores, (4, 1))``.
        rows : sequence of int, default=None
            Which rows to take, where not all have the same distribution. None: all.
        name : str, default=None
            For the legend; None: the sampler.
        n_lags : int, default=None
            As for the constructor.
        ax, **kwargs
            As for `plot`.

        Returns
        -------
        TraceDisplay

        Raises
        ------
        ImportError
            Without matplotlib.
        AttributeError
            If `samples` are none.
        ValueError
            For rows that are none, and fewer than 4 samples.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import sampling
        >>> from combpred.plotting import TraceDisplay
        >>> from combpred.structures import Permutations
        >>> scores = np.tile([1.0, 0.5, -0.5], (4, 1))
        >>> drawn = sampling.sample(Permutations(3), scores, 500, sampler="meta", thin=1, random_state=0)
        >>> display = TraceDisplay.from_samples(drawn)
        >>> display.value.shape, display.name, len(display.lines_)
        ((500, 4), 'meta', 4)
        """
        value = samples.value
        if rows is not None:
            value = value[:, [whole_number(row, "rows", 0, value.shape[1] - 1) for row in rows]]
        return cls(value, name=samples.sampler if name is None else name, n_lags=n_lags).plot(ax, **kwargs)

    def plot(self, ax: Axes | Sequence[Axes] | None = None, *, name: str | None = None, **kwargs: Any) -> TraceDisplay:
        """Draw traces and autocorrelations.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or a pair of them, default=None
            A pair: for the traces, and for the autocorrelations; ``(other.ax_, other.autocorrelation_ax_)`` adds to
            another display. One: for the traces alone. None: a pair in a new figure.
        name : str, default=None
            For the legend; None: the display's own.
        **kwargs
            Passed to :meth:`matplotlib.axes.Axes.plot` of the traces.

        Returns
        -------
        TraceDisplay
            The display itself.

        Raises
        ------
        ImportError
            Without matplotlib.
        """
        layout = {"ncols": 2, "width_ratios": (2, 1), "figsize": (10.0, 3.6)}
        self.ax_, self.autocorrelation_ax_, self.figure_ = axes_of(self, ax, **layout)
        from matplotlib.lines import Line2D

        name = self.name if name is None else name
        chains = self.value.shape[1]
        figures = (
            f"{counted(chains, 'chain')} of {len(self.value)} draws: "
            f"ESS {self.effective_sample_size:.0f}, split $\\hat{{R}}$ {self.r_hat:.3f}"
        )
        self.lines_: list[Any] = []
        for chain in range(chains):
            # One colour for all chains of the display: that of the first, which the axes choose.
            chosen: dict[str, Any] = {"linewidth": 0.6, "alpha": 0.6}
            if self.lines_:
                chosen["color"] = self.lines_[0].get_color()
            else:
                chosen["label"] = figures if name is None else f"{name}, {figures}"
            self.lines_ += self.ax_.plot(self.value[:, chain], **style(chosen, kwargs, Line2D))
        self.ax_.set(xlabel="draw", ylabel="score")
        legend = self.ax_.legend(loc="best", frameon=False, fontsize="small")
        for handle in legend.get_lines():
            handle.set(linewidth=2, alpha=1)
        self.autocorrelation_lines_: list[Any] = []
        if self.autocorrelation_ax_ is not None:
            self._draw_autocorrelation(self.autocorrelation_ax_)
        return self

    def _draw_autocorrelation(self, ax: Axes) -> None:
        """Draw the autocorrelations of all chains, and the band in which 95 % of those of independent draws are."""
        colour = self.lines_[0].get_color()
        if not ax.get_lines():
            ax.axhline(0.0, color="0.6", linewidth=0.8)
            bound = 1.96 / np.sqrt(len(self.value))
            ax.axhspan(-bound, bound, color="0.9", zorder=0, linewidth=0)
        for each in self.autocorrelation:
            self.autocorrelation_lines_ += ax.plot(each, color=colour, linewidth=0.9, alpha=0.7)
        ax.set(xlabel="lag", ylabel="autocorrelation")


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
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 6.3. D. Štefankovič, S. Vempala and E. Vigoda
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
