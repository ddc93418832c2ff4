"""The core's training of label rankers from preferences between pairs of labels, on arrays.

``capi/combpred.h`` states the problems and the steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import abi
from .arrays import FloatArray, allocate
from .call import computed
from .ridge import Design
from .table import columns, contiguous, read, record

_MOST_ROUNDS = 2**20  # of boosting, for whose way there is room


class Subgraphs(NamedTuple):
    """Divisions of the preferences of n rows into subgraphs, by a function of the user's.

    Attributes
    ----------
    rows : ndarray of shape (n + 1,), int64
        The subgraphs of row i are numbers ``rows[i]`` to ``rows[i + 1] - 1``.
    edges : ndarray of shape (s + 1,), int64
        The edges of each, likewise.
    ends : ndarray of shape (m, 2), int32
        Winner and loser of each edge.
    """

    rows: NDArray[np.int64]
    edges: NDArray[np.int64]
    ends: NDArray[np.int32]

    def fields(self) -> dict[str, Any]:
        """Return the fields of ``cp_preferences``."""
        return {
            "own_rows": self.rows, "n_own": len(self.edges) - 1, "own_edges": self.edges, "own_ends": self.ends
        }  # fmt: skip


class Examples:
    """What n rows say about pairs of k labels.

    Parameters
    ----------
    signs : ndarray of shape (n, k(k-1)/2), int8
    margins : ndarray of shape (n, k(k-1)/2), or None
        By which the scores of a pair are to differ; None for 1.
    weights : ndarray of shape (n,), or None
    k : int
    subgraphs : {"edges", "stars", "graph", "sinks"} or Subgraphs, default="edges"
    """

    def __init__(
        self,
        signs: NDArray[np.int8],
        margins: FloatArray | None,
        weights: FloatArray | None,
        k: int,
        subgraphs: str | Subgraphs = "edges",
    ) -> None:
        self.n, self.k, self.shape = len(signs), k, (len(signs), k * (k - 1) // 2)
        self.struct = record(
            abi.CPreferences, k=k, signs=contiguous(signs, np.int8), margins=margins, weights=weights,
            **(subgraphs.fields() if isinstance(subgraphs, Subgraphs) else {"subgraphs": subgraphs}),
        )  # fmt: skip


class Trained(NamedTuple):
    """A support vector machine.

    Attributes
    ----------
    coefficients : ndarray of shape (q, k) or (n, k)
        Weights of features, or coefficients of rows.
    objective, gap : float
        The objective and a bound on its distance to the minimum.
    n_iter : int
        Passes over the rows.
    converged : bool
    alpha : ndarray of shape (n, k(k-1)/2), or None
        Dual variables of preferences.
    """

    coefficients: FloatArray
    objective: float
    gap: float
    n_iter: int
    converged: bool
    alpha: FloatArray | None = None


class Passes(NamedTuple):
    """How long a support vector machine is trained, and the seed of its order of rows."""

    tol: float
    max_iter: int
    seed: int
    n_threads: int
    verbose: int = 0


def svm_linear(examples: Examples, design: Design, cost: float, how: Passes) -> Trained:
    """Minimise ½‖W‖² + cost·Σ weighted losses over weights of features, the constant one last."""
    return _svm(design, None, examples, cost, how)


def svm_kernel(examples: Examples, kernel: FloatArray, cost: float, how: Passes) -> Trained:
    """Do the same over coefficients of the rows of a symmetric kernel matrix (n, n)."""
    return _svm(None, kernel, examples, cost, how)


def _svm(design: Design | None, kernel: FloatArray | None, examples: Examples, cost: float, how: Passes) -> Trained:
    what = f"the dual variables of {examples.n} rows over {examples.k} labels"
    alpha = allocate(examples.shape, np.float64, what, "train on fewer rows")
    rows = examples.n if design is None else design.n_weights
    coefficients = allocate((rows, examples.k), np.float64, "the coefficients", "use fewer features")
    options = {"c": cost, "tol": how.tol, "max_iter": how.max_iter, "seed": how.seed}
    info = computed(
        "cp_labelrank_svm", design, kernel, examples, options, alpha=alpha, coef=coefficients,
        n_threads=how.n_threads, label="support vector machine", verbose=how.verbose,
    )  # fmt: skip
    return read(Trained, info, coefficients=coefficients, alpha=alpha)


class RankingLoss(NamedTuple):
    """A loss of rankings.

    Attributes
    ----------
    name : str
        Of ``names.POSITION_LOSSES``, or of ``names.OWN_RANKING_LOSSES``, which have `losses`.
    top : int
        How many positions it looks at; 0 for "ndcg" of all.
    losses : ndarray or None
        "by-position" (k, k), "by-hits" (top + 1,), "listed" (n, m).
    listed : ndarray of shape (m, k), int32, or None
        Positions of the rankings of "listed".
    """

    name: str
    top: int = 0
    losses: FloatArray | None = None
    listed: NDArray[np.int32] | None = None


def svm_direct(
    design: Design,
    positions: NDArray[np.int32],
    weights: FloatArray | None,
    position_weights: FloatArray,
    loss: RankingLoss,
    cost: float,
    how: Passes,
) -> Trained:
    """Train weights of features (q, k), by which labels are sorted, for rankings with `positions` (n, k), from 1 on.

    `position_weights` (k,) must not increase.
    """
    rankings = {
        "positions": positions, "weights": weights, "top": loss.top, "losses": loss.losses, "listed": loss.listed
    }  # fmt: skip
    options = {"c": cost, "tol": how.tol, "max_iter": min(how.max_iter, 2**30)}
    coefficients, info = computed(
        "cp_labelrank_direct", design, rankings, loss.name, position_weights, options, n_threads=how.n_threads,
        label="DirectRankingSVM", verbose=how.verbose,
    )  # fmt: skip
    return read(Trained, info, coefficients=coefficients, alpha=None)


class Read(NamedTuple):
    """What positions (n, k) say about labels.

    Attributes
    ----------
    ranks : ndarray of shape (n, k), int32
        Dense ranks from 1 on, equal ones tied, 0 where unknown.
    signs : ndarray of shape (n, k(k-1)/2), int8
        Of the pairs u < v: 1 where u is before v, −1 where it is behind, 0 where they are tied or one is unknown.
    gaps : ndarray of shape (n, k(k-1)/2), or None
        By how much the positions of a pair differ; 1 where one is unknown.
    """

    ranks: NDArray[np.int32]
    signs: NDArray[np.int8]
    gaps: FloatArray | None


def read_positions(positions: FloatArray, *, gaps: bool = False) -> Read:
    """Return what positions, above 0 or −1 or NaN where unknown, say about labels, with `gaps` where wanted."""
    n, k = positions.shape
    shape, remedy = (n, k * (k - 1) // 2), "train on fewer rows"
    signs = allocate(shape, np.int8, f"the preferences of {n} rows over {k} labels", remedy)
    apart = allocate(shape, np.float64, f"the margins of {n} rows over {k} labels", remedy) if gaps else None
    return Read(computed("cp_labelrank_read", positions, signs=signs, gaps=apart), signs, apart)


class Neighbors(NamedTuple):
    """Numbers (n, m) of rows of training for each of n others, and their weights (n, m).

    With the Borda scores of the rows of training (N, k), where they are known.
    """

    numbers: NDArray[np.int64]
    weights: FloatArray
    counts: NDArray[np.int32] | None = None


class NeighborsConsensus(NamedTuple):
    """What neighbours make of the labels: what is None was not wanted.

    Attributes
    ----------
    scores : ndarray of shape (n, k), or None
        Mean Borda scores, centred.
    positions : ndarray of shape (n, k), int32, or None
        Of the Kemeny consensus, from 1 on.
    theta, probability : ndarray of shape (n,), or None
        Of Mallows' model around the positions.
    pairs : ndarray of shape (n, k, k), or None
        Shares of the neighbours that prefer the label of the row to that of the column.
    """

    scores: Any = None
    positions: Any = None
    theta: Any = None
    probability: Any = None
    pairs: Any = None


def neighbors_consensus(
    examples: Examples, neighbors: Neighbors, wanted: str, *, n_threads: int | None = None
) -> NeighborsConsensus:
    """Return the consensus of neighbours among examples: "borda", "kemeny" or "mallows", or the shares of "pairs"."""
    parts = {"borda": ("scores",), "pairs": ("pairs",), "kemeny": ("positions",)}
    asked = parts.get(wanted, ("positions", "theta", "probability"))
    unwanted = dict.fromkeys(name for name in NeighborsConsensus._fields if name not in asked)
    found = computed("cp_labelrank_consensus", examples, neighbors, n_threads=n_threads, **unwanted)
    return NeighborsConsensus(**dict(zip(asked, found if len(asked) > 1 else (found,), strict=True)))


@dataclass
class OnlineState:
    """What online steps change in place.

    Attributes
    ----------
    weights : ndarray of shape (q, k)
        W, the constant feature's last.
    theta : ndarray of shape (q, k), or None
        What a multiplicative learner makes W from.
    average : ndarray of shape (q, k), or None
        The mean of W.
    tally : ndarray of shape (4,)
        Sums of the weights of rows, of mistakes and of losses; the largest weighted squared norm.
    """

    weights: FloatArray
    theta: FloatArray | None = None
    average: FloatArray | None = None
    tally: FloatArray = field(default_factory=lambda: np.zeros(4))

    @classmethod
    def of(cls, q: int, k: int, *, multiplicative: bool, average: bool) -> OnlineState:
        """Begin at zero."""
        zeros = [np.zeros((q, k)) if wanted else None for wanted in (True, multiplicative, average)]
        assert zeros[0] is not None
        return cls(zeros[0], zeros[1], zeros[2])

    def copy(self) -> OnlineState:
        """Return a copy in C-contiguous arrays, which steps may change."""
        arrays = (self.weights, self.theta, self.average, self.tally)
        return OnlineState(*(None if a is None else np.array(a, order="C") for a in arrays))  # type: ignore[arg-type]


class OnlineUpdate(NamedTuple):
    """Which step is taken on a row: one of ``names.UPDATES``, and the numbers it uses."""

    name: str
    rate: float
    radius: float
    cost: float

    def options(self) -> dict[str, Any]:
        """Return the fields of ``cp_online_options``."""
        return {"update": self.name, "rate": self.rate, "radius": self.radius, "c": self.cost}


def online(
    examples: Examples,
    design: Design,
    update: OnlineUpdate,
    state: OnlineState,
    *,
    order: NDArray[np.int64] | None = None,
    n_threads: int = 1,
    verbose: int = 0,
) -> None:
    """Take a step on each row, in the given order of row numbers, changing `state`.

    Raises
    ------
    NumericalError
        When the numbers overflow.
    """
    if order is not None and order.shape != (examples.n,):
        raise ValueError(f"order has shape {order.shape}, must be ({examples.n},)")
    changed = {
        "q": design.n_weights, "k": examples.k, "coef": state.weights, "theta": state.theta, "average": state.average,
        "tally": state.tally,
    }  # fmt: skip
    computed(
        "cp_labelrank_online", design, examples, {**update.options(), "order": order}, changed, n_threads=n_threads,
        label="online label ranking", verbose=verbose, total=examples.n,
    )  # fmt: skip


def mistake_bound(examples: Examples, design: Design, update: OnlineUpdate, coef: FloatArray, n_passes: int) -> float:
    """Return what weighted mistakes cannot exceed in so many passes, from the losses of fixed weights (q, k)."""
    bound: float = computed(
        "cp_labelrank_mistake_bound", design, examples, update.options(), coef, n_passes, n_threads=1
    )
    return bound


class Boosted(NamedTuple):
    """What boosting found, with the objectives and the sure decreases on the way."""

    weights: FloatArray
    losses: FloatArray
    bounds: FloatArray
    converged: bool


def boost(
    examples: Examples,
    design: Design,
    scores: FloatArray | None,
    *,
    alpha: float,
    min_gain: float,
    max_iter: int,
    n_threads: int,
    verbose: int = 0,
) -> Boosted:
    """Boost weights of features (q, k), the constant one last, or with `scores` (n, k, J) those of J rankers."""
    if scores is not None and np.shape(scores)[-1:] == (0,):  # the core would take no scores for features to be boosted
        raise ValueError("base_rankers is empty: give at least one, or None for the features")
    most = min(max_iter, _MOST_ROUNDS)
    way = columns(abi.CBoostCurve, n_curve=most)
    options = {"alpha": alpha, "min_gain": min_gain, "max_iter": min(max_iter, 2**50), "scores": scores}
    found, n_iter, status = computed(
        "cp_labelrank_boost", design, examples, options, {"n_curve": most, **way}, with_status=True,
        n_threads=n_threads, label="boosting", verbose=verbose,
    )  # fmt: skip
    weights = found if scores is not None else found.reshape(design.n_weights, examples.k)
    rounds = min(n_iter, most)
    return Boosted(weights, way["losses"][: rounds + 1], way["bounds"][:rounds], status == abi.OK)
