"""The executor of a call, and the files by which its workers get the graph and the jobs on it.

Processes map the files into memory. They are in a *run directory*, one for each graph of a call.
The calling process holds a lock in it, so that the next run can remove directories of killed
processes. A job is over once its file is removed. Workers of Dask read no files: they are sent the
payload.
"""

from __future__ import annotations

import glob
import itertools
import logging
import mmap
import os
import pickle
import shutil
import socket
import tempfile
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock

from .. import private_files
from ..errors import InputTypeError
from ..foreign import on_host

LOCK = "lock"
PREFIX = f"sparsebc-{socket.gethostname()}-"  # of the names of this host's run directories
# Alignment of arrays in a file, in bytes.
ALIGNMENT = 64

logger = logging.getLogger("sparsebc")


class RunDirectory:
    """Files of a graph (or matrix of lengths) and of the jobs on it; names alone for Dask."""

    def __init__(self, graph: Any, *, is_written: bool = True) -> None:
        self.graph, self._is_written, self._jobs = graph, is_written, itertools.count()
        self._path = Path(tempfile.gettempdir(), f"{PREFIX}{uuid.uuid4().hex}")
        self._lock = FileLock(self._path / LOCK, thread_local=False)
        if is_written:
            _remove_abandoned()
        self.graph_file = self._write("graph", graph)

    def add(self, job: Any) -> str:
        """Path of the file of a new job."""
        return self._write(f"{next(self._jobs)}.job", job)

    def remove(self) -> None:
        """Remove the directory."""
        with suppress(OSError):
            self._lock.release()
        shutil.rmtree(self._path, ignore_errors=True)

    def _write(self, name: str, content: Any) -> str:
        path = self._path / name
        try:
            if self._is_written:
                if not self._lock.is_locked:
                    self._path.mkdir(mode=0o700)
                    self._lock.acquire(blocking=False)
                write(path, on_host(content))
        except OSError as error:
            self.remove()
            error.add_note(
                f"Workers of the executor read the graph from files in {self._path.parent}: set "
                "TMPDIR to a folder that has room."
            )
            raise
        return str(path)


def write(path: Path, content: Any) -> None:
    """Pickle an object to a file: raw bytes of its arrays, the rest, and the offset of the rest."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(content, protocol=5, buffer_callback=arrays.append)
    spans = []
    with path.open("wb") as file:
        for array in arrays:
            file.seek(-file.tell() % ALIGNMENT, os.SEEK_CUR)
            begin = file.tell()
            spans.append((begin, begin + file.write(array.raw())))
        begin = file.tell()
        pickle.dump((rest, spans), file)
        file.write(begin.to_bytes(8, "little"))


def read(path: str) -> Any:
    """Object written by `write`; its arrays are mapped from the file, so that processes share them.

    The mapping is copy-on-write: read-only arrays would be another type to Numba.
    """
    with open(path, "rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    begin = int.from_bytes(content[-8:], "little")
    rest, spans = pickle.loads(content[begin:-8])
    return pickle.loads(rest, buffers=[content[first:end] for first, end in spans])


def sees(path: str) -> bool:
    """Whether a file exists and is owned by this user: no other is safe to unpickle."""
    with suppress(OSError):
        return not hasattr(os, "geteuid") or os.lstat(path).st_uid == os.geteuid()
    return False


def _remove_abandoned() -> None:
    """Remove run directories of this user whose process was killed."""
    with suppress(OSError):
        for directory in Path(tempfile.gettempdir()).glob(glob.escape(PREFIX) + "*"):
            lock = directory / LOCK
            if private_files.is_private(directory) and lock.exists():
                with suppress(OSError):
                    with FileLock(lock).acquire(blocking=False):
                        shutil.rmtree(directory, ignore_errors=True)
                    shutil.rmtree(directory, ignore_errors=True)  # Windows keeps open files
                    logger.info("%s of a process that was killed is removed", directory)


class CallExecutor(AbstractContextManager["CallExecutor", None]):
    """One executor for all tasks of a call.

    A given executor is never shut down. A factory makes one on demand, and a new one after it
    broke; these are shut down at the end of the call.
    """

    def __init__(self, given: Any) -> None:
        self.is_factory = callable(given) and not isinstance(given, Executor)
        if not (self.is_factory or isinstance(given, Executor) or is_client(given)):
            raise InputTypeError(
                "executor must be a concurrent.futures.Executor, a distributed.Client, or a "
                f"function without arguments that makes one of these, got {given!r}; leave it out "
                "for threads of this process"
            )
        self._given = given
        self._made: Any = None if self.is_factory else given
        self._executor: Executor | None = None  # of `_made`, which may be a Dask client
        self._is_broken = False
        self._scattered: dict[str, Any] = {}  # Dask futures of payload, by file
        self._directory: RunDirectory | None = None

    def __exit__(self, *_: object) -> None:
        """End the call."""
        self.shut_down()
        self._leave_directory()

    def directory_of(self, graph: Any) -> RunDirectory:
        """Run directory of a graph; that of the previous graph is removed."""
        if self._directory is None or self._directory.graph is not graph:
            self._leave_directory()
            self._directory = RunDirectory(graph, is_written=self._client is None)
        return self._directory

    def _leave_directory(self) -> None:
        if self._directory is not None:
            self.unshare(self._directory.graph_file)
            self._directory.remove()
            self._directory = None

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Future of a task; if the pool is broken, one that holds the BrokenExecutor error."""
        try:
            executor = self._ready()
            if self._is_broken:  # its result pipe is closed
                raise BrokenProcessPool("a process of the pool died")
            return executor.submit(work, *arguments)
        except BrokenExecutor as error:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    @property
    def workers(self) -> int:
        """Number of tasks run at a time; if unknown, the number of CPUs of this machine."""
        executor, client = self._ready(), self._client
        if client is not None:  # which runs as many as have the resources that each task takes
            each: dict[str, float] = getattr(executor, "_kwargs", {}).get("resources") or {}
            if not each:
                return max(1, sum(map(int, client.ncores().values())))
            workers = client.scheduler_info(n_workers=-1)["workers"].values()
            offers = [worker.get("resources") or {} for worker in workers]
            fits = (min(int(has.get(name, 0) // each[name]) for name in each) for has in offers)
            return max(1, sum(fits))
        # Of mpi4py; of the standard library and loky.
        counts = [getattr(executor, name, None) for name in ("num_workers", "_max_workers")]
        return next((n for n in counts if isinstance(n, int) and n > 0), os.cpu_count() or 1)

    def shared(self, payload: Mapping[str, Any]) -> list[Any]:
        """Arguments of `submit` for a payload, by file: futures of copies on all workers of Dask.

        Other workers read the files.
        """
        client = self._client
        if client is None:
            return []
        for file in payload.keys() - self._scattered.keys():
            self._ready().submit(int).result()  # a worker is there
            # In a list: Dask would scatter the items of a dict or tuple. hash=False saves a pass
            # over the data; direct=True bypasses the scheduler.
            ways = {"broadcast": True, "hash": False, "direct": True}
            self._scattered[file] = client.scatter([on_host(payload[file])], **ways)[0]
        return [self._scattered[file] for file in payload]

    def unshare(self, *files: str) -> None:
        """Forget the scattered contents of some files, or of all, as after the loss of a worker."""
        for file in files or list(self._scattered):
            self._scattered.pop(file, None)

    def break_if_a_process_died(self) -> None:
        """Break a process pool that hangs after the death of a worker process.

        If a process dies while it writes a result, the pool reads on from the pipe until all its
        writing ends are closed: those of the other processes, and that of this one.
        """
        processes = list((getattr(self._executor, "_processes", None) or {}).values())
        writer = getattr(getattr(self._executor, "_result_queue", None), "_writer", None)
        if writer is not None and any(process.exitcode for process in processes):
            for process in processes:
                process.terminate()
            writer.close()
            self._is_broken = True

    def shut_down(self) -> None:
        """Shut down an executor that a factory made, without waiting for its tasks."""
        self.unshare()
        self._executor, self._is_broken = None, False
        if self.is_factory:
            made, self._made = self._made, None
            if is_client(made):
                made.close()
            elif isinstance(made, Executor):
                made.shutdown(wait=False)  # its futures have ended, or have been cancelled

    @property
    def _client(self) -> Any:
        """Dask client of the executor; None if it is not one of Dask."""
        client = getattr(self._ready(), "_client", None)
        return client if is_client(client) else None

    def _ready(self) -> Executor:
        """The executor, made if need be; for Dask with pure=False, so that resubmission reruns."""
        if self._executor is None:
            if self._made is None:
                self._made = self._given()
            executor: Any = self._made
            client: Any = executor if is_client(executor) else getattr(executor, "_client", None)
            if is_client(client):
                executor = client.get_executor(**getattr(executor, "_kwargs", {}) | {"pure": False})
            if not isinstance(executor, Executor):
                raise InputTypeError(
                    "executor must make a concurrent.futures.Executor or a distributed.Client, and "
                    f"{self._given!r} made {executor!r}"
                )
            self._executor = executor
        return self._executor


def is_client(given: Any) -> bool:
    """Whether an object has the methods of a `distributed.Client`."""
    return hasattr(given, "get_executor") and hasattr(given, "ncores")
