"""How heavy the Python package is beside the core: what test_weight holds to its limits."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from house_rules import code_lines_of_go, code_lines_of_python

#: How a Go file refuses: an error is made, or a panic.
_GO_REFUSALS = re.compile(r"fmt\.Errorf\(|errors\.New\(|\bpanic\(|fault\.\w+\(")

#: Packages of Go that only tests, examples and generators use.
_HELPERS = re.compile(r"/(internal|\w*test|examples|generate)(/|$)")

_BASES = {"Structure", "StructuredEstimator"}  # which every structure and every estimator shares


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
            if methods > (30 if node.name in _BASES else 25):
                weight.large_classes.append(f"{name}: {node.name} has {methods} methods")
