"""Tasks of an executor: they are submitted ahead, and again if the worker that had one was lost.

The calling process writes graph and job to a run directory, or Dask sends them. A task is a few
consecutive blocks. A *window* of consecutive tasks is submitted, and results are taken in the order
of the tasks. A task is resubmitted up to ``retries`` times, and the executor made again if it
broke. Tasks are pure functions, so that resubmission changes no bits.
"""

from __future__ import annotations

import itertools
import logging
import os
import queue
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..errors import InputTypeError, is_loss
from ..process import POLL_SECONDS, free_memory
from .executor import CallExecutor
from .executor_worker import Job, cached_read, dismiss, perform
from .options import Run

# Tasks of the window per worker, and those of them without results.
WINDOW, OUT = 10, 2
# Seconds between two counts of the workers, which come and go, and checks for dead ones.
LOOK_SECONDS = 5.0

logger = logging.getLogger("sparsebc")


def from_executor(
    executor: CallExecutor, blocks: Sequence[Any], job: Job, graph: Any, each: int, run: Run
) -> Iterator[Any]:
    """Results of ``each`` bytes of the blocks in their order; early exits stop the workers."""
    size = run.threads  # blocks of a task
    directory = executor.directory_of(graph)
    file, complete = directory.add(job), False
    try:
        payload = {file: job, directory.graph_file: graph}
        room = run.memory_budget or free_memory() * 4 // 5  # of the calling process, for results
        window = _Window(executor, payload, int(room // max(size * each, 1)), run.retries)
        logger.info(
            "an executor of %d workers, %d blocks in tasks of %d, a window of %d, the graph in %s",
            *(executor.workers, len(blocks), size, window.size, directory.graph_file),
        )
        starts = range(0, len(blocks), size)
        for results in window.results(blocks[first : first + size] for first in starts):
            yield from results
        complete = True
    finally:
        with suppress(OSError):  # it may have vanished
            os.remove(file)
        dismiss(file)
        cached_read.cache_clear()  # which unmaps the files
        executor.unshare(file)
        if not complete:
            executor.shut_down()


@dataclass(eq=False)
class _Entry:
    """A task of the window, with its results once it has ended."""

    blocks: Sequence[Any]
    future: Future[Any] | None = None
    results: list[Any] | None = None
    losses: int = 0


class _Window:
    """Submitted tasks whose results are not yet taken, in their order.

    The ``payload`` has job and graph, by file.
    """

    def __init__(
        self, executor: CallExecutor, payload: dict[str, Any], most: int, retries: int
    ) -> None:
        self._executor, self._payload = executor, payload
        self._most, self._retries = most, retries
        self._entries: deque[_Entry] = deque()
        self._ended: queue.SimpleQueue[tuple[_Entry, Future[Any]]] = queue.SimpleQueue()
        self._workers, self._looked = executor.workers, time.monotonic()

    @property
    def size(self) -> int:
        """Most tasks in the window."""
        return max(1, min(WINDOW * self._workers, self._most))

    def results(self, cut: Iterable[Sequence[Any]]) -> Iterator[list[Any]]:
        """Results of the tasks in their order, each of some consecutive blocks."""
        entries, left = self._entries, iter(cut)
        try:
            while True:
                out = sum(entry.results is None for entry in entries)
                room = min(self.size - len(entries), OUT * self._workers - out)
                for blocks in itertools.islice(left, max(room, 0)):
                    entries.append(_Entry(blocks))
                    self._submit(entries[-1])
                if not entries:
                    return
                self._await_one()
                while entries and entries[0].results is not None:
                    yield entries.popleft().results or []
        finally:
            for entry in entries:
                if entry.future is not None:
                    entry.future.cancel()

    def _submit(self, entry: _Entry) -> None:
        sent = self._executor.shared(self._payload)
        entry.future = self._executor.submit(perform, *self._payload, entry.blocks, *sent)
        ended = self._ended  # not self: futures that an executor keeps must not keep the graph
        entry.future.add_done_callback(lambda future: ended.put((entry, future)))

    def _await_one(self) -> None:
        """Wait for the end of a task, `POLL_SECONDS` at most, and handle it."""
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._executor.break_if_a_process_died()
            self._workers, self._looked = self._executor.workers, now
        try:
            entry, future = self._ended.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return
        if entry.future is not future:
            return  # of an executor that broke: the task was resubmitted
        error = CancelledError() if future.cancelled() else future.exception()
        if error is not None:
            self._resubmit(entry, error)
            return
        result, entry.future = future.result(), None
        if isinstance(result, list) and len(result) == len(entry.blocks):
            entry.results = result
        else:
            raise InputTypeError(
                f"executor gave {result!r:.60} as the result of a task, which is a list of "
                f"{len(entry.blocks)}: its submit(function, *arguments) must return a future "
                "of what the function returns"
            )

    def _resubmit(self, entry: _Entry, error: BaseException) -> None:
        """Resubmit tasks that a worker lost; raise an error of the task itself."""
        if not is_loss(error):
            raise error
        lost = [entry]
        if isinstance(error, BrokenExecutor):  # all its tasks are lost
            if not self._executor.is_factory:
                error.add_note(
                    "The executor broke, and sparsebc cannot make it again: give a function that "
                    "makes it, as executor=lambda: ProcessPoolExecutor(4), and lost blocks are "
                    "computed again."
                )
                raise error.with_traceback(None)  # the pool's own traceback says nothing
            self._executor.shut_down()
            lost = [other for other in self._entries if other.results is None]
        self._executor.unshare()
        lost[0].losses += 1
        if lost[0].losses > self._retries:
            error.add_note(
                f"The same blocks were lost {lost[0].losses} times, with retries={self._retries}."
            )
            vars(error)["option"] = "retries"  # as `errors.SparsebcError`
            raise error.with_traceback(None)
        logger.info("a worker was lost: %d tasks are submitted again", len(lost))
        for other in lost:
            self._submit(other)
