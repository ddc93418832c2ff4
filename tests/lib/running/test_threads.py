"""How many threads work, and how they tell of progress."""

from __future__ import annotations

import contextlib
import os
import sys
import time

import numpy as np
import pytest

import combpred
from combpred import kernels, ranking, sampling, structures
from combpred._lib import abi, control
from combpred._lib.call import get_n_threads


class TestThreadCount:
    @pytest.fixture(autouse=True)
    def _no_environment(self, monkeypatch):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)

    def test_explicit_number_comes_first(self, monkeypatch):
        monkeypatch.setenv("OMP_NUM_THREADS", "5")
        with combpred.config_context(n_threads=4):
            assert get_n_threads(3) == 3
            assert get_n_threads() == 4
        assert get_n_threads() == 5

    @pytest.mark.parametrize(("value", "n"), [("7", 7), ("6,2", 6), (" 8 ", 8)])
    def test_openmp_variable(self, monkeypatch, value, n):
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert get_n_threads() == n

    @pytest.mark.parametrize("value", ["", "0", "-3", "many", "1.5"])
    def test_openmp_variable_without_a_number_is_ignored(self, monkeypatch, value):
        default = get_n_threads()
        monkeypatch.setenv("OMP_NUM_THREADS", value)
        assert get_n_threads() == default

    def test_negative_numbers_count_back(self):
        processors = get_n_threads(-1)
        assert processors == get_n_threads() >= 1
        assert get_n_threads(-2) == max(1, processors - 1)
        assert get_n_threads(-(10**6)) == 1

    def test_zero_is_refused(self):
        with pytest.raises(ValueError):
            get_n_threads(0)
        with pytest.raises(ValueError), combpred.config_context(n_threads=0):
            pass

    def test_contexts_nest_and_end(self):
        default = get_n_threads()
        with combpred.config_context(n_threads=3):
            with combpred.config_context(n_threads=None):
                assert get_n_threads() == 3
            with contextlib.suppress(KeyError), combpred.config_context(n_threads=2):
                raise KeyError
            assert get_n_threads() == 3
        assert get_n_threads() == default

    @pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no processor affinity")
    def test_affinity_counts(self):
        allowed = os.sched_getaffinity(0)
        try:
            os.sched_setaffinity(0, {min(allowed)})
            assert get_n_threads() == 1
        finally:
            os.sched_setaffinity(0, allowed)


class TestProgress:
    def test_callback_sees_the_last_step(self):
        running, seen = abi.Control(), []
        with control.reported(running, "test", progress=lambda step, value: seen.append((step, value))):
            running.step, running.value = 5, 0.25
        assert seen[-1] == (5, 0.25)

    def test_lines_on_standard_error(self, capsys, monkeypatch, no_hang):
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        monkeypatch.setattr(control, "_FIRST_SECONDS", 0.02)
        monkeypatch.setattr(control, "_LINE_SECONDS", 0.02)
        running = abi.Control(step=12, value=0.5)
        with control.reported(running, "training", verbose=1):
            said = ""
            while said.count("\n") < 2:
                time.sleep(0.01)
                said += capsys.readouterr().err
        lines = said.splitlines()
        assert lines[0].startswith("[training] ")
        assert lines[0].endswith("step 12, value 0.5")

    @pytest.mark.parametrize("total", [30, None])
    def test_bars_of_tqdm_know_the_total_and_end_at_the_last_step(self, capsys, monkeypatch, total):
        tqdm = pytest.importorskip("tqdm.auto").tqdm
        bars = []

        def bar(**given):
            bars.append(tqdm(**given))
            return bars[-1]

        monkeypatch.setattr("tqdm.auto.tqdm", bar)
        monkeypatch.setattr(control, "_FIRST_SECONDS", 0.0)
        running = abi.Control(step=12, value=0.5)
        with control.reported(running, "training", verbose=1, total=total):
            while not bars:
                time.sleep(0.01)
            running.step = 30
        assert [(each.total, each.n) for each in bars] == [(total, 30)]
        said = capsys.readouterr().err
        assert "value 0.5" in said and ("30/30" in said) == (total is not None)

    @pytest.mark.parametrize("seconds", [0.0, 1e9])
    def test_lines_of_steps_stand_above_a_bar_where_there_is_one(self, capsys, monkeypatch, seconds):
        tqdm = pytest.importorskip("tqdm.auto").tqdm
        bars = []

        class Bar(tqdm):
            def __init__(self, **given):
                super().__init__(**given)
                bars.append(self)

        monkeypatch.setattr("tqdm.auto.tqdm", Bar)
        monkeypatch.setattr(control, "_FIRST_SECONDS", seconds)
        with control.Steps("training", 3, verbose=1) as steps:
            for number in range(2):
                steps.tell(f"pass {number}")
                steps.advance()
        assert [(bar.total, bar.n, bar.disable) for bar in bars] == ([] if seconds else [(3, 2, True)])  # and closed
        said = capsys.readouterr().err
        assert "[training] pass 0\n" in said and "[training] pass 1\n" in said
        assert ("1/3" in said) == (not seconds)

    def test_steps_without_tqdm_are_lines_and_quiet_ones_nothing(self, capsys, monkeypatch):
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        monkeypatch.setattr(control, "_FIRST_SECONDS", 0.0)
        for verbose in (0, 1):
            with control.Steps("training", 3, verbose=verbose) as steps:
                steps.advance(2)
                steps.tell("done")
            assert steps.done == 2
        assert capsys.readouterr().err == "[training] done\n"

    @pytest.mark.parametrize(
        ("total", "run"),
        [
            (7, lambda P, scores, more: sampling.sample(P, scores, 3, sampler="local", random_state=0, **more)),
            (7, lambda P, scores, more: sampling.sample(P, scores, 3, sampler="meta", random_state=0, **more)),
            (21, lambda P, scores, more: sampling.search(P, scores, n_runs=3, n_steps=50, random_state=0, **more)),
            (9, lambda P, scores, more: kernels.extension_kernel(P.sample(9, random_state=0), **more)),
            (7, lambda P, scores, more: ranking.OnlineLabelRanker(max_iter=1, **more).fit(scores, P.decode(scores))),
        ],
        ids=["local", "meta", "search", "kernel", "online"],
    )
    def test_totals_are_what_is_counted_in_the_end(self, monkeypatch, total, run):
        ended, real = [], control.reported

        @contextlib.contextmanager
        def watched(running, **given):
            with real(running, **given):
                yield
            if given.get("verbose"):
                ended.append((given["total"], running.step))

        monkeypatch.setattr("combpred._lib.call.reported", watched)
        scores = np.random.default_rng(0).normal(size=(7, 6))
        run(structures.Permutations(4), scores, {"verbose": 1})
        assert ended == [(total, total)]

    def test_short_calls_and_quiet_ones_say_nothing(self, capsys):
        with control.reported(abi.Control(), "test", verbose=1):
            pass
        with control.reported(abi.Control(), "test", verbose=0):
            pass
        assert capsys.readouterr().err == ""
