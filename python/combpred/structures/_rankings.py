"""What rankings with and without ties share: positions of labels as outputs, and how tables become positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.converters import read_entries, rows_in
from .._data.inputs import column_names, columns_in_order
from .._data.names import checked_names
from .._data.targets import as_numbers, refuse_entries, target_matrix
from ._base import Sized, Structure, both_in_parts, entries_in, known_items


class Rankings(Structure):
    """Base class of structures whose outputs are positions of labels, of which some may be unknown."""

    _sized = Sized("n_labels", "label", names="labels")
    _columns = "items"

    def __init__(self, n_labels: int | None = None, *, labels: Sequence[Any] | None = None) -> None:
        self.n_labels = n_labels
        self.labels = labels

    def _read_natural(self, rows: list[Any], argument: str) -> NDArray[np.int32]:
        found = entries_in(self, rows, known_items(self), argument)
        return found.matrix(found.place + 1, -1, np.int32)

    _metric_arguments = both_in_parts


def top_k(tops: Any, labels: Sequence[Any] | None, *, empty: int) -> NDArray[np.int32]:
    """Return positions for lists of the first labels, best first, the others sharing the position behind them.

    `empty` is the position of all labels where a list has none.
    """
    found = read_entries(rows_in(tops, "tops"), labels, "tops", "labels")
    ranks = found.matrix(found.place + 1, 0, np.int32)
    behind = np.bincount(found.row, minlength=found.n_rows)[:, np.newaxis] + 1
    return np.where(ranks == 0, np.where(behind == 1, empty, behind), ranks).astype(np.int32)


def ranks_of(ratings: Any, labels: Any) -> tuple[NDArray[np.int32], Any]:
    """Return dense ranks of ratings, the highest first, −1 for NaN, and the names of the columns, or their numbers."""
    from scipy.stats import rankdata  # slow to import

    remedy = "ratings are finite numbers, or NaN where unknown"
    values, names = table_of_numbers(ratings, "ratings", labels, remedy, lambda numbers: ~np.isinf(numbers))
    unknown = np.isnan(values)
    ranks = rankdata(np.where(unknown, np.inf, -values), method="dense", axis=1)  # what is unknown comes last
    return np.where(unknown, -1, ranks).astype(np.int32), names


def table_of_numbers(
    table: Any, argument: str, labels: Any, remedy: str, are_legal: Callable[[NDArray[np.float64]], Any]
) -> tuple[NDArray[np.float64], Any]:
    """Return a table with a number for each label, all of which must be legal, and the names of its columns."""
    known = None if labels is None or isinstance(labels, range) else checked_names(labels, "labels")
    ordered = columns_in_order(table, known, argument, "labels")
    given = target_matrix(ordered, argument, None if known is None else len(known), "label")
    names = known or column_names(table, argument) or range(given.shape[1])
    values = as_numbers(given, argument, remedy, names).astype(np.float64)
    refuse_entries(~are_legal(values), values, remedy, argument, names)
    return values, names
