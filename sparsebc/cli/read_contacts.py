"""How the contacts of a command are read: a table, or a day of a feed in the format GTFS."""

from __future__ import annotations

import argparse
import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from .. import io, temporal
from ..errors import is_foreseen
from ..io.columns import AmbiguousFile
from .errors import Refusal, in_options
from .network import Network
from .node_tables import Positions
from .read_network import COLUMNS, TABLE


def read(given: argparse.Namespace) -> Network:
    """Network of contacts, whose matrix has the number of those from node to node."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", io.ReadWarning)
        timetable = None if given.day is None else _of_feed(given)
        contacts = timetable.contacts if timetable else _of_table(given)
    for warning in caught:
        if issubclass(warning.category, io.ReadWarning):
            notes.append(str(warning.message))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    directed = bool(given.directed or timetable)
    names = tuple(map(str, contacts.nodes))
    ends = contacts.source, contacts.target
    matrix = scipy.sparse.coo_array((np.ones(len(ends[0])), ends), (len(names),) * 2).tocsr()
    if not directed and (matrix != matrix.T).nnz:
        notes.append("each contact is taken both ways; --directed takes it from source to target")
    label = "standard input" if given.network == "-" else given.network
    places = Positions()
    if timetable and not np.isnan(timetable.positions).any():
        places = Positions(timetable.positions, True)
    return Network(given, label, matrix, names, directed, notes, contacts=contacts, places=places,
                   stops=timetable and timetable.stops)  # fmt: skip


def _of_feed(given: argparse.Namespace) -> Any:
    """Day of a feed."""
    if given.network == "-":
        raise Refusal("--day: a feed is a folder or a zip archive, and no standard input")
    options = {"radius": given.radius, "speed": given.speed}
    told = {name: value for name, value in options.items() if value is not None}
    try:
        return temporal.read_gtfs(given.network, given.day, **told)
    except Exception as error:
        if not is_foreseen(error) or isinstance(error, OSError):
            raise
        raise Refusal(in_options(error)) from error


def _of_table(given: argparse.Namespace) -> Any:
    """Contacts of a table of text."""
    told = {
        option: getattr(given, option) for option in TABLE if getattr(given, option) is not None
    }
    told |= given.columns or {}
    if given.no_header:
        if not all(map(str.isdigit, (given.columns or {}).values())):
            raise Refusal("--columns is for a header, and --no-header for none: leave out either")
        told["header"] = False
    if _is_feed(given.network):
        raise Refusal(f"{given.network}: this is a feed in the format GTFS; --day names its day")
    try:
        return temporal.read(sys.stdin.buffer if given.network == "-" else given.network, **told)
    except AmbiguousFile as error:
        raise Refusal(error.spelt(COLUMNS)) from error


def _is_feed(path: str) -> bool:
    """Whether a path is a folder or an archive of a feed."""
    if Path(path).is_dir():
        return (Path(path) / "stops.txt").is_file()
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.rpartition("/")[2] == "stops.txt" for name in archive.namelist())
