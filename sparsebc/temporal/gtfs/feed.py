"""Tables of a GTFS feed, in a folder or a zip archive."""

from __future__ import annotations

import contextlib
import csv
import itertools
import os
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import Any

from ...engines.common.host_memory import free_memory
from ...errors import InputError
from ...io import text
from ...io.columns import AmbiguousFile
from ...io.dialect import Dialect
from ...io.source import intact

# A table of more than LARGE bytes and RATIO times its packed size is a zip bomb, not a timetable.
LARGE, RATIO = 1 << 26, 200
_COMMAS = Dialect(",")

Row = tuple[int, tuple[str, ...]]  # line number and fields
PlacedRow = tuple[str, tuple[str, ...]]  # location for messages, and fields


class Feed:
    """GTFS feed, a context manager.

    Nothing is unpacked to the disk, so that paths in an archive are harmless. Only the members
    beside its one ``stops.txt`` are read.

    Raises
    ------
    OSError
        If there is no such folder or file.
    ValueError
        If it is no zip archive, has no ``stops.txt`` or several, or two tables of one name.
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
        """Members of an archive in the folder of its ``stops.txt``, by name."""
        paths = [PurePosixPath(member.filename) for member in members]
        folders = [path.parent for path in paths if path.name == "stops.txt"]
        folders = [folder for folder in folders if "__MACOSX" not in folder.parts]
        if len(folders) > 1:
            listed = ", ".join(str(folder / "stops.txt") for folder in folders[:3])
            raise InputError(f"{self.name}: {len(folders)} feeds, as {listed}; expected one")
        tables: dict[str, zipfile.ZipInfo] = {}
        for path, member in zip(paths, members, strict=True):
            if folders and path.parent == folders[0] and not member.is_dir():
                if path.name in tables:
                    raise InputError(f"{self.name}: {path.name} occurs twice; expected it once")
                tables[path.name] = member
        return tables

    def has(self, table: str) -> bool:
        """Whether the feed has a table."""
        if self._archive is None:
            return (self._folder / table).is_file()
        return table in self._members

    def place(self, table: str, number: int | None = None) -> str:
        """Path of a table, or of a line of it, for messages."""
        return f"{self.name}/{table}" + ("" if number is None else f":{number}")

    def check_memory(self, what: str, size: int, remedy: str = "") -> None:
        """Raise MemoryError if ``what``, of ``size`` bytes, does not fit in the free memory."""
        if size > (free := free_memory()):
            raise MemoryError(f"{self.name}: {what}; {free >> 20} MiB are free{remedy}")

    def rows(
        self,
        table: str,
        needed: Sequence[str],
        others: Sequence[str] = (),
        *,
        may_miss: bool = False,
    ) -> Iterator[PlacedRow]:
        """Yield location and fields, under the titles, of each row of a table.

        Fields are empty under those of the `others` that the table lacks. A missing table has no
        rows if it `may_miss`.

        Raises
        ------
        MemoryError
            If the table unpacks to more than the free memory.
        ValueError
            If the table is missing or not text, lacks a needed title, has a title twice, or a line
            of another length.
        """
        if self.has(table) or not may_miss:
            for number, fields in self.numbered(table, needed, others):
                yield self.place(table, number), fields

    def numbered(
        self, table: str, needed: Sequence[str], others: Sequence[str] = ()
    ) -> Iterator[Row]:
        """Number of the line and fields of each row of a table that must be there, as `rows`."""
        place = self.place(table)
        if not self.has(table):
            raise InputError(f"{place}: there is no such table; expected a GTFS feed that has one")
        with intact(self.name, ".zip"), self._opened(table, place) as stream:
            try:
                yield from _rows(place, text.blocks(place, stream, None), needed, others)
            except AmbiguousFile as error:  # not UTF-8, as every feed must be: no option to name
                raise InputError(error.args[0]) from None

    def _opened(self, table: str, place: str) -> Any:
        """Binary stream of a table; refuses zip bombs and tables beyond the free memory."""
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
    """Yield line number and fields of each row below the titles."""
    rows = itertools.chain.from_iterable(_fields(place, block) for block in blocks)
    number, titles = next(rows, (0, []))
    if not titles:
        raise InputError(f"{place}: an empty table; expected titles {', '.join(needed)}")
    pick, width = itemgetter(*_columns(f"{place}:{number}", titles, needed, others)), len(titles)
    for number, row in rows:
        if len(row) != width:
            if any(row[width:]):
                problem = f"{len(row)} fields below {width} titles"
                raise InputError(f"{place}:{number}: {problem}; expected a title for each field")
            row = [*row, *[""] * width][:width]
        row.append("")  # the field of missing titles
        yield number, pick(row)


def _fields(place: str, block: text.Block) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of each row of a block.

    By csv unless a field ends in a space, up to the first error or field of several lines; from
    there line by line, with error messages.
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


def _columns(
    place: str, titles: Sequence[str], needed: Sequence[str], others: Sequence[str]
) -> list[int]:
    """Column of each title; for a missing one the column after the last."""
    for title in (*needed, *others):
        if (count := titles.count(title)) > 1 or (not count and title in needed):
            how = f"{count} columns" if count else "no column"
            raise InputError(f"{place}: {how} {title!r}; expected one in {list(titles)}")
    return [titles.index(title) if title in titles else len(titles) for title in (*needed, *others)]
