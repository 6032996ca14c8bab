"""Tasks of an executor's processes: pure functions of a graph, a job and a few blocks.

The payload (graph and job) is read from files in the run directory. A process that does not see
them returns the names of the missing files, whose content is sent with the resubmitted task. A
process caches payload and workspaces until a task of another job; the calling process drops them at
the end of the call.
"""

import functools
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from ..engines import devices
from ..errors import DeviceError
from .memory_plan import Need
from .options import Run
from .payload import read, sees
from .pool import Pool


class Job(NamedTuple):
    """Common part of the tasks of a sum, except for the graph."""

    device: str
    model: str  # of the GPU, which determines the last digits
    need: Need
    run: Run  # threads and memory of a process
    workspace: Callable[..., Any]  # (engine, graph, memory, stop) -> state
    work: Callable[..., Any]  # (state, block) -> result


class Task(NamedTuple):
    """Consecutive blocks of a job, with the files of job and graph."""

    job: str
    graph: str
    blocks: tuple[Any, ...]


class Missing(NamedTuple):
    """Files of the payload that a process neither sees nor was sent."""

    files: tuple[str, ...]


class Abandoned(Exception):
    """The call that submitted the task is over."""


# Held while files are read, so that a process maps a graph once.
_lock = threading.RLock()
_idle: dict[str, list[Pool]] = {}  # pools that no task uses, by job
_sent: dict[str, Any] = {}  # payload that was sent along with a task, by file
_read = functools.lru_cache(maxsize=4)(read)


def perform(task: Task, files: tuple[str, ...] = (), *sent: Any) -> list[Any] | Missing:
    """Results of the blocks in their order, on the host, or the files that are missing.

    ``sent`` is the content of ``files``, which were missing before.
    """
    with _lock:
        for other in _sent.keys() - task[:2]:
            del _sent[other]
        _sent.update(zip(files, sent, strict=True))
        payload = {file: _content(file) for file in task[:2]}
        is_over = _dropped_by_dask if task.job in _sent else lambda: not sees(task.job)
    missing = tuple(file for file, content in payload.items() if content is None)
    if missing:
        return Missing(missing)
    job, graph = payload.values()
    pool = _taken(task.job, job, graph, is_over)
    try:
        results = [devices.fetched(result) for result in pool.in_order(job.work, task.blocks)]
    except BaseException as error:
        pool.close(early=True, silent=True)
        if isinstance(error, Abandoned):
            return Missing((task.job,))
        raise
    with _lock:
        _idle.setdefault(task.job, []).append(pool)
    if is_over():
        _dismiss(task.job)
    return results


def _content(file: str) -> Any:
    """Content of a file of the payload; None if it is missing."""
    if file not in _sent and sees(file):
        with suppress(FileNotFoundError):
            return _read(file)
    return _sent.get(file)


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
        over = [other for other in _idle if not sees(other)]
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
            raise Abandoned

    most, run = job.run.threads, job.run
    return Pool(engine, graph, job.workspace, need=job.need, most=most, run=run, heed=heed)
