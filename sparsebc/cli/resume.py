"""The command ``sparsebc resume``, and how a command is stopped and kept.

A directory of ``--checkpoint`` keeps the command line beside the sums. Batch systems ask a job to
leave by SIGTERM or SIGUSR1: it saves, and exits with the status of a failure that will pass.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import command_file
from .common import integer, telling
from .errors import Refusal, one_line

STOPPED = 75  # EX_TEMPFAIL of sysexits.h
SIGNALS = ("SIGTERM", "SIGUSR1")


class Stopped(BaseException):
    """A signal asked the command to leave."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    summary = "go on with a command that was stopped"
    added = commands.add_parser("resume", help=summary, epilog="example: sparsebc resume kept")
    added.description = f"{summary.capitalize()}. It ends as it would have, to the bit."
    added.add_argument("directory", metavar="DIR", help="what --checkpoint named")
    add_ways(added)
    added.set_defaults(command=_resume)


def add_ways(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how to go on, in place of those that the line has."""
    parser.add_argument(
        "--workers", type=integer(1), help="threads, or those of a task of --executor, from now on"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress from now on")
    command_file.add_yes(parser)


@contextmanager
def kept(args: argparse.Namespace, arguments: Sequence[str]) -> Iterator[None]:
    """Keep the line of a command that has a checkpoint, and let signals stop it."""
    if getattr(args, "checkpoint", None) is None or args.dry_run:
        yield
        return
    if args.network == "-":
        raise Refusal("--checkpoint: standard input can be read only once; name a file")
    if (args.draws or args.k) and args.seed is None:
        of = "" if args.draws else " of --k"
        raise Refusal(f"--checkpoint: without --seed each run{of} draws other sources; add one")
    from .. import private_files
    from ..run import state_file
    from ..run.shards import Shard

    place = args.checkpoint
    if args.part is not None:
        place = str(Shard.within(place, *args.part))
    directory = Path(place).resolve()
    if directory.exists() and not directory.is_dir():
        raise Refusal(f"--checkpoint {place}: this is a file, not a directory")
    private_files.make_directory(directory)
    if not state_file.exists(directory):
        command_file.write(directory, arguments)
    try:
        with stopped_by_signals():
            yield
    except Stopped as stop:
        _keep(directory, arguments)
        raise Stopped(f"{stop}; 'sparsebc resume {place}' goes on") from None
    _keep(directory, arguments)  # not before: it may have been refused, for another is kept there


def _keep(directory: Path, arguments: Sequence[str]) -> None:
    """Keep the line; what the command came to is not lost if that cannot be done."""
    try:
        command_file.write(directory, arguments)
    except OSError as error:
        print(f"sparsebc: the command is not kept: {one_line(error)}", file=sys.stderr)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Turn the first signal into an exception; those after it wait for what that one began.

    Python hands signals to its main thread: a command on another one is left alone by them.
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


def _resume(args: argparse.Namespace) -> None:
    directory = Path(args.directory).resolve()
    line = command_file.own(directory, yes=args.yes)
    again = command_file.parsed(args, line, directory)
    again.checkpoint = str(directory)  # it may have been moved
    if again.part is not None:
        from ..run.shards import Shard

        again.checkpoint = str(directory.parent)
        own = Path(Shard.within(directory.parent, *again.part)).name
        if directory.name != own:
            raise Refusal(f"{args.directory} holds what belongs in {own}: rename it")
    go_on(args, again, line)


def go_on(args: argparse.Namespace, again: argparse.Namespace, line: command_file.Line) -> None:
    """Run a command from where it was given, with what its checkpoint holds."""
    again.quiet = again.quiet or args.quiet
    again.workers = args.workers or again.workers
    os.chdir(line.folder)
    with telling(again), kept(again, line.arguments):
        again.command(again)
