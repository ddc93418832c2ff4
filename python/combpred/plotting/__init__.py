"""Pictures of probabilities, in scikit-learn's style: displays that hold what they draw.

Every display is made from data, by its constructor, or from what holds the data, by a class method ``from_…`` that
draws at once. ``plot(ax=None)`` draws, into given axes or a new figure, keeps what it drew in attributes that end in
``_``, and returns the display. Matplotlib is loaded when something is drawn, not before; ``pip install
"combpred[plot]"`` brings it.
"""

from ._chains import CoolingScheduleDisplay, TraceDisplay
from ._marginals import MarginalsDisplay
from ._reliability import ReliabilityDisplay
from ._sets import StructuredSetDisplay

__all__ = ["CoolingScheduleDisplay", "MarginalsDisplay", "ReliabilityDisplay", "StructuredSetDisplay", "TraceDisplay"]


def __dir__() -> list[str]:
    return __all__
