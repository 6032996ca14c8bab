"""Contacts from tables: as people have them, drawn ones, and what is refused."""

import csv
import datetime as dt
import gzip
import io as stdio
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from graph_texts import opened
from hypothesis import given
from hypothesis import strategies as st
from tables import FRAMES
from walks import rows

from sparsebc import temporal
from sparsebc.io import source as text
from sparsebc.io import table


def read(content, name="contacts.csv", **told):
    """Contacts of a text, or of a frame."""
    if isinstance(content, dict):
        return temporal.read(content, **told)
    return temporal.read(opened(content, name), **told)


DATA = json.loads((Path(__file__).parent / "data" / "contacts.json").read_text())
BY_NUMBER = {"source": 2, "target": 3, "time": 1}


@pytest.mark.parametrize("case", DATA["read"], ids=lambda case: case["name"])
@pytest.mark.parametrize("by_arrow", [False, True])
def test_tables_as_people_have_them_are_read(monkeypatch, case, by_arrow):
    """Line by line and by PyArrow, to the same contacts, whose times are of the types told."""
    monkeypatch.setattr(table, "LEAST", 0 if by_arrow else 10**9)
    contacts = read(case["text"], **case["told"])
    assert rows(contacts) == {tuple(contact): count for *contact, count in case["contacts"]}
    times = [contact[2] for contact in case["contacts"]]
    assert contacts.time.dtype == np.result_type(*map(type, times))
    assert np.all(contacts.time[1:] >= contacts.time[:-1])
    if all(name.isdigit() for name in contacts.nodes):
        assert contacts.nodes == tuple(sorted(contacts.nodes, key=int))


EDGES = {"source": ["a", "b"], "target": ["b", "c"]}


@pytest.mark.parametrize("case", DATA["refused"], ids=lambda case: case["name"])
def test_a_wrong_table_is_refused_with_its_line(case):
    """By a message that names the line and the way out."""
    with pytest.raises(ValueError, match=re.escape(case["says"][0])) as caught:
        read(case.get("text", case.get("frame")), **case["told"])
    assert all(words in str(caught.value) for words in case["says"])


NODES = st.sampled_from(["1", "2", "3", "10", "a", "b c", "é"])
TIME = {
    "integers": st.integers(-(2**62), 2**62 - 1),  # a span of 64 bits
    "floats": st.floats(-(2**53), 2**53, exclude_min=True, exclude_max=True),
    "dates": st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
}
KINDS = st.sampled_from(sorted(TIME)).flatmap(
    lambda kind: st.lists(st.tuples(NODES, NODES, TIME[kind]), min_size=1, max_size=9)
)


def number(time):
    """What a time is read as."""
    if not isinstance(time, dt.datetime):
        return time
    count = (time - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
    return count / 1e6


def is_close(found, want):
    """Whether the same contacts are there; fractions of dates are rounded."""
    found, want = (sorted(x.elements(), key=lambda row: (row[:2], row[2])) for x in (found, want))
    same = [row[:2] for row in found] == [row[:2] for row in want]
    times = ([row[2] for row in x] for x in (found, want))
    return same and np.allclose(*times, rtol=1e-15, atol=1e-6)


@given(KINDS, st.sampled_from(",;\t"), st.permutations(["from", "to", "time"]), st.booleans())
def test_what_csv_writes_comes_back(contacts, separator, titles, has_header):
    """Any times, the columns in any order, with titles or by number."""
    text = stdio.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator)
    named = [dict(zip(("from", "to", "time"), row, strict=True)) for row in contacts]
    if has_header:
        writer.writerow(titles)
    writer.writerows([row[title] for title in titles] for row in named)
    told = {"source": "from", "target": "to", "time": "time"}
    if not has_header:
        told = {role: 1 + titles.index(title) for role, title in told.items()}
        told["header"] = False
    found = read(text.getvalue(), separator=separator, **told)
    want = Counter((u, v, number(t), 0) for u, v, t in contacts if u != v)
    assert rows(found) == want if found.time.dtype == int else is_close(rows(found), want)


@given(KINDS, st.sampled_from(sorted(FRAMES)))
def test_frames_of_every_kind_hold_the_same_contacts(contacts, kind):
    """The columns of a frame of any library hold the same contacts."""
    sources, targets, times = map(list, zip(*contacts, strict=True))
    found = temporal.read(FRAMES[kind]({"from": sources, "to": targets, "time": times}))
    want = Counter((u, v, number(t), 0) for u, v, t in contacts if u != v)
    assert rows(found) == want if found.time.dtype == int else is_close(rows(found), want)


HOUR = dt.timedelta(hours=1)
DAY = dt.datetime(2026, 11, 26, tzinfo=dt.UTC)
COLUMNS = {
    "numpy seconds": np.array(["2026-11-26", "2026-11-26T01"], dtype="M8[s]"),
    "numpy hours": np.array(["2026-11-26", "2026-11-26T01"], dtype="M8[h]"),
    "dates": [DAY, DAY + HOUR],
    "dates and times without a zone": [DAY.replace(tzinfo=None), DAY.replace(tzinfo=None) + HOUR],
    "texts": ["2026-11-26", "2026-11-26T01:00"],
    "unsigned": np.array([DAY.timestamp(), (DAY + HOUR).timestamp()], dtype=np.uint64),
}


def test_durations_may_all_be_zero():
    contacts = temporal.read({**EDGES, "time": [1, 2], "duration": [0, 0]})
    assert contacts.duration.tolist() == [0, 0]


@pytest.mark.parametrize("column", COLUMNS)
def test_columns_of_dates_are_seconds_since_1970(column):
    """Whole seconds since 1970, and durations in seconds."""
    lengths = [HOUR, 2 * HOUR]
    contacts = temporal.read({**EDGES, "time": COLUMNS[column], "duration": lengths})
    assert contacts.time.tolist() == [DAY.timestamp(), (DAY + HOUR).timestamp()]
    assert contacts.duration.tolist() == [3600, 7200]
    assert {contacts.time.dtype, contacts.duration.dtype} == {np.dtype(np.int64)}


def test_times_of_pandas_keep_their_zone():
    """With a time zone, with missing values, and as durations."""
    pandas = pytest.importorskip("pandas")
    times = pandas.to_datetime(["2026-11-26 00:00", "2026-11-26 01:00"]).tz_localize(
        "Europe/Helsinki"
    )
    frame = pandas.DataFrame({**EDGES, "time": times, "duration": pandas.to_timedelta([1, 2], "h")})
    contacts = temporal.read(frame)
    assert contacts.time.tolist() == [DAY.timestamp() - 7200, DAY.timestamp() - 3600]
    assert contacts.duration.tolist() == [3600, 7200]
    frame["time"] = pandas.array([1, None], dtype="Int64")
    with pytest.raises(ValueError, match=r"row 1: column 'time' has nan; expected"):
        temporal.read(frame)
    frame["time"] = [pandas.Timestamp("2026-11-26"), pandas.NaT]
    with pytest.raises(ValueError, match=r"row 1: column 'time' has NaT; expected"):
        temporal.read(frame)


def test_nanoseconds_are_refused_as_dates_and_kept_as_durations():
    """Are refused where the seconds since 1970 do not tell them apart, and kept as durations."""
    times = np.array(["2026-11-26T01:00", "2026-11-26T01:00:00.000000001"], "M8[ns]")
    message = r"row 1: .*000001, which equals 2026.* or the durations since the first"
    with pytest.raises(ValueError, match=message):
        temporal.read({**EDGES, "time": times})
    assert temporal.read({**EDGES, "time": times - times[0]}).time.tolist() == [0, 1e-9]
    pandas = pytest.importorskip("pandas")
    for column in (times.astype(str), pandas.to_datetime(times).tz_localize("UTC").astype(object)):
        with pytest.raises(ValueError, match=r"row 1: .*01.*; expected .* to microseconds"):
            temporal.read({**EDGES, "time": list(column)})


def test_what_is_no_table_is_refused():
    """A TypeError says what would do; a file that is not there is one of the system."""
    with pytest.raises(TypeError, match="frame must have named columns"):
        temporal.read([1, 2])
    with pytest.raises(FileNotFoundError):
        temporal.read("nowhere.csv")


@pytest.mark.filterwarnings("ignore::sparsebc.io.ReadWarning")
@given(
    st.lists(st.sampled_from([*',;\t |\n"#%01', "from", "to", "time", "12", "a"]), max_size=24),
    st.sampled_from([{}, BY_NUMBER, {**BY_NUMBER, "header": False}, {**BY_NUMBER, "comment": ""}]),
)
def test_any_text_is_read_or_refused(pieces, told):
    """By a ValueError that names the file, and nothing else."""
    try:
        contacts = read("".join(pieces), **told)
    except ValueError as error:
        found = str(error)
    else:
        assert contacts.n == len(contacts.nodes) > 0
        assert all(contacts.nodes)
        return
    assert found.startswith("contacts.csv")


def test_a_compressed_file_of_many_blocks_is_read(tmp_path, monkeypatch):
    """Compressed, of more than a block, with a number among the names behind its middle."""
    n, path = 4_000, tmp_path / "contacts.tsv.gz"
    monkeypatch.setattr(text, "SIZE", 1 << 12)
    rng = np.random.default_rng(5)
    ends, times = rng.integers(0, 300, (2, n)), np.sort(rng.integers(0, 10**6, n))
    lines = [f"{t}\t{u}\t{v}" for t, u, v in zip(times, *ends, strict=True)]
    lines[-5] = "1000000\tx\t1000001"
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write("\n".join(lines))
    contacts = temporal.read(path, **BY_NUMBER)
    want = Counter((u, v, int(t), 0) for t, u, v in map(str.split, lines) if u != v)
    assert rows(contacts) == want
