"""Files that a command reads: each is hashed as it is read; messages on them name options."""

import argparse
import hashlib
import io
import math
import shlex
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..io import source
from ..io.columns import AmbiguousFile, ReadWarning, Spelling, StrengthWarning, Wanted
from ..io.dialect import table
from ..io.source import blocks
from ..plain_text import meant, quoted
from .messages import Refusal
from .options import TABLE

SPELLING = Spelling(
    {
        "columns": "--columns source=...,target=...,weight=... with titles or numbers of its "
        "columns",
        "contacts": "--columns source=...,target=...,time=... with titles or numbers of its "
        "columns",
        "attribute": "--columns weight=... with the attribute of the weights",
        "titles": "--columns source=...,target=... with the titles if the first line is a header",
        "no header": "--no-header where the first line is an edge",
        "rows": "--comment '' where such lines are edges",
        "comments": "--comment '#' where they are not",
        "encoding": "--encoding with the name of the encoding, as cp1252 (Windows), latin-1, "
        "utf-16-le",
        "separator": "--separator with the character that separates the fields, as ';'",
        "decimal": "--decimal , where a comma is the decimal point",
        "temporal": "sparsebc temporal --columns source=2,target=3,time=1 where they are times",
        "strength": "--strength makes lengths of them",
    },
    lambda columns: (
        "--columns " + shlex.quote(",".join(f"{role}={column}" for role, column in columns.items()))
    ),
)


class Files:
    """The files that the options of a command name.

    Attributes
    ----------
    given : argparse.Namespace
        The arguments of the command.
    text : dict
        Arguments of a reader of any table of text.
    digests : dict
        SHA-256 of each file that was read so far, by its path.
    notes : list of str
        Notes on how files were read.
    """

    def __init__(self, given: argparse.Namespace) -> None:
        told = ((name, getattr(given, name)) for name in TABLE)
        self.given, self.text = given, {name: one for name, one in told if one is not None}
        self.digests: dict[str, str] = {}
        self.notes: list[str] = []

    @contextmanager
    def network(self) -> Iterator[Any]:
        """The file of the network, or standard input."""
        titles = (self.given.columns or {}).values()
        if self.given.header is False and not all(map(str.isdigit, titles)):
            raise Refusal(
                "--columns with titles needs a header, and --no-header says that there is none: "
                "give numbers of columns, or leave out --no-header"
            )
        with self._noting(self.notes):
            if self.given.network == "-":
                yield sys.stdin.buffer
            else:
                with self._hashed(self.given.network) as file:
                    yield file

    @contextmanager
    def opened(self, path: str) -> Iterator[source.Source]:
        """Source of a table or list that an option names."""
        with self._noting([]), self._hashed(path) as file, source.opened(file) as found:
            yield found

    @contextmanager
    def _hashed(self, path: str) -> Iterator[Any]:
        """A file, whose digest is kept once all is read; read again, it must be the same."""
        file = _Hashed(path)
        with io.BufferedReader(file, 1 << 16) as buffered:
            yield buffered
            digest = file.sha256()
            if self.digests.setdefault(path, digest) != digest:
                raise Refusal(f"{path} changed while it was read: run the command again")

    @contextmanager
    def _noting(self, notes: list[str]) -> Iterator[None]:
        """Turn warnings of a reader into notes, and `AmbiguousFile` into a Refusal with options."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ReadWarning)
                yield
        except AmbiguousFile as error:
            raise Refusal(error.spelt(SPELLING)) from error
        for one in caught:
            if not isinstance(one.message, ReadWarning):
                warnings.showwarning(one.message, one.category, one.filename, one.lineno)
            elif self.given.weighted or not isinstance(one.message, StrengthWarning):
                notes.append(one.message.spelt(SPELLING))

    def listed(
        self, option: str, texts: Sequence[str], is_known: Callable[[str], bool]
    ) -> list[str]:
        """What an option lists: between commas, unless a whole text is known; @FILE, one a line."""
        found: list[str] = []
        for text in texts:
            for one in [text] if is_known(text) else text.split(","):
                if not one.startswith("@") or is_known(one):
                    found.append(one)
                    continue
                before = len(found)
                with self.opened(one[1:]) as file:
                    for block in blocks(file.name, file.stream, self.given.encoding):
                        found += filter(None, map(str.strip, block.lines()))
                if len(found) == before:
                    raise Refusal(f"{option} {one}: the file lists nothing")
        return found


class Table:
    """Rows of the table that an option names, with line numbers."""

    def __init__(self, files: Files, path: str, option: str) -> None:
        self.path, self.where = path, f"{option} {path}"
        told = {name: value for name, value in files.text.items() if name != "header"}
        with files.opened(path) as file:
            self.dialect, self.rows = table(file, Wanted(**told))
        if not self.rows:
            raise Refusal(f"{self.where}: the file is empty")

    def number(self, cell: str) -> float:
        """Value of a number, with the decimal point of the table."""
        return self.dialect.number(cell)

    def amount(self, cell: str) -> float:
        """Value of a finite, nonnegative number; ValueError for anything else."""
        value = self.number(cell)
        if not 0 <= value < math.inf:
            raise ValueError
        return value

    def titles(self, nodes: Collection[str]) -> list[str]:
        """Titles: the first row, removed from the table, unless it names a node."""
        return self.rows.pop(0)[1] if self.rows and self.rows[0][1][0] not in nodes else []

    def column(self, title: str | None, nodes: Collection[str]) -> int:
        """Index of a titled column; of the second without a title."""
        if title is None:
            self.titles(nodes)
            return 1
        titles = self.titles(())[1:]
        if title not in titles:
            known = quoted(titles)[1:-1] or "none"
            problem = f"there is no column {title!r}; the columns are {known}"
            raise Refusal(f"{self.where}: {problem}{meant(title, titles)}")
        return titles.index(title) + 1

    def values(
        self, expected: str, value_of: Callable[[list[str]], Any]
    ) -> Iterator[tuple[int, list[str], Any]]:
        """Line, cells and value of each row; Refusal with file and line if it has no value."""
        for number, row in self.rows:
            try:
                yield number, row, value_of(row)
            except (IndexError, ValueError):
                found = f"with tabs, commas or semicolons, got {quoted(','.join(row))}"
                raise Refusal(f"{self.path}:{number}: expected {expected}, {found}") from None

    def by_name(self, expected: str, value_of: Callable[[list[str]], Any]) -> dict[str, Any]:
        """Values of rows by their first cells; Refusal if a name repeats with another value."""
        found: dict[str, Any] = {}
        for number, row, value in self.values(expected, value_of):
            if found.setdefault(row[0], value) != value:
                again = f"{quoted(row[0])} again, with another value; give it one value"
                raise Refusal(f"{self.path}:{number}: {again}")
        return found

    def no_node(self, names: Sequence[str], hint: str = "", has: str = "") -> Refusal:
        """Refusal of a table that names no node."""
        some = f", which are {quoted(names[0])} and others" if names else ""
        has = has or "the first column has none"
        return Refusal(f"{self.where}: {has} of the nodes{some}{hint}")


def file_of(given: str) -> tuple[str, str | None]:
    """File and column title of FILE[:COLUMN]; no column if a file has the whole name."""
    path, _, column = given.rpartition(":")
    if not path or Path(given).is_file():
        return given, None
    return path, column


class _Hashed(io.RawIOBase):
    """A file with the SHA-256 of its bytes: as they are read, unless a reader moves about in it."""

    def __init__(self, path: str) -> None:
        self.name, self._file = path, open(path, "rb", buffering=0)
        self._sum, self._has_moved = hashlib.sha256(), False

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read from the file."""
        count = self._file.readinto(buffer)
        self._sum.update(memoryview(buffer)[:count])
        return count

    def seekable(self) -> bool:
        """Whether the file is no pipe."""
        return self._file.seekable()

    def tell(self) -> int:
        """Place in the file."""
        return self._file.tell()

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        """Move to a place."""
        self._has_moved = True
        return self._file.seek(place, whence)

    def sha256(self) -> str:
        """Digest of the whole file; of an archive that was read here and there, the same file's."""
        if self._has_moved:
            self._file.seek(0)
            self._sum = hashlib.sha256()
        while self.read(1 << 20):
            pass
        return self._sum.hexdigest()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()
