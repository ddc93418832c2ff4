"""What a structure says about given scores: best outputs, partition functions, marginals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _lib
from .._constraints import Restriction, RowConstraints
from .._decoding import METHODS, Decoding
from .._scores import score_rows

if TYPE_CHECKING:
    from ._base import Structure


class ScoreMethods:
    r"""The part of `Structure` that takes scores :math:`s` of the embedding, in rows of length d.

    The methods with an underscore do it in parts; a structure whose outputs only Python knows replaces them.
    """

    if TYPE_CHECKING:  # what the structure has beside

        @property
        def n_features(self) -> int: ...

        def _describe(self) -> _lib.Description: ...

        def _decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]: ...

        def _best_by_program(
            self, linear: NDArray[np.float64], magnitude: NDArray[np.float64], restriction: Restriction | None = None
        ) -> tuple[NDArray[np.int32], float]: ...

    # Best outputs.

    def decode(self, scores: ArrayLike, *, constraints: Any = None) -> NDArray[Any]:
        r"""Return a member of largest score :math:`\langle s, \psi(y)\rangle` for every row s of `scores`.

        Parameters
        ----------
        scores : array-like of shape (n, d) or (d,)
            Finite.
        constraints : dict, or list of n dicts (or None), default=None
            Conditions that the outputs must meet, for all rows or for each; the structure's notes list the keys.

        Returns
        -------
        y : ndarray of n rows, or one row for scores of shape (d,)
            In the structure's format. Exact where the structure is exactly solvable at its size, otherwise by local
            search from a solution with a guarantee; ``StructuredRidge.predict_certified`` says which.
        """
        rows, single = score_rows(scores, self.n_features)
        if constraints is None:
            decoded = self._decode_scores(rows)
        else:
            decoded = RowConstraints(cast("Structure", self), constraints, len(rows)).decode(rows, None, Decoding())
        y = self._decode_parts(decoded.y)
        return y[0] if single else y

    def _decode_scores(
        self,
        linear: NDArray[np.float64],
        magnitude: NDArray[np.float64] | None = None,
        how: Decoding = Decoding(),  # noqa: B008  # immutable
    ) -> _lib.Decoded:
        """Return for every row an output of largest ⟨linear, ψ(y)⟩ + ⟨magnitude, ψ(y)²⟩, as `_lib.decode` does."""
        if how.decoder == "milp":
            from .._integer import decode_rows  # loads the solver

            return decode_rows(self._describe(), linear, magnitude, self._best_by_program)
        return self._decode_otherwise(linear, magnitude, how)

    def _decode_otherwise(
        self, linear: NDArray[np.float64], magnitude: NDArray[np.float64] | None, how: Decoding
    ) -> _lib.Decoded:
        """Decode by another method than an integer program."""
        return _lib.decode(self._describe(), linear, magnitude, METHODS[how.decoder], how.n_threads, how.seed)

    # The laws p(y) ∝ exp⟨s, ψ(y)⟩.

    def log_partition(self, scores: ArrayLike) -> NDArray[np.float64] | float:
        r"""Return :math:`\ln Z = \ln \sum_y \exp\langle s, \psi(y)\rangle` for every row s of `scores`.

        The sum is over all members, so that scores of 0 give `log_count`. It is exact up to rounding, for scores of any
        finite size.

        Parameters
        ----------
        scores : array-like of shape (n, d) or (d,)
            Finite.

        Returns
        -------
        log_partition : ndarray of shape (n,), or float for scores of shape (d,)

        Raises
        ------
        CapabilityError
            When the structure is too large for exact sums, and has more than 1 000 000 members.
        ValueError
            When scores are not finite; names the row.

        Notes
        -----
        Closed forms and recursions take O(d) for each row where entries of ψ are independent, on trees and on paths,
        O(n ℓ) for sets of ℓ labels, :math:`O(n^3)` for spanning trees, :math:`O(2^n n)` for rankings and assignments
        (n ≤ 20) and for cliques, :math:`O(2^n n^2)` for cycles and routes (n ≤ 16) and :math:`O(3^n)` for rankings with
        ties. Other spaces are summed over member by member.

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6.

        Examples
        --------
        >>> import math
        >>> from combpred.structures import Permutations
        >>> z = math.exp(Permutations(3).log_partition([0.0, 0.0, 0.0]))
        >>> round(z, 6)
        6.0
        """
        rows, single = score_rows(scores, self.n_features)
        log_z = self._log_partition(rows).log_z
        return float(log_z[0]) if single else log_z

    def marginals(self, scores: ArrayLike) -> NDArray[np.float64]:
        r"""Return the mean of :math:`\psi(y)` under :math:`p(y) \propto \exp\langle s, \psi(y)\rangle` for every row s.

        It is the gradient of `log_partition`; entries of :math:`\psi` that are 0 or 1 have their probabilities there.
        Scores of 0 give `mean`.

        Parameters
        ----------
        scores : array-like of shape (n, d) or (d,)
            Finite.

        Returns
        -------
        marginals : ndarray of the shape of `scores`

        Raises
        ------
        CapabilityError
            When the structure is too large for exact sums, and has more than 1 000 000 members.
        ValueError
            When scores are not finite; names the row.
        MemoryError
            When n × d numbers do not fit, before they are allocated.

        Notes
        -----
        Cost: two to four times that of `log_partition`.

        References
        ----------
        Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6.

        Examples
        --------
        >>> from combpred.structures import LabelSets
        >>> LabelSets(3, size=1).marginals([0.0, 0.0, -1000.0])
        array([0.5, 0.5, 0. ])
        """
        rows, single = score_rows(scores, self.n_features)
        means = self._log_partition(rows, marginals=True).marginals
        assert means is not None  # they were asked for
        return means[0] if single else means

    def _log_partition(
        self, linear: NDArray[np.float64], marginals: bool = False, n_threads: int | None = None
    ) -> _lib.Partition:
        """Return the partition functions, and on request the marginals, of rows of finite scores."""
        return _lib.log_partition(self._describe(), linear, marginals=marginals, n_threads=n_threads)

    def _sample_distribution(
        self, linear: NDArray[np.float64], n_samples: int, seed: int, n_threads: int | None = None
    ) -> NDArray[Any]:
        """Return independent draws from p for rows of finite scores, in parts ``(n_samples, n, part_len)``."""
        return _lib.sample_distribution(self._describe(), linear, n_samples, seed, n_threads=n_threads)
