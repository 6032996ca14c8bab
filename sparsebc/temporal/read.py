"""Contacts from tables, and the times in their cells."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from numbers import Integral, Real
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..io import frames
from ..io.network import Edges, Network
from ..io.read import reader_of
from ..io.source import opened
from ..io.table import edges as edges_of
from ..io.titles import Wanted
from ..plain_text import ascii_number, quoted
from .contacts import Contacts


def read(
    table: str | os.PathLike[str] | IO[bytes] | Any,
    *,
    source: str | int | None = None,
    target: str | int | None = None,
    time: str | int | None = None,
    duration: str | int | None = None,
    header: bool | None = None,
    separator: str | None = None,
    comment: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Contacts:
    r"""Contacts from the rows of a file or a data frame.

    Parameters
    ----------
    table : str, path-like, binary file, data frame or mapping
        A table of text as for `sparsebc.io.read`: with any separator, comments, quotes, compressed
        by gzip, bzip2, xz or zip, or an open file. Or named columns as for `sparsebc.frames.read`:
        of pandas, polars, pyarrow, or a dict of sequences.
    source, target, time, duration : str or int, optional
        Columns: their titles, in any case, or in a file their numbers from 1 on. By default those
        with known titles: pairs of ends as ``from to``, ``source target`` or ``i j``; ``time``,
        ``t``, ``timestamp``, ``datetime``, ``date``, ``unix_time``, ``start_time``, ``departure``
        or ``departure_time``; ``duration`` or ``travel_time``, by default 0 if missing. A table
        without titles needs these numbers, as the time comes first in some files and last in
        others.
    header : bool, optional
        Whether the first line has titles. By default it does if its titles are known, or if its
        field in the column of times has no digit and those of the other lines have.
    separator, comment, encoding, decimal : str, optional
        For files, as in `sparsebc.io.read`.

    Returns
    -------
    Contacts
        Node names are in `nodes`, numbered as by `sparsebc.io.read`: in ascending order if all are
        integers, else in order of first appearance. Times are int64 if all are integers, else
        float64. Dates are seconds since 1970, in UTC if they have no time zone; durations of NumPy
        or Python are seconds.

    Raises
    ------
    OSError
        If the file cannot be opened.
    TypeError
        If a name is neither text nor an integer, or `table` is neither a file nor has columns.
    ValueError
        If the content is malformed, as in `sparsebc.io.read` and `sparsebc.frames.read`; if a
        column is missing or ambiguous; if a time or duration is neither a number nor a date, or of
        another kind than in earlier rows; if some durations are 0 and others not, or one is
        negative. The message names the line or the row.

    Notes
    -----
    Time and memory are O(m log m) and O(m) for m contacts. Files of more than a megabyte are
    parsed by PyArrow if it is installed.

    Examples
    --------
    A file of SocioPatterns has the time, then two people:

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "contacts.dat")
    ...     _ = path.write_text("20\t1558\t1567\n20\t1560\t1570\n40\t1567\t1570\n")
    ...     contacts = read(path, source=2, target=3, time=1)
    >>> contacts.nodes, contacts.time
    (('1558', '1560', '1567', '1570'), array([20, 20, 40]))

    Columns of a data frame:

    >>> flights = {"from": ["FRA", "HEL"], "to": ["HEL", "OUL"], "departure": [7.5, 11.25],
    ...            "duration": [2.5, 1.0]}
    >>> read(flights).nodes
    ('FRA', 'HEL', 'OUL')
    """
    source, target, time, duration = (
        None if column is None else str(column) for column in (source, target, time, duration)
    )
    extras = {"time": time, "duration": duration}
    wanted = Wanted(source, target, None, header, False, separator, comment, encoding, decimal,
                    extras)  # fmt: skip
    if isinstance(table, (str, os.PathLike)) or hasattr(table, "read"):
        wanted.check()
        with opened(table) as file:
            if reader_of(file, wanted) is not None:
                raise InputError(
                    f"{file.name}: a graph, whose edges have no times; expected a table of source, "
                    "target and time"
                )
            edges = edges_of(file, wanted)
            assert not isinstance(edges, Network)
            try:
                return _contacts(edges)
            except InputError as error:
                if not error.option:  # it has the location of a row
                    raise
                raise InputError(f"{file.name}: {error}") from error
    for option in ("header", "separator", "comment", "encoding", "decimal"):
        if getattr(wanted, option) is not None:
            raise InputError(f"{option} is for text files: leave it out for a data frame", option)
    return _contacts(frames.edges_of(table, wanted))


def _contacts(edges: Edges) -> Contacts:
    """Contacts from edges with times; an error about a duration has the location of its row."""
    columns = [
        numbers(column, called, edges.place, edges.number) for called, column in edges.others
    ]
    for durations in columns[1:]:
        wrong = durations < 0 if (durations < 0).any() or not durations.any() else durations == 0
        if wrong.any():
            k = int(np.argmax(wrong))
            raise InputError(
                f"{edges.place(k)}: duration {durations[k]}; expected durations above 0 in all "
                "rows, or 0 in all"
            )
    duration = columns[1] if len(columns) > 1 else 0
    return Contacts(edges.tails, edges.heads, columns[0], duration, len(edges.names), edges.names)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
LARGEST = 2**53  # from here on, floats do not hold all integers
EXPECTED = (
    "a number below 2**53, or an integer of 64 bits, or a date and time as "
    "2026-11-26T08:30:00, to microseconds, of one kind in all rows"
)


def numbers(
    column: NDArray[Any] | Sequence[Any],
    role: str,
    location: Callable[[int], str],
    number: Callable[[str], float] = float,
) -> NDArray[Any]:
    """Numbers of a column: int64 if all are integers, else float64; dates in seconds since 1970.

    Parameters
    ----------
    column : array or sequence of str
        Numbers, dates or durations, or their texts. Dates without a time zone are in UTC.
    role : str
        What the column holds, for messages.
    location : callable
        Location of row k, for messages.
    number : callable
        Parser of a text that is a number.

    Raises
    ------
    ValueError
        If a row holds none of these, or another kind than earlier rows.
    """
    array = np.asarray(column) if isinstance(column, np.ndarray) else np.array(column, dtype=object)
    if array.dtype.kind in "Mm":
        missing = np.isnat(array)
        found = np.where(missing, np.nan, 0) if missing.any() else _seconds(array, role, location)
    elif array.dtype.kind in "iuf":
        found = array
    else:  # texts or Python objects: all integers, all reals, or all dates or durations
        cells, readable = array.tolist(), 0  # rows that the most successful reader can read
        for read in (_integer, partial(_real, number=number), _moment):
            values: list[Any] = []
            with suppress(TypeError, ValueError):
                values.extend(map(read, cells))
                break
            readable = max(readable, len(values))
        if len(values) < len(cells):
            found = np.where(np.arange(len(cells)) == readable, np.nan, 0)
        elif read is _moment:
            found = _of_moments(values, cells, role, location)
        else:
            found = np.array(values, dtype=np.int64 if read is _integer else np.float64)
    if found.dtype.kind == "f":
        wrong = ~(abs(found) < LARGEST)
    else:
        wrong = found > np.iinfo(np.int64).max
    if wrong.any():
        k = int(np.argmax(wrong))
        shown = str(array[k])
        shown = quoted(shown) if isinstance(array[k], str) else shown
        raise InputError(f"{location(k)}: {role} {shown}; expected {EXPECTED}")
    return found.astype(np.float64 if found.dtype.kind == "f" else np.int64, copy=False)


def _seconds(array: NDArray[Any], role: str, location: Callable[[int], str]) -> NDArray[Any]:
    """Seconds of NumPy dates or durations; raises if two different ones would be equal floats."""
    seconds = array.astype(f"{array.dtype.kind}8[s]")
    rest = (array - seconds).astype("m8[ns]").astype(np.int64)
    whole = seconds.astype(np.int64)
    if not rest.any():
        return whole
    found: NDArray[np.float64] = whole + rest / 1e9
    order = np.argsort(array)
    merged = (np.diff(found[order]) == 0) & (np.diff(array[order].astype(np.int64)) != 0)
    if merged.any():
        k, after = order[np.argmax(merged) :][:2]
        raise InputError(
            f"{location(int(after))}: {role} {array[after]}, which equals {array[k]} in floats of "
            "seconds; expected times farther apart, or the durations since the first of them"
        )
    return found


def _integer(cell: Any) -> int:
    """64-bit integer from a text or a number."""
    if isinstance(cell, bool) or not isinstance(cell, (str, Integral)):
        raise TypeError
    if isinstance(cell, str):
        ascii_number(cell)  # refuses digits beyond ASCII
    value = int(cell)
    if not -(2**63) <= value < 2**63:
        raise ValueError
    return value


def _real(cell: Any, number: Callable[[str], float]) -> float:
    """Float from a text or a number."""
    if isinstance(cell, bool) or not isinstance(cell, (str, Real)):
        raise TypeError
    return number(cell) if isinstance(cell, str) else float(cell)


def _moment(cell: Any) -> datetime:
    """Date and time, to microseconds, from a text, a date or a duration since 1970."""
    if getattr(cell, "nanoseconds", 0) or getattr(cell, "nanosecond", 0):  # of pandas types
        raise ValueError
    if isinstance(cell, str):
        if re.search(r"[.,][0-9]{6}0*[1-9]", cell):  # digits that Python would drop
            raise ValueError
        return datetime.fromisoformat(cell)
    if isinstance(cell, timedelta):
        return EPOCH + cell
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=cell.tzinfo)  # ValueError for NaT, a datetime in pandas
    if isinstance(cell, date):
        return datetime.combine(cell, time())
    raise TypeError


def _of_moments(
    moments: list[datetime], column: list[Any], role: str, location: Callable[[int], str]
) -> NDArray[Any]:
    """Seconds since 1970; int64 if all are integer-valued."""
    is_naive = [one.tzinfo is None for one in moments]
    if len({*is_naive}) > 1:
        k = is_naive.index(not is_naive[0])
        raise InputError(
            f"{location(k)}: {role} {quoted(column[k])}, and {quoted(column[0])} in the "
            "first row; expected a time zone in all rows or in none"
        )
    zone = {"tzinfo": UTC} if moments and is_naive[0] else {}
    counts = [(one.replace(**zone) - EPOCH) // MICROSECOND for one in moments]  # type: ignore[arg-type]
    whole, rest = np.divmod(np.array(counts, dtype=np.int64), 1_000_000)
    return whole + rest / 1e6 if rest.any() else whole
