"""Content of a report: ranked scores, degrees and coordinates of the nodes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.network_file import Annotated

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Column(NamedTuple):
    """Titled column of real numbers, shape (m,)."""

    title: str
    unit: str
    values: Floats

    @property
    def label(self) -> str:
        """Title and unit, for axes and color bars."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


class Ranked(NamedTuple):
    """Nodes or edges, ranked by their first score; columns hold all of them, in given order."""

    things: str  # "nodes" or "edges"
    texts: dict[str, Sequence[str]]  # names and other text, by title
    scores: list[Column]
    beside: list[Column]  # other numbers: half-widths, weights, null models
    degree: Column
    listed: Integers  # rows that the page lists, highest score first, NaN last
    rest: Integers  # rows that it does not

    @property
    def numbers(self) -> dict[str, Column]:
        """`scores` and `beside`, by their names in the browser: s0, ..., b0, ..."""
        named = {f"s{k}": column for k, column in enumerate(self.scores)}
        return named | {f"b{k}": column for k, column in enumerate(self.beside)}


class Picture(NamedTuple):
    """Coordinates of the nodes, and a line for each edge."""

    kind: str  # "drawn" by `places.lay_out`, or "plane" or "globe" for given coordinates
    nodes: Floats  # shape (n, 2)
    ends: Integers  # nodes of each edge, shape (m, 2)
    points: Floats  # coordinates of all lines, concatenated; shape (p, 2)
    starts: Integers  # index of each line's first point, and p
    arrows: bool


class Listing(NamedTuple):
    """Table of other rows than nodes or edges: steps, levels, sets of nodes."""

    title: str
    columns: Mapping[str, Any]  # sequences and arrays by title
    curve: tuple[str, ...] = ()  # titles of the columns of a plot, x and y


class Content(NamedTuple):
    """Everything on a page."""

    title: str
    facts: Sequence[str]
    notes: Sequence[str]
    provenance: Mapping[str, Any]
    nodes: Ranked | None
    edges: Ranked | None
    picture: Picture | str  # or why there is none
    listings: Sequence[Listing]
    colour: str  # title of the text that colours the nodes; empty: their first score does


def degrees(network: Annotated) -> Floats:
    """Degree of each node without self loops; in-degree plus out-degree if directed."""
    is_link = network.tails != network.heads
    ends = np.concatenate((network.tails[is_link], network.heads[is_link]))
    return np.bincount(ends, minlength=len(network.names)).astype(np.float64)


def rank_nodes(
    network: Annotated, beside: list[Column], units: Mapping[str, str], limit: int
) -> Ranked | None:
    """The ranked nodes; None without scores."""
    name = "degree (in + out)" if network.directed else "degree"
    degree = Column(name, "edges", degrees(network))
    return _rank("nodes", {"node": network.names}, network.nodes, beside, degree, units, limit)


def rank_edges(network: Annotated, units: Mapping[str, str], limit: int) -> Ranked | None:
    """The ranked edges, with the geometric mean of their ends' degrees; None without scores."""
    columns, names = dict(network.edges), np.array(list(network.names), dtype=object)
    weights = columns.pop("weight")
    beside = [column("weight", weights, units)] if (weights != weights[:1]).any() else []
    ends = {"source": names[network.tails].tolist(), "target": names[network.heads].tolist()}
    of_node = degrees(network)
    mean = np.sqrt(of_node[network.tails] * of_node[network.heads])
    degree = Column("degree of the two ends, geometric mean", "edges", mean)
    return _rank("edges", ends, columns, beside, degree, units, limit)


def _rank(
    things: str,
    names: dict[str, Sequence[str]],
    columns: Mapping[str, NDArray[Any]],
    beside: list[Column],
    degree: Column,
    units: Mapping[str, str],
    limit: int,
) -> Ranked | None:
    words = {title: of.tolist() for title, of in columns.items() if of.dtype.kind == "U"}
    scores = [column(title, of, units) for title, of in columns.items() if title not in words]
    if not scores:
        return None
    order = np.argsort(-scores[0].values, kind="stable")
    rows = order[:limit], order[limit:]
    return Ranked(things, names | words, scores, beside, degree, *rows)


def column(title: str, values: NDArray[Any], units: Mapping[str, str]) -> Column:
    """Column with its unit; blanks replace the underscores of its title."""
    return Column(title.replace("_", " "), units.get(title, ""), values.astype(np.float64))
