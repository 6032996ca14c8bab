"""The executor of a call: given by the caller, or made by a factory that the caller gave."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from ..errors import InputTypeError
from ..matrix.foreign import on_host
from .payload import RunDirectory


class CallExecutor:
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

    def close(self) -> None:
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
        if client is not None:
            return max(1, _slots(client, getattr(executor, "_kwargs", {}).get("resources") or {}))
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


def _slots(client: Any, resources: dict[str, float]) -> int:
    """Number of tasks that Dask runs at a time, if each takes ``resources`` of its worker."""
    if not resources:
        return sum(map(int, client.ncores().values()))
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    offered = [worker.get("resources") or {} for worker in workers]
    return sum(
        min(int(has.get(name, 0) // each) for name, each in resources.items()) for has in offered
    )
