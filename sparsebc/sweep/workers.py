"""Results of blocks in their order, from threads of this process or from an executor.

For an executor, the calling process writes graph and job to a run directory, or Dask sends them. A
task is a few consecutive blocks. A *window* of consecutive tasks is submitted, and results are
taken in the order of the tasks. A task is resubmitted if its worker died. Tasks are pure functions,
so that resubmission changes no bits.

A process of an executor reads graph and job once, and caches them and its workspaces until a task
of another job; the calling process drops them at the end of the call.
"""

from __future__ import annotations

import functools
import itertools
import logging
import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..engines.common.base import Engine
from ..errors import DeviceError, InputError, InputTypeError, is_loss
from ..foreign import on_host
from ..kernel_cache import compilation
from ..process import POLL_SECONDS, Threads, free_memory
from .executor import CallExecutor, read, sees
from .options import Run
from .plan import Kind, Need, team_of

logger = logging.getLogger("sparsebc")

# Held while files are read, so that a process maps a graph once.
_lock = threading.RLock()
_idle: dict[str, list[Pool]] = {}  # pools that no task uses, by job
_read = functools.lru_cache(maxsize=4)(read)


class Pool:
    """A thread and a workspace for each worker; an early exit stops them within one level.

    The memory plan sets the number of workers, ``most`` at most. A worker's workspace is
    ``workspace(member, graph, memory, stop)``: its engine, the graph, its share of the memory and
    the stop flag. CPU workers read a copy of the graph on the host.
    """

    def __init__(
        self,
        engine: Engine,
        graph: Any,
        workspace: Callable[[Any, Any, int, NDArray[np.uint8]], Any],
        *,
        need: Need,
        most: int,
        run: Run,
        heed: Callable[[], object] = lambda: None,
    ) -> None:
        self.team, memory = team_of(engine, need, most=most, run=run)
        if len(engine.devices) > 1:
            with engine.here():
                pass  # leaving the context waits for the kernels that made the graph
        self._graph, self._memory = graph if engine.devices else on_host(graph), memory
        self._workspace, self._stop = workspace, np.zeros(1, dtype=np.uint8)
        self._heed = heed  # called now and then during waits for a result; may raise
        self._on_device = bool(engine.devices)
        # One entry for each thread; its workspace is made with its first block.
        self._idle: list[tuple[Engine, Any]] = [(member, None) for member in reversed(self.team)]
        self._threads = Threads(max(len(self.team), 1))

    def close(self, *, early: bool = False, silent: bool = False) -> None:
        """Join the threads; ``early`` stops them within one level, ``silent`` does not log that."""
        if early:
            self._stop[0] = 1
            if compilation.depth and not silent:
                logger.warning("stopping once the kernel being compiled is ready: some seconds")
        self._threads.close()

    def in_order(self, work: Callable[[Any, Any], Any], blocks: Sequence[Any]) -> Iterator[Any]:
        """``work(state, block)`` of each block in order, at most two per worker in advance."""
        if len(blocks) == 1 and self._on_device:  # its launches are short: Ctrl-C acts in between
            yield self._run(work, next(iter(blocks)))
            return
        waiting: list[Callable[..., Any]] = []
        for block in blocks:
            waiting.append(self._threads.submit(self._run, work, block))
            if len(waiting) >= 2 * len(self.team):
                yield waiting.pop(0)(self._heed)
        while waiting:
            yield waiting.pop(0)(self._heed)

    def _run(self, work: Callable[[Any, Any], Any], block: Any) -> Any:
        member, state = self._idle.pop()
        try:
            with member.here():
                if state is None:
                    state = self._workspace(member, self._graph, self._memory, self._stop)
                return work(state, block)
        finally:
            self._idle.append((member, state))


class Job(NamedTuple):
    """Common part of the tasks of a sum, except for the graph."""

    device: str
    model: str  # of the GPU, which determines the last digits
    need: Need
    run: Run  # threads and memory of a process
    workspace: Callable[..., Any]  # (engine, graph, memory, stop) -> state
    work: Callable[..., Any]  # (state, block) -> result


def perform(job_file: str, graph_file: str, blocks: Sequence[Any], *sent: Any) -> list[Any]:
    """Results of the blocks in their order, on the host; ``sent`` has job and graph, if by Dask."""
    if sent:
        (job, graph), is_wanted = sent, _is_wanted_by_dask
    else:
        with _lock:
            job, graph = map(_content, (job_file, graph_file))
        is_wanted = functools.partial(sees, job_file)
    pool = _taken(job_file, job, graph, is_wanted)
    try:
        results = [devices.fetched(result) for result in pool.in_order(job.work, blocks)]
    except BaseException:
        pool.close(early=True, silent=True)
        if sent and not is_wanted():
            return []  # Dask logs what a cancelled task raises
        raise
    with _lock:
        _idle.setdefault(job_file, []).append(pool)
    if not is_wanted():
        _dismiss(job_file)
    return results


def _content(file: str) -> Any:
    """Content of a file of the payload."""
    with suppress(FileNotFoundError):
        if sees(file):
            return _read(file)
    raise _hidden(file)


def _hidden(file: str) -> InputError:
    """Error of a process that does not see a file; nobody reads it where the call is over."""
    return InputError(
        f"executor has a worker that does not see {file}, or not as a file of its own user: set "
        "TMPDIR of the calling process to a folder that all workers see, or take a Client of Dask, "
        "which sends the graph",
        "executor",
    )


def _is_wanted_by_dask() -> bool:
    """False if the Dask task that runs here is cancelled, which Dask itself does not stop."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return True
    try:
        worker = distributed.get_worker()
        state = worker.state.tasks.get(worker.get_current_task())
    except ValueError:  # not in a Dask worker
        return True
    return state is not None and state.state != "cancelled"


def _dismiss(*jobs: str) -> None:
    """Close the idle pools of some jobs in this process."""
    with _lock:
        pools = [pool for job in jobs for pool in _idle.pop(job, [])]
    for pool in pools:
        pool.close()


def _taken(name: str, job: Job, graph: Any, is_wanted: Callable[[], bool]) -> Pool:
    """An idle pool of a job, or a new one; pools of jobs that are over are closed."""
    with _lock:
        if _idle.get(name):
            return _idle[name].pop()
        over = [known for known in _idle if not sees(known)]
    _dismiss(*over)
    engine = devices.select(job.device)
    model = devices.model(engine.name)
    if model != job.model:
        raise DeviceError(
            f"a worker of the executor has {model} and the calling process {job.model}, and the "
            "last digits of a sum depend on the GPU: take workers with GPUs of one kind"
        )

    def heed() -> None:
        if not is_wanted():
            raise _hidden(name)

    most, run = job.run.threads, job.run
    return Pool(engine, graph, job.workspace, need=job.need, most=most, run=run, heed=heed)


# Tasks of the window per worker, and those of them without results.
WINDOW, OUT = 10, 2
# Seconds between two counts of the workers, which come and go, and checks for dead ones.
LOOK_SECONDS = 5.0

State = TypeVar("State")
Block = TypeVar("Block")
Result = TypeVar("Result")

logger = logging.getLogger("sparsebc")


def in_order(
    engine: Kind,
    blocks: Sequence[Block],
    workspace: Callable[[Kind, Any, int, NDArray[np.uint8]], State],
    work: Callable[[State, Block], Result],
    *,
    graph: Any,
    need: Need,
    run: Run,
    result_bytes: int | None = None,
) -> Generator[Result, None, None]:
    """Results ``work(state, block)`` in the order of the blocks, from a `Pool` or the executor.

    An executor pickles ``workspace``, ``work``, blocks, results, and the name of the engine.
    ``result_bytes`` is the size of a result on the host, by default half of ``need.waiting``.
    Closing the generator stops the workers.
    """
    executor: CallExecutor | None = run.executor
    if executor is not None and len(engine.devices) > 1:
        raise InputError(
            f"device lists {engine.name}, and a worker of an executor takes one GPU: use "
            "device='cuda', and start each worker with one in CUDA_VISIBLE_DEVICES",
            "device",
        )
    if not blocks:
        return
    if executor is not None:
        limits = Run(workers=run.threads, memory_budget=run.memory_budget)
        job = Job(engine.name, devices.model(engine.name), need, limits, workspace, work)
        each = need.waiting // 2 if result_bytes is None else result_bytes
        yield from _from_executor(executor, blocks, job, graph, each, run)
        return
    pool, complete = Pool(engine, graph, workspace, need=need, most=len(blocks), run=run), False
    try:
        team, each = pool.team, need.each + need.waiting
        logger.info(
            "device %s, %s, %s: %d blocks, %d workers, %d MiB",
            *(engine.name, need.kind, need.what, len(blocks), len(team)),
            (len(set(team)) * need.fixed + len(team) * each) >> 20,
        )
        yield from pool.in_order(work, blocks)
        complete = True
    finally:
        pool.close(early=not complete)


def by_name(method: str, state: Any, block: Any, **how: Any) -> Any:
    """Result of a method of a worker's state for a block: ``work`` of `in_order`, by `partial`."""
    return getattr(state, method)(block, **how)


def _from_executor(
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
        _dismiss(file)
        _read.cache_clear()  # which unmaps the files
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
