"""Numbers that are read as positions, and cannot be: ratings, scores, numbers of rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from .targets import summary


def doubt_numbers(
    values: NDArray[np.generic], argument: str, noun: str, names: Sequence[Hashable] | None, *, shows_row: bool = False
) -> str | None:
    """Return why numbers are no positions, and what to pass in their place; None where they may be.

    Parameters
    ----------
    values : ndarray of shape (n, k)
        Finite numbers, −1 or NaN where unknown.
    argument : str
        What messages call them.
    noun : str
        What is ranked, "item" or "label".
    names : sequence or None
        What the columns are called; None for numbers.
    shows_row : bool, default=False
        Whether the message shows the first row that is no ranking; without, it is the same for all folds of a search.

    Notes
    -----
    A column is one of numbers of rows where these are 0 to n − 1, or 1 to n, in any order, of more rows than can have
    different positions. A row is no ranking where a number is neither whole nor a half, or where all labels are known,
    not all tied, and none can be the first, or one before the last is beyond k: positions count from 0 or 1, tied
    labels have dense, least, largest or mean ranks, and the last ones any. If no row has ties, whole numbers may be
    positions among more labels. None of the sets of rankings in the benchmarks is doubted, nor a part of their columns
    if it has no ties.
    """
    n, k = values.shape
    ranks = np.where(values == -1, np.nan, values.astype(np.float64))
    lowest = np.sort(ranks, axis=0) - np.arange(n)[:, np.newaxis]
    numbering = np.flatnonzero((lowest == 0).all(axis=0) | (lowest == 1).all(axis=0))
    if n > k + 1 and 0 < len(numbering) < k - 1:
        shown = summary([u if names is None else names[u] for u in numbering.tolist()])
        return (
            f"column {shown} of {argument} holds the numbers of the rows, which are read as positions of one of {k} "
            f"{noun}s: leave it out"
        )
    ranks += not (np.isnan(ranks) | (ranks >= 1)).all()  # they count from 0
    ordered = np.sort(ranks, axis=1)  # what is unknown comes last
    first, last = ordered[:, :1], ordered[:, -1:]
    late = (first[:, 0] > (ordered == first).sum(axis=1)) | ((ordered > k) & (ordered < last)).any(axis=1)
    known = first[:, 0] < last[:, 0]
    has_ties = bool((np.diff(ordered[known], axis=1) == 0).any())
    with np.errstate(invalid="ignore"):  # what is infinite is refused elsewhere
        odd = (2 * ordered % 1 > 0).any(axis=1) | (known & late & has_ties)
    if not odd.any():
        return None
    row = int(np.argmax(odd))
    shown = ", ".join(f"{value:.6g}" for value in values[row][:10].tolist()) + ", …" * (k > 10)
    found = f"row {row} holds {shown}, which are" if shows_row else "rows hold numbers that are"
    nan = ", with NaN in place of -1" if (values == -1).any() else ""
    smaller = f"pandas.DataFrame({argument}).rank(axis=1, method='dense')"
    larger = f"structures.WeakOrders.from_ratings({argument})"
    if np.isnan(ranks).any():
        larger = f"{smaller[:-1]}, ascending=False)"
    verb = "is" if argument == "y" else "are"
    return (
        f"{argument} {verb} read as positions, the smaller before the larger, but {found} positions of no ranking of "
        f"{k} {noun}s: where the larger are better, as ratings and scores are, pass {larger}; where the smaller are, "
        f"{smaller}{nan}"
    )
