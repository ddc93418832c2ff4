"""How the library behaves in its process: forks, threads, Ctrl-C, thread counts, lazy loading."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import combpred
from combpred._lib import call
from combpred._lib.decode import decode
from combpred._lib.errors import RowError
from combpred._lib.structure import Description, structure_count
from process_data import PERMUTATIONS, POSIX, problem, train

# The body of a script whose workers, started by `start`, compute and report.
PARALLEL = """
import multiprocessing, sys
from combpred import ForkedProcessError
from combpred._lib.structure import Description, structure_count

def work(_=None):
    try:
        return structure_count(Description("permutations", {{"n": 5}}))
    except ForkedProcessError as error:
        return f"ForkedProcessError: {{error}}"

if __name__ == "__main__":
    if {use_first}:
        work()
    {start}
    print(answer)
"""
POOL = """with multiprocessing.get_context("{method}").Pool(1) as pool:
        answer = pool.apply(work)"""


@POSIX
def test_fork_before_use_works(run_python):
    result = run_python(PARALLEL.format(use_first=False, start=POOL.format(method="fork")))
    assert result.stdout.strip() == "120", result.stderr


@POSIX
def test_fork_after_use_is_refused(run_python):
    """And does not hang."""
    result = run_python(PARALLEL.format(use_first=True, start=POOL.format(method="fork")))
    assert result.stdout.startswith("ForkedProcessError: "), result.stderr
    assert "spawn" in result.stdout


@POSIX
def test_parent_goes_on_after_a_fork(run_python):
    start = POOL.format(method="fork") + "\n    answer = work()"
    result = run_python(PARALLEL.format(use_first=True, start=start))
    assert result.stdout.strip() == "120", result.stderr


@POSIX
def test_fork_of_a_forked_child_is_refused(run_python):
    script = """
import os
from combpred import ForkedProcessError
from combpred._lib.structure import Description, structure_count
description = Description("permutations", {"n": 5})
structure_count(description)
if os.fork() == 0:
    if os.fork() == 0:
        try:
            structure_count(description)
        except ForkedProcessError:
            os._exit(3)
        os._exit(1)
    os._exit(os.waitstatus_to_exitcode(os.wait()[1]))
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert run_python(script).stdout.strip() == "3"


@POSIX
def test_spaces_of_the_parent_are_neither_used_nor_opened_again_in_a_child(run_python):
    """The child ends as usual, with the spaces that it cannot close."""
    script = """
import os, pickle
from combpred import ForkedProcessError
from combpred._lib import structure
from combpred._lib.structure import Description, structure_count
opened, known, fresh = (Description("permutations", {"n": n}) for n in (5, 6, 7))
handle, shape = opened.handle, known.shape
child = os.fork()
if child == 0:
    for copy in (opened, fresh, pickle.loads(pickle.dumps(opened))):
        try:
            structure_count(copy)
            os._exit(1)
        except ForkedProcessError:
            pass
    if known.shape != shape:
        os._exit(2)
    structure._LAST.clear()
    del opened, known, copy
    raise SystemExit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), structure_count(opened), opened.handle == handle)
"""
    assert run_python(script).stdout.strip() == "5 120 True"


# A child of fork calls every function of the C interface, in the middle of the parent's work on all processors.
EVERY_ENTRY_POINT = """
import ctypes, os, threading
import numpy as np
from combpred._lib import abi, call
from combpred._lib.structure import Description, structure_sample

dll = call.library().dll
busy = threading.Thread(target=structure_sample, args=(Description("permutations", {"n": 100}), 300_000, 0))
busy.start()
child = os.fork()
if child == 0:
    for name, arguments in abi.PROTOTYPES.items():
        message = ctypes.create_string_buffer(200)
        empty = [kind() if kind is not ctypes.c_void_p else None for kind in arguments[:-2]]
        if name in abi.OF_ROWS:
            bad_row = ctypes.c_int64(7)
            empty[-1] = ctypes.addressof(bad_row)
        status = getattr(dll, name)(*empty, *[ctypes.addressof(message), 200][: len(arguments)])
        if name != "cp_abi_version":
            assert status == abi.EFORKED, (name, status)
            assert message.value.startswith(b"this process was forked"), (name, message.value)
            assert name not in abi.OF_ROWS or bad_row.value == -1, name
    os._exit(0)
_, status = os.waitpid(child, 0)
busy.join()
print(os.waitstatus_to_exitcode(status))
"""


@POSIX
def test_every_entry_point_refuses_a_forked_child(run_python):
    result = run_python(EVERY_ENTRY_POINT)
    assert result.stdout.strip() == "0", result.stderr


@pytest.mark.parametrize("use_first", [False, True])
@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=POSIX)])
def test_fresh_processes_work(run_python, method, use_first):
    result = run_python(PARALLEL.format(use_first=use_first, start=POOL.format(method=method)))
    assert result.stdout.strip() == "120", result.stderr


def test_loky_works_after_use(run_python):
    start = "import joblib; answer = joblib.Parallel(n_jobs=2)(joblib.delayed(work)(i) for i in range(4))"
    result = run_python(PARALLEL.format(use_first=True, start=start))
    assert result.stdout.strip() == "[120, 120, 120, 120]", result.stderr


def test_subprocesses_work_after_use(run_python):
    start = "import subprocess; answer = subprocess.run([sys.executable, '-c', 'print(7)'], capture_output=True).stdout"
    assert run_python(PARALLEL.format(use_first=True, start=start)).stdout.strip() == "b'7\\n'"


def test_threads_share_the_library():
    errors = []
    scores = np.random.default_rng(0).normal(size=(50, 10))
    expected = decode(PERMUTATIONS, scores).y

    def work() -> None:
        try:
            for _ in range(20):
                assert np.array_equal(decode(PERMUTATIONS, scores).y, expected)
                with pytest.raises(ValueError):
                    structure_count(Description("nonsense", {}))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_concurrent_first_use_loads_once(run_python):
    script = """
import threading
from combpred._lib.call import library
found, barrier = [], threading.Barrier(8)
def work():
    barrier.wait()
    found.append(library())
threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
print(len(found), len({id(one) for one in found}))
"""
    assert run_python(script).stdout.strip() == "8 1"


def test_import_loads_nothing(run_python):
    script = """
import sys, combpred
print(*(name for name in ("combpred._lib._core", "combpred._lib.call", "scipy", "sklearn") if name in sys.modules))
print(*(name for name in sys.modules if name.startswith("combpred.")))
"""
    result = run_python(script)
    assert (result.stdout.strip(), result.returncode) == ("", 0)


@pytest.mark.parametrize("name", ["__version__", "CapabilityError", "SamplingError"])
def test_errors_and_version_load_no_library(run_python, name):
    script = f"""
import sys
from combpred import {name}
print(*(name for name in ("combpred._lib._core", "combpred._lib.call", "scipy", "sklearn") if name in sys.modules))
"""
    result = run_python(script)
    assert (result.stdout.strip(), result.returncode) == ("", 0)


def test_import_is_cheap_beside_scikit_learn(run_python):
    """It adds a few files of its own; tests/benchmarks/speed.py prints the milliseconds."""
    script = """
import sys, sklearn.base, sklearn.utils.validation
before = set(sys.modules)
import combpred
print(*(set(sys.modules) - before))
"""
    added = run_python(script).stdout.split()
    assert "combpred" in added and len(added) <= 10
    assert all(name.split(".")[0] == "combpred" for name in added)


def test_same_bytes_for_one_and_two_workers():
    one, two = (train(*problem(700), n_threads=n) for n in (1, 2))
    assert one[0].tobytes() == two[0].tobytes()
    assert one[1] == two[1]


def resident() -> float:
    """Return the resident memory of this process in MiB."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


TELLS_RESIDENT = pytest.mark.skipif(
    not os.path.exists("/proc/self/statm"), reason="the system does not tell the resident memory"
)


def assert_memory_flat(work, times: int, leak: float) -> None:
    """Assert that resident memory stands still in one of five rounds of ``work``, ``times`` calls each.

    Heaps settle at some size sooner or later, depending on what the process did before; a leak of ``leak`` MiB a round
    shows in every round.
    """
    grown = []
    for _ in range(5):
        before = resident()
        for _ in range(times):
            work()
        grown.append(resident() - before)
        if grown[-1] < leak / 2:
            return
    pytest.fail(f"resident memory grew by {grown} MiB in five rounds of {times} calls")


@pytest.mark.slow
@pytest.mark.versionless
@TELLS_RESIDENT
def test_a_thousand_fits_leave_memory_flat():
    kernel, psi = problem(100)
    # One kernel matrix (0.08 MB) leaked per fit would be 80 MB a round.
    assert_memory_flat(lambda: train(kernel, psi), 1000, leak=80)


def data(n: int):
    """Inputs and random rankings."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 4)), rng.permuted(np.tile(np.arange(1, 6), (n, 1)), axis=1)


@TELLS_RESIDENT
@pytest.mark.parametrize(
    ("estimator", "options"),
    [("StructuredRidge", {"kernel": "rbf"}), ("StructuredRidgeCV", {"alphas": [1.0], "kernels": ["rbf"]})],
)
def test_estimators_leave_memory_flat(estimator, options):
    X, y = data(150)
    model = getattr(combpred, estimator)("permutations", **options)
    # One kernel matrix (0.17 MiB) leaked per fit would be 17 MiB a round.
    assert_memory_flat(lambda: model.fit(X, y).predict(X), 100, leak=17)


@POSIX
@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        ("StructuredRidge", {"kernel": "rbf"}),
        ("StructuredRidge", {"kernel": "rbf", "solver": "cg", "alpha": 1e-3}),
        ("StructuredRidgeCV", {"kernels": ["rbf"]}),
    ],
)
def test_estimators_are_interrupted(estimator, options, ctrl_c):
    X, y = data(900)
    model = getattr(combpred, estimator)("permutations", **options).fit(X[:60], y[:60])
    before = model.predict(X[:5])
    other = getattr(combpred, estimator)("permutations", **options)
    with ctrl_c():
        while True:  # until the signal comes, in whichever phase of a fit
            other.fit(X, y)
    np.testing.assert_array_equal(model.predict(X[:5]), before)  # the library works on
    assert other.fit(X[:60], y[:60]).predict(X[:5]).tolist() == before.tolist()


@POSIX
@pytest.mark.slow
def test_a_large_fit_is_interrupted_at_any_moment(ctrl_c):
    X, y = data(3000)
    model = combpred.StructuredRidge("permutations", kernel="rbf", solver="closed-form").fit(X[:60], y[:60])
    for wait in np.random.default_rng(0).uniform(0, 2, 5):
        with ctrl_c(after=wait):
            while True:
                model.fit(X, y)


@POSIX
@pytest.mark.parametrize(
    ("estimator", "options"), [("StructuredRidge", {"kernel": "rbf"}), ("StructuredRidgeCV", {"kernels": ["rbf"]})]
)
def test_an_interrupted_fit_keeps_the_earlier_one(estimator, options):
    X, y = data(60)
    model = getattr(combpred, estimator)("permutations", **options).fit(X, y)
    before = model.predict(X)

    def interrupted(*arguments, **options):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)

    changed = {name: [interrupted] if isinstance(value, list) else interrupted for name, value in options.items()}
    with pytest.raises(KeyboardInterrupt):
        model.set_params(**changed).fit(X[:20, :2], y[:20])
    model.set_params(**options)
    np.testing.assert_array_equal(model.predict(X), before)


def test_show_versions_names_what_matters(capsys):
    combpred.show_versions()
    text = capsys.readouterr().out
    library = call.library()
    for expected in (combpred.__version__, np.__version__, library.core.control_Version(), library.blas.reason):
        assert expected in text


def test_row_errors_survive_pickling():
    import pickle

    error = pickle.loads(pickle.dumps(RowError(3, "is wrong")))
    assert (error.row, error.reason, str(error)) == (3, "is wrong", "row 3: is wrong")
