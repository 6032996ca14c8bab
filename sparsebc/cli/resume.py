"""The commands ``sparsebc resume`` and ``sparsebc status``, and how a command is stopped and kept.

A directory of ``--checkpoint`` keeps the command line beside the sums. Batch systems ask a job to
leave by SIGTERM or SIGUSR1: it saves, and exits with the status of a failure that will pass.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from .errors import Refusal
from .table import show

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
    """Add both commands to the parser."""
    for command, summary, more in (
        (_resume, "go on with a command that was stopped", "It ends as it would have, to the bit."),
        (_status, "say how far a command is, how fast, and when it will end", ""),
    ):
        name = command.__name__[1:]
        added = commands.add_parser(name, help=summary, epilog=f"example: sparsebc {name} kept")
        added.description = f"{summary.capitalize()}. {more}".rstrip()
        added.add_argument("directory", metavar="DIR", help="what --checkpoint named")
        added.set_defaults(command=command)


@contextmanager
def kept(args: argparse.Namespace, arguments: Sequence[str]) -> Iterator[None]:
    """Keep the line of a command that has a checkpoint, and let signals stop it."""
    if getattr(args, "checkpoint", None) is None or args.dry_run:
        yield
        return
    if args.network == "-":
        raise Refusal("--checkpoint: standard input can be read only once; name a file")
    if args.k and args.seed is None:
        raise Refusal("--checkpoint: without --seed each run of --k draws other sources; add one")
    from ..run import slots

    directory = Path(args.checkpoint).resolve()
    if directory.exists() and not directory.is_dir():
        raise Refusal(f"--checkpoint {args.checkpoint}: this is a file, not a directory")
    directory.mkdir(parents=True, exist_ok=True)
    line = Line(list(arguments), str(Path.cwd()))
    if not any((directory / name).exists() for name in slots.NAMES):
        _write(directory, line)
    try:
        with _stopped_by_signals():
            yield
    except Stopped as stop:
        _write(directory, line)
        raise Stopped(f"stopped by {stop}; 'sparsebc resume {args.checkpoint}' goes on") from None
    _write(directory, line)  # not before: it may have been refused, for another is kept there


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Turn the first signal into an exception; those after it wait for what that one began."""
    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]

    def stop(number: int, _: object) -> None:
        for one in numbers:
            signal.signal(one, signal.SIG_IGN)
        raise Stopped(signal.Signals(number).name)

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _resume(args: argparse.Namespace) -> None:
    directory = Path(args.directory).resolve()
    line = _read(directory)
    again = args.parse(line.arguments)
    again.checkpoint = str(directory)  # it may have been moved
    os.chdir(line.folder)
    with kept(again, line.arguments):
        again.command(again)


def _status(args: argparse.Namespace) -> None:
    directory = Path(args.directory)
    line = _read(directory)
    from ..run import lock, slots

    found = slots.newest(directory)
    holder = lock.holder(directory)
    facts = {"command": " ".join(["sparsebc", *line.arguments])}
    if holder is not None and not lock.gone(holder):
        facts["state"] = f"running: {holder}"
    elif found is not None and found["finished"]:
        facts["state"] = "finished"
    else:
        facts["state"] = f"stopped; 'sparsebc resume {args.directory}' goes on"
    if found is not None:
        facts |= _progress(found)
    show(f"{name:<9}{fact}" for name, fact in facts.items())


def _progress(found: dict[str, Any]) -> dict[str, str]:
    """How far, how fast, and how long it will take from the last save on."""
    done, total, seconds = found["sources"], found["of_sources"], found["seconds"]
    facts = {
        "sources": f"{done} of {total} ({done / total if total else 1:.1%})",
        "time": f"{_clock(seconds)} of computing",
        "saved": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(found["saved"])),
    }
    if done and seconds > 0:
        facts["speed"] = f"{done / seconds:.4g} sources a second"
        if not found["finished"]:
            facts["left"] = f"{_clock((total - done) * seconds / done)} from the last save on"
    return facts


def _clock(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _read(directory: Path) -> Line:
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
