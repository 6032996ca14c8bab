"""Signals that stop a command.

Batch systems stop a job by SIGTERM or SIGUSR1, a closed terminal by SIGHUP: a command with
``--checkpoint`` saves, exits with the status of a temporary failure, and the same command goes on.
"""

import argparse
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import SparsebcError

STOPPED = 75  # EX_TEMPFAIL of sysexits.h
SIGNALS = ("SIGTERM", "SIGUSR1", "SIGHUP")


class Stopped(BaseException):
    """A signal stopped the command."""


@contextmanager
def resumable(given: argparse.Namespace) -> Iterator[None]:
    """Let signals stop a command that has a checkpoint, and refuse one that could not go on.

    They stop one with an executor as well, whose workers and files must go.
    """
    if given.checkpoint is None:
        with stopped_by_signals():
            yield
        return
    if given.network == "-":
        raise SparsebcError("--checkpoint: standard input can be read only once; name a file")
    if given.seed is None and given.draws:
        what = "networks" if given.command.name == "null-model" else "sources"
        raise SparsebcError(f"--checkpoint: without --seed each run draws other {what}; add --seed")
    try:
        with stopped_by_signals():
            yield
    except Stopped as stop:
        raise Stopped(f"{stop}; the same command goes on from {given.checkpoint}") from None


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Raise `Stopped` on the first signal; ignore later ones, so that saving is not interrupted.

    Signals that are ignored stay so, as SIGHUP by ``nohup``. Python handles signals in its main
    thread only: no effect on a command in another thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    numbers = [one for one in numbers if signal.getsignal(one) is not signal.SIG_IGN]

    def stop(number: int, _: object) -> None:
        for one in numbers:
            signal.signal(one, signal.SIG_IGN)
        raise Stopped(f"stopped by {signal.Signals(number).name}")

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
