"""GTFS feeds: random ones, writers, and contacts by the definitions, row by row."""

import csv
import datetime as dt
import io
import math
import zipfile
from collections import Counter
from itertools import pairwise

from hypothesis import strategies as st

DAY = dt.date(2026, 11, 26)  # a Thursday
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
RADIUS = 6_371_008.8


def clock(seconds):
    """Text of a GTFS time."""
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def seconds(time):
    """Seconds of a GTFS time; inverse of `clock`."""
    hours, minutes, rest = map(int, time.split(":"))
    return 3600 * hours + 60 * minutes + rest


def text(rows):
    """CSV text of a table."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def write_folder(folder, tables):
    """Write a feed to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        content = rows if isinstance(rows, str) else text(rows)
        (folder / f"{name}.txt").write_text(content, encoding="utf-8")
    return folder


def write_zip(path, tables, within=""):
    """Write a feed to a zip archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in tables.items():
            content = rows if isinstance(rows, str) else text(rows)
            archive.writestr(f"{within}{name}.txt", content)
    return path


TIMES = st.integers(0, 40).map(lambda minutes: 60 * minutes)


@st.composite
def feeds(draw):
    """Tables of a feed of at most 6 stops, and a radius for walks or None."""
    n = draw(st.integers(2, 6))
    stops = [
        {
            "stop_id": f"s{k}",
            "stop_name": draw(st.sampled_from(["Square", 'The "Inn", west', "Käpylä"])),
            "stop_lat": 60 + draw(st.integers(0, 40)) / 10_000,
            "stop_lon": 24.9 + draw(st.integers(0, 40)) / 10_000,
            "location_type": draw(st.sampled_from(["", "0"])),
            "parent_station": draw(st.sampled_from(["", "", "S"])),
        }
        for k in range(n)
    ]
    stops.insert(draw(st.integers(0, n)), {**stops[0], "stop_id": "S", "location_type": "1",
                                           "parent_station": ""})  # fmt: skip
    services = [f"c{k}" for k in range(draw(st.integers(1, 3)))]
    near = st.integers(-2, 2).map(lambda k: DAY + dt.timedelta(days=k))
    calendar = []
    for service in services:
        first, last = sorted((draw(near), draw(near)))
        flags = {day: draw(st.sampled_from("01")) for day in DAYS}
        span = {"start_date": f"{first:%Y%m%d}", "end_date": f"{last:%Y%m%d}"}
        calendar.append({"service_id": service, **flags, **span})
    pairs = st.lists(st.tuples(st.sampled_from([*services, "x"]), near), max_size=4, unique=True)
    exceptions = [
        {
            "service_id": service,
            "date": f"{day:%Y%m%d}",
            "exception_type": draw(st.sampled_from("12")),
        }
        for service, day in draw(pairs)
    ]
    trips, calls, frequencies = [], [], []
    for k in range(draw(st.integers(1, 4))):
        trip = f"t{k}"
        trips.append({"route_id": "r", "service_id": draw(st.sampled_from([*services, "x"])),
                      "trip_id": trip})  # fmt: skip
        count = draw(st.integers(1, 5))
        times = sorted(draw(st.lists(TIMES, min_size=2 * count, max_size=2 * count)))
        at = draw(st.integers(0, 26)) * 3600
        order = sorted(draw(st.sets(st.integers(0, 99), min_size=count, max_size=count)))
        for place, (sequence, arrival, departure) in enumerate(
            zip(order, times[::2], times[1::2], strict=True)
        ):
            row = {"trip_id": trip, "stop_id": f"s{draw(st.integers(0, n - 1))}",
                   "stop_sequence": sequence, "arrival_time": clock(at + arrival),
                   "departure_time": clock(at + departure)}  # fmt: skip
            kind = draw(st.sampled_from(["both", "both", "one", "none"]))
            if kind == "one":
                row[draw(st.sampled_from(["arrival_time", "departure_time"]))] = ""
            elif kind == "none" and 0 < place < count - 1:
                row["arrival_time"] = row["departure_time"] = ""
            calls.append(row)
        if draw(st.integers(0, 3)) == 0:
            starts = sorted(draw(st.sets(TIMES, min_size=2, max_size=4)))
            for first, last in zip(starts[::2], starts[1::2], strict=False):
                frequencies.append({"trip_id": trip, "start_time": clock(3600 + first),
                                    "end_time": clock(3600 + last),
                                    "headway_secs": draw(st.integers(1, 20)) * 60})  # fmt: skip
    names = st.sampled_from([stop["stop_id"] for stop in stops])
    transfers = [
        {"from_stop_id": start, "to_stop_id": end, "transfer_type": kind,
         "min_transfer_time": least}
        for (start, end), kind, least in draw(
            st.lists(
                st.tuples(st.tuples(names, names), st.sampled_from(["", "0", "1", "2", "3"]),
                          st.sampled_from(["", "0", "90"])),
                max_size=4, unique_by=lambda row: row[0])
        )
    ]  # fmt: skip
    tables = {"stops": stops, "trips": trips, "stop_times": draw(st.permutations(calls)),
              "calendar": calendar, "calendar_dates": exceptions, "frequencies": frequencies,
              "transfers": transfers}  # fmt: skip
    optional = st.sets(st.sampled_from(["frequencies", "transfers"]))
    left_out = draw(optional)
    tables = {name: rows for name, rows in tables.items() if rows and name not in left_out}
    return tables, draw(st.sampled_from([None, 60.0, 300.0]))


def runs(tables, service):
    """Whether a service runs on `DAY`."""
    for row in tables.get("calendar_dates", ()):
        if (row["service_id"], row["date"]) == (service, f"{DAY:%Y%m%d}"):
            return row["exception_type"] == "1"
    return any(
        row["service_id"] == service
        and row["start_date"] <= f"{DAY:%Y%m%d}" <= row["end_date"]
        and row["thursday"] == "1"
        for row in tables.get("calendar", ())
    )


def calls_of(tables, trip):
    """Stop times of a trip, interpolated, and at least a second apart."""
    rows = [dict(row) for row in tables["stop_times"] if row["trip_id"] == trip]
    rows.sort(key=lambda row: row["stop_sequence"])
    for row in rows:
        told = [row[title] for title in ("arrival_time", "departure_time") if row[title]]
        row["times"] = [seconds(told[0]), seconds(told[-1])] if told else None
    for k, row in enumerate(rows):
        if row["times"] is None:
            before = max(j for j in range(k) if rows[j]["times"] and not rows[j].get("made"))
            after = min(j for j in range(k, len(rows)) if rows[j]["times"])
            gone = rows[after]["times"][0] - rows[before]["times"][1]
            time = rows[before]["times"][1] + gone * (k - before) // (after - before)
            row["times"], row["made"] = [time, time], True
    for before, row in pairwise(rows):
        row["times"][0] = max(row["times"][0], before["times"][1] + 1)
        row["times"][1] = max(row["times"])
    return [(row["stop_id"], *row["times"]) for row in rows]


def rides(tables):
    """(from, to, departure, arrival) of each ride from stop to stop, without loops."""
    found = []
    for trip in tables["trips"]:
        if not runs(tables, trip["service_id"]):
            continue
        calls = calls_of(tables, trip["trip_id"])
        repeats = [
            row for row in tables.get("frequencies", ()) if row["trip_id"] == trip["trip_id"]
        ]
        shifts = [0]
        if repeats and calls:
            shifts = []
            for row in repeats:
                time = seconds(row["start_time"])
                while time < seconds(row["end_time"]):
                    shifts.append(time - calls[0][2])
                    time += int(row["headway_secs"])
        for shift in shifts:
            for (u, _, departure), (v, arrival, _) in pairwise(calls):
                if u != v:
                    found.append((u, v, departure + shift, arrival + shift))
    return found


def metres(a, b):
    """Distance of two stops, by the haversine formula."""
    (x, y), (u, v) = ((math.radians(s["stop_lon"]), math.radians(s["stop_lat"])) for s in (a, b))
    part = math.sin((v - y) / 2) ** 2 + math.cos(y) * math.cos(v) * math.sin((u - x) / 2) ** 2
    return 2 * RADIUS * math.asin(math.sqrt(part))


def walks(tables, radius, speed):
    """Seconds of the walks by pair of stops."""
    stops = {stop["stop_id"]: stop for stop in tables["stops"]}
    platforms = [stop for stop in stops if stops[stop]["location_type"] != "1"]
    inside = {stop: [stop] for stop in platforms}
    inside["S"] = [stop for stop in platforms if stops[stop]["parent_station"] == "S"]
    found = {}
    for a in platforms:
        for b in platforms:
            length = metres(stops[a], stops[b])
            on_foot = max(math.ceil(length / speed), 1)
            if a == b:
                continue
            if radius is not None and length <= radius:
                found[a, b] = on_foot
            rows = [
                (("S" != row["from_stop_id"]) + ("S" != row["to_stop_id"]), k, row)
                for k, row in enumerate(tables.get("transfers", ()))
                if a in inside[row["from_stop_id"]] and b in inside[row["to_stop_id"]]
            ]
            if not rows:
                continue
            row = max(rows, key=lambda row: row[:2])[2]
            found.pop((a, b), None)
            if row["transfer_type"] != "3":
                least = row["min_transfer_time"]
                found[a, b] = max(int(least), 1) if least else on_foot
    return found


def contacts(tables, radius, speed):
    """Count of each (from, to, departure, duration)."""
    vehicles = rides(tables)
    found = Counter((u, v, departure, arrival - departure) for u, v, departure, arrival in vehicles)
    for (a, b), length in walks(tables, radius, speed).items():
        arrivals = {arrival for _, v, _, arrival in vehicles if v == a}
        departures = {departure for u, _, departure, _ in vehicles if u == b}
        found.update((a, b, time, length) for time in arrivals)
        first = min(arrivals, default=math.inf)
        found.update((a, b, time - length, length) for time in departures if time - length < first)
    return found
