"""A made city: a public timetable in the format GTFS.

``python docs/data/transit.py`` writes ``transit.zip``. Four tram lines cross in the middle, each on
a platform of its own; a bus goes round outside, both ways, its times told as frequencies; a ferry
leaves the eastern end of a tram for an island. Trams run from 6 to 24, on Sundays half as often,
and the ferry only on weekdays.
"""

import csv
import io
import math
import zipfile
from pathlib import Path

CENTRE = (24.94, 60.17)  # longitude, latitude
STEP = 450  # metres between two stops of a tram
ARM = 10  # stops of a tram from the middle to either end
RING = 3200  # metres from the middle to the bus
ROUND = 24  # stops of the bus
NAMES = ("North", "Northeast", "East", "Southeast", "South", "Southwest", "West", "Northwest")
RIDE, STAND = 80, 20  # seconds between two stops, and at each


def place(angle, metres):
    """Longitude and latitude, so far from the middle; angles are clockwise from the north."""
    north, east = metres * math.cos(angle), metres * math.sin(angle)
    latitude = CENTRE[1] + north / 111_195
    return CENTRE[0] + east / (111_195 * math.cos(math.radians(CENTRE[1]))), latitude


def clock(seconds):
    """A time as GTFS tells it, which goes on after midnight."""
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def lines():
    """(stop_id, name, longitude, latitude) of the stops of each line, in their order."""
    found = {}
    for line in range(4):
        angle = line * math.pi / 4
        tram = []
        for k in range(-ARM, ARM + 1):
            name = f"{NAMES[line + 4 * (k < 0)]} {abs(k)}" if k else "Square"
            # The platforms of the square are beside each other.
            at = place(angle + math.pi * (k < 0), abs(k) * STEP) if k else place(angle, 60)
            tram.append((f"T{line + 1}:{k + ARM:02}", name, *at))
        found[f"tram {line + 1}"] = tram
    ring = [(f"B:{k:02}", f"Ring {k}", *place(2 * math.pi * k / ROUND, RING)) for k in range(ROUND)]
    found["bus"] = [*ring, ring[0]]
    pier = place(math.pi / 2, ARM * STEP + 120)
    island = place(math.pi / 2, ARM * STEP + 4000)
    found["ferry"] = [("F:0", "Pier", *pier), ("F:1", "Island", *island)]
    return found


def tables():
    """Rows of each table of the feed."""
    stops, trips, calls, frequencies = {}, [], [], []

    def trip(line, service, route, begin):
        name = f"{line} {service} {len(trips)}"
        trips.append({"route_id": line, "service_id": service, "trip_id": name})
        length = 1200 if line == "ferry" else RIDE
        for k, (stop, *_) in enumerate(route):
            time = begin + k * (length + STAND)
            calls.append({"trip_id": name, "arrival_time": clock(time),
                          "departure_time": clock(time + STAND), "stop_id": stop,
                          "stop_sequence": k})  # fmt: skip
        return name

    for line, route in lines().items():
        for stop, name, longitude, latitude in route:
            stops[stop] = {"stop_id": stop, "stop_name": name, "stop_lat": f"{latitude:.6f}",
                           "stop_lon": f"{longitude:.6f}"}  # fmt: skip
        for way in (route, route[::-1]):
            if line == "bus":
                name = trip(line, "daily", way, 0)
                span = {"start_time": clock(6 * 3600), "end_time": clock(24 * 3600)}
                frequencies.append({"trip_id": name, **span, "headway_secs": 900})
            elif line == "ferry":
                for hour in range(7, 22):
                    trip(line, "weekdays", way, hour * 3600 + (1800 if way is route else 0))
            else:
                for service, headway in (("weekdays", 600), ("sundays", 1200)):
                    for begin in range(6 * 3600, 24 * 3600, headway):
                        trip(line, service, way, begin)
    span = {"start_date": "20260101", "end_date": "20261231"}
    days = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    runs = {"weekdays": "1111110", "sundays": "0000001", "daily": "1111111"}
    calendar = [
        {"service_id": service, **dict(zip(days, flags, strict=True)), **span}
        for service, flags in runs.items()
    ]
    holidays = [
        {"service_id": "weekdays", "date": "20261225", "exception_type": 2},
        {"service_id": "sundays", "date": "20261225", "exception_type": 1},
    ]
    transfers = [
        {"from_stop_id": a, "to_stop_id": b, "transfer_type": 2, "min_transfer_time": 180}
        for a, b in (("T3:20", "F:0"), ("F:0", "T3:20"))
    ]
    return {"agency": [{"agency_name": "A made city", "agency_url": "https://example.org",
                        "agency_timezone": "Europe/Helsinki"}],
            "routes": [{"route_id": line, "route_short_name": line, "route_type": 0}
                       for line in lines()],
            "stops": list(stops.values()), "trips": trips, "stop_times": calls,
            "calendar": calendar, "calendar_dates": holidays, "frequencies": frequencies,
            "transfers": transfers}  # fmt: skip


def write(path):
    """Write the feed as a zip archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in tables().items():
            text = io.StringIO(newline="")
            writer = csv.DictWriter(text, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
            archive.writestr(f"{name}.txt", text.getvalue())


if __name__ == "__main__":
    write(Path(__file__).with_suffix(".zip"))
