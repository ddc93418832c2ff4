"""Exceptions of combpred. All derive from what callers already catch: ValueError, RuntimeError, LinAlgError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import Self


class DataError(Exception):
    """An error that may be about one row of the data.

    Parameters
    ----------
    reason : str
        What is wrong.
    row : int or None, default=None
        The number of the row, counted from 0; None where no row is to blame, or it is not known.
    argument : str or None, default=None
        The argument whose row it is, where the message is to name it.

    Attributes
    ----------
    block : int or None
        The number of the user's block in which `row` is counted; None where rows are counted among all.
    """

    def __init__(self, reason: str, row: int | None = None, *, argument: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.row = row
        self.block: int | None = None
        self.argument = argument
        self.args = self._arguments()

    def _arguments(self) -> tuple[Any, ...]:
        """Return what the constructor was given, from which an exception is shown, copied and pickled."""
        return (self.reason,) if self.row is None else (self.reason, self.row)

    def __str__(self) -> str:
        block = "" if self.block is None else f"block {self.block}: "
        if self.row is None:
            return f"{block}{self.reason}"
        argument = f"{self.argument}, " if self.argument else ""
        return f"{block}{argument}row {self.row}: {self.reason}"

    def at(self, row: int, block: int | None = None) -> Self:
        """Return the same error about the row of another number, with its cause, traceback and notes.

        `block` is the number of the user's block in which `row` is counted, if it is.
        """
        moved = type(self).__new__(type(self))  # copy.copy shares the state where tblib is at work
        moved.__dict__.update(deepcopy(self.__dict__), row=row, block=block)  # with notes of its own
        moved.args = moved._arguments()
        moved.__cause__, moved.__context__ = self.__cause__, self.__context__
        moved.__suppress_context__ = self.__suppress_context__  # which setting the cause has changed
        return moved.with_traceback(self.__traceback__)


class CapabilityError(DataError, ValueError):
    """The structure, at this size, cannot do what is asked.

    The message says what is missing and what can be done instead.
    """


class ForkedProcessError(RuntimeError):
    """The process was forked after combpred had started to compute; its copy of the Go runtime is dead."""


class NumericalError(DataError, np.linalg.LinAlgError):
    """The numbers do not allow the computation: a matrix is not positive definite, or a result overflows."""


class SamplingError(DataError, RuntimeError):
    """An exact sampler was not done within its budget of steps, so that there is no sample.

    The message says how many steps were made and what they tell about how many it takes.
    """


class ApproximationWarning(UserWarning):
    """An approximation is used outside the range in which it is good.

    The message gives the figure that shows it.
    """


class RowError(DataError, ValueError):
    """One row of the data is illegal.

    Parameters
    ----------
    row : int
        The first illegal row, counted from 0.
    reason : str
        What is wrong with it.
    argument : str or None, default=None
        The argument whose row it is, where the message is to name it.
    """

    row: int

    def __init__(self, row: int, reason: str, argument: str | None = None) -> None:
        super().__init__(reason, row, argument=argument)

    def _arguments(self) -> tuple[Any, ...]:
        return (self.row, self.reason) if self.argument is None else (self.row, self.reason, self.argument)


class TargetError(RowError):
    """An illegal row of an argument.

    Parameters
    ----------
    row : int
        The first illegal row, counted from 0.
    reason : str
        What is wrong with the row and what to do about it.
    argument : str or None, default="y"
        Name of the argument.
    """

    def __init__(self, row: int, reason: str, argument: str | None = "y") -> None:
        super().__init__(row, reason, argument)


def in_words_of(name: str, error: ValueError) -> ValueError:
    """Return what the core says against a structure, after the name of the class or function that the user called."""
    return ValueError(f"{name}: {error}") if type(error) is ValueError else error


@contextmanager
def renumbered(rows: NDArray[np.intp] | slice) -> Iterator[None]:
    """Give an error raised within, which counts rows of some selection, the number of its row in the user's data.

    Parameters
    ----------
    rows : ndarray of shape (k,), or slice
        The number of each row of the selection; those of a slice follow one another.
    """
    try:
        yield
    except DataError as error:
        if error.row is None:
            raise
        row = error.row + rows.start if isinstance(rows, slice) else int(rows[error.row])
        raise error.at(row) from error.__cause__


@contextmanager
def naming_row(row: int) -> Iterator[None]:
    """Give an error raised within, about one row of data alone, the number of that row.

    A ValueError that says nothing about rows becomes a RowError. What the structure lacks for any row stays as it is.
    """
    try:
        yield
    except DataError as error:
        if error.row is None and isinstance(error, CapabilityError):
            raise
        raise error.at(row) from error.__cause__
    except ValueError as error:
        raise RowError(row, str(error)) from None
