"""Thread pool that stays consistent if a signal handler raises in the main thread at any moment.

Signal handlers, Ctrl-C's among them, run on the main thread, and may raise between any two
bytecodes. `threading` and `concurrent.futures` hold locks over many bytecodes: a lock may stay held
for ever, or be released twice. Here the main thread holds no lock. It starts threads and waits in C
functions only, which are interrupted as a whole.
"""

from __future__ import annotations

import _thread
import functools
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Any

# Timeout of a wait for a result, for threads that no signal wakes.
POLL_SECONDS = 0.2


class Call:
    """A call that another thread makes."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._ended: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def run(self) -> None:
        """Make the call, and store its result or exception."""
        try:
            self._ended.put((self._call(), None))
        except BaseException as error:
            self._ended.put((None, error))

    def result(self, heed: Callable[[], object] = lambda: None) -> Any:
        """Return or raise the outcome of the call, once; ``heed`` is called every POLL_SECONDS."""
        while True:
            try:
                value, error = self._ended.get(timeout=POLL_SECONDS)
            except Empty:
                heed()
                continue
            if error is not None:
                raise error
            return value


class Threads:
    """Up to ``most`` threads, one more started with each task; a context that ends them."""

    def __init__(self, most: int) -> None:
        self._most, self._started = most, 0
        self._tasks: SimpleQueue[Call | None] = SimpleQueue()
        self._over: SimpleQueue[None] = SimpleQueue()

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Call:
        """Queue a call for the next free thread."""
        task = Call(functools.partial(function, *arguments))
        self._tasks.put(task)
        if self._started < self._most:
            _thread.start_new_thread(_serve, (self._tasks, self._over))
            self._started += 1
        return task

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Results in the order of the items; all calls are submitted at once."""
        tasks = [self.submit(function, item) for item in items]
        return (task.result() for task in tasks)

    def close(self) -> None:
        """Discard pending calls, and wait for those that run."""
        while not self._tasks.empty():
            try:
                self._tasks.get_nowait()
            except Empty:
                break
        for _ in range(self._most):  # a thread started as Ctrl-C came is not in _started
            self._tasks.put(None)
        while self._started:
            self._over.get()
            self._started -= 1


def _serve(tasks: SimpleQueue[Call | None], over: SimpleQueue[None]) -> None:
    """Run tasks until None; keep no reference to a finished one."""
    for task in iter(tasks.get, None):
        task.run()
        del task
    over.put(None)
