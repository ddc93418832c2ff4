"""The rules of the house find what breaks them: each is broken here once, in a tree of a few files."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import house_rules
from house_rules import imports_in, read_modules
from looks_of_tests import looks_of_tests

TREE = {
    "__init__.py": "from ._lib.call import call",
    "_lib/__init__.py": "",
    "_lib/call.py": "_hidden = 1\ncall = 2",
    "structures/__init__.py": "from ._base import Structure",
    "structures/_base.py": "from .._lib.call import call\nclass Structure:\n    def _encode(self): ...",
    "_models/__init__.py": "",
    "_models/ridge.py": "from ..structures import Structure\nfrom .._lib import call as lib\nlib.call",
}


def tree(folder: Path, **changes: str) -> house_rules.Modules:
    """Write the tree with changes, whose names have __ for / and no suffix, and read it."""
    files = {**TREE, **{name.replace("__", "/") + ".py": text for name, text in changes.items()}}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return read_modules(folder)


def broken(modules: house_rules.Modules) -> set[str]:
    rules = {
        "upward": house_rules.upward_imports(modules),
        "circle": house_rules.circles(modules),
        "by name": house_rules.imports_by_name(modules),
        "private": house_rules.private_names_of_other_rooms(modules),
        "attribute": house_rules.private_attributes_of_other_rooms(modules),
        "structure": house_rules.insides_of_structures(modules, {"_encode"}),
    }
    return {name for name, found in rules.items() if found}


def test_the_tree_is_legal(tmp_path):
    assert broken(tree(tmp_path)) == set()


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({"_lib__memory": "from ..structures import Structure"}, {"upward"}),
        ({"_lib__memory": "import combpred._models.ridge"}, {"upward"}),
        ({"_lib__memory": "def f():\n    from .._models import ridge"}, {"upward"}),
        ({"_lib__memory": "if typing.TYPE_CHECKING:\n    from .._models import ridge"}, set()),
        ({"_lib__memory": "if TYPE_CHECKING:\n    from .._models import ridge"}, set()),
        (
            {"_lib__memory": "if TYPE_CHECKING:\n    x = 1\nelse:\n    from .._models import ridge"},
            {"upward"},
        ),
        ({"structures___more": "from combpred import call"}, {"upward"}),
        ({"_lib__a": "from . import b", "_lib__b": "def f():\n    from . import a"}, {"circle"}),
        ({"_lib__a": "import importlib\nimportlib.import_module('b')"}, {"by name"}),
        ({"_lib__a": "from importlib import import_module\nimport_module('b')"}, {"by name"}),
        ({"_lib__a": "__import__('b')"}, {"by name"}),
        ({"_models__svm": "from ..structures._base import Structure"}, {"private"}),
        ({"_models__svm": "from .._lib.call import _hidden"}, {"private"}),
        ({"_models__svm": "from .._lib import call\ncall._hidden"}, {"attribute", "private"}),
        ({"_models__svm": "from .._lib import call as c\nc._hidden"}, {"attribute", "private"}),
        ({"_models__svm": "import combpred._lib.call\ncombpred._lib.call._hidden"}, {"attribute", "private"}),
        ({"_models__svm": "structure._encode(y)"}, {"attribute", "structure"}),
        ({"_models__svm": "getattr(structure, '_encode')(y)"}, {"attribute", "structure"}),
        ({"_lib__memory": "class A:\n    def f(self): self._held = 1", "_models__svm": "a._held"}, {"attribute"}),
        ({"_lib__memory": "class A:\n    def f(self): self._held = 1", "_lib__more": "a._held"}, set()),
        ({"_models__svm": "structure.space._anything"}, {"structure"}),
        ({"_models__svm": "class A:\n    def f(self): self._encode"}, set()),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),  # sets have no order
)
def test_what_breaks_a_rule_is_found(tmp_path, changes, rules):
    assert broken(tree(tmp_path, **changes)) == rules


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("structures/test_a.py", "from combpred.structures._base import Structure", []),
        ("structures/test_a.py", "structure._encode(y)", []),
        ("lib/test_a.py", "from combpred._lib import call\ncall._hidden", []),
        ("lib/test_a.py", "from combpred.structures import Structure", []),
        ("models/test_a.py", "class A:\n    def f(self): self._encode", []),
        ("project/test_a.py", "from combpred._lib.call import _hidden", []),
        ("models/test_a.py", "from combpred._lib import call", ["_lib.call"]),
        ("models/test_a.py", "import combpred._lib.call as c", ["_lib.call"]),
        ("models/test_a.py", "def f():\n    from combpred.structures import _base", ["structures._base"]),
        ("models/test_a.py", "structure._encode(y)", ["structure._encode"]),
        ("models/test_a.py", "monkeypatch.setattr(call, '_hidden', 2)", ["_hidden"]),
        ("models/test_a.py", "monkeypatch.setattr('combpred._lib.call.call', 2)", ["_lib.call.call"]),
        ("models/test_a.py", "run('import combpred._lib.call')", ["_lib.call"]),
        ("models/test_a.py", "run('from combpred.structures import _base')", ["structures._base"]),
        ("models/deeper/test_a.py", "import calls", ["calls"]),
        ("lib/test_a.py", "from calls import legal", []),
        ("oracles/calls.py", "from combpred._lib import call", []),
        ("oracles/other.py", "from calls import legal", ["calls"]),
        ("oracles/other.py", "from combpred._lib import call", ["_lib.call"]),
        ("conftest.py", "from combpred._lib import call", ["_lib.call"]),
    ],
)
def test_looks_into_other_rooms_are_found(tmp_path, file, text, found):
    modules = tree(tmp_path / "combpred")
    path = tmp_path / "tests" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    looks = looks_of_tests(tmp_path / "tests", modules, {"calls": "_lib"})
    assert [look.what for look in looks] == found


def test_long_files_wide_lines_and_crowded_folders_are_found(tmp_path):
    files = {
        "tests/lib/test_long.py": "x = 1\n" * 601,
        "tests/lib/test_short.py": "x = 1\n" * 600 + "\n# prose\n",
        "core/long.go": "var x = 1\n" * 601,
        "capi/wide.h": "/" * 120 + "\n" + "/" * 121 + "\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    tracked = [Path(name) for name in files]
    assert house_rules.long_files(tmp_path, tracked) == {"tests/lib/test_long.py": 601, "core/long.go": 601}
    assert house_rules.wide_lines(tmp_path, tracked) == ["capi/wide.h:2"]
    for folder, most in (
        ("tests/lib", 20),
        ("tests", 25),
        ("capi", 36),
        ("core/solve", 20),
        ("tests/oracles/small", 20),
    ):
        entries = [Path(f"{folder}/test_{i}.py") for i in range(most + 1)]
        assert house_rules.crowded_folders(entries) == {folder: most + 1}
        assert house_rules.crowded_folders(entries[1:]) == {}
    assert house_rules.crowded_folders([Path(f"tests/benchmarks/{i}.py") for i in range(40)]) == {}


def test_large_files_and_strange_entries_are_found(tmp_path):
    for name, size in (("big.csv", 65_537), ("README.md", 65_536), (".gitignore", 0)):
        (tmp_path / name).write_bytes(bytes(size))
    tracked = [Path("big.csv"), Path("README.md"), Path(".gitignore")]
    assert house_rules.large_files(tmp_path, tracked) == {"big.csv": 65_537}
    assert house_rules.strange_entries([*tracked, Path("core/fit/a.go"), Path("notes/a.md")]) == {"big.csv", "notes"}


def test_bases_of_one_class_and_deep_classes_are_found():
    def derived(name: str, *bases: type) -> type:
        return type(name, bases, {"__module__": "combpred._models.made"})

    top = derived("Top")
    left, right = derived("Left", top), derived("Right", top)
    deep = derived("Deep", derived("Deeper", left))
    assert house_rules.lonely_bases([top, left, right]) == {}
    assert house_rules.lonely_bases([top, left]) == {"_models.made.Top": "_models.made.Left"}
    assert house_rules.lonely_bases([derived("Error", Exception), derived("Other", Exception)]) == {}
    assert house_rules.deep_classes([top, left, right]) == {}
    assert house_rules.deep_classes([deep]) == {"_models.made.Deep": ["Deep", "Deeper", "Left", "Top"]}


def test_imports_are_read_as_they_are_written():
    (found,) = imports_in(ast.parse("import combpred"))
    assert (found.path, found.bound) == ("", "combpred")


def test_names_of_several_things_are_found(tmp_path):
    same = "class Rows: ...\nItem = TypeVar('Item')\n_own: int = 1"
    modules = tree(tmp_path, _lib__rows=same, _models__rows=same, _models__more="first, Rows = 1, 2")
    assert house_rules.names_of_several_things(modules) == {"Rows": ["_lib.rows", "_models.more", "_models.rows"]}
