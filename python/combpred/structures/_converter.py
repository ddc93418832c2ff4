"""How converters, which make y of rows of names, take the names of a structure."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any


class converter(staticmethod):  # type: ignore[type-arg]  # noqa: N801  # a decorator
    """Decorate a static method of a structure, so that called on an instance it takes the names that this has."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the function, with the names of the instance, if there is one, as defaults."""
        if instance is None:
            return self.__func__
        held = {instance._sized.names: instance._known(), "columns": getattr(instance, "columns", None)}
        taken = inspect.signature(self.__func__).parameters
        return partial(self.__func__, **{name: held[name] for name in taken if held.get(name) is not None})
