"""Blocks of rows: their errors, and the memory that reading them takes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from combpred import CapabilityError
from combpred._data.blocks import ArrayBlocks, Block
from combpred._data.targets import TargetError
from combpred._lib.errors import RowError


def test_blocks_of_rows_are_renumbered():
    block = Block(np.zeros((3, 2)), None, None, None, first_row=40)
    with pytest.raises(CapabilityError) as caught, block.errors():
        raise CapabilityError("r", 1)
    assert caught.value.row == 41
    with pytest.raises(TargetError) as caught, block.errors():
        raise TargetError(1, "r", "y_true")
    assert (caught.value.argument, caught.value.row) == ("y_true", 41)
    with pytest.raises(RowError) as found, block.errors():
        raise RowError(1, "overflows", "X")
    assert (found.value.argument, found.value.row) == ("X", 41)
    assert (type(found.value), found.value.reason) == (RowError, "overflows")
    with pytest.raises(CapabilityError) as caught, block.errors():
        raise CapabilityError("r", 1) from KeyError("cause")
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the pages held from /proc")
def test_pages_of_mapped_files_are_given_back(tmp_path):
    np.save(tmp_path / "X.npy", np.ones((2**17, 64)))  # 64 MiB

    def held():
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return int(status["RssFile"].split()[0]) * 1024

    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    before = held()
    assert mapped[3:].sum() == mapped[3:].size
    assert held() - before > 2**25  # what is read all at once is held
    del mapped
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    before = held()
    assert ArrayBlocks(mapped[3:], mapped[3:, 0], None).reduce(block_sum, merge=lambda a, b: a + b) == mapped[3:].size
    assert held() - before < 2**24


def block_sum(block):
    return float(np.asarray(block.X).sum())
