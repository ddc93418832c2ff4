"""Types of the arrays that go through the package, for annotations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]  #: scores, embeddings, weights: any real numbers
IntArray = NDArray[np.int32]  #: parts of outputs as the core reads them
CountArray = NDArray[np.int64]  #: numbers of rows, steps and the like
IndexArray = NDArray[np.intp]  #: positions in another array
Rows = IndexArray | slice  #: which rows of an array
