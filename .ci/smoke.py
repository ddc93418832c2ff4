"""Uses an installed combpred: a space is counted, a model fitted, saved and used.

Runs in a folder that does not hold the package. Prints the BLAS in use, and the seconds from the first import to the
first prediction.
"""

from time import perf_counter

start = perf_counter()

import pickle  # noqa: E402
import platform  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402

import combpred  # noqa: E402
from combpred._lib.call import library  # noqa: E402
from combpred.structures import Permutations  # noqa: E402

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
weights = rng.normal(size=(4, 5))
y = 1 + (-(X @ weights)).argsort(axis=1).argsort(axis=1)
model = combpred.StructuredRidge(Permutations(5)).fit(X[:150], y[:150])
predicted = model.predict(X[150:])
seconds = perf_counter() - start

assert Permutations(5).space.count() == 120
assert np.array_equal(np.sort(predicted, axis=1), np.tile(np.arange(1, 6), (50, 1)))
assert model.score(X[150:], y[150:]) > 0.8, model.score(X[150:], y[150:])
assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X[150:]), predicted)
place = Path(combpred.__file__).resolve()
assert "site-packages" in place.parts, place
blas = library().blas
machine = f"CPython {sys.version.split()[0]}, {platform.system()} {platform.machine()}, NumPy {np.__version__}"
print(f"{machine}, BLAS: {blas.name} ({blas.reason}): first prediction after {seconds:.1f} s")
