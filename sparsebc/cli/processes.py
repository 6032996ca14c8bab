"""The executors of ``--executor``; its processes import nothing from the current folder.

Ctrl-C goes to all processes of a terminal. These do not hear it: the command does, and they leave
their work because it is given up. They end with the command, however that ends.
"""

import functools
import importlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from .errors import Refusal

STOPPING = ("SIGINT", "SIGTERM", "SIGUSR1")


def executor_of(text: str) -> Callable[[], Any]:
    """Function that makes the executor of a name."""
    kind, _, where = text.partition(":")
    if kind == "processes":
        return functools.partial(pool, int(where))
    module, name, package = {
        "dask": ("distributed", "Client", "sparsebc[dask]"),
        "mpi": ("mpi4py.futures", "MPIPoolExecutor", "mpi4py"),
    }[kind]
    try:
        make = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise Refusal(
            f'--executor {text} needs {module}: python -m pip install "{package}" ({error})'
        ) from error
    if kind == "mpi":
        return functools.partial(make, use_pkl5=True)  # messages of more than 2 GiB
    return functools.partial(make, where)


def pool(count: int) -> ProcessPoolExecutor:
    """A pool of new interpreters."""
    context = multiprocessing.get_context("spawn")
    with _beginning():
        if os.name != "nt":
            from multiprocessing import resource_tracker

            resource_tracker.ensure_running()  # another process that would import from the folder
        return _Pool(count, mp_context=context, initializer=_begin)


class _Pool(ProcessPoolExecutor):
    """Starts its processes while no signal is heard, or it would not know all of them."""

    def submit(self, *work: Any, **named: Any) -> Any:
        """Hand in a task, for which a process may be started."""
        with _beginning():
            return super().submit(*work, **named)


@contextmanager
def _beginning() -> Iterator[None]:
    """Let new processes begin with SIGINT blocked, and import nothing from the current folder.

    They go on with the path of the command. Signals that stop it are heard a moment later, on
    whichever thread they arrive.
    """
    heard: list[int] = []
    numbers = [getattr(signal, name) for name in STOPPING if hasattr(signal, name)]
    handlers = {number: signal.getsignal(number) for number in numbers}
    if threading.current_thread() is not threading.main_thread():
        handlers = {}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    safe = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    for number in handlers:
        signal.signal(number, lambda number, _: heard.append(number))
    mask = _masked("SIG_BLOCK", {signal.SIGINT})
    try:
        yield
    finally:
        if mask is not None:
            _masked("SIG_SETMASK", mask)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        del os.environ["PYTHONSAFEPATH"]
        if safe is not None:
            os.environ["PYTHONSAFEPATH"] = safe
        for number in heard:
            signal.raise_signal(number)


def _masked(how: str, numbers: Any) -> Any:
    """Signals that were blocked until now; None where the system blocks none."""
    change = getattr(signal, "pthread_sigmask", None)
    return None if change is None else change(getattr(signal, how), numbers)


def _begin() -> None:
    """Leave Ctrl-C to the command, and end with it: the pool cannot tell when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be blocked
    command = multiprocessing.parent_process()

    def watch() -> None:
        if command is not None:
            command.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
