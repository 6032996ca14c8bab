"""The command line: the program, and how a command ends."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from ..errors import is_foreseen
from . import (
    approximate,
    centrality,
    compile,
    dismantle,
    errors,
    explain,
    groups,
    info,
    merge,
    percolation,
    resume,
    search,
    status,
)
from .common import Parser, telling
from .table import show


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the name of the program; those of the process by default.

    Returns
    -------
    int
        Exit status: 0, 1 where input or machine do not serve, 70 after an internal error, 75 where
        a signal stopped what can go on, 130 after Ctrl-C.

    Raises
    ------
    SystemExit
        With status 2 if the arguments are wrong, with 0 after ``--help`` and ``--version``.
    """
    _open_closed()
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = _parser()
    if any("\0" in one for one in arguments):
        parser.error("an argument has the character NUL, which is in no name of a file")
    args = parser.parse_args(arguments)
    try:
        with telling(args), resume.kept(args, arguments):
            args.command(args)
    except resume.Stopped as stop:
        show([f"sparsebc: {stop}"], aside=True)
        return resume.STOPPED
    except KeyboardInterrupt:
        show(["sparsebc: stopped"], aside=True)
        return 130
    except BrokenPipeError:  # a reader left early, as head does
        with contextlib.suppress(AttributeError, OSError):  # a notebook's has no descriptor
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
    except Exception as error:
        if not is_foreseen(error):
            errors.report(error)
            return errors.INTERNAL
        show([f"sparsebc: error: {errors.one_line(error)}"], aside=True)
        return 1
    return 0


def _open_closed() -> None:
    """Let no file that is opened later take the place of a standard stream that is closed."""
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, flags), True)
    if sys.stdin is None:
        sys.stdin = open(os.devnull)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")


def _parser() -> Parser:
    parser = Parser(
        prog="sparsebc",
        description="Shortest-path centrality of networks.",
        epilog="example: sparsebc betweenness karate",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    parser.set_defaults(parse=parser.parse_args)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    of_paths = (centrality, percolation, groups, dismantle, approximate, explain)
    for part in (*of_paths, search, resume, status, merge, info, compile):
        part.add(commands)
    return parser


class _Version(argparse.Action):
    """Print the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from .. import __version__

        print(f"sparsebc {__version__}")
        parser.exit()
