"""How converters between y and rows of names take the names of a structure, and tables with a column for each item."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.converters import as_objects
from .._data.inputs import column_names
from ._base import copy_with, known_items


class converter(staticmethod):  # type: ignore[type-arg]  # noqa: N801  # a decorator
    """Decorate a static method of a structure, so that called on an instance it takes the names that this has."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the function, with the names of the instance, if there is one, as defaults."""
        if instance is None:
            return self.__func__
        held = {instance._sized.names: known_items(instance), "columns": getattr(instance, "columns", None)}
        taken = inspect.signature(self.__func__).parameters
        return partial(self.__func__, **{name: held[name] for name in taken if held.get(name) is not None})


def table_in_parts(
    cls: Any, y: Any, names: Any, argument: str, *, partly_known: bool = False
) -> tuple[NDArray[np.int32], NDArray[np.object_]]:
    """Return outputs in parts, and what items are called: by `names`, by columns of a data frame, or by numbers."""
    if names is None or isinstance(names, range):
        names = column_names(y, argument)
    known = cls(**{cls._sized.names: names})
    if names is None:
        known = copy_with(known, **{cls._sized.parameter: cls._sized.shown(known, y, argument)})
    return known.encode(y, argument, partial=partly_known), as_objects(known_items(known) or ())
