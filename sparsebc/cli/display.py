"""How a result is shown: columns by rank, units, what the scores are, and notes on them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..io.write import pairs_of, table_of
from .output import Result
from .query import Query
from .text import Column

# Units of scores; with lengths of edges, "edges" is replaced by "length".
UNITS = {
    "betweenness": "share of all pairs",
    "edge_betweenness": "share of all pairs",
    "percolation": "share of all pairs, weighted by states",
    "stress": "paths",
    "closeness": "1 / edges",
    "harmonic": "1 / edges",
    "eccentricity": "edges",
    "accessibility": "places",
    "nearest": "edges",
    "temporal_betweenness": "share of all pairs",
    "temporal_foremost_betweenness": "share of all pairs",
    "temporal_closeness": "1 / contacts",
    "temporal_reach": "nodes",
}
# How scores are said below a table; the others, by their unit.
SAID = {
    "closeness": "1 / mean distance, times the share of nodes within reach",
    "harmonic": "sum of 1 / distance",
    "eccentricity": "largest distance",
    "nearest": "distance",
}


def parts(
    query: Query, labels: Any, what: str, title: str, said: tuple[str, ...], facts: dict[str, Any]
) -> Result:
    """Result of a label for each node, shown as a row for each part, the largest first."""
    names, sizes = np.array(query.network.names, dtype=object), np.bincount(labels)
    order = np.argsort(-sizes, kind="stable")
    first = names[np.unique(labels, return_index=True)[1]]
    shown = {
        what: Column(order, ">"),
        "nodes": Column(sizes[order], ">"),
        "first": Column(first[order]),
    }
    size = {f"{what}_size": sizes[labels]}
    page = {
        "what": title,
        "units": dict.fromkeys(size, "nodes"),
        "listings": [listing_of(title, shown)],
        "nodes": {**size, what: labels.astype(str)},
    }
    rows = partial(table_of, {"node": query.network.names}, {what: labels, **size})
    return Result(rows, shown, said, facts, graph={"nodes": {what: labels, **size}}, page=page)


def searches(
    query: Query, found: Mapping[str, Any], sources: list[str], spec: str, title: str
) -> Result:
    """Result of a row for each source and node, shown as a row for each source."""
    values, names = next(iter(found.values())), query.network.names
    targets = [names[v] for v in query.keywords.get("targets", range(len(names)))]
    reached, itself = np.isfinite(values), np.isin(sources, targets)
    columns = {
        "source": Column(sources),
        "reached": Column(reached.sum(axis=1) - itself, ">"),
        title: Column(np.where(reached, values, -np.inf).max(axis=1), spec),
    }
    said = f"{title}: largest {next(iter(found))} of the nodes reached"
    rows = partial(pairs_of, found, sources, targets)
    contacts = query.network.contacts
    counts = {} if contacts is None else {"contacts": len(contacts)}
    return Result(rows, columns, (query.summary(**counts), said), counts)


def ranked(
    query: Query,
    named: Mapping[str, Sequence[str]],
    scores: Mapping[str, Any],
    values: Mapping[str, Any] | None = None,
    *,
    by: Any = None,
    beside: Mapping[str, Column] | None = None,
    **counts: int,
) -> Result:
    """Result of scores with columns of names, ranked by the first or ``by``; ties keep the order.

    ``values`` are all columns of numbers; ``beside``, columns that only a terminal shows.
    """
    first = next(iter(scores.values())) if by is None else by
    shown = {
        **{title: Column(column) for title, column in named.items()},
        **{title: Column(column, "<#.6g") for title, column in scores.items()},
        **(beside or {}),
    }
    said = tuple(f"{title.replace('_', ' ')}: {said_of(query, title)}" for title in scores)
    measures = ", ".join(scores).replace("_", " ")
    values = scores if values is None else values
    return Result(
        partial(table_of, named, values),
        shown,
        (query.summary(**counts), *said),
        counts,
        np.argsort(-first, kind="stable"),
        {"nodes": values},
        {
            "what": f"{measures[:1].upper()}{measures[1:]}",
            "units": _units(query, scores),
            "nodes": scores,
        },
    )


def _unit(query: Query, title: str) -> str:
    """Unit of the scores of a title, such as ``betweenness``, or ``betweenness_400`` by cutoff."""
    unit = max((name for name in UNITS if title.startswith(name)), key=len, default="")
    unit = UNITS.get(unit, "")
    unit = unit.replace("share of all ", "") if query.given.raw else unit
    return unit.replace("edges", "length") if query.network.use is not None else unit


def _units(query: Query, scores: Mapping[str, Any]) -> dict[str, str]:
    return {title: unit for title in scores if (unit := _unit(query, title))}


def said_of(query: Query, title: str) -> str:
    """What the scores of a title are, and how they are normalized."""
    name = next((name for name in SAID if title.startswith(name)), "")
    if name and query.network.use is not None:
        return f"{SAID[name]}, by length"
    unit = SAID.get(name) or _unit(query, title)
    return f"sum over {unit}" if query.given.raw else unit


def by_cutoff(found: Mapping[str, Any], cutoffs: Sequence[str], pick: Any = None) -> dict[str, Any]:
    """Scores by title; with several cutoffs, one for each measure and cutoff, ``name_cutoff``."""
    if len(cutoffs) < 2:
        return dict(found)

    def one(scores: Any, index: int) -> Any:
        return scores[index] if isinstance(scores, list) else scores[:, index]

    return {
        f"{name}_{cutoff}": (pick or one)(every, index)
        for name, every in found.items()
        for index, cutoff in enumerate(cutoffs)
    }


def on_cutoffs(query: Query) -> list[str]:
    """Notes on cutoffs below 1 in an unweighted network, within which there is no pair."""
    return [
        f"--cutoff {cutoff} leaves no pair of nodes, as each edge has length 1; "
        "--threshold keeps the edges of at least a given weight"
        for cutoff in query.given.cutoff or ()
        if query.network.use is None and float(cutoff) < 1
    ]


def remarks_on(query: Query, found: Mapping[str, Any]) -> list[str]:
    """Notes on the scores: their denominator, sampling, and infinite eccentricities."""
    given, n, remarks = query.given, len(query.network.names), []
    chosen = given.sources or given.targets
    is_average = "--raw" in given.command.options and not given.raw
    weighs = given.source_weights or given.target_weights or given.demand
    if chosen and is_average and not weighs:
        both_ends = given.command.name == "edge-betweenness" or given.endpoints
        pairs = n * (n - 1) if both_ends else (n - 1) * (n - 2)
        pairs //= 1 if query.network.directed else 2
        remarks.append(
            f"normalized by all {pairs} pairs, not only the selected ones; --raw gives sums"
        )
    if "k" in query.keywords and query.keywords["k"] < n:
        remarks.append(on_estimate(query, f"{given.samples} of {n} sources"))
    far = [scores for title, scores in found.items() if title.startswith("eccentricity")]
    if np.isinf(far).any():
        remarks.append(
            "eccentricity is inf where a node does not reach all others; the command eccentricity "
            "with --reachable-only counts those that it reaches"
        )
    return remarks


def on_estimate(query: Query, samples: str) -> str:
    """Note that scores are estimates, which their provenance then records."""
    query.provenance["estimate"] = True
    drawn = f"drawn with seed {query.given.seed}"
    return f"these are estimates, from {samples} {drawn}; no score is exact"


def marks_of(n: int, groups: Sequence[Any], scores: Any, title: str) -> dict[str, Any]:
    """Columns of nodes: highest score of the groups with the node (else NaN), and their numbers."""
    highest, numbers = np.full(n, np.nan), [""] * n
    for number, (nodes, score) in enumerate(zip(groups, scores, strict=True), 1):
        highest[nodes] = np.fmax(highest[nodes], score)
        for v in nodes:
            numbers[v] = f"{numbers[v]} {number}".lstrip()
    return {"score": highest, title: numbers}


def listing_of(title: str, columns: Mapping[str, Column], curve: tuple[str, ...] = ()) -> Any:
    """Fields of a `reports.content.Listing`: a table of a page, and a curve of two columns."""
    return title, {name: column.values for name, column in columns.items()}, curve
