"""Random data with structures as targets."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from .._data.checks import check_argument, whole_number
from .._data.converters import positions_by_score
from .._data.glossary import documented
from ..structures import DirectedCycles, Hierarchy

RandomState = int | np.random.RandomState | None

_NOT_NEGATIVE = Interval(Real, 0, None, closed="left")


@documented
def make_label_ranking(
    n_samples: int = 100,
    n_features: int = 10,
    n_labels: int = 5,
    *,
    noise: float = 0.1,
    random_state: RandomState = None,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Generate rankings of labels by noisy linear utilities.

    Inputs are standard normal. Every label has a utility that is linear in the input, with standard normal weights
    divided by the square root of `n_features`, and normal noise is added to it; the labels are ranked by decreasing
    utility.

    Parameters
    ----------
    n_samples, n_features : int, default=100, 10
        At least 1.
    n_labels : int, default=5
        At least 2.
    noise : float, default=0.1
        Standard deviation of the noise; about that of the utilities at 1. With 0, the ranking is a function of the
        input.
    %(seed_of_data)s

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples, n_labels), dtype=int32
        ``y[i, u]`` is the position of label u, 1 for the first.

    Raises
    ------
    TypeError, ValueError
        When a parameter has the wrong type or is out of its range; names it.

    Examples
    --------
    >>> from combpred.datasets import make_label_ranking
    >>> X, y = make_label_ranking(4, n_labels=3, random_state=0)
    >>> X.shape, sorted(y[0].tolist())
    ((4, 10), [1, 2, 3])
    """
    at_least(1, n_samples=n_samples, n_features=n_features)
    at_least(2, n_labels=n_labels)
    check_argument(noise, "noise", _NOT_NEGATIVE)
    rng = check_random_state(random_state)
    X = rng.standard_normal((n_samples, n_features))
    weights = rng.standard_normal((n_features, n_labels)) / np.sqrt(n_features)
    return X, positions_by_score(X @ weights + noise * rng.standard_normal((n_samples, n_labels)))


@documented
def make_hierarchy(
    n_samples: int = 100,
    n_features: int = 10,
    *,
    depth: int = 3,
    branching: int = 2,
    separation: float = 2.0,
    random_state: RandomState = None,
) -> tuple[NDArray[np.float64], NDArray[np.int32], Hierarchy]:
    """Generate classes that are leaves of a complete tree: those near in the tree are near in the input space.

    The centre of every node is that of its parent plus a normal step of length about `separation` divided by the
    node's depth; inputs are the centre of a uniform leaf plus standard normal noise.

    Parameters
    ----------
    n_samples, n_features : int, default=100, 10
        At least 1.
    depth : int, default=3
        Number of levels below the root, at least 1.
    branching : int, default=2
        Number of children of every inner node, at least 2. There are ``branching ** depth`` leaves.
    separation : float, default=2.0
        Length of the steps from the root to its children, against noise of length 1 in every direction.
    %(seed_of_data)s

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), dtype=int32
        The leaf of each sample; nodes are numbered level by level, the root is 0.
    structure : Hierarchy
        The tree, with leaves as the allowed nodes.

    Raises
    ------
    TypeError, ValueError
        When a parameter has the wrong type or is out of its range; names it.

    Examples
    --------
    >>> from combpred.datasets import make_hierarchy
    >>> X, y, tree = make_hierarchy(20, depth=2, branching=3, random_state=0)
    >>> tree.count()
    9
    """
    at_least(1, n_samples=n_samples, n_features=n_features, depth=depth)
    at_least(2, branching=branching)
    check_argument(separation, "separation", _NOT_NEGATIVE)
    rng = check_random_state(random_state)
    # Level by level, the children of node v are branching·v + 1, …, branching·v + branching.
    n_nodes = (branching ** (depth + 1) - 1) // (branching - 1)
    parent = (np.arange(n_nodes) - 1) // branching  # −1 for the root
    first_leaf = n_nodes - branching**depth
    centres = np.zeros((n_nodes, n_features))
    start = 1
    for level in range(1, depth + 1):
        nodes = slice(start, start + branching**level)
        steps = rng.standard_normal((branching**level, n_features)) * (separation / (level * np.sqrt(n_features)))
        centres[nodes] = centres[parent[nodes]] + steps
        start = nodes.stop
    y = rng.randint(first_leaf, n_nodes, size=n_samples).astype(np.int32)
    X = centres[y] + rng.standard_normal((n_samples, n_features))
    return X, y, Hierarchy(parent.astype(np.int32), allowed="leaves")


@documented
def make_identity_labels(
    n_samples: int = 100, n_labels: int = 5, *, random_state: RandomState = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Generate label sets that are to be predicted from themselves: the identity function on {0, 1}^d.

    Inputs are independent uniform bit strings, with repetitions once there are more samples than strings, and the
    label set of an input is the input itself. Without noise, and linear in the inputs, it tells how fast a learner
    approaches a known optimum, and nothing else.

    Parameters
    ----------
    n_samples : int, default=100
        At least 1.
    n_labels : int, default=5
        Number of labels d, which is also the number of features; at least 1.
    %(seed_of_data)s

    Returns
    -------
    X : ndarray of shape (n_samples, n_labels), dtype=float64
        0 and 1.
    y : ndarray of shape (n_samples, n_labels), dtype=int64
        The same numbers, a target for ``LabelSets(n_labels)``.

    Raises
    ------
    TypeError, ValueError
        When a parameter has the wrong type or is out of its range; names it.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 5.5: the experiments on scalable training.

    Examples
    --------
    >>> from combpred.datasets import make_identity_labels
    >>> X, y = make_identity_labels(6, random_state=0)
    >>> y.shape, bool((X == y).all())
    ((6, 5), True)
    """
    at_least(1, n_samples=n_samples, n_labels=n_labels)
    y = check_random_state(random_state).randint(2, size=(n_samples, n_labels)).astype(np.int64)
    return y.astype(np.float64), y


def at_least(least: int, **values: Any) -> None:
    """Raise TypeError or ValueError for a size that is not an integer of at least `least`."""
    for name, value in values.items():
        whole_number(value, name, least, 2**31 - 1)


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
    The experiment of Vembu (2010), section 5.5, has 15 features, 10 places and 500 people to test on, and shows the
    cosine between hidden and estimated policies against the number of people to learn from.

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
