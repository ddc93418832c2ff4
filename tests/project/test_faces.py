"""What the package shows of itself: its public names, and nothing else."""

from __future__ import annotations

import ast
import importlib
import inspect
import types
from pathlib import Path

import pytest

import combpred

SUBPACKAGES = sorted(name for name in combpred.__all__ if isinstance(getattr(combpred, name), types.ModuleType))
FACES = [combpred, *(importlib.import_module(f"combpred.{name}") for name in SUBPACKAGES)]


def every_face(test):
    return pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)(test)


def test_subpackages_are_the_public_modules():
    folder = Path(combpred.__file__).parent
    modules = {path.stem for path in folder.glob("[!_]*.py")} | {path.parent.name for path in folder.glob("[!_]*/*.py")}
    assert modules == set(SUBPACKAGES)


@every_face
def test_public_names_are_all_that_is_listed(face):
    assert dir(face) == sorted(face.__all__)
    assert len(set(face.__all__)) == len(face.__all__)
    assert all(not name.startswith("_") or name == "__version__" for name in face.__all__)


@every_face
def test_public_names_are_importable_and_documented(face):
    for name in face.__all__:
        value = getattr(importlib.import_module(face.__name__), name)
        if name != "__version__":
            assert inspect.getdoc(value), name


@every_face
def test_faces_show_no_modules_of_others_and_no_type_aliases(face):
    for name in face.__all__:
        value = getattr(face, name)
        if face is combpred and name in SUBPACKAGES:
            assert value.__name__ == f"combpred.{name}"
        elif name != "__version__":
            assert inspect.isclass(value) or inspect.isfunction(value), name
            assert value.__module__.startswith("combpred."), name


def test_type_checkers_see_what_is_loaded_at_first_use():
    tree = ast.parse(Path(combpred.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    spelt = [
        (alias.asname, f".{statement.module or ''}")
        for statement in block.body
        for alias in statement.names
        if alias.asname == alias.name  # which re-exports it
    ]
    assert sorted(spelt) == sorted(combpred._HOMES.items())


def test_names_that_do_not_exist_are_refused():
    with pytest.raises(AttributeError, match="module 'combpred' has no attribute 'StructuredRigde'"):
        combpred.StructuredRigde  # noqa: B018
