"""Sums over rows that users add up themselves, for any division of the data into parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._data.blocks import make_block
from .._data.inputs import is_dask, require_weight
from .._lib.arrays import FloatArray
from .._lib.kernel import InputKernel
from .._lib.ridge import PrimalProblem, Solution, total_weight
from ..structures import Structure, classes_of, form_of
from .ridge import StructuredRidge
from .training import BlockRows, structure_of


@dataclass(frozen=True, eq=False, repr=False)
class BlockStatistics:
    r"""Weighted sums over rows of inputs x and embedded structures ψ(y), which add up over parts of the data.

    They are sufficient for ``loss="squared"``: parts of the data may be summed one after another, in different
    processes or on different machines, and `solve` returns the model of all of them for any penalty, without the rows.
    `BlockStatistics.of` sums over one part; ``+`` and ``sum`` add parts. The constructor is meant for these: it takes
    sums as training forms them, and checks nothing.

    Attributes
    ----------
    structure : Structure
        With all sizes resolved; the same in all parts.
    sums : ndarray
        All sums in one array, as ``cp_ridge_sums`` of ``capi/combpred.h`` lays them out.
    n_features : int
        Number p of features.
    n_rows : int
        Number of rows.
    total_weight : float
        Sum of the weights w. A row with a set of k structures (`Admissible`) has k times its sample weight.
    gram : ndarray of shape (p, p)
        :math:`\sum w x x^\top`.
    feature_sums : ndarray of shape (p,)
        :math:`\sum w x`.
    cross : ndarray of shape (p, d)
        :math:`\sum w x \psi(y)^\top`, with ψ not centred.
    psi_sums : ndarray of shape (d,)
        :math:`\sum w \psi(y)`.
    psi_squares : float
        :math:`\sum w \|\psi(y)\|^2`.
    feature_names : tuple of str, or None
        Names of the features where X was a data frame; the same in all parts that have some.

    See Also
    --------
    StructuredRidge.fit_blocks : Trains on blocks with either loss.

    Notes
    -----
    Memory: p² + p d numbers, whatever the number of rows. They can be pickled. ``sum(parts)`` adds any number of them.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import BlockStatistics
    >>> from combpred.structures import Permutations
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
    >>> morning = BlockStatistics.of(Permutations(2), X[:2], y[:2])
    >>> evening = BlockStatistics.of(Permutations(2), X[2:], y[2:])
    >>> morning + evening
    BlockStatistics(structure=Permutations(n_labels=2), n_rows=4, total_weight=4.0)
    >>> (morning + evening).solve(alpha=0.1).predict([[0.5], [2.5]]).tolist()
    [[1, 2], [2, 1]]
    """

    structure: Structure
    sums: FloatArray
    n_features: int
    feature_names: tuple[str, ...] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.sums[0])

    @property
    def total_weight(self) -> float:
        """Sum of the weights w."""
        return total_weight(self.sums, self.n_features)

    @property
    def gram(self) -> FloatArray:
        """Σ w x xᵀ, of shape (p, p)."""
        return self._moments[:-1, :-1]

    @property
    def feature_sums(self) -> FloatArray:
        """Σ w x, of shape (p,)."""
        return self._moments[:-1, -1]

    @property
    def cross(self) -> FloatArray:
        """Σ w x ψ(y)ᵀ, of shape (p, d)."""
        return self._products[:-1]

    @property
    def psi_sums(self) -> FloatArray:
        """Σ w ψ(y), of shape (d,)."""
        return self._products[-1]

    @property
    def psi_squares(self) -> float:
        """Σ w ‖ψ(y)‖²."""
        return float(self.sums[1])

    @property
    def _moments(self) -> FloatArray:
        q = self.n_features + 1
        return self.sums[2 : 2 + q * q].reshape(q, q)

    @property
    def _products(self) -> FloatArray:
        q = self.n_features + 1
        return self.sums[2 + q * q :].reshape(q, -1)

    @classmethod
    def of(cls, structure: Any, X: Any, y: Any, sample_weight: Any = None, *, classes: Any = None) -> BlockStatistics:
        """Sum over the rows of one part of the data.

        Parameters
        ----------
        structure : Structure, str or None
            As in `StructuredRidge`. Sizes left out are inferred from y: all parts must lead to the same ones, so give
            them where a part may not show them.
        X : array or CSR of shape (n, p)
            Inputs, of any number type; n = 0 is refused.
        y : array of n structures
            In the format of the structure's class.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1.
        classes : array-like, default=None
            All labels, for ``MultiClass``; None: those of this part, which is then to have labels of all classes.

        Returns
        -------
        BlockStatistics

        Raises
        ------
        ValueError, TypeError
            For inputs, structures or weights that are not legal, naming the row, and for `classes` of a structure that
            has none.

        Notes
        -----
        Cost :math:`O(n p (p + d))`; rows of sparse X, and of sparse y for ``LabelSets``, cost what they store.
        """
        if is_dask(X) or is_dask(y):
            raise TypeError(
                "X and y are one part of the data, in memory: sum over each partition in a task of its own "
                "(dask.delayed) and add the statistics, or fit StructuredRidge(solver='primal') on the dask collections"
            )
        block = make_block((X, y, sample_weight), None, 0)
        model = StructuredRidge(structure)
        model._read_inputs(block.X, reset=True)
        rows = BlockRows.of_model(model, structure_of(structure, block.y, classes), model)
        problem = PrimalProblem(rows.structure.space.description, {"loss": "squared", "shift": 1.0}, rows.n_threads)
        names = tuple(getattr(model, "feature_names_in_", ())) or None
        return cls(rows.structure, rows.compute(block, problem.sums), rows.n_features, names)

    def __add__(self, other: BlockStatistics) -> BlockStatistics:
        """Return the sums over the rows of both."""
        if not isinstance(other, BlockStatistics):
            return NotImplemented
        of_both = self._rows_of(), other._rows_of()
        for name, one, two in zip(of_both[0], *(each.values() for each in of_both), strict=True):
            if one is not None and two is not None and one != two:
                raise ValueError(
                    f"statistics whose {name} are {one} and {two} do not add up: give all parts the same columns in "
                    "the same order, and the structure of the first part, or classes"
                )
        names = self.feature_names or other.feature_names
        return BlockStatistics(self.structure, self.sums + other.sums, self.n_features, names)

    def _rows_of(self) -> dict[str, Any]:
        """Return what statistics of the same kind of rows share where they have it."""
        classes, columns = classes_of(self.structure), form_of(self.structure).columns
        return {
            "classes": None if classes is None else classes.tolist(),
            "structures": self.structure,
            "columns of y": list(columns) if columns and classes is None else None,
            "numbers of features": self.n_features,
            "features": self.feature_names,
        }

    def __repr__(self) -> str:
        return (
            f"BlockStatistics(structure={self.structure!r}, n_rows={self.n_rows}, "
            f"total_weight={float(self.total_weight)!r})"
        )

    def __radd__(self, other: object) -> BlockStatistics:
        """Return the sums themselves when added to 0, with which ``sum`` begins."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def solve(self, alpha: float = 1.0, *, fit_intercept: bool = True) -> StructuredRidge:
        """Return the model of all rows for ``loss="squared"``.

        Parameters
        ----------
        alpha : float, default=1.0
            Penalty, as in `StructuredRidge`.
        fit_intercept : bool, default=True
            As in `StructuredRidge`.

        Returns
        -------
        StructuredRidge
            As ``fit`` leaves it, with ``loss="squared"`` and ``solver="primal"``.

        Raises
        ------
        ValueError
            For an `alpha` that is not positive, and when all weights are zero.

        Notes
        -----
        Cost :math:`O(p^3 + p^2 d)`.
        """
        model = StructuredRidge(
            self.structure, alpha=alpha, loss="squared", fit_intercept=fit_intercept, solver="primal"
        )
        model._validate_params()
        model._set_structure(self.structure)
        model.kernel_, model.n_features_in_ = InputKernel("linear"), self.n_features
        if self.feature_names is not None:
            model.feature_names_in_ = np.array(self.feature_names, dtype=object)
        problem = PrimalProblem(self.structure.space.description, model._options(), 1)
        require_weight(self.total_weight)
        weights, info = problem.solve_elsewhere(self.n_features, lambda: self.sums)
        model._keep_solution(Solution(weights, "primal", info))
        return model
