"""What a command prints beside its result: text without control characters, errors, signals.

Foreseen errors take one line, internal ones a traceback. Batch systems stop a job by SIGTERM or
SIGUSR1, a closed terminal by SIGHUP: a command with ``--checkpoint`` saves, exits with the status
of a temporary failure, and the same command goes on.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import threading
import traceback
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from ..errors import SparsebcError, is_foreseen
from ..plain_text import JSON_ESCAPES, plain, plain_json
from .options import OPTIONS, Option


class Column(NamedTuple):
    """A column of a table: values, and how they are printed.

    Attributes
    ----------
    values : sequence or array
    spec : str
        Flush left (<) or right (>), then a format specification of Python; with # decimal points
        are aligned.
    """

    values: Any
    spec: str = "<"

    def at(self, rows: Any) -> Column:
        """Column of the given rows."""
        return self._replace(values=[self.values[row] for row in rows])

    def cells(self, title: str) -> list[str]:
        """Title and formatted values, padded to one width."""
        cells = [plain(f"{value:{self.spec[1:]}}") for value in self.values]
        if "#" in self.spec:
            before = [len(cell.partition(".")[0]) for cell in cells]
            most = max(before, default=0)
            cells = [" " * (most - n) + cell for n, cell in zip(before, cells, strict=True)]
        cells.insert(0, plain(title))
        widths = [_width(cell) for cell in cells]
        pads = [" " * (max(widths) - width) for width in widths]
        is_right = self.spec[0] == ">"
        padded = zip(pads, cells, strict=True)
        return [pad + cell if is_right else cell + pad for pad, cell in padded]


def table(columns: Mapping[str, Column]) -> list[str]:
    """Lines of a table: titles, then rows, columns two spaces apart."""
    cells = [column.cells(title) for title, column in columns.items()]
    return ["  ".join(row).rstrip() for row in zip(*cells, strict=True)]


def _width(text: str) -> int:
    """Width of a text on a terminal: wide characters count 2, combining ones 0."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)


def show(lines: Iterable[str], *, aside: bool = False) -> None:
    """Print lines, control characters escaped, to standard output, or `aside` to standard error."""
    put("\n".join(map(plain, lines)), aside=aside)


def show_json(text: str, *, aside: bool = False) -> None:
    """Print JSON; control characters and those the stream cannot encode as JSON escapes."""
    put(plain_json(text), JSON_ESCAPES, aside=aside)


def put(text: str, errors: str = "backslashreplace", *, aside: bool = False) -> None:
    """Print text unchanged; all output of a command goes through here. Raises if it is lost.

    A failure to print to standard error is ignored: there is no stream left to report it on.
    """
    stream = sys.stderr if aside else sys.stdout
    if stream is None:
        raise SparsebcError("standard output is closed: use -o FILE to write results")
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        print(text.encode(encoding, errors).decode(encoding), file=stream, flush=True)
    except OSError as error:
        if not aside:
            error.filename = "standard output"
            raise


PACKAGE = __package__.partition(".")[0]
INTERNAL = 70  # EX_SOFTWARE of sysexits.h
# Option by argument of the public functions; a command may have others.
OPTION_OF = {one.argument: one.name for one in OPTIONS.values() if one.argument}
OPTION_OF |= {"W": "--places", "directed": "--directed", "executor": "--workers"}
# Arguments that are True if their option is left out.
INVERSE = ("normalized",)
# Spellings of Python that messages of the command replace.
VALUE, QUOTES = r"'[^']*'|\"[^\"]*\"|[\w.+-]*\w", "'\""
VALUES = {" or None": "", "['cuda:0', 'cuda:1']": "cuda:0,cuda:1"}


class Refusal(SparsebcError):
    """Error that ends a command, printed in one line."""


def one_line(error: BaseException) -> str:
    """Message of a foreseen error, with its notes."""
    told = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        name = error.filename
        told = error.strerror if name is None else f"{name or repr(name)}: {error.strerror}"
    return " ".join([told, *getattr(error, "__notes__", [])])


def in_options(error: BaseException, own: Mapping[str, Option] = {}) -> str:
    """Message of a foreseen error, with options in place of the arguments that it names.

    These are the argument at fault, and each ``name=value``; none where no argument is at fault.
    """
    told, name = one_line(error), getattr(error, "option", "")
    if not name:
        return told
    if name == "device":
        for value, written in VALUES.items():
            told = told.replace(value, written)
    return spelt(told, name, own)


def spelt(told: str, name: str = "memory_budget", own: Mapping[str, Option] = {}) -> str:
    """Message with options in place of ``name=value``, and of the argument of a name.

    ``own`` has the options of a command, which may set other arguments.
    """
    option_of = OPTION_OF | {one.argument: one.name for one in own.values() if one.argument}

    def option(found: re.Match[str]) -> str:
        if not found["known"]:
            return option_of.get(found[0], found[0])
        option, value = option_of[found["known"]], found["value"]
        if value in ("True", "False"):
            return option if (value == "True") != (found["known"] in INVERSE) else f"no {option}"
        return f"{option} {value.strip(QUOTES).removeprefix('numpy.')}"

    def options(found: re.Match[str]) -> str:
        return " and ".join(option_of.get(one, one) for one in found[1].split(" and "))

    known = rf"(?P<known>{'|'.join(option_of)})=(?P<value>{VALUE})"
    told = re.sub(rf"(?<![\w'\"])(?:{known}|{re.escape(name)}(?![\w'\"]))", option, told)
    # What differs from another run, without the hashes that say how.
    return re.sub(r"(?<=which differs in )(.*?) \(.* was .*\)(?=: use)", options, told)


@contextmanager
def refusing(spell: Callable[[BaseException], str]) -> Iterator[None]:
    """Turn foreseen errors into a `Refusal` that names options in place of arguments.

    For computations only: files are read before and written after, so no message holds the name
    of a file, in which an argument could be replaced.
    """
    try:
        yield
    except Exception as error:
        if not is_foreseen(error) or isinstance(error, OSError):
            raise
        raise Refusal(spell(error)) from error


def report(error: BaseException) -> None:
    """Print the traceback of an internal error, and what to do."""
    last = (
        f"{PACKAGE}: internal error: this is a fault of {PACKAGE}, not of the command. Please "
        f"report it, with the lines above and what '{PACKAGE} --info' prints."
    )
    trace = "".join(traceback.format_exception(error)).splitlines()
    show([*trace, last], aside=True)


STOPPED = 75  # EX_TEMPFAIL of sysexits.h
SIGNALS = ("SIGTERM", "SIGUSR1", "SIGHUP")


class Stopped(BaseException):
    """A signal stopped the command."""


@contextmanager
def resumable(given: argparse.Namespace) -> Iterator[None]:
    """Let signals stop a command that has a checkpoint; refuse one that could not go on.

    So do commands with an executor, whose workers and files must go.
    """
    if given.checkpoint is None:
        with stopped_by_signals() if isinstance(given.workers, str) else nullcontext():
            yield
        return
    if given.network == "-":
        raise Refusal("--checkpoint: standard input can be read only once; name a file")
    if given.seed is None and given.draws:
        what = "networks" if given.command.name == "null-model" else "sources"
        raise Refusal(f"--checkpoint: without --seed each run draws other {what}; add --seed")
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
