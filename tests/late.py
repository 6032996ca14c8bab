"""Executors of threads that count their tasks; one keeps the first back until all wait for it."""

import time
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest

from sparsebc.run import tasks


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


@pytest.fixture
def late():
    return Late()
