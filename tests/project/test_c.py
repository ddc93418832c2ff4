"""C programs against the installed library, which know nothing of Python: their figures are those of the package."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import scipy

from combpred import ProbabilisticStructured, StructuredRidge
from combpred._lib import abi
from combpred._lib.call import computed
from combpred._lib.decode import decode
from combpred._lib.partition import Asked, Estimates, estimate, log_partition
from combpred._lib.ridge import Targets, ridge_plan
from combpred._lib.sampling import Plan, chain_sample
from combpred._lib.structure import Description, catalogue, structure_embed, structure_sample
from combpred._lib.versions import __version__
from combpred.aggregation import borda, footrule, kemeny, median_rank
from combpred.baselines import StructuredPerceptron, StructuredSVM

pytestmark = [
    pytest.mark.versionless,
    pytest.mark.skipif(os.name != "posix", reason="the library is built on POSIX only"),
]

STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]

Run = Callable[..., dict[str, list[str]]]


@pytest.fixture(scope="module")
def installed(root: Path, go: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the library is installed, a folder with a blank in its name."""
    prefix = tmp_path_factory.mktemp("c") / "the prefix"
    answer = subprocess.run(
        ["sh", root / "capi" / "install.sh", prefix],
        env={**os.environ, "GO": go},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr
    return prefix


@pytest.fixture(scope="module")
def compiler() -> str:
    found = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if found is None:
        pytest.skip("no C compiler")
    return found


@pytest.fixture
def run(root: Path, installed: Path, compiler: str, tmp_path: Path) -> Run:
    """Compile a program of tests/c, or of a text, run it, and return the words of each line by the first of them."""

    def compiled(name: str, *arguments: str, given: str = "", source: str | None = None) -> dict[str, list[str]]:
        library, program = installed / "lib", tmp_path / name
        file = root / "tests" / "c" / f"{name}.c"
        if source is not None:
            file = tmp_path / f"{name}.c"
            file.write_text(source, encoding="utf-8")
        flags = [f"-I{installed / 'include'}", f"-L{library}", "-lcombpred", f"-Wl,-rpath,{library}"]
        subprocess.run([compiler, *STRICT, "-o", program, file, *flags], check=True)
        answer = subprocess.run(
            [program, *arguments], input=given, capture_output=True, text=True, timeout=120, check=False
        )
        assert answer.returncode == 0, answer.stdout[-1000:] + answer.stderr
        lines = (line.split(" ") for line in answer.stdout.splitlines())
        return {first: rest for first, *rest in lines}

    return compiled


def numbers(words: list[str]) -> np.ndarray:
    return np.array(words, dtype=np.float64)


def text(*arrays: object) -> str:
    return " ".join(repr(float(value)) for array in arrays for value in np.ravel(array))


def test_what_is_installed(installed):
    version = abi.ABI_VERSION
    names = {file.relative_to(installed).as_posix() for file in installed.rglob("*") if not file.is_dir()}
    assert {
        "include/combpred.h",
        "lib/pkgconfig/combpred.pc",
        "lib/libcombpred.so",
        f"lib/libcombpred.so.{version}",
    } <= names
    assert len(names) == 5
    assert (installed / "lib" / "libcombpred.so").resolve().name.startswith(f"libcombpred.so.{version}.")


def test_pkg_config_finds_it(installed):
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    answer = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "combpred"],
        env={**os.environ, "PKG_CONFIG_PATH": str(installed / "lib" / "pkgconfig")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shlex.split(answer.stdout) == [f"-I{installed}/include", f"-L{installed}/lib", "-lcombpred"]


def test_needs_are_named(root, tmp_path):
    def refused(**environment: str) -> str:
        answer = subprocess.run(
            ["sh", root / "capi" / "install.sh", tmp_path / "p"],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
        )
        assert answer.returncode == 1
        return answer.stderr

    assert "needs the Go toolchain" in refused(GO=str(tmp_path / "no go"))
    old = tmp_path / "go"
    old.write_text("#!/bin/sh\necho go1.19.3\n")
    old.chmod(0o755)
    assert f"and {old} is version 1.19" in refused(GO=str(old))


def test_catalogue(run):
    found = run("catalogue")
    assert json.loads(" ".join(found["catalogue"]))["structures"] == catalogue()
    assert found["shape"][:2] == ["5", "10"]
    assert float(found["shape"][2]) == pytest.approx(np.log(120))
    assert int(found["count"][0], 16) == 120
    assert found["refused"][0] == str(abi.EVALUE)
    assert "nonsense" in " ".join(found["refused"][2:])
    assert found["closed"][0] == str(abi.EVALUE) and "has been closed" in " ".join(found["closed"])
    assert " ".join(found["named"]).startswith('1 row 0: labels "tea" and "juice" share position 1 in [1, 2, 1]; ')
    assert found["version"][0] == __version__


def programs_of_the_first_page(root):
    """Return the programs on the first page of the header, as they stand there."""
    page = (root / "capi" / "combpred.h").read_text(encoding="utf-8").partition("CONVENTIONS")[0]
    found = re.findall(r"^ \*     #include.*?^ \*     }$", page, re.S | re.M)
    return [re.sub(r"^ \* {0,5}", "", program, flags=re.M) + "\n" for program in found]


def test_the_first_page_of_the_header(root, run):
    found = run("first", source=programs_of_the_first_page(root)[0])
    assert found["tea"] == ["1", "milk", "2", "juice", "3"]
    assert found["number"][1:] in (
        ["2", "1", "3"],
        ["1", "3", "2"],
    )  # the last line: next to the best, one pair differs


def test_the_page_of_c_for_r(root, tmp_path):
    compiler, home = shutil.which("cc"), Path("/usr/share/R/include")
    if compiler is None or not (home / "Rinternals.h").exists():
        pytest.skip("there is no R")
    source = tmp_path / "page.c"
    source.write_text(programs_of_the_first_page(root)[1])
    subprocess.run(
        [compiler, "-Wall", "-Werror", "-fsyntax-only", f"-I{home}", f"-I{root / 'capi'}", source], check=True
    )


def host_blas() -> str | None:
    """Return the path of an OpenBLAS that came with SciPy or is installed."""
    folder = Path(scipy.__file__).parent
    files = [*folder.parent.glob("scipy.libs/*openblas*.so*"), *folder.glob(".dylibs/*openblas*.dylib")]
    files += Path("/usr/lib").glob("*/libopenblas.so.0")
    return str(files[0]) if files else None


@pytest.mark.parametrize("blas", ["gonum", "host"])
def test_ridge(run, blas):
    path = host_blas()
    if blas == "host" and path is None:
        pytest.skip("no BLAS in a shared library is known")
    rng = np.random.default_rng(0)
    n, m, alpha = 60, 7, 0.25
    x, fresh = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
    kernel, values = (np.exp(-((a[:, None] - x) ** 2).sum(-1)) for a in (x, fresh))
    y = rng.permuted(np.tile(np.arange(1, 6), (n, 1)), axis=1)
    given = text([n, m, alpha], kernel, y, values)
    found = run("ridge", *([path] if blas == "host" else []), given=given)
    assert found["blas"] == (["host", path] if blas == "host" else ["gonum"])

    description = Description("permutations", {"n": 5})
    plan = ridge_plan(description, {"alpha": alpha, "solver": "auto"}, n, 0, 0)
    keys = ("solver", "route", "route_loo", "precision", "distinct")
    assert found["plan"] == [str(plan[key]) for key in keys]
    options = {"alpha": alpha, "solver": plan["solver"], "precision": "double"}
    work = np.empty(max(plan["work_double"], plan["work_loo_double"]), dtype=np.uint8)
    targets = Targets(structure_embed(description, y))
    given, scratch = (description, options, kernel, targets), {"data": work, "bytes": work.nbytes}
    dual, info = computed("cp_ridge_kernel", *given, scratch)
    # Both are solved to a relative residual of 1e-8.
    np.testing.assert_allclose(numbers(found["dual"]), dual.ravel(), rtol=0, atol=1e-7 * np.abs(dual).max())
    assert float(found["objective"][0]) == pytest.approx(info.objective, rel=1e-12)
    left_out = np.empty((2, *dual.shape))
    computed("cp_ridge_loo", *given, {"alphas": np.array([alpha, 10 * alpha]), "scores": left_out}, scratch)
    np.testing.assert_allclose(numbers(found["left_out"]), left_out.ravel(), rtol=0, atol=1e-8)
    best = decode(description, values @ dual)
    assert numbers(found["predicted"]).tolist() == best.y.ravel().tolist()
    np.testing.assert_allclose(numbers(found["value"]), best.value, rtol=1e-6)
    np.testing.assert_allclose(numbers(found["upper_bound"]), best.upper_bound, rtol=1e-6)
    assert " ".join(found["refused"]) == "1 1 score 2 is NaN, must be finite"
    assert " ".join(found["unknown"]) == '1 loss is "hinge", must be "auc" or "squared"'


@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
@pytest.mark.parametrize("blas", ["gonum", "host"])
def test_kernel_fit_and_predictions(run, kernel, loss, blas):
    path = host_blas()
    if blas == "host" and path is None:
        pytest.skip("no BLAS in a shared library is known")
    rng = np.random.default_rng(2)
    n, m, alpha = 80, 9, 0.3
    x, fresh = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
    y = rng.permuted(np.tile(np.arange(1, 6), (n, 1)), axis=1)
    found = run("predict", kernel, loss, *([path] if blas == "host" else []), given=text([n, m, 3, alpha], x, y, fresh))
    model = StructuredRidge("permutations", kernel=kernel, gamma="scale", alpha=alpha, loss=loss).fit(x, y)
    assert float(found["gamma"][0]) == pytest.approx(model.kernel_.gamma, rel=1e-14)
    scores = model.feature_scores(fresh)
    # Both are solved to a relative residual of 1e-8.
    np.testing.assert_allclose(numbers(found["scores"]), scores.ravel(), rtol=0, atol=1e-6 * np.abs(scores).max())
    best = model.predict(fresh, return_certificate=True)[1]
    assert numbers(found["predicted"]).tolist() == best.structures.ravel().tolist()
    np.testing.assert_allclose(numbers(found["value"]), best.value, rtol=1e-5)
    assert " ".join(found["refused"]) == "1 1 X holds NaN in column 1: remove rows with NaN or infinity, or impute them"
    assert " ".join(found["unknown"]) == "1 gamma is -1, must be positive and finite"


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_fit_in_weights_of_features_and_predictions(run, loss):
    x, fresh = np.split(np.random.default_rng(4).normal(size=(59, 3)), [50])
    y = np.random.default_rng(5).permuted(np.tile(np.arange(1, 6), (50, 1)), axis=1)
    found = run("linear", loss, given=text([50, 9, 3, 0.7], x, y, fresh))
    model = StructuredRidge("permutations", solver="primal", alpha=0.7, loss=loss).fit(x, y)
    weights = np.vstack([model.coef_.T, model.intercept_]).ravel()
    expected = {"coef": weights, "blocks": weights, "scores": model.feature_scores(fresh).ravel()}
    for name, want in expected.items():  # solved to a relative residual of 1e-8
        np.testing.assert_allclose(numbers(found[name]), want, rtol=0, atol=1e-6 * np.abs(want).max())
    assert numbers(found["predicted"]).tolist() == model.predict(fresh).ravel().tolist()
    assert " ".join(found["refused"]).startswith("1 2 ")


def test_consensus(run):
    ranks = np.random.default_rng(5).permuted(np.tile(np.arange(1.0, 8), (9, 1)), axis=1)
    found = run("consensus", given=text(ranks.shape, ranks))
    results = {"borda": borda(ranks), "footrule": footrule(ranks), "median-rank": median_rank(ranks)}
    results |= {method: kemeny(ranks, method=method) for method in ("exact", "pivot", "local-search")}
    for method, best in results.items():
        known = [*best.consensus, best.distance, best.lower_bound, best.ratio or 0, best.optimal]
        assert [*numbers(found[method]), *numbers(found[f"{method}_known"])] == known, method
    assert [*numbers(found["ties"])] == [*kemeny(ranks, method="exact", output="weak", penalty=0.3).consensus]
    assert " ".join(found["refused"]).startswith("1 1 the ranking has -2 for item 0")


def test_decoding(run):
    scores = np.random.default_rng(2).normal(size=(2, 10))
    found = run("decode", given=text(scores))
    rankings = np.array(list(permutations(range(1, 6))), dtype=np.int32)
    u, v = np.triu_indices(5, 1)
    psi = np.where(rankings[:, u] < rankings[:, v], 1.0, -1.0)
    values = psi @ scores.T
    admitted = (psi[:, 0] == 1) & (psi[:, 7] == -1)
    best = np.where(admitted, values[:, 0], -np.inf).argmax()
    assert numbers(found["decoded"]).tolist() == rankings[best].tolist()
    np.testing.assert_allclose(numbers(found["value"] + found["bound"]), values[best, 0], rtol=1e-12)
    assert (found["optimal"], found["met"]) == (["1", "1"], ["1", "0"])  # no ranking contains a cycle
    assert found["refused"] == [str(abi.EVALUE), "1"]
    order = np.argsort(-values, axis=0)[:10]
    assert numbers(found["best"]).tolist() == rankings[order.T].ravel().tolist()
    np.testing.assert_allclose(
        numbers(found["values"]), np.take_along_axis(values, order, axis=0).T.ravel(), rtol=1e-12
    )
    assert found["method"] == ["sort"]
    assert (found["listed"], found["closed"][:2]) == (["10"], ["twice", f"{abi.EVALUE}:"])
    assert found["closed"][-3:] == ["has", "been", "closed"]


def test_sampling(run):
    scores = np.random.default_rng(1).normal(size=(2, 6))
    found = run("sampling", given=text(scores))
    description = Description("labelsets", {"n": 6})
    assert numbers(found["uniform"]).tolist() == structure_sample(description, 4, 7).ravel().tolist()
    exactly = chain_sample(description, scores, Plan("exact", 4, seed=7)).y
    assert numbers(found["exact"]).tolist() == exactly.ravel().tolist()
    exact = log_partition(description, scores, marginals=True)
    np.testing.assert_allclose(numbers(found["log_z"]), exact.log_z, rtol=1e-14)
    np.testing.assert_allclose(numbers(found["marginals"]), exact.marginals.ravel(), rtol=1e-14)
    for method in ("meta", "cube", "rejection", "monotone"):
        drawn = chain_sample(description, scores, Plan(method, 4, 1000, 3, 1000000, 7))
        assert numbers(found[method]).tolist() == drawn.y.ravel().tolist()
    np.testing.assert_allclose(numbers(found["value"]), drawn.value.ravel(), rtol=1e-14, atol=1e-14)
    for method in ("auto", "chain"):
        drawn = chain_sample(description, scores, Plan(method, 4, seed=7, diagnosed=True))
        assert [*found[f"{method}_is"], *found[method]] == [drawn.method, *map(str, drawn.y.flat)]
    assert found["cancelled"] == [str(abi.ECANCELLED)]


def test_svm(run):
    rng = np.random.default_rng(2)
    n, p, c = 30, 3, 2.0
    X = rng.normal(size=(n, p))
    y = np.argsort(np.argsort(-(X @ rng.normal(size=(p, 4)) + rng.normal(size=(n, 4))))) + 1
    found = run("svm", given=text([n, p, c], X, y))
    model = StructuredSVM("permutations", C=c, tol=1e-4).fit(X, y)
    weights = np.vstack([model.coef_.T, model.intercept_])
    # The same steps, on another BLAS.
    np.testing.assert_allclose(numbers(found["coef"]), weights.ravel(), rtol=0, atol=1e-3 * np.abs(weights).max())
    assert float(found["objective"][0]) == pytest.approx(model.objective_, rel=1e-4)
    assert 0 <= float(found["gap"][0]) <= 1e-4 * model.objective_
    passes, looks, steps = (int(word) for word in found["passes"])
    assert passes == looks == steps
    assert float(found["own"][0]) == pytest.approx(model.objective_, rel=1e-4)
    visited = StructuredPerceptron("permutations", max_iter=3, shuffle=False).fit(X, y)
    assert found["mistakes"] == [str(visited.n_mistakes_)]
    average = np.vstack([visited.coef_.T, visited.intercept_])
    np.testing.assert_allclose(numbers(found["perceptron"]), average.ravel(), rtol=0, atol=1e-12)
    assert " ".join(found["refused"]) == "1 0 what was found has no finite loss or score"


def test_loglinear(run):
    rng, n, p, alpha = np.random.default_rng(5), 40, 3, 0.5
    X = rng.normal(size=(n, p))
    y = np.argsort(np.argsort(-(X @ rng.normal(size=(p, 4)) + rng.gumbel(size=(n, 4))))) + 1
    found = run("loglinear", given=text([n, p, alpha], X, y))
    model = ProbabilisticStructured("permutations", alpha=alpha, tol=1e-9).fit(X, y)
    weights = np.vstack([model.coef_.T, model.intercept_]).ravel()
    # All go to one minimum, where the gradient is 1e-9 of that at zero; by draws a hundredth of the gain may be left.
    for name, atol in (("coef", 1e-6), ("by_sums", 1e-6), ("by_answers", 1e-6), ("from_dual", 1e-6), ("drawn", 0.2)):
        np.testing.assert_allclose(numbers(found[name]), weights, rtol=0, atol=atol)
    assert numbers(found["objective"] + found["of_kernel"]) == pytest.approx(model.objective_, rel=1e-12)
    assert found["refused"][0] == "1"


def test_estimates(run):
    scores = np.random.default_rng(3).normal(size=(2, 6))
    found = run("estimates", given=text(scores))
    description = Description("permutations", {"n": 4})
    exact = log_partition(description, scores, marginals=True)
    np.testing.assert_allclose(numbers(found["auto_by_exact"]), exact.log_z, rtol=1e-14)

    def again(method: str, *, sampler: str = "auto") -> Estimates:
        asked = Asked(method, sampler, epsilon=0.2, seed=7)
        return estimate(description, scores, asked, Estimates(2, 6, means=True, errors=method == "samples"))

    # The same seed gives the same numbers, whoever calls.
    annealed = again("annealed")
    assert numbers(found["annealed_by_annealed"]).tolist() == annealed.value.tolist()
    assert numbers(found["annealed_by_annealed_lower"]).tolist() == annealed.lower.tolist()
    assert (annealed.lower < exact.log_z).all() and (exact.log_z < annealed.upper).all()
    assert found["sampler"] == [*annealed.sampler, "1"]
    assert numbers(found["levels"]).tolist() == np.concatenate(annealed.schedules).tolist()
    assert numbers(found["steps"]).tolist() == annealed.steps.tolist()
    taylor = again("taylor")
    np.testing.assert_allclose(numbers(found["taylor_by_taylor"]), taylor.value, rtol=1e-14)
    np.testing.assert_allclose(numbers(found["spread"]), taylor.spread, rtol=1e-14)
    assert numbers(found["local"]).tolist() == again("annealed", sampler="local").value.tolist()
    assert found["trusted"] == ["1", "local"]
    samples = again("samples")
    assert numbers(found["samples"]).tolist() == samples.marginals.ravel().tolist()
    assert numbers(found["error"]).tolist() == samples.error.ravel().tolist()
    assert (np.abs(samples.marginals - exact.marginals) <= samples.error).all()
    assert abs(float(found["own"][0]) - exact.log_z[0]) < 0.1  # epsilon, with probability 0.95 and by far more
    assert found["by"] == ["meta"]
    assert found["cancelled"] == [str(abi.ECANCELLED)]
    assert found["budget"] == [str(abi.EBUDGET), "0"]


def test_forked_children_are_refused(run):
    found = run("forked")
    assert found == {"before": [str(abi.EFORKED)], "after": [str(abi.EFORKED)]}


def test_blas(run):
    path = host_blas()
    found = run("blas", *([] if path is None else [path]))
    assert "does not offer dgemm" in " ".join(found["activated"])
    assert "dgemm takes the arguments" in " ".join(found["offered"])
    assert "fails the self-test" in " ".join(found["useless"])
    assert "/no/such/library.so" in " ".join(found["missing"])
    assert found["status"] == ["gonum"]
    if path is not None:
        assert found["opened"] == ["host", path]
        assert "already active" in " ".join(found["again"])
    elif "usual" in found:
        assert "libopenblas" in " ".join(found["usual"])
