"""Consensus on the command line: tables in, a ranking and what is proven of it out."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_runs import Failing
from combpred import aggregation
from combpred._cli.main import main

LABELS = ["cola", "juice", "milk", "tea"]
RANKS = np.array([np.random.RandomState(seed).permutation(4) + 1 for seed in range(9)])
VOTERS = np.arange(1, 10)
ORDERS = [[LABELS[item] for item in np.argsort(ranks)] for ranks in RANKS]


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(["consensus", *arguments]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def table(path: Path, kind: str) -> str:
    if kind == "orders":
        frame = pd.DataFrame({"order": [">".join(order) for order in ORDERS]})
    else:
        frame = pd.DataFrame(ORDERS if kind == "choices" else RANKS, columns=None if kind == "choices" else LABELS)
        frame = frame.set_axis([f"c{k}" for k in range(4)], axis=1) if kind == "choices" else frame
    frame.assign(voters=VOTERS).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("kind", ["orders", "choices", "positions"])
@pytest.mark.parametrize("method", ["kemeny", "borda", "footrule", "median_rank"])
def test_a_table_has_the_consensus_of_its_rankings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, method: str
) -> None:
    path = table(tmp_path / "t.csv", kind)
    found = json.loads(output(capsys, path, "--weights", "voters", "--method", method, "--json"))
    expected = getattr(aggregation, method)(pd.DataFrame(RANKS, columns=LABELS), weights=VOTERS)
    assert [row["label"] for row in found["consensus"]] == [LABELS[item] for item in expected.order]
    assert found["distance"] == expected.distance and found["optimal"] == expected.optimal and found["rows"] == 9
    printed = output(capsys, path, "--weights", "voters", "--method", method)
    assert (
        printed
        == f"{expected!r}\n"
        + ("" if expected.optimal else f"{method}: {expected.reason}\n")
        + "4 labels, 9 rows of weight 45\n"
    )


def test_no_ranking_is_nearer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, u, v = table(tmp_path / "t.csv", "orders"), *np.triu_indices(4, 1)
    found = json.loads(output(capsys, path, "--drop", "voters", "--json"))

    def distance(ranks: np.ndarray) -> int:
        return sum(int(((ranks[u] < ranks[v]) != (other[u] < other[v])).sum()) for other in RANKS)

    assert found["distance"] == min(distance(np.array(ranks)) for ranks in permutations(range(4)))
    order = [LABELS.index(row["label"]) for row in found["consensus"]]
    assert distance(np.argsort(order)) == found["distance"]


def test_ties_and_labels_that_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("order\ntea=milk>juice\nmilk>juice\njuice>tea\n")
    positions = pd.DataFrame([[2, 1, 1], [2, 1, -1], [1, -1, 2]], columns=["juice", "milk", "tea"])
    assert output(capsys, str(path)).startswith(f"{aggregation.kemeny(positions)!r}\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--method", "kemen"], "do you mean kemeny?"),
        (["--param", "outpu=weak"], "--param: 'outpu' is none of the parameters of kemeny, method, output"),
        (["--param", "outpu=weak"], "do you mean output?"),
        (["--param", "weights=[1]"], "--param: 'weights' is none of the parameters"),
        (["--weights", "order"], "line 2: 'order' holds 'tea>milk>cola>juice', which is not a number"),
        (["--weights", "weight"], "--weights: 'weight' matches none of the 2 columns"),
        ([], "--targets: which columns of "),
        (["--weights", "voters,order"], "--weights names 2 columns; name one"),
        (["--output", "o.json"], "--output: cannot write o.json: tables are written as CSV or .parquet"),
        (["--targets", "voters"], "in which no '>' divides names"),
    ],
)
def test_misuse(tmp_path: Path, fails: Failing, options: list[str], words: str) -> None:
    assert words in fails("consensus", table(tmp_path / "t.csv", "orders"), *options)


def test_lines_of_bad_ballots(tmp_path: Path, fails: Failing) -> None:
    path = tmp_path / "t.csv"
    path.write_text("order,n\nb>a,1\na>a,2\n")
    assert "t.csv, line 3: 'order': 'a' occurs twice" in fails("consensus", str(path), "--weights", "n")
    path.write_text("order,n\nb>a,1\na>b,-2\n")
    assert "t.csv, line 3: order, n: weights is -2.0" in fails("consensus", str(path), "--weights", "n")
    for other in (",", ";", "|"):
        path.write_text(f'order\nb>a\n"b{other} a"\na>b\n')
        said = fails("consensus", str(path))
        assert f"t.csv, line 3: 'b{other} a' counts as one label, though its parts are labels elsewhere" in said
    path.write_text('order\nb>a\n"b, c"\na>b\n')  # there is no c
    assert main(["consensus", str(path)]) == 0


def positions(path: Path, **more: object) -> str:
    pd.DataFrame({**more, **pd.DataFrame(RANKS, columns=LABELS)}).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({"voter": VOTERS}, "'voter'"),
        ({"voter": VOTERS + 100}, "'voter'"),
        ({"n": [52, *[1] * 8]}, "'n'"),
        ({"voter": VOTERS, "n": VOTERS[::-1] / 2}, "'voter', 'n'"),
    ],
)
def test_ids_and_counts_are_no_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: Failing, more: dict[str, object], shown: str
) -> None:
    path, last = positions(tmp_path / "t.csv", **more), [*more][-1]
    said = fails("consensus", path)
    assert f": {shown} beside columns that hold each position once in every row: give --weights {last!r} if" in said
    assert "4 labels, 9 rows" in output(capsys, path, "--drop", ",".join(more))
    assert f"{4 + len(more)} labels, 9 rows" in output(capsys, path, "--targets", "0:")


@pytest.mark.parametrize("last", [[5] * 9, [-1] * 9, [1] * 9, [4, 5, 3, 1, 5, 2, 5, 5, 1]])
def test_a_label_may_be_last_unknown_or_tied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], last: list[int]
) -> None:
    assert "5 labels, 9 rows" in output(capsys, positions(tmp_path / "t.csv", water=last))
