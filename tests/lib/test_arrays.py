"""How much memory there is, and what does not fit is refused before it is allocated."""

from __future__ import annotations

import numpy as np
import pytest

from combpred._lib import arrays
from combpred._lib.decode import decode
from combpred._lib.structure import structure_embed, structure_enumerate, structure_mean, structure_second_moment
from combpred.structures import Permutations


def test_memory_available_is_a_sensible_number():
    available = arrays.available_memory()
    assert available is None or 2**20 < available < 2**50


def test_outputs_that_do_not_fit_are_refused_before_they_are_allocated(limits, monkeypatch):
    description, scores = Permutations(30).space.description, np.zeros((20_000, 30 * 29 // 2))
    codes = np.tile(np.arange(30, dtype=np.int32), (20_000, 1))
    limits.available_memory(2**20)
    monkeypatch.setattr(np, "empty", lambda *shape, **options: pytest.fail("allocated"))
    for call, remedy in (
        (lambda: decode(description, scores), "decode fewer rows at once"),
        (lambda: structure_embed(description, codes), "embed fewer"),
        (lambda: structure_enumerate(description, 0, 20_000), "list fewer"),
        (lambda: structure_mean(Permutations(2000).space.description), "take a smaller structure"),
        (lambda: structure_second_moment(Permutations(50).space.description), "take a smaller structure"),
    ):
        with pytest.raises(MemoryError, match=f"needs .* GiB, .* are available: {remedy}"):
            call()
