"""Executors of threads that count their tasks; one keeps the first back until all wait for it."""

import glob
import threading
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest

from sparsebc.run import remote, schedule


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
        self.heard, self.most, self.files = 0, 0, 0  # tasks taken in, out at most, on the disk
        self.before_the_first = None  # tasks that were handed in by then
        self._wait_for_it = threading.Event()

    def submit(self, work, *task):
        self.files = max(self.files, len(glob.glob(f"{task[0].job}.*")))
        future = super().submit(work if self.submitted else self._late, *task)
        self.most = max(self.most, self.submitted - self.heard)
        return future

    def _late(self, *task):
        assert self._wait_for_it.wait(timeout=60), "the others wait for the first"
        self.before_the_first = self.submitted
        return remote.perform(*task)

    def look(self):
        """Let the first task end, if there is no other that could."""
        if self.heard == self.submitted - 1:
            self._wait_for_it.set()


@pytest.fixture
def late(monkeypatch):
    """One that hears what the schedule does: it looks for the next copy when it can do no more."""
    executor = Late()

    class Hears(schedule.Clock):
        def next(self, ended, seconds):
            executor.look()
            copy = super().next(ended, seconds)
            executor.heard += copy is not None
            return copy

    monkeypatch.setattr(schedule, "Clock", Hears)
    return executor
