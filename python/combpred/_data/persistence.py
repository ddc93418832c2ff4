"""What model files of skops may hold: the rule that the command line keeps, too."""

from __future__ import annotations

import importlib
from os import PathLike
from zipfile import BadZipFile

#: Packages whose classes are trusted, and what older versions of skops ask for beside them.
_PACKAGES = ("combpred", "sklearn", "scipy.sparse")
_BESIDES = ("numpy.dtype",)


def trusted_types(file: str | PathLike[str] | bytes) -> list[str]:
    """Return the types in a file of skops that are classes of combpred, scikit-learn or SciPy's sparse arrays.

    It is what ``trusted=`` of :func:`skops.io.load` takes, which then refuses, by name, whatever else the file holds:
    functions, even those of these packages, and classes of others. Nothing of the file is loaded to find out.

    Parameters
    ----------
    file : path or bytes
        A file that :func:`skops.io.dump` has written, or what :func:`skops.io.dumps` has returned.

    Returns
    -------
    list of str
        Full names, without those that skops trusts anyway.

    Raises
    ------
    ImportError
        Without skops.
    ValueError
        When the file is none of skops.

    Notes
    -----
    A name counts by where its class is defined, not by where a module has imported it. The page on saving models lists
    the types of all estimators, and says what loading does and does not run.

    Examples
    --------
    >>> import numpy as np
    >>> import skops.io
    >>> from combpred import StructuredRidge, trusted_types
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[1, 2], [1, 2], [2, 1], [2, 1]])
    >>> written = skops.io.dumps(StructuredRidge("permutations").fit(X, y))
    >>> [name.rpartition(".")[2] for name in trusted_types(written)]
    ['InputKernel', 'StructuredRidge', 'Permutations']
    >>> skops.io.loads(written, trusted=trusted_types(written)).predict(X).tolist()
    [[1, 2], [1, 2], [2, 1], [2, 1]]
    """
    import skops.io

    if not isinstance(file, (str, PathLike, bytes)):
        raise TypeError(f"file must be a path, or the bytes of a file, got {file!r:.80}")
    try:
        found = skops.io.get_untrusted_types(**{"data" if isinstance(file, bytes) else "file": file})
    except BadZipFile as error:
        raise ValueError(f"file is none that skops.io has written: {error}") from error
    return [name for name in found if _is_trusted(name)]


def _is_trusted(name: str) -> bool:
    """Return whether a name is that of a class which one of the trusted packages defines."""
    module, _, attribute = name.rpartition(".")
    if not _is_within(module):
        return name in _BESIDES
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except ImportError:
        return False
    return isinstance(found, type) and _is_within(found.__module__)


def _is_within(module: str) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in _PACKAGES)
