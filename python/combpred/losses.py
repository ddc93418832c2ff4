"""Losses that judge the scores of a structure's outputs, and that learners minimise in place of the losses of metrics.

Each bounds the loss of the prediction that follows from the scores. Every function takes scores and truths with one row
per example and returns the (weighted) mean of their losses, or one number per row with ``per_row=True``.
"""

from __future__ import annotations

from ._models.losses import structured_exponential_loss, structured_hinge_loss, structured_log_loss

__all__ = ["structured_exponential_loss", "structured_hinge_loss", "structured_log_loss"]


def __dir__() -> list[str]:
    return __all__
