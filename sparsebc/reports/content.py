"""Content of a report: ranked scores, degrees, null models and coordinates of the nodes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.annotated import Annotated

Floats = NDArray[np.float64]
LEVEL = 0.05  # significance level of q, below which a score is marked
# Titles of the columns of a null model by fields of `NullModel`: with q, and without.
BY_DEGREE = {"mean": "expectation", "z": "z", "q": "q"}
BY_PROBABILITY = {"mean": "expectation", "low": "low", "high": "high"}


class Column(NamedTuple):
    """Titled column of real numbers, shape (m,)."""

    title: str
    unit: str
    values: Floats

    @property
    def label(self) -> str:
        """Title and unit, for axes and heads of columns."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


class Expected(NamedTuple):
    """Expectation of a score over random networks; shape (m,) each."""

    mean: Floats
    above: NDArray[np.bool_] | None  # whether q is below `LEVEL`, if there is a q


class Ranked(NamedTuple):
    """Nodes or edges, ranked by their first score; columns hold all of them, in given order."""

    things: str  # "nodes" or "edges"
    texts: dict[str, Sequence[str]]  # names and other text, by title
    ends: int  # number of leading texts that name a row: 1 for nodes, 2 for edges
    scores: list[Column]
    beside: list[Column]  # other numbers: half-widths, weights, null models
    degree: Column
    listed: NDArray[np.int64]  # rows that the page lists, highest score first
    expected: Mapping[int, Expected]  # by index of the score, if it has a null model

    @property
    def numbers(self) -> dict[str, Column]:
        """`scores` and `beside`, by their names in the browser: s0, ..., b0, ..."""
        named = {f"s{k}": column for k, column in enumerate(self.scores)}
        return named | {f"b{k}": column for k, column in enumerate(self.beside)}


class Picture(NamedTuple):
    """Coordinates of the nodes, NaN if not drawn, and lines of the drawn edges."""

    x: Floats
    y: Floats
    edges: NDArray[np.int64]  # indices of the drawn edges, in the order of the lines
    tails: NDArray[np.int64]  # of the drawn edges
    heads: NDArray[np.int64]
    points: Floats  # coordinates of all lines, concatenated; shape (p, 2)
    starts: NDArray[np.int64]  # index of each line's first point, and p
    kind: str  # "drawn" by `layout`, or "plane" or "globe" for given coordinates
    lines: bool  # whether the edges are drawn
    arrows: bool  # whether their directions are drawn
    part: str = ""  # description of the part that is drawn; empty for the whole network
    texts: Mapping[str, Sequence[str]] = {}  # of the lines, by title


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
    picture: Picture | None
    listings: Sequence[Listing] = ()
    colour: str = ""  # title of the score or text that colours the picture at first


def degrees(network: Annotated) -> Floats:
    """Degree of each node without self loops; in-degree plus out-degree if directed."""
    n = len(network.names)
    is_link = network.tails != network.heads
    ends = np.concatenate((network.tails[is_link], network.heads[is_link]))
    return np.bincount(ends, minlength=n).astype(np.float64)


def rank_nodes(
    network: Annotated,
    half_widths: Mapping[str, Floats],
    null_models: Mapping[str, Mapping[str, Floats]],
    units: Mapping[str, str],
    limit: int,
) -> Ranked | None:
    """The ranked nodes; None without scores."""
    numbers, words = split(network.nodes)
    if not numbers:
        return None
    scores = [_column(title, values, units) for title, values in numbers.items()]
    beside = [_column(title, values, units, before="± ") for title, values in half_widths.items()]
    expected = {}
    for title, model in null_models.items():
        has_q = not np.isnan(model["q"]).all()
        suffix = f" of {title}" if len(null_models) > 1 else ""
        beside += [
            _column(head + suffix, model[field], units)
            for field, head in (BY_DEGREE if has_q else BY_PROBABILITY).items()
        ]
        above = model["q"] < LEVEL if has_q else None
        expected[[*numbers].index(title)] = Expected(model["mean"], above)
    name = "degree (in + out)" if network.directed else "degree"
    degree = Column(name, "edges", degrees(network))
    texts = {"node": network.names, **words}
    listed = _highest(scores, limit)
    return Ranked("nodes", texts, 1, scores, beside, degree, listed, expected)


def rank_edges(network: Annotated, units: Mapping[str, str], limit: int) -> Ranked | None:
    """The ranked edges, with the geometric mean of their ends' degrees; None without scores."""
    numbers, words = split(network.edges)
    weights = numbers.pop("weight")
    if not numbers:
        return None
    scores = [_column(title, values, units) for title, values in numbers.items()]
    beside = [] if len(np.unique(weights)) == 1 else [_column("weight", weights, units)]
    names = np.array(list(network.names), dtype=object)
    ends = {"source": names[network.tails].tolist(), "target": names[network.heads].tolist()}
    of_node = degrees(network)
    mean = np.sqrt(of_node[network.tails] * of_node[network.heads])
    degree = Column("degree of the two ends, geometric mean", "edges", mean)
    listed = _highest(scores, limit)
    return Ranked("edges", ends | words, 2, scores, beside, degree, listed, {})


def split(
    columns: Mapping[str, NDArray[Any]],
) -> tuple[dict[str, NDArray[Any]], dict[str, Sequence[str]]]:
    """Columns of numbers, and columns of text, by title."""
    words = {
        title: values.tolist() for title, values in columns.items() if values.dtype.kind == "U"
    }
    return {title: values for title, values in columns.items() if title not in words}, words


def _highest(scores: list[Column], limit: int) -> NDArray[np.int64]:
    """Rows by descending first score, at most ``limit``; NaN last, ties in given order."""
    return np.argsort(-scores[0].values, kind="stable")[:limit]


def _column(
    title: str, values: NDArray[np.generic], units: Mapping[str, str], before: str = ""
) -> Column:
    """Column with its unit; blanks replace the underscores of its title."""
    words = before + title.replace("_", " ")
    return Column(words, units.get(title, ""), values.astype(np.float64))
