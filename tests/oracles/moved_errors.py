"""What an error about a row must show when it is made one about another row."""

from __future__ import annotations

import copy
import pickle
from typing import Any


def shows_another_row_everywhere(error: Any) -> None:
    """Assert that an error about row 1 says 7 in text, repr, args, pickles and copies once it is one about row 7."""
    moved = error.at(7)
    made = type(error)(*moved.args)
    assert (moved.row, repr(moved), moved.args) == (7, repr(made), made.args)
    assert (7 in moved.args, 1 in moved.args, 1 in error.args) == (True, False, True)
    for other in (pickle.loads(pickle.dumps(moved)), copy.copy(moved), copy.deepcopy(moved)):
        assert (type(other), other.row, other.args) == (type(error), 7, moved.args)
        assert (str(other), repr(other)) == (str(moved), repr(moved))
    assert error.row == 1
