"""Builder of the network of a graph file, from the nodes and edges that its parser adds."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..plain_text import ascii_number, quoted
from .columns import Wanted, plain, weight_among, weights_of
from .network import Network, both_ways, weighted_network
from .source import Source
from .text import whole

# Attributes that name a node besides its identifier: of igraph; of GML, GEXF and Pajek.
NAMES = ("name", "label")


@dataclass(eq=False)
class GraphBuilder:
    """Nodes and edges of a file, in file order.

    Parameters
    ----------
    place : str
        The file, for messages.
    wanted : Wanted
        Arguments of `read`, of which `weight` and `weighted` count.
    default_weight : float, optional
        Weight of an edge without the attribute ``weight``, if the format defines one.
    """

    place: str
    wanted: Wanted
    default_weight: float | None = None

    def __post_init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._declared: set[str] = set()
        self._names: dict[str, dict[int, str]] = {title: {} for title in NAMES}
        # Tail, head and line of each edge, and whether it is directed (-1: as the graph).
        self._edges = array("q")
        # Values by edge of the attributes that may be weights; None for other attributes.
        self._attributes: dict[str, dict[int, Any] | None] = {}

    def error(self, line: int, found: str, expected: str) -> ValueError:
        """Error of a line: what was found, and what was expected."""
        return InputError(f"{self.place}:{line}: {found}; expected {expected}")

    def node(self, identifier: str, line: int, attributes: Mapping[str, str] | None = None) -> None:
        """Add a node; InputError if its identifier is taken."""
        if identifier in self._declared:
            raise self.error(line, f"node {quoted(identifier)} again", "each node once")
        self._declared.add(identifier)
        number = self._numbers.setdefault(identifier, len(self._numbers))
        for title, value in (attributes or {}).items():
            if (known := title.lower()) in self._names:
                self._names[known][number] = value

    def edge(
        self,
        tail: str,
        head: str,
        line: int,
        attributes: Mapping[str, Any],
        *,
        directed: bool | None = None,
    ) -> None:
        """Add an edge between identifiers; by default it is directed if the graph is."""
        numbers = self._numbers
        for title, value in attributes.items():
            if title not in self._attributes:
                self._attributes[title] = {} if self._may_be_weight(title) else None
            column = self._attributes[title]
            if column is not None:
                column[len(self._edges) // 4] = value
        ends = (numbers.setdefault(end, len(numbers)) for end in (tail, head))
        self._edges.extend((*ends, line, -1 if directed is None else directed))

    def matrix(
        self,
        fields: Iterable[tuple[int, str]],
        rows: Sequence[str],
        columns: Sequence[str],
        line: int,
        *,
        directed: bool = True,
    ) -> None:
        """Add the nonzero entries of a matrix as edges; `fields` are (line, number) row by row."""
        ends = ((v, w) for v in rows for w in columns)
        count, size = 0, len(rows) * len(columns)
        for at, field in fields:
            try:
                present = ascii_number(field) != 0
            except ValueError:
                raise self.error(at, quoted(field), "a number") from None
            pair = next(ends, None)
            if present and pair:
                self.edge(*pair, at, {"weight": field}, directed=directed)
            count += 1
        if count != size:
            raise self.error(line, f"a matrix of {count} numbers", f"{size} numbers")

    def network(self, *, directed: bool) -> Network:
        """Network of the nodes and edges; an undirected edge is an entry each way."""
        if not self._numbers:
            raise InputError(f"{self.place}: no node; expected one at least")
        tails, heads, lines, one_way = np.array(self._edges, dtype=np.int64).reshape(-1, 4).T
        identifiers = tuple(self._numbers)
        if len(self._declared) < len(identifiers):
            v = next(v for v, name in enumerate(identifiers) if name not in self._declared)
            k = int(np.argmax((tails == v) | (heads == v)))
            found = f"an edge of {quoted(identifiers[v])}, which is not the id of a node"
            raise self.error(lines[k], found, "ids of nodes of the file")
        names = self._chosen_names(identifiers)
        both = np.where(one_way < 0, not directed, one_way == 0)
        numbers = np.arange(len(tails))
        entry_tails, entry_heads, entries = both_ways(tails, heads, numbers, both)

        def edge(k: int) -> str:
            return f"edge {quoted(names[tails[k]])} - {quoted(names[heads[k]])}"

        def place(entry: int) -> str:
            k = entries[entry]
            return f"{self.place}:{lines[k]}: {edge(k)}"

        def weights() -> NDArray[np.float64]:
            """Weight of each entry."""
            column = self._attributes[title] or {}
            default = self.default_weight if plain(title) == "weight" else None
            data = []
            for k in range(len(tails)):
                value = column.get(k, default)
                data.append(number_of(value))
                if data[k] is None:
                    found = f"no {title}" if value is None else f"{title} is {quoted(str(value))}"
                    raise self.error(lines[k], f"{edge(k)}: {found}", "a finite number")
            of_entries: NDArray[np.float64] = np.array(data, dtype=np.float64)[entries]
            return of_entries

        titles = list(self._attributes)
        at = weight_among(titles, self.wanted, self.place, "attribute")
        title = "" if at is None else titles[at]
        ends = entry_tails, entry_heads
        return weighted_network(*ends, names, place, weights, self.wanted, title or None)

    def _chosen_names(self, identifiers: Sequence[str]) -> tuple[str, ...]:
        """Node names: the first attribute of `NAMES` with mostly distinct values, else identifiers.

        To a name that several nodes share, the identifier of each is appended.
        """
        n = len(identifiers)
        for names in self._names.values():
            count = Counter(names.values())
            if len(names) < n or "" in count or 2 * len(count) <= n:
                continue
            told = tuple(
                names[v] if count[names[v]] == 1 else f"{names[v]} ({identifier})"
                for v, identifier in enumerate(identifiers)
            )
            if len(set(told)) == n:
                return told
        return tuple(identifiers)

    def _may_be_weight(self, title: str) -> bool:
        named = self.wanted.weight
        return plain(title) == plain(named) if named else bool(weights_of([title]))


def number_of(value: Any) -> float | None:
    """Finite number in a text; None if it is not one."""
    try:
        read = ascii_number(str(value))
    except ValueError:
        return None
    return read if math.isfinite(read) else None


def reader(
    parse: Callable[[GraphBuilder, str], bool], **options: Any
) -> Callable[[Source, Wanted], Network]:
    """Reader of a format; its parser fills a builder and returns whether the graph is directed."""

    def read(file: Source, wanted: Wanted) -> Network:
        graph = GraphBuilder(file.name, wanted, **options)
        return graph.network(directed=parse(graph, whole(file, wanted.encoding)))

    return read
