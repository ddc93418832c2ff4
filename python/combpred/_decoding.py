"""How the outputs of largest score are found: what the estimators' parameter `decoder` says."""

from __future__ import annotations

from dataclasses import dataclass

#: The decoders that the compiled library has, and its names of them.
METHODS = {"auto": "auto", "exact": "exact", "local-search": "search"}

#: All values of the parameter `decoder`.
DECODERS = (*METHODS, "milp")


@dataclass(frozen=True)
class Decoding:
    """How to decode a batch of score vectors.

    Attributes
    ----------
    decoder : str
        One of `DECODERS`.
    n_threads : int or None
        Threads; None: as configured.
    """

    decoder: str = "auto"
    n_threads: int | None = None
