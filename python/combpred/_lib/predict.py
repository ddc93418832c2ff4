"""Predictions of fitted models by the core: scores of new rows, and outputs of largest score.

``capi/combpred.h`` states the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from . import abi
from .call import RowInputs, call, floats, put, record
from .decode import Decoded, Decoding, decoding_work
from .kernel import InputKernel
from .structure import Description


@dataclass(frozen=True)
class Model:
    """What a fitted model predicts from: scores f(x) = k(x, train) coef + intercept.

    Attributes
    ----------
    description : Description
    coef : ndarray of shape (m, d)
        Of the rows of training, or of the features.
    intercept : ndarray of shape (d,)
    function : InputKernel or None
        With a name; None for rows that are features, or kernel values with the rows of training.
    train : array or CSR of shape (m, p), or None
        Rows of training, with a function.
    pre_image : bool
        Whether the output is predicted whose ψ is nearest to the scores plus the mean of ψ, in place of the one of
        largest score.
    n_threads : int
    """

    description: Description
    coef: Any
    intercept: Any
    function: InputKernel | None
    train: Any
    pre_image: bool
    n_threads: int

    @cached_property
    def struct(self) -> abi.CModel:
        """The coefficients as the library takes them: those of features may have to be copied, once for all blocks."""
        coef = floats(self.coef, "coef", None, None)
        m, d = coef.shape
        return record(
            abi.CModel, m=m, d=d, coef=coef, intercept=floats(self.intercept, "intercept", d),
            loss="squared" if self.pre_image else "auc",
        )  # fmt: skip

    @cached_property
    def _train_rows(self) -> RowInputs | None:
        return None if self.train is None else RowInputs(self.train)

    def predict(
        self,
        X: Any,
        *,
        scores: Any = None,
        found: Decoded | None = None,
        how: Decoding | None = None,
        first: int = 0,
        mapped: bool = False,
    ) -> None:
        """Write f(x) of rows to `scores`, and outputs of largest score to `found`; None: they are not asked for.

        Parameters
        ----------
        X : array or CSR of shape (n, p)
        scores : ndarray of shape (n, d)
        found : Decoded
            Of n rows.
        how : Decoding
            With `found`: by a decoder of the library.
        first : int, default=0
            Number of the first row in messages.
        mapped : bool, default=False
            As :class:`combpred._lib.call.RowInputs` takes it.

        Raises
        ------
        RowError
            Where an input is not finite, or kernel values or scores overflow.
        CapabilityError
            When the decoder is beyond its size.
        """
        rows = RowInputs(X, mapped=mapped)
        m, d = self.struct.m, self.struct.d
        into = record(abi.CPredictions, n=rows.n, first=first, scores=scores)
        flops = rows.n * (2.0 * rows.width * d if self.function is None else m * (20.0 + 2 * rows.width + 2 * d))
        options = None
        if found is not None and how is not None:
            columns = found._asdict()
            put(into, part_len=found.y.shape[1], outputs=columns.pop("y"), **columns)
            options = record(abi.CDecodeOptions, method=how.decoder, seed=how.seed % 2**64)
            flops += decoding_work(rows.n, d, how.decoder)
        call(
            "cp_predict", self.description, self, self.function, self._train_rows, rows, options, into,
            n_threads=self.n_threads, flops=flops,
        )  # fmt: skip
