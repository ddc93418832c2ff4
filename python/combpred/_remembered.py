"""Answers of the core that do not change, kept so that they are asked for once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Remembered(Generic[Answer]):
    """Answers by what was asked about.

    Threads may share it: at worst two of them compute the same answer. Answers are plain values, which hold in a forked
    process as well.

    Parameters
    ----------
    most : int, default=256
        How many answers are kept; one more, and all are forgotten.

    Examples
    --------
    >>> squares = Remembered[int]()
    >>> squares.get(3, lambda: 9)
    9
    >>> squares.get(3, lambda: 1 // 0)  # not computed again
    9
    """

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._answers: dict[Hashable, Answer] = {}

    def get(self, key: Hashable, compute: Callable[[], Answer]) -> Answer:
        """Return the answer for `key`, from `compute` the first time. What that raises is not kept."""
        try:
            return self._answers[key]
        except KeyError:
            pass
        answer = compute()
        if len(self._answers) >= self._most:
            self._answers.clear()
        self._answers[key] = answer
        return answer
