"""Worker threads of this process, and of the processes of an executor; results in block order.

A task of an executor is a pure function of a graph, a job and a few blocks. Graph and job are read
from files in the run directory, or sent by Dask. A process caches them and its workspaces until a
task of another job; the calling process drops them at the end of the call.
"""

from __future__ import annotations

import functools
import logging
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..engines.common.base import Engine
from ..errors import DeviceError, OptionError
from ..foreign import on_host
from ..kernel_cache import compilation
from ..threads import Call, Threads
from .executor import read, sees
from .options import Run
from .plan import Need, team_of

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

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(early=kind is not None)

    def close(self, *, early: bool = False, silent: bool = False) -> None:
        """Join the threads; ``early`` stops them within one level, ``silent`` does not log that."""
        if early:
            self._stop[0] = 1
            if compilation.running and not silent:
                logger.warning("stopping once the kernel being compiled is ready: some seconds")
        self._threads.close()

    def in_order(self, work: Callable[[Any, Any], Any], blocks: Sequence[Any]) -> Iterator[Any]:
        """``work(state, block)`` of each block in order, at most two per worker in advance."""
        if len(blocks) == 1 and self._on_device:  # its launches are short: Ctrl-C acts in between
            yield self._run(work, next(iter(blocks)))
            return
        waiting: list[Call] = []
        for block in blocks:
            waiting.append(self._threads.submit(self._run, work, block))
            if len(waiting) >= 2 * len(self.team):
                yield waiting.pop(0).result(self._heed)
        while waiting:
            yield waiting.pop(0).result(self._heed)

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


class Parcel(NamedTuple):
    """Consecutive blocks of a job, with the files of job and graph."""

    job: str
    graph: str
    blocks: tuple[Any, ...]


def perform(parcel: Parcel, *sent: Any) -> list[Any]:
    """Results of the blocks in their order, on the host; ``sent`` has job and graph, if by Dask."""
    if sent:
        (job, graph), is_over = sent, _dropped_by_dask
    else:
        with _lock:
            job, graph = map(_content, parcel[:2])
        is_over = functools.partial(_is_hidden, parcel.job)
    pool = _taken(parcel.job, job, graph, is_over)
    try:
        results = [devices.fetched(result) for result in pool.in_order(job.work, parcel.blocks)]
    except BaseException:
        pool.close(early=True, silent=True)
        if sent and is_over():
            return []  # Dask logs what a cancelled task raises
        raise
    with _lock:
        _idle.setdefault(parcel.job, []).append(pool)
    if is_over():
        _dismiss(parcel.job)
    return results


def _is_hidden(file: str) -> bool:
    return not sees(file)


def _content(file: str) -> Any:
    """Content of a file of the payload."""
    with suppress(FileNotFoundError):
        if sees(file):
            return _read(file)
    raise _hidden(file)


def _hidden(file: str) -> OptionError:
    """Error of a process that does not see a file; nobody reads it where the call is over."""
    return OptionError(
        f"executor has a worker that does not see {file}, or not as a file of its own user: set "
        "TMPDIR of the calling process to a folder that all workers see, or take a Client of Dask, "
        "which sends the graph",
        "executor",
    )


def _dropped_by_dask() -> bool:
    """Whether the Dask task that runs here is cancelled, which Dask itself does not stop."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        worker = distributed.get_worker()
        state = worker.state.tasks.get(worker.get_current_task())
    except ValueError:  # not in a Dask worker
        return False
    return state is None or state.state == "cancelled"


def forget(job: str) -> None:
    """Close the idle pools of a job in this process, and unmap its files."""
    _dismiss(job)
    _read.cache_clear()


def _dismiss(*jobs: str) -> None:
    with _lock:
        pools = [pool for job in jobs for pool in _idle.pop(job, [])]
    for pool in pools:
        pool.close()


def _taken(name: str, job: Job, graph: Any, is_over: Callable[[], bool]) -> Pool:
    """An idle pool of a job, or a new one; pools of jobs that are over are closed."""
    with _lock:
        if _idle.get(name):
            return _idle[name].pop()
        over = list(filter(_is_hidden, _idle))
    _dismiss(*over)
    engine = devices.select(job.device)
    model = devices.model(engine.name)
    if model != job.model:
        raise DeviceError(
            f"a worker of the executor has {model} and the calling process {job.model}, and the "
            "last digits of a sum depend on the GPU: take workers with GPUs of one kind"
        )

    def heed() -> None:
        if is_over():
            raise _hidden(name)

    most, run = job.run.threads, job.run
    return Pool(engine, graph, job.workspace, need=job.need, most=most, run=run, heed=heed)
