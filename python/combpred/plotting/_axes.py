"""Where displays draw: given axes, or those of a new figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def single_axes(caller: str, ax: Axes | None) -> Axes:
    """Return the axes given, or those of a new figure."""
    plt = _pyplot(caller)
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def two_panels(caller: str, ax: Axes | Sequence[Axes] | None, **layout: Any) -> tuple[Axes, Axes | None]:
    """Return the main and the side panel of a display.

    Parameters
    ----------
    caller : str
        Who draws, for messages.
    ax : Axes, pair of Axes or None
        A pair: main and side panel. One: the main panel, so that there is no side panel. None: two of a new figure.
    **layout
        How `matplotlib.pyplot.subplots` lays the two out.
    """
    plt = _pyplot(caller)
    main, *side = np.ravel(plt.subplots(**layout, layout="constrained")[1] if ax is None else np.array(ax, object))
    return main, side[0] if side else None


def _pyplot(caller: str) -> Any:
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError(f"{caller} requires matplotlib: pip install 'combpred[plot]'") from error
    return matplotlib.pyplot


def style(defaults: dict[str, Any], given: dict[str, Any] | None, artist: type) -> dict[str, Any]:
    """Return the keywords of an artist: the defaults, overruled by those given, also under their short names."""
    from matplotlib.cbook import normalize_kwargs

    return {**defaults, **normalize_kwargs(given or {}, artist)}
