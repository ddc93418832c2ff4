"""Where tests look into rooms that they do not test."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from house_rules import INNER, Modules, imports_in, is_private, owners_of_private_names


class Look(NamedTuple):
    """A place where a test looks into a room: its file below tests, the line, and what it uses."""

    file: str
    line: int
    what: str


def looks_inside(tests: Path, file: Path, room: str, owners: dict[str, set[str]]) -> Iterator[Look]:
    """Yield where a test of `room` uses what is private to others.

    Private are the rooms of `INNER`, and modules and names with an underscore in any room. Seen are imports, paths in
    strings (of what is patched, and in scripts that run elsewhere), and attributes, also those in strings, whose name
    only other rooms define. What a module of the room has imported itself is the room's.
    """
    name = file.relative_to(tests).as_posix()

    def foreign(path: str) -> bool:
        parts = path.split(".")
        return parts[0] != room and any(is_private(part) for part in parts)

    def in_tree(tree: ast.AST, first: int) -> Iterator[Look]:
        for each in imports_in(tree):
            if foreign(each.path):
                yield Look(name, first + each.line, each.path)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                if room not in owners.get(node.attr, {room}) and ast.unparse(node.value) not in ("self", "cls"):
                    yield Look(name, first + node.lineno, ast.unparse(node))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from in_text(node.value, first + node.lineno)

    def in_text(text: str, line: int) -> Iterator[Look]:
        if room not in owners.get(text, {room}):
            yield Look(name, line, text)
        if "import" in text and "combpred" in text:
            try:
                script = ast.parse(textwrap.dedent(text))
            except SyntaxError:  # prose
                pass
            else:
                yield from in_tree(script, line)
                return
        for path in re.findall(r"\bcombpred\.((?:\w+\.)*\w+)", text):
            if foreign(path):
                yield Look(name, line, path)

    yield from in_tree(ast.parse(file.read_text(encoding="utf-8")), 0)


def looks_of_tests(tests: Path, modules: Modules, rooms_of_oracles: dict[str, str]) -> list[Look]:
    """Return where tests look into rooms that they do not test.

    A test belongs to the room that its folder is named after, an oracle to none, but for those of `rooms_of_oracles`:
    only tests and oracles of the same room may import these. Tests of the project inspect everything, and benchmarks
    may time what no user calls.
    """
    owners, found = owners_of_private_names(modules), []
    for file in sorted(tests.rglob("*.py")):
        folder, *below = file.relative_to(tests).parts
        if folder in ("project", "benchmarks"):
            continue
        room = f"_{folder}" if f"_{folder}" in INNER else folder
        if folder == "oracles":
            room = rooms_of_oracles.get(Path(below[-1]).stem, room)
        found += looks_inside(tests, file, room, owners)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            found += [
                Look(file.relative_to(tests).as_posix(), node.lineno, name)  # type: ignore[attr-defined]
                for name in names
                if name in rooms_of_oracles and rooms_of_oracles[name] != room
            ]
    return found
