"""Executors of the tests: pools that die, threads that count tasks, and answers by a script."""

import contextlib
import multiprocessing.forkserver
import os
import signal
import sys
import time
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from pathlib import Path

import pytest

from sparsebc.graph import graph
from sparsebc.run import tasks

METHOD = "spawn" if sys.platform == "win32" else "forkserver"
posix = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL between processes")


def processes(workers=2, **options):
    """A pool of forks of an interpreter, where a system has them."""
    context = multiprocessing.get_context(METHOD)
    with contextlib.chdir(Path(__file__).parent):
        context.set_forkserver_preload(["imported"])
        if METHOD == "forkserver":
            multiprocessing.forkserver.ensure_running()
    return ProcessPoolExecutor(workers, mp_context=context, **options)


def loky(workers=2, **options):
    return pytest.importorskip("loky").ProcessPoolExecutor(workers, **options)


class Factory:
    """Makes pools; `kill` kills the processes of so many of them, each once."""

    def __init__(self, *makes):
        self._makes, self.made = list(makes) or [processes], []

    def __call__(self):
        make = self._makes[min(len(self.made), len(self._makes) - 1)]
        self.made.append(make())
        return self.made[-1]

    def kill(self, times=1):
        killed = []

        def progress(done, total):
            pool = self.made[-1]
            if len(killed) < times and pool not in killed:
                killed.append(pool)
                for process in list(pool._processes):
                    os.kill(process, signal.SIGKILL)

        return progress

    def assert_over(self, count):
        """So many pools were made, and the last is shut down."""
        assert len(self.made) == count
        with pytest.raises(RuntimeError, match="shutdown"):
            self.made[-1].submit(abs, 1)


class Breaking(ThreadPoolExecutor):
    """Threads that die at the first task."""

    def submit(self, work, *task):
        raise BrokenExecutor("A worker died.")


def fragile():
    """A function that makes pools of threads, of which the first breaks at its first task."""
    return Factory(lambda: Breaking(2), lambda: ThreadPoolExecutor(2))


def speaking():
    """What a process runs first to die in the midst of a result, where the pool reads it."""
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        frame = frame.f_back
    os.write(frame.f_locals["result_queue"]._writer.fileno(), b"\0\0\1\0half")  # of 256 bytes
    os.kill(os.getpid(), signal.SIGKILL)


class Counted(Executor):
    """Two threads, and how many tasks came to them."""

    def __init__(self):
        self._max_workers = 2
        self._threads = ThreadPoolExecutor(2)
        self.submitted = 0

    def submit(self, work, *task):
        self.submitted += 1
        return self._threads.submit(work, *task)

    def shutdown(self, wait=True, *, cancel_futures=False):
        raise AssertionError("not sparsebc's to shut down")


class Late(Counted):
    """The first task ends when nothing is out but it, and nothing more is handed in."""

    def __init__(self):
        super().__init__()
        self.out, self.most = 0, 0  # tasks that have not ended, and at most
        self.before_the_first = None  # tasks that were handed in when it ended

    def submit(self, work, *task):
        future = super().submit(work if self.submitted else self._late, *task)
        self.out += 1
        self.most = max(self.most, self.out)
        future.add_done_callback(self._ended)
        return future

    def _ended(self, _):
        self.out -= 1

    def _late(self, *task):
        before, begun = -1, time.monotonic()
        while self.out > 1 or self.submitted > before:
            assert time.monotonic() - begun < 60, "the others wait for the first"
            before = self.submitted
            time.sleep(0.5)
        self.before_the_first = self.submitted
        return tasks.perform(*task)


HELD = "held"


class Scripted(Executor):
    """Runs each task at once, unless it has a ``fate``, by its number and that of the copy.

    An exception is raised, `HELD` never ends, and a list has the result.
    """

    def __init__(self, fate=lambda number, copy: None, workers=2):
        self.fate, self._max_workers = fate, workers
        self.copies, self.order, self.held = {}, {}, []
        self.times_shut_down = 0

    def make(self):
        return self

    def submit(self, work, task, *payload):
        number = self.order.setdefault(task.blocks[0].first, len(self.order))
        copy = self.copies[number] = self.copies.get(number, -1) + 1
        future, fate = Future(), self.fate(number, copy)
        if fate is HELD:
            self.held.append(future)
        elif isinstance(fate, BaseException):
            future.set_exception(fate)
        else:
            future.set_result(work(task, *payload) if fate is None else fate[0])
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.times_shut_down += 1


def counting():
    """Count the graphs that come to this process, from files or with a task."""
    tasks.unpickled = 0
    graph.Graph.__setstate__ = counted


def counted(self, state):
    """Be the graph of a pickle."""
    tasks.unpickled += 1
    self.__dict__.update(state)


def unpickled():
    """How many graphs came to this process, and how many pools of threads wait in it."""
    return tasks.unpickled, len(tasks._idle)


def blind():
    """Let this process see no file of a run, as one of another host, and count its graphs."""
    tasks.sees = lambda path: False
    counting()


def sighted():
    """Undo that."""
    tasks.sees = os.path.exists
    del graph.Graph.__setstate__
