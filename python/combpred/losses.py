"""Losses that judge the scores of a structure's outputs, and that learners minimise in place of the losses of metrics.

`structured_max_loss` is the loss of the prediction that follows from the scores, `structured_auc_loss` counts the
outputs that score above the right ones; the others bound them. Every function takes scores and truths with one row
per example and returns the (weighted) mean of their losses, or one number per row with ``per_row=True``.
"""

from __future__ import annotations

from ._models.losses import (
    structured_auc_loss,
    structured_exponential_loss,
    structured_hinge_loss,
    structured_log_loss,
    structured_max_loss,
)

__all__ = [
    "structured_auc_loss",
    "structured_exponential_loss",
    "structured_hinge_loss",
    "structured_log_loss",
    "structured_max_loss",
]


def __dir__() -> list[str]:
    return __all__
