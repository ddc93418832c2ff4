"""EmbeddingRegressor: any regressor or classifier on the embedding of outputs, then decoding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.special import logit
from sklearn.base import _fit_context, clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_consistent_length

from ..._data.glossary import documented
from ..._data.inputs import in_memory, refit
from ..._lib.arrays import FloatArray
from ..._lib.errors import CapabilityError
from ...structures import RowConstraints, Structure
from ...structures.scores import score_rows
from ..ridge import THRESHOLD_DECISIONS
from ..thresholds import choose_threshold
from ..training import embed_rows, require_single
from .base import ComposedEstimator, Member, Reached
from .voting import leave_out

_FOLDS = 5  # in which rows are left out for a threshold


class _EntryByEntry(MultiOutputRegressor):  # type: ignore[misc]
    """A regressor for each entry of ψ, also of those that can predict only when they are fitted."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MultiOutputRegressor._parameter_constraints,
        "estimator": [HasMethods(["fit"])],
    }


class _ClassifierByEntry(MultiOutputClassifier):  # type: ignore[misc]
    """A classifier for each entry of ψ, also of those that can predict only when they are fitted."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MultiOutputClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit"])],
    }


@documented
@dataclass(eq=False, repr=False)
class EmbeddingRegressor(ComposedEstimator):
    r"""Any regressor or classifier fitted to the embeddings of outputs; its predictions are decoded to structures.

    The regressor learns to predict ψ(y), one number for each entry. Trained with the squared error it estimates the
    expectation of ψ, and the predicted structure is the one nearest to that estimate. Forests, boosted trees,
    neighbours and pipelines thus learn rankings, label sets, trees or routes (output kernel regression: Geurts et al.,
    2006, for trees; kernel dependency estimation: Weston et al., 2002, in general). A classifier learns the value of
    each entry, or whole outputs, and its probabilities give the expectation.

    Parameters
    ----------
    %(structure)s
    regressor : regressor or classifier, default=None
        Any with scikit-learn's interface, such as those of LightGBM and XGBoost, a pipeline that ends in one, or a
        search. It is cloned. One of a single target is fitted once for each entry of ψ
        (:class:`~sklearn.multioutput.MultiOutputRegressor`, :class:`~sklearn.multioutput.MultiOutputClassifier`). A
        classifier needs ``predict_proba``, unless `decision_` is "mode". None:
        :class:`~sklearn.ensemble.ExtraTreesRegressor` with a third of the features tried for each split and this
        `random_state`.
    target : {"entries", "outputs"}, default="entries"
        What a classifier learns. ``"entries"``: the value of each entry of ψ. ``"outputs"``: whole outputs, one class
        for each that occurs in training (label powerset).
    %(decoder)s
    decision : {"auto", "score", "mbr", "mode", "median", "f1", "log_odds"}, default="auto"
        How the expected ψ decides. ``"mbr"``: by the least expected squared distance between embeddings (minimum Bayes
        risk), Hamming distance or Kendall's where entries are bits or signs. ``"score"``: by the largest inner product
        with ψ(y). ``"log_odds"``, for entries of two values: by the largest inner product of ψ(y) with the log-odds of
        the entries, the most probable output if they were independent. ``"mode"``, of nodes and grades: the most
        probable one; with ``target="outputs"``, the one that the classifier predicts. ``"median"``, of grades: another
        name of ``"mbr"``, which is their absolute error. ``"auto"``: ``"mode"`` with ``target="outputs"``; otherwise as
        :class:`StructuredRidge` with ``loss="squared"``, and ``"score"`` where decoders do not find pre-images.
        %(f1_decision)s
    %(n_jobs)s
        The default regressor takes the same number of jobs; others have settings of their own.
    random_state : int, RandomState instance or None, default=None
        Seed of the default regressor, and of the decoders ``"anneal"`` and ``"metropolis"``.

    Attributes
    ----------
    regressor_ : regressor
        The fitted regressor; a :class:`~sklearn.dummy.DummyClassifier` where all a classifier learns is constant.
    %(structure_)s
    loss_, decision_ : str
        ``"squared"``, since scores are expectations whatever decides by them, and what ``decision="auto"`` stood for.
    threshold_, predicts_empty_ : float, bool
        With ``decision="f1"``, as in :class:`StructuredRidge`. Rows are left out in five folds.
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

    With a classifier of entries, :math:`\hat\psi_j` is the sum of the values of entry j, each times its probability;
    entries that take one value in training keep it. With one of outputs, :math:`\hat\psi(x) = \sum_y p(y \mid x)\,
    \psi(y)` over the outputs of training. For ``decision="log_odds"``, probabilities are kept within
    :math:`[1/(n+2), 1-1/(n+2)]` for n rows of training, Laplace's rule of succession, so that no entry is ruled out.

    ``"score"`` leaves out no entry that fits, ``"log_odds"`` those that are not probable. Neither is better on all
    routes, of which each may visit any number of places: try both. Label powerset had the largest subset accuracy of
    what was compared on label sets. Trying a third of the features for each split, the default forest has a larger
    average precision on wide data, such as words, than with all. Figures are in tests/benchmarks/README.md.

    Where the classifier of outputs predicts y*, `score_structures` returns
    :math:`\langle\psi(y^*), \psi(y)\rangle - \tfrac12 \|\psi(y)\|^2`, and constraints lead to the output nearest to y*.

    A row whose y is a set of :class:`Admissible` outputs is learnt as one row for each output. Rows of weight 0 are
    left out. Of outputs known in part, regressors learn the mean of ψ over all that agree; classifiers refuse them.

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
    _: KW_ONLY
    target: str = "entries"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ComposedEstimator._parameter_constraints,
        "decision": [*THRESHOLD_DECISIONS, StrOptions({"log_odds"})],
        "regressor": [HasMethods(["fit"]), None],
        "target": [StrOptions({"entries", "outputs"})],
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
            For parameters, inputs, targets or weights that are not legal, naming the row; for a regressor that does not
            predict d finite numbers a row; for ``target="outputs"`` without a classifier.
        CapabilityError
            For a classifier without ``predict_proba`` where it is needed, and a decision that the structure lacks.
        TypeError
            For a regressor that predicts anything but numbers. Regressors that take no `sample_weight`, or have no
            ``predict``, raise their own errors.
        MemoryError
            When the embeddings do not fit, before they are allocated.

        Notes
        -----
        Cost: that of the regressor on d targets; with ``decision="f1"`` six times.

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
            if self.decision_ == "f1":
                require_single(rows.sets, "decision='f1'")
            regressor = self._regressor()
            targets = embed_rows(self, rows, complete=is_classifier(regressor))  # a mean of ψ is no class
            X, y, psi, weights = rows.X, rows.y, targets.psi, rows.weights
            if targets.first is not None:
                repeated = np.repeat(np.arange(targets.n), np.diff(targets.first))
                X, weights = _safe_indexing(X, repeated), None if weights is None else weights[repeated]
            if weights is not None:
                kept = np.flatnonzero(weights)
                X, psi, weights = _safe_indexing(X, kept), psi[kept], weights[kept]
                y = _safe_indexing(in_memory(y, "y"), kept) if self.decision_ == "f1" else y
                if (weights == 1.0).all():
                    weights = None
            reached = Reached.within(regressor)
            arguments = reached.fit_arguments(weights)
            # Laplace's rule of succession: n rows that agree leave the other value a probability of 1/(n + 2).
            self._least = 1.0 / (len(psi) + 2)
            self._classes: list[tuple[NDArray[np.intp], FloatArray]] = []
            by_entry: Any = _EntryByEntry
            learnt: Any = psi
            if is_classifier(regressor):
                learnt, by_entry = self._as_classes(psi), _ClassifierByEntry
                if not learnt.any():  # which classifiers may refuse
                    regressor, arguments = DummyClassifier(), {}
                # Those that hold others, such as StackingClassifier, may know only after their fit.
                elif not (self._predicts_output() or any("__" in name for name in reached.estimator.get_params())):
                    self._require_probabilities(reached.estimator)
            elif self.target == "outputs":
                raise ValueError(f"target='outputs' takes a classifier, got regressor={self.regressor!r}")
            if learnt.shape[1] == 1:
                if not get_tags(reached.estimator).target_tags.single_output:
                    raise ValueError(
                        f"regressor={self.regressor!r} learns several columns, target={self.target!r} makes one here: "
                        "take the estimator within it"
                    )
                learnt = learnt.ravel()
            elif not get_tags(reached.estimator).target_tags.multi_output:
                regressor = by_entry(regressor)
            self.regressor_ = regressor.fit(X, learnt, **arguments)
            next(self._score_blocks(_safe_indexing(X, [0])))  # which refuses the wrong width before it is asked for
            if self.decision_ == "f1":
                member = Member("", clone(self).set_params(decision="mbr"), self.structure_, None, y)
                left_out, _ = leave_out(member, X, weights, _FOLDS, self.loss_)
                choose_threshold(self, left_out, psi, weights)
        return self

    def _as_classes(self, psi: FloatArray) -> NDArray[np.intp]:
        """Return what a classifier learns, a column for each part of ψ that varies, and keep the values of its classes.

        Classes are numbers from 0 on, since entries may have values that are no labels.
        """
        entries = np.arange(psi.shape[1])
        parts = entries[np.newaxis] if self.target == "outputs" else entries[:, np.newaxis]
        found = [np.unique(psi[:, part], axis=0, return_inverse=True) for part in parts]
        kept = [at for at, (values, _) in enumerate(found) if len(values) > 1] or [0]
        self._always = psi[0]
        self._classes = [(parts[at], found[at][0]) for at in kept]
        return np.column_stack([found[at][1].ravel() for at in kept])

    def _regressor(self) -> Any:
        """Return a regressor to fit."""
        if self.regressor is None:
            return ExtraTreesRegressor(max_features=1 / 3, n_jobs=self.n_jobs, random_state=self.random_state)
        return clone(self.regressor)

    def _set_structure(self, structure: Structure) -> None:
        super()._set_structure(structure)
        whole, space = self.target == "outputs", structure.space
        if self.decision == "log_odds":
            if not (space.has_indicators or space.entry_kind == "signs"):
                raise CapabilityError(
                    "decision='log_odds' is for structures whose entries of ψ have two values, 0 and 1 or −1 and 1, "
                    f"not for {structure!r}: take decision='auto'"
                )
            self.loss_, self.decision_ = "squared", self.decision
        elif whole and self.decision in ("auto", "mode"):
            self.loss_, self.decision_ = "squared", "mode"
        elif self.decision == "mode" and "mode" not in space.capabilities:
            raise CapabilityError(
                f"decision='mode' is for Hierarchy and Ordinal, not for {structure!r}, or for a classifier with "
                "target='outputs'"
            )
        else:
            self._decide_by_expectations(structure)

    def _scores(self, X: Any) -> FloatArray:
        d = self.structure_.n_features
        predicted: Any = self._expected(X) if self._classes else self.regressor_.predict(X)
        predicted = predicted.toarray() if issparse(predicted) else predicted
        psi, _ = score_rows(np.reshape(predicted, (-1, 1)) if d == 1 else predicted, d, "predictions of the regressor")
        check_consistent_length(X, psi)
        return psi - self.structure_.mean()

    def _predicts_output(self) -> bool:
        """Whether the classifier's own prediction, an output, decides."""
        return self.decision_ == "mode" and self.target == "outputs"

    def _require_probabilities(self, classifier: Any) -> None:
        if not hasattr(classifier, "predict_proba"):
            raise CapabilityError(
                f"regressor={self.regressor!r} is a classifier without predict_proba, by which ψ is expected: take "
                "CalibratedClassifierCV of it, or target='outputs' with decision='mode'"
            )

    def _expected(self, X: Any) -> FloatArray:
        """Return the expectation of ψ by the probabilities of classes."""
        self._require_probabilities(self.regressor_)
        told: Any = self.regressor_.predict_proba(X)
        if len(self._classes) == 1:
            told = [told]
        elif not isinstance(told, list):  # scikit-learn's format of several labels: the probability that each is 1
            told = [np.column_stack([1.0 - one, one]) for one in told.T]
        expected: FloatArray = np.tile(self._always, (X.shape[0], 1))
        for (part, values), probabilities in zip(self._classes, told, strict=True):
            if np.shape(probabilities)[1:] != (len(values),):
                raise ValueError(
                    f"regressor={self.regressor!r} must tell the probabilities of {len(values)} classes, got shape "
                    f"{np.shape(probabilities)}"
                )
            expected[:, part] = probabilities @ values
        return expected

    def _score_blocks(self, X: Any) -> Iterator[tuple[slice, FloatArray]]:
        if self._predicts_output():
            ((_, values),) = self._classes
            yield slice(0, X.shape[0]), values[self.regressor_.predict(X)] - self.structure_.mean()
        else:
            yield from super()._score_blocks(X)

    def _decoding_scores(
        self, scores: FloatArray, first: int = 0, held: RowConstraints | None = None
    ) -> tuple[FloatArray, FloatArray | None]:
        expected = scores + self.structure_.mean()
        if self.decision_ == "log_odds":
            signs = self.structure_.space.entry_kind == "signs"
            probabilities = (expected + 1.0) / 2.0 if signs else expected
            odds = logit(np.clip(probabilities, self._least, 1.0 - self._least))
            return odds / 2.0 if signs else odds, None
        if self._predicts_output():  # the output itself is the nearest one
            return expected, np.full(expected.shape[1], -0.5)
        return super()._decoding_scores(scores, first, held)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._regressor()).input_tags
        return tags
