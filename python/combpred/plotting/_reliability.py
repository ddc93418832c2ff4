"""ReliabilityDisplay: predicted probabilities against frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from .._data.checks import choice, float_array, share
from .._data.targets import codes_of
from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError
from ..metrics.calibration import calibration_bins, calibration_error, wilson_interval
from ._displays import axes_of, opened, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DIAGONAL = "calibrated"


class ReliabilityDisplay:
    r"""Reliability diagram: how often events happen, against the probabilities predicted for them.

    What is predicted depends on the structure: the class, each label of a set, each edge or arc, and of rankings, for
    each pair of labels, that one stands before the other. Predictions of all rows and of all these events are taken
    together, or those of one event.

    It is recommended to make displays by `from_estimator` or `from_predictions`.

    Parameters
    ----------
    prob_true : array-like of shape (n_bins,)
        Share of the events in each bin that happened; NaN where `counts` is 0.
    prob_pred : array-like of shape (n_bins,)
        Mean of their predicted probabilities.
    counts : array-like of shape (n_bins,)
        Number of predictions in each bin.
    edges : array-like of shape (n_bins + 1,)
        Where bins begin and end.
    name : str, default=None
        For the legend.

    Attributes
    ----------
    prob_true, prob_pred, counts, edges, name
        As given.
    line_ : matplotlib.lines.Line2D
        The curve.
    errorbar_ : matplotlib.container.ErrorbarContainer or None
        The curve with its confidence intervals; None without.
    bars_ : matplotlib.patches.StepPatch or None
        The counts; None without the second panel.
    ax_ : matplotlib.axes.Axes
        With the curve.
    counts_ax_ : matplotlib.axes.Axes or None
        With the counts.
    figure_ : matplotlib.figure.Figure

    See Also
    --------
    combpred.metrics.expected_calibration_error : The figure in the legend.
    sklearn.calibration.CalibrationDisplay : Of binary classifiers, without intervals.

    Notes
    -----
    Intervals are those of Wilson (1927) for independent events. Events of one row, such as the pairs of one ranking,
    depend on one another, so that intervals of many events taken together are too narrow.

    References
    ----------
    A. Niculescu-Mizil and R. Caruana (2005), Predicting good probabilities with supervised learning, *ICML*.

    Examples
    --------
    >>> from combpred.plotting import ReliabilityDisplay
    >>> display = ReliabilityDisplay([0.0, 0.75], [0.25, 0.75], [2, 4], [0.0, 0.5, 1.0])
    >>> round(display.expected_calibration_error, 3)
    0.083
    """

    def __init__(
        self,
        prob_true: ArrayLike,
        prob_pred: ArrayLike,
        counts: ArrayLike,
        edges: ArrayLike,
        *,
        name: str | None = None,
    ) -> None:
        self.prob_true = float_array(prob_true, "prob_true")
        self.prob_pred = float_array(prob_pred, "prob_pred")
        self.counts = np.asarray(counts, dtype=np.int64)
        self.edges = float_array(edges, "edges")
        self.name = name
        check_consistent_length(self.prob_true, self.prob_pred, self.counts, self.edges[1:])

    @property
    def expected_calibration_error(self) -> float:
        """Mean distance between curve and diagonal, weighted by counts."""
        return calibration_error(self.prob_true, self.prob_pred, self.counts)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        n_bins: int = 10,
        strategy: str = "uniform",
        name: str | None = None,
        ax: Axes | Sequence[Axes] | None = None,
        **kwargs: Any,
    ) -> ReliabilityDisplay:
        """Draw the diagram of predicted probabilities.

        Parameters
        ----------
        y_true : array-like of any shape
            0/1 or booleans: whether the events happened.
        y_prob : array-like of the same shape
            Their predicted probabilities.
        n_bins : int, default=10
            Number of bins.
        strategy : {"uniform", "quantile"}, default="uniform"
            Bins of equal width on [0, 1], or with equally many predictions.
        name : str, default=None
            For the legend.
        ax, **kwargs
            As for `plot`.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError
            For values that are no probabilities, or events other than 0 and 1, naming the place.

        Examples
        --------
        >>> from combpred.plotting import ReliabilityDisplay
        >>> display = ReliabilityDisplay.from_predictions([0, 1, 1, 1], [0.2, 0.2, 0.7, 0.9], n_bins=2)
        >>> display.prob_true.tolist(), display.counts.tolist()
        ([0.5, 1.0], [2, 2])
        """
        bins = calibration_bins(y_true, y_prob, n_bins=n_bins, strategy=strategy)
        return cls(*bins, name=name).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        event: Any = None,
        n_bins: int = 10,
        strategy: str = "uniform",
        name: str | None = None,
        ax: Axes | Sequence[Axes] | None = None,
        **kwargs: Any,
    ) -> ReliabilityDisplay:
        r"""Draw the diagram of what an estimator predicts.

        Parameters
        ----------
        estimator : ProbabilisticStructured, or a classifier of scikit-learn
            Fitted; or a fitted pipeline or search around one. A classifier predicts the class or,
            as :class:`sklearn.multiclass.OneVsRestClassifier` does, each label.
        X : array or CSR of shape (n, n_features)
        y : array of n structures
            Observed; not the rows of training.
        event : str or class label, default=None
            Draw one event: its name among the `feature_names` of the structure, or a class, grade, node or element
            among the `classes_`. None: all of the former, except those that hold always or never, and the first of
            two classes, which tells the same as the second.
        n_bins, strategy, ax, **kwargs
            As for `from_predictions`.
        name : str, default=None
            For the legend; None: the class of the estimator.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        CapabilityError
            Where marginals are no probabilities of events, as those of partial orders and directed cycles.
        ImportError
            Without matplotlib.
        AttributeError
            If the estimator predicts neither marginals nor probabilities.
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For inputs and structures that are not legal, and for events that are none.

        Notes
        -----
        Cost: that of `predict_marginals`.

        Examples
        --------
        >>> from sklearn.model_selection import train_test_split
        >>> from combpred import ProbabilisticStructured
        >>> from combpred.datasets import load_diabetes_ranking
        >>> from combpred.plotting import ReliabilityDisplay
        >>> X, X_test, y, y_test = train_test_split(*load_diabetes_ranking(return_X_y=True), random_state=0)
        >>> ranker = ProbabilisticStructured("permutations", kernel="rbf", gamma="scale").fit(X, y)
        >>> display = ReliabilityDisplay.from_estimator(ranker, X_test, y_test)  # of P(u before v) for all pairs
        >>> int(display.counts.sum()), display.expected_calibration_error < 0.05
        (1665, True)
        """
        model, rows = opened(estimator, X)
        ours = hasattr(model, "predict_marginals") and hasattr(model, "structure_")
        happened, probability, names = (_structure_events if ours else _class_events)(model, rows, y)
        if event is not None:
            if str(event) not in names and np.ndim(y) == 1 and ours and hasattr(model, "classes_"):
                # The events of ψ are "this grade or above": single grades are events, too.
                happened, probability, classes = _class_events(model, rows, y)
                names = classes if str(event) in classes else names + [name for name in classes if name not in names]
            at = names.index(choice(str(event), "event", names))
            happened, probability = happened[:, at], probability[:, at]
        elif len(names) == 2 and names == [str(each) for each in getattr(model, "classes_", ())] and np.ndim(y) == 1:
            happened, probability = happened[:, 1], probability[:, 1]
        return cls.from_predictions(
            happened,
            probability,
            n_bins=n_bins,
            strategy=strategy,
            name=type(model).__name__ if name is None else name,
            ax=ax,
            **kwargs,
        )

    def plot(
        self,
        ax: Axes | Sequence[Axes] | None = None,
        *,
        name: str | None = None,
        confidence: float | None = 0.95,
        ref_line: bool = True,
        **kwargs: Any,
    ) -> ReliabilityDisplay:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or a pair of them, default=None
            A pair: for the curve, and for the counts; ``(other.ax_, other.counts_ax_)`` adds to another display. One:
            for the curve, without counts. None: a pair in a new figure.
        name : str, default=None
            For the legend; None: the display's own.
        confidence : float or None, default=0.95
            Probability that an interval holds the true frequency, in (0, 1); None for no intervals.
        ref_line : bool, default=True
            Whether to draw the diagonal, where there is none yet.
        **kwargs
            Passed to :meth:`matplotlib.axes.Axes.errorbar`.

        Returns
        -------
        ReliabilityDisplay
            The display itself.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError
            When `confidence` is not in (0, 1).
        """
        if confidence is not None:
            share(confidence, "confidence")
        layout = {"nrows": 2, "sharex": True, "height_ratios": (4, 1), "figsize": (5.6, 6.0)}
        self.ax_, self.counts_ax_, self.figure_ = axes_of(self, ax, **layout)
        from matplotlib.colors import to_rgba
        from matplotlib.lines import Line2D

        if ref_line and _DIAGONAL not in self.ax_.get_legend_handles_labels()[1]:
            self.ax_.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1, label=_DIAGONAL)
        name = self.name if name is None else name
        error = f"ECE {self.expected_calibration_error:.3f}"
        chosen = {"marker": "o", "markersize": 4, "capsize": 2, "label": error if name is None else f"{name}: {error}"}
        filled = self.counts > 0
        x, y = self.prob_pred[filled], self.prob_true[filled]
        reach = None
        if confidence is not None:
            low, high = wilson_interval(y, self.counts[filled], confidence)
            reach = np.maximum([y - low, high - y], 0.0)  # below 0 by rounding only
        drawn = self.ax_.errorbar(x, y, yerr=reach, **style(chosen, kwargs, Line2D))
        self.line_, self.errorbar_ = drawn.lines[0], None if confidence is None else drawn
        self.ax_.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="observed frequency")
        self.ax_.legend(loc="upper left", frameon=False)
        (self.counts_ax_ or self.ax_).set_xlabel("predicted probability")
        self.bars_: Any = None
        if self.counts_ax_ is not None:
            colour = self.line_.get_color()
            self.bars_ = self.counts_ax_.stairs(
                self.counts, self.edges, fill=True, facecolor=to_rgba(colour, 0.15), edgecolor=colour, linewidth=1.0
            )
            self.counts_ax_.set(ylabel="predictions", ylim=(0, None))
        return self


def _structure_events(model: Any, X: Any, y: Any) -> tuple[Any, Any, list[str]]:
    """Return which events happened, with which probability they were predicted, and their names."""
    structure = model.structure_
    marginals = np.asarray(model.predict_marginals(X))
    probability, names = events(structure, marginals)
    happened, _ = events(structure, structure.embed(y))
    check_consistent_length(happened, probability)
    return happened, np.clip(probability, 0.0, 1.0), names


def _class_events(model: Any, X: Any, y: Any) -> tuple[Any, Any, list[str]]:
    """Return the same for a classifier of scikit-learn."""
    probability, classes = np.asarray(model.predict_proba(X)), model.classes_
    if np.ndim(y) == 1:
        happened = codes_of(y, classes.tolist(), "y", "classes")[:, None] == np.arange(len(classes))
    else:
        happened = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
    check_consistent_length(happened, probability)
    if happened.shape != probability.shape:
        raise ValueError(f"y has shape {np.shape(y)}, but the predicted probabilities have {probability.shape}")
    return happened, probability, [str(label) for label in classes.tolist()]


def events(structure: Any, psi: FloatArray) -> tuple[FloatArray, list[str]]:
    r"""Return events that :math:`\psi` tells of, and their names.

    For :math:`E\psi` these are probabilities; for :math:`\psi(y)`, they are 1 where the event holds of y and 0 where
    not. Events that hold of all outputs or of none are left out.

    Parameters
    ----------
    structure : Structure
    psi : ndarray of shape (n, d)

    Returns
    -------
    events : ndarray of shape (n, m)
    names : list of m str

    Raises
    ------
    CapabilityError
        Where entries of :math:`E\psi` are no probabilities.
    """
    names = [str(name) for name in structure.feature_names()]
    if structure.space.has_indicators:
        mean = structure.mean()
        open_ = (mean > 0) & (mean < 1)
        return psi[:, open_], [name for name, kept in zip(names, open_, strict=True) if kept]
    if structure.space.entry_kind not in ("signs", "signs and ties"):
        remedy = "count events in samples of the model, and pass their shares to from_predictions"
        raise CapabilityError(f"the marginals of {structure!r} are no probabilities of events: {remedy}")
    before = structure.pair_probabilities(psi)[0]
    return np.concatenate([before, psi[:, before.shape[1] :]], axis=1), names  # ties are indicators
