"""A day of a public timetable as contacts between its stops."""

from __future__ import annotations

import math
import os
from datetime import date as Date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ..contacts import Contacts
from . import on_foot, services, stops, trips
from .feed import Feed


class Timetable(NamedTuple):
    """A day of a public timetable.

    ``contacts, stops, positions = timetable`` unpacks it.

    Attributes
    ----------
    contacts : Contacts
        Nodes are the stops, by their ``stop_id``.
    stops : tuple of str, length n
        ``stop_name`` of each stop.
    positions : ndarray, shape (n, 2), dtype float64
        Longitude and latitude in degrees; NaN if missing.
    """

    contacts: Contacts
    stops: tuple[str, ...]
    positions: NDArray[np.float64]

    def __repr__(self) -> str:
        """Numbers of stops and contacts, and the first stops, in one line."""
        first = ", ".join(map(repr, self.stops[:3])) + ", ..." * (len(self.stops) > 3)
        size = f"{len(self.stops):,} stops, {len(self.contacts.time):,} contacts"
        return f"<Timetable of {size}; {first}>"


def read_gtfs(
    feed: str | os.PathLike[str],
    date: str | Date,
    *,
    radius: float | None = None,
    speed: float = 1.3,
) -> Timetable:
    r"""Contacts of a day of a public timetable: rides from stop to stop, and walks between stops.

    Parameters
    ----------
    feed : str or path-like
        A feed in GTFS format: a folder of its tables, or a zip archive.
    date : str or datetime.date
        The day of service, as ``"2026-11-26"``. Its trips may go on after midnight; those of the
        day before that do are not included.
    radius : float, optional
        Add walks between stops at most this many metres apart to those of ``transfers.txt``.
    speed : float, optional
        Walking speed in metres a second along the straight line; 1.3 are 4.7 km/h.

    Returns
    -------
    Timetable
        `contacts`: an edge for each ride of a trip to its next stop, and for each walk, with
        positive durations in seconds. Times are int64 seconds since the start of the day (12 hours
        before noon); they exceed 86400 after midnight, and walks may start at negative ones.

    Raises
    ------
    MemoryError
        If the contacts do not fit in the free memory.
    OSError
        If the feed cannot be opened.
    TypeError
        If `date` is neither a date nor text.
    ValueError
        If the feed is damaged or malformed: no zip archive, a zip bomb, several feeds in one, a
        missing table or column, a line of another length, a repeated or unknown identifier, an
        invalid date, time, number or position, decreasing times of a trip, no time at an end of a
        trip. The message names the table and the line. Also if nothing runs on `date`, or `radius`
        or `speed` is not a positive number.

    Warns
    -----
    ReadWarning
        If transfers are left out: those of single trips or routes, and from a stop to itself.

    Notes
    -----
    Nodes are stops and platforms (``location_type`` 0), served or not. A transfer of a station is
    one of all its stops. The tables are ``stops``, ``trips``, ``stop_times``, ``calendar`` with
    ``calendar_dates``, ``frequencies``, whose trips leave every ``headway_secs``, exact or not, and
    ``transfers``. Missing times are interpolated evenly between the nearest two that are given. If
    stops of a trip have equal times, each is moved to a second after the one before, up to the
    first time that is late enough.

    A walk can start at any time. Its edges start at each arrival of a vehicle at its first stop
    and, before the first of these, end at each departure from its second stop: all that is needed
    to walk once between two rides, before the first or after the last.

    Time and memory grow with the tables and the contacts, some 150 bytes a contact.

    References
    ----------
    General Transit Feed Specification, https://gtfs.org/documentation/schedule/reference/

    Examples
    --------
    Two lines that meet at a square, 150 metres apart:

    >>> import pathlib, tempfile
    >>> tables = {
    ...     "stops": "stop_id,stop_name,stop_lat,stop_lon\nA,Harbour,60.15,24.94\n"
    ...     "B,Square,60.17,24.94\nC,Square,60.1713,24.94\nD,Park,60.19,24.94\n",
    ...     "trips": "route_id,service_id,trip_id\n1,daily,1a\n2,daily,2a\n",
    ...     "stop_times": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
    ...     "1a,8:00:00,8:00:00,A,1\n1a,8:10:00,8:10:00,B,2\n"
    ...     "2a,8:15:00,8:15:00,C,1\n2a,8:25:00,8:25:00,D,2\n",
    ...     "calendar_dates": "service_id,date,exception_type\ndaily,20261126,1\n",
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, table in tables.items():
    ...         _ = pathlib.Path(folder, f"{name}.txt").write_text(table)
    ...     contacts, stops, positions = read_gtfs(folder, "2026-11-26", radius=200)
    >>> for row in zip(contacts.source, contacts.target, contacts.time, contacts.duration):
    ...     print(*(contacts.nodes[stop] for stop in row[:2]), *row[2:])
    A B 28800 600
    B C 29400 112
    C D 29700 600
    """
    for name, value in (("radius", radius), ("speed", speed)):
        if value is not None and not 0 < float(value) < math.inf:
            raise OptionError(f"{name} must be a number above 0, got {value!r}", name)
    day = services.day_of(date)
    with Feed(feed) as tables:
        found = stops.read(tables)
        rides = trips.rides(tables, found, services.services_on(tables, day))
        walks = on_foot.walks(tables, found, radius, speed)
        edges = zip(rides, on_foot.walked(tables, walks, rides, len(found.names)), strict=True)
    source, target, departure, arrival = (np.concatenate(pair) for pair in edges)
    nodes = tuple(found.number)
    contacts = Contacts(source, target, departure, arrival - departure, n=len(nodes), nodes=nodes)
    return Timetable(contacts, found.names, found.positions)
