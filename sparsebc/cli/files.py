"""Files that a command reads: each is hashed as it is read; messages on them name options."""

import argparse
import hashlib
import io
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from ..io import source
from ..io.columns import AmbiguousFile, ReadWarning, Spelling, StrengthWarning
from .errors import Refusal
from .options import OPTIONS, TABLE, name_of

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
        "temporal": "sparsebc temporal-betweenness --columns source=2,target=3,time=1 where they "
        "are times",
    },
    lambda columns: (
        "--columns " + shlex.quote(",".join(f"{role}={column}" for role, column in columns.items()))
    ),
)


def files_read(given: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Files that a command reads, each with its role in words."""
    yield given.network, "the network itself"
    for name, option in OPTIONS.items():
        value = getattr(given, name_of(name))
        if option.reads == "list":
            groups = value or () if name == "--nodes" else [value or ()]
            listed = [one[1:] for one in chain(*groups) if one.startswith("@")]
            yield from ((path, f"a list of {name}") for path in listed)
        elif option.reads == "columns":
            yield from ((file_of(one)[0], f"a table of {name}") for one in value or ())
        elif option.reads and value is not None:
            path = file_of(value)[0] if option.reads == "column" else value
            yield path, f"the table of {name}"


def file_of(given: str) -> tuple[str, str | None]:
    """File and column title of FILE[:COLUMN]; no column if a file has the whole name."""
    path, _, column = given.rpartition(":")
    if not path or Path(given).is_file():
        return given, None
    return path, column


def of_text(given: argparse.Namespace) -> dict[str, Any]:
    """Arguments of a reader of any table of text, from the options of a command."""
    return {name: value for name in TABLE if (value := getattr(given, name)) is not None}


def of_table(given: argparse.Namespace) -> dict[str, Any]:
    """Arguments of the reader of the network, if it is a table of text."""
    return of_text(given) | (given.columns or {}) | ({"header": False} if given.no_header else {})


def digests(given: argparse.Namespace) -> dict[str, str]:
    """SHA-256 of each file that was read so far, by its path."""
    found: dict[str, str] = vars(given).setdefault("digests", {})
    return found


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


@contextmanager
def network_file(given: argparse.Namespace) -> Iterator[Any]:
    """The file that a command names, or standard input."""
    if given.no_header and not all(map(str.isdigit, (given.columns or {}).values())):
        raise Refusal(
            "--columns with titles needs a header, and --no-header says that there is none: give "
            "numbers of columns, or leave out --no-header"
        )
    if given.network == "-":
        yield sys.stdin.buffer
    else:
        with _hashed(given, given.network) as file:
            yield file


@contextmanager
def _hashed(given: argparse.Namespace, path: str) -> Iterator[Any]:
    """A file, whose digest is kept once all is read; one that is read again must be the same."""
    file = _Hashed(path)
    with io.BufferedReader(file, 1 << 16) as buffered:
        yield buffered
        digest = file.sha256()
        if digests(given).setdefault(path, digest) != digest:
            raise Refusal(f"{path} changed while it was read: run the command again")


@contextmanager
def opened(given: argparse.Namespace, path: str) -> Iterator[source.Source]:
    """Source of a table or list that an option names."""
    with noting(given, []), _hashed(given, path) as file, source.opened(file) as found:
        yield found


@contextmanager
def noting(given: argparse.Namespace, notes: list[str]) -> Iterator[None]:
    """Turn the warnings of a reader into notes, and `AmbiguousFile` into a Refusal with options."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ReadWarning)
            yield
    except AmbiguousFile as error:
        raise Refusal(error.spelt(SPELLING)) from error
    for one in caught:
        if isinstance(one.message, ReadWarning):
            if given.weighted or not isinstance(one.message, StrengthWarning):
                notes.append(one.message.spelt(SPELLING))
        else:
            warnings.showwarning(one.message, one.category, one.filename, one.lineno)
