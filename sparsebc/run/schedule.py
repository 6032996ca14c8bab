"""Which tasks an executor has, whose results are taken next, and what is handed in again.

A task is left, out, early or taken. All that are out or early are the *flight*, a run of
consecutive tasks whose first is the *head*.

    left      not handed in yet: the window is full, or too many results are early
    out       handed in
    early     its result is here before that of the head
    taken     in the order of the tasks; or as they end, where no order is asked for

A worker that dies loses the tasks that it had: they are handed in again. So is a task that met a
process without the files of the run, which then gets them along with it. Tasks are pure functions:
the bits are the same.
"""

from __future__ import annotations

import logging
import queue
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from typing import Any, NamedTuple

from ..threads import POLL_SECONDS
from . import foreseen, remote
from .crew import Crew

logger = logging.getLogger("sparsebc")

# Seconds between two looks at how many workers there are, for they come and go, and at dead ones.
LOOK_SECONDS = 5.0
# Tasks of the flight for each worker, and those of them that may be out.
FLIGHT, WINDOW = 10, 2


class Limits(NamedTuple):
    """What a flight may take."""

    in_memory: int  # results that the driver has room for
    retries: int  # losses of one task


class _Entry:
    """A task of the flight."""

    def __init__(self, task: remote.Task) -> None:
        self.task = task
        self.future: Future[Any] | None = None  # of the task that is out
        self.losses = 0
        self.lacks = remote.Absent(False, False)  # of the files, some process that it came to
        self.results: list[Any] | None = None  # of the task that is early


class Schedule:
    """The tasks of a job on the crew that computes them."""

    def __init__(
        self,
        crew: Crew,
        tasks: Sequence[remote.Task],
        limits: Limits,
        goods: Callable[[], remote.Goods],
        *,
        ordered: bool = True,
    ) -> None:
        self._crew, self._limits, self._goods = crew, limits, goods
        self._ordered = ordered
        self._left = deque(tasks)
        self._flight: deque[_Entry] = deque()
        self._ended: queue.SimpleQueue[tuple[_Entry, Future[Any]]] = queue.SimpleQueue()
        self._workers = crew.workers
        self._looked = time.monotonic()

    def results(self) -> Iterator[tuple[remote.Task, list[Any]]]:
        """The tasks and what they came to, in their order, or as they end."""
        try:
            while self._left or self._flight:
                self._fill()
                self._hear()
                for entry in self._takeable():
                    yield entry.task, entry.results or []
        finally:
            for entry in self._flight:
                if entry.future is not None:
                    entry.future.cancel()

    @property
    def window(self) -> int:
        """Tasks that may be out."""
        return max(1, min(WINDOW * self._workers, self._limits.in_memory))

    def _fill(self) -> None:
        """Hand in what there is room for."""
        most = max(1, min(FLIGHT * self._workers, self._limits.in_memory))
        out = sum(entry.results is None for entry in self._flight)
        for _ in range(min(len(self._left), most - len(self._flight), self.window - out)):
            self._flight.append(_Entry(self._left.popleft()))
            self._hand_in(self._flight[-1])

    def _takeable(self) -> Iterator[_Entry]:
        """Take out of the flight what is not waited for any more."""
        if self._ordered:
            while self._flight and self._flight[0].results is not None:
                yield self._flight.popleft()
            return
        for entry in [entry for entry in self._flight if entry.results is not None]:
            self._flight.remove(entry)
            yield entry

    def _hand_in(self, entry: _Entry) -> None:
        task = entry.task
        goods: list[Any] = []
        if any(entry.lacks):
            kinds = zip((task.job, task.directory), self._goods(), entry.lacks, strict=True)
            goods = [self._crew.share(file, it) if lacks else None for file, it, lacks in kinds]
        entry.future = self._crew.submit(remote.perform, task, *goods)
        ended = self._ended  # alone: what the executor keeps must not keep the graph
        entry.future.add_done_callback(lambda future: ended.put((entry, future)))

    def _hear(self) -> None:
        """Wait for the end of a task, for a moment."""
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._crew.bury()
            self._workers, self._looked = self._crew.workers, now
        try:
            entry, future = self._ended.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return
        if entry.future is not future:
            return  # its executor broke, and it was handed in again
        error = CancelledError() if future.cancelled() else future.exception()
        if error is not None:
            self._lost(entry, error)
            return
        found, entry.future = future.result(), None
        if isinstance(found, remote.Absent):
            entry.lacks = remote.Absent(
                *(was or now for was, now in zip(entry.lacks, found, strict=True))
            )
            self._hand_in(entry)
            return
        if not isinstance(found, list) or len(found) != len(entry.task.blocks):
            raise TypeError(
                f"executor gave {found!r:.60} as the result of a task, which is a list of "
                f"{len(entry.task.blocks)}: its submit(function, *arguments) must return a future "
                "of what the function returns"
            )
        entry.results = found

    def _lost(self, entry: _Entry, error: BaseException) -> None:
        """Hand in again what was lost with a worker; raise what the task itself raised."""
        if not is_loss(error):
            foreseen.mark(error, isinstance(error, ImportError))  # on the way there or back
            raise error
        self._crew.unshare()  # what was shared may be lost, too
        if not isinstance(error, BrokenExecutor):
            self._count_loss(entry, error)
            logger.info("a task was lost with its worker, and is handed in again")
            self._hand_in(entry)
            return
        if not self._crew.is_factory:
            error.add_note(
                "The executor broke, and is not sparsebc's to build again: give a function "
                "that makes it, as executor=lambda: ProcessPoolExecutor(4), and lost blocks "
                "are computed again."
            )
            raise error.with_traceback(None)  # where a pool refused a task says nothing
        self._count_loss(self._flight[0], error)
        self._crew.close()
        again = [one for one in self._flight if one.results is None]
        logger.info("the executor broke: %d tasks are handed in again", len(again))
        for one in again:
            self._hand_in(one)

    def _count_loss(self, entry: _Entry, error: BaseException) -> None:
        entry.losses += 1
        if entry.losses > self._limits.retries:
            error.add_note(
                f"The same blocks were lost {entry.losses} times, with "
                f"retries={self._limits.retries}."
            )
            raise error.with_traceback(None)


def is_loss(error: BaseException) -> bool:
    """Whether a task failed because its worker did."""
    of_dask = ("KilledWorker", "FutureCancelledError")
    return isinstance(error, (BrokenExecutor, CancelledError)) or type(error).__name__ in of_dask
