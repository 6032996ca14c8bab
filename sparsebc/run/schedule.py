"""Which tasks an executor has, whose results are taken next, and what is handed in again.

A task goes through these states; all but the first and the last are in the *flight*, a run of
consecutive tasks whose first is the *head*.

    left      not handed in yet: the window is full, or too many results are early
    out       handed in; several copies of it where one was late
    early     its result is here before that of the head: in memory, or spilled to a file
    taken     in the order of the tasks; or as they end, where no order is asked for, and none is
              early for long

A worker that dies loses the tasks that it had: they go from out to out, and so does a task that
met a process without the files of the run, which then gets them along with it. A head that is late
gets another copy, and so do others where workers are idle; the first answer wins. Tasks are pure
functions: the bits are the same.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import suppress
from typing import Any, NamedTuple

from ..threads import POLL_SECONDS
from . import remote
from .crew import Crew

logger = logging.getLogger("sparsebc")

# A task is late once it has been out for so many times what others took, their wait included.
LATE = 2.0
# Tasks that tell what tasks took of late.
OF_LATE = 101
# Seconds between two looks at what is late, and at how many workers there are: they come and go.
LOOK_SECONDS = 5.0
# Early results for each worker, in memory and on the disk.
AHEAD = 8


class Limits(NamedTuple):
    """What a flight may take."""

    in_memory: int  # results that the driver has room for
    retries: int  # losses of one task, and copies of it because it is late


class Clock:
    """Time, and what happens in it."""

    def now(self) -> float:
        """Seconds from some moment on."""
        return time.monotonic()

    def next(self, ended: queue.SimpleQueue[Any], seconds: float) -> Any:
        """The next copy that ends, None if none does in so many seconds."""
        try:
            return ended.get(timeout=seconds)
        except queue.Empty:
            return None


class _Entry:
    """A task of the flight."""

    def __init__(self, task: remote.Task) -> None:
        self.task = task
        self.copies: list[Future[Any]] = []  # that are out
        self.since = 0.0  # when the last of them was handed in
        self.losses = 0
        self.extra = 0  # copies that were handed in because it was late
        self.lacks = remote.Absent(False, False)  # of the files, some process that it came to
        self.result: Any = None
        self.file: str | None = None  # that the result was spilled to

    @property
    def early(self) -> bool:
        """Whether its result is here."""
        return self.result is not None or self.file is not None


class Schedule:
    """The tasks of a job on the crew that computes them."""

    def __init__(
        self,
        crew: Crew,
        tasks: Sequence[remote.Task],
        limits: Limits,
        goods: Callable[[], remote.Goods],
        clock: Clock | None = None,
        *,
        ordered: bool = True,
    ) -> None:
        self._crew, self._limits, self._goods = crew, limits, goods
        self._ordered = ordered
        self._clock = clock or Clock()
        self._left = deque(tasks)
        self._flight: deque[_Entry] = deque()
        self._ended: queue.SimpleQueue[tuple[_Entry, Future[Any]]] = queue.SimpleQueue()
        self._out = 0
        self._held: dict[_Entry, None] = {}  # early in memory, by when they came
        self._may_spill = True
        self._took: deque[float] = deque(maxlen=OF_LATE)
        self._workers = crew.workers
        self._looked = self._clock.now()

    def results(self) -> Iterator[tuple[remote.Task, Any]]:
        """The tasks and what they came to, in their order, or as they end."""
        try:
            while self._fill():
                head = self._flight[0]
                if head.early:
                    self._flight.popleft()
                    yield head.task, self._taken(head)
                    continue
                ended = self._clock.next(self._ended, POLL_SECONDS)
                if ended is not None:
                    self._hear(*ended)
                self._look_around()
        finally:
            for entry in self._flight:
                self._drop(entry)
                if entry.file is not None:
                    os.remove(entry.file)

    @property
    def window(self) -> int:
        """Tasks that may be out."""
        return max(1, min(2 * self._workers, self._limits.in_memory))

    def _fill(self) -> bool:
        """Hand in what there is room for; whether there is a flight."""
        while self._left and self._has_room():
            entry = _Entry(self._left.popleft())
            self._flight.append(entry)
            self._out += 1
            self._hand_in(entry)
        return bool(self._flight)

    def _has_room(self) -> bool:
        """Whether one more task may be out; its result must find a place in memory."""
        if self._out >= self.window or len(self._flight) >= self.window + AHEAD * self._workers:
            return False
        return self._out + len(self._held) < max(1, self._limits.in_memory) or self._spill()

    def _hand_in(self, entry: _Entry) -> None:
        task = entry.task
        goods: list[Any] = []
        if any(entry.lacks):
            kinds = zip((task.job, task.directory), self._goods(), entry.lacks, strict=True)
            goods = [self._crew.share(file, it) if lacks else None for file, it, lacks in kinds]
        future = self._crew.submit(remote.perform, task, *goods)
        entry.copies.append(future)
        entry.since = self._clock.now()
        ended = self._ended  # alone: what the executor keeps must not keep the graph
        future.add_done_callback(lambda copy: ended.put((entry, copy)))

    def _hear(self, entry: _Entry, copy: Future[Any]) -> None:
        """A copy of a task has ended."""
        if copy not in entry.copies:
            return  # another was faster, or its executor broke
        entry.copies.remove(copy)
        error = CancelledError() if copy.cancelled() else copy.exception()
        if error is not None:
            self._lost(entry, error)
            return
        result = copy.result()
        if isinstance(result, remote.Absent):
            entry.lacks = remote.Absent(
                *(was or now for was, now in zip(entry.lacks, result, strict=True))
            )
            self._hand_in(entry)
            return
        self._took.append(self._clock.now() - entry.since)
        self._drop(entry)
        entry.result = result
        self._out -= 1
        self._held[entry] = None
        if not self._ordered:
            self._flight.remove(entry)
            self._flight.appendleft(entry)

    def _lost(self, entry: _Entry, error: BaseException) -> None:
        """Hand in again what was lost with a worker; raise what the task itself raised."""
        if not is_loss(error):
            raise error
        self._crew.unshare()  # what was shared may be lost, too
        if isinstance(error, BrokenExecutor):
            if not self._crew.is_factory:
                error.add_note(
                    "The executor broke, and is not sparsebc's to build again: give a function "
                    "that makes it, as executor=lambda: ProcessPoolExecutor(4), and lost blocks "
                    "are computed again."
                )
                raise error.with_traceback(None)  # where a pool refused a task says nothing
            self._count_loss(self._flight[0], error)
            self._crew.close()
            again = [one for one in self._flight if not one.early]
            logger.info("the executor broke: %d tasks are handed in again", len(again))
            for one in again:
                one.copies.clear()
                self._hand_in(one)
        elif not entry.copies:
            self._count_loss(entry, error)
            logger.info("a task was lost with its worker, and is handed in again")
            self._hand_in(entry)

    def _count_loss(self, entry: _Entry, error: BaseException) -> None:
        entry.losses += 1
        if entry.losses > self._limits.retries:
            error.add_note(
                f"The same blocks were lost {entry.losses} times, with "
                f"retries={self._limits.retries}."
            )
            raise error.with_traceback(None)

    def _look_around(self) -> None:
        """While the head is waited for: see who is there, and what is late."""
        now = self._clock.now()
        if now - self._looked < LOOK_SECONDS:
            return
        self._crew.bury()
        self._workers, self._looked = self._crew.workers, now
        if not self._took:
            return
        usual = statistics.median(self._took)
        idle = self._out < self._workers
        for entry in self._flight if idle else [self._flight[0]]:
            out = now - entry.since
            if entry.early or entry.extra >= self._limits.retries or out <= LATE * usual:
                continue
            entry.extra += 1
            told = "a task is out for %.0f s, others take %.1f s: it is handed in once more"
            logger.info(told, out, usual)
            self._hand_in(entry)

    def _spill(self) -> bool:
        """Put the last early result on the disk; whether there was one, and room for it."""
        entry = next(reversed(self._held), None)
        if entry is None or entry is self._flight[0] or not self._may_spill:
            return False
        file = f"{entry.task.job}.{id(entry)}"
        try:
            with open(file, "wb") as stream:
                pickle.dump(entry.result, stream, protocol=pickle.HIGHEST_PROTOCOL)
        except OSError as error:
            logger.warning("%s: %s; results wait in memory instead", file, error.strerror)
            self._may_spill = False
            with suppress(OSError):
                os.remove(file)
            return False
        entry.result, entry.file = None, file
        del self._held[entry]
        return True

    def _taken(self, entry: _Entry) -> Any:
        """The result of a task, which is forgotten."""
        if entry.file is None:
            del self._held[entry]
            result, entry.result = entry.result, None
            return result
        with open(entry.file, "rb") as stream:
            result = pickle.load(stream)
        os.remove(entry.file)
        return result

    def _drop(self, entry: _Entry) -> None:
        """Nobody waits for its copies any more."""
        for copy in entry.copies:
            copy.cancel()
        entry.copies.clear()


def is_loss(error: BaseException) -> bool:
    """Whether a task failed because its worker did."""
    of_dask = ("KilledWorker", "FutureCancelledError")
    return isinstance(error, (BrokenExecutor, CancelledError)) or type(error).__name__ in of_dask
