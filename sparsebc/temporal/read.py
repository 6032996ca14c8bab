"""Contacts from files and data frames, with source, target, time and optional duration a row."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, OptionError
from ..io import frames
from ..io.columns import Extra, Wanted, named
from ..io.network import Network
from ..io.read import reader_of
from ..io.source import Source, opened
from ..io.table import edges as edges_of
from .contacts import Contacts
from .times import numbers

TIMES = (
    *("time", "t", "timestamp", "datetime", "date", "unix_time", "start_time", "departure"),
    "departure_time",
)
DURATIONS = ("duration", "travel_time")


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
    extras = (Extra("time", time, TIMES, True), Extra("duration", duration, DURATIONS, False))
    wanted = Wanted(source, target, None, header, False, separator, comment, encoding, decimal,
                    extras)  # fmt: skip
    if isinstance(table, (str, os.PathLike)) or hasattr(table, "read"):
        wanted.check()
        with opened(table) as file:
            return _of_file(file, wanted)
    for option in ("header", "separator", "comment", "encoding", "decimal"):
        if getattr(wanted, option) is not None:
            raise OptionError(f"{option} is for text files: leave it out for a data frame", option)
    return _of_frame(table, wanted)


def _of_file(file: Source, wanted: Wanted) -> Contacts:
    """Contacts from a table of text."""
    if reader_of(file, wanted) is not None:
        raise InputError(
            f"{file.name}: a graph, whose edges have no times; expected a table of source, target "
            "and time"
        )
    edges = edges_of(file, wanted)
    assert not isinstance(edges, Network)
    names, tails, heads = edges.numbered()
    columns = [
        numbers(_joined(blocks), extra.role, edges.place, edges.found.number)
        for extra, blocks in zip(wanted.extras, edges.extras, strict=False)
    ]
    try:
        return _contacts(names, tails, heads, columns, edges.place)
    except OptionError as error:  # of times and durations together
        raise InputError(f"{file.name}: {error}") from error


def _joined(blocks: list[Any]) -> NDArray[Any]:
    """Concatenated blocks of a column: int64 if all are integers, else an object array of texts."""
    if all(isinstance(block, np.ndarray) and block.dtype.kind == "i" for block in blocks):
        return np.concatenate(blocks)
    return np.array([str(field) for block in blocks for field in block], dtype=object)


def _of_frame(frame: Any, wanted: Wanted) -> Contacts:
    """Contacts from the columns of a data frame."""
    edges, columns = frames.Edges(frame, wanted), []
    for extra in wanted.extras:
        told, titled = extra.told, edges.titled
        at = extra.place(titled, "frame") if told is None else named(told, titled, "frame")
        if at is not None:
            role = f"column {edges.titles[at]!r} has"
            columns.append(numbers(edges.column(at), role, edges.place))
    return _contacts(edges.names, edges.tails, edges.heads, columns, edges.place)


def _contacts(
    names: tuple[str, ...],
    tails: NDArray[Any],
    heads: NDArray[Any],
    columns: Sequence[NDArray[Any]],
    location: Callable[[int], str],
) -> Contacts:
    """Contacts from columns; an error about a duration has the location of its row."""
    for durations in columns[1:]:
        wrong = durations < 0 if (durations < 0).any() or not durations.any() else durations == 0
        if wrong.any():
            k = int(np.argmax(wrong))
            raise InputError(
                f"{location(k)}: duration {durations[k]}; expected durations above 0 in all rows, "
                "or 0 in all"
            )
    duration = columns[1] if len(columns) > 1 else 0
    return Contacts(tails, heads, columns[0], duration, len(names), names)
