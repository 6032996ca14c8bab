"""Walks between the stops of a GTFS feed: its transfers, and stops within a radius."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from ...errors import InputError
from ...graph.csr import ranges
from ...io.columns import remark
from ...io.text import is_whole
from .feed import Feed
from .stops import Stops
from .trips import EDGE_BYTES, Rides

TABLE = "transfers.txt"
COLUMNS = ("from_stop_id", "to_stop_id")
OTHERS = ("transfer_type", "min_transfer_time", "from_trip_id", "to_trip_id", "from_route_id",
          "to_route_id")  # fmt: skip
IMPOSSIBLE = "3"  # a transfer_type
BY_DISTANCE, FORBIDDEN = -1, -2  # markers in place of seconds
EARTH = 6_371_008.8  # mean radius in metres
PAIR_BYTES = 100
SMALLER = ": choose a smaller radius"


class Walks(NamedTuple):
    """Distinct pairs of stops, ascending, and the duration of each walk in seconds."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    seconds: NDArray[np.int64]


def walks(feed: Feed, stops: Stops, radius: float | None, speed: float) -> Walks:
    """Walks of the table of transfers, and between stops within a radius.

    A transfer without a time takes that of the straight line; every walk takes at least a second.

    Raises
    ------
    MemoryError
        If the pairs of stops within the radius do not fit in the free memory.
    ValueError
        If a row of the table is invalid, or a stop lacks a position that is needed.
    """
    n = len(stops.names)
    transfers = _transfers(feed, stops)
    keys = np.array([a * n + b for a, b in transfers], dtype=np.int64)
    near = np.zeros(0, dtype=np.int64) if radius is None else _within(feed, stops, radius)
    pairs = np.union1d(keys, near)
    seconds = np.full(len(pairs), BY_DISTANCE)
    seconds[np.searchsorted(pairs, keys)] = list(transfers.values())
    source, target = np.divmod(pairs, n)
    by_distance = seconds == BY_DISTANCE
    ends = source[by_distance], target[by_distance]
    _check_positions(feed, stops, np.concatenate(ends))
    chord = np.linalg.norm(_on_sphere(stops, ends[0]) - _on_sphere(stops, ends[1]), axis=1)
    metres = 2 * EARTH * np.arcsin(np.minimum(chord / 2, 1))
    seconds[by_distance] = np.maximum(np.ceil(metres / speed), 1)
    allowed = seconds != FORBIDDEN
    return Walks(source[allowed], target[allowed], seconds[allowed])


def _transfers(feed: Feed, stops: Stops) -> dict[tuple[int, int], int]:
    """Seconds by pair of stops; rows about two stops take precedence over those of a station."""
    rows: dict[tuple[str, str], tuple[list[int], list[int], int]] = {}
    left_out = 0
    table = feed.rows(TABLE, COLUMNS, OTHERS, may_miss=True)
    for place, (start, end, kind, least, *of_trips) in table:
        if kind not in ("", "0", "1", "2", IMPOSSIBLE, "4", "5"):
            raise InputError(f"{place}: transfer_type {kind!r}; expected 0 to 5")
        if least and not is_whole(least):
            raise InputError(f"{place}: min_transfer_time {least!r}; expected seconds from 0 on")
        if any(of_trips) or kind in ("4", "5"):
            left_out += 1
            continue
        if (start, end) in rows:
            raise InputError(f"{place}: {start!r} to {end!r} again; expected each pair once")
        ends = stops.at(start, place), stops.at(end, place)
        left_out += ends[0] == ends[1]
        seconds = max(int(least), 1) if least else BY_DISTANCE
        rows[start, end] = (*ends, FORBIDDEN if kind == IMPOSSIBLE else seconds)
    if left_out:
        remark(
            f"{feed.place(TABLE)}: ignored {left_out} rows for single trips or routes, or from a "
            "stop to itself: changes at a stop take no time"
        )
    known = stops.number.keys()
    ordered = sorted(rows.items(), key=lambda row: sum(end in known for end in row[0]))
    return {(a, b): seconds for _, (starts, ends, seconds) in ordered  # the last of a pair holds
            for a in starts for b in ends if a != b}  # fmt: skip


def _within(feed: Feed, stops: Stops, radius: float) -> NDArray[np.int64]:
    """Keys a n + b of the ordered pairs of stops (a, b) within ``radius`` metres."""
    n = len(stops.names)
    _check_positions(feed, stops, np.arange(n))
    tree = KDTree(_on_sphere(stops, np.arange(n)))
    chord = 2 * np.sin(min(radius / EARTH / 2, np.pi / 2))
    count = int(tree.count_neighbors(tree, chord)) - n
    feed.check_memory(f"{count} pairs of stops within {radius:g} m", count * PAIR_BYTES, SMALLER)
    a, b = tree.query_pairs(chord, output_type="ndarray").astype(np.int64).T
    return np.concatenate((a * n + b, b * n + a))


def _on_sphere(stops: Stops, at: NDArray[np.int64]) -> NDArray[np.float64]:
    """Positions of stops as points of the unit sphere, shape (len(at), 3)."""
    longitude, latitude = np.radians(stops.positions[at].T)
    cosine = np.cos(latitude)
    return np.stack(
        (cosine * np.cos(longitude), cosine * np.sin(longitude), np.sin(latitude)), axis=1
    )


def _check_positions(feed: Feed, stops: Stops, at: NDArray[np.int64]) -> None:
    """Refuse stops without a position."""
    nowhere = np.isnan(stops.positions[at]).any(axis=1)
    if nowhere.any():
        stop = list(stops.number)[at[int(np.argmax(nowhere))]]
        raise InputError(
            f"{feed.place('stops.txt')}: stop {stop!r} has no stop_lat and stop_lon, which its "
            "distances need: leave out radius, or give min_transfer_time"
        )


def walked(feed: Feed, found: Walks, rides: Rides, n: int) -> Rides:
    """Temporal edges of walks, which can start at any time.

    One edge starts at each arrival of a vehicle at the first stop: all that passengers who came by
    vehicle need. For those who begin at the stop, earlier edges each end at a departure of a
    vehicle from the second stop.

    Raises
    ------
    MemoryError
        If the edges do not fit in the free memory.
    """
    span = int(max(rides.arrival.max(), found.seconds.max(initial=0))) + 1
    arrivals = _distinct(rides.target * span + rides.arrival)
    departures = _distinct(rides.source * span + rides.departure)
    of_stop = np.searchsorted(arrivals, np.arange(n + 1) * span)
    first = np.full(n, span - 1)
    arrives = of_stop[:-1] < of_stop[1:]
    first[arrives] = arrivals[of_stop[:-1][arrives]] % span
    source, target, seconds = found
    after = np.diff(of_stop)[source]
    begin = np.searchsorted(departures, target * span)
    latest = np.minimum(first[source] + seconds, span)
    before = np.searchsorted(departures, target * span + latest) - begin
    total = int(after.sum() + before.sum())
    feed.check_memory(f"{total} walks after an arrival", total * EDGE_BYTES, SMALLER)
    walk = np.concatenate([np.repeat(np.arange(len(source)), count) for count in (after, before)])
    length = seconds[walk]
    start = np.concatenate((arrivals[ranges(of_stop[source], after)] % span,
                           departures[ranges(begin, before)] % span))  # fmt: skip
    start[int(after.sum()) :] -= length[int(after.sum()) :]
    return Rides(source[walk], target[walk], start, start + length)


def _distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct nonnegative keys, ascending; sorting is faster than NumPy's hash table."""
    keys = np.sort(keys)
    return keys[np.diff(keys, prepend=-1) > 0]
