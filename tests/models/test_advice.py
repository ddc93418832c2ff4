"""Advice in refusals: every parameter value that a message tells to take is one that works."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from combpred import CapabilityError, ProbabilisticStructured, SamplingError, StructuredRidge
from combpred.baselines import StructuredSVM
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    DirectedCycles,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Permutations,
    PosetElements,
    Routes,
    SpanningTrees,
    Subtrees,
    Tournaments,
    WeakOrders,
)

BITS = {"mean": [0.5] * 3, "second_moment": np.full((3, 3), 0.25) + np.eye(3) / 4, "embed": np.asarray}
STRUCTURES = {
    **{
        type(each).__name__: each
        for each in (
            MultiClass(3), LabelSets(3), Ordinal(4), Hierarchy([-1, 0, 0, 1]), Subtrees([-1, 0, 0, 1]), Graphs(4),
            Permutations(5), SpanningTrees(5), Tournaments(4), Cliques(5), Assignments(4),
            PosetElements(np.triu(np.ones((4, 4), bool))),
            WeakOrders(17), Cycles(17), DirectedCycles(17), Routes(17), PartialOrders(9),
        )
    },
    "observed": LabelSets(3, observed=[[0, 0, 1], [1, 1, 0]]),
    "list": Custom.from_structures(range(3), np.eye(3)),
    "sampler": Custom.from_sampler(
        lambda rng: rng.integers(0, 2, size=3), np.asarray, n_moment_samples=100, n_proposals=64
    ),
    "formulas": Custom(log_count=3 * np.log(2), decode=lambda scores: (scores > 0).astype(int), **BITS),
}  # fmt: skip
MODELS = [
    *(StructuredRidge(decision=decision) for decision in ("f1", "mbr")),
    *(StructuredRidge(loss=loss, decoder=how) for loss, how in (("auc", "exact"), ("squared", "anneal"))),
    *(ProbabilisticStructured(decision=decision) for decision in ("mbr", "f1", "median", "own")),
    *(ProbabilisticStructured(inference=inference) for inference in ("exact", "taylor", "mcmc")),
    *(ProbabilisticStructured(sampler=sampler) for sampler in ("cftp", "exact", "local")),
    ProbabilisticStructured(solver="newton"),
    StructuredSVM(),
]
TAKEN = re.compile(r"(?:take|set|or) ((?:\w+='[\w-]+'(?:, |,? or '[\w-]+'| or (?=\w+='))?)+)")


def data(structure, n=3):
    """Return inputs and outputs of the structure."""
    X = np.random.default_rng(0).normal(size=(n, 2))
    try:
        return X, structure.decode(np.random.default_rng(1).normal(size=(n, structure.n_features)))
    except CapabilityError:
        return X, structure.sample(n, random_state=0)


def proposed(message):
    """Return the values of parameters that a message tells to take."""
    return [
        (name, value)
        for part in TAKEN.findall(message)
        for name, values in re.findall(r"(\w+)=('[\w-]+'(?: or '[\w-]+')*)", part)
        for value in re.findall(r"'([\w-]+)'", values)
    ]


def refused(model, X, y):
    """Return how a fit with two predictions is refused, None where it is not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X, y).predict(X[:2])
        except SamplingError:
            pass  # it works, but takes too long here
        except (CapabilityError, ValueError) as error:
            return str(error)
    return None


def test_values_are_found_in_messages():
    assert proposed("take inference='mcmc'") == [("inference", "mcmc")]
    assert proposed("needs x='y': take solver='auto' or 'sgd', or inference='exact'") == [
        ("solver", "auto"), ("solver", "sgd"), ("inference", "exact"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", STRUCTURES)
def test_what_is_advised_works(name):
    structure = STRUCTURES[name]
    X, y = data(structure)
    for model in MODELS:
        model = clone(model).set_params(structure=structure, max_iter=2)
        if isinstance(model, ProbabilisticStructured):
            model.set_params(epsilon=0.5, alpha=1000.0)
        why = refused(model, X, y)
        if why is None:
            continue
        for parameter, value in proposed(why):
            if parameter in model.get_params() and getattr(model, parameter) != value:
                other = clone(model).set_params(**{parameter: value})
                left = refused(other, X, y)  # what else was asked for, or the structure, may lack something, too
                assert left is None or (parameter, value) not in proposed(left), (why, parameter, value, left)
                assert left is None or value not in left.split(";")[0], (why, parameter, value, left)
