"""One door to partition functions: which method is taken, what it returns, and options of other methods."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import combpred
from combpred import CapabilityError, losses, sampling
from combpred.sampling import AnnealingDetails, LogPartition, TaylorDetails, log_partition
from combpred.sampling.engines import INFERENCE_OF, INFERENCES
from combpred.structures import Custom, LabelSets, Permutations, Structure
from data_frames import imported_pyarrow

STRUCTURES: list[Structure] = [Permutations(4), LabelSets(5, size=2), Custom.from_structures("ab", [[1.0], [0.0]])]


@pytest.mark.parametrize("method", ["auto", "exact"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_exact_values(structure, method):
    scores = np.random.default_rng(0).normal(size=(3, structure.n_features))
    found = log_partition(structure, scores, method=method)
    np.testing.assert_array_equal(found.value, structure.log_partition(scores))
    np.testing.assert_array_equal(found.lower, found.value)
    np.testing.assert_array_equal(found.upper, found.value)
    assert found.method == "exact" and found.is_exact.tolist() == [True] * 3
    assert found.n_samples.tolist() == [0] * 3 and found.details is None
    assert log_partition(structure, scores[0]).value.shape == (1,)


def test_auto_is_exact_while_that_is_affordable(limits):
    scores = np.zeros((2, 6))
    limits.exact_seconds(Permutations(4), 2)
    assert log_partition(Permutations(4), scores, epsilon=0.5, random_state=0).method == "annealed"
    assert log_partition(Permutations(4), scores[:1], epsilon=0.5, random_state=0).method == "exact"
    assert log_partition(Permutations(24), np.zeros(276), epsilon=0.9, random_state=0).method == "annealed"


def test_one_result_type():
    assert combpred.LogPartition is sampling.LogPartition is LogPartition
    kinds = {"exact": type(None), "annealed": AnnealingDetails, "taylor": TaylorDetails}
    for method, kind in kinds.items():
        rows = np.full((3, 6), 0.1)
        found = log_partition(Permutations(4), rows, method=method, epsilon=0.5, random_state=0)
        assert isinstance(found, LogPartition) and isinstance(found.details, kind)
        assert found.method == method and found.n_samples.shape == found.is_exact.shape == (3,)
        if method == "annealed":
            assert len(found.details.schedules) == len(found.details.r_hat) == 3
            assert found.details.schedule == "adaptive"
            assert not found.is_exact.any() and found.is_guaranteed.all()


def test_models_compute_every_method():
    with pytest.raises(ValueError):
        log_partition(Permutations(4), np.zeros(6), method="none")
    assert set(INFERENCE_OF.values()) == set(INFERENCES)


def test_results_are_the_users_own():
    found, other = (log_partition(Permutations(4), np.full((3, 6), 0.1)) for _ in range(2))
    found.value[0] = 0.0
    np.testing.assert_array_equal(found.lower, other.value)
    np.testing.assert_array_equal(found.upper, other.value)
    assert found == found and found != other


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"method": "mcmc"}, ValueError),
        ({"method": "samples"}, ValueError),  # which is one of estimate_marginals
        ({"method": "exact", "bound": 9.0}, ValueError),
        ({"method": "taylor", "sampler": "cftp"}, ValueError),
        ({"method": "exact", "schedule": "thesis"}, ValueError),
        ({"centred": False}, ValueError),
        ({"method": "exact", "epsilon": 2.0}, ValueError),
        ({"structure": Permutations(30), "scores": np.zeros(435), "method": "exact"}, CapabilityError),
    ],
)  # fmt: skip
def test_refusals(options, error):
    arguments = {"structure": Permutations(4), "scores": np.zeros(6), **options}
    with pytest.raises(error) as caught:
        log_partition(arguments.pop("structure"), arguments.pop("scores"), **arguments)
    assert any(name in str(caught.value) for name in options)


@pytest.mark.filterwarnings("ignore::combpred.ApproximationWarning")  # scores beyond the range of the Taylor series
def test_scores_are_matched_by_the_names_of_entries():
    structure = Permutations(labels=["tea", "milk", "juice"])
    scores = pd.DataFrame([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]], columns=structure.feature_names())
    moved = scores[["milk before juice", "tea before milk", "tea before juice"]]
    arrow = imported_pyarrow().Table.from_pandas(moved)
    asked = {
        "decode": lambda s: structure.decode(s),
        "marginals": lambda s: structure.marginals(s),
        "ln Z": lambda s: sampling.log_partition(structure, s, method="taylor").value,
        "draws": lambda s: sampling.sample(structure, s, 5, random_state=0).y.swapaxes(0, 1),
        "estimates": lambda s: sampling.estimate_marginals(structure, s, random_state=0).value,
        "search": lambda s: sampling.search(structure, s, random_state=0).y,
        "loss": lambda s: losses.structured_log_loss(structure, s, [[3, 2, 1]] * len(s), per_row=True),
    }
    for name, ask in asked.items():
        want = ask(scores.to_numpy())
        assert not np.array_equal(want, ask(moved.to_numpy())), name
        for given in (moved, moved.astype("Float64"), arrow):
            np.testing.assert_array_equal(ask(given), want, err_msg=name)
    for i, row in enumerate(scores.to_numpy()):
        np.testing.assert_array_equal(structure.marginals(moved.iloc[i]), structure.marginals(row))
    with pytest.raises(ValueError):
        structure.marginals(moved.rename(columns={"tea before milk": "tea"}))
    plain = LabelSets(2)  # its entries are called label0 and label1
    for given in ({"label1": [2.0], "label0": [1.0]}, {0: [1.0], 1: [2.0]}, {1: [2.0], 0: [1.0]}):
        np.testing.assert_array_equal(plain.marginals(pd.DataFrame(given)), plain.marginals([[1.0, 2.0]]))
    with pytest.raises(ValueError):
        plain.marginals(pd.DataFrame({"tea": [1.0], "milk": [2.0]}))
    with pytest.raises(TypeError):
        structure.decode(csr_array(scores))
