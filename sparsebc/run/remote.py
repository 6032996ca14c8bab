"""What an executor runs: a task, a pure function of the files of a run and of a few blocks.

A process that does not see the files says so, and gets along with the next task what was in them.
Graph, job and workspaces are kept in the process from task to task. They give way to those of the
next job, and in the process that called, as soon as the call is over.
"""

from __future__ import annotations

import functools
import os
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from ..engines import devices
from ..engines.contract import Engine
from . import directory, foreseen
from .memory import Need, plan
from .options import Run
from .workers import Pool


class Job(NamedTuple):
    """What all tasks of a sum have in common; it travels as a file."""

    device: str
    model: str  # of the GPU, on which the last digits depend
    found_by: Callable[[Engine, Any], Engine]  # from the engine of the device, on the graph
    need: Need
    threads: int
    memory_budget: int | None
    workspace: Callable[..., Any]  # (engine, graph, memory, stop) -> state
    work: Callable[..., Any]  # (state, block) -> result


class Task(NamedTuple):
    """Consecutive blocks of a job."""

    directory: str
    job: str  # path of its file
    blocks: tuple[Any, ...]


class Goods(NamedTuple):
    """What a task needs besides itself, and comes along for a process that sees no files."""

    job: Job | None
    graph: directory.Kept | None


class Absent(NamedTuple):
    """Which of the goods a process lacks; nobody reads it where the job is over."""

    job: bool
    graph: bool


class Abandoned(Exception):
    """Nobody waits for the results."""


_lock = threading.Lock()
# Threads of a process read one after the other: so a graph is mapped once; and NumPy parses headers
# of arrays with `ast`, which until Python 3.11.8 and 3.12.2 fails at times where two threads do.
_reading = threading.Lock()
_idle: dict[str, list[Pool]] = {}  # by job, pools that no task uses
_brought: dict[str, Any] = {}  # by the names of their files, goods that came along with a task


def perform(
    task: Task, job: Job | None = None, graph: directory.Kept | None = None
) -> list[Any] | Absent:
    """Results of the blocks in their order, in the memory of the host."""
    goods = _brought_for(task, Goods(job, graph))
    if isinstance(goods, Absent):
        return goods
    try:
        pool, job = _take(task, goods)
    except FileNotFoundError:
        return Absent(goods.job is None, goods.graph is None)
    try:
        results = [devices.fetched(result) for result in pool.in_order(job.work, task.blocks)]
    except BaseException as error:
        pool.close(early=True)
        if isinstance(error, Abandoned):
            return Absent(goods.job is None, False)
        foreseen.mark(error, foreseen.is_foreseen(error))
        raise
    with _lock:
        if not _is_over(task, goods):
            _idle.setdefault(task.job, []).append(pool)
            return results
    pool.close()
    return results


def _brought_for(task: Task, more: Goods) -> Goods | Absent:
    """The goods that came along, now or before, or None where they are in files; or what is absent.

    The task holds on to them: those of another one, on another thread, take their place here.
    """
    names = (task.job, task.directory)
    with _lock:
        for other in _brought.keys() - names:
            del _brought[other]
        _brought.update((name, it) for name, it in zip(names, more, strict=True) if it is not None)
        goods = Goods(*map(_brought.get, names))
    if sees(task.job):
        return goods
    absent = Absent(*(thing is None for thing in goods))
    return absent if any(absent) else goods


def sees(path: str) -> bool:
    """Whether this process finds a file of the run, of its own user: what is in it is unpickled."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()


def _is_over(task: Task, goods: Goods) -> bool:
    """Whether nobody waits for the task any more."""
    if goods.job is not None:
        return _dropped_by_dask()
    return not sees(task.job)


def _dropped_by_dask() -> bool:
    """Whether Dask runs this task for nobody: it cannot stop it."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        worker = distributed.get_worker()
        state = worker.state.tasks.get(worker.get_current_task())
    except ValueError:  # this is no worker of Dask
        return False
    return state is None or state.state == "cancelled"


def forget(job: str) -> None:
    """Close the idle pools of a job in this process, and let its files go."""
    _dismiss(job)
    _job.cache_clear()
    _graph.cache_clear()


def _dismiss(job: str) -> None:
    with _lock:
        pools = _idle.pop(job, [])
    for pool in pools:
        pool.close()


def _take(task: Task, goods: Goods) -> tuple[Pool, Job]:
    """A pool for a task: an idle one, or a new one in place of those of other jobs."""
    with _reading:
        job = goods.job or _job(task.job)
    with _lock:
        if _idle.get(task.job):
            return _idle[task.job].pop(), job
        over = [other for other in _idle if not sees(other)]
    for other in over:
        _dismiss(other)
    engine = devices.select(job.device)
    _check_model(engine, job)
    with _reading:
        graph = _graph(task.directory) if goods.graph is None else goods.graph
    engine = job.found_by(engine, graph)
    team, memory = plan(
        engine,
        job.need,
        most=job.threads,
        run=Run(workers=job.threads, memory_budget=job.memory_budget),
    )

    def heed() -> None:
        if _is_over(task, goods):
            raise Abandoned

    def workspace(member: Engine, stop: Any) -> Any:
        return job.workspace(member, graph, memory, stop)

    return Pool(workspace, team, heed), job


def _check_model(engine: Engine, job: Job) -> None:
    model = devices.model(engine.name)
    if model != job.model:
        raise RuntimeError(
            f"a worker of the executor has {model} and the calling process {job.model}, and the "
            "last digits of a sum depend on the GPU: take workers with GPUs of one kind"
        )


@functools.lru_cache(maxsize=2)
def _job(path: str) -> Job:
    with open(path, "rb") as file:
        job: Job = pickle.load(file)
    return job


_graph = functools.lru_cache(maxsize=2)(directory.read)
