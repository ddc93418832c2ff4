"""Calls of every room that cannot be meant: each is refused by the name of the parameter, and with what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

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

RANKS = np.array([[1, 2, 3], [2, 1, 3]])
MASKED = np.ma.array([1.0, 2.0], mask=[False, True])


def draws() -> Any:
    return sampling.sample(Permutations(3), np.zeros((2, 3)), 4, random_state=0)


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    # Inputs.
    (lambda: StructuredRidge("permutations").fit([[1, 2], [3]], RANKS), ValueError,
     "X, row 1: has 1 value, but row 0 has 2; every row has one for each feature"),
    (lambda: StructuredRidge("permutations").fit([[1], [2], [3]], RANKS), ValueError,
     "inconsistent numbers of samples: [3, 2], of X and y: each row of X needs one of y"),
    (lambda: StructuredRidge("labelsets").fit([[1], [2]], pd.DataFrame({"red": ["yes", "no"], "sour": [0, 1]})),
     ValueError, "found ['yes', 0], words for yes and no: make 0 and 1 of them, such as by y[column] == 'yes'"),
    (lambda: StructuredRidge(Routes(["a", "b"])).fit([[1], [2]], [["a", "b"], ["b"]]), TypeError,
     "Routes: n_places must be an integer or None, got ['a', 'b']; names are given by places="),
    (lambda: StructuredRidge(LabelSets(["a", "b"])).fit([[1], [2]], [["a", "b"], ["b"]]), TypeError,
     "LabelSets: n_labels must be an integer or None, got ['a', 'b']; names are given by labels="),
    # Structures.
    (lambda: WeakOrders.from_tiers(5), TypeError, "tiers must be a list with an entry for each row, got 5"),
    (lambda: WeakOrders.from_tiers("ab"), TypeError, "tiers must be a list with an entry for each row, got 'ab'"),
    (lambda: WeakOrders.from_tiers([["a"], "ab"]), ValueError, "tiers, row 1: found 'ab'; give a list of groups"),
    (lambda: WeakOrders.from_tiers([{"a": 1}]), ValueError, "tiers, row 0: found {'a': 1}; give a list of groups"),
    (lambda: Paths([("a", "b")], "a", "b").count(), ValueError, "names of vertices are given by vertices="),
    (lambda: Paths([("a", "b"), ("b", "a")], "a", "b", vertices=["a", "b"]).count(), ValueError,
     "Paths: the arcs form a cycle: \"a\" → \"b\" → \"a\""),
    (lambda: Paths([("a", "b")], "b", "a", vertices=["a", "b"]).count(), ValueError,
     "no path leads from the source, vertex \"b\", to the target, vertex \"a\""),
    (lambda: Assignments.from_pairs(["ab"]), ValueError, "pairs, row 0: found 'ab'; give a list of pairs, or a dict"),
    (lambda: LabelSets.from_sets([[1, 2], [2]]), ValueError,
     "sets never holds 0: where numbers count from 1, pass labels=range(1, 3) to keep them as names"),
    (lambda: Permutations.from_orders([[1, 2], [2, 1]]), ValueError, "pass one_based=True, or labels=range(1, 3) to"),
    (lambda: Permutations.from_orders(pd.DataFrame({"a": [1, 2], "b": [2, 1]})), ValueError,
     "; where its columns are the labels, whose positions it holds, it is y already"),
    (lambda: Permutations.from_scores(pd.DataFrame({"a": [1, 2], "b": [2, "1.5"]})), ValueError,
     "scores, row 1: '1.5' in column 'b' is not a number; scores are finite numbers; .astype(float) makes numbers of"),
    (lambda: Permutations.from_scores(pd.DataFrame({"a": [1, 2], "b": [2, np.nan]})), ValueError,
     "scores, row 1: found nan in column 'b'; scores are finite numbers; Permutations.from_ratings takes NaN"),
    (lambda: WeakOrders.from_ratings(pd.DataFrame({"a": [1, 2], "b": [2, "good"]})), ValueError,
     "ratings, row 1: 'good' in column 'b' is not a number; ratings are finite numbers, or NaN where there is none"),
    (lambda: WeakOrders.from_ratings([[1, np.inf]], ["a", "b"]), ValueError, "row 0: found inf in column 'b'; ratings"),
    (lambda: Assignments(items=["Ann", "Bob"]).validate([[1, 1]]), ValueError,
     "y, row 0: items \"Ann\" and \"Bob\" share a column in [1, 1]"),
    (lambda: Custom.from_structures([], lambda y: [1.0]).count(), ValueError, "Custom: structures is empty"),
    (lambda: Tournaments(items=["a", "b", "c"]).validate([[1, 1, 1], [1, 2, -1]]), ValueError,
     "y, row 1: found 2 in column 'a before c'; a pair u < v"),
    (lambda: Graphs(vertices=["a", "b", "c"]).validate([[1, 3, 0]]), ValueError, "found 3 in column 'a-c'; edge"),
    (lambda: Graphs(3).validate([[1, 3, 0]]), ValueError, "row 0: found 3 in column 1; edge sets"),
    (lambda: Permutations(labels=["a", "b", "c"]).decode([0, np.nan, 0]), ValueError,
     "scores, row 0: column 'a before c' is nan; scores must be finite"),
    (lambda: Permutations(3).decode([0, np.nan, 0]), ValueError, "scores, row 0: column 1 is nan"),
    (lambda: kernels.position_kernel([[1, 2, 3]], [[1, 2, 3]], weights=[1, 2]), ValueError,
     "weights has shape (2,), must be (3,)"),
    # Metrics.
    (lambda: metrics.accuracy(["1", "2"], [1, 2]), ValueError, "y_true and y_pred hold strings and numbers"),
    (lambda: metrics.zero_one_loss([1, 2], np.array(["1", "2"], dtype=object)), ValueError,
     "y_true and y_pred hold strings and numbers"),
    (lambda: metrics.kendall_tau(RANKS, RANKS, sample_weight=[1.0]), ValueError,
     "sample_weight has shape (1,), must be (2,): one weight for each row of y_true"),
    # Sampling.
    (lambda: sampling.effective_sample_size("x"), ValueError, "x must be numbers"),
    (lambda: sampling.split_r_hat(MASKED), ValueError, "x, row 1: an entry is masked"),
    (lambda: sampling.theory.meta_mixing_bound("x"), TypeError, "log_beta must be a number, got 'x'"),
    (lambda: sampling.theory.meta_coalescence_time(1.0), ValueError, "log_beta must be at most 0, got 1.0"),
    (lambda: sampling.theory.hoeffding_sample_size(1e-300, 0.05), ValueError, "this takes inf samples; ask for"),
    # Consensus and label ranking.
    (lambda: ranking.partial_orders("abc"), ValueError, "proba must be numbers"),
    (lambda: ranking.partial_orders([[0.5, 0.5, 0.5], [0.5, 1.5, 0.5]]), ValueError,
     "proba, row 1: the probability of the items 0 and 2 is 1.5, must be from 0 to 1"),
    (lambda: ranking.NearestNeighborsLabelRanker().fit([[0.0], [1.0]], np.array(["a", "b"])), ValueError,
     "y, row 0: found 'a'; structures.Permutations.from_orders makes"),
    # Files.
    (lambda: trusted_types(5), TypeError, "file must be a path, or the bytes of a file, got 5"),
    (lambda: trusted_types(b"abc"), ValueError, "file is none that skops.io has written"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), WRONG, ids=[message for _, _, message in WRONG])
def test_wrong_calls_are_refused_by_the_name_of_the_parameter(call, error, message):
    if "trusted_types" in call.__code__.co_names:
        pytest.importorskip("skops", reason="model files are those of skops")
    with pytest.raises(error, match=f"^.*{re.escape(message)}"):
        call()


def test_numbers_of_any_size_are_shown():
    """Python prints no integer of more than 4300 digits."""
    count = sampling.count_linear_extensions([], 2048)
    assert int(count) == math.factorial(2048)
    assert f"value=10^{math.log10(math.factorial(2048)):.4f}, log_value=" in repr(count)
    assert "value=3, " in repr(sampling.count_linear_extensions([(0, 1)], 3))
