"""The command ``sparsebc merge``, and what a command with ``--part`` tells at its end."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import command_file, resume
from .errors import Refusal

if TYPE_CHECKING:
    from .inputs import Input


def add(commands: Any) -> None:
    """Add the command to the parser."""
    summary = "add up the parts that --part kept, and do all else that their command says"
    added = commands.add_parser("merge", help=summary, epilog="example: sparsebc merge kept")
    added.description = f"{summary.capitalize()}. Scores have the bits of one run."
    added.add_argument("directory", metavar="DIR", help="what --checkpoint named")
    resume.add_ways(added)
    added.set_defaults(command=_merge)


def _merge(args: argparse.Namespace) -> None:
    directory = Path(args.directory).resolve()
    if not directory.is_dir():
        raise Refusal(f"{args.directory}: there is no such directory")
    begun = sorted(directory.glob(f"part-*/{command_file.NAME}"))
    if not begun:
        raise Refusal(f"{args.directory} holds no parts: name the --checkpoint of their commands")
    given = command_file.own(begun[0].parent, yes=args.yes)
    line = command_file.Line(list(_without_part(given.arguments)), given.folder)
    whole = command_file.parsed(args, line, begun[0].parent)
    whole.checkpoint = str(directory)  # it may have been moved
    resume.go_on(args, whole, line)


def _without_part(arguments: Sequence[str]) -> Iterator[str]:
    """The line but for ``--part I/N``, however it is spelt."""
    left = iter(arguments)
    for one in left:
        name, _, value = one.partition("=")
        if len(name) > len("--p") and "--part".startswith(name):
            if not value:
                next(left, None)
        else:
            yield one


def tell_part(
    args: argparse.Namespace, network: Input, sources: int, seconds: float, device: str
) -> None:
    """Say what a part has come to, and what is next."""
    from . import outputs

    number, of = args.part
    head = f"{network.label}: part {number} of {of}, {sources} sources; {seconds:.2f} s on {device}"
    note = f"'sparsebc merge {args.checkpoint}' adds up the parts once all of them are there"
    record = {
        **{"network": network.label, "part": number, "of": of, "sources": sources},
        **{"seconds": seconds, "device": device},
    }
    outputs.tell(args, [head], [note], {}, lambda: record)
