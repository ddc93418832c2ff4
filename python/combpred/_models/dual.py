"""Ridge regression from a kernel matrix: the problem, its solution, and scores of rows that are left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import SMALL_BYTES, FloatArray, available_memory, require_memory
from .._lib.errors import NumericalError
from .._lib.ridge import FitInfo, Targets, ridge_kernel, ridge_loo, ridge_plan
from .._lib.structure import Description


@dataclass(frozen=True)
class RidgeProblem:
    """The training problem: a structure, its outputs, and the options of the library's training calls."""

    description: Description
    targets: Targets
    options: dict[str, Any]
    n_threads: int
    verbose: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.targets.n

    def with_options(self, **options: Any) -> RidgeProblem:
        """Return the same problem with other options, or more."""
        return replace(self, options={**self.options, **options})

    def plan(self, n_features: int, n_stored: int) -> dict[str, Any]:
        """Ask the library how to solve it; n_features = 0 when only a kernel is given."""
        return ridge_plan(self.description, self.options, self.n, n_features, n_stored)


@dataclass(frozen=True)
class Solution:
    """Coefficients, and how they were found."""

    coefficients: FloatArray  # dual (n, d), or primal (q, d)
    solver: str
    info: FitInfo


@contextmanager
def workspace(plan: dict[str, Any], n: int, what: str, remedy: str, *, loo: str = "") -> Iterator[NDArray[np.uint8]]:
    """Yield scratch memory for the library's work on n rows; "_loo": to leave rows out.

    Room for double precision is taken where there is some: pages that are not written to cost nothing. Where there is
    none and single precision is not enough, MemoryError says what is missing.
    """
    least, most, beside = plan[f"work{loo}_{plan['precision']}"], plan[f"work{loo}_double"], plan[f"beside{loo}"]
    available = available_memory() if most > SMALL_BYTES else None
    work = np.empty(most if available is None or most + beside <= available else least, dtype=np.uint8)
    try:
        yield work
    except NumericalError:
        if work.nbytes < most:
            require_memory(most + beside, what, remedy, square_rows=n)
        raise


def solve(problem: RidgeProblem, kernel: FloatArray, plan: dict[str, Any]) -> Solution:
    """Solve from the kernel matrix, as planned."""
    options = {**problem.options, "solver": plan["solver"], "precision": plan["precision"]}
    try:
        with workspace(plan, problem.n, f"training on {problem.n} rows: the work space", "fit fewer rows") as work:
            dual, info = ridge_kernel(
                problem.description, options, kernel, problem.targets, work, n_threads=problem.n_threads,
                verbose=problem.verbose,
            )  # fmt: skip
    except NumericalError as error:
        raise NumericalError(
            f"{error}; alpha is {options['alpha']:g}, tol {options['tol']:g}: raise alpha, or check that the kernel is "
            "positive semi-definite"
        ) from error
    return Solution(dual, plan["solver"], info)


def left_out_scores(problem: RidgeProblem, kernel: FloatArray, alphas: list[float]) -> Iterator[FloatArray]:
    """Yield f(x) of every row, without that row in training, for each penalty: shape (n, d)."""
    problem, n = problem.with_options(solver="closed-form"), problem.n
    plan = problem.plan(0, n * n)
    options = {**problem.options, "precision": plan["precision"]}
    # As many penalties come from one call of the library as memory is wanted for.
    together = max(1, max(8 * n * n, 2**26) // (8 * n * problem.targets.d))
    what = f"leaving out each of {n} rows, in the double precision that so small an alpha needs"
    with workspace(plan, n, what, "take larger alphas, or fewer rows", loo="_loo") as work:
        for at in range(0, len(alphas), together):
            try:
                yield from ridge_loo(
                    problem.description, options, kernel, problem.targets, alphas[at : at + together], work,
                    n_threads=problem.n_threads, verbose=problem.verbose,
                )  # fmt: skip
            except NumericalError as error:
                raise NumericalError(
                    f"{error}: raise alpha, or check that the kernel is positive semi-definite"
                ) from error
