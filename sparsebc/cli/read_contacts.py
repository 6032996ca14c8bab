"""Reader of the contacts of a command: a table, or a day of a GTFS feed."""

import argparse
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from .. import temporal
from ..io.source import intact
from ..temporal.times import numbers
from .errors import Refusal, refusing
from .network import Network
from .node_tables import Positions
from .read_network import label, noting, table_file, table_options

CLOCK = re.compile("([0-9]{1,3}):([0-5][0-9])(?::([0-5][0-9]))?")


def read(given: argparse.Namespace) -> Network:
    """Temporal network; entry [i, j] of its matrix is the number of contacts from i to j."""
    notes: list[str] = []
    with noting(given, notes):
        timetable = None if given.day is None else _of_feed(given)
        contacts = timetable.contacts if timetable else _of_table(given)
    directed = bool(given.directed or timetable)
    names = tuple(map(str, contacts.nodes))
    ends = contacts.source, contacts.target
    matrix = scipy.sparse.coo_array((np.ones(len(ends[0])), ends), (len(names),) * 2).tocsr()
    if not directed and (matrix != matrix.T).nnz:
        notes.append("each contact is taken both ways; --directed takes it from source to target")
    positions = Positions()
    if timetable and not np.isnan(timetable.positions).any():
        positions = Positions(timetable.positions, True)
    stops = timetable.stops if timetable and any(timetable.stops) else None
    return Network(given, label(given), matrix, names, directed, notes, contacts=contacts,
                   positions=positions, stops=stops)  # fmt: skip


def _of_feed(given: argparse.Namespace) -> Any:
    """Timetable of a day of a feed."""
    if given.network == "-":
        raise Refusal("--day reads a folder or a zip archive, not standard input: name either")
    options = {"radius": given.radius, "speed": given.speed}
    told = {name: value for name, value in options.items() if value is not None}
    with refusing():
        return temporal.read_gtfs(given.network, given.day, **told)


def _of_table(given: argparse.Namespace) -> Any:
    """Contacts in a table of text."""
    file = table_file(given)
    if _is_feed(given.network):
        raise Refusal(f"{given.network} is a feed in the format GTFS: name the day by --day")
    return temporal.read(file, **table_options(given))


def _is_feed(path: str) -> bool:
    """Whether a path is a GTFS feed: a folder or zip archive with stops.txt."""
    if Path(path).is_dir():
        return (Path(path) / "stops.txt").is_file()
    if not zipfile.is_zipfile(path):
        return False
    with intact(path, ".zip"), zipfile.ZipFile(path) as archive:
        return any(name.rpartition("/")[2] == "stops.txt" for name in archive.namelist())


def instant(text: str, *, of_day: bool) -> float:
    """Time in an argument: a number or a date; with `of_day` also as 08:30."""
    if of_day and (match := CLOCK.fullmatch(text)):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return 3600 * hours + 60 * minutes + seconds
    time: float = numbers([text], "time", lambda _: "--start")[0].item()
    return time


def clock(time: float) -> str:
    """Text of a time of day in seconds, as 08:30:00."""
    minutes, seconds = divmod(abs(int(time)), 60)
    return f"{'-' if time < 0 else ''}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
