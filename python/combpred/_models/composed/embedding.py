"""EmbeddingRegressor: any regressor on the embedding of outputs, then decoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import _fit_context, clone
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_consistent_length

from ..._data.glossary import documented
from ..._data.inputs import refit
from ..._lib.arrays import FloatArray
from ..._lib.decode import score_rows
from ...structures import Structure
from ..training import embed_rows
from .base import ComposedEstimator, Reached


class _EntryByEntry(MultiOutputRegressor):  # type: ignore[misc]
    """A regressor for each entry of ψ, also of those that can predict only when they are fitted."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MultiOutputRegressor._parameter_constraints,
        "estimator": [HasMethods(["fit"])],
    }


@documented
@dataclass(eq=False, repr=False)
class EmbeddingRegressor(ComposedEstimator):
    r"""Any regressor fitted to the embeddings of outputs; its predictions are decoded to structures.

    The regressor learns to predict ψ(y), one number for each entry. Trained with the squared error it estimates the
    expectation of ψ, and the predicted structure is the one nearest to that estimate. Forests, boosted trees,
    neighbours and pipelines thus learn rankings, label sets, trees or routes (output kernel regression: Geurts et al.,
    2006, for trees; kernel dependency estimation: Weston et al., 2002, in general).

    Parameters
    ----------
    %(structure)s
    regressor : regressor, default=None
        Any regressor with scikit-learn's interface, such as those of LightGBM and XGBoost, a pipeline that ends in one,
        or a search. It is cloned. A regressor of a single target is fitted once for each entry of ψ
        (:class:`~sklearn.multioutput.MultiOutputRegressor`). A classifier learns which value each entry has. None:
        :class:`~sklearn.ensemble.ExtraTreesRegressor` with its default parameters and this `random_state`.
    %(decoder)s
    %(expected_decision)s
    %(n_jobs)s
        The default regressor takes the same number of jobs; others have settings of their own.
    random_state : int, RandomState instance or None, default=None
        Seed of the default regressor, and of the decoders ``"anneal"`` and ``"metropolis"``.

    Attributes
    ----------
    regressor_ : regressor
        The fitted regressor.
    %(structure_)s
    loss_, decision_ : str
        ``"squared"``, and what ``decision="auto"`` stood for.
    %(classes_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    StructuredRidge : Ridge regression, whose loss may be ranking rather than regression.
    StructuredVoting : Averages of this and others.

    Notes
    -----
    `feature_scores` returns :math:`f(x) = \hat\psi(x) - \mu`, where :math:`\hat\psi(x)` is what the regressor predicts
    and μ the mean of ψ under the uniform distribution, as :class:`StructuredRidge` with ``loss="squared"`` does.

    For rankings, trees under the squared error split by Kendall's distance. ψ holds a sign for each pair, so that
    :math:`\|\psi(y) - \psi(y')\|^2` is four times the number of pairs on which y and y' disagree, and the variance of
    ψ in a node is twice the mean of that number over two of its rows, drawn with replacement. The structure nearest to
    a leaf's mean is the Kemeny consensus of its rankings. A forest on Kendall's distance would be the same forest.

    A row whose y is a set of :class:`Admissible` outputs is learnt as one row for each output. Rows of weight 0 are
    left out.

    Cost: that of the regressor on d targets, and of decoding.

    References
    ----------
    P. Geurts, L. Wehenkel and F. d'Alché-Buc (2006), Kernelizing the output of tree-based methods, *ICML*.

    J. Weston, O. Chapelle, A. Elisseeff, B. Schölkopf and V. Vapnik (2002), Kernel dependency estimation, *NIPS*.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from combpred import EmbeddingRegressor
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1]])  # the position of each of three labels
    >>> EmbeddingRegressor("permutations", KNeighborsRegressor(2)).fit(X, y).predict([[0.4], [2.6]])
    array([[1, 2, 3],
           [3, 2, 1]], dtype=int32)
    """

    regressor: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ComposedEstimator._parameter_constraints,
        "regressor": [HasMethods(["fit"]), None],
    }

    @documented
    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> EmbeddingRegressor:
        """Train the regressor on inputs and the embeddings of the structures observed for them.

        Parameters
        ----------
        X : array, CSR or data frame of shape (n, n_features)
            Inputs. Data frames reach the regressor as they are.
        y : array of n structures
            In the format of the structure's class.
        %(sample_weight)s

        Returns
        -------
        EmbeddingRegressor
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        ValueError
            For parameters, inputs, targets or weights that are not legal, naming the row, and for a regressor that does
            not predict d finite numbers a row.
        TypeError
            For a regressor that predicts anything but numbers. Regressors that take no `sample_weight`, or have no
            ``predict``, raise their own errors.
        MemoryError
            When the embeddings do not fit, before they are allocated.

        Notes
        -----
        Cost: that of the regressor on d targets.

        Examples
        --------
        >>> import numpy as np
        >>> from combpred import EmbeddingRegressor
        >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
        >>> model = EmbeddingRegressor("permutations", random_state=0)
        >>> model.fit(X, y, sample_weight=[1, 2, 2, 1]).score(X, y)
        1.0
        """
        with refit(self):
            rows = self._read_rows(X, y, sample_weight)
            targets = embed_rows(self, rows)
            X, psi, weights = rows.X, targets.psi, rows.weights
            if targets.first is not None:
                repeated = np.repeat(np.arange(targets.n), np.diff(targets.first))
                X, weights = _safe_indexing(X, repeated), None if weights is None else weights[repeated]
            if weights is not None:
                kept = np.flatnonzero(weights)
                X, psi, weights = _safe_indexing(X, kept), psi[kept], weights[kept]
                if (weights == 1.0).all():
                    weights = None
            regressor = self._regressor()
            reached = Reached.within(regressor)
            arguments = reached.fit_arguments(weights)
            if psi.shape[1] == 1:
                psi = psi.ravel()
            elif not get_tags(reached.estimator).target_tags.multi_output:
                regressor = _EntryByEntry(regressor)
            self.regressor_ = regressor.fit(X, psi, **arguments)
            self._scores(_safe_indexing(X, [0]))  # which refuses the wrong width before it is asked for
        return self

    def _regressor(self) -> Any:
        """Return a regressor to fit."""
        if self.regressor is None:
            return ExtraTreesRegressor(n_jobs=self.n_jobs, random_state=self.random_state)
        return clone(self.regressor)

    def _set_structure(self, structure: Structure) -> None:
        super()._set_structure(structure)
        self._decide_by_expectations(structure)

    def _scores(self, X: Any) -> FloatArray:
        predicted, d = self.regressor_.predict(X), self.structure_.n_features
        predicted = predicted.toarray() if issparse(predicted) else predicted
        psi, _ = score_rows(np.reshape(predicted, (-1, 1)) if d == 1 else predicted, d, "predictions of the regressor")
        check_consistent_length(X, psi)
        return psi - self.structure_.mean()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._regressor()).input_tags
        return tags
