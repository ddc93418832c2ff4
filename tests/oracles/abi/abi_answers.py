"""Functions of the header, legal arguments for each, and the answers they give."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from types import FunctionType

from abi_calls import CALLS

HEADER = re.sub(
    r"/\*.*?\*/", "", (Path(__file__).parents[3] / "capi" / "combpred.h").read_text(), flags=re.S
)  # without comments


class Answer:
    """Status and message of one call."""

    def __init__(self, function, *arguments):
        message = ctypes.create_string_buffer(4096)
        pointers = (ctypes.byref(a) if isinstance(a, ctypes.Structure) else a for a in arguments)
        self.status = function(*pointers, message, len(message))
        self.message = message.value.decode()


def functions() -> dict[str, list[str]]:
    found = re.findall(r"int32_t\s+(cp_\w+)\(([^)]*)\);", HEADER)
    return {name: [] if text == "void" else [p.strip() for p in text.split(",")] for name, text in found}


def arguments(function: str) -> list:
    """Return legal arguments, with the state of what goes on when called again at its beginning. Structs are copies.

    Functions among the arguments are called for each call: they open what that ends.
    """
    given = (a() if isinstance(a, FunctionType) else a for a in CALLS[function])
    return [type(a).from_buffer_copy(a) if isinstance(a, ctypes.Structure) else a for a in given]


def structs() -> list[tuple[str, int, type[ctypes.Structure]]]:
    """Return the structs that begin with their size, as function, index among its arguments, and type."""
    return [
        (function, index, type(a))
        for function, given in CALLS.items()
        for index, a in enumerate(given)
        if isinstance(a, ctypes.Structure)
    ]
