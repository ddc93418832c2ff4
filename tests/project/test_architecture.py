"""Rules about the source tree that no compiler checks."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

MODULE = "combpred"
# Packages of the core by layer. A package imports only from lower layers, and from those of its own that need nothing
# of it in turn.
LAYERS = [
    {
        *("core/graph/assignment", "core/fault", "core/combin", "core/extensions", "core/graph/induced"),
        *("core/internal/drawtest", "core/slicex"),
        *("core/logsum", "core/ordering", "core/ordering/weak", "core/parallel", "core/relation"),
        *("core/graph/spanning", "core/graph/tours"),
        *("core/graph/cut", "core/graph/dag", "core/graph/matching"),
    },
    {
        *("core/structure", "core/structure/examples", "core/internal/structuretest"),
        *("core/kernel", "core/linalg", "core/linalg/hostblas"),
    },
    {
        *("core/aggregate", "core/aggregate/plackettluce", "core/chain", "core/decode", "core/decode/predict"),
        *("core/custom", "core/custom/walks", "core/decode/hereditary", "core/decode/kbest", "core/decode/setloss"),
        *("core/labelrank", "core/labelrank/direct", "core/structure/metric"),
        *("core/partition", "core/partition/estimate", "core/partition/sampler", "core/partition/conformal"),
        *("core/maxmargin", "core/maxmargin/affine", "core/maxmargin/simplex"),
        *("core/loglinear", "core/loglinear/descent", "core/loglinear/expect"),
        *("core/loglinear/lbfgs", "core/internal/loglineartest", "core/loglinear/train"),
        "core/loglinear/train/newton",
        *("core/solve", "core/solve/dual", "core/solve/loo", "core/solve/primal", "core/solve/sgd"),
        "core/internal/solvetest",
    },
    {"core/catalogue", "core/control", "core/control/handles", "core/control/spaces", "core/fit"},
    {
        "capi",
        "capi/cabi",
        "capi/internal/cabitest",
        "capi/internal/header",
        "capi/generate/entries",
        "capi/generate/names",
    },
]
# What the packages of a subject may import of each other: dual solvers, leave-one-out scores and descent all need the
# problem; only the scores need a solver.
SOLVE = {
    "core/solve": set(),
    "core/solve/dual": {"core/solve"},
    "core/solve/loo": {"core/solve", "core/solve/dual"},
    "core/solve/primal": {"core/solve"},
    "core/solve/sgd": {"core/solve"},
}
CGO = {"capi", "core/linalg/hostblas"}


def go_files(root: Path) -> list[Path]:
    return [file for top in ("capi", "core") for file in sorted((root / top).rglob("*.go"))]


@pytest.fixture(scope="module")
def packages(root: Path, go: str) -> dict[str, dict]:
    listing = subprocess.run(
        [go, "list", "-json", "./..."], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    decoder, found, at = json.JSONDecoder(), {}, 0
    while at < len(listing):
        package, end = decoder.raw_decode(listing, at)
        found[package["ImportPath"].removeprefix(f"{MODULE}/")] = package
        at = end + len(listing[end:]) - len(listing[end:].lstrip())
    return found


def test_every_package_has_a_layer(packages):
    assert set(packages) == set().union(*LAYERS)


def test_imports_run_downwards(packages):
    level = {package: i for i, layer in enumerate(LAYERS) for package in layer}
    wrong = [
        f"{name} imports {target}"
        for name, package in packages.items()
        for path in package.get("Imports", [])
        if path.startswith(f"{MODULE}/")
        for target in [path.removeprefix(f"{MODULE}/")]
        if level[target] > level[name]
    ]
    assert wrong == []


def test_contributors_find_the_packages_of_the_core_from_the_bottom_up(packages, root):
    text = (
        (root / ".github" / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .split("from the bottom up:")[1]
        .split("\n\n")[1]
    )
    rows = [set(re.findall(r"`([\w/]+)`", line.split("|")[1])) for line in text.splitlines()[2:]]
    listed = {name: number for number, row in enumerate(rows) for name in row}
    assert sum(map(len, rows)) == len(listed)

    def row_of(path: str) -> int | None:
        """Return the number of the row that lists a package of the core, or the folder that it is in."""
        parts = path.split("core/", 1)[1].split("/")
        names = ["/".join(parts[:length]) for length in range(len(parts), 0, -1)]
        return next((listed[name] for name in names if name in listed), None)

    core = {
        name: package
        for name, package in packages.items()
        if name.startswith("core/") and not name.startswith("core/internal/")  # for tests
    }
    assert [name for name in core if row_of(name) is None] == []
    assert [name for name in listed if f"core/{name}" not in core] == []
    upwards = [
        f"{name} imports {target}"
        for name, package in core.items()
        for target in package.get("Imports", [])
        if target.startswith(f"{MODULE}/core/") and row_of(target) > row_of(name)
    ]
    assert upwards == []


def test_the_package_of_structures_names_the_kinds_of_its_files(root):
    folder = root / "core" / "structure"
    text = (folder / "doc.go").read_text(encoding="utf-8")
    kinds = set(re.findall(r"<structure>_(\w+)\.go", text))
    named = set(re.findall(r"\w+", text.split("# Files")[1].split("# Adding a structure")[0]))
    stems = {file.stem for file in folder.glob("*.go") if not file.stem.endswith("_test")} - {"doc"}
    structures = {stem for stem in stems if "= register(" in (folder / f"{stem}.go").read_text(encoding="utf-8")}

    def has_place(stem: str) -> bool:
        base, *parts = stem.split("_")
        return base in structures | named and all(part in kinds or f"{base}_{part}" in named for part in parts)

    assert [stem for stem in sorted(stems) if not has_place(stem)] == []
    assert {stem.partition("_")[2] for stem in stems} >= kinds


def test_packages_of_solve_import_only_what_they_build_on(packages):
    found = {
        name: {path.removeprefix(f"{MODULE}/") for path in package.get("Imports", [])}
        for name, package in packages.items()
        if name.split("/")[:2] == ["core", "solve"]
    }
    assert set(found) == set(SOLVE)
    assert {name: sorted((imports & set(SOLVE)) - SOLVE[name]) for name, imports in found.items()} == {
        name: [] for name in SOLVE
    }


def test_only_tests_import_what_is_for_tests(packages):
    for_tests = {
        f"{MODULE}/{name}"
        for name in (
            *(
                "capi/internal/cabitest",
                "core/internal/drawtest",
                "core/internal/loglineartest",
                "core/internal/solvetest",
            ),
            *("core/structure/examples", "core/internal/structuretest"),
        )
    }
    users = {name for name, package in packages.items() if for_tests & set(package.get("Imports", []))}
    assert users == {"capi/internal/cabitest", "core/internal/solvetest", "core/internal/structuretest"}


def test_only_the_binding_uses_c(packages):
    assert {name for name, package in packages.items() if package.get("CgoFiles")} == CGO


def test_core_neither_prints_nor_ends_the_process(root):
    forbidden = re.compile(r"\b(os\.Exit|log\.\w+|fmt\.Print\w*|println|print)\(")
    found = [
        f"{file.relative_to(root)}:{number}"
        for file in go_files(root)
        if not file.name.startswith("zz_") and not file.name.endswith("_test.go")  # examples print
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if forbidden.search(line.split("//")[0])
    ]
    assert found == []


def test_goroutines_start_only_where_their_panics_are_caught(root):
    # A panic in a goroutine that nobody recovers ends the process. (The generated code has one that collects garbage.)
    bare = re.compile(r"^\s*go\s+(func\b|\w[\w.]*\()")
    found = [
        f"{file.relative_to(root)}:{number}"
        for file in go_files(root)
        if file.parent != root / "core" / "parallel" and not file.name.startswith("zz_")
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if bare.search(line)
    ]
    assert found == []


def test_the_search_for_goroutines_finds_them(root):
    text = (root / "core" / "parallel" / "parallel.go").read_text()
    assert re.search(r"^\s*go\s+func\b", text, re.M)


def test_every_export_is_guarded(root):
    exports = re.compile(r"^//export (\w+)\nfunc \1\(.*?\n\}\n", re.M | re.S)
    bodies = {
        match[1]: match[0]
        for file in (root / "capi").glob("*.go")
        if file.name != "zz_gopy.go"
        for match in exports.finditer(file.read_text())
    }
    assert "go_cp_decode" in bodies
    assert [name for name, body in bodies.items() if not re.search(r"return guard(Rows)?\(", body)] == []


def test_only_the_loader_loads_the_library(root):
    found = {
        file.name
        for file in (root / "python" / "combpred").rglob("*.py")
        if re.search(r"\bCDLL\(|import _core\b|_lib\._core", file.read_text())
    }
    assert found <= {"call.py", "blas.py"}
    assert "call.py" in found
