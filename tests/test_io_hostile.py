"""Files that are damaged, huge, or made to do harm: refused by name, in short words."""

import errno
import io as stdio
import re
import sys
import warnings
import zipfile
from functools import partial

import pytest
from graph_texts import PACK, cases, opened, zipped
from graph_texts import read as read_text
from hypothesis import example, given
from hypothesis import strategies as st

from sparsebc import io, temporal
from sparsebc.io import source

TEXT = b"source,target,weight\n" + b"".join(b"a%d,b%d,%d\n" % (k, k % 7, k) for k in range(60))
ARCHIVES = PACK | {"stored": partial(zipped, method=zipfile.ZIP_STORED)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


@st.composite
def damaged(draw):
    """An archive, cut or with other bytes, most at its end, where zip has its directory."""
    kind = draw(st.sampled_from(sorted(ARCHIVES)))
    content = bytearray(ARCHIVES[kind](TEXT))
    begin = draw(st.sampled_from([0, 0, 1, 20]))
    del content[:begin], content[draw(st.integers(1, len(content))) :]
    for _ in range(draw(st.integers(0, 4))):
        at = len(content) - 1 - draw(st.integers(0, min(120, len(content) - 1)))
        content[at] = draw(st.integers(0, 255))
    return kind.replace("stored", "zip"), bytes(content)


@given(damaged())
@example(("zip", zipped(TEXT)[:-3] + b"\xff" + zipped(TEXT)[-2:]))  # a place before its beginning
@example(("zip", zipped(TEXT, "é").replace("é".encode(), b"\xff\xff")))  # not UTF-8
@example(
    ("zip", re.sub(rb"(PK\x01\x02.{24})\x05(.{17})a.csv", rb"\1\0\2", zipped(TEXT), flags=re.S))
)
def test_a_damaged_archive_is_read_or_refused_by_its_name(folder, archive):
    kind, content = archive
    path = folder / f"a.csv.{kind}"
    path.write_bytes(content)
    for file, name in ((path, str(path)), (stdio.BytesIO(content), "the file")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                io.read(file)
            except ValueError as error:
                assert name in str(error)  # noqa: PT017
                assert "Invalid argument" not in str(error)  # noqa: PT017


@pytest.mark.parametrize("kind", PACK)
def test_a_file_that_expands_too_far_is_refused_until_it_is_unpacked(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(source, "EXPANDED", 1 << 12)
    path, content = tmp_path / f"a.csv.{kind}", b"1,2\n" * (1 << 16)
    path.write_bytes(PACK[kind](content))
    for file in (path, stdio.BytesIO(path.read_bytes())):
        with pytest.raises(ValueError, match=r"expand to more than .* unpack the file"):
            io.read(file)
    path.with_suffix("").write_bytes(content)
    assert io.read(path.with_suffix("")).names == ("1", "2")
    monkeypatch.setattr(source, "EXPANDED", 1 << 20)
    assert io.read(path).names == ("1", "2")


@pytest.mark.parametrize("cells", ["," * 5000, '"' * 5000, '""' * 2500, "a" * 5000])
def test_a_line_that_is_too_long_is_refused(monkeypatch, cells):
    monkeypatch.setattr(source, "SIZE", 16)
    monkeypatch.setattr(source, "LONGEST", 1 << 12)
    with pytest.raises(ValueError, match=r"file:3: a line of .* or more; expected shorter"):
        io.read(stdio.BytesIO(f"a,b\nb,c\n{cells}\n".encode()))
    monkeypatch.setattr(source, "LONGEST", 1 << 13)
    with pytest.raises(ValueError, match="; expected"):
        io.read(stdio.BytesIO(f"a,b\nb,c\n{cells}\n".encode()))


class Failing(stdio.RawIOBase):
    """A stream that fails after its first bytes."""

    name = "disk.csv"

    def __init__(self, error):
        self._parts, self._error = [b"a,b\n" * 300], error

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self._parts:
            raise self._error
        part = self._parts.pop()
        buffer[: len(part)] = part[: len(buffer)]
        return min(len(part), len(buffer))


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), MemoryError()])
def test_errors_of_reading_name_the_file(error):
    with pytest.raises(type(error), match=r"disk\.csv"):
        io.read(Failing(error))


@pytest.mark.skipif(sys.platform != "linux", reason="no such devices")
@pytest.mark.parametrize("path", ["/dev/zero", "/proc/self/mem"])
def test_devices_that_are_no_text_are_named_at_once(path):
    with pytest.raises((ValueError, OSError), match=re.escape(path)):
        io.read(path)


LONG = "x" * 72_000


@pytest.mark.parametrize(
    ("name", "content", "told"), [*cases("long_fields"), ("a.metis", "1 " * 36_000, {})]
)
def test_a_message_is_short_whatever_a_field_holds(name, content, told):
    told = {role: LONG if title == "{}" else title for role, title in told.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            read_text(content.replace("{}", LONG), name, **told)
        except ValueError as error:
            caught = [error]
    assert caught
    assert all(len(str(getattr(one, "message", one))) < 1200 for one in caught)


@pytest.mark.parametrize("times", ["{}", "1\nb,c,{}", "2026-11-28\nb,c,{}"])
def test_a_message_on_a_time_is_short(times):
    content = f"source,target,time\na,b,{times.format(LONG)}\n"
    with pytest.raises(ValueError, match="time 'xxx") as caught:
        temporal.read(stdio.BytesIO(content.encode()))
    assert len(str(caught.value)) < 1200


BIG = ["9" * 310, "9" * 5000, str(2**64), "1_0"]


@pytest.mark.parametrize("number", BIG)
@pytest.mark.parametrize("content", ["2 1 1\n2 {0}\n1 {0}\n", "2 1\n{0}\n1\n", "{0} 1\n2\n1\n"])
def test_an_integer_beyond_64_bits_in_metis_is_refused_with_its_line(content, number):
    line = 1 if content.startswith("{") else 2
    with pytest.raises(ValueError, match=rf"a\.metis:{line}: .*; expected integers"):
        read_text(content.format(number), "a.metis")


@pytest.mark.parametrize("rows", ["a,b,1,9223372036854775807", "a,b,9223372036854775807,5"])
def test_contacts_beyond_64_bits_together_name_the_file(rows):
    content = f"source,target,time,duration\n{rows}\nb,c,1,5\n"
    with pytest.raises(ValueError, match=r"contacts\.csv: duration"):
        temporal.read(opened(content, "contacts.csv"))
