"""Rules for the code in Go that neither its compiler nor go vet knows."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Lines of code of a function, without blank lines and comments.
LONGEST_FUNCTION = 80
#: Columns of a line, of which a tab takes 4.
WIDEST_LINE = 140

_LOOP = re.compile(r"^(\t+)for (?:(\w+)(?:, (\w+))? := range .*|(\w+) := .*; .*; .*) \{\n\1\t(.+)\n\1\}$", re.M)
_FUNCTION = re.compile(r"func (?:\([^)]*\) )?(\w+)")
_SUM = re.compile(r"^([\w.]+(?:\[(.+)\])?) [+-]= ([^*]+) \* ([^*]+)$")


def products_of_vectors(text: str) -> Iterable[str]:
    """Yield the loops that are an inner product of two vectors, or add a multiple of one to another."""
    for found in _LOOP.finditer(text):
        _, index, value, counter, statement = found.groups()
        index = index or counter
        parts = _SUM.match(statement)
        if parts is None:
            continue
        _, place, *factors = parts.groups()
        entries = [factor == value or factor.endswith(f"[{index}]") for factor in factors]
        constant = [not re.search(rf"\b({index}|{value})\b", factor) for factor in factors]
        if place is None and all(entries):  # s += x[i] * y[i]
            yield statement
        if place == index and any(entries) and any(constant):  # y[i] += a * x[i]
            yield statement


def entries_in_any_order(text: str) -> Iterable[str]:
    """Yield what tests go through in the order of a map, which differs from run to run."""
    maps = r"map\[\w"  # keys that have no order, such as arrays, are let be
    for function in text.split("\n}\n"):
        names = "|".join(re.findall(rf"^\t*(\w+) :?= {maps}", function, re.M)) or "(?!)"
        yield from re.findall(rf"\brange ({maps}.*|(?:{names})(?= {{).*)", function)


def wide_lines(text: str) -> Iterable[int]:
    """Yield the numbers of lines that do not fit on a screen."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line.replace("\t", " " * 4)) > WIDEST_LINE:
            yield number


def long_functions(text: str) -> Iterable[str]:
    """Yield the names of functions that are long; gofmt ends each with a brace at the left."""
    name, lines, quoted = "", 0, False
    for line in text.splitlines():
        if found := not quoted and _FUNCTION.match(line):
            name, lines = "" if line.endswith("}") else found[1], 0
        if quoted or line.strip() and not line.strip().startswith("//"):
            lines += 1
        if name and not quoted and line == "}":
            if lines > LONGEST_FUNCTION:
                yield name
            name = ""
        quoted ^= line.count("`") % 2 == 1
