"""Where the moments of a structure come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class MomentsInfo:
    """Where the mean and the second moment of a structure come from.

    Attributes
    ----------
    kind : {"exact", "relaxed", "sampled"}
        "exact": closed forms evaluated from exact counts, or averages over a list of all members. "relaxed": those of a
        larger space that contains the members. "sampled": estimated from samples.
    standard_error : float
        The largest standard error of an entry of the second moment; 0 unless sampled.
    """

    kind: Literal["exact", "relaxed", "sampled"] = "exact"
    standard_error: float = 0.0
