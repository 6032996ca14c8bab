"""The executors of ``--workers``; worker processes import nothing from the working directory.

Ctrl-C goes to all processes of a terminal, and so does SIGHUP as it closes. Workers ignore both:
the command handles them and cancels their tasks. Workers end with the command, even if that is
killed.
"""

import functools
import importlib
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import InvalidStateError, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from ..errors import SparsebcError
from .signals import SIGNALS

STOPPING = ("SIGINT", *SIGNALS)
# Signals that a terminal sends to all processes of a command.
OF_TERMINALS = {getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)}


def executor_of(text: str, *, quiet: bool = False) -> Callable[[], Any]:
    """Function that makes the executor that an argument of ``--workers`` names."""
    kind, _, where = text.partition(":")
    if kind == "processes":
        return functools.partial(pool, int(where), quiet)
    module, name, package = {
        "dask": ("distributed", "Client", "sparsebc[dask]"),
        "mpi": ("mpi4py.futures", "MPIPoolExecutor", "mpi4py"),
    }[kind]
    try:
        make = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise SparsebcError(
            f'--workers {text} needs {module}: python -m pip install "{package}" ({error})'
        ) from error
    if kind == "mpi":
        return functools.partial(make, use_pkl5=True)  # messages of more than 2 GiB
    return functools.partial(make, where)


def pool(count: int, quiet: bool = False) -> ProcessPoolExecutor:
    """Pool of spawned worker processes."""
    context = multiprocessing.get_context("spawn")
    with _starting():
        if os.name != "nt":
            from multiprocessing import resource_tracker

            resource_tracker.ensure_running()  # a process too, started here with a safe sys.path
        return _Pool(count, mp_context=context, initializer=_initialize, initargs=(quiet,))


class _Pool(ProcessPoolExecutor):
    """Pool that defers signals while it starts a process, else it could lose track of one."""

    def submit(self, *work: Any, **named: Any) -> Any:
        """Submit a task, for which a process may be started."""
        with _starting():
            future = super().submit(*work, **named)

        # CPython 3.11 prints a traceback where a process dies whose task was cancelled.
        def set_exception(error: BaseException | None) -> None:
            with suppress(InvalidStateError):
                type(future).set_exception(future, error)

        future.set_exception = set_exception  # type: ignore[assignment, method-assign]
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down, and wait for the pool's own thread, whatever ``wait`` says.

        Where that thread ends as Python exits, Python may write to a pipe that it is closing.
        """
        super().shutdown(cancel_futures=cancel_futures)


@contextmanager
def _starting() -> Iterator[None]:
    """Context in which new processes inherit blocked signals of terminals and a safe sys.path.

    Processes then get the sys.path of the command. Signals that stop the command are deferred to
    the end of the context, on whichever thread they arrive.
    """
    deferred: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    numbers = [getattr(signal, name) for name in STOPPING if hasattr(signal, name)] * is_main
    handlers = {one: before for one in numbers if callable(before := signal.getsignal(one))}
    safe = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    for number in handlers:
        signal.signal(number, lambda number, _: deferred.append(number))
    if sys.platform != "win32":
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, OF_TERMINALS)
    try:
        yield
    finally:
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        del os.environ["PYTHONSAFEPATH"]
        if safe is not None:
            os.environ["PYTHONSAFEPATH"] = safe
        for number in deferred:
            signal.raise_signal(number)


def _initialize(quiet: bool) -> None:
    """Ignore terminals, and end with the command: a killed command cannot shut down its pool."""
    if quiet:
        logging.getLogger("sparsebc").setLevel(logging.ERROR)
    for number in OF_TERMINALS:  # on systems that cannot block them
        signal.signal(number, signal.SIG_IGN)
    command = multiprocessing.parent_process()

    def watch() -> None:
        if command is not None:
            command.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
