"""The commands of networks in time: the numbers of the public functions to the bit."""

import csv
import json
from pathlib import Path

import gtfs_feeds as gtfs
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sparsebc import temporal

CONTACTS = "t i j\n1 a b\n2 b c\n2 c d\n3 b d\n4 d a\n5 a c\n6 c d\n7 d b\n"
STOPS = [
    {"stop_id": name, "stop_name": f"Stop {name}", "stop_lat": 60 + k / 100, "stop_lon": 25}
    for k, name in enumerate("ABCD")
]
CALLS = [
    {"trip_id": trip, "stop_id": stop, "stop_sequence": k, "arrival_time": time,
     "departure_time": time}
    for trip, hours in (("out", (8, 9, 10)), ("back", (11, 12, 13)))
    for k, (stop, hour) in enumerate(zip("ABC" if trip == "out" else "CBA", hours, strict=True))
    for time in (gtfs.clock(3600 * hour),)
]  # fmt: skip
FEED = {
    "stops": STOPS,
    "trips": [{"route_id": "r", "service_id": "c", "trip_id": trip} for trip in ("out", "back")],
    "stop_times": CALLS,
    "calendar_dates": [{"service_id": "c", "date": "20261126", "exception_type": 1}],
    "transfers": [{"from_stop_id": "C", "to_stop_id": "D", "min_transfer_time": 60}],
}
DAY = ("--day", "2026-11-26")


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Contacts of four people, and a feed of two trips, as a folder and as an archive."""
    monkeypatch.chdir(tmp_path)
    Path("contacts.txt").write_text(CONTACTS)
    gtfs.write_folder(Path("feed"), FEED)
    gtfs.write_zip("feed.zip", FEED)


def columns(path="out.csv"):
    """Columns of a csv file."""
    rows = csv.reader(Path(path).read_text().splitlines())
    return {title: cells for title, *cells in zip(*rows, strict=True)}


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", ["shortest", "shortest-foremost"])
@pytest.mark.parametrize("wait", [None, "0", "1.5"])
def test_betweenness(run, directed, kind, wait):
    """Of every kind, with and without a limit; a note says how contacts are taken."""
    words = ["--kind", kind, "--raw", *(["--wait", wait] if wait else []), "--sources", "a", "b"]
    words += ["--directed"] if directed else []
    status, out, err = run("temporal-betweenness", "contacts.txt", "-o", "out.csv", *words)
    assert (status, err) == (0, "")
    contacts = temporal.read("contacts.txt")
    want = temporal.betweenness(
        contacts, kind=kind.replace("-", " "), wait=wait and float(wait), directed=directed,
        sources=[0, 1], normalized=False,
    )  # fmt: skip
    found = columns()
    assert found["node"] == [*contacts.nodes]
    assert_array_equal([*map(float, found["temporal_betweenness"])], want)
    assert ("each contact is taken both ways" in out) is not directed
    assert f"4 nodes, 8 contacts, {'directed' if directed else 'undirected'}" in out


@pytest.mark.parametrize("feed", ["feed", "feed.zip"])
def test_a_day_of_a_feed(run, feed):
    """The stops by their names, on a map; rides have a direction."""
    words = [*DAY, "--radius", "1200", "--speed", "1", "--json", "-o", "out.html"]
    status, out, err = run("temporal-betweenness", feed, *words)
    assert (status, err) == (0, "")
    told = json.loads(out)
    contacts, stops, _ = temporal.read_gtfs(feed, "2026-11-26", radius=1200, speed=1)
    want = dict(zip(contacts.nodes, temporal.betweenness(contacts).tolist(), strict=True))
    assert {row["node"]: row["temporal_betweenness"] for row in told["ranking"]} == want
    assert {row["stop"] for row in told["ranking"]} == {*stops}
    assert (told["contacts"], told["directed"], told["by_length"]) == (len(contacts), True, False)
    provenance = told["provenance"]
    assert (provenance["day"], provenance["radius"]) == ("2026-11-26", 1200)
    assert len(provenance["date"]) == 20  # when it was computed
    assert "length" not in provenance
    page = Path("out.html").read_text()
    assert "Temporal betweenness of feed" in page
    assert "Stop B" in page or "B" in page


def test_other_tables(run):
    """Columns by number, standard formats of the output, positions from a table."""
    Path("plain.tsv").write_text("1\ta\tb\n2\tb\tc\n")
    how = ["--columns", "source=2,target=3,time=1", "--directed"]
    status, out, err = run("temporal-betweenness", "plain.tsv", *how, "-o", "out.graphml")
    assert (status, err) == (0, "")
    assert "plain.tsv: 3 nodes, 2 contacts, directed" in out
    assert "temporal_betweenness" in Path("out.graphml").read_text()
    status, _, err = run("temporal-betweenness", "plain.tsv", *how, "--no-header", "--top", "0")
    assert (status, err) == (0, "")


REFUSED = {
    "no titles": (["temporal-betweenness", "plain.tsv"],
                  "or --columns source=...,target=...,time=... with titles or numbers"),
    "a weight": (["temporal-betweenness", "contacts.txt", "--columns", "weight=3"],
                 "expected titles as in source=a,target=b,time=t"),
    "half of the ends": (["temporal-betweenness", "contacts.txt", "--columns", "source=3"],
                         "expected titles as in"),
    "a feed without a day": (["temporal-betweenness", "feed"],
                             "feed: this is a feed in the format GTFS; --day names its day"),
    "an archive without a day": (["temporal-betweenness", "feed.zip"], "--day names its day"),
    "a folder that is none": (["temporal-betweenness", "."], "Is a directory"),
    "no such file": (["temporal-betweenness", "nowhere"], "nowhere: No such file"),
    "no such day": (["temporal-betweenness", "feed", "--day", "2026-11-31"], "got '2026-11-31'"),
    "a day without trips": (["temporal-betweenness", "feed", "--day", "2026-11-27"],
                            "2026-11-27: no service; the feed feed runs from 2026-11-26 to"),
    "a feed that is none": (["temporal-betweenness", ".", *DAY], ".: no stops.txt; expected a"),
    "a feed from a pipe": (["temporal-betweenness", "-", *DAY], "no standard input"),
    "a radius without a day": (["temporal-betweenness", "contacts.txt", "--radius", "5"],
                               "--radius and --speed have an effect only with --day"),
    "columns of a feed": (["temporal-betweenness", "feed", *DAY, "--no-header"],
                          "--day reads a feed in the format GTFS"),
    "no such node": (["temporal-betweenness", "contacts.txt", "--sources", "x"],
                     "--sources: there is no node 'x'"),
    "a wait": (["temporal-betweenness", "contacts.txt", "--wait", "-1"], "a number from 0 on"),
    "foremost": (["temporal-betweenness", "contacts.txt", "--kind", "foremost"], "invalid choice"),
    "a graph": (["temporal-betweenness", "graph.graphml"], "a graph, whose edges have no times"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(run, case):
    """In one line, in words of the command."""
    Path("plain.tsv").write_text("1\ta\tb\n2\tb\tc\n")
    Path("graph.graphml").write_text('<graphml xmlns="http://graphml.graphdrawing.org/xmlns"/>')
    words, said = REFUSED[case]
    status, out, err = run(*words)
    assert status in (1, 2)
    assert said in err
    assert out == ""
    assert len(err.splitlines()) == 1 or "usage:" in err


def test_remarks_of_the_reader_are_notes(run):
    """As transfers that are left out."""
    more = [{"from_stop_id": "B", "to_stop_id": "B", "min_transfer_time": 60}]
    gtfs.write_folder(Path("feed"), {**FEED, "transfers": FEED["transfers"] + more})
    status, out, err = run("temporal-betweenness", "feed", *DAY)
    assert (status, err) == (0, "")
    assert "note: feed/transfers.txt: left out 1 rows" in out


@pytest.mark.parametrize("directed", [True, False])
def test_spread(run, directed):
    """Closeness and reach of all nodes, arrivals from some."""
    words = ["--directed"] if directed else []
    contacts = temporal.read("contacts.txt")
    ways = {"directed": directed, "wait": 3}
    for measure, more, want in (
        ("closeness", ["--sources", "a", "c"],
         temporal.closeness(contacts, sources=[0, 2], **ways)),
        ("reach", ["--start", "3"], temporal.reach(contacts, 3, **ways)),
        ("reach", [], temporal.reach(contacts, 1, **ways)),
    ):  # fmt: skip
        command = [f"temporal-{measure}", "contacts.txt", *more, *words]
        status, _, err = run(*command, "--wait", "3", "-o", "out.csv")
        assert (status, err) == (0, "")
        assert_array_equal([*map(float, columns()[f"temporal_{measure}"])], want)
    command = ["temporal-arrival", "contacts.txt", "--sources", "b", "a", "--start", "2", *words]
    status, _, err = run(*command, "--wait", "3", "-o", "out.csv")
    assert (status, err) == (0, "")
    found = columns()
    want = temporal.arrival(contacts, [1, 0], 2, **ways)
    assert_array_equal(np.array([*map(float, found["arrival"])]).reshape(2, -1), want)
    assert found["source"][0] == "b"


def test_a_time_of_a_day(run):
    """As a clock has it, and the last arrival too."""
    words = [*DAY, "--sources", "A", "--start", "7:59:30"]
    status, out, err = run("temporal-arrival", "feed", *words)
    assert (status, err) == (0, "")
    assert out.splitlines()[-1].split() == ["A", "3", "10:01:00"]
    status, _, err = run("temporal-arrival", "feed", *DAY, "--sources", "A", "--start", "noon")
    assert status == 1
    assert "--start: time 'noon'; expected a number" in err
    status, _, err = run("temporal-arrival", "contacts.txt", "--start", "1")
    assert (status, "required: --sources" in err) == (2, True)
