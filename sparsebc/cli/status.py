"""The command ``sparsebc status``: how far the run of a directory is, or the parts of one."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import command_file
from .errors import Refusal
from .table import show


def status(given: argparse.Namespace) -> None:
    """How far a command is, how fast, and when it will end."""
    from ..io import json_text
    from ..run import shards, state_file

    directory = Path(given.directory)
    header = state_file.header(directory)
    if header is None and any(directory.glob(f"part-*/{command_file.NAME}")):
        found = [
            {"part": shard.number, "of": shard.of, **_record(Path(shard), header)}
            for shard, header in shards.found(directory)
        ]
        if not found:
            raise Refusal(f"{directory}: no part has begun to sum; look again later")
        record: dict[str, Any] = {"parts": found}
        lines = _lines_of_shards(given.directory, found)
    else:
        line, _ = command_file.read(directory)
        record = {"command": line.arguments, "folder": line.folder, **_record(directory, header)}
        lines = _lines(given.directory, str(line), record)
    show([json_text.value(record)] if given.json else lines)


def _record(directory: Path, header: dict[str, Any] | None) -> dict[str, Any]:
    """State of a run, and how far it was when it was last saved."""
    from ..run import lock, state_file

    holder = lock.holder(directory)
    record: dict[str, Any] = {"state": "stopped", "process": None, "host": None}
    if header is not None and header.get("finished") is True:
        record["state"] = "finished"
    if holder is not None:
        record |= {"state": "running", "process": holder.process, "host": holder.host}
    if header is None:
        return record
    for name in ("sources", "of_sources", "seconds", "saved", "half_width", "of_seconds"):
        value = header.get(name)
        if value is None and name in ("half_width", "of_seconds"):
            continue  # an estimate has them
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e15:
            raise state_file.damaged(directory, f"{name} is {value!r:.20}")
        record[name] = value
    left = _seconds_left(record)
    return record if left is None else {**record, "seconds_left": left}


def _seconds_left(record: dict[str, Any]) -> float | None:
    """Time that a run will take from its last save on; None if that cannot be told."""
    done, total, seconds = record["sources"], record["of_sources"], record["seconds"]
    if not done or not seconds or record["state"] == "finished":
        return None
    of_sources = (total - done) * seconds / done
    of_time = record.get("of_seconds", math.inf) - seconds  # whichever comes first
    return float(max(min(of_sources, of_time), 0))


def _lines(directory: str, typed: str, record: dict[str, Any]) -> Iterator[str]:
    """What there is to say of a run, a line each."""
    facts = {"command": typed, "state": record["state"]}
    if record["state"] == "running":
        facts["state"] += f": process {record['process']} on {record['host']}"
    elif record["state"] == "stopped":
        facts["state"] += f"; 'sparsebc resume {directory}' goes on"
    if "sources" in record:
        facts |= _progress(record)
    for name, fact in facts.items():
        yield f"{name:<9}{fact}"


def _progress(record: dict[str, Any]) -> dict[str, str]:
    """How far, how fast, and how long it will take."""
    from ..run.progress import clock

    done, total, seconds = record["sources"], record["of_sources"], record["seconds"]
    error = record.get("half_width")  # of an estimate, whose sources are those that are expected
    expected = "" if error is None else " expected"
    facts = {
        "sources": f"{done} of {total}{expected} ({done / total if total else 1:.1%})",
        **({} if error is None else {"error": f"within {error:.2g}"}),
        "time": f"{clock(seconds)} of computing",
        "saved": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record["saved"])),
    }
    if done and seconds > 0:
        facts["speed"] = f"{done / seconds:.4g} sources a second"
    if "seconds_left" in record:
        facts["left"] = f"{clock(record['seconds_left'])} from the last save on"
    return facts


def _lines_of_shards(directory: str, shards: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each shard that has begun, then how many are finished."""
    from ..run.progress import clock

    done = 0
    for shard in shards:
        done += shard["state"] == "finished"
        state = shard["state"]
        if state == "running":
            state += f": process {shard['process']} on {shard['host']}"
        share = shard["sources"] / max(shard["of_sources"], 1)
        took = f"{shard['sources']} sources ({share:.1%}) in {clock(shard['seconds'])}"
        name = f"{shard['part']} of {shard['of']}"
        yield f"part {name:<12}{took:<40}{state}"
    of = shards[0]["of"]
    goes_on = f": 'sparsebc merge {directory}' adds them up" if done == of else ""
    yield f"{done} of {of} parts are finished{goes_on}"
