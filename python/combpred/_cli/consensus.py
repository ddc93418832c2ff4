"""What ``combpred consensus`` does: one ranking in the place of those in a table."""

from __future__ import annotations

import argparse
import inspect
import json
from typing import Any

import numpy as np

from .. import aggregation
from .._data.checks import counted
from .._data.targets import summary
from .columns import number_frame, select
from .commands import naming_rows, reading
from .error import check_destination, near, require
from .learners import known_name, read_parameters
from .table import ENDINGS, read_table, write_table
from .targets import SET, find_targets

_METHODS = {name: getattr(aggregation, name) for name in ("kemeny", "borda", "footrule", "median_rank")}


def print_consensus(options: argparse.Namespace) -> None:
    """Print, and write, the consensus of the rankings in a file, how far from them it is and what is proven of it."""
    check_destination("--output", options.output, options.file, endings=ENDINGS)
    find, given = known_name("--method", "method", options.method, _METHODS), read_parameters(options.param or ())
    known = [key for key in inspect.signature(find).parameters if key not in ("rankings", "counts", "weights")]
    for key in given:
        what = f"--param: {key!r} is none of the parameters of {options.method}, {', '.join(known)}"
        require(key in known, what + near(key, known))
    table = read_table(options.file, reading(options))
    weighing = select(table.names, options.weights, "--weights")
    require(len(weighing) < 2, f"--weights names {len(weighing)} columns; name one")
    weights = number_frame(table, weighing).iloc[:, 0].to_numpy() if weighing else None
    left_out = {*weighing, *select(table.names, options.drop, "--drop"), *select(table.names, options.id, "--id")}
    columns = select(table.names, options.targets, "--targets") or [n for n in table.names if n not in left_out]
    both = [name for name in columns if name in left_out]
    require(not both, f"--targets names {summary(both)}, and so does --weights, --drop or --id; name it once")
    text = list(table.frame[columns].select_dtypes(exclude=["number", "bool"]))
    which = f"--targets: which columns of {table.source} rank? {summary(text)} hold text, the others numbers"
    require(options.targets or len(text) in (0, len(columns)), which)
    with naming_rows(table, columns):
        rankings = find_targets(table, columns, options, {}, ranks=True)[0].read(table, None)
    with naming_rows(table, [*columns, *weighing]):
        if not options.targets:
            _doubt_columns(rankings)
        found = find(rankings, weights=weights, **given)
    import pandas

    names = rankings.columns.tolist()
    if found.consensus.ndim == 1:
        of = {"position": found.consensus[found.order], "label": [names[item] for item in found.order]}
    else:
        below = [SET.join(name for name, after in zip(names, row, strict=True) if after) for row in found.consensus]
        of = {"label": names, "before": below}
    frame = pandas.DataFrame(of)
    if options.output is not None:
        write_table(frame, options.output, "label")
    if options.json:
        facts = ("method", "distance", "lower_bound", "ratio", "optimal", "reason")
        shown = {**{name: getattr(found, name) for name in facts}, "rows": len(table)}
        print(json.dumps({**shown, "consensus": frame.to_dict("records")}, indent=1))
    elif options.output is None:
        print(found, *([] if found.optimal else [f"{options.method}: {found.reason}"]), sep="\n")
        total = "" if weights is None else f" of weight {weights.sum():g}"
        print(f"{counted(len(names), 'label')}, {counted(len(table), 'row')}{total}")


def _doubt_columns(rankings: Any) -> None:
    """Refuse columns that hold no positions, such as ids, beside others that hold each position once in every row."""
    values = rankings.to_numpy(dtype=np.float64)
    numbers_rows = (len(values) > 2) & (np.diff(values, axis=0) == 1).all(axis=0)
    odd = (values > values.shape[1]).any(axis=0) | (values % 1 > 0).any(axis=0) | numbers_rows
    others = np.sort(values[:, ~odd], axis=1)
    if odd.any() and others.shape[1] > 1 and (others == others[0, 0] % 2 + np.arange(others.shape[1])).all():
        names = rankings.columns[odd].tolist()
        what = f"{summary(names)} beside columns that hold each position once in every row"
        how = f"give --weights {names[-1]!r} if it counts voters, --id or --drop if it is no label, or --targets"
        raise ValueError(f"{what}: {how}")
