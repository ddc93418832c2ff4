"""The rules of the house: rooms in their order, files of one concept, folders of one subject."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import subprocess
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import combpred
import house_rules
from house_rules import FACES, INNER, ROOMS, is_private
from looks_of_tests import Look, looks_of_tests

#: Modules where others are looked up by name: lazily, or to find out which there are.
FINDERS = {"", "structures._resolve", "_lib.control", "_data.persistence", "_cli.commands"}

#: Oracles that serve the tests of one private room alone: legal calls of the C interface, and runs of the command line.
ROOMS_OF_ORACLES = {
    "abi_answers": "_lib",
    "abi_calls": "_lib",
    "abi_conditions": "_lib",
    "abi_estimates": "_lib",
    "abi_loglinear": "_lib",
    "abi_rankings": "_lib",
    "process_data": "_lib",
}

#: What tests use of rooms that they do not test, the folders (or the file) that do, and why.
LOOKS = [
    ("*", {"conftest.py"}, "its fixture `limits` makes small what no public name sets, for the tests of every room"),
    ("_lib.decode.Decoding", {"structures"}, "what structure.space.decode takes besides arrays"),
    (
        "_lib.errors.RowError",
        {"data", "models", "structures"},
        "ValueError to users; tests say which one is meant",
    ),
    ("_lib.partition.log_partition", {"structures"}, "sums by the handle of a space"),
    ("_lib.structure.structure_layout", {"structures"}, "what the entries of ψ stand for, which pictures show"),
    ("_programs.orders.relaxed_order", {"aggregation"}, "roundings are compared with the bound of the relaxation"),
]


#: How many tests may say by `match=` how a message is worded.
MOST_SENTENCES = 80

#: Names of several things all the same, and why.
NAMESAKES = {
    "log_partition": "of the core, and of users, who get bounds with it",
    "Learner": "what a pass of each kind of online training learns",
    "Passes": "over the rows, in Python and in the core",
    "Visits": "of rows by the core; structures that are sequences of visits",
}


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
        pytest.skip("git does not list the files of the project: this is no clone")
    return [Path(line) for line in listed.stdout.splitlines() if (root / line).exists()]


@pytest.fixture(scope="module")
def modules(package: Path) -> dict[str, house_rules.Module]:
    return house_rules.read_modules(package)


@pytest.fixture(scope="module")
def classes(package: Path) -> list[type]:
    """All classes of the package that is imported, which is the one that is read."""
    imported = Path(combpred.__file__).parent

    def sources(folder: Path) -> dict[str, bytes]:
        return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*.py")}

    assert sources(imported) == sources(package), f"{imported} is not the tree that is tested: install it anew"
    found: dict[type, None] = {}
    for module in pkgutil.walk_packages(combpred.__path__, "combpred."):
        if module.name.endswith(("__main__", "._core")):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(value) and value.__module__.startswith("combpred."):
                found[value] = None
    return list(found)


def test_every_module_is_in_a_room_or_a_face(modules):
    assert {module.room for module in modules.values()} == {*ROOMS, *FACES}


def test_imports_between_rooms_run_downwards(modules):
    assert house_rules.upward_imports(modules) == []


def test_no_imports_run_in_circles(modules):
    assert house_rules.circles(modules) == {}


def test_modules_are_imported_by_statements(modules):
    assert house_rules.imports_by_name(modules) == FINDERS


def test_no_room_uses_private_names_of_another(modules):
    assert house_rules.private_names_of_other_rooms(modules) == []


def test_no_room_uses_private_attributes_of_another(modules):
    assert house_rules.private_attributes_of_other_rooms(modules) == []


def test_a_name_means_one_thing(modules):
    twice = house_rules.names_of_several_things(modules)
    assert {name: where for name, where in twice.items() if name not in NAMESAKES} == {}


def test_structures_are_asked_by_their_space(modules):
    from combpred.structures import Structure, structure_classes

    owners = {Structure, *structure_classes().values()}
    private = {name for cls in owners for name in vars(cls) if is_private(name)} - {"_parameter_constraints"}
    assert house_rules.insides_of_structures(modules, private) == []


def test_structures_are_told_apart_by_facts(modules):
    """Later rooms ask a structure for facts; data sets are of structures that are named, and rankers of rankings."""
    from combpred.structures import structure_classes

    classes = structure_classes()
    names = {*classes, *(cls.__name__ for cls in classes.values())}
    assert house_rules.structures_by_name(modules, names, {"datasets", "ranking"}) == []


def test_rooms_of_the_package_alone_show_nothing(package):
    assert {room: (package / room / "__init__.py").read_text() for room in INNER} == dict.fromkeys(INNER, "")


def test_tests_import_the_public_api_or_the_room_that_they_test(root, modules):
    looks = looks_of_tests(root / "tests", modules, ROOMS_OF_ORACLES)

    def excuse(look: Look) -> int | None:
        folder = look.file.split("/")[0]
        return next(
            (i for i, (what, where, _) in enumerate(LOOKS) if folder in where and what in ("*", look.what)), None
        )

    assert [look for look in looks if excuse(look) is None] == []
    needed = {(excuse(look), look.file.split("/")[0]) for look in looks}
    assert needed == {(i, folder) for i, (_, where, _) in enumerate(LOOKS) for folder in where}


def test_code_lines_are_counted_without_prose():
    text = '"""Doc\n\nmore."""\n\n# a\nx = """a\nb"""\n\n\ndef f():\n    """Doc."""\n    return 1\n'
    assert house_rules.code_lines_of_python(text) == 4
    assert house_rules.code_lines_of_go("// a\n/* b\nc */\npackage p\n\nvar x = 1 // d\n") == 2


def test_files_hold_one_concept(root, tracked):
    assert house_rules.long_files(root, tracked) == {}


def test_lines_of_the_c_interface_are_readable(root, tracked):
    assert house_rules.wide_lines(root, tracked) == []


def test_the_top_holds_what_it_must(tracked):
    assert house_rules.strange_entries(tracked) == set()
    assert {file.parts[0] for file in tracked} >= house_rules.TOP_LEVEL


def test_files_can_be_read(root, tracked):
    assert house_rules.large_files(root, tracked) == {}
    assert {file for file in house_rules.LARGE_FILES if (root / file).stat().st_size <= house_rules.MOST_BYTES} == set()


def test_folders_hold_one_subject(tracked):
    assert house_rules.crowded_folders(tracked) == {}


def test_tests_have_the_rooms_of_the_package(root):
    rooms = {room.removeprefix("_") for room in ROOMS}
    folders = {entry.name for entry in (root / "tests").iterdir() if entry.is_dir() and entry.name != "__pycache__"}
    assert folders <= rooms | {"benchmarks", "c", "oracles", "project"}


def test_one_test_a_family_of_messages_holds_the_sentence(root):
    """Every other test checks the type, the row and the argument: a reworded message must not break a hundred tests.

    The families are illegal outputs of each kind of structure, illegal conditions and parameters, limits, what a
    structure cannot do, unknown names with the one that was meant, names in messages, inputs, y of a wrong shape,
    models that are not fitted, and convergence. Whoever adds a family raises the number.
    """
    sentences = [
        f"{file.relative_to(root)}:{node.lineno}"
        for file in (root / "tests").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and any(keyword.arg == "match" for keyword in node.keywords)
    ]
    assert len(sentences) <= MOST_SENTENCES, sorted(sentences)


def test_a_base_class_has_several_subclasses(classes):
    """A class that is only there to be derived from once is a part of its subclass."""
    assert house_rules.lonely_bases(classes) == {}


def test_estimators_have_few_classes_above_them(classes):
    assert house_rules.deep_classes([cls for cls in classes if issubclass(cls, BaseEstimator)]) == {}


def test_types_of_arrays_are_defined_once(modules):
    """The short names of array types: one name for each type, and one type for each name."""
    names, types = [], []
    for name, module in modules.items():
        for node in module.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith(("NDArray[", "npt.NDArray[")):
                names += [f"{ast.unparse(target)} in {name}" for target in node.targets]
                types.append(ast.unparse(node.value).removeprefix("npt."))
    assert {kind for kind in types if types.count(kind) > 1} == set(), names


# The package is thin: it reads, calls the core and keeps what comes back; the core computes and refuses.


@pytest.fixture(scope="module")
def weight(root) -> house_rules.Weight:
    return house_rules.weigh(root)


def test_python_is_thin_beside_the_core(weight):
    assert (
        weight.python <= 15_500
    )  # what thinning reached, and the choice of settings, what is known and publishing on top
    assert weight.python <= 0.33 * weight.go


def test_the_core_refuses(weight):
    assert weight.share_of_refusals <= 0.30


def test_a_function_of_c_costs_python_few_lines(weight):
    assert weight.lib_lines_a_function <= 25


def test_functions_and_classes_are_short(weight):
    assert weight.long_functions == []
    assert weight.large_classes == []
