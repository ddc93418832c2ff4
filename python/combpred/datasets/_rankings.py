"""Label rankings derived from classification and regression data, as the label-ranking literature derives them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import datasets as source
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import Bunch

from .._data.glossary import documented
from .._data.listings import positions_by_score
from ..structures import Permutations
from ._bunch import dataset

_BY_CLASS = """\
The inputs are those of scikit-learn's {source} data: {n} samples, {p} features. The target of a sample is a ranking
of the {k} classes, by the probability that a Gaussian naive Bayes classifier trained on all samples gives them; of
equally probable classes the one with the lower index comes first. The construction is that of Cheng, Hühn and
Hüllermeier (2009), "Decision tree and instance-based learning for label ranking", ICML. Since the rankings come from
a classifier of the inputs, they are nearly a function of them."""

_DIABETES = """\
Six blood serum measurements of each of the 442 patients in scikit-learn's diabetes data are taken out of the inputs,
standardised, and ranked by size, the highest first; age, sex, body mass index, blood pressure and the progression of
the disease after a year remain as the five inputs. The construction is that of Cheng, Hühn and Hüllermeier (2009),
"Decision tree and instance-based learning for label ranking", ICML, for regression data. The inputs tell little about
the order: the task is a hard one."""

_SERUM = ("s1", "s2", "s3", "s4", "s5", "s6")


@documented
def load_iris_ranking(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the iris data with rankings of the three species.

    Parameters
    ----------
    %(return_X_y)s
    %(as_frame_of_data)s

    Returns
    -------
    data : sklearn.utils.Bunch
        With `data` (150, 4), `target` (150, 3) positions (1 = most probable species), `feature_names`,
        `target_names`, `structure` (``Permutations(3)``) and `DESCR`, which says how the rankings were made.

    Raises
    ------
    ImportError
        With `as_frame`, without pandas.

    Examples
    --------
    >>> from combpred.datasets import load_iris_ranking
    >>> load_iris_ranking().target[0]
    array([1, 2, 3], dtype=int32)
    """
    return _ranked_classes("iris", source.load_iris(), return_X_y, as_frame)


@documented
def load_wine_ranking(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the wine data with rankings of the three cultivars.

    Parameters
    ----------
    %(return_X_y)s
    %(as_frame_of_data)s

    Returns
    -------
    data : sklearn.utils.Bunch
        With `data` (178, 13), `target` (178, 3) positions (1 = most probable cultivar), `feature_names`,
        `target_names`, `structure` (``Permutations(3)``) and `DESCR`. The features differ in scale by factors of a
        thousand.

    Raises
    ------
    ImportError
        With `as_frame`, without pandas.
    """
    return _ranked_classes("wine", source.load_wine(), return_X_y, as_frame)


@documented
def load_digits_ranking(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the images of digits with rankings of the ten digits.

    Parameters
    ----------
    %(return_X_y)s
    %(as_frame_of_data)s

    Returns
    -------
    data : sklearn.utils.Bunch
        With `data` (1797, 64) grey values 0..16, `target` (1797, 10) positions (1 = most probable digit),
        `feature_names`, `target_names`, `structure` (``Permutations(10)``) and `DESCR`.

    Raises
    ------
    ImportError
        With `as_frame`, without pandas.
    """
    return _ranked_classes("digits", source.load_digits(), return_X_y, as_frame)


@documented
def load_diabetes_ranking(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the diabetes data with rankings of six blood serum measurements.

    Parameters
    ----------
    %(return_X_y)s
    %(as_frame_of_data)s

    Returns
    -------
    data : sklearn.utils.Bunch
        With `data` (442, 5), `target` (442, 6) positions (1 = the measurement that is highest against its mean, in
        standard deviations), `feature_names`, `target_names`, `structure` (``Permutations(6)``) and `DESCR`.

    Raises
    ------
    ImportError
        With `as_frame`, without pandas.
    """
    original = source.load_diabetes(scaled=False)
    names = np.array(original.feature_names)
    taken = np.isin(names, _SERUM)
    values = original.data[:, taken]
    ranks = positions_by_score((values - values.mean(axis=0)) / values.std(axis=0))
    inputs = np.column_stack([original.data[:, ~taken], original.target])
    kept = Bunch(data=inputs, feature_names=[*names[~taken].tolist(), "progression"])
    return dataset(kept, ranks, Permutations(len(_SERUM)), _SERUM, _DIABETES, return_X_y, as_frame)


def _ranked_classes(name: str, original: Bunch, return_X_y: bool, as_frame: bool) -> Any:
    # The joint log-probabilities order the classes as their probabilities do, without ties by underflow.
    classifier = GaussianNB().fit(original.data, original.target)
    ranks = positions_by_score(classifier.predict_joint_log_proba(original.data))
    labels = [str(label) for label in original.target_names]
    (n, p), k = original.data.shape, len(labels)
    description = _BY_CLASS.format(source=name, n=n, p=p, k=k)
    return dataset(original, ranks, Permutations(k), labels, description, return_X_y, as_frame)
