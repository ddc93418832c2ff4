"""How converters, which make y of what people write, take the names of a structure."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, update_wrapper, wraps
from types import MethodType
from typing import Any


class converter:  # noqa: N801  # a decorator
    """Decorate a static method of a structure, so that called on an instance it takes the names that this has.

    Where it has a size and no names, these are the numbers 0, 1, ….
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__func__ = function
        update_wrapper(self, function)  # type: ignore[arg-type]  # for what reads docstrings

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the function, with the names of the instance, if there is one, as defaults."""
        function = self.__func__
        if instance is None:
            return function
        names, size = instance._sized.names, getattr(instance, instance._sized.parameter)
        taken = inspect.signature(function).parameters
        held = {name: getattr(instance, name) for name in taken if getattr(instance, name, None) is not None}
        if size is not None and names in taken:
            held.setdefault(names, range(size))
        return partial(function, **held)


class converter_of:  # noqa: N801  # a decorator
    """Decorate a method that makes y by the edges or names of its structure, so that a class has it, too.

    Called on the class, it takes the parameters of the structure by their names.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__func__ = function
        update_wrapper(self, function)  # type: ignore[arg-type]  # for what reads docstrings

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Return the method of an instance, or a function that makes one first."""
        function = self.__func__
        if instance is not None:
            return MethodType(function, instance)

        @wraps(function)
        def of_class(*arguments: Any, **options: Any) -> Any:
            if arguments and isinstance(arguments[0], owner):
                return function(*arguments, **options)
            own = set(inspect.signature(owner).parameters) & set(options)
            return function(owner(**{name: options.pop(name) for name in own}), *arguments, **options)

        return of_class
