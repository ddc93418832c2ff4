"""The header of the C interface as a manual, and the page that lists its functions."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

#: Functions that share the comment of the one before.
TOGETHER = {
    "cp_blas_routines": ["cp_blas_offer", "cp_blas_activate"],
}

_DECLARED = re.compile(r"(/\*(?:(?!\*/).)*\*/\n)?int32_t (cp_\w+)\(([^;]*)\);", re.S)


@pytest.fixture(scope="module")
def header(root):
    return (root / "capi" / "combpred.h").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(root):
    return (root / "capi" / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def functions(header):
    """The comment and the parameters of each function, by its name."""
    found = {name: (comment or "", parameters) for comment, name, parameters in _DECLARED.findall(header)}
    for first, others in TOGETHER.items():
        for name in others:
            assert found[name][0] == "", name
            found[name] = found[first][0], found[name][1]
    return found


def test_conventions_state_the_limits(root, header):
    conventions = header.partition("#ifndef")[0]
    for file, name in (
        ("capi/export_ridge.go", "maxRows"),
        ("capi/export_structure.go", "maxNames"),
        ("capi/cabi/buffers.go", "maxWorkers"),
        ("capi/cabi/records.go", "maxRecord"),
        ("core/control/spaces/parse.go", "MaxText"),
    ):
        power = re.search(rf"^const {name} = 1 << (\d+)$", (root / file).read_text(encoding="utf-8"), re.M)
        assert power is not None, name
        assert re.search(rf"\b{2 ** int(power[1])}\b", conventions), name


@pytest.mark.parametrize("standard", ["c++11", "c++17", "c++20"])
def test_cpp_programs_initialise_structs_as_the_conventions_say(root, header, tmp_path, standard):
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    lines = re.search(r"C\+\+ programs write[^:]*:\n((?: \*  +.*;\n)+)", header)[1].replace(" *", "")
    macro = re.search(r"^#define CP_RIDGE_OPTIONS \{(.*)\}", header, re.M)[1]
    for field in re.findall(r"\.(\w+) =", macro):
        assert f"options.{field} =" in lines
    program = tmp_path / "program.cc"
    program.write_text(f'#include "combpred.h"\nint main() {{\n{lines}  return options.struct_size == 0;\n}}\n')
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run(
        [compiler, f"-std={standard}", *warnings, f"-I{root / 'capi'}", "-fsyntax-only", program], check=True
    )


def test_every_function_has_a_comment(functions):
    assert [name for name, (comment, _) in functions.items() if not comment or comment.startswith("/* ----")] == []


def test_comments_say_which_rows_are_to_blame(functions):
    silent = [name for name, (comment, given) in functions.items() if "bad_row" in given and "bad_row" not in comment]
    assert silent == []


def test_what_is_said_of_others_is_about_functions(header, functions):
    named = set(re.findall(r"\bcp_[a-z_]+\b", header))
    types = set(re.findall(r"\b(cp_\w+);", header))
    assert named - types - set(functions) == set()


def _tables(page):
    """Return the functions that the page lists, by section."""
    parts = re.split(r"^#+ (.*)\n", page.partition("## What stays")[0], flags=re.M)
    return {
        title: re.findall(r"^\| `(cp_\w+)` \| \S", body, re.M)
        for title, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def test_the_page_lists_every_function_once_in_the_order_of_the_header(header, page):
    sections = re.split(r"^/\* ---- (.*?) -+ \*/\n", header, flags=re.M)
    declared = {"What a C program can do": re.findall(r"^int32_t (cp_\w+)\(", sections[0], re.M)}
    declared |= {
        title: re.findall(r"^int32_t (cp_\w+)\(", body, re.M)
        for title, body in zip(sections[1::2], sections[2::2], strict=True)
    }
    listed = {title: names for title, names in _tables(page).items() if names}
    assert list(listed.items()) == list(declared.items())


def test_the_page_names_no_function_that_there_is_not(functions, page):
    assert set(re.findall(r"\bcp_\w+", page)) <= set(functions)
