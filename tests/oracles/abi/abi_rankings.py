"""Legal arguments of the functions of the C interface that aggregate rankings and comparisons; see `abi_calls`."""

from __future__ import annotations

import numpy as np

from combpred._lib import abi
from combpred._lib.table import record

RUN = (1, None)
DOUBLES = np.zeros(3072)  # inputs that are zero, and outputs
ONES, HOLLOW = np.ones(64), 1.0 - np.eye(4)
ASCENDING, NODES, PARENTS = np.tile(np.arange(4.0), 2), np.zeros(2, dtype=np.int32), np.array([-1, 0], dtype=np.int32)
SIGNS = np.array([[1, 1, 0, 0, -1, 0]] * 2, dtype=np.int8)
FIRST, POSITIONS = np.tile(np.arange(1, 5, dtype=np.int32), 2), np.zeros(4, dtype=np.int32)


def doubles(at: int) -> int:
    """Return the address of numbers that are zero."""
    return DOUBLES[at:].ctypes.data


PROFILE = record(abi.CProfile, n=2, k=4, ranks=doubles(0), weights=ONES.ctypes.data)
PAIRS_OF_ITEMS = record(abi.CPairs, k=4, before=doubles(2400), tied=doubles(2416))
PROGRAMS = record(abi.CPrograms, k=4, n_groups=4, x=doubles(2432), state=doubles(2448), lower_bound=doubles(2464))
CONSENSUS = record(abi.CAggregateOptions, method=b"auto", output=b"order", penalty=0.5, seed=7)


def ranking_calls() -> dict[str, list]:
    """Return the arguments of each function, but for bad_row, err and err_cap."""
    return {
        "cp_aggregate": [
            *(PROFILE, PAIRS_OF_ITEMS, CONSENSUS, PROGRAMS, POSITIONS.ctypes.data, 4, record(abi.CConsensusInfo), *RUN)
        ],
        "cp_aggregate_pairs": [PROFILE, record(abi.CPairs, k=4, before=doubles(2480), tied=doubles(2496)), *RUN],
        "cp_aggregate_groups": [doubles(2400), 4, doubles(2512), doubles(2990)],
        "cp_aggregate_margins": [PAIRS_OF_ITEMS, 0.5, doubles(2520), 4],
        "cp_aggregate_chains": [doubles(2400), 2, 4, doubles(2820), doubles(2860), *RUN],
        "cp_aggregate_acyclic": [
            *(doubles(2400), 4, CONSENSUS, PROGRAMS, doubles(2540), doubles(2560), record(abi.CAcyclicInfo), *RUN)
        ],
        "cp_aggregate_extend": [
            *(record(abi.CRelations, n=2, k=4, before=doubles(2400), weights=ONES.ctypes.data), 3, 7),
            *(doubles(2600), doubles(2630), *RUN),
        ],
        "cp_bradley_terry_fit": [
            record(
                abi.CComparisons,
                k=4,
                p=1,
                wins=HOLLOW.ctypes.data,
                ties=HOLLOW.ctypes.data,
                covariates=ONES.ctypes.data,
            ),
            *(1.0, doubles(2880), doubles(2884), doubles(2890), doubles(2900), doubles(2920), *RUN),
        ],
        "cp_plackett_luce_fit": [
            record(abi.CRankedSets, n=2, m=1, k=4, ranks=FIRST.ctypes.data, weights=ONES.ctypes.data),
            *(1.0, doubles(2640), doubles(2990), *RUN),
        ],
        "cp_plackett_luce": [PROFILE, 1.0, b'["a", "b"]', doubles(2650), doubles(2990), *RUN],
        "cp_metric_rankings": [ASCENDING.ctypes.data] * 2 + [2, 4, b"ndcg", 1.0, doubles(2930), *RUN],
        "cp_metric_visits": [
            *(FIRST.ctypes.data, 2, 4, FIRST.ctypes.data, 4, b"route_f1", doubles(2930), *RUN),
        ],
        "cp_metric_abstention": [
            record(abi.CPreferences, n=2, k=4, signs=SIGNS.ctypes.data, weights=ONES.ctypes.data, subgraphs=b"edges"),
            *(doubles(2400), None, 3, doubles(2930), doubles(2990), *RUN),
        ],
        "cp_metric_nodes": [
            *(NODES.ctypes.data, 2, 1, NODES.ctypes.data),
            record(abi.CTree, k=2, parent=PARENTS.ctypes.data, node_weight=ONES.ctypes.data, rule=b"unit"),
            *(b"h-loss", doubles(2930), *RUN),
        ],
    }
