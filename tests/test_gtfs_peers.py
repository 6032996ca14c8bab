"""The rides of a made city beside two readers of GTFS, where they are installed."""

import datetime as dt
import runpy
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from sparsebc import temporal

CITY = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "data" / "transit.py"))
DAYS = [dt.date(2026, 11, 26), dt.date(2026, 11, 29), dt.date(2026, 12, 25)]


def partridge(feed, day):
    """Times of the trips of a day, in seconds."""
    library = pytest.importorskip("partridge")
    services = library.read_service_ids_by_date(str(feed))[day]
    return library.load_feed(str(feed), view={"trips.txt": {"service_id": services}}).stop_times


def gtfs_kit(feed, day):
    """The same, of texts."""
    library = pytest.importorskip("gtfs_kit")
    found = library.read_feed(feed, dist_units="km")
    trips = found.get_trips(f"{day:%Y%m%d}")
    times = found.stop_times[found.stop_times["trip_id"].isin(trips["trip_id"])].copy()
    for title in ("arrival_time", "departure_time"):
        times[title] = times[title].map(library.timestr_to_seconds)
    return times


@pytest.mark.filterwarnings("ignore")  # of pandas, about partridge
@pytest.mark.parametrize("day", DAYS, ids=str)
@pytest.mark.parametrize("library", [partridge, gtfs_kit], ids=lambda one: one.__name__)
def test_rides(tmp_path, library, day):
    """Of the trams and the ferry, whose trips are not told as frequencies."""
    feed = tmp_path / "transit.zip"
    CITY["write"](feed)
    times = library(feed, day).sort_values(["trip_id", "stop_sequence"])
    titles = ("trip_id", "stop_id", "arrival_time", "departure_time")
    rows = list(zip(*(times[title].tolist() for title in titles), strict=True))
    want = Counter(
        (u, v, departure, arrival)
        for (trip, u, _, departure), (other, v, arrival, _) in pairwise(rows)
        if trip == other and not trip.startswith("bus")
    )
    contacts = temporal.read_gtfs(feed, day).contacts
    columns = (contacts.source, contacts.target, contacts.time, contacts.time + contacts.duration)
    names = contacts.nodes
    found = Counter(
        (names[u], names[v], departure, arrival)
        for u, v, departure, arrival in zip(*(one.tolist() for one in columns), strict=True)
        if {names[u][0], names[v][0]} in ({"T"}, {"F"}) and arrival - departure in (80, 1200)
    )
    assert want
    assert found == want
