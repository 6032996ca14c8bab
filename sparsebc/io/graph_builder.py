"""The network of a graph file, put together from the nodes and edges that a parser meets."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .columns import Wanted, plain, remark, weight_among, weights_of
from .network import Network, assemble, shortest
from .source import Source

# Attributes that name a node beside its identifier: igraph's, and that of GML, GEXF and Pajek.
NAMES = ("name", "label")
# Attributes that say by their name that they are lengths: of parallel edges the shortest counts.
LENGTHS = ("distance", "length")
_QUOTED = 60  # characters of a file that a message repeats


class GraphBuilder:
    """Nodes and edges of a file, in its order.

    Parameters
    ----------
    place : str
        The file, for messages.
    wanted : Wanted
        Of it, the attribute that holds the weights, and whether they are needed.
    default_weight : float, optional
        The attribute ``weight`` of an edge that tells none, where the format says so.
    declares : bool
        Whether the format has a list of nodes, so that no edge may lead to any other.
    """

    def __init__(
        self,
        place: str,
        wanted: Wanted,
        *,
        default_weight: float | None = None,
        declares: bool = True,
    ) -> None:
        self.place, self.wanted = place, wanted
        self._default, self._declares = default_weight, declares
        self._numbers: dict[str, int] = {}
        self._declared: set[str] = set()
        self._names: dict[str, dict[int, str]] = {title: {} for title in NAMES}
        self._tails, self._heads, self._lines = array("q"), array("q"), array("q")
        self._one_way = array("b")  # -1: as the whole graph
        # Values of the attributes that may be weights; None of the others.
        self._attributes: dict[str, list[Any] | None] = {}

    def error(self, line: int, found: str, expected: str) -> ValueError:
        """What is wrong at a line."""
        return InputError(f"{self.place}:{line}: {found}; expected {expected}")

    @property
    def n(self) -> int:
        """Number of the nodes so far."""
        return len(self._numbers)

    def node(self, identifier: str, line: int, attributes: Mapping[str, str] | None = None) -> None:
        """Take a node, which no other may share its identifier with."""
        if identifier in self._declared:
            raise self.error(line, f"a second node {quoted(identifier)}", "each node once")
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
        attributes: Mapping[str, Any] | None = None,
        *,
        directed: bool | None = None,
    ) -> None:
        """Take an edge between identifiers; by default it is directed if the graph is."""
        numbers = self._numbers
        self._tails.append(numbers.setdefault(tail, len(numbers)))
        self._heads.append(numbers.setdefault(head, len(numbers)))
        self._lines.append(line)
        self._one_way.append(-1 if directed is None else directed)
        for title, value in (attributes or {}).items():
            if title not in self._attributes:
                self._attributes[title] = [] if self._may_be_weight(title) else None
            column = self._attributes[title]
            if column is not None:
                column.extend([None] * (len(self._tails) - 1 - len(column)))
                column.append(value)

    def network(self, *, directed: bool) -> Network:
        """The network; an edge without direction is an entry each way."""
        self._check_nodes()
        names = self._chosen_names()
        tails, heads = np.array(self._tails), np.array(self._heads)
        one_way = np.array(self._one_way)
        back = np.flatnonzero(~np.where(one_way < 0, directed, one_way == 1) & (tails != heads))
        entries = np.concatenate((np.arange(len(tails)), back))
        row, column = np.concatenate((tails, heads[back])), np.concatenate((heads, tails[back]))

        def where(k: int) -> str:
            edge = f"edge {quoted(names[row[k]])} - {quoted(names[column[k]])}"
            return f"{self.place}:{self._lines[entries[k]]}: {edge}"

        def matrix(data: NDArray[np.float64], title: str | None = None) -> Any:
            if title is None or title.lower() not in LENGTHS:
                return assemble(row, column, data[entries], len(names), where)
            ends = shortest(row, column, data[entries])
            return assemble(*ends, len(names), lambda _: f"{self.place}: {title}")

        try:
            if title := self._weight():
                return Network(matrix(self._values(title, names), title), names)
        except ValueError as error:
            if self.wanted.needs_weights:
                raise
            remark(f"{error}: all weights are 1")
        return Network(matrix(np.ones(len(tails))), names)

    def _check_nodes(self) -> None:
        """Refuse a graph without nodes, and an edge to a node that is not among them."""
        if not self._numbers:
            raise InputError(f"{self.place}: no node; expected one at least")
        if self._declares and len(self._declared) < len(self._numbers):
            wrong = {v for name, v in self._numbers.items() if name not in self._declared}
            for tail, head, line in zip(self._tails, self._heads, self._lines, strict=True):
                for end in (tail, head):
                    if end in wrong:
                        name = next(name for name, v in self._numbers.items() if v == end)
                        raise self.error(
                            line, f"an edge of {quoted(name)}, which is no node", "a node's id"
                        )

    def _chosen_names(self) -> tuple[str, ...]:
        """The first attribute of `NAMES` that tells most nodes apart, else their identifiers.

        A name that several nodes have is followed by the identifier of each.
        """
        n = len(self._numbers)
        for title in NAMES:
            names = self._names[title]
            if len(names) < n or not all(names.values()):
                continue
            count = Counter(names.values())
            if 2 * len(count) <= n:
                continue
            told = tuple(
                names[v] if count[names[v]] == 1 else f"{names[v]} ({identifier})"
                for identifier, v in self._numbers.items()
            )
            if len(set(told)) == n:
                return told
        return tuple(self._numbers)

    def _may_be_weight(self, title: str) -> bool:
        named = self.wanted.weight
        return plain(title) == plain(named) if named else bool(weights_of([title]))

    def _weight(self) -> str | None:
        """Attribute of the weights."""
        titles = list(self._attributes)
        at = weight_among(titles, self.wanted, self.place, "attribute")
        return None if at is None else titles[at]

    def _values(self, title: str, names: tuple[str, ...]) -> NDArray[np.float64]:
        """Weight of each edge."""
        column = self._attributes[title] or []
        column.extend([None] * (len(self._tails) - len(column)))
        default = self._default if plain(title) == "weight" else None
        data = np.empty(len(column))
        for k, value in enumerate(column):
            number = default if value is None else _number(value)
            if number is None:
                ends = (quoted(names[v]) for v in (self._tails[k], self._heads[k]))
                found = f"no {title}" if value is None else f"{title} is {quoted(str(value))}"
                raise self.error(
                    self._lines[k], f"edge {' - '.join(ends)}: {found}", "a finite number"
                )
            data[k] = number
        return data


def _number(value: Any) -> float | None:
    """Finite number that a text says; None if it says none."""
    try:
        number = float("" if "_" in str(value) else value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def is_whole(text: str) -> bool:
    """Whether a text is a whole number that an index can hold."""
    return text.isascii() and text.isdigit() and len(text) < 19


Entry = tuple[int, int, int, str]  # line, row, column and value


def matrix_entries(
    builder: GraphBuilder,
    fields: Iterable[tuple[int, str]],
    places: Iterable[tuple[int, int]],
    size: int,
    line: int,
) -> Iterator[Entry]:
    """Entries of a matrix that are not 0; `fields` are its numbers and their lines.

    `places` are the row and column of each of the `size` numbers. Another count is an error at
    `line`.
    """
    count, place = 0, iter(places)
    for number, field in fields:
        count += 1
        try:
            present = float(field) != 0
        except ValueError:
            raise builder.error(number, quoted(field), "a number") from None
        row, column = next(place, (-1, -1))
        if present and row >= 0:
            yield number, row, column, field
    if count != size:
        raise builder.error(line, f"a matrix of {count} numbers", f"{size} numbers")


def quoted(text: str) -> str:
    """A piece of a file as a message repeats it: on one line, without control characters."""
    return repr(text if len(text) <= _QUOTED else text[: _QUOTED - 3] + "...")


def decoded(file: Source, encoding: str | None) -> str:
    """Text of a whole file, with the same ends of lines on any system.

    If no encoding is told it is UTF-8, UTF-16 with a mark or, with a remark, Windows-1252.
    """
    content = file.stream.read()
    if encoding is None and content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    if encoding is None and b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise InputError(f"{file.name}:{line}: a NUL byte; expected text")
    try:
        text = str(content, encoding or "utf-8-sig")
    except LookupError:
        raise InputError(f"encoding must be one that Python knows, got {encoding!r}") from None
    except UnicodeDecodeError as error:
        if encoding is not None:
            raise InputError(f"{file.name}: {error}; expected text in {encoding}") from None
        text = str(content, "cp1252", "replace")
        remark(f"{file.name} is not UTF-8: read as Windows-1252; encoding= tells another")
    text = text.rstrip("\x1a")  # the end of a file of DOS
    return text.replace("\r\n", "\n").replace("\r", "\n")


class LineNumbers:
    """Line of a place in a text; asked for in ascending order, else for the last one again."""

    def __init__(self, text: str) -> None:
        self._text, self._line, self._counted = text, 1, 0

    def __call__(self, at: int) -> int:
        """Line of a place."""
        if at > self._counted:
            self._line += self._text.count("\n", self._counted, at)
            self._counted = at
        return self._line


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, without surrounding space, and their numbers."""
    for number, line in enumerate(text.split("\n"), 1):
        if line := line.strip():
            yield number, line
