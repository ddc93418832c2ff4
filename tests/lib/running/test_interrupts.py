"""Ctrl-C stops running calls, and only those."""

from __future__ import annotations

import functools
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
    def test_an_interrupt_while_the_watch_begins_leaves_none_installed(self, monkeypatch, no_hang):
        def interrupted(thread):
            raise KeyboardInterrupt

        before = signal.set_wakeup_fd(-1)
        monkeypatch.setattr(control, "_watcher", functools.cache(control._Watcher))  # as in a new process
        try:
            with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
                patched.setattr(threading.Thread, "start", interrupted)
                control.interruptible(abi.Control()).__enter__()
            assert signal.set_wakeup_fd(-1) == -1
            with control.interruptible(abi.Control()):  # the next call is watched
                assert signal.set_wakeup_fd(-1) == control._watcher().write
        finally:
            signal.set_wakeup_fd(before)

    @POSIX
    def test_an_interrupt_at_the_end_of_a_call_cancels_no_other(self, no_hang):
        """The thread may read it only when the next call runs."""
        before = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            for _ in range(200):
                first, second = abi.Control(), abi.Control()
                with control.interruptible(first):
                    signal.raise_signal(signal.SIGINT)
                with control.interruptible(second):
                    while first.cancel == 0:  # the thread may have read it, and not come to this yet
                        time.sleep(1e-4)
                assert second.cancel == 0
        finally:
            signal.signal(signal.SIGINT, before)

    @POSIX
    def test_an_interrupt_before_a_call_does_not_cancel_it(self, no_hang):
        """A call that is left by the interrupt itself, in clearing up, leaves it to be read by the next."""
        for _ in range(200):
            os.write(control._watcher().write, bytes([signal.SIGINT]))
            later = abi.Control()
            with control.interruptible(later):
                time.sleep(1e-3)
            assert later.cancel == 0

    @POSIX
    def test_calls_within_calls_are_cancelled_together(self):
        before = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            outer, inner = abi.Control(), abi.Control()
            with control.interruptible(outer):
                with control.interruptible(inner):
                    pass
                with control.interruptible(inner):
                    signal.raise_signal(signal.SIGINT)
            assert (outer.cancel, inner.cancel) == (1, 1)
        finally:
            signal.signal(signal.SIGINT, before)

    @POSIX
    def test_descriptors_do_not_leak(self):
        folder = "/dev/fd"
        if not os.path.isdir(folder):
            pytest.skip("the system does not list open descriptors")
        control._watcher()  # keeps two
        before = len(os.listdir(folder)), threading.active_count()
        for _ in range(20):
            with control.interruptible(abi.Control()):
                pass
        assert (len(os.listdir(folder)), threading.active_count()) == before

    def test_outside_the_main_thread_nothing_is_installed(self):
        active = []

        def work():
            with control.interruptible(abi.Control()):
                active.append(control._watcher().running)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert active == [None]

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
