"""Contacts from tables: as people have them, drawn ones, and what is refused."""

import csv
import datetime as dt
import gzip
import io as stdio
import re
from collections import Counter

import numpy as np
import pytest
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
    file = stdio.BytesIO(content if isinstance(content, bytes) else content.encode())
    file.name = name
    return temporal.read(file, **told)


SCHOOL = {("3", "1", 20, 0): 1, ("1", "2", 20, 0): 1, ("3", "1", 40, 0): 2}
LINES = "20\t3\t1\n20\t1\t2\n40\t3\t1\n40\t3\t1\n"
BY_NUMBER = {"source": 2, "target": 3, "time": 1}
FLIGHTS = {("a", "b", 1.5, 0.5): 1, ("b", "c", 2.0, 1.0): 1}
MORNING = int(dt.datetime(2026, 11, 26, 8, tzinfo=dt.UTC).timestamp())
# Text, what the caller says, and what is read.
TABLES = {
    "SocioPatterns": (LINES, BY_NUMBER, SCHOOL),
    "SocioPatterns, with classes": (
        LINES.replace("\n", "\t5A\t5B\n"), BY_NUMBER, SCHOOL),
    "SocioPatterns, spaces and a comment": (
        "# of a school\n" + LINES.replace("\t", " "), BY_NUMBER, SCHOOL),
    "known letters": ("t i j\n" + LINES.replace("\t", " "), {}, SCHOOL),
    "known letters in a comment": ("# t i j\n" + LINES.replace("\t", " "), {}, SCHOOL),
    "unknown titles, by number": ("when who whom\n" + LINES.replace("\t", " "), BY_NUMBER, SCHOOL),
    "unknown titles, told": ("when,who,whom\n" + LINES.replace("\t", ","),
                             {"source": "WHO", "target": "whom", "time": "When"}, SCHOOL),
    "no header": (LINES, {**BY_NUMBER, "header": False}, SCHOOL),
    "SNAP": ("3 1 20\n1 2 20\n3 1 40\n3 1 40\n", {"source": 1, "target": 2, "time": 3}, SCHOOL),
    "KONECT": ("% asym\n3 1 1 20\n1 2 1 20\n3 1 1 40\n3 1 1 40\n",
               {"source": 1, "target": 2, "time": 4}, SCHOOL),
    "flights": ("from,to,departure,duration\na,b,1.5,0.5\nb,c,2,1\n", {}, FLIGHTS),
    "Excel in German": ("from;to;time;duration\na;b;1,5;0,5\nb;c;2;1\n", {"decimal": ","}, FLIGHTS),
    "quotes": ('"from","to","time","travel time"\n"a","b","1.5","0.5"\nb,c,2,1\n', {}, FLIGHTS),
    "undirected edges of Gephi": (
        "source,target,type,time\na,b,Undirected,3\n", {},
        {("a", "b", 3, 0): 1, ("b", "a", 3, 0): 1}),
    "dates": ("from,to,time\na,b,2026-11-26T08:00:00\nb,c,2026-11-26 08:00:01\n", {},
              {("a", "b", MORNING, 0): 1, ("b", "c", MORNING + 1, 0): 1}),
    "dates without a header": ("a,b,2026-11-26T08:00:00\n",
                               {"source": 1, "target": 2, "time": 3}, {("a", "b", MORNING, 0): 1}),
    "time zones": ("from,to,time\na,b,2026-11-26T10:00:00+02:00\nb,c,2026-11-26T08:00:00.5Z\n", {},
                   {("a", "b", MORNING, 0): 1, ("b", "c", MORNING + 0.5, 0): 1}),
    "large whole numbers": ("from,to,time\na,b,1764144000000000001\n", {},
                            {("a", "b", 1764144000000000001, 0): 1}),
    "names as titles": ("-1 u v\n2 v w\n", BY_NUMBER, {("u", "v", -1, 0): 1, ("v", "w", 2, 0): 1}),
    "negative": ("from,to,time\na,b,-5\n", {}, {("a", "b", -5, 0): 1}),
}  # fmt: skip


@pytest.mark.parametrize("layout", TABLES)
@pytest.mark.parametrize("by_arrow", [False, True])
def test_tables_as_people_have_them(monkeypatch, layout, by_arrow):
    """Line by line and by PyArrow, to the same contacts, whose times are of the types told."""
    monkeypatch.setattr(table, "is_worth_arrow", lambda block: by_arrow)
    content, told, want = TABLES[layout]
    contacts = read(content, **told)
    assert rows(contacts) == want
    assert contacts.time.dtype == np.result_type(*[type(t) for _, _, t, _ in want])
    assert np.all(contacts.time[1:] >= contacts.time[:-1])
    if all(name.isdigit() for name in contacts.nodes):
        assert contacts.nodes == tuple(sorted(contacts.nodes, key=int))


EDGES = {"source": ["a", "b"], "target": ["b", "c"]}
NAMES = ("columns, by title or number, as in source=2, target=3, time=1",)
BAD = {
    "no header": (LINES, {}, "a header with titles of source, target and time", *NAMES),
    "no header, two columns": ("a b\nb c\n", {}, "source, target and time", *NAMES),
    "an edge list": ("source,target,weight\na,b,1\n", {}, "contacts.csv:1: no column for the time"),
    "two times": ("from,to,time,date\na,b,1,2\n", {}, "columns ['time', 'date'] for the time"),
    "two durations": (
        "from,to,time,duration,travel_time\na,b,1,2,3\n", {},
        "columns ['duration', 'travel_time'] for the duration"),
    "ends alone": (LINES, {"source": 2, "target": 3}, "no column for the time"),
    "one end": (LINES, {"source": 2, "time": 1}, "give both or neither"),
    "a column twice": (LINES, {"source": 2, "target": 3, "time": 2}, "expected each of them once"),
    "no such column": (LINES, {**BY_NUMBER, "time": 4}, "column 4; expected a number from 1"),
    "no such title": ("from,to,time\na,b,1\n", {"duration": "d"}, "no column 'd'"),
    "titles, header=False": (LINES, {**BY_NUMBER, "time": "t", "header": False}, "no titles"),
    "a word": ("from,to,time\na,b,1\nb,c,soon\n", {}, "contacts.csv:3: time 'soon'; expected"),
    "an empty time": ("from,to,time\na,b,1\nb,c,\n", {}, "contacts.csv:3: time ''"),
    "a short line": ("from,to,time\na,b,1\nb,c\n", {}, "contacts.csv:3: 2 columns; expected 3"),
    "not a number": ("from,to,time\na,b,1\n\nb,c,nan\n", {}, "contacts.csv:4: time 'nan'"),
    "infinite": ("from,to,time\na,b,inf\n", {}, "contacts.csv:2: time 'inf'"),
    "rounded": ("from,to,time\na,b,0.5\na,c,9007199254740993\n", {}, "time '9007199254740993'"),
    "too large": (f"from,to,time\na,b,{2**63}\n", {}, f"contacts.csv:2: time '{2**63}'"),
    "a date among numbers": ("from,to,time\na,b,1\na,b,2026-11-26\n", {}, "3: time '2026-11-26'"),
    "a number among dates": ("from,to,time\na,b,2026-11-26\na,b,1\n", {}, "3: time '1'"),
    "no such day": ("from,to,time\na,b,2026-11-31\n", {}, "time '2026-11-31'"),
    "some time zones": ("from,to,time\na,b,2026-11-26\na,b,2026-11-26T00Z\n", {}, "in all rows or"),
    "a negative duration": ("from,to,time,duration\na,b,1,0\na,b,2,-1\n", {}, "csv:3: duration -1"),
    "a duration of 0": ("from,to,time,duration\na,b,1,5\na,b,2,0\n", {}, "csv:3: duration 0"),
    "an empty name": ("from,to,time\na,b,1\n,b,2\n", {}, "contacts.csv:3: an empty name"),
    "a comma for a point": ("from,to,time\na,b,\"1,5\"\n", {}, "time '1,5'"),
    "empty": ("", {}, "no data"),
    "titles alone": ("from,to,time\n", {}, "a header and no edge"),
    "a graph": ('<graphml xmlns="http://graphml.graphdrawing.org/xmlns"/>', {}, "no times"),
    "bytes": (b"from,to,time\na,b,\0\n", {}, "a NUL byte"),
    # Frames, with the row and the column.
    "a frame without times": (EDGES, {}, "frame: no column for the time"),
    "None": ({**EDGES, "time": [1, None]}, {}, "row 1: column 'time' has None"),
    "True": ({**EDGES, "time": ["1", True]}, {}, "row 1: column 'time' has 'True'"),
    "NaN": ({**EDGES, "time": [1.0, np.nan]}, {}, "row 1: column 'time' has nan"),
    "a short column": ({**EDGES, "time": [1]}, {}, "columns differ in length: 2 and 1 rows"),
    "before": ({**EDGES, "time": [1, 2], "duration": [1, -1]}, {}, "row 1: duration -1"),
    "of text": ({**EDGES, "time": [1, 2]}, {"separator": ","}, "separator is for text files"),
    "no such column of it": ({**EDGES, "time": [1, 2]}, {"time": "when"}, "no column 'when'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(case):
    """By a message that names the line and the way out."""
    content, told, *messages = BAD[case]
    with pytest.raises(ValueError, match=re.escape(messages[0])) as caught:
        read(content, **told)
    for message in messages:
        assert message in str(caught.value)


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
def test_frames_of_every_kind(contacts, kind):
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


@pytest.mark.parametrize("column", COLUMNS)
def test_columns_of_dates(column):
    """Whole seconds since 1970, and durations in seconds."""
    lengths = [HOUR, 2 * HOUR]
    contacts = temporal.read({**EDGES, "time": COLUMNS[column], "duration": lengths})
    assert contacts.time.tolist() == [DAY.timestamp(), (DAY + HOUR).timestamp()]
    assert contacts.duration.tolist() == [3600, 7200]
    assert {contacts.time.dtype, contacts.duration.dtype} == {np.dtype(np.int64)}


def test_columns_of_pandas():
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


def test_nanoseconds():
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


def test_what_is_no_table():
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


def test_a_file_of_many_blocks(tmp_path, monkeypatch):
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
