"""What the refusal of a kernel matrix advises, and its estimates beside the memory and steps that training takes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from combpred import StructuredRidge, StructuredRidgeCV
from combpred._models.advice import _N_STEPS, Estimate, alternatives, nystrom_estimate, primal_estimate, sgd_estimate

SIZES = [(20_000, 20, 10, 0), (8000, 200, 10, 0), (6000, 20, 10, 500), (15_000, 20, 5, 300), (3000, 20, 30, 300)]

# Every fit in a process of its own, where memory has been given to no other, forked when all is imported.
MEASURE = """
import os, resource, sys
import numpy as np
from combpred import StructuredRidge
from combpred.kernels import NystromMap
from combpred.structures import Permutations

def measure(n, p, labels, landmarks):
    def rows(n):
        rng = np.random.default_rng(0)
        return rng.normal(size=(n, p)), rng.permuted(np.tile(np.arange(1, labels + 1), (n, 1)), axis=1)

    def fit(X, y):
        if landmarks:
            X = NystromMap(landmarks, random_state=0).fit_transform(X)
        return StructuredRidge(Permutations(labels), loss="auc", solver="primal", n_jobs=1).fit(X, y)

    def peak():
        return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))

    fit(*rows(2 * landmarks + 50))  # loads what is loaded at first use
    X, y = rows(n)
    before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
    model = fit(X, y)
    print(peak() - before, model.n_iter_, flush=True)

for size in {sizes}:
    child = os.fork()
    if child == 0:
        measure(*size)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"the fit of {{size}} failed")
"""


def test_advice_names_what_fits_and_what_it_takes():
    advice = alternatives("rbf", 10**5, 20, 45, "auc")
    assert re.search(r"NystromMap\(1000, \.\.\.\), StructuredRidge\(\)\) \(about .* MiB and [\d.]+ (s|min)\)", advice)
    assert re.search(r"StructuredSGD\(truncation=1000\) \(about \d+ MiB and .* a pass\)", advice)
    assert "primal" not in advice
    linear = alternatives("linear", 10**5, 20, 45, "auc")
    assert re.search(r"solver='primal', which needs no kernel matrix \(about .* MiB and .* s\)", linear)
    assert "Nystrom" not in linear
    assert "beside the calls of the kernel" in alternatives(np.dot, 10**5, 20, 45, "auc")
    assert "NystromMap(700" in alternatives("rbf", 700, 20, 45, "auc")
    assert "pass inputs and a kernel in place of the matrix" in alternatives("precomputed", 10**5, 10**5, 45, "auc")


def test_estimates_are_readable():
    assert str(Estimate(3.2 * 2**20, 0.001)) == "about 3.2 MiB and 0.1 s"
    assert str(Estimate(2.5 * 2**30, 90)) == "about 2.5 GiB and 1.5 min"
    assert str(Estimate(100 * 2**30, 7200)) == "about 100 GiB and 2 h"


def test_estimates_grow_with_the_problem():
    def primal(*size):
        assert primal_estimate(*size, "squared").seconds < primal_estimate(*size, "auc").seconds
        return primal_estimate(*size, "auc")

    def nystrom(*size):
        return nystrom_estimate(*size, 100, "auc")

    def sgd(*size):
        return sgd_estimate(*size, 100)

    for estimate in (primal, nystrom, sgd):
        base = estimate(1000, 10, 20)
        for larger in ((2000, 10, 20), (1000, 20, 20), (1000, 10, 40)):
            assert estimate(*larger).seconds > base.seconds and estimate(*larger).n_bytes >= base.n_bytes


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_estimators_give_the_advice(kernel, limits):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.permuted(np.tile([1, 2, 3], (300, 1)), axis=1)
    limits.available_memory(100_000)
    with pytest.raises(MemoryError, match=r"needs .* rows would fit: fit fewer rows, or take .*truncation=300"):
        StructuredRidge("permutations", kernel=kernel, solver="closed-form").fit(X, y)


@pytest.mark.parametrize("Estimator", [StructuredRidge, StructuredRidgeCV])
def test_advice_is_composed_only_where_memory_lacks(Estimator, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5)), rng.permuted(np.tile([1, 2, 3], (30, 1)), axis=1)
    for module in ("ridge", "leave_one_out"):
        monkeypatch.setattr(f"combpred._models.{module}.alternatives", lambda *arguments: pytest.fail("composed"))
    Estimator("permutations").fit(X, y)


def test_selection_gives_the_advice_too(limits):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.permuted(np.tile([1, 2, 3], (300, 1)), axis=1)
    limits.available_memory(100_000)
    for kernel in ("rbf", "linear"):
        with pytest.raises(MemoryError):
            StructuredRidgeCV("permutations", kernels=[kernel]).fit(X, y)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from procfs")
def test_estimates_are_within_a_factor_of_three(run_python):
    """Peak memory, and the steps of conjugate gradient, the part of the work that data decide.

    Seconds depend on the machine: tests/benchmarks/alternatives.py prints them beside their estimates.
    """
    done = run_python(MEASURE.format(sizes=SIZES), timeout=600, OPENBLAS_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr
    for (n, p, labels, landmarks), line in zip(SIZES, done.stdout.splitlines(), strict=True):
        d = labels * (labels - 1) // 2
        expected = nystrom_estimate(n, p, d, landmarks, "auc") if landmarks else primal_estimate(n, p, d, "auc")
        n_bytes, n_steps = map(int, line.split())
        size = f"n={n}, p={p}, d={d}, {landmarks} landmarks"
        assert expected.n_bytes / 3 < n_bytes < 3 * expected.n_bytes, size
        assert _N_STEPS["auc"] / 3 < n_steps < 3 * _N_STEPS["auc"], size
