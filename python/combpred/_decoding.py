"""How the outputs of largest score are found: what the estimators' parameter `decoder` says."""

from __future__ import annotations

from dataclasses import dataclass

#: The decoders that the compiled library has, and its names of them.
METHODS = {
    "auto": "auto",
    "exact": "exact",
    "approx": "approx",
    "local-search": "search",
    "anneal": "anneal",
    "metropolis": "metropolis",
}

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
    seed : int
        Of the random streams of "anneal" and "metropolis", one for each row; 64 bits.
    """

    decoder: str = "auto"
    n_threads: int | None = None
    seed: int = 0

    @property
    def is_random(self) -> bool:
        """Whether what is found depends on the seed."""
        return self.decoder in ("anneal", "metropolis")
