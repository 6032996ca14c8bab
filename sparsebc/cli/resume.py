"""The commands ``sparsebc resume`` and ``merge``; saving and signals of a command.

A directory of ``--checkpoint`` holds the command line besides the sums. Batch systems stop a job by
SIGTERM or SIGUSR1: it saves, and exits with the status of a temporary failure.
"""

import argparse
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from . import command_file
from .command_file import Line
from .commands import carry_out
from .errors import Refusal, one_line
from .parser import parse
from .table import show
from .verbose import telling

STOPPED = 75  # EX_TEMPFAIL of sysexits.h
SIGNALS = ("SIGTERM", "SIGUSR1")


class Stopped(BaseException):
    """A signal stopped the command."""


@contextmanager
def kept(given: argparse.Namespace, arguments: Sequence[str]) -> Iterator[None]:
    """Save the command line if it has a checkpoint, and let signals stop the command."""
    if given.checkpoint is None or given.dry_run:
        yield
        return
    if given.network == "-":
        raise Refusal("--checkpoint: standard input can be read only once; name a file")
    if given.seed is None and (given.k or given.delta or given.samples):
        of, what = " of --k" * bool(given.k), "networks" if given.samples else "sources"
        raise Refusal(f"--checkpoint: without --seed each run{of} draws other {what}; add --seed")
    from .. import private_files
    from ..run import state_file
    from ..run.shards import Shard

    place = given.checkpoint
    if given.part is not None:
        place = str(Shard.within(place, *given.part))
    directory = Path(place).resolve()
    if directory.exists() and not directory.is_dir():
        raise Refusal(f"--checkpoint {place} is a file: name a directory")
    private_files.make_directory(directory)
    if not state_file.exists(directory):
        command_file.write(directory, arguments)
    try:
        with stopped_by_signals():
            yield
    except Stopped as stop:
        _keep(directory, arguments)
        raise Stopped(f"{stop}; 'sparsebc resume {place}' continues") from None
    _keep(directory, arguments)  # only now: the run is refused if the directory holds another one


def _keep(directory: Path, arguments: Sequence[str]) -> None:
    """Write the command line; print a failure, without raising it over the result."""
    try:
        command_file.write(directory, arguments)
    except OSError as error:
        show([f"sparsebc: the command was not saved: {one_line(error)}"], aside=True)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Raise `Stopped` on the first signal; ignore later ones, so that saving is not interrupted.

    Python handles signals in its main thread only: no effect on a command in another thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]

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


def resume(given: argparse.Namespace) -> None:
    """Resume a command that was stopped."""
    from ..run.shards import Shard

    directory = Path(given.directory).resolve()
    line = command_file.own(directory, yes=given.yes)
    again = _parsed(line, directory)
    checkpoint = directory  # it may have been moved
    if again.part is not None:
        checkpoint = directory.parent
        own = Path(Shard.within(checkpoint, *again.part)).name
        if directory.name != own:
            raise Refusal(f"{given.directory} holds the files of {own}: rename it to {own}")
    _go_on(given, again, line, checkpoint)


def merge(given: argparse.Namespace) -> None:
    """Add up the parts of a run, then run the rest of their command."""
    directory = Path(given.directory).resolve()
    if not directory.is_dir():
        raise Refusal(f"{given.directory}: there is no such directory")
    begun = sorted(directory.glob(f"part-*/{command_file.NAME}"))
    if not begun:
        raise Refusal(f"{given.directory} holds no parts: name the --checkpoint of their commands")
    line = command_file.own(begun[0].parent, yes=given.yes)
    line = line._replace(arguments=list(_without_part(line.arguments)))
    _go_on(given, _parsed(line, begun[0].parent), line, directory)


def _without_part(arguments: Sequence[str]) -> Iterator[str]:
    """Arguments without ``--part I/N`` or ``--part=I/N``."""
    left = iter(arguments)
    for argument in left:
        if argument == "--part":
            next(left, None)
        elif not argument.startswith("--part="):
            yield argument


def _parsed(line: Line, directory: Path) -> argparse.Namespace:
    """Parsed arguments of a directory's command line; Refusal if it has no checkpoint."""
    again = parse(line.arguments)
    if again.checkpoint is None or again.dry_run:
        raise command_file.damaged(directory)
    return again


def _go_on(
    given: argparse.Namespace, again: argparse.Namespace, line: Line, checkpoint: Path
) -> None:
    """Run a command line again in its working directory, from its checkpoint."""
    again.checkpoint = str(checkpoint)
    again.quiet = again.quiet or given.quiet
    again.workers = given.workers or again.workers
    os.chdir(line.folder)
    with telling(again), kept(again, line.arguments):
        carry_out(again)
