"""Finding the structure classes: no list of them is kept anywhere."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from ._base import Structure


@functools.cache
def _discovered() -> dict[str, type[Structure]]:
    package = importlib.import_module(__package__)
    found: dict[str, type[Structure]] = {}
    for module in pkgutil.iter_modules(package.__path__):
        for value in vars(importlib.import_module(f"{__package__}.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, Structure) and "name" in vars(value):
                found[value.name] = value
    return dict(sorted(found.items()))


def structure_classes() -> dict[str, type[Structure]]:
    """Return the classes of all structures by catalogue name.

    Returns
    -------
    classes : dict
        In the order of the names.

    Examples
    --------
    >>> structure_classes()["permutations"].__name__
    'Permutations'
    """
    return dict(_discovered())
