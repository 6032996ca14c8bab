"""The command ``sparsebc status``: how far the run of a directory is, or the parts of one."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .errors import Refusal
from .resume import NAME, read
from .table import show


def add(commands: Any) -> None:
    """Add the command to the parser."""
    summary = "say how far a command is, how fast, and when it will end"
    added = commands.add_parser("status", help=summary, epilog="example: sparsebc status kept")
    added.description = f"{summary.capitalize()}."
    added.add_argument("directory", metavar="DIR", help="what --checkpoint named")
    added.set_defaults(command=_status)


def _status(args: argparse.Namespace) -> None:
    from ..run import slots

    directory = Path(args.directory)
    found = slots.newest(directory)
    if found is None and any(directory.glob(f"part-*/{NAME}")):
        show(_of_parts(directory))
        return
    line = read(directory)
    facts = {"command": " ".join(["sparsebc", *line.arguments])}
    facts["state"] = _state(directory, found)
    if facts["state"] == "stopped":
        facts["state"] += f"; 'sparsebc resume {args.directory}' goes on"
    if found is not None:
        facts |= _progress(found)
    show(f"{name:<9}{fact}" for name, fact in facts.items())


def _of_parts(directory: Path) -> Iterator[str]:
    """A line for each part that was begun, then what all of them come to."""
    from ..run import parts
    from ..run.progress import clock

    there = parts.found(directory)
    if not there:
        raise Refusal(f"{directory}: no part has begun to sum; look again later")
    done = 0
    for part, header in there:
        state = _state(Path(part), header)
        done += state == "finished"
        share = header["sources"] / max(header["of_sources"], 1)
        took = f"{header['sources']} sources ({share:.1%}) in {clock(header['seconds'])}"
        yield f"part {part.name:<12}{took:<40}{state}"
    of = there[0][0].of
    goes_on = f": 'sparsebc merge {directory}' adds them up" if done == of else ""
    yield f"{done} of {of} parts are finished{goes_on}"


def _state(directory: Path, found: dict[str, Any] | None) -> str:
    """Whether its process is there, and whether all is done."""
    from ..run import lock

    holder = lock.holder(directory)
    if holder is not None and not lock.gone(holder):
        return f"running: {holder}"
    return "finished" if found is not None and found["finished"] else "stopped"


def _progress(found: dict[str, Any]) -> dict[str, str]:
    """How far, how fast, and how long it will take from the last save on."""
    from ..run.progress import clock

    done, total, seconds = found["sources"], found["of_sources"], found["seconds"]
    error = found.get("half_width")  # of an estimate, whose sources are those that are expected
    expected = "" if error is None else " expected"
    facts = {
        "sources": f"{done} of {total}{expected} ({done / total if total else 1:.1%})",
        **({} if error is None else {"error": f"within {error:.2g}"}),
        "time": f"{clock(seconds)} of computing",
        "saved": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(found["saved"])),
    }
    if done and seconds > 0:
        facts["speed"] = f"{done / seconds:.4g} sources a second"
        if not found["finished"]:
            left = (total - done) * seconds / done
            if found.get("of_seconds") is not None:  # whichever comes first
                left = min(left, max(found["of_seconds"] - seconds, 0.0))
            facts["left"] = f"{clock(left)} from the last save on"
    return facts
