"""Sets of outputs, one for each row, as masks: what is required, possible and ruled out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._data.checks import counted, seed_of, whole_number
from ..._lib.arrays import FloatArray
from ..._lib.partition import Sets
from ..._lib.structure import structure_layout
from ...structures import Structure

if TYPE_CHECKING:
    import pandas

_STATES = np.array(["out", "possible", "required"])


class StructuredSets(Sequence["StructuredSet"]):
    """Sets of outputs of n rows.

    They are what :meth:`ConformalStructured.predict_set` returns, a sequence of :class:`StructuredSet`: it has a
    length, is indexed and iterated over, and slices are sets again.

    Parameters
    ----------
    structure : Structure
        The structure of the outputs.
    sets : object
        What the library makes the sets from.

    Attributes
    ----------
    log_size : ndarray of shape (n,)
        The natural logarithm of the number of outputs in each set, −inf for a set without any. It is found when it is
        first asked for, by one call for all rows; CapabilityError where the structure is too large to count the
        outputs that a set has left.

    Notes
    -----
    Cost of `log_size`: that of ``structure.log_partition`` for each row, but O(d) where sets have closed forms.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import ConformalStructured, ProbabilisticStructured
    >>> from combpred.structures import LabelSets
    >>> labels, X = LabelSets(labels=["sun", "rain", "wind"]), np.random.default_rng(0).normal(size=(200, 1))
    >>> y = labels.sample(1, scores=X * [2.0, -2.0, 0.0], random_state=0)[0]
    >>> sets = ConformalStructured(ProbabilisticStructured(labels), cv=0.5).fit(X, y).predict_set(X[:3])
    >>> sets.contains(y[:3]).tolist(), np.exp(sets.log_size).round().tolist()
    ([True, True, True], [8.0, 8.0, 8.0])
    """

    def __init__(self, structure: Structure, sets: Sets) -> None:
        self.structure = structure
        self._sets = sets

    def __len__(self) -> int:
        return len(self._sets.marginals)

    def __repr__(self) -> str:
        return f"StructuredSets of {counted(len(self), 'row')} ({self.structure!r})"

    def __getitem__(self, index: Any) -> Any:
        rows = np.arange(len(self))[index]
        some = StructuredSets(self.structure, self._sets[np.atleast_1d(rows)])
        return some if isinstance(index, slice) else StructuredSet(some)

    def contains(self, y: Any) -> NDArray[np.bool_]:
        """Return whether the set of each row contains its output.

        Parameters
        ----------
        y : array of n structures
            In the format of the structure's class.

        Returns
        -------
        ndarray of shape (n,), bool
            False for outputs that do not satisfy the constraints that the sets were predicted under.

        Raises
        ------
        ValueError
            When y has another number of rows, and for the first row that is no output, naming it.

        Notes
        -----
        One call of the library for all rows, O(d) each.
        """
        parts = self.structure.encode(y)
        if len(parts) != len(self):
            raise ValueError(f"y has {counted(len(parts), 'row')}, there are {counted(len(self), 'set')}")
        return self._sets.ask("contains", parts).view(np.bool_)

    @cached_property
    def log_size(self) -> FloatArray:
        """Logarithms of the numbers of outputs."""
        return self._sets.ask("sizes")


class StructuredSet:
    r"""The set of outputs of one row.

    Parameters
    ----------
    rows : StructuredSets
        Of a single row.

    Attributes
    ----------
    structure : Structure
    log_size : float
        The natural logarithm of the number of outputs, −inf for an empty set; see `StructuredSets`.
    mask : ndarray
        What the parts of outputs may be. The set holds all outputs that agree with it, and satisfy the constraints.

        - `Permutations`: bool, of shape (k, k): ``mask[u, v]`` says that label u may precede label v.
        - `WeakOrders`, `Tournaments`: bool, of shape (2, k, k): ``mask[0, u, v]`` says that u may precede, or beat, v,
          and ``mask[1, u, v]`` that the two may be tied, or not compared.
        - `MultiClass`, `Ordinal`, `Hierarchy`, `PosetElements`: int8, an entry for each class, grade, node or element:
          0 for those in the set, 1 for the only one, −1 for others.
        - all others, whose :math:`\psi` holds zeros and ones: int8, of shape (d,): 1 for labels, vertices, arcs, edges
          or cells that every output of the set has, 0 for those that it may have, −1 for those that it has not.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import ConformalStructured, ProbabilisticStructured
    >>> from combpred.structures import LabelSets
    >>> labels, X = LabelSets(labels=["sun", "rain", "wind"]), np.random.default_rng(0).normal(size=(200, 1))
    >>> y = labels.sample(1, scores=X * [2.0, -2.0, 0.0], random_state=0)[0]
    >>> model = ConformalStructured(ProbabilisticStructured(labels), cv=0.5).fit(X, y)
    >>> fine = model.predict_set([[3.0]])[0]
    >>> fine
    StructuredSet of 2 outputs (LabelSets(labels=['sun', 'rain', 'wind'], n_labels=3))
    >>> fine.to_frame()
             state
    sun   required
    rain       out
    wind  possible
    >>> fine.contains(["sun"]), fine.contains(["sun", "rain"]), fine.mask.tolist()
    (True, False, [1, -1, 0])
    >>> fine.sample(2, random_state=0).shape
    (2, 3)
    """

    def __init__(self, rows: StructuredSets) -> None:
        self._rows = rows
        self.structure = rows.structure

    def __repr__(self) -> str:
        size = self.log_size
        outputs = counted(round(np.exp(size)), "output") if size < 20 else f"exp({size:.1f}) outputs"
        return f"StructuredSet of {outputs} ({self.structure!r})"

    def contains(self, output: Any) -> bool:
        """Return whether the set contains an output, in the format of a row of y.

        Parameters
        ----------
        output : one structure

        Returns
        -------
        bool

        Raises
        ------
        ValueError
            When it is no output of the structure.
        """
        return bool(self._rows.contains([output])[0])

    @property
    def log_size(self) -> float:
        """Logarithm of the number of outputs."""
        return float(self._rows.log_size[0])

    def sample(self, n: int, random_state: int | np.random.RandomState | None = None) -> NDArray[Any]:
        """Return independent draws from the set, all of whose outputs are equally probable.

        Parameters
        ----------
        n : int
        random_state : int, RandomState or None, default=None

        Returns
        -------
        y : array of n structures
            In the format of the structure's class.

        Raises
        ------
        ValueError
            When the set is empty.
        CapabilityError
            When the structure is too large for exact draws under conditions.

        Notes
        -----
        Cost: that of ``structure.sample(n, scores=…)`` under as many conditions.
        """
        space, n = self.structure.space, whole_number(n, "n", 0, 2**31 - 1)
        drawn = self._rows._sets.ask("sample", seed_of(random_state), n_samples=n, part_len=space.part_len)
        return space.decode_parts(drawn[0])

    @property
    def mask(self) -> NDArray[Any]:
        """What the parts of outputs may be."""
        space, allowed = self.structure.space, self._rows._sets.ask("allowed")[0]
        if space.entry_kind == "bits":
            return np.select([allowed == 4, allowed == 6], [1, 0], -1).astype(np.int8)
        layout = structure_layout(space.description)
        there, back, m = layout.rows, layout.columns, len(layout.rows)
        mask = np.zeros((2, layout.n_items, layout.n_items), dtype=np.bool_)
        mask[0, there, back], mask[0, back, there] = allowed[:m] & 4, allowed[:m] & 1
        mask[1, there, back] = mask[1, back, there] = allowed[:m] & 2
        return mask[0] if space.entry_kind == "signs" else mask

    def names(self) -> NDArray[np.object_]:
        """Return the names of what the rows of `mask` are about: labels, items, classes, or entries of ψ.

        Returns
        -------
        ndarray of shape (k,) or (d,), dtype=object
        """
        structure, k = self.structure, self.mask.shape[-1]
        space = structure.space
        if space.entry_kind != "bits":
            return np.array(range(k) if space.items is None else space.items, dtype=object)
        if hasattr(structure, "probabilities") and structure.target_type != "multilabel-indicator":
            return space.decode_parts(np.arange(k)[:, np.newaxis]).astype(object)
        return structure.feature_names()

    def to_frame(self) -> pandas.DataFrame:
        """Return `mask` as a data frame of pandas with the names of what it is about.

        Returns
        -------
        pandas.DataFrame
            For rankings and tournaments `mask`, with the row before the column; of two matrices the columns of the
            first are below "precedes", and of the second below "level". Otherwise a column "state" of "required",
            "possible" and "out".

        Raises
        ------
        ImportError
            Without pandas.
        """
        import pandas

        mask, names = self.mask, self.names()
        if mask.ndim == 1:
            return pandas.DataFrame({"state": _STATES[mask + 1]}, index=names)
        tables = [pandas.DataFrame(matrix, names, names) for matrix in np.atleast_3d(mask.T).T]
        return tables[0] if mask.ndim == 2 else pandas.concat(tables, axis=1, keys=["precedes", "level"])
