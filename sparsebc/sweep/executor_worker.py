"""What a process of an executor does: it performs tasks, each of a few consecutive blocks of a job.

It reads graph and job once, from the files of the calling process, or gets them from Dask, and
caches them and its workspaces until a task of another job. Where it is the calling process, as with
an executor of threads, that drops them at the end of the call.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ..engines import devices
from ..errors import DeviceError, InputError
from .executor import read, sees
from .options import Run
from .plan import Need
from .workers import Pool

# Held while files are read, so that a process maps a graph once.
_lock = threading.RLock()
_idle: dict[str, list[Pool]] = {}  # pools that no task uses, by job
cached_read = functools.lru_cache(maxsize=4)(read)


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
        dismiss(job_file)
    return results


def _content(file: str) -> Any:
    """Content of a file of the payload."""
    with suppress(FileNotFoundError):
        if sees(file):
            return cached_read(file)
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


def dismiss(*jobs: str) -> None:
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
    dismiss(*over)
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
