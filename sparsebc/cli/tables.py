"""Tables and lists of nodes that options name: amounts, demand, new names, positions."""

import math
import re
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import datasets
from ..errors import SparsebcError
from ..io.dialect import Dialect, Row, table
from ..io.source import opened
from ..io.titles import Wanted
from ..plain_text import meant, quoted
from .network import Network, hashed, listed
from .options import Option

# Titles of geographic coordinates in --positions, in lower case; others are planar.
LONGITUDE = ("lon", "long", "lng", "longitude")
LATITUDE = ("lat", "latitude")
DEGREES = ("epsg:4326", "ogc:crs84", "wgs84")  # reference systems of degrees


SHOWN = 20  # names that a message lists


def _read(given: Namespace, option: str, path: str) -> tuple[Dialect, list[Row]]:
    """Dialect and rows, with line numbers, of the table that an option names."""
    told = {name: value for name, value in given.text.items() if name != "header"}
    with hashed(given, path, []) as file, opened(file) as source:
        dialect, rows = table(source, Wanted(**told))
    if not rows:
        raise SparsebcError(f"{option} {path}: the file is empty")
    return dialect, rows


def _titles(rows: list[Row], nodes: Collection[str]) -> list[str]:
    """Titles: the first row, removed from the table, unless it names a node."""
    return rows.pop(0)[1] if rows and rows[0][1][0] not in nodes else []


def _amount(dialect: Dialect, cell: str) -> float | None:
    """Value of a finite, nonnegative number; None or a ValueError for anything else."""
    value = dialect.number(cell)
    return value if 0 <= value < math.inf else None


def _values(
    path: str, rows: Sequence[Row], expected: str, value_of: Callable[[list[str]], Any]
) -> Iterator[tuple[int, list[str], Any]]:
    """Line, cells and value of each row; an error with file and line if it has no value."""
    for number, row in rows:
        value = None
        with suppress(IndexError, ValueError):
            value = value_of(row)
        if value is None:
            found = f"with tabs, commas or semicolons, got {quoted(','.join(row))}"
            raise SparsebcError(f"{path}:{number}: expected {expected}, {found}")
        yield number, row, value


def _by_name(
    path: str, rows: Sequence[Row], expected: str, value_of: Callable[[list[str]], Any]
) -> dict[str, Any]:
    """Values of rows by their first cells; an error if a name repeats with another value."""
    found: dict[str, Any] = {}
    for number, row, value in _values(path, rows, expected, value_of):
        if found.setdefault(row[0], value) != value:
            again = f"{quoted(row[0])} again, with another value; give it one value"
            raise SparsebcError(f"{path}:{number}: {again}")
    return found


def _no_node(where: str, names: Sequence[str], hint: str = "", has: str = "") -> SparsebcError:
    """Error of a table that names no node."""
    some = f", which are {quoted(names[0])} and others" if names else ""
    has = has or "the first column has none"
    return SparsebcError(f"{where}: {has} of the nodes{some}{hint}")


def content(option: Option, given: Any, network: Network) -> Any:
    """What the file or list that an option names holds, as the argument of the public function."""
    name = option.name
    if option.reads == "column":
        return amounts(name, given, network)
    if option.reads == "columns":  # titles of the kinds of places, and amounts of shape (n, kinds)
        each = listed(network.given, name, given, lambda one: Path(one).is_file())
        found = [amounts(name, one, network) for one in each]
        kinds = [column or Path(path).name.partition(".")[0] for path, column in map(file_of, each)]
        if len(set(kinds)) < len(kinds):
            twice = next(kind for kind in kinds if kinds.count(kind) > 1)
            problem = f"{name} has two kinds called {twice!r}"
            raise SparsebcError(f"{problem}: name columns, as FILE:COLUMN")
        return kinds, np.stack(found, axis=1)
    if option.reads == "pairs":
        return demand(name, given, network)
    if name == "--nodes":
        return [numbers(name, [group], network) for group in given]
    return numbers(name, given, network)


def file_of(given: str) -> tuple[str, str | None]:
    """File and column title of FILE[:COLUMN]; no column if a file has the whole name."""
    path, _, column = given.rpartition(":")
    if not path or Path(given).is_file():
        return given, None
    return path, column


def numbers(option: str, texts: list[str], network: Network) -> list[int]:
    """Node indices of the names that an option lists."""
    number = {name: v for v, name in enumerate(network.names)}
    wanted = listed(network.given, option, texts, number.__contains__)
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        raise SparsebcError(f"{option} lists {twice!r} more than once: list each node once")
    unknown = [name for name in wanted if name not in number]
    if not unknown:
        return [number[name] for name in wanted]
    count, may_miss, names = len(unknown), network.given.ignore_missing, network.names
    every = ", ".join(map(repr, unknown[:SHOWN]))
    if count > SHOWN:
        every += f" and {count - SHOWN} more"
    if not may_miss or count == len(wanted):
        some = ", ".join(map(quoted, names[:3])) + ", ..." * (len(names) > 3) or "none"
        found = f"is no node {every}" if count == 1 else f"are no nodes {every} ({count} in all)"
        near = meant(unknown[0], names[:100_000])
        there = "" if near else f"; the nodes are {some}{_called(network)}"
        way = "" if may_miss else "; --ignore-missing leaves such names out"
        raise SparsebcError(f"{option}: there {found}{there}{way}{near}")
    network.given.notes.append(f"{option}: {count} of {len(wanted)} names are not nodes: {every}")
    return [number[name] for name in wanted if name in number]


def _called(network: Network) -> str:
    """End of a message on unknown names: how --names names the nodes, or could."""
    names = network.given.names
    if names is None:
        return "" if network.contacts is not None else "; --names calls them as a table says"
    return f", as --names {names} calls them"


def amounts(option: str, given: str, network: Network) -> NDArray[np.float64]:
    """Value of each node by a column of a table, 0 for nodes it does not name; shape (n,).

    Repeated rows of a node are added up for --places (points of interest), else refused.
    """
    names, (path, title) = network.names, file_of(given)
    dialect, rows = _read(network.given, option, path)
    titles = _titles(rows, {*names} if title is None else ())
    if title is not None and title not in titles[1:]:
        known = quoted(titles[1:])[1:-1] or "none"
        problem = f"there is no column {title!r}; the columns are {known}"
        raise SparsebcError(f"{option} {path}: {problem}{meant(title, titles[1:])}")
    at = 1 if title is None else titles.index(title, 1)
    expected = f"a name, and in column {at + 1} a number from 0 on (a row left out counts 0)"
    found: dict[str, float] = {}
    each = _values(path, rows, expected, lambda row: _amount(dialect, row[at]))
    for number, (name, *_), value in each:
        if name in found and option != "--places":
            raise SparsebcError(f"{path}:{number}: {quoted(name)} again: add up its rows")
        found[name] = found.get(name, 0.0) + value
    missing = sum(name not in found for name in names)
    if missing == len(names):
        raise _no_node(f"{option} {path}", names, _called(network))
    unknown, notes = len(found) - len(names) + missing, network.given.notes
    for remark, count in (
        (f"{missing} of {len(names)} nodes are not in {path}, and count 0", missing),
        (f"rows of {path} that name no node: {unknown}", unknown),
    ):
        if count and remark not in notes:
            notes.append(remark)
    return np.array([found.get(name, 0.0) for name in names])


def demand(option: str, path: str, network: Network) -> Any:
    """Origin-destination matrix, a coo_array of shape (n, n), by three columns of a table."""
    from scipy.sparse import coo_array

    names = network.names
    dialect, rows = _read(network.given, option, path)
    _titles(rows, {*names})
    number, expected = {name: v for v, name in enumerate(names)}, "two names and a number from 0 on"
    found = [
        (number[row[0]], number[row[1]], value)
        for _, row, value in _values(path, rows, expected, lambda row: _amount(dialect, row[2]))
        if row[0] in number and row[1] in number
    ]
    if not found:
        raise _no_node(f"{option} {path}", names, _called(network), "no row has two")
    unknown = len(rows) - len(found)
    if unknown:
        remark = f"rows of {path} whose two names are not both nodes: {unknown}"
        network.given.notes.append(remark)
    begin, end, data = zip(*found, strict=True)
    return coo_array((data, (begin, end)), shape=(len(names), len(names)))


def labelled(network: Network) -> Network:
    """The network with the names of --names, and for a page the positions of its nodes.

    Names are those of the first two columns of a table; to a shared new name the old one is
    appended.
    """
    given, names = network.given, network.names
    path, notes = given.names, given.notes
    if path is not None:
        _, rows = _read(given, "--names", path)
        expected = "two columns, a name and its replacement"
        called = _by_name(path, rows, expected, lambda row: row[1] or None)
        missing = sum(name not in called for name in names)  # a header is read as a row of no node
        if missing == len(names):
            raise _no_node(f"--names {path}", names)
        if missing:
            notes.append(f"{missing} of {len(names)} nodes are not in {path}, and keep their names")
        wanted = [called.get(name, name) for name in names]
        times = Counter(wanted)
        shared = sum(times[name] > 1 for name in wanted)
        if shared:
            notes.append(f"{shared} nodes share names in {path}: their own follow in brackets")
        pairs = zip(names, wanted, strict=True)
        renamed = (new if times[new] == 1 else f"{new} ({old})" for old, new in pairs)
        network = network._replace(names=tuple(renamed))
    if not str(given.output).lower().endswith(".html"):
        return network
    told = given.positions is not None
    positions, geographic = _told_positions(network) if told else _own_positions(network)
    return network._replace(positions=positions, geographic=geographic)


def _own_positions(network: Network) -> tuple[Any, bool]:
    """Positions of a dataset or a GraphML file of osmnx, and whether they are in degrees."""
    from ..io import graph_xml

    given, inside, name = network.given, network.inside, network.given.network
    if inside is None:  # of contacts
        return None, False
    if name in datasets.DATASETS and not Path(name).is_file():
        known = datasets.nodes(name)
        if "longitude" not in known:
            return None, False
        given.notes.extend(filter(None, [datasets.DATASETS[name].attribution]))
        return np.stack((known["longitude"], known["latitude"]), axis=1)[inside], True
    found = None
    if re.search(r"(?i)\.(graphml|xml)(\.\w+)?$", name):
        with hashed(given, name, []) as file, opened(file) as source:  # its notes are there already
            found = graph_xml.positions(source, given.encoding)
    if found is None:
        return None, False
    coordinates, geographic = found[0][inside], found[1].lower() in DEGREES
    is_wrong = geographic and (abs(coordinates) > (180, 90)).any()
    return (None, False) if is_wrong else (coordinates, geographic)


def _told_positions(network: Network) -> tuple[NDArray[np.float64], bool]:
    """Positions by the first three columns of --positions, and whether they are in degrees."""
    names, path = network.names, network.given.positions
    dialect, rows = _read(network.given, "--positions", path)
    number = dialect.number
    titles = [title.strip().lower() for title in _titles(rows, {*names})[1:3]]
    expected = "a node and two numbers"
    found = _by_name(path, rows, expected, lambda row: (number(row[1]), number(row[2])))
    lost = [name for name in names if name not in found]
    if lost:
        raise SparsebcError(
            f"{path}: {len(lost)} of {len(names)} nodes have no position, such as "
            f"{quoted(lost[0])}; give one to each"
        )
    coordinates = np.array([found[name] for name in names], dtype=np.float64).reshape(-1, 2)
    if {*titles[:1]} & {*LATITUDE}:
        coordinates = coordinates[:, ::-1]
    return coordinates, bool(titles) and {*titles} <= {*LONGITUDE, *LATITUDE}
