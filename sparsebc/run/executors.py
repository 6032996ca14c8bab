"""The executor of a call: one that the caller gave, or one that a given function makes."""

import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from ..errors import InputTypeError
from .payload import RunDirectory, on_host


class CallExecutor:
    """One executor for all tasks of a call; made when it is needed, and again when it broke.

    What the caller gave is never shut down. What a factory made is shut down with the call.
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
        self._executor: Executor | None = None  # of what was given or made
        self._is_broken = False
        self._scattered: dict[str, Any] = {}  # futures of Dask, by the file that they stand for
        self._directory: RunDirectory | None = None

    def close(self) -> None:
        """End the call."""
        self.shut_down()
        self._leave_directory()

    def directory_of(self, graph: Any) -> RunDirectory:
        """Run directory of a graph, in place of that of the last one."""
        if self._directory is None or self._directory.graph is not graph:
            self._leave_directory()
            self._directory = RunDirectory(graph)
        return self._directory

    def _leave_directory(self) -> None:
        if self._directory is not None:
            self.unshare(self._directory.graph_file)
            self._directory.remove()
            self._directory = None

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Future of a task; one that is refused by a broken pool fails as those in it did."""
        try:
            executor = self._ready()
            if self._is_broken:  # it could not start a process any more
                raise BrokenProcessPool("a process of the pool died")
            return executor.submit(work, *arguments)
        except BrokenExecutor as error:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    @property
    def workers(self) -> int:
        """Tasks that run at a time; where the executor does not tell, one for each CPU here."""
        executor, client = self._ready(), self._client
        if client is not None:
            return max(1, _places(client, getattr(executor, "_kwargs", {}).get("resources") or {}))
        # Of mpi4py; of the standard library and loky.
        counts = [getattr(executor, name, None) for name in ("num_workers", "_max_workers")]
        return next((n for n in counts if isinstance(n, int) and n > 0), os.cpu_count() or 1)

    def share(self, file: str, content: Any) -> Any:
        """Argument of `submit` that stands for the content of a file, which many tasks need.

        Workers of Dask hand it on to each other; elsewhere it goes along with each task.
        """
        if self._client is None:
            return on_host(content)
        if file not in self._scattered:
            # One of a list: a dict or a tuple would be taken apart. Without a hash it is not read
            # through; direct, it does not pass the scheduler.
            found = self._client.scatter([on_host(content)], hash=False, direct=True)
            self._scattered[file] = found[0]
        return self._scattered[file]

    def unshare(self, *files: str) -> None:
        """Forget what is shared by these files, or all that is: it may be lost with a worker."""
        for file in files or list(self._scattered):
            self._scattered.pop(file, None)

    def break_if_a_process_died(self) -> None:
        """Break a pool with a dead process that does not break by itself.

        Where a process dies in the midst of a result, the pool waits for the rest of it as long as
        anybody could write that: the other processes, and this one by its own end of the pipe.
        """
        processes = list((getattr(self._executor, "_processes", None) or {}).values())
        writer = getattr(getattr(self._executor, "_result_queue", None), "_writer", None)
        if writer is not None and any(process.exitcode for process in processes):
            for process in processes:
                process.terminate()
            writer.close()
            self._is_broken = True

    def shut_down(self) -> None:
        """Shut down what a factory made, without waiting for what runs there."""
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
        """Client of Dask behind the executor; None for others."""
        client = getattr(self._ready(), "_client", None)
        return client if is_client(client) else None

    def _ready(self) -> Executor:
        """The executor; of Dask one that computes a task again when it is submitted again."""
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
    """Whether this is a `distributed.Client`, by what it can do."""
    return hasattr(given, "get_executor") and hasattr(given, "ncores")


def _places(client: Any, resources: dict[str, float]) -> int:
    """Tasks that run at a time on the workers of Dask, each with such resources to itself."""
    if not resources:
        return sum(map(int, client.ncores().values()))
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    has = [worker.get("resources") or {} for worker in workers]
    return sum(
        min(int(one.get(name, 0) // each) for name, each in resources.items()) for one in has
    )
