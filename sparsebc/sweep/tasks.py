"""Tasks of an executor's processes: pure functions of a graph, a job and a few blocks.

The payload (graph and job) is read from files in the run directory, or sent by Dask. A process
caches payload and workspaces until a task of another job; the calling process drops them at the end
of the call.
"""

import functools
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from ..engines import devices
from ..errors import DeviceError, OptionError
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


# Held while files are read, so that a process maps a graph once.
_lock = threading.RLock()
_idle: dict[str, list[Pool]] = {}  # pools that no task uses, by job
_read = functools.lru_cache(maxsize=4)(read)


def perform(task: Task, *sent: Any) -> list[Any]:
    """Results of the blocks in their order, on the host; ``sent`` has job and graph, if by Dask."""
    if sent:
        (job, graph), is_over = sent, _dropped_by_dask
    else:
        with _lock:
            job, graph = map(_content, task[:2])
        is_over = functools.partial(_is_hidden, task.job)
    pool = _taken(task.job, job, graph, is_over)
    try:
        results = [devices.fetched(result) for result in pool.in_order(job.work, task.blocks)]
    except BaseException:
        pool.close(early=True, silent=True)
        if sent and is_over():
            return []  # Dask logs what a cancelled task raises
        raise
    with _lock:
        _idle.setdefault(task.job, []).append(pool)
    if is_over():
        _dismiss(task.job)
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
