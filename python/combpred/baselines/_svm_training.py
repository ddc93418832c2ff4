"""From checked training data to the fitted attributes of a structured support vector machine."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._abi import Control
from .._config import get_n_threads
from .._decoding import Decoding
from .._errors import CapabilityError
from .._kernel_estimator import TrainingRows
from .._memory import require_memory
from .._progress import reported
from .._warn import warn_user
from ..structures import Structure
from ..structures._losses import is_affine, resolve_cost
from ._blocks import Blocks, refuse_sets
from ._cutting_planes import cutting_planes
from ._frank_wolfe import frank_wolfe
from ._oracles import ListingOracle, MarginOracle, Oracle
from ._slack import SlackOracle

FloatArray = NDArray[np.float64]

_LISTED_NUMBERS = 2**14  # entries of ψ of all outputs up to which slack rescaling looks at each: 0.1 ms a row
_MOST_LISTED = 2**24  # and up to which a loss that is not affine is taken at all
_REMEDY = "fit fewer rows, or a smaller structure"


def train(model: Any, rows: TrainingRows, rng: np.random.RandomState) -> None:
    """Train `model`, whose structure and kernel are settled, and set its fitted attributes."""
    refuse_sets(model, rows)
    structure: Structure = model.structure_
    model.cost_ = resolve_cost(structure, model.cost)
    targets = model._embed_rows(rows)
    blocks = Blocks.of(model, rows.X, targets)
    m, d = blocks.psi.shape
    require_memory(8 * (6 + 2 * model.average) * m * d, f"means of {m} rows in {d} features", _REMEDY)
    how = Decoding(model.decoder, get_n_threads(model.n_jobs), int(rng.randint(2**31)))
    oracle = oracle_of(model, blocks, how)
    penalties = float(model.C) * blocks.weights
    start = np.zeros(m)
    if isinstance(oracle, MarginOracle):  # where ψ is a mean over several outputs, the mean of their losses
        start = oracle.loss.of_means(blocks.psi)
    control = Control()

    with reported(control, type(model).__name__, verbose=int(model.verbose)):
        if model.solver == "cutting-plane":
            found = cutting_planes(
                blocks, oracle, penalties, start, tol=float(model.tol), max_iter=int(model.max_iter), control=control
            )
        else:
            found = frank_wolfe(
                blocks, oracle, penalties, start, tol=float(model.tol), max_iter=int(model.max_iter),
                average=bool(model.average), rng=rng, control=control,
            )  # fmt: skip
    blocks.keep_weights(model, rows.X, found.weights)
    model.objective_, model.dual_gap_, model.exact_ = found.objective, found.gap, found.exact
    model.n_iter_, model.n_oracle_calls_, model.gap_curve_ = found.n_iter, found.n_oracle_calls, found.curve
    if found.gap > model.tol * found.objective:
        warn_user(
            f"the solver stopped after {found.n_iter} passes at a duality gap of {found.gap / found.objective:.1e} of "
            f"the objective, above tol={model.tol:.1e}: raise max_iter or tol, lower C, or scale the inputs"
            + ("" if model.solver == "cutting-plane" else "; solver='cutting-plane' reaches small gaps sooner"),
            ConvergenceWarning,
        )


def oracle_of(model: Any, blocks: Blocks, how: Decoding) -> Oracle:
    """Return what finds the worst structures; CapabilityError where nothing does, naming what can be done."""
    structure, cost, slack = model.structure_, model.cost_, model.rescaling == "slack"
    affine, candidates = is_affine(structure, cost), int(model.n_candidates or 0)
    if candidates and (slack or not affine):
        raise CapabilityError(
            f"n_candidates={candidates} is for rescaling='margin' and a loss that is affine in ψ, got rescaling="
            f"{model.rescaling!r} and cost={cost!r}: leave it out"
        )
    if affine and not slack:
        return MarginOracle(structure, blocks.psi, blocks.affine_loss(structure, cost), how, candidates)
    what = "rescaling='slack'" if slack else f"cost={cost!r}"
    blocks.require_complete(structure, f"{what} is for complete ones; take rescaling='margin' and cost='kendall'")
    if not affine or _is_listed(structure, _LISTED_NUMBERS):
        return ListingOracle(structure, blocks.psi, _members(structure, cost), cost, slack)
    return SlackOracle(structure, blocks.psi, blocks.affine_loss(structure, cost), how)


def _is_listed(structure: Structure, most: int) -> bool:
    if structure._parts_dtype != np.int32:
        return False
    try:
        return structure.log_count() <= log(most / structure.n_features)
    except CapabilityError:
        return False


def _members(structure: Structure, cost: str) -> FloatArray:
    """Return ψ of all outputs."""
    if not _is_listed(structure, _MOST_LISTED):
        raise CapabilityError(
            f"cost={cost!r} is not affine in the embedding of {structure!r}, and the space is too large to be listed: "
            "take cost='auto', or StructuredPerceptron, which needs no loss"
        )
    return np.concatenate([structure._embed_parts(parts) for parts in structure._listed_parts()])
