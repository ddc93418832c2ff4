"""What displays share: axes, styles, and the estimator at the end of a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_of(display: object, ax: Axes | Sequence[Axes] | None, **layout: Any) -> tuple[Axes, Axes | None, Any]:
    """Return the main and the side panel of a display, and their figure.

    Parameters
    ----------
    display : object
        Who draws, for messages.
    ax : Axes, pair of Axes or None
        A pair: main and side panel. One: the main panel, so that there is no side panel. None: those of a new figure.
    **layout
        How `matplotlib.pyplot.subplots` lays these out; without, there is one panel.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"{type(display).__name__}.plot requires matplotlib: pip install 'combpred[plot]'") from error
    main, *side = np.ravel(np.array(plt.subplots(**layout, layout="constrained")[1] if ax is None else ax, object))
    return main, side[0] if side else None, main.figure


def style(defaults: dict[str, Any], given: dict[str, Any] | None, artist: type) -> dict[str, Any]:
    """Return the keywords of an artist: the defaults, overruled by those given, also under their short names."""
    from matplotlib.cbook import normalize_kwargs

    return {**defaults, **normalize_kwargs(given or {}, artist)}


def opened(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return what predicts within searches and pipelines, and X as it reaches it."""
    check_is_fitted(estimator)
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif isinstance(estimator, Pipeline):
            X = estimator[:-1].transform(X) if len(estimator) > 1 else X
            estimator = estimator[-1]
        else:
            return estimator, X
