"""Ctrl-C stops running calls, and only those."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time

import pytest

import combpred
from combpred._lib import abi, control
from combpred._lib.call import get_n_threads
from combpred._lib.structure import Description, structure_count, structure_sample
from process_data import PERMUTATIONS, POSIX, problem, train


class TestInterrupt:
    """SIGINT during a long call. The call is the drawing of samples, which takes as long as one likes."""

    @staticmethod
    def endless():
        structure = Description("labelsets", {"n": 5000, "size": -1})
        for _ in range(10**6):
            structure_sample(structure, 50_000, 1)

    def test_a_call_that_polls_is_interrupted(self, ctrl_c):
        with ctrl_c(polled=True):
            self.endless()
        assert structure_count(PERMUTATIONS) == 120  # the next call works

    @pytest.mark.slow
    def test_training_is_interrupted_too(self, ctrl_c):
        kernel, psi = problem(2500)
        train(kernel[:50, :50], psi[:50])  # whatever is loaded at first use is loaded
        with ctrl_c(polled=True):
            while True:
                train(kernel, psi)
        assert train(kernel[:50, :50], psi[:50])[1].converged  # the next fit works

    @POSIX
    def test_other_readers_of_the_wakeup_descriptor_are_served(self, ctrl_c):
        receiver, sender = socket.socketpair()
        sender.setblocking(False)
        receiver.settimeout(5)
        with receiver, sender:
            before = signal.set_wakeup_fd(sender.fileno())
            try:
                with ctrl_c(polled=True):
                    self.endless()
                assert set(receiver.recv(64)) == {signal.SIGINT}
                assert signal.set_wakeup_fd(sender.fileno()) == sender.fileno()  # still installed
            finally:
                signal.set_wakeup_fd(before)

    @POSIX
    def test_other_signals_do_not_cancel(self):
        seen = []
        before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
        try:
            running = abi.Control()
            with control.interruptible(running):
                os.kill(os.getpid(), signal.SIGUSR1)
                time.sleep(0.1)
            assert (seen, running.cancel) == ([1], 0)
        finally:
            signal.signal(signal.SIGUSR1, before)

    @POSIX
    def test_ignored_interrupts_stay_ignored(self):
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            running = abi.Control()
            with control.interruptible(running):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.1)
            assert running.cancel == 0
        finally:
            signal.signal(signal.SIGINT, before)

    @POSIX
    def test_an_interrupt_while_the_watch_begins_leaves_no_thread(self, monkeypatch, no_hang):
        start, threads = threading.Thread.start, []

        def interrupted(thread):
            threads.append(thread)
            start(thread)
            raise KeyboardInterrupt

        before = signal.set_wakeup_fd(-1)
        try:
            with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
                patched.setattr(threading.Thread, "start", interrupted)
                control.interruptible(abi.Control()).__enter__()
            threads[0].join()
            assert signal.set_wakeup_fd(-1) == -1
        finally:
            signal.set_wakeup_fd(before)

    @POSIX
    def test_descriptors_do_not_leak(self):
        folder = "/dev/fd"
        if not os.path.isdir(folder):
            pytest.skip("the system does not list open descriptors")
        before = len(os.listdir(folder))
        for _ in range(20):
            with control.interruptible(abi.Control()):
                pass
        assert len(os.listdir(folder)) == before

    def test_outside_the_main_thread_nothing_is_installed(self):
        active = []

        def work():
            with control.interruptible(abi.Control()) as watch:
                active.append(watch._active)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert active == [False]

    @POSIX
    def test_helper_thread_form_cancels_and_waits(self, ctrl_c):
        running, ended = abi.Control(), []

        def poll():
            while running.cancel == 0:
                time.sleep(0.01)
            ended.append(True)

        def cancel(done):
            running.cancel = 1
            done.wait()

        with ctrl_c():
            control._in_thread(poll, cancel)
        assert ended == [True]

    @POSIX
    def test_abandonable_call_is_left_while_it_runs(self, ctrl_c):
        release = threading.Event()
        with ctrl_c():
            control.call_abandonable(release.wait)
        release.set()

    def test_abandonable_call_returns_and_raises(self):
        assert control.call_abandonable(divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            control.call_abandonable(divmod, 7, 0)
        with combpred.config_context(n_threads=3):
            assert control.call_abandonable(get_n_threads) == 3  # the caller's context holds inside
