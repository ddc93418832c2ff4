"""Rules for the code in Go that neither its compiler nor go vet knows."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from go_rules import (
    LONGEST_FUNCTION,
    WIDEST_LINE,
    entries_in_any_order,
    long_functions,
    products_of_vectors,
    wide_lines,
)

#: Where products of vectors are made, and tests that make up their own figures.
HOMES = ("core/linalg/vectors.go", "core/internal/")


@pytest.mark.parametrize(
    ("head", "statement", "found"),
    [
        ("for i, v := range x", "s += v * y[i]", True),
        ("for i, v := range x.Row(k)", "s += other.Row(k)[i] * v", True),
        ("for i := range n", "s.total += x[i] * y[i]", True),
        ("for i := 0; i < n; i++", "s -= x[i] * y[i]", True),
        ("for _, v := range x", "s += v * v", True),
        ("for i, v := range x", "y[i] += a * v", True),
        ("for i := range y", "y[i] -= x.Row(2)[i] * a", True),
        ("for i, v := range x", "y[i] += v * z[i]", False),
        ("for k, j := range columns", "y[j] += a * x[k]", False),  # sparse: see the homes
        ("for i, v := range x", "s += v", False),
        ("for i, v := range x", "s += weight(i) * v", False),
        ("for i, v := range x", "s += (v - mean) * (v - mean)", False),
    ],
)
def test_products_of_vectors_are_found(head, statement, found):
    text = f"func f() {{\n\t{head} {{\n\t\t{statement}\n\t}}\n}}\n"
    assert list(products_of_vectors(text)) == [statement] * found


def test_products_of_vectors_have_one_home(root):
    """Gonum's, or those of linalg, are faster and as exact as any."""
    found = [
        f"{name}: {statement}"
        for file in sorted((root / "core").rglob("*.go"))
        if not file.name.endswith("_test.go") and not (name := str(file.relative_to(root))).startswith(HOMES)
        for statement in products_of_vectors(file.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("for name, x := range map[string]int{", True),
        ("cases := map[string]int{}\nfor name := range cases {", True),
        ("cases := map[string]int{}\nfor name := range slicex.InOrder(cases) {", False),
        ("cases := map[string]int{}\nfor name := range cases.names {", False),
        ("for name := range map[[2]int]bool{", False),
        ("for name := range []string{", False),
    ],
)
def test_entries_in_any_order_are_found(text, found):
    assert len(list(entries_in_any_order(text))) == found


def test_tests_of_go_take_their_cases_in_order(root):
    """Otherwise a generator of random numbers gives each case others in every run."""
    found = [
        f"{file.relative_to(root)}: {each}"
        for room in ("core", "capi")
        for file in sorted((root / room).rglob("*.go"))
        if file.name.endswith("_test.go") or "/internal/" in str(file)
        for each in entries_in_any_order(file.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "wide"),
    [
        ("x" * WIDEST_LINE, False),
        ("x" * (WIDEST_LINE + 1), True),
        ("\t" + "x" * (WIDEST_LINE - 4), False),
        ("\t" + "x" * (WIDEST_LINE - 3), True),
        ("// " + "ψ" * (WIDEST_LINE - 3), False),
        ("\tx\t// " + "ψ" * (WIDEST_LINE - 11), True),
    ],
)
def test_wide_lines_are_found(line, wide):
    assert list(wide_lines(f"package p\n{line}\n")) == [2] * wide


@pytest.mark.parametrize("head", ["func f() {", "func (s *set[T]) f(\n\tx int) error {", "func f[T any](x T) {"])
@pytest.mark.parametrize(("lines", "long"), [(LONGEST_FUNCTION, False), (LONGEST_FUNCTION + 1, True)])
def test_long_functions_are_found(head, lines, long):
    body = ["\tx++"] * (lines - 2 - head.count("\n"))
    body[3:3] = ["", "\t// a comment", "\tif y {", "\t}", "\tz := `", "}", "// text`"]  # five of them are lines of code
    text = "\n".join([head, *body[:-5], "}", "", "func g() { f() }", *["var x int"] * 99, "}", ""])
    assert list(long_functions(text)) == ["f"] * long


def test_lines_and_functions_are_readable(root):
    """In tests as well; what is generated is nobody's to read."""
    files = [
        file
        for room in ("core", "capi")
        for file in sorted((root / room).rglob("*.go"))
        if not file.name.startswith("zz_")
    ]
    texts = {str(file.relative_to(root)): file.read_text(encoding="utf-8") for file in files}
    assert [f"{name}:{number}" for name, text in texts.items() for number in wide_lines(text)] == []
    assert [f"{name}: {found}" for name, text in texts.items() for found in long_functions(text)] == []


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["ok  \tcombpred/core/p{}\t1.2s\tcoverage: 80.0% of statements"] * 30, ""),
        (["ok  \tcombpred/core/p{}\t1.2s\tcoverage: 80.0% of statements"] * 29, "only 29 packages"),
        (["ok  \tcombpred/core/p{}\t1.2s\tcoverage: 79.9% of statements"] * 30, "core/p7 is covered to 79.9 %"),
        (["\tcombpred/core/p{}\t\tcoverage: 0.0% of statements"] * 30, "core/p29 is covered to 0 %"),
        (["ok  \tcombpred/core/p{}\t(cached)\tcoverage: 99% of statements"] * 30, ""),
    ],
)
def test_packages_that_are_not_covered_are_named(root, lines, says):
    others = [
        "\tcombpred/core/internal/solvetest\t\tcoverage: 0.0% of statements",
        "ok  \tcombpred/capi\t1s\tcoverage: 3% of x",
    ]
    text = "\n".join([*others, *(line.format(i) for i, line in enumerate(lines))])
    run = subprocess.run([root / ".ci" / "covered"], input=text, capture_output=True, text=True)
    assert (run.returncode, says in run.stdout) == (int(says != ""), True), run.stdout


def test_core_builds_without_c(root, go):
    environment = {**os.environ, "CGO_ENABLED": "0"}
    subprocess.run([go, "build", "./core/..."], cwd=root, env=environment, check=True)


#: Packages that others are built with and that nobody would begin with, and parts of a package that has an example.
PLUMBING = ("fault", "control", "linalg/hostblas", "maxmargin/", "loglinear/", "solve/dual", "solve/loo")
FOR_TESTS = ("test", "structure/examples")


def _packages_with(root, declared):
    return {
        str(file.parent.relative_to(root / "core"))
        for file in (root / "core").rglob("*_test.go")
        if re.search(rf"^func {declared}", file.read_text(), re.M)
    }


def test_every_package_shows_an_example(root):
    packages = {str(file.parent.relative_to(root / "core")) for file in (root / "core").rglob("*.go")}
    without = packages - _packages_with(root, "Example")
    assert [name for name in without if not name.startswith(PLUMBING) and not name.endswith(FOR_TESTS)] == []


def test_what_is_hot_has_benchmarks(root):
    hot = {"solve/primal", "solve/dual", "solve/sgd", "linalg", "chain", "loglinear"}
    assert hot - _packages_with(root, "Benchmark") == set()
