"""The processes of ``--executor processes:N``: they import nothing from the current folder.

Ctrl-C goes to all processes of a terminal. These do not hear it: the command does, and they leave
their work because it is given up. They end with the command, however that ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import context
from typing import Any

STOPPING = ("SIGINT", "SIGTERM", "SIGUSR1")


def pool(count: int) -> ProcessPoolExecutor:
    """A pool of new interpreters."""
    with _safe_path():
        if os.name != "nt":
            from multiprocessing import resource_tracker

            resource_tracker.ensure_running()  # another process that would import from the folder
        return _Pool(count, mp_context=_Context(), initializer=_begin)


class _Pool(ProcessPoolExecutor):
    """Knows all of its processes: another one would find its pool gone, and complain."""

    def submit(self, *work: Any, **named: Any) -> Any:
        """Hand in a task; a process that is started for it is known before a signal is heard."""
        with _deferred_signals():
            return super().submit(*work, **named)


class _Process(context.SpawnProcess):
    """A new interpreter with its own standard library, and Ctrl-C blocked from the beginning."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        with _safe_path(), _without_interrupts():
            return context.SpawnProcess._Popen(process_obj)


class _Context(context.SpawnContext):
    Process = _Process


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let new interpreters leave the current folder out of the path of their first imports.

    They go on with the path of the command.
    """
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextmanager
def _deferred_signals() -> Iterator[None]:
    """Hear signals that stop the command a moment later."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    numbers = [getattr(signal, name) for name in STOPPING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    before = {number: handler for number, handler in before.items() if callable(handler)}
    for number in before:
        signal.signal(number, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in heard:
            signal.raise_signal(number)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Let new processes begin with SIGINT blocked; the command hears its own a moment later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Leave Ctrl-C to the command, and end with it: the pool cannot tell when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be blocked
    command = multiprocessing.parent_process()

    def watch() -> None:
        if command is not None:
            command.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
