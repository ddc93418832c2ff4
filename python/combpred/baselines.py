"""Classical learners of structures, to compare others with: they decode while they train.

`StructuredPerceptron` decodes a row and corrects the weights where it was wrong; `StructuredSVM` asks for a margin that
grows with the loss of the wrong output. Both take the structures, decoders and formats of y that
:class:`combpred.StructuredRidge` takes, which needs no decoder in training.
"""

from ._models.perceptron import StructuredPerceptron
from ._models.svm import StructuredSVM

__all__ = ["StructuredPerceptron", "StructuredSVM"]


def __dir__() -> list[str]:
    return __all__
