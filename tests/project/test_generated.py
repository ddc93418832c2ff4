"""The generated half of the binding is what the generator makes of the sources."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest


def lacking(reason: str) -> NoReturn:
    """Skip for want of the generator; on a build server, where it must be there, fail."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; with CI set the generated code must be compared", pytrace=False)
    pytest.skip(reason)


@pytest.mark.parametrize(("value", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_want_of_the_generator_fails_on_a_build_server(
    value: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", value)
    with pytest.raises(outcome, match="no generator"):
        lacking("no generator")


@pytest.mark.slow
@pytest.mark.versionless
def test_generated_code_is_up_to_date(root: Path, go: str, tmp_path: Path):
    if importlib.util.find_spec("pybindgen") is None:
        lacking("pybindgen is not installed")
    toolchain = subprocess.run(
        [go, "build", "-o", os.devnull, "github.com/go-python/gopy"], cwd=root / ".ci", check=False
    )
    if toolchain.returncode != 0:
        lacking("gopy cannot be fetched or built here")
    path = os.pathsep.join([str(Path(go).parent), os.environ["PATH"]])
    subprocess.run(
        ["sh", root / "capi" / "generate" / "gopy.sh", tmp_path],
        env={**os.environ, "PYTHON": sys.executable, "PATH": path},
        check=True,
    )
    for name in ("zz_gopy.go", "zz_gopy.c"):
        # The generator orders functions at random.
        fresh, committed = (sorted((place / name).read_text().splitlines()) for place in (tmp_path, root / "capi"))
        assert fresh == committed, f"capi/{name} is out of date: run capi/generate/gopy.sh"


def test_generated_names_are_up_to_date(root: Path, go: str, tmp_path: Path) -> None:
    subprocess.run([go, "run", "./capi/generate/names", tmp_path / "names.py"], cwd=root, check=True)
    committed = root / "python" / "combpred" / "_lib" / "names.py"
    assert (tmp_path / "names.py").read_text() == committed.read_text(), "run 'go generate ./capi'"


def test_what_is_generated_from_the_header_is_up_to_date(root: Path, go: str, tmp_path: Path) -> None:
    committed = [root / "capi" / name for name in ("zz_entries.c", "zz_exports.map", "zz_entries_test.go")]
    committed.append(root / "python" / "combpred" / "_lib" / "abi.py")
    committed.append(root / "capi" / "zz_readers.go")
    made = [tmp_path / file.name for file in committed]
    subprocess.run([go, "run", "./capi/generate/entries", "capi/combpred.h", *made], cwd=root, check=True)
    for fresh, file in zip(made, committed, strict=True):
        assert fresh.read_text() == file.read_text(), f"{file.name}: run 'go generate ./capi'"
