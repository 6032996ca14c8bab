"""Tables and lists of nodes by name, which options give as files."""

import argparse
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.columns import Wanted
from ..io.dialect import table
from ..io.source import blocks
from ..plain_text import quoted
from .errors import Refusal
from .files import file_of, of_text, opened
from .network import Network

SHOWN = 20  # names that a message lists
# Titles of geographic coordinates in --positions, in lower case; others are planar.
LONGITUDE = ("lon", "long", "lng", "longitude")
LATITUDE = ("lat", "latitude")


class Positions(NamedTuple):
    """Positions of the nodes: longitude and latitude in degrees, or planar coordinates."""

    coordinates: NDArray[np.float64] | None = None
    geographic: bool = False


class _Table:
    """Rows of the table that an option names, with line numbers."""

    def __init__(self, given: argparse.Namespace, path: str, option: str = "") -> None:
        self.path, self.where = path, f"{option} {path}".lstrip()
        with opened(given, path) as file:
            self.dialect, self.rows = table(file, Wanted(**of_text(given)))
        if option and not self.rows:
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

    def no_node(
        self, names: Sequence[str], hint: str = "", has: str = "the first column has none"
    ) -> Refusal:
        """Refusal of a table that names no node."""
        some = f", which are {quoted(names[0])} and others" if names else ""
        return Refusal(f"{self.where}: {has} of the nodes{some}{hint}")


def _called(network: Network) -> str:
    """End of a message on unknown names: how --names names the nodes, or could."""
    if network.given.names is None:
        return "; --names calls them as a table says"
    return f", as --names {network.given.names} calls them"


def renamed(names: tuple[str, ...], given: argparse.Namespace, notes: list[str]) -> tuple[str, ...]:
    """Names by the first two columns of a table; a shared new name gets the old one appended."""

    def wanted_of(row: list[str]) -> str:
        if not row[1]:
            raise ValueError
        return row[1]

    path = given.names
    table = _Table(given, path)
    called = table.by_name("two columns, a name and its replacement", wanted_of)
    missing = sum(name not in called for name in names)  # a header is read as a row of no node
    if missing == len(names):
        raise table.no_node(names)
    if missing:
        notes.append(f"{missing} of {len(names)} nodes are not in {path}, and keep their names")
    wanted = [called.get(name, name) for name in names]
    times = Counter(wanted)
    shared = sum(times[name] > 1 for name in wanted)
    if shared:
        notes.append(f"{shared} nodes share names in {path}: their own names follow in brackets")
    return tuple(
        new if times[new] == 1 else f"{new} ({old})" for old, new in zip(names, wanted, strict=True)
    )


def positions(given: argparse.Namespace, names: Sequence[str]) -> Positions:
    """Positions of the nodes, by the first three columns of a table."""
    path = given.positions
    if path is None:
        return Positions()
    table = _Table(given, path)
    titles = [title.strip().lower() for title in table.titles({*names})[1:3]]
    found = table.by_name(
        "a node and two numbers", lambda row: (table.number(row[1]), table.number(row[2]))
    )
    lost = [name for name in names if name not in found]
    if lost:
        raise Refusal(
            f"{path}: {len(lost)} of {len(names)} nodes have no position, such as "
            f"{quoted(lost[0])}; give one to each"
        )
    coordinates = np.array([found[name] for name in names], dtype=np.float64).reshape(-1, 2)
    if {*titles[:1]} & {*LATITUDE}:
        coordinates = coordinates[:, ::-1]
    return Positions(coordinates, bool(titles) and {*titles} <= {*LONGITUDE, *LATITUDE})


def values(option: str, given: str, network: Network) -> NDArray[np.float64]:
    """Value of each node by a column of a table, 0 for nodes it does not name; shape (n,).

    Repeated rows of a node are added up for --places (points of interest), else refused.
    """
    names, (path, column) = network.names, file_of(given)
    table = _Table(network.given, path, option)
    titles = table.titles(() if column is not None else {*names})
    if column is not None and column not in titles[1:]:
        known = quoted(titles[1:])[1:-1] or "none"
        raise Refusal(f"{table.where}: there is no column {column!r}; the columns are {known}")
    at = 1 if column is None else titles.index(column, 1)

    expected = f"a name, and in column {at + 1} a number from 0 on (a row left out counts 0)"
    found: dict[str, float] = {}
    for number, (name, *_), value in table.values(expected, lambda row: table.amount(row[at])):
        if name in found and option != "--places":
            raise Refusal(f"{path}:{number}: {quoted(name)} again: add up its rows")
        found[name] = found.get(name, 0.0) + value
    missing = sum(name not in found for name in names)
    if missing == len(names):
        raise table.no_node(names, _called(network))
    unknown = len(found) - len(names) + missing
    for remark, count in (
        (f"{missing} of {len(names)} nodes are not in {path}, and count 0", missing),
        (f"rows of {path} that name no node: {unknown}", unknown),
    ):
        if count and remark not in network.notes:
            network.notes.append(remark)
    return np.array([found.get(name, 0.0) for name in names])


def demand(option: str, path: str, network: Network) -> Any:
    """Origin-destination matrix, a coo_array of shape (n, n), by three columns of a table."""
    from scipy.sparse import coo_array

    names, table = network.names, _Table(network.given, path, option)
    table.titles({*names})
    number, expected = {name: v for v, name in enumerate(names)}, "two names and a number from 0 on"
    found = [
        (number[row[0]], number[row[1]], value)
        for _, row, value in table.values(expected, lambda row: table.amount(row[2]))
        if row[0] in number and row[1] in number
    ]
    if not found:
        raise table.no_node(names, _called(network), "no row has two")
    unknown = len(table.rows) - len(found)
    if unknown:
        network.notes.append(f"rows of {path} whose two names are not both nodes: {unknown}")
    begin, end, data = zip(*found, strict=True)
    return coo_array((data, (begin, end)), shape=(len(names), len(names)))


def numbers(option: str, wanted: list[str], network: Network) -> list[int]:
    """Node indices of the names that an option lists."""
    number = {name: v for v, name in enumerate(network.names)}
    wanted = [name for one in wanted for name in _listed(option, one, number, network.given)]
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        raise Refusal(f"{option} lists {twice!r} more than once: list each node once")
    unknown = [name for name in wanted if name not in number]
    if not unknown:
        return [number[name] for name in wanted]
    count, may_miss, names = len(unknown), network.given.ignore_missing, network.names
    listed = ", ".join(map(repr, unknown[:SHOWN]))
    if count > SHOWN:
        listed += f" and {count - SHOWN} more"
    if not may_miss or count == len(wanted):
        some = ", ".join(map(quoted, names[:3])) + ", ..." * (len(names) > 3) or "none"
        found = f"is no node {listed}" if count == 1 else f"are no nodes {listed} ({count} in all)"
        way = "" if may_miss else "; --ignore-missing leaves such names out"
        raise Refusal(f"{option}: there {found}; the nodes are {some}{_called(network)}{way}")
    network.notes.append(f"{option}: {count} of {len(wanted)} names are not nodes: {listed}")
    return [number[name] for name in wanted if name in number]


def _listed(option: str, one: str, nodes: Collection[str], given: argparse.Namespace) -> list[str]:
    """The name itself, or for @FILE the names in the file, one per line."""
    if one in nodes or not one.startswith("@"):
        return [one]
    with opened(given, one[1:]) as file:
        every = blocks(file.name, file.stream, given.encoding)
        inside = [name for block in every for line in block.lines() if (name := line.strip())]
    if not inside:
        raise Refusal(f"{option} {one}: the file names no node")
    return inside
