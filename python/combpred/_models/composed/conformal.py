"""ConformalStructured: sets of outputs that contain the observed one with a given probability."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context, clone
from sklearn.model_selection import ShuffleSplit
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..._data.glossary import documented
from ..._data.inputs import check_lengths, refit
from ..._data.targets import flat_sets
from ..._lib.arrays import FloatArray
from ..._lib.errors import CapabilityError, RowError, renumbered
from ..._lib.partition import Sets, least_probability
from ...structures import Structure, conditions_of
from ..training import folds_of, require_single
from .base import Reached
from .sets import StructuredSets

# Thresholds are lowered by it: equal rows whose probabilities differ by rounding are on the same side.
_ROUNDING = 1e-9
_ALL = "all"  # the group of all rows


@documented
@dataclass(eq=False, repr=False)
class ConformalStructured(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    r"""Sets of outputs that contain the observed one with probability 1 − alpha, whatever the model.

    The set of a row rules out every part of an output that the model holds less probable than a threshold: the order of
    a pair of labels, a label, an arc. What is left is a partial order for rankings, required and possible labels for
    label sets, a subgraph for routes and trees, and all outputs that agree with it are in the set. The threshold is
    calibrated on rows that the model has not seen (split conformal prediction).

    Parameters
    ----------
    estimator : estimator
        One with ``predict_marginals``, such as :class:`ProbabilisticStructured`, or a pipeline or a search that ends in
        one.
    alpha : float, default=0.1
        The share of rows whose set may miss their output; between 0 and 1.
    cv : "prefit", float or splitter, default="prefit"
        Which rows calibrate. ``"prefit"``: `estimator` is fitted, and all rows of ``fit`` do, which it must not have
        seen in training. A fraction between 0 and 1: this share of the rows, chosen at random with a fixed seed, and
        the others train. A splitter of scikit-learn with a single split: the rows that it leaves out. Several splits
        are refused: pooled scores of several models guarantee no more than 1 − 2 alpha.
    groups : callable, str or None, default=None
        What tells the group of each row, each of which gets a threshold of its own, so that the guarantee holds within
        every group. A function of X that returns (n,) values, or the name of a column of a data frame. None: rows are
        of one group, unless ``fit`` gets their `groups`.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator: `estimator` itself with ``cv="prefit"``.
    structure_ : Structure
        The structure of its outputs.
    thresholds_ : dict
        The threshold q of each group; without groups that of "all". It is the :math:`\lfloor\alpha(n+1)\rfloor`-th
        smallest of the `scores_` of the n calibration rows of the group, less 1e-9, so that rounding excludes no
        output that is as probable.
    n_calibration_ : int
        The number of calibration rows.
    scores_ : ndarray of shape (n_calibration_,)
        The least probability of a part of the output of each calibration row.
    %(classes_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    ProbabilisticStructured : Predicts marginals.
    combpred.plotting.StructuredSetDisplay : Draws a set.

    Notes
    -----
    Let :math:`m(x, y)` be the least marginal probability of the parts of y under p(y | x). Parts are, for rankings and
    rankings with ties, the order or the tie of each pair; for partial tournaments the result of each pair; for classes,
    grades, nodes and elements the output itself; otherwise each entry of :math:`\psi`, whether it is 1 or 0. Zeros
    count as well as ones, because sets then also say what every output has: by simulation of sharp distributions they
    are smaller for all structures, such as 4 cliques in place of 56, and for flat ones of trees a little larger.

    The set is :math:`A_q(x) = \{y : m(x, y) \geq q\}`, which shrinks as q grows. If calibration rows and new rows are
    exchangeable, :math:`P(y \in A_q(x)) \geq 1 - \alpha`, on average over calibration rows and new rows. It takes
    n ≥ 1/alpha − 1 rows in each group. Sample weights would break exchangeability, so there are none. A set may be
    empty where the model is less certain than the threshold.

    Partial orders, directed cycles and `Custom` structures with other entries than zeros and ones are refused: their
    :math:`E\psi` does not tell the probabilities of parts.

    Cost of ``fit`` and ``predict_set``: that of ``predict_marginals``, and O(d) for each row.

    References
    ----------
    V. Vovk, A. Gammerman and G. Shafer (2005), *Algorithmic Learning in a Random World*, Springer: split (inductive)
    and Mondrian conformal prediction.

    R. F. Barber, E. J. Candès, A. Ramdas and R. J. Tibshirani (2021), Predictive inference with the jackknife+, *Annals
    of Statistics* 49: 1 − 2 alpha for several splits.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import ConformalStructured, ProbabilisticStructured
    >>> from combpred.structures import Permutations
    >>> rankings, rng = Permutations(3), np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1))
    >>> y = rankings.sample(1, scores=X * [2.0, 1.0, 0.0], random_state=0)[0]
    >>> model = ConformalStructured(ProbabilisticStructured(rankings), cv=0.5).fit(X, y)
    >>> sets = model.predict_set([[3.0], [0.0]])
    >>> np.exp(sets.log_size).round().tolist()  # how many rankings each set holds
    [2.0, 6.0]
    >>> sets[0].mask.tolist()  # 0 precedes 1 and 2, and the order of these is open
    [[False, True, True], [False, False, True], [False, True, False]]
    """

    estimator: Any
    _: KW_ONLY
    alpha: float = 0.1
    cv: Any = "prefit"
    groups: Callable[[Any], Any] | str | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "cv": [StrOptions({"prefit"}), Interval(Real, 0, 1, closed="neither"), HasMethods(["split"])],
        "groups": [callable, str, None],
    }

    @documented
    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, *, groups: Any = None) -> ConformalStructured:
        """Calibrate on rows that the estimator has not been trained on, after training it on others unless prefit.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            As the estimator takes it.
        y : array of n structures
            In the format of the structure's class, each wholly known where it calibrates.
        %(groups)s

        Returns
        -------
        ConformalStructured
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        TypeError
            When the estimator has no ``predict_marginals``.
        CapabilityError
            When probabilities of parts do not follow from marginals of the structure, or y holds `Admissible` sets.
        ValueError
            When there are too few calibration rows for alpha, says how many it takes; when y is not wholly known,
            naming the row; when `cv` gives several splits; and as ``fit`` and ``predict_marginals`` of the estimator.
        """
        with refit(self):
            check_lengths(X, y)
            X, y = indexable(X, y)
            rows = np.arange(_num_samples(X))
            of = self._groups_of(X, groups)
            if isinstance(self.cv, str):
                check_is_fitted(self.estimator)
                self.estimator_ = self.estimator
            else:
                training, rows = self._split(len(rows), y)
                some = (_safe_indexing(each, training) for each in (X, y))
                self.estimator_ = clone(self.estimator).fit(*some)
                X, y = (_safe_indexing(each, rows) for each in (X, y))
            for name in ("n_features_in_", "feature_names_in_", "classes_"):
                if hasattr(self.estimator_, name):
                    setattr(self, name, getattr(self.estimator_, name))
            with renumbered(rows):
                self.scores_ = self._scores(X, y)
            self.n_calibration_ = len(rows)
            own = np.array(of, dtype=object)[rows]
            self.thresholds_ = {each: self._threshold(self.scores_[own == each], each) for each in dict.fromkeys(of)}
        return self

    def _split(self, n: int, y: Any) -> Any:
        """Return the rows that train and those that calibrate."""
        cv = ShuffleSplit(1, test_size=self.cv, random_state=0) if isinstance(self.cv, Real) else self.cv
        splits = folds_of(cv, n, y, seed=0).T
        if len(splits) > 1:
            raise ValueError(
                f"cv={self.cv!r} gives {len(splits)} splits, whose models together do not have the guarantee: take a "
                "fraction, or a splitter with one split, such as ShuffleSplit(1, test_size=0.3)"
            )
        return np.flatnonzero(splits[0] > 0), np.flatnonzero(splits[0] < 0)

    def _groups_of(self, X: Any, given: Any) -> list[Hashable]:
        """Return the group of each row."""
        n = _num_samples(X)
        if given is None:
            if self.groups is None:
                return [_ALL] * n
            if callable(self.groups):
                given = self.groups(X)
            elif self.groups in getattr(X, "columns", ()):
                given = X[self.groups]
            else:
                raise ValueError(f"groups={self.groups!r} is the name of no column of X")
        values = np.asarray(given)
        if values.shape != (n,):
            raise ValueError(f"groups has shape {values.shape}, must have a value for each of {n} rows")
        return list(values.tolist())

    def _marginals(self, X: Any) -> tuple[Structure, FloatArray]:
        """Return the structure and E ψ of rows."""
        model, _, _, X = Reached.within(self.estimator_, X, fitted=True)
        if not hasattr(model, "predict_marginals"):
            raise TypeError(
                f"estimator must have predict_marginals, as ProbabilisticStructured has, and {model!r} has not"
            )
        marginals = np.asarray(model.predict_marginals(X), dtype=np.float64)
        if not model.structure_.space.in_library:
            raise CapabilityError(f"{model.structure_!r}: sets are for structures that the library knows")
        return model.structure_, marginals

    def _scores(self, X: Any, y: Any) -> FloatArray:
        """Return the least probability of a part of the output of each row, and set `structure_`."""
        require_single(flat_sets(y), "calibration")
        self.structure_, marginals = self._marginals(X)
        return least_probability(self.structure_.space.description, marginals, self.structure_.encode(y))

    def _threshold(self, scores: FloatArray, group: Hashable) -> float:
        """Return the threshold of a group, given the scores of its rows."""
        n = len(scores)
        k = math.floor(round(self.alpha * (n + 1), 9))  # a product that rounding has put below a whole number is one
        if k < 1:
            needed = math.ceil(round(1 / self.alpha - 1, 9))
            called = "" if group == _ALL else f" of group {group!r}"
            raise ValueError(f"alpha={self.alpha:g} takes at least {needed} calibration rows{called}, there are {n}")
        return max(float(np.partition(scores, k - 1)[k - 1]) - _ROUNDING, 0.0)

    @documented
    def predict_set(self, X: Any, *, groups: Any = None, constraints: Any = None) -> StructuredSets:
        """Return the set of outputs of each row.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        %(groups)s
        constraints : dict or list of n dicts (or None), default=None
            Conditions that the outputs satisfy, as for ``predict``. Sets hold only the outputs that do; probabilities
            stay those of the model without conditions, so that the guarantee holds for outputs that satisfy them.

        Returns
        -------
        StructuredSets
            A sequence of :class:`StructuredSet`, one for each row.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For a group that had no calibration rows, and for constraints that are not legal, naming the row.
        """
        check_is_fitted(self)
        of = self._groups_of(X, groups)
        for row, group in enumerate(of):
            if group not in self.thresholds_:
                raise RowError(row, f"group {group!r} had no calibration rows", "groups")
        structure, marginals = self._marginals(X)
        thresholds = np.array([self.thresholds_[group] for group in of], dtype=np.float64)
        conditions = conditions_of(structure, constraints, len(of))
        return StructuredSets(structure, Sets(structure.space.description, marginals, thresholds, conditions))

    def predict(self, X: Any, **params: Any) -> Any:
        """Return what the estimator predicts.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        **params
            Passed on.

        Returns
        -------
        array of n structures

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        """
        check_is_fitted(self)
        return self.estimator_.predict(X, **params)

    def score(self, X: Any, y: Any, **params: Any) -> float:
        """Return the score of the estimator's predictions.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array of n structures
        **params
            Passed on.

        Returns
        -------
        float

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        """
        check_is_fitted(self)
        return float(self.estimator_.score(X, y, **params))

    def __sklearn_tags__(self) -> Any:
        tags, of = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type, tags.classifier_tags = of.estimator_type, of.classifier_tags
        tags.target_tags, tags.input_tags = of.target_tags, of.input_tags
        return tags
