"""Content of a report: ranked scores, degrees beside them, places of the nodes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.annotated import Annotated

Floats = NDArray[np.float64]
LEVEL = 0.05  # of q, below which a score is marked as more than chance
# Of a null model, by the fields of a `NullModel`: with q, and without.
BY_DEGREE = {"mean": "expectation", "z": "z", "q": "q"}
BY_PROBABILITY = {"mean": "expectation", "low": "low", "high": "high"}


class Column(NamedTuple):
    """Real numbers, one for each row; shape (m,)."""

    title: str
    unit: str
    values: Floats

    @property
    def label(self) -> str:
        """Title and unit, as axes and heads of columns have it."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


class Expected(NamedTuple):
    """Expectation of a score over random networks; shape (m,) each."""

    mean: Floats
    above: NDArray[np.bool_] | None  # whether q is below `LEVEL`, if there is a q


class Ranked(NamedTuple):
    """Nodes or edges by the first of their scores; columns hold all of them, in the order given."""

    things: str  # "nodes" or "edges"
    texts: dict[str, Sequence[str]]  # names and other text, by title
    ends: int  # of these, the first that name a row: 1 of nodes, 2 of edges
    scores: list[Column]
    beside: list[Column]  # numbers that rank nothing: half-widths, weights, null models
    degree: Column
    listed: NDArray[np.int64]  # rows that the page lists, highest score first
    expected: Mapping[int, Expected]  # by the place of the score, of those with null models

    @property
    def numbers(self) -> dict[str, Column]:
        """Scores and the numbers beside them, by their names in the browser: s0, ..., b0, ..."""
        named = {f"s{k}": column for k, column in enumerate(self.scores)}
        return named | {f"b{k}": column for k, column in enumerate(self.beside)}


class Picture(NamedTuple):
    """Places where nodes are drawn, NaN where they are not, and the edges between them."""

    x: Floats
    y: Floats
    edges: NDArray[np.int64]  # those that are drawn
    tails: NDArray[np.int64]  # of these, as all that follows
    heads: NDArray[np.int64]
    points: Floats  # of all lines, one after the other; shape (p, 2)
    starts: NDArray[np.int64]  # of each line in `points`, and the end of the last
    texts: Mapping[str, Sequence[str]]  # of the lines, by title
    kind: str  # "drawn" by `layout`, "plane" or "globe": coordinates given
    lines: bool  # whether the edges are drawn
    arrows: bool  # and their directions
    part: str = ""  # in words, what of the network is drawn, unless it is all


class Listing(NamedTuple):
    """Rows that are no nodes or edges of their own: steps, levels, sets of nodes."""

    title: str
    columns: Mapping[str, Any]  # sequences and arrays by title
    curve: tuple[str, ...] = ()  # titles of the columns of a plot, across and up


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
    colour: str = ""  # title of the score or text that colours the picture before one is chosen


def degrees(network: Annotated) -> Floats:
    """Edges at each node, self loops left out; of directed ones those in and those out."""
    n = len(network.names)
    apart = network.tails != network.heads
    ends = np.concatenate((network.tails[apart], network.heads[apart]))
    return np.bincount(ends, minlength=n).astype(np.float64)


def rank_nodes(
    network: Annotated,
    half_widths: Mapping[str, Floats],
    null_models: Mapping[str, Mapping[str, Floats]],
    units: Mapping[str, str],
    limit: int,
) -> Ranked | None:
    """The nodes, if there are numbers to rank them by."""
    numbers, words = split(network.nodes)
    if not numbers:
        return None
    scores = [_column(title, values, units) for title, values in numbers.items()]
    beside = [_column(title, values, units, before="± ") for title, values in half_widths.items()]
    expected = {}
    for title, model in null_models.items():
        has_q = not np.isnan(model["q"]).all()
        of = f" of {title}" if len(null_models) > 1 else ""
        beside += [
            _column(told + of, model[field], units)
            for field, told in (BY_DEGREE if has_q else BY_PROBABILITY).items()
        ]
        above = model["q"] < LEVEL if has_q else None
        expected[[*numbers].index(title)] = Expected(model["mean"], above)
    name = "degree (in + out)" if network.directed else "degree"
    degree = Column(name, "edges", degrees(network))
    texts = {"node": network.names, **words}
    listed = _highest(scores, limit)
    return Ranked("nodes", texts, 1, scores, beside, degree, listed, expected)


def rank_edges(network: Annotated, units: Mapping[str, str], limit: int) -> Ranked | None:
    """The edges, if there are scores of them; their degree is the geometric mean of the ends'."""
    numbers, words = split(network.edges)
    weights = numbers.pop("weight")
    if not numbers:
        return None
    scores = [_column(title, values, units) for title, values in numbers.items()]
    beside = [] if len(np.unique(weights)) == 1 else [_column("weight", weights, units)]
    names = np.array(list(network.names), dtype=object)
    ends = {"source": names[network.tails].tolist(), "target": names[network.heads].tolist()}
    at = degrees(network)
    mean = np.sqrt(at[network.tails] * at[network.heads])
    degree = Column("degree of the two ends, geometric mean", "edges", mean)
    listed = _highest(scores, limit)
    return Ranked("edges", ends | words, 2, scores, beside, degree, listed, {})


def split(
    columns: Mapping[str, NDArray[Any]],
) -> tuple[dict[str, NDArray[Any]], dict[str, Sequence[str]]]:
    """Columns of numbers, and those of text."""
    words = {
        title: values.tolist() for title, values in columns.items() if values.dtype.kind == "U"
    }
    return {title: values for title, values in columns.items() if title not in words}, words


def _highest(scores: list[Column], limit: int) -> NDArray[np.int64]:
    """Rows of the highest first scores, NaN last; ties keep their order."""
    return np.argsort(-scores[0].values, kind="stable")[:limit]


def _column(
    title: str, values: NDArray[np.generic], units: Mapping[str, str], before: str = ""
) -> Column:
    words = before + title.replace("_", " ")
    return Column(words, units.get(title, ""), values.astype(np.float64))
