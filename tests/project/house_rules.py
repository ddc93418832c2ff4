"""The rules of the house as functions of a source tree: each returns what breaks it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

# Rooms of the package in order: each imports only those before it.
ROOMS = [
    *("_lib", "_data", "_programs", "metrics", "structures", "sampling", "kernels", "_models"),
    *("aggregation", "ranking", "plotting", "datasets", "_cli"),
]
# Their modules have plain names and an empty __init__, and only the package itself uses them; those of the other rooms
# begin with an underscore unless later rooms may import them.
INNER = {"_lib", "_data", "_programs", "_models", "_cli"}
# Files of a few lines that only show what rooms hold. Nothing in a room imports them.
FACES = {"", "__main__", "baselines", "losses", "reductions", "testing"}

# Lines of code: neither docstrings nor comments nor blank lines. A file holds one whole concept, and beyond this surely
# two; no file is split or packed to stay below it.
LONGEST_FILE = 600
MOST_ENTRIES = 20
ROOMY = 25  # the folders that hold rooms, pages, and tests of the whole tree
ROOMY_FOLDERS = {"python/combpred", "core", "tests", "python/docs", "tests/project"}
LIMITS = {"capi": 36}  # one package for cgo
# One file a structure, one file a benchmark; capi is one package with the generated binding in it.
FREE_FOLDERS = {"python/combpred/structures", "core/structure", "tests/benchmarks"}
MOST_OWN_CLASSES = 3  # in the MRO of an estimator
MOST_BYTES = 64 * 1024

#: What the repository shows first, beside files of settings, whose names begin with a dot.
TOP_LEVEL = {
    *("core", "capi", "python", "tests", "go.mod", "go.sum", "pyproject.toml", "setup.py", "MANIFEST.in"),
    *("README.md", "CHANGELOG.md", "LICENSE"),
}

#: Files that may have more bytes, and why.
LARGE_FILES = {
    "capi/combpred.h": "the interface of C, which is its manual, too",
    "capi/zz_gopy.c": "generated",
    "capi/zz_readers.go": "generated",
}

#: Names with an underscore that scikit-learn gives to estimators, and that its users may ask for.
OF_SCIKIT_LEARN = {"_estimator_type", "_parameter_constraints"}


def is_private(name: str) -> bool:
    """Whether a name belongs to one room; with underscores at both ends, such as `_repr_html_`, it is a protocol's."""
    return name.startswith("_") and not name.startswith("__") and not name.endswith("_")


# ---- Modules and their imports ---------------------------------------------------------------------------------------


class Import(NamedTuple):
    """An import of the package: the module `base`, below the package, the name in it, and what it is called here."""

    base: str
    name: str
    line: int
    bound: str

    @property
    def path(self) -> str:
        return f"{self.base}.{self.name}" if self.base else self.name


def _only_for_type_checkers(node: ast.AST) -> bool:
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return getattr(test, "attr", getattr(test, "id", None)) == "TYPE_CHECKING"


def imports_in(tree: ast.AST, here: list[str] | None = None) -> Iterator[Import]:
    """Yield the imports of the package, those for type checkers left out; relative ones start from `here`."""
    for child in ast.iter_child_nodes(tree):
        if _only_for_type_checkers(child):
            for other in child.orelse:  # type: ignore[attr-defined]
                yield from imports_in(ast.Module([other], []), here)
            continue
        if isinstance(child, ast.Import):
            for alias in child.names:
                if alias.name.split(".")[0] == "combpred":
                    parent, _, last = alias.name.rpartition(".")
                    base = parent.removeprefix("combpred").lstrip(".")
                    yield Import(base, "" if not parent else last, child.lineno, alias.asname or alias.name)
        if isinstance(child, ast.ImportFrom) and (base := _base(child, here)) is not None:
            for alias in child.names:
                yield Import(base, alias.name, child.lineno, alias.asname or alias.name)
        yield from imports_in(child, here)


def _base(node: ast.ImportFrom, here: list[str] | None) -> str | None:
    module = node.module.split(".") if node.module else []
    if node.level == 0:
        return ".".join(module[1:]) if module[0] == "combpred" else None
    return None if here is None else ".".join(here[: len(here) - node.level + 1] + module)


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

    def imports(self) -> Iterator[Import]:
        here = self.name.split(".") if self.name else []
        return imports_in(self.tree, here if self.is_package else here[:-1])


Modules = dict[str, Module]


def read_modules(package: Path) -> Modules:
    return {module.name: module for file in sorted(package.rglob("*.py")) for module in [Module(package, file)]}


class Edge(NamedTuple):
    """An import of a module, and the name that is imported from it ("" for the module itself)."""

    source: str
    target: str
    name: str
    line: int


def edges_of(modules: Modules) -> list[Edge]:
    found = []
    for name, module in modules.items():
        for each in module.imports():
            inner = each.path in modules
            found.append(Edge(name, each.path if inner else each.base, "" if inner else each.name, each.line))
    return found


def upward_imports(modules: Modules) -> list[str]:
    """Rooms import only those before them."""
    level = {room: i for i, room in enumerate(ROOMS)}
    return [
        f"{source}:{line} imports {target or 'combpred'}"
        for source, target, _, line in edges_of(modules)
        if (room := modules[source].room) in level
        and (modules[target].room not in level or level[modules[target].room] > level[room])
    ]


def circles(modules: Modules) -> dict[str, list[str]]:
    """Return the modules in circles, with those of them that they import."""
    targets: dict[str, set[str]] = {name: set() for name in modules}
    for source, target, _, _ in edges_of(modules):
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
    return {name: sorted(after & set(left)) for name, after in left.items()}


def imports_by_name(modules: Modules) -> set[str]:
    """Return the modules that import others by calls, which the other rules do not see."""
    return {
        name
        for name, module in modules.items()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("importlib.import_module", "import_module", "__import__")
    }


def private_names_of_other_rooms(modules: Modules) -> list[str]:
    """Names and modules with an underscore belong to one room."""
    wrong = []
    for source, target, name, line in edges_of(modules):
        room, other = modules[source].room, modules[target].room
        if room == other or room in FACES:
            continue
        inside = target.split(".")[1:]  # below the room
        if is_private(name) or any(is_private(part) for part in inside):
            wrong.append(f"{source}:{line} imports {target}{'.' + name if name else ''}")
    for name, module in modules.items():  # and not as attributes of a module either
        others = {
            each.bound for each in module.imports() if (target := modules.get(each.path)) and target.room != module.room
        }
        wrong += [
            f"{name}:{node.lineno} uses {ast.unparse(node)}"
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Attribute) and is_private(node.attr) and ast.unparse(node.value) in others
        ]
    return wrong


def insides_of_structures(modules: Modules, private: set[str]) -> list[str]:
    """Later rooms use no `private` attribute of a structure: all that they ask is asked of ``structure.space``."""
    later = set(ROOMS[ROOMS.index("structures") + 1 :])
    return [
        f"{name}:{node.lineno} uses {ast.unparse(node)}"  # type: ignore[attr-defined]
        for name, module in modules.items()
        if module.room in later
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and node.attr in private
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
        or isinstance(node, ast.Attribute)
        and is_private(node.attr)
        and ast.unparse(node.value).endswith(".space")
        or isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("getattr", "hasattr")
        and isinstance(node.args[1], ast.Constant)
        and node.args[1].value in private
    ]


def structures_by_name(modules: Modules, names: set[str], excused: set[str]) -> list[str]:
    """Rooms behind that of structures import no class of one, and compare no catalogue name."""
    later = set(ROOMS[ROOMS.index("structures") + 1 :]) - excused
    imported = [
        f"{name}:{found.line} imports {found.name}"
        for name, module in modules.items()
        if module.room in later
        for found in module.imports()
        if found.base.split(".")[0] == "structures" and found.name in names
    ]
    compared = [
        f"{name}:{node.lineno} compares {ast.unparse(node)}"
        for name, module in modules.items()
        if module.room in later
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Compare)
        and ast.unparse(node.left).endswith("structure.name")
        and any(isinstance(side, ast.Constant) and side.value in names for side in node.comparators)
    ]
    return imported + compared


def owners_of_private_names(modules: Modules) -> dict[str, set[str]]:
    """Return the rooms that define each name with an underscore: functions, classes, variables and attributes."""
    owners: dict[str, set[str]] = {}
    for module in modules.values():
        for node in ast.walk(module.tree):
            name = ""
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = node.name
            elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
            if is_private(name) and name not in OF_SCIKIT_LEARN:
                owners.setdefault(name, set()).add(module.room)
    return owners


def private_attributes_of_other_rooms(modules: Modules) -> list[str]:
    """What a room calls with an underscore is asked for by that room alone, of instances as well as of modules.

    An attribute is known by its name: it is foreign where other rooms define that name and its own does not.
    """
    owners, wrong = owners_of_private_names(modules), []
    for name, module in modules.items():
        for node in ast.walk(module.tree):
            attribute = ""
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) not in ("self", "cls"):
                attribute = node.attr
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr", "setattr", "delattr"):
                attribute = str(getattr(node.args[1], "value", ""))
            if module.room not in owners.get(attribute, {module.room}):
                wrong.append(f"{name}:{node.lineno} uses {ast.unparse(node)}")  # type: ignore[attr-defined]
    return wrong


def names_of_several_things(modules: Modules) -> dict[str, list[str]]:
    """One name means one thing: return the top-level names without underscore that several modules define.

    Type variables stand for anything, faces repeat what rooms define, and what each module has, as `__all__`, is left
    out.
    """
    places: dict[str, list[str]] = {}
    for module in modules.values():
        if module.room in FACES:
            continue
        for name in top_level_names(module.tree):
            if not name.startswith("_"):
                places.setdefault(name, []).append(module.name)
    return {name: where for name, where in places.items() if len(where) > 1}


def top_level_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names of functions, classes and variables, those of type variables left out."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "TypeVar":
                continue
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name))


# ---- Sizes -----------------------------------------------------------------------------------------------------------


def code_lines_of_python(text: str) -> int:
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


def code_lines_of_go(text: str) -> int:
    lines, inside = 0, False
    for line in text.splitlines():
        stripped = line.strip()
        if inside or stripped.startswith("/*"):
            inside = "*/" not in stripped
        elif stripped and not stripped.startswith("//"):
            lines += 1
    return lines


def long_files(root: Path, tracked: Iterable[Path]) -> dict[str, int]:
    """A file holds one concept, tests as well."""
    count = {".py": code_lines_of_python, ".go": code_lines_of_go}
    return {
        str(file): lines
        for file in tracked
        if file.suffix in count
        and not file.name.startswith("zz_")  # generated
        and file.parts[:2] != ("python", "docs")
        and (lines := count[file.suffix]((root / file).read_text(encoding="utf-8"))) > LONGEST_FILE
    }


def large_files(root: Path, tracked: Iterable[Path]) -> dict[str, int]:
    """Data and results stay outside, and no file is more than can be read."""
    return {
        str(file): size
        for file in tracked
        if str(file) not in LARGE_FILES and (size := (root / file).stat().st_size) > MOST_BYTES
    }


def strange_entries(tracked: Iterable[Path]) -> set[str]:
    """What lies at the top by accident."""
    return {file.parts[0] for file in tracked if not file.parts[0].startswith(".")} - TOP_LEVEL


def wide_lines(root: Path, tracked: Iterable[Path]) -> list[str]:
    """Lines of the header are readable; those of Go: see go_rules."""
    return [
        f"{file}:{number}"
        for file in tracked
        if file.parts[0] == "capi" and file.suffix == ".h" and not file.name.startswith("zz_")
        for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), 1)
        if len(line.expandtabs(4)) > 120
    ]


def crowded_folders(tracked: Iterable[Path]) -> dict[str, int]:
    """A folder holds one subject, those of tests as well."""
    entries: dict[str, set[str]] = {}
    for file in tracked:
        if file.parts[0] in ("python", "core", "tests", "capi") and not file.name.startswith("zz_"):
            for depth in range(1, len(file.parts)):
                entries.setdefault("/".join(file.parts[:depth]), set()).add(file.parts[depth])
    return {
        folder: len(held)
        for folder, held in entries.items()
        if folder not in FREE_FOLDERS
        and len(held) > LIMITS.get(folder, ROOMY if folder in ROOMY_FOLDERS else MOST_ENTRIES)
    }


# ---- Classes ---------------------------------------------------------------------------------------------------------


def path_of(cls: type) -> str:
    return f"{cls.__module__.removeprefix('combpred.')}.{cls.__qualname__}"


def lonely_bases(classes: Iterable[type]) -> dict[str, str]:
    """Return classes with one subclass: what is only there to be derived from once is a part of its subclass."""
    own = [
        cls
        for cls in classes
        if not issubclass(cls, (BaseException, Warning)) and not getattr(cls, "_is_protocol", False)
    ]
    children: dict[type, list[str]] = {}
    for cls in own:
        for base in cls.__bases__:
            if base in own:
                children.setdefault(base, []).append(path_of(cls))
    return {path_of(base): names[0] for base, names in children.items() if len(names) == 1}


def deep_classes(classes: Iterable[type]) -> dict[str, list[str]]:
    """Return the classes with many of the package's own in their MRO."""
    return {
        path_of(cls): [base.__name__ for base in own]
        for cls in classes
        if len(own := [base for base in cls.__mro__ if base.__module__.startswith("combpred.")]) > MOST_OWN_CLASSES
    }


# ---- Weight of the package beside the core ---------------------------------------------------------------------------

#: How a Go file refuses: an error is made, or a panic.
_GO_REFUSALS = re.compile(r"fmt\.Errorf\(|errors\.New\(|\bpanic\(|fault\.\w+\(")

#: Packages of Go that only tests, examples and generators use.
_HELPERS = re.compile(r"/(internal|\w*test|examples|generate)(/|$)")

#: How many methods a class may have: those that every estimator shares may be more, and of structures even more, whose
#: base has 23 public ones and what says how y is read, which differs from structure to structure.
_MOST_METHODS = {"StructuredEstimator": 30, "Structure": 30}


@dataclass
class Weight:
    """Figures of a package: lines are those of code that is not generated."""

    python: int = 0
    go: int = 0
    in_lib: int = 0
    functions_of_c: int = 0
    raises: int = 0
    go_refusals: int = 0
    long_functions: list[str] = field(default_factory=list)
    large_classes: list[str] = field(default_factory=list)

    @property
    def share_of_refusals(self) -> float:
        return self.raises / (self.raises + self.go_refusals)

    @property
    def lib_lines_a_function(self) -> float:
        return self.in_lib / self.functions_of_c


def weigh(root: Path) -> Weight:
    """Return the figures of the package at `root`."""
    weight = Weight()
    package = root / "python" / "combpred"
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "DO NOT EDIT" not in text[:400]:
            _add_python(weight, path.relative_to(package).as_posix(), text)
    for path in _go_files(root):
        text = path.read_text(encoding="utf-8")
        weight.go += code_lines_of_go(text)
        weight.go_refusals += len(_GO_REFUSALS.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))
    header = (root / "capi" / "combpred.h").read_text(encoding="utf-8")
    weight.functions_of_c = len(set(re.findall(r"^int32_t (cp_\w+)\(", header, re.MULTILINE)))
    return weight


def _go_files(root: Path) -> Iterator[Path]:
    for top in ("core", "capi"):
        for path in sorted((root / top).rglob("*.go")):
            made = path.name.startswith("zz_")
            if not (made or path.name.endswith("_test.go") or _HELPERS.search(path.parent.as_posix())):
                yield path


def _add_python(weight: Weight, name: str, text: str) -> None:
    lines = code_lines_of_python(text)
    weight.python += lines
    weight.in_lib += lines if name.startswith("_lib/") else 0
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Raise) and node.exc is not None:
            weight.raises += 1
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = code_lines_of_python(ast.get_source_segment(text, node) or "")
            if length > 60:
                weight.long_functions.append(f"{name}: {node.name} has {length} lines")
        elif isinstance(node, ast.ClassDef):
            methods = sum(isinstance(m, (ast.FunctionDef, ast.AsyncFunctionDef)) for m in node.body)
            if methods > _MOST_METHODS.get(node.name, 25):
                weight.large_classes.append(f"{name}: {node.name} has {methods} methods")
