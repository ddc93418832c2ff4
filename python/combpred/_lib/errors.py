"""Exceptions of combpred. All derive from what callers already catch: ValueError, RuntimeError, LinAlgError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray


class CapabilityError(ValueError):
    """The structure, at this size, cannot do what is asked.

    The message says what is missing and what can be done instead.
    """


class ForkedProcessError(RuntimeError):
    """The process was forked after combpred had started to compute; its copy of the Go runtime is dead."""


class NumericalError(np.linalg.LinAlgError):
    """The numbers do not allow the computation: a matrix is not positive definite, or a result overflows."""


class SamplingError(RuntimeError):
    """An exact sampler was not done within its budget of steps, so that there is no sample.

    The message says how many steps were made and what they tell about how many it takes.
    """


class ApproximationWarning(UserWarning):
    """An approximation is used outside the range in which it is good.

    The message says the figure that shows it.
    """


class RowError(ValueError):
    """One row of the data is illegal.

    Parameters
    ----------
    row : int
        The first illegal row, counted from 0.
    reason : str
        What is wrong with it.
    """

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(row, reason)  # both, so that the exception can be pickled
        self.row = row
        self.reason = reason

    def __str__(self) -> str:
        return f"row {self.row}: {self.reason}"


@contextmanager
def renumbered(rows: NDArray[np.intp]) -> Iterator[None]:
    """Give a RowError raised within, which counts rows of some selection, the number of its row in the user's data.

    Parameters
    ----------
    rows : ndarray of shape (k,)
        The number of each row of the selection.
    """
    try:
        yield
    except RowError as error:
        raise type(error)(int(rows[error.row]), *error.args[1:]) from error.__cause__
