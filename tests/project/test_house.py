"""The rules of the house: rooms in their order, files of one concept, folders of one subject."""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import pkgutil
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import combpred

# Rooms of the package in order: each imports only those before it.
ROOMS = [
    *("_lib", "_data", "_programs", "metrics", "structures", "sampling", "kernels", "_models"),
    *("aggregation", "ranking", "plotting", "datasets", "_cli"),
]
# Their modules have plain names and an empty __init__, and only the package itself uses them; those of the other rooms
# begin with an underscore unless later rooms may import them.
INNER = {"_lib", "_data", "_programs", "_models", "_cli"}
# Files of a few lines that only show what rooms hold. Nothing in a room imports them.
FACES = {"", "__main__", "baselines", "losses", "reductions"}

LONGEST_FILE = 300  # lines of code: neither docstrings nor comments nor blank lines
MOST_ENTRIES = 20
ROOMY = 25  # the folders that hold rooms
ROOMY_FOLDERS = {"python/combpred", "core", "tests"}
# One file a structure, one file a benchmark; capi is one package with the generated binding in it.
FREE_FOLDERS = {"python/combpred/structures", "core/structure", "tests/benchmarks"}
MOST_OWN_CLASSES = 3  # in the MRO of an estimator


@pytest.fixture(scope="module")
def package(root: Path) -> Path:
    return root / "python" / "combpred"


@pytest.fixture(scope="module")
def tracked(root: Path) -> list[Path]:
    """Files that belong to the project."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("not a clone")
    return [Path(line) for line in listed.stdout.splitlines() if (root / line).exists()]


class Module:
    """A module of the package and what it imports of the package."""

    def __init__(self, package: Path, file: Path) -> None:
        parts = file.relative_to(package).with_suffix("").parts
        self.is_package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_package else parts)
        self.tree = ast.parse(file.read_text(encoding="utf-8"))

    @property
    def room(self) -> str:
        return self.name.split(".")[0]

    def imports(self, node: ast.AST | None = None) -> Iterator[tuple[str, str, int]]:
        """Yield module, name and line of every import of the package, but for those that only type checkers see."""
        for child in ast.iter_child_nodes(self.tree if node is None else node):
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.Import):
                for alias in child.names:
                    if alias.name.split(".")[0] == "combpred":
                        parent, _, last = alias.name.rpartition(".")
                        yield parent.removeprefix("combpred").lstrip("."), last, child.lineno
            if isinstance(child, ast.ImportFrom) and (base := self._base(child)) is not None:
                for alias in child.names:
                    yield base, alias.name, child.lineno
            yield from self.imports(child)

    def _base(self, node: ast.ImportFrom) -> str | None:
        module = node.module.split(".") if node.module else []
        if node.level == 0:
            return ".".join(module[1:]) if module[0] == "combpred" else None
        here = self.name.split(".") if self.name else []
        here = here if self.is_package else here[:-1]
        return ".".join(here[: len(here) - node.level + 1] + module)


@pytest.fixture(scope="module")
def modules(package: Path) -> dict[str, Module]:
    return {module.name: module for file in sorted(package.rglob("*.py")) for module in [Module(package, file)]}


@pytest.fixture(scope="module")
def edges(modules: dict[str, Module]) -> list[tuple[str, str, str, int]]:
    """Importing module, imported module, imported name ("" for the module itself), and line."""
    found = []
    for name, module in modules.items():
        for base, imported, line in module.imports():
            inner = f"{base}.{imported}" if base else imported
            found.append((name, inner, "", line) if inner in modules else (name, base, imported, line))
    return found


def test_every_module_is_in_a_room_or_a_face(modules):
    assert {module.room for module in modules.values()} == {*ROOMS, *FACES}


def test_imports_between_rooms_run_downwards(modules, edges):
    level = {room: i for i, room in enumerate(ROOMS)}
    wrong = [
        f"{source}:{line} imports {target or 'combpred'}"
        for source, target, _, line in edges
        if (room := modules[source].room) in level
        and (modules[target].room not in level or level[modules[target].room] > level[room])
    ]
    assert wrong == []


def test_no_imports_run_in_circles(modules, edges):
    targets: dict[str, set[str]] = {name: set() for name in modules}
    for source, target, _, _ in edges:
        if source != target:
            targets[source].add(target)
    # What cannot be taken away, one module without further imports after the other, is in circles or leads to some.
    left = dict(targets)
    while free := [name for name, after in left.items() if not after & set(left)]:
        for name in free:
            del left[name]
    while leads := [name for name in left if not any(name in after for after in left.values())]:
        for name in leads:
            del left[name]
    assert {name: sorted(after & set(left)) for name, after in left.items()} == {}


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


#: Where modules are looked up by name: lazily, or to find out which there are.
FINDERS = {"", "structures._resolve", "_lib.versions", "_lib.control", "_cli.model"}


def test_modules_are_imported_by_statements(modules):
    by_name = {
        name
        for name, module in modules.items()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("importlib.import_module", "__import__")
    }
    assert by_name <= FINDERS


def test_no_room_uses_private_names_of_another(modules, edges):
    wrong = []
    for source, target, name, line in edges:
        room, other = modules[source].room, modules[target].room
        if room == other or room in FACES:
            continue
        inside = target.split(".")[1:]  # below the room
        if _is_private(name) or any(_is_private(part) for part in inside):
            wrong.append(f"{source}:{line} imports {target}{'.' + name if name else ''}")
    for name, module in modules.items():  # and not as attributes of a module either
        others = {
            imported
            for base, imported, _ in module.imports()
            if (target := modules.get(f"{base}.{imported}" if base else imported)) and target.room != module.room
        }
        wrong += [
            f"{name}:{node.lineno} uses {ast.unparse(node)}"
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in others
            and _is_private(node.attr)
        ]
    assert wrong == []


def test_structures_are_asked_by_their_space(modules):
    """Later rooms use no private attribute of a structure: all that they ask is asked of ``structure.space``."""
    from combpred.structures import Structure, structure_classes

    classes = {Structure, *structure_classes().values()}
    private = {name for cls in classes for name in vars(cls) if _is_private(name)} - {"_parameter_constraints"}
    later = set(ROOMS[ROOMS.index("structures") + 1 :])
    wrong = [
        f"{name}:{node.lineno} uses {ast.unparse(node)}"  # type: ignore[attr-defined]
        for name, module in modules.items()
        if module.room in later
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and node.attr in private
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
        or isinstance(node, ast.Attribute)
        and _is_private(node.attr)
        and ast.unparse(node.value).endswith(".space")
        or isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("getattr", "hasattr")
        and isinstance(node.args[1], ast.Constant)
        and node.args[1].value in private
    ]
    assert wrong == []


def test_rooms_of_the_package_alone_show_nothing(package):
    assert {room: (package / room / "__init__.py").read_text() for room in INNER} == dict.fromkeys(INNER, "")


def _code_lines_of_python(text: str) -> int:
    """Count lines that hold code: neither blank nor comments nor docstrings."""
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            first = body[0]
            if isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                documented.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines: set[int] = set()
    nothing = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in nothing:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - documented)


def _code_lines_of_go(text: str) -> int:
    lines, inside = 0, False
    for line in text.splitlines():
        stripped = line.strip()
        if inside or stripped.startswith("/*"):
            inside = "*/" not in stripped
        elif stripped and not stripped.startswith("//"):
            lines += 1
    return lines


def test_code_lines_are_counted_without_prose():
    assert (
        _code_lines_of_python('"""Doc\n\nmore."""\n\n# a\nx = """a\nb"""\n\n\ndef f():\n    """Doc."""\n    return 1\n')
        == 4
    )
    assert _code_lines_of_go("// a\n/* b\nc */\npackage p\n\nvar x = 1 // d\n") == 2


def test_files_hold_one_concept(root, tracked):
    count = {".py": _code_lines_of_python, ".go": _code_lines_of_go}
    long = {
        str(file): lines
        for file in tracked
        if file.suffix in count
        and not file.name.startswith("zz_")  # generated
        and file.parts[:2] != ("python", "docs")
        and (lines := count[file.suffix]((root / file).read_text(encoding="utf-8"))) > LONGEST_FILE
    }
    assert long == {}


def test_lines_of_the_c_interface_are_readable(root, tracked):
    wide = [
        f"{file}:{number}"
        for file in tracked
        if file.parts[0] == "capi" and file.suffix in (".go", ".h") and not file.name.startswith("zz_")
        for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), 1)
        if len(line.expandtabs(4)) > 140
    ]
    assert wide == []


def test_folders_hold_one_subject(tracked):
    entries: dict[str, set[str]] = {}
    for file in tracked:
        if file.parts[0] in ("python", "core", "tests", "capi") and not file.name.startswith("zz_"):
            for depth in range(1, len(file.parts)):
                entries.setdefault("/".join(file.parts[:depth]), set()).add(file.parts[depth])
    crowded = {
        folder: len(held)
        for folder, held in entries.items()
        if folder not in FREE_FOLDERS and len(held) > (ROOMY if folder in ROOMY_FOLDERS else MOST_ENTRIES)
    }
    assert crowded == {}


def test_tests_have_the_rooms_of_the_package(root):
    rooms = {room.removeprefix("_") for room in ROOMS}
    folders = {entry.name for entry in (root / "tests").iterdir() if entry.is_dir() and entry.name != "__pycache__"}
    assert folders <= rooms | {"benchmarks", "c", "oracles", "project"}


def _classes() -> list[type]:
    found: dict[type, None] = {}
    for module in pkgutil.walk_packages(combpred.__path__, "combpred."):
        if module.name.endswith(("__main__", "._core")):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(value) and value.__module__.startswith("combpred."):
                found[value] = None
    return list(found)


def test_a_base_class_has_several_subclasses():
    """A class that is only there to be derived from once is a part of its subclass."""
    classes = [
        cls
        for cls in _classes()
        if not issubclass(cls, (BaseException, Warning)) and not getattr(cls, "_is_protocol", False)
    ]
    children: dict[type, list[str]] = {}
    for cls in classes:
        for base in cls.__bases__:
            if base in classes:
                children.setdefault(base, []).append(cls.__name__)
    alone = {base.__name__: names[0] for base, names in children.items() if len(names) == 1}
    # A class that is used by itself, too, is no base that was split off.
    used = {"Custom"}
    assert {base: child for base, child in alone.items() if base not in used} == {}


def test_estimators_have_few_classes_above_them():
    deep = {
        cls.__name__: [base.__name__ for base in own]
        for cls in _classes()
        if issubclass(cls, BaseEstimator)
        and len(own := [base for base in cls.__mro__ if base.__module__.startswith("combpred.")]) > MOST_OWN_CLASSES
    }
    assert deep == {}


def test_types_of_arrays_are_defined_once(modules):
    """The short names of array types: one name for each type, and one type for each name."""
    names, types = [], []
    for name, module in modules.items():
        for node in module.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith(("NDArray[", "npt.NDArray[")):
                names += [f"{ast.unparse(target)} in {name}" for target in node.targets]
                types.append(ast.unparse(node.value).removeprefix("npt."))
    assert {kind for kind in types if types.count(kind) > 1} == set(), names
