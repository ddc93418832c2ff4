"""Decoding by integer programs, and constraints as rows of these programs.

The programs themselves are in `combpred._programs`, which knows arrays only; this module loads the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..._lib.arrays import FloatArray
from ..._lib.decode import ALONE, Decoded, score_values
from ..._lib.errors import RowError
from ..._lib.structure import Description, structure_embed
from ..._programs.program import Cut, InfeasibleError

if TYPE_CHECKING:
    from .constraints import Restriction

#: A function of s and m, both (d,), and a constraint that returns the parts of an output of largest
#: ⟨s, ψ(y)⟩ + ⟨m, |ψ(y)|⟩ and a proven bound on all outputs.
RowSolver = Callable[[FloatArray, FloatArray, "Restriction"], tuple[NDArray[np.int32], float]]


def order_cuts(restriction: Restriction) -> list[Cut]:
    """Return the rows that fix pairs of a ranking; the index of a pair is the index of its variable."""
    return [_fixed(pair, value > 0) for pair, value in restriction.must]


def visit_cuts(
    restriction: Restriction,
    n: int,
    *,
    visited: int,
    step: Callable[[int, int], int],
    variable: Callable[[int, int], int] = lambda entry, _: entry,
    starts: int | None = None,
    ends: int | None = None,
) -> list[Cut]:
    """Return the rows that a constraint adds to the program of cycles or routes over n places.

    Parameters
    ----------
    restriction : Restriction
        The constraint.
    n : int
        Number of places.
    visited : int
        Index of the first of the n variables that are 1 if a place is visited.
    step : callable
        Function of two places that returns the index of the variable of the step between them.
    variable : callable, default=the entry
        Function of an entry of ψ and a value, 1 or −1, that returns the index of the variable that is 1 if the entry
        has that value.
    starts, ends : int or None, default=None
        Index of the first of the n variables that are 1 if a route starts, or ends, at a place. None, for cycles: the
        start follows the end.
    """
    given = restriction.given
    start, end = (given[key][0][0] if key in given else None for key in ("start", "end"))
    cuts = [_fixed(variable(entry, value), False) for entry, value in restriction.must_not]
    for entry, value in restriction.must:
        if value == 0:  # neither direction of the step; other values follow from the keys below
            cuts += [_fixed(variable(entry, sign), False) for sign in (1, -1)]
    for key, inside in (("required", True), ("forbidden", False)):
        cuts += [_fixed(visited + u, inside) for u, v in given.get(key, ()) if v == ALONE]
    cuts += [_fixed(visited + at, True) for at in (start, end) if at is not None]
    cuts += [_fixed(step(u, v), True) for u, v in given.get("required", ()) if v != ALONE]
    for least, most in given.get("length", ()):
        cuts.append(Cut(list(range(visited, visited + n)), [1.0] * n, least, least if most == ALONE else most))
    if starts is not None and ends is not None:
        cuts += [_fixed(first + at, True) for first, at in ((starts, start), (ends, end)) if at is not None]
    elif start is not None and end is not None:
        cuts.append(_fixed(step(end, start), True))
    return cuts


def _fixed(variable: int, to: bool) -> Cut:
    """Return the row that fixes a variable to 0 or 1."""
    return Cut([variable], [1.0], float(to), float(to))


def decode_rows(
    description: Description,
    linear: FloatArray,
    magnitude: FloatArray | None,
    solve: RowSolver,
    restrictions: Sequence[Restriction],
) -> Decoded:
    """Return a best output for every row by solving one integer program for each.

    Parameters
    ----------
    description : Description
        The space.
    linear : ndarray of shape (n, d)
        Scores s of the entries of ψ.
    magnitude : ndarray of shape (d,) or (n, d), or None
        Scores m of their magnitudes: the score of y is ⟨s, ψ(y)⟩ + ⟨m, |ψ(y)|⟩.
    solve : callable
        Solves the program of a row; see `RowSolver`.
    restrictions : sequence of n Restriction
        The constraints of the rows.

    Returns
    -------
    Decoded
        All outputs are proven to be optimal; bounds are those of the solver.

    Raises
    ------
    RowError
        For the first row whose program is infeasible.
    """
    m = np.zeros(linear.shape[1]) if magnitude is None else magnitude
    solutions = []
    for i, (row, weights) in enumerate(zip(linear, np.broadcast_to(m, linear.shape), strict=True)):
        try:
            solutions.append(solve(row, weights, restrictions[i]))
        except InfeasibleError as error:
            raise RowError(i, str(error)) from None
    y = np.array([parts for parts, _ in solutions], dtype=np.int32)
    psi = structure_embed(description, y)
    value = score_values(psi, linear, m)
    bound = np.array([bound for _, bound in solutions])
    return Decoded(y, value, np.maximum(bound, value), np.zeros(len(y)), np.ones(len(y), dtype=bool))
