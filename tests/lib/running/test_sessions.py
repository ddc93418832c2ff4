"""Sessions: what they ask for, how they end, and what becomes of those that nobody ends."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from abi_answers import Answer
from combpred._lib import abi
from combpred._lib.call import Session, view
from combpred._lib.decode import best_outputs
from combpred._lib.errors import RowError
from combpred._lib.sampling import search_own
from combpred._lib.structure import Description
from combpred._lib.table import record

RANKINGS = Description("permutations", {"n": 4})
SCORES = record(abi.CScores, n=1, d=6, linear=np.arange(6.0))


def listing(**options: int) -> Session:
    return Session("cp_kbest_start", RANKINGS, SCORES, record(abi.CKbestOptions, nu=1.0, **options))


def following(dll, handle: int) -> Answer:
    return Answer(dll.cp_session_next, handle, ctypes.byref(record(abi.CRequest)), None)


def test_requests_come_one_after_the_other():
    with listing() as session:
        values = [request.value for request in session]
        assert len(values) == 24 and values == sorted(values, reverse=True)
        assert list(session) == []  # it is over


@pytest.mark.parametrize("steps", [0, 1, 5, 24])
@pytest.mark.parametrize("rows", [0, 2])
def test_sessions_may_be_closed_early_and_once(dll, steps, rows):
    session = listing(rows=rows)
    for _ in range(steps):
        assert following(dll, session._handle).status in (abi.OK, abi.EVALUE)  # zeros are no answers
    assert Answer(dll.cp_session_close, session._handle).status == abi.OK
    for again in (Answer(dll.cp_session_close, session._handle), following(dll, session._handle)):
        assert (again.status, "has been closed" in again.message) == (abi.EVALUE, True)


@pytest.mark.parametrize("handle", [0, 1, 2**64 - 1, 2**49 + 10**9])
def test_what_is_no_session_is_refused(dll, handle):
    for answer in (Answer(dll.cp_session_close, handle), following(dll, handle)):
        expected = "none has been opened" if handle == 0 else "is no handle of a session"
        assert (answer.status, expected in answer.message) == (abi.EVALUE, True)


def test_wrong_answers_end_a_session_with_their_row():
    with listing(rows=3) as session:
        requests = iter(session)
        request = next(requests)
        view(request.outputs, np.int32, request.n, 4)[:] = [1, 2, 3, 4]
        view(request.outputs, np.int32, request.n, 4)[1] = [1, 1, 3, 4]
        with pytest.raises(RowError) as caught:
            next(requests)
        assert caught.value.row == 1
        assert list(session) == []


@pytest.mark.parametrize("method", ["rejection", "local"])
def test_a_request_to_stop_is_heard_with_the_next_answer(method):
    """Otherwise the draw, which no proposal ends, would go on asking, and chains be followed to their end."""
    bound = np.full(1, 1e3) if method == "rejection" else None
    options = record(abi.CChainOptions, method=method, n_samples=1, budget=2**40, thin=2**40, bound=bound)
    control, parts = abi.Control(), np.zeros(1, dtype=np.int32)
    start = "cp_chain_start", RANKINGS, SCORES, options, record(abi.CStarts, d=6, moves=1)
    with Session(*start, dst=parts, record=None, control=control) as session:
        requests = iter(session)
        for _ in range(3):
            assert next(requests).ask == abi.ASK_MOVES
        control.cancel = 1
        with pytest.raises(KeyboardInterrupt):
            next(requests)
        assert list(session) == []


@pytest.mark.parametrize("method", ["sort", "partition", "combinations", "siblings"])
def test_a_list_that_is_cut_short_does_not_end_as_if_it_were_whole(method):
    name, d = ("labelsets", 12) if method in ("combinations", "siblings") else ("permutations", 15)
    structure = Description(name, {"n": 12 if d == 12 else 6})
    scores, control = record(abi.CScores, n=1, d=d, linear=np.random.default_rng(0).normal(size=d)), abi.Control()
    options = record(abi.CKbestOptions, nu=0.5 if method == "siblings" else 1.0, method=method)
    with Session("cp_kbest_start", structure, scores, options, control=control) as session:
        requests = iter(session)
        for _ in range(5):
            assert next(requests).ask == abi.ASK_LISTED
        control.cancel = 1
        with pytest.raises(KeyboardInterrupt):
            for _ in requests:
                pass


def test_errors_of_the_caller_close_its_session(dll):
    def fails(*_):
        raise ZeroDivisionError

    before = threading.active_count()
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            list(best_outputs(RANKINGS, np.ones(6), None, fails))
    assert threading.active_count() == before


def test_sessions_that_nobody_closes_are_closed(dll):
    outputs = best_outputs(RANKINGS, np.arange(6.0))
    next(outputs)
    handle = outputs.gi_frame.f_locals["session"]._handle
    del outputs
    gc.collect()
    assert "has been closed" in following(dll, handle).message
    session = listing()
    handle = session._handle
    del session
    gc.collect()
    assert "has been closed" in following(dll, handle).message


def test_lists_within_lists():
    """A caller who decodes may list outputs meanwhile."""

    def solve(linear, magnitude):
        return np.array([next(best_outputs(RANKINGS, row)) for row in linear])

    linear = np.random.default_rng(0).normal(size=6)
    listed = list(best_outputs(RANKINGS, linear, None, solve))
    np.testing.assert_array_equal(listed, list(best_outputs(RANKINGS, linear)))


def test_a_session_is_busy_for_other_threads(dll):
    large = Description("permutations", {"n": 13})
    scores = record(abi.CScores, n=1, d=78, linear=np.random.default_rng(1).normal(size=78))
    with Session("cp_kbest_start", large, scores, record(abi.CKbestOptions, nu=1.0, method="partition")) as session:
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(following(dll, session._handle)))
        waiting.start()
        while waiting.is_alive():
            answers.append(following(dll, session._handle))
        waiting.join()
        assert all(a.status == abi.OK or "another thread waits" in a.message for a in answers)


def test_one_thread_may_close_a_session_while_another_goes_on(dll):
    """The other one is told so, whenever it comes; afterwards it gets nothing of the session."""
    large = Description("permutations", {"n": 6})
    scores = record(abi.CScores, n=1, d=15, linear=np.random.default_rng(0).normal(size=15))
    for _ in range(200):
        session = Session("cp_kbest_start", large, scores, record(abi.CKbestOptions, nu=1.0))
        ends = []

        def repeat(call, handle=session._handle, ends=ends):
            while (answer := call(handle)).status == abi.OK or "busy" in answer.message:
                if call is close and answer.status == abi.OK:
                    break
            ends.append(answer)

        def close(handle):
            return Answer(dll.cp_session_close, handle)

        threads = [threading.Thread(target=repeat, args=(call,)) for call in (partial(following, dll), close)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.status for answer in ends) == [abi.OK, abi.EVALUE]
        assert any("has been closed" in answer.message for answer in ends)


SOAK = """
import resource
import sys
import numpy as np
from combpred._lib import abi
from combpred._lib.table import record
from combpred._lib.call import Session
from combpred._lib.structure import Description
rankings = Description("permutations", {"n": 4})
scores = record(abi.CScores, n=1, d=6, linear=np.arange(6.0))
def some(n):
    for i in range(n):
        with Session("cp_kbest_start", rankings, scores, record(abi.CKbestOptions, nu=1.0, rows=i % 3)) as session:
            for _, request in zip(range(i % 4), session):
                if request.ask == abi.ASK_DECODE:
                    break
some(2000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
some(int(sys.argv[1]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in kilobytes there")
def test_memory_stays_as_it_is():
    grown = subprocess.run([sys.executable, "-c", SOAK, "5000"], capture_output=True, text=True, check=True)
    assert int(grown.stdout) < 8192  # kilobytes; a session that stayed would take 2 of these for its goroutine alone


def searching(move, *, steps=200, control=None, **options):
    """Search for best rankings of four by moves of our own, from two that are given."""
    linear = np.array([[1.0, 2.0, 3.0, -1.0, 0.5, 0.2], [-1.0] * 6])
    given = {"method": "anneal", "proposals": "local", "temperatures": (), "steps": steps, "seed": 3, **options}
    return search_own(
        RANKINGS, linear, None, np.ones((2, 6)), move, spread=np.full(2, 10.0), runs=1,
        streams=np.arange(2, dtype=np.uint64), control=control or abi.Control(), **given,
    )  # fmt: skip


class Signs(dict):
    """Moves that turn one of six signs, as if each of the 64 rows of signs were an output."""

    def __init__(self):
        super().__init__({0: np.ones(6), 1: np.ones(6)})
        self.asked = []

    def move(self, _, start, to):
        self.asked.append((start, to))
        for source, number in zip(start, to, strict=True):
            self[number] = self[source] * np.where(np.arange(6) == len(self.asked) % 6, -1.0, 1.0)
        return np.array([self[number] for number in to]), np.zeros(len(to))


def test_searches_ask_for_one_move_of_each_row_at_a_time():
    signs = Signs()
    best, found = searching(signs.move)
    assert len(signs.asked) == 200 and all(len(start) == 2 for start, _ in signs.asked)
    assert len(signs) <= 2 + 3 * 2  # two starts, and three outputs of each row
    assert_array_equal(signs[best[1]], [-1.0] * 6)
    assert found.value.tolist() == [7.7, 6.0] and found.steps.tolist() == [200, 200]
    assert (found.success == 0).all() and (found.accepted <= 200).all()


def test_moves_that_are_none_are_refused_by_their_row():
    with pytest.raises(RowError, match="the output of a move has the number NaN, must be finite") as caught:
        searching(lambda rows, start, to: (np.array([[0.0] * 6, [np.nan] * 6]), np.zeros(2)))
    assert caught.value.row == 1
    best, found = searching(lambda rows, start, to: (np.full((2, 6), np.nan), np.full(2, -np.inf)))
    assert best.tolist() == [0, 1] and found.accepted.tolist() == [0, 0]  # they lead to no output


def test_a_search_stops_with_the_next_move():
    control, signs = abi.Control(), Signs()

    def move(rows, start, to):
        control.cancel = len(signs.asked) == 4
        return signs.move(rows, start, to)

    with pytest.raises(KeyboardInterrupt):
        searching(move, steps=2**40, control=control)
    assert len(signs.asked) == 5
