"""Threads beside which the main thread can be interrupted at any moment.

The handler of a signal, Ctrl-C's among them, runs on the main thread and may raise between any two
of its steps. `threading` and `concurrent.futures` hold locks over many steps in Python: a lock may
stay held for ever, or be released twice. Here the main thread holds none. It starts threads and
waits by functions of C alone, which are interrupted as a whole.
"""

from __future__ import annotations

import _thread
import functools
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Any

# Between two looks of a thread that waits for a result, where a signal does not wake it.
POLL_SECONDS = 0.2


class Task:
    """A call on another thread."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._ended: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def run(self) -> None:
        """Make the call."""
        try:
            self._ended.put((self._call(), None))
        except BaseException as error:
            self._ended.put((None, error))

    def result(self, heed: Callable[[], object] = lambda: None) -> Any:
        """What the call returned or raised, once; ``heed`` is called now and then meanwhile."""
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
    """Up to so many threads, each started when there is work for one more; a context ends them."""

    def __init__(self, most: int) -> None:
        self._most, self._started = most, 0
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._over: SimpleQueue[None] = SimpleQueue()

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Task:
        """The call, on the next thread that is free."""
        task = Task(functools.partial(function, *arguments))
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
        """Leave out the calls that wait, and wait for those that are made."""
        while not self._tasks.empty():
            try:
                self._tasks.get_nowait()
            except Empty:
                break
        for _ in range(self._most):  # one that was started as Ctrl-C came is not counted
            self._tasks.put(None)
        while self._started:
            self._over.get()
            self._started -= 1


def _serve(tasks: SimpleQueue[Task | None], over: SimpleQueue[None]) -> None:
    """Run tasks until there comes None, and keep none of them."""
    for task in iter(tasks.get, None):
        task.run()
        del task
    over.put(None)
