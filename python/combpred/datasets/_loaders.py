"""Data sets that scikit-learn ships, with structures as targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as source
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import Bunch

from .._data.converters import positions_by_score
from .._data.glossary import documented
from ..structures import Hierarchy, LabelSets, Permutations, Structure


def dataset(
    original: Bunch, target: NDArray[Any], structure: Structure, target_names: Sequence[str], description: str,
    return_X_y: bool, as_frame: bool,
) -> Any:  # fmt: skip
    """Return the inputs of a data set with other targets, as a Bunch or, if `return_X_y`, as a pair."""
    features, names = list(original.feature_names), list(target_names)
    data: Any = np.array(original.data, dtype=np.float64, order="C")
    frame = None
    if as_frame:
        import pandas as pd  # an optional dependency

        data = pd.DataFrame(data, columns=features)
        if target.ndim == 1:
            target = pd.Series(target, name="target")
        else:
            target = pd.DataFrame(target, columns=names)
            structure = type(structure)(labels=names)  # as all that have columns
        frame = pd.concat([data, target], axis=1)
    if return_X_y:
        return data, target
    return Bunch(
        data=data, target=target, frame=frame, feature_names=features, target_names=names, structure=structure,
        DESCR=description,
    )  # fmt: skip


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


# Which digits have the property. The last one is about the shape: the stroke of the digit encloses an area.
_PROPERTIES: dict[str, frozenset[int]] = {
    "even": frozenset({0, 2, 4, 6, 8}),
    "prime": frozenset({2, 3, 5, 7}),
    "square": frozenset({0, 1, 4, 9}),
    "multiple of three": frozenset({0, 3, 6, 9}),
    "above five": frozenset({6, 7, 8, 9}),
    "loop": frozenset({0, 6, 8, 9}),
}

_ATTRIBUTES = """\
The inputs are the 1797 images of hand-written digits that scikit-learn ships, 8 × 8 grey values. The target is the
set of properties that the digit has: {properties}. The ten digits have ten different sets out of the 64 that are
possible."""


@documented
def load_digits_attributes(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the images of digits with sets of properties of the digit as targets.

    Parameters
    ----------
    %(return_X_y)s
    %(as_frame_of_data)s

    Returns
    -------
    data : sklearn.utils.Bunch
        With `data` (1797, 64) grey values 0..16, `target` (1797, 6) 0/1, `feature_names`, `target_names` (the
        properties), `structure` (``LabelSets(6)``) and `DESCR`.

    Raises
    ------
    ImportError
        With `as_frame`, without pandas.

    Examples
    --------
    >>> from combpred.datasets import load_digits_attributes
    >>> digits = load_digits_attributes()
    >>> [name for name, has in zip(digits.target_names, digits.target[3]) if has]  # an image of a three
    ['prime', 'multiple of three']
    """
    original = source.load_digits()
    table = np.array([[digit in members for members in _PROPERTIES.values()] for digit in range(10)], dtype=np.int32)
    listed = "; ".join(f"{name} ({', '.join(map(str, sorted(members)))})" for name, members in _PROPERTIES.items())
    target, structure = table[original.target], LabelSets(len(_PROPERTIES))
    description = _ATTRIBUTES.format(properties=listed)
    return dataset(original, target, structure, list(_PROPERTIES), description, return_X_y, as_frame)


_SHAPES: dict[Any, Any] = {
    "digit": None,
    "closed": "digit",
    "open": "digit",
    "curved": "open",
    "straight": "open",
    **dict.fromkeys("0689", "closed"),
    **dict.fromkeys("235", "curved"),
    **dict.fromkeys("147", "straight"),
}

_SPECIES: dict[Any, Any] = {
    "Iris": None,
    "Tripetalae": "Iris",
    "Laevigatae": "Iris",
    "setosa": "Tripetalae",
    "versicolor": "Laevigatae",
    "virginica": "Laevigatae",
}

_DIGITS = """\
The inputs are the 1797 images of hand-written digits that scikit-learn ships, 8 × 8 grey values. The target is the
digit, a leaf of a tree of shapes: the stroke encloses an area (0, 6, 8, 9), or it is open and then mostly curved (2,
3, 5) or mostly straight (1, 4, 7)."""

_IRIS = """\
The inputs are Fisher's iris measurements as scikit-learn ships them: 150 flowers, 4 lengths. The target is the
species, a leaf of the botanical tree: setosa belongs to the series Tripetalae of the genus, versicolor and virginica
to the series Laevigatae."""


@documented
def load_digits_hierarchy(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the images of digits with the digits as leaves of a tree of shapes.

    Parameters
    ----------
    %(return_X_y)s
    %(as_frame_of_data)s

    Returns
    -------
    data : sklearn.utils.Bunch
        With `data` (1797, 64) grey values 0..16, `target` (1797,) names "0" to "9", `feature_names`, `target_names`
        (all nodes), `structure` (a ``Hierarchy`` of 15 nodes that allows leaves only) and `DESCR`.

    Raises
    ------
    ImportError
        With `as_frame`, without pandas.

    Examples
    --------
    >>> from combpred.datasets import load_digits_hierarchy
    >>> load_digits_hierarchy().structure.count()
    10
    """
    original = source.load_digits()
    target, tree = original.target.astype(str), Hierarchy(dict(_SHAPES), allowed="leaves")
    return dataset(original, target, tree, list(_SHAPES), _DIGITS, return_X_y, as_frame)


@documented
def load_iris_hierarchy(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the iris data with the species as leaves of the botanical tree.

    Parameters
    ----------
    %(return_X_y)s
    %(as_frame_of_data)s

    Returns
    -------
    data : sklearn.utils.Bunch
        With `data` (150, 4), `target` (150,) names of species, `feature_names`, `target_names` (all nodes),
        `structure` (a ``Hierarchy`` of 6 nodes that allows leaves only) and `DESCR`.

    Raises
    ------
    ImportError
        With `as_frame`, without pandas.
    """
    original = source.load_iris()
    target, tree = original.target_names.astype(str)[original.target], Hierarchy(dict(_SPECIES), allowed="leaves")
    return dataset(original, target, tree, list(_SPECIES), _IRIS, return_X_y, as_frame)
