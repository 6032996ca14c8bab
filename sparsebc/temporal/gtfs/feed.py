"""Tables of a GTFS feed, in a folder or a zip archive."""

from __future__ import annotations

import contextlib
import csv
import itertools
import os
import zipfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engines.common.host_memory import free_memory
from ...errors import InputError
from ...io import text
from ...io.columns import AmbiguousFile
from ...io.dialect import Dialect
from ...io.numbering import StringInterner, Texts
from ...io.source import intact

# A table that unpacks to more than this and to so many times its size is a bomb, not a timetable.
LARGE, RATIO = 1 << 26, 200
CHUNK = 1 << 12  # rows: few, for Python's collector looks at all that are held
_COMMAS = Dialect(",")

Row = tuple[int, tuple[str, ...]]  # the number of its line, and its fields
PlacedRow = tuple[str, tuple[str, ...]]  # where it is, and its fields


class Feed:
    """A feed, to be used in a with statement.

    Nothing is unpacked to the disk, so that names in an archive lead nowhere: its tables lie in the
    one folder that has ``stops.txt``, and no other member is looked at.

    Raises
    ------
    OSError
        If there is no such folder or file.
    ValueError
        If it is no zip archive, or has no ``stops.txt``, several, or two tables of one name.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)
        self._stack = ExitStack()
        self._folder, self._archive = Path(path), None
        self._members: dict[str, zipfile.ZipInfo] = {}
        if not self._folder.is_dir():
            with open(path, "rb"), intact(self.name, ".zip"):
                self._archive = self._stack.enter_context(zipfile.ZipFile(path))
                self._members = self._tables(self._archive.infolist())
        if not self.has("stops.txt"):
            raise InputError(f"{self.name}: no stops.txt; expected a GTFS feed")

    def __enter__(self) -> Feed:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _tables(self, members: Sequence[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        """Members of an archive beside its ``stops.txt``."""
        paths = [PurePosixPath(member.filename) for member in members]
        folders = [path.parent for path in paths if path.name == "stops.txt"]
        folders = [folder for folder in folders if "__MACOSX" not in folder.parts]
        if len(folders) > 1:
            listed = ", ".join(str(folder / "stops.txt") for folder in folders[:3])
            raise InputError(f"{self.name}: {len(folders)} feeds, as {listed}; expected one")
        found: dict[str, zipfile.ZipInfo] = {}
        for path, member in zip(paths, members, strict=True):
            if folders and path.parent == folders[0] and not member.is_dir():
                if path.name in found:
                    raise InputError(f"{self.name}: {path.name} is there twice; expected it once")
                found[path.name] = member
        return found

    def has(self, table: str) -> bool:
        """Whether a table is there."""
        if self._archive is None:
            return (self._folder / table).is_file()
        return table in self._members

    def place(self, table: str, number: int | None = None) -> str:
        """Path of a table, or of a line of it, for messages."""
        return f"{self.name}/{table}" + ("" if number is None else f":{number}")

    def check_memory(self, what: str, size: int, way: str = "") -> None:
        """Raise MemoryError if something of so many bytes does not fit in the free memory."""
        if size > (free := free_memory()):
            raise MemoryError(f"{self.name}: {what}; {free >> 20} MiB are free{way}")

    def rows(
        self,
        table: str,
        needed: Sequence[str],
        others: Sequence[str] = (),
        *,
        may_miss: bool = False,
    ) -> Iterator[PlacedRow]:
        """Place and fields of each row of a table under these titles; of none if it may miss.

        Fields are empty where `others` have no column.

        Raises
        ------
        MemoryError
            If it unpacks to more than the memory that is free.
        ValueError
            If the table is not there, is no text, has a needed title not or twice, or a line of
            another length.
        """
        if self.has(table) or not may_miss:
            for number, fields in self._rows(table, needed, others):
                yield self.place(table, number), fields

    def _rows(self, table: str, needed: Sequence[str], others: Sequence[str]) -> Iterator[Row]:
        """Number of the line and fields of each row of a table that must be there."""
        place = self.place(table)
        if not self.has(table):
            raise InputError(f"{place}: there is no such table; expected a GTFS feed that has one")
        with intact(self.name, ".zip"), self._opened(table, place) as stream:
            try:
                yield from _rows(place, text.blocks(place, stream, None), needed, others)
            except AmbiguousFile as error:  # of the encoding, which is UTF-8 in every feed
                raise InputError(error.args[0]) from None

    def encoded(self, table: str, needed: Sequence[str]) -> tuple[NDArray[np.int64], list[Texts]]:
        """Numbers of the lines of a table, and its columns under these titles; errors as `rows`."""
        every, lines = self._rows(table, needed, ()), array("q")
        interners = [StringInterner() for _ in needed]
        codes: list[list[NDArray[np.int64]]] = [[np.zeros(0, dtype=np.int64)] for _ in needed]
        while chunk := list(itertools.islice(every, CHUNK)):
            numbers, fields = zip(*chunk, strict=True)
            lines.extend(numbers)
            for own, interner, column in zip(
                codes, interners, zip(*fields, strict=True), strict=True
            ):
                own.append(interner.numbers(column))
        columns = zip(codes, interners, strict=True)
        texts = [Texts(np.concatenate(own), interner.names) for own, interner in columns]
        return np.array(lines, dtype=np.int64), texts

    def _opened(self, table: str, place: str) -> Any:
        """Stream of a table."""
        if self._archive is None:
            return open(self._folder / table, "rb")
        member = self._members[table]
        size, packed = member.file_size, member.compress_size
        if size > max(LARGE, RATIO * packed):
            raise InputError(
                f"{place}: unpacks from {packed} bytes to {size}; expected a table, not a zip bomb"
            )
        if size > (free := free_memory()):
            raise MemoryError(f"{place}: {size >> 20} MiB, and {free >> 20} MiB are free")
        return self._archive.open(member)


def _rows(
    place: str, blocks: Iterator[text.Block], needed: Sequence[str], others: Sequence[str]
) -> Iterator[Row]:
    """Rows below the titles."""
    pick, width = None, 0
    for block in blocks:
        for number, row in _fields(place, block):
            if pick is None:
                at, width = _places(f"{place}:{number}", row, needed, others), len(row)
                pick = itemgetter(*at)
                continue
            if len(row) != width:
                if any(row[width:]):
                    problem = f"{len(row)} fields below {width} titles"
                    raise InputError(f"{place}:{number}: {problem}; expected as many")
                row = [*row, *[""] * width][:width]
            row.append("")  # of titles that are not there
            yield number, pick(row)
    if pick is None:
        raise InputError(f"{place}: an empty table; expected titles {', '.join(needed)}")


def _fields(place: str, block: text.Block) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each row of a block.

    By csv as long as no field ends in a space and no quote goes on to the next line; else, and from
    a fault on, line by line, with words for what is wrong.
    """
    lines, taken = block.lines(), 0
    if not (b" ," in block.text or b" \n" in block.text):
        reader = csv.reader(lines, strict=True, skipinitialspace=True)
        with contextlib.suppress(csv.Error):
            for row in reader:
                if reader.line_num != taken + 1:
                    break
                taken += 1
                if row:
                    yield block.before + taken, row
    yield from _COMMAS.rows(place, lines[taken:], block.before + taken)


def _places(
    place: str, titles: Sequence[str], needed: Sequence[str], others: Sequence[str]
) -> list[int]:
    """Places of these titles, behind the row that of one that is not there."""
    for title in (*needed, *others):
        if (count := titles.count(title)) > 1 or (not count and title in needed):
            how = f"{count} columns" if count else "no column"
            raise InputError(f"{place}: {how} {title!r}; expected one in {list(titles)}")
    return [titles.index(title) if title in titles else len(titles) for title in (*needed, *others)]
