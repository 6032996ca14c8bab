"""Content of a report: ranked scores, degrees and coordinates of the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import by_node, check_flags, check_int
from ..errors import InputError, InputTypeError
from ..io.names import as_texts, as_values, check_texts
from ..io.network_file import Annotated, annotate
from ..streets import Streets
from . import places
from .places import Floats, Integers, Picture

LIMIT = 20_000
Units = Mapping[str, str]  # by title
# Other rows than nodes or edges (steps, levels, sets of nodes): a title, columns by title, and the
# titles of x and y of a plot, if it has one.
Listing = tuple[str, Mapping[str, Any], tuple[str, ...]]


class Column(NamedTuple):
    """Titled column of real numbers, shape (m,), or of text (dtype object)."""

    title: str
    values: NDArray[Any]
    unit: str = ""

    @property
    def label(self) -> str:
        """Title and unit, for axes and color bars."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def is_text(self) -> bool:
        """Whether the column holds text."""
        return self.values.dtype == object


class Ranked(NamedTuple):
    """Nodes or edges, ranked by their first score; columns hold all of them, in given order."""

    things: str  # "nodes" or "edges"
    # By their names in the browser: t0, t1, ... are names and other text, s0, ... scores, b0, ...
    # other numbers (half-widths, null models, weights), and degree, of edges that of their ends.
    columns: dict[str, Column]
    listed: Integers  # rows that the page lists, highest score first, NaN last
    rest: Integers  # rows that it does not

    @property
    def scores(self) -> list[Column]:
        """The scores."""
        return [column for field, column in self.columns.items() if field[0] == "s"]


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


def compose(
    matrix: Any,
    names: Sequence[str] | None,
    nodes: Mapping[str, ArrayLike] | None = None,
    edges: Mapping[str, Any] | None = None,
    *,
    directed: bool,
    positions: ArrayLike | None,
    geographic: bool,
    title: str | None,
    notes: Sequence[str],
    half_widths: Mapping[str, ArrayLike] | None = None,
    null_models: Mapping[str, Any] | None = None,
    units: Mapping[str, str] | None = None,
    limit: int = LIMIT,
    provenance: Mapping[str, Any] | None = None,
    listings: Sequence[Listing] = (),
) -> Content:
    """Content of a report, from the arguments of `report` and its listings."""
    limit = check_int("limit", limit)
    check_flags(directed=directed, geographic=geographic)
    scores = (nodes, edges, provenance)
    if isinstance(matrix, Streets):
        if names is not None or positions is not None:
            raise InputError(
                "streets have names and positions of their own: leave out names and positions"
            )
        network, picture = places.of_streets(matrix, *scores)
    else:
        matrix = np.asarray(matrix) if isinstance(matrix, list) else matrix
        network = annotate(matrix, names, *scores, directed=directed)
        picture = places.picture(network, positions, geographic=geographic)
    units = units or {}
    if unknown := {*units} - {*network.nodes, *network.edges}:
        raise InputError(f"units has {min(unknown)!r}, which is not a title of nodes or edges")
    notes = as_texts([notes] if isinstance(notes, str) else notes, "notes")
    check_texts([*units.values(), title or ""])
    beside = []
    for of, values in (half_widths or {}).items():
        width = _of_score("half_widths", of, values, network)
        beside.append(Column(f"± {of}".replace("_", " "), width, units.get(of, "")))
    several = len(null_models or {}) > 1
    for of, model in (null_models or {}).items():
        beside += _expected(of, model, network, units, f" of {of}" * several)
    is_link = network.tails != network.heads
    linked = np.concatenate((network.tails[is_link], network.heads[is_link]))
    degrees = np.bincount(linked, minlength=len(network.names)).astype(np.float64)
    of_nodes = Column("degree (in + out)" if network.directed else "degree", degrees)
    ranked = (
        _rank("nodes", {"node": network.names}, network.nodes, beside, of_nodes, units, limit),
        _edges(network, degrees, units, limit),
    )
    titles = [column.title for rows in ranked if rows for column in rows.scores]
    if not titles:
        raise InputError("nodes and edges have no score: give nodes={'betweenness': scores}")
    facts = (f"{len(network.names):,} nodes", f"{len(network.tails):,} edges")
    return Content(
        title or titles[0][:1].upper() + ", ".join(titles)[1:],
        (*facts, "directed" if network.directed else "undirected"),
        notes,
        network.facts,
        *ranked,
        picture,
        listings,
    )


def _of_score(
    argument: str, title: str, values: Any, network: Annotated, field: str = ""
) -> NDArray[np.float64]:
    """Numbers of an argument for the score of a title, validated."""
    if title not in network.nodes:
        raise InputError(f"{argument} has {title!r}, which is not a title of nodes")
    what, shape = f"{argument}[{title!r}]{field}", (len(network.names),)
    if values is None:
        raise InputTypeError(f"{what} is missing: give the NullModel of the score")
    return as_values(what, by_node(what, values, network.names), shape, "nodes", "iuf")


def _expected(
    title: str, model: Any, network: Annotated, units: Units, suffix: str
) -> list[Column]:
    """Columns of a null model: expectation, z and q, or with edge probabilities low and high."""
    found = {
        field: _of_score("null_models", title, getattr(model, field, None), network, f".{field}")
        for field in ("mean", "z", "q", "low", "high")
    }
    unit = units.get(title, "")
    shown = {"mean": unit, "z": "", "q": ""}
    if np.isnan(found["q"]).all():
        shown = {"mean": unit, "low": unit, "high": unit}
    return [
        Column(field.replace("mean", "expectation") + suffix, found[field], unit)
        for field, unit in shown.items()
    ]


def _edges(network: Annotated, degrees: Floats, units: Units, limit: int) -> Ranked | None:
    """The ranked edges, with the geometric mean of their ends' degrees; None without scores."""
    columns, names = dict(network.edges), np.array(list(network.names), dtype=object)
    weights = columns.pop("weight")
    vary = (weights != weights[:1]).any()
    beside = [_column("weight", weights, units)] if vary else []
    mean = np.sqrt(degrees[network.tails] * degrees[network.heads])
    degree = Column("degree of the two ends, geometric mean", mean)
    ends = {"source": names[network.tails], "target": names[network.heads]}
    return _rank("edges", ends, columns, beside, degree, units, limit)


def _rank(
    things: str,
    names: Mapping[str, Any],
    columns: Mapping[str, NDArray[Any]],
    beside: list[Column],
    degree: Column,
    units: Units,
    limit: int,
) -> Ranked | None:
    """The ranked rows, with names, given columns, others beside, and degree; None if no score."""
    found = [_column(title, of, units) for title, of in columns.items()]
    scores = [column for column in found if not column.is_text]
    if not scores:
        return None
    texts = [Column(title, np.array(list(of), dtype=object)) for title, of in names.items()]
    texts += [column for column in found if column.is_text]
    fields = {
        f"{letter}{k}": column
        for letter, some in (("t", texts), ("s", scores), ("b", beside))
        for k, column in enumerate(some)
    }
    order = np.argsort(-scores[0].values, kind="stable")
    fields["degree"] = degree._replace(unit="edges")
    return Ranked(things, fields, order[:limit], order[limit:])


def _column(title: str, values: NDArray[Any], units: Units) -> Column:
    """Column of numbers as floats, or of text; blanks replace the underscores of its title."""
    kind = object if values.dtype.kind == "U" else np.float64
    return Column(title.replace("_", " "), values.astype(kind), units.get(title, ""))
