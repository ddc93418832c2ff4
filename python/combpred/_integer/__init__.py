"""Exact decoding of orders, cycles and routes as integer programs, by the solver HiGHS that SciPy brings.

Constraints that are too many to list (a polynomial number of triangles, an exponential one of subtours) are added as a
solution violates them, and the program is solved again. Scores are those of one row.
"""

from ._conditions import order_cuts, visit_cuts
from ._cycles import best_cycle, best_directed_cycle, best_route
from ._decode import decode_rows
from ._orders import RelaxedOrder, best_order, relaxed_order
from ._program import OutOfTimeError

__all__ = [
    "OutOfTimeError",
    "RelaxedOrder",
    "best_cycle",
    "best_directed_cycle",
    "best_order",
    "best_route",
    "decode_rows",
    "order_cuts",
    "relaxed_order",
    "visit_cuts",
]
