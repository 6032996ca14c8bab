"""Trips of a GTFS feed as temporal edges, each from a stop to the next."""

import re
from array import array
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...graph.csr import ranges
from ...io.text import is_whole
from .feed import Feed
from .stops import Stops

TRIPS, TIMES, FREQUENCIES = "trips.txt", "stop_times.txt", "frequencies.txt"
UNKNOWN = -1  # marker of a missing time
EDGE_BYTES = 150  # peak memory of a temporal edge


class Rides(NamedTuple):
    """Temporal edges between stops."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    departure: NDArray[np.int64]
    arrival: NDArray[np.int64]


class _Calls(NamedTuple):
    """Stop times, sorted by trip and position in the trip."""

    trip: NDArray[np.int64]
    stop: NDArray[np.int64]
    arrival: NDArray[np.int64]
    departure: NDArray[np.int64]
    line: NDArray[np.int64]


def _seconds(text: str) -> int:
    """Seconds of a time such as 25:10:00."""
    if not re.fullmatch(r"[0-9]{1,3}:[0-5][0-9]:[0-5][0-9]", text):
        raise InputError(f"time {text!r}; expected one as 08:30:00, or after midnight 24:30:00")
    hours, minutes, seconds = map(int, text.split(":"))
    return 3600 * hours + 60 * minutes + seconds


def _order(text: str) -> int:
    """Rank of a stop in its trip (``stop_sequence``)."""
    if not is_whole(text):
        raise InputError(f"stop_sequence {text!r}; expected a number from 0 on")
    return int(text)


def rides(feed: Feed, stops: Stops, services: set[str]) -> Rides:
    """Temporal edges of all trips of the services.

    Raises
    ------
    MemoryError
        If they do not fit in the free memory.
    ValueError
        If a row names an unknown trip or stop, a trip has a ``stop_sequence`` twice, no time at an
        end, or decreasing times; or if there is no edge.
    """
    trips = _trips(feed, services)
    calls = _advancing(_interpolated(feed, _calls(feed, stops, trips)))
    begins = np.diff(calls.trip, prepend=-1) != 0
    trip, first_departure = calls.trip[begins].tolist(), calls.departure[begins].tolist()
    shifts, of_trip = _repeats(feed, trips, dict(zip(trip, first_departure, strict=True)))
    goes_on = np.flatnonzero(
        (calls.trip[1:] == calls.trip[:-1]) & (calls.stop[1:] != calls.stop[:-1])
    )
    runs = np.diff(of_trip)[calls.trip[goes_on]]  # of the trip of each edge
    total = int(runs.sum())
    feed.check_memory(f"{total} rides from stop to stop", total * EDGE_BYTES)
    if not total:
        raise InputError(f"{feed.name}: no trip of that date has two stops; expected one at least")
    at = np.repeat(goes_on, runs)
    shift = shifts[ranges(of_trip[calls.trip[goes_on]], runs)]
    return Rides(calls.stop[at], calls.stop[at + 1],
                 calls.departure[at] + shift, calls.arrival[at + 1] + shift)  # fmt: skip


def _trips(feed: Feed, services: set[str]) -> dict[str, int]:
    """Number of each trip of the services by its identifier; -1 for other trips."""
    numbers: dict[str, int] = {}
    running = 0
    for place, (trip, service) in feed.rows(TRIPS, ("trip_id", "service_id")):
        if not trip or trip in numbers:
            raise InputError(f"{place}: trip_id {trip!r}; expected another for each trip")
        runs = service in services
        numbers[trip] = running if runs else -1
        running += runs
    return numbers


def _calls(feed: Feed, stops: Stops, trips: dict[str, int]) -> _Calls:
    """Stop times of the trips that run."""
    titles = ("trip_id", "stop_sequence", "stop_id", "arrival_time", "departure_time")
    seconds, place_of, rows = cache(_seconds), cache(_order), array("q")
    for number, (trip, order, stop, *times) in feed.numbered(TIMES, titles):
        try:
            if trip not in trips:
                raise InputError(f"trip {trip!r}; expected one of {TRIPS}")
            if trips[trip] < 0:
                continue
            if stop not in stops.number:
                raise InputError(f"stop {stop!r}; expected one of stops.txt with location_type 0")
            told = (seconds(time) if time else UNKNOWN for time in times)
            rows.extend((trips[trip], place_of(order), stops.number[stop], *told, number))
        except InputError as error:
            raise InputError(f"{feed.place(TIMES, number)}: {error}") from None
    table = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    table = table[:, np.lexsort(table[1::-1])]
    repeated = np.flatnonzero(~np.diff(table[:2]).any(axis=0))
    if repeated.size:
        place = feed.place(TIMES, int(table[5, repeated[0] + 1]))
        found = f"stop_sequence {table[1, repeated[0]]} again in this trip"
        raise InputError(f"{place}: {found}; expected each once")
    return _Calls(table[0], *table[2:])


def _interpolated(feed: Feed, calls: _Calls) -> _Calls:
    """Stop times with missing ones interpolated evenly between the nearest two that are given.

    An arrival or a departure alone stands for both.
    """
    trip, stop, arrival, departure, line = calls
    arrival = np.where(arrival == UNKNOWN, departure, arrival)
    departure = np.where(departure == UNKNOWN, arrival, departure)
    timed = departure != UNKNOWN
    begins, ends = np.diff(trip, prepend=-1) != 0, np.diff(trip, append=-1) != 0
    _refuse(feed, calls, (begins | ends) & ~timed, "no time at an end of a trip; expected one")
    missing, known = np.flatnonzero(~timed), np.flatnonzero(timed)
    after = np.searchsorted(known, missing)
    last, following = known[after - 1], known[np.minimum(after, len(known) - 1)]
    product = (arrival[following] - departure[last]) * (missing - last)
    arrival[missing] = departure[missing] = departure[last] + product // (following - last)
    calls = _Calls(trip, stop, arrival, departure, line)
    _refuse(feed, calls, departure < arrival, "a departure before the arrival; expected it after")
    back = ~begins
    back[1:] &= arrival[1:] < departure[:-1]
    _refuse(feed, calls, back, "an arrival before the last departure; expected it after")
    return calls


def _refuse(feed: Feed, calls: _Calls, wrong: NDArray[np.bool_], problem: str) -> None:
    """Raise the problem of the first wrong stop time, if any."""
    if wrong.any():
        place = feed.place(TIMES, int(calls.line[int(np.argmax(wrong))]))
        raise InputError(f"{place}: {problem}")


def _advancing(calls: _Calls) -> _Calls:
    """Stop times at least a second apart, as those in whole minutes may be equal.

    With j the position in the trip, time - j is replaced by its running maximum.
    """
    trip, stop, arrival, departure, line = calls
    begins = np.flatnonzero(np.diff(trip, prepend=-1))
    position = np.arange(len(trip)) - np.repeat(begins, np.diff(np.append(begins, len(trip))))
    times = np.stack((arrival, departure), axis=1) - position[:, np.newaxis]
    offset = trip * (np.ptp(times) + 1 if times.size else 0)  # one maximum over all trips
    times = np.maximum.accumulate((times + offset[:, np.newaxis]).ravel()).reshape(-1, 2)
    arrival, departure = (times + (position - offset)[:, np.newaxis]).T
    return _Calls(trip, stop, arrival, departure, line)


def _repeats(
    feed: Feed, trips: dict[str, int], begins: dict[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Shift in time of each run of each trip, and the offset of each trip's first run.

    `begins` is the first departure of each trip, which shifts are relative to.
    """
    number = sum(trip >= 0 for trip in trips.values())
    runs: dict[int, list[range]] = {}
    titles = ("trip_id", "start_time", "end_time", "headway_secs")
    for place, (trip, start, end, headway) in feed.rows(FREQUENCIES, titles, may_miss=True):
        at = trips.get(trip)
        if at is None:
            raise InputError(f"{place}: trip {trip!r}; expected one of {TRIPS}")
        try:
            first, last = _seconds(start), _seconds(end)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
        if not is_whole(headway) or int(headway) == 0:
            raise InputError(f"{place}: headway_secs {headway!r}; expected a number of seconds")
        if first >= last:
            raise InputError(f"{place}: from {start} to {end}; expected an end after the start")
        before = runs.setdefault(at, []) if at in begins else []
        if any(first < other.stop and other.start < last for other in before):
            raise InputError(f"{place}: trip {trip!r} again in that time; expected it once")
        before.append(range(first, last, int(headway)))
    once = {at: [range(time, time + 1)] for at, time in begins.items()}
    of_trip = [runs.get(at, once.get(at, [])) for at in range(number)]
    offsets = np.cumsum([0, *(sum(map(len, ranges)) for ranges in of_trip)])
    feed.check_memory(f"{offsets[-1]} trips", int(offsets[-1]) * EDGE_BYTES)
    shifts = [
        np.arange(departures.start, departures.stop, departures.step) - begins[at]
        for at, ranges in enumerate(of_trip)
        for departures in ranges
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *shifts]), offsets
