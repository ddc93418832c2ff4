"""Training of ProbabilisticStructured from checked data to fitted attributes; the core does the mathematics."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._data.blocks import BlockSource
from .._data.checks import counted
from .._data.inputs import require_weight
from .._lib.arrays import FloatArray, IndexArray, row_blocks
from .._lib.call import get_n_threads
from .._lib.decode import Conditions
from .._lib.errors import SamplingError, renumbered
from .._lib.kernel import InputKernel
from .._lib.loglinear import KernelFeatures, LoglinearProblem, SgdState
from .._lib.ridge import Targets
from .._lib.sampling import Plan
from ..sampling.engines import SAMPLED_TOL, TRAINING_EVALUATIONS, Engine, Training, engine_of, resolve_method
from ..sampling.samplers import CHAINED, chain_instead, diagnostics_of, warn_unless_mixed, with_remedies
from ..structures import conditions_of
from .training import BlockRows, EarlierFit, kernel_features, linear_scores, warn_unconverged

# Order of a kernel matrix that takes the place of more features: some ten seconds to diagonalise.
_LARGEST_GRAM = 4096
_DIAGNOSED, _COMPUTED = 64, 16  # rows whose chains are judged after training; of structures that Python draws


@dataclass(frozen=True, eq=False)
class LikelihoodRows:
    """Rows in features that the scores are linear in, and how their distributions are computed, for any penalty.

    Attributes
    ----------
    X : array or CSR
        As the user gave them.
    features : array or CSR of shape (k, q)
        All rows, or with a kernel matrix those that count.
    targets : Targets
        Of the rows of `features`.
    kernel : KernelFeatures or None
    kept : array
        Rows of positive weight.
    engine : Engine
    training : Training
    solver : str
    """

    X: Any
    features: Any
    targets: Targets
    kernel: KernelFeatures | None
    kept: IndexArray
    engine: Engine
    training: Training
    solver: str

    @classmethod
    def of(
        cls, model: Any, X: Any, targets: Targets, *, online: bool = False, conditions: Conditions | None = None
    ) -> LikelihoodRows:
        """Return the rows of X as `model` trains on them, in a pass over them if `online`."""
        n, p = X.shape
        evaluations = 1 if online else min(int(model.max_iter), TRAINING_EVALUATIONS)
        engine = engine_of(model, resolve_method(model.inference, model.structure_, n, evaluations))
        engine.check()
        likely = model.partial == "likelihood"
        solver = "online" if online else _solver_of(model, engine, targets, conditions)
        weights = targets.weights if likely else targets.row_weights()
        kept = np.arange(n) if weights is None else np.flatnonzero(weights)  # a weight of 0 leaves a row out
        features, kernel = X, None
        # A linear kernel is taken as one where the rows are fewer than the features.
        is_wide = solver == "lbfgs" and len(kept) < p and len(kept) <= _LARGEST_GRAM
        if not model.kernel_.is_linear or is_wide:
            of_rows = np.ones(n) if weights is None else weights
            kernel = kernel_features(model, X if len(kept) == n else X[kept], of_rows[kept], kept)
            features, targets = kernel.rows, targets.take(kept)
            conditions = None if conditions is None else conditions.taken(kept)
        drawn = engine.is_random and model.sampler == "exact"  # by recursions, which know of conditions
        engine = replace(engine, conditions=conditions) if drawn else engine.within(conditions)
        return cls(X, features, targets, kernel, kept, engine, engine.for_training(len(kept)), solver)

    @property
    def has_constant(self) -> bool:
        """Whether a constant feature may be added to them, which kernel values hold already."""
        return self.kernel is None

    def problem(self, model: Any) -> LoglinearProblem:
        """Return the problem with the parameters of a model."""
        return _problem(model, self.engine, self.training, self.solver, self.kernel)

    def maximise(self, model: Any, start: FloatArray | SgdState | None) -> Any:
        """Maximise the likelihood, and set the coefficients of the model; return what the core tells."""
        constant = self.has_constant and bool(model.fit_intercept)
        try:
            with renumbered(slice(0, None) if self.kernel is None else self.kept):
                found = self.problem(model).fit(
                    self.features, self.targets, answers=self.training.answers, intercept=constant, start=start
                )
        except SamplingError as error:
            raise with_remedies(error, "raise alpha", *chain_instead(model.structure_)) from None
        model._keep_features(self.X, self.kernel, self.kept, found.state.average)
        return found


def conditions_of_training(model: Any, constraints: Any, n: int) -> Conditions | None:
    """Return the conditions of n rows of training, or of all, None where there are none."""
    if constraints is not None and model.partial == "mean":
        raise ValueError("constraints in training need partial='likelihood', got partial='mean'")
    return conditions_of(model.structure_, constraints, n)


def train(
    model: Any,
    X: Any,
    targets: Targets,
    earlier: EarlierFit | None = None,
    *,
    online: bool = False,
    conditions: Conditions | None = None,
) -> None:
    """Maximise the likelihood of all rows, or pass over them once if `online`, and set the fitted attributes."""
    given = LikelihoodRows.of(model, X, targets, online=online, conditions=conditions)
    model.solver_, model.inference_ = "sgd" if online else given.solver, given.engine.name
    start = getattr(model, "descent_", None) if online else None
    if earlier is not None:
        start = earlier.weights(X, given.kernel, given.kept, intercept=given.has_constant and bool(model.fit_intercept))
    found = given.maximise(model, start)
    if model.solver_ == "sgd" and given.kernel is None:
        model.descent_ = found.state
    if online:
        model.n_iter_ = getattr(model, "n_iter_", 0) + 1
        return
    model.n_iter_ = max(found.n_iter, 1)
    if not np.isnan(found.objective):
        model.objective_ = found.objective
    _check_distributions(model, given, found)
    _warn_unless_converged(model, found, given.engine)


def _check_distributions(model: Any, given: LikelihoodRows, found: Any) -> None:
    """Warn of rows whose distributions are outside the range of the method, or whose chains have not mixed."""
    features, weights = given.features, found.state.average
    numbers = given.kept if given.kernel is None else np.arange(len(given.kept))
    if given.engine.has_range:
        for some in row_blocks(len(numbers), weights.shape[1]):
            given.engine.check_range(linear_scores(features[numbers[some]], weights))
    _diagnose(model, given, found, features[numbers])


def _solver_of(model: Any, engine: Engine, targets: Targets, conditions: Conditions | None) -> str:
    """Return the solver that trains on rows in memory."""
    if model.solver != "auto":
        return str(model.solver)
    if engine.is_random:
        return "sgd"
    facts, exact = model.structure_.space.facts, engine.name in ("recursion", "enumeration")
    # Of what is known in part, Newton's method takes entries of ψ apart that do not depend on each other.
    apart = facts["free_values"] is not None and targets.first is None
    convex = conditions is None and (model.partial == "mean" or targets.are_whole or apart)
    return "newton" if exact and convex and facts["newton"] else "lbfgs"


def _problem(
    model: Any, engine: Engine, training: Training, solver: str, kernel: KernelFeatures | None
) -> LoglinearProblem:
    seed = engine.seed
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
        "seen": int(model.partial == "likelihood"),
        "conditions": engine.conditions,
    }
    return LoglinearProblem(
        model.structure_.space.description, options, get_n_threads(model.n_jobs), type(model).__name__,
        int(model.verbose),
    )  # fmt: skip


def _diagnose(model: Any, given: LikelihoodRows, found: Any, features: Any) -> None:
    """Set `chain_diagnostics_` from chains of some rows, which begin where training has left them if that is known."""
    method = given.training.method
    if method not in CHAINED or not len(features):
        return
    n, most = len(features), _DIAGNOSED if model.structure_.space.in_library else _COMPUTED
    rows = np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))
    scores, start = linear_scores(features[rows], found.state.average), None
    if found.chains is not None:
        start = np.repeat(found.chains[rows], 2, axis=1).reshape(4 * len(rows), -1)  # chains are judged by four
    plan = Plan(method, seed=given.engine.seed + 1, diagnosed=True)
    chains = model.structure_.space.draw(scores, plan, start=start, n_threads=get_n_threads(model.n_jobs)).chains
    model.chain_diagnostics_ = diagnostics_of(method, rows, [chains])
    warn_unless_mixed(model.chain_diagnostics_, "training")


def _warn_unless_converged(model: Any, found: Any, engine: Engine) -> None:
    """Issue a ConvergenceWarning where training ended before `tol`, by more than the noise of a good fit."""
    if found.converged:
        return
    if model.solver_ != "sgd":
        warn_unconverged(
            f"the likelihood was not maximal after {counted(found.n_iter, 'iteration')}: the gradient is "
            f"{found.residual:.1e} times that at zero, above tol={model.tol:.1e}; raise max_iter, alpha or tol, or "
            "scale the inputs"
        )
        return
    # Sampled gradients cannot tell smaller tolerances.
    tol = max(model.tol, SAMPLED_TOL) if engine.is_random else model.tol
    share = found.left / max(found.gain, np.finfo(float).tiny)
    error = f" ± {found.left_error:.1e}" if found.left_error else ""
    exact = " with inference='exact'" if engine.is_random else ""
    warn_unconverged(
        f"after {counted(found.n_iter, 'pass', 'passes')} the objective is about {found.left:.1e}{error} above its "
        f"minimum, {share:.1e} times what was to be gained, more than the square of {tol:.1e}; raise tol, alpha or "
        f"max_iter, or take solver='lbfgs'{exact}"
    )


def fit_over_blocks(
    model: Any, source: BlockSource, classes: Any = None, earlier: EarlierFit | None = None, constraints: Any = None
) -> None:
    """Maximise the likelihood of the rows of a source of blocks, and set the fitted attributes of `model`.

    It starts from the weights of an earlier fit, if there is one. Constraints are those of all rows.
    """
    if not (constraints is None or isinstance(constraints, Mapping)):
        raise ValueError("constraints of blocks must be a dict, those of all rows: call partial_fit on each block")
    rows, intercept = BlockRows.of_source(model, source, classes, solver=["auto", "lbfgs"]), bool(model.fit_intercept)
    model._set_structure(rows.structure)
    model.kernel_ = InputKernel("linear")
    engine = engine_of(model, "exact")
    engine.check()
    engine = engine.within(conditions_of_training(model, constraints, 1))
    problem = _problem(model, engine, engine.for_training(0), "lbfgs", None)
    start = None
    if earlier is not None:
        earlier.require_match(model, 0)
        start = earlier.input_weights(intercept=intercept)

    def sums(kind: str, weights: FloatArray) -> FloatArray:
        found: FloatArray = source.reduce(rows.compute, partial(problem.sums, kind), weights, merge=operator.add)
        if kind == "moments":  # the first pass tells how much work there is
            _require_exact(model, int(found[2]))
        return found

    found = problem.search(rows.n_features + int(intercept), model.structure_.n_features, sums, start)
    model._keep_weights(found.state.average)
    model.solver_, model.objective_, model.inference_ = "lbfgs", found.objective, engine.name
    model.n_iter_ = max(found.n_iter, 1)
    _warn_unless_converged(model, found, engine)


def _require_exact(model: Any, n: int) -> None:
    """Raise ValueError unless inference is exact for n rows of positive weight."""
    require_weight(n)
    method = resolve_method(model.inference, model.structure_, n, min(int(model.max_iter), TRAINING_EVALUATIONS))
    if method != "exact":
        raise ValueError(
            f"training on blocks takes exact partition functions, and inference={model.inference!r} is {method!r} for "
            "so much work: set inference='exact', or call partial_fit with solver='sgd' on one block after another"
        )
