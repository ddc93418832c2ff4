"""What the package shows of itself: its public names, and nothing else."""

from __future__ import annotations

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
        if inspect.ismodule(value):
            assert value.__name__ == f"{face.__name__}.{name}" and sorted(dir(value)) == sorted(value.__all__)
        elif name != "__version__":
            assert inspect.isclass(value) or inspect.isfunction(value), name
            assert value.__module__.startswith("combpred."), name


def test_type_checkers_see_what_is_loaded_at_first_use():
    """Where this fails, write what is expected into python/combpred/__init__.pyi."""
    table = sorted((home, name) for name, home in combpred._HOMES.items())
    expected = [f"from .{home} import {name} as {name}\n" for home, name in table]
    head = '"""The public names, for type checkers: __init__.py loads them at first use."""\n\n'
    stub = Path(combpred.__file__).with_suffix(".pyi")
    assert stub.read_text(encoding="utf-8") == head + "".join(expected)


def test_names_that_do_not_exist_are_refused():
    with pytest.raises(AttributeError, match="module 'combpred' has no attribute 'StructuredRigde'"):
        combpred.StructuredRigde  # noqa: B018
