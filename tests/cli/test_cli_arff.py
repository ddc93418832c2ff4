"""ARFF files as programs write them: notes, ranges, spaces and numbers, and values of another kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from combpred._cli.error import UsageError
from combpred._cli.table import read_table

HEAD = """% made here
@relation r
@attribute\ta\tinteger [0,5] % a note
@attribute 'b c'   REAL
@attribute d {0, 1} % not more
@attribute e {u, 'v w'}
@attribute f date "yyyy-MM-dd"
@attribute g string
@data
"""


@pytest.mark.parametrize(
    "rows",
    [
        "2.5,?,1,'v w',2024-01-02,x\n%\n?,1e2,0,u,?,?\n",
        "{0 2.5, 1 ?, 2 1, 3 'v w', 4 2024-01-02, 5 x}\n%\n{0 ?, 1 1e2, 4 ?}\n",
    ],
)
def test_declarations_with_notes_and_ranges(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "t.arff"
    path.write_text((HEAD + rows).replace("\n", "\r\n"))
    table = read_table(str(path), {})
    assert table.names == ["a", "b c", "d", "e", "f", "g"] and list(table.lines) == [10, 12]
    numbers = table.frame[["a", "b c", "d"]].to_numpy(dtype=float)
    np.testing.assert_array_equal(numbers, [[2.5, np.nan, 1], [np.nan, 100, 0]])
    known = table.frame[["e", "f", "g"]].astype(object)
    assert known.where(known.notna(), None).to_numpy().tolist() == [["v w", "2024-01-02", "x"], ["u", None, None]]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("1,2,0,u,2024,x\n1,2,2,u,2024,x", "line 11: 'd' holds '2', which is not as @attribute says: {0, 1}"),
        ("1,2,0,v,2024,x", "line 10: 'e' holds 'v', which is not as @attribute says: {u, v w}"),
        ("{5 x, 1 two}", "line 10: 'b c' holds 'two', which is not as @attribute says: real"),
        ("1,2,0,u,2024", "line 10: '1,2,0,u,2024' is not as @attribute says"),
        ("{0 1, 7 2}", "line 10: '{0 1, 7 2}' is not as @attribute says"),
    ],
)
def test_values_of_another_kind_are_named(tmp_path: Path, row: str, words: str) -> None:
    path = tmp_path / "t.arff"
    path.write_text(HEAD + row)
    with pytest.raises(UsageError) as told:
        read_table(str(path), {})
    assert words in str(told.value)
