"""The command ``sparsebc status``: progress of the run in a directory, or of its parts."""

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
    """Print the progress, speed and remaining time of a command."""
    from ..io import json_text
    from ..run import shards, state_file

    directory = Path(given.directory)
    if not directory.is_dir():
        raise Refusal(f"{directory}: there is no such directory")
    header = state_file.header(directory)
    if header is None and any(directory.glob(f"part-*/{command_file.NAME}")):
        found = [
            {"part": shard.number, "of": shard.of, **_record(Path(shard), header)}
            for shard, header in shards.found(directory)
        ]
        if not found:
            raise Refusal(f"{directory}: no part has saved sums yet; try again later")
        record: dict[str, Any] = {"parts": found}
        lines = _lines_of_shards(given.directory, found)
    else:
        line, _ = command_file.read(directory)
        record = {"command": line.arguments, "folder": line.folder, **_record(directory, header)}
        unit = "samples" if line.arguments[0].replace("_", "-") == "null-model" else "sources"
        lines = _lines(given.directory, str(line), record, unit)
        record = {name.replace("sources", unit): fact for name, fact in record.items()}
    show([json_text.value(record)] if given.json else lines)


def _record(directory: Path, header: dict[str, Any] | None) -> dict[str, Any]:
    """State of a run, and its progress at the last save."""
    from ..run import lock, state_file

    holder, is_finished = lock.holder(directory), (header or {}).get("finished") is True
    record: dict[str, Any] = {"state": "finished" if is_finished else "stopped"}
    if holder is not None:
        record["state"] = "running"
    record |= {name: getattr(holder, name, None) for name in ("process", "host")}
    if header is None:
        return record
    for name in ("sources", "of_sources", "seconds", "saved", "half_width", "of_seconds"):
        value = header.get(name)
        if value is None and name in ("half_width", "of_seconds"):
            continue  # an estimate has them
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e15:
            raise state_file.damaged(directory, f"{name} is {value!r:.20}")
        record[name] = value
    done, seconds = record["sources"], record["seconds"]
    if done and seconds and record["state"] != "finished":
        of_sources = (record["of_sources"] - done) * seconds / done
        of_time = record.get("of_seconds", math.inf) - seconds  # whichever comes first
        record["seconds_left"] = float(max(min(of_sources, of_time), 0))
    return record


def _state(record: dict[str, Any]) -> str:
    """State of a run; of a running one with its process and host."""
    place = f": process {record['process']} on {record['host']}"
    return str(record["state"]) + (place if record["state"] == "running" else "")


def _lines(directory: str, typed: str, record: dict[str, Any], unit: str) -> Iterator[str]:
    """Lines on a run: command, state and progress."""
    goes_on = f"; 'sparsebc resume {directory}' continues" if record["state"] == "stopped" else ""
    facts = {"command": typed, "state": _state(record) + goes_on}
    if "sources" in record:
        facts |= _progress(record, unit)
    for name, fact in facts.items():
        yield f"{name:<9}{fact}"


def _progress(record: dict[str, Any], unit: str) -> dict[str, str]:
    """Progress of a run: share, speed and time left."""
    from ..run.progress import clock

    done, total, seconds = record["sources"], record["of_sources"], record["seconds"]
    error = record.get("half_width")  # of an estimate, which only expects its number of sources
    expected = "" if error is None else " expected"
    facts = {
        unit: f"{done} of {total}{expected} ({done / total if total else 1:.1%})",
        **({} if error is None else {"error": f"within {error:.2g}"}),
        "time": f"{clock(seconds)} of computing",
        "saved": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record["saved"])),
    }
    if done and seconds > 0:
        facts["speed"] = f"{done / seconds:.4g} {unit} a second"
    if "seconds_left" in record:
        facts["left"] = f"{clock(record['seconds_left'])} from the last save on"
    return facts


def _lines_of_shards(directory: str, shards: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each shard with a saved state, then the number of finished shards."""
    from ..run.progress import clock

    for shard in shards:
        share = shard["sources"] / max(shard["of_sources"], 1)
        took = f"{shard['sources']} sources ({share:.1%}) in {clock(shard['seconds'])}"
        name = f"{shard['part']} of {shard['of']}"
        yield f"part {name:<12}{took:<40}{_state(shard)}"
    done = sum(shard["state"] == "finished" for shard in shards)
    of = shards[0]["of"]
    goes_on = f": 'sparsebc merge {directory}' adds them up" if done == of else ""
    yield f"{done} of {of} parts are finished{goes_on}"
