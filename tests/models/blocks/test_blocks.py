"""Training on blocks of rows: the same minimum as on all rows at once, from every source, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from combpred import Admissible, StructuredRidge
from combpred._models import training
from combpred.structures import LabelSets, MultiClass, Permutations
from rows_in_blocks import STRUCTURES, N, P, cut, data, same


@pytest.mark.usefixtures("few_rows")
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("intercept", [False, True], ids=["homogeneous", "intercept"])
@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_blocks_reach_the_minimum_of_the_closed_form(structure, loss, intercept, weighted):
    X, y, weights = data(structure, weighted=weighted)
    options = {"alpha": 0.3, "loss": loss, "fit_intercept": intercept, "tol": 1e-11}
    expected = StructuredRidge(structure, solver="closed-form", **options).fit(X, y, weights)
    for X_form in (X, sparse.csr_matrix(X)):
        same(StructuredRidge(structure, solver="primal", **options).fit(X_form, y, weights), expected, X)
    classes = np.arange(structure.n_classes) if isinstance(structure, MultiClass) else None
    model = StructuredRidge(structure, **options).fit_blocks(cut(X, y, weights), classes=classes)
    same(model, expected, X)
    assert model.solver_ == "primal"
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


@pytest.mark.usefixtures("few_rows")
@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_sets_of_outputs_reach_the_minimum_of_the_closed_form(loss):
    rng = np.random.default_rng(1)
    X, _, weights = data(Permutations(4), weighted=True)
    members = np.array(list(Permutations(4).enumerate()))
    y = [Admissible(members[rng.choice(len(members), size=k, replace=False)]) for k in rng.integers(1, 5, size=N)]
    expected = StructuredRidge("permutations", loss=loss, solver="closed-form", tol=1e-11).fit(X, y, weights)
    same(StructuredRidge("permutations", loss=loss, solver="primal", tol=1e-11).fit(X, y, weights), expected, X)
    same(StructuredRidge("permutations", loss=loss, tol=1e-11).fit_blocks(cut(X, y, weights)), expected, X)


@pytest.mark.usefixtures("few_rows")
def test_too_large_a_set_is_refused_with_block_and_row():
    X = np.ones((3, 1))
    y = [Admissible([[1, 2, 3]]), Admissible([[1, 2, 3], [2, 1, 3], [1, 3, 2]]), Admissible([[3, 2, 1]])]
    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations", loss="auc").fit_blocks([(X, y)])
    assert (caught.value.block, caught.value.row) == (0, 1)


@pytest.mark.usefixtures("few_rows")
def test_rankings_known_in_part_are_learnt_from():
    X, y, _ = data(Permutations(4))
    y[::3, 1] = -1
    expected = StructuredRidge("permutations", solver="closed-form", tol=1e-11).fit(X, y)
    same(StructuredRidge("permutations", solver="primal", tol=1e-11).fit(X, y), expected, X)


def test_targets_of_arrays_are_read_once(monkeypatch):
    X, y, weights = data(LabelSets(4), weighted=True)
    model = StructuredRidge("labelsets", solver="primal", tol=1e-11)
    calls = []
    encode = LabelSets.encode
    monkeypatch.setattr(LabelSets, "encode", lambda *given, **how: calls.append(1) or encode(*given, **how))
    whole = model.fit(X, y, weights).coef_
    assert len(calls) == 1
    np.testing.assert_allclose(model.fit_blocks([(X, y, weights)]).coef_, whole, atol=1e-12)
    assert len(calls) == 1 + model.n_iter_


@pytest.mark.parametrize("n_labels", [17, 24], ids=["basis", "frames"])
def test_structures_of_many_features(n_labels):
    """Up to 256 entries of ψ the eigenspaces of Σ have bases, beyond that frames."""
    structure = Permutations(n_labels)
    X, y, _ = data(structure)
    expected = StructuredRidge(structure, solver="closed-form", tol=1e-11).fit(X, y)
    same(StructuredRidge(structure, solver="primal", tol=1e-11).fit(X, y), expected, X)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_label_sets_are_learnt_and_predicted_sparse(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, P))
    Y = (rng.uniform(size=(N, 60)) < 0.05).astype(int)
    expected = StructuredRidge("labelsets", solver="closed-form", tol=1e-11).fit(X, Y)
    for X_form in (X, sparse.csr_matrix(X)):
        model = StructuredRidge("labelsets", solver="primal", tol=1e-11).fit(X_form, form(Y))
        same(model, expected, X)
        predicted = model.predict(X_form)
        assert predicted.format == "csr"
        assert predicted.dtype == np.int64
        assert isinstance(predicted, sparse.spmatrix) == issubclass(form, sparse.spmatrix)
        np.testing.assert_array_equal(predicted.toarray(), expected.predict(X))
        assert model.score(X, form(Y)) == expected.score(X, Y)
    same(StructuredRidge("labelsets", tol=1e-11).fit_blocks(cut(X, sparse.csr_array(Y))), expected, X)


@pytest.mark.parametrize("n_bytes", [training.BLOCK_BYTES, 0], ids=["few", "many"])
def test_inputs_of_all_types_and_layouts(monkeypatch, n_bytes):
    """Many rows of types and layouts that the library does not read go to it in blocks, which are copied."""
    monkeypatch.setattr(training, "BLOCK_BYTES", n_bytes)
    X, y, _ = data(Permutations(4))
    X = np.rint(4 * X)
    wide = np.zeros((N, 2 * P))
    wide[:, ::2] = X
    expected = StructuredRidge("permutations", solver="closed-form", tol=1e-11).fit(X, y)
    forms = [np.asfortranarray(X), wide[:, ::2], np.c_[X, X][:, :P], X[::-1][::-1], X.astype(X.dtype.newbyteorder())]
    kinds = ("float16", "float32", "int8", "int16", "int32", "int64", "longdouble", object)
    forms += [X.astype(kind) for kind in kinds]
    forms += [form(X.astype(kind)) for form in (sparse.csr_array, sparse.csc_array) for kind in (float, "float32", int)]
    for form in forms:
        same(StructuredRidge("permutations", solver="primal", tol=1e-11).fit(form, y), expected, X)
    expected = StructuredRidge("permutations", solver="closed-form", tol=1e-11).fit(X % 2, y)
    for kind in (bool, np.uint8, np.uint16, np.uint32, np.uint64):
        same(StructuredRidge("permutations", solver="primal", tol=1e-11).fit((X % 2).astype(kind), y), expected, X)


@pytest.mark.parametrize("n_bytes", [training._PARTS_BYTES, 0], ids=["whole", "blocks"])
def test_targets_of_all_types(few_rows, monkeypatch, n_bytes):
    monkeypatch.setattr(training, "_PARTS_BYTES", n_bytes)
    X, y, _ = data(Permutations(4))
    expected = StructuredRidge("permutations", solver="primal").fit(X, y)
    for form in (y.astype(np.int32), y.astype(np.int64), y.astype(float), y.tolist(), pd.DataFrame(y)):
        model = StructuredRidge("permutations", solver="primal").fit(X, form)
        np.testing.assert_array_equal(model.coef_, expected.coef_)
    partly = y.copy()
    partly[40:, 2] = -1
    expected = StructuredRidge("permutations", solver="closed-form", tol=1e-11).fit(X, partly)
    same(StructuredRidge("permutations", solver="primal", tol=1e-11).fit(X, partly), expected, X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_memory_mapped_files_are_read_block_by_block(tmp_path, dtype, few_rows):
    X, y, _ = data(Permutations(4))
    X = (10 * X).astype(dtype)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    mapped, targets = (np.load(tmp_path / name, mmap_mode="r") for name in ("X.npy", "y.npy"))
    expected = StructuredRidge("permutations", solver="primal").fit(X, y)
    model = StructuredRidge("permutations", solver="primal").fit(mapped, targets)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_the_number_of_passes_depends_neither_on_rows_nor_on_scales():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 8))
    y = Permutations.from_orders(np.argsort(X[:, :5] + rng.normal(size=(2000, 5)), axis=1))
    passes = [
        StructuredRidge("permutations", solver="primal").fit(X[:n] * scales, y[:n]).n_iter_
        for n in (500, 2000)
        for scales in (1.0, np.logspace(-2, 3, 8))
    ]
    assert max(passes) <= 25
    assert StructuredRidge("permutations", solver="primal", loss="squared").fit(X, y).n_iter_ == 1


def test_ill_conditioned_features_are_solved_to_tol():
    """Against the linear equation of all weights at once, solved by elimination."""
    X, y, _ = data(Permutations(4))
    X = np.c_[X * np.logspace(3, -2, P), X[:, :1] * 1e3]  # one feature twice
    alpha, psi, sigma = 1e-5, Permutations(4).embed(y), Permutations(4).covariance()
    H = 2 * alpha * np.eye(6 * 6) + np.kron(X.T @ X, sigma)
    for x, z in zip(X, psi, strict=True):
        H += np.outer(np.kron(x, z), np.kron(x, z))
    W = np.linalg.solve(H, (X.T @ psi).ravel()).reshape(6, 6)
    model = StructuredRidge("permutations", solver="primal", alpha=alpha, fit_intercept=False, loss="auc").fit(X, y)
    np.testing.assert_allclose(model.feature_scores(X), X @ W, atol=1e-6)
    assert model.objective_ == pytest.approx(-np.vdot(W, X.T @ psi) / 2, rel=1e-9)


def test_stopping_early_warns_and_keeps_what_there_is():
    X, y, _ = data(Permutations(4))
    with pytest.warns(ConvergenceWarning):
        model = StructuredRidge("permutations", solver="primal", max_iter=2, loss="auc").fit(X, y)
    assert model.n_iter_ == 3
    assert np.isfinite(model.coef_).all()


def test_progress_is_shown_while_rows_are_read(capsys, limits, monkeypatch):
    limits.progress_at_once()
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    X, y, _ = data(Permutations(4))
    StructuredRidge("permutations", solver="primal", verbose=1).fit(X, y)
    assert "training" in capsys.readouterr().err


# ---- Prediction ------------------------------------------------------------------------------------------------------


def test_prediction_reads_arrays_of_any_type_in_blocks(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(4000, 3))
    y = np.where(X @ [1, 2, -1] > 0, 1, 0)
    model = StructuredRidge().fit(X[:500], y[:500])
    scores = model.feature_scores(X.astype(float))
    np.save(tmp_path / "X.npy", X.astype(np.float32))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for form in (X, X.astype(np.int8), X.astype(np.float32), mapped, np.asfortranarray(X), X.tolist(), pd.DataFrame(X)):
        np.testing.assert_array_equal(model.feature_scores(form), scores)
        np.testing.assert_array_equal(model.predict(form), scores.argmax(axis=1))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from procfs")
def test_prediction_holds_no_copy_of_the_rows(run_python, tmp_path):
    """20 000 rows of 500 features in single precision are 40 MB, in double 80; a block has 17."""
    np.save(tmp_path / "X.npy", np.ones((20_000, 500), dtype=np.float32))
    done = run_python(
        f"""
import numpy as np
from combpred import StructuredRidge
X = np.load({str(tmp_path / "X.npy")!r}, mmap_mode="r")
model = StructuredRidge().fit(np.arange(2000.0).reshape(4, 500), [0, 1, 0, 1])
model.predict(np.ones((10, 500)))
def status(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))
before = status("VmRSS")
model.predict(X)
print(status("VmHWM") - before)
""",
        OPENBLAS_NUM_THREADS="1",
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 60_000  # kB


@pytest.mark.parametrize("method", ["predict", "feature_scores", "decision_function"])
def test_prediction_names_the_row_that_is_not_finite(method):
    X = np.ones((100_000, 30), dtype=np.float32)
    model = StructuredRidge().fit(np.arange(120.0).reshape(4, 30), [0, 1, 0, 1])
    X[90_000, 7] = np.inf
    with pytest.raises(ValueError) as caught:
        getattr(model, method)(X)
    assert caught.value.row == 90000
    with pytest.raises(ValueError):
        getattr(model, method)(X[:5] + 1j)
