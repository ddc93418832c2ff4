"""Calls of every room that cannot be meant: each is refused by the name of the parameter, and with what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from combpred import StructuredRidge, kernels, metrics, ranking, sampling, trusted_types
from combpred.structures import (
    Assignments,
    Custom,
    Graphs,
    LabelSets,
    Paths,
    Permutations,
    Routes,
    Tournaments,
    WeakOrders,
)


def fitted(structure: Any, y: Any) -> StructuredRidge:
    return StructuredRidge(structure).fit([[0.0], [1.0]], y)


RANKS = np.array([[1, 2, 3], [2, 1, 3]])
SCORES = pd.DataFrame({"urgent": [0.0, np.nan], "a": [1.0, 2.0]})  # names of columns beside their numbers
MASKED = np.ma.array([1.0, 2.0], mask=[False, True])


def draws() -> Any:
    return sampling.sample(Permutations(3), np.zeros((2, 3)), 4, random_state=0)


#: Calls, what they raise, the parameter (or the line of a file) that the message names, and the row at fault.
WRONG: list[tuple[Callable[[], Any], type[Exception], str, int | None]] = [
    # Inputs.
    (lambda: StructuredRidge("permutations").fit([[1], [2], [3]], RANKS), ValueError, "X", None),
    (
        lambda: StructuredRidge("labelsets").fit([[1], [2]], pd.DataFrame({"red": ["yes", "no"], "sour": [0, 1]})),
        ValueError,
        "y",
        0,
    ),
    (lambda: StructuredRidge(Routes(["a", "b"])).fit([[1], [2]], [["a", "b"], ["b"]]), TypeError, "n_places", None),
    (lambda: StructuredRidge(LabelSets(["a", "b"])).fit([[1], [2]], [["a", "b"], ["b"]]), TypeError, "n_labels", None),
    # Structures.
    (lambda: WeakOrders.from_tiers(5), TypeError, "tiers", None),
    (lambda: WeakOrders.from_tiers("ab"), TypeError, "tiers", None),
    (lambda: WeakOrders.from_tiers([["a"], "ab"]), ValueError, "tiers", 1),
    (lambda: WeakOrders.from_tiers([{"a": 1}]), ValueError, "tiers", 0),
    (lambda: Paths([("a", "b")], "a", "b").count(), ValueError, "arcs", 0),
    (lambda: Paths([("a", "b"), ("b", "a")], "a", "b", vertices=["a", "b"]).count(), ValueError, "arcs", None),
    (lambda: Paths([("a", "b")], "b", "a", vertices=["a", "b"]).count(), ValueError, "source", None),
    (lambda: Assignments.from_pairs(["ab"]), ValueError, "pairs", 0),
    (lambda: Permutations.from_scores(pd.DataFrame({"a": [1, 2], "b": [2, "1.5"]})), ValueError, "scores", 1),
    (lambda: Permutations.from_scores(pd.DataFrame({"a": [1, 2], "b": [2, np.nan]})), ValueError, "scores", 1),
    (lambda: WeakOrders.from_ratings(pd.DataFrame({"a": [1, 2], "b": [2, "good"]})), ValueError, "ratings", 1),
    (lambda: WeakOrders.from_ratings([[1, np.inf]], ["a", "b"]), ValueError, "ratings", 0),
    (lambda: Assignments(items=["Ann", "Bob"]).validate([[1, 1]]), ValueError, "y", 0),
    (lambda: Custom.from_structures([], lambda y: [1.0]).count(), ValueError, "structures", None),
    (lambda: Tournaments(items=["a", "b", "c"]).validate([[1, 1, 1], [1, 2, -1]]), ValueError, "y", 1),
    (lambda: Graphs(vertices=["a", "b", "c"]).validate([[1, 3, 0]]), ValueError, "y", 0),
    (lambda: Graphs(3).validate([[1, 3, 0]]), ValueError, "y", 0),
    (lambda: Permutations(labels=["a", "b", "c"]).decode([0, np.nan, 0]), ValueError, "scores", 0),
    (lambda: Permutations(3).decode([0, np.nan, 0]), ValueError, "scores", 0),
    (lambda: LabelSets(labels=["a", "urgent"]).decode(SCORES), ValueError, "'urgent'", 1),
    (lambda: kernels.position_kernel([[1, 2, 3]], [[1, 2, 3]], weights=[1, 2]), ValueError, "weights", None),
    # Rows of names.
    (lambda: LabelSets.from_sets([["a"], [1.0, np.inf]]), ValueError, "sets", 1),
    (lambda: LabelSets.from_sets([[1], [0, 2**70]]), ValueError, "sets", 1),
    (lambda: LabelSets.from_sets([[0, 2**31 - 2]] * 2**16), MemoryError, "2147483647 columns", None),
    (lambda: fitted(LabelSets(), [[], []]), ValueError, "n_labels", None),
    (lambda: fitted(LabelSets(3), [["a"], ["b"]]), ValueError, "n_labels", None),
    (lambda: fitted(Permutations(2), [["a", "b"], ["b", "c"]]), ValueError, "'c'", 1),
    (lambda: fitted(Graphs(), sparse.csr_array(np.eye(2))), TypeError, "y", None),
    (lambda: fitted(Assignments(), [{"a": "x", "b": "y"}, {"a": "x", "b": "z"}]), ValueError, "3 items", 0),
    (lambda: fitted(Assignments(columns=["x", "y", "z"]), [{"a": "x", "b": "y"}] * 2), ValueError, "3 items", 0),
    (lambda: Graphs(3).from_networkx([nx.empty_graph([0, 9]), nx.Graph([(0, 8)])]), ValueError, "9", 0),
    # Metrics.
    (lambda: metrics.accuracy(["1", "2"], [1, 2]), ValueError, "y_true", None),
    (lambda: metrics.zero_one_loss([1, 2], np.array(["1", "2"], dtype=object)), ValueError, "y_true", None),
    (lambda: metrics.kendall_tau(RANKS, RANKS, sample_weight=[1.0]), ValueError, "sample_weight", None),
    # Sampling.
    (lambda: sampling.effective_sample_size("x"), ValueError, "x", None),
    (lambda: sampling.split_r_hat(MASKED), ValueError, "x", 1),
    (lambda: sampling.theory.meta_mixing_bound("x"), TypeError, "log_beta", None),
    (lambda: sampling.theory.meta_coalescence_time(1.0), ValueError, "log_beta", None),
    (lambda: sampling.theory.hoeffding_sample_size(1e-300, 0.05), ValueError, "epsilon", None),
    # Consensus and label ranking.
    (lambda: ranking.partial_orders("abc"), ValueError, "proba", None),
    (lambda: ranking.partial_orders([[0.5, 0.5, 0.5], [0.5, 1.5, 0.5]]), ValueError, "proba", 1),
    (lambda: ranking.NearestNeighborsLabelRanker().fit([[0.0], [1.0]], np.array(["a", "b"])), ValueError, "y", 0),
    # Files.
    (lambda: trusted_types(5), TypeError, "file", None),
    (lambda: trusted_types(b"abc"), ValueError, "file", None),
]


@pytest.mark.parametrize(("call", "error", "named", "row"), WRONG)
def test_wrong_calls_are_refused_by_the_name_of_the_parameter(call, error, named, row):
    if "trusted_types" in call.__code__.co_names:
        pytest.importorskip("skops", reason="model files are those of skops")
    with pytest.raises(error) as caught:
        call()
    assert re.search(rf"(?<!\w){named}(?!\w)", str(caught.value)) and getattr(caught.value, "row", None) == row


def test_numbers_of_any_size_are_shown():
    """Python prints no integer of more than 4300 digits."""
    count = sampling.count_linear_extensions([], 2048)
    assert int(count) == math.factorial(2048)
    assert f"value=10^{math.log10(math.factorial(2048)):.4f}, log_value=" in repr(count)
    assert "value=3, " in repr(sampling.count_linear_extensions([(0, 1)], 3))
