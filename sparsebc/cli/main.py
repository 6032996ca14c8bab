"""Entry point of the command line: runs a command, and returns its exit status."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from ..errors import is_foreseen
from . import messages, signals
from .commands import parse
from .printing import show


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command: a network, a query, a result, its output.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the name of the program; those of the process by default.

    Returns
    -------
    int
        Exit status: 0, 1 if input or machine do not allow an answer, 70 after an internal error,
        75 if a signal stopped a command that can be resumed, 130 after Ctrl-C.

    Raises
    ------
    SystemExit
        With status 2 if the arguments are wrong, with 0 after ``--help``.
    """
    try:
        given = parse(list(sys.argv[1:] if argv is None else argv))
        stops = given.checkpoint is not None or isinstance(given.workers, str)
        with _logging(given), signals.resumable(given) if stops else nullcontext():
            if given.command is None:
                from . import info

                info.tell(given)
                return 0
            from . import measures, network, output, query

            suffix = output.check(given)
            read = network.read(given)
            if given.names is not None or suffix == ".html":
                from . import tables

                read = tables.labelled(read)
            asked = query.Query(given, read)
            output.check_read(asked, suffix)
            if given.command.name == "explain":
                output.tell_plan(asked)
                return 0
            found = getattr(measures, given.command.run)(asked)
            output.deliver(asked, found, suffix)
            if found.stopped is not None:
                raise found.stopped
    except signals.Stopped as stop:
        show([f"sparsebc: {stop}"], aside=True)
        return signals.STOPPED
    except KeyboardInterrupt:
        show(["sparsebc: stopped"], aside=True)
        return 130
    except BrokenPipeError:
        return 0  # the reader of a pipe left early, as head does
    except Exception as error:
        if not is_foreseen(error):
            trace = "".join(traceback.format_exception(error)).splitlines()
            show([*trace, messages.FAULT], aside=True)
            return messages.INTERNAL
        show([f"sparsebc: error: {messages.one_line(error)}"], aside=True)
        return 1
    return 0


@contextmanager
def _logging(given: argparse.Namespace) -> Iterator[None]:
    """Print the log of the library to standard error, within this context: warnings, as notes."""
    import logging

    logger, handler = logging.getLogger("sparsebc"), logging.Handler()
    before, form = logger.level, "note: %(message)s"
    if given.verbose:
        logger.setLevel(logging.INFO)
        form = "%(asctime)s %(name)s: %(message)s"
    elif given.quiet:
        handler.setLevel(logging.ERROR)
    handler.setFormatter(logging.Formatter(form, "%Y-%m-%d %H:%M:%S"))

    def emit(record: logging.LogRecord) -> None:
        show([messages.spelt(line) for line in handler.format(record).splitlines()], aside=True)

    handler.emit = emit  # type: ignore[method-assign]
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
