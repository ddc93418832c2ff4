"""The generated half of the binding is what the generator makes of the sources."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_generated_code_is_up_to_date(root: Path, go: str, tmp_path: Path):
    if importlib.util.find_spec("pybindgen") is None:
        pytest.skip("pybindgen is not installed")
    toolchain = subprocess.run([go, "build", "-o", os.devnull, "github.com/go-python/gopy"], cwd=root, check=False)
    if toolchain.returncode != 0:
        pytest.skip("gopy cannot be fetched or built here")
    path = os.pathsep.join([str(Path(go).parent), os.environ["PATH"]])
    subprocess.run(
        ["sh", root / "capi" / "generate.sh", tmp_path],
        env={**os.environ, "PYTHON": sys.executable, "PATH": path},
        check=True,
    )
    for name in ("zz_gopy.go", "zz_gopy.c"):
        # The generator orders functions at random.
        fresh, committed = (sorted((place / name).read_text().splitlines()) for place in (tmp_path, root / "capi"))
        assert fresh == committed, f"capi/{name} is out of date: run capi/generate.sh"
