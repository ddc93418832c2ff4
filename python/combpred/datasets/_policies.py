"""Cyclic tours that follow hidden policies: the thesis's experiment on directed cycles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._data.glossary import documented
from ..structures import DirectedCycles
from ._generated import RandomState, at_least


@documented
def make_dicycle_policies(
    n_samples: int = 100,
    n_features: int = 15,
    n_places: int = 10,
    *,
    random_state: RandomState = None,
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
    r"""Generate people, the cyclic tours they take, and the hidden policies that make them take these.

    Everyone has standard normal features x and a policy :math:`p(x) = Ax`, a reward for every pair u < v of places: to
    go from u to v earns :math:`p_{uv}`, from v to u as much less. A is the same for all, with standard normal entries
    divided by the square root of `n_features`. The person takes the directed cycle of three or more places whose
    arcs earn the most. The task is to predict the tours, and so the policies, of people of whom only the features are
    known.

    Parameters
    ----------
    n_samples : int, default=100
        Number of people, at least 1.
    n_features : int, default=15
        Number of features of each, at least 1.
    n_places : int, default=10
        Number of places, at least 3. Tours are the best ones up to 16 places, beyond that good ones, found by local
        search.
    %(seed_of_data)s

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples, n_places), dtype=int32
        The tours in the format of `combpred.structures.DirectedCycles`.
    policies : ndarray of shape (n_samples, n_places * (n_places - 1) / 2)
        The rewards of each person, pairs in lexicographic order. Rewards that come from a potential, as much for
        leaving a place as entering it costs, cancel along every cycle; they are removed, so that the policies can be
        compared with the `feature_scores` of an estimator.

    Raises
    ------
    TypeError, ValueError
        When a parameter has the wrong type or is out of its range; names it.

    Notes
    -----
    The experiment of Vembu (2010), ch. 5, has 15 features, 10 places and 500 people to test on, and shows the cosine
    between hidden and estimated policies against the number of people to learn from.

    Costs O(n_samples · 2^n_places · n_places²) up to 16 places.

    Examples
    --------
    >>> from combpred.datasets import make_dicycle_policies
    >>> X, y, policies = make_dicycle_policies(3, n_places=5, random_state=0)
    >>> X.shape, y.shape, policies.shape
    ((3, 15), (3, 5), (3, 10))
    """
    at_least(1, n_samples=n_samples, n_features=n_features)
    at_least(3, n_places=n_places)
    rng = check_random_state(random_state)
    tail, head = np.triu_indices(n_places, 1)
    weights = rng.standard_normal((n_features, len(tail))) / np.sqrt(n_features)
    # The potential of a place is what leaves it, less what enters it, over the number of places.
    incidence = np.zeros((len(tail), n_places))
    incidence[np.arange(len(tail)), tail], incidence[np.arange(len(tail)), head] = 1, -1
    weights -= (weights @ incidence / n_places) @ incidence.T
    X = rng.standard_normal((n_samples, n_features))
    policies = X @ weights
    return X, DirectedCycles(n_places).decode(policies), policies
