"""Training of ProbabilisticStructured from checked data to fitted attributes; the core does the mathematics."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._data.blocks import Block
from .._data.checks import counted
from .._data.inputs import require_short_rows, require_weight, square_norms
from .._data.warn import warn_user
from .._lib.arrays import FloatArray, row_blocks
from .._lib.call import get_n_threads
from .._lib.errors import CapabilityError, SamplingError
from .._lib.loglinear import KernelFeatures, LoglinearProblem
from .._lib.ridge import Targets
from .._lib.sampling import Plan
from ..sampling.engines import SAMPLED_TOL, TRAINING_EVALUATIONS, Engine, Training, engine_of, resolve_method
from ..sampling.samplers import CHAINED, chain_instead, diagnostics_of, warn_unless_mixed, with_remedies
from .rows import BlockRows
from .training import (
    EarlierFit,
    keep_dual,
    keep_weights,
    kernel_features,
    linear_scores,
    require_linear,
    resolve_from_blocks,
    source_of,
)

# Order of a kernel matrix that takes the place of more features: some ten seconds to diagonalise.
_LARGEST_GRAM = 4096
_DIAGNOSED, _COMPUTED = 64, 16  # rows whose chains are judged after training; of structures that Python draws


def solver_of(model: Any, engine: Engine) -> str:
    """Return the solver that trains on rows in memory; CapabilityError where the one asked for cannot."""
    able = engine.name == "recursion" and {"independent", "exclusive"} & set(model.structure_.space.capabilities)
    if model.solver == "newton" and not able:
        raise CapabilityError(
            f"solver='newton' with inference={model.inference!r} is not for {model.structure_!r}: it takes exact "
            "inference, and classes or a structure whose entries of ψ do not depend on each other (LabelSets without a "
            "size, Tournaments); set solver='auto'"
        )
    if model.solver != "auto":
        return str(model.solver)
    return "sgd" if engine.is_random else "newton" if able else "lbfgs"


def fit_rows(model: Any, X: Any, targets: Targets, engine: Engine, earlier: EarlierFit | None = None) -> None:
    """Maximise the likelihood of all rows by the solver of `model`, and set its fitted attributes."""
    n, p = X.shape
    weights = targets.row_weights()
    kept = np.arange(n) if weights is None else np.flatnonzero(weights)  # a weight of 0 leaves a row out
    if model.kernel_.is_linear:
        require_short_rows(square_norms(X)[kept], kept)
    by_sgd, by_lbfgs = (model.solver_ == solver for solver in ("sgd", "lbfgs"))
    features, intercept, kernel = X, bool(model.fit_intercept), None
    # A linear kernel is taken as one where the rows are fewer than the features.
    if not model.kernel_.is_linear or by_lbfgs and len(kept) < p and len(kept) <= _LARGEST_GRAM:
        of_rows = np.ones(n) if weights is None else weights
        kernel = kernel_features(model, X if len(kept) == n else X[kept], of_rows[kept], kept)
        features, intercept, targets = kernel.rows, False, targets.take(kept)
    start = None if earlier is None else earlier.weights(X, kernel, kept, intercept=intercept)
    training = engine.for_training(len(kept))
    problem = _problem(model, engine, training, model.solver_, kernel)
    found = _trained(model, problem, features, targets, training, intercept=intercept, start=start)
    solution = found.state.average
    if kernel is None:
        keep_weights(model, solution)
    else:
        dual = np.zeros((n, solution.shape[1]))
        dual[kept] = kernel.dual(solution)
        keep_dual(model, X, dual)
    model.n_iter_, model.inference_ = max(found.n_iter, 1), engine.name
    if not np.isnan(found.objective):
        model.objective_ = found.objective
    if by_sgd and kernel is None:
        model.descent_ = found.state
    numbers = kept if kernel is None else np.arange(len(kept))
    if engine.has_range:
        for rows in row_blocks(len(numbers), solution.shape[1]):
            engine.check_range(linear_scores(features[numbers[rows]], solution))
    _diagnose(model, training, found, features[numbers], problem)
    _warn_unless_converged(found, by_sgd, problem, engine)


def continue_descent(model: Any, X: Any, targets: Targets, engine: Engine) -> None:
    """Pass once over the rows of X from the state of `model`, and set its fitted attributes."""
    weights = targets.row_weights()
    kept = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)
    require_short_rows(square_norms(X)[kept], kept)
    training = engine.for_training(len(kept))
    problem = _problem(model, engine, training, "online", None)
    found = _trained(
        model, problem, X, targets, training, intercept=bool(model.fit_intercept),
        start=getattr(model, "descent_", None),
    )  # fmt: skip
    model.descent_ = found.state
    keep_weights(model, found.state.average)
    model.n_iter_ = getattr(model, "n_iter_", 0) + 1
    model.inference_ = engine.name


def _problem(
    model: Any, engine: Engine, training: Training, solver: str, kernel: KernelFeatures | None
) -> LoglinearProblem:
    seed = engine.settings.seed
    if solver in ("sgd", "online") and not engine.is_random:  # of the order of rows
        seed = int(check_random_state(model.random_state).randint(2**62, dtype=np.int64))
    options = {
        "solver": solver,
        "distribution": training.distribution,
        "alpha": float(model.alpha),
        "tol": float(model.tol),
        "max_iter": int(model.max_iter),
        "seed": seed,
        "kernel": int(kernel is not None),
        "sampled": int(engine.is_random),
        "intercept": int(model.fit_intercept),
    }
    return LoglinearProblem(
        model.structure_.space.description, options, get_n_threads(model.n_jobs), type(model).__name__,
        int(model.verbose),
    )  # fmt: skip


def _trained(
    model: Any, problem: LoglinearProblem, features: Any, targets: Targets, training: Training, **given: Any
) -> Any:
    try:
        return problem.fit(features, targets, answers=training.answers, **given)
    except SamplingError as error:
        raise with_remedies(error, "raise alpha", *chain_instead(model.structure_)) from None


def _diagnose(model: Any, training: Training, found: Any, features: Any, problem: LoglinearProblem) -> None:
    """Set `chain_diagnostics_` from chains of some rows, which begin where training has left them if that is known."""
    if training.method not in CHAINED or not len(features):
        return
    n, most = len(features), _DIAGNOSED if model.structure_.space.in_library else _COMPUTED
    rows = np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))
    scores, start = linear_scores(features[rows], found.state.average), None
    if found.chains is not None:
        start = np.repeat(found.chains[rows], 2, axis=1).reshape(4 * len(rows), -1)  # chains are judged by four
    plan = Plan(training.method, seed=problem.options["seed"] + 1, diagnosed=True)
    chains = model.structure_.space.draw(scores, plan, start, n_threads=problem.n_threads).chains
    model.chain_diagnostics_ = diagnostics_of(training.method, rows, [chains])
    warn_unless_mixed(model.chain_diagnostics_, "training")


def _warn_unless_converged(found: Any, by_sgd: bool, problem: LoglinearProblem, engine: Engine) -> None:
    """Issue a ConvergenceWarning where training ended before `tol`, by more than the noise of a good fit."""
    tol = problem.options["tol"]
    if found.converged:
        return
    if not by_sgd:
        warn_user(
            f"the likelihood was not maximal after {counted(found.n_iter, 'iteration')}: the gradient is "
            f"{found.residual:.1e} times that at zero, above tol={tol:.1e}; raise max_iter, alpha or tol, or scale the "
            "inputs",
            ConvergenceWarning,
        )
        return
    asked = f"tol={tol:.1e}"
    if engine.is_random and tol < SAMPLED_TOL:
        asked = f"{SAMPLED_TOL:g}, the least tol that sampled gradients can tell,"
    share = found.left / max(found.gain, np.finfo(float).tiny)
    error = f" ± {found.left_error:.1e}" if found.left_error else ""
    warn_user(
        f"after {counted(found.n_iter, 'pass', 'passes')} the objective is about {found.left:.1e}{error} "
        f"above its minimum, {share:.1e} times what was to be gained, where the square of {asked} is asked for; "
        "raise tol, alpha or max_iter, or take solver='lbfgs'"
        + (" with inference='exact'" if engine.is_random else ""),
        ConvergenceWarning,
    )


@dataclass(frozen=True)
class BlockSums:
    """How blocks become sums over their rows. It is pickled to where they are.

    Attributes
    ----------
    rows : BlockRows
    problem : LoglinearProblem
    kind : str
        Of the sums, as ``cp_loglinear_sums`` names them.
    """

    rows: BlockRows
    problem: LoglinearProblem
    kind: str

    def __call__(self, block: Block, weights: FloatArray) -> FloatArray:
        """Return the sums over a block at `weights` (q, d)."""
        sums: FloatArray = np.zeros(self.problem.length(self.kind, len(weights)))
        with self.rows.errors(block):
            self.problem.add_sums(self.kind, sums, *self.rows.read(block), weights)
        return sums


def fit_over_blocks(model: Any, blocks: Any, classes: Any = None, earlier: EarlierFit | None = None) -> None:
    """Maximise the likelihood of the rows of blocks, or of a source of them, and set the fitted attributes of `model`.

    It starts from the weights of an earlier fit, if there is one.
    """
    require_linear(model)
    if model.solver not in ("auto", "lbfgs"):
        raise ValueError(
            f"training on blocks needs solver='auto' or 'lbfgs', got solver={model.solver!r}"
            + (": call partial_fit on one block after another" if model.solver == "sgd" else "")
        )
    source = source_of(blocks)
    remedy = resolve_from_blocks(model, source, classes)
    model._check_capabilities()
    engine = engine_of(model, "exact")
    engine.check()
    problem = _problem(model, engine, engine.for_training(0), "lbfgs", None)
    rows, intercept = BlockRows.of_model(model, remedy=remedy), bool(model.fit_intercept)
    start = None
    if earlier is not None:
        earlier.require_match(model, 0)
        start = earlier.input_weights(intercept=intercept)

    def sums(kind: str, weights: FloatArray) -> FloatArray:
        found: FloatArray = source.reduce(BlockSums(rows, problem, kind), weights, merge=operator.add)
        if kind == "moments":  # the first pass tells how much work there is
            _require_exact(model, int(found[2]))
        return found

    found = problem.search(rows.n_features + int(intercept), model.structure_.n_features, sums, start)
    keep_weights(model, found.state.average)
    model.solver_, model.objective_, model.inference_ = "lbfgs", found.objective, engine.name
    model.n_iter_ = max(found.n_iter, 1)
    _warn_unless_converged(found, False, problem, engine)


def _require_exact(model: Any, n: int) -> None:
    """Raise ValueError unless inference is exact for n rows of positive weight."""
    require_weight(n)
    method = resolve_method(model.inference, model.structure_, n, min(int(model.max_iter), TRAINING_EVALUATIONS))
    if method != "exact":
        why = "" if model.inference == method else ", which inference='auto' takes for so much work"
        raise ValueError(
            f"training on blocks takes exact partition functions, not those of inference={method!r}{why}: set "
            "inference='exact', or call partial_fit with solver='sgd' on one block after another"
        )


def training_engine(model: Any, n: int, evaluations: int | None = None) -> Engine:
    """Return the engine that trains a model on n rows, after checking that structure and solver go with it."""
    many = min(int(model.max_iter), TRAINING_EVALUATIONS) if evaluations is None else evaluations
    engine = engine_of(model, resolve_method(model.inference, model.structure_, n, many))
    if engine.is_random and model.solver in ("lbfgs", "newton"):
        why = "" if model.inference == "mcmc" else ", which inference='auto' takes for a structure of this size"
        try:
            model.structure_.space.partition_cost(marginals=True)
            remedy = "solver='auto' or 'sgd', or inference='exact'"
        except CapabilityError:
            remedy = "solver='auto' or 'sgd'"
        raise ValueError(
            f"solver={model.solver!r} needs exact gradients, not those of inference='mcmc'{why}: take {remedy}"
        )
    engine.check()
    return engine
