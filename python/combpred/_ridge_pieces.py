"""Training StructuredRidge on rows that are never together: piece after piece, or in blocks gone through often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.metaestimators import available_if

from ._block_statistics import BlockStatistics
from ._estimator import clear_fit, refit, unchanged_on_failure
from ._pieces import check_piece, require_same_intercept, takes_pieces
from ._ridge_base import RidgeBase
from ._ridge_blocks import fit_given_blocks, fit_statistics
from ._ridge_sgd import continue_by_sgd

if TYPE_CHECKING:
    from typing_extensions import Self


class RidgeInPieces(RidgeBase):
    """Base of the ridge estimator with its methods for such rows."""

    @available_if(takes_pieces)  # type: ignore[untyped-decorator]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Take one step on each of some rows, which add to those of earlier calls. Only with ``solver="sgd"``.

        The penalty is weighed against all rows seen, with those of an earlier `fit`, which count once. Rows that are
        passed again count again: N calls with the same rows approach what `fit` finds with a weight of N for each, or
        with ``alpha / N``, so in the end the least loss without a penalty.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array of n structures
            In the format of the structure's class. What the first call leaves open of the structure, it takes from
            there, as ``gamma="scale"`` takes the variance.
        classes : array of labels, default=None
            All classes that will ever occur; the first call needs it where the structure has to learn the classes from
            y.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1. Rows of weight 0 are left out.

        Returns
        -------
        StructuredRidge
            The estimator itself. When ``partial_fit`` raises, it is left as it was; after Ctrl-C it has the rows that
            were visited until then.

        Raises
        ------
        AttributeError
            With another solver.
        ValueError, MemoryError
            As ``fit``; ValueError also where `classes` are missing or differ from those of the first call, where
            `kernel`, or `fit_intercept` of a linear one, is not what it was then, for ``kernel="precomputed"``, and
            for a `truncation` that is a share.

        Notes
        -----
        Cost: :math:`O(n p d)` for a linear kernel, else :math:`O(n \tau (p + d))` with τ rows kept. Without
        `truncation` those are all rows seen. Steps are those in the notes of the class for the rows seen with this
        call, but that :math:`t_0` grows with the square root of those seen before, beyond a thousand, as η would not
        fall otherwise. A first call is one pass of `fit`.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> model = StructuredRidge("permutations", kernel="rbf", solver="sgd", truncation=100, random_state=0)
        >>> for _ in range(20):
        ...     model = model.partial_fit(X, y)
        >>> model.predict([[0.0], [3.0]]).tolist(), len(model.X_fit_)
        ([[1, 2], [2, 1]], 80)
        """
        with unchanged_on_failure(self):
            self._check_pieces()
            self._require_target(y)
            first = not hasattr(self, "descent_")
            if first:
                clear_fit(self)
            else:
                self._require_same_kernel()
            rows = check_piece(self, self._check_input(X, reset=first), y, classes, sample_weight, first=first)
            if first:
                self._settle_kernel(rows, self.kernel_params)
            problem = self._problem(rows).with_alpha(self.alpha)
            interrupt = continue_by_sgd(self, rows.X, problem)
            if hasattr(self, "objective_"):
                del self.objective_
        if interrupt is not None:
            raise interrupt
        return self

    def _require_same_kernel(self) -> None:
        """Refuse parameters with which the coefficients found so far make another function."""
        if self.kernel != self.kernel_.name:
            raise ValueError(
                f"kernel={self.kernel!r}, but the coefficients found so far are those of kernel={self.kernel_.name!r}, "
                "which partial_fit continues: set it back, or begin anew with fit or clone"
            )
        if self.kernel == "linear":
            require_same_intercept(self, len(self.descent_.coefficients.iterate))

    def _check_pieces(self) -> None:
        """Refuse what needs all rows at once."""
        self._check_options()
        if self.kernel == "precomputed":
            raise ValueError(
                "partial_fit keeps rows to compute kernel values with rows that come later, and kernel='precomputed' "
                "has no rows: take fit, or pass the kernel as a function of two rows"
            )
        if isinstance(self.truncation, (float, np.floating)):
            raise ValueError(
                f"truncation={self.truncation!r} is a share of the training rows, whose number partial_fit does not "
                "know: give the number of rows to keep"
            )

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_blocks(self, blocks: Any, *, classes: Any = None) -> Self:
        """Train on rows that come in blocks, of which one is held at a time.

        Parameters
        ----------
        blocks : iterable of (X, y) or (X, y, sample_weight), or callable
            X is an array or CSR of shape (n_block, n_features), y the structures of its rows; blocks may be of
            different sizes, and empty. It is gone through several times, and must give the same rows each time: a list,
            an object whose ``__iter__`` starts anew, or a function without arguments that returns a new iterator (a
            generator function). Iterators are refused.
        classes : array-like, default=None
            All labels, for ``MultiClass``; None: those of the first block. Sizes of other structures that are left out
            are inferred from the first block.

        Returns
        -------
        StructuredRidge
            The estimator itself. When ``fit_blocks`` raises, an earlier fit is kept as it was.

        Raises
        ------
        TypeError
            For an iterator, and for an object or a function that gives the same one in every pass.
        ValueError
            For another kernel than the linear one or another solver than ``"auto"`` or ``"primal"``; for blocks that
            are not legal, naming block and row (both from 0); where a later pass gives other rows than the first.
        MemoryError
            When weights and Gram matrix do not fit, before they are allocated.

        Warns
        -----
        ConvergenceWarning
            When `max_iter` came before `tol`.

        See Also
        --------
        BlockStatistics : Sums of blocks that are never together, for ``loss="squared"``.

        Notes
        -----
        The minimum is that of ``fit`` on all rows at once. ``n_iter_`` counts the passes over the blocks: one for
        ``loss="squared"``, some 10 to 40 for ``loss="auc"``. A pass costs :math:`O(n p d)` time for p features, the
        first one :math:`O(n p (p + d))`. Memory: a block, p² and some :math:`10 p d` numbers.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import StructuredRidge
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> def blocks():
        ...     for rows in (slice(0, 3), slice(3, 4)):
        ...         yield X[rows], y[rows]
        >>> StructuredRidge("permutations", alpha=0.1).fit_blocks(blocks).predict([[0.5], [2.5]]).tolist()
        [[1, 2], [2, 1]]
        """
        with refit(self):
            return fit_given_blocks(self, blocks, classes)

    def _fit_statistics(self, statistics: BlockStatistics) -> Self:
        """Train on the sums over the rows, for ``loss="squared"``."""
        self._validate_params()
        with refit(self):
            return fit_statistics(self, statistics)
