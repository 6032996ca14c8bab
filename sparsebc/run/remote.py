"""What an executor runs: a task, a pure function of the files of a run and of a few blocks.

Graph, job and workspaces are kept in the process from task to task. They give way to those of the
next job, and in the process that called, as soon as the call is over.
"""

from __future__ import annotations

import functools
import os
import pickle
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from ..engines import devices
from ..engines.contract import Engine
from . import directory
from .memory import Need, plan
from .options import Run
from .workers import Pool


class Job(NamedTuple):
    """What all tasks of a sum have in common; it travels as a file."""

    device: str
    model: str  # of the GPU, on which the last digits depend
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


class Abandoned(Exception):
    """The file of the job is gone: nobody waits for the results."""


_lock = threading.Lock()
_idle: dict[str, list[Pool]] = {}  # by job, pools that no task uses


def perform(task: Task) -> list[Any]:
    """Results of the blocks in their order, in the memory of the host; none if it was given up."""
    try:
        pool, job = _take(task)
    except Abandoned:
        return []
    try:
        results = [devices.fetched(result) for result in pool.in_order(job.work, task.blocks)]
    except BaseException as error:
        pool.close(early=True)
        if isinstance(error, Abandoned):
            return []
        raise
    with _lock:
        if os.path.exists(task.job):
            _idle.setdefault(task.job, []).append(pool)
            return results
    pool.close()
    return results


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


def _take(task: Task) -> tuple[Pool, Job]:
    """A pool for a task: an idle one, or a new one in place of those of other jobs."""
    job = _job(task.job)
    with _lock:
        if _idle.get(task.job):
            return _idle[task.job].pop(), job
        over = [other for other in _idle if not os.path.exists(other)]
    for other in over:
        _dismiss(other)
    engine = devices.select(job.device)
    _check_model(engine, job)
    graph = _graph(task.directory)
    team, memory = plan(
        engine,
        job.need,
        most=job.threads,
        run=Run(workers=job.threads, memory_budget=job.memory_budget),
    )

    def heed() -> None:
        if not os.path.exists(task.job):
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
    try:
        with open(path, "rb") as file:
            job: Job = pickle.load(file)
    except FileNotFoundError as error:
        if os.path.exists(os.path.dirname(path)):
            raise Abandoned from error
        directory.read(os.path.dirname(path))  # says what is missing
        raise
    return job


_graph = functools.lru_cache(maxsize=2)(directory.read)
