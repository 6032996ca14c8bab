"""Executors of the tests: pools that die, threads that count tasks, and scripted results."""

import multiprocessing
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

import pytest

from sparsebc.sweep import executor_worker as pool

METHOD = "spawn" if sys.platform == "win32" else "forkserver"
posix = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL between processes")


def processes(workers=2, **options):
    """A pool of processes, forked from an interpreter with the imports if the system can fork."""
    context = multiprocessing.get_context(METHOD)
    context.set_forkserver_preload(["sparsebc.engines.cpu.engine"])
    return ProcessPoolExecutor(workers, mp_context=context, **options)


def loky(workers=2, **options):
    return pytest.importorskip("loky").ProcessPoolExecutor(workers, **options)


class Factory:
    """Factory of pools; `kill` kills the processes of the first ``times`` pools, each once."""

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
        """Assert that ``count`` pools were made, and that the last is shut down."""
        assert len(self.made) == count
        with pytest.raises(RuntimeError, match="shutdown"):
            self.made[-1].submit(abs, 1)


class Breaking(ThreadPoolExecutor):
    """Pool of threads that breaks at its first task."""

    def submit(self, work, *task):
        raise BrokenExecutor("A worker died.")


def fragile():
    """Factory of pools of threads, of which the first breaks at its first task."""
    return Factory(lambda: Breaking(2), lambda: ThreadPoolExecutor(2))


def speaking():
    """Initializer of a process that dies in the middle of sending a result."""
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        frame = frame.f_back
    os.write(frame.f_locals["result_queue"]._writer.fileno(), b"\0\0\1\0half")  # of 256 bytes
    os.kill(os.getpid(), signal.SIGKILL)


class Counted(Executor):
    """Two threads, with the number of tasks submitted."""

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
    """Executor whose first task ends once it is the only one pending, and no more are submitted."""

    def __init__(self):
        super().__init__()
        self.out, self.most = 0, 0  # pending tasks, and their maximum
        self.before_the_first = None  # number of tasks submitted when the first ended

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
        return pool.perform(*task)


HELD = "held"


class Scripted(Executor):
    """Executor that runs each task at once, unless ``fate`` of its number and copy is not None.

    An exception is the task's, `HELD` never ends, and a list has the result.
    """

    def __init__(self, fate=lambda number, copy: None, workers=2):
        self.fate, self._max_workers = fate, workers
        self.copies, self.order, self.held = {}, {}, []
        self.times_shut_down = 0

    def make(self):
        return self

    def submit(self, work, job, graph, blocks):
        number = self.order.setdefault(blocks[0].first, len(self.order))
        copy = self.copies[number] = self.copies.get(number, -1) + 1
        future, fate = Future(), self.fate(number, copy)
        if fate is HELD:
            self.held.append(future)
        elif isinstance(fate, BaseException):
            future.set_exception(fate)
        else:
            future.set_result(work(job, graph, blocks) if fate is None else fate[0])
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.times_shut_down += 1


def blind():
    """Hide the files of a run from this process, as on another host."""
    pool.sees = lambda path: False
