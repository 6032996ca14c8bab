"""Nodes by name: the tables and lists that options name."""

from __future__ import annotations

import argparse
import csv
import io
import math
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.source import opened
from .errors import Refusal
from .options import OPTIONS, name_of

if TYPE_CHECKING:
    from .network import Network

SHOWN = 20  # names of a list that a message holds
# Titles of the columns of --positions, in lower case; others are of a plane.
LONGITUDE = ("lon", "long", "lng", "longitude")
LATITUDE = ("lat", "latitude")


class Positions(NamedTuple):
    """Where the nodes are: in degrees of longitude and latitude, or on a plane."""

    places: NDArray[np.float64] | None = None
    geographic: bool = False


def rows(path: str, expected: str) -> Iterator[tuple[int, list[str]]]:
    """Rows of a table with tabs or commas, as text, and the line that each ends on.

    Between tabs a quote is a letter, for the annotations of STRING have some, unless two of them
    enclose a cell. ``expected`` is what a file should be that is no text.
    """
    with opened(path) as file, io.TextIOWrapper(file.stream, "utf-8-sig") as text:
        try:
            content = text.read()
        except UnicodeDecodeError as error:
            raise Refusal(f"{path}: expected {expected}") from error
    if "\t" in content.partition("\n")[0]:
        for number, line in enumerate(content.split("\n"), 1):
            if line:
                yield number, [_unquoted(cell) for cell in line.split("\t")]
        return
    reader = csv.reader(io.StringIO(content), strict=True)
    try:
        yield from ((reader.line_num, row) for row in reader if row and row != [""])
    except csv.Error as error:
        raise Refusal(f"{path}:{reader.line_num}: {error}; look for a quote without end") from error


def _unquoted(cell: str) -> str:
    enclosed = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if enclosed else cell


def renamed(names: tuple[str, ...], path: str, notes: list[str]) -> tuple[str, ...]:
    """Names by the first two columns of a table; what two nodes would share tells them apart."""
    called: dict[str, str] = {}  # a title that is no node names none
    for number, row in rows(path, "two columns of UTF-8 text"):
        if len(row) < 2 or not row[1]:
            raise Refusal(
                f"{path}:{number}: expected two columns, a name and the one wanted, with a tab or "
                "a comma between them"
            )
        if called.setdefault(row[0], row[1]) != row[1]:
            raise Refusal(f"{path}:{number}: {row[0]!r} is also called {called[row[0]]!r}")
    missing = sum(name not in called for name in names)
    if missing == len(names):
        raise Refusal(
            f"{path}: the first column has none of the nodes, which are {names[0]!r} and others"
        )
    wanted = [called.get(name, name) for name in names]
    times: dict[str, int] = {}
    for name in wanted:
        times[name] = times.get(name, 0) + 1
    if missing:
        notes.append(f"{missing} of {len(names)} nodes are not in {path}, and keep their names")
    shared = sum(times[name] > 1 for name in wanted)
    if shared:
        notes.append(f"{shared} nodes share names in {path}, and have their own in brackets")
    return tuple(
        new if times[new] == 1 else f"{new} ({old})" for old, new in zip(names, wanted, strict=True)
    )


def positions(path: str | None, names: Sequence[str]) -> Positions:
    """Places of the nodes, by the first three columns of a table."""
    if path is None:
        return Positions()
    found: dict[str, tuple[float, float]] = {}
    titles = ["", ""]
    for number, row in rows(path, "UTF-8 text"):
        try:
            name, place = row[0], (float(row[1]), float(row[2]))
        except (IndexError, ValueError):
            if found or len(row) < 3:
                raise Refusal(
                    f"{path}:{number}: expected a node and two numbers, got {','.join(row)!r}"
                ) from None
            titles = [title.strip().lower() for title in row[1:3]]
            continue
        if found.setdefault(name, place) != place:
            raise Refusal(f"{path}:{number}: {name!r} has another place above")
    lost = [name for name in names if name not in found]
    if lost:
        raise Refusal(
            f"{path}: {len(lost)} of {len(names)} nodes have no place, such as {lost[0]!r}; give "
            "one to each"
        )
    places = np.array([found[name] for name in names], dtype=np.float64).reshape(-1, 2)
    if titles[0] in LATITUDE:
        places = places[:, ::-1]
    return Positions(places, {*titles} <= {*LONGITUDE, *LATITUDE})


def files_read(given: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Files that a command reads, and what they are to it."""
    yield given.network, "the network itself"
    for name, option in OPTIONS.items():
        value = getattr(given, name_of(name))
        if value is None:
            continue
        if option.reads == "table":
            yield value, f"the table of {name}"
        elif option.reads == "column":
            yield file_of(value)[0], f"the table of {name}"
        elif option.reads == "list":
            for one in chain(*value) if name == "--nodes" else value:
                if one.startswith("@"):
                    yield one[1:], f"a list of {name}"


def file_of(given: str) -> tuple[str, str | None]:
    """File and title of a column of FILE[:COLUMN]; a file of the whole name comes first."""
    path, _, column = given.rpartition(":")
    if not path or Path(given).is_file():
        return given, None
    return path, column


def values(option: str, given: str, network: Network) -> NDArray[np.float64]:
    """A number for each node, 0 for those that the table does not name; shape (n,)."""
    names = network.names
    path, column = file_of(given)
    number = {name: v for v, name in enumerate(names)}
    values, told, strangers = np.zeros(len(names)), set(), 0
    for line, name, text in _cells(option, path, column, number):
        if name not in number:
            strangers += 1
            continue
        if name in told:
            raise Refusal(f"{path}:{line}: {name!r} has a number already; give one to each node")
        told.add(name)
        values[number[name]] = _number(f"{path}:{line}", text)
    if not told:
        some = f", which are {names[0]!r} and others" if names else ""
        raise Refusal(
            f"{option} {path}: the first column has none of the nodes{some}{_called(network)}"
        )
    missing = len(names) - len(told)
    for remark, count in (
        (f"{missing} of {len(names)} nodes are not in {path}, and count 0", missing),
        (f"rows of {path} that name no node: {strangers}", strangers),
    ):
        if count and remark not in network.notes:
            network.notes.append(remark)
    return values


def _cells(
    option: str, path: str, column: str | None, nodes: dict[str, int]
) -> Iterator[tuple[int, str, str]]:
    """Line, name and cell of each row; a first row that names no node is that of the titles."""
    found = list(rows(path, "columns of UTF-8 text"))
    if not found:
        raise Refusal(f"{option} {path}: the file is empty")
    titles, at = found[0][1], 1
    if column is not None:
        if column not in titles[1:]:
            known = ", ".join(map(repr, titles[1:])) or "none"
            raise Refusal(f"{option} {path}: there is no column {column!r}; those are {known}")
        at = titles.index(column, 1)
    for line, row in found[column is not None or titles[0] not in nodes :]:
        if len(row) <= at:
            raise Refusal(
                f"{path}:{line}: expected {at + 1} columns, a name first, with tabs or commas"
            )
        yield line, row[0], row[at]


def _number(where: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise Refusal(
            f"{where}: expected a finite number from 0 on, got {text!r}; a row left out counts 0"
        )
    return value


def numbers(option: str, wanted: list[str], network: Network) -> list[int]:
    """Node numbers of the names that an option lists."""
    number = {name: v for v, name in enumerate(network.names)}
    wanted = [name for one in wanted for name in _listed(option, one, number)]
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        raise Refusal(f"{option} lists {twice!r} more than once: list each node once")
    strangers = [name for name in wanted if name not in number]
    if not strangers:
        return [number[name] for name in wanted]
    count, may_miss, names = len(strangers), network.given.ignore_missing, network.names
    listed = ", ".join(map(repr, strangers[:SHOWN]))
    if count > SHOWN:
        listed += f" and {count - SHOWN} more"
    if not may_miss or count == len(wanted):
        some = ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")
        found = f"is no node {listed}" if count == 1 else f"are no nodes {listed} ({count} in all)"
        way = "" if may_miss else "; --ignore-missing goes on without"
        raise Refusal(f"{option}: there {found}; the nodes are {some}{_called(network)}{way}")
    network.notes.append(f"{option}: {count} of {len(wanted)} are no nodes: {listed}")
    return [number[name] for name in wanted if name in number]


def _called(network: Network) -> str:
    """Who says what the nodes are called, or could."""
    if network.given.names is None:
        return "; --names calls them as a table says"
    return f", as --names {network.given.names} calls them"


def _listed(option: str, one: str, nodes: dict[str, int]) -> list[str]:
    """A name, or where it is @FILE those in a file, one a line."""
    if one in nodes or not one.startswith("@"):
        return [one]
    try:
        text = Path(one[1:]).read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refusal(f"{option} {one}: expected UTF-8 text, a name a line") from error
    inside = [line.strip() for line in text.split("\n") if line.strip()]
    if not inside:
        raise Refusal(f"{option} {one}: the file names no node")
    return inside
