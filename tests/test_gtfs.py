"""A day of a public timetable: drawn feeds against a reading row by row, and what is refused."""

import datetime as dt
import re
import tempfile
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import gtfs_feeds as gtfs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import rows

from sparsebc import io, temporal

READ_WARNING = "ignore::sparsebc.io.ReadWarning"


@pytest.mark.filterwarnings(READ_WARNING)
@given(gtfs.feeds(), st.sampled_from([0.7, 1.3]), st.sampled_from(["folder", "zip", "zip/feed/"]))
def test_drawn_feeds(drawn, speed, form):
    """Rides and walks are those of the definitions, in a folder or an archive."""
    tables, radius = drawn
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "feed")
        if form == "folder":
            gtfs.write_folder(path, tables)
        else:
            gtfs.write_zip(path, tables, form.partition("/")[2])
        if not gtfs.rides(tables):
            with pytest.raises(ValueError, match=r"no service|expected one at least"):
                temporal.read_gtfs(path, gtfs.DAY, radius=radius, speed=speed)
            return
        timetable = temporal.read_gtfs(path, gtfs.DAY, radius=radius, speed=speed)
    assert rows(timetable.contacts) == gtfs.contacts(tables, radius, speed)
    stops = [stop for stop in tables["stops"] if stop["location_type"] != "1"]
    assert timetable.contacts.nodes == tuple(stop["stop_id"] for stop in stops)
    assert timetable.stops == tuple(stop["stop_name"] for stop in stops)
    want = [(stop["stop_lon"], stop["stop_lat"]) for stop in stops]
    np.testing.assert_array_equal(timetable.positions, want)
    assert timetable.contacts.duration.min() > 0


STOPS = "stop_id,stop_name,stop_lat,stop_lon\nA,Harbour,60.15,24.94\nB,Square,60.17,24.94\n"
TIMES = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
CALLS = "t,8:00:00,8:00:00,A,1\nt,8:10:00,8:10:00,B,2\n"
FEED = {
    "stops": STOPS,
    "trips": "route_id,service_id,trip_id\nr,c,t\n",
    "stop_times": TIMES + CALLS,
    "calendar_dates": "service_id,date,exception_type\nc,20261126,1\n",
}
ONE = Counter([("A", "B", 28800, 600)])
CALENDAR = ",".join(("service_id", *gtfs.DAYS, "start_date", "end_date"))
TRANSFERS = "from_stop_id,to_stop_id,transfer_type,min_transfer_time\n"
FREQUENCIES = "trip_id,start_time,end_time,headway_secs\n"
# A table in the place of that of FEED, and what is said of it.
BAD = {
    "no latitude": ("stops", STOPS.replace("60.15", "91"), "stops.txt:2: coordinate '91'"),
    "a word": ("stops", STOPS.replace("60.15", "north"), "stops.txt:2: coordinate 'north'"),
    "underscores": ("stops", STOPS.replace("60.15", "6_0.15"), "stops.txt:2: coordinate '6_0.15'"),
    "nan": ("stops", STOPS.replace("60.15", "nan"), "stops.txt:2: coordinate 'nan'"),
    "a stop twice": ("stops", STOPS + "B,x,60,24\n", "stops.txt:4: stop_id 'B'"),
    "a stop without a name": ("stops", STOPS + ",x,60,24\n", "stops.txt:4: stop_id ''"),
    "no column": ("stops", "id,stop_name\nA,b\n", "stops.txt:1: no column 'stop_id'; expected one"),
    "a column twice": ("stops", "stop_id,stop_id\nA,b\n", "stops.txt:1: 2 columns 'stop_id'"),
    "no stop": ("stops", "stop_id,stop_name\n", "stops.txt: no stop"),
    "an empty table": ("trips", "", "trips.txt: an empty table"),
    "a long line": ("stops", STOPS + "C,x,60,24,5\n", "stops.txt:4: 5 fields below 4 titles"),
    "an open quote": ("stops", STOPS + 'C,"x,60,24\n', "stops.txt:4: an unpaired quote"),
    "a kind": ("stops", "stop_id,location_type\nA,7\n", "stops.txt:2: location_type '7'"),
    "a trip twice": ("trips", FEED["trips"] + "r,c,t\n", "trips.txt:3: trip_id 't'"),
    "an unknown trip": ("stop_times", TIMES + "x,,,A,1\n", "stop_times.txt:2: trip 'x'"),
    "an unknown stop": ("stop_times", TIMES + "t,,,X,1\n", "stop_times.txt:2: stop 'X'"),
    "no order": ("stop_times", TIMES + "t,,,A,x\n", "stop_times.txt:2: stop_sequence 'x'"),
    "an order twice": ("stop_times", TIMES + CALLS + "t,9:00:00,9:00:00,A,2\n",
                       "stop_times.txt:4: stop_sequence 2 again"),
    "no time": ("stop_times", TIMES + CALLS.replace("8:10:00", "8.10"),
                "stop_times.txt:3: time '8.10'"),
    "60 minutes": ("stop_times", TIMES + CALLS.replace("8:10:00", "8:60:00"), "time '8:60:00'"),
    "no end": ("stop_times", TIMES + CALLS + "t,,,A,3\n", "stop_times.txt:4: no time at an end"),
    "no beginning": ("stop_times", TIMES + "t,,,A,0\n" + CALLS, "stop_times.txt:2: no time at an"),
    "backwards": ("stop_times", TIMES + CALLS.replace("8:10:00,8", "7:10:00,8"),
                  "stop_times.txt:3: an arrival before the last departure"),
    "left before": ("stop_times", TIMES + CALLS.replace("8:10:00,8:10", "8:10:00,8:09"),
                    "stop_times.txt:3: a departure before the arrival"),
    "one stop": ("stop_times", TIMES + "t,8:00:00,8:00:00,A,1\n", "no trip of that date has two"),
    "another day": ("calendar_dates", "service_id,date,exception_type\nc,20261127,1\n",
                    "date 2026-11-26: no service; the feed FEED runs from 2026-11-27 to 2026-"),
    "no such date": ("calendar_dates", "service_id,date,exception_type\nc,20261131,1\n",
                     "calendar_dates.txt:2: date '20261131'"),
    "a date in dashes": ("calendar_dates", "service_id,date,exception_type\nc,2026-11-26,1\n",
                         "calendar_dates.txt:2: date '2026-11-26'; expected one as 20261126"),
    "a kind of exception": ("calendar_dates", "service_id,date,exception_type\nc,20261126,3\n",
                            "calendar_dates.txt:2: exception_type '3'"),
    "an exception twice": ("calendar_dates", FEED["calendar_dates"] + "c,20261126,2\n",
                           "calendar_dates.txt:3: service 'c' again on 20261126"),
    "no calendar": ("calendar_dates", None, "neither calendar.txt nor calendar_dates.txt"),
    "no trips": ("trips", None, "FEED/trips.txt: there is no such table"),
    "no stops": ("stops", None, "FEED: no stops.txt; expected a GTFS feed"),
    "days": ("calendar", f"{CALENDAR}\nc,1,1,1,y,1,1,1,20261101,20261130\n",
             "calendar.txt:2: days ['1', '1', '1', 'y', '1', '1', '1']"),
    "an end before": ("calendar", f"{CALENDAR}\nc,1,1,1,1,1,1,1,20261130,20261101\n",
                      "calendar.txt:2: from 20261130 to 20261101"),
    "a service twice": ("calendar", f"{CALENDAR}\n" + "c,1,1,1,1,1,1,1,20261101,20261130\n" * 2,
                        "calendar.txt:3: service 'c' again"),
    "a headway of 0": ("frequencies", FREQUENCIES + "t,8:00:00,9:00:00,0\n",
                       "frequencies.txt:2: headway_secs '0'"),
    "frequencies of another": ("frequencies", FREQUENCIES + "x,8:00:00,9:00:00,60\n",
                               "frequencies.txt:2: trip 'x'"),
    "frequencies, no time": ("frequencies", FREQUENCIES + "t,,9:00:00,60\n",
                             "frequencies.txt:2: time ''"),
    "frequencies, backwards": ("frequencies", FREQUENCIES + "t,9:00:00,8:00:00,60\n",
                               "frequencies.txt:2: from 9:00:00 to 8:00:00"),
    "frequencies twice": ("frequencies", FREQUENCIES + "t,8:00:00,9:00:00,600\n" * 2,
                          "frequencies.txt:3: trip 't' again in that time"),
    "transfers to nowhere": ("transfers", TRANSFERS + "A,X,2,60\n", "transfers.txt:2: stop 'X'"),
    "transfers twice": ("transfers", TRANSFERS + "A,B,2,60\nA,B,2,61\n",
                        "transfers.txt:3: 'A' to 'B' again"),
    "a kind of transfer": ("transfers", TRANSFERS + "A,B,9,\n", "txt:2: transfer_type '9'"),
    "a time of transfer": ("transfers", TRANSFERS + "A,B,2,-5\n", "min_transfer_time '-5'"),
    "Windows-1252": ("stops", STOPS.replace("Harbour", "Käpylä").encode("cp1252"),
                     "stops.txt:2: the byte 0xe4, which is not UTF-8; expected UTF-8"),
    "zeros": ("stops", b"\0" * 100, "stops.txt:1: a NUL byte"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """A feed of one trip."""
    return gtfs.write_folder(tmp_path / "FEED", FEED)


def put(folder, table, content):
    """Another table in the place of one."""
    path = folder / f"{table}.txt"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(folder, monkeypatch, case):
    """With the table and the line, in a folder as in an archive."""
    table, content, message = BAD[case]
    put(folder, table, content)
    monkeypatch.chdir(folder.parent)
    with pytest.raises(ValueError, match=re.escape(message)):
        temporal.read_gtfs("FEED", gtfs.DAY)
    with zipfile.ZipFile("zip", "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    with pytest.raises(ValueError, match=re.escape(message.replace("FEED", "zip"))):
        temporal.read_gtfs("zip", gtfs.DAY)


@pytest.mark.parametrize(
    "date", [gtfs.DAY, "2026-11-26", "20261126", dt.datetime(2026, 11, 26, 23, 59)]
)
def test_dates(folder, date):
    """As dates or as texts."""
    assert rows(temporal.read_gtfs(folder, date).contacts) == ONE


ABOVE_0 = "must be a number above 0, got"
ARGUMENTS = [
    ("26.11.2026", {}, ValueError, "date must be as '2026-11-26' or '20261126', got '26.11.2026'"),
    ("2026-11-31", {}, ValueError, "date must be as"),
    (20261126, {}, TypeError, "date must be a datetime.date or a text as '2026-11-26', got int"),
    (gtfs.DAY, {"radius": 0}, ValueError, f"radius {ABOVE_0} 0"),
    (gtfs.DAY, {"radius": np.inf}, ValueError, f"radius {ABOVE_0} inf"),
    (gtfs.DAY, {"speed": np.nan}, ValueError, f"speed {ABOVE_0} nan"),
]


@pytest.mark.parametrize(("date", "options", "error", "message"), ARGUMENTS)
def test_arguments(folder, date, options, error, message):
    """Named, with the value."""
    with pytest.raises(error, match=re.escape(message)):
        temporal.read_gtfs(folder, date, **options)


def changed(content, at, value):
    """Bytes of an archive, others from a place on."""
    return content[:at] + value + content[at + len(value) :]


def encrypted(content):
    """Bit 0 of the flags, where an entry is described and where it stands."""
    for sign, further in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = content.index(sign) + further
        content = changed(content, at, bytes([content[at] | 1]))
    return content


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: STOPS.encode(), r"feed.zip: "),
        (lambda b: changed(b, b.index(b"stop_times.txt") + 20, b"\xff" * 4), ""),
        (encrypted, "encrypted"),
    ],
)
def test_what_is_no_feed(tmp_path, damage, message):
    """No archive, damaged or encrypted; and what is not there."""
    path = tmp_path / "feed.zip"
    with pytest.raises(FileNotFoundError):
        temporal.read_gtfs(path, gtfs.DAY)
    gtfs.write_zip(path, FEED)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=f"{message}.*; expected an intact zip file"):
        temporal.read_gtfs(path, gtfs.DAY)


def test_a_zip_bomb(tmp_path, monkeypatch):
    """Refused by its sizes, before anything is unpacked."""
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, table in FEED.items():
            archive.writestr(f"{name}.txt", table)
        with archive.open("transfers.txt", "w") as file:
            for _ in range(80):
                file.write(b"\n" * (1 << 20))
    with pytest.raises(
        ValueError, match=r"transfers.txt: unpacks from .* expected a table, not a zip"
    ):
        temporal.read_gtfs(path, gtfs.DAY)
    from sparsebc.temporal.gtfs import feed

    gtfs.write_zip(path, FEED)
    monkeypatch.setattr(feed, "free_memory", lambda: 5)
    with pytest.raises(MemoryError, match=r"stops.txt: 0 MiB, and 0 MiB are free"):
        temporal.read_gtfs(path, gtfs.DAY)


def test_names_in_an_archive_lead_nowhere(tmp_path):
    """Nothing is written; a feed in a folder is found, two are refused, and so is a name twice."""
    path = tmp_path / "inside" / "feed.zip"
    path.parent.mkdir()
    gtfs.write_zip(path, FEED, "../../outside/")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("/etc/agency.txt", "x")
        archive.writestr("__MACOSX/stops.txt", "x")
    assert rows(temporal.read_gtfs(path, gtfs.DAY).contacts) == ONE
    assert [*tmp_path.iterdir()] == [path.parent]
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("other/stops.txt", STOPS)
    with pytest.raises(ValueError, match=r"2 feeds, as ../../outside/stops.txt, other/stops.txt"):
        temporal.read_gtfs(path, gtfs.DAY)
    gtfs.write_zip(path, FEED)
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("trips.txt", FEED["trips"])
    with pytest.raises(ValueError, match=r"trips.txt occurs twice"):
        temporal.read_gtfs(path, gtfs.DAY)


def test_stops_in_one_minute(folder):
    """Of a trip, they are a second apart, and the next time that is late enough stays."""
    times = ["8:00:00", "8:00:00", "8:00:00", "8:01:00"]
    calls = [f"t,{time},{time},{'AB'[k % 2]},{k}\n" for k, time in enumerate(times)]
    put(folder, "stop_times", TIMES + "".join(calls))
    found = rows(temporal.read_gtfs(folder, gtfs.DAY).contacts)
    assert found == Counter([("A", "B", 28800, 1), ("B", "A", 28801, 1), ("A", "B", 28802, 58)])


def test_too_much(folder, monkeypatch):
    """Trips, rides, walks and pairs of stops that do not fit are refused before they are made."""
    from sparsebc.temporal.gtfs import feed

    put(folder, "frequencies", FREQUENCIES + "t,0:00:00,999:00:00,1\n")
    with monkeypatch.context() as patch:
        patch.setattr(feed, "free_memory", lambda: 1 << 20)
        with pytest.raises(MemoryError, match="3596400 trips; 1 MiB are free"):
            temporal.read_gtfs(folder, gtfs.DAY)
    put(folder, "frequencies", None)
    monkeypatch.setattr(feed, "free_memory", lambda: 199)  # enough for a ride
    with pytest.raises(MemoryError, match="2 pairs of stops within 100000 m; 0 MiB are free"):
        temporal.read_gtfs(folder, gtfs.DAY, radius=1e5)
    put(folder, "transfers", TRANSFERS + "B,A,2,60\n")
    with pytest.raises(MemoryError, match="2 walks after an arrival"):
        temporal.read_gtfs(folder, gtfs.DAY)


def test_transfers_that_are_left_out(folder):
    """Those of single trips, and from a stop to itself, with a remark; others stay."""
    more = "A,B,2,60,t\nB,B,2,60,\nB,A,2,60,\n"
    put(folder, "transfers", TRANSFERS.replace("\n", ",from_trip_id\n") + more)
    with pytest.warns(io.ReadWarning, match="transfers.txt: ignored 2 rows for single trips"):
        found = temporal.read_gtfs(folder, gtfs.DAY).contacts
    assert rows(found) == ONE + Counter([("B", "A", 29400, 60), ("B", "A", 28740, 60)])


def test_a_position_that_is_needed(folder):
    """A stop without one is refused where a distance is wanted, and else stays."""
    put(folder, "stops", STOPS.replace("60.17,24.94", ","))
    timetable = temporal.read_gtfs(folder, gtfs.DAY)
    assert np.isnan(timetable.positions[1]).all()
    with pytest.raises(ValueError, match="stop 'B' has no stop_lat and stop_lon"):
        temporal.read_gtfs(folder, gtfs.DAY, radius=5)
    put(folder, "transfers", TRANSFERS + "B,A,0,\n")
    with pytest.raises(ValueError, match="stop 'B' has no stop_lat and stop_lon"):
        temporal.read_gtfs(folder, gtfs.DAY)


def test_what_is_printed(folder):
    """One line."""
    text = "<Timetable of 2 stops, 1 contacts; 'Harbour', 'Square'>"
    assert repr(temporal.read_gtfs(folder, gtfs.DAY)) == text
