"""Stops of a GTFS feed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...plain_text import ascii_number
from .feed import Feed

TABLE = "stops.txt"
COLUMNS = ("stop_id", "stop_name", "stop_lat", "stop_lon", "location_type", "parent_station")


class Stops(NamedTuple):
    """Stops and platforms, in the order of the table.

    Attributes
    ----------
    number : dict
        Number of each stop, by its identifier.
    names : tuple of str
    positions : ndarray, shape (n, 2)
        Longitude and latitude in degrees; NaN if missing.
    of_station : dict
        Numbers of the stops of a station, by its identifier.
    """

    number: dict[str, int]
    names: tuple[str, ...]
    positions: NDArray[np.float64]
    of_station: dict[str, list[int]]

    def at(self, identifier: str, place: str) -> list[int]:
        """Number of a stop, or numbers of the stops of a station, in a list."""
        if identifier in self.number:
            return [self.number[identifier]]
        if identifier in self.of_station:
            return self.of_station[identifier]
        raise InputError(f"{place}: stop {identifier!r}; expected one of {TABLE}")


def read(feed: Feed) -> Stops:
    """Stops of a feed.

    Raises
    ------
    ValueError
        If two stops have one identifier, or a latitude or longitude is invalid.
    """
    number: dict[str, int] = {}
    seen: set[str] = set()
    names: list[str] = []
    positions: list[tuple[float, float]] = []
    of_station: dict[str, list[int]] = {}
    rows = feed.rows(TABLE, COLUMNS[:1], COLUMNS[1:])
    for place, (stop, name, latitude, longitude, kind, parent) in rows:
        if not stop or stop in seen:
            raise InputError(f"{place}: stop_id {stop!r}; expected another for each stop")
        seen.add(stop)
        if kind not in ("", "0", "1", "2", "3", "4"):
            raise InputError(f"{place}: location_type {kind!r}; expected 0 to 4")
        if kind == "1":
            of_station.setdefault(stop, [])
        if kind not in ("", "0"):  # stations, entrances and the like
            continue
        number[stop] = len(names)
        if parent:
            of_station.setdefault(parent, []).append(len(names))
        names.append(name)
        positions.append((_degrees(longitude, 180, place), _degrees(latitude, 90, place)))
    if not names:
        raise InputError(
            f"{feed.place(TABLE)}: no stop; expected one with location_type 0 at least"
        )
    return Stops(number, tuple(names), np.array(positions, dtype=np.float64), of_station)


def _degrees(text: str, most: int, place: str) -> float:
    """A coordinate in degrees; NaN for an empty text."""
    if not text:
        return np.nan
    try:
        value = ascii_number(text)
    except ValueError:
        value = np.nan
    if not abs(value) <= most:
        raise InputError(f"{place}: coordinate {text!r}; expected degrees from {-most} to {most}")
    return value
