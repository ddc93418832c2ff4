"""The BLAS that the core computes on."""

from __future__ import annotations

import pytest

from combpred._lib import call

SCRIPT = """
from combpred._lib.call import library as load
library = load()
print(library.blas.name, "|", library.core.control_BlasStatus(), "|", library.blas.reason)
"""

SOLVE = """
import numpy as np
from combpred._lib import call, ridge, structure
description = structure.Description("permutations", {"n": 5})
psi = structure.structure_embed(description, structure.structure_sample(description, 300, 1))
x = np.random.default_rng(0).normal(size=(300, 8))
kernel = np.exp(-((x[:, None] - x[None]) ** 2).sum(-1) / 8)
options = {"alpha": 0.1, "precision": "double"}
plan = ridge.ridge_plan(description, options, 300, 0, 0)
work = np.empty(plan["work_double"], dtype=np.uint8)
scratch = {"data": work, "bytes": work.nbytes}
dual, info = call.computed("cp_ridge_kernel", description, options, kernel, ridge.Targets(psi), scratch)
print(repr(info.objective))
"""


@pytest.mark.parametrize(("wish", "used"), [("gonum", "gonum"), ("host", "host"), ("", "host"), ("auto", "host")])
def test_choice_follows_the_environment(run_python, wish, used):
    # SciPy as it comes from PyPI publishes its BLAS; a build of SciPy that does not would fall back in auto mode.
    result = run_python(SCRIPT, COMBPRED_BLAS=wish)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split(" | ")[:2] == [used, used]


def test_unknown_choice_is_refused(run_python):
    result = run_python(SCRIPT, COMBPRED_BLAS="mkl")
    assert "ValueError: the environment variable COMBPRED_BLAS is 'mkl', must be auto, host or gonum" in result.stderr


def test_both_give_the_same_answer(run_python):
    objectives = []
    for wish in ("gonum", "host"):
        result = run_python(SOLVE, COMBPRED_BLAS=wish)
        assert result.returncode == 0, result.stderr
        objectives.append(float(result.stdout))
    # Both solve to a relative residual of 1e-8, so objectives agree to about its square; 1e-12 is room for rounding.
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-12)


# Replaces one of SciPy's routines before the library asks for it: by another routine with the same arguments, by one
# with other arguments, or by none.
SABOTAGE = """
from scipy.linalg import cython_blas, cython_lapack
blas, lapack = cython_blas.__pyx_capi__, cython_lapack.__pyx_capi__
{change}
from combpred._lib.call import library as load
try:
    library = load()
    print(library.blas.name, "|", library.core.control_BlasStatus(), "|", library.blas.reason)
except RuntimeError as error:
    print("RuntimeError |", error)
"""
CHANGES = {
    "wrong results": ("blas['dtrsm'] = blas['dtrmm']", "dtrsm fails the self-test"),
    "wrong precision": ("lapack['dpotrf'] = lapack['spotrf']", "dpotrf fails the self-test"),
    "wrong arguments": ("blas['dsyrk'] = blas['dgemm']", "dsyrk takes the arguments"),
    "missing": ("del lapack['dsyevd']", "does not publish dsyevd"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_unusable_routines_are_not_used(run_python, change):
    code, reason = CHANGES[change]
    result = run_python(SABOTAGE.format(change=code), COMBPRED_BLAS="auto")
    assert result.returncode == 0, result.stderr
    name, status, why = result.stdout.split(" | ", 2)
    assert (name, status) == ("gonum", "gonum")
    assert reason in why


def test_host_is_not_replaced_silently_when_asked_for(run_python):
    result = run_python(SABOTAGE.format(change=CHANGES["missing"][0]), COMBPRED_BLAS="host")
    assert "RuntimeError | COMBPRED_BLAS=host, but SciPy's BLAS cannot be used" in result.stdout


def test_routines_cannot_change_once_in_use():
    core = call.library().core
    if core.control_BlasStatus() != "host":
        pytest.skip("the BLAS of the host is not in use in this process")
    with pytest.raises(RuntimeError):
        core.control_BlasOffer("dgemm", core.control_BlasRoutines().split()[1], 1)
    with pytest.raises(RuntimeError):
        core.control_BlasActivate()
