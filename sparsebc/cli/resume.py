"""The command ``sparsebc resume``, and how a command is stopped and kept.

A directory of ``--checkpoint`` keeps the command line beside the sums. Batch systems ask a job to
leave by SIGTERM or SIGUSR1: it saves, and exits with the status of a failure that will pass.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from .common import telling
from .errors import Refusal

STOPPED = 75  # EX_TEMPFAIL of sysexits.h
SIGNALS = ("SIGTERM", "SIGUSR1")
NAME = "command.json"


class Stopped(BaseException):
    """A signal asked the command to leave."""


class Line(NamedTuple):
    """A command line, and where it was given."""

    arguments: list[str]
    folder: str


def add(commands: Any) -> None:
    """Add the command to the parser."""
    summary = "go on with a command that was stopped"
    added = commands.add_parser("resume", help=summary, epilog="example: sparsebc resume kept")
    added.description = f"{summary.capitalize()}. It ends as it would have, to the bit."
    added.add_argument("directory", metavar="DIR", help="what --checkpoint named")
    added.set_defaults(command=_resume)


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
    from ..run import slots
    from ..run.parts import Part

    place = args.checkpoint
    if args.part is not None:
        place = str(Part.within(place, *args.part))
    directory = Path(place).resolve()
    if directory.exists() and not directory.is_dir():
        raise Refusal(f"--checkpoint {place}: this is a file, not a directory")
    directory.mkdir(parents=True, exist_ok=True)
    line = Line(list(arguments), str(Path.cwd()))
    if not any((directory / name).exists() for name in slots.NAMES):
        _write(directory, line)
    try:
        with stopped_by_signals():
            yield
    except Stopped as stop:
        _write(directory, line)
        raise Stopped(f"{stop}; 'sparsebc resume {place}' goes on") from None
    _write(directory, line)  # not before: it may have been refused, for another is kept there


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Turn the first signal into an exception; those after it wait for what that one began."""
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
    line = read(directory)
    again = args.parse(line.arguments)
    again.checkpoint = str(directory)  # it may have been moved
    if again.part is not None:
        from ..run.parts import Part

        again.checkpoint = str(directory.parent)
        own = Path(Part.within(directory.parent, *again.part)).name
        if directory.name != own:
            raise Refusal(f"{args.directory} holds what belongs in {own}: rename it")
    go_on(again, line)


def go_on(args: argparse.Namespace, line: Line) -> None:
    """Run a command from where it was given, with what its checkpoint holds."""
    os.chdir(line.folder)
    with telling(args), kept(args, line.arguments):
        args.command(args)


def read(directory: Path) -> Line:
    """The line that a directory keeps."""
    if not directory.is_dir():
        raise Refusal(f"{directory}: there is no such directory")
    try:
        return Line(**json.loads((directory / NAME).read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise Refusal(f"{directory} keeps no command: name a directory of --checkpoint") from None
    except (ValueError, TypeError):
        raise Refusal(f"{directory / NAME} is damaged: give the command itself again") from None


def _write(directory: Path, line: Line) -> None:
    """All of it, or none."""
    draft = directory / f"{NAME}.part"
    draft.write_text(json.dumps(line._asdict()), encoding="utf-8")
    os.replace(draft, directory / NAME)
